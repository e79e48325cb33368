//! What is written is read back the same.

use super::*;
use crate::formats::vtu::{VtuFrame, write, write_frame, write_pvd};
use crate::{Domain, Group};

/// Numbers of all sizes, negative zero and infinities among them.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("not a number differs from itself", |x| !x.is_nan()),
        (-1000..1000i32).prop_map(f64::from),
    ]
}

fn arrays(tuples: usize, prefix: &'static str) -> impl Strategy<Value = Vec<DataArray>> {
    let one = (1..5usize).prop_flat_map(move |components| {
        prop::collection::vec(number(), tuples * components)
            .prop_map(move |values| (components, values))
    });
    prop::collection::vec(one, 0..4).prop_map(move |list| {
        let array = |(i, (components, values))| DataArray {
            name: format!("{prefix}{i} <\"&\tü"),
            components,
            values,
        };
        list.into_iter().enumerate().map(array).collect()
    })
}

fn groups(counts: [usize; 3]) -> impl Strategy<Value = Vec<Group>> {
    let domains = [Domain::Points, Domain::Tets, Domain::Triangles];
    let one = move |k: usize| {
        let set = prop::collection::btree_set(0..counts[k].max(1) as u32, 0..=counts[k]);
        prop::option::of(set.prop_map(move |s| Group {
            name: "skin & bone".into(),
            domain: domains[k],
            members: s.into_iter().filter(|&m| (m as usize) < counts[k]).collect(),
        }))
    };
    (one(0), one(1), one(2)).prop_map(move |(a, b, c)| {
        let present = |g: &Group| counts[domains.iter().position(|d| *d == g.domain).unwrap()] > 0;
        [a, b, c].into_iter().flatten().filter(present).collect()
    })
}

fn mesh() -> impl Strategy<Value = Mesh> {
    (1..20usize, 0..12usize, 0..12usize).prop_flat_map(|(points, tets, triangles)| {
        let index = 0..points as u32;
        (
            prop::collection::vec(prop::array::uniform3(number()), points),
            prop::collection::vec(prop::array::uniform4(index.clone()), tets),
            prop::collection::vec(prop::array::uniform3(index), triangles),
            arrays(points, "p"),
            arrays(if tets > 0 { tets } else { 0 }, "both")
                .prop_map(move |a| if tets > 0 { a } else { vec![] }),
            arrays(triangles, "s").prop_map(move |a| if triangles > 0 { a } else { vec![] }),
            groups([points, tets, triangles]),
        )
            .prop_map(
                |(points, tets, triangles, point_data, tet_data, triangle_data, groups)| Mesh {
                    points,
                    tets,
                    triangles,
                    point_data,
                    tet_data,
                    triangle_data,
                    groups,
                },
            )
    })
}

fn written(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(mesh, &mut bytes).unwrap();
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn meshes_come_back_the_same(mesh in mesh()) {
        let (back, warnings) = read(&written(&mesh)).unwrap();
        prop_assert_eq!(&back, &mesh);
        prop_assert!(warnings.is_empty(), "{:?}", warnings);
    }
}

#[test]
fn an_array_that_tetrahedra_and_triangles_share_is_stored_once() {
    let mesh = Mesh {
        points: vec![[0.0; 3]; 4],
        tets: vec![[0, 1, 2, 3]],
        triangles: vec![[0, 1, 2]],
        tet_data: vec![DataArray::scalar("q", vec![1.5])],
        triangle_data: vec![DataArray::scalar("q", vec![-2.5])],
        point_data: vec![
            DataArray::scalar("same", vec![1.0; 4]),
            DataArray::scalar("same", vec![2.0; 4]),
        ],
        ..Mesh::default()
    };
    let bytes = written(&mesh);
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(text.matches("Name=\"q\"").count(), 1);
    let back = read(&bytes).unwrap().0;
    assert_eq!((&back.tet_data, &back.triangle_data), (&mesh.tet_data, &mesh.triangle_data));
    assert_eq!(back.point_array("same_2").unwrap().values, [2.0; 4]);
}

#[test]
fn large_meshes_take_several_blocks_and_empty_ones_none() {
    let points: Vec<_> = (0..30_000).map(|i| [f64::from(i), 0.1, -f64::from(i).sqrt()]).collect();
    let mesh = Mesh { points, triangles: vec![[0, 1, 29_999]], ..Mesh::default() };
    assert!(read(&written(&mesh)).unwrap().0 == mesh);
    assert!(read(&written(&Mesh::default())).unwrap().0 == Mesh::default());
}

#[test]
fn frames_are_read_back_and_wrong_lengths_refused() {
    let points = [[0.1f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let frame = VtuFrame {
        points: &points,
        tets: &[[0, 1, 2, 3]],
        triangles: &[[0, 2, 1], [0, 1, 3]],
        point_vectors: &[("velocity", &points)],
        point_scalars: &[("T", &[1.0, 2.0, 3.0, 4.0])],
        tet_scalars: &[("stress", &[7.0])],
    };
    let mut bytes = Vec::new();
    write_frame(&frame, &mut bytes).unwrap();
    let (mesh, _) = read(&bytes).unwrap();
    assert_eq!(mesh.points[0], [f64::from(0.1f32), 0.0, 0.0]);
    assert_eq!((&mesh.tets[..], &mesh.triangles[..]), (frame.tets, frame.triangles));
    assert_eq!(mesh.point_array("velocity").unwrap().values, mesh.points.as_flattened());
    assert_eq!(mesh.tet_array("stress").unwrap().values, [7.0]);
    assert!(mesh.triangle_data.is_empty());
    let wrong = VtuFrame { tet_scalars: &[("stress", &[])], ..frame };
    let e = write_frame(&wrong, &mut Vec::new()).unwrap_err();
    assert_eq!(e.to_string(), "the array \"stress\" has 0 entries, but 1 are due");
}

#[test]
fn a_series_lists_its_files() {
    let mut bytes = Vec::new();
    write_pvd(&[(0.0, "a&b_0.vtu"), (0.02, "a&b_1.vtu")], &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(
        text.contains("<DataSet timestep=\"0.02\" group=\"\" part=\"0\" file=\"a&amp;b_1.vtu\"/>")
    );
    assert!(error(text.as_bytes()).help.contains("lists the files of a series"));
}
