//! A scene that runs: the type that users hold.

mod backend;
mod carrying;
#[cfg(test)]
mod claiming;
#[cfg(test)]
mod clock_tests;
mod crossings;
mod journal;
mod limiting;
mod matching;
mod output;
#[cfg(test)]
mod pause_tests;
mod recovery;
mod run;
mod sewing;
#[cfg(feature = "gpu")]
mod show;
#[cfg(test)]
mod skin_tests;
mod timing;
mod waiting;

pub use backend::Backend;
pub use crossings::Crossing;
pub use run::Diverged;
pub use waiting::at_once;

use std::time::Duration;

use crate::backend::{AnyEngine, RestorePoint, Trouble};
use crate::model::{BodyModel, BuildError, Family, Model, compile};
use crate::scene::{Contact, Problem, Scene, SceneError, World};
use crate::stages::contact::GuardReport;
use crate::stages::implicit::SolverReport;
use crate::stages::integrate::keeps_forces;
use crate::stages::touch::{Drag, Push, Touch};
use crate::state::State;
use journal::Journal;

/// A running scene.
pub struct Simulator {
    scene: Scene,
    world: World,
    model: Model,
    engine: AnyEngine,
    origins: Vec<[f64; 3]>,
    step: u64,
    time: f64,
    h_last: f64,
    substeps: u32,
    touches: Vec<Touch>,
    /// How far hands have carried colliders; see [`State::displaced`].
    displaced: Vec<[f64; 3]>,
    snapshot: Option<Snapshot>,
    messages: Vec<String>,
    rescue_interval: Option<Duration>,
    journal: Journal,
    /// How often a device has failed.
    failures: u32,
    /// How often a stretch waited for room in a list.
    pauses: u64,
    /// Whether the stages of steps are timed.
    is_timed: bool,
    /// What came of implicit steps.
    solver_report: SolverReport,
    /// How many unsolved systems make the next message.
    next_complaint: u64,
    /// How many shortened steps make the next message.
    next_shortened: u64,
    /// What the guarantee had cost when it was last looked at, and how much makes the next message.
    guarded: GuardReport,
    next_stalling: u64,
    /// How many withdrawn promises make the next message.
    next_withdrawal: u64,
    /// The force of contact on the vertex that was last thrown out of bounds \[N\].
    pushed_apart: f64,
    /// The step after which automatic substeps may come down again.
    relaxes_after: u64,
    /// The stretches that were run, if a test wants to know.
    #[cfg(test)]
    stretches: Option<Vec<Began>>,
}

/// When a stretch began, and where the first vertex was then.
#[cfg(test)]
type Began = ((u64, f64), [f32; 3]);

/// The clock of the backend's snapshot.
#[derive(Clone, Copy)]
struct Snapshot {
    step: u64,
    time: f64,
    h_last: f64,
    /// Substeps taken since.
    age: u64,
}

/// The world with contact, if there are surfaces that nothing else would keep bodies from passing through.
fn with_contact(model: &Model, world: &World) -> World {
    let contact = world.contact.clone();
    let contact = contact.or_else(|| (!model.given.is_empty()).then(Contact::default));
    World { contact, ..world.clone() }
}

/// Whether contact between bodies can be had.
fn check_contact(
    model: &Model,
    world: &World,
    engine: Option<&AnyEngine>,
) -> Result<(), SceneError> {
    let Some(contact) = &world.contact else { return Ok(()) };
    let is_implicit = |body: &&BodyModel| body.family_in(world) == Family::Implicit;
    let implicit = model.bodies.iter().find(is_implicit);
    let problem = match implicit {
        Some(body) if contact.guarantee => Problem::new(
            "world.contact.guarantee",
            format!("body {:?} takes implicit steps, which cannot be guarded", body.name),
        )
        .help("leave out `guarantee`, or take another `world.integrator`, such as `verlet`"),
        Some(_) if engine.is_some_and(AnyEngine::is_on_device) => Problem::new(
            "world.contact",
            "contact in implicit steps is computed on processors, and this runs on a GPU",
        )
        .help("start with `--backend cpu`, or with these settings in the scene"),
        None if contact.guarantee && engine.is_some_and(AnyEngine::is_on_device) => Problem::new(
            "world.contact.guarantee",
            "surfaces are kept from crossing on processors, and this runs on a GPU",
        )
        .help("start with `--backend cpu`, or with `world.contact.guarantee` in the scene"),
        _ if engine.is_some_and(AnyEngine::is_split) => Problem::new(
            "world.contact",
            "contact cannot be shared by two backends, and some stages run on the CPU",
        )
        .help("start without `--stage`"),
        _ => return Ok(()),
    };
    Err(problem.into())
}

