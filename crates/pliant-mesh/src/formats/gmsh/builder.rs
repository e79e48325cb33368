//! Gathers what the sections hold and makes a mesh of it.

use std::collections::{BTreeMap, HashMap};

use super::data::{Data, attach_element_data, attach_point_data};
use super::elements::ElementType;
use super::numbering::Numbering;
use super::repeats::join_repeats;
use super::stream::Numbers;
use crate::cells::CellSink;
use crate::{DataArray, Domain, Group, Mesh, ReadError, Result};

/// What is kept of an element besides its corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub number: i64,
    pub physical: i32,
    entity: i32,
}

/// The file so far.
#[derive(Default)]
pub(super) struct Builder {
    points: Vec<[f64; 3]>,
    node_numbers: Numbering,
    pub has_nodes: bool,
    pub has_elements: bool,
    sink: CellSink,
    cells: Vec<Cell>,
    higher_order: usize,
    /// Groups of triangles and tetrahedra besides those of their cells.
    further_groups: [Vec<(u32, i32)>; 2],
    /// Members of physical points.
    point_groups: BTreeMap<i32, Vec<u32>>,
    /// Names by dimension and physical tag.
    pub physical_names: BTreeMap<(u8, i32), String>,
    /// Physical tags by dimension and entity; version 4 only.
    pub entity_physicals: HashMap<(u8, i32), Vec<i32>>,
    pub node_data: Vec<Data>,
    pub element_data: Vec<Data>,
}

/// An element as read, for [`Builder::add_element`].
pub(super) struct Element<'a> {
    pub kind: ElementType,
    pub number: i64,
    pub physicals: &'a [i32],
    pub entity: i32,
    /// Node numbers, as many as the type has.
    pub nodes: &'a [i64],
}

impl Builder {
    /// Makes room for `count` more nodes, bounded by what the file can hold.
    pub fn reserve_nodes(&mut self, count: usize, numbers: &Numbers<'_>) {
        self.points.reserve(numbers.capacity(count, 4));
    }

    /// Adds a node; `numbers` places the error.
    pub fn add_node(&mut self, number: i64, point: [f64; 3], numbers: &Numbers<'_>) -> Result<()> {
        if number < 0 {
            return Err(numbers.error(format!("the node number {number} is negative")));
        }
        if !self.node_numbers.add(number) {
            return Err(numbers.error(format!("node number {number} was given before")));
        }
        self.points.push(point);
        Ok(())
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.points.len()
    }

    /// Adds an element; `numbers` places the error.
    pub fn add_element(&mut self, element: &Element<'_>, numbers: &Numbers<'_>) -> Result<()> {
        let mut corners = [0u32; 8];
        for (k, &node) in element.nodes.iter().enumerate() {
            let Some(index) = self.node_numbers.index(node) else {
                let problem = format!("refers to node {node}, which the file does not hold");
                return Err(numbers.error(problem));
            };
            if let Some(corner) = corners.get_mut(k) {
                *corner = index;
            }
        }
        let Some(cell) = element.kind.cell else {
            if element.kind.dimension == 0 {
                for &tag in element.physicals {
                    self.point_groups.entry(tag).or_default().push(corners[0]);
                }
            }
            return Ok(());
        };
        self.higher_order += usize::from(element.kind.higher_order);
        self.sink.push(cell, &corners[..cell.corner_count()]);
        let physical = element.physicals.first().copied().unwrap_or(0);
        self.cells.push(Cell { number: element.number, physical, entity: element.entity });
        Ok(())
    }

    /// Joins the elements that stand in the file once for each of their groups.
    pub fn join_repeats(&mut self, warnings: &mut Vec<String>) {
        let sink = &mut self.sink;
        self.further_groups = [
            join_repeats(&mut sink.triangles, &mut sink.triangle_cells, &self.cells),
            join_repeats(&mut sink.tets, &mut sink.tet_cells, &self.cells),
        ];
        let joined: usize = self.further_groups.iter().map(Vec::len).sum();
        if joined > 0 {
            warnings.push(format!(
                "{joined} triangles and tetrahedra that are listed again for a further group were \
                 joined with the first"
            ));
        }
    }

