//! Colliders: what stands, slides, bounces, is carried and pushed, on every backend.

mod carried;
mod implicit;
mod same;
mod suite;
#[path = "../support/mod.rs"]
mod support;

/// Makes a test of every statement named of a module, on both kinds of backends.
macro_rules! suite {
    ($module:ident: $($statement:ident),* $(,)?) => {
        mod cpu {
            $(#[test]
            fn $statement() {
                crate::$module::$statement(&crate::support::On::cpu());
            })*
        }
        #[cfg(feature = "gpu")]
        mod gpu {
            $(#[test]
            fn $statement() {
                if let Some(on) = crate::support::On::gpu("colliders") {
                    crate::$module::$statement(&on);
                }
            })*
        }
    };
}

suite!(
    suite:
    a_block_stands_on_a_slope_that_friction_holds,
    a_block_slides_down_a_slope_as_coulomb_says,
    a_ball_bounces_as_high_as_restitution_says,
    contacts_carry_the_weight_of_what_rests,
    what_rests_is_seen_to_rest,
    what_a_lift_carries_moves_as_the_lift_does,
    a_plate_carries_what_sticks_to_it,
    a_plate_pushes_what_is_in_its_way,
    a_spinning_cylinder_drags_what_lies_on_it,
    a_ball_rolls_down_a_height_map,
    a_hollow_sphere_holds_a_body,
    a_wedge_of_two_planes_holds_a_body,
    every_integrator_is_stopped,
    what_is_carried_pushes_and_takes_along,
    what_is_carried_has_the_same_bits,
    what_is_moved_at_once_has_no_velocity,
);

/// The same in implicit steps.
mod implicitly {
    suite!(
        implicit:
        a_block_stands_on_a_slope_that_friction_holds,
        a_block_slides_down_a_slope_as_coulomb_says,
        colliders_carry_the_weight_of_what_rests,
        what_falls_on_colliders_gains_no_energy_and_stays_outside,
        a_plate_pushes_and_carries,
        a_hollow_box_holds_a_body_in_its_corner,
        walls_and_colliders_stop_a_body_together,
        a_sheet_bounces_as_restitution_says,
        steps_may_become_implicit,
        newtons_iterations_run_on_processors,
    );
}
