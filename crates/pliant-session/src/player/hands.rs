//! Hands that reach into the scene along rays.

use pliant_sim::{Model, Simulator};

use super::Ray;

/// What hands hold.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// Hands that tried to grab: what they hit, and the direction of view then.
    all: Vec<(u32, Option<Grab>)>,
}

#[derive(Clone, Copy, Debug)]
struct Grab {
    hit: [f64; 3],
    facing: [f64; 3],
}

impl Hands {
    /// A hand has grabbed what is at `hit` \[m\], or nothing.
    pub fn grabbed(&mut self, hand: u32, hit: Option<[f64; 3]>, facing: [f64; 3]) {
        self.let_go(hand);
        self.all.push((hand, hit.map(|hit| Grab { hit, facing })));
    }

    /// A hand does something else now.
    pub fn let_go(&mut self, hand: u32) {
        self.all.retain(|(h, _)| *h != hand);
    }

    /// All hands let go.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// Where a ray leads a hand \[m\]: to the plane through what it has grabbed, at right angles to the
    /// view. `None` when it holds nothing or the plane is not in front.
    pub fn led_to(&self, hand: u32, ray: &Ray) -> Option<[f64; 3]> {
        let (_, grab) = self.all.iter().find(|(h, _)| *h == hand)?;
        let Grab { hit, facing } = (*grab)?;
        let t = dot(minus(hit, ray.origin), facing) / dot(ray.direction, facing);
        let at = ray.at(t);
        (t > 0.0 && at.iter().all(|c| c.is_finite())).then_some(at)
    }

    /// Each hand and the place of its hit \[m\].
    pub fn list(&self) -> Vec<(u32, Option<[f64; 3]>)> {
        self.all.iter().map(|(hand, grab)| (*hand, grab.map(|h| h.hit))).collect()
    }
}

/// The triangles of all surfaces, each with its body, where vertices in the user's order are at `x` \[m\].
fn surfaces<'a>(
    model: &'a Model,
    x: &'a [[f64; 3]],
) -> impl Iterator<Item = (usize, Triangle)> + use<'a> {
    let corners = move |t: &[u32; 3]| t.map(|v| x[model.vertex_order[v as usize] as usize]);
    model.bodies.iter().enumerate().flat_map(move |(number, body)| {
        let own = body.triangles.start as usize..body.triangles.end as usize;
        model.triangles[own].iter().map(move |t| (number, corners(t)))
    })
}

/// The body that a ray first hits.
pub(super) fn body_at(sim: &Simulator, ray: &Ray) -> Option<usize> {
    ray.first_hit(surfaces(sim.model(), &sim.positions())).map(|(_, body)| body)
}

/// Where a ray first hits the surface of a body, or comes closest to it within `slack` (part of the
/// distance from the ray's start); and how large a ball round it must be to hold a vertex if `radius`
/// is too small \[m\].
pub(super) fn pick(sim: &Simulator, ray: &Ray, slack: f64, radius: f64) -> Option<([f64; 3], f64)> {
    let x = sim.positions();
    let triangles = || surfaces(sim.model(), &x).map(|(_, corners)| corners);
    let hit = ray.first_hit(triangles().map(|corners| (corners, corners)));
    let hit = hit.map(|(t, corners)| (ray.at(t), corners));
    let (at, corners) = hit.or_else(|| nearest(ray, slack, triangles()))?;
    let distance = |p: &[f64; 3]| dot(minus(*p, at), minus(*p, at)).sqrt();
    if x.iter().any(|p| distance(p) <= radius) {
        return Some((at, radius));
    }
    let reach = corners.iter().map(distance).fold(f64::INFINITY, f64::min);
    // So that rounding does not leave out the corner that it is to reach.
    Some((at, reach * (1.0 + 1e-9) + f64::MIN_POSITIVE))
}

pub(super) type Triangle = [[f64; 3]; 3];

/// The point of a surface that seems nearest to a ray that misses it, seen from its start and within
/// `slack`; and its triangle.
fn nearest(
    ray: &Ray,
    slack: f64,
    triangles: impl Iterator<Item = Triangle>,
) -> Option<([f64; 3], Triangle)> {
    if slack.is_nan() || slack <= 0.0 {
        return None;
    }
    let mut best = (slack, None);
    for corners in triangles {
        for k in 0..3 {
            if let Some((miss, at)) = ray.miss(corners[k], corners[(k + 1) % 3])
                && miss <= best.0
            {
                best = (miss, Some((at, corners)));
            }
        }
    }
    best.1
}

