//! Rays, several in turns.

use super::super::tile::SAMPLES;
use super::Clouds;
use super::entries::Entry;
use super::film::{Job, Stop};
use crate::volume::four::Four;
use crate::volume::table::{CLEAR, OPAQUE, absorb, cover};
use crate::volume::walk::{Place, Ring};

/// Rays that take steps in turns, so that one's memory is read while another computes.
const TURNS: usize = 8;

/// A ray on its way.
struct Ray {
    ring: Ring,
    place: Place,
    light: Four,
    /// Depth and value where the ray is, and the integrals up to that value.
    at: [f32; 2],
    integral: Four,
    /// The tetrahedron of the last step, whether there was a way through it, and depth and value where
    /// the ray leaves it.
    tet: usize,
    is_through: bool,
    far: [f32; 2],
    /// The depth up to which everything is drawn.
    drawn: f32,
    /// The depth at which something happens that is not a step.
    limit: f32,
    /// Length between two depths a metre apart \[m\].
    metre: f32,
    /// The value of the tetrahedron before, where it has one.
    tet_value: f32,
    /// Where it meets the slice, and where the slice has cleared the rest.
    slice: f32,
    end: f32,
    next_entry: u32,
    next_stop: u32,
    job: u32,
}

/// The rays of a tile.
pub(super) struct Caster<'a> {
    pub clouds: &'a Clouds<'a>,
    pub jobs: &'a [Job],
    pub entries: &'a [Entry],
    pub stops: &'a [Stop],
    pub light: &'a mut [[[f32; 4]; SAMPLES]],
    /// How many rays ended inside a body.
    pub lost: usize,
}

