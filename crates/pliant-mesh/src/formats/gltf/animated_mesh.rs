//! A glTF file as a mesh that moves: nodes, morph targets and skins.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::animation::{Clip, Stage};
use super::buffers::Buffers;
use super::document::Document;
use super::moving::Moving;
use super::scene::{self, Block, PlacedNode, Scene};
use super::shape::{Shape, Shapes, check_weights};
use super::skin::Skin;
use super::store::Store;
use super::transform::{Local, Transform, UPRIGHT, apply, multiply};
use crate::formats::{Format, detect, in_file, unpacked};
use crate::motion::Motion;
use crate::source::Companions;
use crate::{Mesh, ReadError, Result};

/// The mesh of a glTF file with its animations.
///
/// Points, triangles and groups are those that [`load`](crate::load) gives for the file, in the same
/// order. Where points are at a time is asked through [`Motion`]; the first animation is the one that
/// plays until another one is [chosen](AnimatedMesh::choose). Without any the file stands still, in the
/// pose that its nodes, weights and skins have: unlike [`load`](crate::load), which leaves morph targets
/// and skins aside.
///
/// ```no_run
/// use pliant_mesh::formats::gltf::AnimatedMesh;
/// use pliant_mesh::motion::Motion;
///
/// let mut hand = AnimatedMesh::load("hand.glb")?;
/// hand.choose("grasp")?;
/// let points = hand.points_at(0.5);
/// # Ok::<(), pliant_mesh::ReadError>(())
/// ```
#[derive(Debug)]
pub struct AnimatedMesh {
    mesh: Mesh,
    warnings: Vec<String>,
    /// Every node behind its parent.
    nodes: Vec<PlacedNode>,
    /// Where the nodes are without an animation.
    rest: Vec<Local>,
    /// The points, in their order.
    blocks: Vec<MovingBlock>,
    skins: Vec<Option<Skin>>,
    clips: Vec<Clip>,
    chosen: usize,
}

/// Points that follow each other, and what moves them.
#[derive(Debug)]
struct MovingBlock {
    node: Option<usize>,
    shape: Arc<Shape>,
    /// The node's own weights of the morph targets.
    weights: Option<Vec<f64>>,
    skin: Option<usize>,
}

impl AnimatedMesh {
    /// Reads a glTF file (`.gltf`, `.glb`).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        in_file(path.as_ref(), Self::from_bytes)
    }

    /// Reads a glTF file from memory; `companions` gives the buffers that it refers to.
    pub fn from_bytes(bytes: &[u8], name: &str, companions: &dyn Companions) -> Result<Self> {
        let (bytes, name) = unpacked(bytes, name)?;
        match detect(&bytes, name)? {
            Format::Gltf => {
                read(&bytes, companions).map_err(|e| ReadError { format: Some(Format::Gltf), ..e })
            }
            other => Err(ReadError {
                format: Some(other),
                ..ReadError::file("holds no animations")
                    .help("Those of .gltf and .glb files can be read; else give a series of meshes")
            }),
        }
    }

    /// What was left out of the file.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The animations of the file.
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// The animation that plays, if there is one.
    pub fn chosen(&self) -> Option<&Clip> {
        self.clips.get(self.chosen)
    }

    /// Lets another animation play: the one called `which`, or else the one of that number, counted
    /// from 0.
    pub fn choose(&mut self, which: &str) -> Result<()> {
        let named = self.clips.iter().position(|clip| clip.name() == which);
        let numbered = || which.trim().parse().ok().filter(|n: &usize| *n < self.clips.len());
        let found = named.or_else(numbered);
        self.chosen = found.ok_or_else(|| {
            let names = self.clips.iter().enumerate();
            let names: Vec<_> = names.map(|(i, clip)| format!("{i} {:?}", clip.name())).collect();
            let there_are = match &names[..] {
                [] => "It has none at all".into(),
                names => format!("It has {}", names.join(", ")),
            };
            ReadError::file(format!("has no animation {which:?}")).help(there_are)
        })?;
        Ok(())
    }

    /// Names of the skins that are shown, and how many joints each has.
    pub fn skins(&self) -> impl Iterator<Item = (&str, usize)> {
        self.skins.iter().flatten().map(|skin| (&skin.name[..], skin.joint_count()))
    }

    /// How many morph targets the mesh that has most of them has.
    pub fn morph_targets(&self) -> usize {
        self.blocks.iter().map(|block| block.shape.targets.len()).max().unwrap_or(0)
    }

    /// From each node of the scene to our world at `time`.
    fn globals(&self, time: f64) -> Vec<Transform> {
        let mut locals = self.rest.clone();
        if let Some(clip) = self.chosen() {
            clip.place(time, &mut locals);
        }
        let mut globals: Vec<Transform> = Vec::with_capacity(locals.len());
        for (node, local) in self.nodes.iter().zip(&locals) {
            let outer = node.parent.map_or(&UPRIGHT, |parent| &globals[parent]);
            globals.push(multiply(outer, &local.matrix()));
        }
        globals
    }
}

impl Motion for AnimatedMesh {
    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    fn span(&self) -> [f64; 2] {
        [0.0, self.chosen().map_or(0.0, Clip::duration)]
    }

