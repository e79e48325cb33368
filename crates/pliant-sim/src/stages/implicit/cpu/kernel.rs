//! The product of a block's matrix with a vector.

use super::matrix::BlockMatrix;
use crate::simd::three::{add, dot, sub};
use crate::simd::{Lane4, Lanes16, Level, Reader, Task, run_at};
use crate::stages::elastic::cpu::program::Group;

/// Adds the product of the pair blocks of `matrix` with `p` to `y`.
///
/// # Safety
/// The pointers lead to the block's slots, nobody writes `p` meanwhile, and nobody else accesses `y`.
pub(super) unsafe fn multiply(level: Level, matrix: &BlockMatrix, p: *const Lane4, y: *mut Lane4) {
    // SAFETY: promised by the caller.
    unsafe {
        match matrix.volumes {
            None => run_at(level, Product::<false> { matrix, p, y }),
            Some(_) => run_at(level, Product::<true> { matrix, p, y }),
        }
    }
}

/// All pairs; of springs only, or of any kind.
struct Product<'a, const FULL: bool> {
    matrix: &'a BlockMatrix,
    p: *const Lane4,
    y: *mut Lane4,
}

impl<const FULL: bool> Task for Product<'_, FULL> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { matrix, p, y } = self;
        let coefficients = Reader::new(&matrix.coefficient);
        let mut stream = Stream { p, y, index: matrix.index.as_ptr(), coefficients };
        for &group in &matrix.groups {
            // SAFETY: promised by the caller; each group reads exactly what was written for it.
            unsafe {
                match (group.axis, group.closed) {
                    (true, true) => stream.fans::<S, FULL, true, true>(group),
                    (true, false) => stream.fans::<S, FULL, true, false>(group),
                    (false, _) => stream.fans::<S, FULL, false, false>(group),
                }
            }
        }
    }
}

/// Read positions in a matrix, and the vectors it works on.
struct Stream {
    p: *const Lane4,
    y: *mut Lane4,
    index: *const u16,
    coefficients: Reader,
}

/// A vertex of the ring, relative to a, and its part of the product so far.
#[derive(Clone, Copy)]
struct Ring<S> {
    p: [S; 3],
    y: [S; 3],
    used: bool,
}

impl Stream {
    /// The next pair block, times `d` = p_j − p_i: what i loses, and what j gains.
    ///
    /// # Safety
    /// The pair's coefficients are next in the stream.
    #[inline(always)]
    unsafe fn pair<S: Lanes16, const FULL: bool>(&mut self, d: [S; 3]) -> [[S; 3]; 2] {
        let reader = &mut self.coefficients;
        // SAFETY: promised by the caller.
        unsafe {
            if FULL {
                let [a, b, c] = [reader.three::<S>(), reader.three::<S>(), reader.three::<S>()];
                let from = [dot(a, d), dot(b, d), dot(c, d)];
                let to = |k: usize| [a[k], b[k], c[k]];
                [from, [dot(to(0), d), dot(to(1), d), dot(to(2), d)]]
            } else {
                let e = reader.three::<S>();
                let across = reader.next::<S>();
                let along = dot(e, d);
                let t = [
                    e[0].mul_add(along, across.mul(d[0])),
                    e[1].mul_add(along, across.mul(d[1])),
                    e[2].mul_add(along, across.mul(d[2])),
                ];
                [t, t]
            }
        }
    }

