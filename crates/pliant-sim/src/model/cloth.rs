//! The springs of woven cloth: which vertices they join, and how stiff they must be for the whole cloth to be as
//! stiff as was asked for.
//!
//! # Theory
//!
//! A cloth that is strained evenly by ε stores, over its area, ½ Σ k L² (dᵀ ε d)² for springs of stiffness k, length
//! L and direction d: it is an elastic membrane of moduli C = 1/area Σ k L² d⊗d⊗d⊗d. With φ the angle between a
//! spring and the warp, C₁₁ adds up cos⁴ φ, C₂₂ sin⁴ φ, and C₁₂ = C₃₃ cos² φ sin² φ: against shear springs resist
//! as much as against a stretch of one direction while the other is held. A strip that may get narrower then has the
//! stiffness E₁ = C₁₁ − C₁₂²/C₂₂, and E₂ likewise, which gives C for what was asked for.
//!
//! A mesh says what directions there are. A spring along φ gets the part c(φ) of the area round it,
//! k = c(φ) area/L², with c one number along the warp, one along the weft, one half-way between, and smooth from one
//! to the next: as all three are the same, this is the formula of Van Gelder 1998. C is linear in these three
//! numbers, and they are chosen so that it is what it should be, or as close as springs that do not push can come.
//! On sheets of squares it is exact. Where a mesh has too few directions, as one of equilateral triangles, which resists shear
//! whatever is asked for, what it has instead is told.
//!
//! # Practice
//!
//! A square of two triangles has one of its diagonals as an edge. With that alone, whatever is pulled would shear
//! as well; so such squares are found, and each diagonal gets half, or as much more or less as makes up for springs
//! against folds that lean to one side. What those add to C is taken off the others.

use std::collections::BTreeMap;

use super::springs::{Edges, triangle_edges};
use crate::math::Vec3;
use crate::scene::{BendSprings, Cloth};
use crate::stages::elastic::formula::spring_stiffness;

/// The springs of a cloth.
pub struct ClothSprings {
    /// What they join: the edges of the mesh first.
    pub ends: Vec<[u32; 2]>,
    /// \[N/m\]
    pub stiffness: Vec<f64>,
    /// Which of them are along edges of the mesh that are no diagonals of squares.
    pub is_thread: Vec<bool>,
    /// What is not as it was asked for.
    pub note: Option<String>,
}

/// Two triangles are a square, or nearly one, if the angles opposite their edge add up to more than this \[rad\];
/// those of equilateral ones have 2.09 together, those of squares 3.14.
pub(super) const SQUARE: f64 = 2.6;
/// A line of edges is straight if it turns by less at a vertex \[cosine\].
pub(super) const STRAIGHT: f64 = -0.985;
/// Moduli that differ by more from what was asked for are told of.
const TOLD: f64 = 0.05;

/// Springs of the triangles at `points`; `warp` is the direction of the warp there.
pub fn springs(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    warp: Vec3<f64>,
    cloth: &Cloth,
) -> ClothSprings {
    let edges = triangle_edges(triangles, points.len());
    let sheet = Sheet::new(points, triangles, &edges, warp);
    let mut parts: BTreeMap<[u32; 2], Part> = BTreeMap::new();
    sheet.share_out(&mut parts);
    if cloth.bend > 0.0 {
        let at = sheet.triangles_at_vertices();
        for ends in sheet.links(cloth.bend_springs) {
            let angle = || sheet.angle(at[ends[0] as usize], ends);
            parts.entry(ends).or_insert_with(|| Part::towards(angle())).bend = cloth.bend;
        }
    }
    let moduli = Moduli::asked(cloth);
    let (numbers, _) = sheet.calibrate(&parts, &moduli, cloth);
    sheet.straighten(&mut parts, numbers);
    let (numbers, note) = sheet.calibrate(&parts, &moduli, cloth);
    let stiffness = |(&ends, part): (&[u32; 2], &Part)| {
        let weight: f64 = (0..3).map(|n| part.weights[n] * numbers[n]).sum();
        (ends, spring_stiffness(weight, sheet.square_length(ends)) + part.bend)
    };
    let mut stiff: BTreeMap<[u32; 2], f64> = parts.iter().map(stiffness).collect();
    let mut all: Vec<([u32; 2], f64)> =
        edges.edges.iter().map(|&e| (e, stiff.remove(&e).unwrap_or(0.0))).collect();
    let mut is_thread: Vec<bool> =
        (0..all.len()).map(|e| sheet.other_diagonal(e as u32).is_none()).collect();
    all.extend(stiff);
    is_thread.resize(all.len(), false);
    let (ends, stiffness) = all.into_iter().unzip();
    ClothSprings { ends, stiffness, is_thread, note }
}

