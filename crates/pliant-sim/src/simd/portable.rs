//! Plain Rust, for every processor.

use super::{Lane4, Lanes, Lanes16, SCATTER_ORDER, entry};

/// Plain arrays.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; 16]);

impl Portable {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], o.0[lane])))
    }
}

impl Lanes16 for Portable {
    type Mask = [bool; 16];

    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; 16])
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 16])
    }
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn broadcast_fourth(self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane | 3]))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane / 4 * 4 + [1, 2, 0, 3][lane % 4]]))
    }
    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| if lane % 4 == 3 { other.0[lane] } else { self.0[lane] }))
    }
    #[inline(always)]
    fn any_outside(self, low: Self, high: Self) -> bool {
        !(0..16).all(|lane| (low.0[lane]..=high.0[lane]).contains(&self.0[lane]))
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self.zip(o, |a, b| a / b)
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn at_most(self, o: Self) -> [bool; 16] {
        std::array::from_fn(|lane| self.0[lane] <= o.0[lane])
    }
    #[inline(always)]
    fn same_bits(self, o: Self) -> [bool; 16] {
        std::array::from_fn(|lane| self.0[lane].to_bits() == o.0[lane].to_bits())
    }
    #[inline(always)]
    fn both(a: [bool; 16], b: [bool; 16]) -> [bool; 16] {
        std::array::from_fn(|lane| a[lane] & b[lane])
    }
    #[inline(always)]
    fn either(a: [bool; 16], b: [bool; 16]) -> [bool; 16] {
        std::array::from_fn(|lane| a[lane] | b[lane])
    }
    #[inline(always)]
    fn bits(mask: [bool; 16]) -> u16 {
        (0..16).fold(0, |bits, lane| bits | u16::from(mask[lane]) << lane)
    }
    #[inline(always)]
    unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
        let mut rows = [[0.0; 16]; 3];
        for lane in 0..16 {
            // SAFETY: promised by the caller.
            let row = unsafe { (*entry(base, index, lane)).0 };
            for axis in 0..3 {
                rows[axis][lane] = row[axis];
            }
        }
        rows.map(Self)
    }
    #[inline(always)]
    unsafe fn scatter_add(base: *mut Lane4, index: *const u16, value: [Self; 3]) {
        for lane in SCATTER_ORDER {
            // SAFETY: promised by the caller.
            let row = unsafe { &mut (*entry(base, index, lane).cast_mut()).0 };
            for axis in 0..3 {
                row[axis] += value[axis].0[lane];
            }
        }
    }
}
