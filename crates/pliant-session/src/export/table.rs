//! Energies, momentum, what is tracked and how systems were solved as CSV, one row per frame.
//!
//! Columns have names, and a row of a continued run is written under those names into the table that is
//! there: what was written before stays, whatever was asked for then.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use pliant_mesh::{WriteError, write_atomically};
use pliant_sim::model::Family;
use pliant_sim::stages::contact::{ContactReport, PairForce, Touching};
use pliant_sim::stages::implicit::SolverReport;
use pliant_sim::stages::strain::StrainReport;
use pliant_sim::{Simulator, StepReport};

use crate::{Frame, Message};

/// A column: its name, and what a row has in it.
type Column<T> = (&'static str, fn(&T) -> String);

/// What every run has.
const REPORT: &[Column<StepReport>] = &[
    ("step", |r| r.step.to_string()),
    ("time_s", |r| r.time.to_string()),
    ("kinetic_J", |r| r.energy.kinetic.to_string()),
    ("springs_J", |r| r.energy.springs.to_string()),
    ("volumes_J", |r| r.energy.volumes.to_string()),
    ("bending_J", |r| r.energy.bending.to_string()),
    ("gravity_J", |r| r.energy.gravity.to_string()),
    ("total_J", |r| r.energy.total().to_string()),
    ("momentum_x", |r| r.momentum[0].to_string()),
    ("momentum_y", |r| r.momentum[1].to_string()),
    ("momentum_z", |r| r.momentum[2].to_string()),
    ("angular_x", |r| r.angular_momentum[0].to_string()),
    ("angular_y", |r| r.angular_momentum[1].to_string()),
    ("angular_z", |r| r.angular_momentum[2].to_string()),
    ("center_x_m", |r| r.center_of_mass[0].to_string()),
    ("center_y_m", |r| r.center_of_mass[1].to_string()),
    ("center_z_m", |r| r.center_of_mass[2].to_string()),
    ("max_speed_m_s", |r| r.max_speed.to_string()),
    ("inverted", |r| r.inverted_count.to_string()),
    ("wall_contacts", |r| r.wall_contact_count.to_string()),
    ("substeps", |r| r.substeps.to_string()),
];

/// What worlds with implicit steps have besides.
const SOLVER: &[Column<SolverSince>] = &[
    ("solver_systems", |s| s.count(|report| report.systems)),
    ("solver_iterations", |s| s.count(|report| report.iterations)),
    ("solver_residual", |s| s.measured(|report| report.residual)),
    ("solver_unconverged", |s| s.count(|report| report.unconverged)),
    ("solver_limited", |s| s.count(|report| report.limited)),
    ("solver_imbalance", |s| s.measured(|report| report.imbalance)),
    ("solver_unbalanced", |s| s.count(|report| report.unbalanced)),
];

/// What worlds have besides in which bodies touch.
const CONTACT: &[Column<ContactReport>] = &[
    ("contact_candidates", |c| c.candidates.to_string()),
    ("contacts", |c| c.contacts.to_string()),
    ("contact_searches", |c| c.searches.to_string()),
];

/// What scenes have besides in which edges may stretch by so much and no more.
const STRAIN: &[Column<StrainReport>] = &[
    ("largest_stretch", |s| s.largest.to_string()),
    ("stretch_beyond_limit", |s| s.beyond.to_string()),
];

/// Most bodies of which each has columns for the force of the others, and each pair for what one does to the other:
/// the columns of pairs grow with the square.
const MOST_BODIES: usize = 20;
const MOST_PAIRED: usize = 6;

/// Ends of the names of forces of contact.
const FORCE: [&str; 3] = ["x_N", "y_N", "z_N"];

/// Ends of the names of forces on colliders.
const COLLIDER: [&str; 3] = ["fx_N", "fy_N", "fz_N"];

/// Ends of the names of what is tracked.
const TRACKED: [&str; 9] =
    ["x_m", "y_m", "z_m", "vx_m_s", "vy_m_s", "vz_m_s", "fx_N", "fy_N", "fz_N"];

/// A CSV file that grows.
pub struct Table {
    path: PathBuf,
    has_solver: bool,
    has_tracks: bool,
    /// How many bodies there are, if they touch.
    touching_bodies: Option<usize>,
    /// Columns of the file.
    width: usize,
    /// Where each of our own columns is among them.
    places: Vec<usize>,
    /// What was solved up to the row before.
    solver: SolverReport,
}

impl Table {
    /// Starts a table, or keeps the rows up to step `continued` of the one that is there.
    pub fn open(
        path: PathBuf,
        sim: &Simulator,
        continued: Option<u64>,
        tell: &mut dyn FnMut(Message),
    ) -> Result<Self, WriteError> {
        let has_solver = sim.model().families(sim.world()).contains(Family::Implicit);
        let own = columns(sim, has_solver);
        let mut old = match continued {
            Some(last) => Old::read(&path, last)?,
            None => Old::default(),
        };
        if let Some(aside) = &old.put_aside {
            tell(Message::Note(format!(
                "{} is no table of a run and was kept as {}",
                path.display(),
                aside.display()
            )));
        }
        let before = old.columns.len();
        for name in &own {
            if !old.columns.contains(name) {
                old.columns.push(name.clone());
            }
        }
        let width = old.columns.len();
        if before > 0 && width > before {
            tell(Message::Note(format!(
                "{} has {} new columns, which are empty in the rows of the run so far",
                path.display(),
                width - before
            )));
        }
        let place = |name: &String| old.columns.iter().position(|c| c == name).unwrap_or_default();
        let places = own.iter().map(place).collect();
        write_atomically(&path, |out| {
            out.write_all(row(&old.columns).as_bytes())?;
            let empty = ",".repeat(width - before);
            old.rows.iter().try_for_each(|row| writeln!(out, "{row}{empty}"))
        })?;
        // What a simulator has solved so far is in rows that were written before.
        let solver = sim.solver_report().unwrap_or_default();
        let has_tracks = !sim.model().tracks.is_empty();
        let touching_bodies = sim.world().contact.as_ref().map(|_| sim.model().bodies.len());
        Ok(Self { path, has_solver, has_tracks, touching_bodies, width, places, solver })
    }

    /// Adds a row, in one piece.
    pub fn add(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let mut own = cells(REPORT, &frame.report);
        if self.has_solver {
            let now = frame.report.solver.unwrap_or_default();
            own.extend(cells(SOLVER, &SolverSince { before: self.solver, now }));
            self.solver = now;
        }
        if let Some(strain) = &frame.report.strain {
            own.extend(cells(STRAIN, strain));
        }
        if let Some(bodies) = self.touching_bodies {
            own.extend(cells(CONTACT, &frame.report.contact.unwrap_or_default()));
            own.extend(contact_forces(&frame.contacts, bodies).map(|force| force.to_string()));
        }
        if let Some(colliders) = &frame.report.colliders {
            own.push(colliders.touching.to_string());
            own.extend(colliders.on_colliders.iter().flatten().map(f64::to_string));
        }
        for moment in &frame.tracked {
            own.extend(moment.position.map(|x| x.to_string()));
            own.extend(moment.velocity.into_iter().chain(moment.force).map(|n| n.to_string()));
        }
        let mut cells = vec![String::new(); self.width];
        for (cell, &place) in own.into_iter().zip(&self.places) {
            cells[place] = cell;
        }
        let append = || -> std::io::Result<()> {
            OpenOptions::new().append(true).open(&self.path)?.write_all(row(&cells).as_bytes())
        };
        append().map_err(|source| WriteError::Io { path: self.path.clone(), source })
    }

    /// Whether its rows tell about what a scene tracks.
    pub fn has_tracks(&self) -> bool {
        self.has_tracks
    }

    /// Whether its rows tell about bodies that touch.
    pub fn has_contact(&self) -> bool {
        self.touching_bodies.is_some()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The columns of a run, in their order.
fn columns(sim: &Simulator, has_solver: bool) -> Vec<String> {
    let report = REPORT.iter().map(|(name, _)| *name);
    let solver = SOLVER.iter().map(|(name, _)| *name).filter(|_| has_solver);
    let has_limits = !sim.model().limits.is_empty();
    let strain = STRAIN.iter().map(|(name, _)| *name).filter(|_| has_limits);
    let mut columns: Vec<String> = report.chain(solver).chain(strain).map(str::to_owned).collect();
    if sim.world().contact.is_some() {
        columns.extend(contact_columns(sim));
    }
    let colliders = &sim.scene().colliders;
    if !colliders.is_empty() {
        columns.push("collider_contacts".into());
        for (i, collider) in colliders.iter().enumerate() {
            // Scenes made in code may leave names out.
            let number = format!("collider-{}", i + 1);
            let name = if collider.name.is_empty() { &number } else { &collider.name };
            columns.extend(COLLIDER.iter().map(|end| format!("{name}_{end}")));
        }
    }
    for track in &sim.model().tracks {
        columns.extend(TRACKED.iter().map(|end| format!("{}_{end}", track.name)));
    }
    columns
}

/// The columns of worlds in which bodies touch.
fn contact_columns(sim: &Simulator) -> Vec<String> {
    let names: Vec<String> = sim.model().bodies.iter().map(|body| cell(&body.name)).collect();
    let mut columns: Vec<String> = CONTACT.iter().map(|(name, _)| (*name).to_owned()).collect();
    for name in names.iter().filter(|_| names.len() <= MOST_BODIES) {
        columns.extend(FORCE.map(|end| format!("contact_on_{name}_{end}")));
    }
    for [a, b] in pairs(names.len()) {
        columns.extend(FORCE.map(|end| format!("contact_on_{}_of_{}_{end}", names[a], names[b])));
    }
    columns
}

/// Pairs of bodies that have columns.
fn pairs(bodies: usize) -> impl Iterator<Item = [usize; 2]> {
    let count = if bodies <= MOST_PAIRED { bodies } else { 0 };
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
}

/// The forces of those columns: on each body of all others, and on the first of each pair \[N\].
fn contact_forces(contacts: &[Touching], bodies: usize) -> impl Iterator<Item = f64> {
    let sums = PairForce::sum(contacts);
    let mut on_body = vec![[0.0; 3]; if bodies <= MOST_BODIES { bodies } else { 0 }];
    for PairForce { bodies: [a, b], force, .. } in &sums {
        for (body, sign) in [(a, 1.0), (b, -1.0)] {
            if let Some(sum) = on_body.get_mut(*body as usize) {
                sum.iter_mut().zip(force).for_each(|(sum, f)| *sum += sign * f);
            }
        }
    }
    let of_pair = move |[a, b]: [usize; 2]| {
        let found = sums.iter().find(|sum| sum.bodies == [a as u32, b as u32]);
        found.map_or([0.0; 3], |sum| sum.force)
    };
    on_body.into_iter().chain(pairs(bodies).map(of_pair)).flatten()
}

/// A name as it may stand in a cell.
pub(super) fn cell(name: &str) -> String {
    name.replace([',', ';', '"', '\n', '\r'], "-")
}

fn row(cells: &[String]) -> String {
    cells.join(",") + "\n"
}

/// What a row has in each of the columns.
fn cells<T>(columns: &[Column<T>], of: &T) -> Vec<String> {
    columns.iter().map(|(_, cell)| cell(of)).collect()
}

/// What came of the systems since the row before; nothing of those that there were not.
struct SolverSince {
    before: SolverReport,
    now: SolverReport,
}

impl SolverSince {
    fn count(&self, of: fn(&SolverReport) -> u64) -> String {
        of(&self.now).saturating_sub(of(&self.before)).to_string()
    }

    fn measured(&self, of: fn(&SolverReport) -> f64) -> String {
        if self.now.systems > 0 { of(&self.now).to_string() } else { String::new() }
    }
}

/// What is left of a table that an earlier part of the run wrote.
#[derive(Default)]
struct Old {
    columns: Vec<String>,
    /// Lines, without their ends.
    rows: Vec<String>,
    /// Where the file is now, if it was something else.
    put_aside: Option<PathBuf>,
}

impl Old {
    /// Reads the complete rows up to step `last`; nothing if there is no file. What is no table is moved
    /// out of the way, so that nothing is lost.
    fn read(path: &Path, last: u64) -> Result<Self, WriteError> {
        let fail = |source| WriteError::Io { path: path.to_owned(), source };
        let bytes = match std::fs::read(path) {
            Ok(bytes) if bytes.is_empty() => return Ok(Self::default()),
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(fail(e)),
        };
        if let Some(table) = String::from_utf8(bytes).ok().and_then(|text| Self::parse(&text, last))
        {
            return Ok(table);
        }
        let mut aside = (1..).map(|n| path.with_extension(format!("{n}.csv")));
        let aside = aside.find(|p| !p.exists()).unwrap_or_default();
        std::fs::rename(path, &aside).map_err(fail)?;
        Ok(Self { put_aside: Some(aside), ..Self::default() })
    }

    /// A table whose rows begin with a step and have a cell for each column. The last row may be torn.
    fn parse(text: &str, last: u64) -> Option<Self> {
        let mut lines = text.split_inclusive('\n').map(|l| l.trim_end_matches(['\n', '\r']));
        let columns: Vec<String> = lines.next()?.split(',').map(str::to_owned).collect();
        if columns[0] != REPORT[0].0 {
            return None;
        }
        let whole = text.matches('\n').count().saturating_sub(1);
        let mut rows = Vec::new();
        for line in lines.take(whole) {
            let mut cells = line.split(',');
            let step: u64 = cells.next()?.parse().ok()?;
            if cells.count() + 1 != columns.len() {
                return None;
            }
            if step <= last {
                rows.push(line.to_owned());
            }
        }
        Some(Self { columns, rows, put_aside: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_up_to_a_step_and_to_a_torn_row() {
        let old = Old::parse("step,a\n0,1\n5,2\n10,3\n15,", 5).unwrap();
        assert_eq!(
            (&old.columns[..], &old.rows[..]),
            (&["step", "a"].map(String::from)[..], &["0,1", "5,2"].map(String::from)[..])
        );
        let old = Old::parse("step,a\r\n0,1\r\n5,2", 9).unwrap();
        assert_eq!(old.rows, ["0,1"], "a row without its end");
        for strange in ["", "time,step\n1,2\n", "step,a\n0,1,2\n", "step,a\nzero,1\n"] {
            assert!(Old::parse(strange, 9).is_none(), "{strange:?}");
        }
    }

    #[test]
    fn solver_figures_are_those_since_the_row_before() {
        let before =
            SolverReport { systems: 10, iterations: 200, limited: 1, ..SolverReport::default() };
        let now =
            SolverReport { systems: 15, iterations: 260, residual: 0.5, limited: 3, ..before };
        let since = |before, now| cells(SOLVER, &SolverSince { before, now });
        assert_eq!(since(before, now), ["5", "60", "0.5", "0", "2", "0", "0"]);
        let none = SolverReport::default();
        assert_eq!(since(none, none), ["0", "0", "", "0", "0", "", "0"]);
    }
}
