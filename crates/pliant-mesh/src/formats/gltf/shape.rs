//! What a block of points is made of, whichever node shows it: positions, morph targets (section
//! 3.7.2.2) and the joints that the points follow.

use std::collections::HashMap;
use std::sync::Arc;

use super::accessor::Use;
use super::document::Primitive;
use super::moving::{Morphing, Moving};
use super::scene::Block;
use super::skin::{self, Influences, check_count};
use super::store::Store;
use crate::{ReadError, Result};

/// The points of a block, before anything moves them.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) positions: Arc<[f64]>,
    /// Differences of positions; targets may change other attributes only.
    pub(super) targets: Vec<Option<Arc<[f64]>>>,
    /// Weights of the targets unless a node or an animation has others.
    pub(super) weights: Vec<f64>,
    pub(super) influences: Option<Arc<Influences>>,
}

impl Shape {
    /// Writes the positions over `out`, with the targets added as much as `weights` says.
    pub(super) fn morph(&self, weights: &[f64], out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.extend_from_slice(self.positions.as_chunks().0);
        for (target, &weight) in self.targets.iter().zip(weights) {
            let Some(target) = target.as_ref().filter(|_| weight != 0.0) else { continue };
            for (x, difference) in out.as_flattened_mut().iter_mut().zip(target.iter()) {
                *x += weight * difference;
            }
        }
    }
}

/// Reads shapes, each once.
pub(super) struct Shapes<'a> {
    moving: &'a Moving,
    /// By mesh, accessor of positions, and whether joints are read along.
    shapes: HashMap<(usize, usize, bool), Arc<Shape>>,
    /// By accessors.
    influences: HashMap<Vec<[usize; 2]>, Arc<Influences>>,
    /// Sets of influences that were not read.
    pub(super) sets_left_out: usize,
    /// Points that belong to a skin but follow nothing.
    pub(super) weightless: usize,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(moving: &'a Moving) -> Self {
        Self {
            moving,
            shapes: HashMap::new(),
            influences: HashMap::new(),
            sets_left_out: 0,
            weightless: 0,
        }
    }

    pub(super) fn get(
        &mut self,
        store: &mut Store<'_, '_>,
        block: &Block,
        skinned: bool,
    ) -> Result<Arc<Shape>> {
        let key = (block.mesh, block.positions, skinned);
        if let Some(shape) = self.shapes.get(&key) {
            return Ok(shape.clone());
        }
        let shape = self.read(store, block, skinned).map_err(|e| ReadError {
            problem: format!("mesh {}: {}", block.mesh, e.problem),
            ..e
        })?;
        let shape = Arc::new(shape);
        self.shapes.insert(key, shape.clone());
        Ok(shape)
    }

    fn read(&mut self, store: &mut Store<'_, '_>, block: &Block, skinned: bool) -> Result<Shape> {
        let first =
            shared_primitive(&store.document.meshes[block.mesh].primitives, block, self.moving)?;
        let morphing = self.moving.meshes.get(block.mesh);
        let targets = read_targets(store, morphing, first, block.count)?;
        let weights = morphing.and_then(|m| m.weights.clone());
        let weights = weights.unwrap_or_else(|| vec![0.0; targets.len()]);
        check_weights(weights.len(), targets.len())?;
        let influences = match skinned {
            false => None,
            true => {
                let primitive = &store.document.meshes[block.mesh].primitives[first];
                let read = self.influences(store, primitive, block.count);
                Some(read.map_err(|e| in_primitive(first, e))?)
            }
        };
        let positions = store.read::<3>(block.positions, Use::Numbers, "POSITION")?;
        Ok(Shape { positions, targets, weights, influences })
    }

    fn influences(
        &mut self,
        store: &mut Store<'_, '_>,
        primitive: &Primitive,
        count: usize,
    ) -> Result<Arc<Influences>> {
        let (sets, left_out) = skin::sets(primitive)?;
        if let Some(influences) = self.influences.get(&sets) {
            return Ok(influences.clone());
        }
        let influences = Arc::new(Influences::read(store, &sets, count)?);
        self.sets_left_out += left_out;
        self.weightless += influences.weightless;
        self.influences.insert(sets, influences.clone());
        Ok(influences)
    }
}

fn in_primitive(number: usize, e: ReadError) -> ReadError {
    ReadError { problem: format!("primitive {number}: {}", e.problem), ..e }
}

/// The first of the primitives that use the points of a block. All must let them move alike, since a
/// point can only be in one place.
fn shared_primitive(primitives: &[Primitive], block: &Block, moving: &Moving) -> Result<usize> {
    let targets = |k: usize| moving.meshes.get(block.mesh)?.primitives.get(k).map(|p| &p.targets);
    let follows = |name: &str| name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
    let motion = |k: usize| {
        let joints = primitives[k].attributes.iter().filter(|(name, _)| follows(name));
        (joints.collect::<Vec<_>>(), targets(k))
    };
    let mut users = (0..primitives.len()).filter(|&k| {
        let p = &primitives[k];
        p.draws_triangles() && p.attributes.get("POSITION") == Some(&block.positions)
    });
    let first = users.next().unwrap_or_default();
    match users.find(|&k| motion(k) != motion(first)) {
        None => Ok(first),
        Some(other) => Err(ReadError::file(format!(
            "primitives {first} and {other} have the same points, but not the same morph targets or joints"
        ))
        .help("Export it so that each primitive has points of its own")),
    }
}

fn read_targets(
    store: &mut Store<'_, '_>,
    morphing: Option<&Morphing>,
    primitive: usize,
    points: usize,
) -> Result<Vec<Option<Arc<[f64]>>>> {
    let entry = morphing.and_then(|m| m.primitives.get(primitive));
    let targets = entry.map_or(&[][..], |entry| &entry.targets);
    let mut out = Vec::with_capacity(targets.len());
    for (k, target) in targets.iter().enumerate() {
        let mut read = |accessor: usize| {
            let name = format!("POSITION of morph target {k}");
            let numbers = store.read::<3>(accessor, Use::Numbers, &name)?;
            check_count(&name, numbers.len() / 3, points).map(|()| numbers)
        };
        let differences = target.get("POSITION").map(|&accessor| read(accessor)).transpose();
        out.push(differences.map_err(|e| in_primitive(primitive, e))?);
    }
    Ok(out)
}

/// Checks that there is a weight for each morph target.
pub(super) fn check_weights(weights: usize, targets: usize) -> Result<()> {
    if weights == targets {
        return Ok(());
    }
    Err(ReadError::file(format!("there are {weights} weights for {targets} morph targets"))
        .help("The file is damaged: export it again"))
}
