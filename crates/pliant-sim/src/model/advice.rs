//! Advice about a compiled scene before its first step: things that run, but were perhaps
//! not meant so. Whoever runs the scene passes it on.

use std::ops::Range;

use pliant_mesh::geometry::signed_volume;
use pliant_mesh::topology::{surface_edges, weld};

use super::{BodyKind, BodyModel, Family, Model};
use crate::math::Vec3;
use crate::scene::{MOST_SUBSTEPS, Mass, Material, Scene, Stiffness, Volume};

/// Edge lengths that a vertex may travel in one step. As in the test for divergence, more than that
/// takes it past several neighbours before any force or wall can act.
const MOST_EDGES_PER_STEP: f64 = 4.0;

/// Part of a body's size that it may travel in one implicit step, whose length is chosen for the eye.
const MOST_SIZES_PER_STEP: f64 = 0.5;

/// The part of a body's modulus, under pressure from one side, that its weight may reach, and the part of
/// the speed of its pressure waves at which it may land, before nothing is left of its shape.
const MOST_PRESSURE: f64 = 0.5;
const MOST_MACH: f64 = 1.0;

/// Area of a triangle over the square of its longest edge below which it is zero but for the rounding
/// of coordinates.
const FLAT: f64 = 1e-6;

/// All that should be said about a scene.
pub(super) fn advice(model: &Model, scene: &Scene) -> Vec<String> {
    let mut findings = Findings::default();
    for (number, body) in model.bodies.iter().enumerate() {
        let part = BodyInModel { model, body, number };
        findings.add(body, part.locked());
        findings.add(body, part.flat_triangles());
        findings.add(body, part.hollow());
        findings.add(body, part.outside(scene));
        findings.add(body, part.too_fast(scene));
        findings.add(body, part.too_soft(scene));
    }
    findings.messages()
}

/// What was found, each with the bodies that it is true of: copies of a body share it.
#[derive(Default)]
struct Findings<'a>(Vec<(String, Vec<&'a str>)>);

impl<'a> Findings<'a> {
    fn add(&mut self, body: &'a BodyModel, finding: Option<String>) {
        let Some(text) = finding else { return };
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, bodies)) => bodies.push(&body.name),
            None => self.0.push((text, vec![&body.name])),
        }
    }

    fn messages(self) -> Vec<String> {
        let line = |(text, bodies): (String, Vec<&str>)| match bodies[..] {
            [one] => format!("body {one:?}: {text}"),
            _ => format!("body {:?} and {} more: {text}", bodies[0], bodies.len() - 1),
        };
        self.0.into_iter().map(line).collect()
    }
}

/// A body in its model.
struct BodyInModel<'a> {
    model: &'a Model,
    body: &'a BodyModel,
    number: usize,
}

