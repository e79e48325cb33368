//! Inputs that once made a reader misbehave, found by `cargo xtask fuzz`: each must be refused, or
//! give a mesh that holds together.

use pliant_mesh::doctor::{Code, examine};
use pliant_mesh::read_bytes;
use pliant_mesh::source::Memory;

/// File name, content, and what went wrong.
const INPUTS: &[(&str, &[u8], &str)] = &[
    (
        "a.vtu",
        b"<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
          <UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n\
          <PointData><DataArray type=\"Float64\" Name=\"empty\" NumberOfComponents=\"0\" \
          format=\"ascii\"></DataArray></PointData>\n\
          <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\
          0 0 0 1 0 0 0 1 0</DataArray></Points>\n\
          <Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>\
          <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\
          <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray></Cells>\n\
          </Piece></UnstructuredGrid></VTKFile>",
        "an array of no components was kept",
    ),
    (
        "a.vtk",
        b"# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n\
          0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\nPOINT_DATA 3\nFIELD f 1\n\
          empty 0 3 int\n",
        "an array of no components was kept",
    ),
    (
        "a.gltf",
        br#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0},
        "mode": 5}]}], "accessors": [{"componentType": 5126, "count": 1000000, "type": "VEC3"}]}"#,
        "a million points without data were made up",
    ),
];

#[test]
fn what_once_failed_fails_no_more() {
    for (name, bytes, story) in INPUTS {
        let Ok(loaded) = read_bytes(bytes, name, &Memory::default()) else { continue };
        let broken = [Code::BadIndex, Code::ArrayLength, Code::GroupIndex];
        let report = examine(&loaded.mesh);
        let finding = report.findings.iter().find(|f| broken.contains(&f.code));
        assert!(finding.is_none(), "{name} ({story}): {finding:?}");
    }
}

#[test]
fn positions_without_data_are_refused() {
    let (name, bytes, _) = INPUTS[2];
    let error = read_bytes(bytes, name, &Memory::default()).unwrap_err();
    assert!(error.problem.contains("has 1000000 elements but no data"), "{error}");
}
