//! The parameters that may change while bodies move: one table for everybody who lists them.
//!
//! Scene files, `set` actions, commands of a session, the sliders of the studio, the ranges that are
//! checked and the rows of `docs/scenes.md` all come from [`Live::ALL`]. A new parameter is a field of
//! [`World`], an entry here and its row on the page, which a test asks for.

use super::limits::Limits;
use super::{Implicit, Problem, SceneError, World, hints, keys, spelling};

/// Most substeps of a step.
pub(crate) const MOST_SUBSTEPS: u32 = 10_000;
/// The shortest timestep \[s\]. The clock is a sum of steps: by the time it shows 1,000 s its digits end
/// at 10⁻¹³ s, and what moves in less than that is lost in positions long before.
const SHORTEST_TIMESTEP: f64 = 1e-12;

/// Value of a parameter that changes while running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiveValue {
    /// A number.
    Number(f64),
    /// Three numbers along x, y and z.
    Vector([f64; 3]),
}

impl LiveValue {
    /// Its numbers.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Self::Number(number) => std::slice::from_ref(number),
            Self::Vector(numbers) => numbers,
        }
    }
}

/// A parameter of the world that may change while bodies move.
#[derive(Debug)]
pub struct Live {
    /// Its key path in scene files, such as `world.damping`.
    pub key: &'static str,
    /// A word or two for a label.
    pub label: &'static str,
    /// What it is, as in `docs/scenes.md`.
    pub meaning: &'static str,
    /// SI unit; empty for plain numbers.
    pub unit: &'static str,
    /// The values that are possible.
    pub limits: Limits,
    /// How it is shown to be changed by hand.
    pub control: Control,
    field: Field,
}

/// How a parameter is shown to be changed by hand. What is offered is narrower than what is possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// What it looks like.
    pub form: ControlForm,
    /// The values that are offered, in the parameter's own unit.
    pub range: [f64; 2],
    /// The unit in which it is shown; empty for plain numbers.
    pub unit: &'static str,
    /// How many of the shown unit make one of the parameter's own.
    pub per_unit: f64,
}

/// What a [`Control`] looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlForm {
    /// A slider.
    Linear,
    /// A slider for values of many sizes.
    Logarithmic,
    /// A slider for the downward part of a vector.
    Down,
    /// A field for each of three numbers.
    Axes,
}

impl Control {
    const fn new(form: ControlForm, range: [f64; 2], unit: &'static str) -> Self {
        Self { form, range, unit, per_unit: 1.0 }
    }

    const fn linear(range: [f64; 2], unit: &'static str) -> Self {
        Self::new(ControlForm::Linear, range, unit)
    }

    const fn logarithmic(range: [f64; 2], unit: &'static str) -> Self {
        Self::new(ControlForm::Logarithmic, range, unit)
    }

    /// Shown in another unit than its own.
    const fn shown(self, per_unit: f64, unit: &'static str) -> Self {
        Self { per_unit, unit, ..self }
    }
}

/// Where the value lies. What belongs to the box, to contact or to the air is not there without.
#[derive(Debug)]
enum Field {
    Number(fn(&mut World) -> Option<&mut f64>),
    Count(fn(&mut World) -> Option<&mut u32>),
    Vector(fn(&mut World) -> Option<&mut [f64; 3]>),
}

