//! The parameters that may change while bodies move, with their units.

use eframe::egui::{self, DragValue, Slider, SliderClamping, Ui, Widget};
use pliant_sim::Scene;
use pliant_sim::scene::{Body, Damping, Integrator, Mass, Stiffness, Volume, World, WorldBox};

use super::row;
use crate::keys;
use crate::layout::Layout;
use crate::places::Places;
use crate::tools::{Hand, Tool};

/// What keys make smaller and larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Of springs and volumes, of all bodies together.
    Hardness,
    /// Simulated time of a step.
    Timestep,
    /// How strongly everything falls.
    Gravity,
    /// How fast motion fades.
    Friction,
    /// How easily rest shapes give way.
    Plasticity,
    /// Of the hand.
    Radius,
    /// Of the hand.
    Strength,
}

impl Parameter {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Hardness,
        Self::Timestep,
        Self::Gravity,
        Self::Friction,
        Self::Plasticity,
        Self::Radius,
        Self::Strength,
    ];

    /// What its keys do.
    pub fn help(self) -> &'static str {
        match self {
            Self::Hardness => "softer, harder",
            Self::Timestep => "shorter, longer steps",
            Self::Gravity => "less, more gravity",
            Self::Friction => "less, more friction",
            Self::Plasticity => "yields later, sooner",
            Self::Radius => "smaller, larger hand",
            Self::Strength => "weaker, stronger hand",
        }
    }

    /// What a press of a key multiplies by.
    const FACTOR: f64 = 1.25;

    /// Makes it larger (or smaller) by one press of a key. Gives whether the scene was changed.
    pub fn change(self, is_more: bool, scene: &mut Scene, hand: &mut Hand) -> bool {
        let factor = if is_more { Self::FACTOR } else { 1.0 / Self::FACTOR };
        let world = &mut scene.world;
        match self {
            Self::Hardness => scene.bodies.iter_mut().for_each(|b| scale_hardness(b, factor)),
            Self::Timestep => world.timestep = (world.timestep * factor).clamp(1e-7, 0.1),
            Self::Gravity => world.gravity = stepped_gravity(world.gravity, is_more),
            Self::Friction => world.friction = from_zero(world.friction, factor, 0.1, 1e3),
            Self::Plasticity => world.plasticity = from_zero(world.plasticity, factor, 0.02, 10.0),
            Self::Radius => hand.radius = (hand.radius * factor).clamp(1e-6, 1e6),
            Self::Strength => match hand.tool {
                Tool::Drag => hand.stiffness = (hand.stiffness * factor).clamp(1e-9, 1e9),
                Tool::Push => hand.force = (hand.force * factor).clamp(1e-9, 1e9),
            },
        }
        !matches!(self, Self::Radius | Self::Strength)
    }
}

/// Multiplies, but leaves zero by a first step and returns to it below that.
fn from_zero(value: f64, factor: f64, first: f64, most: f64) -> f64 {
    match value * factor {
        _ if value == 0.0 && factor > 1.0 => first,
        small if small < first => 0.0,
        large => large.min(most),
    }
}

/// Gravity a tenth of the earth's stronger or weaker, along its own direction or down.
fn stepped_gravity(gravity: [f64; 3], is_more: bool) -> [f64; 3] {
    const STEP: f64 = 0.981;
    let size = gravity.iter().map(|c| c * c).sum::<f64>().sqrt();
    let direction = if size > 0.0 { gravity.map(|c| c / size) } else { [0.0, 0.0, -1.0] };
    let wanted = if is_more { size + STEP } else { (size - STEP).max(0.0) };
    // A tenth too little by rounding would show as −0.0000001.
    direction.map(|c| if wanted < 1e-9 { 0.0 } else { c * wanted })
}

/// Makes a body's springs and volumes harder, in step with each other.
pub fn scale_hardness(body: &mut Body, factor: f64) {
    let material = &mut body.material;
    material.volume = material.volume_force();
    match &mut material.stiffness {
        Stiffness::Young(k) | Stiffness::Hardness(k) => *k *= factor,
    }
    match &mut material.volume {
        Volume::None | Volume::Auto | Volume::Poisson(_) => {}
        Volume::Energy(k) | Volume::Thesis(k) => *k *= factor,
    }
}

