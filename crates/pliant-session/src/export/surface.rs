//! The surface that is written of a scene: of each body its skin, or its own.

use std::ops::Range;
use std::sync::Arc;

use pliant_sim::math::Vec3;
use pliant_sim::stages::skin::Skin;

use crate::Geometry;
use crate::frame::BodySurface;

/// Vertices of the surface, and how they come from those of a frame.
pub(super) struct Surface {
    parts: Vec<Part>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// The body of each of its vertices.
    pub bodies: Vec<u32>,
    threads: usize,
}

/// Vertices of a body.
enum Part {
    /// Some of its own, with its triangles among all of them.
    Own(Vec<u32>, Range<usize>),
    /// Those of its skin, which hang on these of its own.
    Skin(Range<usize>, Arc<Skin>),
}

impl Surface {
    /// The whole surface, in the order of the bodies; or the skins alone.
    pub fn new(geometry: &Geometry, only_skins: bool) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (parts, triangles, bodies) = (Vec::new(), Vec::new(), Vec::new());
        let mut surface = Self { parts, triangles, bodies, threads };
        for (number, body) in (0..).zip(&geometry.surfaces) {
            let first = surface.bodies.len() as u32;
            let BodySurface { vertices, triangles, skin } = body;
            let (count, part) = match skin {
                Some(skin) => {
                    let own = skin.users_triangles();
                    surface.triangles.extend(own.iter().map(|t| t.map(|v| v + first)));
                    (skin.anchors.len(), Part::Skin(vertices.clone(), Arc::clone(skin)))
                }
                None if only_skins => continue,
                None => {
                    let (kept, own) = compact(vertices, &geometry.surface[triangles.clone()]);
                    let from = surface.triangles.len();
                    surface.triangles.extend(own.iter().map(|t| t.map(|v| v + first)));
                    (kept.len(), Part::Own(kept, from..surface.triangles.len()))
                }
            };
            surface.bodies.resize(surface.bodies.len() + count, number);
            surface.parts.push(part);
        }
        surface
    }

    /// Where its vertices are in a frame \[m\].
    pub fn positions(&self, of_vertices: &[[f32; 3]]) -> Vec<[f32; 3]> {
        self.gather(of_vertices, |skin, body| skin.positions(body, self.threads))
    }

    /// Where its vertices are, and unit vectors out of it there.
    pub fn with_normals(&self, of_vertices: &[[f32; 3]]) -> [Vec<[f32; 3]>; 2] {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for part in &self.parts {
            match part {
                Part::Own(kept, triangles) => {
                    let first = positions.len();
                    positions.extend(kept.iter().map(|&v| of_vertices[v as usize]));
                    let own = &self.triangles[triangles.clone()];
                    normals.extend(mean_normals(&positions, own, first));
                }
                Part::Skin(vertices, skin) => {
                    let carried = skin.carry(&of_vertices[vertices.clone()], self.threads);
                    positions.extend(skin.in_users_order(&carried.positions));
                    normals.extend(skin.in_users_order(&carried.normals));
                }
            }
        }
        [positions, normals]
    }

    /// Numbers of its vertices.
    pub fn values(&self, of_vertices: &[f32]) -> Vec<f32> {
        self.gather(of_vertices, Skin::values)
    }

    /// Vectors at its vertices.
    pub fn vectors(&self, of_vertices: &[[f32; 3]]) -> Vec<[f32; 3]> {
        self.gather(of_vertices, Skin::vectors)
    }

    fn gather<T: Copy + Default>(
        &self,
        of_vertices: &[T],
        carry: impl Fn(&Skin, &[T]) -> Vec<T>,
    ) -> Vec<T> {
        let mut all = Vec::with_capacity(self.bodies.len());
        for part in &self.parts {
            match part {
                Part::Own(kept, _) => all.extend(kept.iter().map(|&v| of_vertices[v as usize])),
                Part::Skin(vertices, skin) => {
                    let carried = carry(skin, &of_vertices[vertices.clone()]);
                    all.extend(skin.in_users_order(&carried));
                }
            }
        }
        all
    }
}

/// The vertices of a body that are on its surface, in order, and the surface in their numbering.
fn compact(vertices: &Range<usize>, surface: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 3]>) {
    let own = |corner: u32| corner as usize - vertices.start;
    let mut number = vec![u32::MAX; vertices.len()];
    for &corner in surface.as_flattened() {
        number[own(corner)] = 0;
    }
    let mut kept = Vec::new();
    for (vertex, number) in vertices.clone().zip(&mut number).filter(|(_, n)| **n == 0) {
        *number = kept.len() as u32;
        kept.push(vertex as u32);
    }
    let triangles = surface.iter().map(|t| t.map(|c| number[own(c)])).collect();
    (kept, triangles)
}

/// Normals at the vertices from `first` on: sums over their triangles, by area.
fn mean_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]], first: usize) -> Vec<[f32; 3]> {
    let place = |v: u32| Vec3::<f32>::of(positions[v as usize].map(f64::from));
    let mut sums = vec![Vec3::<f32>::zero(); positions.len() - first];
    for &[a, b, c] in triangles {
        let area = (place(b) - place(a)).cross(place(c) - place(a));
        [a, b, c].into_iter().for_each(|v| sums[v as usize - first] += area);
    }
    let unit = |sum: Vec3<f32>| match sum.length() {
        length if length > 0.0 => (sum * (1.0 / length)).to_f64().map(|c| c as f32),
        _ => [0.0, 0.0, 1.0],
    };
    sums.into_iter().map(unit).collect()
}
