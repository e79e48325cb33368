//! Published experiments, repeated: the printed figures beside ours.

mod bar;
mod clusters;
mod freefall;
#[cfg(feature = "gpu")]
mod gather;
#[cfg(feature = "gpu")]
mod irregular;
mod large_steps;
mod materials;
mod speed;
mod statics;
mod teschner;
mod volume;

pub(crate) use large_steps::set_every_spring;

use pliant_sim::scene::Accumulation;
use pliant_sim::{Backend, BuildError, Diverged};

/// One figure of an experiment.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// The published figure; absent where there is none.
    pub published: Option<f64>,
    /// Ours, measured now.
    pub ours: f64,
    /// Unit of both.
    pub unit: &'static str,
    /// Our deviation from the reference, in percent: from the exact value where there is one, else
    /// from the published figure.
    pub deviation_percent: Option<f64>,
    /// The exact value, where there is one.
    pub exact: Option<f64>,
    /// The published deviation from the exact value, in percent.
    pub published_deviation_percent: Option<f64>,
    /// What a reader should know about this row.
    pub note: String,
    /// What ran it.
    pub backend: String,
}

impl Row {
    fn new(name: impl Into<String>, published: Option<f64>, ours: f64, unit: &'static str) -> Self {
        Self {
            name: name.into(),
            published,
            ours,
            unit,
            deviation_percent: published.map(|p| 100.0 * (ours / p - 1.0)),
            exact: None,
            published_deviation_percent: None,
            note: String::new(),
            backend: String::new(),
        }
    }

    /// Compares with an exact value instead of the published one.
    fn exact(mut self, exact: f64) -> Self {
        self.exact = Some(exact);
        self.deviation_percent = Some(100.0 * (self.ours / exact - 1.0));
        self.published_deviation_percent = self.published.map(|p| 100.0 * (p / exact - 1.0));
        self
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// An experiment that can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// What to ask for it by.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// How it was done here, and what is different from the publication.
    pub method: &'static str,
    run: fn(&Effort) -> Result<Vec<Row>, ReproduceError>,
}

/// On what an experiment runs, and how much time it may take.
#[derive(Clone, Debug)]
pub struct Effort {
    /// What runs the models.
    pub backend: Backend,
    /// How a GPU adds up forces, where an experiment does not compare the ways.
    pub accumulation: Accumulation,
    /// Threads of the CPU, where an experiment compares with it.
    pub threads: usize,
    /// Seconds for each timing.
    pub seconds: f64,
}

impl Effort {
    /// On threads of the CPU.
    pub fn on_cpu(threads: usize, seconds: f64) -> Self {
        let accumulation = Accumulation::Auto;
        Self { backend: Backend::Cpu { threads }, accumulation, threads, seconds }
    }

    /// What runs the models, in words.
    fn backend_name(&self) -> String {
        match &self.backend {
            #[cfg(feature = "gpu")]
            Backend::Device(gpu) => {
                let kind = if gpu.adapter().is_software() { " (software, no GPU)" } else { "" };
                format!("{}{kind}", gpu.adapter().name)
            }
            Backend::Cpu { threads: 1 } => "CPU, 1 thread".into(),
            Backend::Cpu { threads } => format!("CPU, {threads} threads"),
            Backend::Auto => "a GPU in hardware, else the CPU".into(),
            #[cfg(feature = "gpu")]
            Backend::Gpu { .. } | Backend::Split { .. } => "GPU".into(),
        }
    }
}

/// Why an experiment failed.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// Its scene does not compile.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It came apart where it should not.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// It did not do what it must.
    #[error("{0}")]
    Failed(String),
}

impl Experiment {
    /// Repeats the experiment.
    pub fn run(&self, effort: &Effort) -> Result<Vec<Row>, ReproduceError> {
        let mut rows = (self.run)(effort)?;
        for row in rows.iter_mut().filter(|r| r.backend.is_empty()) {
            row.backend = effort.backend_name();
        }
        Ok(rows)
    }
}

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    freefall::EXPERIMENT,
    bar::EXPERIMENT,
    speed::EXPERIMENT,
    clusters::EXPERIMENT,
    #[cfg(feature = "gpu")]
    gather::EXPERIMENT,
    teschner::EXPERIMENT,
    large_steps::INTEGRATORS,
    large_steps::STABILITY,
    volume::EXPERIMENT,
    materials::EXPERIMENT,
];

/// The experiment called `name`.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}
