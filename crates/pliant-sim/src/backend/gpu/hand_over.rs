//! Handing a substep over to another backend and back.

use pliant_gpu::{Buffer, GpuError};

use super::{GpuBackend, history_count_of};
use crate::backend::Handed;
use crate::model::Model;
use crate::scene::World;
use crate::stages::gpu::layout::NONE;
use crate::step::Advance;

impl GpuBackend {
    /// What the stages of a substep have written so far; waits for it.
    pub fn hand_over(&self, model: &Model, world: &World) -> Result<Handed, GpuError> {
        let (a, slots) = (&self.arrays, self.sizes.slots);
        let read = |array: &Buffer<[f32; 4]>, n: usize| -> Result<_, GpuError> {
            Ok(self.in_order(&array.read_range(n * slots..(n + 1) * slots)?))
        };
        let touch =
            if a.touch.len() < slots { Vec::new() } else { a.touch.read_range(0..slots)? };
        let in_order = |&slot: &u32| touch[slot as usize];
        Ok(Handed {
            position: read(&a.position, 0)?,
            compensation: read(&a.compensation, 0)?,
            velocity: read(&a.velocity, 0)?,
            force: read(&a.force, 0)?,
            history: (0..history_count_of(model, world))
                .map(|n| read(&a.history, n))
                .collect::<Result<_, _>>()?,
            touch: match touch.is_empty() {
                true => Vec::new(),
                false => self.layout.slot_of.iter().map(in_order).collect(),
            },
            rest: self.download_rest()?,
        })
    }

    /// Goes on with what another backend has written in a substep of `job`.
    pub fn take_over(
        &mut self,
        model: &Model,
        job: &Advance<'_>,
        handed: &Handed,
    ) -> Result<(), GpuError> {
        self.present_changes();
        self.prepare(model, job, 1)?;
        let (a, slots) = (&self.arrays, self.sizes.slots);
        let by_slot = |of: &dyn Fn(usize) -> [f32; 4]| -> Vec<[f32; 4]> {
            let vertex = |&v: &u32| if v == NONE { [0.0; 4] } else { of(v as usize) };
            self.layout.vertex_of.iter().map(vertex).collect()
        };
        let with = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
        let free = |v: usize| if model.inv_mass[v] > 0.0 { 1.0 } else { 0.0 };
        a.position.write(0, &by_slot(&|v| with(handed.position[v], model.mass[v])));
        a.compensation.write(0, &by_slot(&|v| with(handed.compensation[v], free(v))));
        a.velocity.write(0, &by_slot(&|v| with(handed.velocity[v], model.inv_mass[v])));
        a.force.write(0, &by_slot(&|v| with(handed.force[v], 0.0)));
        for (n, history) in handed.history.iter().enumerate() {
            a.history.write(n * slots, &by_slot(&|v| with(history[v], 0.0)));
        }
        if !handed.touch.is_empty() && a.touch.len() >= slots {
            a.touch.write(0, &by_slot(&|v| handed.touch[v]));
        }
        a.flags.write(0, &crate::stages::gpu::arrays::CLEAR);
        self.upload_rest(model, handed.rest.as_deref())?;
        self.gpu.check()
    }

    /// Takes over internal forces alone, in model order \[N\].
    pub fn take_forces(&self, forces: &[[f32; 3]]) {
        let vertex = |&v: &u32| match v {
            NONE => [0.0; 4],
            v => {
                let [x, y, z] = forces[v as usize];
                [x, y, z, 0.0]
            }
        };
        let by_slot: Vec<[f32; 4]> = self.layout.vertex_of.iter().map(vertex).collect();
        self.arrays.force.write(0, &by_slot);
    }
}
