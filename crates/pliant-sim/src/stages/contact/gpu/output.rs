//! What touches, and with what force: copied back when somebody asks.

use pliant_gpu::{Commands, GpuError, Readback};

use super::Contacts;
use super::setup::CONTROL;
use crate::stages::contact::Touching;

/// Arrays of rows that are copied back: normals and thickness, depths, forces, points.
const COPIED: [usize; 4] = [1, 2, 5, 6];

/// Rows and forces on the host.
pub struct Rows {
    control: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    /// The arrays of [`COPIED`], one behind the other.
    vectors: Vec<[f32; 4]>,
    /// Forces on vertices, by slot \[N\].
    pub forces: Vec<[f32; 4]>,
}

impl Contacts {
    /// Forces of contact in the last evaluation, by slot \[N\]; waits for the device.
    pub fn forces(&self) -> Result<Vec<[f32; 4]>, GpuError> {
        self.buffers.ahead.read_range(self.slots..2 * self.slots)
    }

    /// Bytes of a copy of rows and forces.
    pub fn copied_rows_bytes(&self) -> u64 {
        let (room, vectors) = (self.room(), COPIED.len());
        4 * CONTROL as u64 + 16 * (room + vectors * room + self.slots) as u64
    }

    /// Records such a copy to byte `at` of `place`.
    pub fn copy_rows(&self, commands: &mut Commands, place: &Readback, at: u64) {
        let (own, room) = (&self.buffers, self.room());
        let mut at = at;
        place.copy(commands, &own.control, 0..CONTROL, at);
        at += 4 * CONTROL as u64;
        place.copy(commands, &own.pairs, 0..2 * room, at);
        for part in COPIED {
            at += 16 * room as u64;
            place.copy(commands, &own.rows, part * room..(part + 1) * room, at);
        }
        at += 16 * room as u64;
        place.copy(commands, &own.ahead, self.slots..2 * self.slots, at);
    }

    /// What was copied so.
    pub fn copied_rows(&self, raw: &[f32]) -> Rows {
        let room = self.room();
        let (control, rest) = raw.split_at(CONTROL);
        let (pairs, rest) = rest.split_at(4 * room);
        let (vectors, forces) = rest.split_at(4 * COPIED.len() * room);
        Rows {
            control: bytemuck::cast_slice(control).to_vec(),
            pairs: bytemuck::pod_collect_to_vec(pairs),
            vectors: bytemuck::pod_collect_to_vec(vectors),
            forces: bytemuck::pod_collect_to_vec(&forces[..4 * self.slots]),
        }
    }

    /// Rows and forces; waits for the device.
    pub fn rows(&self) -> Result<Rows, GpuError> {
        let mut place = Readback::new(&self.gpu, "contacts", self.copied_rows_bytes())?;
        let mut commands = self.gpu.commands("contacts");
        self.copy_rows(&mut commands, &place, 0);
        commands.submit();
        place.request();
        Ok(self.copied_rows(&place.wait()?))
    }

    /// What touched in the last evaluation, where bodies have these origins.
    pub fn touching(&self, rows: &Rows, origins: &[[f64; 3]]) -> Vec<Touching> {
        if !self.has_rows {
            return Vec::new();
        }
        let (list, count) = (rows.control[1] as usize, rows.control[2] as usize);
        let room = rows.vectors.len() / COPIED.len();
        let touching = |n: usize| {
            let [normal, depth, force, point] =
                std::array::from_fn(|part| rows.vectors[part * room + n]);
            let (kind, first, second) = self.pair(rows.pairs[2 * n + list]);
            let bodies = self.layout.bodies(kind, first, second);
            let corners = self.layout.corners(kind, first, second);
            let origin = origins[bodies[0] as usize];
            (force[3] != 0.0).then(|| Touching {
                kind,
                bodies,
                corners: corners.map(|v| self.layout.vertex_order[v as usize]),
                point: std::array::from_fn(|k| origin[k] + f64::from(point[k])),
                normal: std::array::from_fn(|k| normal[k]),
                gap: normal[3] - depth[0],
                force: std::array::from_fn(|k| force[k]),
            })
        };
        (0..count).filter_map(touching).collect()
    }
}
