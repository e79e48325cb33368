//! The whole run as one animated GLB.
//!
//! The file can only be written as a whole. It is written at the end, when a run is interrupted, and
//! in between every so often, so that even a killed run leaves most of its motion behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pliant_mesh::formats::gltf_write::{Animation, write_animation};
use pliant_mesh::{WriteError, write_atomically};

use super::Pace;
use super::surface::Surface;
use crate::{Frame, Geometry, Message};

/// Largest file: half a gigabyte is what viewers still open.
const MOST_BYTES: usize = 512 << 20;
/// Most frames: each is a morph target, and viewers slow down with many.
const MOST_FRAMES: usize = 1000;
/// Bytes per vertex and frame in the file: differences of position and normal.
const VERTEX_BYTES: usize = 24;
/// Least time between two writes of an unfinished animation.
const PAUSE: Duration = Duration::from_secs(2);

/// Linear colours of the bodies, in turn.
const PALETTE: [[f32; 3]; 8] = [
    [0.80, 0.10, 0.16],
    [0.90, 0.45, 0.05],
    [0.10, 0.45, 0.12],
    [0.05, 0.30, 0.75],
    [0.45, 0.12, 0.60],
    [0.85, 0.65, 0.10],
    [0.05, 0.50, 0.55],
    [0.75, 0.25, 0.45],
];

/// Frames of the surface, kept until they are written.
pub struct Recording {
    path: PathBuf,
    name: String,
    surface: Surface,
    colors: Vec<[f32; 3]>,
    frames: Vec<Vec<[f32; 3]>>,
    times: Vec<f64>,
    most_frames: usize,
    /// Of so many frames one is kept.
    stride: u64,
    seen: u64,
    pace: Pace,
}

impl Recording {
    /// A recording that will be the file `path`.
    pub fn new(path: PathBuf, name: &str, geometry: &Geometry) -> Self {
        let surface = Surface::new(geometry, false);
        let color = |&body: &u32| PALETTE[body as usize % PALETTE.len()];
        let frame_bytes = VERTEX_BYTES * surface.bodies.len().max(1);
        Self {
            path,
            name: name.into(),
            colors: surface.bodies.iter().map(color).collect(),
            surface,
            frames: Vec::new(),
            times: Vec::new(),
            most_frames: (MOST_BYTES / frame_bytes).clamp(2, MOST_FRAMES),
            stride: 1,
            seen: 0,
            pace: Pace::new(Duration::ZERO),
        }
    }

    /// Adds a frame. When there are too many, every second one is given up.
    pub fn add(&mut self, frame: &Frame, tell: &mut dyn FnMut(Message)) -> Result<(), WriteError> {
        let turn = self.seen % self.stride;
        self.seen += 1;
        if turn != 0 {
            return Ok(());
        }
        if self.frames.len() >= self.most_frames {
            self.thin();
            tell(Message::Note(format!(
                "the animation has {} frames, more than viewers like: from now on it keeps one of \
                 {}",
                self.most_frames, self.stride
            )));
        }
        self.frames.push(self.surface.positions(&frame.positions));
        self.times.push(frame.report.time);
        if self.pace.is_due() { self.finish() } else { Ok(()) }
    }

    fn thin(&mut self) {
        let mut index = 0;
        self.frames.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.times = self.times.iter().copied().step_by(2).collect();
        self.stride *= 2;
        // The frame that comes now is kept; count on from it.
        self.seen = 1;
    }

    /// Writes the animation as far as it goes. It begins at its first frame, whatever the time.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let Some(rest) = self.frames.first() else { return Ok(()) };
        let start = self.times[0];
        let times: Vec<f32> = self.times.iter().map(|t| (t - start) as f32).collect();
        let animation = Animation {
            name: &self.name,
            triangles: &self.surface.triangles,
            rest,
            frames: &self.frames,
            times: &times,
            colors: Some(&self.colors),
        };
        let path = &self.path;
        self.pace.write(PAUSE, || {
            write_atomically(path, |out| write_animation(&animation, out).map(|_| ()))
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
