//! Colliders on a device: poses as uniforms, one record for each substep of a submission.

use std::ops::Range;

use pliant_gpu::{Binding, Buffer, Gpu, GpuError};

use super::formula::Kind;
use super::{Colliders, Pose, Stretch};
use crate::model::Model;
use crate::scene::Collider;
use crate::stages::gpu::arrays::RECORDS;
use crate::stages::gpu::layout::Layout;
use crate::step::Advance;

/// A collider at the end of a substep: twin of `Placed` in formula.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Record {
    /// Its own axes; the fourth numbers are friction, restitution and thickness \[m\].
    pub axes: [[f32; 4]; 3],
    /// How a point moves with it by turning; the fourth numbers are by moving on \[m\].
    pub turned: [[f32; 4]; 3],
    /// Its origin \[m\], and −1 if the bodies are inside, else 1.
    pub origin_high: [f32; 4],
    /// What rounding took from the origin \[m\], and the cosine of the steepest slope.
    pub origin_low: [f32; 4],
    /// Its size \[m\].
    pub size: [f32; 4],
    /// Place of its first height, heights along x and y, kind.
    pub grid: [u32; 4],
    /// Size of a cell along x and y \[m\].
    pub cell: [f32; 4],
}

/// Vectors of four words in a record, and in a whole binding: a head and room for all records.
const VECTORS: usize = size_of::<Record>() / 16;
const BOUND: usize = 1 + VECTORS * Collider::MOST;
/// Bindings begin at multiples of so many vectors.
const ALIGNED: usize = 16;

/// A number in double precision as two in single precision.
pub fn split(x: f64) -> [f32; 2] {
    let high = x as f32;
    [high, (x - f64::from(high)) as f32]
}

/// Where colliders find what lies behind the constants of bodies, in vectors of four words.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Origins of bodies, two vectors for each: as good as single precision can be, and the rest.
    pub origins: usize,
    /// Heights of height maps, four in each.
    pub heights: usize,
    /// Behind all.
    pub end: usize,
}

impl Places {
    /// Those of a model. Where there are no colliders there is nothing more.
    pub fn of(model: &Model, layout: &Layout) -> Self {
        let bodies = model.bodies.len();
        let origins = 3 * bodies + layout.slice_body.len().div_ceil(4);
        if model.colliders.is_empty() {
            return Self { origins, heights: origins, end: origins };
        }
        let heights = origins + 2 * bodies;
        Self { origins, heights, end: heights + model.colliders.heights.len().div_ceil(4) }
    }
}

/// The origins of bodies as kernels take them.
pub fn origin_words(origins: &[[f64; 3]]) -> impl Iterator<Item = [u32; 4]> {
    origins.iter().flat_map(|origin| {
        let parts = origin.map(split);
        [0, 1].map(|part| [parts[0][part], parts[1][part], parts[2][part], 0.0].map(f32::to_bits))
    })
}

/// Heights of height maps as kernels take them.
pub fn height_words(heights: &[f32]) -> Vec<[u32; 4]> {
    let four = |four: &[f32]| std::array::from_fn(|i| four.get(i).map_or(0, |h| h.to_bits()));
    heights.chunks(4).map(four).collect()
}

/// The records of a submission.
pub struct Uniforms {
    buffer: Buffer<[u32; 4]>,
    places: Places,
    /// Vectors from one record to the next.
    stride: usize,
    /// Whether none moves in the stretch that was written last.
    is_still: bool,
}

impl Uniforms {
    /// Makes room for the colliders of a model; nothing where there are none.
    pub fn new(gpu: &Gpu, model: &Model, layout: &Layout) -> Result<Option<Self>, GpuError> {
        let colliders = &model.colliders;
        if colliders.is_empty() {
            return Ok(None);
        }
        let stride = (1 + VECTORS * colliders.list.len()).next_multiple_of(ALIGNED);
        let buffer = gpu.uniform("colliders", (RECORDS - 1) * stride + BOUND)?;
        Ok(Some(Self { buffer, places: Places::of(model, layout), stride, is_still: true }))
    }