    /// Sixteen fans, or stars if they have no axis.
    ///
    /// # Safety
    /// As for [`multiply`]; the stream is at the start of the group.
    #[inline(always)]
    unsafe fn fans<S: Lanes16, const FULL: bool, const AXIS: bool, const CLOSED: bool>(
        &mut self,
        group: Group,
    ) {
        let (index_a, y) = (self.index, self.y);
        // SAFETY: promised by the caller: the group has the indices of a, b and the ring.
        unsafe {
            let index_b = index_a.add(16);
            let index_first = if AXIS { index_a.add(32) } else { index_b };
            let a = S::gather(self.p, index_a);
            let zero = [S::zero(); 3];
            let b = if AXIS { sub(S::gather(self.p, index_b), a) } else { zero };
            let mut fan = Fan { a, b, ya: zero, yb: zero };
            let mut slots = group.slots;
            if AXIS && slots & 1 != 0 {
                let [from, to] = self.pair::<S, FULL>(b);
                fan.ya = sub(fan.ya, from);
                fan.yb = add(fan.yb, to);
            }
            let mut index = index_first;
            // Bits of a ring vertex: its spokes, the rim before it and the rim after it. A closed
            // ring's last rim comes back to its first vertex.
            let last_rim = CLOSED && slots >> (3 * u32::from(group.steps) + 2) & 1 != 0;
            let used = slots & 0b10_0110 != 0 || last_rim;
            let mut ring = fan.enter::<FULL, AXIS>(self, index, slots >> 1, used);
            slots >>= 3;
            let mut first = ring;
            for step in usize::from(CLOSED)..usize::from(group.steps) {
                let used = slots & 0b10_0111 != 0;
                let mut next = fan.enter::<FULL, AXIS>(self, index.add(16), slots, used);
                if slots & 4 != 0 {
                    self.rim::<S, FULL>(&mut ring, &mut next);
                }
                if CLOSED && step == 1 {
                    first.y = ring.y;
                } else if ring.used {
                    S::scatter_add(y, index, ring.y);
                }
                ring = next;
                slots >>= 3;
                index = index.add(16);
            }
            if CLOSED {
                if last_rim {
                    self.rim::<S, FULL>(&mut ring, &mut first);
                }
                if first.used {
                    S::scatter_add(y, index_first, first.y);
                }
            }
            if ring.used {
                S::scatter_add(y, index, ring.y);
            }
            if AXIS {
                S::scatter_add(y, index_b, fan.yb);
            }
            S::scatter_add(y, index_a, fan.ya);
            self.index = index.add(16);
        }
    }

    /// The pair between two neighbours of the ring.
    ///
    /// # Safety
    /// Its coefficients are next in the stream.
    #[inline(always)]
    unsafe fn rim<S: Lanes16, const FULL: bool>(&mut self, ring: &mut Ring<S>, next: &mut Ring<S>) {
        // SAFETY: promised by the caller.
        let [from, to] = unsafe { self.pair::<S, FULL>(sub(next.p, ring.p)) };
        ring.y = sub(ring.y, from);
        next.y = add(next.y, to);
    }
}

/// What sixteen fans share.
struct Fan<S> {
    a: [S; 3],
    /// p at b, less that at a.
    b: [S; 3],
    ya: [S; 3],
    yb: [S; 3],
}

impl<S: Lanes16> Fan<S> {
    /// Fetches a vertex of the ring, if anything needs it, and does its pairs with a and b, for the
    /// two low bits of `slots`.
    ///
    /// # Safety
    /// As for [`multiply`]; the pairs' coefficients are next in the stream.
    #[inline(always)]
    unsafe fn enter<const FULL: bool, const AXIS: bool>(
        &mut self,
        stream: &mut Stream,
        index: *const u16,
        slots: u64,
        used: bool,
    ) -> Ring<S> {
        let zero = [S::zero(); 3];
        let mut ring = Ring { p: zero, y: zero, used };
        if !used {
            return ring;
        }
        // SAFETY: promised by the caller.
        unsafe {
            ring.p = sub(S::gather(stream.p, index), self.a);
            if slots & 1 != 0 {
                let [from, to] = stream.pair::<S, FULL>(ring.p);
                self.ya = sub(self.ya, from);
                ring.y = to;
            }
            if AXIS && slots & 2 != 0 {
                let [from, to] = stream.pair::<S, FULL>(sub(ring.p, self.b));
                self.yb = sub(self.yb, from);
                ring.y = add(ring.y, to);
            }
        }
        ring
    }
}
