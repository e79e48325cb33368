//! A vertex that colliders and walls hold inside an implicit step: the readable truth.
//!
//! # Theory
//!
//! As [`contact`](super::contact), for obstacles that stand in any direction. Where a vertex meets one, its surface
//! is replaced by a plane: along the normal n the vertex ends the step at a given speed s. Up to three planes hold a
//! vertex. What they leave free is a symmetric matrix P, the projection on what is at right angles to all normals;
//! multiplied with every vector, it takes the prescribed directions out of the system (Baraff & Witkin 1998, *Large
//! steps in cloth simulation*, section 5.3). The impulse that prescribing them takes is Σ λ n, and a plane for which
//! λ is negative lets go.

use crate::math::{Real, Vec3};

/// A symmetric matrix by its diagonal (xx, yy, zz) and the rest (xy, yz, zx).
pub type Symmetric<R> = [[R; 3]; 2];

/// The identity.
pub fn identity<R: Real>() -> Symmetric<R> {
    [[R::of(1.0); 3], [R::of(0.0); 3]]
}

/// a + scale · b
pub fn add_scaled<R: Real>(a: Symmetric<R>, scale: R, b: Symmetric<R>) -> Symmetric<R> {
    [0, 1].map(|i| std::array::from_fn(|k| a[i][k] + scale * b[i][k]))
}

/// v vᵀ
pub fn square<R: Real>(v: Vec3<R>) -> Symmetric<R> {
    [[v.x * v.x, v.y * v.y, v.z * v.z], [v.x * v.y, v.y * v.z, v.z * v.x]]
}

/// a v
pub fn times<R: Real>(a: &Symmetric<R>, v: Vec3<R>) -> Vec3<R> {
    let [[xx, yy, zz], [xy, yz, zx]] = *a;
    Vec3::from([
        xx * v.x + xy * v.y + zx * v.z,
        xy * v.x + yy * v.y + yz * v.z,
        zx * v.x + yz * v.y + zz * v.z,
    ])
}

/// What stands in the way of a vertex, as far as it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Unit vector away from the obstacle.
    pub normal: Vec3<f32>,
    /// The speed along the normal at which the vertex ends the step \[m/s\].
    pub speed: f32,
    /// How fast the obstacle moves there \[m/s\].
    pub surface: Vec3<f32>,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// The number of the obstacle.
    pub obstacle: u8,
    /// Whether the vertex bounces off it.
    pub bounces: bool,
    /// How far from it the vertex ends; negative where it began inside \[m\].
    pub target: f32,
}

/// The planes that hold a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Planes {
    list: [Plane; 3],
    count: usize,
}

/// The sine of the angle at which a normal must stand to what is held already: what is nearly parallel has nothing to
/// say of its own, and could only be satisfied by large velocities.
const LEAST_SINE: f32 = 0.1;

/// The directions that planes hold, at right angles to each other, and the components of the normals in them.
struct Basis {
    axes: [Vec3<f32>; 3],
    along: [[f32; 3]; 3],
}

impl Planes {
    /// The planes.
    pub fn list(&self) -> &[Plane] {
        &self.list[..self.count]
    }

