//! Who has set which parameter: the scene, the user, or an action.

use pliant_sim::Simulator;
use pliant_sim::scene::{LIVE_KEYS, LiveValue, Set, World, WorldBox};

/// The parameters of a session without what actions have set.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// What the scene says and the user has changed.
    base: World,
    /// What the scene said last, to tell what an edit changes.
    given: World,
    /// The number of the user's last change to each key.
    changed: Vec<(&'static str, u64)>,
    changes: u64,
}

impl Parameters {
    /// Those of a simulator. For one that was resumed, what actions have set before counts as given:
    /// a checkpoint does not tell what was there before them.
    pub fn new(sim: &Simulator) -> Self {
        let (base, given) = (sim.world().clone(), sim.scene().world.clone());
        Self { base, given, changed: Vec::new(), changes: 0 }
    }

    /// What holds at the start, before any action.
    pub fn base(&self) -> &World {
        &self.base
    }

    /// How often the user has changed something.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The user has set a live parameter.
    pub fn set(&mut self, key: &str, value: LiveValue) {
        let before = self.base.clone();
        // A box that an edit has taken away has no parameters; then there is nothing to keep.
        let _ = self.base.set_live(key, value);
        self.note_changes(&before, Some(key));
    }

    /// The user has edited the scene. What differs from what it said before counts; so a parameter
    /// that was set by a command stays, unless this edit changes it too.
    pub fn edit(&mut self, new: &World) {
        let before = self.base.clone();
        self.base = merged(&self.base, &self.given, new);
        self.given = new.clone();
        self.note_changes(&before, None);
    }

    fn note_changes(&mut self, before: &World, also: Option<&str>) {
        self.changes += 1;
        let base = &self.base;
        let is_news = |key: &str| also == Some(key) || live(before, key) != live(base, key);
        let keys: Vec<&'static str> = LIVE_KEYS.into_iter().filter(|k| is_news(k)).collect();
        self.changed.retain(|(key, _)| !keys.contains(key));
        self.changed.extend(keys.into_iter().map(|key| (key, self.changes)));
    }

    /// Those of a moment's sets that the user has not overruled since.
    pub fn still_valid(&self, sets: &[Set], since: u64) -> Vec<Set> {
        let is_overruled =
            |set: &&Set| self.changed.iter().any(|(key, at)| *key == set.key && *at > since);
        sets.iter().filter(|set| !is_overruled(set)).cloned().collect()
    }

    /// The live parameters once actions have set these.
    pub fn with(&self, sets: &[Set]) -> World {
        let mut world = self.base.clone();
        for set in sets {
            // As above: without a box nothing of it can be set.
            let _ = world.set_live(&set.key, set.value);
        }
        world
    }
}

/// The value of a live parameter.
fn live(world: &World, key: &str) -> Option<LiveValue> {
    let walls = world.bounds.as_ref();
    match key {
        "world.gravity" => Some(LiveValue::Vector(world.gravity)),
        "world.external_force" => Some(LiveValue::Vector(world.external_force)),
        "world.friction" => Some(LiveValue::Number(world.friction)),
        "world.plasticity" => Some(LiveValue::Number(world.plasticity)),
        "world.timestep" => Some(LiveValue::Number(world.timestep)),
        "world.box.size" => walls.map(|w| LiveValue::Vector(w.size)),
        "world.box.restitution" => walls.map(|w| LiveValue::Number(w.restitution)),
        "world.box.friction" => walls.map(|w| LiveValue::Number(w.friction)),
        _ => None,
    }
}

/// `base` with everything that differs between `old` and `new`.
fn merged(base: &World, old: &World, new: &World) -> World {
    fn pick<T: Clone + PartialEq>(base: &T, old: &T, new: &T) -> T {
        if old == new { base.clone() } else { new.clone() }
    }
    World {
        gravity: pick(&base.gravity, &old.gravity, &new.gravity),
        external_force: pick(&base.external_force, &old.external_force, &new.external_force),
        friction: pick(&base.friction, &old.friction, &new.friction),
        plasticity: pick(&base.plasticity, &old.plasticity, &new.plasticity),
        timestep: pick(&base.timestep, &old.timestep, &new.timestep),
        substeps: pick(&base.substeps, &old.substeps, &new.substeps),
        integrator: pick(&base.integrator, &old.integrator, &new.integrator),
        implicit: pick(&base.implicit, &old.implicit, &new.implicit),
        accumulation: pick(&base.accumulation, &old.accumulation, &new.accumulation),
        auto_substeps: pick(&base.auto_substeps, &old.auto_substeps, &new.auto_substeps),
        bounds: match (&base.bounds, &old.bounds, &new.bounds) {
            (Some(base), Some(old), Some(new)) => Some(WorldBox {
                size: pick(&base.size, &old.size, &new.size),
                center: pick(&base.center, &old.center, &new.center),
                restitution: pick(&base.restitution, &old.restitution, &new.restitution),
                friction: pick(&base.friction, &old.friction, &new.friction),
            }),
            (base, old, new) => pick(base, old, new),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_live_key_can_be_read() {
        for key in LIVE_KEYS {
            let mut world = World::default();
            let value = match live(&world, key) {
                Some(LiveValue::Number(_)) => LiveValue::Number(0.125),
                Some(LiveValue::Vector(_)) => LiveValue::Vector([0.5, 0.25, 0.125]),
                None => panic!("{key}"),
            };
            world.set_live(key, value).unwrap();
            assert_eq!(live(&world, key), Some(value), "{key}");
        }
    }

    #[test]
    fn an_edit_changes_what_it_changes_and_leaves_the_rest() {
        let given = World::default();
        let mut base = given.clone();
        base.gravity = [0.0; 3];
        base.friction = 2.0;
        let mut new = given.clone();
        new.friction = 3.0;
        new.bounds.as_mut().unwrap().restitution = 0.5;
        let world = merged(&base, &given, &new);
        assert_eq!((world.gravity, world.friction), ([0.0; 3], 3.0));
        assert_eq!(world.bounds.as_ref().unwrap().restitution, 0.5);
        new.bounds = None;
        assert_eq!(merged(&world, &given, &new).bounds, None);
    }
}