impl Ray {
    /// Where along it the ray first meets one of `triangles`, and what came with that one.
    pub(crate) fn first_hit<T>(
        &self,
        triangles: impl Iterator<Item = (T, Triangle)>,
    ) -> Option<(f64, T)> {
        let hits = triangles.filter_map(|(of, corners)| Some((self.hit(corners)?, of)));
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Where along it the ray meets a triangle, from either side and in front (Möller and Trumbore 1997,
    /// "Fast, Minimum Storage Ray/Triangle Intersection", section 2).
    pub fn hit(&self, [a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
        let (ab, ac) = (minus(b, a), minus(c, a));
        let p = cross(self.direction, ac);
        let determinant = dot(ab, p);
        let from = minus(self.origin, a);
        let q = cross(from, ab);
        // Without a determinant these are infinite or not a number, and fail all comparisons.
        let (u, v) = (dot(from, p) / determinant, dot(self.direction, q) / determinant);
        let t = dot(ac, q) / determinant;
        let is_inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
        (is_inside && t > 0.0 && t.is_finite()).then_some(t)
    }

    /// By how much the ray misses an edge in front of it, as part of the distance from its start, and
    /// where on the edge (Ericson 2005, "Real-Time Collision Detection", section 5.1.9).
    fn miss(&self, a: [f64; 3], b: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let length = dot(self.direction, self.direction).sqrt();
        let along = self.direction.map(|c| c / length);
        let (edge, from) = (minus(b, a), minus(a, self.origin));
        let (slant, ahead) = (dot(edge, along), dot(from, along));
        let determinant = dot(edge, edge) - slant * slant;
        let s = (slant * ahead - dot(edge, from)) / determinant;
        // An edge along the ray is as near at one end as anywhere.
        let s = if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 };
        let depth = ahead + s * slant;
        let at: [f64; 3] = std::array::from_fn(|k| a[k] + s * edge[k]);
        let beside: [f64; 3] = std::array::from_fn(|k| from[k] + s * edge[k] - depth * along[k]);
        let miss = dot(beside, beside).sqrt() / depth;
        (depth > 0.0 && miss.is_finite()).then_some((miss, at))
    }

    /// How far along the ray the point is that is nearest to `p`, in lengths of its direction.
    pub fn depth(&self, p: [f64; 3]) -> f64 {
        dot(minus(p, self.origin), self.direction) / dot(self.direction, self.direction)
    }

    /// The point at `t` times its direction.
    pub fn at(&self, t: f64) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + t * self.direction[k])
    }
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];

    #[test]
    fn a_ray_hits_a_triangle_from_both_sides_and_not_beside_or_behind() {
        let ray = |x: f64, z: f64, dz: f64| Ray { origin: [x, 0.25, z], direction: [0.0, 0.0, dz] };
        assert_eq!(ray(0.25, 0.0, 2.0).hit(TRIANGLE), Some(0.5));
        assert_eq!(ray(0.25, 3.0, -1.0).hit(TRIANGLE), Some(2.0));
        assert_eq!(ray(0.8, 0.0, 1.0).hit(TRIANGLE), None);
        assert_eq!(ray(0.25, 2.0, 1.0).hit(TRIANGLE), None);
        let along = Ray { origin: [-1.0, 0.2, 1.0], direction: [1.0, 0.0, 0.0] };
        assert_eq!(along.hit(TRIANGLE), None);
        assert_eq!(Ray::default().hit(TRIANGLE), None);
    }

    #[test]
    fn a_ray_that_misses_finds_what_is_nearest_within_its_slack() {
        // From (0.5, -0.1, 0) upwards: a tenth beside the edge along x, at a distance of one.
        let ray = Ray { origin: [0.5, -0.1, 0.0], direction: [0.0, 0.0, 4.0] };
        assert_eq!(ray.hit(TRIANGLE), None);
        let near = |ray: &Ray, slack| nearest(ray, slack, [TRIANGLE].into_iter()).map(|n| n.0);
        assert_eq!(near(&ray, 0.11), Some([0.5, 0.0, 1.0]));
        assert_eq!(near(&ray, 0.09), None);
        assert_eq!((near(&ray, 0.0), near(&ray, f64::NAN)), (None, None));
        // Beyond an end of the edge its corner counts; behind the eye, nothing.
        let corner = Ray { origin: [1.3, 0.0, 0.0], direction: [0.0, 0.0, 1.0] };
        assert_eq!(near(&corner, 0.31), Some([1.0, 0.0, 1.0]));
        let away = Ray { origin: [0.5, -0.1, 0.0], direction: [0.0, 0.0, -1.0] };
        assert_eq!(near(&away, 10.0), None);
        let along = Ray { origin: [0.0, 0.0, 0.5], direction: [0.0, 0.0, 1.0] };
        let edge = [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0]];
        assert_eq!(nearest(&along, 0.1, [edge].into_iter()).map(|n| n.0[0]), Some(0.0));
        assert_eq!(near(&Ray::default(), 1.0), None);
    }

    #[test]
    fn hands_move_in_the_plane_of_what_they_hold() {
        let mut hands = Hands::default();
        hands.grabbed(3, Some([0.0, 0.0, 2.0]), [0.0, 0.0, 1.0]);
        let ray = Ray { origin: [0.0; 3], direction: [0.5, 0.0, 1.0] };
        assert_eq!(hands.led_to(3, &ray), Some([1.0, 0.0, 2.0]));
        assert_eq!(hands.led_to(4, &ray), None);
        let back = Ray { origin: [0.0; 3], direction: [0.5, 0.0, -1.0] };
        assert_eq!(hands.led_to(3, &back), None);
        let beside = Ray { origin: [0.0; 3], direction: [1.0, 0.0, 0.0] };
        assert_eq!(hands.led_to(3, &beside), None);
        hands.grabbed(3, None, [0.0, 0.0, 1.0]);
        assert_eq!((hands.led_to(3, &ray), hands.list()), (None, vec![(3, None)]));
    }
}
