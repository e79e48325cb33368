//! `pliant bench --candidates`: how long it takes to find what may touch.

use std::path::Path;
use std::process::ExitCode;

use pliant::mesh::{Mesh, formats, load};
use pliant_lab::bench::candidates::{self, CandidatesRow};
use pliant_lab::bench::cloth::{self, CLOTHS, Cloth};

use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Waiting;

const HEADER: &str = "\
case          threads triangles  order ms  refit ms   find ms      best  vertex–triangle   edge–edge  Mpairs/s";

/// Times the search on each of the cloths.
pub fn run(args: &BenchArgs, console: &Console) -> Result<ExitCode, Failure> {
    let mut rows: Vec<CandidatesRow> = Vec::new();
    for cloth in choose(&args.cases)? {
        let mesh = fetch(cloth, args.cloths.as_deref(), console)?;
        let row = candidates::run(cloth, &mesh, args.device.thread_count(), args.seconds);
        if rows.is_empty() {
            console.say(HEADER);
        }
        console.say(line(&row));
        rows.push(row);
    }
    if console.json {
        console.document(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn choose(names: &[String]) -> Result<Vec<&'static Cloth>, Failure> {
    if names.is_empty() {
        return Ok(CLOTHS.iter().filter(|cloth| !cloth.is_large()).collect());
    }
    let all: Vec<&str> = CLOTHS.iter().map(|cloth| cloth.name).collect();
    let find = |name: &String| {
        CLOTHS.iter().find(|cloth| cloth.name == name).ok_or_else(|| {
            Failure::new(format!("there is no cloth called {name:?}"))
                .help(format!("there are {}", all.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// The cloth from the folder, or a new one.
fn fetch(cloth: &Cloth, folder: Option<&Path>, console: &Console) -> Result<Mesh, Failure> {
    let path = folder.map(|folder| folder.join(format!("{}.obj", cloth.name)));
    if let Some(path) = path.as_ref().filter(|path| path.exists()) {
        let mesh = load(path)?.mesh;
        if mesh.points.len() == cloth.side * cloth.side && mesh.triangles == cloth.triangles() {
            return Ok(mesh);
        }
        return Err(Failure::new(format!("{} is no {}", path.display(), cloth.name))
            .help("remove it, and it will be made anew")
            .file(path));
    }
    let mesh = {
        let _waiting = Waiting::new(&format!("making {}", cloth.name), console);
        cloth::make(cloth)
    };
    if let Some(path) = path {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
        }
        formats::save(&mesh, &path)?;
    }
    Ok(mesh)
}

fn line(r: &CandidatesRow) -> String {
    format!(
        "{:<13} {:>7} {:>9} {:>9.1} {:>9.2} {:>9.2} {:>9.2} {:>16} {:>11} {:>9.0}",
        r.case,
        r.threads,
        r.triangles,
        r.order_ms,
        r.refit_ms,
        r.find_ms,
        r.ms_least,
        r.vertex_triangle,
        r.edge_edge,
        r.mpairs_per_s
    )
}
