//! Which vertices seams join.

use std::collections::{BTreeMap, BTreeSet};

use super::BodyModel;
use super::select::select;
use super::tear::Weld;
use super::track::Placed;
use crate::scene::{Problem, Region, SceneError, Seam, SeamSide, suggest};
use crate::stages::seams::{Member, Pair, Seams, Sewn};

/// How near vertices have met, as a share of the edges of their bodies, if the seam does not say.
const TOLERANCE: f64 = 0.05;

/// Looks for the edges of seams while bodies are placed one by one.
pub(super) struct Sewer<'s> {
    wanted: &'s [Seam],
    /// For each seam its two sides.
    found: Vec<[Option<Result<Side, String>>; 2]>,
    bodies: Vec<String>,
    /// What holds together until it tears, in the user's numbering, with the name of its body.
    welds: Vec<(String, Weld)>,
}

/// An edge of a panel.
#[derive(Clone)]
struct Side {
    /// The body.
    body: u32,
    /// Its vertices in the user's numbering, and where they are \[m\].
    vertices: Vec<(u32, [f64; 3])>,
    /// Whether the user has put them in order.
    is_list: bool,
}

/// Sides of a seam by their keys.
fn sides(seam: &Seam) -> [(&'static str, &SeamSide); 2] {
    [("from", &seam.from), ("to", &seam.to)]
}

impl<'s> Sewer<'s> {
    pub fn new(wanted: &'s [Seam]) -> Self {
        let found = vec![[None, None]; wanted.len()];
        Self { wanted, found, bodies: Vec::new(), welds: Vec::new() }
    }

    /// Takes over what holds a body together where it may tear.
    pub fn weld(&mut self, body: &Placed<'_>, welds: &[Weld]) {
        let placed = |weld: &Weld| {
            let ends = weld.ends.map(|v| v + body.first);
            (body.name.to_owned(), Weld { ends, ..*weld })
        };
        self.welds.extend(welds.iter().map(placed));
    }

    /// Looks at a body.
    pub fn look(&mut self, body: &Placed<'_>) {
        let number = self.bodies.len() as u32;
        self.bodies.push(body.name.to_owned());
        for (seam, found) in self.wanted.iter().zip(&mut self.found) {
            for ((_, side), found) in sides(seam).into_iter().zip(found) {
                if side.body == body.name {
                    *found = Some(Side::new(side, number, body, seam.within.is_some()));
                }
            }
        }
    }

    /// The seams, where vertices of the user's numbering are `renumbered` and have these masses, 0 if they are locked.
    pub fn finish(
        self,
        bodies: &[BodyModel],
        renumbered: impl Fn(u32) -> u32,
        inv_mass: &[f32],
    ) -> Result<Seams, SceneError> {
        let names: Vec<&str> = self.bodies.iter().map(String::as_str).collect();
        let (mut list, mut joined) = (Vec::new(), Vec::new());
        for (i, (seam, found)) in self.wanted.iter().zip(&self.found).enumerate() {
            let fail = |key: &str, why: String, help: String| {
                let problem = format!("seam {:?} cannot be sewn: {why}", seam.name);
                SceneError::from(Problem::new(format!("seams[{i}]{key}"), problem).help(help))
            };
            let mut edges = Vec::new();
            for ((key, side), found) in sides(seam).into_iter().zip(found) {
                edges.push(match found {
                    Some(Ok(found)) => found,
                    Some(Err(why)) => {
                        let help = "list vertices in order with `points`, counted from 0".into();
                        return Err(fail(&format!(".{key}.region"), why.clone(), help));
                    }
                    None => {
                        let why = format!("there is no body {:?}", side.body);
                        let help = suggest(&side.body, &names, "there are");
                        return Err(fail(&format!(".{key}.body"), why, help));
                    }
                });
            }
            let [from, to] = [edges[0], edges[1]];
            let pairs =
                matched(from, to, seam.within).map_err(|(why, help)| fail("", why, help.into()))?;
            let edge = [from, to].map(|side| bodies[side.body as usize].edge);
            list.push(Sewn {
                name: seam.name.clone(),
                force: seam.force as f32,
                rate: (1.0 / seam.time) as f32,
                welds: seam.weld,
                tolerance: seam.tolerance.unwrap_or(TOLERANCE * edge[0].min(edge[1])) as f32,
            });
            let strength = seam.breaks.map_or(f32::INFINITY, |force| force as f32);
            let join =
                |ends: [u32; 2]| Joined { seam: i as u32, ends: ends.map(&renumbered), strength };
            joined.extend(pairs.into_iter().map(join));
        }
        for (body, weld) in &self.welds {
            let name = format!("{body}.tears[{}]", weld.tear);
            let seam = list.iter().position(|sewn: &Sewn| sewn.name == name).unwrap_or_else(|| {
                let edge = bodies.iter().find(|of| of.name == *body).map_or(0.0, |of| of.edge);
                list.push(Sewn::torn(name, (TOLERANCE * edge) as f32));
                list.len() - 1
            });
            joined.push(Joined {
                seam: seam as u32,
                ends: weld.ends.map(&renumbered),
                strength: weld.strength as f32,
            });
        }
        clustered(list, &joined, bodies, inv_mass)
    }
}

impl Side {
    fn new(
        side: &SeamSide,
        number: u32,
        body: &Placed<'_>,
        in_any_order: bool,
    ) -> Result<Self, String> {
        let Placed { first, mesh, points, offset, used, .. } = *body;
        let chosen = select(&side.region, mesh, points)?;
        let is_list = matches!(side.region, Region::Points(_));
        let order: Vec<u32> = match &side.region {
            Region::Points(list) => {
                let mut seen = BTreeSet::new();
                if let Some(twice) = list.iter().find(|v| !seen.insert(**v)) {
                    return Err(format!("point {twice} stands twice in its list"));
                }
                list.clone()
            }
            _ => {
                let all = 0..points.len() as u32;
                all.filter(|&v| chosen[v as usize] && used[v as usize]).collect()
            }
        };
        if order.is_empty() {
            return Err(format!("no vertex of {:?} lies there", body.name));
        }
        if let Some(v) = order.iter().find(|v| !used[**v as usize]) {
            return Err(format!("point {v} of {:?} belongs to no element", body.name));
        }
        let order = if is_list || in_any_order { order } else { in_line(&order, &mesh.triangles)? };
        let place = |v: u32| std::array::from_fn(|k| points[v as usize][k] + offset[k]);
        let vertices = order.into_iter().map(|v| (first + v, place(v))).collect();
        Ok(Self { body: number, vertices, is_list })
    }
}

/// Vertices in the order in which edges of triangles lead through them.
fn in_line(chosen: &[u32], triangles: &[[u32; 3]]) -> Result<Vec<u32>, String> {
    let mut around: BTreeMap<u32, BTreeSet<u32>> =
        chosen.iter().map(|&v| (v, BTreeSet::new())).collect();
    for t in triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            if around.contains_key(&a) && around.contains_key(&b) {
                around.entry(a).or_default().insert(b);
                around.entry(b).or_default().insert(a);
            }
        }
    }
    let no_line = || "its vertices do not follow each other along one line of edges".to_owned();
    let ends: Vec<u32> =
        around.iter().filter(|(_, next)| next.len() < 2).map(|(&v, _)| v).collect();
    if around.values().any(|next| next.len() > 2) || ends.is_empty() {
        return Err(no_line());
    }
    let mut line = vec![ends[0]];
    while let Some(&next) = around[&line[line.len() - 1]]
        .iter()
        .find(|next| line.len() < 2 || **next != line[line.len() - 2])
    {
        line.push(next);
    }
    if line.len() == chosen.len() { Ok(line) } else { Err(no_line()) }
}

fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

/// Pairs of vertices of two edges, or why there are none and what to do.
fn matched(
    from: &Side,
    to: &Side,
    within: Option<f64>,
) -> Result<Vec<[u32; 2]>, (String, &'static str)> {
    let (a, b) = (&from.vertices, &to.vertices);
    let pairs = match within {
        Some(most) => nearest(a, b, most),
        None if a.len() != b.len() => {
            let why = format!("one edge has {} vertices and the other {}", a.len(), b.len());
            return Err((why, "mesh both alike, list as many `points`, or give `within`"));
        }
        None => {
            let way = |b: &mut dyn Iterator<Item = &(u32, [f64; 3])>| -> f64 {
                a.iter().zip(b).map(|(a, b)| squared_distance(a.1, b.1)).sum()
            };
            let turns =
                !(from.is_list && to.is_list) && way(&mut b.iter().rev()) < way(&mut b.iter());
            let other = |i: usize| if turns { b.len() - 1 - i } else { i };
            a.iter().enumerate().map(|(i, a)| [a.0, b[other(i)].0]).collect()
        }
    };
    if let Some([v, _]) = pairs.iter().find(|[a, b]| a == b) {
        let why = format!("vertex {v} would be sewn to itself");
        return Err((why, "the two edges must have no vertex in common"));
    }
    match pairs.is_empty() {
        true => Err(("no two vertices are near enough".into(), "give a larger `within`")),
        false => Ok(pairs),
    }
}

