//! Bringing data back from the device without stopping it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use bytemuck::Pod;
use wgpu::{BufferDescriptor, BufferUsages, MapMode};

use crate::{Buffer, Commands, Gpu, GpuError};

const IDLE: u8 = 0;
const ASKED: u8 = 1;
const HERE: u8 = 2;
const FAILED: u8 = 3;

/// How long finished work may take to be announced.
#[cfg(not(target_arch = "wasm32"))]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// A place on the host that device data is copied to: record copies, submit, ask, take.
pub struct Readback {
    gpu: Gpu,
    staging: wgpu::Buffer,
    label: String,
    state: Arc<AtomicU8>,
    /// Whether a texture is on its way, which is counted by itself.
    is_picture: AtomicBool,
}

impl Readback {
    /// Room for `bytes`.
    pub fn new(gpu: &Gpu, label: &str, bytes: u64) -> Result<Self, GpuError> {
        gpu.check()?;
        let size = bytes.next_multiple_of(4).max(4);
        gpu.reserve(label, size)?;
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let descriptor =
            BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let staging = gpu.device().create_buffer(&descriptor);
        let state = Arc::new(AtomicU8::new(IDLE));
        let (gpu_again, is_picture) = (gpu.clone(), AtomicBool::new(false));
        let readback = Self { gpu: gpu_again, staging, label: label.into(), state, is_picture };
        match gpu.check() {
            Err(GpuError::OutOfMemory { reason, .. }) => {
                Err(GpuError::OutOfMemory { label: label.into(), needed: size, reason })
            }
            Err(other) => Err(other),
            Ok(()) => Ok(readback),
        }
    }

    /// Records a copy of elements of `from` to byte `at` of this place.
    pub fn copy<T: Pod>(
        &self,
        commands: &mut Commands,
        from: &Buffer<T>,
        range: Range<usize>,
        at: u64,
    ) {
        let element = size_of::<T>() as u64;
        let bytes = (range.len() as u64 * element).next_multiple_of(4);
        let first = range.start as u64 * element;
        commands.copy_raw(from.raw(), first, &self.staging, at, bytes);
    }

    /// Records a copy of the first `size` texels of a texture, in rows of `stride` bytes, which is a
    /// multiple of 256.
    pub fn copy_texture(
        &self,
        commands: &mut Commands,
        from: &wgpu::Texture,
        size: wgpu::Extent3d,
        stride: u32,
    ) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(stride),
            rows_per_image: None,
        };
        let to = wgpu::TexelCopyBufferInfo { buffer: &self.staging, layout };
        self.is_picture.store(true, Ordering::Relaxed);
        commands.encoder().copy_texture_to_buffer(from.as_image_copy(), to, size);
    }

    /// Asks for the data once everything submitted so far is done.
    pub fn request(&mut self) {
        self.state.store(ASKED, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.staging.map_async(MapMode::Read, .., move |result| {
            state.store(if result.is_ok() { HERE } else { FAILED }, Ordering::Release);
        });
    }

    /// Bytes that it has room for.
    pub fn bytes(&self) -> u64 {
        self.staging.size()
    }

    /// Whether something was asked for and not yet taken.
    pub fn is_pending(&self) -> bool {
        self.state.load(Ordering::Acquire) != IDLE
    }

    /// The data, if it has arrived. Afterwards the place can be used again.
    pub fn take<T: Pod>(&mut self) -> Result<Option<Vec<T>>, GpuError> {
        match self.state.load(Ordering::Acquire) {
            HERE => {}
            FAILED => {
                self.state.store(IDLE, Ordering::Release);
                self.gpu.check()?;
                let reason = format!("{:?} could not be read back", self.label);
                return Err(GpuError::Device { reason });
            }
            _ => return Ok(None),
        }
        let view = self.staging.get_mapped_range(..);
        let view = view.map_err(|e| GpuError::Device { reason: e.to_string() })?;
        let whole = view.len() / size_of::<T>() * size_of::<T>();
        let content = bytemuck::pod_collect_to_vec(&view[..whole]);
        self.gpu.count_read(view.len() as u64, self.is_picture.swap(false, Ordering::Relaxed));
        drop(view);
        self.staging.unmap();
        self.state.store(IDLE, Ordering::Release);
        Ok(Some(content))
    }

    /// The data, waiting for it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait<T: Pod>(&mut self) -> Result<Vec<T>, GpuError> {
        let start = std::time::Instant::now();
        loop {
            self.gpu.wait()?;
            if let Some(content) = self.take()? {
                return Ok(content);
            }
            // All work is done; another thread that waits for the same device is about to tell us.
            std::thread::yield_now();
            if start.elapsed() > PATIENCE {
                let reason = format!("{:?} did not come back", self.label);
                return Err(GpuError::Device { reason });
            }
        }
    }
}

impl Drop for Readback {
    fn drop(&mut self) {
        self.gpu.release(self.staging.size());
    }
}