/// One spring, before its stiffness is known.
struct Part {
    /// What it has of the area, for each of the three numbers that a stiffness is made of \[m²\].
    weights: [f64; 3],
    /// What it has more of it, if it is a diagonal that gets all instead of half, and less, if it is the other one.
    more: [f64; 3],
    /// Powers of its direction, as C₁₁, C₂₂, C₃₃, C₁₃ and C₂₃ add them up.
    direction: [f64; 5],
    /// Its stiffness against folds \[N/m\].
    bend: f64,
}

impl Part {
    /// A spring at an angle to the warp \[rad\], of no stiffness.
    fn towards(angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let direction = [c.powi(4), s.powi(4), c * c * s * s, c.powi(3) * s, c * s.powi(3)];
        Self { weights: [0.0; 3], more: [0.0; 3], direction, bend: 0.0 }
    }
}

/// How a stiffness depends on the angle to the warp: parts along the warp, along the weft and between them, which
/// add up to one.
fn blend(angle: f64) -> [f64; 3] {
    let (s, c) = (2.0 * angle).sin_cos();
    [c.max(0.0).powi(2), c.min(0.0).powi(2), s * s]
}

/// C₁₁, C₂₂ and C₃₃ of a membrane of springs \[N/m\].
struct Moduli([f64; 3]);

impl Moduli {
    fn asked(cloth: &Cloth) -> Self {
        let ([e1, e2], g) = (cloth.stretch, cloth.shear);
        let ratio = e1 / e2;
        let c22 = (e1 + (e1 * e1 + 4.0 * ratio * g * g).sqrt()) / (2.0 * ratio);
        Self([ratio * c22, c22, g])
    }
}

/// Stiffness along warp and weft of strips that may get narrower and turn, and against shear; from C₁₁, C₂₂, C₃₃, C₁₃
/// and C₂₃.
fn felt([c11, c22, c33, c13, c23]: [f64; 5]) -> [f64; 3] {
    let c = [[c11, c33, c13], [c33, c22, c23], [c13, c23, c33]];
    let minor = |i: usize| {
        let [a, b] = [(i + 1) % 3, (i + 2) % 3];
        c[a][a] * c[b][b] - c[a][b] * c[b][a]
    };
    let det = c11 * minor(0) - c33 * (c33 * c33 - c23 * c13) + c13 * (c33 * c23 - c22 * c13);
    let along = |i: usize, other: f64| match minor(i) {
        // Nothing resists shear: then it has no part in what stretches.
        m if m <= 1e-12 * c11 * c22 => c[i][i] - c33 * c33 / other.max(f64::MIN_POSITIVE),
        m => det / m,
    };
    [along(0, c22), along(1, c11), c33]
}

/// A mesh with what springs need to know of it.
struct Sheet<'a> {
    points: &'a [[f64; 3]],
    triangles: &'a [[u32; 3]],
    edges: &'a Edges<3>,
    /// Directions of warp and weft in each triangle.
    threads: Vec<[Vec3<f64>; 2]>,
    areas: Vec<f64>,
    /// The triangles at each edge, if there are two, and their vertices that it does not have.
    flaps: Vec<Option<[(u32, u32); 2]>>,
}

impl<'a> Sheet<'a> {
    fn new(
        points: &'a [[f64; 3]],
        triangles: &'a [[u32; 3]],
        edges: &'a Edges<3>,
        warp: Vec3<f64>,
    ) -> Self {
        let corner = |v: u32| Vec3::<f64>::from(points[v as usize]);
        let (mut threads, mut areas) = (Vec::new(), Vec::new());
        for &[a, b, c] in triangles {
            let doubled = (corner(b) - corner(a)).cross(corner(c) - corner(a));
            areas.push(0.5 * doubled.length());
            threads.push(threads_in(doubled, warp, corner(b) - corner(a)));
        }
        let mut seen: Vec<Vec<(u32, u32)>> = vec![Vec::new(); edges.edges.len()];
        for (t, (of, corners)) in edges.of_element.iter().zip(triangles).enumerate() {
            // Edges are 0–1, 1–2, 2–0.
            for (n, &e) in of.iter().enumerate() {
                seen[e as usize].push((t as u32, corners[(n + 2) % 3]));
            }
        }
        let flaps = seen.iter().map(|at| <[_; 2]>::try_from(&at[..]).ok()).collect();
        Self { points, triangles, edges, threads, areas, flaps }
    }

    fn between(&self, [a, b]: [u32; 2]) -> Vec3<f64> {
        Vec3::<f64>::from(self.points[b as usize]) - Vec3::from(self.points[a as usize])
    }

    fn square_length(&self, ends: [u32; 2]) -> f64 {
        let l = self.between(ends);
        l.dot(l)
    }

