//! Skins: points that follow several joints (section 3.7.3).

use std::collections::HashMap;
use std::sync::Arc;

use super::accessor::Use;
use super::document::Primitive;
use super::moving::SkinEntry;
use super::store::Store;
use super::transform::{IDENTITY, Transform, apply, from_columns, multiply};
use crate::{ReadError, Result};

/// How many sets of four influences are read: JOINTS_0 and JOINTS_1.
const SETS: usize = 2;

/// The joints of a skin.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    pub(super) name: String,
    /// For each joint the place of its node in the scene, and the transform from the mesh to the joint
    /// as both were when they were joined.
    joints: Vec<(usize, Transform)>,
}

impl Skin {
    /// `places` has the places of nodes in the scene by their numbers.
    pub(super) fn read(
        store: &mut Store<'_, '_>,
        entry: &SkinEntry,
        places: &HashMap<usize, usize>,
    ) -> Result<Self> {
        let inverse = match entry.inverse_bind_matrices {
            None => Vec::new(),
            Some(accessor) => {
                let numbers = store.read::<16>(accessor, Use::Numbers, "inverseBindMatrices")?;
                numbers.as_chunks::<16>().0.iter().map(from_columns).collect()
            }
        };
        if entry.inverse_bind_matrices.is_some() && inverse.len() < entry.joints.len() {
            return Err(ReadError::file(format!(
                "there are {} joints, but {} inverse bind matrices",
                entry.joints.len(),
                inverse.len()
            ))
            .help("The file is damaged: export it again"));
        }
        let joint = |(i, number): (usize, &usize)| match places.get(number) {
            Some(&place) => Ok((place, inverse.get(i).copied().unwrap_or(IDENTITY))),
            None => Err(ReadError::file(format!(
                "joint {i} is node {number}, which is not in the scene that is shown"
            ))
            .help("Export the skeleton in the same scene as the mesh that it moves")),
        };
        let joints = entry.joints.iter().enumerate().map(joint).collect::<Result<_>>()?;
        Ok(Self { name: entry.name.clone(), joints })
    }

    pub(super) fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// What each joint does to points of the mesh, with the nodes where `globals` has them.
    pub(super) fn matrices<'a>(
        &'a self,
        globals: &'a [Transform],
    ) -> impl Iterator<Item = Transform> + 'a {
        self.joints.iter().map(|(place, inverse)| multiply(&globals[*place], inverse))
    }
}

/// Which joints each point follows, and how much.
#[derive(Debug)]
pub(super) struct Influences {
    /// Influences per point.
    width: usize,
    /// Numbers of joints and weights, which sum to 1 for each point.
    influences: Vec<(u32, f64)>,
    /// The largest number of a joint that has a weight.
    largest_joint: u32,
    /// Points without weights, which follow the joint that they name first.
    pub(super) weightless: usize,
}

impl Influences {
    /// The influences on `count` points, of the sets of accessors that [`sets`] gives.
    pub(super) fn read(
        store: &mut Store<'_, '_>,
        sets: &[[usize; 2]],
        count: usize,
    ) -> Result<Self> {
        let mut arrays = Vec::new();
        for (k, [joints, weights]) in sets.iter().enumerate() {
            let names = [format!("JOINTS_{k}"), format!("WEIGHTS_{k}")];
            let joints = store.read::<4>(*joints, Use::Indices, &names[0])?;
            let weights = store.read::<4>(*weights, Use::Numbers, &names[1])?;
            for (name, array) in names.iter().zip([&joints, &weights]) {
                check_count(name, array.len() / 4, count)?;
            }
            arrays.push((joints, weights));
        }
        let width = 4 * sets.len();
        let mut out = Self { width, influences: Vec::new(), largest_joint: 0, weightless: 0 };
        out.influences.reserve_exact(count * width);
        for point in 0..count {
            let at = |(joints, weights): &(Arc<[f64]>, Arc<[f64]>), k: usize| {
                (joints[4 * point + k] as u32, weights[4 * point + k])
            };
            let all = arrays.iter().flat_map(|set| (0..4).map(move |k| at(set, k)));
            out.push(all, point)?;
        }
        Ok(out)
    }

    fn push(&mut self, all: impl Iterator<Item = (u32, f64)>, point: usize) -> Result<()> {
        let first = self.influences.len();
        self.influences.extend(all);
        let own = &mut self.influences[first..];
        if let Some((_, weight)) = own.iter().find(|(_, weight)| *weight < 0.0) {
            return Err(ReadError::file(format!("a weight of point {point} is {weight}"))
                .help("Weights are 0 or more: export it again"));
        }
        let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
        if sum == 0.0 {
            self.weightless += 1;
            own[0].1 = 1.0;
        }
        let sum = if sum == 0.0 { 1.0 } else { sum };
        for (joint, weight) in own {
            *weight /= sum;
            // Joints without a weight may have any number.
            *joint = if *weight == 0.0 { 0 } else { *joint };
            self.largest_joint = self.largest_joint.max(*joint);
        }
        Ok(())
    }

    /// Checks that every joint with a weight is one of the skin's.
    pub(super) fn check(&self, skin: &Skin) -> Result<()> {
        let count = skin.joint_count();
        if (self.largest_joint as usize) < count || self.influences.is_empty() {
            return Ok(());
        }
        Err(ReadError::file(format!(
            "a point follows joint {}, but the skin has {count}",
            self.largest_joint
        ))
        .help("The file is damaged: export it again"))
    }

    /// Where point `i` goes from `p`, if joints do what `matrices` says.
    pub(super) fn apply(&self, matrices: &[Transform], i: usize, p: &[f64; 3]) -> [f64; 3] {
        let mut blend = [[0.0; 4]; 3];
        for &(joint, weight) in &self.influences[i * self.width..][..self.width] {
            if weight > 0.0 {
                let matrix = matrices[joint as usize].as_flattened();
                for (sum, m) in blend.as_flattened_mut().iter_mut().zip(matrix) {
                    *sum += weight * m;
                }
            }
        }
        apply(&blend, p)
    }
}

/// The accessors of joints and weights of a primitive, set by set, and how many sets are too many.
pub(super) fn sets(primitive: &Primitive) -> Result<(Vec<[usize; 2]>, usize)> {
    let mut sets = Vec::new();
    for k in 0.. {
        let [joints, weights] = ["JOINTS", "WEIGHTS"].map(|name| format!("{name}_{k}"));
        let get = |name: &str| primitive.attributes.get(name).copied();
        match (get(&joints), get(&weights)) {
            (Some(joints), Some(weights)) => sets.push([joints, weights]),
            (None, None) if k > 0 => break,
            (None, _) => return Err(missing(&joints)),
            (_, None) => return Err(missing(&weights)),
        }
    }
    let left_out = sets.len().saturating_sub(SETS);
    sets.truncate(SETS);
    Ok((sets, left_out))
}

fn missing(attribute: &str) -> ReadError {
    ReadError::file(format!("belongs to a skin but has no {attribute}"))
        .help("Export it with its weights, or without its skin")
}

/// Checks that an array has an element for each point.
pub(super) fn check_count(name: &str, found: usize, points: usize) -> Result<()> {
    if found == points {
        return Ok(());
    }
    Err(ReadError::file(format!("{name} has {found} elements for {points} points"))
        .help("The file is damaged: export it again"))
}
