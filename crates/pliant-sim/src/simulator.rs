//! A scene that runs: the type that users hold.

use crate::backend::cpu::{Advance, Blowup, Cpu};
use crate::math::Vec3;
use crate::measure;
use crate::model::{BodyModel, BuildError, Model, compile};
use crate::report::{Energy, StepReport};
use crate::scene::{Scene, SceneError, World};
use crate::stages::integrate::{is_staggered, keeps_forces};
use crate::stages::stress::{Share, Stress, stress};
use crate::stages::touch::{Drag, Push, Touch};
use crate::state::State;

/// Substeps between two snapshots to which a diverging run goes back.
const SNAPSHOT_EVERY: u64 = 256;

/// Steps between two looks at how far bodies have travelled; see [`Simulator::reanchor`].
const REANCHOR_EVERY: u64 = 256;

/// Substeps per step at which automatic substepping gives up.
const MAX_SUBSTEPS: u32 = 1024;

/// What runs the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Threads of the processor.
    Cpu {
        /// How many.
        threads: usize,
    },
}

impl Backend {
    /// The best there is: all cores of the processor.
    pub fn auto() -> Self {
        Self::Cpu { threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// A simulation came apart: a vertex was accelerated beyond all reason or stopped being a number.
///
/// The simulator is left at its last good state, which can be saved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the simulation diverged in step {step} (t = {time:.6} s): {stage} threw vertex {vertex} of body \
     {body:?} out of bounds. {advice}. The state after step {good_step} is kept",
    advice = self.advice()
)]
pub struct Diverged {
    /// The step that failed, counted from 1.
    pub step: u64,
    /// When it began \[s\].
    pub time: f64,
    /// The stage whose force was largest at the vertex.
    pub stage: &'static str,
    /// The body.
    pub body: String,
    /// The vertex, in the numbering of the body's mesh.
    pub vertex: u32,
    /// The timestep in use, per substep \[s\].
    pub timestep: f64,
    /// A timestep that would have been stable, if the integrator has one \[s\].
    pub suggested_timestep: Option<f64>,
    /// Complete steps of the state that is kept.
    pub good_step: u64,
}

impl Diverged {
    fn advice(&self) -> String {
        match self.suggested_timestep {
            Some(h) if h < self.timestep => {
                format!("A timestep of {h:.3e} s would be stable (it is {:.3e} s)", self.timestep)
            }
            Some(_) => {
                "The timestep is stable for small motions; the forces on it are too violent: \
                        use smaller ones, or more substeps"
                    .into()
            }
            None => {
                "This integrator has no stable timestep here; take verlet or add damping".into()
            }
        }
    }
}

/// A running scene.
pub struct Simulator {
    scene: Scene,
    world: World,
    model: Model,
    cpu: Cpu,
    origins: Vec<[f64; 3]>,
    step: u64,
    time: f64,
    h_last: f64,
    substeps: u32,
    touches: Vec<Touch>,
    snapshot: Option<Snapshot>,
    messages: Vec<String>,
}

/// The clock of the backend's snapshot.
#[derive(Clone, Copy)]
struct Snapshot {
    step: u64,
    time: f64,
    h_last: f64,
    /// Substeps taken since.
    age: u64,
}

impl Simulator {
    /// Compiles a scene and puts it at its start.
    pub fn new(scene: Scene, backend: Backend) -> Result<Self, BuildError> {
        let model = compile(&scene)?;
        Ok(Self::from_model(scene, model, backend))
    }

    /// A simulator of an already compiled scene.
    pub fn from_model(scene: Scene, mut model: Model, backend: Backend) -> Self {
        let Backend::Cpu { threads } = backend;
        let cpu = Cpu::new(&model, threads);
        let messages = std::mem::take(&mut model.notes);
        let mut simulator = Self {
            world: scene.world.clone(),
            origins: model.bodies.iter().map(|b| b.origin).collect(),
            substeps: scene.world.substeps,
            scene,
            cpu,
            model,
            step: 0,
            time: 0.0,
            h_last: 0.0,
            touches: Vec::new(),
            snapshot: None,
            messages,
        };
        simulator.reset();
        simulator
    }

