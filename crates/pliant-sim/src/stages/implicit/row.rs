//! One contact of an implicit step, with a collider or between bodies: the readable truth.
//!
//! # Theory
//!
//! A *row* knows the velocity u at which its corners move relative to each other when the step ends. Along its
//! normal it wants at least some speed s, so that nothing comes nearer than it may; along the surface friction
//! wants rest, or rather the way back to where it took hold. Both are *augmented Lagrangians* (Alart & Curnier
//! 1991, *A mixed formulation for frictional contact problems*): impulses λ and τ are known from before, and with
//! a stiffness κ they become
//!
//! > λ ← max(0, λ + κ (s − u·n)),  τ ← τ + κ u∥
//!
//! In the system a row is what this gives as a linear function of u: a constant impulse, and a slope of the
//! matrix that is symmetric and never negative. After each solve the impulses are improved; when they change no
//! more, rows want nothing that they do not get, whatever κ is. Unlike a force of penalty it lets nothing sink in,
//! and what sticks does not creep.
//!
//! Where τ would be more than Coulomb's μ λ, the row *slides*: as at [walls](super::contact), a resistance
//! c = μ λ/|u∥| belongs to the matrix, which brakes whatever the solution is. (An impulse μ λ against the
//! velocity found last is the textbook's projection of τ. It drives what it should brake as soon as that stops:
//! directions flip from solve to solve, and blocks on slopes flew away.) It is found as quickly because 1/|u∥| is
//! nearly linear in c. The way back to the anchor counts here, too, so that what hardly slides comes to rest.

use super::contact::Contact;
use super::planes::{Symmetric, add_scaled, identity, square};
use crate::math::Vec3;

/// What a row is in the system: the impulse on its first side as a linear function of the relative velocity u. It
/// is kept in factors: of a matrix, what rounding does to the stiff direction would brake what slides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// The normal.
    pub normal: Vec3<f32>,
    /// λ \[kg·m/s\].
    pub push: f32,
    /// The speed that is wanted along the normal \[m/s\].
    pub wanted: f32,
    /// What it pulls along the surface with if nothing moves there \[kg·m/s\].
    pub pull: Vec3<f32>,
    /// Slopes along the normal and along the surface \[kg\].
    pub slopes: [f32; 2],
}

impl Response {
    /// The impulse at a relative velocity \[kg·m/s\].
    pub fn at(&self, u: Vec3<f32>) -> Vec3<f32> {
        let speed = self.normal.dot(u);
        let push = self.push + self.slopes[0] * (self.wanted - speed);
        self.normal * push - self.pull - (u - self.normal * speed) * self.slopes[1]
    }

    /// How much less the impulse is than at rest: the product with the slope.
    pub fn times(&self, u: Vec3<f32>) -> Vec3<f32> {
        let speed = self.normal.dot(u);
        self.normal * (self.slopes[0] * speed) + (u - self.normal * speed) * self.slopes[1]
    }

    /// The slope as a matrix \[kg\].
    pub fn matrix(&self) -> Symmetric<f32> {
        let [across, along] = self.slopes;
        let all = add_scaled(Symmetric::default(), along, identity());
        add_scaled(all, across - along, square(self.normal))
    }
}

/// What friction does in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grip {
    /// There is no contact.
    #[default]
    Open,
    /// It holds on.
    Sticks,
    /// It brakes with all it has.
    Slides,
}

/// A contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Unit vector from the second side to the first.
    pub normal: Vec3<f32>,
    /// The speed along the normal that it wants at least \[m/s\].
    pub wanted: f32,
    /// The velocity along the surface against which friction acts at rest: the way back to its anchor \[m/s\].
    pub back: Vec3<f32>,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// The part of λ that presses for friction: where neighbours pull meanwhile, λ is too large by that.
    pub pressing: f32,
    /// κ \[kg\].
    pub stiffness: f32,
    /// λ \[kg·m/s\].
    pub push: f32,
    /// τ, against the first side \[kg·m/s\].
    pub pull: Vec3<f32>,
    /// What friction does.
    pub grip: Grip,
    /// The resistance c of what slides \[kg\], that in the solve before the last one, and the speed that came of
    /// that \[m/s\].
    pub resistance: f32,
    /// See `resistance`.
    pub before: [f32; 2],
    /// The largest resistance, over κ.
    pub most_resistance: f32,
    /// How often it has stopped sticking.
    pub slips: u8,
    /// What it gave in the last solve \[kg·m/s\].
    pub given: Vec3<f32>,
    /// What it is in the system.
    pub response: Response,
}

/// The part of all impulses that may still change when they count as found.
pub const FOUND: f64 = 5e-3;
/// The part of what friction may do at most by which it may do more.
const EXCESS: f32 = 1e-3;
/// After so many times in a step it does not stick again.
const MOST_SLIPS: u8 = 3;
/// How much faster or slower than found it may be thought to become.
const MOST_CHANGE: f32 = 8.0;

/// What may change in a row after a solve, so that the search comes to an end.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// Contacts may open.
    pub may_leave: bool,
    /// Friction of what slides is updated.
    pub may_change_friction: bool,
}

