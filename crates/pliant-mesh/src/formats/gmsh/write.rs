//! Writes Gmsh 4.1 as text.

use std::io::{self, Write};

use super::write_tags::{Entity, Tags};
use crate::formats::numbers::Shortest;
use crate::{DataArray, Domain, Mesh};

const POINT: u8 = 15;
const TRIANGLE: u8 = 2;
const TET: u8 = 4;

/// Writes points, triangles, tetrahedra, groups and arrays as Gmsh 4.1 text.
///
/// Groups become physical groups; members of point groups are written as point elements. Gmsh knows
/// arrays of 1, 3 and 9 components: others are written as one scalar array per component. An array
/// of either triangles or tetrahedra lists NaN for the other kind, because common readers demand a
/// value for every element.
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let plan = Plan::new(mesh)?;
    writeln!(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat")?;
    plan.write_names(out)?;
    plan.write_entities(out)?;
    plan.write_nodes(out)?;
    plan.write_elements(out)?;
    for array in &mesh.point_data {
        let rows = |k: &mut dyn FnMut(&[f64]) -> io::Result<()>| {
            (0..mesh.points.len()).try_for_each(|i| k(array.tuple(i)))
        };
        write_data("NodeData", &array.name, array.components, mesh.points.len(), &rows, out)?;
    }
    plan.write_element_data(out)
}

/// The mesh with the tags that its elements are written with.
struct Plan<'a> {
    mesh: &'a Mesh,
    points: Tags<'a>,
    triangles: Tags<'a>,
    tets: Tags<'a>,
    /// Points that are members of a group and so become elements.
    point_elements: Vec<u32>,
}

impl<'a> Plan<'a> {
    fn new(mesh: &'a Mesh) -> io::Result<Self> {
        let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
        mesh.check_indices().map_err(invalid)?;
        for (arrays, count, of) in [
            (&mesh.point_data, mesh.points.len(), "points"),
            (&mesh.triangle_data, mesh.triangles.len(), "triangles"),
            (&mesh.tet_data, mesh.tets.len(), "tetrahedra"),
        ] {
            if let Some(a) =
                arrays.iter().find(|a| a.values.len() != a.components.saturating_mul(count))
            {
                let found = a.tuple_count();
                return Err(invalid(format!(
                    "array {:?} holds {found} tuples for {count} {of}",
                    a.name
                )));
            }
        }
        let points = Tags::new(mesh, Domain::Points, mesh.points.len(), &[])?;
        let in_group =
            |p: &u32| !points.entities[points.entity_of[*p as usize] as usize].physicals.is_empty();
        let point_elements = (0..mesh.points.len() as u32).filter(in_group).collect();
        Ok(Self {
            mesh,
            points,
            triangles: Tags::new(
                mesh,
                Domain::Triangles,
                mesh.triangles.len(),
                &mesh.triangle_data,
            )?,
            tets: Tags::new(mesh, Domain::Tets, mesh.tets.len(), &mesh.tet_data)?,
            point_elements,
        })
    }

    fn write_names(&self, out: &mut dyn Write) -> io::Result<()> {
        let dimensions = [(0, &self.points), (2, &self.triangles), (3, &self.tets)];
        let count: usize = dimensions.iter().map(|(_, tags)| tags.groups.len()).sum();
        if count == 0 {
            return Ok(());
        }
        writeln!(out, "$PhysicalNames\n{count}")?;
        for (dimension, tags) in dimensions {
            for (tag, group) in &tags.groups {
                writeln!(out, "{dimension} {tag} \"{}\"", quotable(&group.name))?;
            }
        }
        writeln!(out, "$EndPhysicalNames")
    }

