//! Measuring in double precision.

use pliant_mesh::topology::TET_EDGES;

use super::{Elements, MeasureContext, Sums};
use crate::math::Vec3;
use crate::model::{BodyModel, Family, Model};
use crate::scene::World;
use crate::stages::bending::formula::{hinge_energy, hinge_forces};
use crate::stages::colliders::cpu::{Seen, Substep};
use crate::stages::elastic::formula;
use crate::stages::plasticity::formula::RestShape;

/// Sums over the vertices about the world's origin, from positions and velocities in model order.
pub fn sums(model: &Model, context: &MeasureContext<'_>, x: &[[f32; 3]], v: &[[f32; 3]]) -> Sums {
    let mut all = Sums::default();
    for (b, body) in model.bodies.iter().enumerate() {
        let mut sums = Sums::default();
        for i in body.vertices.start as usize..body.vertices.end as usize {
            if model.inv_mass[i] == 0.0 {
                continue;
            }
            let touching = (0..3).any(|k| context.on_wall(b, k, x[i][k]).is_some());
            let [p, u] = [x[i], v[i]].map(|a| Vec3::of(a.map(f64::from)));
            sums.add_vertex(f64::from(model.mass[i]), p, u, touching);
        }
        all.add(&sums, context.origins[b].into());
    }
    all
}

/// Brings velocities that lag behind the positions `x` up to their time; `force` are the internal ones
/// there.
pub fn catch_up(
    model: &Model,
    context: &MeasureContext<'_>,
    x: &[[f32; 3]],
    force: &[[f32; 3]],
    v: &mut [[f32; 3]],
) {
    let (world, lag) = (context.world, context.lag());
    let poses = context.poses();
    let explicit = |(_, body): &(usize, &BodyModel)| body.family_in(world) != Family::Implicit;
    for (b, body) in model.bodies.iter().enumerate().filter(explicit) {
        let vertices = body.vertices.start as usize..body.vertices.end as usize;
        for m in vertices.clone().filter(|&m| model.inv_mass[m] > 0.0) {
            let inv_mass = f64::from(model.inv_mass[m]);
            for k in 0..3 {
                let f = f64::from(force[m][k]) + world.external_force[k];
                let damping = world.damping * f64::from(v[m][k]);
                let a = f * inv_mass + world.gravity[k] - damping;
                v[m][k] = (f64::from(v[m][k]) + lag * a) as f32;
            }
        }
        if !poses.is_empty() {
            let (heights, origins) = (&context.colliders.heights[..], context.origins);
            let per_h = (1.0 / context.h_last) as f32;
            let now = Substep { poses: &poses, heights, origins, per_h, begins_step: false };
            let range = vertices.clone();
            let inv_mass = &model.inv_mass[range.clone()];
            hold(&Seen::new(now, b), &x[range.clone()], inv_mass, &mut v[range]);
        }
        for m in vertices.filter(|&m| model.inv_mass[m] > 0.0) {
            // What presses a vertex against a wall does not move it.
            for k in 0..3 {
                if context.on_wall(b, k, x[m][k]).is_some_and(|outward| outward * v[m][k] > 0.0) {
                    v[m][k] = 0.0;
                }
            }
        }
    }
}

/// Lets colliders hold the vertices of a body that are at their surfaces. Neighbours in the arrays are neighbours
/// in space, so that most of them are far from all colliders together.
fn hold(seen: &Seen<'_>, x: &[[f32; 3]], inv_mass: &[f32], v: &mut [[f32; 3]]) {
    const TOGETHER: usize = 16;
    let vertices = x.chunks(TOGETHER).zip(inv_mass.chunks(TOGETHER));
    for ((x, inv_mass), v) in vertices.zip(v.chunks_mut(TOGETHER)) {
        let corner = |pick: fn(f32, f32) -> f32| {
            x.iter().copied().reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])))
        };
        let (Some(low), Some(high)) = (corner(f32::min), corner(f32::max)) else { return };
        let near = seen.near(seen.all(), low, high);
        if near.mask == 0 {
            continue;
        }
        for ((x, v), _) in x.iter().zip(v).zip(inv_mass).filter(|(_, w)| **w > 0.0) {
            *v = seen.held(near.mask, (*x).into(), (*v).into()).into();
        }
    }
}

