//! What conjugate gradients do with vectors, four vertices at a time.
//!
//! Vectors are arrays by slot like positions and velocities. Fourth numbers are zero, except where
//! [`Vectors`] says otherwise. Sums are taken in `f64`, over stretches that `f32` adds up safely.

use std::ops::Range;

use crate::simd::{Lane4, Lanes, Lanes16, Task};

/// Pointers to the vectors of a system.
#[derive(Clone, Copy)]
pub(crate) struct Vectors {
    /// The unknowns: change of velocity \[m/s\].
    pub delta: *mut Lanes,
    /// Right-hand side b \[kg·m/s\].
    pub right: *mut Lanes,
    /// b − A Δv, as far as it is known.
    pub residual: *mut Lanes,
    /// The residual times the preconditioner.
    pub scaled: *mut Lanes,
    /// The search direction p.
    pub direction: *mut Lanes,
    /// A times something; in halo slots the block's part for others. Fourth numbers mean nothing.
    pub product: *mut Lanes,
    /// Inverse of each vertex's own block: (xx, yy, zz); fourth number: its mass and all else that
    /// acts on it alone \[kg\].
    pub inverse: *mut Lanes,
    /// (xy, yz, zx) of the same; fourth number: its mass, 0 if it may not move \[kg\].
    pub inverse_rest: *mut Lanes,
    /// 1 for components that are free, 0 for those that are prescribed. Where there are colliders, the diagonal of
    /// the [projection](crate::stages::implicit::planes) on what is free.
    pub mask: *mut Lanes,
    /// (xy, yz, zx) of the same; null without colliders.
    pub mask_rest: *mut Lanes,
    /// The velocity against which friction acts \[m/s\]; null without colliders.
    pub surface: *mut Lanes,
    /// What walls do to a vertex, see [`Contact`](crate::stages::implicit::contact::Contact): what holds
    /// it, friction's resistance before and the speed that came of it; fourth number: the resistance
    /// \[kg\].
    pub contacts: *mut Lanes,
}

/// The numbers of a vertex.
///
/// # Safety
/// The slot is there, and nobody else uses it meanwhile.
pub(super) unsafe fn lane<'a>(array: *mut Lanes, slot: u32) -> &'a mut [f32; 4] {
    // SAFETY: promised by the caller.
    unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
}

/// Chunks whose products are added in `f32` before they go into an `f64`.
const STRETCH: usize = 32;

/// Sums of products over lanes.
pub(super) struct Sum<S> {
    lanes: S,
    count: usize,
    total: f64,
}

impl<S: Lanes16> Sum<S> {
    #[inline(always)]
    pub fn new() -> Self {
        Self { lanes: S::zero(), count: 0, total: 0.0 }
    }

    #[inline(always)]
    pub fn add(&mut self, a: S, b: S) {
        self.lanes = a.mul_add(b, self.lanes);
        self.count += 1;
        if self.count == STRETCH {
            self.flush();
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        let mut plain = Lanes::default();
        self.lanes.store(&mut plain);
        self.total += plain.0.iter().map(|&x| f64::from(x)).sum::<f64>();
        (self.lanes, self.count) = (S::zero(), 0);
    }

    #[inline(always)]
    pub fn end(mut self) -> f64 {
        self.flush();
        self.total
    }
}

/// Rounds to zero what is close to the subnormal numbers, which processors are slow with: what is below
/// 10⁻³⁷ falls out of the sum, what is above 10⁻²² is not changed.
#[inline(always)]
fn flush_subnormals<S: Lanes16>(x: S) -> S {
    let large = S::splat(1e-30);
    x.add(large).sub(large)
}

/// The products of four symmetric matrices, given by their diagonals and the rest, with four vectors.
#[inline(always)]
fn symmetric_times<S: Lanes16>(diagonal: S, rest: S, x: S) -> S {
    let (yzx, rest_zxy) = (x.turned(), rest.turned().turned());
    let y = diagonal.mul(x);
    let y = rest.mul_add(yzx, y);
    rest_zxy.mul_add(yzx.turned(), y)
}

/// What is free of four vertices' x.
///
/// # Safety
/// Nobody writes the chunk meanwhile.
#[inline(always)]
pub(super) unsafe fn free_part<S: Lanes16>(v: &Vectors, c: usize, x: S) -> S {
    // SAFETY: promised by the caller.
    unsafe {
        let mask = S::load(&*v.mask.add(c));
        if v.mask_rest.is_null() {
            x.mul(mask)
        } else {
            symmetric_times(mask, S::load(&*v.mask_rest.add(c)), x)
        }
    }
}

/// Each vertex's r times the inverse of its own block, where it is free.
#[inline(always)]
unsafe fn preconditioned<S: Lanes16>(v: &Vectors, c: usize, r: S) -> S {
    // SAFETY: promised by the callers below.
    unsafe {
        let (own, rest) = (S::load(&*v.inverse.add(c)), S::load(&*v.inverse_rest.add(c)));
        free_part(v, c, symmetric_times(own, rest, r))
    }
}

/// Sums r·z and r·r over chunks whose residual is known.
struct ResidualSums<S> {
    rz: Sum<S>,
    rr: Sum<S>,
}

impl<S: Lanes16> ResidualSums<S> {
    #[inline(always)]
    fn new() -> Self {
        Self { rz: Sum::new(), rr: Sum::new() }
    }

