//! A series of meshes: files that hold the same mesh in other positions, as points over time.

mod files;
#[cfg(test)]
mod tests;

pub use files::{Frame, find, in_order, stem_and_number};

use std::path::Path;

use crate::motion::Motion;
use crate::{Mesh, ReadError, Result, load};

/// The most points that all frames together may have: 3 GiB of memory.
const MAX_POINTS: usize = 1 << 27;

/// Meshes of the same triangles and tetrahedra at rising times; between two of them every point goes
/// straight from one to the other.
///
/// ```no_run
/// use pliant_mesh::motion::Motion;
/// use pliant_mesh::series::MeshSeries;
///
/// let heart = MeshSeries::load("heart/*.obj", 1.0 / 25.0)?;
/// let points = heart.points_at(0.5);
/// # Ok::<(), pliant_mesh::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshSeries {
    /// The first frame.
    mesh: Mesh,
    /// Rising, at least one \[s\].
    times: Vec<f64>,
    /// The points at each time.
    frames: Vec<Vec<[f64; 3]>>,
    warnings: Vec<String>,
}

impl MeshSeries {
    /// Reads a `.pvd` with the times that it lists, or a folder or a pattern such as `frames/*.obj`,
    /// whose files follow each other by `interval` \[s\]; see [`find`].
    pub fn load(path: impl AsRef<Path>, interval: f64) -> Result<Self> {
        Self::from_files(&find(path.as_ref(), interval)?)
    }

    /// Reads files in the order of time.
    pub fn from_files(files: &[Frame]) -> Result<Self> {
        let mut series: Option<Self> = None;
        for frame in files {
            let of_file =
                |e: ReadError| ReadError { path: e.path.or_else(|| Some(frame.file.clone())), ..e };
            let loaded = load(&frame.file)?;
            match &mut series {
                None => {
                    let mut first = Self::new(loaded.mesh, frame.time).map_err(of_file)?;
                    // Those of the other frames are the same again.
                    first.warnings = loaded.warnings;
                    series = Some(first);
                }
                Some(series) => series.push(loaded.mesh, frame.time).map_err(of_file)?,
            }
        }
        series.ok_or_else(|| ReadError::file("the series has no frames"))
    }

    /// A series of one frame.
    pub fn new(mesh: Mesh, time: f64) -> Result<Self> {
        check_points(&mesh)?;
        if !time.is_finite() {
            return Err(ReadError::file(format!("the time of the first frame is {time} s")));
        }
        let frames = vec![mesh.points.clone()];
        Ok(Self { mesh, times: vec![time], frames, warnings: Vec::new() })
    }

    /// Adds a frame, which must come later than the others and be the same mesh in other positions.
    pub fn push(&mut self, mesh: Mesh, time: f64) -> Result<()> {
        let last = self.times[self.times.len() - 1];
        if !(time.is_finite() && time > last) {
            return Err(ReadError::file(format!(
                "the frame is at {time} s, after one at {last} s: the times of a series must rise"
            ))
            .help(
                "Give each frame a time of its own; series of several parts are read one by one",
            ));
        }
        if let Some(difference) = difference(&self.mesh, &mesh) {
            return Err(ReadError::file(difference)
                .help("The frames of a series must be one mesh in different positions"));
        }
        check_points(&mesh)?;
        let points = (self.frames.len() + 1).saturating_mul(mesh.points.len());
        if points > MAX_POINTS {
            return Err(ReadError::file(format!(
                "the series has more than {MAX_POINTS} points up to here"
            ))
            .help("Give fewer frames, or a coarser mesh"));
        }
        self.frames.push(mesh.points);
        self.times.push(time);
        Ok(())
    }

    /// Times of the frames \[s\].
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// What the reader had to say about the first frame.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Motion for MeshSeries {
    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    fn write_points_at(&self, time: f64, points: &mut Vec<[f64; 3]>) {
        let before = self.times.partition_point(|t| *t <= time).saturating_sub(1);
        points.clear();
        points.extend_from_slice(&self.frames[before]);
        let start = self.times[before];
        let (Some(after), Some(end)) = (self.frames.get(before + 1), self.times.get(before + 1))
        else {
            return;
        };
        if time > start {
            let share = (time - start) / (end - start);
            for (x, to) in points.as_flattened_mut().iter_mut().zip(after.as_flattened()) {
                *x = (1.0 - share) * *x + share * to;
            }
        }
    }
}

fn check_points(mesh: &Mesh) -> Result<()> {
    match mesh.points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        None => Ok(()),
        Some(i) => Err(ReadError::file(format!("point {i} is not finite"))
            .help("Export the frame again, or leave it out")),
    }
}

/// How `other` differs from the first frame in more than positions, said in words.
fn difference(first: &Mesh, other: &Mesh) -> Option<String> {
    let counts = [
        ("points", first.points.len(), other.points.len()),
        ("tetrahedra", first.tets.len(), other.tets.len()),
        ("triangles", first.triangles.len(), other.triangles.len()),
    ];
    if let Some((what, a, b)) = counts.into_iter().find(|(_, a, b)| a != b) {
        return Some(format!("has {b} {what}, but the first frame has {a}"));
    }
    differing("tetrahedron", &first.tets, &other.tets)
        .or_else(|| differing("triangle", &first.triangles, &other.triangles))
}

fn differing<const N: usize>(what: &str, a: &[[u32; N]], b: &[[u32; N]]) -> Option<String> {
    let i = a.iter().zip(b).position(|(a, b)| a != b)?;
    Some(format!("{what} {i} joins points {:?}, but {:?} in the first frame", b[i], a[i]))
}
