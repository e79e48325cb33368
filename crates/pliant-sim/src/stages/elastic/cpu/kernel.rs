//! Runs a block's program.

use super::program::{Group, Program};
use crate::simd::three::{add, cross, dot, mul, mul_add, neg_mul_add, sub};
use crate::simd::{Lane4, Lanes16, Level, Reader, Task, run_at};
use crate::stages::elastic::VolumeForm;
use crate::stages::elastic::formula::TINY;

/// The stretches of the three arrays that belong to one block.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub position: *const Lane4,
    pub velocity: *const Lane4,
    pub force: *mut Lane4,
}

/// Adds the forces of all elements of `program` to `slots.force`.
///
/// # Safety
/// The pointers lead to as many entries as the program was built for (velocities only if it is
/// damped), and nobody else accesses the forces or writes positions and velocities meanwhile.
pub(super) unsafe fn run(level: Level, form: VolumeForm, program: &Program, slots: Window) {
    // SAFETY: promised by the caller.
    unsafe {
        match (form, program.damped) {
            (VolumeForm::Energy, false) => run_at(level, Forces::<false, false>(program, slots)),
            (VolumeForm::Energy, true) => run_at(level, Forces::<false, true>(program, slots)),
            (VolumeForm::Thesis, false) => run_at(level, Forces::<true, false>(program, slots)),
            (VolumeForm::Thesis, true) => run_at(level, Forces::<true, true>(program, slots)),
        }
    }
}

/// The whole program, for one kind of volume force, with or without damping.
struct Forces<'a, const THESIS: bool, const DAMPED: bool>(&'a Program, Window);

impl<const THESIS: bool, const DAMPED: bool> Task for Forces<'_, THESIS, DAMPED> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        // SAFETY: promised by the caller.
        unsafe { all_groups::<S, THESIS, DAMPED>(self.0, self.1) }
    }
}

/// # Safety
/// As for [`run`], inside a function compiled for the level of `S`.
#[inline(always)]
unsafe fn all_groups<S: Lanes16, const THESIS: bool, const DAMPED: bool>(
    program: &Program,
    slots: Window,
) {
    let coefficients = Reader::new(&program.coefficient);
    let mut stream = Stream { slots, index: program.index.as_ptr(), coefficients };
    for &group in &program.groups {
        // SAFETY: promised by the caller; each group reads exactly what was written for it.
        unsafe {
            match (group.axis, group.closed) {
                (true, true) => fans::<S, THESIS, DAMPED, true>(&mut stream, group),
                (true, false) => fans::<S, THESIS, DAMPED, false>(&mut stream, group),
                (false, _) => stars::<S, DAMPED>(&mut stream, group),
            }
        }
    }
}

/// Read positions in a program, and the arrays it works on.
struct Stream {
    slots: Window,
    index: *const u16,
    coefficients: Reader,
}

impl Stream {
    /// Position, and velocity if damped, of the vertices at `index`.
    ///
    /// # Safety
    /// As for [`run`]; `index` points at sixteen indices of the program.
    #[inline(always)]
    unsafe fn fetch<S: Lanes16, const DAMPED: bool>(&self, index: *const u16) -> Point<S> {
        // SAFETY: promised by the caller.
        unsafe {
            let x = S::gather(self.slots.position, index);
            let v = if DAMPED { S::gather(self.slots.velocity, index) } else { [S::zero(); 3] };
            Point { x, v }
        }
    }

    /// What a spring's force is per length vector: `k − k·L0/|l|`, plus damping.
    ///
    /// # Safety
    /// The spring's coefficients are next in the stream.
    #[inline(always)]
    unsafe fn spring<S: Lanes16, const DAMPED: bool>(&mut self, l: Point<S>) -> S {
        // SAFETY: promised by the caller.
        let (k, k_rest) = unsafe { (self.coefficients.next::<S>(), self.coefficients.next::<S>()) };
        let square = dot(l.x, l.x).max(S::splat(TINY as f32));
        let stiffness = k.sub(k_rest.div(square.sqrt()));
        if !DAMPED {
            return stiffness;
        }
        // SAFETY: promised by the caller.
        let damping = unsafe { self.coefficients.next::<S>() };
        dot(l.x, l.v).div(square).mul_add(damping, stiffness)
    }
}

/// Positions and velocities, or differences of them.
#[derive(Clone, Copy)]
struct Point<S> {
    x: [S; 3],
    v: [S; 3],
}

impl<S: Lanes16> Point<S> {
    #[inline(always)]
    fn minus(self, o: Self) -> Self {
        Self { x: sub(self.x, o.x), v: sub(self.v, o.v) }
    }
}