    /// What the kernel is bound to.
    pub fn binding(&self) -> Binding<'_> {
        Binding::record(&self.buffer, 16 * BOUND as u64)
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }

    /// Room for one record, of the present.
    pub fn for_present(&self, gpu: &Gpu) -> Result<Self, GpuError> {
        let buffer = gpu.uniform("colliders now", BOUND)?;
        Ok(Self { buffer, ..*self })
    }

    /// The records.
    pub fn buffer(&self) -> &Buffer<[u32; 4]> {
        &self.buffer
    }

    /// Writes the records of some substeps of a stretch.
    pub fn write(&mut self, colliders: &Colliders, job: &Advance<'_>, substeps: Range<u64>) {
        let first = substeps.start;
        let stretch = Stretch::of_substeps(colliders, job, substeps.clone());
        self.is_still = stretch.is_still();
        let mut words = Vec::new();
        let mut add = |poses: &[Pose], begins_step: bool| {
            self.add_record(&mut words, poses, begins_step, 1.0 / job.h);
        };
        // What stands still differs only in whether a step begins.
        if stretch.is_still() {
            add(stretch.at(first), true);
            add(stretch.at(first), false);
        } else {
            substeps.for_each(|substep| add(stretch.at(substep), job.begins_step(substep)));
        }
        words.truncate(self.buffer.len());
        self.buffer.write(0, &words);
    }

    /// Writes the first record; `per_h` is 1/h \[1/s\].
    pub fn write_once(&self, poses: &[Pose], per_h: f64) {
        let mut words = Vec::new();
        self.add_record(&mut words, poses, false, per_h);
        words.truncate(self.buffer.len());
        self.buffer.write(0, &words);
    }

    fn add_record(&self, words: &mut Vec<[u32; 4]>, poses: &[Pose], begins_step: bool, per_h: f64) {
        let begin = words.len();
        let (per_h, origins) = ((per_h as f32).to_bits(), self.places.origins as u32);
        words.push([poses.len() as u32, u32::from(begins_step), per_h, origins]);
        for pose in poses {
            let record = record(pose, 4 * self.places.heights as u32);
            words.extend_from_slice(bytemuck::cast_slice::<_, [u32; 4]>(&[record]));
        }
        words.resize(begin + self.stride, [0; 4]);
    }

    /// Where the record of substep number `i` of a submission begins, which is `substep` of the stretch
    /// \[bytes\].
    pub fn offset(&self, job: &Advance<'_>, i: u64, substep: u64) -> u32 {
        let record = match self.is_still {
            true => usize::from(!job.begins_step(substep)),
            false => i as usize,
        };
        (16 * self.stride * record) as u32
    }
}

fn record(pose: &Pose, heights: u32) -> Record {
    let placed = &pose.placed;
    let vector = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
    let [a, b, c] = placed.axes.map(<[f32; 3]>::from);
    let [p, q, r] = placed.turned.map(<[f32; 3]>::from);
    let moved: [f32; 3] = placed.moved.into();
    let origin = pose.origin.map(split);
    let grid = &placed.shape.ground;
    let kind = match placed.shape.kind {
        Kind::Plane => 0,
        Kind::Sphere => 1,
        Kind::Capsule => 2,
        Kind::Box => 3,
        Kind::Cylinder => 4,
        Kind::Ground => 5,
    };
    Record {
        axes: [
            vector(a, placed.friction),
            vector(b, placed.restitution),
            vector(c, placed.thickness),
        ],
        turned: [vector(p, moved[0]), vector(q, moved[1]), vector(r, moved[2])],
        origin_high: vector(origin.map(|[high, _]| high), placed.shape.side),
        origin_low: vector(origin.map(|[_, low]| low), grid.steepest),
        size: vector(placed.shape.size.into(), 0.0),
        grid: [heights + grid.first, grid.columns, grid.rows, kind],
        cell: [grid.cell[0], grid.cell[1], 0.0, 0.0],
    }
}
