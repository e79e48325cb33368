//! Solids cut from a lattice by their distance function.
//!
//! Labelle and Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles"
//! (SIGGRAPH 2007), with a uniform lattice: a body-centred cubic lattice of nearly regular
//! tetrahedra is laid over the shape, lattice points that lie close to the surface are moved onto
//! it, and the tetrahedra that the surface still crosses are cut.

use std::collections::HashMap;

use super::{MAX_ELEMENTS, ShapeError, positive};
use crate::Mesh;
use crate::geometry::{signed_volume, sub};
use crate::topology::{boundary_faces, surface_edges};

/// Fractions of a long and a short edge within which a cut moves the lattice point: the paper's pair
/// for the best smallest dihedral angle.
const SNAP_LONG: f64 = 0.24999;
const SNAP_SHORT: f64 = 0.41189;

/// A solid where `distance` \[m\] is negative, meshed with cells of size `cell` \[m\].
///
/// `distance` need not be exact, only continuous and of the right sign; `bounds` must hold the whole
/// shape. Dihedral angles stay above 10° where the cells resolve the shape; sharp edges are
/// chamfered. Fails when parts of the shape are thinner than the cells can show.
pub fn from_distance(
    distance: impl Fn([f64; 3]) -> f64,
    bounds: [[f64; 3]; 2],
    cell: f64,
) -> Result<Mesh, ShapeError> {
    let mut lattice = Lattice::new(&distance, bounds, cell)?;
    let cuts = lattice.snap(&distance);
    let mesh = lattice.stuff(&cuts);
    if mesh.tets.is_empty() {
        return Err(ShapeError::TooCoarse { cell, problem: "no cell lies inside" });
    }
    if !surface_edges(&boundary_faces(&mesh.tets), None).is_closed_manifold() {
        return Err(ShapeError::TooCoarse { cell, problem: "its surface touches itself" });
    }
    Ok(mesh)
}

/// A body-centred cubic lattice: corners of cubes first, then their centres.
struct Lattice {
    cells: [u32; 3],
    origin: [f64; 3],
    cell: f64,
    /// Distance at each lattice point, 0 where it was moved onto the surface.
    values: Vec<f64>,
    /// Lattice points that were moved.
    moved: HashMap<u32, [f64; 3]>,
}

/// Where the surface crosses a lattice edge.
struct Cut {
    ends: [u32; 2],
    /// Fraction of the way from the first end.
    at: f64,
    long: bool,
    alive: bool,
}

/// Points on cut lattice edges and whether the edge is long, by ordered end points.
type CutPoints = HashMap<[u32; 2], ([f64; 3], bool)>;

impl Lattice {
    fn new(
        distance: &impl Fn([f64; 3]) -> f64,
        [low, high]: [[f64; 3]; 2],
        cell: f64,
    ) -> Result<Self, ShapeError> {
        positive("the cell size", cell)?;
        let mut cells = [0; 3];
        let mut count = 24.0;
        for axis in 0..3 {
            // Two cells on each side, so that no part of the surface lies in the outermost ones.
            let n = (positive("the size", high[axis] - low[axis])? / cell).ceil() + 4.0;
            count *= n;
            cells[axis] = n.min(f64::from(u32::MAX)) as u32;
        }
        // Twelve tetrahedra and 2 points per cube; most of them outside.
        if count > 2.0 * MAX_ELEMENTS as f64 {
            return Err(ShapeError::TooLarge { count });
        }
        let origin =
            std::array::from_fn(|k| 0.5 * (low[k] + high[k]) - 0.5 * cell * f64::from(cells[k]));
        let mut lattice = Self { cells, origin, cell, values: Vec::new(), moved: HashMap::new() };
        let total = lattice.corner_count() + lattice.cells.iter().product::<u32>();
        for v in 0..total {
            let at = lattice.place(v);
            let value = distance(at);
            if value.is_nan() {
                return Err(ShapeError::NotANumber { at });
            }
            lattice.values.push(value);
        }
        Ok(lattice)
    }

    fn corner_count(&self) -> u32 {
        self.cells.iter().map(|n| n + 1).product()
    }

    fn corner(&self, [i, j, k]: [u32; 3]) -> u32 {
        (i * (self.cells[1] + 1) + j) * (self.cells[2] + 1) + k
    }

    fn centre(&self, [i, j, k]: [u32; 3]) -> u32 {
        self.corner_count() + (i * self.cells[1] + j) * self.cells[2] + k
    }

    /// Where lattice point `v` stands now.
    fn place(&self, v: u32) -> [f64; 3] {
        if let Some(p) = self.moved.get(&v) {
            return *p;
        }
        let corners = self.corner_count();
        let (n, [_, ny, nz], half) = if v < corners {
            (v, self.cells.map(|n| n + 1), 0.0)
        } else {
            (v - corners, self.cells, 0.5)
        };
        let index = [n / (ny * nz), n / nz % ny, n % nz];
        std::array::from_fn(|k| self.origin[k] + self.cell * (f64::from(index[k]) + half))
    }

