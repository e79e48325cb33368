//! A whole cluster in a substep, in any precision.

use super::formula::{
    Columns, Creep, LIMIT, Pull, crept, goal_matrix, inverse_of, matrix_of, mixed, product,
    projected, rate_of, rotation_of, spin_of, squares_of, transformed,
};
use super::{Cluster, Member};
use crate::math::{Real, Vec3, vec3};
use crate::model::Model;
use crate::scene::{ShapeMode, World};

/// What is within so many parts of the size of coordinates is rounding and no pull: a few last digits, more where nine
/// moments are solved for.
pub const ROUNDING: [f64; 2] = [2.4e-7, 2e-6];

/// What of a cluster stays as it is.
pub struct Shape<'a> {
    /// Its numbers.
    pub cluster: &'a Cluster,
    /// Its vertices.
    pub members: &'a [Member],
    /// Its matrices; see [`Cluster::matrix`].
    pub matrices: &'a [f32],
    /// What shapes it may become.
    pub mode: ShapeMode,
}

/// What the vertices of a cluster have in common in a substep. Places are seen from its first vertex, velocities, too.
struct Motion<R> {
    first: [Vec3<R>; 2],
    centre: Vec3<R>,
    velocity: Vec3<R>,
    /// Σ m p qᵀ, ahead.
    moments: Columns<R>,
    /// The same of squares and of products, of quadratic clusters.
    bent: [Columns<R>; 2],
}

/// Finds the impulses that a cluster gives to its vertices \[kg·m/s\], into `kicks`. `turn` is
/// its rotation and `taken` what it has taken over of its deformation, before and after. `place` gives position \[m\] and
/// velocity \[m/s\] of a member.
pub fn pull<R: Real>(
    shape: &Shape<'_>,
    (pull, creep): (Pull<R>, Option<Creep<R>>),
    (turn, taken): (&mut [R; 4], Option<&mut Columns<R>>),
    place: impl Fn(usize) -> [Vec3<R>; 2],
    kicks: &mut [Vec3<R>],
) {
    let motion = motion(shape, pull.h, &place);
    let centre_ahead = motion.centre + motion.velocity * pull.h;
    let seen = |n: usize| {
        let [x, v] = place(n);
        [x - motion.first[0], v - motion.first[1]]
    };
    let goals = Goals::new(shape, (pull, creep), &motion, (turn, taken));
    let mut most = R::of(0.0);
    for (n, kick) in kicks.iter_mut().enumerate() {
        let [x, v] = seen(n);
        let way = goals.of(shape, at_rest(&shape.members[n])) + (centre_ahead - (x + v * pull.h));
        most = most.max(way.dot(way));
        *kick = way;
    }
    let largest = |v: Vec3<R>| v.x.abs().max(v.y.abs()).max(v.z.abs());
    let digits = ROUNDING[usize::from(shape.mode == ShapeMode::Quadratic)];
    let rounding = (largest(motion.first[0]) + number(shape.cluster.radius)) * R::of(digits);
    let is_pulled = most > rounding * rounding;
    let limit = number::<R>(shape.cluster.radius) * R::of(LIMIT) + R::of(1e-15);
    let per_limit2 = R::of(1.0) / (limit * limit);
    let zero = Vec3::<R>::zero();
    let (mut sum, mut angular, mut squares, mut products) = (zero, zero, zero, zero);
    for (n, kick) in kicks.iter_mut().enumerate() {
        let (m, arm) = (number::<R>(shape.members[n].mass), seen(n)[0] - motion.centre);
        let rate = rate_of(pull, kick.dot(*kick) * per_limit2);
        *kick = if is_pulled { *kick * rate } else { zero };
        sum += *kick * m;
        angular += arm.cross(*kick) * m;
        let [square, [xy, yz, zx]] = squares_of(arm).map(<[R; 3]>::from);
        squares += Vec3::from(square) * m;
        products += vec3(yz, zx, xy) * m;
    }
    let mean = sum * number(shape.cluster.inv_mass);
    let spin = spin_of(squares, products, angular);
    for (n, kick) in kicks.iter_mut().enumerate() {
        let arm = seen(n)[0] - motion.centre;
        *kick = (*kick - mean - spin.cross(arm)) * number(shape.members[n].mass);
    }
}

