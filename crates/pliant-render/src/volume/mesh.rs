//! Tetrahedra and their neighbours: what rays walk through. It depends on how vertices are
//! connected, not on where they are, and so is made once for a body however it deforms.

use std::collections::VecDeque;

use crate::error::RenderError;
use crate::geometry::Body;
use crate::list::cut::TET_FACES;
use crate::math::{Vec3, Vec3d};

/// No tetrahedron: beyond this face is the outside.
pub(crate) const NONE: u32 = u32::MAX;
/// The most tetrahedra: a link has two bits for a corner, and [`NONE`] must be no link.
const MAX_TETS: usize = (1 << 30) - 1;

/// A tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C, align(32))]
pub(crate) struct Tet {
    /// Its corners, in the order of positive volume unless it is inverted.
    pub corners: [u32; 4],
    /// What lies beyond the face opposite each corner: the number of a tetrahedron times four plus
    /// which of its corners is not on that face.
    pub links: [u32; 4],
}

impl Tet {
    /// Whether it has faces at all: not if it names a vertex twice.
    fn has_faces(&self) -> bool {
        (0..4).all(|i| !self.corners[..i].contains(&self.corners[i]))
    }
}

/// A face with nothing beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub(crate) struct Face {
    /// Its corners, anticlockwise seen from inside: rays that enter see them turn to the right.
    pub corners: [u32; 3],
    /// Its tetrahedron, as in [`Tet::links`].
    pub link: u32,
}

/// All tetrahedra of a picture. Vertices are numbered through, body after body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub tets: Vec<Tet>,
    pub surface: Vec<Face>,
    /// Where the vertices, tetrahedra and faces of each body begin, and where the last ones end.
    pub starts: Vec<[usize; 3]>,
    /// What it was made of, to know whether it is still the same.
    source: Vec<(usize, Vec<[u32; 4]>)>,
}

impl Mesh {
    /// The tetrahedra of `bodies`, whose vertex numbers have been checked. Orientation is made
    /// consistent by looking at `bodies` as they are now: whatever is connected gets a positive
    /// volume. Tetrahedra that name a vertex twice have no volume, and no ray comes to them.
    pub fn new(bodies: &[&Body]) -> Result<Self, RenderError> {
        let vertices: usize = bodies.iter().map(|b| b.positions.len()).sum();
        let count: usize = bodies.iter().map(|b| b.tets.len()).sum();
        if vertices >= NONE as usize || count > MAX_TETS {
            return Err(RenderError::TooMuch);
        }
        let mut mesh = Self { starts: vec![[0; 3]], ..Self::default() };
        let mut first = 0;
        for body in bodies {
            mesh.add(body.tets, body.positions.len(), Some(body.positions), first);
            first += body.positions.len();
            mesh.starts.push([first, mesh.tets.len(), mesh.surface.len()]);
            mesh.source.push((body.positions.len(), body.tets.to_vec()));
        }
        Ok(mesh)
    }

    /// Tetrahedra of which only the connections are known; most of them count as not inverted.
    #[cfg(feature = "gpu")]
    pub fn of_tets(tets: &[[u32; 4]], vertices: usize) -> Result<Self, RenderError> {
        if vertices >= NONE as usize || tets.len() > MAX_TETS {
            return Err(RenderError::TooMuch);
        }
        let mut mesh = Self::default();
        mesh.add(tets, vertices, None, 0);
        Ok(mesh)
    }

    /// Whether these bodies are connected like those it was made of.
    pub fn is_of(&self, bodies: &[&Body]) -> bool {
        let same = |(body, (vertices, tets)): (&&Body, &(usize, Vec<[u32; 4]>))| {
            body.positions.len() == *vertices && body.tets == tets
        };
        bodies.len() == self.source.len() && bodies.iter().zip(&self.source).all(same)
    }

    fn add(
        &mut self,
        tets: &[[u32; 4]],
        vertices: usize,
        positions: Option<&[[f32; 3]]>,
        first_vertex: usize,
    ) {
        let first_tet = self.tets.len();
        self.tets.extend(tets.iter().map(|&corners| Tet { corners, links: [NONE; 4] }));
        let tets = &mut self.tets[first_tet..];
        link(tets, vertices);
        orient(tets, positions);
        for (number, tet) in (first_tet..).zip(tets) {
            let has_faces = tet.has_faces();
            tet.corners = tet.corners.map(|v| v + first_vertex as u32);
            for k in (0..4).filter(|_| has_faces) {
                if tet.links[k] == NONE {
                    let [a, b, c] = TET_FACES[k].map(|c| tet.corners[c]);
                    let link = (number << 2 | k) as u32;
                    self.surface.push(Face { corners: [a, c, b], link });
                } else {
                    tet.links[k] += (first_tet << 2) as u32;
                }
            }
        }
    }
}

