//! Vectors of three, sixteen at a time.

use super::Lanes16;

/// `a + b`
#[inline(always)]
pub(crate) fn add<S: Lanes16>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// `a − b`
#[inline(always)]
pub(crate) fn sub<S: Lanes16>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// `s·a`
#[inline(always)]
pub(crate) fn mul<S: Lanes16>(s: S, a: [S; 3]) -> [S; 3] {
    [s.mul(a[0]), s.mul(a[1]), s.mul(a[2])]
}

/// `c + s·a`
#[inline(always)]
pub(crate) fn mul_add<S: Lanes16>(s: S, a: [S; 3], c: [S; 3]) -> [S; 3] {
    [s.mul_add(a[0], c[0]), s.mul_add(a[1], c[1]), s.mul_add(a[2], c[2])]
}

/// `c − s·a`
#[inline(always)]
pub(crate) fn neg_mul_add<S: Lanes16>(s: S, a: [S; 3], c: [S; 3]) -> [S; 3] {
    [s.neg_mul_add(a[0], c[0]), s.neg_mul_add(a[1], c[1]), s.neg_mul_add(a[2], c[2])]
}

/// `a·b`
#[inline(always)]
pub(crate) fn dot<S: Lanes16>(a: [S; 3], b: [S; 3]) -> S {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

/// `a × b`
#[inline(always)]
pub(crate) fn cross<S: Lanes16>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[1].mul_sub(b[2], a[2].mul(b[1])),
        a[2].mul_sub(b[0], a[0].mul(b[2])),
        a[0].mul_sub(b[1], a[1].mul(b[0])),
    ]
}
