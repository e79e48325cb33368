//! Energies, momenta and forces, measured in double precision.

use pliant_mesh::topology::TET_EDGES;

use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Energy, StepReport};
use crate::simulator::Simulator;
use crate::stages::elastic::{VolumeForm, formula};

/// Measures everything of a [`StepReport`] from positions and velocities in model order.
pub fn report(sim: &Simulator, x: &[[f32; 3]], v: &[[f32; 3]]) -> StepReport {
    let (model, world) = (sim.model(), sim.world());
    let mut report = StepReport {
        step: sim.step_count(),
        time: sim.time(),
        substeps: sim.substeps(),
        ..StepReport::default()
    };
    let gravity = Vec3::from(world.gravity);
    let (mut momentum, mut angular, mut center) = (Vec3::zero(), Vec3::zero(), Vec3::zero());
    let (mut mass_sum, mut fastest) = (0.0f64, 0.0f64);
    for (b, body) in model.bodies.iter().enumerate() {
        let origin = Vec3::from(sim.origins()[b]);
        for i in body.vertices.start as usize..body.vertices.end as usize {
            if model.inv_mass[i] == 0.0 {
                continue;
            }
            let mass = f64::from(model.mass[i]);
            let p = origin + Vec3::of(x[i].map(f64::from));
            let u = Vec3::<f64>::of(v[i].map(f64::from));
            report.energy.kinetic += 0.5 * mass * u.dot(u);
            report.energy.gravity -= mass * gravity.dot(p);
            momentum += u * mass;
            angular += p.cross(u) * mass;
            center += p * mass;
            mass_sum += mass;
            fastest = fastest.max(u.dot(u));
            let touching = (0..3).any(|k| sim.on_wall(i, k, x[i][k]).is_some());
            report.wall_contact_count += usize::from(touching);
        }
    }
    let inverse = if mass_sum > 0.0 { 1.0 / mass_sum } else { 0.0 };
    report.momentum = momentum.into();
    report.angular_momentum = angular.into();
    report.center_of_mass = (center * inverse).into();
    report.max_speed = fastest.sqrt();
    let (springs, volumes, inverted) = elastic(sim, x);
    report.energy = Energy { springs, volumes, ..report.energy };
    report.inverted_count = inverted;
    report
}

/// Energies of springs and volumes \[J\], and the number of inverted tetrahedra.
fn elastic(sim: &Simulator, x: &[[f32; 3]]) -> (f64, f64, usize) {
    let model = sim.model();
    let at = |i: u32| Vec3::<f64>::of(x[i as usize].map(f64::from));
    let rest_shapes = sim.rest_shapes();
    let mut springs = 0.0;
    // Once something has yielded, the merged spring no longer knows the energy of its parts.
    let merged = |s: usize| rest_shapes.is_none() || model.is_surface_spring(s as u32);
    for (s, (&[i, j], &[k, k_rest])) in model.springs.iter().zip(&model.spring).enumerate() {
        if k > 0.0 && merged(s) {
            let (k, k_rest) = (f64::from(k), f64::from(k_rest));
            springs += 0.5 * k * ((at(j) - at(i)).length() - k_rest / k).powi(2);
        }
    }
    let (mut volumes, mut inverted) = (0.0, 0);
    for (t, tet) in model.tets.iter().enumerate() {
        let c = tet.map(at);
        let w = (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]);
        inverted += usize::from(w <= 0.0);
        let mut coefficients = model.volume[t].map(f64::from);
        if let Some(rest) = &rest_shapes {
            let share = model.share(t).after_yielding(&rest[t]);
            coefficients = share.volume;
            for (k, [a, b]) in TET_EDGES.into_iter().enumerate() {
                let stretch = (c[b] - c[a]).length() - share.lengths[k];
                springs += 0.5 * share.hardness[k] * stretch * stretch;
            }
        }
        let [a, b] = coefficients;
        if a > 0.0 {
            // Energy form: s = −dE/dw; thesis form: s = D (v − v₀) with w = 6 v.
            let stretch = w - b / a;
            volumes += match model.forms[t] {
                VolumeForm::Energy => 0.5 * a * stretch * stretch,
                VolumeForm::Thesis => 0.5 * a * stretch * stretch / 6.0,
            };
        }
    }
    (springs, volumes, inverted)
}

/// Sizes of the spring force and of the volume force on one vertex \[N\].
pub fn forces_on(model: &Model, x: &[[f32; 3]], vertex: u32) -> [f64; 2] {
    let at = |i: u32| Vec3::<f64>::of(x[i as usize].map(f64::from));
    let mut springs = Vec3::zero();
    for (ends, coefficients) in model.springs.iter().zip(&model.spring) {
        let Some(k) = ends.iter().position(|&e| e == vertex) else { continue };
        let [hardness, k_rest] = coefficients.map(f64::from);
        springs += formula::spring_force(at(ends[1 - k]) - at(vertex), hardness, k_rest);
    }
    let mut volumes = Vec3::zero();
    for (t, tet) in model.tets.iter().enumerate() {
        let Some(k) = tet.iter().position(|&e| e == vertex) else { continue };
        let [a, b] = model.volume[t].map(f64::from);
        volumes += match model.forms[t] {
            VolumeForm::Energy => formula::volume_forces_energy(tet.map(at), a, b)[k],
            VolumeForm::Thesis => formula::volume_forces_thesis(tet.map(at), a, b)[k],
        };
    }
    [springs.length(), volumes.length()]
}
