//! Animations: which nodes move, and how (section 3.11).

use std::collections::{HashMap, HashSet};

use super::document::Document;
use super::moving::{Animation, Channel};
use super::store::Store;
use super::track::{Quantity, Track};
use super::transform::Local;
use crate::{ReadError, Result};

/// One animation of a file, named and timed.
#[derive(Clone, Debug)]
pub struct Clip {
    name: String,
    duration: f64,
    /// Places of nodes in the scene, and what happens to them.
    moves: Vec<(usize, Move)>,
    /// Weights of morph targets by the place of their node, in the order of places.
    weights: Vec<(usize, Track)>,
    /// Channels that move nothing that is seen.
    pub(super) left_out: usize,
}

/// What an animation does to a node.
#[derive(Clone, Debug)]
enum Move {
    Translation(Track),
    Rotation(Track),
    Scale(Track),
}

impl Clip {
    /// Its name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Time of its last key \[s\].
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// How many quantities it moves.
    pub fn channels(&self) -> usize {
        self.moves.len() + self.weights.len()
    }

    /// Moves the nodes of a scene to where they are at `time`.
    pub(super) fn place(&self, time: f64, locals: &mut [Local]) {
        for (place, motion) in &self.moves {
            let Local::Parts(parts) = &mut locals[*place] else { continue };
            match motion {
                Move::Translation(track) => parts.translation = track.vector(time),
                Move::Rotation(track) => parts.rotation = track.rotation(time),
                Move::Scale(track) => parts.scale = track.vector(time),
            }
        }
    }

    /// Writes the weights that the mesh of the node at `place` has at `time`, if they are animated.
    pub(super) fn weigh(&self, place: usize, time: f64, weights: &mut [f64]) {
        if let Ok(at) = self.weights.binary_search_by_key(&place, |(place, _)| *place) {
            self.weights[at].1.sample(time, weights);
        }
    }
}

/// What is known of a scene when its animations are read.
pub(super) struct Stage<'a> {
    pub(super) document: &'a Document,
    /// Places of nodes in the scene by their numbers.
    pub(super) places: HashMap<usize, usize>,
    /// How many morph targets the nodes of the scene show, by their places; nothing for nodes that show
    /// no points.
    pub(super) targets: HashMap<usize, usize>,
}

impl Stage<'_> {
    pub(super) fn clip(&self, store: &mut Store<'_, '_>, animation: &Animation) -> Result<Clip> {
        let mut clip = Clip {
            name: animation.name.clone(),
            duration: 0.0,
            moves: Vec::new(),
            weights: Vec::new(),
            left_out: 0,
        };
        let mut seen = HashSet::new();
        for (number, channel) in animation.channels.iter().enumerate() {
            self.channel(store, animation, channel, &mut clip, &mut seen).map_err(|e| {
                ReadError { problem: format!("channel {number}: {}", e.problem), ..e }
            })?;
        }
        clip.weights.sort_by_key(|(place, _)| *place);
        Ok(clip)
    }

    fn channel<'a>(
        &self,
        store: &mut Store<'_, '_>,
        animation: &Animation,
        channel: &'a Channel,
        clip: &mut Clip,
        seen: &mut HashSet<(usize, &'a str)>,
    ) -> Result<()> {
        let (node, path) = (channel.target.node, channel.target.path.as_str());
        let place = node.map(|node| self.check(node, path)).transpose()?.flatten();
        let (Some(place), Some(quantity)) = (place, self.quantity(place, path)) else {
            clip.left_out += 1;
            return Ok(());
        };
        if !seen.insert((place, path)) {
            let node = node.unwrap_or_default();
            return Err(ReadError::file(format!("moves the {path} of node {node} a second time"))
                .help("Give each node one channel for each quantity"));
        }
        let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
            let count = animation.samplers.len();
            ReadError::file(format!("refers to sampler {}, but there are {count}", channel.sampler))
                .help("The file is damaged: export it again")
        })?;
        let track = Track::read(store, sampler, quantity)?;
        clip.duration = clip.duration.max(track.end());
        match path {
            "translation" => clip.moves.push((place, Move::Translation(track))),
            "rotation" => clip.moves.push((place, Move::Rotation(track))),
            "scale" => clip.moves.push((place, Move::Scale(track))),
            _ => clip.weights.push((place, track)),
        }
        Ok(())
    }

    /// The place of a node, unless it is outside the scene.
    fn check(&self, node: usize, path: &str) -> Result<Option<usize>> {
        let nodes = &self.document.nodes;
        let Some(entry) = nodes.get(node) else {
            let count = nodes.len();
            return Err(ReadError::file(format!("moves node {node}, but there are {count}"))
                .help("The file is damaged: export it again"));
        };
        if entry.matrix.is_some() && path != "weights" {
            return Err(ReadError::file(format!(
                "moves the {path} of node {node}, whose place is given as a matrix"
            ))
            .help("Export nodes with translation, rotation and scale"));
        }
        Ok(self.places.get(&node).copied())
    }

    /// What a channel moves; nothing if it is what only extensions know, or weights of no mesh.
    fn quantity(&self, place: Option<usize>, path: &str) -> Option<Quantity> {
        match path {
            "translation" | "scale" => Some(Quantity::Vector),
            "rotation" => Some(Quantity::Rotation),
            "weights" => self.targets.get(&place?).map(|count| Quantity::Weights(*count)),
            _ => None,
        }
    }
}
