//! Lanes one after the other.

use super::{Lanes, Lanes16};

/// Reads a kernel's coefficients in the order in which it asks for them.
pub(crate) struct Reader(*const Lanes);

impl Reader {
    /// At the first of `lanes`, which must outlive the reader.
    #[inline(always)]
    pub fn new(lanes: &[Lanes]) -> Self {
        Self(lanes.as_ptr())
    }

    /// The next one.
    ///
    /// # Safety
    /// There is one left, inside a function compiled for the level of `S`.
    #[inline(always)]
    pub unsafe fn next<S: Lanes16>(&mut self) -> S {
        // SAFETY: promised by the caller.
        unsafe {
            let lanes = S::load(&*self.0);
            self.0 = self.0.add(1);
            lanes
        }
    }

    /// The next three.
    ///
    /// # Safety
    /// There are three left, inside a function compiled for the level of `S`.
    #[inline(always)]
    pub unsafe fn three<S: Lanes16>(&mut self) -> [S; 3] {
        // SAFETY: promised by the caller.
        unsafe { [self.next::<S>(), self.next::<S>(), self.next::<S>()] }
    }
}
