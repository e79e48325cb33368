//! `pliant mesh contacts`: what is near what, and what crosses.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::contact::{Contacts, ContactsError, find_contacts, find_crossings};
use pliant::mesh::doctor::Report;
use pliant::mesh::{Loaded, Mesh, load};
use serde_json::{Value, json};

use crate::console::Console;
use crate::device;
use crate::failure::Failure;
use crate::progress::Waiting;

/// What is asked.
pub struct Question {
    pub file: PathBuf,
    pub other: Option<PathBuf>,
    pub radius: f64,
    pub pairs: bool,
    pub threads: usize,
}

/// Answers it.
pub fn run(question: &Question, console: &Console) -> Result<ExitCode, Failure> {
    let files: Vec<&Path> = [Some(&question.file), question.other.as_ref()]
        .into_iter()
        .flatten()
        .map(|f| &**f)
        .collect();
    let loaded = files.iter().map(load).collect::<Result<Vec<Loaded>, _>>()?;
    let meshes: Vec<&Mesh> = loaded.iter().map(|loaded| &loaded.mesh).collect();
    let waiting = Waiting::new("looking for contacts", console);
    let found = find_contacts(&meshes, question.radius, question.threads)
        .map_err(|error| failure(&error, &files))?;
    drop(waiting);
    for warning in loaded.iter().flat_map(|loaded| &loaded.warnings) {
        console.warn(warning);
    }
    if console.json {
        console.document(&document(question, &files, &found));
    } else {
        console.say(text(question, &files, &found));
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds triangles that cross to what the doctor has found.
pub fn add_crossings(mesh: &Mesh, report: &mut Report, file: &Path, console: &Console) {
    let _waiting = Waiting::new("looking for triangles that cross", console);
    match find_crossings(mesh, device::thread_count(None)) {
        Ok(pairs) => report.add_crossings(&pairs),
        Err(ContactsError::TooMany(_)) => console.warn(format!(
            "{}: whether triangles cross was not looked at: too many lie at the same place",
            file.display()
        )),
        // The doctor has said so.
        Err(_) => {}
    }
}

fn failure(error: &ContactsError, files: &[&Path]) -> Failure {
    let (file, problem, remedy) = match error {
        ContactsError::NoSurface { mesh } => (
            files[*mesh],
            "there are no triangles and no tetrahedra, so there is no surface".to_owned(),
            "`pliant mesh info` tells what is in it",
        ),
        ContactsError::BadIndex { mesh, problem } => {
            (files[*mesh], problem.clone(), "the file is damaged: fetch or export it again")
        }
        ContactsError::NotFinite { mesh, point } => (
            files[*mesh],
            format!("point {point} has coordinates that are infinite or no numbers"),
            "`pliant mesh check` lists all of them; nothing can be computed with them",
        ),
        ContactsError::TooMany(too_many) => (
            files[0],
            too_many.to_string(),
            "ask for a smaller --radius: some edges of the mesh are a good measure",
        ),
    };
    Failure::new(format!("{}: {problem}", file.display())).help(remedy).file(file)
}

fn document(question: &Question, files: &[&Path], found: &Contacts) -> Value {
    let [vertices, edges, triangles] = found.looked_at;
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut document = json!({
        "files": files,
        "radius": question.radius,
        "vertices": vertices,
        "edges": edges,
        "triangles": triangles,
        "vertex_triangle": found.vertex_triangle.len(),
        "edge_edge": found.edge_edge.len(),
        "intersections": found.crossings.len(),
        "nearest": found.nearest,
    });
    if question.pairs {
        document["pairs"] = json!({
            "vertex_triangle": found.vertex_triangle,
            "edge_edge": found.edge_edge,
            "intersections": found.crossings,
        });
    }
    document
}

fn text(question: &Question, files: &[&Path], found: &Contacts) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let [vertices, edges, triangles] = found.looked_at;
    let nearest = match found.nearest {
        Some(nearest) => format!("{nearest:.6} m"),
        None => format!("nothing is nearer than {} m", question.radius),
    };
    let mut lines = vec![
        names.join(" and "),
        format!("  looked at         {vertices} vertices, {edges} edges, {triangles} triangles"),
        format!(
            "  vertex–triangle   {} nearer than {} m",
            found.vertex_triangle.len(),
            question.radius
        ),
        format!("  edge–edge         {} nearer than {} m", found.edge_edge.len(), question.radius),
        format!("  intersections     {}", found.crossings.len()),
        format!("  nearest           {nearest}"),
    ];
    if question.pairs {
        let near = found.vertex_triangle.iter();
        lines.extend(near.map(|[v, t]| format!("vertex {v} triangle {t}")));
        let near = found.edge_edge.iter();
        lines.extend(near.map(|[[a, b], [c, d]]| format!("edge {a} {b} edge {c} {d}")));
        lines.extend(found.crossings.iter().map(|[a, b]| format!("triangle {a} crosses {b}")));
    }
    lines.join("\n")
}
