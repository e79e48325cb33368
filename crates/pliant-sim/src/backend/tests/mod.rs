//! What concerns both backends.

#[cfg(feature = "gpu")]
mod buffers;
mod layers;
#[cfg(feature = "gpu")]
mod split;