    /// The angle between two vertices and the warp of a triangle.
    fn angle(&self, triangle: u32, ends: [u32; 2]) -> f64 {
        let [warp, weft] = self.threads[triangle as usize];
        let l = self.between(ends);
        l.dot(weft).atan2(l.dot(warp))
    }

    /// A triangle at each vertex that has one.
    fn triangles_at_vertices(&self) -> Vec<u32> {
        let mut at = vec![0; self.points.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            corners.iter().for_each(|&v| at[v as usize] = t as u32);
        }
        at
    }

    /// Gives every triangle's area to the springs along its edges, and half of what a diagonal of a square has to
    /// the other one.
    fn share_out(&self, parts: &mut BTreeMap<[u32; 2], Part>) {
        let mut give = |ends: [u32; 2], triangle: u32, [part, more]: [f64; 2]| {
            let angle = self.angle(triangle, ends);
            let at = parts.entry(ends).or_insert_with(|| Part::towards(angle));
            let areas = blend(angle).map(|share| share * self.areas[triangle as usize]);
            for n in 0..3 {
                at.weights[n] += part * areas[n];
                at.more[n] += more * areas[n];
            }
        };
        for (t, of) in self.edges.of_element.iter().enumerate() {
            for &e in of {
                let ends = self.edges.edges[e as usize];
                match self.other_diagonal(e) {
                    None => give(ends, t as u32, [1.0, 0.0]),
                    Some(other) => {
                        give(ends, t as u32, [0.5, 0.5]);
                        give(other, t as u32, [0.5, -0.5]);
                    }
                }
            }
        }
    }

    /// The other diagonal of the square that an edge is one of.
    fn other_diagonal(&self, edge: u32) -> Option<[u32; 2]> {
        let [(_, a), (_, b)] = self.flaps[edge as usize]?;
        let [i, j] = self.edges.edges[edge as usize];
        let angle = |at: u32| {
            let [l, r] = [self.between([at, i]), self.between([at, j])];
            l.cross(r).length().atan2(l.dot(r))
        };
        (angle(a) + angle(b) > SQUARE && a != b).then(|| [a.min(b), a.max(b)])
    }

    /// Gives one of two diagonals so much more than the other that what is pulled along its threads shears as little
    /// as can be.
    fn straighten(&self, parts: &mut BTreeMap<[u32; 2], Part>, numbers: [f64; 3]) {
        let of = |weights: &[f64; 3]| (0..3).map(|n| weights[n] * numbers[n]).sum::<f64>();
        let (mut lean, mut change) = ([0.0; 2], [0.0; 2]);
        for (&ends, part) in &*parts {
            let stiff = of(&part.weights) + part.bend * self.square_length(ends);
            for (k, direction) in part.direction[3..].iter().enumerate() {
                lean[k] += stiff * direction;
                change[k] += of(&part.more) * direction;
            }
        }
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        if dot(change, change) > 0.0 {
            let share = (-dot(lean, change) / dot(change, change)).clamp(-1.0, 1.0);
            for part in parts.values_mut() {
                (0..3).for_each(|n| part.weights[n] += share * part.more[n]);
            }
        }
    }

    /// What springs against folds join.
    fn links(&self, which: BendSprings) -> Vec<[u32; 2]> {
        let mut links: Vec<[u32; 2]> = match which {
            BendSprings::Opposite => {
                let flaps = self.flaps.iter().flatten().filter(|[a, b]| a.1 != b.1);
                flaps.map(|[a, b]| [a.1.min(b.1), a.1.max(b.1)]).collect()
            }
            BendSprings::Second => self.second_neighbours(),
        };
        links.sort_unstable();
        links.dedup();
        links
    }