    /// Goes back to the start of the scene; live parameters stay as they are.
    pub fn reset(&mut self) {
        let state = State {
            origins: self.model.bodies.iter().map(|b| b.origin).collect(),
            position: self.model.rest.clone(),
            position_low: vec![[0.0; 3]; self.model.vertex_count()],
            velocity: self.model.start_velocity.clone(),
            ..State::default()
        };
        self.substeps = self.world.substeps;
        self.take(state);
    }

    fn take(&mut self, state: State) {
        // The layout's spring coefficients follow the rest shapes; go back to the model's first.
        if self.cpu.rest_shapes().is_some() && state.rest_shapes.is_none() {
            self.cpu = Cpu::new(&self.model, self.cpu.thread_count());
        }
        self.cpu.upload(&self.model, &state);
        if keeps_forces(self.world.integrator) && state.force.is_empty() {
            self.cpu.compute_forces();
        }
        self.origins = state.origins;
        self.step = state.step;
        self.time = state.time;
        self.h_last = state.h_last;
        self.touches = state.touches;
        self.snapshot = None;
    }

    /// Runs `steps` steps and reports. On divergence the simulator is left at its last good state.
    pub fn step(&mut self, steps: u64) -> Result<StepReport, Diverged> {
        self.advance(steps)?;
        Ok(self.report())
    }

    /// Runs `steps` steps without measuring energies afterwards.
    pub fn advance(&mut self, steps: u64) -> Result<(), Diverged> {
        let goal = self.step.saturating_add(steps);
        if self.world.auto_substeps {
            // So that a retry never goes back behind what the caller has already seen.
            self.snapshot = None;
        }
        while self.step < goal {
            match self.run(goal - self.step) {
                Ok(()) => {}
                Err(_) if self.retries() => {
                    self.substeps *= 2;
                    self.messages.push(format!(
                        "step {}: diverging, tried again with {} substeps",
                        self.step + 1,
                        self.substeps
                    ));
                }
                Err(blowup) => return Err(self.diverged(blowup)),
            }
        }
        Ok(())
    }

    /// Runs up to `steps` steps, in stretches between snapshots.
    fn run(&mut self, steps: u64) -> Result<(), Blowup> {
        let substeps = u64::from(self.substeps);
        let mut left = steps;
        while left > 0 {
            if self.step.is_multiple_of(REANCHOR_EVERY) {
                self.reanchor();
            }
            if self.snapshot.is_none_or(|s| s.age >= SNAPSHOT_EVERY) {
                self.cpu.snapshot();
                let (step, time, h_last) = (self.step, self.time, self.h_last);
                self.snapshot = Some(Snapshot { step, time, h_last, age: 0 });
            }
            let age = self.snapshot.map_or(0, |s| s.age);
            let to_anchor = REANCHOR_EVERY - self.step % REANCHOR_EVERY;
            let count = match self.touches.is_empty() {
                true => left.min((SNAPSHOT_EVERY - age).div_ceil(substeps)).clamp(1, to_anchor),
                // Hands move step by step, so that the bits do not depend on how a run is cut.
                false => 1,
            };
            if let Err(blowup) = self.stretch(count * substeps) {
                if self.retries() {
                    self.rewind();
                    return Err(blowup);
                }
                let good = blowup.substep / substeps;
                self.replay(age + good * substeps);
                self.tick(good);
                return Err(blowup);
            }
            self.tick(count);
            left -= count;
        }
        Ok(())
    }

