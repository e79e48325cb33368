//! What can be typed: every command and option, with the help that explains it.

pub mod advice;
mod mesh;
mod render;
pub mod spelling;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use pliant::scene::Integrator;

use crate::device::DeviceArgs;
use crate::pictures::{self, PictureArgs};
pub use mesh::{ConvertArgs, MeshCommand};
use render::RENDER_EXAMPLES;
pub use render::{RenderArgs, Up};

/// Soft bodies in real time: simulate, look, export.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print one JSON document on standard output and nothing else there.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,

    /// Say only what matters: results, warnings and errors.
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub quiet: bool,

    /// When to use colours in the terminal; --colour with one of these is understood too.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Everywhere")]
    pub terminal_colour: Color,
}

const EXAMPLES: &str = "\
Examples:
  pliant                                  the demo: four jelly blocks to play with
  pliant demo --list                      what else there is to see
  pliant view bunny.node                  play with a mesh, a scene or a checkpoint
  pliant run scene.toml --glb             run a scene file, write an animation
  pliant run scene.toml --set world.damping=0 --duration 2 --csv
  pliant run scene.toml --mp4 --colour stress
  pliant render bunny.node                a picture of a mesh, a scene, a checkpoint or a series
  pliant mesh info bunny.node             what is in this mesh
  pliant mesh convert bunny.node bunny.vtu
  pliant mesh check --json liver.msh      for programs: one JSON document
  pliant mesh contacts cloth.obj --radius 0.002
  pliant link scene.toml                  a link that carries the scene, to be sent around
  pliant bench                            how fast it is on this machine
  pliant gpus                             which GPUs there are
  pliant reproduce s1-freefall            a published experiment beside ours

Each command has its own help: pliant run --help";

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals, unless the variable NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play with one of the built-in scenes, or without a display write results to look at; the default.
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArgs),

    /// Run a scene file or a mesh, or continue a run from a checkpoint.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),

    /// Draw pictures of a checkpoint, of the start of a scene, of a mesh, or of a series of results.
    #[command(after_help = RENDER_EXAMPLES)]
    Render(RenderArgs),

    /// Open the studio: look at bodies, grab and push them, change them while they move.
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),

    /// Make a link that carries a scene, or get the scene out of one.
    #[command(after_help = LINK_EXAMPLES)]
    Link(LinkArgs),

    /// Look into mesh files, check them, convert them.
    #[command(subcommand)]
    Mesh(MeshCommand),

    /// Time steps of standard cases, or of any mesh.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),

    /// List the GPUs of this machine, and which of them Pliant can use.
    #[command(after_help = GPUS_EXAMPLES)]
    Gpus(GpusArgs),

    /// Repeat published experiments and print their figures beside ours.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),

    /// Print a script that completes commands and options in your shell.
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

const DEMO_EXAMPLES: &str = "\
Examples:
  pliant demo                  four jelly blocks; opens the studio where there is a display
  pliant demo --list
  pliant demo cloth --out /tmp/cloth
  pliant demo dent --mp4 --sheet --colour stress --size 1280x720";

const RUN_EXAMPLES: &str = "\
Ctrl-C finishes the step, writes a checkpoint and says how to continue. Results are complete files at
every moment, even when the program is killed; films appear when the run ends or is stopped.

With --json the result is one document: hash, energies and momenta, what was written, and `warnings`, a
list of all that was said about the scene before its first step and during the run. `diverged` is true or
false; `divergence` then has the step that failed, time, stage, body, vertex, timestep, a timestep that
would have been stable (suggested_timestep, null where the integrator has none) and the last good step
(good_step), and is null otherwise. After implicit steps the object `solver` has the linear systems, all
iterations and mean_iterations of one, the last and the worst true residual, how many systems were given
up at max_iterations (unconverged) or where single precision ended (limited), and of Newton's iterations
the last imbalance of forces and how many steps stayed above its tolerance (unbalanced).

