//! In which substeps searches are recorded.
//!
//! Most substeps need none, and a search that is not needed still is a dozen kernels that return at once. Where
//! searches are rare, they are recorded, and done, every so many substeps, a little more often than needed; a substep
//! that needs one all the same waits for the host. Candidates are a cache, so this changes no bit.

use super::setup::{MAY_SEARCH, SEARCHES_ANYWAY, WAITS};

/// How an evaluation searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searching {
    /// If somebody has left their skin.
    IfStale,
    /// Whoever has moved.
    Anyway,
    /// Not: if somebody has left their skin, it waits for the host.
    Waits,
}

impl Searching {
    pub fn mode(self) -> u32 {
        match self {
            Self::IfStale => MAY_SEARCH,
            Self::Anyway => SEARCHES_ANYWAY,
            Self::Waits => WAITS,
        }
    }
}

/// Substeps between two searches from which on they are rare.
const RARE: u64 = 16;
/// Most substeps between two that are recorded.
const MOST: u64 = 64;

/// When searches are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Every so many substeps, where they are rare.
    every: Option<u64>,
}

impl Schedule {
    /// Learns from so many substeps, in which so many searches were done.
    pub fn note(&mut self, substeps: u64, searches: u64, is_missed: bool) {
        self.every = match self.every {
            _ if is_missed => None,
            None if substeps / searches.max(1) >= RARE => Some(RARE / 2),
            // No search came too late, so that there may be fewer.
            Some(every) if substeps >= every => Some((every + every / 4).min(MOST)),
            other => other,
        };
    }

    /// How evaluation number `evaluation` of substep number `substep` of a submission searches.
    pub fn at(&self, substep: u64, evaluation: u32) -> Searching {
        match self.every {
            None => Searching::IfStale,
            Some(every) if evaluation == 0 && substep.is_multiple_of(every) => Searching::Anyway,
            Some(_) => Searching::Waits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_recorded_rarely_while_none_comes_too_late() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.at(3, 1), Searching::IfStale);
        schedule.note(64, 10, false);
        assert_eq!(schedule.at(3, 0), Searching::IfStale, "they are needed often");
        schedule.note(64, 1, false);
        assert_eq!([schedule.at(0, 0), schedule.at(8, 0)], [Searching::Anyway; 2]);
        assert_eq!([schedule.at(0, 1), schedule.at(7, 0)], [Searching::Waits; 2]);
        (0..99).for_each(|_| schedule.note(64, 8, false));
        assert_eq!([schedule.at(32, 0), schedule.at(64, 0)], [Searching::Waits, Searching::Anyway]);
        schedule.note(5, 1, true);
        assert_eq!(schedule.at(5, 0), Searching::IfStale);
    }
}
