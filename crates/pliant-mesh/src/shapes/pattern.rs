//! Flat pieces of cloth with any outline, cut into triangles of nearly equal edges.
//!
//! The outline is divided into parts as long as the cells. Inside there is a lattice of triangles, of which points
//! too near to the outline are left out. All points together are triangulated after Delaunay; since no point
//! lies in the circle over a part of the outline, every part is an edge there, and the triangles beyond them
//! are taken away. Points inside then move to the middle of their neighbours a few times.

use std::collections::HashSet;

use super::{MAX_ELEMENTS, ShapeError, positive};

/// How near to the outline a point of the lattice may be, in cells: more than a half.
const NEAREST: f64 = 0.8;
/// How often points move to the middle of their neighbours.
const ROUNDS: usize = 5;

/// A part of an outline with a name.
#[derive(Clone, Debug)]
pub struct Side {
    /// What seams call it.
    pub name: String,
    /// Places along it, both ends included \[m\].
    pub line: Vec<[f64; 2]>,
}

/// A flat piece of cloth.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Those of the outlines come first, in their order.
    pub points: Vec<[f64; 2]>,
    /// Counterclockwise.
    pub triangles: Vec<[u32; 3]>,
    /// The points of each side in their order, with its name. Corners belong to two of them.
    pub sides: Vec<(String, Vec<u32>)>,
}

/// Cuts a piece with closed outlines, of which those inside others are holes. In each of them a side begins where
/// the one before it ends.
pub fn cut(outlines: &[Vec<Side>], cell: f64) -> Result<Piece, ShapeError> {
    positive("the size of cells", cell)?;
    let mut piece = Piece { points: Vec::new(), triangles: Vec::new(), sides: Vec::new() };
    let mut edges = Vec::new();
    for outline in outlines {
        let first = piece.points.len() as u32;
        for (i, side) in outline.iter().enumerate() {
            let parts = divided(&side.line, cell)?;
            let begin = piece.points.len() as u32;
            piece.points.extend(&parts[..parts.len() - 1]);
            let end = if i + 1 == outline.len() { first } else { piece.points.len() as u32 };
            let members: Vec<u32> = (begin..piece.points.len() as u32).chain([end]).collect();
            edges.extend(members.windows(2).map(|pair| [pair[0], pair[1]]));
            match piece.sides.iter_mut().find(|(name, _)| *name == side.name) {
                Some((_, all)) => all.extend(&members[1..]),
                None => piece.sides.push((side.name.clone(), members)),
            }
        }
    }
    fill(&mut piece, &edges, cell)?;
    Ok(piece)
}

/// Puts points inside and joins all by triangles.
fn fill(piece: &mut Piece, edges: &[[u32; 2]], cell: f64) -> Result<(), ShapeError> {
    let outline = piece.points.clone();
    let lines = edges.iter().map(|e| e.map(|v| outline[v as usize])).collect();
    let (low, high) = outline.iter().fold(([f64::MAX; 2], [f64::MIN; 2]), |(low, high), p| {
        ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
    });
    let [row, half] = [0.75_f64.sqrt() * cell, 0.5 * cell];
    let rows = ((high[1] - low[1]) / row).ceil();
    let columns = ((high[0] - low[0]) / cell).ceil() + 1.0;
    let count = 2.0 * rows * columns;
    if count > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count });
    }
    let edges_by_row = Rows::new(lines, [low[1], high[1]], cell);
    // The middle of the piece is a point of the lattice, so that what is symmetric stays so.
    let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    let [i_most, j_most] = [(0.5 * columns).ceil() as i64, (0.5 * rows).ceil() as i64];
    for j in -j_most..=j_most {
        for i in -i_most..=i_most {
            let shift = if j % 2 == 0 { 0.0 } else { half };
            let p = [middle[0] + i as f64 * cell + shift, middle[1] + j as f64 * row];
            let is_free = edges_by_row.beside(p[1]).all(|e| distance_to(p, e) > NEAREST * cell);
            if is_free && is_inside(p, edges_by_row.beside(p[1])) {
                piece.points.push(p);
            }
        }
    }
    for round in 0..=ROUNDS {
        let kept = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| piece.points[v as usize]);
            let centre = [(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0];
            // Three points on a straight side make no triangle.
            turn(a, b, c) > 1e-6 * cell * cell && is_inside(centre, edges_by_row.beside(centre[1]))
        };
        let all = delaunay(&piece.points);
        piece.triangles = all.into_iter().filter(kept).collect();
        if round < ROUNDS {
            relax(piece, outline.len());
        }
    }
    let own = piece.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let own: HashSet<[u32; 2]> = own.collect();
    let has = |&[a, b]: &[u32; 2]| own.contains(&[a, b]) || own.contains(&[b, a]);
    if !edges.iter().all(has) {
        let problem = "two sides of a pattern are nearer to each other than a cell";
        return Err(ShapeError::TooCoarse { cell, problem });
    }
    Ok(())
}