Examples:
  pliant run scene.toml --glb --csv
  pliant run scene.toml --mp4 --sheet --colour stress --size 1280x720
  pliant run scene.toml --gif --every 0.005 --fps 25        slow motion
  pliant run scene.toml --set world.gravity=[0,0,-1.6] --set bodies.bunny.scale=2
  pliant run scene.toml --duration 60 --checkpoint-every 1000
  pliant run --resume pliant-out/scene/checkpoint.pliant
  pliant run bunny.node --mp4 --set bodies.bunny.material.stiffness.young=5e4
  pliant run scene.toml --json --steps 100 | jq .hash
  pliant run scene.toml --integrator implicit-euler --json | jq .solver
  pliant run scene.toml --backend gpu --glb";

/// Options of `demo`.
#[derive(Debug, Default, clap::Args)]
pub struct DemoArgs {
    /// Which scene; `--list` names them.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// List the scenes.
    #[arg(long)]
    pub list: bool,
    /// Folder for the results, or the name of the only one, such as film.mp4 [default: pliant-out/NAME].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// End after this many steps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Write results even where a window could be opened; so do --out, --steps, --json and all that asks
    /// for files.
    #[arg(long)]
    pub no_window: bool,
    #[command(flatten)]
    pub pictures: PictureArgs,
}

const VIEW_EXAMPLES: &str = "\
Left button on a body drags it, beside it the camera walks round; F1 in the window lists all keys.
With --json the state of window and simulation is printed ten times a second, one JSON document a line.

Examples:
  pliant view                              the first demo
  pliant view cloth
  pliant view bunny.node                   a mesh alone drops into a box
  pliant view scene.toml --backend cpu
  pliant view pliant-out/scene/checkpoint.pliant";

/// Options of `view`.
#[derive(Debug, Default, clap::Args)]
pub struct ViewArgs {
    /// A scene, a checkpoint, a mesh, the name of a demo, or a link that carries a scene.
    #[arg(value_name = "FILE|DEMO|LINK", value_hint = ValueHint::FilePath)]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Width and height of the window [default: 1280x800].
    #[arg(long, value_name = "WxH", value_parser = pictures::size)]
    pub size: Option<[u32; 2]>,
    /// Folder that pictures, films and scenes are saved in [default: pliant-out/studio].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

const LINK_EXAMPLES: &str = "\
A link carries the whole scene, compressed, with the camera of its pictures (output.picture.camera); there
is no copy of it anywhere else, and browsers do not send that part of an address to the server. Scenes that
use mesh files are sent as files. `pliant run`, `pliant view` and --decode take links in place of files;
quote them, since # and & mean something in a shell.

Examples:
  pliant link scene.toml --site https://example.org/pliant/
  pliant link jelly                          without --site: what goes behind the address of the page
  pliant link --decode 'https://example.org/pliant/#scene=A…' --out scene.toml
  pliant run '#scene=A…' --mp4";

/// Options of `link`.
#[derive(Debug, Default, clap::Args)]
pub struct LinkArgs {
    /// A scene file, or the name of a demo.
    #[arg(value_name = "SCENE|DEMO", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present = "decode", conflicts_with = "decode")]
    pub input: Option<PathBuf>,
    /// Address of the web page that opens the link.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "decode")]
    pub site: Option<String>,
    /// Print the scene file that this link carries.
    #[arg(long, value_name = "LINK")]
    pub decode: Option<String>,
    /// Write it to a file instead, which must not exist.
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, conflicts_with = "input")]
    pub out: Option<PathBuf>,
}

