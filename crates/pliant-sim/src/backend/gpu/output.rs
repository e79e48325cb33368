//! Copying results back, when somebody asks.

use pliant_gpu::{Buffer, GpuError, Readback};

use super::GpuBackend;
use crate::scene::World;
use crate::state::State;

impl GpuBackend {
    /// Copies the state back (vertices in model order); clock and touches are the caller's.
    pub fn download(&self, world: &World) -> Result<State, GpuError> {
        let (forces, accelerations) = self.carries(world);
        let a = &self.arrays;
        let mut wanted = vec![&a.position, &a.low, &a.velocity];
        if forces {
            wanted.push(&a.force);
        }
        if accelerations {
            wanted.push(&a.memory);
        }
        let mut arrays = self.fetch(&wanted)?.into_iter();
        let mut next = || arrays.next().unwrap_or_default();
        let mut state =
            State { position: next(), position_low: next(), velocity: next(), ..State::default() };
        if forces {
            state.force = next();
        }
        if accelerations {
            state.last_acceleration = next();
        }
        state.rest_shapes = self.download_rest()?;
        Ok(state)
    }

    /// Positions in model order, relative to the bodies' origins \[m\].
    pub fn positions(&self) -> Vec<[f32; 3]> {
        self.one(&self.arrays.position, |s| &s.position)
    }

    /// Velocities as the integrator keeps them, in model order \[m/s\].
    pub fn velocities(&self) -> Vec<[f32; 3]> {
        self.one(&self.arrays.velocity, |s| &s.velocity)
    }

    /// Internal forces at the current positions, in model order \[N\]. Leaves the state as it is.
    pub fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]> {
        let kept = self.carries(world).0;
        let forces = self.computed_forces(kept);
        forces.unwrap_or_else(|e| {
            self.fail(e);
            vec![[0.0; 3]; self.layout.slot_of.len()]
        })
    }

    fn computed_forces(&mut self, kept: bool) -> Result<Vec<[f32; 3]>, GpuError> {
        let slots = self.sizes.slots;
        let copy = kept.then(|| self.gpu.zeros("kept force", slots)).transpose()?;
        let exchange = |from: &Buffer<[f32; 4]>, to: &Buffer<[f32; 4]>| {
            let mut commands = self.gpu.commands("forces");
            commands.copy(from, to, slots);
            commands.submit();
        };
        if let Some(copy) = &copy {
            exchange(&self.arrays.force, copy);
        }
        self.compute_forces()?;
        let forces = self.fetch(&[&self.arrays.force])?.pop().unwrap_or_default();
        if let Some(copy) = &copy {
            let mut commands = self.gpu.commands("forces");
            commands.copy(copy, &self.arrays.force, slots);
            commands.submit();
        }
        Ok(forces)
    }

    /// Subtracts `shift` \[m\] from the positions of a body.
    pub fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        let slots = self.body_slots(body);
        match self.arrays.position.read_range(slots.clone()) {
            Ok(mut positions) => {
                for p in &mut positions {
                    p.iter_mut().zip(shift).for_each(|(x, s)| *x -= s);
                }
                self.arrays.position.write(slots.start, &positions);
            }
            Err(e) => self.fail(e),
        }
    }

    fn one(
        &self,
        buffer: &Buffer<[f32; 4]>,
        kept: impl Fn(&State) -> &Vec<[f32; 3]>,
    ) -> Vec<[f32; 3]> {
        match self.fetch(&[buffer]) {
            Ok(mut arrays) => arrays.pop().unwrap_or_default(),
            Err(e) => {
                self.fail(e);
                kept(self.rescue.state()).clone()
            }
        }
    }

    /// The first part of some vertex arrays, in model order, in one go.
    fn fetch(&self, buffers: &[&Buffer<[f32; 4]>]) -> Result<Vec<Vec<[f32; 3]>>, GpuError> {
        let slots = self.sizes.slots;
        let bytes = (slots * 16) as u64;
        let mut readback = Readback::new(&self.gpu, "results", bytes * buffers.len() as u64)?;
        let mut commands = self.gpu.commands("read back");
        for (i, buffer) in buffers.iter().enumerate() {
            readback.copy(&mut commands, buffer, 0..slots, i as u64 * bytes);
        }
        commands.submit();
        readback.request();
        let all: Vec<[f32; 4]> = readback.wait()?;
        let in_order = |array: &[[f32; 4]]| {
            let at = |&slot: &u32| {
                let [x, y, z, _] = array[slot as usize];
                [x, y, z]
            };
            self.layout.slot_of.iter().map(at).collect()
        };
        Ok((0..buffers.len()).map(|i| in_order(&all[i * slots..(i + 1) * slots])).collect())
    }
}