    /// Ends of straight lines of two edges that are no diagonals.
    fn second_neighbours(&self) -> Vec<[u32; 2]> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); self.points.len()];
        for (e, &[i, j]) in self.edges.edges.iter().enumerate() {
            if self.other_diagonal(e as u32).is_none() {
                near[i as usize].push(j);
                near[j as usize].push(i);
            }
        }
        let mut found = Vec::new();
        for (v, near) in near.iter().enumerate() {
            for (n, &a) in near.iter().enumerate() {
                for &b in &near[n + 1..] {
                    let [l, r] = [self.between([v as u32, a]), self.between([v as u32, b])];
                    if l.dot(r) < STRAIGHT * l.length() * r.length() {
                        found.push([a.min(b), a.max(b)]);
                    }
                }
            }
        }
        found
    }

    /// The three numbers that stiffness is made of \[N/m\], and what is not as it was asked for.
    fn calibrate(
        &self,
        parts: &BTreeMap<[u32; 2], Part>,
        asked: &Moduli,
        cloth: &Cloth,
    ) -> ([f64; 3], Option<String>) {
        let area = self.areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut of_numbers = [[0.0; 5]; 3];
        let mut of_folds = [0.0; 5];
        for (&ends, part) in parts {
            let bend = part.bend * self.square_length(ends);
            for r in 0..5 {
                of_folds[r] += bend * part.direction[r] / area;
                (0..3).for_each(|n| {
                    of_numbers[n][r] += part.weights[n] * part.direction[r] / area;
                });
            }
        }
        let left = [0, 1, 2].map(|r| asked.0[r] - of_folds[r]);
        let numbers = nearest(of_numbers.map(|[a, b, c, ..]| [a, b, c]), left, asked.0);
        let got: [f64; 5] = std::array::from_fn(|r| {
            of_folds[r] + (0..3).map(|n| of_numbers[n][r] * numbers[n]).sum::<f64>()
        });
        let (got, wanted) = (felt(got), [cloth.stretch[0], cloth.stretch[1], cloth.shear]);
        let scale = wanted.iter().fold(0.0, |most: f64, w| most.max(*w));
        let differs =
            |(got, wanted): (&f64, &f64)| (got - wanted).abs() > TOLD * wanted.max(TOLD * scale);
        let has_folds_alone = left.iter().any(|&modulus| modulus < 0.0);
        let note = got.iter().zip(&wanted).any(differs).then(|| {
            let remedy = match has_folds_alone {
                true => "its springs against folds resist as much by themselves: lower `bend`",
                false => {
                    "squares cut in two along the threads, as the shape `cloth` has, can have any"
                }
            };
            format!(
                "the springs of its mesh make a cloth of stretch {:.3} and {:.3} N/m and shear {:.3} N/m; \
                 {:?} and {} were asked for ({remedy})",
                got[0], got[1], got[2], cloth.stretch, cloth.shear
            )
        });
        (numbers, note)
    }
}

/// Directions of warp and weft in a plane with a normal; `edge` lies in it.
fn threads_in(normal: Vec3<f64>, warp: Vec3<f64>, edge: Vec3<f64>) -> [Vec3<f64>; 2] {
    let unit = |v: Vec3<f64>| v * (1.0 / v.length().max(f64::MIN_POSITIVE));
    let n = unit(normal);
    let within = |v: Vec3<f64>| v - n * n.dot(v);
    let along = within(warp);
    // A warp that leaves the plane has no direction in it.
    let along = if along.length() > 1e-6 * warp.length() { along } else { within(edge) };
    [unit(along), n.cross(unit(along))]
}

/// Numbers that are not negative and bring Σ columns × numbers as close to `wanted` as can be, each row by its
/// `scale`; of several that do the smallest.
fn nearest(columns: [[f64; 3]; 3], wanted: [f64; 3], scale: [f64; 3]) -> [f64; 3] {
    let most = scale.iter().fold(f64::MIN_POSITIVE, |most: f64, s| most.max(*s));
    let weigh =
        |v: [f64; 3]| -> [f64; 3] { std::array::from_fn(|r| v[r] / scale[r].max(TOLD * most)) };
    let (columns, wanted) = (columns.map(weigh), weigh(wanted));
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|r| a[r] * b[r]).sum::<f64>();
    let off = |x: &[f64; 3]| {
        let row = |r: usize| wanted[r] - (0..3).map(|n| columns[n][r] * x[n]).sum::<f64>();
        (0..3).map(|r| row(r).powi(2)).sum::<f64>()
    };
    // With three numbers every choice of those that are not zero can be tried.
    let mut best = [0.0; 3];
    for chosen in 1..8u32 {
        let among = |n: usize| chosen >> n & 1 == 1;
        let mut normal = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                normal[i][j] = if among(i) && among(j) { dot(columns[i], columns[j]) } else { 0.0 };
            }
            // A little more than nothing, so that of many solutions the smallest is found.
            normal[i][i] += 1e-12 * dot(columns[i], columns[i]) + if among(i) { 0.0 } else { 1.0 };
        }
        let right: [f64; 3] =
            std::array::from_fn(|i| if among(i) { dot(columns[i], wanted) } else { 0.0 });
        let x = solve(normal, right);
        if x.iter().all(|x| x.is_finite() && *x >= 0.0) && off(&x) < off(&best) - 1e-12 {
            best = x;
        }
    }
    best
}

/// A x = b by Cramer's rule.
fn solve(a: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let rows = a.map(Vec3::<f64>::from);
    let right = Vec3::<f64>::from(b);
    let columns: [Vec3<f64>; 3] =
        std::array::from_fn(|c| Vec3::from([0, 1, 2].map(|r| rows[r].to_f64()[c])));
    let det = columns[0].dot(columns[1].cross(columns[2]));
    std::array::from_fn(|n| {
        let mut with = columns;
        with[n] = right;
        with[0].dot(with[1].cross(with[2])) / det
    })
}
