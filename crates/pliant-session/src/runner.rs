//! Driving a session to its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[cfg(feature = "gpu")]
use pliant_sim::at_once;
use pliant_sim::scene::{Output, RunPlan};
use pliant_sim::{Diverged, StepReport};

use crate::export::{CHECKPOINT, ExportError, Exports, write_checkpoint};
#[cfg(feature = "gpu")]
use crate::pictures::PaintError;
use crate::{Frame, Message, Session};

/// Time between two looks at the clock, at commands and at the cancel flag.
const BEAT: Duration = Duration::from_millis(40);

/// How a run goes.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// How long.
    pub plan: RunPlan,
    /// What to write.
    pub output: Output,
    /// Where to write it.
    pub folder: PathBuf,
    /// What files are called.
    pub name: String,
    /// Whether the files of an earlier part of this run are continued instead of replaced.
    pub is_continued: bool,
    /// Set from elsewhere to end the run after the step that is going on.
    pub cancel: Arc<AtomicBool>,
}

/// What a run tells while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// How far it is; several times a second.
    Progress(&'a Progress),
    /// Something worth knowing.
    Message(&'a Message),
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Steps in all, if the run has an end.
    pub end: Option<u64>,
    /// Simulated time \[s\].
    pub time: f64,
    /// Steps per second of real time.
    pub rate: f64,
    /// Real time that is left \[s\].
    pub seconds_left: Option<f64>,
    /// Measured at the latest frame.
    pub report: Option<StepReport>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// It did all it was asked for.
    Finished,
    /// It was told to stop; the checkpoint continues it.
    Stopped,
    /// It came apart; the checkpoint holds the last good state.
    Diverged(Box<Diverged>),
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Where it stands.
    pub report: StepReport,
    /// Hash of the state: equal only for states that are the same to the last bit.
    pub hash: u64,
    /// The files to open, the checkpoint included.
    pub outputs: Vec<PathBuf>,
    /// The checkpoint, if one was written.
    pub checkpoint: Option<PathBuf>,
    /// Steps done in this run, not counting earlier parts.
    pub steps_done: u64,
    /// Real time of the run \[s\].
    pub seconds: f64,
}

/// Why a run could not go on, other than divergence.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A result could not be written.
    #[error("the run ended after step {step}: {source}")]
    Write {
        /// The last step.
        step: u64,
        /// What went wrong.
        source: ExportError,
    },
}

/// Runs a session to the end of the plan, writing as it goes.
///
/// When it is cancelled or diverges it writes a checkpoint besides, asked for or not.
pub fn run(
    session: &mut Session,
    options: &RunOptions,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, RunError> {
    let nothing_to_write;
    let mut options = options;
    if options.is_continued && steps_left(&options.plan, session) == Some(0) {
        // The end is already past: results that are there stay as they are.
        session.remote().tell(Message::Warning(nothing_left(&options.plan, session)));
        nothing_to_write = RunOptions { output: Output::default(), ..options.clone() };
        options = &nothing_to_write;
    }
    let mut run = Run::new(session, options, observe)?;
    let ending = run.drive()?;
    run.conclude(ending)
}

struct Run<'a> {
    session: &'a mut Session,
    options: &'a RunOptions,
    observe: &'a mut dyn FnMut(Event<'_>),
    exports: Exports,
    checkpoint: Option<PathBuf>,
    start: Instant,
    first_step: u64,
    /// Tetrahedra that were inside out when the run began.
    first_inverted: usize,
    /// The step of the frame that was written last.
    last_frame: Option<u64>,
    report: Option<StepReport>,
}

