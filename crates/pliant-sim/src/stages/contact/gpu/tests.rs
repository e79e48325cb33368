//! Kernels without a device.

use pliant_gpu::validate::{assert_layout, validate};

use super::setup::{Phase, Setup};

#[test]
fn kernels_are_valid_and_know_the_host_structs() {
    for description in super::descriptions() {
        let kernel =
            validate(&description).unwrap_or_else(|e| panic!("{}: {e}", description.entry));
        if kernel.struct_layout("Setup").is_some() {
            let members =
                [("counts", 0), ("places", 16), ("more", 32), ("times", 48), ("levels", 64)];
            assert_layout::<Setup>(&kernel, "Setup", &members);
        }
        let members = [("mode", 0), ("level", 4), ("evaluation", 8), ("unused", 12)];
        assert_layout::<Phase>(&kernel, "Phase", &members);
    }
}
