//! What of a simulation never changes, as the shaders in arrays.wgsl read it.

use pliant_gpu::{Buffer, Gpu};

use super::{ResidentShape, SLICE, words};
use crate::gpu::GpuRenderError;
use crate::list::cut::{TET_FACES, key};

/// No tetrahedron; twin of `NONE` in arrays.wgsl.
const NONE: u32 = u32::MAX;
/// Stands in place of a second tetrahedron; twin of `OUTER` in arrays.wgsl.
const OUTER: u32 = u32::MAX - 1;

/// The surface: bodies of slices, triangles, and lists of those round each slot.
pub(super) struct Outside {
    pub buffer: Buffer<u32>,
    pub slots: usize,
    pub triangles: u32,
    /// Where triangles and lists begin.
    pub starts: [u32; 2],
    /// Kept for the first cut.
    corners: Vec<[u32; 3]>,
}

impl Outside {
    pub fn new(gpu: &Gpu, shape: &ResidentShape) -> Result<Self, GpuRenderError> {
        let slots = shape.slice_bodies.len() * SLICE;
        let mut all = shape.slice_bodies.to_vec();
        let triangles = all.len();
        all.extend(shape.triangles.as_flattened());
        let lists = all.len();
        // Counts, then where each list begins, then where the next entry goes.
        let mut next = vec![0u32; slots + 1];
        shape.triangles.iter().flatten().for_each(|&slot| next[slot as usize] += 1);
        let mut start = (lists + slots + 1) as u32;
        for count in &mut next {
            start += std::mem::replace(count, start);
        }
        all.extend(&next);
        all.resize(start as usize, 0);
        for (number, corners) in (0u32..).zip(shape.triangles) {
            for &slot in corners {
                all[next[slot as usize] as usize] = number;
                next[slot as usize] += 1;
            }
        }
        Ok(Self {
            buffer: words(gpu, "surface", &all)?,
            slots,
            triangles: shape.triangles.len() as u32,
            starts: [triangles as u32, lists as u32],
            corners: shape.triangles.to_vec(),
        })
    }
}

/// Edges of the surface, vertices, and locked vertices.
pub(super) struct Marks {
    pub buffer: Buffer<u32>,
    pub edges: u32,
    pub vertices: u32,
    pub locked: u32,
}

impl Marks {
    pub fn new(gpu: &Gpu, shape: &ResidentShape) -> Result<Self, GpuRenderError> {
        let edges = edges(shape.triangles);
        let mut all = edges.as_flattened().to_vec();
        all.extend(shape.vertices);
        all.extend(shape.locked);
        let [edges, vertices, locked] =
            [edges.len(), shape.vertices.len(), shape.locked.len()].map(|n| n as u32);
        Ok(Self { buffer: words(gpu, "marks", &all)?, edges, vertices, locked })
    }
}

/// Each edge of the triangles once.
pub(super) fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let of = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(of).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Tetrahedra and their faces, for cuts. Until there is a cut, the device has nothing of it.
pub(super) struct Inside {
    pub buffer: Buffer<u32>,
    pub tet_count: usize,
    /// Whether each body has tetrahedra.
    pub bodies: Vec<bool>,
    pub faces: u32,
    /// Where faces, and the tetrahedra of triangles, begin.
    pub starts: [u32; 2],
    /// The tetrahedra, for the first cut and the first look inside.
    pub corners: Vec<[u32; 4]>,
    slice_bodies: Vec<u32>,
    is_ready: bool,
}

impl Inside {
    pub fn new(gpu: &Gpu, shape: &ResidentShape) -> Result<Self, GpuRenderError> {
        let count = shape.slice_bodies.iter().max().map_or(0, |&last| last as usize + 1);
        let mut bodies = vec![false; count];
        for tet in shape.tets {
            bodies[shape.slice_bodies[tet[0] as usize / SLICE] as usize] = true;
        }
        Ok(Self {
            buffer: words(gpu, "no inside", &[])?,
            tet_count: shape.tets.len(),
            bodies,
            faces: 0,
            starts: [0; 2],
            corners: shape.tets.to_vec(),
            slice_bodies: shape.slice_bodies.to_vec(),
            is_ready: false,
        })
    }