    /// Keeps the residual r of a chunk, and what the preconditioner makes of it.
    ///
    /// # Safety
    /// The chunk belongs to this call alone.
    #[inline(always)]
    unsafe fn take(&mut self, v: &Vectors, c: usize, r: S) {
        // SAFETY: promised by the caller.
        unsafe {
            let z = preconditioned(v, c, r);
            r.store(&mut *v.residual.add(c));
            z.store(&mut *v.scaled.add(c));
            self.rz.add(r, z);
            self.rr.add(r, r);
        }
    }

    #[inline(always)]
    fn end(self) -> [f64; 2] {
        [self.rz.end(), self.rr.end()]
    }
}

/// r = b − A Δv from the product A Δv, and z from it; returns r·z and r·r.
pub(super) struct TrueResidual<'a> {
    pub vectors: &'a Vectors,
    pub chunks: Range<usize>,
}

impl Task for TrueResidual<'_> {
    type Output = [f64; 2];

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> [f64; 2] {
        let Self { vectors: v, chunks } = self;
        let mut sums = ResidualSums::<S>::new();
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let y = S::load(&*v.product.add(c)).with_fourth_of(S::zero());
                let r = free_part(v, c, S::load(&*v.right.add(c)).sub(y));
                sums.take(v, c, r);
            }
        }
        sums.end()
    }
}

/// The update of conjugate gradients: Δv += α p and r −= α A p; returns r·z and r·r.
pub(super) struct CgUpdate<'a> {
    pub vectors: &'a Vectors,
    pub chunks: Range<usize>,
    pub alpha: f32,
}

impl Task for CgUpdate<'_> {
    type Output = [f64; 2];

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> [f64; 2] {
        let Self { vectors: v, chunks, alpha } = self;
        let alpha = S::splat(alpha);
        let mut sums = ResidualSums::<S>::new();
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let p = S::load(&*v.direction.add(c));
                let y = S::load(&*v.product.add(c)).with_fourth_of(S::zero());
                let y = free_part(v, c, y);
                alpha.mul_add(p, S::load(&*v.delta.add(c))).store(&mut *v.delta.add(c));
                let r = alpha.neg_mul_add(y, S::load(&*v.residual.add(c)));
                sums.take(v, c, r);
            }
        }
        sums.end()
    }
}

/// The start of a product: p = z + β p in a block's own slots and in its copies of others', the
/// vertices' own parts in the former, nothing yet in the latter.
pub(super) struct SearchDirection<'a> {
    pub vectors: &'a Vectors,
    /// The block's own chunks.
    pub own: Range<usize>,
    /// Owners' slots of the copies, which are in the chunks behind.
    pub sources: &'a [u32],
    /// z, the new part of p.
    pub from: *const Lanes,
    /// β; without it p is z.
    pub beta: Option<f32>,
    /// Whether the product has the vertices' own parts.
    pub masses: bool,
    /// Whether friction is part of these.
    pub has_friction: bool,
}