    fn write_points_at(&self, time: f64, points: &mut Vec<[f64; 3]>) {
        let globals = self.globals(time);
        points.clear();
        points.reserve(self.mesh.points.len());
        let (mut morphed, mut weights, mut joints) = (Vec::new(), Vec::new(), Vec::new());
        let mut skin_of_joints = None;
        for block in &self.blocks {
            weights.clear();
            weights.extend_from_slice(block.weights.as_ref().unwrap_or(&block.shape.weights));
            if let (Some(clip), Some(place)) = (self.chosen(), block.node) {
                clip.weigh(place, time, &mut weights);
            }
            block.shape.morph(&weights, &mut morphed);
            let skin = block.skin.and_then(|skin| self.skins[skin].as_ref());
            match (&block.shape.influences, skin) {
                // What the node itself does is no concern of a skin's points.
                (Some(influences), Some(skin)) => {
                    if skin_of_joints != block.skin {
                        skin_of_joints = block.skin;
                        joints.clear();
                        joints.extend(skin.matrices(&globals));
                    }
                    let moved = morphed.iter().enumerate();
                    points.extend(moved.map(|(i, p)| influences.apply(&joints, i, p)));
                }
                _ => {
                    let global = block.node.map_or(&UPRIGHT, |place| &globals[place]);
                    points.extend(morphed.iter().map(|p| apply(global, p)));
                }
            }
        }
    }
}

fn read(bytes: &[u8], companions: &dyn Companions) -> Result<AnimatedMesh> {
    let (document, chunk) = super::open(bytes)?;
    let moving: Moving = super::parse_json(bytes)?;
    let mut buffers = Buffers::new(&document, chunk, companions);
    let mut warnings = Vec::new();
    let Scene { mesh, nodes, blocks, .. } = scene::read(&document, &mut buffers, &mut warnings)?;
    let places = nodes.iter().enumerate().map(|(place, node)| (node.number, place));
    let places: HashMap<usize, usize> = places.collect();
    let mut reader = Reader {
        document: &document,
        moving: &moving,
        store: Store::new(&document, &mut buffers),
        shapes: Shapes::new(&moving),
        skins: (0..moving.skins.len()).map(|_| None).collect(),
    };
    let blocks = reader.blocks(&nodes, &blocks, &places)?;
    let clips = reader.clips(&blocks, places)?;
    reader.warn(&clips, &mut warnings);
    let rest = nodes.iter().map(|node| Local::of(&document.nodes[node.number])).collect();
    let skins = reader.skins;
    Ok(AnimatedMesh { mesh, warnings, nodes, rest, blocks, skins, clips, chosen: 0 })
}

/// Gathers what moves the points of a scene.
struct Reader<'a, 'b> {
    document: &'a Document,
    moving: &'a Moving,
    store: Store<'a, 'b>,
    shapes: Shapes<'a>,
    /// Those that are used, by their numbers.
    skins: Vec<Option<Skin>>,
}

impl Reader<'_, '_> {
    fn blocks(
        &mut self,
        nodes: &[PlacedNode],
        blocks: &[Block],
        places: &HashMap<usize, usize>,
    ) -> Result<Vec<MovingBlock>> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            let number = block.node.map(|place| nodes[place].number);
            let skin = number.and_then(|number| self.document.nodes[number].skin);
            let shape = self.shapes.get(&mut self.store, block, skin.is_some())?;
            let own = number.and_then(|number| self.moving.nodes.get(number)?.weights.clone());
            let of_node = |e: ReadError| ReadError {
                problem: format!("node {}: {}", number.unwrap_or_default(), e.problem),
                ..e
            };
            if let Some(weights) = &own {
                check_weights(weights.len(), shape.targets.len()).map_err(of_node)?;
            }
            if let (Some(skin), Some(influences)) = (skin, &shape.influences) {
                influences.check(self.skin(skin, places)?).map_err(of_node)?;
            }
            out.push(MovingBlock { node: block.node, shape, weights: own, skin });
        }
        Ok(out)
    }

    fn skin(&mut self, number: usize, places: &HashMap<usize, usize>) -> Result<&Skin> {
        let count = self.skins.len();
        let (Some(slot), Some(entry)) = (self.skins.get_mut(number), self.moving.skins.get(number))
        else {
            return Err(ReadError::file(format!("refers to skin {number}, but there are {count}"))
                .help("The file is damaged: export it again"));
        };
        if let Some(skin) = slot {
            return Ok(skin);
        }
        let skin = Skin::read(&mut self.store, entry, places).map_err(|e| ReadError {
            problem: format!("skin {number} ({:?}): {}", entry.name, e.problem),
            ..e
        })?;
        Ok(slot.insert(skin))
    }

    fn clips(
        &mut self,
        blocks: &[MovingBlock],
        places: HashMap<usize, usize>,
    ) -> Result<Vec<Clip>> {
        let shown = blocks.iter().filter_map(|b| Some((b.node?, b.shape.targets.len())));
        let stage = Stage { document: self.document, places, targets: shown.collect() };
        let mut clips = Vec::with_capacity(self.moving.animations.len());
        for (number, animation) in self.moving.animations.iter().enumerate() {
            let clip = stage.clip(&mut self.store, animation).map_err(|e| ReadError {
                problem: format!("animation {number} ({:?}), {}", animation.name, e.problem),
                ..e
            })?;
            clips.push(clip);
        }
        Ok(clips)
    }

    fn warn(&self, clips: &[Clip], warnings: &mut Vec<String>) {
        let channels: usize = clips.iter().map(|clip| clip.left_out).sum();
        for (count, what) in [
            (channels, "left out {} channels that move nothing that is shown"),
            (self.shapes.sets_left_out, "left out {} sets of joints beyond 8 joints per point"),
            (self.shapes.weightless, "{} points of skins have no weights and follow one joint"),
        ] {
            if count > 0 {
                warnings.push(what.replace("{}", &count.to_string()));
            }
        }
    }
}
