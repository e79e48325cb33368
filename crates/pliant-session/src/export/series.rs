//! Frames as files of their own: VTU with a list for ParaView, OBJ and PLY.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pliant_mesh::formats::vtu::{VtuFrame, write_frame, write_pvd};
use pliant_mesh::formats::{obj, ply};
use pliant_mesh::{DataArray, Mesh, WriteError, write_atomically};
use pliant_sim::model::FieldOn;

use super::{MEASURED, Pace};
use crate::frame::{WholeField, displacements};
use crate::{Frame, Geometry};

/// Digits of the step in file names, so that names sort by time.
fn numbered(name: &str, step: u64, extension: &str) -> String {
    format!("{name}-{step:08}.{extension}")
}

/// A folder of VTU files and the `.pvd` that lists them with their times.
pub struct VtuSeries {
    list: PathBuf,
    name: String,
    entries: Vec<(f64, String)>,
    pace: Pace,
}

impl VtuSeries {
    /// Starts a series, or goes on after step `continued` of the one that is there.
    pub fn open(list: PathBuf, name: &str, continued: Option<u64>) -> Self {
        let entries = match continued {
            Some(last) => entries_until(&list, last),
            None => Vec::new(),
        };
        Self { list, name: name.into(), entries, pace: Pace::new(Duration::ZERO) }
    }

    /// Writes a frame, then the list, so that the list never names a file that is not there.
    pub fn add(&mut self, frame: &Frame, geometry: &Geometry) -> Result<(), WriteError> {
        let file = format!("vtu/{}", numbered(&self.name, frame.report.step, "vtu"));
        let bodies: Vec<f32> = geometry.bodies.iter().map(|b| *b as f32).collect();
        let own = |on| {
            // A mesh that an earlier run wrote has arrays that are measured anew.
            let field = move |f: &&WholeField| f.on == on && !MEASURED.contains(&&*f.name);
            geometry.fields.iter().filter(field).map(|f| (&*f.name, &f.values[..]))
        };
        let moved = displacements(&frame.positions, &geometry.start);
        let mut scalars =
            vec![("force", &frame.forces[..]), ("displacement", &moved), ("body", &bodies)];
        scalars.extend(own(FieldOn::Vertices));
        let mut of_tets = vec![("von_mises", &frame.von_mises[..])];
        of_tets.extend(own(FieldOn::Tets));
        let mut vectors = vec![("velocity", &frame.velocities[..])];
        if !frame.contact_forces.is_empty() {
            vectors.push(("contact_force", &frame.contact_forces));
        }
        let vtu = VtuFrame {
            points: &frame.positions,
            tets: &geometry.tets,
            triangles: &geometry.sheets,
            point_vectors: &vectors,
            point_scalars: &scalars,
            tet_scalars: if geometry.tets.is_empty() { &[] } else { &of_tets },
        };
        let path = self.list.with_file_name("").join(&file);
        write_atomically(&path, |out| write_frame(&vtu, out))?;
        self.entries.push((frame.report.time, file));
        if self.pace.is_due() { self.finish() } else { Ok(()) }
    }

    /// Writes the list.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let entries: Vec<(f64, &str)> =
            self.entries.iter().map(|(time, file)| (*time, file.as_str())).collect();
        let list = &self.list;
        self.pace.write(Duration::ZERO, || write_atomically(list, |out| write_pvd(&entries, out)))
    }

    /// The list.
    pub fn path(&self) -> &Path {
        &self.list
    }
}

/// The frames up to a step of a list that was written before; none if there is no such list.
fn entries_until(list: &Path, last: u64) -> Vec<(f64, String)> {
    let text = std::fs::read_to_string(list).unwrap_or_default();
    let attribute = |line: &str, key: &str| -> Option<String> {
        let (_, rest) = line.split_once(&format!("{key}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let entry = |line: &str| -> Option<(f64, String)> {
        let file = attribute(line, "file")?;
        let step: u64 = file.strip_suffix(".vtu")?.rsplit_once('-')?.1.parse().ok()?;
        (step <= last).then_some((attribute(line, "timestep")?.parse().ok()?, file))
    };
    text.lines().filter_map(entry).collect()
}

/// A folder of surfaces, one file per frame.
pub struct SurfaceSeries {
    folder: PathBuf,
    name: String,
    kind: &'static str,
    /// The vertices that the surface uses.
    kept: Vec<u32>,
    /// Triangles that index `kept`.
    triangles: Vec<[u32; 3]>,
}

impl SurfaceSeries {
    /// A series of `kind`, `obj` or `ply`.
    pub fn new(folder: &Path, name: &str, kind: &'static str, geometry: &Geometry) -> Self {
        let (kept, triangles) = compact(geometry);
        Self { folder: folder.join(kind), name: name.into(), kind, kept, triangles }
    }

    /// Writes a frame.
    pub fn add(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let at = |i: &u32| *i as usize;
        let mut mesh = Mesh {
            points: self.kept.iter().map(|i| frame.positions[at(i)].map(f64::from)).collect(),
            triangles: self.triangles.clone(),
            ..Mesh::default()
        };
        let path = self.folder.join(numbered(&self.name, frame.report.step, self.kind));
        if self.kind == "obj" {
            return write_atomically(&path, |out| obj::write(&mesh, out));
        }
        let forces = self.kept.iter().map(|i| f64::from(frame.forces[at(i)])).collect();
        let vectors = |name: &str, of: &[[f32; 3]]| DataArray {
            name: name.into(),
            components: 3,
            values: self.kept.iter().flat_map(|i| of[at(i)].map(f64::from)).collect(),
        };
        mesh.point_data.push(DataArray::scalar("force", forces));
        mesh.point_data.push(vectors("velocity", &frame.velocities));
        if !frame.contact_forces.is_empty() {
            mesh.point_data.push(vectors("contact_force", &frame.contact_forces));
        }
        write_atomically(&path, |out| ply::write(&mesh, out))
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The vertices on the surface, in order, and the surface in their numbering.
pub(super) fn compact(geometry: &Geometry) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut number = vec![u32::MAX; geometry.bodies.len()];
    for &corner in geometry.surface.as_flattened() {
        number[corner as usize] = 0;
    }
    let mut kept = Vec::new();
    for (i, number) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *number = kept.len() as u32;
        kept.push(i as u32);
    }
    let triangles = geometry.surface.iter().map(|t| t.map(|c| number[c as usize])).collect();
    (kept, triangles)
}
