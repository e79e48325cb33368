//! Rays that are in several tetrahedra at once, because bodies, or parts of one, overlap. There
//! extinctions add up, and colours mix by them.

use super::Clouds;
use super::cast::{Caster, finished, value_at};
use crate::volume::four::Four;
use crate::volume::table::{CLEAR, MAX_PARTS, OPAQUE, THICK, absorb_part, cover};
use crate::volume::walk::{Place, Ring};

/// A way through one body.
struct Walker {
    ring: Ring,
    tet: usize,
    /// Depth and value at both sides of the tetrahedron.
    near: [f32; 2],
    far: [f32; 2],
}

impl Caster<'_> {
    /// Casts a ray from the beginning, in pieces in which nothing begins or ends.
    pub(super) fn cast_overlapping(&mut self, job: u32) {
        let (clouds, job) = (self.clouds, &self.jobs[job as usize]);
        let entries = &self.entries[job.entries.start as usize..job.entries.end as usize];
        let place = job.place;
        let [mut slice, mut z, end] = clouds.sliced(place);
        let (mut light, mut walkers) = (Four::from(CLEAR), Vec::new());
        let (mut waiting, mut stops) = (entries.iter().peekable(), job.stops.clone());
        while !stops.is_empty() && light.at::<0>() >= OPAQUE && z < end {
            while let Some(entry) = waiting.next_if(|entry| entry.depth <= z) {
                let face = &clouds.mesh.surface[entry.face as usize];
                if let Some(ring) = Ring::enter(&clouds.points, place, face) {
                    let (depth, value) = ring.crossing();
                    let [near, far] = [[depth, value]; 2];
                    walkers.push(Walker { ring, tet: ring.tet(), near, far });
                }
            }
            walkers.retain_mut(|walker: &mut Walker| {
                walker.go_beyond(clouds, place, z, &mut light, &mut self.lost)
            });
            if walkers.is_empty() && waiting.peek().is_none() {
                break;
            }
            let stop = self.stops[stops.start as usize].depth;
            let entry = waiting.peek().map_or(f32::INFINITY, |entry| entry.depth);
            let mut to = entry.min(stop).min(slice).min(end);
            for walker in &walkers {
                to = to.min(walker.far[0]);
                to = walker
                    .isos(clouds)
                    .map(|(depth, _)| depth)
                    .filter(|d| *d > z)
                    .fold(to, f32::min);
            }
            if to > z {
                light = clouds.absorbed_by_all(light, &walkers, [z, to], place);
                z = to;
            }
            for walker in &walkers {
                for (_, iso) in walker.isos(clouds).filter(|(depth, _)| *depth == z) {
                    light = clouds.cover_inside(light, iso, walker.tet, place);
                }
            }
            // What is opaque before the slice hides it, and is not cleared.
            while stops.start < stops.end && self.stops[stops.start as usize].depth <= z {
                self.expose(stops.start, light);
                stops.start += 1;
            }
            if slice <= z {
                slice = f32::INFINITY;
                let values = walkers.iter().map(|w| w.value_at(clouds, z));
                if let Some(value) = values.into_iter().find(|value| !value.is_nan()) {
                    light = cover(light, clouds.colour(value), 1.0);
                }
            }
        }
        stops.for_each(|stop| self.expose(stop, finished(light)));
    }
}

impl Walker {
    /// Takes steps until the tetrahedron ends behind `z`; `false` if there is none.
    fn go_beyond(
        &mut self,
        clouds: &Clouds,
        place: Place,
        z: f32,
        light: &mut Four,
        lost: &mut usize,
    ) -> bool {
        // What is not a number does not end behind anything.
        while self.far[0] <= z || self.far[0].is_nan() {
            if !self.ring.goes_on() {
                return false;
            }
            let (face, before) = (self.ring, self.tet);
            self.tet = self.ring.tet();
            // SAFETY: points were made for the mesh, and rings come from its surface.
            if !unsafe { self.ring.step(clouds.mesh, &clouds.points, place) } {
                *lost += 1;
                return false;
            }
            let (depth, value) = self.ring.crossing();
            (self.near, self.far) = (self.far, [depth, value]);
            let own = [before, self.tet].map(|tet| clouds.own_value(tet));
            if let ([Some(before), Some(value)], true) = (own, self.near[0] == z) {
                for iso in clouds.isos_between(before, value) {
                    *light = clouds.cover_face(*light, iso, &face, place);
                }
            }
        }
        true
    }

    fn value_at(&self, clouds: &Clouds, z: f32) -> f32 {
        clouds.own_value(self.tet).unwrap_or_else(|| value_at(self.near, self.far, z))
    }

    /// Iso-surfaces inside the tetrahedron, with their depths.
    fn isos<'c>(
        &self,
        clouds: &'c Clouds,
    ) -> impl Iterator<Item = (f32, &'c super::iso::Surface)> + use<'c> {
        let ([near_depth, near], [far_depth, far]) = (self.near, self.far);
        let is_even = clouds.own_value(self.tet).is_some() || (near + far).is_nan();
        let (from, to) = if is_even { (0.0, 0.0) } else { (near, far) };
        let depth = move |place| value_at([near, near_depth], [far, far_depth], place);
        clouds.isos_between(from, to).map(move |iso| (depth(iso.place), iso))
    }
}

impl Clouds<'_> {
    /// Adds what all walkers have between two depths.
    fn absorbed_by_all(
        &self,
        mut light: Four,
        walkers: &[Walker],
        [from, to]: [f32; 2],
        place: Place,
    ) -> Four {
        let metre = self.metre(place);
        let depth_of = |from: f32, to: f32| {
            walkers.iter().fold(Four::all(0.0), |sum, walker| {
                let [a, b] = [from, to].map(|z| walker.value_at(self, z));
                if (a + b).is_nan() {
                    return sum;
                }
                let [up_to_a, up_to_b] = [a, b].map(|value| self.table.integral(value));
                sum + self.table.mean(a, b, up_to_a, up_to_b) * Four::all((to - from) * metre)
            })
        };
        let parts = (depth_of(from, to).at::<0>() / THICK).ceil().clamp(1.0, MAX_PARTS);
        let step = (to - from) / parts;
        for part in 0..parts as u32 {
            let start = from + step * part as f32;
            light = absorb_part(light, depth_of(start, start + step));
        }
        light
    }
}
