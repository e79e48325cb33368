//! The pliant program: demos, runs, mesh tools and measurements on the command line.

mod args;
mod commands;
mod console;
mod device;
mod failure;
mod memory;
mod pictures;
mod progress;
mod volume;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Args, Command, DemoArgs};
use clap::{CommandFactory, FromArgMatches};
use console::Console;
use failure::Failure;

fn main() -> ExitCode {
    let raw = args::spelling::unify(std::env::args_os());
    let console = Console::from_raw(&raw);
    quiet_panics();
    quiet_drivers();
    pliant::memory::ask(memory::available);
    // What is caught here is a mistake of ours; it still ends in a message and, if asked for, JSON.
    let outcome = std::panic::catch_unwind(|| parse(&raw, &console).and_then(run));
    match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => console.fail(&failure),
        Err(panic) => console.fail(&Failure::from_panic(&*panic)),
    }
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    let console = &Console::of(&args);
    match args.command.unwrap_or_else(|| Command::Demo(DemoArgs::default())) {
        Command::Demo(demo) => commands::demo::run(demo, console),
        Command::Run(run) => commands::run::run(run, console),
        Command::Render(render) => commands::render::run(render, console),
        Command::View(view) => commands::view::run(view, console),
        Command::Link(link) => commands::link::run(link, console),
        Command::Mesh(mesh) => commands::mesh::run(mesh, console),
        Command::Bench(bench) => commands::bench::run(bench, console),
        Command::Gpus(gpus) => commands::gpus::run(&gpus, console),
        Command::Reproduce(reproduce) => commands::reproduce::run(reproduce, console),
        Command::Completions { shell } => commands::completions::run(shell, console),
    }
}

/// Reads the command line. Help and version are printed here and end the program.
fn parse(raw: &[OsString], console: &Console) -> Result<Args, Failure> {
    let command = Args::command().color(console.clap_color());
    let parsed = command.try_get_matches_from(raw).and_then(|m| Args::from_arg_matches(&m));
    parsed.map_err(|mut error| {
        if error.use_stderr() {
            args::advice::add_to(&mut error, raw);
            Failure::usage(&error, console.stderr_color())
        } else {
            console.print_help(&error);
            std::process::exit(0)
        }
    })
}

/// Keeps the standard panic text from the terminal; the message is printed once, at the end.
fn quiet_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

/// Linux drivers look for a Wayland display when they list devices, and complain on stderr when the
/// place to look is not even named, as in a container. Any absolute path quiets them.
fn quiet_drivers() {
    const PLACE: &str = "XDG_RUNTIME_DIR";
    if cfg!(all(feature = "gpu", target_os = "linux")) && std::env::var_os(PLACE).is_none() {
        // SAFETY: no other thread has been started yet.
        unsafe { std::env::set_var(PLACE, std::env::temp_dir()) };
    }
}
