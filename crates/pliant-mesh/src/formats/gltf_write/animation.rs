//! A moving surface: one morph target per frame, and weights that fade from each to the next.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::json;

use super::layout::{Glb, Shape, VERTICES, bounds, write_floats};
use super::{smooth_normals, upright};
use crate::formats::surface::compact;

/// Where the frames of an animation come from. Each is asked for twice, one at a time, so that a
/// recording on disc never has to fit into memory.
pub trait Frames {
    /// How many frames there are.
    fn count(&self) -> usize;

    /// Positions of all points in frame `i` \[m\].
    fn frame(&self, i: usize) -> io::Result<Cow<'_, [[f32; 3]]>>;
}

impl Frames for Vec<Vec<[f32; 3]>> {
    fn count(&self) -> usize {
        self.len()
    }

    fn frame(&self, i: usize) -> io::Result<Cow<'_, [[f32; 3]]>> {
        Ok(Cow::Borrowed(&self[i]))
    }
}

/// A moving surface. Points that no triangle uses (inside a volume) are not written.
#[derive(Clone, Copy)]
pub struct Animation<'a> {
    /// Name of the body.
    pub name: &'a str,
    /// Corners, as indices into `rest`.
    pub triangles: &'a [[u32; 3]],
    /// Positions at rest \[m\].
    pub rest: &'a [[f32; 3]],
    /// Positions of the same points in every frame.
    pub frames: &'a dyn Frames,
    /// Time of every frame \[s\]: not negative, strictly rising.
    pub times: &'a [f32],
    /// Linear red, green and blue of every point, from 0 to 1.
    pub colors: Option<&'a [[f32; 3]]>,
}

/// Writes a moving surface as a GLB that any viewer plays; returns its size in bytes.
///
/// Every frame that differs from the rest pose becomes a morph target with the differences of
/// positions and normals, 24 bytes per point of the surface and frame. Linear interpolation of the
/// weights then moves every point straight from frame to frame. The weights take 4 bytes per pair of
/// frames.
pub fn write_animation(animation: &Animation<'_>, out: &mut dyn Write) -> io::Result<u64> {
    check(animation)?;
    let (kept, triangles) = compact(animation.rest.len(), animation.triangles);
    let pick =
        |all: &[[f32; 3]]| -> Vec<[f32; 3]> { kept.iter().map(|&i| all[i as usize]).collect() };
    let rest = pick(animation.rest).into_iter().map(upright).collect();
    let colors = animation.colors.map(|all| {
        let clamp = |x: f32| if x.is_nan() { 1.0 } else { x.clamp(0.0, 1.0) };
        pick(all).into_iter().map(|rgb| rgb.map(clamp)).collect()
    });
    let shape = Shape::new(animation.name, &triangles, rest, colors)?;
    let mut glb = Glb::new(&shape);
    let motion = Motion { animation, shape: &shape, kept: &kept };
    let targets = motion.describe(&mut glb)?;
    let size = glb.start(out)?;
    glb.write_shape(&shape, out)?;
    motion.write(&targets, out)?;
    Ok(size)
}

fn check(animation: &Animation<'_>) -> io::Result<()> {
    let fail = |problem: String| Err(io::Error::other(problem));
    let (points, frames) = (animation.rest.len(), animation.frames.count());
    if let Some(c) = animation.triangles.as_flattened().iter().find(|c| **c as usize >= points) {
        return fail(format!("a triangle uses point {c}, but there are {points} points"));
    }
    if let Some(i) = animation.rest.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return fail(format!("point {i} of the rest pose is not finite"));
    }
    if animation.times.len() != frames {
        return fail(format!("there are {frames} frames but {} times", animation.times.len()));
    }
    if let Some(colors) = animation.colors
        && colors.len() != points
    {
        return fail(format!("there are {points} points but {} colours", colors.len()));
    }
    let mut before = -1.0;
    for (i, &t) in animation.times.iter().enumerate() {
        if !(t.is_finite() && t >= 0.0 && t > before) {
            return fail(format!(
                "the time of frame {i} is {t} s after {before} s: times must rise from 0"
            ));
        }
        before = t;
    }
    Ok(())
}

