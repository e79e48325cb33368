//! Seams of a running scene.

use super::Simulator;
use crate::model::{Family, Model};
use crate::scene::{Problem, SceneError, World};
use crate::stages::seams::{SeamReport, Status};

/// Whether seams can be sewn in a world.
pub(super) fn check_seams(model: &Model, world: &World) -> Result<(), SceneError> {
    if model.seams.is_empty() {
        return Ok(());
    }
    let bodies = || model.seams.members.iter().map(|member| &model.bodies[member.body as usize]);
    let refuse = |problem: &str, help: &str| Err(Problem::new("seams", problem).help(help).into());
    if model.sewn_family(world) == Some(Family::Explicit) {
        return match bodies().find(|body| body.family_in(world) == Family::Implicit) {
            None => Ok(()),
            Some(body) => refuse(
                &format!(
                    "body {:?} takes implicit steps, and others that are sewn do not",
                    body.name
                ),
                "let all of them take the same, by `implicit` or by `world.integrator`",
            ),
        };
    }
    if let Some(body) = bodies().find(|body| body.family_in(world) == Family::Explicit) {
        let problem =
            format!("body {:?} takes explicit steps, and others that are sewn do not", body.name);
        return refuse(
            &problem,
            "let all of them take the same, by `implicit` or by `world.integrator`",
        );
    }
    if model.seams.pairs.iter().any(|pair| pair.strength.is_finite()) {
        return refuse(
            "nothing tears and no seam breaks in implicit steps",
            "take an explicit `world.integrator`, such as `verlet`, or leave out `breaks` and `tears`",
        );
    }
    if world.implicit.newton_iterations > 1 {
        return refuse(
            "seams are part of implicit steps that linearise forces once",
            "leave out `world.implicit.newton_iterations`",
        );
    }
    Ok(())
}

impl Simulator {
    /// What the pairs of all seams are; nothing where nothing is sewn.
    pub fn seam_report(&self) -> Option<SeamReport> {
        (!self.model.seams.is_empty()).then(|| SeamReport::of(&self.engine.seams()))
    }

    /// What the pairs of the seam of that name are; nothing if there is none.
    pub fn seam_report_of(&self, name: &str) -> Option<SeamReport> {
        let pairs = self.engine.seams();
        let seam = self.seam_named(name)?;
        let of = self.model.seams.pairs.iter().zip(&pairs).filter(|(pair, _)| pair.seam == seam);
        Some(SeamReport::of(&of.map(|(_, status)| *status).collect::<Vec<_>>()))
    }

    /// Takes the seam of that name apart; says whether there is one.
    pub fn open_seam(&mut self, name: &str) -> bool {
        self.set_seam(name, Status::Apart)
    }

    /// Sews the seam of that name, or sews it again; says whether there is one. What is welded stays so.
    pub fn close_seam(&mut self, name: &str) -> bool {
        self.set_seam(name, Status::Open)
    }

    fn seam_named(&self, name: &str) -> Option<u32> {
        let seam = self.model.seams.list.iter().position(|sewn| sewn.name == name)?;
        Some(seam as u32)
    }

    fn set_seam(&mut self, name: &str, status: Status) -> bool {
        let Some(seam) = self.seam_named(name) else { return false };
        let mut pairs = self.engine.seams();
        for (number, pair) in pairs.iter_mut().zip(&self.model.seams.pairs) {
            let stays = status == Status::Open && *number == Status::Welded as u8;
            if pair.seam == seam && !stays {
                *number = status as u8;
            }
        }
        self.engine.set_seams(&self.model, &pairs);
        self.inputs_changed();
        true
    }
}
