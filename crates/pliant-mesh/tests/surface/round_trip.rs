//! What is written comes back the same.

use std::io::Write;

use pliant_mesh::formats::{gltf_write, obj, ply, stl};
use pliant_mesh::{DataArray, Domain, Group, Mesh};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{read, volume};

type Writer = fn(&Mesh, &mut dyn Write) -> std::io::Result<()>;

fn there_and_back(mesh: &Mesh, write: Writer, name: &str) -> Mesh {
    let mut bytes = Vec::new();
    write(mesh, &mut bytes).expect("the mesh can be written");
    read(&bytes, name).unwrap_or_else(|e| panic!("{name}: {e}")).0
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e3..1e3f64,
        Just(0.0),
        Just(-0.0),
        -1e-30..1e-30f64,
        (-100i32..100).prop_map(f64::from)
    ]
}

prop_compose! {
    /// A heap of triangles with arrays and groups.
    fn heap()(points in vec([coordinate(), coordinate(), coordinate()], 3..40))
        (triangles in vec(vec(0..points.len() as u32, 3), 1..60),
         heat in vec(-1e300..1e300f64, points.len()),
         color in vec(0..256i32, 3 * points.len()),
         in_group in vec(any::<[bool; 2]>(), 60),
         points in Just(points))
    -> Mesh {
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| [t[0], t[1], t[2]]).collect();
        let group = |k: usize| Group {
            name: format!("group-{k}"),
            domain: Domain::Triangles,
            members: (0..triangles.len() as u32).filter(|&t| in_group[t as usize][k]).collect(),
        };
        let groups = (0..2).map(group).filter(|g| !g.members.is_empty()).collect();
        let color = color.into_iter().map(f64::from).collect();
        Mesh {
            point_data: vec![
                DataArray { name: "color".into(), components: 3, values: color },
                DataArray::scalar("heat", heat),
            ],
            points, triangles, groups,
            ..Mesh::default()
        }
    }
}

fn sorted(mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    groups
}

fn single(p: [f64; 3]) -> [f64; 3] {
    p.map(|x| f64::from(x as f32))
}

fn corners(mesh: &Mesh) -> Vec<[[f64; 3]; 3]> {
    super::corners(mesh).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn obj_keeps_points_colours_and_groups(mesh in heap()) {
        let back = there_and_back(&mesh, obj::write, "a.obj");
        prop_assert_eq!(&back.points, &mesh.points);
        prop_assert_eq!(&back.triangles, &mesh.triangles);
        prop_assert_eq!(back.point_array("color"), mesh.point_array("color"));
        prop_assert_eq!(sorted(back.groups), sorted(mesh.groups));
    }

    #[test]
    fn ply_keeps_points_and_arrays(mesh in heap()) {
        let back = there_and_back(&mesh, ply::write, "a.ply");
        prop_assert_eq!(back, Mesh { groups: Vec::new(), ..mesh });
    }

    #[test]
    fn stl_keeps_corners_in_single_precision(mesh in heap()) {
        let back = there_and_back(&mesh, stl::write, "a.stl");
        let expected: Vec<_> = corners(&mesh).into_iter().map(|t| t.map(single)).collect();
        prop_assert_eq!(corners(&back), expected);
        prop_assert!(back.points.len() <= mesh.points.len());
    }

    #[test]
    fn glb_keeps_points_in_single_precision(mesh in heap()) {
        let back = there_and_back(&mesh, gltf_write::write, "a.glb");
        let expected: Vec<_> = mesh.points.iter().map(|p| single(*p)).collect();
        prop_assert_eq!(&back.points, &expected);
        prop_assert_eq!(&back.triangles, &mesh.triangles);
    }
}

#[test]
fn a_volume_is_written_as_its_boundary() {
    // A cube of six tetrahedra about a diagonal, with a point in the middle of nowhere.
    let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2 & 1].map(f64::from);
    let paths = [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]];
    let mesh = Mesh {
        points: (0..8).map(corner).chain([[9.0; 3]]).collect(),
        tets: paths.iter().map(|[a, b]| [0, *a, *b, 7]).collect(),
        ..Mesh::default()
    };
    let writers: [(Writer, &str); 4] = [
        (obj::write, "a.obj"),
        (ply::write, "a.ply"),
        (stl::write, "a.stl"),
        (gltf_write::write, "a.glb"),
    ];
    for (write, name) in writers {
        let back = there_and_back(&mesh, write, name);
        assert_eq!((back.points.len(), back.triangles.len()), (8, 12), "{name}");
        assert!((volume(&back) - 1.0).abs() < 1e-12, "{name}: {}", volume(&back));
    }
}