/// The edges of outlines by rows as high as a cell, so that not all have to be asked for every point.
struct Rows {
    lines: Vec<[[f64; 2]; 2]>,
    low: f64,
    cell: f64,
    /// For each row the lines that reach into it, or into one beside it.
    of: Vec<Vec<u32>>,
}

impl Rows {
    /// Of lines between two heights, no more cells apart than there may be elements.
    fn new(lines: Vec<[[f64; 2]; 2]>, [low, high]: [f64; 2], cell: f64) -> Self {
        let mut rows = Self { lines, low, cell, of: Vec::new() };
        rows.of = vec![Vec::new(); rows.number(high) + 1];
        for (i, [a, b]) in (0..).zip(&rows.lines) {
            let [first, last] = [a[1].min(b[1]), a[1].max(b[1])].map(|y| rows.number(y));
            let last = (last + 1).min(rows.of.len() - 1);
            rows.of[first.saturating_sub(1)..=last].iter_mut().for_each(|row| row.push(i));
        }
        rows
    }

    fn number(&self, y: f64) -> usize {
        // Points outside are in the first row or in the last.
        ((y - self.low) / self.cell).max(0.0) as usize
    }

    /// All lines that a point at this height may be nearer to than a cell, or have on a level with it.
    fn beside(&self, y: f64) -> impl Iterator<Item = [[f64; 2]; 2]> {
        let row = self.of.get(self.number(y)).or(self.of.last());
        row.into_iter().flatten().map(|&i| self.lines[i as usize])
    }
}

/// Moves points inside to the middle of their neighbours.
fn relax(piece: &mut Piece, outline: usize) {
    let mut sums = vec![[0.0; 3]; piece.points.len()];
    for t in &piece.triangles {
        for k in 0..3 {
            let (v, next) = (t[k] as usize, piece.points[t[(k + 1) % 3] as usize]);
            sums[v] = [sums[v][0] + next[0], sums[v][1] + next[1], sums[v][2] + 1.0];
        }
    }
    for (p, [x, y, count]) in piece.points.iter_mut().zip(sums).skip(outline) {
        *p = [x / count, y / count];
    }
}

/// Places along a line at equal distances of about `cell` \[m\], both ends included.
fn divided(line: &[[f64; 2]], cell: f64) -> Result<Vec<[f64; 2]>, ShapeError> {
    let lengths = line.windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1]));
    let lengths: Vec<f64> = lengths.collect();
    let length = positive("the length of a side", lengths.iter().sum())?;
    let count = (length / cell).round().max(1.0);
    if count > MAX_ELEMENTS as f64 {
        return Err(ShapeError::TooLarge { count });
    }
    let at = |i: usize| {
        let mut left = length * i as f64 / count;
        for (pair, own) in line.windows(2).zip(&lengths) {
            if left <= *own {
                let share = if *own > 0.0 { left / own } else { 0.0 };
                let [a, b] = [pair[0], pair[1]];
                return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
            }
            left -= own;
        }
        line[line.len() - 1]
    };
    let mut places: Vec<[f64; 2]> = (0..count as usize).map(at).collect();
    places.push(line[line.len() - 1]);
    Ok(places)
}

/// Twice the area of a triangle, positive counterclockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn distance_to(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (d, q) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let share = (d[0] * q[0] + d[1] * q[1]) / (d[0] * d[0] + d[1] * d[1]);
    let share = share.clamp(0.0, 1.0);
    (q[0] - share * d[0]).hypot(q[1] - share * d[1])
}

