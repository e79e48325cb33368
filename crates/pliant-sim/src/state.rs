//! Everything that changes while a model is stepped, and nothing else.

use std::mem::take;

use crate::model::Model;
use crate::stages::contact::Anchor;
use crate::stages::plasticity::RestShape;
use crate::stages::seams::Status;
use crate::stages::shapes::ClusterStates;
use crate::stages::touch::Touch;

/// A moment of a simulation: what a checkpoint holds.
///
/// Arrays are in model order inside the engine and in the user's order in checkpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Complete steps so far.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Length of the last substep; 0 when the integrator has not started yet \[s\].
    pub h_last: f64,
    /// Origin of each body's coordinates \[m\].
    pub origins: Vec<[f64; 3]>,
    /// Positions relative to the origin of the body \[m\].
    pub position: Vec<[f32; 3]>,
    /// What rounding took from the positions \[m\].
    pub position_compensation: Vec<[f32; 3]>,
    /// Velocities \[m/s\]; those of Verlet and leap-frog belong to the middle of the last substep.
    pub velocity: Vec<[f32; 3]>,
    /// Internal forces, for the integrators that carry them from step to step \[N\].
    pub force: Vec<[f32; 3]>,
    /// Accelerations of the step before, for Beeman \[m/s²\].
    pub last_acceleration: Vec<[f32; 3]>,
    /// Rest shapes of the tetrahedra, once plasticity was on.
    pub rest_shapes: Option<Vec<RestShape<f32>>>,
    /// Where surfaces that touch hold on, in the user's numbering of vertices, behind which come those of mesh
    /// colliders.
    pub anchors: Vec<Anchor>,
    /// Drags and pushes that are going on, and colliders that are carried.
    pub touches: Vec<Touch>,
    /// By collider of the scene: how far hands have carried it \[m\]; nothing where none ever was.
    pub displaced: Vec<[f64; 3]>,
    /// What the pairs of seams are, see [`crate::stages::seams::Status`], in the order of the seams; nothing where nothing
    /// is sewn, or while all are open.
    pub seams: Vec<u8>,
    /// What clusters that are drawn back to their shapes have become, in the order of the model's; nothing where there
    /// are none, or while they are as at the start.
    pub clusters: ClusterStates,
}

impl State {
    /// The same state with vertex and tetrahedron arrays reordered: new element `i` is the old
    /// element `order[i]`.
    pub fn reordered(&self, vertices: &[u32], tets: &[u32]) -> Self {
        let pick = |from: &[[f32; 3]]| -> Vec<[f32; 3]> {
            if from.is_empty() {
                return Vec::new();
            }
            vertices.iter().map(|&i| from[i as usize]).collect()
        };
        Self {
            step: self.step,
            time: self.time,
            h_last: self.h_last,
            origins: self.origins.clone(),
            position: pick(&self.position),
            position_compensation: pick(&self.position_compensation),
            velocity: pick(&self.velocity),
            force: pick(&self.force),
            last_acceleration: pick(&self.last_acceleration),
            rest_shapes: self
                .rest_shapes
                .as_ref()
                .map(|rest| tets.iter().map(|&t| rest[t as usize]).collect()),
            anchors: self.anchors.clone(),
            touches: self.touches.clone(),
            displaced: self.displaced.clone(),
            seams: self.seams.clone(),
            clusters: self.clusters.clone(),
        }
    }

    /// Takes vertex and tetrahedron arrays from another state and keeps its own clock, origins,
    /// touches and what they displaced.
    pub(crate) fn take_arrays(&mut self, from: Self) {
        let Self { step, time, h_last, .. } = *self;
        let (origins, touches) = (take(&mut self.origins), take(&mut self.touches));
        let displaced = take(&mut self.displaced);
        *self = Self { step, time, h_last, origins, touches, displaced, ..from };
    }

    /// Whether the arrays fit a model; says what does not.
    pub fn check(&self, model: &Model) -> Result<(), String> {
        let vertices = model.vertex_count();
        let fits = |what: &str, length: usize, wanted: usize, optional: bool| {
            if length == wanted || (optional && length == 0) {
                Ok(())
            } else {
                Err(format!("{length} {what} instead of {wanted}"))
            }
        };
        fits("origins", self.origins.len(), model.bodies.len(), false)?;
        fits("positions", self.position.len(), vertices, false)?;
        fits("position remainders", self.position_compensation.len(), vertices, false)?;
        fits("velocities", self.velocity.len(), vertices, false)?;
        fits("forces", self.force.len(), vertices, true)?;
        fits("accelerations", self.last_acceleration.len(), vertices, true)?;
        if let Some(rest) = &self.rest_shapes {
            fits("rest shapes", rest.len(), model.tets.len(), false)?;
        }
        let held = self.touches.iter().flat_map(|t| match t {
            Touch::Drag(d) => &d.vertices[..],
            Touch::Push(_) | Touch::Carry(_) => &[],
        });
        fits("displaced colliders", self.displaced.len(), model.collider_count(), true)?;
        fits("pairs of seams", self.seams.len(), model.seams.pairs.len(), true)?;
        if let Some(pair) = self.seams.iter().find(|pair| Status::numbered(**pair).is_none()) {
            return Err(format!("a pair of a seam is {pair}"));
        }
        let ClusterStates { turns, taken } = &self.clusters;
        let clusters = model.shapes.clusters.len();
        fits("rotations of clusters", turns.len(), clusters, true)?;
        let yielding = if model.shapes.yields() { turns.len() } else { 0 };
        fits("deformations of clusters", taken.len(), yielding, false)?;
        let anchored = self.anchors.iter().flat_map(|anchor| anchor.corners);
        let touched = vertices + model.given.iter().map(|given| given.points.len()).sum::<usize>();
        if let Some(v) = anchored.into_iter().find(|&v| v as usize >= touched) {
            return Err(format!("a contact is at vertex {v} of {touched}"));
        }
        match held.copied().find(|&v| v as usize >= vertices) {
            Some(v) => Err(format!("a hand holds vertex {v} of {vertices}")),
            None => Ok(()),
        }
    }

    /// A number that two states share only when they are the same to the last bit.
    pub fn hash(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        hash.update(&self.step.to_le_bytes());
        hash.update(&self.time.to_bits().to_le_bytes());
        hash.update(&self.h_last.to_bits().to_le_bytes());
        hash.update(bytemuck::cast_slice(&self.origins));
        let arrays = [
            &self.position,
            &self.position_compensation,
            &self.velocity,
            &self.force,
            &self.last_acceleration,
        ];
        for array in arrays {
            hash.update(bytemuck::cast_slice(array));
        }
        for touch in &self.touches {
            // All their numbers, each in its shortest exact form.
            hash.update(format!("{touch:?}").as_bytes());
        }
        hash.update(bytemuck::cast_slice(&self.displaced));
        hash.update(&self.seams);
        hash.update(bytemuck::cast_slice(&self.clusters.turns));
        hash.update(bytemuck::cast_slice(&self.clusters.taken));
        for anchor in &self.anchors {
            hash.update(&[anchor.kind as u8]);
            hash.update(bytemuck::cast_slice(&anchor.corners));
            hash.update(bytemuck::cast_slice(&anchor.place));
            hash.update(bytemuck::cast_slice(&[anchor.push]));
            hash.update(bytemuck::cast_slice(&anchor.pull));
        }
        for rest in self.rest_shapes.iter().flatten() {
            hash.update(bytemuck::cast_slice(&rest.lengths));
            hash.update(&rest.volume6.to_bits().to_le_bytes());
        }
        hash.digest()
    }
}