impl Simulator {
    /// Compiles a scene and puts it at its start.
    pub fn new(scene: Scene, backend: Backend) -> Result<Self, BuildError> {
        let model = compile(&scene)?;
        Self::from_model(scene, model, &backend)
    }

    /// A simulator of an already compiled scene.
    pub fn from_model(
        scene: Scene,
        mut model: Model,
        backend: &Backend,
    ) -> Result<Self, BuildError> {
        let mut scene = scene;
        scene.place_mannequins();
        let world = with_contact(&model, &scene.world);
        check_contact(&model, &world, None)?;
        sewing::check_seams(&model, &world)?;
        limiting::check_limits(&model, &world)?;
        matching::check_shapes(&model, &world)?;
        let mut messages = std::mem::take(&mut model.notes);
        let engine = AnyEngine::open(backend, &model, &world, &mut messages)?;
        let mut simulator = Self {
            world,
            origins: model.bodies.iter().map(|b| b.origin).collect(),
            substeps: scene.world.substeps,
            scene,
            engine,
            model,
            step: 0,
            time: 0.0,
            h_last: 0.0,
            touches: Vec::new(),
            displaced: Vec::new(),
            snapshot: None,
            messages,
            rescue_interval: Some(recovery::INTERVAL),
            journal: Journal::default(),
            failures: 0,
            pauses: 0,
            is_timed: false,
            solver_report: SolverReport::default(),
            next_complaint: 1,
            next_shortened: 1,
            guarded: GuardReport::default(),
            next_stalling: 1,
            next_withdrawal: 1,
            pushed_apart: 0.0,
            relaxes_after: 0,
            #[cfg(test)]
            stretches: None,
        };
        simulator.reset();
        simulator.note_crossings();
        Ok(simulator)
    }

    /// Goes back to the start of the scene; live parameters stay as they are.
    pub fn reset(&mut self) {
        let state = State {
            origins: self.model.bodies.iter().map(|b| b.origin).collect(),
            position: self.model.rest.clone(),
            position_compensation: vec![[0.0; 3]; self.model.vertex_count()],
            velocity: self.model.start_velocity.clone(),
            ..State::default()
        };
        self.substeps = self.world.substeps;
        (self.solver_report, self.next_complaint, self.next_shortened) =
            (SolverReport::default(), 1, 1);
        self.take(state);
    }

    fn take(&mut self, state: State) {
        let needs_forces = keeps_forces(self.world.integrator) && state.force.is_empty();
        let restore_point =
            RestorePoint { state, world: self.world.clone(), substeps: self.substeps };
        let mut taken = self.engine.upload(&self.model, &restore_point);
        if taken.is_ok() && needs_forces {
            taken = self.engine.compute_forces();
        }
        let state = restore_point.state;
        if let Err(Trouble::Device(reason) | Trouble::Refused(reason)) = taken {
            return self.fall_back(&reason, state);
        }
        self.origins = state.origins;
        self.step = state.step;
        self.time = state.time;
        self.h_last = state.h_last;
        (self.touches, self.displaced) = (state.touches, state.displaced);
        self.snapshot = None;
        self.relaxes_after = 0;
        self.journal.clear();
    }

    /// The scene as it was given.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Takes over everything but bodies, colliders and seams from a scene that has the same ones. Its world becomes
    /// that of [`Simulator::scene`]; the live parameters stay as they are.
    pub fn take_plan_of(&mut self, scene: &Scene) {
        let Scene {
            name,
            world,
            bodies: _,
            colliders: _,
            mannequins: _,
            seams: _,
            actions,
            run,
            output,
        } = scene;
        (self.scene.name, self.scene.world) = (name.clone(), world.clone());
        self.scene.actions = actions.clone();
        (self.scene.run, self.scene.output) = (run.clone(), output.clone());
    }

    /// The compiled scene.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Complete steps so far.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// What came of the linear systems of implicit steps since the start; nothing where there were
    /// none.
    pub fn solver_report(&self) -> Option<SolverReport> {
        (self.solver_report.systems > 0).then_some(self.solver_report)
    }

    /// How often steps had to wait until there was room in a list that they fill; it changes no bit.
    pub fn pause_count(&self) -> u64 {
        self.pauses
    }

    /// Threads at work.
    pub fn thread_count(&self) -> usize {
        self.engine.thread_count()
    }