    /// Whether nothing holds the vertex.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn basis(&self) -> Basis {
        let mut basis = Basis { axes: [Vec3::zero(); 3], along: [[0.0; 3]; 3] };
        for (i, plane) in self.list().iter().enumerate() {
            let mut rest = plane.normal;
            for j in 0..i {
                basis.along[i][j] = plane.normal.dot(basis.axes[j]);
                rest -= basis.axes[j] * basis.along[i][j];
            }
            basis.along[i][i] = rest.length();
            basis.axes[i] = rest * (1.0 / basis.along[i][i]);
        }
        basis
    }

    /// Lets one more plane hold the vertex; says no if that has nothing new to say.
    pub fn add(&mut self, plane: Plane) -> bool {
        if self.count == self.list.len() {
            return false;
        }
        let more = Self { list: self.list, count: self.count + 1 }.with(self.count, plane);
        if more.basis().along[self.count][self.count] < LEAST_SINE {
            return false;
        }
        *self = more;
        true
    }

    fn with(mut self, place: usize, plane: Plane) -> Self {
        self.list[place] = plane;
        self
    }

    /// Puts a plane in the place of another, unless it would be nearly parallel to a third; returns whether it did.
    pub fn replace(&mut self, place: usize, plane: Plane) -> bool {
        let other = self.with(place, plane);
        let basis = other.basis();
        let is_apart = (0..other.count).all(|i| basis.along[i][i] >= LEAST_SINE);
        if is_apart {
            *self = other;
        }
        is_apart
    }

    /// Keeps the planes for which `keeps` says so, by their places.
    pub fn retain(&mut self, keeps: impl Fn(usize) -> bool) {
        let old = *self;
        self.count = 0;
        for place in (0..old.count).filter(|&place| keeps(place)) {
            self.list[self.count] = old.list[place];
            self.count += 1;
        }
    }

    /// P: the projection on what is free.
    pub fn free(&self) -> Symmetric<f32> {
        let Basis { axes: [a, b, _], .. } = self.basis();
        match self.count {
            0 => identity(),
            1 => add_scaled(identity(), -1.0, square(a)),
            2 => square(a.cross(b)),
            _ => Symmetric::default(),
        }
    }

    /// The velocity at right angles to what is free at which the vertex has the speeds that `speed` gives for the
    /// planes.
    fn held_velocity(&self, speed: impl Fn(&Plane) -> f32) -> Vec3<f32> {
        let Basis { axes, along } = self.basis();
        let mut velocity = Vec3::zero();
        let mut found = [0.0; 3];
        for (i, plane) in self.list().iter().enumerate() {
            let known: f32 = (0..i).map(|j| along[i][j] * found[j]).sum();
            found[i] = (speed(plane) - known) / along[i][i];
            velocity += axes[i] * found[i];
        }
        velocity
    }

    /// That which the planes prescribe when the step ends \[m/s\].
    pub fn prescribed(&self) -> Vec3<f32> {
        self.held_velocity(|plane| plane.speed)
    }

    /// That with which the vertex goes on after the step: with the obstacles, unless it bounces off them \[m/s\].
    pub fn kept(&self) -> Vec3<f32> {
        self.held_velocity(|plane| {
            if plane.bounces { plane.speed } else { plane.normal.dot(plane.surface) }
        })
    }

    /// The velocity along the surface at which the vertex is at rest there: that of the obstacle that it met first
    /// \[m/s\].
    pub fn rest(&self) -> Vec3<f32> {
        times(&self.free(), self.list[0].surface)
    }

    /// λ of each plane, from the impulse that it takes to prescribe what they do \[kg·m/s\].
    pub fn pushes(&self, impulse: Vec3<f32>) -> [f32; 3] {
        let Basis { axes, along } = self.basis();
        let mut pushes = [0.0; 3];
        for j in (0..self.count).rev() {
            let others: f32 = (j + 1..self.count).map(|i| along[i][j] * pushes[i]).sum();
            pushes[j] = (axes[j].dot(impulse) - others) / along[j][j];
        }
        pushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    fn plane(normal: [f32; 3], speed: f32) -> Plane {
        let n = Vec3::from(normal);
        Plane { normal: n * (1.0 / n.length()), speed, ..Plane::default() }
    }

    fn planes(list: &[Plane]) -> Planes {
        let mut planes = Planes::default();
        list.iter().for_each(|&plane| assert!(planes.add(plane)));
        planes
    }

    #[test]
    fn planes_take_their_directions_and_leave_the_others() {
        let all = [
            plane([1.0, 2.0, 3.0], 0.5),
            plane([0.3, -1.0, 0.2], -2.0),
            plane([0.0, 1.0, 1.0], 1.0),
        ];
        for count in 1..=3 {
            let planes = planes(&all[..count]);
            let free = planes.free();
            let v = vec3(0.7, -0.2, 1.9);
            let kept = times(&free, v);
            // P² = P, and its trace is the number of free directions.
            assert!((times(&free, kept) - kept).length() < 1e-6);
            assert!((free[0].iter().sum::<f32>() - (3 - count) as f32).abs() < 1e-6);
            let end = kept + planes.prescribed();
            for plane in planes.list() {
                assert!(kept.dot(plane.normal).abs() < 1e-6);
                assert!((end.dot(plane.normal) - plane.speed).abs() < 1e-5, "{count}: {plane:?}");
            }
        }
    }

    #[test]
    fn impulses_are_shared_by_the_planes_that_give_them() {
        let planes = planes(&[
            plane([0.0, 0.2, 1.0], 0.0),
            plane([1.0, 0.0, 0.3], 0.0),
            plane([0.1, 1.0, -0.4], 0.0),
        ]);
        let given = [2.0, -0.5, 3.0];
        let sum = planes.list().iter().zip(given).fold(Vec3::zero(), |s, (p, g)| s + p.normal * g);
        let found = planes.pushes(sum);
        assert!(found.iter().zip(given).all(|(f, g)| (f - g).abs() < 1e-5), "{found:?}");
    }

    #[test]
    fn what_is_nearly_parallel_does_not_hold_as_well() {
        let mut planes = planes(&[plane([0.0, 0.0, 1.0], 0.0)]);
        assert!(!planes.add(plane([0.01, 0.0, 1.0], 0.0)));
        assert!(!planes.add(plane([0.0, 0.05, -1.0], 0.0)));
        assert!(planes.add(plane([0.3, 0.0, 1.0], 0.0)));
        assert!(!planes.replace(1, plane([0.0, 0.01, 1.0], 0.0)));
        assert!(planes.replace(1, plane([0.0, 1.0, 0.0], 0.0)));
        planes.retain(|place| place == 1);
        assert_eq!(planes.list(), [plane([0.0, 1.0, 0.0], 0.0)]);
    }
}
