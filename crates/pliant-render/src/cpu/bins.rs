//! Which primitives may touch which tile.

use super::primitives::Id;
use super::tile::TILE;

/// A primitive on more tiles than this is looked at by every tile, so that memory stays in
/// proportion to the number of primitives.
const MANY: usize = 16;

/// Bounds of what is not seen.
pub(super) const EMPTY: [u16; 4] = [1, 1, 0, 0];

pub(super) struct Bins {
    columns: usize,
    /// Pixels that each primitive can touch.
    bounds: Vec<[u16; 4]>,
    /// Where the list of each tile starts in `entries`.
    starts: Vec<usize>,
    entries: Vec<Id>,
    large: Vec<Id>,
}

impl Bins {
    /// From the pixels that each primitive can touch, the last ones included.
    pub fn new(bounds: Vec<[u16; 4]>, width: u32, height: u32) -> Self {
        let columns = (width as usize).div_ceil(TILE);
        let tiles = columns * (height as usize).div_ceil(TILE);
        let mut starts = vec![0; tiles + 1];
        let mut large = Vec::new();
        for (id, &b) in (0..).zip(&bounds) {
            match tiles_of(b, columns) {
                Some(tiles) => tiles.for_each(|tile| starts[tile + 1] += 1),
                None => large.push(id),
            }
        }
        for tile in 0..tiles {
            starts[tile + 1] += starts[tile];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[tiles]];
        for (id, &b) in (0..).zip(&bounds) {
            for tile in tiles_of(b, columns).into_iter().flatten() {
                entries[next[tile]] = id;
                next[tile] += 1;
            }
        }
        Self { columns, bounds, starts, entries, large }
    }

    pub fn bounds(&self, id: Id) -> [u16; 4] {
        self.bounds[id as usize]
    }

    /// What may be seen in a tile.
    pub fn of_tile(&self, column: usize, row: usize) -> impl Iterator<Item = Id> {
        let tile = row * self.columns + column;
        let own = &self.entries[self.starts[tile]..self.starts[tile + 1]];
        let touches = move |id: &&Id| {
            let [left, top, right, bottom] = self.bounds(**id).map(|p| p as usize / TILE);
            (left..=right).contains(&column) && (top..=bottom).contains(&row)
        };
        self.large.iter().filter(touches).chain(own).copied()
    }
}

/// The tiles that a primitive can touch; nothing if there are too many to list.
fn tiles_of(bounds: [u16; 4], columns: usize) -> Option<impl Iterator<Item = usize>> {
    let seen = bounds[0] <= bounds[2];
    let [left, top, right, bottom] = bounds.map(|p| p as usize / TILE);
    let rows = if seen { top..bottom + 1 } else { 0..0 };
    let few = !seen || (right + 1 - left) * (bottom + 1 - top) <= MANY;
    few.then(|| rows.flat_map(move |row| (left..=right).map(move |c| row * columns + c)))
}
