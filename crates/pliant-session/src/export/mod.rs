//! What a run writes: one module per kind of file.
//!
//! Every file is complete whenever it exists, so that a run that is killed leaves all it has written
//! readable: files are written beside their place and renamed, and lists of frames are written
//! again after each frame. A list that has grown so long that writing it takes time is written
//! less often, which costs at most a few per cent of the run. Films are the exception: they appear
//! when the run ends or is stopped.

mod animation;
mod contact_sheet;
mod contacts;
mod pictures;
mod series;
mod surface;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant_mesh::{WriteError, write_atomically};
use pliant_render::encode::EncodeError;
use pliant_sim::Simulator;
#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::Quantity;
use pliant_sim::scene::Output;

use crate::pictures::PaintError;
use crate::{Fields, Frame, Geometry, Message};
use animation::Recording;
use contacts::ContactList;
use pictures::Pictures;
use series::{SurfaceSeries, VtuSeries};
use surface::Surface;
use table::Table;

/// File name of checkpoints.
pub const CHECKPOINT: &str = "checkpoint.pliant";

/// Arrays that runs write into every frame, whatever their meshes bring along.
pub const MEASURED: [&str; 6] =
    ["velocity", "force", "contact_force", "displacement", "body", "von_mises"];

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A mesh, a table or a checkpoint.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A picture or a film.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A picture that could not be drawn.
    #[error("a picture cannot be drawn: {0}")]
    Paint(PaintError),
}

/// What the files of a run are called.
struct Names {
    folder: PathBuf,
    name: String,
    continued: Option<u64>,
}

impl Names {
    /// A file about the whole run.
    fn whole(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.name))
    }

    /// A file about this part of a run. The frames of an earlier part are only in its file, so that
    /// stays.
    fn part(&self, ending: &str) -> PathBuf {
        match self.continued {
            Some(step) => self.folder.join(format!("{}-from-{step:08}{ending}", self.name)),
            None => self.whole(ending),
        }
    }
}

/// Writes the frames of a run in every form that was asked for.
pub struct Exports {
    geometry: Geometry,
    table: Option<Table>,
    contacts: Option<ContactList>,
    /// Whether forces of contact are measured.
    has_contact: bool,
    vtu: Option<VtuSeries>,
    /// Skins beside it, if there are any.
    skins: Option<(VtuSeries, Surface)>,
    surfaces: Vec<SurfaceSeries>,
    recording: Option<Recording>,
    pictures: Option<Pictures>,
}

impl Exports {
    /// Prepares to write into `folder` files that are called after `name`. A run that continues at
    /// step `continued` keeps the rows and frames up to there.
    pub fn new(
        output: &Output,
        folder: &Path,
        name: &str,
        sim: &Simulator,
        continued: Option<u64>,
        tell: &mut dyn FnMut(Message),
    ) -> Result<Self, ExportError> {
        let geometry = Geometry::of(sim.model());
        let name = file_name(name);
        let names = Names { folder: folder.to_owned(), name: name.clone(), continued };
        let surfaces = [(output.obj, "obj"), (output.ply, "ply")];
        let movie = || Recording::new(names.part(".glb"), &name, &geometry);
        Ok(Self {
            pictures: Pictures::open(output, &names, sim)?,
            table: output
                .has_table()
                .then(|| Table::open(names.whole(".csv"), sim, continued, tell))
                .transpose()?,
            contacts: output
                .contacts
                .then(|| ContactList::create(names.part("-contacts.csv")))
                .transpose()?,
            has_contact: sim.has_contact(),
            vtu: output.vtu.then(|| VtuSeries::open(names.whole(".pvd"), &name, continued)),
            skins: (output.vtu && geometry.surfaces.iter().any(|b| b.skin.is_some())).then(|| {
                let list = names.whole("-skins.pvd");
                let series = VtuSeries::open(list, &format!("{name}-skins"), continued);
                (series, Surface::new(&geometry, true))
            }),
            surfaces: surfaces
                .into_iter()
                .filter(|(wanted, _)| *wanted)
                .map(|(_, kind)| SurfaceSeries::new(folder, &name, kind, &geometry))
                .collect(),
            recording: output.glb.then(movie),
            geometry,
        })
    }

    /// The fields that frames must have.
    pub fn fields(&self) -> Fields {
        let tracks = self.table.as_ref().is_some_and(Table::has_tracks);
        let drawn = self.pictures.as_ref().map(Pictures::fields).unwrap_or_default();
        Fields {
            motion: self.vtu.is_some() || !self.surfaces.is_empty() || drawn.motion || tracks,
            stress: self.vtu.is_some() || drawn.stress,
            contact: drawn.contact || self.contacts.is_some() || self.writes_contact_forces(),
        }
    }

