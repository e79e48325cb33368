//! Every contact between soft bodies as CSV, a row for each in each frame.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use pliant_mesh::{WriteError, write_atomically};
use pliant_sim::stages::contact::Kind;

use super::table::cell;
use crate::{Frame, Geometry};

/// The columns. Corners are numbered as in all results: a vertex and the corners of a triangle, or two edges.
const COLUMNS: &str = "step,time_s,kind,body,other,corner_1,corner_2,corner_3,corner_4,\
                       x_m,y_m,z_m,normal_x,normal_y,normal_z,gap_m,fx_N,fy_N,fz_N";

/// A CSV file that grows.
pub struct ContactList {
    path: PathBuf,
}

impl ContactList {
    /// Starts a list.
    pub fn create(path: PathBuf) -> Result<Self, WriteError> {
        write_atomically(&path, |out| writeln!(out, "{COLUMNS}"))?;
        Ok(Self { path })
    }

    /// Adds the rows of a frame, in one piece.
    pub fn add(&mut self, frame: &Frame, geometry: &Geometry) -> Result<(), WriteError> {
        let mut rows = String::new();
        for contact in &frame.contacts {
            let kind = match contact.kind {
                Kind::VertexTriangle => "vertex-triangle",
                Kind::EdgeEdge => "edge-edge",
            };
            let [body, other] = contact.bodies.map(|body| cell(&geometry.names[body as usize]));
            let report = &frame.report;
            let mut row = format!("{},{},{kind},{body},{other}", report.step, report.time);
            contact.corners.iter().for_each(|corner| row += &format!(",{corner}"));
            contact.point.iter().for_each(|x| row += &format!(",{x}"));
            let numbers = contact.normal.iter().chain([&contact.gap]).chain(&contact.force);
            numbers.for_each(|number| row += &format!(",{number}"));
            rows += &row;
            rows.push('\n');
        }
        let append = || -> std::io::Result<()> {
            OpenOptions::new().append(true).open(&self.path)?.write_all(rows.as_bytes())
        };
        append().map_err(|source| WriteError::Io { path: self.path.clone(), source })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
