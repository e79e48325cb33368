//! Colliders that hands take elsewhere.

use super::Simulator;
use crate::scene::{Pose, Problem, SceneError};
use crate::stages::touch::{Carry, Displaced, Touch};

impl Simulator {
    /// The number of the first collider with this name, if there is one.
    pub fn collider_named(&self, name: &str) -> Option<usize> {
        self.scene.colliders.iter().position(|collider| collider.name == name)
    }

    /// Takes hold of collider number `collider` of the scene with a hand at `hand` \[m\], which goes to its cursor at
    /// `speed` \[m/s\]: the last of [`Simulator::touches_mut`] from now on. The collider goes along, with the hand's
    /// velocity on top of its own, and stays where it is left.
    pub fn carry(&mut self, collider: usize, hand: [f64; 3], speed: f64) -> Result<(), SceneError> {
        self.check_carried(collider)?;
        let carry = Carry { collider: collider as u32, hand, cursor: hand, speed };
        self.touches.push(Touch::Carry(carry));
        self.inputs_changed();
        Ok(())
    }

    /// Puts collider number `collider` of the scene as far from where its own motion has it as `displaced` says \[m\]:
    /// at once, and so without a velocity. What is in its way is pushed out of it; to drag things along, let a hand
    /// [carry](Simulator::carry) it.
    pub fn move_collider(
        &mut self,
        collider: usize,
        displaced: [f64; 3],
    ) -> Result<(), SceneError> {
        self.check_carried(collider)?;
        if displaced.iter().any(|c| !c.is_finite()) {
            let problem = format!("collider {collider} cannot be moved by {displaced:?} m");
            return Err(Problem::new(format!("colliders[{collider}]"), problem).into());
        }
        self.displaced[collider] = displaced;
        self.inputs_changed();
        Ok(())
    }

    /// How far hands have taken collider number `collider` of the scene from where its own motion has it \[m\].
    pub fn displacement(&self, collider: usize) -> [f64; 3] {
        self.displaced.get(collider).copied().unwrap_or_default()
    }

    /// The same of all colliders; nothing where none was ever taken anywhere.
    pub fn displacements(&self) -> &[[f64; 3]] {
        &self.displaced
    }

    /// Where collider number `collider` of the scene is now; of meshes whose shape changes, without that.
    pub fn collider_pose(&self, collider: usize) -> Option<Pose> {
        let pose = self.scene.colliders.get(collider)?.pose(self.time);
        Some(pose.shifted(self.displacement(collider)))
    }

    /// Where the vertices of collider number `collider` of the scene are now \[m\], if it is a mesh.
    pub fn collider_points(&self, collider: usize) -> Option<Vec<[f64; 3]>> {
        let given = self.model.given.iter().find(|given| given.collider == collider)?;
        let by = self.displacement(collider);
        let mut points = given.points_at(self.time);
        points.iter_mut().for_each(|p| *p = std::array::from_fn(|k| p[k] + by[k]));
        Some(points)
    }

    /// Whether a collider may be taken elsewhere; makes room to remember it.
    fn check_carried(&mut self, collider: usize) -> Result<(), SceneError> {
        let count = self.model.collider_count();
        if collider >= count {
            let problem = format!("there is no collider {collider}; there are {count}");
            return Err(Problem::new("colliders", problem).into());
        }
        self.displaced.resize(count, [0.0; 3]);
        Ok(())
    }

    /// Moves colliders on with the hands that carry them, by some time \[s\].
    pub(super) fn move_carried(&mut self, time: f64) {
        let by = std::mem::take(&mut self.displaced);
        let displaced = Displaced { by: &by, touches: &self.touches };
        self.displaced = match displaced.is_changing() {
            true => (0..by.len()).map(|collider| displaced.after(collider, time)).collect(),
            false => by,
        };
    }
}