    /// Whether forces of contact go into meshes or the table.
    fn writes_contact_forces(&self) -> bool {
        let meshes = self.vtu.is_some() || !self.surfaces.is_empty();
        let table = self.table.as_ref().is_some_and(Table::has_contact);
        table || (meshes && self.has_contact)
    }

    /// What a device must compute if frames may stay there: nothing but pictures is made of them, and the
    /// device draws these.
    #[cfg(feature = "gpu")]
    pub fn quantity(&self) -> Option<Quantity> {
        let Self { geometry: _, table, contacts, has_contact: _, vtu, surfaces, .. } = self;
        let Self { recording, pictures, .. } = self;
        let tracks = table.as_ref().is_some_and(|table| table.has_tracks() || table.has_contact());
        let tracks = tracks || contacts.is_some();
        let is_needed = vtu.is_some() || !surfaces.is_empty() || recording.is_some() || tracks;
        pictures.as_ref().filter(|_| !is_needed)?.quantity()
    }

    /// Lets frames come to the host from now on, after the device has failed to draw one.
    #[cfg(feature = "gpu")]
    pub fn give_up_device(&mut self) {
        self.pictures.iter_mut().for_each(Pictures::give_up_device);
    }

    /// Whether frames are written at all.
    pub fn is_empty(&self) -> bool {
        let Self { geometry: _, table, contacts, has_contact: _, vtu, surfaces, .. } = self;
        let Self { recording, pictures, .. } = self;
        let is_empty =
            table.is_none() && contacts.is_none() && vtu.is_none() && surfaces.is_empty();
        is_empty && recording.is_none() && pictures.is_none()
    }

    /// Writes one frame. A picture that could not be drawn leaves no trace of the frame anywhere, so that
    /// it can be added again.
    pub fn add(
        &mut self,
        frame: &Arc<Frame>,
        tell: &mut dyn FnMut(Message),
    ) -> Result<(), ExportError> {
        if let Some(pictures) = &mut self.pictures {
            pictures.add(frame)?;
        }
        if let Some(vtu) = &mut self.vtu {
            vtu.add(frame, &self.geometry)?;
        }
        if let Some((series, skins)) = &mut self.skins {
            series.add_skins(frame, &self.geometry, skins)?;
        }
        for series in &mut self.surfaces {
            series.add(frame)?;
        }
        if let Some(recording) = &mut self.recording {
            recording.add(frame, tell)?;
        }
        if let Some(contacts) = &mut self.contacts {
            contacts.add(frame, &self.geometry)?;
        }
        if let Some(table) = &mut self.table {
            table.add(frame)?;
        }
        Ok(())
    }

    /// Writes what is still waiting to be written.
    pub fn finish(&mut self) -> Result<(), ExportError> {
        let pictures = self.pictures.as_mut().map_or(Ok(()), Pictures::finish);
        if let Some(vtu) = &mut self.vtu {
            vtu.finish()?;
        }
        if let Some((series, _)) = &mut self.skins {
            series.finish()?;
        }
        if let Some(recording) = &mut self.recording {
            recording.finish()?;
        }
        pictures
    }

    /// The files to open, and the folders of series without a file that lists them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        paths.extend(self.pictures.iter().flat_map(Pictures::paths).map(Path::to_owned));
        paths.extend(self.recording.as_ref().map(|r| r.path().to_owned()));
        paths.extend(self.vtu.as_ref().map(|v| v.path().to_owned()));
        paths.extend(self.skins.as_ref().map(|(series, _)| series.path().to_owned()));
        paths.extend(self.surfaces.iter().map(|s| s.folder().to_owned()));
        paths.extend(self.contacts.as_ref().map(|c| c.path().to_owned()));
        paths.extend(self.table.as_ref().map(|t| t.path().to_owned()));
        paths.retain(|p| p.exists());
        paths
    }
}

/// Writes a checkpoint.
pub fn write_checkpoint(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_atomically(path, |out| out.write_all(bytes))
}

/// A scene's name as the name of a file.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = name.trim().chars().take(80).map(plain).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "scene".into() } else { name.into() }
}

/// Decides when something long is worth writing again: when writing it takes no more than a twentieth
/// of the time since.
struct Pace {
    last: Instant,
    pause: Duration,
}

impl Pace {
    fn new(pause: Duration) -> Self {
        Self { last: Instant::now(), pause }
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.pause
    }

    /// Writes, and notes how long it took.
    fn write<T>(&mut self, least: Duration, write: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = write();
        self.last = Instant::now();
        self.pause = (20 * (self.last - start)).max(least);
        result
    }
}