/// Vertices no farther apart than `most`, each in one pair at most, the nearest first.
fn nearest(a: &[(u32, [f64; 3])], b: &[(u32, [f64; 3])], most: f64) -> Vec<[u32; 2]> {
    let mut near = Vec::new();
    for (u, x) in a {
        let others = b.iter().filter(|(v, _)| u != v);
        near.extend(others.map(|(v, y)| (squared_distance(*x, *y), [*u, *v])));
    }
    near.retain(|(square, _)| *square <= most * most);
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut taken = BTreeSet::new();
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for (_, [u, v]) in near {
        if !taken.contains(&u) && !taken.contains(&v) {
            taken.extend([u, v]);
            pairs.push([u, v]);
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Two vertices of the model that a seam joins.
struct Joined {
    seam: u32,
    ends: [u32; 2],
    /// The force at which their weld breaks \[N\].
    strength: f32,
}

/// Puts pairs into clusters.
fn clustered(
    list: Vec<Sewn>,
    joined: &[Joined],
    bodies: &[BodyModel],
    inv_mass: &[f32],
) -> Result<Seams, SceneError> {
    let mut lowest: BTreeMap<u32, u32> = BTreeMap::new();
    let mut count: BTreeMap<u32, u32> = BTreeMap::new();
    for Joined { ends, .. } in joined {
        ends.iter().for_each(|&v| {
            lowest.entry(v).or_insert(v);
            *count.entry(v).or_default() += 1;
        });
    }
    loop {
        let mut is_settled = true;
        for Joined { ends: [a, b], .. } in joined {
            let low = lowest[a].min(lowest[b]);
            for v in [a, b] {
                is_settled &= lowest.insert(*v, low) == Some(low);
            }
        }
        if is_settled {
            break;
        }
    }
    let mut clusters: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    lowest.iter().for_each(|(&v, &low)| clusters.entry(low).or_default().push(v));
    let mut pairs_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pair, Joined { ends, .. }) in (0..).zip(joined) {
        pairs_of.entry(lowest[&ends[0]]).or_default().push(pair);
    }
    let mut seams = Seams { list, first_member: vec![0], first_pair: vec![0], ..Seams::default() };
    let mut place_of: BTreeMap<u32, u32> = BTreeMap::new();
    for (low, members) in &clusters {
        if members.len() > Seams::MOST_MEMBERS {
            let most = Seams::MOST_MEMBERS;
            let problem =
                format!("{} vertices would be sewn into one, more than {most}", members.len());
            let help = "let fewer seams meet, or list their vertices with `points`";
            return Err(Problem::new("seams", problem).help(help).into());
        }
        for &vertex in members {
            let body = bodies.partition_point(|body| body.vertices.end <= vertex) as u32;
            let inverse = inv_mass[vertex as usize];
            let mass = if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
            place_of.insert(vertex, seams.members.len() as u32);
            seams.members.push(Member { vertex, body, mass });
        }
        seams.pairs_of.extend(pairs_of.get(low).into_iter().flatten());
        seams.first_member.push(seams.members.len() as u32);
        seams.first_pair.push(seams.pairs_of.len() as u32);
    }
    seams.pairs = joined
        .iter()
        .map(|&Joined { seam, ends, strength }| {
            let inverse = ends.map(|v| count[&v] as f32 * inv_mass[v as usize]);
            let sum = inverse[0] + inverse[1];
            let mass = if sum > 0.0 { 1.0 / sum } else { 0.0 };
            Pair { seam, ends: ends.map(|v| place_of[&v]), mass, strength }
        })
        .collect();
    Ok(seams)
}
