//! An open device, its health, and how much memory may be taken from it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{DeviceDescriptor, Features, Limits, PollType};

use crate::adapter::{self, AdapterChoice, AdapterSummary};
use crate::{Commands, GpuError};

/// Storage buffers per kernel: what browsers offer.
pub(crate) const STORAGE_BUFFERS: u32 = 10;

/// An open device. Clones share it.
#[derive(Clone)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    adapter: Arc<AdapterSummary>,
    health: Arc<Health>,
    /// Whether somebody else opened the device.
    is_adopted: bool,
}

/// What the driver told us since we last asked, and the memory in use.
#[derive(Default)]
struct Health {
    lost: Mutex<Option<String>>,
    error: Mutex<Option<Reported>>,
    /// Bytes in buffers now, and the most there may be; 0 means no bound of ours.
    used: AtomicU64,
    budget: AtomicU64,
    /// Bytes that came to the host so far: of buffers, and of pictures.
    read: AtomicU64,
    read_pictures: AtomicU64,
}

#[derive(Clone)]
enum Reported {
    OutOfMemory(String),
    Other(String),
}

impl Gpu {
    /// Opens the best device that fits `choice`.
    pub async fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let (adapter, summary) = adapter::choose(choice).await?;
        let fail = |reason: String| GpuError::Open { adapter: summary.name.clone(), reason };
        summary.suits().map_err(fail)?;
        let opened = adapter.request_device(&Self::descriptor(&summary)).await;
        let (device, queue) = opened.map_err(|e| fail(e.to_string()))?;
        Ok(Self { is_adopted: false, ..Self::adopt(device, queue, summary) })
    }

    /// What to ask of an adapter, for windows that open the device themselves.
    pub fn descriptor(adapter: &AdapterSummary) -> DeviceDescriptor<'static> {
        DeviceDescriptor {
            label: Some("pliant"),
            required_features: adapter.features & Features::TIMESTAMP_QUERY,
            required_limits: limits(&adapter.limits),
            ..DeviceDescriptor::default()
        }
    }

    /// Opens the same adapter again, after its device was lost. The memory budget stays what it was.
    /// A device that was adopted is its owner's to open.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn reopen_blocking(&self) -> Result<Self, GpuError> {
        let adapter = self.adapter.name.clone();
        if self.is_adopted {
            let reason = "it belongs to a window, which has to open it".into();
            return Err(GpuError::Open { adapter, reason });
        }
        let again = Self::open_blocking(&AdapterChoice::named(&adapter))?;
        let budget = self.health.budget.load(Ordering::Relaxed);
        again.health.budget.store(budget, Ordering::Relaxed);
        Ok(again)
    }

    /// Opens the best device that fits `choice`; waits for it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_blocking(choice: &AdapterChoice) -> Result<Self, GpuError> {
        pollster::block_on(Self::open(choice))
    }

    /// Uses a device that somebody else opened, such as a window's. Its errors are reported to us
    /// from now on.
    pub fn adopt(device: wgpu::Device, queue: wgpu::Queue, adapter: AdapterSummary) -> Self {
        let health = Arc::new(Health::default());
        let watch = Arc::clone(&health);
        device.on_uncaptured_error(Arc::new(move |error| {
            let reported = match error {
                wgpu::Error::OutOfMemory { source } => Reported::OutOfMemory(source.to_string()),
                wgpu::Error::Validation { description, .. }
                | wgpu::Error::Internal { description, .. } => Reported::Other(description),
            };
            // The first one is the cause, the others follow from it.
            lock(&watch.error).get_or_insert(reported);
        }));
        let watch = Arc::clone(&health);
        device.set_device_lost_callback(move |reason, message| {
            let reason = match message.is_empty() {
                true => format!("{reason:?}").to_lowercase(),
                false => message,
            };
            lock(&watch.lost).get_or_insert(reason);
        });
        Self { device, queue, adapter: Arc::new(adapter), health, is_adopted: true }
    }

    /// What was opened.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.adapter
    }

    /// Whether somebody else opened the device, who is then also the one to open it again.
    pub fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    /// The device itself.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// What kernels and buffers may use.
    pub fn limits(&self) -> Limits {
        self.device.limits()
    }

    /// Whether kernels can be timed.
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(Features::TIMESTAMP_QUERY)
    }

    /// Whether the device is gone for good.
    pub fn is_lost(&self) -> bool {
        lock(&self.health.lost).is_some()
    }

    /// Says whether all is well, and forgets errors that are not the device's end.
    pub fn check(&self) -> Result<(), GpuError> {
        if let Some(reason) = lock(&self.health.lost).clone() {
            return Err(GpuError::Lost { reason });
        }
        match lock(&self.health.error).take() {
            None => Ok(()),
            Some(Reported::OutOfMemory(reason)) => {
                Err(GpuError::OutOfMemory { label: "unknown".into(), needed: 0, reason })
            }
            Some(Reported::Other(reason)) => Err(GpuError::Device { reason }),
        }
    }

    /// Starts recording.
    pub fn commands(&self, label: &'static str) -> Commands {
        Commands::new(self, label)
    }

    /// Waits until everything submitted so far is done. In a browser it only looks.
    pub fn wait(&self) -> Result<(), GpuError> {
        let polled = self.device.poll(PollType::wait_indefinitely());
        self.check()?;
        polled.map(|_| ()).map_err(|e| GpuError::Device { reason: e.to_string() })
    }

    /// Lets callbacks run whose work is done, without waiting.
    pub fn poll(&self) -> Result<(), GpuError> {
        let polled = self.device.poll(PollType::Poll);
        self.check()?;
        polled.map(|_| ()).map_err(|e| GpuError::Device { reason: e.to_string() })
    }

    /// Gives the device back at once: everything on it is gone, and every later use says so.
    pub fn destroy(&self) {
        self.device.destroy();
        lock(&self.health.lost).get_or_insert("it was destroyed on request".into());
    }

    /// The most bytes that buffers may take from now on; what is there stays. `None` leaves it to
    /// the driver.
    pub fn set_memory_budget(&self, bytes: Option<u64>) {
        self.health.budget.store(bytes.unwrap_or(0), Ordering::Relaxed);
    }

    /// Bytes that the budget leaves; `None` when there is no budget.
    pub fn memory_left(&self) -> Option<u64> {
        let budget = self.health.budget.load(Ordering::Relaxed);
        (budget > 0).then(|| budget.saturating_sub(self.memory_used()))
    }

    /// Bytes in buffers now.
    pub fn memory_used(&self) -> u64 {
        self.health.used.load(Ordering::Relaxed)
    }

    /// Bytes of buffers that were copied to the host since the device was opened; pictures are counted
    /// by [`Gpu::picture_bytes_read`].
    pub fn bytes_read(&self) -> u64 {
        self.health.read.load(Ordering::Relaxed)
    }

    /// Bytes of textures that were copied to the host since the device was opened.
    pub fn picture_bytes_read(&self) -> u64 {
        self.health.read_pictures.load(Ordering::Relaxed)
    }

    pub(crate) fn count_read(&self, bytes: u64, is_picture: bool) {
        let Health { read, read_pictures, .. } = &*self.health;
        let counter = if is_picture { read_pictures } else { read };
        counter.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Asks for room; what is granted is given back by [`Gpu::release`].
    pub(crate) fn reserve(&self, label: &str, needed: u64) -> Result<(), GpuError> {
        let Health { used, budget, .. } = &*self.health;
        let before = used.fetch_add(needed, Ordering::Relaxed);
        let budget = budget.load(Ordering::Relaxed);
        if budget == 0 || before.saturating_add(needed) <= budget {
            return Ok(());
        }
        self.release(needed);
        let (used, budget) = (crate::error::bytes(before), crate::error::bytes(budget));
        let reason = format!("{used} of the budget of {budget} are in use");
        Err(GpuError::OutOfMemory { label: label.into(), needed, reason })
    }

    pub(crate) fn release(&self, bytes: u64) {
        self.health.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// WebGPU's core, and the larger sizes of the device where they only make room.
fn limits(adapter: &Limits) -> Limits {
    Limits {
        max_storage_buffers_per_shader_stage: STORAGE_BUFFERS,
        max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
        max_buffer_size: adapter.max_buffer_size,
        min_uniform_buffer_offset_alignment: adapter.min_uniform_buffer_offset_alignment,
        min_storage_buffer_offset_alignment: adapter.min_storage_buffer_offset_alignment,
        ..Limits::default()
    }
}

/// What was said stays readable even if somebody panicked while saying it.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Gpu").field(&self.adapter.name).finish()
    }
}
