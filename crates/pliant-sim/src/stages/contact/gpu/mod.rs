//! Contact on a device.
//!
//! An evaluation of forces is a fixed sequence of kernels, between which everything waits for everything: a vote
//! whether anybody has left their skin; if so, a search; how fast all would become; the rows of all candidates; then,
//! a few times, what rows do, and its sum for each vertex. Kernels of a search that is not needed return at once.
//!
//! Lists are sorted whatever the device does first: a search counts the pairs of each primitive, adds up where its
//! list begins, and walks once more to write it. Where the list is too small the substep freezes, the host makes room,
//! and the same evaluation goes on (the stage `drill` does it in the simplest way). What vertices are corners
//! of is counted by atomics and sorted, so that sums have the order of rows, as on processors.

mod kernels;
mod lists;
mod output;
mod schedule;
mod setup;
mod tables;
#[cfg(test)]
mod tests;

use pliant_gpu::primitives::{Bound, Scan};
use pliant_gpu::{Binding, Buffer, Commands, Gpu, GpuError};

use super::ContactReport;
use super::layout::{Layout, frictions};
use crate::model::Model;
use crate::scene;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout as Slots;
use crate::stages::gpu::record::STRIDE;
use crate::step::Advance;
use kernels::{Kernels, Part};
pub use lists::Saved;
pub use output::Rows;
use schedule::Schedule;
pub use schedule::Searching;
use setup::{CONTROL, Control, Phase, PhaseRecord, Setup, offset_of_level, offset_of_mode};
use tables::{Tables, body_words};

/// How often rows look again at what all of them do, as on processors.
const ITERATIONS: u32 = super::ITERATIONS as u32;

/// Vectors that each candidate has for its row, one array behind the other.
const ROW_VECTORS: usize = 7;

/// What kernels are bound to.
pub struct Buffers {
    surface: Buffer<u32>,
    setup: Buffer<Setup>,
    phases: Buffer<PhaseRecord>,
    placed: Buffer<[f32; 4]>,
    boxes: Buffer<[f32; 4]>,
    counts: Buffer<u32>,
    starts: Buffer<u32>,
    corner_counts: Buffer<u32>,
    corner_starts: Buffer<u32>,
    cursors: Buffer<u32>,
    control: Buffer<u32>,
    ahead: Buffer<[f32; 4]>,
    pairs: Buffer<[u32; 2]>,
    holds: Buffer<[f32; 4]>,
    rows: Buffer<[f32; 4]>,
    corners: Buffer<u32>,
}

impl Buffers {
    fn phase(&self) -> Binding<'_> {
        Binding::record(&self.phases, size_of::<Phase>() as u64)
    }

    fn bytes(&self) -> u64 {
        let words = [&self.surface, &self.counts, &self.starts, &self.corner_counts];
        let more = [&self.corner_starts, &self.cursors, &self.control, &self.corners];
        let vectors = [&self.placed, &self.boxes, &self.ahead, &self.holds, &self.rows];
        let words: u64 = words.iter().chain(&more).map(|buffer| buffer.bytes()).sum();
        let vectors: u64 = vectors.iter().map(|buffer| buffer.bytes()).sum();
        words + vectors + self.pairs.bytes() + self.setup.bytes() + self.phases.bytes()
    }
}

/// The contacts of a model, resident on a device.
pub struct Contacts {
    gpu: Gpu,
    settings: scene::Contact,
    layout: Layout,
    setup: Setup,
    buffers: Buffers,
    kernels: Kernels,
    /// Where lists of queries begin, and of corners.
    scans: [Bound; 2],
    slots: usize,
    /// What the device last said.
    known: Control,
    /// Whether rows are those of the pairs in the list.
    has_rows: bool,
    schedule: Schedule,
    /// Where bodies were when this was last told.
    origins: Vec<[f64; 3]>,
}

/// How far a vertex may move until the next search, its skin: as far as it goes in so many substeps, but no less
/// and no more than these parts of its shortest edge. At rest skins are thin, and candidates few.
const SUBSTEPS_AHEAD: f32 = 4.0;
const LEAST_SKIN: f32 = 0.06;
const MOST_SKIN: f32 = 0.2;

