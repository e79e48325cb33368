//! How a model lies in a device's memory.
//!
//! Vertices live in *slots*. Every body begins at a multiple of [`SLICE`] slots, so that the 32
//! invocations of a slice always work on one body, and inside windows of a body vertices are sorted
//! by the number of their elements, so that those 32 have equal work (Echtler 2004 stacked *slices*
//! of incidence for the same reason). The windows are small enough that neighbours stay near.
//!
//! Springs and tetrahedra are stored once, whatever adds up their forces; strategies that gather add
//! lists of elements per vertex, in which entry `k` of all 32 vertices of a slice lie side by side.

use std::ops::Range;

use crate::model::{Family, Model};
use crate::stages::bending::Hinge;
use crate::stages::elastic::VolumeForm;

/// Vertices whose lists are stored side by side.
pub const SLICE: usize = 32;

/// Vertices among which the order is free.
const WINDOW: usize = 1024;

/// Marks the end of a vertex' list, and slots without a vertex.
pub const NONE: u32 = u32::MAX;

/// Slots, elements and lists of a model.
pub struct Layout {
    /// Slot of each vertex of the model.
    pub slot_of: Vec<u32>,
    /// The model's vertex in each slot, [`NONE`] for padding.
    pub vertex_of: Vec<u32>,
    /// Body of each slice.
    pub slice_body: Vec<u32>,
    /// The family that each body asks for.
    pub families: Vec<Option<Family>>,
    /// Ends (slots), stiffness \[N/m\] and rest length \[m\] of each spring, the latter two as bits.
    pub springs: Vec<[u32; 4]>,
    /// Corners (slots) of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
    /// Stiffness a and rest value w0 of each tetrahedron; a is negative, or −0, for the thesis form of Echtler 2004.
    pub volumes: Vec<[f32; 2]>,
    /// Corners (slots) of each hinge.
    pub hinges: Vec<[u32; 4]>,
    /// How each hinge resists bending, in two vectors.
    pub hinge: Vec<[[f32; 4]; 2]>,
}

impl Layout {
    /// Lays a model out.
    pub fn new(model: &Model) -> Self {
        let (slot_of, vertex_of, slice_body) = slots(model);
        let slot = |v: u32| slot_of[v as usize];
        let springs = (0..model.springs.len())
            .map(|s| {
                let [i, j] = model.springs[s];
                let [k, rest] = spring_coefficients(model, s);
                [slot(i), slot(j), k.to_bits(), rest.to_bits()]
            })
            .collect();
        let tets = model.tets.iter().map(|t| t.map(slot)).collect();
        let volumes = (0..model.tets.len()).map(|t| volume_coefficients(model, t)).collect();
        let hinges = model.hinges.iter().map(|h| h.map(slot)).collect();
        let hinge = model.hinge.iter().map(Hinge::words).collect();
        let families = model.bodies.iter().map(|b| b.family).collect();
        Self { slot_of, vertex_of, slice_body, families, springs, tets, volumes, hinges, hinge }
    }

    /// The body that has a slot.
    pub fn body_of(&self, slot: u32) -> usize {
        self.slice_body[slot as usize / SLICE] as usize
    }

    /// Slots of a body, padding included.
    pub fn body_slots(&self, body: u32) -> Range<usize> {
        let slices = &self.slice_body;
        let first = slices.partition_point(|&b| b < body);
        let end = slices.partition_point(|&b| b <= body);
        first * SLICE..end * SLICE
    }

    /// Number of slots, a multiple of [`SLICE`].
    pub fn slot_count(&self) -> usize {
        self.vertex_of.len()
    }

    /// Springs at each vertex: `2·spring + end`.
    pub fn spring_lists(&self) -> Lists {
        let ends = self
            .springs
            .iter()
            .enumerate()
            .flat_map(|(s, spring)| [0, 1].map(|end| (spring[end], 2 * s as u32 + end as u32)));
        Lists::new(self.slot_count(), ends)
    }

    /// Tetrahedra at each vertex: `4·tet + corner`.
    pub fn tet_lists(&self) -> Lists {
        let corners = self.tets.iter().enumerate().flat_map(|(t, tet)| {
            [0, 1, 2, 3].map(|corner| (tet[corner], 4 * t as u32 + corner as u32))
        });
        Lists::new(self.slot_count(), corners)
    }

    /// Hinges at each vertex: `4·hinge + corner`.
    pub fn hinge_lists(&self) -> Lists {
        let corners = self.hinges.iter().enumerate().flat_map(|(h, hinge)| {
            [0, 1, 2, 3].map(|corner| (hinge[corner], 4 * h as u32 + corner as u32))
        });
        Lists::new(self.slot_count(), corners)
    }

    /// Stored forces to add at each vertex: `2·part + sign`. Spring `s` stores part `s`, which its
    /// second end takes with the opposite sign; corner `c` of tetrahedron `t` has part
    /// `springs + 4t + c`.
    pub fn part_lists(&self) -> Lists {
        let springs = self.springs.len() as u32;
        let ends = self
            .springs
            .iter()
            .enumerate()
            .flat_map(|(s, spring)| [(spring[0], 2 * s as u32), (spring[1], 2 * s as u32 + 1)]);
        let corners = self.tets.iter().enumerate().flat_map(|(t, tet)| {
            [0, 1, 2, 3].map(|c| (tet[c], 2 * (springs + 4 * t as u32 + c as u32)))
        });
        Lists::new(self.slot_count(), ends.chain(corners))
    }

    /// Number of stored forces, see [`Layout::part_lists`].
    pub fn part_count(&self) -> usize {
        self.springs.len() + 4 * self.tets.len()
    }

