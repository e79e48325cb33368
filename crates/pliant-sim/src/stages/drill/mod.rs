//! A stage for tests alone: a list that is too small.
//!
//! Every substep puts some entries into a list, in the first pass, and asks for room when the list is
//! full. Nothing reads them, so a run with it must end as one without does, bit by bit. It is the
//! smallest stage that fills a list, and the pattern for others that do.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::step::Advance;

/// More entries than any memory holds.
pub const ENDLESS: u64 = 1 << 50;

/// How many entries substeps put into the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drill {
    /// Other numbers pause other substeps.
    pub seed: u64,
    /// The step from which on it asks for more than there is.
    pub endless_from: Option<u64>,
}

impl Drill {
    /// The entries of substep `i` of a stretch: more and more in the course of a run, in leaps that look
    /// random. They follow from where in the run the substep is, and not from how the run is cut.
    pub fn entries(&self, job: &Advance<'_>, i: u64) -> u64 {
        let (step, of) = (job.when(i).0, job.start.of);
        if self.endless_from.is_some_and(|first| step >= first) {
            return ENDLESS;
        }
        let number = step * of + (job.start.substep + i) % of;
        // Knuth's multiplicative hash; the high bits are the better ones.
        let hash = (number + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        1 + number * number / 16 + (hash >> 60)
    }
}