/// A vertex r_i of the ring, relative to a.
#[derive(Clone, Copy)]
struct Ring<S> {
    /// e_i
    e: Point<S>,
    /// c_i
    c: [S; 3],
    /// 1/|c_i|, for the thesis form (Echtler 2004) only.
    inv_c: S,
    /// Force so far.
    f: [S; 3],
}

/// What sixteen fans share.
struct Fan<S> {
    a: Point<S>,
    /// b − a
    b: Point<S>,
    /// Force on b so far.
    fb: [S; 3],
    /// Forces on the ring so far; minus those, and minus that on b, is the force on a.
    sum: [S; 3],
}

impl<S: Lanes16> Fan<S> {
    /// Fetches a vertex of the ring and does its springs to a and b, for the two low bits of
    /// `slots`.
    ///
    /// # Safety
    /// As for [`run`]; the springs' coefficients are next in the stream.
    #[inline(always)]
    unsafe fn enter<const THESIS: bool, const DAMPED: bool>(
        &mut self,
        stream: &mut Stream,
        index: *const u16,
        slots: u64,
    ) -> Ring<S> {
        // SAFETY: promised by the caller.
        unsafe {
            let e = stream.fetch::<S, DAMPED>(index).minus(self.a);
            let mut f = [S::zero(); 3];
            if slots & 1 != 0 {
                let q = stream.spring::<S, DAMPED>(e);
                f = neg_mul_add(q, e.x, f);
            }
            if slots & 2 != 0 {
                let l = e.minus(self.b);
                let q = stream.spring::<S, DAMPED>(l);
                f = neg_mul_add(q, l.x, f);
                self.fb = mul_add(q, l.x, self.fb);
            }
            let c = cross(self.b.x, e.x);
            let inv_c = if THESIS { S::splat(1.0).div(length(c)) } else { S::zero() };
            Ring { e, c, inv_c, f }
        }
    }

    /// The tetrahedron between two vertices of the ring, and their spring if there is one.
    ///
    /// # Safety
    /// The coefficients are next in the stream.
    #[inline(always)]
    unsafe fn tetrahedron<const THESIS: bool, const DAMPED: bool>(
        &mut self,
        stream: &mut Stream,
        ring: &mut Ring<S>,
        next: &mut Ring<S>,
        spring: bool,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            if spring {
                rim_spring::<S, DAMPED>(stream, ring, next);
            }
            let (a, rest) = (stream.coefficients.next::<S>(), stream.coefficients.next::<S>());
            let d = cross(ring.e.x, next.e.x);
            let s = dot(self.b.x, d).sub(rest).mul(a);
            if !THESIS {
                self.fb = neg_mul_add(s, d, self.fb);
                ring.f = mul_add(s, next.c, ring.f);
                next.f = neg_mul_add(s, ring.c, next.f);
                return;
            }
            let at_a = add(d, sub(ring.c, next.c));
            let at_b = s.div(length(d));
            let at_ring = s.mul(next.inv_c);
            let at_next = s.mul(ring.inv_c);
            self.fb = neg_mul_add(at_b, d, self.fb);
            ring.f = mul_add(at_ring, next.c, ring.f);
            next.f = neg_mul_add(at_next, ring.c, next.f);
            // The four forces do not cancel, so the force on a is not minus the others'.
            let excess = mul(s.div(length(at_a)), at_a);
            let excess = neg_mul_add(at_b, d, excess);
            let excess = mul_add(at_ring, next.c, excess);
            let excess = neg_mul_add(at_next, ring.c, excess);
            self.sum = sub(self.sum, excess);
        }
    }

    /// Adds the finished force on a ring vertex.
    ///
    /// # Safety
    /// As for [`run`].
    #[inline(always)]
    unsafe fn leave(&mut self, ring: &Ring<S>, force: *mut Lane4, index: *const u16) {
        // SAFETY: promised by the caller.
        unsafe { S::scatter_add(force, index, ring.f) };
        self.sum = add(self.sum, ring.f);
    }
}

/// The spring between two neighbours of the ring.
///
/// # Safety
/// Its coefficients are next in the stream.
#[inline(always)]
unsafe fn rim_spring<S: Lanes16, const DAMPED: bool>(
    stream: &mut Stream,
    ring: &mut Ring<S>,
    next: &mut Ring<S>,
) {
    let l = next.e.minus(ring.e);
    // SAFETY: promised by the caller.
    let q = unsafe { stream.spring::<S, DAMPED>(l) };
    ring.f = mul_add(q, l.x, ring.f);
    next.f = neg_mul_add(q, l.x, next.f);
}

