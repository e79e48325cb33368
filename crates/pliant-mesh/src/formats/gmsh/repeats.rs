//! Elements that versions 1 and 2 list once for every physical group they are in.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::builder::Cell;

/// Joins elements that differ only in their physical group: keeps the first of each, with the cell
/// it came from, and gives the further groups as pairs of element and physical tag.
pub(super) fn join_repeats<const N: usize>(
    elements: &mut Vec<[u32; N]>,
    cells_of: &mut Vec<u32>,
    cells: &[Cell],
) -> Vec<(u32, i32)> {
    let mut further = Vec::new();
    let physical = |cell: u32| cells[cell as usize].physical;
    let mut tags = cells_of.iter().map(|&c| physical(c)).filter(|&p| p != 0);
    let first_tag = tags.next();
    if tags.all(|p| Some(p) == first_tag) {
        // With a single group nothing can be listed for a second one.
        return further;
    }
    let mut known: HashMap<[u32; N], u32> = HashMap::with_capacity(elements.len());
    let mut kept = 0;
    for i in 0..elements.len() {
        let (element, cell) = (elements[i], cells_of[i]);
        match known.entry(element) {
            Entry::Occupied(first) => {
                let first = *first.get();
                let here = physical(cell);
                let there = physical(cells_of[first as usize]);
                if here != 0 && there != 0 && here != there {
                    further.push((first, here));
                    continue;
                }
            }
            Entry::Vacant(place) => {
                place.insert(kept);
            }
        }
        elements[kept as usize] = element;
        cells_of[kept as usize] = cell;
        kept += 1;
    }
    elements.truncate(kept as usize);
    cells_of.truncate(kept as usize);
    further
}