impl BodyInModel<'_> {
    fn vertices(&self) -> Range<usize> {
        indices(&self.body.vertices)
    }

    fn triangles(&self) -> &[[u32; 3]] {
        &self.model.triangles[indices(&self.body.triangles)]
    }

    fn at(&self, vertex: u32) -> [f64; 3] {
        self.model.rest[vertex as usize].map(f64::from)
    }

    fn locked(&self) -> Option<String> {
        let is_held = self.model.inv_mass[self.vertices()].iter().all(|m| *m == 0.0);
        is_held.then(|| {
            format!(
                "all {} vertices are locked, so that nothing can move it; lock only a part of it",
                self.vertices().len()
            )
        })
    }

    fn flat_triangles(&self) -> Option<String> {
        if self.body.kind != BodyKind::Surface {
            return None;
        }
        let is_flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| Vec3::<f64>::of(self.at(v)));
            let longest = [b - a, c - b, a - c].map(|e| e.dot(e)).into_iter().fold(0.0, f64::max);
            0.5 * (b - a).cross(c - a).length() <= FLAT * longest
        };
        let flat: Vec<usize> = self
            .triangles()
            .iter()
            .enumerate()
            .filter(|(_, t)| is_flat(t))
            .map(|(i, _)| i)
            .collect();
        flat.first().map(|first| {
            format!(
                "{} of {} triangles have no area, the first of them number {first} (from 0); remove \
                 them from the mesh or move their corners (`pliant mesh check` lists them)",
                flat.len(),
                self.triangles().len()
            )
        })
    }

    /// A closed surface looks like a solid, but is none.
    fn hollow(&self) -> Option<String> {
        if self.body.kind != BodyKind::Surface {
            return None;
        }
        let first = self.body.vertices.start;
        let points: Vec<[f64; 3]> = self.body.vertices.clone().map(|v| self.at(v)).collect();
        let triangles: Vec<[u32; 3]> =
            self.triangles().iter().map(|t| t.map(|v| v - first)).collect();
        if !surface_edges(&triangles, Some(&weld(&points))).is_closed() {
            return None;
        }
        let corners = |t: &[u32; 3]| t.map(|v| points[v as usize]);
        let volume: f64 = triangles
            .iter()
            .map(corners)
            .map(|[a, b, c]| signed_volume([points[0], a, b, c]))
            .sum();
        let weight: f64 = self.model.mass[self.vertices()].iter().map(|m| f64::from(*m)).sum();
        let because = match self.body.material.mass {
            Mass::Density(density) => format!(", since {density} counts as kg/m²"),
            Mass::Vertex(_) | Mass::Total(_) => String::new(),
        };
        Some(format!(
            "its mesh is a closed surface without tetrahedra: an empty skin that weighs {weight:.3} \
             kg{because}, round {} of nothing. For a solid, fill it with tetrahedra (TetGen, fTetWild, \
             Gmsh) and give the result (.node and .ele, .msh, .mesh, .vtu, .vtk, .vol or .veg), or take a \
             generated shape; for a skin, give a density in kg/m²",
            litres(volume.abs())
        ))
    }

    /// A vertex that starts outside the box is put into it at once, which squashes its body.
    fn outside(&self, scene: &Scene) -> Option<String> {
        let [low, high] = scene.world.bounds.as_ref()?.corners();
        let is_outside = |i: &u32| {
            let (x, is_free) = (self.at(*i), self.model.inv_mass[*i as usize] > 0.0);
            let at = |k: usize| self.body.origin[k] + x[k];
            let room = 1e-6 * self.body.size;
            is_free && (0..3).any(|k| at(k) < low[k] - room || at(k) > high[k] + room)
        };
        let count = self.body.vertices.clone().filter(is_outside).count();
        (count > 0).then(|| {
            format!(
                "{count} vertices start outside the world box and will be pressed into it; move the \
                 body or enlarge world.box"
            )
        })
    }

    /// Speed is harmless where there is nothing to run into, as far as all vertices share it.
    fn too_fast(&self, scene: &Scene) -> Option<String> {
        let velocities = &self.model.start_velocity[self.vertices()];
        let velocity = |v: &[f32; 3]| Vec3::<f64>::of(v.map(f64::from));
        let meets_others = scene.world.contact.is_some() && scene.bodies.len() > 1;
        let may_hit = scene.world.bounds.is_some() || !scene.colliders.is_empty() || meets_others;
        let shared = match may_hit {
            true => Vec3::zero(),
            false => {
                let sum = velocities.iter().fold(Vec3::zero(), |sum, v| sum + velocity(v));
                sum * (1.0 / velocities.len().max(1) as f64)
            }
        };
        let speeds = velocities.iter().map(|v| (velocity(v) - shared).length());
        let speed = speeds.fold(0.0, f64::max);
        let h = scene.world.timestep / f64::from(scene.world.substeps);
        let edges = MOST_EDGES_PER_STEP * self.body.edge;
        let most = match self.model.bodies[self.number].family_in(&scene.world) {
            Family::Implicit => edges.max(MOST_SIZES_PER_STEP * self.body.size),
            Family::Explicit => edges,
        };
        if speed * h <= most {
            return None;
        }
        let substeps = (f64::from(scene.world.substeps) * speed * h / most).ceil();
        let remedy = match substeps <= f64::from(MOST_SUBSTEPS) {
            true => format!("take world.substeps = {substeps} or more, or let it be slower"),
            false => "let it be slower".into(),
        };
        Some(format!(
            "it starts with {speed:.1e} m/s, which is {:.1e} lengths of its edges in a step of {h:.1e} s: \
             before a wall or spring can act, vertices are past their neighbours; {remedy}",
            speed * h / self.body.edge
        ))
    }

    /// What is crushed by its own weight, or when it lands, needs steps that no estimate knows.
    fn too_soft(&self, scene: &Scene) -> Option<String> {
        let modulus = pressed_modulus(&self.body.material)?;
        let corners = |t: &[u32; 4]| signed_volume(t.map(|v| self.at(v))).abs();
        let volume: f64 = self.model.tets[indices(&self.body.tets)].iter().map(corners).sum();
        let mass: f64 = self.model.mass[self.vertices()].iter().map(|m| f64::from(*m)).sum();
        let is_held = self.model.inv_mass[self.vertices()].contains(&0.0);
        if volume <= 0.0 || is_held {
            return None;
        }
        let [low, high] = scene.world.bounds.as_ref()?.corners();
        let gravity = Vec3::<f64>::from(scene.world.gravity);
        let weight = mass / volume * gravity.length() * self.body.size;
        let waves = (modulus * volume / mass).sqrt();
        let fall = |k: usize| {
            let g = scene.world.gravity[k];
            let wall = if g < 0.0 { low[k] } else { high[k] };
            (g * (wall - self.body.origin[k])).max(0.0)
        };
        let first = self.model.start_velocity[self.body.vertices.start as usize].map(f64::from);
        let speed = (Vec3::<f64>::of(first).dot(Vec3::of(first))
            + 2.0 * (0..3).map(fall).sum::<f64>())
        .sqrt();
        let problem = if weight > MOST_PRESSURE * modulus {
            format!(
                "its own weight presses with {weight:.1e} Pa on a body that has {modulus:.1e} Pa \
                 against it"
            )
        } else if speed > MOST_MACH * waves {
            format!(
                "it lands with up to {speed:.1} m/s, and its waves travel at {waves:.1} m/s only"
            )
        } else {
            return None;
        };
        Some(format!(
            "{problem}: it will be crushed, and steps that are stable at first may not be then; make it \
             stiffer, lighter or slower, or take implicit steps"
        ))
    }
}

/// The modulus of what is pressed and cannot get wider \[Pa\], in the limit of fine meshes: springs
/// have 6/5 of Young's modulus, and volumes add theirs. `None` where the springs' is not known.
fn pressed_modulus(material: &Material) -> Option<f64> {
    let Stiffness::Young(young) = material.stiffness else { return None };
    Some(match material.volume {
        Volume::Auto => 2.2 * young,
        Volume::Energy(modulus) => 1.2 * young + modulus,
        Volume::Poisson(nu) => young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)),
        // Resists too, by how much depends on the mesh.
        Volume::Thesis(_) | Volume::None => 1.2 * young,
    })
}

fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// A volume \[m³\] in words.
fn litres(volume: f64) -> String {
    match volume {
        v if v >= 1.0 => format!("{v:.2} m³"),
        v if v >= 1e-6 => format!("{:.3} l", 1e3 * v),
        v => format!("{v:.1e} m³"),
    }
}