    fn write_entities(&self, out: &mut dyn Write) -> io::Result<()> {
        let point_entities = self.points.entities.iter().filter(|e| !e.physicals.is_empty());
        let nodes_alone = self.tets.entities.is_empty() && self.triangles.entities.is_empty();
        writeln!(
            out,
            "$Entities\n{} 0 {} {}",
            point_entities.count(),
            self.triangles.entities.len(),
            self.tets.entities.len() + usize::from(nodes_alone),
        )?;
        let mut written = 0;
        for (point, &entity) in self.mesh.points.iter().zip(&self.points.entity_of) {
            // Entities are in the order of their first point, which lends them its coordinates.
            if entity == written {
                written += 1;
                let entity = &self.points.entities[entity as usize];
                if !entity.physicals.is_empty() {
                    write!(out, "{}", entity.tag)?;
                    write_floats(point, out)?;
                    write_physicals(entity, self.mesh, out)?;
                    writeln!(out)?;
                }
            }
        }
        write_boxes(self.mesh, &self.triangles, &self.mesh.triangles, out)?;
        write_boxes(self.mesh, &self.tets, &self.mesh.tets, out)?;
        if nodes_alone {
            write!(out, "1")?;
            write_floats(self.mesh.bounds().unwrap_or_default().as_flattened(), out)?;
            writeln!(out, " 0 0")?;
        }
        writeln!(out, "$EndEntities")
    }

    fn write_nodes(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.mesh.points.len();
        if count == 0 {
            return writeln!(out, "$Nodes\n0 0 0 0\n$EndNodes");
        }
        // Gmsh wants every node on some entity; which one has no meaning for a mesh without
        // geometry.
        let (dimension, entity) =
            match (self.tets.entities.first(), self.triangles.entities.first()) {
                (Some(e), _) => (3, e.tag),
                (None, Some(e)) => (2, e.tag),
                (None, None) => (3, 1),
            };
        writeln!(out, "$Nodes\n1 {count} 1 {count}\n{dimension} {entity} 0 {count}")?;
        for number in 1..=count {
            writeln!(out, "{number}")?;
        }
        for [x, y, z] in &self.mesh.points {
            writeln!(out, "{} {} {}", Shortest(*x), Shortest(*y), Shortest(*z))?;
        }
        writeln!(out, "$EndNodes")
    }

    fn write_elements(&self, out: &mut dyn Write) -> io::Result<()> {
        let Mesh { triangles, tets, .. } = self.mesh;
        let point_entities: Vec<u32> =
            self.point_elements.iter().map(|&p| self.points.entity_of[p as usize]).collect();
        let runs = |entity_of: &[u32]| entity_of.chunk_by(|a, b| a == b).count();
        let blocks =
            runs(&point_entities) + runs(&self.triangles.entity_of) + runs(&self.tets.entity_of);
        let total = self.point_elements.len() + triangles.len() + tets.len();
        writeln!(out, "$Elements\n{blocks} {total} {} {total}", total.min(1))?;
        let points: Vec<[u32; 1]> = self.point_elements.iter().map(|&p| [p]).collect();
        let mut number = 0;
        write_blocks(0, POINT, &points, &point_entities, &self.points, &mut number, out)?;
        let tags = &self.triangles;
        write_blocks(2, TRIANGLE, triangles, &tags.entity_of, tags, &mut number, out)?;
        write_blocks(3, TET, tets, &self.tets.entity_of, &self.tets, &mut number, out)?;
        writeln!(out, "$EndElements")
    }

    /// Writes the arrays of triangles and tetrahedra; those of the same name and shape together.
    fn write_element_data(&self, out: &mut dyn Write) -> io::Result<()> {
        let triangle_arrays = untagged(&self.mesh.triangle_data, &self.triangles);
        let tet_arrays = untagged(&self.mesh.tet_data, &self.tets);
        let mut partners = triangle_arrays;
        for array in tet_arrays {
            let partner = partners
                .iter()
                .position(|a| a.name == array.name && a.components == array.components)
                .map(|k| partners.remove(k));
            self.write_element_array([partner, Some(array)], out)?;
        }
        for array in partners {
            self.write_element_array([Some(array), None], out)?;
        }
        Ok(())
    }

