//! What colours mean. Ranges come from the scene, not from frames: a film is drawn while the run goes
//! on, and its colours must mean the same from the first frame to the last.

use pliant_render::Colouring;
use pliant_sim::Simulator;
use pliant_sim::scene::{Picture, PictureColour, Stiffness};

/// Fully red is this many times the mean weight of a vertex.
const WEIGHTS: f64 = 10.0;
/// The greatest stress on the scale, as part of Young's modulus.
const STRAIN: f64 = 0.25;
/// The greatest displacement on the scale, in sizes of the largest body.
const MOVED: f64 = 0.1;
/// What is smaller than this part of the usual scale is rounding: of stress, on whose scale there is a
/// quarter of Young's modulus, strains of about 10⁻⁶, which are a few units in the last place of
/// coordinates in single precision, seen from one end of an edge to the other.
const NOISE: f32 = 4e-6;
/// Standard gravity, where the world has none \[m/s²\].
const GRAVITY: f64 = 9.81;

/// The colouring that `picture` asks for.
pub fn colouring(sim: &Simulator, picture: &Picture) -> Colouring {
    let usual = || match &picture.colour {
        PictureColour::Field(name) => field_range(sim.model().field_range(name)),
        measured => [0.0, top(sim, measured)],
    };
    let given = picture.range.map(|range| range.map(|x| x as f32));
    by_values(&picture.colour, given.unwrap_or_else(usual))
}

/// Where the scale of what is measured ends; 1 for what is not.
fn top(sim: &Simulator, colour: &PictureColour) -> f32 {
    let top = match colour {
        PictureColour::Force | PictureColour::Contact => force(sim),
        PictureColour::Stress => stress(sim),
        PictureColour::Speed => speed(sim),
        PictureColour::Displacement => displacement(sim),
        PictureColour::Body | PictureColour::Plain | PictureColour::Field(_) => 1.0,
    };
    rounded_up(top) as f32
}

/// Where the scales of a scene end, whatever happens: of [`PictureColour::ALL`], in that order.
pub(super) fn tops(sim: &Simulator) -> [f32; PictureColour::ALL.len()] {
    PictureColour::ALL.map(|colour| top(sim, &colour))
}

/// The range for `values`: up to what few exceed. If all are as small as what rounding makes of nothing,
/// it is the usual one up to `usual`, on which rest looks like rest.
pub(super) fn fitted(values: &[f32], usual: f32) -> [f32; 2] {
    let (largest, top) = (values.iter().copied().fold(0.0, f32::max), usual_top(values));
    [0.0, if largest.min(top) < NOISE * usual { usual } else { top }]
}

/// The colouring of values in a range.
pub fn by_values(colour: &PictureColour, range: [f32; 2]) -> Colouring {
    let field = |unit: &str| Colouring::Field {
        range,
        name: colour.name().to_owned(),
        unit: unit.to_owned(),
    };
    match colour {
        PictureColour::Body => Colouring::Body,
        PictureColour::Plain => Colouring::Plain,
        PictureColour::Force => Colouring::Force { reference: range[1] },
        PictureColour::Stress => Colouring::Stress { range },
        PictureColour::Speed => Colouring::Speed { range },
        PictureColour::Contact => field("N"),
        PictureColour::Displacement => field("m"),
        PictureColour::Field(_) => field(""),
    }
}

/// The scale of a field with these least and greatest numbers: all of it, for what a file holds does not
/// change while a run goes on.
pub fn field_range(extent: Option<[f32; 2]>) -> [f32; 2] {
    match extent {
        Some([low, high]) if high > low => [low, high],
        Some([all, _]) => {
            // A range that single precision can tell from none.
            let half = (1e-6 * all.abs()).max(0.5);
            [all - half, all + half]
        }
        None => [0.0, 1.0],
    }
}

/// Gives a colouring by values another range.
pub fn set_range(colouring: &mut Colouring, new: [f32; 2]) {
    match colouring {
        Colouring::Plain | Colouring::Body => {}
        Colouring::Force { reference } => *reference = new[1],
        Colouring::Stress { range }
        | Colouring::Speed { range }
        | Colouring::Field { range, .. } => *range = new,
    }
}

/// The value that one of fifty exceeds, rounded up: where a scale may end without letting a few
/// outliers take all its colours.
pub fn usual_top(values: &[f32]) -> f32 {
    let mut sizes: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let last = sizes.len().saturating_sub(1);
    let at = last - last / 50;
    if sizes.is_empty() {
        return 1.0;
    }
    let (_, top, _) = sizes.select_nth_unstable_by(at, f32::total_cmp);
    rounded_up(f64::from(*top)) as f32
}

/// Several times the mean weight of a vertex \[N\].
fn force(sim: &Simulator) -> f64 {
    let mass = &sim.model().mass;
    let mean = mass.iter().map(|&m| f64::from(m)).sum::<f64>() / mass.len().max(1) as f64;
    WEIGHTS * mean * gravity(sim)
}

/// A part of the modulus of the bodies that have volume, in the geometric mean \[Pa\].
fn stress(sim: &Simulator) -> f64 {
    let bodies = sim.model().bodies.iter().filter(|b| !b.tets.is_empty());
    let modulus = bodies.map(|b| match b.material.stiffness {
        Stiffness::Young(young) => young,
        Stiffness::Cloth(cloth) => cloth.stretch[0] / b.edge.max(f64::MIN_POSITIVE),
        Stiffness::Spring(stiffness) => stiffness / b.edge.max(f64::MIN_POSITIVE),
    });
    let logarithms: Vec<f64> = modulus.map(f64::ln).filter(|l| l.is_finite()).collect();
    STRAIN * (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

/// A part of the size of the largest body \[m\].
fn displacement(sim: &Simulator) -> f64 {
    MOVED * sim.model().bodies.iter().map(|b| b.size).fold(0.0, f64::max)
}

/// The speed of a fall from the highest point to the floor, or without a floor by the size of the
/// bodies; at least the speed at the start \[m/s\].
fn speed(sim: &Simulator) -> f64 {
    let Some(bounds) = super::shot::start_bounds(sim) else { return 1.0 };
    let floor = sim.world().bounds.as_ref().map(|b| b.corners()[0][2]);
    let height = floor.map(|f| bounds.max[2] - f).filter(|h| *h > 0.0);
    let height = height.unwrap_or(2.0 * bounds.radius());
    let length = |v: &[f32; 3]| v.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
    let start = sim.model().start_velocity.iter().map(length).fold(0.0, f64::max);
    (2.0 * gravity(sim) * height).sqrt().max(start)
}

fn gravity(sim: &Simulator) -> f64 {
    let g = sim.world().gravity.iter().map(|c| c * c).sum::<f64>().sqrt();
    if g > 0.0 { g } else { GRAVITY }
}

/// The next number of the form 1, 2 or 5 times a power of ten; 1 for what is no size.
pub(super) fn rounded_up(x: f64) -> f64 {
    if !(x.is_finite() && x > 1e-30) {
        return 1.0;
    }
    let power = 10f64.powf(x.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * power);
    steps.into_iter().find(|s| *s >= x * (1.0 - 1e-9)).unwrap_or(x)
}