/// The size of the force that clusters exert on a vertex in substeps of length `h` \[N\], for blame: of what is at these
/// places \[m\] with these velocities \[m/s\], as if nothing had yielded.
pub fn force_on(
    model: &Model,
    world: &World,
    h: f64,
    [x, v]: [&[[f32; 3]]; 2],
    vertex: u32,
) -> f64 {
    /// Turns that surely suffice to find a rotation from none.
    const TURNS: usize = 20;
    let shapes = &model.shapes;
    let drives = shapes.drives(world, h);
    let mut sum = Vec3::<f64>::zero();
    for cluster in &shapes.clusters {
        let members = shapes.members_of(cluster);
        let Ok(own) = members.binary_search_by_key(&vertex, |m| m.vertex) else { continue };
        let drive = &drives[cluster.kind as usize];
        let matrices = &shapes.matrices[cluster.matrix as usize..];
        let shape = Shape { cluster, members, matrices, mode: drive.mode };
        let place = |n: usize| {
            [x, v].map(|list| Vec3::<f64>::of(list[members[n].vertex as usize].map(f64::from)))
        };
        let mut turn = super::NO_TURN.map(f64::from);
        let mut kicks = vec![Vec3::zero(); members.len()];
        for _ in 0..TURNS {
            pull(&shape, (drive.pull, None), (&mut turn, None), place, &mut kicks);
        }
        sum += kicks[own];
    }
    sum.length() / h
}

fn number<R: Real>(x: f32) -> R {
    R::of(f64::from(x))
}

fn at_rest<R: Real>(member: &Member) -> Vec3<R> {
    Vec3::of(member.q.map(f64::from))
}

fn motion<R: Real>(shape: &Shape<'_>, h: R, place: &impl Fn(usize) -> [Vec3<R>; 2]) -> Motion<R> {
    let first = place(0);
    let zero = Vec3::<R>::zero();
    let (mut centre, mut velocity, mut moments) = (zero, zero, [zero; 3]);
    let mut bent = [[zero; 3]; 2];
    let per_radius = R::of(1.0) / number::<R>(shape.cluster.radius).max(R::of(1e-30));
    for (n, member) in shape.members.iter().enumerate() {
        let [x, v] = place(n);
        let (x, v, m) = (x - first[0], v - first[1], number::<R>(member.mass));
        centre += x * m;
        velocity += v * m;
        // Masses times q add up to 0, so that it does not matter where places are seen from.
        let (ahead, q) = ((x + v * h) * m, at_rest::<R>(member));
        moments = with_product(moments, ahead, q);
        if shape.mode == ShapeMode::Quadratic {
            let [squares, products] = centred_squares(shape, q * per_radius);
            bent = [with_product(bent[0], ahead, squares), with_product(bent[1], ahead, products)];
        }
    }
    let inv_mass = number(shape.cluster.inv_mass);
    Motion { first, centre: centre * inv_mass, velocity: velocity * inv_mass, moments, bent }
}

/// `a + b cᵀ`
fn with_product<R: Real>(a: Columns<R>, b: Vec3<R>, c: Vec3<R>) -> Columns<R> {
    [a[0] + b * c.x, a[1] + b * c.y, a[2] + b * c.z]
}

/// What leads from places at rest to goals, both seen from the centre.
struct Goals<R> {
    linear: Columns<R>,
    /// Of the squares and products of places over the radius, where there are such.
    quadratic: Option<[Columns<R>; 2]>,
    per_radius: R,
}

