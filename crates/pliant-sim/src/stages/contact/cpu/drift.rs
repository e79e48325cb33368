//! How bodies have moved as a whole since the last search.
//!
//! What counts for the pairs within a body is how it changes its shape, and for those between two bodies how they
//! move beside each other. So the way of a vertex is taken apart: the *drift* of its body, which is the mean way of
//! some of its vertices, and the rest, which its skin bounds. Of the drift that counts which is not that of all bodies
//! together. A body that flies alone may drift as far as the next one is away before anybody has to search.

use crate::simd::Lane4;
use crate::stages::contact::layout::Layout;
use crate::stages::cpu::Work;

/// How far a body may drift until the next search: as far as it goes in the substeps that skins look ahead, but no
/// less and no more than these parts of its typical edge. What is near others is looked for so much farther.
const LEAST: f32 = 0.03;
const MOST: f32 = 0.15;

/// The drift of all bodies.
pub(super) struct Drift {
    /// By body: where its samples were in the search \[m\], and how far it may drift.
    searched: Vec<Lane4>,
    /// By body: its way since then \[m\].
    pub way: Vec<[f32; 3]>,
    /// By body: its mean velocity in the search \[m/s\].
    pub velocity: Vec<[f32; 3]>,
    /// By body: how much farther it is looked for \[m\].
    pub margin: Vec<f32>,
    /// By body: the box round it, in the common frame, without the margin \[m\].
    boxes: Vec<[[f32; 4]; 2]>,
}

impl Drift {
    pub fn new(body_count: usize) -> Self {
        Self {
            searched: vec![Lane4::default(); body_count],
            way: vec![[0.0; 3]; body_count],
            velocity: vec![[0.0; 3]; body_count],
            margin: vec![0.0; body_count],
            boxes: vec![[[0.0; 4]; 2]; body_count],
        }
    }

    /// Finds the drift of all bodies; says whether one has gone too far beside the others.
    pub fn follow(&mut self, work: &Work, layout: &Layout) -> bool {
        for (body, (then, way)) in self.searched.iter().zip(&mut self.way).enumerate() {
            let [x, y, z, _] = then.0;
            let now = layout.samples.mean(body, |slot| work.position(slot).into());
            *way = [now[0] - x, now[1] - y, now[2] - z];
        }
        let common = common(layout, &self.way);
        self.searched.iter().zip(&self.way).any(|(then, &way)| {
            // What is not a number has left, too.
            let length = distance(way, common);
            length.is_nan() || length > then.0[3]
        })
    }

    /// Begins anew where bodies are now; they may drift as far as they go in the time `ahead` \[s\].
    pub fn begin(&mut self, work: &Work, layout: &Layout, ahead: f32) {
        for (body, velocity) in self.velocity.iter_mut().enumerate() {
            *velocity = layout.samples.mean_velocity(body, work);
        }
        let common = common(layout, &self.velocity);
        for body in 0..self.way.len() {
            let [x, y, z] = layout.samples.mean(body, |slot| work.position(slot).into());
            let edge = layout.skin * layout.typical_edge[body];
            let way = ahead * distance(self.velocity[body], common);
            let margin = way.min(MOST * edge).max(LEAST * edge);
            self.searched[body] = Lane4([x, y, z, margin]);
            self.way[body] = [0.0; 3];
            self.margin[body] = margin;
        }
    }

    /// Lets bodies that are far from all others drift farther; `placed` has vertices and how far each reaches, the
    /// margin included.
    pub fn let_go(&mut self, layout: &Layout, placed: &[Lane4]) {
        for (body, bounds) in self.boxes.iter_mut().enumerate() {
            *bounds = [[f32::INFINITY; 4], [f32::NEG_INFINITY; 4]];
            let margin = self.margin[body];
            for vertex in layout.vertices[body].clone() {
                let Lane4(x) = placed[vertex as usize];
                let reach = x[3] - margin;
                // Inside bodies nothing reaches anywhere.
                if x[3] == 0.0 {
                    continue;
                }
                for k in 0..4 {
                    bounds[0][k] = bounds[0][k].min(x[k] - reach);
                    bounds[1][k] = bounds[1][k].max(x[k] + reach);
                }
            }
        }
        for body in 0..self.boxes.len() {
            let free = self.clearance(body);
            let most = &mut self.searched[body].0[3];
            *most = most.max(free);
        }
    }

    /// How far a body may drift before it can meet any other, which may do so, too.
    fn clearance(&self, body: usize) -> f32 {
        let [low, high] = self.boxes[body];
        let mut least = f32::INFINITY;
        for (other, &[other_low, other_high]) in self.boxes.iter().enumerate() {
            if other == body {
                continue;
            }
            let apart = |k: usize| (other_low[k] - high[k]).max(low[k] - other_high[k]);
            // A little less, for what rounding took.
            let size = (0..3).fold(0.0_f32, |size, k| size.max(low[k].abs()).max(high[k].abs()));
            let gap = 0.99 * apart(0).max(apart(1)).max(apart(2)) - 1e-5 * size;
            least = least.min((0.5 * gap).min(gap - self.margin[other]));
        }
        least
    }

    pub fn bytes(&self) -> usize {
        self.way.len() * (16 + 12 + 12 + 4 + 32)
    }
}

/// What all bodies have in common of ways or velocities: pairs between them do not notice it. Nothing where there are
/// surfaces whose motion is given, which have no part in it.
pub(super) fn common(layout: &Layout, of_bodies: &[[f32; 3]]) -> [f32; 3] {
    if layout.has_given() {
        return [0.0; 3];
    }
    let mut sum = [0.0; 3];
    of_bodies.iter().for_each(|way| (0..3).for_each(|k| sum[k] += way[k]));
    sum.map(|sum| sum / of_bodies.len().max(1) as f32)
}

pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (x * x + y * y + z * z).sqrt()
}
