//! The largest amount of memory the process has held.

/// Starts a new measurement where the system allows it.
pub fn forget_peak() {
    // Elsewhere than on Linux there is no such file, and the peak stays that of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Largest resident size since the last [`forget_peak`] \[MB\]; `None` where it cannot be known.
pub fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