/// The moving part of an animation.
struct Motion<'a> {
    animation: &'a Animation<'a>,
    shape: &'a Shape<'a>,
    kept: &'a [u32],
}

impl Motion<'_> {
    /// Upright positions of the written points in frame `i`.
    fn positions(&self, i: usize) -> io::Result<Vec<[f32; 3]>> {
        let frame = self.animation.frames.frame(i)?;
        let points = self.animation.rest.len();
        if frame.len() != points {
            let n = frame.len();
            return Err(io::Error::other(format!("frame {i} has {n} points instead of {points}")));
        }
        let take = |&k: &u32| {
            let p = frame[k as usize];
            let finite = p.iter().all(|x| x.is_finite());
            finite
                .then(|| upright(p))
                .ok_or_else(|| io::Error::other(format!("point {k} of frame {i} is not finite")))
        };
        self.kept.iter().map(take).collect()
    }

    /// Adds the morph targets and the animation; gives, for every frame, the number of its target,
    /// or `None` where the body is at rest.
    fn describe(&self, glb: &mut Glb) -> io::Result<Vec<Option<usize>>> {
        let mut targets = Vec::new();
        let mut all_bounds = Vec::new();
        for i in 0..self.animation.frames.count() {
            let positions = self.positions(i)?;
            let [low, high] = bounds(difference(&positions, &self.shape.positions));
            if !(low.iter().chain(&high).all(|x| x.is_finite())) {
                return Err(io::Error::other(format!("frame {i} is too far from the rest pose")));
            }
            let moves = low != [0.0; 3] || high != [0.0; 3];
            targets.push(moves.then_some(all_bounds.len()));
            if moves {
                all_bounds.push([low, high]);
            }
        }
        if all_bounds.is_empty() {
            return Ok(targets);
        }
        let times = self.animation.times;
        let input = glb.scalars(times.len(), Some([times[0], times[times.len() - 1]]));
        let output = glb.scalars(times.len() * all_bounds.len(), None);
        self.describe_targets(glb, all_bounds);
        glb.document["animations"] = json!([{
            "name": self.animation.name,
            "samplers": [{"input": input, "output": output, "interpolation": "LINEAR"}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
        }]);
        Ok(targets)
    }

    fn describe_targets(&self, glb: &mut Glb, all_bounds: Vec<[[f32; 3]; 2]>) {
        let points = self.shape.positions.len();
        let bytes = points as u64 * 12;
        let count = all_bounds.len();
        let view = glb.view(bytes * 2 * count as u64, Some(VERTICES), Some(12));
        let mut targets = Vec::with_capacity(count);
        for (i, bounds) in all_bounds.into_iter().enumerate() {
            let offset = bytes * 2 * i as u64;
            let position = glb.vectors_in(view, offset, points, Some(bounds));
            let normal = glb.vectors_in(view, offset + bytes, points, None);
            targets.push(json!({"POSITION": position, "NORMAL": normal}));
        }
        let mesh = &mut glb.document["meshes"][0];
        mesh["weights"] = json!(vec![0.0; count]);
        mesh["primitives"][0]["targets"] = json!(targets);
    }

    /// Writes times, weights and targets, one frame at a time.
    fn write(&self, targets: &[Option<usize>], out: &mut dyn Write) -> io::Result<()> {
        let count = targets.iter().flatten().count();
        if count == 0 {
            return Ok(());
        }
        write_floats(self.animation.times, out)?;
        let mut weights = vec![0.0; count];
        for &target in targets {
            weights.fill(0.0);
            if let Some(target) = target {
                weights[target] = 1.0;
            }
            write_floats(&weights, out)?;
        }
        for i in (0..targets.len()).filter(|&i| targets[i].is_some()) {
            let positions = self.positions(i)?;
            let normals = smooth_normals(self.shape.triangles, &positions);
            let deltas: Vec<_> = difference(&positions, &self.shape.positions).collect();
            write_floats(deltas.as_flattened(), out)?;
            let deltas: Vec<_> = difference(&normals, &self.shape.normals).collect();
            write_floats(deltas.as_flattened(), out)?;
        }
        Ok(())
    }
}

fn difference(a: &[[f32; 3]], b: &[[f32; 3]]) -> impl Iterator<Item = [f32; 3]> {
    a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k]))
}
