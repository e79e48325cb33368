use std::path::PathBuf;

use super::*;
use crate::formats::{self, vtu::write_pvd};
use crate::shapes;

/// A sheet of four triangles whose points are moved along z.
fn sheet(z: f64) -> Mesh {
    let mut mesh = shapes::cloth([2, 1], [2.0, 1.0]).unwrap();
    mesh.points.iter_mut().for_each(|p| p[2] = z * p[0]);
    mesh
}

fn heights(series: &MeshSeries, time: f64) -> Vec<f64> {
    series.points_at(time).iter().map(|p| p[2] / p[0].max(1.0)).collect()
}

fn folder_of(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (i, name) in names.iter().enumerate() {
        formats::save(&sheet(i as f64), &folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn points_go_straight_from_frame_to_frame() {
    let mut series = MeshSeries::new(sheet(0.0), 1.0).unwrap();
    series.push(sheet(4.0), 2.0).unwrap();
    series.push(sheet(0.0), 4.0).unwrap();
    assert_eq!(series.span(), [1.0, 4.0]);
    for (time, z) in [(0.0, 0.0), (1.25, 1.0), (2.0, 4.0), (3.5, 1.0), (9.0, 0.0), (f64::NAN, 0.0)]
    {
        let points = series.points_at(time);
        assert_eq!(points, sheet(z).points, "{time}");
    }
    assert_eq!(series.mesh_at(2.0), sheet(4.0));
}

#[test]
fn numbered_files_are_a_series() {
    let folder = folder_of(&["a-8.obj", "a-9.obj", "a-10.obj"]);
    for path in [folder.path().to_owned(), folder.path().join("*.obj"), folder.path().join("a-*")] {
        let series = MeshSeries::load(&path, 0.5).unwrap();
        assert_eq!(series.times(), [0.0, 0.5, 1.0]);
        let z: Vec<f64> = series.times().iter().map(|&t| heights(&series, t)[5]).collect();
        assert_eq!(z, [0.0, 1.0, 2.0], "in the order of numbers, not of letters");
    }
}

#[test]
fn lists_have_times_of_their_own() {
    let folder = folder_of(&["b1.vtu", "b2.vtu"]);
    let mut list = Vec::new();
    write_pvd(&[(0.25, "b2.vtu"), (2.25, "b1.vtu")], &mut list).unwrap();
    std::fs::write(folder.path().join("b.pvd"), list).unwrap();
    for path in [folder.path().join("b.pvd"), folder.path().to_owned()] {
        let series = MeshSeries::load(&path, 1.0).unwrap();
        assert_eq!(series.span(), [0.25, 2.25]);
        assert_eq!(heights(&series, 1.25)[5], 0.5);
    }
}

#[test]
fn other_topologies_are_refused_with_file_and_difference() {
    let mut turned = sheet(0.0);
    turned.triangles[2].rotate_left(1);
    let finer = shapes::cloth([3, 1], [2.0, 1.0]).unwrap();
    let mut broken = sheet(0.0);
    broken.points[4][1] = f64::NAN;
    for (mesh, problem) in [
        (finer, "has 8 points, but the first frame has 6"),
        (turned, "triangle 2 joins points [4, 5, 2], but [2, 4, 5] in the first frame"),
        (broken, "point 4 is not finite"),
    ] {
        let folder = folder_of(&["c1.vtu", "c2.vtu"]);
        formats::save(&mesh, &folder.path().join("c2.vtu")).unwrap();
        let e = MeshSeries::load(folder.path(), 1.0).unwrap_err();
        assert_eq!(e.problem, problem);
        assert_eq!(e.path.unwrap(), folder.path().join("c2.vtu"));
    }
    let mut series = MeshSeries::new(sheet(0.0), 1.0).unwrap();
    for time in [1.0, 0.5, f64::NAN] {
        assert!(series.push(sheet(0.0), time).unwrap_err().problem.ends_with("must rise"));
    }
}

#[test]
fn what_is_no_series_is_refused_with_a_remedy() {
    let folder = folder_of(&["d1.obj", "e1.obj", "d1.vtu"]);
    let load = |name: &str| MeshSeries::load(folder.path().join(name), 1.0).unwrap_err();
    assert_eq!(load("").help, "Give one of them with a pattern, such as d*.obj, d*.vtu, e*.obj");
    assert_eq!(load("d1.obj").problem, "is one file, not a series");
    assert_eq!(load("x*.obj").problem, "no file has such a name");
    assert_eq!(load("*1*.obj").problem, "has more than one *");
    assert!(load("nowhere").problem.starts_with("there is no such file"));
    assert!(load("nowhere/*.obj").problem.starts_with("there is no such file"));
    assert!(load("no.pvd").problem.contains("no such file"));
    std::fs::write(folder.path().join("no.pvd"), "<VTKFile type=\"Collection\"/>").unwrap();
    assert_eq!(load("no.pvd").problem, "lists no frames");
    let e = MeshSeries::load(folder.path().join("*.obj"), 0.0).unwrap_err();
    assert!(e.help.starts_with("Give a time above 0"));
}

#[test]
fn numbers_order_frames() {
    let paths = ["a-10.vtu", "a-9.vtu", "a.vtu", "b2.vtu", "b_1.vtu"].map(PathBuf::from);
    let order = in_order(paths.to_vec());
    let names: Vec<_> = order.iter().map(|p| p.to_str().unwrap()).collect();
    assert_eq!(names, ["a-9.vtu", "a-10.vtu", "a.vtu", "b_1.vtu", "b2.vtu"]);
    assert_eq!(stem_and_number(Path::new("x/bar-00000100.vtu")), ("bar".into(), 100));
    assert_eq!(stem_and_number(Path::new("bar.vtu")), ("bar".into(), u64::MAX));
}