impl<R: Real> Goals<R> {
    fn new(
        shape: &Shape<'_>,
        (pull, creep): (Pull<R>, Option<Creep<R>>),
        motion: &Motion<R>,
        (turn, taken): (&mut [R; 4], Option<&mut Columns<R>>),
    ) -> Self {
        let mut plastic = taken;
        let moments = match &plastic {
            Some(taken) => product(motion.moments, transposed(**taken)),
            None => motion.moments,
        };
        *turn = rotation_of(moments, *turn, super::formula::IMPROVEMENTS);
        let rotation = matrix_of(*turn);
        let per_radius = R::of(1.0) / number::<R>(shape.cluster.radius).max(R::of(1e-30));
        let mut goals = Self { linear: rotation, quadratic: None, per_radius };
        if shape.mode == ShapeMode::Rigid && plastic.is_none() {
            return goals;
        }
        let [inverse, nothing] = [matrix(shape.matrices, 0), matrix(shape.matrices, 9)];
        // In directions in which there is nothing it is what it has taken over, turned.
        let unseen = match &plastic {
            Some(taken) => product(rotation, product(**taken, nothing)),
            None => product(rotation, nothing),
        };
        let whole = mixed(R::of(1.0), product(motion.moments, inverse), R::of(1.0), unseen);
        let deformation = match &plastic {
            Some(taken) => product(whole, inverse_of(**taken)),
            None => whole,
        };
        goals.linear = match shape.mode {
            ShapeMode::Linear => goal_matrix(rotation, deformation, pull.beta),
            ShapeMode::Rigid | ShapeMode::Quadratic => rotation,
        };
        if let Some(taken) = &plastic {
            goals.linear = product(goals.linear, **taken);
        }
        if shape.mode == ShapeMode::Quadratic {
            goals.bend(shape, motion, pull.beta);
        }
        if let (Some(taken), Some(creep)) = (&mut plastic, creep) {
            let strained = projected(rotation, deformation);
            let half = R::of(0.5);
            **taken = crept(**taken, mixed(half, strained, half, transposed(strained)), creep);
        }
        goals
    }

    /// Adds a share β of what the nine moments tell, to goals that are rigid so far.
    fn bend(&mut self, shape: &Shape<'_>, motion: &Motion<R>, beta: R) {
        let inverse = |i: usize, j: usize| number::<R>(shape.matrices[24 + 9 * i + j]);
        let [squares, products] = motion.bent;
        let linear = motion.moments.map(|column| column * self.per_radius);
        let all: [Vec3<R>; 9] = std::array::from_fn(|k| match k {
            0..3 => linear[k],
            3..6 => squares[k - 3],
            _ => products[k - 6],
        });
        let column = |j: usize| {
            let mut sum = Vec3::zero();
            (0..9).for_each(|i| sum += all[i] * inverse(i, j));
            sum * beta
        };
        let columns = |first: usize| [column(first), column(first + 1), column(first + 2)];
        let bent = columns(0).map(|column| column * self.per_radius);
        self.linear = mixed(R::of(1.0) - beta, self.linear, R::of(1.0), bent);
        self.quadratic = Some([columns(3), columns(6)]);
    }

    fn of(&self, shape: &Shape<'_>, q: Vec3<R>) -> Vec3<R> {
        let linear = transformed(self.linear, q);
        match &self.quadratic {
            None => linear,
            Some([squares, products]) => {
                let [own, mixed] = centred_squares(shape, q * self.per_radius);
                linear + transformed(*squares, own) + transformed(*products, mixed)
            }
        }
    }
}

/// Squares and products of a place over the radius, less their means over the cluster.
fn centred_squares<R: Real>(shape: &Shape<'_>, q: Vec3<R>) -> [Vec3<R>; 2] {
    let mean =
        |at: usize| Vec3::<R>::of(std::array::from_fn(|k| f64::from(shape.matrices[at + k])));
    let [squares, products] = squares_of(q);
    [squares - mean(18), products - mean(21)]
}

fn transposed<R: Real>(a: Columns<R>) -> Columns<R> {
    let [x, y, z] = a;
    [vec3(x.x, y.x, z.x), vec3(x.y, y.y, z.y), vec3(x.z, y.z, z.z)]
}

fn matrix<R: Real>(numbers: &[f32], at: usize) -> Columns<R> {
    let column = |k: usize| Vec3::of(std::array::from_fn(|r| f64::from(numbers[at + 3 * k + r])));
    [column(0), column(1), column(2)]
}
