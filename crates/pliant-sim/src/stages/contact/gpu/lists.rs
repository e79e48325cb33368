//! The lists of candidates: their room, and what of them is state.

use pliant_gpu::{Buffer, Commands, GpuError, Readback};

use super::setup::{CONTROL, Control};
use super::{Contacts, ROW_VECTORS};
use crate::stages::contact::Anchor;
use crate::stages::contact::formula::Kind;
use crate::stages::gpu::arrays::Arrays;

/// Words of each candidate in a copy of what is state: of both lists the pair, and what it holds on to.
const COPIED_WORDS: usize = 4 + 16;

/// What pairs hold on to, to go back to.
pub struct Saved {
    control: Buffer<u32>,
    pairs: Buffer<[u32; 2]>,
    holds: Buffer<[f32; 4]>,
}

impl Saved {
    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.control.bytes() + self.pairs.bytes() + self.holds.bytes()
    }
}

impl Contacts {
    /// Pairs that there is room for.
    pub fn room(&self) -> usize {
        self.setup.counts[3] as usize
    }

    /// Makes room for so many pairs. What is in the lists stays; rows are found anew.
    pub fn make_room(&mut self, arrays: &Arrays, pairs: usize) -> Result<(), GpuError> {
        if pairs <= self.room() {
            return Ok(());
        }
        // Half more than needed, so that steady growth is rarely paid for.
        self.set_room(arrays, pairs + pairs / 2).or_else(|_| self.set_room(arrays, pairs))
    }

    fn set_room(&mut self, arrays: &Arrays, room: usize) -> Result<(), GpuError> {
        let (gpu, own) = (&self.gpu, &mut self.buffers);
        let pairs = gpu.zeros(own.pairs.label(), 2 * room)?;
        let holds = gpu.zeros(own.holds.label(), 4 * room)?;
        let rows = gpu.zeros(own.rows.label(), ROW_VECTORS * room)?;
        let corners = gpu.zeros(own.corners.label(), 4 * room)?;
        let mut commands = gpu.commands("make room for contacts");
        commands.copy(&own.pairs, &pairs, own.pairs.len().min(pairs.len()));
        commands.copy(&own.holds, &holds, own.holds.len().min(holds.len()));
        commands.submit();
        (own.pairs, own.holds, own.rows, own.corners) = (pairs, holds, rows, corners);
        self.setup.counts[3] = room as u32;
        self.buffers.setup.write(0, &[self.setup]);
        self.has_rows = false;
        // Corners are listed anew.
        self.forget();
        self.rebind(arrays);
        self.gpu.check()
    }

    /// Lets lists begin with this much room, which may be too little.
    #[cfg(test)]
    pub fn begin_with_room(&mut self, arrays: &Arrays, room: usize) {
        self.set_room(arrays, room).expect("there is room for less");
    }

    /// The pairs that are looked at, in the user's numbering.
    #[cfg(test)]
    pub fn candidates(&self) -> Vec<(Kind, [u32; 4])> {
        let control = self.buffers.control.read().unwrap();
        let (list, count) = (control[1] as usize, control[2] as usize);
        let pairs = self.buffers.pairs.read_range(0..2 * count).unwrap();
        let corners = |n: usize| {
            let (kind, first, second) = self.pair(pairs[2 * n + list]);
            let corners = self.layout.corners(kind, first, second);
            (kind, corners.map(|v| self.layout.vertex_order[v as usize]))
        };
        (0..count).map(corners).collect()
    }

    /// Room for a copy of what decides the next step.
    pub fn saved(&self) -> Result<Saved, GpuError> {
        let (gpu, own) = (&self.gpu, &self.buffers);
        Ok(Saved {
            control: gpu.zeros("saved contact control", CONTROL)?,
            pairs: gpu.zeros("saved contact pairs", own.pairs.len())?,
            holds: gpu.zeros("saved contact holds", own.holds.len())?,
        })
    }

    /// Whether a copy has room for all there is.
    pub fn fits(&self, saved: &Saved) -> bool {
        saved.pairs.len() >= self.buffers.pairs.len()
    }

    /// Records a copy of what decides the next step.
    pub fn save(&self, commands: &mut Commands, saved: &Saved) {
        let own = &self.buffers;
        commands.copy(&own.control, &saved.control, CONTROL);
        commands.copy(&own.pairs, &saved.pairs, own.pairs.len());
        commands.copy(&own.holds, &saved.holds, own.holds.len());
    }

    /// Goes back to a copy; there is at least as much room as there was then.
    pub fn go_back(&mut self, saved: &Saved) {
        let own = &self.buffers;
        let mut commands = self.gpu.commands("restore contacts");
        commands.copy(&saved.control, &own.control, CONTROL);
        commands.copy(&saved.pairs, &own.pairs, saved.pairs.len().min(own.pairs.len()));
        commands.copy(&saved.holds, &own.holds, saved.holds.len().min(own.holds.len()));
        commands.submit();
        self.has_rows = false;
        self.forget();
    }

