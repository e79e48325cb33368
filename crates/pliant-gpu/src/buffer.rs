//! Typed, labelled arrays on the device.

use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferDescriptor, BufferUsages};

use crate::{Gpu, GpuError, Readback};

/// An array of `T` on the device, never shorter than one element so that it can always be bound.
pub struct Buffer<T> {
    raw: wgpu::Buffer,
    gpu: Gpu,
    label: String,
    length: usize,
    usage: BufferUsages,
    element: PhantomData<fn() -> T>,
}

/// What every storage array can be used for.
const STORAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

impl Gpu {
    /// A storage array of `length` zeros.
    pub fn zeros<T: Pod>(&self, label: &str, length: usize) -> Result<Buffer<T>, GpuError> {
        Buffer::new(self, label, length, STORAGE)
    }

    /// A storage array with this content.
    pub fn storage<T: Pod>(&self, label: &str, content: &[T]) -> Result<Buffer<T>, GpuError> {
        let buffer = Buffer::new(self, label, content.len(), STORAGE)?;
        buffer.write(0, content);
        Ok(buffer)
    }

    /// An array of `length` records that kernels read as uniforms.
    pub fn uniform<T: Pod>(&self, label: &str, length: usize) -> Result<Buffer<T>, GpuError> {
        Buffer::new(self, label, length, BufferUsages::UNIFORM | BufferUsages::COPY_DST)
    }

    /// A storage array that also says how many workgroups to run, or draws something.
    pub fn array_for<T: Pod>(
        &self,
        label: &str,
        length: usize,
        more: BufferUsages,
    ) -> Result<Buffer<T>, GpuError> {
        Buffer::new(self, label, length, STORAGE | more)
    }
}

impl<T: Pod> Buffer<T> {
    fn new(gpu: &Gpu, label: &str, length: usize, usage: BufferUsages) -> Result<Self, GpuError> {
        let needed = Self::bytes_for(length);
        let limits = gpu.limits();
        let limit = match usage.contains(BufferUsages::UNIFORM) {
            true => limits.max_buffer_size,
            false => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
        };
        if needed > limit {
            let fits = limit / size_of::<T>() as u64;
            let advice = format!("{length} elements are wanted and {fits} would fit");
            return Err(GpuError::TooLarge { label: label.into(), needed, limit, advice });
        }
        // An error of before is not this buffer's.
        gpu.check()?;
        gpu.reserve(label, needed)?;
        let descriptor =
            BufferDescriptor { label: Some(label), size: needed, usage, mapped_at_creation: false };
        let raw = gpu.device().create_buffer(&descriptor);
        let (gpu, label, element) = (gpu.clone(), label.to_string(), PhantomData);
        let buffer = Self { raw, gpu, label, length, usage, element };
        match buffer.gpu.check() {
            Err(GpuError::OutOfMemory { reason, .. }) => {
                Err(GpuError::OutOfMemory { label: buffer.label.clone(), needed, reason })
            }
            Err(other) => Err(other),
            Ok(()) => Ok(buffer),
        }
    }

    /// Bytes of an array of `length`: copies want multiples of four, bindings at least one element.
    fn bytes_for(length: usize) -> u64 {
        (length.max(1) as u64 * size_of::<T>() as u64).next_multiple_of(4)
    }

    /// Overwrites elements from `first` on. It happens before everything submitted afterwards.
    pub fn write(&self, first: usize, content: &[T]) {
        assert!(first + content.len() <= self.length, "{}: written beyond its end", self.label);
        if !content.is_empty() {
            let offset = (first * size_of::<T>()) as u64;
            self.gpu.queue().write_buffer(&self.raw, offset, bytemuck::cast_slice(content));
        }
    }

    /// Makes room for at least `length` elements; says whether the array is a new one, whose
    /// content is zero and which must be bound again.
    pub fn grow(&mut self, length: usize) -> Result<bool, GpuError> {
        if length <= self.length {
            return Ok(false);
        }
        // Half more than needed, so that steady growth is rarely paid for.
        let roomy = Self::new(&self.gpu, &self.label, length + length / 2, self.usage);
        *self = roomy.or_else(|_| Self::new(&self.gpu, &self.label, length, self.usage))?;
        Ok(true)
    }

    /// Copies the content back and waits for it; see [`Readback::wait`].
    pub fn read(&self) -> Result<Vec<T>, GpuError> {
        self.read_range(0..self.length)
    }

    /// Copies some elements back and waits for them.
    pub fn read_range(&self, range: std::ops::Range<usize>) -> Result<Vec<T>, GpuError> {
        match range.is_empty() {
            true => Ok(Vec::new()),
            false => self.requested(range)?.wait(),
        }
    }

    /// Copies the content back; see [`Readback::arrival`].
    pub async fn fetch(&self) -> Result<Vec<T>, GpuError> {
        match self.length {
            0 => Ok(Vec::new()),
            length => self.requested(0..length)?.arrival().await,
        }
    }

    fn requested(&self, range: std::ops::Range<usize>) -> Result<Readback, GpuError> {
        let bytes = (range.len() * size_of::<T>()) as u64;
        let mut readback = Readback::new(&self.gpu, &self.label, bytes)?;
        let mut commands = self.gpu.commands("read back");
        readback.copy(&mut commands, self, range, 0);
        commands.submit();
        readback.request();
        Ok(readback)
    }
}

impl<T> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.raw.size()
    }

    /// Its name.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The buffer itself, to bind or to draw from.
    pub fn raw(&self) -> &wgpu::Buffer {
        &self.raw
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.gpu.release(self.raw.size());
    }
}
