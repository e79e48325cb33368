//! Where a command runs: the options that `run`, `demo`, `bench` and `reproduce` share.

use clap::ValueEnum;
use pliant::scene::Accumulation;
use pliant::{Backend, Simulator, Stage};

use crate::console::Console;
use crate::failure::Failure;

/// The options.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Where to run: on a GPU, on the CPU, or auto: a GPU in hardware if there is one, else the CPU.
    #[arg(long, value_name = "WHERE", help_heading = "Where it runs")]
    pub backend: Option<BackendName>,
    /// Run on the GPU that has this in its name; "software" takes one emulated by the processor. `pliant
    /// gpus` lists them.
    #[arg(long, value_name = "NAME", help_heading = "Where it runs")]
    pub adapter: Option<String>,
    /// How a GPU adds up forces: auto, gather, edge-gather or edge-scatter; for bench also all.
    #[arg(long, value_name = "HOW", value_parser = ways, help_heading = "Where it runs")]
    pub accumulation: Option<Ways>,
    /// Run on the CPU with this many threads [default: all cores, fewer while other programs need
    /// them]; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[arg(help_heading = "Where it runs")]
    pub threads: Option<u16>,
    /// Let the CPU do one stage of a run on a GPU, as in elastic=cpu, to find the stage in which the two
    /// differ; slow. May be given several times. Stages are elastic, touch, integrate, implicit and
    /// plasticity.
    #[arg(long = "stage", value_name = "NAME=WHERE", value_parser = placed)]
    #[arg(help_heading = "Where it runs")]
    pub stages: Vec<Placed>,
}

/// What `--stage` may say: a stage, and whether it is the CPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "there is nowhere else to run"))]
pub struct Placed {
    /// The stage.
    stage: Stage,
    /// Whether the CPU does it.
    is_on_cpu: bool,
}

