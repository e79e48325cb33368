//! Looks at what an implicit step has done: a step that cannot be right is refused, and whoever asked
//! for it takes shorter ones.
//!
//! Implicit Euler takes energy away, and never gives any to a body beyond what loads do. Linearised
//! forces know nothing of what lies further away, though: where a step deforms elements by more than
//! their own size, as when a fast body lands, it may end with more energy than it began with, or with
//! elements inside out. Both can be seen from the state alone, so a step is refused or not whatever the
//! number of threads and wherever a run was cut.

use super::solve::{ImplicitStep, Scalar, SolverJob};
use super::vectors::lane;
use crate::math::Vec3;
use crate::model::Family;
use crate::simd::Lane4;
use crate::stages::bending::formula::{hinge_energy, hinge_slopes};
use crate::stages::bending::{Form, Hinge};
use crate::stages::elastic::VolumeForm;
use crate::stages::elastic::formula::{
    six_volumes, six_volumes_gradient, spring_energy, volume_energy,
};
use crate::stages::implicit::formula::{GAIN, energy_uncertainty, is_turned};

impl SolverJob<'_> {
    /// Energy of a block's elements when a step begins, how much of it means nothing, and which
    /// tetrahedra are upright then. Called in the pass that linearises forces.
    pub(super) fn inspect_start(&self, step: &ImplicitStep<'_>, number: usize) {
        if step.is_strict {
            let (energy, uncertainty) = self.elastic_energy(step, number, true);
            self.set(Scalar::ElasticBefore, number, energy);
            // The thesis form (Echtler 2004) has no energy that could be compared.
            let has_energy = step.work.layout().blocks[number].form == VolumeForm::Energy
                && !self.is_led(step, number)
                // Another body gives it energy.
                && !self.is_sewn[number];
            self.set(
                Scalar::EnergyUncertainty,
                number,
                if has_energy { uncertainty } else { f64::INFINITY },
            );
        }
    }

    /// Whether a block has a locked vertex that moves: whoever leads it gives its body energy, nobody knows how much
    /// before the step is over.
    fn is_led(&self, step: &ImplicitStep<'_>, number: usize) -> bool {
        let runs = &step.work.slots().blocks[number].runs;
        let mut velocities = runs.iter().flat_map(|run| run.slots.clone()).map(|slot| {
            // SAFETY: nobody writes velocities in this pass.
            unsafe { *lane(step.work.arrays.velocity, slot) }
        });
        velocities.any(|[x, y, z, inv_mass]| inv_mass == 0.0 && [x, y, z] != [0.0; 3])
    }

    /// As [`Self::inspect_start`], in a pass of its own.
    pub(super) fn inspect_present(&self, step: &ImplicitStep<'_>, number: usize) {
        self.refresh_positions(step, number);
        self.inspect_start(step, number);
    }

    fn refresh_positions(&self, step: &ImplicitStep<'_>, number: usize) {
        let position = step.work.arrays.position.cast::<Lane4>();
        // SAFETY: the block's copies are this call's alone; nobody writes owned positions now.
        unsafe { step.work.slots().blocks[number].refresh(position) };
    }

    /// Kinetic energy of a block's vertices before a step, and after one with the work of loads.
    pub(super) fn inspect_motion(&self, step: &ImplicitStep<'_>, number: usize, is_over: bool) {
        if !step.is_strict {
            return;
        }
        let (v, arrays) = (&self.vectors, step.work.arrays);
        let [mut kinetic, mut work] = [0.0; 2];
        for run in &step.work.slots().blocks[number].runs {
            let body = &step.constants[run.body as usize];
            for slot in run.slots.clone() {
                // SAFETY: the block's own slots are this call's alone.
                let (velocity, mass) = unsafe {
                    (*lane(arrays.velocity, slot), f64::from(lane(v.inverse_rest, slot)[3]))
                };
                let touch = match arrays.touch.is_null() {
                    true => [0.0; 4],
                    // SAFETY: as above.
                    false => unsafe { *lane(arrays.touch, slot) },
                };
                for k in (0..3).filter(|_| mass > 0.0) {
                    let speed = f64::from(velocity[k]);
                    let load = mass * f64::from(body.gravity[k]) + f64::from(body.external[k]);
                    kinetic += 0.5 * mass * speed * speed;
                    // Hands give and take; what they may have given is no gain.
                    work += step.h * (load * speed + (f64::from(touch[k]) * speed).abs());
                }
            }
        }
        if is_over {
            self.set(Scalar::KineticAfter, number, kinetic);
            self.set(Scalar::Work, number, work + self.get(Scalar::ObstacleWork, number));
        } else {
            self.set(Scalar::KineticBefore, number, kinetic);
        }
    }

    /// Energy of a block's elements when a step ends, and whether one of them was turned inside out.
    pub(super) fn inspect_end(&self, step: &ImplicitStep<'_>, number: usize) {
        self.refresh_positions(step, number);
        let (energy, turned) = self.elastic_energy(step, number, false);
        self.set(Scalar::ElasticAfter, number, energy);
        self.set(Scalar::Turned, number, turned);
    }

    /// The energy of a block's elements, and how many tetrahedra were upright and are turned now; with
    /// `is_start` how much of the energy means nothing, and it is noted which are upright.
    fn elastic_energy(&self, step: &ImplicitStep<'_>, number: usize, is_start: bool) -> (f64, f64) {
        let layout = step.work.layout();
        let block = &layout.blocks[number];
        let first = step.work.slots().blocks[number].slots.start as usize;
        // SAFETY: positions of the block's slots are not written in this pass.
        let position = unsafe { step.work.arrays.position.cast::<Lane4>().add(first) };
        let x = |vertex: u16| {
            // SAFETY: local numbers lie within the block's slots.
            let [x, y, z, _] = unsafe { (*position.add(usize::from(vertex))).0 };
            Vec3::<f64>::of([x, y, z].map(f64::from))
        };
        // SAFETY: a block's matrix is used by its worker alone.
        let matrix = unsafe { self.matrix(number) };
        let (mut energy, mut uncertainty, mut turned) = (0.0, 0.0, 0.0);
        for (n, &([i, j], _)) in matrix.springs.iter().enumerate() {
            let [k, k_rest, _] =
                layout.spring(number, block.springs.start + n as u32).map(f64::from);
            if k > 0.0 {
                let edge = x(j) - x(i);
                energy += spring_energy(edge, k, k_rest / k);
                if is_start {
                    uncertainty += energy_uncertainty(2.0 * k, x(i), edge);
                }
            }
        }
        for (n, corners) in matrix.tets.iter().enumerate() {
            let corners = corners.map(x);
            let [a, b] = layout.volume(number, block.tets.start + n as u32).map(f64::from);
            if a > 0.0 && block.form == VolumeForm::Energy {
                energy += volume_energy(corners, a, b, block.form);
                if is_start {
                    let steep = six_volumes_gradient(corners).map(|g| g.dot(g)).iter().sum::<f64>();
                    uncertainty +=
                        energy_uncertainty(a * steep, corners[0], corners[1] - corners[0]);
                }
            }
            if is_start {
                matrix.upright[n] = six_volumes(corners) > 0.0;
            } else if matrix.upright[n] && is_turned(corners) {
                turned += 1.0;
            }
        }
        for (corners, hinge) in block.hinges.corners.iter().zip(&block.hinges.hinge) {
            let (corners, hinge) = (corners.map(x), hinge.widened());
            energy += hinge_energy(corners, &hinge);
            if is_start {
                uncertainty += hinge_uncertainty(corners, &hinge);
            }
        }
        (energy, if is_start { uncertainty } else { turned })
    }

    /// Whether a step that is over cannot be right: bodies have gained energy, or elements were turned
    /// inside out. Every worker comes to the same verdict.
    pub(super) fn is_refused(&self, step: &ImplicitStep<'_>) -> bool {
        let mut sums = [0.0; 7];
        let mut is_refused = false;
        let blocks = (0..step.work.block_count()).filter(|&b| step.families[b] == Family::Implicit);
        for (n, block) in blocks.enumerate() {
            if n > 0 && self.body_goes_on[block] {
                add(&mut sums, self.own_sums(block));
            } else {
                is_refused |= gains(sums);
                sums = self.own_sums(block);
            }
        }
        is_refused | gains(sums)
    }

    fn own_sums(&self, block: usize) -> [f64; 7] {
        [
            Scalar::KineticBefore,
            Scalar::ElasticBefore,
            Scalar::KineticAfter,
            Scalar::ElasticAfter,
            Scalar::Work,
            Scalar::EnergyUncertainty,
            Scalar::Turned,
        ]
        .map(|scalar| self.get(scalar, block))
    }
}

/// What of the energy of a hinge means nothing.
fn hinge_uncertainty(x: [Vec3<f64>; 4], hinge: &Hinge<f64>) -> f64 {
    let squares: f64 = hinge_slopes(x, hinge).iter().map(|slope| slope.dot(*slope)).sum();
    let axes = if hinge.form == Form::Quadratic { 3.0 } else { 1.0 };
    energy_uncertainty(axes * hinge.stiffness * squares, x[0], x[1] - x[0])
}

fn add(sums: &mut [f64; 7], more: [f64; 7]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Whether energies and work show that a body has gained more than means nothing, has something
/// that is no number, or was turned inside out.
fn gains(
    [kinetic, elastic, kinetic_after, elastic_after, work, uncertainty, turned]: [f64; 7],
) -> bool {
    let before = kinetic + elastic;
    let gain = kinetic_after + elastic_after - before - work;
    let most = GAIN * (before + work.abs()) + uncertainty;
    gain.is_nan() || gain > most || turned > 0.0
}