    fn write_element_array(
        &self,
        [triangles, tets]: [Option<&DataArray>; 2],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(shape) = triangles.or(tets) else { return Ok(()) };
        let parts = [
            (self.point_elements.len(), None),
            (self.mesh.triangles.len(), triangles),
            (self.mesh.tets.len(), tets),
        ];
        let count = parts.iter().map(|(n, _)| n).sum();
        let nothing = vec![f64::NAN; shape.components];
        let rows = |k: &mut dyn FnMut(&[f64]) -> io::Result<()>| {
            for (n, array) in parts {
                (0..n).try_for_each(|i| k(array.map_or(&nothing[..], |a| a.tuple(i))))?;
            }
            Ok(())
        };
        write_data("ElementData", &shape.name, shape.components, count, &rows, out)
    }
}

/// The arrays that the tags do not say already.
fn untagged<'a>(arrays: &'a [DataArray], tags: &Tags<'_>) -> Vec<&'a DataArray> {
    let said = |a: &&DataArray| match &*a.name {
        "physical" => a.values.iter().copied().eq(tags.physical_values()),
        "entity" => a.values.iter().copied().eq(tags.entity_values()),
        _ => false,
    };
    arrays.iter().filter(|a| !said(a)).collect()
}

/// A name that fits between Gmsh's quotes, which know no escapes.
fn quotable(name: &str) -> String {
    name.replace('"', "'").replace(char::is_control, " ")
}

fn write_floats(values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    values.iter().try_for_each(|v| write!(out, " {}", Shortest(*v)))
}

/// Writes the physical groups of an entity. In a mesh with groups, elements in none are in group 0,
/// as version 2 had it: meshio 5 refuses files where some entities have groups and others do not.
fn write_physicals(entity: &Entity, mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    if entity.physicals.is_empty() && !mesh.groups.is_empty() {
        return write!(out, " 1 0");
    }
    write!(out, " {}", entity.physicals.len())?;
    entity.physicals.iter().try_for_each(|tag| write!(out, " {tag}"))
}

/// Writes entities with their bounding boxes.
fn write_boxes<const N: usize>(
    mesh: &Mesh,
    tags: &Tags<'_>,
    elements: &[[u32; N]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut boxes = vec![[[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]; tags.entities.len()];
    for (element, &entity) in elements.iter().zip(&tags.entity_of) {
        let [low, high] = &mut boxes[entity as usize];
        for p in element.map(|v| mesh.points[v as usize]) {
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
    }
    for (entity, bounds) in tags.entities.iter().zip(&boxes) {
        write!(out, "{}", entity.tag)?;
        write_floats(bounds.as_flattened(), out)?;
        write_physicals(entity, mesh, out)?;
        writeln!(out, " 0")?;
    }
    Ok(())
}

/// Writes elements in their order, a block for each run that shares an entity.
fn write_blocks<const N: usize>(
    dimension: u8,
    kind: u8,
    elements: &[[u32; N]],
    entity_of: &[u32],
    tags: &Tags<'_>,
    number: &mut usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rest = elements;
    for run in entity_of.chunk_by(|a, b| a == b) {
        let tag = tags.entities[run[0] as usize].tag;
        writeln!(out, "{dimension} {tag} {kind} {}", run.len())?;
        let (block, behind) = rest.split_at(run.len());
        rest = behind;
        for element in block {
            *number += 1;
            write!(out, "{number}")?;
            element.iter().try_for_each(|&v| write!(out, " {}", u64::from(v) + 1))?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Calls back with every tuple of an array.
type Rows<'a> = &'a dyn Fn(&mut dyn FnMut(&[f64]) -> io::Result<()>) -> io::Result<()>;

/// Writes an array; one whose shape Gmsh does not know, component by component.
fn write_data(
    section: &str,
    name: &str,
    components: usize,
    count: usize,
    rows: Rows<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = matches!(components, 1 | 3 | 9);
    let pieces = if whole { 1 } else { components };
    for piece in 0..pieces {
        let (name, width) =
            if whole { (name.to_owned(), components) } else { (format!("{name}_{piece}"), 1) };
        writeln!(out, "${section}\n1\n\"{}\"\n1\n0\n3\n0\n{width}\n{count}", quotable(&name))?;
        let mut number = 0;
        rows(&mut |tuple| {
            number += 1;
            write!(out, "{number}")?;
            write_floats(&tuple[piece..piece + width], out)?;
            writeln!(out)
        })?;
        writeln!(out, "$End{section}")?;
    }
    Ok(())
}