/// Rows of labelled sliders.
struct Rows<'a> {
    ui: &'a mut Ui,
    places: &'a mut Places,
    /// Whether one of them was moved.
    changed: bool,
}

/// A number as it is shown: in another unit, between bounds that only dragging respects.
struct Shown<'a> {
    value: &'a mut f64,
    range: [f64; 2],
    /// How many of the shown unit make one of the value's.
    per_unit: f64,
    unit: &'static str,
    is_logarithmic: bool,
}

impl<'a> Shown<'a> {
    fn new(value: &'a mut f64, range: [f64; 2], unit: &'static str) -> Self {
        Self { value, range, per_unit: 1.0, unit, is_logarithmic: false }
    }

    fn logarithmic(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }

    fn times(self, per_unit: f64) -> Self {
        Self { per_unit, ..self }
    }
}

impl Rows<'_> {
    fn slider(&mut self, label: &str, name: &str, keys: Option<Parameter>, shown: Shown<'_>) {
        let Shown { value, range: [low, high], per_unit, unit, is_logarithmic } = shown;
        let mut number = *value * per_unit;
        let slider = Slider::new(&mut number, low..=high)
            .clamping(SliderClamping::Edits)
            .logarithmic(is_logarithmic)
            .smallest_positive(1e-4 * high)
            .suffix(unit);
        // Unmoved, the value keeps its bits.
        if self.add(label, name, keys, slider) {
            *value = number / per_unit;
        }
    }

    fn add(
        &mut self,
        label: &str,
        name: &str,
        keys: Option<Parameter>,
        widget: impl Widget,
    ) -> bool {
        let Self { ui, places, changed } = self;
        ui.horizontal(|ui| {
            fit_sliders(ui);
            show_label(ui, label);
            let is_moved = places.note(name, ui.add(widget)).changed();
            show_keys(ui, keys);
            *changed |= is_moved;
            is_moved
        })
        .inner
    }
}

/// Shows the world's parameters; gives whether something was changed.
pub fn show_world(ui: &mut Ui, scene: &mut Scene, places: &mut Places) -> bool {
    let world = &mut scene.world;
    let mut rows = Rows { ui, places, changed: false };
    // Not its negative, which shows no gravity as -0.
    let mut down = 0.0 - world.gravity[2];
    let before = down;
    let gravity = Shown::new(&mut down, [-20.0, 20.0], " m/s²");
    rows.slider("Gravity", "gravity", Some(Parameter::Gravity), gravity);
    if down != before {
        world.gravity[2] = 0.0 - down;
    }
    let friction = Shown::new(&mut world.friction, [0.0, 50.0], " 1/s").logarithmic();
    rows.slider("Friction", "friction", Some(Parameter::Friction), friction);
    let plasticity = Shown::new(&mut world.plasticity, [0.0, 1.0], "").logarithmic();
    rows.slider("Plasticity", "plasticity", Some(Parameter::Plasticity), plasticity);
    let timestep = Shown::new(&mut world.timestep, [1e-3, 20.0], " ms").times(1e3).logarithmic();
    rows.slider("Timestep", "timestep", Some(Parameter::Timestep), timestep);
    let substeps = Slider::new(&mut world.substeps, 1..=64).clamping(SliderClamping::Edits);
    rows.add("Substeps", "substeps", None, substeps);
    let mut changed = rows.changed;
    row(ui, |ui| {
        show_label(ui, "Wind").on_hover_text("extra force on every vertex along x, y and z");
        for (force, axis) in world.external_force.iter_mut().zip(["x", "y", "z"]) {
            let mut millinewton = *force * 1e3;
            let value = DragValue::new(&mut millinewton).speed(0.01).max_decimals(3);
            let value = value.prefix(format!("{axis} ")).suffix(" mN");
            if places.note(&format!("wind {axis}"), ui.add(value)).changed() {
                *force = millinewton * 1e-3;
                changed = true;
            }
        }
    });
    ui.horizontal(|ui| {
        show_label(ui, "Integrator");
        let choice =
            egui::ComboBox::from_id_salt("integrator").selected_text(world.integrator.name());
        choice.show_ui(ui, |ui| {
            for way in Integrator::ALL {
                changed |= ui.selectable_value(&mut world.integrator, way, way.name()).changed();
            }
        });
    });
    if world.integrator == Integrator::ImplicitEuler || scene.bodies.iter().any(|b| b.implicit) {
        changed |= show_implicit(ui, world, places);
    }
    changed |= show_walls(ui, world, places);
    changed | ui.checkbox(&mut world.auto_substeps, "shorten steps that would come apart").changed()
}

