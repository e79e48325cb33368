//! How much nearer primitives of bodies can come.

use super::ahead::Ahead;
use super::candidates::Candidates;
use super::drift::{common, distance};
use super::given::GivenSurfaces;
use crate::contact::owners::Whose;
use crate::stages::contact::layout::Layout;

/// By how much surfaces can come nearer in the substep, and have come nearer since the search, at most: bounds for all
/// pairs of two bodies, from how vertices move beside their bodies and bodies beside all others.
#[derive(Default)]
pub(super) struct Approach {
    /// By body: what one of its primitives adds to the approach of a pair within it \[m\].
    within: Vec<Way>,
    /// By body: what one of its primitives adds to the approach of a pair with another body \[m\].
    between: Vec<Way>,
    /// What two primitives have come nearer since the search at most, within any body and between any two \[m\].
    most: [f32; 2],
}

/// \[m\]
#[derive(Clone, Copy, Default)]
struct Way {
    in_substep: f32,
    /// That of the substep included.
    since_search: f32,
}

/// For what rounding took from sums of these.
const ROUNDING: f32 = 1.0001;

impl Approach {
    pub fn new(body_count: usize) -> Self {
        let none = || vec![Way::default(); body_count];
        Self { within: none(), between: none(), most: [0.0; 2] }
    }

    /// Takes over what is known of the substep.
    pub fn look_ahead(&mut self, ahead: &Ahead, given: &GivenSurfaces, layout: &Layout) {
        let (h, of_bodies) = (ahead.h(), ahead.of_bodies());
        let all = common(layout, of_bodies);
        for (body, (within, between)) in self.within.iter_mut().zip(&mut self.between).enumerate() {
            let (own, of_body) = match of_bodies.get(body) {
                Some(&velocity) => (ahead.way_beside_body(body), h * distance(velocity, all)),
                None => (given.longest_way, 0.0),
            };
            within.in_substep = ROUNDING * own;
            between.in_substep = ROUNDING * (own + of_body);
        }
    }

    /// Takes over what has been since the searches.
    pub fn look_back(&mut self, candidates: &Candidates, layout: &Layout) {
        let way = &candidates.drift.way;
        let all = common(layout, way);
        for (body, (within, between)) in self.within.iter_mut().zip(&mut self.between).enumerate() {
            let moved = candidates.within.farthest(body);
            within.since_search = within.in_substep + ROUNDING * moved;
            let moved = candidates.between.farthest(body) + distance(way[body], all);
            between.since_search = between.in_substep + ROUNDING * moved;
        }
        // What is not a number is more than any other: nobody sleeps then.
        let most = |ways: &[Way]| {
            let ways = ways.iter().map(|way| way.since_search);
            ways.fold(0.0, |most: f32, way| if way <= most || most.is_nan() { most } else { way })
        };
        self.most = [&self.within, &self.between].map(|ways| 2.0 * most(ways));
    }

    /// What [`Self::since_search`] says at most of any pair of one body or of two \[m\].
    pub fn most_since_search(&self, whose: Whose) -> f32 {
        self.most[whose as usize]
    }

    /// What one primitive of a body adds to the approach of a pair in the substep, within the body or with another one
    /// \[m\].
    pub fn of(&self, whose: Whose, body: usize) -> f32 {
        match whose {
            Whose::OneBody => self.within[body].in_substep,
            Whose::TwoBodies => self.between[body].in_substep,
        }
    }

    /// By how much two primitives of these bodies come nearer in the substep at most \[m\].
    #[inline]
    pub fn in_substep(&self, [a, b]: [u32; 2]) -> f32 {
        let [a, b] = [a as usize, b as usize];
        let ways = if a == b { &self.within } else { &self.between };
        ways[a].in_substep + ways[b].in_substep
    }

    /// The same since the search, at the end of the substep \[m\].
    #[inline]
    pub fn since_search(&self, [a, b]: [u32; 2]) -> f32 {
        let [a, b] = [a as usize, b as usize];
        let ways = if a == b { &self.within } else { &self.between };
        ways[a].since_search + ways[b].since_search
    }
}