impl Contacts {
    /// Lays out the surfaces of a model.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        slots: &Slots,
        arrays: &Arrays,
        settings: &scene::Contact,
    ) -> Result<Self, GpuError> {
        let layout = Layout::new(model, &slots.slot_of, &[], settings);
        let Tables { words, mut setup, boxes } = Tables::new(&layout, slots);
        let (count, queries) = (slots.slot_count(), (setup.counts[0] + setup.counts[1]) as usize);
        let room = 1024.max(2 * queries);
        setup.counts[3] = room as u32;
        let phases = setup::phases();
        let buffers = Buffers {
            surface: gpu.storage("surface", &words)?,
            setup: gpu.uniform("contact setup", 1)?,
            phases: gpu.uniform("contact phases", phases.len())?,
            placed: gpu.zeros("contact placed", 2 * count)?,
            boxes: gpu.zeros("contact boxes", 2 * boxes)?,
            counts: gpu.zeros("contact counts", queries + 1)?,
            starts: gpu.zeros("contact starts", queries + 1)?,
            corner_counts: gpu.zeros("corner counts", count + 1)?,
            corner_starts: gpu.zeros("corner starts", count + 1)?,
            cursors: gpu.zeros("corner cursors", count)?,
            control: gpu.zeros("contact control", CONTROL)?,
            ahead: gpu.zeros("contact ahead", 3 * count)?,
            pairs: gpu.zeros("contact pairs", 2 * room)?,
            holds: gpu.zeros("contact holds", 4 * room)?,
            rows: gpu.zeros("contact rows", ROW_VECTORS * room)?,
            corners: gpu.zeros("contact corners", 4 * room)?,
        };
        buffers.phases.write(0, &phases);
        // What is inside bodies may go anywhere.
        buffers.placed.write(count, &vec![[0.0, 0.0, 0.0, f32::INFINITY]; count]);
        let total = gpu.zeros("scan total", 1)?;
        let scan = Scan::new(gpu, (queries + 1).max(count + 1))?;
        let Buffers { counts, starts, corner_counts, corner_starts, .. } = &buffers;
        let scans = [
            scan.bind(counts, starts, &total, queries + 1)?,
            scan.bind(corner_counts, corner_starts, &total, count + 1)?,
        ];
        let mut contacts = Self {
            gpu: gpu.clone(),
            settings: settings.clone(),
            layout,
            setup,
            kernels: Kernels::new(gpu, &buffers, arrays)?,
            buffers,
            scans,
            slots: count,
            known: Control::default(),
            has_rows: false,
            schedule: Schedule::default(),
            origins: Vec::new(),
        };
        contacts.forget();
        Ok(contacts)
    }

    /// Takes over other settings; says no where surfaces must be laid out anew for them.
    pub fn take(&mut self, model: &Model, settings: &scene::Contact) -> bool {
        let fits = settings.thickness == self.settings.thickness
            && settings.within_bodies == self.settings.within_bodies;
        if fits && *settings != self.settings {
            self.layout.set_friction(frictions(model, settings));
            // Friction stands beside the origins of bodies, which are told again.
            self.origins.clear();
            self.settings = settings.clone();
        }
        fits
    }

    /// Binds kernels again, because an array has been replaced.
    pub fn rebind(&mut self, arrays: &Arrays) {
        self.kernels.bind(&self.gpu, &self.buffers, arrays);
    }

    /// Lets the next evaluation search anew: the state is another one.
    pub fn forget(&mut self) {
        self.buffers.control.write(0, &[1]);
    }

    /// Tells kernels what a stretch needs to know.
    pub fn prepare(&mut self, job: &Advance<'_>) {
        self.setup.times = [job.h as f32, self.layout.skin, 0.0, 0.0];
        self.buffers.setup.write(0, &[self.setup]);
        if self.origins != job.origins {
            self.origins = job.origins.to_vec();
            let words = body_words(&self.layout, job.origins);
            self.buffers.surface.write(self.setup.more[1] as usize, &words);
            self.forget();
        }
    }

    /// Records the forces of contact at the present positions, added to all others; `evaluation` is how many come
    /// before it in its substep, whose record is at `record`.
    pub fn record(
        &self,
        commands: &mut Commands,
        record: u32,
        evaluation: u32,
        searching: Searching,
    ) {
        let offset = record * STRIDE;
        let candidates = self.setup.counts[3] as usize;
        let run = |commands: &mut Commands, part: Part, mode: u32, threads: usize| {
            let offsets = [offset, offset_of_mode(mode, evaluation)];
            self.kernels.run(commands, part, offsets, threads);
        };
        run(commands, Part::Vote, searching.mode(), self.slots);
        if searching != Searching::Waits {
            self.record_search(commands, offset, evaluation);
        }
        run(commands, Part::Predict, 0, self.slots);
        run(commands, Part::FindRows, 0, candidates);
        run(commands, Part::AddUp, setup::COUNTS_ROWS, self.slots);
        for n in 1..=ITERATIONS {
            let mode = if n == ITERATIONS { setup::IS_LAST } else { setup::IS_BEFORE };
            run(commands, Part::ImproveRows, mode, candidates);
            run(commands, Part::AddUp, setup::KNOWS_ROWS, self.slots);
        }
        // What rows do at the first positions of a substep is what the next one begins with.
        if evaluation == 0 {
            run(commands, Part::KeepRows, 0, candidates);
        }
        run(commands, Part::AddForces, 0, self.slots);
    }

    fn record_search(&self, commands: &mut Commands, offset: u32, evaluation: u32) {
        let [vertices, edges, _, candidates] = self.setup.counts.map(|count| count as usize);
        let at = |mode: u32| [offset, offset_of_mode(mode, evaluation)];
        let kernels = &self.kernels;
        kernels.run(commands, Part::Place, at(0), self.slots);
        for level in 0..self.setup.more[2] as usize {
            let [_, triangles, _, edges] = self.setup.levels[level].map(|count| count as usize);
            let offsets = [offset, offset_of_level(level)];
            kernels.run(commands, Part::Refit, offsets, triangles + edges);
        }
        kernels.run(commands, Part::Walk, at(setup::COUNTS), vertices + edges);
        self.scans[0].record(commands);
        kernels.run(commands, Part::Walk, at(setup::FILLS), vertices + edges);
        kernels.run(commands, Part::Settle, at(0), 1);
        kernels.run(commands, Part::CountCorners, at(0), candidates);
        self.scans[1].record(commands);
        kernels.run(commands, Part::FillCorners, at(0), candidates);
        kernels.run(commands, Part::SortCorners, at(0), self.slots);
    }

    /// Records adding the forces of the last evaluation to those in `force`.
    pub fn add_forces(&self, commands: &mut Commands, record: u32) {
        let offsets = [record * STRIDE, 0];
        self.kernels.run(commands, Part::AddForces, offsets, self.slots);
    }

    /// Elements that an evaluation works on, searches not counted.
    pub fn elements(&self) -> usize {
        ITERATIONS as usize * (self.slots + self.known.count as usize)
    }

    /// What the device decides by, to be brought to the host with the flags.
    pub fn control(&self) -> &Buffer<u32> {
        &self.buffers.control
    }

    /// Takes note of what the device says after so many substeps; `is_missed` where one could not go on because no
    /// search was recorded in it.
    pub fn note(&mut self, words: &[u32], substeps: u64, is_missed: bool) {
        let now: Control = *bytemuck::from_bytes(bytemuck::cast_slice(words));
        let searches = u64::from(now.searches.wrapping_sub(self.known.searches));
        self.schedule.note(substeps, searches, is_missed);
        (self.known, self.has_rows) = (now, true);
    }

    /// The evaluation in which a substep could not go on.
    pub fn stalled_evaluation(&self) -> u32 {
        self.known.evaluation
    }

    /// How evaluation number `evaluation` of substep number `substep` of a submission searches.
    pub fn searching(&self, substep: u64, evaluation: u32) -> Searching {
        self.schedule.at(substep, evaluation)
    }

    /// What contact has done so far, and does now.
    pub fn report(&self) -> ContactReport {
        ContactReport {
            candidates: u64::from(self.known.count),
            contacts: u64::from(self.known.contacts),
            searches: u64::from(self.known.searches),
            guarantee: None,
        }
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.buffers.bytes()
    }
}

/// Kernels of an evaluation without a search; the first one of a substep keeps what rows do.
pub fn evaluation_dispatches(is_first: bool) -> u32 {
    // The vote, the prediction, rows and their sum; iterations; forces.
    4 + 2 * ITERATIONS + u32::from(is_first) + 1
}

/// Every kernel here, to be checked without a device.
#[cfg(test)]
pub(crate) fn descriptions() -> impl Iterator<Item = pliant_gpu::KernelDesc<'static>> {
    Part::ALL.into_iter().map(|part| part.description(&[]))
}
