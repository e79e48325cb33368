//! `pliant mesh`: looking into mesh files, checking and converting them.

mod contacts;
mod convert;
mod motion;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::mesh::doctor::{self, Finding, Report, Severity};
use pliant::mesh::{DataArray, Domain, Loaded, load};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::MeshCommand;
use crate::console::Console;
use crate::failure::Failure;
use motion::MotionInfo;

/// Runs one of the mesh commands.
pub fn run(command: MeshCommand, console: &Console) -> Result<ExitCode, Failure> {
    match command {
        MeshCommand::Info { files } => each(&files, console, info),
        MeshCommand::Check { files } => each(&files, console, check),
        MeshCommand::Contacts { file, other, radius, pairs, threads } => {
            let threads = crate::device::thread_count(threads);
            contacts::run(&contacts::Question { file, other, radius, pairs, threads }, console)
        }
        MeshCommand::Convert(job) => convert::run(&job, console),
    }
}

/// What was found out about one file.
struct Answer {
    document: Value,
    text: String,
    is_good: bool,
}

/// Asks about each file. One file gives one JSON object, several give an array in which files that
/// cannot be read have an `error`.
fn each(
    files: &[PathBuf],
    console: &Console,
    ask: fn(&Path, &Console) -> Result<Answer, Failure>,
) -> Result<ExitCode, Failure> {
    let mut documents = Vec::new();
    let mut all_good = true;
    for (i, file) in files.iter().enumerate() {
        match ask(file, console) {
            Ok(answer) => {
                let gap = if i > 0 && !answer.text.is_empty() { "\n" } else { "" };
                console.say(format!("{gap}{}", answer.text));
                documents.push(answer.document);
                all_good &= answer.is_good;
            }
            Err(failure) if files.len() == 1 => return Err(failure),
            Err(failure) => {
                console.complain(&failure);
                let file = file.display().to_string();
                documents.push(json!({ "file": file, "error": failure.to_json() }));
                all_good = false;
            }
        }
    }
    if console.json {
        match &documents[..] {
            [single] => console.document(single),
            several => console.document(&several),
        }
    }
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What `mesh info` tells programs: the doctor's report and what the file holds besides.
#[derive(Serialize)]
struct Info<'a> {
    file: String,
    format: String,
    #[serde(flatten)]
    report: &'a Report,
    arrays: Vec<ArrayInfo<'a>>,
    groups: Vec<GroupInfo<'a>>,
    #[serde(flatten)]
    motion: MotionInfo,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct ArrayInfo<'a> {
    name: &'a str,
    on: &'static str,
    components: usize,
    min: Option<f64>,
    max: Option<f64>,
}

#[derive(Serialize)]
struct GroupInfo<'a> {
    name: &'a str,
    of: &'static str,
    members: usize,
}

impl<'a> Info<'a> {
    fn new(file: &Path, loaded: &'a Loaded, report: &'a Report) -> Self {
        let mesh = &loaded.mesh;
        let on = |on, arrays: &'a [DataArray]| arrays.iter().map(move |a| array_info(on, a));
        let arrays = on("points", &mesh.point_data)
            .chain(on("tets", &mesh.tet_data))
            .chain(on("triangles", &mesh.triangle_data));
        let groups = mesh.groups.iter().map(|g| GroupInfo {
            name: &g.name,
            of: domain_name(g.domain),
            members: g.members.len(),
        });
        let (motion, trouble) = MotionInfo::of(file, loaded);
        let said = loaded.warnings.iter().cloned();
        Self {
            file: file.display().to_string(),
            format: loaded.format.to_string(),
            report,
            arrays: arrays.collect(),
            groups: groups.collect(),
            motion,
            warnings: said.chain(trouble).chain(report.warnings()).collect(),
        }
    }

    fn to_text(&self) -> String {
        let r = self.report;
        let mut text = format!("{} ({})\n", self.file, self.format);
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<16}{value}");
        };
        row("vertices", r.vertices.to_string());
        row("tetrahedra", r.tets.to_string());
        row("triangles", r.triangles.to_string());
        if r.tets > 0 {
            row("boundary faces", r.boundary_faces.to_string());
        }
        row("volume", format!("{:.6} m³", r.volume));
        row("surface area", format!("{:.6} m²", r.area));
        if let Some([low, high]) = r.bounds {
            row("bounds", format!("{} to {}", triple(low), triple(high)));
        }
        row("components", r.components.to_string());
        row("open edges", r.open_edges.to_string());
        row("inverted", r.inverted.to_string());
        if let Some(q) = &r.quality {
            row("angles", format!("{:.1}° to {:.1}°", q.min_dihedral, q.max_dihedral));
            row("edge ratio", format!("up to {:.2}", q.max_edge_ratio));
        }
        for a in &self.arrays {
            let range = match (a.min, a.max) {
                (Some(min), Some(max)) => format!(", {min} to {max}"),
                _ => String::new(),
            };
            row("array", format!("{:?} on {} × {}{range}", a.name, a.on, a.components));
        }
        for g in &self.groups {
            row("group", format!("{:?} of {} {}", g.name, g.members, g.of));
        }
        for (name, value) in self.motion.rows() {
            row(name, value);
        }
        for warning in &self.warnings {
            row("warning", warning.clone());
        }
        text.trim_end().to_owned()
    }
}

fn array_info<'a>(on: &'static str, array: &'a DataArray) -> ArrayInfo<'a> {
    let finite = || array.values.iter().copied().filter(|v| v.is_finite());
    ArrayInfo {
        name: &array.name,
        on,
        components: array.components,
        min: finite().reduce(f64::min),
        max: finite().reduce(f64::max),
    }
}

fn domain_name(domain: Domain) -> &'static str {
    match domain {
        Domain::Points => "points",
        Domain::Tets => "tets",
        Domain::Triangles => "triangles",
    }
}

fn triple(p: [f64; 3]) -> String {
    format!("({:.4}, {:.4}, {:.4})", p[0], p[1], p[2])
}

fn info(file: &Path, _console: &Console) -> Result<Answer, Failure> {
    let loaded = load(file)?;
    let report = doctor::examine(&loaded.mesh);
    let info = Info::new(file, &loaded, &report);
    Ok(Answer { document: json!(info), text: info.to_text(), is_good: true })
}

fn check(file: &Path, console: &Console) -> Result<Answer, Failure> {
    let loaded = load(file)?;
    let mut report = doctor::examine(&loaded.mesh);
    contacts::add_crossings(&loaded.mesh, &mut report, file, console);
    let worst = report.worst();
    let is_good = worst != Some(Severity::Error);
    let text = match &report.findings[..] {
        [] if console.quiet => String::new(),
        [] => format!("{}: nothing is wrong", file.display()),
        findings => {
            let shown = findings.iter().filter(|f| !console.quiet || f.severity > Severity::Note);
            let lines: Vec<String> = shown.map(|f| finding_text(file, f)).collect();
            lines.join("\n")
        }
    };
    let document = json!({
        "file": file.display().to_string(),
        "format": loaded.format.to_string(),
        "ok": is_good,
        "worst": worst,
        "findings": report.findings,
        "warnings": loaded.warnings,
    });
    Ok(Answer { document, text, is_good })
}

fn finding_text(file: &Path, finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    format!("{}: {severity}: {finding}", file.display())
}