/// Options of `run`.
#[derive(Debug, Default, clap::Args)]
pub struct RunArgs {
    /// The scene file (TOML), a link that carries a scene, or a mesh, which drops into a box.
    #[arg(required_unless_present = "resume", value_name = "SCENE|MESH|LINK")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub scene: Option<PathBuf>,
    /// Simulate a mesh that is a closed surface, and so has no inside, as a hollow skin, not filled with a cage.
    #[arg(long)]
    pub skin: bool,
    /// Replace a value of the scene, such as world.damping=0; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// End when this many steps are done, counted from the start of the scene.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// End at this simulated time, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    #[arg(conflicts_with = "steps")]
    pub duration: Option<f64>,
    /// How positions and velocities advance: verlet, velocity-verlet, beeman, leap-frog, heun, rk2, rk4,
    /// explicit-euler, symplectic-euler, or implicit-euler for large steps of stiff bodies.
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Continue from a checkpoint; without SCENE with the scene that it holds.
    #[arg(long, value_name = "CHECKPOINT", value_hint = ValueHint::FilePath)]
    pub resume: Option<PathBuf>,

    /// Folder for the results, or the name of the only one, such as film.mp4 [default: pliant-out/SCENE].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = "Results")]
    pub out: Option<PathBuf>,
    /// Simulated time between two frames, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    #[arg(help_heading = "Results")]
    pub every: Option<f64>,
    /// Write each frame as VTU with velocity, force and stress, and a .pvd for ParaView.
    #[arg(long, help_heading = "Results")]
    pub vtu: bool,
    /// Write the run as one animated GLB, for Blender and any glTF viewer.
    #[arg(long, help_heading = "Results")]
    pub glb: bool,
    /// Write the surface of each frame as OBJ.
    #[arg(long, help_heading = "Results")]
    pub obj: bool,
    /// Write the surface of each frame as PLY, with velocity and force.
    #[arg(long, help_heading = "Results")]
    pub ply: bool,
    /// Write energies and momenta of each frame as a table.
    #[arg(long, help_heading = "Results")]
    pub csv: bool,
    /// Write every contact between soft bodies: bodies, corners, point, normal, gap and force, a row for each in
    /// each frame.
    #[arg(long, help_heading = "Results")]
    pub contacts: bool,
    /// Write a checkpoint every so many steps, replacing the one before.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help_heading = "Results")]
    pub checkpoint_every: Option<u64>,
    #[command(flatten)]
    pub pictures: PictureArgs,
}

fn integrator(text: &str) -> Result<Integrator, String> {
    text.parse()
}

const BENCH_EXAMPLES: &str = "\
The bars bar5k, bar20k, bar90k and bar500k come with the volume force of Echtler 2004, the thesis form,
and, as NAME-energy, with the energy form. Mtets/s is tetrahedra times steps per second, in millions; the
hash is that of the state after a fixed number of steps, and the same for any number of threads.

On a GPU the stages are timed by the device's own clock, and the bytes that a step moves are counted
from the model: every array once per kernel (as with a perfect cache), and every load and store (as
without one). --project tells what real cards should reach by that count; it needs no GPU.

--implicit times implicit steps: one spring per edge, no volume force, steps of 1/60 s. The residual is
the largest true one of all steps; µs/iteration is the whole step divided by its iterations. --volume
times pictures of 512 × 512 pixels, the camera moved in each and everything computed anew that a moving
body needs.

--busy times bar90k, or the cases named, on the CPU: alone, beside one busy thread on half of the cores,
and beside one per core. It prints the Mtets/s of the default number of threads, which gives cores back
while others need them, and of every fixed one, as of --threads; all take turns, --seconds each in all.
The last column is the default divided by the best fixed number; 0.9 is what we hold to.

--hashes prints the states that are expected in benchmarks/hashes.csv of the repository, where the folders
beside it hold the CSV tables of machines.

--candidates times the search for what may touch: all pairs of a vertex and a triangle, and of edges, that
share no corner and whose boxes meet when each grows by half an edge. Cloths of 20, 50 and 200 thousand
triangles are dropped over a ball (drape20k …) or squeezed into one (crumple20k …) first, which takes
from seconds to minutes: --cloths keeps them in a folder as OBJ for the next time. The tree is made once
from the flat cloth (order ms); a search is a refit and a find. The 200k ones are timed when named.

