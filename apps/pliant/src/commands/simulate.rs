//! What `demo` and `run` share: running a session with progress, Ctrl-C and a summary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pliant::scene::Implicit;
use pliant::session::{Ending, Event, Message, Outcome, RunOptions, Session, run};
use pliant::{Diverged, PairForce, Simulator, SolverReport, stability};
use serde_json::{Value, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::progress::Bar;

/// Exit code of a run that diverged.
const DIVERGED: u8 = 1;
/// Exit code of a run that was interrupted, as shells have it for Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Runs a session to its end and tells how it went, and `warnings` of what was asked for first.
pub fn simulate(
    mut session: Session,
    options: RunOptions,
    mut warnings: Vec<String>,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let options = RunOptions { cancel: cancel_on_interrupt()?, ..options };
    for warning in &warnings {
        console.warn(warning);
    }
    let outcome = {
        let bar = Bar::new(&options.name, console);
        run(&mut session, &options, &mut |event| match event {
            Event::Progress(progress) => bar.show(progress),
            Event::Message(Message::Note(text)) => bar.note(text),
            Event::Message(Message::Warning(text)) => {
                bar.warn(text);
                warnings.push(text.clone());
            }
            // Told at the end, with what to do.
            Event::Message(Message::Diverged(_)) => {}
        })?
    };
    let sim = session.simulator();
    if console.json {
        console.document(&document(&outcome, &options, sim, &warnings));
    } else {
        console.say(summary(&outcome, &options, sim));
    }
    Ok(tell_ending(&outcome, &options, sim, console))
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
fn cancel_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|e| Failure::new(format!("Ctrl-C cannot be watched for: {e}")))?;
    Ok(cancel)
}

/// The command that continues a run.
fn resume_command(outcome: &Outcome) -> Option<String> {
    let path = outcome.checkpoint.as_ref()?.display().to_string();
    let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+:\\".contains(c));
    let path = if plain { path } else { format!("'{}'", path.replace('\'', "'\\''")) };
    Some(format!("pliant run --resume {path}"))
}

/// Explains an end before the end on standard error and gives the exit code.
fn tell_ending(
    outcome: &Outcome,
    options: &RunOptions,
    sim: &Simulator,
    console: &Console,
) -> ExitCode {
    let checkpoint = || outcome.checkpoint.as_deref().unwrap_or(Path::new("")).display();
    match &outcome.ending {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Stopped => {
            console.warn(format!(
                "stopped after step {} (t = {:.4} s); the checkpoint is {}",
                outcome.report.step,
                outcome.report.time,
                checkpoint()
            ));
            if let Some(command) = resume_command(outcome) {
                console.warn(format!("to continue: {command}"));
            }
            ExitCode::from(INTERRUPTED)
        }
        Ending::Diverged(diverged) => {
            let help = divergence_help(diverged, options, sim);
            let failure = Failure::new(diverged.to_string()).help(help);
            console.complain(&failure);
            console.warn(format!("the last good state is {}", checkpoint()));
            ExitCode::from(DIVERGED)
        }
    }
}

/// What to do about a run that came apart: shorter steps where some are stable, else another
/// integrator.
fn divergence_help(diverged: &Diverged, options: &RunOptions, sim: &Simulator) -> String {
    let remedy = match diverged.suggested_timestep {
        _ if diverged.no_room.is_some() => {
            "close other programs, or make the scene smaller: larger cells, fewer bodies".into()
        }
        Some(_) => "shorten the step (--set world.timestep=…), or let it shorten itself \
                    (--set world.auto_substeps=true)"
            .into(),
        None => {
            let keeper = stability::keeper(sim, diverged.timestep);
            format!(
                "take an integrator that holds (--integrator {keeper}): without damping, {} gains \
                 energy in steps of any length",
                sim.world().integrator
            )
        }
    };
    format!("{remedy}; the frames so far are in {}", options.folder.display())
}

fn document(
    outcome: &Outcome,
    options: &RunOptions,
    sim: &Simulator,
    warnings: &[String],
) -> Value {
    let r = &outcome.report;
    let shown = |p: &Path| p.display().to_string();
    let mut document = json!({
        "scene": options.name,
        "steps": r.step,
        "time": r.time,
        "hash": format!("{:016x}", outcome.hash),
        "energy": {
            "kinetic": r.energy.kinetic,
            "springs": r.energy.springs,
            "volumes": r.energy.volumes,
            "bending": r.energy.bending,
            "gravity": r.energy.gravity,
            "total": r.energy.total(),
        },
        "momentum": r.momentum,
        "angular_momentum": r.angular_momentum,
        "center_of_mass": r.center_of_mass,
        "max_speed": r.max_speed,
        "inverted": r.inverted_count,
        "wall_contacts": r.wall_contact_count,
        "substeps": r.substeps,
        "diverged": matches!(outcome.ending, Ending::Diverged(_)),
        "divergence": null,
        "stopped": outcome.ending == Ending::Stopped,
        "outputs": outcome.outputs.iter().map(|p| shown(p)).collect::<Vec<_>>(),
        "checkpoint": outcome.checkpoint.as_deref().map(shown),
        "backend": crate::device::kind_of(sim),
        "device": sim.backend_name(),
        "threads": sim.thread_count(),
        "steps_done": outcome.steps_done,
        "seconds": outcome.seconds,
        "warnings": warnings,
    });
    if let Some(colliders) = &r.colliders {
        document["collider_contacts"] = json!(colliders.touching);
        let list = sim.scene().colliders.iter().zip(&colliders.on_colliders);
        document["colliders"] =
            list.map(|(collider, force)| json!({"name": collider.name, "force": force})).collect();
    }
    if let Some(seams) = r.seams {
        document["seams"] = json!(seams);
    }
    if let Some(strain) = r.strain {
        document["strain"] = json!(strain);
    }
    if let Some(contact) = r.contact {
        document["contact"] = json!(contact);
        // Nothing where there are too many triangles near each other to tell.
        document["contact"]["crossings"] = json!(sim.crossings().ok().map(|all| all.len()));
        let name = |body: u32| sim.surface_name(body);
        let pairs = sim.contact_pairs();
        let pair = |pair: &PairForce| {
            let bodies = pair.bodies.map(name);
            json!({"bodies": bodies, "contacts": pair.contacts, "force": pair.force})
        };
        document["contact"]["pairs"] = pairs.iter().map(pair).collect();
    }
    if let Some(solver) = r.solver {
        document["solver"] = solver_document(&solver);
    }
    match &outcome.ending {
        Ending::Finished => {}
        Ending::Stopped => {
            document["error"] = json!({
                "message": format!("stopped after step {}", r.step),
                "help": resume_command(outcome).map(|c| format!("to continue: {c}")),
            });
        }
        Ending::Diverged(diverged) => {
            document["divergence"] = divergence_document(diverged);
            let (message, help) = (diverged.to_string(), divergence_help(diverged, options, sim));
            document["error"] = json!({"message": message, "help": help});
        }
    }
    document
}

