//! How bodies have moved and turned as a whole since the last search.
//!
//! Pairs within a body know nothing of where it is and how it is turned: what counts is how far a vertex is from where
//! it would be had its body stayed rigid. Any rotation will do, and the better it fits, the longer a search lasts.

use crate::math::Vec3;
use crate::simd::Lanes;
use crate::stages::contact::layout::Layout;
use crate::stages::cpu::Work;

/// How often a rotation is improved in a substep: it begins with that of the one before.
const ROUNDS: usize = 2;

/// A rigid motion: `rotation` times a position, plus `shift` \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moved {
    /// By rows.
    pub rotation: [[f32; 3]; 3],
    pub shift: [f32; 3],
}

impl Moved {
    /// Straight on.
    pub fn along(shift: [f32; 3]) -> Self {
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], shift }
    }
}

/// The motions of all bodies.
pub(super) struct Turning {
    /// By body.
    pub moved: Vec<Moved>,
    /// By body: the same rotation, in double precision, so that it is one to the last digit.
    rotation: Vec<[Vec3<f64>; 3]>,
    /// By body: the mean place of its samples in the search \[m\], and their mean velocity then \[m/s\].
    centre: Vec<[f32; 3]>,
    pub velocity: Vec<[f32; 3]>,
}

/// No rotation.
fn none() -> [Vec3<f64>; 3] {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::of)
}

impl Turning {
    pub fn new(body_count: usize) -> Self {
        Self {
            moved: vec![Moved::along([0.0; 3]); body_count],
            rotation: vec![none(); body_count],
            centre: vec![[0.0; 3]; body_count],
            velocity: vec![[0.0; 3]; body_count],
        }
    }

    /// Begins anew where bodies are now.
    pub fn begin(&mut self, work: &Work, layout: &Layout) {
        for body in 0..self.centre.len() {
            self.centre[body] = layout.samples.mean(body, |slot| work.position(slot).into());
            self.velocity[body] = layout.samples.mean_velocity(body, work);
        }
        self.moved.fill(Moved::along([0.0; 3]));
        self.rotation.fill(none());
    }

    /// Finds the motions since then; `searched` has where vertices were, by slot.
    pub fn follow(&mut self, work: &Work, layout: &Layout, searched: &[Lanes]) {
        let then = |slot: u32| {
            let at = 4 * (slot as usize % 4);
            let lanes = &searched[slot as usize / 4].0;
            [lanes[at], lanes[at + 1], lanes[at + 2]]
        };
        for body in (0..self.moved.len()).filter(|&body| layout.touches_itself(body)) {
            let centre = Vec3::<f32>::from(self.centre[body]);
            let now =
                Vec3::<f32>::from(layout.samples.mean(body, |slot| work.position(slot).into()));
            let rotation = &mut self.rotation[body];
            for _ in 0..ROUNDS {
                let (mut turn, mut along) = (Vec3::zero(), 0.0);
                for &slot in layout.samples.of(body) {
                    let y = of_f64(Vec3::from(then(slot)) - centre);
                    let x = of_f64(work.position(slot) - now);
                    let y = turned(rotation, y);
                    turn += y.cross(x);
                    along += y.dot(x);
                }
                // What is turned inside out, or has no extent, stays as it is.
                if along > 0.0 {
                    *rotation = turned_further(rotation, turn * (1.0 / along));
                }
            }
            let rows = rotation.map(|row| row.to_f64().map(|c| c as f32));
            let back = turned(rotation, of_f64(centre));
            let shift = (of_f64(now) - back).to_f64().map(|c| c as f32);
            self.moved[body] = Moved { rotation: rows, shift };
        }
    }

    pub fn bytes(&self) -> usize {
        self.moved.len() * (size_of::<Moved>() + size_of::<[Vec3<f64>; 3]>() + 24)
    }
}

fn of_f64(v: Vec3<f32>) -> Vec3<f64> {
    Vec3::of(v.to_f64())
}

fn turned(rows: &[Vec3<f64>; 3], v: Vec3<f64>) -> Vec3<f64> {
    Vec3::of([rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)])
}

/// A rotation followed by one about `turn`, whose length is the tangent of half its angle, twice: never much too far,
/// and right where it is small. It stays a rotation, since its rows are made so.
fn turned_further(rows: &[Vec3<f64>; 3], turn: Vec3<f64>) -> [Vec3<f64>; 3] {
    let half = turn * 0.5;
    let share = 2.0 / (1.0 + half.dot(half));
    // Rodrigues' formula, for the columns.
    let [p, q, r] = rows.map(|row| row.to_f64());
    let columns: [Vec3<f64>; 3] = std::array::from_fn(|k| {
        let v = Vec3::of([p[k], q[k], r[k]]);
        let once = half.cross(v);
        v + (once + half.cross(once)) * share
    });
    let unit = |v: Vec3<f64>| v * (1.0 / v.length());
    let first = unit(columns[0]);
    let second = unit(columns[1] - first * first.dot(columns[1]));
    let [a, b, c] = [first, second, first.cross(second)].map(|v| v.to_f64());
    std::array::from_fn(|k| Vec3::of([a[k], b[k], c[k]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_further_and_further_is_a_rotation_and_finds_the_one_that_was_made() {
        let points: [Vec3<f64>; 5] = [
            [0.3, 0.1, -0.2],
            [-0.5, 0.4, 0.1],
            [0.2, -0.6, 0.3],
            [-0.1, 0.2, 0.5],
            [0.1, -0.1, -0.7],
        ]
        .map(Vec3::of);
        for angle in [0.0_f64, 0.01, 0.5, 1.5] {
            let (sin, cos) = angle.sin_cos();
            let made = [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]].map(Vec3::of);
            let mut found = none();
            for _ in 0..60 {
                let (mut turn, mut along) = (Vec3::zero(), 0.0);
                for &point in &points {
                    let (y, x) = (turned(&found, point), turned(&made, point));
                    turn += y.cross(x);
                    along += y.dot(x);
                }
                found = turned_further(&found, turn * (1.0 / along));
            }
            for k in 0..3 {
                assert!((found[k] - made[k]).length() < 1e-9, "{angle}: {found:?}");
                assert!((found[k].length() - 1.0).abs() < 1e-15);
            }
        }
    }
}
