//! Reads TetGen files.

use std::path::PathBuf;

use super::table::{Table, attribute_arrays};
use crate::formats::Input;
use crate::formats::numbers::{coordinate_from, out_of_range};
use crate::source::gunzip;
use crate::topology::boundary_flags;
use crate::{DataArray, Mesh, ReadError, Result};

/// Reads a mesh from its `.node` or its `.ele`; the other one is found beside it.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let (stem, extension) = input.name.rsplit_once('.').unwrap_or((input.name, ""));
    let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
    let companion = |part: &str| {
        // A neighbour of BUNNY.NODE is called BUNNY.ELE.
        let loud = !extension.is_empty() && extension.bytes().all(|b| b.is_ascii_uppercase());
        format!("{stem}.{}", if loud { part.to_ascii_uppercase() } else { part.to_owned() })
    };

    let mut mesh = Mesh::default();
    let base;
    let corners;
    if is("ele") {
        let name = companion("node");
        let bytes = open(input, &name, "points")?;
        base = read_nodes(&bytes, &mut mesh, input.warnings).map_err(|e| inside(&name, e))?;
        drop(bytes);
        corners = read_elements(input.bytes, base, &mut mesh, input.warnings)?;
    } else if is("node") {
        base = read_nodes(input.bytes, &mut mesh, input.warnings)?;
        let name = companion("ele");
        let bytes = open(input, &name, "tetrahedra")?;
        corners =
            read_elements(&bytes, base, &mut mesh, input.warnings).map_err(|e| inside(&name, e))?;
    } else {
        return Err(ReadError::file(format!(
            "{:?} is neither a .node nor a .ele file",
            input.name
        ))
        .help("Give one of the two; the other is found beside it"));
    }
    name_conventional_arrays(&mut mesh);

    let name = companion("face");
    if let Ok(bytes) = input.companions.open(&name) {
        let nodes_per_face = if corners == 10 { 6 } else { 3 };
        read_faces(&bytes, base, nodes_per_face, &mut mesh, input.warnings)
            .map_err(|e| inside(&name, e))?;
    }
    Ok(mesh)
}

/// Opens a companion that must be there, plain or gzipped.
fn open(input: &Input<'_>, name: &str, holds: &str) -> Result<Vec<u8>> {
    let first = match input.companions.open(name) {
        Ok(bytes) => return Ok(bytes),
        Err(e) => e,
    };
    if let Ok(bytes) = input.companions.open(&format!("{name}.gz")) {
        return gunzip(&bytes).map_err(|e| inside(name, e));
    }
    Err(ReadError::file(format!("{name:?} with the {holds} cannot be opened: {}", first.problem))
        .help(format!("TetGen meshes are two files: put {name:?} beside {:?}", input.name)))
}

/// Names the companion that an error is about.
fn inside(name: &str, error: ReadError) -> ReadError {
    ReadError { path: Some(PathBuf::from(name)), ..error }
}

/// Reads the points and gives the number of the first, 0 or 1.
fn read_nodes(bytes: &[u8], mesh: &mut Mesh, warnings: &mut Vec<String>) -> Result<i64> {
    let mut table = Table::open(bytes, "node")?;
    // TetGen itself takes a short header line for `n 3 0 0`.
    let [dimension, attributes, markers] =
        [(0, 3), (1, 0), (2, 0)].map(|(k, short)| table.header.get(k).copied().unwrap_or(short));
    if dimension != 3 {
        return Err(table
            .scanner
            .error(format!("the points have {dimension} coordinates"))
            .help("Only meshes in three dimensions can be read"));
    }
    // The shortest row is `0 0 0 0` and its line end.
    let mut points = Vec::with_capacity(table.scanner.capacity(table.rows, 8));
    let mut attribute_values = Vec::new();
    let mut marker_values = Vec::new();
    let mut base = 1;
    while let Some(number) = table.next_row()? {
        if points.is_empty() {
            base = number;
            if !(0..=1).contains(&base) {
                return Err(table.error(format!("the first node is number {base}, not 0 or 1")));
            }
        }
        let expected = base + points.len() as i64;
        if number != expected {
            return Err(table
                .error(format!("is numbered {number} where {expected} should come"))
                .help("Nodes must be numbered one after the other without gaps"));
        }
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = coordinate_from(table.cell("a coordinate")?).map_err(|p| table.error(p))?;
        }
        points.push(point);
        for _ in 0..attributes {
            attribute_values.push(table.number("an attribute")?);
        }
        if markers > 0 {
            marker_values.push(table.integer("the boundary marker")? as f64);
        }
        table.end_row();
    }
    table.finish(warnings);
    mesh.points = points;
    mesh.point_data = attribute_arrays(&attribute_values, attributes);
    if !marker_values.is_empty() {
        mesh.point_data.push(DataArray::scalar("marker", marker_values));
    }
    Ok(base)
}

