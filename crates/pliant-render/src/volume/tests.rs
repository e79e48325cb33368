use super::*;

fn grey(level: f32) -> Colour {
    Colour([level; 3])
}

#[test]
fn colours_and_extinctions_are_straight_between_points() {
    let f = TransferFunction::new(
        vec![(1.0, grey(0.0)), (3.0, grey(1.0))],
        vec![(0.0, 2.0), (2.0, 6.0), (2.0, 1.0), (4.0, 1.0)],
    )
    .unwrap();
    assert_eq!(f.range(), [0.0, 4.0]);
    assert_eq!((f.colour(2.5).0[0], f.colour(-9.0).0[0], f.colour(9.0).0[0]), (0.75, 0.0, 1.0));
    assert_eq!((f.extinction(1.0), f.extinction(-1.0)), (4.0, 2.0));
    assert_eq!((f.extinction(2.0), f.extinction(1.75)), (1.0, 5.5), "a step");
}

#[test]
fn stretching_moves_points_and_thickness_scales_extinction() {
    let f = Preset::Rainbow.transfer().over([-100.0, 300.0]).across(0.2);
    assert_eq!(f.range(), [-100.0, 300.0]);
    let before = Preset::Rainbow.transfer();
    for t in [0.0, 0.3, 0.5, 0.9, 1.0] {
        let value = -100.0 + 400.0 * t;
        assert!((f.extinction(value) / before.extinction(t) - 5.0).abs() < 1e-4);
        assert!((f.colour(value).vec() - before.colour(t).vec()).length() < 1e-4);
    }
    for nothing in [[1.0, 1.0], [2.0, 1.0], [f32::NAN, 1.0], [0.0, f32::INFINITY]] {
        assert_eq!(before.clone().over(nothing), before);
    }
    for nothing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(before.clone().across(nothing), before, "{nothing}");
    }
}

#[test]
fn presets_for_measured_values_show_rest_as_a_veil() {
    for preset in [Preset::Rainbow, Preset::Viridis, Preset::Heat] {
        let taken = 1.0 - (-preset.transfer().extinction(0.0)).exp();
        assert!((0.1..0.5).contains(&taken), "{preset:?} takes {taken} of the light");
    }
}

#[test]
fn the_bar_of_a_radiograph_tells_values_apart() {
    let look = Look::new(Preset::XRay.transfer().over([0.0, 9.0]).across(0.2));
    let light = [0.0, 3.0, 6.0, 9.0].map(|value| look.legend_colour(value).0[0]);
    assert!(light.is_sorted_by(|a, b| *a > *b + 0.02), "{light:?}");
    assert!(light[0] > 0.95 && light[3] < 0.05, "{light:?}");
    let heat = Look::new(Preset::Heat.transfer());
    assert_eq!(heat.legend_colour(0.3), heat.transfer.colour(0.3));
}

#[test]
fn an_opacity_is_what_its_distance_takes() {
    let f = TransferFunction::from_opacities(vec![(0.0, grey(1.0))], &[(0.0, 0.3)], 0.05).unwrap();
    assert!(((-f.extinction(0.0) * 0.05).exp() - 0.7).abs() < 1e-6);
    let opaque = TransferFunction::from_opacities(vec![(0.0, grey(1.0))], &[(0.0, 1.0)], 1.0);
    assert!(opaque.is_err(), "nothing finite takes all light");
}

#[test]
fn points_that_make_no_sense_are_refused() {
    let new = |colours: &[(f32, f32)], extinctions: &[(f32, f32)]| {
        let colours = colours.iter().map(|&(v, c)| (v, grey(c))).collect();
        TransferFunction::new(colours, extinctions.to_vec()).map_err(|e| e.to_string())
    };
    let good = [(0.0, 1.0)];
    assert!(new(&good, &good).is_ok());
    assert!(new(&[], &good).unwrap_err().contains("at least one point of colour"));
    for bad in [[(0.0, 1.0), (-1.0, 1.0)], [(0.0, 1.0), (f32::NAN, 1.0)], [(0.0, 1.0), (1.0, -1.0)]]
    {
        assert!(new(&good, &bad).unwrap_err().starts_with("point 1 of extinction has"));
        assert!(new(&bad, &good).unwrap_err().starts_with("point 1 of colour has"));
    }
    assert!(new(&good, &[(0.0, 1.0); MAX_POINTS_AND_ONE]).unwrap_err().contains("too many"));
}

const MAX_POINTS_AND_ONE: usize = transfer::MAX_POINTS + 1;

#[test]
fn presets_are_for_values_from_0_to_1() {
    for preset in Preset::ALL {
        assert_eq!(preset.transfer().range(), [0.0, 1.0], "{preset:?}");
    }
}

#[test]
fn values_in_the_narrowest_ranges_have_places() {
    for high in [1.0, 1e-30, 1e-36, f32::MIN_POSITIVE, 1e-45] {
        let transfer = Preset::Rainbow.transfer().over([0.0, high]);
        let table = table::Table::new(&Look::new(transfer));
        let [low, top] = [0.0, high].map(|value| table.place(value));
        assert!(low == 0.0 && top > 0.0 && top <= 1024.01, "{high:e}: from {low} to {top}");
    }
}

#[test]
fn looks_that_make_no_sense_are_refused() {
    let good = Look::new(Preset::Tissue.transfer());
    good.check().unwrap();
    let refused = |change: &dyn Fn(&mut Look)| {
        let mut look = good.clone();
        change(&mut look);
        look.check().unwrap_err().to_string()
    };
    assert!(refused(&|l| l.opacity = -1.0).contains("opacity"));
    assert!(refused(&|l| l.opacity = f32::NAN).contains("opacity"));
    let iso = Iso { value: 0.5, colour: None, opacity: 1.0 };
    assert!(refused(&|l| l.isos = vec![iso, Iso { value: f32::NAN, ..iso }]).contains("surface 1"));
    assert!(refused(&|l| l.isos = vec![Iso { opacity: 1.5, ..iso }]).contains("surface 0"));
    let plane = Slice { point: [0.0; 3], normal: [0.0; 3], clears: false };
    assert!(refused(&|l| l.slice = Some(plane)).contains("slice"));
}
