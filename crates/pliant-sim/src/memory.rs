//! Whether a scene fits into memory, found out before any of it is taken.
//!
//! Running out of memory ends a program without a message, so the need is estimated first: the elements of
//! generated shapes are counted beforehand, those of mesh files when they are read. How much there is
//! only the program knows; it says so with [`ask`].

use std::path::Path;
use std::sync::OnceLock;

use pliant_mesh::{Mesh, disk};

use crate::scene::{Body, Clusters, Integrator, Scene, Source, Stiffness};

/// Bytes per tetrahedron, vertex and triangle of a surface at the worst moment of compiling and laying
/// out a scene; measured, and held to by a test.
const PER_TET: f64 = 155.0;
const PER_VERTEX: f64 = 150.0;
const PER_TRIANGLE: f64 = 160.0;
/// What a tetrahedron and a triangle need besides in implicit steps, and a tetrahedron that may yield.
const IMPLICIT: [f64; 2] = [165.0, 60.0];
const PLASTIC: f64 = 100.0;
/// What a triangle needs besides in a world with air.
const EXPOSED: f64 = 30.0;
/// What the springs of cloth besides those along edges take, over what its triangles take otherwise.
const CLOTH: f64 = 1.5;
/// What a triangle of cloth needs besides that resists bending: one and a half hinges, while they are found and put in
/// order.
const BENDING: f64 = 400.0;
/// What a tetrahedron and a triangle need besides whose edges have limits of strain: one edge and a half, or less.
const LIMITED: f64 = 200.0;
/// What a vertex and an element need besides that are matched with their shape: members of clusters, of which a vertex is
/// one and a half, and where each element is one of its own four and their moments.
const MATCHED: [f64; 2] = [300.0, 1100.0];
/// What a vertex and a triangle of a skin need while it is embedded, and for pictures of it.
const SKIN: [f64; 2] = [250.0, 100.0];
/// Bytes of a mesh file, its text and its copies, per byte on the disk.
const PER_FILE_BYTE: f64 = 2.0;
/// What is left for everything else, as a part of what was counted.
const ROOM: f64 = 1.1;
/// Vertices per tetrahedron and per triangle of generated shapes.
const VERTICES: [f64; 2] = [0.2, 0.51];
/// Part of the estimated elements of a generated shape that it has at least.
const AT_LEAST: f64 = 0.45;

static SOURCE: OnceLock<fn() -> Option<u64>> = OnceLock::new();

/// Names who knows how many bytes may still be taken; asked anew for every scene. The first one stays.
pub fn ask(source: fn() -> Option<u64>) {
    let _ = SOURCE.set(source);
}

/// Bytes that may still be taken, if anybody knows.
pub fn available() -> Option<u64> {
    SOURCE.get().map_or_else(of_platform, |source| source())
}

/// A page can hold 4 GiB.
#[cfg(target_arch = "wasm32")]
fn of_platform() -> Option<u64> {
    let taken = core::arch::wasm32::memory_size::<0>() as u64 * 65_536;
    Some((4u64 << 30).saturating_sub(taken))
}

#[cfg(not(target_arch = "wasm32"))]
fn of_platform() -> Option<u64> {
    None
}

/// Something does not fit into memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{what} needs about {} of memory, but only {} can be had; {remedy}",
    gigabytes(*.needed as f64),
    gigabytes(*.available as f64)
)]
pub struct Shortage {
    /// What it is about.
    pub what: String,
    /// Bytes that it needs.
    pub needed: u64,
    /// Bytes that there are.
    pub available: u64,
    /// What would fit, and what to do.
    pub remedy: String,
}

fn gigabytes(bytes: f64) -> String {
    match bytes {
        b if b >= 1e8 => format!("{:.1} GB", b / 1e9),
        b => format!("{:.1} MB", b / 1e6),
    }
}

/// Makes a list long enough for so many entries, half as many again if memory allows it, so that steady
/// growth is rarely paid for. Where memory does not, the list stays as it is, and `what` it is about
/// begins the reason.
pub fn lengthen<T: Default>(list: &mut Vec<T>, entries: u64, what: &str) -> Result<(), String> {
    let mut reach = |length: u64| {
        let more = usize::try_from(length).ok()?.saturating_sub(list.len());
        let bytes = (more as u64).checked_mul(size_of::<T>() as u64)?;
        if available().is_some_and(|there| bytes > there) {
            return None;
        }
        list.try_reserve_exact(more).ok()?;
        list.resize_with(list.len() + more, T::default);
        Some(())
    };
    reach(entries.saturating_add(entries / 2)).or_else(|| reach(entries)).ok_or_else(|| {
        let bytes = entries as f64 * size_of::<T>() as f64;
        format!("{what} needs {} of memory, which cannot be had", gigabytes(bytes))
    })
}

/// What the bodies of a scene need together, and what there is.
#[derive(Clone)]
pub(crate) struct Budget {
    available: Option<u64>,
    per_tet: f64,
    per_triangle: f64,
    bytes: f64,
    elements: f64,
}