/// Whether a ray from `p` crosses the outlines an odd number of times.
fn is_inside(p: [f64; 2], lines: impl Iterator<Item = [[f64; 2]; 2]>) -> bool {
    let crosses = |[a, b]: &[[f64; 2]; 2]| {
        (a[1] > p[1]) != (b[1] > p[1])
            && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    lines.filter(crosses).count() % 2 == 1
}

/// What is beyond an edge that has nothing beyond it.
const NOTHING: u32 = u32::MAX;

/// Triangles so that no point lies in the circle round one of them (Bowyer 1981, Watson 1981): point after point, those
/// whose circle it lies in give way to others that it is a corner of.
fn delaunay(points: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let n = points.len() as u32;
    let size = points.iter().flatten().fold(1e-300_f64, |most, c| most.max(c.abs()));
    // Far enough that it does not show.
    let far = 1e4 * size;
    let mut all = points.to_vec();
    all.extend([[-far, -far], [far, -far], [0.0, far]]);
    let mut mesh = Triangulation {
        points: all,
        corners: vec![[n, n + 1, n + 2]],
        beyond: vec![[NOTHING; 3]],
        free: Vec::new(),
    };
    let mut last = 0;
    for v in 0..n {
        last = mesh.insert(v, last);
    }
    let dead: HashSet<u32> = mesh.free.iter().copied().collect();
    let alive = (0..).zip(&mesh.corners).filter(|(i, _)| !dead.contains(i));
    alive.map(|(_, t)| *t).filter(|t| t.iter().all(|v| *v < n)).collect()
}

struct Triangulation {
    points: Vec<[f64; 2]>,
    corners: Vec<[u32; 3]>,
    /// The triangle beyond the edge from corner k to the next, for each triangle.
    beyond: Vec<[u32; 3]>,
    /// Places of triangles that are no more.
    free: Vec<u32>,
}

impl Triangulation {
    /// Adds a point, which is looked for from a triangle on. Returns one that has it as a corner.
    fn insert(&mut self, v: u32, from: u32) -> u32 {
        let p = self.points[v as usize];
        let start = self.find(p, from);
        let (mut taken, mut rim, mut next) = (HashSet::from([start]), Vec::new(), vec![start]);
        while let Some(t) = next.pop() {
            for k in 0..3 {
                let other = self.beyond[t as usize][k];
                if other != NOTHING && taken.contains(&other) {
                    continue;
                }
                if other != NOTHING && self.is_in_circle(p, other) {
                    taken.insert(other);
                    next.push(other);
                } else {
                    let t = self.corners[t as usize];
                    rim.push(([t[k], t[(k + 1) % 3]], other));
                }
            }
        }
        // A triangle may have been taken after one beside it was looked at.
        rim.retain(|(_, other)| *other == NOTHING || !taken.contains(other));
        let mut taken: Vec<u32> = taken.into_iter().collect();
        taken.sort_unstable();
        self.free.extend(taken);
        let made: Vec<u32> = rim.iter().map(|_| self.place()).collect();
        for (&([a, b], other), &t) in rim.iter().zip(&made) {
            let meets = |find: &dyn Fn([u32; 2]) -> bool| {
                let at = rim.iter().position(|(edge, _)| find(*edge));
                at.map_or(NOTHING, |at| made[at])
            };
            self.corners[t as usize] = [a, b, v];
            self.beyond[t as usize] =
                [other, meets(&|edge| edge[0] == b), meets(&|edge| edge[1] == a)];
            if other != NOTHING {
                let corners = self.corners[other as usize];
                let k = (0..3).find(|&k| corners[k] == b && corners[(k + 1) % 3] == a);
                if let Some(k) = k {
                    self.beyond[other as usize][k] = t;
                }
            }
        }
        made[0]
    }

    fn place(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.corners.push([0; 3]);
            self.beyond.push([NOTHING; 3]);
            self.corners.len() as u32 - 1
        })
    }

    /// The triangle that a point is in: by a walk towards it, across edges that it lies beyond.
    fn find(&self, p: [f64; 2], from: u32) -> u32 {
        let mut at = from;
        for step in 0..4 * self.corners.len() {
            let corners = self.corners[at as usize].map(|v| self.points[v as usize]);
            // Not always the same edge first, so that no walk goes round in circles.
            let across = (0..3).map(|k| (k + step) % 3).find(|&k| {
                turn(corners[k], corners[(k + 1) % 3], p) < 0.0
                    && self.beyond[at as usize][k] != NOTHING
            });
            let Some(k) = across else { return at };
            at = self.beyond[at as usize][k];
        }
        at
    }

    /// Whether a point lies in the circle round a triangle, not only on it.
    fn is_in_circle(&self, p: [f64; 2], t: u32) -> bool {
        let [a, b, c] = self.corners[t as usize].map(|v| {
            let q = self.points[v as usize];
            let (x, y) = (q[0] - p[0], q[1] - p[1]);
            [x, y, x * x + y * y]
        });
        let minors = [[1, 2], [0, 2], [0, 1]].map(|[k, l]| [b[k] * c[l], b[l] * c[k]]);
        let [x, y, square] = minors.map(|[p, q]| p - q);
        let det = a[0] * x - a[1] * y + a[2] * square;
        // What rounding may make of it.
        let [x, y, square] = minors.map(|[p, q]| p.abs() + q.abs());
        det > 1e-14 * (a[0].abs() * x + a[1].abs() * y + a[2] * square)
    }
}
