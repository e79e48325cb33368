//! Who has set which parameter: the scene, the user, or an action.

use pliant_sim::Simulator;
use pliant_sim::scene::{Live, LiveValue, Set, World};

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
    pub fn set(&mut self, live: &Live, value: LiveValue) {
        let before = self.base.clone();
        // A box that an edit has taken away has no parameters; then there is nothing to keep.
        let _ = live.set(&mut self.base, value);
        self.note_changes(&before, Some(live.key));
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
        let is_news = |live: &&Live| also == Some(live.key) || live.get(before) != live.get(base);
        let keys: Vec<&'static str> = Live::ALL.iter().filter(is_news).map(|l| l.key).collect();
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

/// `base` with everything that differs between `old` and `new`.
fn merged(base: &World, old: &World, new: &World) -> World {
    let mut world = base.clone();
    // With walls that come or go, all that is theirs does.
    if [base, old, new].iter().any(|world| world.bounds.is_none()) {
        take(&mut world.bounds, &old.bounds, &new.bounds);
    }
    if let (Some(walls), Some(old), Some(new)) = (&mut world.bounds, &old.bounds, &new.bounds) {
        take(&mut walls.center, &old.center, &new.center);
    }
    // The same of air.
    if [base, old, new].iter().any(|world| world.wind.is_none()) {
        take(&mut world.wind, &old.wind, &new.wind);
    }
    for live in Live::ALL {
        if let Some(value) = live.get(new).filter(|value| live.get(old) != Some(*value)) {
            // As above: without a box nothing of it can be set.
            let _ = live.set(&mut world, value);
        }
    }
    take(&mut world.integrator, &old.integrator, &new.integrator);
    take(&mut world.accumulation, &old.accumulation, &new.accumulation);
    take(&mut world.auto_substeps, &old.auto_substeps, &new.auto_substeps);
    world
}

/// Takes over what is new.
fn take<T: Clone + PartialEq>(value: &mut T, old: &T, new: &T) {
    if old != new {
        *value = new.clone();
    }
}

#[cfg(test)]
mod tests {
    use pliant_sim::scene::{Accumulation, Integrator};

    use super::*;

    #[test]
    fn an_edit_changes_what_it_changes_and_leaves_the_rest() {
        let given = World::default();
        let mut base = given.clone();
        base.gravity = [0.0; 3];
        base.damping = 2.0;
        let mut new = given.clone();
        new.damping = 3.0;
        new.bounds.as_mut().unwrap().restitution = 0.5;
        let world = merged(&base, &given, &new);
        assert_eq!((world.gravity, world.damping), ([0.0; 3], 3.0));
        assert_eq!(world.bounds.as_ref().unwrap().restitution, 0.5);
        new.bounds = None;
        assert_eq!(merged(&world, &given, &new).bounds, None);
        new.bounds = given.bounds.clone();
        let open = World { bounds: None, ..given.clone() };
        assert_eq!(merged(&open, &open, &new), new, "walls that come anew");
        assert_eq!(merged(&open, &given, &new).bounds, None, "what the edit does not change");
        new.bounds.as_mut().unwrap().center = Some([1.0; 3]);
        assert_eq!(merged(&given, &given, &new), new);
        (new.integrator, new.auto_substeps) = (Integrator::Heun, true);
        (new.substeps, new.implicit.newton_iterations) = (3, 2);
        new.accumulation = Accumulation::Gather;
        assert_eq!(merged(&given, &given, &new), new);
    }
}