    /// Makes the mesh.
    pub fn finish(mut self, warnings: &mut Vec<String>) -> Result<Mesh> {
        for (there, section) in [(self.has_nodes, "nodes"), (self.has_elements, "elements")] {
            if !there {
                return Err(ReadError::file(format!("has no section of {section}"))
                    .help(crate::formats::numbers::CUT_OFF));
            }
        }
        self.warn(warnings);
        let mut mesh = Mesh { groups: self.groups(), ..Mesh::default() };
        let node_data = std::mem::take(&mut self.node_data);
        mesh.point_data =
            attach_point_data(node_data, &self.node_numbers, self.points.len(), warnings);
        let element_data = std::mem::take(&mut self.element_data);
        if !element_data.is_empty() {
            let numbers = [&self.sink.tet_cells, &self.sink.triangle_cells]
                .map(|cells| cells.iter().map(|&c| self.cells[c as usize].number).collect());
            [mesh.tet_data, mesh.triangle_data] =
                attach_element_data(element_data, numbers, warnings);
        }
        add_tag_arrays(&self.cells, &self.sink.tet_cells, &mut mesh.tet_data);
        add_tag_arrays(&self.cells, &self.sink.triangle_cells, &mut mesh.triangle_data);
        mesh.points = self.points;
        self.sink.finish(&mut mesh);
        Ok(mesh)
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        if self.higher_order > 0 {
            warnings.push(format!(
                "{} elements of higher order were reduced to their corners; their other nodes \
                 stay as unused points",
                self.higher_order
            ));
        }
        if self.sink.split_count > 0 {
            warnings.push(format!(
                "{} quadrilaterals, hexahedra, prisms or pyramids were split",
                self.sink.split_count
            ));
        }
    }

    /// All physical groups, also those that have a name and no members.
    fn groups(&mut self) -> Vec<Group> {
        let mut members: BTreeMap<(u8, i32), Vec<u32>> = BTreeMap::new();
        for (tag, points) in std::mem::take(&mut self.point_groups) {
            members.insert((0, tag), points);
        }
        for key in self.physical_names.keys().filter(|(dimension, _)| *dimension != 1) {
            members.entry(*key).or_default();
        }
        self.gather(2, &self.sink.triangle_cells, &mut members);
        self.gather(3, &self.sink.tet_cells, &mut members);
        for (dimension, further) in [(2, &self.further_groups[0]), (3, &self.further_groups[1])] {
            for &(element, tag) in further {
                members.entry((dimension, tag)).or_default().push(element);
            }
        }
        let group = |((dimension, tag), mut members): ((u8, i32), Vec<u32>)| {
            members.sort_unstable();
            members.dedup();
            let name = self.physical_names.get(&(dimension, tag));
            Group {
                name: name.cloned().unwrap_or_else(|| format!("physical_{tag}")),
                domain: [Domain::Points, Domain::Points, Domain::Triangles, Domain::Tets]
                    [usize::from(dimension.min(3))],
                members,
            }
        };
        members.into_iter().map(group).collect()
    }

    /// Adds the elements made from `cells` to their physical groups.
    fn gather(&self, dimension: u8, cells: &[u32], members: &mut BTreeMap<(u8, i32), Vec<u32>>) {
        for (element, &cell) in (0u32..).zip(cells) {
            let Cell { physical, entity, .. } = self.cells[cell as usize];
            if physical == 0 {
                continue;
            }
            members.entry((dimension, physical)).or_default().push(element);
            // Only version 4 can put an element into several groups, through its entity.
            for &other in self.entity_physicals.get(&(dimension, entity)).into_iter().flatten() {
                if other != physical {
                    members.entry((dimension, other)).or_default().push(element);
                }
            }
        }
    }
}

/// Adds `physical` and `entity` where they say something and the file's own data does not have
/// those names.
fn add_tag_arrays(cells: &[Cell], of: &[u32], arrays: &mut Vec<DataArray>) {
    for (name, tag) in
        [("physical", (|c| c.physical) as fn(&Cell) -> i32), ("entity", |c| c.entity)]
    {
        let values: Vec<f64> = of.iter().map(|&c| tag(&cells[c as usize]).into()).collect();
        if values.iter().any(|&v| v != 0.0) && arrays.iter().all(|a| a.name != name) {
            arrays.push(DataArray::scalar(name, values));
        }
    }
}
