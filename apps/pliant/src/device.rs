//! Where a command runs: the options that `run`, `demo`, `bench` and `reproduce` share.

use clap::ValueEnum;
use pliant::scene::Accumulation;
use pliant::{Backend, Simulator};

use crate::console::Console;
use crate::failure::Failure;

/// The options.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Where to run: on a GPU, on the CPU, or auto: a GPU in hardware if there is one, else the CPU.
    #[arg(long, value_name = "WHERE", help_heading = "Where it runs")]
    pub backend: Option<BackendName>,
    /// Run on the GPU that has this in its name; "software" takes one that the processor plays. `pliant
    /// gpus` lists them.
    #[arg(long, value_name = "NAME", help_heading = "Where it runs")]
    pub adapter: Option<String>,
    /// How a GPU adds up forces: auto, gather, edge-gather or edge-scatter; for bench also all.
    #[arg(long, value_name = "HOW", value_parser = ways, help_heading = "Where it runs")]
    pub accumulation: Option<Ways>,
    /// Run on the CPU with this many threads [default: all cores]; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[arg(help_heading = "Where it runs")]
    pub threads: Option<u16>,
}

/// What `--backend` may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// A GPU in hardware if there is one, else the CPU.
    Auto,
    /// The processor.
    Cpu,
    /// A GPU.
    Gpu,
}

/// What `--accumulation` may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// This one.
    One(Accumulation),
    /// One after the other.
    All,
}

fn ways(text: &str) -> Result<Ways, String> {
    match text {
        "all" => Ok(Ways::All),
        _ => text.parse().map(Ways::One),
    }
}

impl DeviceArgs {
    /// The backend that is asked for.
    pub fn backend(&self) -> Result<Backend, Failure> {
        self.check()?;
        if self.threads.is_some() || self.backend == Some(BackendName::Cpu) {
            return Ok(Backend::Cpu { threads: self.thread_count() });
        }
        match self.wants_gpu() {
            true => self.gpu(),
            false => Ok(Backend::Auto),
        }
    }

    /// The same, with its device open: for commands that make many simulators. Without a GPU in
    /// hardware, `auto` stays what it is.
    #[cfg(feature = "gpu")]
    pub fn open(&self) -> Result<Backend, Failure> {
        use pliant_gpu::{AdapterChoice, Gpu, GpuError};
        match self.backend()? {
            Backend::Gpu { adapter } => Ok(Backend::Device(Gpu::open_blocking(&adapter)?)),
            Backend::Auto => match Gpu::open_blocking(&AdapterChoice::hardware()) {
                Ok(gpu) => Ok(Backend::Device(gpu)),
                Err(GpuError::NoAdapter { .. }) => Ok(Backend::Auto),
                Err(error) => Err(error.into()),
            },
            other => Ok(other),
        }
    }

    /// The same; there is nothing to open.
    #[cfg(not(feature = "gpu"))]
    pub fn open(&self) -> Result<Backend, Failure> {
        self.backend()
    }

    /// How forces are added up, where one way can be used only.
    pub fn accumulation(&self) -> Result<Option<Accumulation>, Failure> {
        match self.accumulation {
            None => Ok(None),
            Some(Ways::One(way)) => Ok(Some(way)),
            Some(Ways::All) => Err(Failure::misuse("--accumulation all makes no sense here")
                .help("name one way; pliant bench and s3-gather compare them")),
        }
    }

    /// Threads for whatever runs on the CPU.
    pub fn thread_count(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, usize::from)
    }

    /// Says that a way to add up forces was chosen for nothing.
    pub fn tell_idle(&self, sim: &Simulator, console: &Console) {
        if self.accumulation.is_some() && kind_of(sim) == "cpu" {
            console
                .note("--accumulation changes nothing: there is no GPU, so this runs on the CPU");
        }
    }

    fn wants_gpu(&self) -> bool {
        self.backend == Some(BackendName::Gpu) || self.adapter.is_some()
    }

    /// Refuses options that contradict each other.
    fn check(&self) -> Result<(), Failure> {
        let cpu = match (self.threads, self.backend) {
            (Some(_), _) => Some("--threads"),
            (None, Some(BackendName::Cpu)) => Some("--backend cpu"),
            _ => None,
        };
        let gpu = match (self.backend, &self.adapter, self.accumulation) {
            (_, Some(_), _) => Some("--adapter"),
            (Some(BackendName::Gpu), _, _) => Some("--backend gpu"),
            (_, _, Some(_)) => Some("--accumulation"),
            _ => None,
        };
        let auto = self.backend == Some(BackendName::Auto);
        match (cpu, gpu) {
            (Some(cpu), Some(gpu)) => {
                Err(Failure::misuse(format!("{cpu} is about the CPU and {gpu} about GPUs"))
                    .help(format!("leave out {cpu} to run on a GPU, or {gpu} to run on the CPU")))
            }
            (_, Some("--adapter")) if auto => {
                Err(Failure::misuse("--adapter names a GPU, and --backend auto leaves it open")
                    .help("leave out --backend auto to run on that GPU"))
            }
            _ => Ok(()),
        }
    }

    #[cfg(feature = "gpu")]
    fn gpu(&self) -> Result<Backend, Failure> {
        use pliant_gpu::AdapterChoice;
        let name = self.adapter.as_deref().unwrap_or_default();
        Ok(Backend::Gpu { adapter: AdapterChoice::named(name) })
    }

    #[cfg(not(feature = "gpu"))]
    fn gpu(&self) -> Result<Backend, Failure> {
        Err(no_gpu_support())
    }
}

/// Why a build without GPUs cannot do what was asked for.
#[cfg(not(feature = "gpu"))]
pub fn no_gpu_support() -> Failure {
    Failure::new("this build of pliant has no GPU support").help(
        "build it with the feature \"gpu\", which is on unless --no-default-features is given, or \
         use --backend cpu",
    )
}

/// What runs a simulator: "cpu" or "gpu".
pub fn kind_of(sim: &Simulator) -> &'static str {
    #[cfg(feature = "gpu")]
    if sim.gpu().is_some() {
        return "gpu";
    }
    let _ = sim;
    "cpu"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(change: impl Fn(&mut DeviceArgs)) -> DeviceArgs {
        let mut args = DeviceArgs::default();
        change(&mut args);
        args
    }

    #[test]
    fn what_is_asked_for_is_what_runs() {
        assert!(matches!(args(|_| {}).backend(), Ok(Backend::Auto)));
        let threads = args(|a| a.threads = Some(3)).backend();
        assert!(matches!(threads, Ok(Backend::Cpu { threads: 3 })));
        let cpu = args(|a| a.backend = Some(BackendName::Cpu)).backend();
        assert!(matches!(cpu, Ok(Backend::Cpu { .. })));
        let gpu = args(|a| a.backend = Some(BackendName::Gpu)).backend();
        let named = args(|a| a.adapter = Some("rtx".into())).backend();
        #[cfg(feature = "gpu")]
        assert!(matches!((gpu, named), (Ok(Backend::Gpu { .. }), Ok(Backend::Gpu { .. }))));
        #[cfg(not(feature = "gpu"))]
        assert!(gpu.is_err() && named.is_err());
    }

    #[test]
    fn all_ways_are_for_those_who_compare() {
        assert_eq!(ways("all"), Ok(Ways::All));
        assert_eq!(ways("gather"), Ok(Ways::One(Accumulation::Gather)));
        assert!(ways("guess").unwrap_err().contains("edge-scatter"));
        assert!(args(|a| a.accumulation = Some(Ways::All)).accumulation().is_err());
    }
}
