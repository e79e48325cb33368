//! The coordinates of bodies beside each other.

use crate::math::Vec3;
use crate::stages::contact::formula::Kind;
use crate::stages::contact::layout::count_of_first;
use crate::stages::cpu::Work;

/// Where the origins of bodies are.
#[derive(Clone, Copy)]
pub(super) struct Frames<'a> {
    pub origins: &'a [[f64; 3]],
}

impl Frames<'_> {
    /// Where the corners of a pair are, as seen from the origin of the first body \[m\].
    #[inline]
    pub fn positions(
        self,
        kind: Kind,
        slots: [u32; 4],
        bodies: [u32; 2],
        work: &Work,
    ) -> [Vec3<f32>; 4] {
        let mut x = slots.map(|slot| work.position(slot));
        if bodies[0] != bodies[1] {
            let shift = self.shift(bodies);
            x[count_of_first(kind)..].iter_mut().for_each(|x| *x = shifted(*x, shift));
        }
        x
    }

    /// From the origin of the first body to that of the second, and what rounding took from that \[m\].
    #[inline]
    pub fn shift(self, bodies: [u32; 2]) -> [Vec3<f32>; 2] {
        let [a, b] = bodies.map(|body| self.origins[body as usize]);
        let way: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let high = way.map(|s| s as f32);
        let low: [f32; 3] = std::array::from_fn(|k| (way[k] - f64::from(high[k])) as f32);
        [high.into(), low.into()]
    }
}

/// A position in the coordinates of another body.
#[inline]
pub(super) fn shifted(x: Vec3<f32>, [high, low]: [Vec3<f32>; 2]) -> Vec3<f32> {
    (x + high) + low
}
