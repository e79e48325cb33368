//! The actions of a scene, begun and ended at step boundaries.
//!
//! An action begins at the first boundary that is not before its start, and ends likewise. What is
//! due at a boundary happens just before the next step; a checkpoint made at that boundary is made
//! before it happens. So the clock of a checkpoint tells what has happened already, and the drags
//! and pushes it holds are found again by what they do.

use pliant_sim::Simulator;
use pliant_sim::scene::{
    Action, ActionKind, Carry, CarryMotion, Drag, DragMotion, Live, LiveValue, Push, Set,
};
use pliant_sim::stages::touch::{self, Touch};

use crate::Message;
use crate::frame::size;

/// Part of a step by which a boundary may be early, so that sums of steps that miss a round time by
/// rounding still count. No fraction that a person would write.
const TOLERANCE: f64 = 0.001_234_567;

/// How far ahead the hand of an endless drag aims \[s\].
const ENDLESS: f64 = 1e6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Waiting,
    Active,
    Done,
}

/// Who a drag or push belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An action of the scene.
    Action(usize),
    /// A hand of the user.
    Hand(u32),
}

impl Owner {
    /// Whether it is not the user's.
    pub fn is_scripted(self) -> bool {
        matches!(self, Self::Action(_))
    }
}

/// The actions of a scene and how far they are.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    actions: Vec<Action>,
    status: Vec<Status>,
    /// Owners of the simulator's drags and pushes, in its order.
    pub owners: Vec<Owner>,
    /// What actions have set so far and nobody has set since: at most one of each key.
    pub sets: Vec<Set>,
}

impl Script {
    /// The script of a simulator that may already stand in the middle of it.
    pub fn new(sim: &mut Simulator, tell: &mut dyn FnMut(Message)) -> Self {
        let actions = sim.scene().actions.clone();
        let status = vec![Status::Waiting; actions.len()];
        let mut script = Self { status, actions, owners: Vec::new(), sets: Vec::new() };
        script.catch_up(sim, tell);
        script
    }

    /// Starts anew.
    pub fn restart(&mut self) {
        self.status.fill(Status::Waiting);
        self.owners.clear();
        self.sets.clear();
    }

    /// This script with other actions, at the same moment. An action that is going on and has other
    /// numbers now goes on with those. New and changed actions whose start is past do nothing before
    /// the script is restarted; actions that are gone let go.
    pub fn edited(&self, actions: &[Action], sim: &mut Simulator) -> Self {
        if self.actions == actions {
            return self.clone();
        }
        let (dt, before) = (sim.world().timestep, sim.time() - sim.world().timestep);
        let partners = partners(&self.actions, actions);
        let status = actions.iter().zip(&partners).map(|(action, partner)| {
            match partner.map(|p| (&self.actions[p], self.status[p])) {
                Some((old, status)) if old == action => status,
                Some((_, Status::Active)) => Status::Active,
                _ if is_due(action.start, before, dt) => Status::Done,
                _ => Status::Waiting,
            }
        });
        let status: Vec<Status> = status.collect();
        let successor = |old: usize| {
            let new = partners.iter().position(|p| *p == Some(old));
            new.filter(|&new| status[new] == Status::Active)
        };
        let mut owners = Vec::new();
        let (mut kept, touches) = (Vec::new(), std::mem::take(sim.touches_mut()));
        for (&owner, mut touch) in self.owners.iter().zip(touches) {
            let owner = match owner {
                Owner::Hand(_) => owner,
                Owner::Action(old) => match successor(old) {
                    Some(new) => {
                        take_numbers(&mut touch, &actions[new]);
                        Owner::Action(new)
                    }
                    None => continue,
                },
            };
            owners.push(owner);
            kept.push(touch);
        }
        *sim.touches_mut() = kept;
        Self { actions: actions.to_vec(), status, owners, sets: self.sets.clone() }
    }

