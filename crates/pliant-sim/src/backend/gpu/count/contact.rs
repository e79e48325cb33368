//! Contact while nothing is near: how many candidates there are nobody knows before, nor when they are searched for.

use super::{Counted, FLAGS, StageCount, Tally, VECTOR};
use crate::stages::contact::gpu::evaluation_dispatches;
use crate::step::Stage;

impl Counted {
    /// The kernels of an evaluation, each vertex of which has no rows; `is_first` in its substep.
    pub(super) fn contact(&self, is_first: bool) -> StageCount {
        let (slots, vertices) = (self.slots, VECTOR * self.slots);
        let mut tally = Tally::default();
        let sums = 1 + crate::stages::contact::ITERATIONS;
        // The vote, the prediction, all sums and what is added to forces look at the flag of every slot.
        (0..3 + sums).for_each(|_| tally.read(FLAGS[0], FLAGS[1] * slots));
        // The vote: where vertices are and were.
        tally.read(2 * vertices, 2 * vertices);
        // The prediction: velocities, what is free, forces.
        tally.read(3 * vertices, 3 * vertices);
        tally.write(vertices, vertices);
        // The first sum finds no corners and says so; the others see that.
        tally.read(4 * (slots + 1) + vertices, 8 * slots + vertices);
        tally.write(2 * vertices, 2 * vertices);
        (1..sums).for_each(|_| tally.read(vertices, vertices));
        // Forces.
        tally.read(2 * vertices, 2 * vertices);
        tally.write(vertices, vertices);
        let dispatches = evaluation_dispatches(is_first);
        StageCount { dispatches, ..tally.stage(Stage::Contact.name()) }
    }

    /// Taking the elastic forces before contact looks at them, where they are not in place already.
    pub(super) fn collected(&self) -> StageCount {
        let mut tally = Tally::default();
        tally.read(FLAGS[0], FLAGS[1] * self.slots);
        self.collect(&mut tally, self.accumulation);
        tally.write(VECTOR * self.slots, VECTOR * self.slots);
        tally.stage(Stage::Collect.name())
    }
}
