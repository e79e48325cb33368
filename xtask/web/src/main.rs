//! Pliant's web page: builds it into a folder that any static server can serve, says what a visit
//! transfers, and serves it to this machine. `cargo xtask web` runs it.

mod bindings;
mod compiler;
mod debian;
mod demos;
mod options;
mod paths;
mod pictures;
mod program;
mod serve;
mod shaders;
mod site;
mod weigh;

use std::process::ExitCode;
use std::time::Instant;

use options::Options;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::parse(&arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.pictures {
        return pictures::draw_all();
    }
    let folder = options.out.clone().unwrap_or_else(|| paths::work().join("site"));
    if options.build {
        build(&folder, options.debian)?;
    }
    match options.serve {
        Some(port) => serve::serve(&folder, port),
        None => Ok(()),
    }
}

/// Makes the page in `folder`.
fn build(folder: &std::path::Path, debian: bool) -> Result<(), String> {
    let start = Instant::now();
    let compiler = compiler::find(debian)?;
    println!("Compiling with {compiler}");
    let module = compiler.build()?;
    let compiled = start.elapsed();
    let module = bindings::make(&module)?;
    site::assemble(&module, folder)?;
    println!(
        "Built in {:.0} s, {:.0} s of them to compile: {}\n",
        start.elapsed().as_secs_f64(),
        compiled.as_secs_f64(),
        folder.display()
    );
    weigh::weigh(folder)
}
