//! How much memory the process may still take, as far as the system tells (Linux).

use std::fs::read_to_string;

/// Left for drivers and threads, which come later \[bytes\].
const RESERVE: u64 = 128 << 20;

/// Bytes: the least of what the machine has free, what a limit of the process (`ulimit -v`) leaves and
/// what a container allows.
pub fn available() -> Option<u64> {
    let least = [machine(), process(), container()].into_iter().flatten().min()?;
    Some(least.saturating_sub(RESERVE))
}

fn machine() -> Option<u64> {
    kilobytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn process() -> Option<u64> {
    let limit = address_space(&read_to_string("/proc/self/limits").ok()?)?;
    let taken = kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(taken))
}

/// What a control group leaves, not counting files that are kept in memory for speed only.
fn container() -> Option<u64> {
    let limit: u64 = read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()?;
    let taken = number(&read_to_string("/sys/fs/cgroup/memory.stat").ok()?, "anon ")?;
    Some(limit.saturating_sub(taken))
}

/// The soft limit; none when it is unlimited.
fn address_space(limits: &str) -> Option<u64> {
    number(limits, "Max address space")
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    number(text, key).map(|n| n.saturating_mul(1024))
}

/// The first number behind a key at the start of a line.
fn number(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_linux_are_understood() {
        let meminfo = "MemTotal:       16384 kB\nMemAvailable:    4096 kB\n";
        assert_eq!(kilobytes(meminfo, "MemAvailable:"), Some(4 << 20));
        let limits =
            |n: &str| format!("Limit  Soft Limit\nMax address space   {n}   unlimited  bytes\n");
        assert_eq!(address_space(&limits("4294967296")), Some(4 << 30));
        assert_eq!(address_space(&limits("unlimited")), None);
        assert_eq!(number("anon 77\nanon_thp 5\n", "anon "), Some(77));
        assert_eq!(kilobytes("", "VmSize:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells() {
        assert!(available().is_some_and(|bytes| bytes < 1 << 50));
    }
}
