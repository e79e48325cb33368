//! Energies, momentum and the like as CSV, one row per frame.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use pliant_mesh::{WriteError, write_atomically};
use pliant_sim::StepReport;

const HEADER: &str = "step,time_s,kinetic_J,springs_J,volumes_J,gravity_J,total_J,\
    momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,\
    center_x_m,center_y_m,center_z_m,max_speed_m_s,inverted,wall_contacts,substeps\n";

/// A CSV file that grows.
pub struct Table {
    path: PathBuf,
}

impl Table {
    /// Starts a table, or keeps the rows up to step `continued` of the one that is there.
    pub fn open(path: PathBuf, continued: Option<u64>) -> Result<Self, WriteError> {
        let mut text = HEADER.to_owned();
        if let Some(last) = continued {
            text += &rows_until(&path, last);
        }
        write_atomically(&path, |out| out.write_all(text.as_bytes()))?;
        Ok(Self { path })
    }

    /// Adds a row, in one piece.
    pub fn add(&mut self, r: &StepReport) -> Result<(), WriteError> {
        let mut row = format!("{},{}", r.step, r.time);
        let e = r.energy;
        let numbers = [e.kinetic, e.springs, e.volumes, e.gravity, e.total()]
            .into_iter()
            .chain(r.momentum)
            .chain(r.angular_momentum)
            .chain(r.center_of_mass)
            .chain([r.max_speed]);
        for number in numbers {
            row += &format!(",{number}");
        }
        row += &format!(",{},{},{}\n", r.inverted_count, r.wall_contact_count, r.substeps);
        let append = || -> std::io::Result<()> {
            OpenOptions::new().append(true).open(&self.path)?.write_all(row.as_bytes())
        };
        append().map_err(|source| WriteError::Io { path: self.path.clone(), source })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The complete rows up to a step of a table that was written before; nothing if there is none.
fn rows_until(path: &Path, last: u64) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let Some(rows) = text.strip_prefix(HEADER) else { return String::new() };
    let step = |row: &str| row.split(',').next().and_then(|s| s.parse::<u64>().ok());
    let is_kept = |row: &&str| row.ends_with('\n') && step(row).is_some_and(|s| s <= last);
    rows.split_inclusive('\n').filter(is_kept).collect()
}