    /// Moves the origins of bodies that have travelled far to where they are now, so that their
    /// coordinates stay small and keep their digits.
    ///
    /// The shift is a multiple of a power of two about as large as the body, so subtracting it is
    /// exact; and it happens at fixed step numbers, so that it does not matter how a run is cut.
    fn reanchor(&mut self) {
        for body in 0..self.model.bodies.len() {
            let BodyModel { vertices, size, .. } = &self.model.bodies[body];
            let (first, size) = (vertices.start, size.max(f64::MIN_POSITIVE));
            let x = self.cpu.position(first).map(f64::from);
            if x.iter().all(|c| c.abs() <= 8.0 * size) {
                continue;
            }
            let unit = size.log2().floor().exp2();
            let shift = x.map(|c| (c / unit).round() * unit);
            self.cpu.shift_body(body as u32, shift.map(|c| c as f32));
            for k in 0..3 {
                self.origins[body][k] += shift[k];
            }
            self.snapshot = None;
        }
    }

    /// Moves clock and hands on by `steps` complete steps.
    fn tick(&mut self, steps: u64) {
        let h = self.substep_length();
        for _ in 0..steps {
            self.time += self.world.timestep;
        }
        self.step += steps;
        let substeps = steps * u64::from(self.substeps);
        if substeps > 0 {
            self.h_last = h;
        }
        for touch in &mut self.touches {
            if let Touch::Drag(drag) = touch {
                drag.hand = drag.hand_after(substeps as f64 * h);
            }
        }
        // Hands have moved: the next stretch cannot be replayed from an older snapshot.
        if !self.touches.is_empty() {
            self.snapshot = None;
        } else if let Some(s) = &mut self.snapshot {
            s.age += substeps;
        }
    }

    fn stretch(&mut self, substeps: u64) -> Result<(), Blowup> {
        let job = Advance {
            world: &self.world,
            count: substeps,
            h: self.world.timestep / f64::from(self.substeps),
            h_last: self.h_last,
            touches: &self.touches,
            origins: &self.origins,
        };
        self.cpu.advance(&self.model, &job)
    }

    /// Whether a diverging stretch is tried again with smaller substeps.
    fn retries(&self) -> bool {
        self.world.auto_substeps && self.substeps < MAX_SUBSTEPS
    }

    /// Goes back to the snapshot. What diverges was often spoilt many steps before it shows, so a
    /// retry starts from there and not from the last step that still passed.
    fn rewind(&mut self) {
        let snapshot = self.snapshot.take().expect("a stretch starts with a snapshot");
        self.cpu.restore(&self.model);
        (self.step, self.time, self.h_last) = (snapshot.step, snapshot.time, snapshot.h_last);
    }

    /// Goes back to the snapshot and repeats the given number of substeps, which are known to be
    /// good: the same inputs give the same bits.
    fn replay(&mut self, substeps: u64) {
        let snapshot = self.snapshot.expect("a stretch starts with a snapshot");
        self.cpu.restore(&self.model);
        let now = std::mem::replace(&mut self.h_last, snapshot.h_last);
        if substeps > 0 {
            self.stretch(substeps).expect("what worked once works again");
        }
        self.h_last = now;
        self.snapshot = None;
    }

    fn substep_length(&self) -> f64 {
        self.world.timestep / f64::from(self.substeps)
    }

    fn diverged(&mut self, blowup: Blowup) -> Diverged {
        let body = self.model.body_of_vertex(blowup.vertex);
        let user = self.model.vertex_order[blowup.vertex as usize];
        let stable = crate::stability::stable_timestep(self);
        Diverged {
            step: self.step + 1,
            time: self.time,
            stage: self.strongest_stage(blowup.vertex),
            body: self.model.bodies[body].name.clone(),
            vertex: user - self.model.bodies[body].vertices.start,
            timestep: self.substep_length(),
            // A margin, since the estimate holds for small motions only.
            suggested_timestep: stable.map(|h| 0.8 * h),
            good_step: self.step,
        }
    }

