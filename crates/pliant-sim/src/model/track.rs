//! The vertices that are followed through a run.

use pliant_mesh::Mesh;

use super::select::select;
use crate::scene::{Problem, SceneError, Track, TrackPart, suggest};

/// Vertices whose motion is reported as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// What to call them.
    pub name: String,
    /// The vertices in the user's numbering, at least one.
    pub vertices: Vec<u32>,
}

/// A body that has been placed, or a copy of one.
pub(super) struct Placed<'a> {
    pub name: &'a str,
    /// Its first vertex, in the user's numbering.
    pub first: u32,
    pub mesh: &'a Mesh,
    /// The points of the body itself in the world \[m\]; a copy has them shifted by `offset`.
    pub points: &'a [[f64; 3]],
    pub offset: [f64; 3],
    /// Which points belong to an element.
    pub used: &'a [bool],
}

/// Looks for what is to be tracked while bodies are placed one by one.
pub(super) struct Tracker<'s> {
    wanted: &'s [Track],
    found: Vec<Found>,
    bodies: Vec<String>,
}

#[derive(Clone, Default)]
struct Found {
    vertices: Vec<u32>,
    /// Squared distance of the vertex that is nearest to a point so far \[m²\].
    distance: f64,
    /// Bodies that were looked at.
    bodies: usize,
    /// What the last of them does not have.
    missing: Option<String>,
}

impl<'s> Tracker<'s> {
    pub fn new(wanted: &'s [Track]) -> Self {
        Self { wanted, found: vec![Found::default(); wanted.len()], bodies: Vec::new() }
    }

    /// Looks at a body.
    pub fn look(&mut self, body: &Placed<'_>) {
        self.bodies.push(body.name.to_owned());
        for (track, found) in self.wanted.iter().zip(&mut self.found) {
            if track.body.as_ref().is_none_or(|name| name == body.name) {
                found.bodies += 1;
                found.missing = found.look(&track.part, body).err();
            }
        }
    }

    /// What was found for each; refuses what was not, or may be in several bodies.
    pub fn finish(self) -> Result<Vec<Tracked>, SceneError> {
        let names: Vec<&str> = self.bodies.iter().map(String::as_str).collect();
        let mut all = Vec::new();
        for (i, (track, found)) in self.wanted.iter().zip(self.found).enumerate() {
            if let Some((key, problem, help)) = found.problem(track, &names) {
                let path = format!("output.track[{i}].{key}");
                return Err(Problem::new(path, problem).help(help).into());
            }
            all.push(Tracked { name: track.name.clone(), vertices: found.vertices });
        }
        Ok(all)
    }
}

impl Found {
    /// The key that is wrong in what was looked for among all bodies, why, and what to do.
    fn problem(&self, track: &Track, bodies: &[&str]) -> Option<(&'static str, String, String)> {
        let name = &track.name;
        let is_point = matches!(track.part, TrackPart::Point(_));
        match &track.body {
            Some(body) if self.bodies == 0 => {
                let problem = format!("there is no body {body:?} to track {name:?} in");
                Some(("body", problem, suggest(body, bodies, "there are")))
            }
            None if self.bodies > 1 && !is_point => {
                let problem = format!("{name:?} does not say in which of {} bodies", self.bodies);
                Some(("body", problem, suggest("", bodies, "there are")))
            }
            _ if self.vertices.is_empty() => {
                let why = self.missing.as_deref().unwrap_or("no vertex lies there");
                let problem = format!("{name:?} cannot be tracked: {why}");
                let help =
                    "vertices are counted from 0, and coordinates are those of the placed body";
                Some((track.part.key(), problem, help.into()))
            }
            _ => None,
        }
    }

    fn look(&mut self, part: &TrackPart, body: &Placed<'_>) -> Result<(), String> {
        let Placed { first, mesh, points, offset, used, .. } = *body;
        match part {
            TrackPart::Vertex(v) if (*v as usize) < points.len() => self.vertices = vec![first + v],
            TrackPart::Vertex(v) => {
                let count = points.len();
                return Err(format!("there is no vertex {v}, the last one is {}", count - 1));
            }
            TrackPart::Point(target) => {
                let away = |p: &[f64; 3]| -> f64 {
                    (0..3).map(|k| (p[k] + offset[k] - target[k]).powi(2)).sum()
                };
                for (v, p) in points.iter().enumerate().filter(|(v, _)| used[*v]) {
                    let distance = away(p);
                    if self.vertices.is_empty() || distance < self.distance {
                        (self.vertices, self.distance) = (vec![first + v as u32], distance);
                    }
                }
            }
            TrackPart::Region(region) => {
                let chosen = select(region, mesh, points)?;
                let chosen = chosen.iter().zip(used).map(|(chosen, used)| *chosen && *used);
                self.vertices =
                    (first..).zip(chosen).filter(|(_, chosen)| *chosen).map(|(v, _)| v).collect();
            }
        }
        Ok(())
    }
}
