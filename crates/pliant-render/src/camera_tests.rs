use super::*;

fn camera() -> Camera {
    Camera {
        eye: [3.0, -5.0, 2.0],
        target: [0.2, 0.1, 0.4],
        up: [0.0, 0.0, 1.0],
        field_of_view: 0.7,
    }
}

fn unit_box() -> Bounds {
    Bounds { min: [-1.0, -2.0, 0.0], max: [1.5, 2.0, 0.5] }
}

#[test]
fn a_point_is_on_the_ray_through_its_pixel() {
    let origin = [100.0, -3.0, 7.0];
    let mut camera = camera();
    for k in 0..3 {
        camera.eye[k] += origin[k];
        camera.target[k] += origin[k];
    }
    let projection = camera.projection(origin, 640, 400).unwrap();
    for p in [[0.2, 0.1, 0.4], [1.0, 0.5, -0.3], [-2.0, 3.0, 1.5]] {
        let [x, y, depth] = projection.pixel(p).unwrap();
        let (eye, ray) = projection.ray(x.into(), y.into());
        let (eye, ray) = (Vec3::from(eye), Vec3::from(ray));
        let to_p = Vec3f::from(p).to_f64() - eye;
        assert!((to_p.cross(ray)).length() < 1e-5 * to_p.length(), "{p:?}");
        let along = to_p.dot(projection.basis().forward);
        assert!((along - f64::from(depth)).abs() < 1e-5 * along);
    }
    // The target is in the middle.
    let [x, y, _] = projection.pixel([0.2, 0.1, 0.4]).unwrap();
    assert!((x - 320.0).abs() < 1e-3 && (y - 200.0).abs() < 1e-3, "{x}, {y}");
}

#[test]
fn right_is_right_and_up_is_up() {
    let projection = camera().projection([0.0; 3], 640, 400).unwrap();
    let middle = projection.pixel([0.2, 0.1, 0.4]).unwrap();
    let higher = projection.pixel([0.2, 0.1, 0.9]).unwrap();
    // Seen from (3, −5), +x lies to the right.
    let further = projection.pixel([0.7, 0.1, 0.4]).unwrap();
    assert!(higher[1] < middle[1] - 10.0 && (higher[0] - middle[0]).abs() < 1e-2);
    assert!(further[0] > middle[0] + 10.0);
    assert!(projection.pixel([5.8, -10.1, 3.6]).is_none(), "behind the camera");
}

#[test]
fn the_field_of_view_reaches_from_edge_to_edge() {
    let camera =
        Camera { eye: [0.0, -2.0, 0.0], target: [0.0; 3], up: [0.0, 0.0, 1.0], field_of_view: 1.0 };
    let projection = camera.projection([0.0; 3], 300, 200).unwrap();
    let top = 2.0 * 0.5f32.tan();
    let [x, y, w] = projection.pixel([0.0, 0.0, top]).unwrap();
    assert!((x - 150.0).abs() < 1e-3 && y.abs() < 1e-3 && (w - 2.0).abs() < 1e-6);
    // Pixels are square.
    let [x, ..] = projection.pixel([top, 0.0, 0.0]).unwrap();
    assert!((x - 250.0).abs() < 1e-3);
}

#[test]
fn graphics_hardware_gets_the_same_mapping() {
    let projection = camera().projection([0.0; 3], 640, 400).unwrap();
    let matrix = projection.clip_matrix();
    for p in [[0.2f32, 0.1, 0.4], [1.0, 0.5, -0.3], [-2.0, 3.0, 1.5]] {
        let clip: [f32; 4] = std::array::from_fn(|r| {
            matrix[0][r] * p[0] + matrix[1][r] * p[1] + matrix[2][r] * p[2] + matrix[3][r]
        });
        let [x, y, w] = projection.pixel(p).unwrap();
        assert!(((clip[0] / clip[3] + 1.0) * 320.0 - x).abs() < 1e-2);
        assert!(((1.0 - clip[1] / clip[3]) * 200.0 - y).abs() < 1e-2);
        assert!((clip[2] / clip[3] - projection.near() / w).abs() < 1e-6);
    }
}

#[test]
fn framing_shows_everything_and_wastes_nothing() {
    for direction in [[1.0, -2.0, 1.0], [0.0, -1.0, 0.0], [-3.0, 0.5, -0.2], [0.0, 0.0, 1.0]] {
        for aspect in [0.5, 1.0, 2.0] {
            let camera = Camera::framing(unit_box(), direction, aspect);
            let (width, height) = ((1000.0 * aspect) as u32, 1000);
            let projection = camera.projection([0.0; 3], width, height).unwrap();
            // How far the corners reach from the middle: 1 at the edge of the picture.
            let reach = unit_box().corners().into_iter().fold(0.0, |most: f32, c| {
                let [x, y, _] = projection.pixel(c.map(|c| c as f32)).unwrap();
                let to_edge = |p: f32, size: u32| (2.0 * p / size as f32 - 1.0).abs();
                most.max(to_edge(x, width)).max(to_edge(y, height))
            });
            assert!((0.899..0.901).contains(&reach), "{direction:?}, {aspect}: {reach}");
        }
    }
}

#[test]
fn moving_round_keeps_the_distance_and_stops_at_the_poles() {
    let mut camera = camera();
    let distance = camera.distance();
    let height = camera.eye[2];
    camera.orbit(1.1, 0.0);
    assert!((camera.distance() - distance).abs() < 1e-9 && (camera.eye[2] - height).abs() < 1e-9);
    camera.orbit(0.0, 100.0);
    assert!((camera.distance() - distance).abs() < 1e-9);
    let arm = camera.eye[2] - camera.target[2];
    assert!((arm / distance - POLE.cos()).abs() < 1e-9);
    camera.zoom(4.0);
    assert!((camera.distance() - distance / 4.0).abs() < 1e-9);
    camera.zoom(f64::NAN);
    assert!((camera.distance() - distance / 4.0).abs() < 1e-9);
}

#[test]
fn panning_shifts_the_picture() {
    let mut camera = camera();
    let target = camera.target.map(|c| c as f32);
    camera.pan(0.25, -0.1);
    let projection = camera.projection([0.0; 3], 640, 400).unwrap();
    let [x, y, _] = projection.pixel(target).unwrap();
    assert!((x - (320.0 + 100.0)).abs() < 1e-2 && (y - (200.0 + 40.0)).abs() < 1e-2, "{x}, {y}");
}

#[test]
fn cameras_that_see_nothing_are_refused() {
    let good = camera();
    let bad = [
        Camera { eye: [f64::NAN, 0.0, 0.0], ..good },
        Camera { eye: good.target, ..good },
        Camera { field_of_view: 0.0, ..good },
        Camera { field_of_view: 4.0, ..good },
    ];
    for camera in bad {
        let error = camera.projection([0.0; 3], 10, 10).unwrap_err();
        assert!(matches!(error, RenderError::Camera { .. }), "{error}");
    }
    // Looking along `up` is fine.
    let down = Camera { eye: [0.2, 0.1, 9.0], ..good };
    assert!(down.projection([0.0; 3], 10, 10).is_ok());
    let empty = Bounds { min: [1.0; 3], max: [1.0; 3] };
    assert!(Camera::framing(empty, [0.0; 3], 0.0).projection([0.0; 3], 10, 10).is_ok());
}
