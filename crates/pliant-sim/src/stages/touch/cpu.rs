//! Drags and pushes on the CPU: forces into an array of their own, block by block.

use super::{Drag, Push, Touch, drag_damping, drag_force, push_force};
use crate::math::Vec3;
use crate::model::Model;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::step::Advance;

/// The drags and pushes of a job: which vertices they act on, by block.
pub struct Interactions<'a> {
    drags: Vec<DraggedVertices<'a>>,
    pushes: Vec<Cylinder>,
    origins: &'a [[f64; 3]],
    h: f64,
    /// Whether the air has written its forces before.
    adds: bool,
}

/// A push, with a point of its axis in the coordinates of every body.
struct Cylinder {
    axis: Vec3<f32>,
    radius: f32,
    force: f32,
    origins: Vec<Vec3<f32>>,
}

impl Cylinder {
    fn new(push: &Push, bodies: &[[f64; 3]]) -> Self {
        let axis = Vec3::<f64>::from(push.direction);
        Self {
            axis: Vec3::of((axis * (1.0 / axis.length())).to_f64()),
            radius: push.radius as f32,
            force: push.force as f32,
            origins: bodies.iter().map(|&o| local(push.origin, o)).collect(),
        }
    }
}

/// A point of the world in the coordinates of a body with the given origin.
pub(super) fn local(p: [f64; 3], origin: [f64; 3]) -> Vec3<f32> {
    Vec3::of(std::array::from_fn(|k| p[k] - origin[k]))
}

/// For which scheme forces are wanted: the step of an implicit one, and how far ahead bands look \[s\].
#[derive(Clone, Copy, Default)]
struct LookAhead {
    h: f32,
    ahead: f32,
}

/// The vertices that a drag holds: block, slot, body, mass, and offset from the hand.
struct DraggedVertices<'a> {
    drag: &'a Drag,
    held: Vec<Held>,
}

struct Held {
    block: u32,
    slot: u32,
    body: u32,
    mass: f32,
    offset: [f64; 3],
}

impl<'a> Interactions<'a> {
    pub fn new(model: &Model, slots: &Slots, job: &Advance<'a>) -> Self {
        let mut interactions = Self {
            drags: Vec::new(),
            pushes: Vec::new(),
            origins: job.origins,
            h: job.h,
            adds: job.world.wind.is_some(),
        };
        if !job.is_touched() {
            return interactions;
        }
        let mut model_vertex = vec![0u32; model.vertex_count()];
        for (m, &user) in model.vertex_order.iter().enumerate() {
            model_vertex[user as usize] = m as u32;
        }
        let hold = |(&user, &offset): (&u32, &[f64; 3])| {
            let v = model_vertex[user as usize];
            let block = model.blocks.partition_point(|b| b.vertices.end <= v) as u32;
            let body = model.body_of_vertex(v) as u32;
            let slot = slots.slot_of[v as usize];
            Held { block, slot, body, mass: model.mass[v as usize], offset }
        };
        for touch in job.touches {
            match touch {
                Touch::Push(push) => interactions.pushes.push(Cylinder::new(push, job.origins)),
                Touch::Drag(drag) => {
                    let held = drag.vertices.iter().zip(&drag.offsets).map(hold).collect();
                    interactions.drags.push(DraggedVertices { drag, held });
                }
                Touch::Carry(_) => {}
            }
        }
        interactions
    }

    /// Writes the touch forces on the vertices of `block` in substep `i`.
    pub fn apply(&self, work: &Work, block: usize, i: u64) {
        self.write(work, block, i, LookAhead::default());
    }

    /// As [`Interactions::apply`] for an implicit step: the bands' share of the system's diagonal,
    /// h² k + h d, is the fourth number \[kg\]; they may pull as they will where the vertices' own
    /// velocity leads.
    pub fn apply_implicit(&self, work: &Work, block: usize, i: u64, is_ahead: bool) {
        let h = self.h as f32;
        self.write(work, block, i, LookAhead { h, ahead: if is_ahead { h } else { 0.0 } });
    }

    /// Whether the array of their forces holds any, those of the air included.
    pub fn are_written(&self) -> bool {
        self.adds || !self.is_empty()
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.drags.is_empty() && self.pushes.is_empty()
    }

    fn write(&self, work: &Work, block: usize, i: u64, LookAhead { h, ahead }: LookAhead) {
        if self.is_empty() {
            return;
        }
        let touch = work.arrays.touch.cast::<Lane4>();
        for run in &work.slots().blocks[block].runs {
            for slot in run.slots.clone() {
                let mut force = Vec3::zero();
                for p in &self.pushes {
                    let origin = p.origins[run.body as usize];
                    force += push_force(work.position(slot), origin, p.axis, p.radius, p.force);
                }
                // SAFETY: the block's own slots, written by this call alone.
                let at = unsafe { &mut (*touch.add(slot as usize)).0 };
                let [x, y, z, w] = if self.adds { *at } else { [0.0; 4] };
                *at = [x + force.x, y + force.y, z + force.z, w];
            }
        }
        let time = (i + 1) as f64 * self.h;
        for DraggedVertices { drag, held } in &self.drags {
            let hand = drag.hand_after(time);
            for held in held.iter().filter(|held| held.block as usize == block) {
                let goal = std::array::from_fn(|k| hand[k] + held.offset[k]);
                let goal = local(goal, self.origins[held.body as usize]);
                // SAFETY: as above; velocities of own slots are written by this block alone.
                unsafe {
                    let v = (*work.arrays.velocity.cast::<Lane4>().add(held.slot as usize)).0;
                    let v = Vec3::from([v[0], v[1], v[2]]);
                    let (x, stiffness) =
                        (work.position(held.slot) + v * ahead, drag.stiffness as f32);
                    let f = drag_force(x, v, goal, held.mass, stiffness);
                    let at = &mut (*touch.add(held.slot as usize)).0;
                    at[3] += h * (h * stiffness + drag_damping(held.mass, stiffness));
                    at[0] += f.x;
                    at[1] += f.y;
                    at[2] += f.z;
                }
            }
        }
    }
}
