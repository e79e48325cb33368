// How a kernel says that a list is too small, before anything of the state is written: twin of `Asked`
// in step/pause.rs. Who imports this binds `step`, and `flags` as an array of atomic<u32>.

#import pliant::step

/// Lets this substep and all later ones pass without effect, and asks the host for room for so many
/// entries in the list of the stage with this number.
fn pause(stage: u32, entries: u32) {
    atomicMin(&flags[BAD_SUBSTEP], step.substep - 1u);
    atomicMin(&flags[BAD_SLOT], PAUSED);
    atomicMax(&flags[ASKER], stage);
    atomicMax(&flags[WANTED], entries);
}