    /// The stage with the largest force on a vertex, in the present (last good) state.
    fn strongest_stage(&self, vertex: u32) -> &'static str {
        let x = self.cpu.positions();
        let [springs, volumes] = measure::forces_on(&self.model, &x, vertex);
        let body = self.model.body_of_vertex(vertex);
        let at = self.world_position(body, x[vertex as usize]);
        let (user, mass) =
            (self.model.vertex_order[vertex as usize], self.model.mass[vertex as usize]);
        let strength = |t: &Touch| t.strength_at(user, at, f64::from(mass));
        let touch = self.touches.iter().map(strength).fold(0.0, f64::max);
        if touch > springs.max(volumes) {
            "touch"
        } else if volumes > springs {
            "elastic (volume force)"
        } else {
            "elastic (springs)"
        }
    }

    /// Measures energies and momenta now.
    pub fn report(&mut self) -> StepReport {
        let v = self.velocities_in_model_order();
        let x = self.cpu.positions();
        measure::report(self, &x, &v)
    }

    /// The scene as it was given.
    pub fn scene(&self) -> &Scene {
        &self.scene
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

    /// Threads at work.
    pub fn thread_count(&self) -> usize {
        self.cpu.thread_count()
    }

    /// Bytes that stepping needs: the backend's arrays and the model.
    pub fn bytes(&self) -> usize {
        self.cpu.bytes() + self.model.bytes()
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
        if world == self.world {
            return Ok(());
        }
        if world.integrator != self.world.integrator {
            // Bring the velocity to the time of the position and let the new scheme start from it.
            let mut state = self.state_in_model_order();
            state.velocity = self.velocities_in_model_order();
            state.h_last = 0.0;
            state.force.clear();
            state.last_acceleration.clear();
            self.world.integrator = world.integrator;
            self.take(state);
        }
        if world.substeps != self.world.substeps {
            self.substeps = world.substeps.max(1);
        }
        self.world = world;
        self.snapshot = None;
        Ok(())
    }

    /// Divides each step into `substeps` parts from now on.
    pub fn set_substeps(&mut self, substeps: u32) {
        self.substeps = substeps.max(1);
        self.snapshot = None;
    }

    /// Positions in the world, in the user's order \[m\].
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let x = self.cpu.positions();
        self.user_order(|m| self.world_position(self.model.body_of_vertex(m as u32), x[m]))
    }

