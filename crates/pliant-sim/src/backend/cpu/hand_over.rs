//! Handing a substep over to another backend and back.

use super::{Cpu, get, set};
use crate::backend::Handed;
use crate::model::Model;
use crate::simd::Lanes;
use crate::stages::plasticity::cpu::{Yielding, first_rest};

impl Cpu {
    /// What the stages of a substep have written so far.
    pub fn hand_over(&self) -> Handed {
        let a = &self.arrays;
        let touch = |&slot: &u32| fourth(&a.touch, slot, get(&a.touch, slot));
        Handed {
            position: self.in_order(&a.position),
            compensation: self.in_order(&a.compensation),
            velocity: self.in_order(&a.velocity),
            force: self.in_order(&a.force),
            history: a.history.iter().filter(|h| !h.is_empty()).map(|h| self.in_order(h)).collect(),
            touch: match a.touch.is_empty() {
                true => Vec::new(),
                false => self.slots.slot_of.iter().map(touch).collect(),
            },
            rest: self.yielding.as_ref().map(|y| y.rest.clone()),
        }
    }

    /// Goes on with what another backend has written in a substep.
    pub fn take_over(&mut self, model: &Model, handed: &Handed) {
        let a = &mut self.arrays;
        a.prepare_history(handed.history.len());
        a.prepare_touch(!handed.touch.is_empty());
        for (v, &slot) in self.slots.slot_of.iter().enumerate() {
            // The fourth numbers are masses and the like, which stay.
            let put = |array: &mut Vec<Lanes>, value: [f32; 3]| {
                let [.., w] = fourth(array, slot, value);
                set(array, slot, value, w);
            };
            put(&mut a.position, handed.position[v]);
            put(&mut a.compensation, handed.compensation[v]);
            put(&mut a.velocity, handed.velocity[v]);
            put(&mut a.force, handed.force[v]);
            for (array, history) in a.history.iter_mut().zip(&handed.history) {
                put(array, history[v]);
            }
            if let Some(&[x, y, z, w]) = handed.touch.get(v) {
                set(&mut a.touch, slot, [x, y, z], w);
            }
        }
        let layout = &mut self.layout;
        match (&handed.rest, &mut self.yielding) {
            (Some(rest), Some(yielding)) => yielding.load(model, layout, rest),
            (Some(rest), none) => {
                none.insert(Yielding::new(model, layout)).load(model, layout, rest);
            }
            // Nothing has yielded.
            (None, Some(yielding)) => yielding.load(model, layout, &first_rest(model)),
            (None, None) => {}
        }
    }
}

/// A vector, and the fourth number that stands in its slot.
fn fourth(array: &[Lanes], slot: u32, [x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, array[slot as usize / 4].0[4 * (slot as usize % 4) + 3]]
}
