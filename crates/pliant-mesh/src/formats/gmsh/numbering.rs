//! Numbers of nodes and elements, which may come in any order and with gaps.

use std::collections::HashMap;

/// Finds the index of a node or element by its number. Most files count without gaps, where this is a
/// subtraction; the first gap turns it into a table.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    first: i64,
    count: u32,
    table: Option<HashMap<i64, u32>>,
}

impl Numbering {
    /// Assigns the next index to `number`; returns `false` when it was given before.
    pub fn add(&mut self, number: i64) -> bool {
        let index = self.count;
        if index == 0 {
            self.first = number;
        }
        self.count += 1;
        let first = self.first;
        match &mut self.table {
            None if first.checked_add(index.into()) == Some(number) => true,
            None => {
                let so_far = (0..index).map(|i| (first + i64::from(i), i));
                let table = self.table.insert(so_far.collect());
                table.insert(number, index).is_none()
            }
            Some(table) => table.insert(number, index).is_none(),
        }
    }

    /// The index that `number` was given.
    pub fn index(&self, number: i64) -> Option<u32> {
        match &self.table {
            None => u32::try_from(number.checked_sub(self.first)?).ok().filter(|&i| i < self.count),
            Some(table) => table.get(&number).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_disorder_are_followed() {
        let mut numbers = Numbering::default();
        assert_eq!(numbers.index(0), None);
        for n in [5, 6, 7, 20, 1] {
            assert!(numbers.add(n));
        }
        assert_eq!(
            [5, 7, 20, 1, 8].map(|n| numbers.index(n)),
            [Some(0), Some(2), Some(3), Some(4), None]
        );
        assert!(!numbers.add(6));
    }

    #[test]
    fn the_largest_number_is_no_trap() {
        let mut numbers = Numbering::default();
        assert!(numbers.add(i64::MAX));
        assert!(!numbers.add(i64::MAX));
        assert!(numbers.add(1));
        assert_eq!((numbers.index(1), numbers.index(-5)), (Some(2), None));
    }
}