impl Caster<'_> {
    /// Casts all of them. `SPECIAL` ones look for iso-surfaces and values of tetrahedra.
    pub fn run<const SPECIAL: bool>(&mut self) {
        let mut waiting = 0..self.jobs.len() as u32;
        let mut rays: Vec<Ray> = Vec::with_capacity(TURNS);
        loop {
            while rays.len() < TURNS {
                let Some(job) = waiting.next() else { break };
                rays.extend(self.begin(job));
            }
            if rays.is_empty() {
                return;
            }
            let mut has_room = false;
            while !has_room {
                // In two rounds: walking, and drawing what was walked through. More rays are then under
                // way at a time than if each did both at once.
                for ray in &mut rays {
                    self.step::<SPECIAL>(ray);
                }
                let mut k = 0;
                while k < rays.len() {
                    if self.draw_step::<SPECIAL>(&mut rays[k]) {
                        k += 1;
                    } else {
                        rays.swap_remove(k);
                        has_room = true;
                    }
                }
            }
        }
    }

    fn begin(&mut self, job: u32) -> Option<Ray> {
        let Job { place, ref entries, ref stops } = self.jobs[job as usize];
        let face = self.entries[entries.start as usize].face;
        let face = &self.clouds.mesh.surface[face as usize];
        let [slice, drawn, end] = self.clouds.sliced(place);
        let mut ray = Ray {
            ring: Ring::enter(&self.clouds.points, place, face)?,
            place,
            light: Four::from(CLEAR),
            at: [0.0; 2],
            integral: Four::all(0.0),
            tet: 0,
            is_through: true,
            far: [0.0; 2],
            drawn,
            limit: 0.0,
            metre: self.clouds.metre(place),
            tet_value: f32::NAN,
            slice,
            end,
            next_entry: entries.start,
            next_stop: stops.start,
            job,
        };
        self.open(&mut ray).then_some(ray)
    }

    /// Goes to the next entry; `false` if there is none that counts.
    fn open(&mut self, ray: &mut Ray) -> bool {
        while ray.next_entry < self.jobs[ray.job as usize].entries.end {
            let face = self.entries[ray.next_entry as usize].face;
            ray.next_entry += 1;
            let face = &self.clouds.mesh.surface[face as usize];
            let Some(ring) = Ring::enter(&self.clouds.points, ray.place, face) else { continue };
            let (depth, value) = ring.crossing();
            (ray.ring, ray.at, ray.tet_value) = (ring, [depth, value], f32::NAN);
            ray.integral = self.clouds.table.integral(value);
            // What the ray has passed outside of bodies.
            if ray.slice < depth {
                ray.slice = f32::INFINITY;
            }
            if ray.end <= depth {
                break;
            }
            while self.stops[ray.next_stop as usize].depth <= depth {
                if !self.stop(ray) {
                    return false;
                }
            }
            self.set_limit(ray);
            return true;
        }
        self.finish(ray)
    }

    /// The depth of the next entry.
    fn entry(&self, ray: &Ray) -> f32 {
        match ray.next_entry < self.jobs[ray.job as usize].entries.end {
            true => self.entries[ray.next_entry as usize].depth,
            false => f32::INFINITY,
        }
    }

    fn set_limit(&self, ray: &mut Ray) {
        let stop = self.stops[ray.next_stop as usize].depth;
        ray.limit = self.entry(ray).min(stop).min(ray.slice).min(ray.end);
    }

    /// Walks through one tetrahedron.
    #[inline(always)]
    fn step<const SPECIAL: bool>(&mut self, ray: &mut Ray) {
        let clouds = self.clouds;
        ray.tet = ray.ring.tet();
        if SPECIAL {
            self.step_over(ray, ray.tet);
        }
        // SAFETY: points were made for the mesh, and rings come from its surface.
        ray.is_through = unsafe { ray.ring.step(clouds.mesh, &clouds.points, ray.place) };
        ray.far = ray.ring.crossing().into();
    }

    /// Draws the tetrahedron of the last step; `false` when the ray is at its end.
    #[inline(always)]
    fn draw_step<const SPECIAL: bool>(&mut self, ray: &mut Ray) -> bool {
        let clouds = self.clouds;
        let ([depth, value], tet) = (ray.far, ray.tet);
        if !ray.is_through {
            self.lost += 1;
            return self.open(ray);
        }
        let integral = clouds.table.integral(value);
        let [from, before] = ray.at;
        if depth > ray.limit {
            if !self.happen::<SPECIAL>(ray, tet, [depth, value]) {
                return false;
            }
        } else if !SPECIAL && ray.drawn <= from && depth > from && !(value - before).is_nan() {
            // The whole of the tetrahedron is new, and has values, as is the rule.
            let mean = clouds.table.mean(before, value, ray.integral, integral);
            let length = (depth - from) * ray.metre;
            ray.light = absorb(ray.light, clouds.table, mean, [before, value], length);
            ray.drawn = depth;
        } else {
            self.draw::<SPECIAL>(ray, tet, [depth, value], depth);
        }
        (ray.at, ray.integral) = ([depth, value], integral);
        if ray.light.at::<0>() < OPAQUE {
            return self.finish(ray);
        }
        ray.ring.goes_on() || self.open(ray)
    }

    /// Draws iso-surfaces between tetrahedra that have values of their own.
    fn step_over(&mut self, ray: &mut Ray, tet: usize) {
        let Some(&value) = self.clouds.tet_values.get(tet) else { return };
        let before = std::mem::replace(&mut ray.tet_value, value);
        let is_seen = ray.at[0] >= ray.drawn && ray.at[0] < ray.limit;
        if is_seen && !before.is_nan() && !value.is_nan() {
            for iso in self.clouds.isos_between(before, value) {
                ray.light = self.clouds.cover_face(ray.light, iso, &ray.ring, ray.place);
            }
        }
    }

    /// Draws what is not drawn yet of a tetrahedron up to the depth `to`. `far` is depth and value
    /// where the ray leaves it.
    fn draw<const SPECIAL: bool>(&self, ray: &mut Ray, tet: usize, far: [f32; 2], to: f32) {
        let from = ray.drawn.max(ray.at[0]);
        // Inverted tetrahedra end before they begin; what is not a number fails every comparison.
        if !(to > from && far[0] > ray.at[0]) {
            return;
        }
        let own = if SPECIAL { self.clouds.own_value(tet) } else { None };
        let values = own.map_or_else(|| [from, to].map(|z| value_at(ray.at, far, z)), |v| [v; 2]);
        if (values[0] + values[1]).is_nan() {
            return;
        }
        let (mut part_from, mut value) = (from, values[0]);
        if SPECIAL && own.is_none() {
            for iso in self.clouds.isos_between(values[0], values[1]) {
                let depth = value_at([values[0], from], [values[1], to], iso.place);
                let part = [[part_from, depth], [value, iso.place]];
                ray.light = self.clouds.absorbed(ray.light, part, ray.metre);
                ray.light = self.clouds.cover_inside(ray.light, iso, tet, ray.place);
                (part_from, value) = (depth, iso.place);
            }
        }
        let part = [[part_from, to], [value, values[1]]];
        ray.light = self.clouds.absorbed(ray.light, part, ray.metre);
        ray.drawn = to;
    }

    /// Draws a tetrahedron in which something happens; `false` when the ray ends there.
    #[cold]
    fn happen<const SPECIAL: bool>(&mut self, ray: &mut Ray, tet: usize, far: [f32; 2]) -> bool {
        while far[0] > ray.limit {
            let limit = ray.limit;
            if self.entry(ray) <= limit {
                // The ray enters a body, or another part of it, while it is still in this one.
                self.cast_overlapping(ray.job);
                return false;
            }
            self.draw::<SPECIAL>(ray, tet, far, limit);
            if ray.slice <= limit {
                ray.slice = f32::INFINITY;
                let own = self.clouds.own_value(tet);
                let value = own.unwrap_or_else(|| value_at(ray.at, far, limit));
                if !value.is_nan() {
                    ray.light = cover(ray.light, self.clouds.colour(value), 1.0);
                    return self.finish(ray);
                }
            } else if ray.end <= limit {
                return self.finish(ray);
            } else if !self.stop(ray) {
                return false;
            }
            self.set_limit(ray);
        }
        self.draw::<SPECIAL>(ray, tet, far, far[0]);
        true
    }

    /// The ray meets something opaque in front of some samples; `false` if there are no others.
    fn stop(&mut self, ray: &mut Ray) -> bool {
        self.expose(ray.next_stop, ray.light);
        ray.next_stop += 1;
        ray.next_stop < self.jobs[ray.job as usize].stops.end
    }

    /// Shows the ray in all samples where it has not met anything; says `false`.
    fn finish(&mut self, ray: &mut Ray) -> bool {
        let light = finished(ray.light);
        (ray.next_stop..self.jobs[ray.job as usize].stops.end).for_each(|s| self.expose(s, light));
        false
    }

    pub fn expose(&mut self, stop: u32, light: Four) {
        let Stop { pixel, samples, .. } = self.stops[stop as usize];
        let light = light.array();
        let pixel = &mut self.light[usize::from(pixel)];
        (0..SAMPLES).filter(|s| samples >> s & 1 == 1).for_each(|s| pixel[s] = light);
    }
}

