//! The search for a solution: conjugate gradients, and what holds or touches vertices meanwhile.

use super::solve::{ImplicitStep, Scalar, SolverJob};
use super::vectors::Vectors;
use crate::stages::implicit::row::Freedom;
use crate::stages::implicit::{End, SolverReport};

/// How much smaller the true residual must become before a search that went astray is taken up once
/// more: below that, the precision of the numbers is used up.
const WORTHWHILE: f64 = 0.25;

/// How far the best part of a guess may be from all of it, for that to be taken.
const NEARLY: f64 = 0.1;

/// How often it is asked at most what walls hold, how often they may let go meanwhile, and how often
/// the system is solved anew for friction alone, which the next step goes on to find.
const MOST_REVISIONS: u32 = 24;
pub(super) const MOST_RELEASES: u32 = 6;
pub(super) const MOST_FRICTION_UPDATES: u32 = 16;

/// How much coarser systems are solved while it is not yet known what walls hold.
const COARSE: f64 = 30.0;
const COARSE_LIMIT: f64 = 0.01;

/// Where bodies touch: the part of a residual that solves leave while rows still change, and how many such revisions
/// there are at most. What rows change by is more, and the next solve goes on from there.
const ROUGH: f64 = 0.1;
const MOST_ROUGH: u32 = MOST_REVISIONS - 3;

