//! Writing `.vtu` files: raw appended data behind a short XML head, as VTK itself writes by default.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::formats::vtk::grid::{GROUP_PREFIX, Names};
use crate::{DataArray, Domain, Group, Mesh};

/// Bytes that are compressed together: large enough for a good ratio, small enough for a cache.
const BLOCK: usize = 1 << 17;

/// Writes a mesh with 64-bit coordinates, so that reading gives back the same numbers.
///
/// Tetrahedra come first, then triangles. An array that only one of the two kinds has is
/// not-a-number on the other; a group becomes an integer array `group:NAME` that is 1 on members
/// and 0 elsewhere, −1 on cells of a kind that has no such group. [`read`](super::read) undoes
/// both. Two arrays of one name get a number behind it.
pub fn write(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let mut file = Builder::new(true);
    file.open_piece(mesh.points.len(), mesh.tets.len() + mesh.triangles.len());
    write_point_data(mesh, &mut file)?;
    write_cell_data(mesh, &mut file)?;
    file.open("Points");
    file.array("Points", "Float64", 3, f64_bytes(mesh.points.as_flattened()))?;
    file.close("Points");
    file.cells(&mesh.tets, &mesh.triangles, mesh.points.len())?;
    file.finish(out)
}

fn write_point_data(mesh: &Mesh, file: &mut Builder) -> io::Result<()> {
    let count = mesh.points.len();
    let mut names = Names::default();
    file.open("PointData");
    for array in mesh.point_data.iter().filter(|a| a.components > 0 && count > 0) {
        check(array, count, "points")?;
        let name = names.unique(&array.name);
        file.array(&name, "Float64", array.components, f64_bytes(&array.values))?;
    }
    for group in mesh.groups.iter().filter(|g| g.domain == Domain::Points && count > 0) {
        let name = names.unique(&format!("{GROUP_PREFIX}{}", group.name));
        file.array(&name, "Int8", 1, flags(Some(group), count)?)?;
    }
    file.close("PointData");
    Ok(())
}

fn write_cell_data(mesh: &Mesh, file: &mut Builder) -> io::Result<()> {
    let counts = [mesh.tets.len(), mesh.triangles.len()];
    let mut names = Names::default();
    file.open("CellData");
    let present = |arrays: &'_ [DataArray], count: usize, what| -> io::Result<Vec<DataArray>> {
        let arrays = arrays.iter().filter(|a| a.components > 0 && count > 0);
        arrays.map(|a| check(a, count, what).map(|()| a.clone())).collect()
    };
    let tets = present(&mesh.tet_data, counts[0], "tetrahedra")?;
    let mut triangles = present(&mesh.triangle_data, counts[1], "triangles")?;
    for array in &tets {
        let same = |t: &DataArray| t.name == array.name && t.components == array.components;
        let other = triangles.iter().position(same).map(|i| triangles.remove(i).values);
        let other = other.unwrap_or_else(|| vec![f64::NAN; counts[1] * array.components]);
        let bytes = [f64_bytes(&array.values), f64_bytes(&other)].concat();
        file.array(&names.unique(&array.name), "Float64", array.components, bytes)?;
    }
    for array in &triangles {
        let blank = vec![f64::NAN; counts[0] * array.components];
        let bytes = [f64_bytes(&blank), f64_bytes(&array.values)].concat();
        file.array(&names.unique(&array.name), "Float64", array.components, bytes)?;
    }
    let of = |domain, count: usize| -> Vec<&Group> {
        mesh.groups.iter().filter(|g| g.domain == domain && count > 0).collect()
    };
    let mut patches = of(Domain::Triangles, counts[1]);
    for group in of(Domain::Tets, counts[0]) {
        let other = patches.iter().position(|g| g.name == group.name).map(|i| patches.remove(i));
        let bytes = [flags(Some(group), counts[0])?, flags(other, counts[1])?].concat();
        file.array(&names.unique(&format!("{GROUP_PREFIX}{}", group.name)), "Int8", 1, bytes)?;
    }
    for group in patches {
        let bytes = [flags(None, counts[0])?, flags(Some(group), counts[1])?].concat();
        file.array(&names.unique(&format!("{GROUP_PREFIX}{}", group.name)), "Int8", 1, bytes)?;
    }
    file.close("CellData");
    Ok(())
}

fn check(array: &DataArray, count: usize, what: &str) -> io::Result<()> {
    if array.values.len() == count * array.components {
        return Ok(());
    }
    Err(invalid(format!(
        "the array {:?} has {} numbers, but {count} {what} with {} components each",
        array.name,
        array.values.len(),
        array.components
    )))
}