impl Task for SearchDirection<'_> {
    type Output = ();

    /// # Safety
    /// The block's chunks belong to this call alone, and nobody writes `from`.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { vectors: v, own, sources, from, beta, masses, has_friction } = self;
        let first_copy = own.end;
        let beta = beta.map(S::splat);
        for c in own {
            // SAFETY: promised by the caller.
            unsafe {
                let p = next_direction(beta, &mut *v.direction.add(c), S::load(&*from.add(c)));
                let mass = S::load(&*v.inverse.add(c)).broadcast_fourth();
                let mut y = if masses { p.mul(mass) } else { S::zero() };
                if masses && has_friction {
                    y = add_resistance(v, c, p, y);
                }
                y.store(&mut *v.product.add(c));
            }
        }
        // One more than there are copies: the dummy of empty lanes.
        for n in 0..(sources.len() + 1).div_ceil(4) {
            let mut z = Lanes::default();
            for (k, &source) in sources[4 * n..].iter().take(4).enumerate() {
                // SAFETY: promised by the caller; sources are slots.
                let lane = unsafe { (*from.cast::<Lane4>().add(source as usize)).0 };
                z.0[4 * k..4 * k + 3].copy_from_slice(&lane[..3]);
            }
            // SAFETY: promised by the caller.
            unsafe {
                next_direction(beta, &mut *v.direction.add(first_copy + n), S::load(&z));
                S::zero().store(&mut *v.product.add(first_copy + n));
            }
        }
    }
}

/// y and friction's resistance times x.
///
/// # Safety
/// Nobody writes the chunk meanwhile.
#[inline(always)]
pub(super) unsafe fn add_resistance<S: Lanes16>(v: &Vectors, c: usize, x: S, y: S) -> S {
    // SAFETY: promised by the caller.
    unsafe {
        let resistance = S::load(&*v.contacts.add(c)).broadcast_fourth();
        if v.mask_rest.is_null() {
            resistance.mul(S::load(&*v.mask.add(c))).mul_add(x, y)
        } else {
            resistance.mul_add(free_part(v, c, x), y)
        }
    }
}

/// p ← z + β p. A function of its own, since closures are not compiled for the level.
#[inline(always)]
fn next_direction<S: Lanes16>(beta: Option<S>, p: &mut Lanes, z: S) -> S {
    let z = z.with_fourth_of(S::zero());
    let next_direction = match beta {
        Some(beta) => flush_subnormals(beta.mul_add(S::load(p), z)),
        None => z,
    };
    next_direction.store(p);
    next_direction
}

/// Δv of free components: what the last acceleration gives in some time.
pub(super) struct Guess<'a> {
    pub vectors: &'a Vectors,
    /// The last acceleration.
    pub last_acceleration: *const Lanes,
    pub h: f32,
    pub chunks: Range<usize>,
}

impl Task for Guess<'_> {
    type Output = ();

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { vectors: v, last_acceleration, h, chunks } = self;
        let h = S::splat(h);
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let delta = S::load(&*v.delta.add(c));
                let last = S::load(&*last_acceleration.add(c)).with_fourth_of(S::zero());
                let guess = free_part(v, c, h.mul(last));
                let given = delta.sub(free_part(v, c, delta));
                given.add(guess).store(&mut *v.delta.add(c));
            }
        }
    }
}

/// The product of two vectors; with `FREE`, of their free components.
pub(super) struct Dot<'a, const FREE: bool> {
    pub vectors: &'a Vectors,
    /// Fourth numbers of the second may mean anything.
    pub of: [*const Lanes; 2],
    pub chunks: Range<usize>,
}

impl<const FREE: bool> Task for Dot<'_, FREE> {
    type Output = f64;

    /// # Safety
    /// Nobody writes the chunks meanwhile.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> f64 {
        let Self { vectors, of: [one, other], chunks } = self;
        let mut sum = Sum::<S>::new();
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let mut other = S::load(&*other.add(c)).with_fourth_of(S::zero());
                if FREE {
                    other = free_part(vectors, c, other);
                }
                sum.add(S::load(&*one.add(c)), other);
            }
        }
        sum.end()
    }
}
