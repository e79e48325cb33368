//! What the simulator asks of a device. Failures become [`Trouble`]; outputs that cannot be had are
//! `None`.

use std::borrow::Cow;
use std::time::Duration;

use super::GpuBackend;
use crate::backend::engine::Later;
use crate::backend::{Engine, RestorePoint, StageTimes, Trouble};
use crate::model::Model;
use crate::scene::World;
use crate::stages::colliders::Contact;
use crate::stages::contact::{ContactReport, Touching};
use crate::stages::implicit::SolverReport;
use crate::stages::measure::{self, Elements, Sums};
use crate::stages::plasticity::RestShape;
use crate::stages::stress::Stress;
use crate::state::State;
use crate::step::{Advance, Need};

impl Engine for GpuBackend {
    fn name(&self) -> String {
        format!("{}, {}", self.gpu().adapter().name, self.strategy())
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn upload(&mut self, model: &Model, restore_point: &RestorePoint) -> Result<(), Trouble> {
        Ok(self.upload(model, restore_point)?)
    }

    fn download(&self, world: &World) -> Option<State> {
        self.download_or_fail(world)
    }

    fn seams(&self) -> Vec<u8> {
        self.seams()
    }

    fn set_seams(&mut self, model: &Model, pairs: &[u8]) {
        self.set_seams(model, pairs);
    }

    fn compute_forces(&mut self) -> Result<(), Trouble> {
        Ok(self.compute_forces()?)
    }

    fn snapshot(&mut self) -> Result<(), Trouble> {
        Ok(self.snapshot()?)
    }

    fn restore(&mut self, _: &Model) -> Result<(), Trouble> {
        // Half of it may have been copied.
        self.restore().map_err(|e| Trouble::Device(e.to_string()))
    }

    fn advance<'a>(
        &'a mut self,
        model: &'a Model,
        job: &'a Advance<'_>,
    ) -> Later<'a, Result<(), Trouble>> {
        Box::pin(self.advance(model, job))
    }

    fn make_room(&mut self, need: Need) -> Result<(), String> {
        self.make_room(need).map_err(|e| e.to_string())
    }

    fn take_solver_report(&mut self) -> SolverReport {
        self.take_solver_report()
    }

    fn contact_report(&self) -> Option<ContactReport> {
        self.contact_report()
    }

    fn forces_between_bodies(&self) -> Option<Vec<[f32; 3]>> {
        self.answered(self.forces_between_bodies()).flatten()
    }

    fn touching(&self, origins: &[[f64; 3]]) -> Vec<Touching> {
        self.answered(self.touching(origins)).unwrap_or_default()
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        self.positions()
    }

    fn velocities(&self) -> Vec<[f32; 3]> {
        self.velocities()
    }

    fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]> {
        self.internal_forces(world)
    }

    fn contacts(&mut self) -> Later<'_, Vec<Contact>> {
        Box::pin(async move {
            let answer = GpuBackend::contacts(self).await;
            self.answered(answer).unwrap_or_default()
        })
    }

    fn wanderers<'a>(&'a mut self, vertices: &'a [u32]) -> Later<'a, Option<Vec<[f32; 3]>>> {
        Box::pin(async move {
            match self.take_wandered() {
                true => Some(self.positions_of(vertices).await),
                false => None,
            }
        })
    }

    fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        self.shift_body(body, shift);
    }

    fn has_rest_shapes(&self) -> bool {
        self.has_rest_shapes()
    }

    fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>> {
        self.rest_shapes().map(Cow::Owned)
    }

    fn take_stage_times(&mut self) -> StageTimes {
        self.take_stage_times()
    }

    fn forget_stage_times(&mut self) {
        self.forget_stage_times();
    }

    fn mirror<'a>(&'a mut self, world: &'a World) -> Later<'a, Result<(), Trouble>> {
        Box::pin(async move { Ok(self.mirror(world).await?) })
    }

    fn measured<'a>(
        &'a mut self,
        model: &'a Model,
        context: &'a measure::MeasureContext<'_>,
    ) -> Later<'a, Option<(Sums, Elements)>> {
        Box::pin(async move {
            if self.is_mirrored() {
                return None;
            }
            let answer = self.measure(model, context).await;
            self.answered(answer)
        })
    }

    fn velocities_now(&mut self, context: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        let answer = (!self.is_mirrored()).then(|| self.velocities_now(context))?;
        self.answered(answer)
    }

    fn net_forces(&mut self, context: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        let answer = (!self.is_mirrored()).then(|| self.net_forces(context))?;
        self.answered(answer)
    }

    fn stress(&self, model: &Model) -> Option<Vec<Stress>> {
        let answer = (!self.is_mirrored()).then(|| self.stress(model))?;
        self.answered(answer)
    }

    fn trouble(&mut self) -> Option<Trouble> {
        let failure = self.take_failure().or_else(|| self.gpu().check().err());
        failure.map(Trouble::from)
    }

    fn rescued(&self) -> Option<RestorePoint> {
        Some(self.rescued())
    }

    fn rescued_step(&self) -> Option<u64> {
        Some(self.rescued_step())
    }

    fn is_rescuing(&self) -> bool {
        self.is_rescuing()
    }

    fn set_rescue_interval(&mut self, interval: Option<Duration>) {
        self.set_rescue_interval(interval);
    }

    fn is_rescue_due(&mut self) -> bool {
        self.is_rescue_due()
    }

    fn request_rescue(&mut self, restore_point: RestorePoint) -> Result<(), Trouble> {
        Ok(self.request_rescue(restore_point)?)
    }

    fn rescue_went_back(&mut self, restore_point: RestorePoint) -> Later<'_, Result<(), Trouble>> {
        Box::pin(async move { Ok(self.rescue_went_back(restore_point).await?) })
    }
}
