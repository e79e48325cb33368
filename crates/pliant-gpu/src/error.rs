//! What can go wrong with a GPU.

/// A device, a driver or a kernel refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// There is no device that fits the choice.
    #[error("no GPU found{wanted}: {found}. {advice}")]
    NoAdapter {
        /// What was asked for, as part of a sentence; empty if nothing special.
        wanted: String,
        /// What there is instead.
        found: String,
        /// What to do.
        advice: &'static str,
    },
    /// The device could not be opened.
    #[error("the GPU {adapter:?} could not be opened: {reason}. Use another adapter, or the CPU")]
    Open {
        /// Name of the device.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// A buffer is larger than the device can bind.
    #[error(
        "the buffer {label:?} needs {} and this GPU can bind at most {}: {advice}",
        bytes(*needed), bytes(*limit)
    )]
    TooLarge {
        /// The buffer.
        label: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that one may have.
        limit: u64,
        /// What to do.
        advice: String,
    },
    /// There is not enough memory on the device.
    #[error(
        "the GPU has no room for the buffer {label:?} of {}: {reason}. Use a smaller scene, free \
         memory on the device, or use the CPU",
        bytes(*needed)
    )]
    OutOfMemory {
        /// The buffer.
        label: String,
        /// Bytes that it needs.
        needed: u64,
        /// What was said.
        reason: String,
    },
    /// A kernel did not compile.
    #[error("the kernel {label:?} does not compile on this GPU: {reason}")]
    Kernel {
        /// The kernel.
        label: String,
        /// The compiler's words, with module and line.
        reason: String,
    },
    /// The device is gone: reset by the driver, unplugged, or destroyed.
    #[error("the GPU was lost: {reason}")]
    Lost {
        /// What the driver said.
        reason: String,
    },
    /// The driver reported an error that is not one of the above.
    #[error("the GPU reported an error: {reason}")]
    Device {
        /// What the driver said.
        reason: String,
    },
}

/// A number of bytes as people read it.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..1024 => format!("{n} B"),
        1024..1_048_576 => format!("{:.1} KiB", n as f64 / 1024.0),
        _ => format!("{:.1} MiB", n as f64 / 1_048_576.0),
    }
}
