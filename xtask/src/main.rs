//! Development tasks: `cargo xtask <task>`.

mod benchmarks;
mod fuzz;
mod peers;
mod table;
mod test;
mod torture;
mod web;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <task> [options]

Tasks:
  test       run every check, and fetch what they need (cargo xtask test --help)
  fuzz       feed damaged files to the mesh readers (cargo xtask fuzz --help)
  torture    run random scenes that must not fail in silence (cargo xtask torture --help)
  peers      time Pliant beside Taichi and numba (cargo xtask peers --help)
  benchmarks fill the tables of this machine (cargo xtask benchmarks --help)
  web        build the web page, and serve it here (cargo xtask web --help)";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match task.as_str() {
        "test" => test::run(&rest),
        "fuzz" => fuzz::run(&rest),
        "torture" => torture::run(&rest),
        "peers" => peers::run(&rest),
        "benchmarks" => benchmarks::run(&rest),
        "web" => web::run(&rest),
        "" | "help" | "--help" | "-h" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        unknown => {
            eprintln!("unknown task {unknown:?}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