/// Adds gravity, friction and the external force to the internal forces \[N\].
pub fn add_loads(model: &Model, world: &World, v: &[[f32; 3]], force: &mut [[f32; 3]]) {
    for (m, force) in force.iter_mut().enumerate() {
        let mass = model.mass[m];
        for k in 0..3 {
            let gravity = world.gravity[k] as f32 - world.damping as f32 * v[m][k];
            force[k] = force[k] + mass * gravity + world.external_force[k] as f32;
        }
    }
}

/// Energies of springs, volumes and bending, and the number of inverted tetrahedra; with `rest_shapes` once
/// something could have yielded.
pub fn elements(model: &Model, x: &[[f32; 3]], rest_shapes: Option<&[RestShape<f32>]>) -> Elements {
    let at = |i: u32| Vec3::<f64>::of(x[i as usize].map(f64::from));
    let mut springs = 0.0;
    // Once something has yielded, the merged spring no longer knows the energy of its parts.
    let merged = |s: usize| rest_shapes.is_none() || model.is_surface_spring(s as u32);
    for (s, (&[i, j], &[k, k_rest])) in model.springs.iter().zip(&model.spring).enumerate() {
        if k > 0.0 && merged(s) {
            let (k, k_rest) = (f64::from(k), f64::from(k_rest));
            springs += formula::spring_energy(at(j) - at(i), k, k_rest / k);
        }
    }
    let (mut volumes, mut inverted) = (0.0, 0);
    for (t, tet) in model.tets.iter().enumerate() {
        let c = tet.map(at);
        inverted += usize::from(formula::six_volumes(c) <= 0.0);
        let mut coefficients = model.volume[t].map(f64::from);
        if let Some(rest) = rest_shapes {
            let share = model.share(t).after_yielding(&rest[t]);
            coefficients = share.volume;
            for (k, [a, b]) in TET_EDGES.into_iter().enumerate() {
                springs +=
                    formula::spring_energy(c[b] - c[a], share.stiffness[k], share.lengths[k]);
            }
        }
        let [a, b] = coefficients;
        if a > 0.0 {
            volumes += formula::volume_energy(c, a, b, model.forms[t]);
        }
    }
    let hinges = model.hinges.iter().zip(&model.hinge);
    let bending = hinges.map(|(c, hinge)| hinge_energy(c.map(at), &hinge.widened())).sum();
    let strain = (!model.limits.is_empty()).then(|| model.limits.report(x));
    Elements { springs, volumes, bending, inverted, strain }
}

/// Sizes of the forces of springs, of volumes and of bending on one vertex \[N\].
pub fn forces_on(model: &Model, x: &[[f32; 3]], vertex: u32) -> [f64; 3] {
    let at = |i: u32| Vec3::<f64>::of(x[i as usize].map(f64::from));
    let mut springs = Vec3::zero();
    for (ends, coefficients) in model.springs.iter().zip(&model.spring) {
        let Some(k) = ends.iter().position(|&e| e == vertex) else { continue };
        let [stiffness, k_rest] = coefficients.map(f64::from);
        springs += formula::spring_force(at(ends[1 - k]) - at(vertex), stiffness, k_rest);
    }
    let mut volumes = Vec3::zero();
    for (t, tet) in model.tets.iter().enumerate() {
        let Some(k) = tet.iter().position(|&e| e == vertex) else { continue };
        let [a, b] = model.volume[t].map(f64::from);
        volumes += formula::volume_forces(tet.map(at), a, b, model.forms[t])[k];
    }
    let mut bending = Vec3::zero();
    for (corners, hinge) in model.hinges.iter().zip(&model.hinge) {
        let Some(k) = corners.iter().position(|&e| e == vertex) else { continue };
        bending += hinge_forces(corners.map(at), &hinge.widened())[k];
    }
    [springs.length(), volumes.length(), bending.length()]
}
