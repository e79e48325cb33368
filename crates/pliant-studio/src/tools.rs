//! What a hand does, and how strongly.

use pliant_sim::Simulator;

/// What the left button does to a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Grabs and pulls.
    #[default]
    Drag,
    /// Pushes along the line of sight.
    Push,
}

/// The hand's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// What it does.
    pub tool: Tool,
    /// Of the ball that is grabbed and of the cylinder that is pushed \[m\].
    pub radius: f64,
    /// How fast a dragging hand follows the cursor \[m/s\].
    pub speed: f64,
    /// Stiffness of the rubber band at each grabbed vertex \[N/m\].
    pub stiffness: f64,
    /// Force on each vertex that is pushed \[N\].
    pub force: f64,
}

/// The hand's radius, in sizes of the smallest body.
const RADIUS: f64 = 0.15;
/// A tenth of a body's size of rubber band lifts this many times its weight.
const LIFT: f64 = 8.0;
/// A push is this many times the weight of each vertex: enough to bend soft bodies, not to crush them.
const PUSH: f64 = 2.0;
/// The most that a rubber band may move a vertex in one step, as part of the band's length: harder ones
/// would be too much for explicit steps.
const HARDEST: f64 = 0.05;
/// Standard gravity, where the world has none \[m/s²\].
const GRAVITY: f64 = 9.81;

impl Hand {
    /// A hand that can lift and press the bodies of a scene.
    pub fn for_scene(sim: &Simulator) -> Self {
        let model = sim.model();
        let sizes = model.bodies.iter().map(|b| b.size);
        let size = sizes.fold(f64::INFINITY, f64::min);
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        let count = (model.vertex_count() / model.bodies.len().max(1)).max(1) as f64;
        let mass = model.mass.iter().map(|&m| f64::from(m)).sum::<f64>();
        let mass = mass / model.bodies.len().max(1) as f64;
        let g = sim.world().gravity.iter().map(|c| c * c).sum::<f64>().sqrt();
        let weight = mass * if g > 0.0 { g } else { GRAVITY };
        // The part of a body's vertices that a ball of this radius holds.
        let radius = RADIUS * size;
        let held = (count * RADIUS.powi(3) * 4.0).max(1.0);
        let step = sim.world().timestep / f64::from(sim.substeps().max(1));
        let hardest = HARDEST * mass / count / (step * step);
        Self {
            tool: Tool::Drag,
            radius,
            speed: 6.0 * size,
            stiffness: (LIFT * weight / (0.1 * size * held)).min(hardest),
            force: PUSH * weight / count,
        }
    }
}

impl Default for Hand {
    fn default() -> Self {
        Self { tool: Tool::Drag, radius: 0.05, speed: 4.0, stiffness: 10.0, force: 0.1 }
    }
}