/// How implicit steps are solved.
fn show_implicit(ui: &mut Ui, world: &mut World, places: &mut Places) -> bool {
    let implicit = &mut world.implicit;
    let mut rows = Rows { ui, places, changed: false };
    let tolerance = Shown::new(&mut implicit.tolerance, [1e-7, 1e-1], "").logarithmic();
    rows.slider("Tolerance", "tolerance", None, tolerance);
    let most = Slider::new(&mut implicit.max_iterations, 1..=5000).logarithmic(true);
    rows.add("Iterations", "iterations", None, most.clamping(SliderClamping::Edits));
    let newton = Slider::new(&mut implicit.newton_iterations, 1..=50);
    rows.add("Newton", "newton", None, newton.clamping(SliderClamping::Edits));
    rows.changed
}

fn show_walls(ui: &mut Ui, world: &mut World, places: &mut Places) -> bool {
    let mut has_walls = world.bounds.is_some();
    let mut changed = ui.checkbox(&mut has_walls, "walls round the world").changed();
    if changed {
        world.bounds = has_walls.then(WorldBox::default);
    }
    let Some(walls) = &mut world.bounds else { return changed };
    row(ui, |ui| {
        show_label(ui, "Box");
        for side in &mut walls.size {
            let value = DragValue::new(side).speed(0.01).range(0.01..=1e4).suffix(" m");
            changed |= ui.add(value).changed();
        }
    });
    let mut rows = Rows { ui, places, changed };
    let friction = Shown::new(&mut walls.friction, [0.0, 2.0], "");
    rows.slider("Wall friction", "wall friction", None, friction);
    rows.slider("Bounce", "bounce", None, Shown::new(&mut walls.restitution, [0.0, 1.0], ""));
    rows.changed
}

/// Shows what a body is made of; gives whether something was changed.
pub fn show_material(ui: &mut Ui, body: &mut Body, index: usize, places: &mut Places) -> bool {
    let mut material = body.material.clone();
    material.volume = material.volume_force();
    let mut rows = Rows { ui, places, changed: false };
    let name = |what: &str| format!("{what} {index}");
    let stiffness = match &mut material.stiffness {
        Stiffness::Young(k) => Shown::new(k, [0.1, 1e4], " kPa").times(1e-3),
        Stiffness::Hardness(k) => Shown::new(k, [0.01, 1e5], " N/m"),
    };
    rows.slider("Stiffness", &name("stiffness"), None, stiffness.logarithmic());
    let volume = match &mut material.volume {
        Volume::None | Volume::Auto => None,
        Volume::Energy(k) => Some(Shown::new(k, [0.0, 1e4], " kPa").times(1e-3).logarithmic()),
        Volume::Thesis(k) => Some(Shown::new(k, [0.0, 1e6], " N/m³").logarithmic()),
        Volume::Poisson(ratio) => Some(Shown::new(ratio, Volume::POISSON, " (Poisson)")),
    };
    if let Some(volume) = volume {
        rows.slider("Volume", &name("volume"), None, volume);
    }
    let damping = match &mut material.damping {
        Damping::Time(time) => Shown::new(time, [0.0, 50.0], " ms").times(1e3),
        Damping::Coefficient(c) => Shown::new(c, [0.0, 1e3], " N·s/m"),
    };
    rows.slider("Damping", &name("damping"), None, damping.logarithmic());
    let mass = match &mut material.mass {
        Mass::Density(density) => Shown::new(density, [1e-3, 2e4], " kg/m³"),
        Mass::Total(mass) => Shown::new(mass, [1e-4, 1e4], " kg"),
        Mass::Vertex(mass) => Shown::new(mass, [1e-3, 1e6], " g/vertex").times(1e3),
    };
    rows.slider("Mass", &name("mass"), None, mass.logarithmic());
    let changed = rows.changed;
    if changed {
        body.material = material;
    }
    changed
}