/// Reads the tetrahedra and gives the number of nodes per element, 4 or 10.
fn read_elements(
    bytes: &[u8],
    base: i64,
    mesh: &mut Mesh,
    warnings: &mut Vec<String>,
) -> Result<usize> {
    let mut table = Table::open(bytes, "element")?;
    let [nodes, attributes] =
        [(0, 4), (1, 0)].map(|(k, short)| table.header.get(k).copied().unwrap_or(short));
    if nodes != 4 && nodes != 10 {
        return Err(table
            .scanner
            .error(format!("the elements have {nodes} nodes, not 4 or 10"))
            .help("Only tetrahedra can be read from a .ele file"));
    }
    let mut tets = Vec::with_capacity(table.scanner.capacity(table.rows, 2 * (1 + nodes)));
    let mut values = Vec::new();
    while table.next_row()?.is_some() {
        let mut tet = [0; 4];
        for corner in &mut tet {
            *corner = node_index(&mut table, base, mesh.points.len())?;
        }
        for _ in 4..nodes {
            node_index(&mut table, base, mesh.points.len())?;
        }
        tets.push(tet);
        for _ in 0..attributes {
            values.push(table.number("an attribute")?);
        }
        table.end_row();
    }
    table.finish(warnings);
    if nodes == 10 && !tets.is_empty() {
        warnings.push(format!(
            "{} second-order tetrahedra were reduced to their corners; their edge nodes stay as \
             unused points",
            tets.len()
        ));
    }
    mesh.tets = tets;
    mesh.tet_data = attribute_arrays(&values, attributes);
    Ok(nodes)
}

/// Reads the triangles with their boundary markers.
fn read_faces(
    bytes: &[u8],
    base: i64,
    nodes: usize,
    mesh: &mut Mesh,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let mut table = Table::open(bytes, "face")?;
    let marked = table.header.first().copied().unwrap_or(0) > 0;
    let mut triangles = Vec::with_capacity(table.scanner.capacity(table.rows, 8));
    let mut markers = Vec::new();
    while table.next_row()?.is_some() {
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            *corner = node_index(&mut table, base, mesh.points.len())?;
        }
        triangles.push(triangle);
        for _ in 3..nodes {
            node_index(&mut table, base, mesh.points.len())?;
        }
        if marked {
            markers.push(table.integer("the boundary marker")? as f64);
        }
        // Behind the marker TetGen may list the neighbouring tetrahedra, which are known anyway.
        while table.scanner.token_on_line().is_some() {}
    }
    table.finish(warnings);
    mesh.triangles = triangles;
    if !markers.is_empty() {
        mesh.triangle_data.push(DataArray::scalar("marker", markers));
    }
    Ok(())
}

fn node_index(table: &mut Table<'_>, base: i64, count: usize) -> Result<u32> {
    let number = table.integer("a node number")?;
    match usize::try_from(number - base) {
        Ok(index) if index < count => Ok(index as u32),
        _ => Err(table.error(out_of_range(number, base, count))),
    }
}

/// Gives a lone attribute its conventional name where the values show that it follows the
/// convention of Echtler's meshes: fixed nodes, and flagged surface faces.
fn name_conventional_arrays(mesh: &mut Mesh) {
    let mut attributes = mesh.point_data.iter_mut().filter(|a| a.name != "marker");
    if let (Some(only), None) = (attributes.next(), attributes.next())
        && only.values.iter().all(|&v| v == 0.0 || v == 1.0)
    {
        only.name = "lock".into();
    }
    if let [only] = &mut mesh.tet_data[..]
        && only.values.iter().all(|&v| v.fract() == 0.0 && (0.0..=15.0).contains(&v))
        && boundary_flags(&mesh.tets).iter().zip(&only.values).all(|(&f, &v)| f64::from(f) == v)
    {
        only.name = "surface_flags".into();
    }
}