impl Live {
    /// All of them, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self {
            key: "world.gravity",
            label: "Gravity",
            meaning: "acceleration",
            unit: "m/s²",
            limits: Limits::Any,
            control: Control::new(ControlForm::Down, [-20.0, 20.0], "m/s²"),
            field: Field::Vector(|w| Some(&mut w.gravity)),
        },
        Self {
            key: "world.external_force",
            label: "Extra force",
            meaning: "extra force on every vertex, such as wind",
            unit: "N",
            limits: Limits::Any,
            control: Control::new(ControlForm::Axes, [-1e3, 1e3], "").shown(1e3, "mN"),
            field: Field::Vector(|w| Some(&mut w.external_force)),
        },
        Self {
            key: "world.damping",
            label: "Damping",
            meaning: "mass-proportional damping: rate c at which velocity fades, a = F/m − c v",
            unit: "1/s",
            limits: Limits::NotNegative,
            control: Control::logarithmic([0.0, 50.0], "1/s"),
            field: Field::Number(|w| Some(&mut w.damping)),
        },
        Self {
            key: "world.plasticity",
            label: "Plasticity",
            meaning: "a spring yields for good when its force exceeds this fraction of stiffness × rest \
                      length; 0 is off",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::logarithmic([0.0, 1.0], ""),
            field: Field::Number(|w| Some(&mut w.plasticity)),
        },
        Self {
            key: "world.timestep",
            label: "Timestep",
            meaning: "simulated time of a step",
            unit: "s",
            limits: Limits::AtLeast(
                SHORTEST_TIMESTEP,
                "in less time nothing moves that numbers could tell; 4 ms is 0.004",
            ),
            control: Control::logarithmic([1e-6, 0.02], "").shown(1e3, "ms"),
            field: Field::Number(|w| Some(&mut w.timestep)),
        },
        Self {
            key: "world.substeps",
            label: "Substeps",
            meaning: "equal parts of a step",
            unit: "",
            limits: Limits::Count([1, MOST_SUBSTEPS]),
            control: Control::linear([1.0, 64.0], ""),
            field: Field::Count(|w| Some(&mut w.substeps)),
        },
        Self {
            key: "world.implicit.tolerance",
            label: "Tolerance",
            meaning: "what may be left of the right-hand side of a linear system, relative to it",
            unit: "",
            limits: Limits::UpTo(1.0),
            control: Control::logarithmic([1e-7, 0.1], ""),
            field: Field::Number(|w| Some(&mut w.implicit.tolerance)),
        },
        Self {
            key: "world.implicit.max_iterations",
            label: "Iterations",
            meaning: "iterations of conjugate gradients for one system at most; reaching them is reported",
            unit: "",
            limits: Limits::Count([1, Implicit::MOST_ITERATIONS]),
            control: Control::logarithmic([1.0, 5000.0], ""),
            field: Field::Count(|w| Some(&mut w.implicit.max_iterations)),
        },
        Self {
            key: "world.implicit.newton_iterations",
            label: "Newton",
            meaning: "linear systems per step at most: 1 linearises the forces once, 2 or more are \
                      Newton's iterations with a line search, for bodies that spin, move fast or are \
                      very stiff",
            unit: "",
            limits: Limits::Count([1, Implicit::MOST_ITERATIONS]),
            control: Control::linear([1.0, 50.0], ""),
            field: Field::Count(|w| Some(&mut w.implicit.newton_iterations)),
        },
        Self {
            key: "world.implicit.newton_tolerance",
            label: "Imbalance",
            meaning: "what may be left of the imbalance of forces after Newton's iterations, relative to \
                      the first",
            unit: "",
            limits: Limits::UpTo(1.0),
            control: Control::logarithmic([1e-7, 0.1], ""),
            field: Field::Number(|w| Some(&mut w.implicit.newton_tolerance)),
        },
        Self {
            key: "world.box.size",
            label: "Box",
            meaning: "extent along x, y and z",
            unit: "m",
            limits: Limits::Positive,
            control: Control::new(ControlForm::Axes, [0.01, 1e4], "m"),
            field: Field::Vector(|w| Some(&mut w.bounds.as_mut()?.size)),
        },
        Self {
            key: "world.box.restitution",
            label: "Bounce",
            meaning: "share of the normal velocity that a wall gives back",
            unit: "",
            limits: Limits::Between([0.0, 1.0]),
            control: Control::linear([0.0, 1.0], ""),
            field: Field::Number(|w| Some(&mut w.bounds.as_mut()?.restitution)),
        },
        Self {
            key: "world.box.friction",
            label: "Wall friction",
            meaning: "Coulomb friction coefficient μ of the walls; a body at rest stays where it is on \
                      slopes below μ",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 2.0], ""),
            field: Field::Number(|w| Some(&mut w.bounds.as_mut()?.friction)),
        },
        Self {
            key: "world.contact.friction",
            label: "Friction",
            meaning: "Coulomb friction coefficient μ of bodies that touch; what rests on a slope below μ stays \
                      where it is",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 2.0], ""),
            field: Field::Number(|w| Some(&mut w.contact.as_mut()?.friction)),
        },
        Self {
            key: "world.wind.velocity",
            label: "Wind",
            meaning: "velocity of the air between gusts; zero is air at rest",
            unit: "m/s",
            limits: Limits::Any,
            control: Control::new(ControlForm::Axes, [-40.0, 40.0], "m/s"),
            field: Field::Vector(|w| Some(&mut w.wind.as_mut()?.velocity)),
        },
        Self {
            key: "world.wind.gust",
            label: "Gusts",
            meaning: "how much gusts change the wind along each axis at most, in parts of its speed",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 2.0], ""),
            field: Field::Number(|w| Some(&mut w.wind.as_mut()?.gust)),
        },
        Self {
            key: "world.wind.gust_period",
            label: "Gust period",
            meaning: "time from gust to gust",
            unit: "s",
            limits: Limits::Positive,
            control: Control::logarithmic([0.1, 20.0], "s"),
            field: Field::Number(|w| Some(&mut w.wind.as_mut()?.gust_period)),
        },
        Self {
            key: "world.wind.density",
            label: "Air density",
            meaning: "density of the air",
            unit: "kg/m³",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 5.0], "kg/m³"),
            field: Field::Number(|w| Some(&mut w.wind.as_mut()?.density)),
        },
        Self {
            key: "world.wind.drag",
            label: "Drag",
            meaning: "coefficient C_D of drag, against the motion through the air",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 3.0], ""),
            field: Field::Number(|w| Some(&mut w.wind.as_mut()?.drag)),
        },
        Self {
            key: "world.wind.lift",
            label: "Lift",
            meaning: "coefficient C_L of lift, across that motion; without drag there is no lift",
            unit: "",
            limits: Limits::NotNegative,
            control: Control::linear([0.0, 3.0], ""),
            field: Field::Number(|w| Some(&mut w.wind.as_mut()?.lift)),
        },
        Self {
            key: "world.shape_matching.alpha",
            label: "Rigidity α",
            meaning: "share of the way to its goal that a vertex goes in 1/60 s, however long steps are; 1 is rigid",
            unit: "",
            limits: Limits::Between([0.0, 1.0]),
            control: Control::linear([0.0, 1.0], ""),
            field: Field::Number(|w| Some(&mut w.shape_matching.as_mut()?.alpha)),
        },
        Self {
            key: "world.shape_matching.beta",
            label: "Softness β",
            meaning: "share of a deformation that goals follow; 0 is none",
            unit: "",
            limits: Limits::Between([0.0, 1.0]),
            control: Control::linear([0.0, 1.0], ""),
            field: Field::Number(|w| Some(&mut w.shape_matching.as_mut()?.beta)),
        },
        Self {
            key: "world.shape_matching.damping",
            label: "Inner damping",
            meaning: "rate at which motion beside that of the body as a whole fades; it flies and turns as before",
            unit: "1/s",
            limits: Limits::NotNegative,
            control: Control::logarithmic([0.0, 100.0], "1/s"),
            field: Field::Number(|w| Some(&mut w.shape_matching.as_mut()?.damping)),
        },
    ];

    /// The one at a key path, if what is there may change while bodies move. Old names of keys will do.
    pub fn find(key: &str) -> Option<&'static Self> {
        let key = spelling::usual_path(key);
        Self::ALL.iter().find(|live| live.key == key)
    }

    /// Its value; `None` if it belongs to a box, to contact or to the air and the world has none.
    pub fn get(&self, world: &World) -> Option<LiveValue> {
        // A world is a few numbers, so that one way to each of them does for reading, too.
        let world = &mut world.clone();
        match self.field {
            Field::Number(of) => of(world).map(|n| LiveValue::Number(*n)),
            Field::Count(of) => of(world).map(|n| LiveValue::Number(f64::from(*n))),
            Field::Vector(of) => of(world).map(|v| LiveValue::Vector(*v)),
        }
    }

    /// Changes it. The problem's path is `key` or `value`, whichever of the two is wrong. Whether the
    /// number is within the limits is not asked.
    pub fn set(&self, world: &mut World, value: LiveValue) -> Result<(), SceneError> {
        let key = self.key;
        let (table, _) = self.table_and_name();
        let what = table.rsplit('.').next().unwrap_or(table);
        let missing = || Problem::new("key", format!("`{key}`: the world has no {what}"));
        let wrong = |what: &str| Problem::new("value", format!("`{key}` takes {what}"));
        match (&self.field, value) {
            (Field::Number(of), LiveValue::Number(n)) => *of(world).ok_or_else(missing)? = n,
            (Field::Vector(of), LiveValue::Vector(v)) => *of(world).ok_or_else(missing)? = v,
            (Field::Count(of), LiveValue::Number(n)) => {
                let count = Some(n as u32).filter(|&count| f64::from(count) == n);
                let whole = || wrong(&format!("a whole number, {}", self.limits));
                *of(world).ok_or_else(missing)? = count.ok_or_else(whole)?;
            }
            (Field::Number(_) | Field::Count(_), _) => return Err(wrong("a single number").into()),
            (Field::Vector(_), _) => return Err(wrong("three numbers").into()),
        }
        Ok(())
    }

    /// Whether it is a whole number.
    pub fn is_count(&self) -> bool {
        matches!(self.field, Field::Count(_))
    }

    /// The table that it stands in, and its name there: `world` and `timestep`.
    pub fn table_and_name(&self) -> (&'static str, &'static str) {
        self.key.rsplit_once('.').unwrap_or(("", self.key))
    }
}