pub(super) fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}

fn flags(group: Option<&Group>, count: usize) -> io::Result<Vec<u8>> {
    let Some(group) = group else { return Ok(vec![0xff; count]) };
    let mut bytes = vec![0; count];
    for &member in &group.members {
        let slot = bytes.get_mut(member as usize);
        *slot.ok_or_else(|| {
            invalid(format!("group {:?} has the member {member} of {count}", group.name))
        })? = 1;
    }
    Ok(bytes)
}

fn f64_bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Gathers the XML and the appended data of one piece.
pub(super) struct Builder {
    xml: String,
    data: Vec<u8>,
    compress: bool,
}

impl Builder {
    pub fn new(compress: bool) -> Self {
        let compressor = if compress { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
        let xml = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\"{compressor}>\n  <UnstructuredGrid>\n"
        );
        Self { xml, data: Vec::new(), compress }
    }

    pub fn open_piece(&mut self, points: usize, cells: usize) {
        let tag = format!("    <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n");
        self.xml.push_str(&tag);
    }

    pub fn open(&mut self, section: &str) {
        self.xml.push_str(&format!("      <{section}>\n"));
    }

    pub fn close(&mut self, section: &str) {
        self.xml.push_str(&format!("      </{section}>\n"));
    }

    /// Adds an array of little-endian numbers to the open section.
    pub fn array(
        &mut self,
        name: &str,
        kind: &str,
        components: usize,
        bytes: Vec<u8>,
    ) -> io::Result<()> {
        self.xml.push_str(&format!(
            "        <DataArray type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{}\"/>\n",
            escaped(name),
            self.data.len()
        ));
        if self.compress {
            return self.compressed(&bytes);
        }
        self.data.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.data.extend(bytes);
        Ok(())
    }

    /// The number of blocks, the size of a block and of the last if it is smaller, the compressed
    /// sizes, the blocks.
    fn compressed(&mut self, bytes: &[u8]) -> io::Result<()> {
        let blocks = bytes.chunks(BLOCK);
        let header = [blocks.len(), BLOCK, bytes.len() % BLOCK];
        self.data.extend(header.iter().flat_map(|&n| (n as u64).to_le_bytes()));
        let sizes = self.data.len();
        self.data.resize(sizes + 8 * blocks.len(), 0);
        for (i, block) in blocks.enumerate() {
            let start = self.data.len();
            let mut encoder = ZlibEncoder::new(&mut self.data, Compression::fast());
            encoder.write_all(block)?;
            encoder.finish()?;
            let size = (self.data.len() - start) as u64;
            self.data[sizes + 8 * i..][..8].copy_from_slice(&size.to_le_bytes());
        }
        Ok(())
    }

    /// Adds the cells: tetrahedra, then triangles.
    pub fn cells(
        &mut self,
        tets: &[[u32; 4]],
        triangles: &[[u32; 3]],
        points: usize,
    ) -> io::Result<()> {
        let corners = tets.as_flattened().iter().chain(triangles.as_flattened());
        let total = 4 * tets.len() + 3 * triangles.len();
        let ends = (1..=tets.len()).map(|i| 4 * i);
        let ends = ends.chain((1..=triangles.len()).map(|i| 4 * tets.len() + 3 * i));
        self.open("Cells");
        // VTK keeps whichever width it reads; the narrow one halves the file.
        if points.max(total) <= i32::MAX as usize {
            let connectivity = corners.flat_map(|c| c.to_le_bytes()).collect();
            self.array("connectivity", "Int32", 1, connectivity)?;
            let offsets = ends.flat_map(|e| (e as u32).to_le_bytes()).collect();
            self.array("offsets", "Int32", 1, offsets)?;
        } else {
            let connectivity = corners.flat_map(|&c| u64::from(c).to_le_bytes()).collect();
            self.array("connectivity", "Int64", 1, connectivity)?;
            let offsets = ends.flat_map(|e| (e as u64).to_le_bytes()).collect();
            self.array("offsets", "Int64", 1, offsets)?;
        }
        let mut types = vec![10; tets.len()];
        types.resize(tets.len() + triangles.len(), 5);
        self.array("types", "UInt8", 1, types)?;
        self.close("Cells");
        Ok(())
    }

    pub fn finish(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.xml.as_bytes())?;
        out.write_all(
            b"    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_",
        )?;
        out.write_all(&self.data)?;
        out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    }
}

/// Text for an XML attribute; what XML cannot hold becomes U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", c as u32)),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