/// Shows what the hand does. `scale` is the size of the scene \[m\].
pub fn show_hand(ui: &mut Ui, hand: &mut Hand, scale: f64, places: &mut Places) {
    ui.horizontal(|ui| {
        let drag = ui.selectable_value(&mut hand.tool, Tool::Drag, "Drag");
        places
            .note("tool drag", drag)
            .on_hover_text("grab a body with the left button and pull it");
        let push = ui.selectable_value(&mut hand.tool, Tool::Push, "Push");
        places.note("tool push", push).on_hover_text(
            "push along the line of sight; with Ctrl the left button does the other",
        );
    });
    let mut rows = Rows { ui, places, changed: false };
    let radius = Shown::new(&mut hand.radius, [1e-3 * scale, scale], " m").logarithmic();
    rows.slider("Radius", "radius", Some(Parameter::Radius), radius);
    let strength = match hand.tool {
        Tool::Drag => Shown::new(&mut hand.stiffness, [1e-3, 1e5], " N/m"),
        Tool::Push => Shown::new(&mut hand.force, [1e-6, 1e3], " N"),
    };
    rows.slider("Strength", "strength", Some(Parameter::Strength), strength.logarithmic());
    if hand.tool == Tool::Drag {
        let speed = Shown::new(&mut hand.speed, [0.01 * scale, 100.0 * scale], " m/s");
        rows.slider("Speed", "speed", None, speed.logarithmic());
    }
}

/// Room for a row's name \[points\].
const LABEL: f32 = 78.0;
/// Room for its value and unit, in large letters \[points\].
const VALUE: f32 = 118.0;

/// Lets sliders fill the width of a phone.
fn fit_sliders(ui: &mut Ui) {
    if Layout::of(ui.ctx()).is_small() {
        let rest = LABEL + VALUE + 3.0 * ui.spacing().item_spacing.x;
        ui.spacing_mut().slider_width = (ui.available_width() - rest).clamp(60.0, 400.0);
    }
}

fn show_label(ui: &mut Ui, text: &str) -> egui::Response {
    let left = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(egui::vec2(LABEL, ui.spacing().interact_size.y), left, |ui| {
        ui.set_min_width(LABEL);
        ui.label(text)
    })
    .inner
}

/// The keys of a parameter, in small letters beside it.
fn show_keys(ui: &mut Ui, parameter: Option<Parameter>) {
    let has_room = !Layout::of(ui.ctx()).is_small();
    if let Some([less, more]) = parameter.filter(|_| has_room).and_then(keys::of_parameter) {
        ui.weak(format!("{less} {more}")).on_hover_text("keys that make it smaller and larger");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_change_what_they_say() {
        let mut scene = (pliant_scenes::ALL[0].build)();
        let before = scene.clone();
        let mut hand = Hand::default();
        for parameter in Parameter::ALL {
            let is_of_scene = parameter.change(true, &mut scene, &mut hand);
            let is_of_hand = matches!(parameter, Parameter::Radius | Parameter::Strength);
            assert_eq!(is_of_scene, !is_of_hand);
        }
        assert!(scene.world.timestep > before.world.timestep);
        assert!(scene.world.gravity[2] < before.world.gravity[2]);
        assert!(scene.world.friction > before.world.friction);
        assert!(scene.world.plasticity > 0.0);
        assert_ne!(scene.bodies[0].material, before.bodies[0].material);
        assert!(hand.radius > Hand::default().radius);
        for parameter in Parameter::ALL {
            for _ in 0..200 {
                parameter.change(false, &mut scene, &mut hand);
            }
        }
        scene.validate().unwrap();
        assert_eq!((scene.world.friction, scene.world.plasticity), (0.0, 0.0));
        assert_eq!(scene.world.gravity, [0.0; 3]);
    }
}