    /// Most elements at one vertex.
    pub fn max_valence(&self) -> u32 {
        self.valences().iter().map(|[springs, tets]| springs + tets).max().unwrap_or(0)
    }

    /// How long the lists would be, without making them only to be compared.
    pub fn list_lengths(&self) -> ListLengths {
        let valences = self.valences();
        let length = |of: fn(&[u32; 2]) -> u32| {
            let slices = valences.chunks(SLICE);
            slices.len() + 1 + slices.map(|slice| slice_length(slice.iter().map(of))).sum::<usize>()
        };
        ListLengths {
            springs: length(|&[springs, _]| springs),
            tets: length(|&[_, tets]| tets),
            parts: length(|&[springs, tets]| springs + tets),
        }
    }

    /// Springs and tetrahedra at each slot.
    fn valences(&self) -> Vec<[u32; 2]> {
        let mut count = vec![[0; 2]; self.slot_count()];
        self.springs.iter().flat_map(|s| &s[..2]).for_each(|&v| count[v as usize][0] += 1);
        self.tets.iter().flatten().for_each(|&v| count[v as usize][1] += 1);
        count
    }
}

/// Words of the lists of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLengths {
    /// Of [`Layout::spring_lists`].
    pub springs: usize,
    /// Of [`Layout::tet_lists`].
    pub tets: usize,
    /// Of [`Layout::part_lists`].
    pub parts: usize,
}

/// Words of the lists of a slice, from the entries at each of its slots: all are as long as the
/// longest.
fn slice_length(entries: impl Iterator<Item = u32>) -> usize {
    SLICE * entries.max().unwrap_or(0) as usize
}

/// Lists per slot: where each slice begins, one more for the end, then the entries; entry `k` of
/// lane `l` of a slice is at `start + 32·k + l`.
pub struct Lists {
    /// Starts and entries, as kernels read them.
    pub words: Vec<u32>,
    /// Entries that are not padding.
    pub filled: usize,
}

impl Lists {
    /// Lists of what is given as pairs of a slot and an entry, in that order.
    pub fn new(slot_count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut count = vec![0u32; slot_count];
        let mut filled = 0;
        for (slot, _) in entries.clone() {
            count[slot as usize] += 1;
            filled += 1;
        }
        let slices = slot_count / SLICE;
        let mut words = Vec::with_capacity(slices + 1 + filled + filled / 8);
        let mut start = slices + 1;
        for slice in count.chunks(SLICE) {
            words.push(start as u32);
            start += slice_length(slice.iter().copied());
        }
        words.push(start as u32);
        words.resize(start, NONE);
        count.fill(0);
        for (slot, entry) in entries {
            let (slice, lane) = (slot as usize / SLICE, slot as usize % SLICE);
            let k = &mut count[slot as usize];
            let at = words[slice] as usize + SLICE * *k as usize + lane;
            words[at] = entry;
            *k += 1;
        }
        Self { words, filled }
    }
}

/// Slot of each vertex, vertex of each slot, body of each slice.
fn slots(model: &Model) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut work = vec![[0u32; 2]; model.vertex_count()];
    model.tets.iter().flatten().for_each(|&v| work[v as usize][0] += 1);
    model.springs.iter().flatten().for_each(|&v| work[v as usize][1] += 1);
    let mut slot_of = vec![0u32; model.vertex_count()];
    let (mut vertex_of, mut slice_body) = (Vec::new(), Vec::new());
    for (b, body) in model.bodies.iter().enumerate() {
        let vertices: Vec<u32> = body.vertices.clone().collect();
        for window in vertices.chunks(WINDOW) {
            let mut sorted = window.to_vec();
            sorted.sort_by_key(|&v| std::cmp::Reverse(work[v as usize]));
            for v in sorted {
                slot_of[v as usize] = vertex_of.len() as u32;
                vertex_of.push(v);
            }
        }
        vertex_of.resize(vertex_of.len().next_multiple_of(SLICE), NONE);
        slice_body.resize(vertex_of.len() / SLICE, b as u32);
    }
    (slot_of, vertex_of, slice_body)
}

/// Relative change of a rest value that only takes out rounding.
const NEAR: f32 = 1e-5;

/// Stiffness and rest length of a spring. The rest length is what the kernel's formula gives at the
/// rest positions, so that rest is exactly rest where a device rounds as we do.
fn spring_coefficients(model: &Model, spring: usize) -> [f32; 2] {
    let ([i, j], [k, k_rest]) = (model.springs[spring], model.spring[spring]);
    let wanted = if k == 0.0 { 0.0 } else { (f64::from(k_rest) / f64::from(k)) as f32 };
    let l = difference(model.rest[j as usize], model.rest[i as usize]);
    [k, snap_to_measured(wanted, dot(l, l).sqrt())]
}

/// Stiffness and rest value of a tetrahedron, likewise.
fn volume_coefficients(model: &Model, tet: usize) -> [f32; 2] {
    let [a, b] = model.volume[tet];
    let wanted = if a == 0.0 { 0.0 } else { (f64::from(b) / f64::from(a)) as f32 };
    let x = model.tets[tet].map(|v| model.rest[v as usize]);
    let l = [1, 2, 3].map(|i| difference(x[i], x[0]));
    let rest = snap_to_measured(wanted, dot(cross(l[0], l[1]), l[2]));
    match model.forms[tet] {
        VolumeForm::Energy => [a.abs(), rest],
        VolumeForm::Thesis => [-a.abs(), rest],
    }
}

/// The measured value where it differs from the wanted one only by rounding.
pub(crate) fn snap_to_measured(wanted: f32, measured: f32) -> f32 {
    if (measured - wanted).abs() <= NEAR * wanted.abs() { measured } else { wanted }
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
