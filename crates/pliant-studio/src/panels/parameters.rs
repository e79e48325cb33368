//! The parameters that may change while bodies move, with their units.

use eframe::egui::{self, DragValue, Slider, SliderClamping, Ui, Widget};
use pliant_sim::Scene;
use pliant_sim::scene::{
    Body, Control, ControlForm, Damping, Integrator, Live, LiveValue, Mass, Stiffness, Volume,
    Wind, World, WorldBox,
};

use super::row;
use crate::keys;
use crate::layout::Layout;
use crate::places::Places;
use crate::tools::{Hand, Tool};

/// What keys make smaller and larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Of springs and volumes, of all bodies together.
    Stiffness,
    /// Simulated time of a step.
    Timestep,
    /// How strongly everything falls.
    Gravity,
    /// How fast motion fades.
    Damping,
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
        Self::Stiffness,
        Self::Timestep,
        Self::Gravity,
        Self::Damping,
        Self::Plasticity,
        Self::Radius,
        Self::Strength,
    ];

    /// What its keys do.
    pub fn help(self) -> &'static str {
        match self {
            Self::Stiffness => "softer, harder",
            Self::Timestep => "shorter, longer steps",
            Self::Gravity => "less, more gravity",
            Self::Damping => "less, more damping",
            Self::Plasticity => "yields later, sooner",
            Self::Radius => "smaller, larger hand",
            Self::Strength => "weaker, stronger hand",
        }
    }

    /// The one that changes a parameter of the scene file.
    fn of(live: &Live) -> Option<Self> {
        match live.key {
            "world.timestep" => Some(Self::Timestep),
            "world.gravity" => Some(Self::Gravity),
            "world.damping" => Some(Self::Damping),
            "world.plasticity" => Some(Self::Plasticity),
            _ => None,
        }
    }

    /// What a press of a key multiplies by.
    const FACTOR: f64 = 1.25;

    /// Makes it larger (or smaller) by one press of a key. Returns whether the scene was changed.
    pub fn change(self, is_more: bool, scene: &mut Scene, hand: &mut Hand) -> bool {
        let factor = if is_more { Self::FACTOR } else { 1.0 / Self::FACTOR };
        let world = &mut scene.world;
        match self {
            Self::Stiffness => scene.bodies.iter_mut().for_each(|b| scale_stiffness(b, factor)),
            Self::Timestep => world.timestep = (world.timestep * factor).clamp(1e-7, 0.1),
            Self::Gravity => world.gravity = stepped_gravity(world.gravity, is_more),
            Self::Damping => world.damping = from_zero(world.damping, factor, 0.1, 1e3),
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

/// Makes a body's springs and volumes stiffer, in step with each other.
pub fn scale_stiffness(body: &mut Body, factor: f64) {
    let material = &mut body.material;
    material.volume = material.volume_force();
    match &mut material.stiffness {
        Stiffness::Young(k) | Stiffness::Spring(k) => *k *= factor,
        Stiffness::Cloth(cloth) => {
            let [warp, weft] = &mut cloth.stretch;
            let others = [&mut cloth.shear, &mut cloth.bend, &mut cloth.bending];
            for k in [warp, weft].into_iter().chain(others) {
                *k *= factor;
            }
        }
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
    /// What they are, for those who point at their names.
    help: &'static str,
}

/// A number as it is shown: in another unit, between bounds that only dragging respects.
struct Shown<'a> {
    value: &'a mut f64,
    range: [f64; 2],
    /// How many of the shown unit make one of the value's.
    per_unit: f64,
    unit: &'static str,
    is_logarithmic: bool,
    is_whole: bool,
}

impl<'a> Shown<'a> {
    fn new(value: &'a mut f64, range: [f64; 2], unit: &'static str) -> Self {
        Self { value, range, per_unit: 1.0, unit, is_logarithmic: false, is_whole: false }
    }

    /// As the table of live parameters has it.
    fn of(value: &'a mut f64, live: &Live) -> Self {
        let Control { form, range, unit, per_unit } = live.control;
        let range = range.map(|end| end * per_unit);
        let is_logarithmic = form == ControlForm::Logarithmic;
        Self { value, range, per_unit, unit, is_logarithmic, is_whole: live.is_count() }
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
        let Shown { value, range: [low, high], per_unit, unit, is_logarithmic, is_whole } = shown;
        let mut number = *value * per_unit;
        let slider = Slider::new(&mut number, low..=high)
            .clamping(SliderClamping::Edits)
            .logarithmic(is_logarithmic)
            .smallest_positive(1e-4 * high)
            .suffix(suffix(unit));
        let slider = if is_whole { slider.integer() } else { slider };
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
        let Self { ui, places, changed, help } = self;
        ui.horizontal(|ui| {
            fit_sliders(ui);
            let label = show_label(ui, label);
            if !help.is_empty() {
                label.on_hover_text(*help);
            }
            let is_moved = places.note(name, ui.add(widget)).changed();
            show_keys(ui, keys);
            *changed |= is_moved;
            is_moved
        })
        .inner
    }

    /// A field for each of three numbers.
    fn axes(&mut self, label: &str, name: &str, numbers: &mut [f64; 3], live: &Live) {
        let Self { ui, places, changed, help } = self;
        let Control { range: [low, high], per_unit, unit, .. } = live.control;
        row(ui, |ui| {
            show_label(ui, label).on_hover_text(*help);
            for (number, axis) in numbers.iter_mut().zip(["x", "y", "z"]) {
                let mut shown = *number * per_unit;
                let field = DragValue::new(&mut shown)
                    .speed(0.01)
                    .max_decimals(3)
                    .range(low * per_unit..=high * per_unit)
                    .clamp_existing_to_range(false)
                    .prefix(format!("{axis} "))
                    .suffix(suffix(unit));
                if places.note(&format!("{name} {axis}"), ui.add(field)).changed() {
                    *number = shown / per_unit;
                    *changed = true;
                }
            }
        });
    }
}

/// A unit behind a number.
fn suffix(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

/// Shows the live parameters of a table of the scene file; returns whether something was changed.
fn show_live(ui: &mut Ui, world: &mut World, table: &str, places: &mut Places) -> bool {
    let mut changed = false;
    for live in Live::ALL.iter().filter(|live| live.table_and_name().0 == table) {
        let Some(mut value) = live.get(world) else { continue };
        let mut rows = Rows { ui, places, changed: false, help: live.meaning };
        let (label, name, keys) = (live.label, live.label.to_lowercase(), Parameter::of(live));
        match &mut value {
            LiveValue::Number(number) => rows.slider(label, &name, keys, Shown::of(number, live)),
            LiveValue::Vector(vector) if live.control.form == ControlForm::Down => {
                // Not its negative, which shows no gravity as -0.
                let mut down = 0.0 - vector[2];
                rows.slider(label, &name, keys, Shown::of(&mut down, live));
                vector[2] = if rows.changed { 0.0 - down } else { vector[2] };
            }
            LiveValue::Vector(vector) => rows.axes(label, &name, vector, live),
        }
        // What a slider gives is of the right kind, and a box that is shown is there.
        changed |= rows.changed && live.set(world, value).is_ok();
    }
    changed
}

/// Shows the world's parameters; returns whether something was changed.
pub fn show_world(ui: &mut Ui, scene: &mut Scene, places: &mut Places) -> bool {
    let world = &mut scene.world;
    let mut changed = show_live(ui, world, "world", places);
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
        changed |= show_live(ui, world, "world.implicit", places);
    }
    changed |= show_walls(ui, world, places);
    changed |= show_live(ui, world, "world.contact", places);
    changed |= show_air(ui, world, places);
    changed | ui.checkbox(&mut world.auto_substeps, "shorten steps that would come apart").changed()
}

fn show_air(ui: &mut Ui, world: &mut World, places: &mut Places) -> bool {
    let mut has_air = world.wind.is_some();
    let changed = ui.checkbox(&mut has_air, "air").changed();
    if changed {
        world.wind = has_air.then(Wind::default);
    }
    changed | show_live(ui, world, "world.wind", places)
}

fn show_walls(ui: &mut Ui, world: &mut World, places: &mut Places) -> bool {
    let mut has_walls = world.bounds.is_some();
    let changed = ui.checkbox(&mut has_walls, "walls round the world").changed();
    if changed {
        world.bounds = has_walls.then(WorldBox::default);
    }
    changed | show_live(ui, world, "world.box", places)
}

/// Shows what a body is made of; returns whether something was changed.
pub fn show_material(ui: &mut Ui, body: &mut Body, index: usize, places: &mut Places) -> bool {
    let mut material = body.material.clone();
    material.volume = material.volume_force();
    let mut rows = Rows { ui, places, changed: false, help: "" };
    let name = |what: &str| format!("{what} {index}");
    let newtons = |k| Shown::new(k, [0.01, 1e5], "N/m").logarithmic();
    match &mut material.stiffness {
        Stiffness::Young(k) => {
            let shown = Shown::new(k, [0.1, 1e4], "kPa").times(1e-3).logarithmic();
            rows.slider("Stiffness", &name("stiffness"), None, shown);
        }
        Stiffness::Spring(k) => rows.slider("Stiffness", &name("stiffness"), None, newtons(k)),
        Stiffness::Cloth(cloth) => {
            let [warp, weft] = &mut cloth.stretch;
            rows.slider("Warp", &name("warp"), None, newtons(warp));
            rows.slider("Weft", &name("weft"), None, newtons(weft));
            rows.slider("Shear", &name("shear"), None, newtons(&mut cloth.shear));
            // Without springs against folds there are none to be made stiffer.
            if cloth.bend > 0.0 {
                rows.slider("Bend", &name("bend"), None, newtons(&mut cloth.bend));
            }
            let bending = Shown::new(&mut cloth.bending, [0.0, 1.0], "mN·m").times(1e3);
            rows.slider("Bending", &name("bending"), None, bending.logarithmic());
        }
    }
    let volume = match &mut material.volume {
        Volume::None | Volume::Auto => None,
        Volume::Energy(k) => Some(Shown::new(k, [0.0, 1e4], "kPa").times(1e-3).logarithmic()),
        Volume::Thesis(k) => Some(Shown::new(k, [0.0, 1e6], "N/m³").logarithmic()),
        Volume::Poisson(ratio) => Some(Shown::new(ratio, Volume::POISSON, "(Poisson)")),
    };
    if let Some(volume) = volume {
        rows.slider("Volume", &name("volume"), None, volume);
    }
    let damping = match &mut material.damping {
        Damping::Time(time) => Shown::new(time, [0.0, 50.0], "ms").times(1e3),
        Damping::Coefficient(c) => Shown::new(c, [0.0, 1e3], "N·s/m"),
    };
    rows.help = "along the springs";
    rows.slider("Damping", &name("damping"), None, damping.logarithmic());
    rows.help = "";
    let mass = match &mut material.mass {
        Mass::Density(density) => Shown::new(density, [1e-3, 2e4], "kg/m³"),
        Mass::Total(mass) => Shown::new(mass, [1e-4, 1e4], "kg"),
        Mass::Vertex(mass) => Shown::new(mass, [1e-3, 1e6], "g/vertex").times(1e3),
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
    let mut rows = Rows { ui, places, changed: false, help: "" };
    let radius = Shown::new(&mut hand.radius, [1e-3 * scale, scale], "m").logarithmic();
    rows.slider("Radius", "radius", Some(Parameter::Radius), radius);
    let strength = match hand.tool {
        Tool::Drag => Shown::new(&mut hand.stiffness, [1e-3, 1e5], "N/m"),
        Tool::Push => Shown::new(&mut hand.force, [1e-6, 1e3], "N"),
    };
    rows.slider("Strength", "strength", Some(Parameter::Strength), strength.logarithmic());
    if hand.tool == Tool::Drag {
        let speed = Shown::new(&mut hand.speed, [0.01 * scale, 100.0 * scale], "m/s");
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
        assert!(scene.world.damping > before.world.damping);
        assert!(scene.world.plasticity > 0.0);
        assert_ne!(scene.bodies[0].material, before.bodies[0].material);
        assert!(hand.radius > Hand::default().radius);
        for parameter in Parameter::ALL {
            for _ in 0..200 {
                parameter.change(false, &mut scene, &mut hand);
            }
        }
        scene.validate().unwrap();
        assert_eq!((scene.world.damping, scene.world.plasticity), (0.0, 0.0));
        assert_eq!(scene.world.gravity, [0.0; 3]);
    }
}
