//! Energies, momentum, what is tracked and how systems were solved as CSV, one row per frame.
//!
//! Columns have names, and a row of a continued run is written under those names into the table that is
//! there: what was written before stays, whatever was asked for then.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use pliant_mesh::{WriteError, write_atomically};
use pliant_sim::stages::implicit::Solved;
use pliant_sim::{Simulator, StepReport};

use crate::{Frame, Message};

/// What every run has.
const REPORT: [&str; 20] = [
    "step",
    "time_s",
    "kinetic_J",
    "springs_J",
    "volumes_J",
    "gravity_J",
    "total_J",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_x",
    "angular_y",
    "angular_z",
    "center_x_m",
    "center_y_m",
    "center_z_m",
    "max_speed_m_s",
    "inverted",
    "wall_contacts",
    "substeps",
];

/// What worlds with implicit steps have besides.
const SOLVER: [&str; 7] = [
    "solver_systems",
    "solver_iterations",
    "solver_residual",
    "solver_unconverged",
    "solver_limited",
    "solver_imbalance",
    "solver_unbalanced",
];

/// Ends of the names of what is tracked.
const TRACKED: [&str; 9] =
    ["x_m", "y_m", "z_m", "vx_m_s", "vy_m_s", "vz_m_s", "fx_N", "fy_N", "fz_N"];

/// A CSV file that grows.
pub struct Table {
    path: PathBuf,
    has_solver: bool,
    has_tracks: bool,
    /// Columns of the file.
    width: usize,
    /// Where each of our own columns is among them.
    places: Vec<usize>,
    /// What was solved up to the row before.
    solved: Solved,
}

impl Table {
    /// Starts a table, or keeps the rows up to step `continued` of the one that is there.
    pub fn open(
        path: PathBuf,
        sim: &Simulator,
        continued: Option<u64>,
        tell: &mut dyn FnMut(Message),
    ) -> Result<Self, WriteError> {
        let has_solver = sim.model().has_implicit_steps(sim.world());
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
        let solved = sim.solved().unwrap_or_default();
        let has_tracks = !sim.model().tracks.is_empty();
        Ok(Self { path, has_solver, has_tracks, width, places, solved })
    }

    /// Adds a row, in one piece.
    pub fn add(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let mut own = report_cells(&frame.report);
        if self.has_solver {
            let solved = frame.report.solved.unwrap_or_default();
            own.extend(solver_cells(&self.solved, &solved));
            self.solved = solved;
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

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The columns of a run, in their order.
fn columns(sim: &Simulator, has_solver: bool) -> Vec<String> {
    let solver = SOLVER.iter().filter(|_| has_solver);
    let mut columns: Vec<String> = REPORT.iter().chain(solver).map(|c| (*c).to_owned()).collect();
    for track in &sim.model().tracks {
        columns.extend(TRACKED.iter().map(|end| format!("{}_{end}", track.name)));
    }
    columns
}

fn row(cells: &[String]) -> String {
    cells.join(",") + "\n"
}

fn report_cells(r: &StepReport) -> Vec<String> {
    let e = r.energy;
    let numbers = [r.time, e.kinetic, e.springs, e.volumes, e.gravity, e.total()]
        .into_iter()
        .chain(r.momentum)
        .chain(r.angular_momentum)
        .chain(r.center_of_mass)
        .chain([r.max_speed]);
    let counts = [r.inverted_count, r.wall_contact_count, r.substeps as usize];
    let mut cells = vec![r.step.to_string()];
    cells.extend(numbers.map(|n| n.to_string()));
    cells.extend(counts.map(|n| n.to_string()));
    cells
}

/// What came of the systems since the row before; nothing of those that there were not.
fn solver_cells(before: &Solved, now: &Solved) -> [String; 7] {
    let since = |before: u64, now: u64| now.saturating_sub(before).to_string();
    let measured = |value: f64| if now.systems > 0 { value.to_string() } else { String::new() };
    [
        since(before.systems, now.systems),
        since(before.iterations, now.iterations),
        measured(now.residual),
        since(before.unconverged, now.unconverged),
        since(before.limited, now.limited),
        measured(now.imbalance),
        since(before.unbalanced, now.unbalanced),
    ]
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
        if columns[0] != REPORT[0] {
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
        let before = Solved { systems: 10, iterations: 200, limited: 1, ..Solved::default() };
        let now = Solved { systems: 15, iterations: 260, residual: 0.5, limited: 3, ..before };
        assert_eq!(solver_cells(&before, &now), ["5", "60", "0.5", "0", "2", "0", "0"]);
        let none = Solved::default();
        assert_eq!(solver_cells(&none, &none), ["0", "0", "", "0", "0", "", "0"]);
    }
}