/// Sixteen fans.
///
/// # Safety
/// As for [`run`]; the stream is at the start of the group.
#[inline(always)]
unsafe fn fans<S: Lanes16, const THESIS: bool, const DAMPED: bool, const CLOSED: bool>(
    stream: &mut Stream,
    group: Group,
) {
    let force = stream.slots.force;
    let index_a = stream.index;
    // SAFETY: promised by the caller: the group has two indices and those of the ring.
    unsafe {
        let (index_b, index_first) = (index_a.add(16), index_a.add(32));
        let a = stream.fetch::<S, DAMPED>(index_a);
        let b = stream.fetch::<S, DAMPED>(index_b).minus(a);
        let mut fan = Fan { a, b, fb: [S::zero(); 3], sum: [S::zero(); 3] };
        let mut slots = group.slots;
        if slots & 1 != 0 {
            let q = stream.spring::<S, DAMPED>(b);
            fan.fb = neg_mul_add(q, b.x, fan.fb);
        }
        let mut index = index_first;
        let mut ring = fan.enter::<THESIS, DAMPED>(stream, index, slots >> 1);
        slots >>= 3;
        // A closed ring comes back to its first vertex, whose force is kept until then.
        let mut first = ring;
        for step in usize::from(CLOSED)..usize::from(group.steps) {
            let mut next = fan.enter::<THESIS, DAMPED>(stream, index.add(16), slots);
            fan.tetrahedron::<THESIS, DAMPED>(stream, &mut ring, &mut next, slots & 4 != 0);
            if CLOSED && step == 1 {
                first.f = ring.f;
            } else {
                fan.leave(&ring, force, index);
            }
            ring = next;
            slots >>= 3;
            index = index.add(16);
        }
        if CLOSED {
            fan.tetrahedron::<THESIS, DAMPED>(stream, &mut ring, &mut first, slots & 4 != 0);
            fan.leave(&first, force, index_first);
        }
        fan.leave(&ring, force, index);
        S::scatter_add(force, index_b, fan.fb);
        S::scatter_add(force, index_a, sub([S::zero(); 3], add(fan.sum, fan.fb)));
        stream.index = index.add(16);
    }
}

/// Sixteen stars: springs from a to a chain of vertices, and along the chain.
///
/// # Safety
/// As for [`run`]; the stream is at the start of the group.
#[inline(always)]
unsafe fn stars<S: Lanes16, const DAMPED: bool>(stream: &mut Stream, group: Group) {
    let force = stream.slots.force;
    let index_a = stream.index;
    // SAFETY: promised by the caller: the group has one index and those of the chain.
    unsafe {
        let a = stream.fetch::<S, DAMPED>(index_a);
        let mut sum = [S::zero(); 3];
        let mut slots = group.slots >> 1;
        let mut index = index_a.add(16);
        let mut ring = spoke::<S, DAMPED>(stream, &a, index, slots);
        slots >>= 2;
        for _ in 0..group.steps {
            let mut next = spoke::<S, DAMPED>(stream, &a, index.add(16), slots);
            if slots & 4 != 0 {
                rim_spring::<S, DAMPED>(stream, &mut ring, &mut next);
            }
            S::scatter_add(force, index, ring.f);
            sum = add(sum, ring.f);
            ring = next;
            slots >>= 3;
            index = index.add(16);
        }
        S::scatter_add(force, index, ring.f);
        S::scatter_add(force, index_a, sub([S::zero(); 3], add(sum, ring.f)));
        stream.index = index.add(16);
    }
}

/// Fetches a vertex of a star's chain and does its spring to a, for the low bit of `slots`.
///
/// # Safety
/// As for [`run`]; the spring's coefficients are next in the stream.
#[inline(always)]
unsafe fn spoke<S: Lanes16, const DAMPED: bool>(
    stream: &mut Stream,
    a: &Point<S>,
    index: *const u16,
    slots: u64,
) -> Ring<S> {
    let zero = [S::zero(); 3];
    // SAFETY: promised by the caller.
    unsafe {
        let e = stream.fetch::<S, DAMPED>(index).minus(*a);
        let mut f = zero;
        if slots & 1 != 0 {
            let q = stream.spring::<S, DAMPED>(e);
            f = neg_mul_add(q, e.x, f);
        }
        Ring { e, c: zero, inv_c: S::zero(), f }
    }
}

/// Length, kept above zero.
#[inline(always)]
fn length<S: Lanes16>(a: [S; 3]) -> S {
    dot(a, a).max(S::splat(TINY as f32)).sqrt()
}