    /// Bytes that stepping needs: the backend's arrays and the model.
    pub fn bytes(&self) -> usize {
        self.engine.bytes() + self.model.bytes()
    }

    /// Origins of the bodies' coordinates \[m\].
    pub fn origins(&self) -> &[[f64; 3]] {
        &self.origins
    }

    /// Substeps per step now.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// What was worth telling since the last call: repairs, warnings, automatic substeps.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    /// The live parameters.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Changes live parameters between two steps. Positions and velocities stay what they are,
    /// whatever changes: timestep and integrator included. Parameters that make no sense (a NaN, a
    /// negative timestep) are refused, and nothing changes.
    pub fn set_world(&mut self, world: World) -> Result<(), SceneError> {
        world.validate()?;
        let world = with_contact(&self.model, &world);
        if world == self.world {
            return Ok(());
        }
        check_contact(&self.model, &world, Some(&self.engine))?;
        check_colliders(&self.model, &world, &self.engine)?;
        sewing::check_seams(&self.model, &world)?;
        limiting::check_limits(&self.model, &world)?;
        matching::check_shapes(&self.model, &world)?;
        if world.substeps != self.world.substeps {
            self.substeps = world.substeps.max(1);
        }
        if world.integrator == self.world.integrator {
            self.world = world;
        } else {
            // Bring the velocity to the time of the position and let the new scheme start from it.
            self.recover_if_lost();
            let mut state = self.state_in_model_order();
            state.velocity = self.velocities_in_model_order();
            state.h_last = 0.0;
            state.force.clear();
            state.last_acceleration.clear();
            self.world = world;
            self.take(state);
        }
        self.inputs_changed();
        Ok(())
    }

    /// Divides each step into `substeps` parts from now on.
    pub fn set_substeps(&mut self, substeps: u32) {
        self.substeps = substeps.max(1);
        self.inputs_changed();
    }

    /// Whoever changes settings or touches says so here.
    fn inputs_changed(&mut self) {
        self.snapshot = None;
        self.journal.has_news = true;
    }

    /// Grabs all vertices within `radius` \[m\] of `center` \[m\] and returns how many there are; none
    /// means nothing was grabbed. The hand starts at `center`.
    pub fn grab(&mut self, center: [f64; 3], radius: f64, speed: f64, stiffness: f64) -> usize {
        self.recover_if_lost();
        let mut drag = Drag {
            vertices: Vec::new(),
            offsets: Vec::new(),
            hand: center,
            cursor: center,
            speed,
            stiffness,
        };
        for (i, p) in self.positions().iter().enumerate() {
            let offset: [f64; 3] = std::array::from_fn(|k| p[k] - center[k]);
            if offset.iter().map(|c| c * c).sum::<f64>() <= radius * radius {
                drag.vertices.push(i as u32);
                drag.offsets.push(offset);
            }
        }
        let count = drag.vertices.len();
        if count > 0 {
            self.touches.push(Touch::Drag(drag));
            self.inputs_changed();
        }
        count
    }

    /// Pushes along a ray until it is released.
    pub fn push(&mut self, push: Push) {
        self.touches.push(Touch::Push(push));
        self.inputs_changed();
    }

    /// Drags and pushes that are going on.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Drags and pushes that are going on; change cursors here.
    pub fn touches_mut(&mut self) -> &mut Vec<Touch> {
        self.inputs_changed();
        &mut self.touches
    }

    /// Continues from a state that [`Simulator::state`] gave. The caller has checked that it
    /// belongs to this model.
    pub fn set_state(&mut self, state: &State) {
        self.take(state.reordered(&self.model.vertex_order, &self.model.tet_order));
    }
}

/// Refuses Newton's iterations beside colliders where nothing stops them.
fn check_colliders(model: &Model, world: &World, engine: &AnyEngine) -> Result<(), SceneError> {
    if !engine.is_on_device() || !balances_at_colliders(model, world) {
        return Ok(());
    }
    let problem = "Newton's iterations meet colliders on processors, and this runs on a GPU";
    let help = "start with `--backend cpu`, or with these settings in the scene";
    Err(Problem::new("world.implicit.newton_iterations", problem).help(help).into())
}

/// Whether bodies that take implicit steps with Newton's iterations may meet colliders.
fn balances_at_colliders(model: &Model, world: &World) -> bool {
    let is_implicit = model.families(world).contains(Family::Implicit);
    !model.colliders.is_empty() && is_implicit && world.implicit.newton_iterations > 1
}
