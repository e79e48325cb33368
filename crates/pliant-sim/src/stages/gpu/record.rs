//! The parameters of kernels for one update of one substep: twin of step.wgsl.

use super::layout::Layout;
use crate::model::{Family, Model};
use crate::scene::Implicit;
use crate::stages::air::air_in;
use crate::stages::elastic::fixed;
use crate::stages::elastic::gpu::Fixed;
use crate::stages::integrate::Coefficients;
use crate::step::Advance;

/// One update of one substep.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Step {
    /// Number of the substep in this run, from 1.
    pub substep: u32,
    /// Vertices, padding included.
    pub slot_count: u32,
    /// Springs.
    pub spring_count: u32,
    /// Tetrahedra.
    pub tet_count: u32,
    /// Gravity \[m/s²\]; the fourth number is the plasticity.
    pub gravity: [f32; 4],
    /// Force on every vertex \[N\]; the fourth number is 1 when there are touches, or air.
    pub loading: [f32; 4],
    /// Coefficients of the update; of implicit steps first the tolerance of Newton's iterations.
    pub coefficients: [f32; 4],
    /// First stage (of implicit steps: most iterations), last stage (most of Newton's iterations, 0
    /// if there are none), whether the update leaves the step's position, bodies.
    pub flags: [u32; 4],
    /// The unit of fixed-point forces.
    pub fixed: [f32; 4],
    /// Of implicit steps: timestep \[s\], damping \[1/s\], tolerance, the inverse of a typical mass
    /// \[1/kg\]. The timestep of others is 0 here.
    pub implicit: [f32; 4],
    /// Velocity of the air \[m/s\]; the fourth number is 1 when there is any.
    pub wind: [f32; 4],
    /// Of the air: its drag and lift \[kg/m³\], the square of their ratio, and the step that its impulses are limited
    /// for \[s\], see air/formula.rs.
    pub air: [f32; 4],
}

/// A [`Step`] in an array of uniforms, whose elements must begin at multiples of 256 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Record {
    /// The parameters.
    pub step: Step,
    padding: [[u32; 14]; 2],
}

/// Bytes from one record to the next.
pub const STRIDE: u32 = size_of::<Record>() as u32;

/// What does not change during a run.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Vertices, padding included.
    pub slots: usize,
    /// Springs.
    pub springs: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Hinges.
    pub hinges: usize,
    /// Bodies.
    pub bodies: usize,
    /// The unit of fixed-point forces.
    pub fixed: Fixed,
    /// The inverse of a typical mass in implicit steps, a power of two \[1/kg\].
    pub per_mass: f32,
    /// What implicit steps must know of colliders: the bits of walls, see search.wgsl.
    pub colliders: u32,
}

impl Sizes {
    /// Those of a model as it was laid out.
    pub fn of(model: &Model, layout: &Layout) -> Self {
        Self {
            slots: layout.slot_count(),
            springs: layout.springs.len(),
            tets: layout.tets.len(),
            hinges: layout.hinges.len(),
            bodies: model.bodies.len(),
            fixed: fixed::unit(model, layout.max_valence()),
            per_mass: per_mass(model),
            colliders: match &model.colliders.list[..] {
                [] => 0,
                list if list.iter().any(|c| c.friction > 0.0) => HAS_OBSTACLES | HAS_FRICTION,
                _ => HAS_OBSTACLES,
            },
        }
    }
}

/// Bits of an implicit step about walls and colliders, see search.wgsl.
const HAS_OBSTACLES: u32 = 1;
const HAS_FRICTION: u32 = 2;

impl Step {
    /// What kernels that only compute forces need to know.
    pub fn still(sizes: &Sizes) -> Self {
        Self {
            slot_count: sizes.slots as u32,
            spring_count: sizes.springs as u32,
            tet_count: sizes.tets as u32,
            flags: [0, 0, 0, sizes.bodies as u32],
            fixed: [
                sizes.fixed.units_per_newton,
                sizes.fixed.newtons_per_unit,
                sizes.fixed.most,
                0.0,
            ],
            ..Self::default()
        }
    }