    fn world_position(&self, body: usize, x: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origins[body][k] + f64::from(x[k]))
    }

    /// Velocities at the time of the positions, in the user's order \[m/s\].
    pub fn velocities(&mut self) -> Vec<[f32; 3]> {
        let v = self.velocities_in_model_order();
        self.user_order(|m| v[m])
    }

    /// Net force on each vertex in the user's order \[N\]: springs, volumes, damping, gravity,
    /// friction and the external force, without drags, pushes and walls; for locked vertices what
    /// the lock has to hold.
    pub fn forces(&mut self) -> Vec<[f32; 3]> {
        let internal = self.cpu.internal_forces();
        let v = self.velocities_in_model_order();
        let world = &self.world;
        self.user_order(|m| {
            let mass = self.model.mass[m];
            std::array::from_fn(|k| {
                let gravity = world.gravity[k] as f32 - world.friction as f32 * v[m][k];
                internal[m][k] + mass * gravity + world.external_force[k] as f32
            })
        })
    }

    /// Stress of each tetrahedron, in the user's order.
    pub fn stress(&self) -> Vec<Stress> {
        let x = self.cpu.positions();
        let rest = self.cpu.rest_shapes();
        let mut out = vec![Stress::default(); self.model.tets.len()];
        for (t, tet) in self.model.tets.iter().enumerate() {
            let corners = tet.map(|v| Vec3::of(x[v as usize].map(f64::from)));
            let mut share: Share = self.model.share(t);
            if let Some(rest) = rest {
                share = share.after_yielding(&rest[t]);
            }
            out[self.model.tet_order[t] as usize] = stress(corners, &share);
        }
        out
    }

    /// Grabs all vertices within `radius` \[m\] of `center` \[m\] and returns how many there are; none
    /// means nothing was grabbed. The hand starts at `center`.
    pub fn grab(&mut self, center: [f64; 3], radius: f64, speed: f64, stiffness: f64) -> usize {
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
            self.snapshot = None;
        }
        count
    }

    /// Pushes along a ray until it is released.
    pub fn push(&mut self, push: Push) {
        self.touches.push(Touch::Push(push));
        self.snapshot = None;
    }

    /// Drags and pushes that are going on; change cursors here.
    pub fn touches_mut(&mut self) -> &mut Vec<Touch> {
        self.snapshot = None;
        &mut self.touches
    }

    /// The whole state, in the user's order.
    pub fn state(&self) -> State {
        let m = &self.model;
        let inverse = |order: &[u32]| {
            let mut inverse = vec![0u32; order.len()];
            order.iter().enumerate().for_each(|(new, &old)| inverse[old as usize] = new as u32);
            inverse
        };
        self.state_in_model_order().reordered(&inverse(&m.vertex_order), &inverse(&m.tet_order))
    }

    /// Continues from a state that [`Simulator::state`] gave. The caller has checked that it
    /// belongs to this model.
    pub fn set_state(&mut self, state: &State) {
        self.take(state.reordered(&self.model.vertex_order, &self.model.tet_order));
    }

    /// Hash of the state: equal only for states that are the same to the last bit.
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }

    fn state_in_model_order(&self) -> State {
        State {
            step: self.step,
            time: self.time,
            h_last: self.h_last,
            origins: self.origins.clone(),
            touches: self.touches.clone(),
            ..self.cpu.download(&self.world)
        }
    }

    /// Velocities at the time of the positions.
    pub(crate) fn velocities_in_model_order(&mut self) -> Vec<[f32; 3]> {
        let mut v = self.cpu.velocities();
        if !is_staggered(self.world.integrator) || self.h_last == 0.0 {
            return v;
        }
        let half = 0.5 * self.h_last;
        let force = self.cpu.internal_forces();
        let x = self.cpu.positions();
        for (m, v) in v.iter_mut().enumerate() {
            let inv_mass = f64::from(self.model.inv_mass[m]);
            if inv_mass == 0.0 {
                continue;
            }
            for k in 0..3 {
                let f = f64::from(force[m][k]) + self.world.external_force[k];
                let friction = self.world.friction * f64::from(v[k]);
                let a = f * inv_mass + self.world.gravity[k] - friction;
                v[k] = (f64::from(v[k]) + half * a) as f32;
                // What presses a vertex against a wall does not move it.
                if self.on_wall(m, k, x[m][k]).is_some_and(|outward| outward * v[k] > 0.0) {
                    v[k] = 0.0;
                }
            }
        }
        v
    }

    /// The outward direction, −1 or 1, of the wall that coordinate `k` of a vertex touches.
    pub(crate) fn on_wall(&self, vertex: usize, k: usize, x: f32) -> Option<f32> {
        let [low, high] = self.world.bounds.as_ref()?.corners();
        let origin = self.origins[self.model.body_of_vertex(vertex as u32)][k];
        // A vertex on a wall has the wall's own rounded coordinate.
        if x == (low[k] - origin) as f32 {
            Some(-1.0)
        } else {
            (x == (high[k] - origin) as f32).then_some(1.0)
        }
    }

    pub(crate) fn positions_in_model_order(&self) -> Vec<[f32; 3]> {
        self.cpu.positions()
    }

    fn user_order<T: Copy + Default>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        let mut out = vec![T::default(); self.model.vertex_count()];
        for (m, &user) in self.model.vertex_order.iter().enumerate() {
            out[user as usize] = of(m);
        }
        out
    }

    pub(crate) fn rest_shapes(&self) -> Option<&[crate::stages::plasticity::RestShape<f32>]> {
        self.cpu.rest_shapes()
    }

    /// Energy now \[J\], without the rest of the report.
    pub fn energy(&mut self) -> Energy {
        self.report().energy
    }
}