    /// Finds out how far a resumed simulation is.
    fn catch_up(&mut self, sim: &mut Simulator, tell: &mut dyn FnMut(Message)) {
        let dt = sim.world().timestep;
        let (now, before) = (sim.time(), sim.time() - dt);
        let mut found: Vec<Option<Owner>> = vec![None; sim.touches_mut().len()];
        for (i, action) in self.actions.iter().enumerate() {
            let began = is_due(action.start, before, dt);
            let ended = action.end.is_some_and(|end| is_due(end, before, dt));
            let is_set = matches!(
                action.kind,
                ActionKind::Set(_) | ActionKind::Open(_) | ActionKind::Close(_)
            );
            // A state kept by a diverging first step has what is due now already.
            let mine = (is_due(action.start, now, dt) && !ended && !is_set)
                .then(|| {
                    let touches = sim.touches_mut();
                    (0..found.len()).find(|&t| found[t].is_none() && is_of(&touches[t], action))
                })
                .flatten();
            self.status[i] = match mine {
                Some(t) => {
                    found[t] = Some(Owner::Action(i));
                    Status::Active
                }
                None if began => Status::Done,
                None => Status::Waiting,
            };
        }
        let mut kept = found.iter();
        sim.touches_mut().retain(|_| kept.next().is_some_and(Option::is_some));
        self.owners = found.iter().flatten().copied().collect();
        let dropped = found.len() - self.owners.len();
        if dropped > 0 {
            tell(Message::Note(format!(
                "{dropped} drags or pushes of the earlier session were let go: nobody holds them now"
            )));
        }
    }

    /// Steps until something is due, if anything ever is; at least 1.
    pub fn steps_to_next(&self, sim: &Simulator) -> Option<u64> {
        let (time, dt) = (sim.time(), sim.world().timestep);
        let times =
            self.actions.iter().zip(&self.status).filter_map(|(action, status)| match status {
                Status::Waiting => Some(action.start),
                Status::Active => action.end,
                Status::Done => None,
            });
        let steps = |at: f64| (((at - time) / dt - TOLERANCE).ceil() as u64).max(1);
        times.map(steps).min()
    }

    /// Whether something begins at this boundary.
    pub fn is_any_due(&self, sim: &Simulator) -> bool {
        let (time, dt) = (sim.time(), sim.world().timestep);
        let mut all = self.actions.iter().zip(&self.status);
        all.any(|(action, status)| *status == Status::Waiting && is_due(action.start, time, dt))
    }

    /// Does what is due at this boundary.
    pub fn apply(&mut self, sim: &mut Simulator, tell: &mut dyn FnMut(Message)) {
        for i in 0..self.actions.len() {
            // The timestep may change by an action of this very boundary.
            let (time, dt) = (sim.time(), sim.world().timestep);
            let action = &self.actions[i];
            let ends = action.end.is_some_and(|end| is_due(end, time, dt));
            match self.status[i] {
                Status::Waiting if is_due(action.start, time, dt) => {
                    let action = action.clone();
                    self.status[i] = self.begin(i, &action, ends, sim, tell);
                }
                Status::Active if ends => {
                    self.release(Owner::Action(i), sim);
                    self.status[i] = Status::Done;
                }
                _ => {}
            }
        }
    }

    fn begin(
        &mut self,
        index: usize,
        action: &Action,
        is_over: bool,
        sim: &mut Simulator,
        tell: &mut dyn FnMut(Message),
    ) -> Status {
        match &action.kind {
            ActionKind::Set(set_by) => {
                let mut world = sim.world().clone();
                let set = world.set_live(&set_by.key, set_by.value);
                match set.and_then(|live| sim.set_world(world).map(|()| live)) {
                    Ok(live) => self.note_set(live, set_by.value),
                    Err(error) => tell(Message::Warning(error.to_string())),
                }
                return Status::Done;
            }
            ActionKind::Open(of) => {
                sim.open_seam(&of.seam);
                return Status::Done;
            }
            ActionKind::Close(of) => {
                sim.close_seam(&of.seam);
                return Status::Done;
            }
            // Shorter than a step and already past.
            _ if is_over => return Status::Done,
            ActionKind::Push(push) => sim.push(touch_of_push(push)),
            ActionKind::Drag(drag) => {
                let (hand, cursor, speed) = motion(drag, action);
                let count = sim.grab(drag.center, drag.radius, speed, drag.stiffness);
                if count == 0 {
                    tell(Message::Warning(format!(
                        "the drag at t = {:.4} s grabs nothing: no vertex is within {} m of {:?}",
                        sim.time(),
                        drag.radius,
                        drag.center
                    )));
                    return Status::Done;
                }
                if let Some(Touch::Drag(held)) = sim.touches_mut().last_mut() {
                    (held.hand, held.cursor) = (hand, cursor);
                }
            }
            ActionKind::Carry(carry) => {
                let number = sim.collider_named(&carry.collider).unwrap_or(usize::MAX);
                let (cursor, speed) = way(carry, action);
                if let Err(error) = sim.carry(number, [0.0; 3], speed) {
                    tell(Message::Warning(error.to_string()));
                    return Status::Done;
                }
                if let Some(Touch::Carry(held)) = sim.touches_mut().last_mut() {
                    held.cursor = cursor;
                }
            }
        }
        self.owners.push(Owner::Action(index));
        Status::Active
    }