impl Row {
    /// The part of a vector along the surface.
    pub fn along(&self, u: Vec3<f32>) -> Vec3<f32> {
        u - self.normal * self.normal.dot(u)
    }

    /// The first guess, from λ, τ and the relative velocity when the step begins: contact if something pushes already
    /// or would come too near. What is at rest sticks.
    pub fn begin(&mut self, u: Vec3<f32>) {
        let is_open = self.push <= 0.0 && u.dot(self.normal) >= self.wanted;
        let limit = self.friction * self.push;
        let (speed, pull) = (self.along(u + self.back).length(), self.pull.length());
        // What held on may have been let go meanwhile, as by another gravity.
        let is_slow = speed * self.stiffness <= MOST_CHANGE * limit;
        let sticks =
            if pull > 0.0 { is_slow && pull < (1.0 - EXCESS) * limit } else { speed == 0.0 };
        self.grip = match (is_open, sticks && self.friction > 0.0) {
            (true, _) => Grip::Open,
            (_, true) => Grip::Sticks,
            _ => Grip::Slides,
        };
        if self.grip == Grip::Slides {
            self.slide(speed, limit);
        }
        self.respond();
    }

    /// Friction of impulse `most` against a velocity of size `speed`.
    fn slide(&mut self, speed: f32, most: f32) {
        let largest = self.most_resistance * self.stiffness;
        self.resistance = if most > 0.0 { (most / speed).min(largest) } else { 0.0 };
    }

    /// λ and τ once the relative velocity that they lead to is known. Returns how much they have changed
    /// \[kg·m/s\].
    pub fn improve(&mut self, u: Vec3<f32>, freedom: Freedom) -> f32 {
        let was_open = self.grip == Grip::Open;
        self.given = self.response.at(u);
        let push = (self.push + self.stiffness * (self.wanted - u.dot(self.normal))).max(0.0);
        let mut change = (push - self.push).abs();
        self.push = push;
        if push == 0.0 && (was_open || freedom.may_leave) {
            self.grip = Grip::Open;
        } else if was_open {
            let speed = self.along(u).length();
            (self.pull, self.before) = (Vec3::zero(), [0.0; 2]);
            let sticks = speed == 0.0 && self.friction > 0.0;
            self.grip = if sticks { Grip::Sticks } else { Grip::Slides };
            self.slide(speed, self.friction * self.pressing * push);
        } else {
            change += self.improve_friction(u, freedom);
        }
        self.respond();
        change
    }

    fn improve_friction(&mut self, u: Vec3<f32>, freedom: Freedom) -> f32 {
        let speed = self.along(u + self.back).length();
        let most = self.friction * self.push;
        if self.grip == Grip::Sticks {
            let pull = self.along(self.pull + (u + self.back) * self.stiffness);
            let excess = pull.length() - most;
            if excess <= EXCESS * most {
                let change = (pull - self.pull).length();
                self.pull = pull;
                return change;
            }
            // As fast as if nothing else moved: friction is too large rather than too small, should the search
            // end here. The next solve knows better.
            (self.grip, self.pull, self.before) = (Grip::Slides, Vec3::zero(), [0.0; 2]);
            self.slips = self.slips.saturating_add(1);
            self.slide(excess / self.stiffness, most);
            return excess.max(FOUND as f32 * most);
        }
        if !freedom.may_change_friction {
            return 0.0;
        }
        let most = most * self.pressing;
        let wanted = Contact::speed_with(self.resistance, self.before, speed, most);
        let wanted = wanted.max(speed / MOST_CHANGE).min(speed * MOST_CHANGE);
        // As slow as κ lets it be: then sticking changes next to nothing. (To stop what is expected to come to
        // rest is quicker where it does; one vertex that is stopped by mistake throws a stiff body off its way.)
        if wanted <= most / self.stiffness && self.slips < MOST_SLIPS && most > 0.0 {
            let pull = self.along(u + self.back) * self.resistance;
            let length = pull.length();
            self.pull = if length > most { pull * (most / length) } else { pull };
            self.grip = Grip::Sticks;
            return (most - length).abs();
        }
        let resistance = self.resistance;
        self.slide(wanted, most);
        self.before = [resistance, speed];
        (self.resistance - resistance).abs() * speed
    }

    /// The linear function of u that the row is now.
    fn respond(&mut self) {
        let Self { normal, push, wanted, stiffness: k, .. } = *self;
        self.response = match self.grip {
            Grip::Open => {
                (self.pull, self.resistance, self.before) = (Vec3::zero(), 0.0, [0.0; 2]);
                Response::default()
            }
            Grip::Sticks => {
                let pull = self.pull + self.along(self.back) * k;
                Response { normal, push, wanted, pull, slopes: [k, k] }
            }
            Grip::Slides => {
                let (slopes, pull) =
                    ([k, self.resistance], self.along(self.back) * self.resistance);
                Response { normal, push, wanted, pull, slopes }
            }
        };
    }
}
