//! `pliant mesh convert`: meshes, poses of moving ones, and height maps.

use std::process::ExitCode;

use pliant::mesh::formats::gltf::AnimatedMesh;
use pliant::mesh::height_map::HeightMap;
use pliant::mesh::motion::Motion;
use pliant::mesh::series::MeshSeries;
use pliant::mesh::{Format, Loaded, Mesh, ReadError, doctor, formats, load};
use serde_json::json;

use crate::args::ConvertArgs;
use crate::console::Console;
use crate::failure::Failure;

/// What was read, before it is written.
struct Taken {
    mesh: Mesh,
    format: String,
    warnings: Vec<String>,
}

pub fn run(job: &ConvertArgs, console: &Console) -> Result<ExitCode, Failure> {
    let Taken { mut mesh, format, warnings } = take(job)?;
    let fixes = if job.repair { doctor::repair(&mut mesh) } else { Vec::new() };
    if let Some(scale) = job.scale {
        mesh.points.as_flattened_mut().iter_mut().for_each(|c| *c *= scale);
    }
    formats::save(&mesh, &job.output)?;
    // What is in the file, not what went in: surface formats keep the surface only.
    let mesh = load(&job.output)?.mesh;
    for warning in &warnings {
        console.warn(warning);
    }
    for fix in &fixes {
        console.note(format!("repaired: {}", fix.message));
    }
    if console.json {
        console.document(&json!({
            "input": job.input.display().to_string(),
            "output": job.output.display().to_string(),
            "format": format,
            "vertices": mesh.points.len(),
            "tets": mesh.tets.len(),
            "triangles": mesh.triangles.len(),
            "fixes": fixes,
            "warnings": warnings,
        }));
    } else if !console.quiet {
        console.say(format!("{}: {}", job.output.display(), contents(&mesh)));
    }
    Ok(ExitCode::SUCCESS)
}

fn contents(mesh: &Mesh) -> String {
    let (points, tets, triangles) = (mesh.points.len(), mesh.tets.len(), mesh.triangles.len());
    format!("{points} vertices, {tets} tetrahedra, {triangles} triangles")
}

fn take(job: &ConvertArgs) -> Result<Taken, Failure> {
    if let (Some(size), Some(height)) = (job.size, job.height) {
        let map = HeightMap::load(&job.input, size, height)?;
        let warnings = map.warnings().to_vec();
        return Ok(Taken { mesh: map.to_mesh(), format: "height map".into(), warnings });
    }
    if let Some(time) = job.time {
        return pose(job, time);
    }
    let Loaded { mesh, format, warnings } = load(&job.input)?;
    Ok(Taken { mesh, format: format.to_string(), warnings })
}

/// A moving mesh as it is at `time`.
fn pose(job: &ConvertArgs, time: f64) -> Result<Taken, Failure> {
    let is_list = job.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("pvd"));
    if job.input.is_file() && !is_list {
        return animated(job, time);
    }
    if job.animation.is_some() {
        return Err(Failure::misuse(
            "a series of meshes has one motion, and no animations to choose from",
        )
        .help("leave --animation out")
        .file(&job.input));
    }
    let series = MeshSeries::load(&job.input, job.interval)?;
    let mut warnings = series.warnings().to_vec();
    warnings.extend(beside(series.span(), time));
    Ok(Taken { mesh: series.mesh_at(time), format: "series".into(), warnings })
}

fn animated(job: &ConvertArgs, time: f64) -> Result<Taken, Failure> {
    let mut mesh = AnimatedMesh::load(&job.input)?;
    if let Some(which) = &job.animation {
        mesh.choose(which).map_err(|e| ReadError { path: Some(job.input.clone()), ..e })?;
    }
    let mut warnings = mesh.warnings().to_vec();
    match mesh.chosen() {
        None => warnings.push("the file has no animations: this is how it stands without".into()),
        Some(_) => warnings.extend(beside(mesh.span(), time)),
    }
    Ok(Taken { mesh: mesh.mesh_at(time), format: Format::Gltf.to_string(), warnings })
}

/// What to say about a time at which nothing moves.
fn beside([start, end]: [f64; 2], time: f64) -> Option<String> {
    let moves = format!("it moves from {start} s to {end} s, and at {time} s stands as");
    if time < start {
        return Some(format!("{moves} at its start"));
    }
    (time > end).then(|| format!("{moves} at its end"))
}