    /// What all kernels of substep `substep` of a run need to know.
    fn of_substep(sizes: &Sizes, job: &Advance<'_>, substep: u64, is_explicit: bool) -> Self {
        let world = job.world;
        let air = air_in(job, substep, is_explicit);
        let vector = |v: [f64; 3], w: f32| [v[0] as f32, v[1] as f32, v[2] as f32, w];
        Self {
            substep: substep as u32 + 1,
            gravity: vector(world.gravity, world.plasticity as f32),
            loading: vector(world.external_force, if job.has_loads() { 1.0 } else { 0.0 }),
            wind: air.map_or([0.0; 4], |air| [air.wind.x, air.wind.y, air.wind.z, 1.0]),
            air: air.map_or([0.0; 4], |air| [air.drag, air.lift, air.ratio, air.h]),
            ..Self::still(sizes)
        }
    }

    /// Update `n` of an explicit integrator in substep `substep` of a run.
    pub fn update(sizes: &Sizes, job: &Advance<'_>, substep: u64, n: u8) -> Self {
        let h_last = if substep == 0 { job.h_last } else { job.h };
        let world = job.world;
        let update = Coefficients::new(world.integrator, n, job.h, h_last, world.damping);
        let (coefficients, first, last) = packed(update);
        let mut step = Self::of_substep(sizes, job, substep, true);
        step.coefficients = coefficients.map(|c| c as f32);
        step.flags[0] = u32::from(first);
        step.flags[1] = u32::from(last);
        step.flags[2] = u32::from(update.sets_position());
        step
    }

    /// The implicit step in substep `substep` of a run.
    pub fn implicit(sizes: &Sizes, job: &Advance<'_>, substep: u64) -> Self {
        let Implicit { tolerance, max_iterations, newton_iterations, newton_tolerance } =
            job.world.implicit;
        let mut step = Self::of_substep(sizes, job, substep, false);
        step.flags[0] = max_iterations;
        step.flags[1] = if newton_iterations > 1 { newton_iterations } else { 0 };
        let of_walls = match &job.world.bounds {
            Some(bounds) if bounds.friction > 0.0 => HAS_OBSTACLES | HAS_FRICTION,
            Some(_) => HAS_OBSTACLES,
            None => 0,
        };
        step.flags[2] = of_walls | sizes.colliders;
        step.coefficients[0] = newton_tolerance as f32;
        let [h, damping, tolerance] = [job.h, job.world.damping, tolerance].map(|c| c as f32);
        step.implicit = [h, damping, tolerance, sizes.per_mass];
        step
    }

    /// As an element of an array of uniforms.
    pub fn record(self) -> Record {
        Record { step: self, ..Record::default() }
    }
}

/// The inverse of the mean mass of free vertices, rounded to a power of two: momenta times this are
/// about velocities, whose squares a float can hold. If some bodies take implicit steps in any world,
/// theirs alone count.
fn per_mass(model: &Model) -> f32 {
    let any = !model.asks_for(Family::Implicit);
    let bodies = model.bodies.iter().filter(|b| any || b.family == Some(Family::Implicit));
    let vertices = bodies.flat_map(|b| b.vertices.clone()).map(|v| v as usize);
    let free = vertices.filter(|&v| model.inv_mass[v] > 0.0).map(|v| f64::from(model.mass[v]));
    let (sum, count) = free.fold((0.0, 0.0), |(s, n), m| (s + m, n + 1.0));
    let exponent = if sum > 0.0 { (count / sum).log2().round() } else { 0.0 };
    exponent.clamp(-60.0, 60.0).exp2() as f32
}

/// The four numbers that the formulas in integrate/formula.wgsl take, and whether it is the first
/// or the last stage of a Runge–Kutta scheme.
fn packed(update: Coefficients) -> ([f64; 4], bool, bool) {
    match update {
        Coefficients::KickDrift { keep, kick, drift } => ([keep, kick, drift, 0.0], false, false),
        Coefficients::BeemanDrift { h, ratio, damping } => {
            ([h, ratio, damping, h * h / 6.0], false, false)
        }
        Coefficients::BeemanKick { h, ratio, damping } => {
            ([h / 6.0, ratio, 1.0 / (1.0 + h * damping / 3.0), 0.0], false, false)
        }
        Coefficients::RungeKutta { first, last, weight, ahead, damping } => {
            ([weight, ahead, damping, 0.0], first, last)
        }
    }
}