impl SolverJob<'_> {
    /// Solves a system from the guess that is in Δv, and finds out what walls hold. `square` is that of
    /// the right-hand side.
    pub(super) fn search(
        &self,
        step: &ImplicitStep<'_>,
        square: f64,
        has_contacts: bool,
    ) -> SolverReport {
        let mut reference = square;
        let h = step.h as f32;
        let has_pairs = self.has_pairs();
        if has_contacts {
            // What walls prescribe belongs to the right-hand side; what rows miss, times κ, is nothing to compare with.
            self.each(step, |block| self.guess(step, block, 0.0));
            if !has_pairs {
                reference = reference.max(self.true_residual(step)[1]);
            }
            self.each(step, |block| self.guess(step, block, h));
        }
        let mut left = self.true_residual(step);
        // With what walls prescribe, the energy of the guess alone is not known.
        let share = match has_contacts {
            true if left[1] > reference && !has_pairs => 0.0,
            true => 1.0,
            false => {
                self.each(step, |block| {
                    let Vectors { right, residual, .. } = self.vectors;
                    self.set(
                        Scalar::UnknownsRight,
                        block,
                        self.dot_with_unknowns(step, block, right),
                    );
                    self.set(
                        Scalar::UnknownsResidual,
                        block,
                        self.dot_with_unknowns(step, block, residual),
                    );
                });
                share_of_guess(self.totals([Scalar::UnknownsRight, Scalar::UnknownsResidual]))
            }
        };
        if share != 1.0 {
            self.each(step, |block| self.guess(step, block, share * h));
            left = self.true_residual(step);
        }
        let has_walls =
            step.colliders.is_some() || step.constants.iter().any(|body| body.walls.is_some());
        let fine = self.settings.tolerance;
        let coarse = (COARSE * fine).min(COARSE_LIMIT).max(fine);
        let mut tolerance = if has_walls && has_contacts && !has_pairs { coarse } else { fine };
        let mut is_rough = has_pairs && has_contacts;
        let goal = if is_rough { rough(left, reference, tolerance) } else { tolerance };
        let mut report = self.conjugate_gradients(step, left, reference, goal, 0);
        self.correct_momentum(step);
        for revision in 0..if has_walls || has_pairs { MOST_REVISIONS } else { 0 } {
            let count = 3 * step.work.slots().count;
            // Impulses are as uncertain as the residual is large.
            let slack = 2.0 * report.residual * (reference / count as f64).sqrt();
            let may_leave = revision < MOST_RELEASES;
            // What solves leave roughly is no friction to end with.
            let updates = if has_pairs { MOST_ROUGH + 1 } else { MOST_FRICTION_UPDATES };
            let may_change_friction = revision < updates;
            self.each(step, |block| {
                let freedom = [may_leave, may_change_friction];
                match step.colliders {
                    Some(_) => self.revise_obstacles(step, block, slack as f32, revision),
                    None => self.revise(step, block, slack as f32, freedom),
                }
            });
            let freedom = Freedom { may_leave, may_change_friction };
            let rows_changed = self.revise_pairs(step, slack as f32, freedom);
            let has_changed = self.totals([Scalar::ContactChanges]) != [0.0] || rows_changed;
            let is_fine = tolerance == fine && (!is_rough || report.residual <= fine);
            if !has_changed && is_fine {
                break;
            }
            is_rough &= has_changed && revision < MOST_ROUGH;
            if !has_changed || revision >= MOST_FRICTION_UPDATES {
                tolerance = fine;
            }
            let left = self.true_residual(step);
            // Impulses that are wrong for the moment are nothing to compare with.
            if !has_pairs {
                reference = reference.max(left[1]);
            }
            let so_far = report.last_iterations;
            let goal = if is_rough { rough(left, reference, tolerance) } else { tolerance };
            report = self.conjugate_gradients(step, left, reference, goal, so_far);
            self.correct_momentum(step);
        }
        report
    }

    /// r·z and r·r of the residual of Δv.
    fn true_residual(&self, step: &ImplicitStep<'_>) -> [f64; 2] {
        self.tie_unknowns(step);
        let delta = self.vectors.delta;
        self.each(step, |block| self.multiply(step, block, delta, None, true));
        self.multiply_pairs();
        self.multiply_seams();
        self.each(step, |block| self.residual_of_block(step, block));
        self.residual_sums(step)
    }

    /// r·z and r·r of all blocks, once what is welded shares its residual.
    fn residual_sums(&self, step: &ImplicitStep<'_>) -> [f64; 2] {
        if self.tie_residuals() {
            self.each(step, |block| self.sum_residuals(step, block));
        }
        self.totals([Scalar::ResidualPreconditioned, Scalar::ResidualSquared])
    }

    /// Conjugate gradients, from the unknowns whose residual has the sums [r·z, r·r]; counts on from
    /// `so_far`.
    fn conjugate_gradients(
        &self,
        step: &ImplicitStep<'_>,
        [mut rz, mut rr]: [f64; 2],
        reference: f64,
        tolerance: f64,
        so_far: u32,
    ) -> SolverReport {
        let max_iterations = self.settings.max_iterations;
        let mut iterations = 0;
        let goal = tolerance * tolerance * reference;
        let mut beta = None;
        let mut last_true = rr;
        let (mut is_true, mut is_lost) = (true, false);
        loop {
            let ends = rr <= goal || iterations == max_iterations || !rr.is_finite() || is_lost;
            if ends && is_true {
                break;
            } else if ends {
                [rz, rr] = self.true_residual(step);
                (is_true, is_lost, beta) = (true, false, None);
                if rr > WORTHWHILE * last_true && rr > goal {
                    break;
                }
                last_true = rr;
                continue;
            }
            let scaled = self.vectors.scaled;
            self.each(step, |block| self.multiply(step, block, scaled, beta, true));
            let pairs = self.multiply_pairs() + self.multiply_seams();
            let curvature = self.totals([Scalar::Curvature])[0] + pairs;
            // Where the matrix has no more digits, only the true residual can tell.
            let alpha = Some((rz / curvature) as f32).filter(|a| curvature > 0.0 && a.is_finite());
            self.each(step, |block| self.cg_update(step, block, alpha.unwrap_or(0.0)));
            let last = rz;
            [rz, rr] = self.residual_sums(step);
            is_lost = alpha.is_none() || rz <= 0.0;
            beta = Some((rz / last) as f32);
            is_true = false;
            iterations += 1;
        }
        let residual = if reference > 0.0 { (rr / reference).sqrt() } else { 0.0 };
        let end = if rr <= goal {
            End::Converged
        } else if iterations < max_iterations && rr.is_finite() {
            End::Limited
        } else {
            End::GivenUp
        };
        SolverReport::one(so_far + iterations, residual, end)
    }
}

/// The tolerance of a solve that begins with this residual, where rows still change.
fn rough(left: [f64; 2], reference: f64, tolerance: f64) -> f64 {
    (ROUGH * (left[1] / reference).sqrt()).min(1.0).max(tolerance)
}

/// How much of a guess g to begin with: as much as brings the energy ½ g·Ag − g·r of the system down most,
/// so that a search that ends early cannot give energy to a body. Given are g·r and what is left of it
/// with all of g; a guess that is nearly right is taken as it is.
pub(super) fn share_of_guess([before, after]: [f64; 2]) -> f32 {
    let share = before / (before - after);
    let is_near = (share - 1.0).abs() <= NEARLY;
    if before == after || is_near {
        1.0
    } else if before > after && share > 0.0 {
        share as f32
    } else {
        0.0
    }
}