    /// Calls `visit` with both ends of each lattice edge and whether it is long.
    fn for_each_edge(&self, mut visit: impl FnMut(u32, u32, bool)) {
        let [nx, ny, nz] = self.cells;
        for i in 0..=nx {
            for j in 0..=ny {
                for k in 0..=nz {
                    let here = [i, j, k];
                    let in_cell = i < nx && j < ny && k < nz;
                    for axis in 0..3 {
                        let mut next = here;
                        next[axis] += 1;
                        if next[axis] <= self.cells[axis] {
                            visit(self.corner(here), self.corner(next), true);
                        }
                        if in_cell && next[axis] < self.cells[axis] {
                            visit(self.centre(here), self.centre(next), true);
                        }
                    }
                    for c in 0..if in_cell { 8 } else { 0 } {
                        let corner = [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)];
                        visit(self.corner(corner), self.centre(here), false);
                    }
                }
            }
        }
    }

    /// Finds the cuts, moves lattice points onto those that are too close, and gives the rest.
    fn snap(&mut self, distance: &impl Fn([f64; 3]) -> f64) -> CutPoints {
        let mut cuts = Vec::new();
        self.for_each_edge(|a, b, long| {
            if self.values[a as usize] * self.values[b as usize] < 0.0 {
                let at = self.crossing(distance, a, b);
                cuts.push(Cut { ends: [a, b], at, long, alive: true });
            }
        });
        let mut at_point: Vec<(u32, usize)> =
            (cuts.iter().enumerate()).flat_map(|(i, c)| c.ends.map(|end| (end, i))).collect();
        at_point.sort_unstable();
        for here in at_point.chunk_by(|a, b| a.0 == b.0) {
            let v = here[0].0;
            let fraction = |c: &Cut| if c.ends[0] == v { c.at } else { 1.0 - c.at };
            let close = here
                .iter()
                .map(|(_, i)| &cuts[*i])
                .filter(|c| c.alive && fraction(c) < if c.long { SNAP_LONG } else { SNAP_SHORT })
                .min_by(|a, b| f64::total_cmp(&fraction(a), &fraction(b)));
            if let Some(cut) = close {
                let p = self.on_edge(cut);
                self.moved.insert(v, p);
                self.values[v as usize] = 0.0;
                here.iter().for_each(|(_, i)| cuts[*i].alive = false);
            }
        }
        let alive = cuts.iter().filter(|c| c.alive);
        alive
            .map(|c| {
                let [a, b] = c.ends;
                ([a.min(b), a.max(b)], (self.on_edge(c), c.long))
            })
            .collect()
    }

    fn on_edge(&self, cut: &Cut) -> [f64; 3] {
        mix(self.place(cut.ends[0]), self.place(cut.ends[1]), cut.at)
    }

    /// Where the distance along the edge from `a` to `b` is zero, by halving with a first guess.
    fn crossing(&self, distance: &impl Fn([f64; 3]) -> f64, a: u32, b: u32) -> f64 {
        let (from, to) = (self.place(a), self.place(b));
        let (mut low, mut high) = (0.0, 1.0);
        let (start, end) = (self.values[a as usize], self.values[b as usize]);
        let mut t = start / (start - end);
        for _ in 0..24 {
            let value = distance(mix(from, to, t));
            if value == 0.0 {
                return t;
            }
            if (value < 0.0) == (start < 0.0) {
                low = t
            } else {
                high = t
            }
            t = 0.5 * (low + high);
        }
        t
    }

    /// Cuts every lattice tetrahedron and numbers the points that are used.
    fn stuff(&self, cuts: &CutPoints) -> Mesh {
        let mut out =
            Stuffing { lattice: self, cuts, mesh: Mesh::default(), numbers: HashMap::new() };
        let [nx, ny, nz] = self.cells;
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    for axis in 0..3 {
                        out.tets_across([i, j, k], axis);
                    }
                }
            }
        }
        out.mesh
    }
}

fn mix(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    let d = sub(b, a);
    std::array::from_fn(|k| a[k] + t * d[k])
}

/// A corner of an output tetrahedron: a lattice point (both the same) or a point on a cut edge.
type Corner = [u32; 2];

struct Stuffing<'a> {
    lattice: &'a Lattice,
    cuts: &'a CutPoints,
    mesh: Mesh,
    numbers: HashMap<Corner, u32>,
}