Examples:
  pliant bench
  pliant bench bar90k --threads 1 --seconds 5
  pliant bench --scaling
  pliant bench --mesh bunny.node --json
  pliant bench bar90k --backend gpu --accumulation all
  pliant bench bar90k bar500k --project
  pliant bench --implicit --scaling
  pliant bench --volume --threads 2
  pliant bench --busy bar5k bar90k --json
  pliant bench --hashes --csv benchmarks/hashes.csv
  pliant bench --candidates drape50k crumple50k --cloths cloths
  pliant bench --contact pile27 cloth64 --json
  pliant bench --contact --scaling
  pliant bench --cloth --threads 2
  pliant bench --shapes tets90k tets500k --threads 2
  pliant bench --skin skin1m --threads 2";

/// Options of `bench`.
#[derive(Debug, Default, clap::Args)]
pub struct BenchArgs {
    /// Cases to time [default: all].
    #[arg(value_name = "CASE", conflicts_with = "mesh")]
    pub cases: Vec<String>,
    /// Bars from five thousand to two million tetrahedra.
    #[arg(long, conflicts_with = "mesh")]
    pub scaling: bool,
    /// Time this mesh, alone and copied to about 90,000 and 500,000 tetrahedra.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mesh: Option<PathBuf>,
    /// Just this many copies of the mesh.
    #[arg(long, value_name = "N", requires = "mesh")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub copies: Option<u32>,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Seconds to time each case.
    #[arg(long, value_name = "S", value_parser = positive, default_value = "2")]
    #[arg(allow_negative_numbers = true)]
    pub seconds: f64,
    /// Time just so many steps instead.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Write the rows into this file, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "project")]
    pub csv: Option<PathBuf>,
    /// Measure nothing: say what some GPUs should reach, from counted bytes.
    #[arg(long)]
    pub project: bool,
    /// Time pictures of the inside of twisted cubes instead, drawn on the CPU.
    #[arg(long, conflicts_with_all = ["cases", "mesh", "project", "implicit", "scaling", "steps"])]
    #[arg(conflicts_with_all = ["backend", "adapter", "accumulation"])]
    pub volume: bool,
    /// Time steps beside threads that keep the cores busy instead, with the default and with fixed
    /// numbers of threads.
    #[arg(long, conflicts_with_all = ["project", "implicit", "volume", "steps"])]
    #[arg(conflicts_with_all = ["threads", "backend", "adapter", "accumulation"])]
    pub busy: bool,
    /// Time nothing: print the hashes of the states that built-in scenes and benchmarks reach.
    #[arg(long, conflicts_with_all = ["cases", "mesh", "project", "implicit", "scaling", "steps"])]
    #[arg(conflicts_with_all = ["volume", "busy", "seconds", "backend", "adapter", "accumulation"])]
    pub hashes: bool,
    /// Time the search for pairs that may touch instead, on cloths that hang and are crumpled.
    #[arg(long, conflicts_with_all = ["mesh", "project", "implicit", "volume", "busy", "scaling", "steps"])]
    #[arg(conflicts_with_all = ["backend", "adapter", "accumulation"])]
    pub candidates: bool,
    /// Keep the cloths of --candidates in this folder, and take those that are there.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, requires = "candidates")]
    pub cloths: Option<PathBuf>,
    /// Time frames of 1/60 s instead in which soft balls pile up and cloth falls over a ball, in explicit steps or,
    /// with --implicit, in one implicit step each; --seconds are then simulated ones, and --scaling is piles of eight
    /// to a thousand balls.
    #[arg(long, conflicts_with_all = ["mesh", "project", "volume", "busy", "candidates", "steps"])]
    #[arg(conflicts_with_all = ["backend", "adapter", "accumulation"])]
    pub contact: bool,
    /// Time explicit steps of woven sheets instead: springs along threads, across squares and against folds.
    #[arg(long, conflicts_with_all = ["mesh", "project", "implicit", "volume", "busy", "candidates", "contact"])]
    #[arg(conflicts_with = "scaling")]
    pub cloth: bool,
    /// Time steps of bodies that are drawn back to their shapes instead: bars whose tetrahedra are clusters, and crowds.
    #[arg(long, conflicts_with_all = ["mesh", "project", "implicit", "volume", "busy", "candidates", "contact", "cloth"])]
    #[arg(conflicts_with = "scaling")]
    pub shapes: bool,
    /// Time frames of skins instead, which coarse bodies carry along: positions and normals, on the CPU.
    #[arg(long, conflicts_with_all = ["mesh", "project", "implicit", "volume", "busy", "candidates", "contact"])]
    #[arg(conflicts_with_all = ["cloth", "shapes", "scaling", "steps", "backend", "adapter", "accumulation"])]
    pub skin: bool,
    /// Time implicit steps of 1/60 s instead, springs only, and the iterations of their solver.
    #[arg(long, conflicts_with_all = ["mesh", "project"])]
    pub implicit: bool,
    /// What the solver of implicit steps may leave of the right-hand side.
    #[arg(long, value_name = "X", value_parser = positive, default_value = "1e-4", requires = "implicit")]
    #[arg(allow_negative_numbers = true)]
    pub tolerance: f64,
}

