//! Statements of physics, on every backend.

mod cloth;
mod drape;
mod shapes;
mod strain;
mod suite;
#[path = "../support/mod.rs"]
mod support;

/// Makes a test of every statement named.
macro_rules! suite {
    ($module:ident, $on:expr, $($statement:ident),* $(,)?) => {
        mod $module {
            $(#[test]
            fn $statement() {
                let on: Option<crate::support::On> = $on;
                if let Some(on) = on {
                    crate::suite::$statement(&on);
                }
            })*
        }
    };
}

suite!(
    cpu,
    Some(crate::support::On::cpu()),
    rest_stays_at_rest,
    free_fall_is_a_parabola_for_every_second_order_integrator,
    a_free_spinning_stretched_body_keeps_its_momenta,
    energy_is_kept_without_damping,
    moving_and_turning_the_scene_moves_and_turns_the_result,
    a_body_far_on_its_way_keeps_its_shape,
    a_dropped_bunny_comes_to_rest_without_inversion,
    a_stretched_irregular_bar_shows_its_youngs_modulus,
    a_pushed_body_dents_for_good_when_plastic_and_springs_back_when_not,
    bodies_with_different_volume_forces_share_a_world,
    dragging_pulls_the_grabbed_part_along,
    a_hung_cloth_is_as_stretchy_as_it_should_be,
    a_hung_strip_is_a_catenary,
    springs_against_folds_make_them_round,
    cloth_at_rest_stays_at_rest,
    long_steps_hold_cloth_as_short_ones_do,
    a_hung_sheet_is_limited_by_velocities,
    a_hung_sheet_is_limited_by_positions,
    a_hung_sheet_without_a_limit_is_rubber,
    a_limited_sheet_that_flies_keeps_its_momenta,
    matched_cubes_pile_up,
    matched_cubes_are_dragged_and_led,
    a_cloud_of_points_is_a_body,
);

// All but the bunny that takes 200,000 steps to settle, sheets that hang for 6,500, and the pile.
#[cfg(feature = "gpu")]
suite!(
    gpu,
    crate::support::On::gpu("physics"),
    rest_stays_at_rest,
    free_fall_is_a_parabola_for_every_second_order_integrator,
    a_free_spinning_stretched_body_keeps_its_momenta,
    energy_is_kept_without_damping,
    moving_and_turning_the_scene_moves_and_turns_the_result,
    a_body_far_on_its_way_keeps_its_shape,
    a_stretched_irregular_bar_shows_its_youngs_modulus,
    a_pushed_body_dents_for_good_when_plastic_and_springs_back_when_not,
    bodies_with_different_volume_forces_share_a_world,
    dragging_pulls_the_grabbed_part_along,
    a_hung_cloth_is_as_stretchy_as_it_should_be,
    a_hung_strip_is_a_catenary,
    springs_against_folds_make_them_round,
    cloth_at_rest_stays_at_rest,
    long_steps_hold_cloth_as_short_ones_do,
    a_limited_sheet_that_flies_keeps_its_momenta,
    matched_cubes_are_dragged_and_led,
    a_cloud_of_points_is_a_body,
);
