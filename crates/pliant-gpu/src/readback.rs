//! Bringing data back from the device without stopping it.

use std::future::poll_fn;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use bytemuck::Pod;
use web_time::Instant;
use wgpu::{BufferDescriptor, BufferUsages, MapMode};

use crate::{Buffer, Commands, Gpu, GpuError};

const IDLE: u8 = 0;
const ASKED: u8 = 1;
const HERE: u8 = 2;
const FAILED: u8 = 3;

/// How long finished work may take to be announced.
const PATIENCE: Duration = Duration::from_secs(30);

/// How far a request has come, and who waits for it.
#[derive(Default)]
struct Progress {
    state: AtomicU8,
    waker: Mutex<Option<Waker>>,
}

impl Progress {
    fn get(&self) -> u8 {
        self.state.load(Ordering::Acquire)
    }

    fn set(&self, state: u8) {
        self.state.store(state, Ordering::Release);
    }

    /// Ends a request.
    fn end(&self, is_here: bool) {
        self.set(if is_here { HERE } else { FAILED });
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Wakes whoever waits when the request has ended.
    fn wake_at_end(&self, waker: &Waker) {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }
}

/// A place on the host that device data is copied to: record copies, submit, ask, take.
pub struct Readback {
    gpu: Gpu,
    staging: wgpu::Buffer,
    label: String,
    progress: Arc<Progress>,
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
        let readback = Self {
            gpu: gpu.clone(),
            staging,
            label: label.into(),
            progress: Arc::default(),
            is_picture: AtomicBool::new(false),
        };
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
        self.progress.set(ASKED);
        let progress = Arc::clone(&self.progress);
        self.staging.map_async(MapMode::Read, .., move |result| progress.end(result.is_ok()));
    }

    /// Bytes that it has room for.
    pub fn bytes(&self) -> u64 {
        self.staging.size()
    }

    /// Whether something was asked for and not yet taken.
    pub fn is_pending(&self) -> bool {
        self.progress.get() != IDLE
    }

    /// The data, if it has arrived. Afterwards the place can be used again.
    pub fn take<T: Pod>(&mut self) -> Result<Option<Vec<T>>, GpuError> {
        match self.progress.get() {
            HERE => {}
            FAILED => {
                self.progress.set(IDLE);
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
        self.progress.set(IDLE);
        Ok(Some(content))
    }

    /// The data, waiting for it. A browser lets nobody wait, so that there it is an error unless the
    /// data has arrived: [`Readback::arrival`] is for both.
    pub fn wait<T: Pod>(&mut self) -> Result<Vec<T>, GpuError> {
        if cfg!(target_arch = "wasm32") {
            return self.take()?.ok_or_else(|| {
                let reason = format!("{:?} cannot be waited for in a browser", self.label);
                GpuError::Device { reason }
            });
        }
        let start = Instant::now();
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

    /// The data, once it has arrived. In a browser others go on meanwhile; elsewhere this waits, so
    /// that it is ready as soon as somebody looks.
    pub async fn arrival<T: Pod>(&mut self) -> Result<Vec<T>, GpuError> {
        if !cfg!(target_arch = "wasm32") {
            return self.wait();
        }
        poll_fn(|context| {
            self.progress.wake_at_end(context.waker());
            match self.take() {
                Ok(None) => Poll::Pending,
                Ok(Some(content)) => Poll::Ready(Ok(content)),
                Err(error) => Poll::Ready(Err(error)),
            }
        })
        .await
    }
}

impl Drop for Readback {
    fn drop(&mut self) {
        self.gpu.release(self.staging.size());
    }
}