impl<'a> Run<'a> {
    fn new(
        session: &'a mut Session,
        options: &'a RunOptions,
        observe: &'a mut dyn FnMut(Event<'_>),
    ) -> Result<Self, RunError> {
        let step = session.simulator().step_count();
        let continued = options.is_continued.then_some(step);
        let RunOptions { output, folder, name, .. } = options;
        let remote = session.remote();
        let tell = &mut |message| remote.tell(message);
        let exports = Exports::new(output, folder, name, session.simulator(), continued, tell)
            .map_err(|source| RunError::Write { step, source })?;
        Ok(Self {
            session,
            options,
            observe,
            exports,
            checkpoint: None,
            start: Instant::now(),
            first_step: step,
            first_inverted: 0,
            last_frame: continued,
            report: None,
        })
    }

    /// Steps until the plan, a command, the cancel flag or divergence ends it.
    fn drive(&mut self) -> Result<Ending, RunError> {
        self.session.check_timestep();
        self.first_inverted = self.session.simulator_mut().report().inverted_count;
        self.write_frame()?;
        self.start = Instant::now();
        // Few steps at first; the rate is not known yet.
        let mut chunk = 1;
        while self.steps_left() != Some(0) {
            if self.is_cancelled() {
                return Ok(Ending::Stopped);
            }
            let beat = Instant::now();
            let (before, count) = (self.step(), self.steps_to_event().min(chunk));
            if let Err(diverged) = self.session.advance(count) {
                return Ok(Ending::Diverged(Box::new(diverged)));
            }
            if self.step() == before {
                // Paused: no step says how long one takes, and nothing new is there to be written.
                std::thread::sleep(BEAT);
                continue;
            }
            chunk = next_chunk(count, beat.elapsed());
            self.write_what_is_due()?;
            self.tell_progress();
        }
        Ok(Ending::Finished)
    }

    fn is_cancelled(&self) -> bool {
        self.options.cancel.load(Ordering::Relaxed) || self.session.is_stopped()
    }

    fn step(&self) -> u64 {
        self.session.simulator().step_count()
    }

    /// Steps to the end of the plan; a duration is rounded to whole steps of the present length.
    fn steps_left(&self) -> Option<u64> {
        steps_left(&self.options.plan, self.session)
    }

    fn frame_interval(&self) -> u64 {
        self.options.output.every.step_count(self.session.simulator().world().timestep)
    }

    /// Steps to the next frame, checkpoint or end, whichever comes first.
    fn steps_to_event(&self) -> u64 {
        let step = self.step();
        let to_multiple = |n: u64| n - step % n;
        let frame = (!self.exports.is_empty()).then(|| to_multiple(self.frame_interval()));
        let checkpoint = self.options.output.checkpoint_every.map(|n| to_multiple(n.max(1)));
        [frame, checkpoint, self.steps_left()].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    fn write_what_is_due(&mut self) -> Result<(), RunError> {
        let step = self.step();
        if step.is_multiple_of(self.frame_interval()) {
            self.write_frame()?;
        }
        let every = self.options.output.checkpoint_every.map(|n| n.max(1));
        if every.is_some_and(|n| step.is_multiple_of(n)) {
            self.write_checkpoint()?;
        }
        Ok(())
    }

    /// Writes a frame unless this step has one.
    fn write_frame(&mut self) -> Result<(), RunError> {
        let step = self.step();
        if self.exports.is_empty() || self.last_frame == Some(step) {
            return Ok(());
        }
        let frame = self.add_frame().map_err(|source| RunError::Write { step, source })?;
        self.last_frame = Some(step);
        self.report = Some(frame.report.clone());
        Ok(())
    }

    /// Takes a frame and adds it to all that is written.
    fn add_frame(&mut self) -> Result<Arc<Frame>, ExportError> {
        let remote = self.session.remote();
        let tell = &mut |message| remote.tell(message);
        let fields = self.exports.fields();
        #[cfg(feature = "gpu")]
        if let Some(quantity) = self.exports.quantity() {
            let frame = at_once(self.session.frame_on_device_async(quantity, fields));
            match self.exports.add(&frame, tell) {
                Err(ExportError::Paint(PaintError::Device(error))) => {
                    let error =
                        format!("the GPU does not draw ({error}): the CPU does from now on");
                    tell(Message::Warning(error));
                    self.exports.give_up_device();
                }
                outcome => return outcome.map(|()| frame),
            }
        }
        let frame = self.session.frame(fields);
        self.exports.add(&frame, tell).map(|()| frame)
    }

    fn write_checkpoint(&mut self) -> Result<(), RunError> {
        let path = self.options.folder.join(CHECKPOINT);
        self.session.check_device();
        write_checkpoint(&path, &self.session.checkpoint())
            .map_err(|source| RunError::Write { step: self.step(), source: source.into() })?;
        self.checkpoint = Some(path);
        Ok(())
    }

    fn tell_progress(&mut self) {
        for message in self.session.remote().messages() {
            (self.observe)(Event::Message(&message));
        }
        let done = self.step().saturating_sub(self.first_step);
        let rate = done as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
        let left = self.steps_left();
        let progress = Progress {
            step: self.step(),
            end: left.map(|n| self.step().saturating_add(n)),
            time: self.session.simulator().time(),
            rate,
            seconds_left: left.map(|n| n as f64 / rate).filter(|s| s.is_finite()),
            report: self.report.clone(),
        };
        (self.observe)(Event::Progress(&progress));
    }

    /// Writes a checkpoint where the run can go on from one, the last frame, and what waits.
    fn write_last(&mut self, ending: &Ending) -> Result<(), RunError> {
        if *ending != Ending::Finished || self.options.output.checkpoint_every.is_some() {
            self.write_checkpoint()?;
        }
        // A stopped run goes on between two frames; one more would be out of turn.
        if *ending != Ending::Stopped {
            self.write_frame()?;
        }
        let step = self.step();
        self.exports.finish().map_err(|source| RunError::Write { step, source })
    }

    /// Writes what is left to write and tells how it ended.
    fn conclude(mut self, ending: Ending) -> Result<Outcome, RunError> {
        match (self.write_last(&ending), &ending) {
            // What could not be written of a diverged run must not hide that it diverged.
            (Err(error), Ending::Diverged(_)) => {
                self.session.remote().tell(Message::Warning(error.to_string()));
            }
            (result, _) => result?,
        }
        self.session.check_device();
        let report = self.session.simulator_mut().report();
        if !matches!(ending, Ending::Diverged(_)) {
            self.tell_inverted(report.inverted_count);
            self.session.check_energy();
        }
        self.tell_progress();
        let mut outputs = self.exports.paths();
        outputs.extend(self.checkpoint.clone());
        let seconds = self.start.elapsed().as_secs_f64();
        let steps_done = self.step().saturating_sub(self.first_step);
        let sim = self.session.simulator_mut();
        Ok(Outcome {
            ending,
            report,
            hash: sim.hash(),
            outputs,
            checkpoint: self.checkpoint,
            steps_done,
            seconds,
        })
    }
}