impl World {
    /// Changes the parameter at `key`, one of [`Live::ALL`], and returns which it is. The problem's path is
    /// `key` or `value`, whichever of the two is wrong. The number itself is not checked.
    pub fn set_live(&mut self, key: &str, value: LiveValue) -> Result<&'static Live, SceneError> {
        let unknown = || {
            let known: Vec<&str> = Live::ALL.iter().map(|live| live.key).collect();
            let problem = Problem::new("key", format!("`{key}` cannot change while running"));
            let meant = key.rsplit_once('.').and_then(|(table, word)| {
                let [_, name] = spelling::meant(word, table)?;
                Some(keys::join(table, name))
            });
            problem.help(hints::suggest(meant.as_deref().unwrap_or(key), &known, "these can"))
        };
        let live = Live::find(key).ok_or_else(unknown)?;
        live.set(self, value)?;
        Ok(live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Contact, ShapeSettings, Wind};

    /// A world that has all of them.
    fn whole() -> World {
        World {
            contact: Some(Contact::default()),
            wind: Some(Wind::default()),
            shape_matching: Some(ShapeSettings::default()),
            ..World::default()
        }
    }

    #[test]
    fn every_parameter_is_read_and_set_where_its_key_says() {
        for live in Live::ALL {
            let mut world = whole();
            let value = match live.get(&world).unwrap() {
                LiveValue::Number(_) if live.is_count() => LiveValue::Number(7.0),
                LiveValue::Number(_) => LiveValue::Number(0.125),
                LiveValue::Vector(_) => LiveValue::Vector([0.5, 0.25, 0.125]),
            };
            assert_eq!(world.set_live(live.key, value).unwrap().key, live.key);
            assert_eq!(live.get(&world), Some(value), "{}", live.key);
            // The file has another value at this key and at no other.
            let scene = |world| super::super::Scene { world, ..Default::default() };
            let changed = scene(world).differing_keys(&scene(whole())).unwrap();
            assert_eq!(changed, [live.key]);
        }
    }

    #[test]
    fn what_is_offered_is_possible() {
        for live in Live::ALL {
            let Control { range: [low, high], per_unit, .. } = live.control;
            assert!(low < high && per_unit > 0.0, "{}", live.key);
            for end in [low, high] {
                assert_eq!(live.limits.check(live.key, &[end], live.unit), Ok(()));
            }
            let default = live.get(&whole()).unwrap();
            assert_eq!(live.limits.check(live.key, default.numbers(), live.unit), Ok(()));
        }
    }

    #[test]
    fn counts_are_whole() {
        let mut world = World::default();
        for wrong in [0.5, -1.0, 1e10, f64::NAN] {
            let error = world.set_live("world.substeps", LiveValue::Number(wrong)).unwrap_err();
            let told = "`world.substeps` takes a whole number, 1 to 10000";
            assert_eq!(
                (&error.problems[0].path[..], &error.problems[0].message[..]),
                ("value", told)
            );
        }
        assert_eq!(world, World::default());
    }
}
