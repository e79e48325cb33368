//! Measuring in double precision.

use pliant_mesh::topology::TET_EDGES;

use super::{Elements, Sums, assemble};
use crate::math::Vec3;
use crate::model::Model;
use crate::report::StepReport;
use crate::simulator::Simulator;
use crate::stages::elastic::{VolumeForm, formula};

/// Measures everything of a [`StepReport`] from positions and velocities in model order.
pub fn report(sim: &Simulator, x: &[[f32; 3]], v: &[[f32; 3]]) -> StepReport {
    let model = sim.model();
    let mut all = Sums::default();
    for (b, body) in model.bodies.iter().enumerate() {
        let mut sums = Sums::default();
        for i in body.vertices.start as usize..body.vertices.end as usize {
            if model.inv_mass[i] == 0.0 {
                continue;
            }
            let touching = (0..3).any(|k| sim.on_wall(i, k, x[i][k]).is_some());
            let [p, u] = [x[i], v[i]].map(|a| Vec3::of(a.map(f64::from)));
            sums.add_vertex(f64::from(model.mass[i]), p, u, touching);
        }
        all.add(&sums, sim.origins()[b].into());
    }
    assemble(sim, &all, &elements(sim, x))
}

/// Energies of springs and volumes, and the number of inverted tetrahedra.
fn elements(sim: &Simulator, x: &[[f32; 3]]) -> Elements {
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
    Elements { springs, volumes, inverted }
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