impl Budget {
    /// Weighs the generated shapes of a scene: what is surely too large is refused at once.
    pub fn new(scene: &Scene, available: Option<u64>) -> Result<Self, Shortage> {
        let world = &scene.world;
        let is_implicit = world.integrator == Integrator::ImplicitEuler
            || scene.bodies.iter().any(|b| b.implicit);
        let solver = if is_implicit { IMPLICIT } else { [0.0; 2] };
        let plastic = if world.plasticity > 0.0 { PLASTIC } else { 0.0 };
        let exposed = if world.wind.is_some() { EXPOSED } else { 0.0 };
        let empty = Self {
            available,
            per_tet: PER_TET + solver[0] + plastic,
            per_triangle: PER_TRIANGLE + solver[1] + exposed,
            bytes: 0.0,
            elements: 0.0,
        };
        let mut shapes = empty.clone();
        for body in &scene.bodies {
            if let Source::Shape(shape) = &body.source {
                let elements = shape.element_estimate() * copies(body);
                let elements = if shape.is_counted() { elements } else { AT_LEAST * elements };
                match shape.is_surface() {
                    true => shapes.add(0.0, elements, VERTICES[1] * elements),
                    false => shapes.add(elements, 0.0, VERTICES[0] * elements),
                }
            }
        }
        shapes.check()?;
        Ok(empty)
    }

    /// Takes a body and its copies in, if they fit.
    pub fn take(&mut self, body: &Body, mesh: &Mesh) -> Result<(), Shortage> {
        let (count, vertices) = (copies(body), mesh.points.len() as f64);
        match mesh.tets.len() {
            0 => {
                let triangles = count * mesh.triangles.len() as f64;
                self.add(0.0, triangles, count * vertices);
                if let Stiffness::Cloth(cloth) = &body.material.stiffness {
                    self.bytes += CLOTH * self.per_triangle * triangles;
                    if cloth.bending > 0.0 {
                        self.bytes += BENDING * triangles;
                    }
                }
            }
            tets => self.add(count * tets as f64, 0.0, count * vertices),
        }
        if body.strain_limit.is_some() {
            self.bytes += LIMITED * count * mesh.tets.len().max(mesh.triangles.len()) as f64;
        }
        if let Some(matching) = &body.shape_matching {
            self.bytes += count
                * match matching.clusters {
                    Clusters::Elements => {
                        MATCHED[1] * mesh.tets.len().max(mesh.triangles.len()) as f64
                    }
                    _ => MATCHED[0] * vertices,
                };
        }
        if !matches!(body.source, Source::Shape(_)) {
            // The mesh itself is kept, for other bodies of the same file.
            let values = mesh.point_data.iter().chain(&mesh.tet_data).map(|a| a.values.len());
            let values = 8 * (values.sum::<usize>() + 3 * mesh.points.len());
            self.bytes += 2.0 * (values + 16 * mesh.tets.len() + 12 * mesh.triangles.len()) as f64;
        }
        self.check()
    }

    /// Takes in a surface that a body and its copies carry, if it fits.
    pub fn take_skin(&mut self, surface: &Mesh) -> Result<(), Shortage> {
        let [vertex, triangle] = SKIN;
        self.elements += surface.triangles.len() as f64;
        self.bytes += vertex * surface.points.len() as f64;
        self.bytes += triangle * surface.triangles.len() as f64;
        self.check()
    }

    /// Refuses files that are too large to be read.
    pub fn read(&self, path: &Path) -> Result<(), Shortage> {
        let Some(size) = disk::size(path) else { return Ok(()) };
        let remedy = "use a coarser mesh".into();
        self.fits(PER_FILE_BYTE * size as f64, || (format!("reading {}", path.display()), remedy))
    }

    fn add(&mut self, tets: f64, triangles: f64, vertices: f64) {
        self.elements += tets + triangles;
        self.bytes += self.per_tet * tets + self.per_triangle * triangles + PER_VERTEX * vertices;
    }

    fn check(&self) -> Result<(), Shortage> {
        let needed = ROOM * self.bytes;
        self.fits(needed, || {
            let share = self.available.unwrap_or_default() as f64 / needed;
            let what = format!("a scene of {} elements", count_words(self.elements));
            let fitting = count_words(share * self.elements);
            let how = "use larger cells, coarser meshes or fewer copies";
            (what, format!("about {fitting} elements would fit: {how}"))
        })
    }

    fn fits(&self, needed: f64, words: impl FnOnce() -> (String, String)) -> Result<(), Shortage> {
        match self.available {
            Some(available) if needed > available as f64 => {
                let (what, remedy) = words();
                Err(Shortage { what, needed: needed as u64, available, remedy })
            }
            _ => Ok(()),
        }
    }
}

fn copies(body: &Body) -> f64 {
    body.copies.as_ref().map_or(1.0, |c| c.count.iter().map(|&n| f64::from(n)).product())
}

fn count_words(count: f64) -> String {
    match count {
        n if n >= 1e6 => format!("{:.1} million", n / 1e6),
        n => format!("{n:.0}"),
    }
}