    fn note_set(&mut self, live: &Live, value: LiveValue) {
        self.sets.retain(|earlier| earlier.key != live.key);
        self.sets.push(Set { key: live.key.to_owned(), value });
    }

    /// Ends the drag or push of an owner, if there is one.
    pub fn release(&mut self, owner: Owner, sim: &mut Simulator) {
        if let Some(at) = self.owners.iter().position(|o| *o == owner) {
            self.owners.remove(at);
            // Whoever holds the simulator may have let go of everything already.
            if at < sim.touches_mut().len() {
                sim.touches_mut().remove(at);
            }
        }
    }
}

/// For each new action the old one that it continues: an equal one, or else one of its kind, in its
/// place if possible.
fn partners(old: &[Action], new: &[Action]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; old.len()];
    let mut found: Vec<Option<usize>> = vec![None; new.len()];
    for (action, partner) in new.iter().zip(&mut found) {
        *partner = (0..old.len()).find(|&i| is_free[i] && old[i] == *action);
        partner.iter().for_each(|&i| is_free[i] = false);
    }
    for (i, partner) in found.iter_mut().enumerate().filter(|(_, p)| p.is_none()) {
        let fits =
            |&o: &usize| is_free.get(o) == Some(&true) && is_alike(&old[o].kind, &new[i].kind);
        *partner = Some(i).filter(fits).or_else(|| (0..old.len()).find(fits));
        partner.iter().for_each(|&o| is_free[o] = false);
    }
    found
}

/// Whether both drag, both push, or both set something.
fn is_alike(a: &ActionKind, b: &ActionKind) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

/// Lets a drag or push that is going on go on as its edited action says.
fn take_numbers(touch: &mut Touch, action: &Action) {
    match (touch, &action.kind) {
        (Touch::Push(held), ActionKind::Push(push)) => *held = touch_of_push(push),
        (Touch::Drag(held), ActionKind::Drag(drag)) => {
            (_, held.cursor, held.speed) = motion(drag, action);
            held.stiffness = drag.stiffness;
        }
        (Touch::Carry(held), ActionKind::Carry(carry)) => {
            (held.cursor, held.speed) = way(carry, action);
        }
        _ => {}
    }
}

fn is_due(at: f64, time: f64, dt: f64) -> bool {
    at <= time + TOLERANCE * dt
}

/// Where the hand of a drag starts, where it goes and how fast.
fn motion(drag: &Drag, action: &Action) -> ([f64; 3], [f64; 3], f64) {
    let duration = action.end.map(|end| end - action.start);
    match drag.motion {
        DragMotion::Velocity(v) => {
            let way = duration.unwrap_or(ENDLESS);
            let cursor = std::array::from_fn(|k| drag.center[k] + v[k] * way);
            (drag.center, cursor, size(v))
        }
        DragMotion::Target(target) => match duration {
            Some(duration) if duration > 0.0 => {
                let way = std::array::from_fn(|k| target[k] - drag.center[k]);
                (drag.center, target, size(way) / duration)
            }
            _ => (target, target, 0.0),
        },
    }
}

/// How far the hand that carries a collider goes, which begins at the origin, and how fast.
fn way(carry: &Carry, action: &Action) -> ([f64; 3], f64) {
    let duration = action.end.map_or(ENDLESS, |end| end - action.start);
    let (cursor, velocity) = match carry.motion {
        CarryMotion::Velocity(v) => (v.map(|c| c * duration), v),
        CarryMotion::By(way) => (way, way.map(|c| c / duration)),
    };
    (cursor, size(velocity))
}

fn touch_of_push(push: &Push) -> touch::Push {
    touch::Push {
        origin: push.origin,
        direction: push.direction,
        radius: push.radius,
        force: push.force,
    }
}

/// Whether a drag or push is the doing of an action.
fn is_of(touch: &Touch, action: &Action) -> bool {
    match (touch, &action.kind) {
        (Touch::Push(held), ActionKind::Push(push)) => *held == touch_of_push(push),
        (Touch::Drag(held), ActionKind::Drag(drag)) => {
            let (_, cursor, speed) = motion(drag, action);
            held.cursor == cursor && held.speed == speed && held.stiffness == drag.stiffness
        }
        (Touch::Carry(held), ActionKind::Carry(carry)) => {
            (held.cursor, held.speed) == way(carry, action)
        }
        _ => false,
    }
}