/// A ray that shows nearly nothing of what is behind counts as opaque.
pub(super) fn finished(light: Four) -> Four {
    let [through, r, g, b] = light.array();
    if through >= OPAQUE {
        return light;
    }
    Four::from([0.0, r, g, b]) * Four::all(1.0 / (1.0 - through))
}

/// What is at `z` on the straight line between two pairs.
pub(super) fn value_at(near: [f32; 2], far: [f32; 2], z: f32) -> f32 {
    let part = ((z - near[0]) / (far[0] - near[0])).clamp(0.0, 1.0);
    near[1] + (far[1] - near[1]) * part
}

impl Clouds<'_> {
    /// The value of a tetrahedron that has one of its own.
    pub(super) fn own_value(&self, tet: usize) -> Option<f32> {
        self.tet_values.get(tet).copied().filter(|value| !value.is_nan())
    }

    /// Adds what lies between two depths and values.
    fn absorbed(&self, light: Four, [depths, values]: [[f32; 2]; 2], metre: f32) -> Four {
        let [from, to] = values.map(|value| self.table.integral(value));
        let mean = self.table.mean(values[0], values[1], from, to);
        absorb(light, self.table, mean, values, (depths[1] - depths[0]) * metre)
    }

    /// The depth at which a ray meets the slice, and those between which the slice leaves anything.
    pub(super) fn sliced(&self, place: Place) -> [f32; 3] {
        let Some(plane) = &self.slice else { return [f32::INFINITY, self.near, f32::INFINITY] };
        let depth = plane.depth(place).filter(|depth| *depth >= self.near);
        let [from, to] = plane.left(place, self.near);
        [depth.unwrap_or(f32::INFINITY), from, to]
    }
}