    /// Puts it on the device, if it is not there.
    pub fn prepare(&mut self, gpu: &Gpu, outside: &Outside) -> Result<(), GpuRenderError> {
        if self.is_ready {
            return Ok(());
        }
        let body_of = |slot: u32| self.slice_bodies[slot as usize / SLICE] as usize;
        let has_tets = |triangle: &[u32; 3]| self.bodies[body_of(triangle[0])];
        let (faces, owners) = faces(&self.corners, &outside.corners, has_tets);
        let mut all = self.corners.as_flattened().to_vec();
        let first_face = all.len() as u32;
        all.extend(faces.as_flattened());
        self.starts = [first_face, all.len() as u32];
        all.extend(owners);
        self.buffer = words(gpu, "inside", &all)?;
        self.faces = faces.len() as u32;
        self.slice_bodies = Vec::new();
        self.is_ready = true;
        Ok(())
    }
}

/// All faces that a cut may show, as three corners and the tetrahedra at both sides, and the
/// tetrahedron of each triangle. Triangles of bodies without tetrahedra are faces by themselves.
pub(super) fn faces(
    tets: &[[u32; 4]],
    triangles: &[[u32; 3]],
    has_tets: impl Fn(&[u32; 3]) -> bool,
) -> (Vec<[u32; 5]>, Vec<u32>) {
    let mut outer: Vec<(u128, u32)> = (0..).zip(triangles).map(|(n, t)| (key(*t), n)).collect();
    outer.sort_unstable();
    let triangle = |key: u128| {
        let at = outer.partition_point(|o| o.0 < key);
        outer.get(at).filter(|o| o.0 == key).map(|o| o.1)
    };
    let face = |tet: u32, k: u8| TET_FACES[usize::from(k)].map(|c| tets[tet as usize][c]);
    let mut keys = Vec::with_capacity(4 * tets.len());
    for tet in 0..tets.len() as u32 {
        keys.extend((0..4u8).map(|k| (key(face(tet, k)), tet, k)));
    }
    keys.sort_unstable();
    let (mut faces, mut owners) = (Vec::new(), vec![NONE; triangles.len()]);
    for uses in keys.chunk_by(|a, b| a.0 == b.0) {
        let (key, tet, k) = uses[0];
        let second = match (uses.get(1), triangle(key)) {
            (Some(other), _) => other.1,
            (None, Some(number)) => {
                owners[number as usize] = tet;
                OUTER
            }
            (None, None) => NONE,
        };
        let [a, b, c] = face(tet, k);
        faces.push([a, b, c, tet, second]);
    }
    let alone = triangles.iter().filter(|t| !has_tets(t));
    faces.extend(alone.map(|&[a, b, c]| [a, b, c, NONE, OUTER]));
    (faces, owners)
}

/// Refuses slots that there are not.
pub(super) fn check(shape: &ResidentShape) -> Result<(), GpuRenderError> {
    let slots = shape.slice_bodies.len() * SLICE;
    let fail = |array, problem| Err(GpuRenderError::Resident { array, problem });
    let lists: [(&'static str, &[u32]); 4] = [
        ("triangles", shape.triangles.as_flattened()),
        ("tetrahedra", shape.tets.as_flattened()),
        ("vertices", shape.vertices),
        ("locked vertices", shape.locked),
    ];
    for (array, list) in lists {
        if let Some(at) = list.iter().position(|&slot| slot as usize >= slots) {
            let slot = list[at];
            return fail(array, format!("number {at} of it is slot {slot}, but there are {slots}"));
        }
        // All arrays of words are numbered by words.
        if list.len() > (u32::MAX / 16) as usize {
            return fail(array, "there are too many of them; draw fewer at a time".into());
        }
    }
    let bodies = shape.slice_bodies.len();
    match shape.slice_bodies.iter().position(|&body| body as usize >= bodies) {
        Some(slice) => {
            let body = shape.slice_bodies[slice];
            fail(
                "slices",
                format!("slice {slice} is of body {body}, but there are {bodies} slices"),
            )
        }
        None => Ok(()),
    }
}
