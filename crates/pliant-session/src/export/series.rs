//! Frames as files of their own: VTU with a list for ParaView, OBJ and PLY.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pliant_mesh::formats::vtu::{VtuFrame, write_frame, write_pvd};
use pliant_mesh::formats::{obj, ply};
use pliant_mesh::{DataArray, Mesh, WriteError, write_atomically};
use pliant_sim::model::FieldOn;
use pliant_sim::stages::stress::mean_at_vertices;

use super::surface::Surface;
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
        self.put(&vtu, frame)
    }

    /// Writes the skins of a frame, with what their bodies' vertices have.
    pub fn add_skins(
        &mut self,
        frame: &Frame,
        geometry: &Geometry,
        skins: &Surface,
    ) -> Result<(), WriteError> {
        let [positions, normals] = skins.with_normals(&frame.positions);
        let of_tets: Vec<f64> = frame.von_mises.iter().map(|&v| f64::from(v)).collect();
        let stress = mean_at_vertices(&geometry.tets, &of_tets, frame.positions.len());
        let stress = skins.values(&stress.iter().map(|&v| v as f32).collect::<Vec<f32>>());
        let forces = skins.values(&frame.forces);
        let moved = skins.values(&displacements(&frame.positions, &geometry.start));
        let bodies: Vec<f32> = skins.bodies.iter().map(|b| *b as f32).collect();
        let velocities = skins.vectors(&frame.velocities);
        let mut vectors = vec![("velocity", &velocities[..]), ("normal", &normals)];
        let contact = (!frame.contact_forces.is_empty()).then_some(&frame.contact_forces);
        let contact = contact.map(|forces| skins.vectors(forces));
        vectors.extend(contact.iter().map(|forces| ("contact_force", &forces[..])));
        let scalars = [
            ("force", &forces[..]),
            ("displacement", &moved),
            ("von_mises", &stress),
            ("body", &bodies),
        ];
        let vtu = VtuFrame {
            points: &positions,
            tets: &[],
            triangles: &skins.triangles,
            point_vectors: &vectors,
            point_scalars: &scalars,
            tet_scalars: &[],
        };
        self.put(&vtu, frame)
    }

    /// Writes a file, then the list, unless that was written just now.
    fn put(&mut self, vtu: &VtuFrame<'_>, frame: &Frame) -> Result<(), WriteError> {
        let file = format!("vtu/{}", numbered(&self.name, frame.report.step, "vtu"));
        let path = self.list.with_file_name("").join(&file);
        write_atomically(&path, |out| write_frame(vtu, out))?;
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
    surface: Surface,
    /// Whether there are skins, whose normals are worth writing.
    has_skins: bool,
}

impl SurfaceSeries {
    /// A series of `kind`, `obj` or `ply`.
    pub fn new(folder: &Path, name: &str, kind: &'static str, geometry: &Geometry) -> Self {
        let has_skins = geometry.surfaces.iter().any(|body| body.skin.is_some());
        let surface = Surface::new(geometry, false);
        Self { folder: folder.join(kind), name: name.into(), kind, surface, has_skins }
    }

    /// Writes a frame.
    pub fn add(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let wide = |of: Vec<[f32; 3]>| of.into_iter().map(|p| p.map(f64::from));
        let (positions, normals) = match self.has_skins {
            true => {
                let [positions, normals] = self.surface.with_normals(&frame.positions);
                (positions, Some(normals))
            }
            false => (self.surface.positions(&frame.positions), None),
        };
        let mut mesh = Mesh {
            points: wide(positions).collect(),
            triangles: self.surface.triangles.clone(),
            ..Mesh::default()
        };
        let path = self.folder.join(numbered(&self.name, frame.report.step, self.kind));
        if self.kind == "obj" {
            return write_atomically(&path, |out| obj::write(&mesh, out));
        }
        let forces = self.surface.values(&frame.forces);
        let vectors = |name: &str, of: Vec<[f32; 3]>| DataArray {
            name: name.into(),
            components: 3,
            values: wide(of).flatten().collect(),
        };
        mesh.point_data
            .push(DataArray::scalar("force", forces.into_iter().map(f64::from).collect()));
        mesh.point_data.push(vectors("velocity", self.surface.vectors(&frame.velocities)));
        if !frame.contact_forces.is_empty() {
            let forces = self.surface.vectors(&frame.contact_forces);
            mesh.point_data.push(vectors("contact_force", forces));
        }
        mesh.point_data.extend(normals.map(|normals| vectors("normal", normals)));
        write_atomically(&path, |out| ply::write(&mesh, out))
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
