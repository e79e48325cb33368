//! The world that all bodies share.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Contact, ShapeSettings, Wind, forms};

/// What acts on every body: gravity, damping, time and the box around it all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// Acceleration of every free vertex \[m/s²\].
    pub gravity: [f64; 3],
    /// Extra force on every free vertex, such as wind \[N\].
    pub external_force: [f64; 3],
    /// Mass-proportional damping: rate c at which velocity fades, a = F/m − c v \[1/s\].
    pub damping: f64,
    /// A spring yields for good when its force exceeds this fraction of stiffness × rest length;
    /// 0 turns yielding off.
    pub plasticity: f64,
    /// Simulated time of one step \[s\].
    pub timestep: f64,
    /// Equal parts into which each step is divided, at least 1.
    pub substeps: u32,
    /// How positions and velocities advance.
    pub integrator: Integrator,
    /// How the equations of implicit steps are solved.
    ///
    /// They are stable whatever these numbers are. With one linearisation per step turning bodies are
    /// braked: one of 1 MPa that turns at 3 rad/s keeps 8 % of its angular momentum after a second in
    /// steps of 20 ms, and 86 % with two iterations of Newton.
    pub implicit: Implicit,
    /// How a GPU adds up the forces at a vertex. The CPU has one way of its own.
    pub accumulation: Accumulation,
    /// The box that nothing leaves, or `None` for open space. Its key in TOML is `box`.
    #[serde(rename = "box", with = "forms::bounds")]
    pub bounds: Option<WorldBox>,
    /// How bodies touch each other and themselves; without it they pass through each other.
    #[serde(with = "forms::contact", skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// The air that acts on surfaces; without it bodies move in empty space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
    /// How bodies are drawn back to their shapes that have shape matching and do not say so themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape_matching: Option<ShapeSettings>,
    /// Whether a diverging step is tried again with smaller substeps instead of ending the run.
    pub auto_substeps: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            gravity: [0.0, 0.0, -9.81],
            external_force: [0.0; 3],
            damping: 0.35,
            plasticity: 0.0,
            timestep: 0.004,
            substeps: 1,
            integrator: Integrator::default(),
            implicit: Implicit::default(),
            accumulation: Accumulation::default(),
            bounds: Some(WorldBox::default()),
            contact: None,
            wind: None,
            shape_matching: None,
            auto_substeps: false,
        }
    }
}

/// The axis-aligned box that holds the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldBox {
    /// Extent along x, y and z \[m\].
    pub size: [f64; 3],
    /// Middle of the box \[m\]; without it the box is centred in x and y and stands on z = 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Share of the normal velocity that a wall gives back, 0 (none) to 1 (all).
    pub restitution: f64,
    /// Coulomb friction coefficient of the walls; 0 is perfectly slippery.
    pub friction: f64,
}

impl Default for WorldBox {
    fn default() -> Self {
        Self { size: [15.0; 3], center: None, restitution: 0.0, friction: 0.0 }
    }
}

impl WorldBox {
    /// The lowest and the highest corner \[m\].
    pub fn corners(&self) -> [[f64; 3]; 2] {
        let center = self.center.unwrap_or([0.0, 0.0, 0.5 * self.size[2]]);
        [-0.5, 0.5].map(|side| std::array::from_fn(|k| center[k] + side * self.size[k]))
    }
}

/// How the equations of implicit steps are solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Implicit {
    /// What may be left of the right-hand side of a linear system, relative to it. In single precision
    /// 10⁻⁵ to 10⁻⁶ can be reached for soft bodies, less for stiff ones.
    pub tolerance: f64,
    /// Iterations of conjugate gradients for one linear system at most.
    pub max_iterations: u32,
    /// Linear systems per step at most: 1 linearises the forces once, more are Newton's iterations
    /// with a line search. Bodies that spin, move fast or are very stiff want 2 or more.
    pub newton_iterations: u32,
    /// What may be left of the imbalance of forces after Newton's iterations, relative to the first.
    pub newton_tolerance: f64,
}

impl Default for Implicit {
    fn default() -> Self {
        Self { tolerance: 1e-4, max_iterations: 500, newton_iterations: 1, newton_tolerance: 1e-3 }
    }
}

impl Implicit {
    /// The most iterations of either kind that may be asked for.
    pub const MOST_ITERATIONS: u32 = 100_000;
}

/// A scheme that advances positions and velocities by one substep.
///
/// In text the names are lower case with hyphens: `verlet`, `leap-frog`, `rk4`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// First order, position from the old velocity. Gains energy; for comparison only.
    ExplicitEuler,
    /// First order, position from the new velocity. Bounded energy.
    SymplecticEuler,
    /// Position Verlet, second order. The default.
    #[default]
    Verlet,
    /// Velocities half a step between positions, second order.
    LeapFrog,
    /// Verlet with velocities at the same time as positions, second order.
    VelocityVerlet,
    /// Verlet's positions with more accurate velocities.
    Beeman,
    /// Explicit trapezoid, second order, two force evaluations.
    Heun,
    /// Runge–Kutta midpoint, second order, two force evaluations.
    Rk2,
    /// Classical Runge–Kutta, fourth order, four force evaluations.
    Rk4,
    /// First order, forces at the end of the step. Stable at any timestep; loses energy.
    ImplicitEuler,
}

impl Integrator {
    /// Every integrator, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::ExplicitEuler,
        Self::SymplecticEuler,
        Self::Verlet,
        Self::LeapFrog,
        Self::VelocityVerlet,
        Self::Beeman,
        Self::Heun,
        Self::Rk2,
        Self::Rk4,
        Self::ImplicitEuler,
    ];

    /// Those that compute the end of a step from its start alone.
    pub const EXPLICIT: [Self; 9] = {
        let [explicit @ .., Self::ImplicitEuler] = Self::ALL else { unreachable!() };
        explicit
    };

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExplicitEuler => "explicit-euler",
            Self::SymplecticEuler => "symplectic-euler",
            Self::Verlet => "verlet",
            Self::LeapFrog => "leap-frog",
            Self::VelocityVerlet => "velocity-verlet",
            Self::Beeman => "beeman",
            Self::Heun => "heun",
            Self::Rk2 => "rk2",
            Self::Rk4 => "rk4",
            Self::ImplicitEuler => "implicit-euler",
        }
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Integrator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|i| i.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no integrator {text:?}; choose one of {names}")
        })
    }
}

/// How a GPU adds up the forces of springs and tetrahedra at their vertices. The results agree
/// within rounding; speed differs with mesh and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accumulation {
    /// Whichever moves the fewest bytes for the mesh at hand.
    #[default]
    Auto,
    /// Every vertex computes the forces of all its elements.
    Gather,
    /// Every element stores its forces, every vertex adds up those of its elements.
    EdgeGather,
    /// Every element adds its forces to its vertices in fixed point.
    EdgeScatter,
}

impl Accumulation {
    /// Every way, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Gather, Self::EdgeGather, Self::EdgeScatter];

    /// What `Auto` chooses from.
    pub const STRATEGIES: [Self; 3] = [Self::Gather, Self::EdgeGather, Self::EdgeScatter];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gather => "gather",
            Self::EdgeGather => "edge-gather",
            Self::EdgeScatter => "edge-scatter",
        }
    }
}

impl fmt::Display for Accumulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Accumulation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|a| a.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no accumulation {text:?}; choose one of {names}")
        })
    }
}