impl Run<'_> {
    /// Warns when the run has turned tetrahedra inside out: they seldom find back by themselves.
    fn tell_inverted(&self, count: usize) {
        if count > self.first_inverted {
            self.session.remote().tell(Message::Warning(format!(
                "{count} tetrahedra are inside out at the end, {} were when the run began: it was too \
                 violent for its steps. Take more substeps, softer touches, or a stiffer \
                 material.volume",
                self.first_inverted
            )));
        }
    }
}

/// Steps until the plan is done; `None` when it has no end.
fn steps_left(plan: &RunPlan, session: &Session) -> Option<u64> {
    let sim = session.simulator();
    match plan {
        RunPlan { steps: Some(steps), .. } => Some(steps.saturating_sub(sim.step_count())),
        RunPlan { duration: Some(duration), .. } => {
            let steps = ((duration - sim.time()) / sim.world().timestep).round();
            Some(steps.max(0.0) as u64)
        }
        _ => None,
    }
}

/// Says that a continued run has come to its end before it begins.
fn nothing_left(plan: &RunPlan, session: &Session) -> String {
    let (step, time) = (session.simulator().step_count(), session.simulator().time());
    let end = match plan {
        RunPlan { steps: Some(steps), .. } => format!("step {steps}"),
        RunPlan { duration, .. } => format!("{} s", duration.unwrap_or_default()),
    };
    format!(
        "nothing is left to do: the run stands at step {step} (t = {time:.4} s), and its end is {end}, counted \
         from the start of the scene; ask for more steps or a longer duration"
    )
}

/// Steps that take about a beat, given how long `count` of them took.
fn next_chunk(count: u64, took: Duration) -> u64 {
    let fit = count as f64 * BEAT.as_secs_f64() / took.as_secs_f64().max(1e-7);
    // A stretch that was cut short by a frame says little about longer ones.
    (fit as u64).clamp(1, count.saturating_mul(4).max(1))
}