const GPUS_EXAMPLES: &str = "\
The device marked with * is what Backend::auto() of the library takes: hardware only, discrete before
integrated. A software device is the processor in a GPU's clothes, good for tests; it is taken only
when asked for by name. `run`, `demo`, `bench` and `reproduce` take --backend and --adapter.

Devices are reached through Vulkan, Metal or DirectX 12, so a plain graphics driver is enough. A device
suits when it keeps what WebGPU promises: 10 storage buffers per stage, 256 invocations per workgroup
and bindings of 128 MiB. \"binding\" bounds the largest array of a scene; with timestamps, kernels can be
timed. The exit code is 0 even when there is no device.

Examples:
  pliant gpus
  pliant gpus --adapter radeon          which device this name takes
  pliant gpus --json | jq '.devices[] | select(.suits) | .name'";

/// Options of `gpus`.
#[derive(Debug, Default, clap::Args)]
pub struct GpusArgs {
    /// Mark the device that has this in its name, in upper or lower case, instead of the one that
    /// "auto" takes.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
}

const REPRODUCE_EXAMPLES: &str = "\
Without a name the experiments are listed.

Examples:
  pliant reproduce
  pliant reproduce s1-freefall
  pliant reproduce teschner s1-speed --json
  pliant reproduce s1-speed --backend gpu
  pliant reproduce s3-gather                ways to add up forces on a GPU, whichever there is";

/// Options of `reproduce`.
#[derive(Debug, Default, clap::Args)]
pub struct ReproduceArgs {
    /// Experiments to repeat.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Seconds for each timing.
    #[arg(long, value_name = "S", value_parser = positive, default_value = "1")]
    #[arg(allow_negative_numbers = true)]
    pub seconds: f64,
}

const COMPLETION_EXAMPLES: &str = "\
Examples:
  pliant completions bash > ~/.local/share/bash-completion/completions/pliant
  pliant completions fish > ~/.config/fish/completions/pliant.fish
  pliant completions zsh  > ~/.zfunc/_pliant";

/// A finite number above zero.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        Ok(_) => Err("it must be a finite number above 0".into()),
        Err(_) => Err("this is not a number".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn only_finite_numbers_above_zero_are_positive() {
        assert_eq!(positive(" 0.001"), Ok(0.001));
        for bad in ["0", "-1", "NaN", "inf", "1e999", "one", ""] {
            assert!(positive(bad).is_err(), "{bad}");
        }
    }
}