fn divergence_document(d: &Diverged) -> Value {
    json!({
        "step": d.step,
        "time": d.time,
        "stage": d.stage,
        "body": d.body,
        "vertex": d.vertex,
        "timestep": d.timestep,
        "suggested_timestep": d.suggested_timestep,
        "good_step": d.good_step,
    })
}

/// How the systems of implicit steps were solved, for programs.
fn solver_document(solver: &SolverReport) -> Value {
    let mut document = json!(solver);
    document["mean_iterations"] = json!(solver.mean_iterations());
    document
}

/// The same in words.
fn solver_words(solver: &SolverReport, settings: &Implicit) -> String {
    let mut text = format!(
        "{} linear systems, {:.0} iterations each, residual up to {:.1e}",
        solver.systems,
        solver.mean_iterations(),
        solver.worst_residual
    );
    text += match solver.unconverged + solver.limited {
        0 => ", all solved",
        _ => "; not solved:",
    };
    let mut reasons = Vec::new();
    if solver.unconverged > 0 {
        reasons
            .push(format!("{} within {} iterations", solver.unconverged, settings.max_iterations));
    }
    if solver.limited > 0 {
        reasons.push(format!("{} in single precision", solver.limited));
    }
    if !reasons.is_empty() {
        text += &format!(" {} to {:e}", reasons.join(", "), settings.tolerance);
    }
    if settings.newton_iterations > 1 {
        text += &format!("\n  {}", balance_words(solver, settings));
    }
    text
}

/// What came of Newton's iterations.
fn balance_words(solver: &SolverReport, settings: &Implicit) -> String {
    let reached = format!("forces balance to {:.1e} in the last step", solver.imbalance);
    match solver.unbalanced {
        0 if solver.imbalance > settings.newton_tolerance => format!(
            "{reached}: all that single precision can tell, {:e} was asked for",
            settings.newton_tolerance
        ),
        0 => reached,
        n => format!("{reached}; {n} steps did not reach {:e}", settings.newton_tolerance),
    }
}

fn summary(outcome: &Outcome, options: &RunOptions, sim: &Simulator) -> String {
    let r = &outcome.report;
    let backend = sim.backend_name();
    let rate = outcome.steps_done as f64 / outcome.seconds.max(1e-9);
    let mut text = format!(
        "{}: step {}, t = {:.4} s, in {:.1} s ({rate:.0} steps/s on {backend})\n  \
         energy {:.6} J, fastest vertex {:.4} m/s, state {:016x}",
        options.name,
        r.step,
        r.time,
        outcome.seconds,
        r.energy.total(),
        r.max_speed,
        outcome.hash
    );
    if r.inverted_count > 0 {
        text += &format!("\n  {} tetrahedra are inside out", r.inverted_count);
    }
    if let Some(solver) = r.solver {
        text += &format!("\n  {}", solver_words(&solver, &sim.world().implicit));
    }
    if !outcome.outputs.is_empty() {
        text += "\nWritten:";
    }
    for path in &outcome.outputs {
        text += &format!("\n  {:<44} {}", path.display().to_string(), how_to_open(path));
    }
    text
}

fn how_to_open(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("gif") => "animation: any browser or picture viewer",
        Some("mp4") => "film: any player, browser or slide show",
        Some("png") if is_called(path, "-sheet") => "the run at a glance",
        Some("png") => "picture of the last frame",
        Some("glb") => "animation: any glTF viewer, or Blender (File > Import > glTF)",
        Some("pvd") => "time series: ParaView (open, Apply, colour by von_mises, play)",
        Some("csv") if is_called(path, "-contacts") => "contacts of each frame: any spreadsheet",
        Some("csv") => "energies and momenta: any spreadsheet",
        Some("pliant") => "checkpoint: pliant run --resume FILE",
        _ => "one file per frame",
    }
}

fn is_called(path: &Path, ending: &str) -> bool {
    path.file_stem().is_some_and(|s| s.to_string_lossy().ends_with(ending))
}