impl Stuffing<'_> {
    /// The four lattice tetrahedra between a cube's centre and the next one along `axis`: each has
    /// both centres and one edge of the square between them.
    fn tets_across(&mut self, cube: [u32; 3], axis: usize) {
        let mut next = cube;
        next[axis] += 1;
        if next[axis] >= self.lattice.cells[axis] {
            return;
        }
        let square = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
            let mut corner = next;
            corner[(axis + 1) % 3] += u;
            corner[(axis + 2) % 3] += v;
            self.lattice.corner(corner)
        });
        let ends = [self.lattice.centre(cube), self.lattice.centre(next)];
        for e in 0..4 {
            self.cut([ends[0], ends[1], square[e], square[(e + 1) % 4]]);
        }
    }

    /// Emits the part of a lattice tetrahedron that lies inside (section 3.2, figure 3).
    fn cut(&mut self, tet: [u32; 4]) {
        let value = |v: u32| self.lattice.values[v as usize];
        let pick = |test: fn(f64) -> bool| tet.into_iter().filter(move |v| test(value(*v)));
        let inside: Vec<u32> = pick(|x| x < 0.0).collect();
        let outside: Vec<u32> = pick(|x| x > 0.0).collect();
        let on: Vec<Corner> = pick(|x| x == 0.0).map(|v| [v, v]).collect();
        let at = |a: u32, b: u32| [a.min(b), a.max(b)];
        let own = |v: u32| [v, v];
        match (&inside[..], &outside[..]) {
            ([], _) => {}
            (_, []) => self.emit(tet.map(own)),
            ([a], _) => {
                let mut corners = vec![own(*a)];
                corners.extend(on);
                corners.extend(outside.iter().map(|o| at(*a, *o)));
                self.emit([corners[0], corners[1], corners[2], corners[3]]);
            }
            ([a, b], [o]) => {
                // A pyramid over a four-sided face.
                let (ca, cb) = (at(*a, *o), at(*b, *o));
                let [first, second] = self.halves([own(*a), own(*b), cb, ca]);
                self.emit([first[0], first[1], first[2], on[0]]);
                self.emit([second[0], second[1], second[2], on[0]]);
            }
            ([a, b], [o, p]) => {
                self.prism([own(*a), at(*a, *o), at(*a, *p)], [own(*b), at(*b, *o), at(*b, *p)]);
            }
            ([a, b, c], [o]) => {
                self.prism([*a, *b, *c].map(own), [*a, *b, *c].map(|v| at(v, *o)));
            }
            _ => {}
        }
    }

    /// Which corner of a four-sided face its diagonal starts from: a cut of a long edge before one of
    /// a short edge before a lattice point, then by number. A total order, so that the three faces
    /// of a prism never ask for diagonals that chase each other.
    fn rank(&self, corner: Corner) -> (u8, Corner) {
        match self.cuts.get(&corner) {
            Some((_, true)) => (0, corner),
            Some((_, false)) => (1, corner),
            None => (2, corner),
        }
    }

    /// Cuts a four-sided face along the diagonal from its first-ranked corner.
    fn halves(&self, face: [Corner; 4]) -> [[Corner; 3]; 2] {
        let first = (0..4).min_by_key(|i| self.rank(face[*i])).unwrap_or(0);
        let turned: [Corner; 4] = std::array::from_fn(|i| face[(first + i) % 4]);
        let [a, b, c, d] = turned;
        [[a, b, c], [a, c, d]]
    }

    /// Cuts a prism with the triangles `low` and `high`, corner above corner: the first-ranked
    /// corner sees the far triangle and the four-sided face that does not hold it.
    fn prism(&mut self, mut low: [Corner; 3], mut high: [Corner; 3]) {
        let all = [low[0], low[1], low[2], high[0], high[1], high[2]];
        let first = (0..6).min_by_key(|i| self.rank(all[*i])).unwrap_or(0);
        if first >= 3 {
            std::mem::swap(&mut low, &mut high);
        }
        low.rotate_left(first % 3);
        high.rotate_left(first % 3);
        self.emit([low[0], high[0], high[1], high[2]]);
        for half in self.halves([low[1], low[2], high[2], high[1]]) {
            self.emit([low[0], half[0], half[1], half[2]]);
        }
    }

    fn emit(&mut self, corners: [Corner; 4]) {
        let mut tet = corners.map(|c| self.number(c));
        if signed_volume(tet.map(|v| self.mesh.points[v as usize])) < 0.0 {
            tet.swap(2, 3);
        }
        self.mesh.tets.push(tet);
    }

    fn number(&mut self, corner: Corner) -> u32 {
        *self.numbers.entry(corner).or_insert_with(|| {
            let point = match self.cuts.get(&corner) {
                Some((p, _)) => *p,
                None => self.lattice.place(corner[0]),
            };
            self.mesh.points.push(point);
            self.mesh.points.len() as u32 - 1
        })
    }
}
