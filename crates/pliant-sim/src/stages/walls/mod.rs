//! The world box: vertices that leave it are put back and lose their outward velocity.
//!
//! Echtler 2004 clamps the coordinate only. With velocity as a variable of its own that is not
//! enough: gravity would go on adding to it, and a body that is lifted would shoot out. So the
//! outward normal velocity becomes −e times itself (restitution e), and the tangential one loses at
//! most μ times the normal change (Coulomb friction μ).
//!
//! What friction leaves of the tangential velocity it leaves of the way along the wall, too: a vertex
//! that it stops has not moved. Were only the velocity taken, each step would begin with a small slide
//! that nobody stops, and a block on a slope would creep downhill for ever.

pub mod formula;

pub use formula::Walls;

#[cfg(test)]
mod tests {
    use super::formula::*;
    use crate::math::{Vec3, vec3};

    fn walls(restitution: f64, friction: f64) -> Walls<f64> {
        let (low, high) = (vec3(-1.0, -1.0, 0.0), vec3(1.0, 1.0, 2.0));
        Walls { low, high, restitution, friction }
    }

    #[test]
    fn inside_nothing_happens() {
        let (x, v) = (vec3(0.0, 0.5, 0.0), vec3(1.0, 2.0, -3.0));
        assert!(walls(0.5, 1.0).contains(x));
        assert_eq!(collide(&walls(0.5, 1.0), Vec3::zero(), x, v), Collided { x, v });
        let (mut at, mut compensation, mut after) = (x.into(), [1e-9; 3], v.into());
        put_back(Vec3::zero(), [&mut at, &mut compensation, &mut after], &walls(0.5, 1.0));
        assert_eq!((at, compensation, after), (x.into(), [1e-9; 3], v.into()));
    }

    #[test]
    fn the_floor_gives_back_what_restitution_says_and_friction_brakes() {
        let (x, v) = (vec3(0.3, 0.4, -0.1), vec3(3.0, 4.0, -2.0));
        let Collided { x, v } = collide(&walls(0.5, 0.25), vec3(0.0, 0.0, 0.1), x, v);
        // Normal change 3 m/s, so friction takes 0.75 of the 5 m/s along the floor, and as much of
        // the way.
        assert!((x - vec3(0.3 * 0.85, 0.4 * 0.85, 0.0)).length() < 1e-12);
        assert!((v - vec3(3.0 * 0.85, 4.0 * 0.85, 1.0)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_already_moving_in_keeps_its_velocity() {
        let (x, v) = (vec3(1.5, 0.0, 1.0), vec3(-2.0, 1.0, 0.0));
        let back = collide(&walls(0.0, 1.0), x, x, v);
        assert_eq!((back.x.x, back.v), (1.0, v));
    }

    #[test]
    fn what_rounding_took_is_forgotten_where_a_wall_decides() {
        let (mut x, mut compensation, mut v) = ([1.5, 0.25, 1.0], [1e-9; 3], [-2.0, 1.0, 0.0]);
        put_back(vec3(1.5, 0.0, 1.0), [&mut x, &mut compensation, &mut v], &walls(0.0, 1.0));
        assert_eq!((x, compensation), ([1.0, 0.25, 1.0], [0.0, 1e-9, 1e-9]));
    }

    #[test]
    fn strong_friction_stops_but_never_reverses() {
        let (x, v) = (vec3(0.1, 0.0, -1.0), vec3(0.1, 0.0, -9.0));
        let back = collide(&walls(0.0, 5.0), Vec3::zero(), x, v);
        assert_eq!((back.x, back.v), (Vec3::zero(), Vec3::zero()));
    }

    #[test]
    fn a_corner_holds_what_one_of_its_walls_stops() {
        let (x, v) = (vec3(1.2, 0.1, -0.2), vec3(2.0, 1.0, -2.0));
        let back = collide(&walls(0.0, 5.0), vec3(0.9, 0.0, 0.1), x, v);
        assert_eq!((back.x, back.v), (vec3(1.0, 0.0, 0.0), Vec3::zero()));
    }
}
