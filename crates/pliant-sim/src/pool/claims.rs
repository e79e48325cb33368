//! Who does which block: workers claim the blocks of a pass one by one.
//!
//! Every worker has a contiguous share, so that each core keeps its own blocks in its cache, and takes
//! from its front. Who is done takes from the backs of the others' shares: a worker that the machine has
//! put aside holds up the others only with the block that it is at. A claim is one compare-and-swap on
//! a word that its owner has for itself most of the time.
//!
//! Nothing is reset between passes. A word says for which pass it counts; one of an earlier pass means
//! that nothing of the share was taken yet. So a worker that comes late, even in the middle of a claim,
//! finds either a word of its own pass with nothing left, or one of a later pass.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most claims of one share in a pass: what fits into half of half a word.
const MOST: usize = u16::MAX as usize;

/// Where the workers are: which pass is open, and for how many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Number of the pass; it comes again after 2³² others, and a worker would have to sleep through
    /// exactly that many to take one for the other.
    pub pass: u32,
    /// How many workers take part, at least one.
    pub workers: u16,
    /// Whether there is work: if not, a pass of this number will be opened one day.
    pub is_open: bool,
}

impl Turn {
    pub fn pack(self) -> u64 {
        u64::from(self.pass) << 32 | u64::from(self.workers) << 1 | u64::from(self.is_open)
    }

    pub fn unpack(word: u64) -> Self {
        Self { pass: (word >> 32) as u32, workers: (word >> 1) as u16, is_open: word & 1 == 1 }
    }
}

/// How the blocks of a pass are shared out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    blocks: usize,
    workers: usize,
    /// Blocks per claim: one, unless there are more than can be counted.
    grain: usize,
}

impl Shares {
    pub fn new(blocks: usize, workers: usize) -> Self {
        Self { blocks, workers, grain: blocks.div_ceil(workers * MOST).max(1) }
    }

    /// How many claims there are in a pass.
    pub fn count(&self) -> usize {
        self.blocks.div_ceil(self.grain)
    }

    /// The claims that are a worker's own.
    fn of(&self, worker: usize) -> Range<usize> {
        let count = self.count();
        worker * count / self.workers..(worker + 1) * count / self.workers
    }

    /// The blocks of a claim.
    fn blocks(&self, claim: usize) -> Range<usize> {
        claim * self.grain..((claim + 1) * self.grain).min(self.blocks)
    }
}

/// From which end of a share to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As its owner does.
    Front,
    /// As everybody else does.
    Back,
}

/// What was taken of one worker's share; on a cache line, and its neighbour, of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Taken(AtomicU64);

impl Taken {
    /// Takes what comes next at one end of the share of `owner`; `None` when there is nothing left, or
    /// when the pass is over. `turn` is where the workers are now.
    ///
    /// Whoever gets something can be sure that the pass does not end before it is done.
    pub fn take(
        &self,
        turn: &AtomicU64,
        mine: Turn,
        shares: &Shares,
        owner: usize,
        end: End,
    ) -> Option<Range<usize>> {
        let own = shares.of(owner);
        // Acquire, and release below: who sees what somebody took in a later pass also sees that there
        // is a later pass.
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let (front, back) = match (word >> 32) as u32 == mine.pass {
                true => ((word >> 16) as usize & MOST, word as usize & MOST),
                false if turn.load(Ordering::Relaxed) == mine.pack() => (0, 0),
                false => return None,
            };
            if front + back >= own.len() {
                return None;
            }
            let (claim, [front, back]) = match end {
                End::Front => (own.start + front, [front + 1, back]),
                End::Back => (own.end - 1 - back, [front, back + 1]),
            };
            let next = u64::from(mine.pass) << 32 | (front as u64) << 16 | back as u64;
            let swap =
                self.0.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire);
            match swap {
                Ok(_) => return Some(shares.blocks(claim)),
                Err(other) => word = other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_packed_and_unpacked() {
        for turn in [
            Turn { pass: 0, workers: 1, is_open: false },
            Turn { pass: u32::MAX, workers: u16::MAX >> 1, is_open: true },
        ] {
            assert_eq!(Turn::unpack(turn.pack()), turn);
        }
    }

    #[test]
    fn shares_cover_all_blocks_once() {
        for blocks in [1, 2, 7, 1000, 3 * MOST, 3 * MOST + 1, 10 * MOST + 17] {
            for workers in [1, 2, 3, 16] {
                let shares = Shares::new(blocks, workers);
                let claims = (0..workers).flat_map(|w| shares.of(w));
                let all: Vec<usize> = claims.flat_map(|c| shares.blocks(c)).collect();
                assert_eq!(all, (0..blocks).collect::<Vec<_>>(), "{workers} workers");
                assert!((0..workers).all(|w| shares.of(w).len() <= MOST));
            }
        }
    }

    #[test]
    fn both_ends_meet_and_a_later_pass_begins_anew() {
        let (taken, shares) = (Taken::default(), Shares::new(10, 2));
        let mut mine = Turn { pass: 7, workers: 2, is_open: true };
        let turn = AtomicU64::new(mine.pack());
        let take = |mine, end| taken.take(&turn, mine, &shares, 1, end).map(|r| r.start);
        let order = [End::Front, End::Back, End::Back, End::Front, End::Back];
        assert_eq!(order.map(|end| take(mine, end)), [5, 9, 8, 6, 7].map(Some));
        assert_eq!([End::Front, End::Back].map(|end| take(mine, end)), [None; 2]);
        let late = mine;
        mine.pass += 1;
        turn.store(mine.pack(), Ordering::Relaxed);
        assert_eq!(take(late, End::Front), None, "the word is still that of the pass before");
        assert_eq!(take(mine, End::Front), Some(5));
        assert_eq!(take(late, End::Back), None, "this pass is not for those who are late");
        assert_eq!(take(mine, End::Back), Some(9));
    }
}