    /// Takes over anchors of a state. Those of pairs that do not exist are forgotten.
    pub fn load(&mut self, arrays: &Arrays, anchors: &[Anchor]) -> Result<(), GpuError> {
        let vertices = self.setup.counts[0];
        let mut held: Vec<([u32; 2], Anchor)> = Vec::new();
        if !anchors.is_empty() {
            let places = self.layout.places();
            let query = |anchor: &Anchor| {
                let [first, second] = places.find(anchor)?;
                let before = if anchor.kind == Kind::EdgeEdge { vertices } else { 0 };
                Some(([before + first, second], *anchor))
            };
            held.extend(anchors.iter().filter_map(query));
            held.sort_by_key(|(pair, _)| *pair);
        }
        self.make_room(arrays, held.len())?;
        let own = &self.buffers;
        let pairs: Vec<[u32; 2]> = held.iter().flat_map(|(pair, _)| [*pair, [0; 2]]).collect();
        let hold = |(_, anchor): &([u32; 2], Anchor)| {
            let ([x, y, z], [a, b]) = (anchor.pull, anchor.place);
            [[x, y, z, anchor.push], [a, b, 1.0, 0.0], [0.0; 4], [0.0; 4]]
        };
        own.pairs.write(0, &pairs);
        own.holds.write(0, held.iter().map(hold).collect::<Vec<_>>().as_flattened());
        let searches = self.known.searches;
        let count = held.len() as u32;
        self.known = Control { is_stale: 1, count, searches, ..Control::default() };
        self.has_rows = false;
        own.control.write(0, bytemuck::cast_slice(&[self.known]));
        let zeros = vec![[0.0; 4]; self.slots];
        own.ahead.write(self.slots, &zeros);
        self.gpu.check()
    }

    /// Where rows hold on, by the user's numbers of vertices; waits for the device.
    pub fn anchors(&self) -> Result<Vec<Anchor>, GpuError> {
        let own = &self.buffers;
        let control = own.control.read()?;
        let count = control[2] as usize;
        let pairs = own.pairs.read_range(0..2 * count)?;
        let holds = own.holds.read_range(0..4 * count)?;
        Ok(self.anchors_of(&control, &pairs, &holds))
    }

    fn anchors_of(&self, control: &[u32], pairs: &[[u32; 2]], holds: &[[f32; 4]]) -> Vec<Anchor> {
        let (list, count) = (control[1] as usize, control[2] as usize);
        let is_held = |&n: &usize| holds[4 * n + 2 * list + 1][2] != 0.0;
        let anchor = |n: usize| {
            let (kind, first, second) = self.pair(pairs[2 * n + list]);
            let corners = self.layout.corners(kind, first, second);
            let corners = corners.map(|v| self.layout.vertex_order[v as usize]);
            let [x, y, z, push] = holds[4 * n + 2 * list];
            let [a, b, ..] = holds[4 * n + 2 * list + 1];
            Anchor { kind, corners, place: [a, b], push, pull: [x, y, z] }
        };
        (0..count).filter(is_held).map(anchor).collect()
    }

    /// Kind and places of a pair as kernels write it down.
    pub(super) fn pair(&self, [query, second]: [u32; 2]) -> (Kind, u32, u32) {
        match query.checked_sub(self.setup.counts[0]) {
            None => (Kind::VertexTriangle, query, second),
            Some(first) => (Kind::EdgeEdge, first, second),
        }
    }

    /// Bytes of a copy of what is state.
    pub fn copied_bytes(&self) -> u64 {
        4 * (CONTROL + COPIED_WORDS * self.room()) as u64
    }

    /// Records a copy of what is state to byte `at` of `place`.
    pub fn copy_state(&self, commands: &mut Commands, place: &Readback, at: u64) {
        let own = &self.buffers;
        place.copy(commands, &own.control, 0..CONTROL, at);
        let at = at + 4 * CONTROL as u64;
        place.copy(commands, &own.pairs, 0..own.pairs.len(), at);
        place.copy(commands, &own.holds, 0..own.holds.len(), at + own.pairs.bytes());
    }

    /// The anchors in such a copy, which may have been made when there was less room.
    pub fn copied_anchors(&self, raw: &[f32]) -> Vec<Anchor> {
        let words: &[u32] = bytemuck::cast_slice(raw);
        let room = words.len().saturating_sub(CONTROL) / COPIED_WORDS;
        let (control, lists) = words.split_at(CONTROL.min(words.len()));
        if control.len() < CONTROL {
            return Vec::new();
        }
        let (pairs, holds) = lists[..COPIED_WORDS * room].split_at(4 * room);
        let holds: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(holds);
        self.anchors_of(control, bytemuck::cast_slice(pairs), &holds)
    }
}