fn placed(text: &str) -> Result<Placed, String> {
    let Some((name, place)) = text.split_once('=') else {
        return Err(format!("{text:?} does not say where: write {text}=cpu or {text}=gpu"));
    };
    let names = || Stage::MOVABLE.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ");
    let stage = Stage::MOVABLE.iter().find(|stage| stage.name() == name);
    let stage =
        *stage.ok_or_else(|| format!("there is no stage {name:?}: there are {}", names()))?;
    match place {
        "cpu" => Ok(Placed { stage, is_on_cpu: true }),
        "gpu" => Ok(Placed { stage, is_on_cpu: false }),
        _ => Err(format!("stages run on the cpu or the gpu, not on {place:?}")),
    }
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

/// So many threads as were asked for, or one for each core.
pub fn thread_count(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

impl DeviceArgs {
    /// The backend that is asked for.
    pub fn backend(&self) -> Result<Backend, Failure> {
        self.check()?;
        if let Some(threads) = self.threads {
            return Ok(Backend::Cpu { threads: usize::from(threads) });
        } else if self.backend == Some(BackendName::Cpu) {
            return Ok(Backend::cpu());
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
        opened(self.backend()?)
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
        thread_count(self.threads)
    }

    /// Says that a way to add up forces was chosen for nothing.
    pub fn tell_idle(&self, sim: &Simulator, console: &Console) {
        if self.accumulation.is_some() && kind_of(sim) == "cpu" {
            console
                .note("--accumulation changes nothing: there is no GPU, so this runs on the CPU");
        }
    }

    fn wants_gpu(&self) -> bool {
        let is_named = self.adapter.is_some() || !self.stages.is_empty();
        is_named || self.backend == Some(BackendName::Gpu)
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
            _ if !self.stages.is_empty() => Some("--stage"),
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
            (_, Some("--stage")) if auto => {
                Err(Failure::misuse("--stage needs a GPU, and --backend auto leaves it open")
                    .help("leave out --backend auto to run on a GPU"))
            }
            _ => Ok(()),
        }
    }

    #[cfg(feature = "gpu")]
    fn gpu(&self) -> Result<Backend, Failure> {
        use pliant_gpu::AdapterChoice;
        let name = self.adapter.as_deref().unwrap_or_default();
        let device = Backend::Gpu { adapter: AdapterChoice::named(name) };
        let on_cpu = self.stages_on_cpu();
        Ok(match on_cpu.is_empty() {
            true => device,
            false => Backend::Split { device: Box::new(device), on_cpu },
        })
    }

    /// The stages that the CPU does; what is said last about a stage counts.
    #[cfg(feature = "gpu")]
    fn stages_on_cpu(&self) -> Vec<Stage> {
        let mut on_cpu = Vec::new();
        for &Placed { stage, is_on_cpu } in &self.stages {
            on_cpu.retain(|&other| other != stage);
            on_cpu.extend(is_on_cpu.then_some(stage));
        }
        on_cpu
    }

    #[cfg(not(feature = "gpu"))]
    fn gpu(&self) -> Result<Backend, Failure> {
        Err(no_gpu_support())
    }
}

/// A backend with its device open.
#[cfg(feature = "gpu")]
fn opened(backend: Backend) -> Result<Backend, Failure> {
    use pliant_gpu::{AdapterChoice, Gpu, GpuError};
    match backend {
        Backend::Gpu { adapter } => Ok(Backend::Device(Gpu::open_blocking(&adapter)?)),
        Backend::Split { device, on_cpu } => {
            Ok(Backend::Split { device: Box::new(opened(*device)?), on_cpu })
        }
        Backend::Auto => match Gpu::open_blocking(&AdapterChoice::hardware()) {
            Ok(gpu) => Ok(Backend::Device(gpu)),
            Err(GpuError::NoAdapter { .. }) => Ok(Backend::Auto),
            Err(error) => Err(error.into()),
        },
        other => Ok(other),
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
    fn stages_are_named_with_their_place() {
        let elastic = Placed { stage: Stage::Elastic, is_on_cpu: true };
        assert_eq!(placed("elastic=cpu"), Ok(elastic));
        assert_eq!(placed("elastic=gpu"), Ok(Placed { is_on_cpu: false, ..elastic }));
        assert!(placed("elastic").unwrap_err().contains("elastic=cpu"));
        assert!(placed("elastic=moon").unwrap_err().contains("cpu or the gpu"));
        let unknown = placed("elastics=cpu").unwrap_err();
        let help = <DeviceArgs as clap::Args>::augment_args(clap::Command::new("test"));
        let help = help.get_arguments().find(|arg| arg.get_id() == "stages").unwrap().get_help();
        let help = help.unwrap().to_string();
        for stage in Stage::MOVABLE {
            assert!(unknown.contains(stage.name()) && help.contains(stage.name()), "{stage:?}");
        }
        assert!(args(|a| (a.stages, a.threads) = (vec![elastic], Some(1))).backend().is_err());
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn what_is_said_last_about_a_stage_counts() {
        let placed = |texts: &[&str]| -> Vec<Placed> {
            texts.iter().map(|text| placed(text).unwrap()).collect()
        };
        let stages = placed(&["touch=cpu", "elastic=cpu", "touch=gpu"]);
        let Ok(Backend::Split { on_cpu, .. }) = args(|a| a.stages = stages.clone()).backend()
        else {
            panic!("no stage was moved");
        };
        assert_eq!(on_cpu, [Stage::Elastic]);
        let stages = placed(&["touch=gpu"]);
        let whole = args(|a| a.stages = stages.clone()).backend();
        assert!(matches!(whole, Ok(Backend::Gpu { .. })));
    }

    #[test]
    fn all_ways_are_for_those_who_compare() {
        assert_eq!(ways("all"), Ok(Ways::All));
        assert_eq!(ways("gather"), Ok(Ways::One(Accumulation::Gather)));
        assert!(ways("guess").unwrap_err().contains("edge-scatter"));
        assert!(args(|a| a.accumulation = Some(Ways::All)).accumulation().is_err());
    }
}