/// Finds the neighbours. Faces are sorted into lists by their lowest vertex; in each, those with the
/// same corners are neighbours two by two, so that links always lead back.
fn link(tets: &mut [Tet], vertices: usize) {
    let sorted = |tet: &Tet, k: usize| {
        let mut face = TET_FACES[k].map(|c| tet.corners[c]);
        face.sort_unstable();
        face
    };
    let mut starts = vec![0u32; vertices + 1];
    for tet in tets.iter().filter(|tet| tet.has_faces()) {
        (0..4).for_each(|k| starts[sorted(tet, k)[0] as usize] += 1);
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    let mut faces = vec![([0u32; 2], 0u32); sum as usize];
    for (number, tet) in (0u32..).zip(tets.iter()).filter(|(_, tet)| tet.has_faces()) {
        for k in 0..4 {
            let [low, middle, high] = sorted(tet, k);
            let next = &mut starts[low as usize];
            faces[*next as usize] = ([middle, high], number << 2 | k as u32);
            *next += 1;
        }
    }
    // Each start is now where the next list begins.
    let mut from = 0;
    for &to in &starts[..vertices] {
        let list = &mut faces[from as usize..to as usize];
        list.sort_unstable();
        for same in list.chunk_by(|a, b| a.0 == b.0) {
            for pair in same.chunks_exact(2) {
                let [one, other] = [pair[0].1, pair[1].1];
                tets[one as usize >> 2].links[one as usize & 3] = other;
                tets[other as usize >> 2].links[other as usize & 3] = one;
            }
        }
        from = to;
    }
}

/// Turns tetrahedra so that neighbours agree on which side of their face each of them lies, and so
/// that the whole of what is connected has a positive volume.
fn orient(tets: &mut [Tet], positions: Option<&[[f32; 3]]>) {
    const NEW: u8 = 2;
    let mut turned = vec![NEW; tets.len()];
    let mut queue = VecDeque::new();
    for seed in 0..tets.len() {
        if turned[seed] != NEW {
            continue;
        }
        turned[seed] = 0;
        queue.push_back(seed);
        let (mut volume, mut members) = (0.0, Vec::new());
        while let Some(number) = queue.pop_front() {
            members.push(number);
            let own = positions.map_or(1.0, |positions| volume_of(&tets[number], positions));
            volume += if turned[number] == 1 { -own } else { own };
            for k in (0..4).filter(|&k| tets[number].links[k] != NONE) {
                let link = tets[number].links[k] as usize;
                if turned[link >> 2] == NEW {
                    let agree = agree(&tets[number], k, &tets[link >> 2], link & 3);
                    turned[link >> 2] = turned[number] ^ u8::from(!agree);
                    queue.push_back(link >> 2);
                }
            }
        }
        if volume < 0.0 {
            members.iter().for_each(|&number| turned[number] ^= 1);
        }
    }
    turn(tets, &turned);
}

/// Whether face `k` of one tetrahedron turns the other way in its neighbour, where it is face `j`.
fn agree(one: &Tet, k: usize, other: &Tet, j: usize) -> bool {
    let [a, b, _] = TET_FACES[k].map(|c| one.corners[c]);
    let [p, q, r] = TET_FACES[j].map(|c| other.corners[c]);
    [[q, p], [r, q], [p, r]].contains(&[a, b])
}

/// Six times the volume; 0 where it is not known.
fn volume_of(tet: &Tet, positions: &[[f32; 3]]) -> f64 {
    let place = |k: usize| Vec3::from(positions[tet.corners[k] as usize]).to_f64();
    let from: Vec3d = place(0);
    let volume = (place(1) - from).cross(place(2) - from).dot(place(3) - from);
    if volume.is_finite() { volume } else { 0.0 }
}

/// Exchanges the last two corners of those that are to be turned.
fn turn(tets: &mut [Tet], turned: &[u8]) {
    if !turned.contains(&1) {
        return;
    }
    for (tet, &turn) in tets.iter_mut().zip(turned) {
        for link in tet.links.iter_mut().filter(|link| **link != NONE) {
            let corner = *link & 3;
            if turned[*link as usize >> 2] == 1 && corner >= 2 {
                *link = (*link & !3) | (5 - corner);
            }
        }
        if turn == 1 {
            tet.corners.swap(2, 3);
            tet.links.swap(2, 3);
        }
    }
}
