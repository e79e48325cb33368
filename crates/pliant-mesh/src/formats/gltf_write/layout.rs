//! Where things lie inside a GLB, and the parts that still and moving surfaces share.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::smooth_normals;

pub(super) const VERTICES: u32 = 34962;
pub(super) const INDICES: u32 = 34963;
const FLOAT: u32 = 5126;

/// A surface as it is written: upright, in single precision.
pub(super) struct Shape<'a> {
    pub(super) name: &'a str,
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) colors: Option<Vec<[f32; 3]>>,
}

impl<'a> Shape<'a> {
    /// A shape with smooth normals; corners and numbers were checked by the caller.
    pub(super) fn new(
        name: &'a str,
        triangles: &'a [[u32; 3]],
        positions: Vec<[f32; 3]>,
        colors: Option<Vec<[f32; 3]>>,
    ) -> io::Result<Self> {
        if triangles.is_empty() {
            return Err(io::Error::other("there is no triangle to write"));
        }
        let normals = smooth_normals(triangles, &positions);
        Ok(Self { name, triangles, positions, normals, colors })
    }

    /// Whether indices fit 16 bits; the largest such number is reserved (section 3.7.2.1).
    fn is_small(&self) -> bool {
        self.positions.len() <= usize::from(u16::MAX)
    }
}

/// Smallest and largest components.
pub(super) fn bounds(values: impl IntoIterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let empty = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    values.into_iter().fold(empty, |[low, high], v| {
        [std::array::from_fn(|k| low[k].min(v[k])), std::array::from_fn(|k| high[k].max(v[k]))]
    })
}

/// The document that describes what is written, grown part by part.
pub(super) struct Glb {
    pub(super) document: Value,
    /// Bytes of the binary chunk so far, always a multiple of four.
    length: u64,
}

impl Glb {
    /// A scene with one node that shows `shape`.
    pub(super) fn new(shape: &Shape<'_>) -> Self {
        let grey = if shape.colors.is_some() { 1.0 } else { 0.8 };
        let document = json!({
            "asset": {"version": "2.0", "generator": "Pliant"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": shape.name, "mesh": 0}],
            "materials": [{
                "doubleSided": true,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [grey, grey, grey, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.6,
                },
            }],
            "buffers": [],
            "bufferViews": [],
            "accessors": [],
        });
        let mut glb = Self { document, length: 0 };
        let (points, corners) = (shape.positions.len(), 3 * shape.triangles.len());
        let (index_bytes, index_type) = if shape.is_small() { (2, 5123) } else { (4, 5125) };
        let view = glb.view((corners * index_bytes) as u64, Some(INDICES), None);
        let indices = glb.accessor(json!({
            "bufferView": view, "componentType": index_type, "count": corners, "type": "SCALAR",
        }));
        let [low, high] = bounds(shape.positions.iter().copied());
        let position = glb.vectors(points, Some([low, high]));
        let normal = glb.vectors(points, None);
        let mut attributes = json!({"POSITION": position, "NORMAL": normal});
        if shape.colors.is_some() {
            attributes["COLOR_0"] = json!(glb.vectors(points, None));
        }
        glb.document["meshes"] = json!([{
            "name": shape.name,
            "primitives": [{"attributes": attributes, "indices": indices, "material": 0, "mode": 4}],
        }]);
        glb
    }

    /// Adds a buffer view behind the others; returns its number.
    pub(super) fn view(&mut self, bytes: u64, target: Option<u32>, stride: Option<u32>) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": self.length, "byteLength": bytes});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.length += bytes.next_multiple_of(4);
        push(&mut self.document["bufferViews"], view)
    }

    /// Adds an accessor; returns its number.
    pub(super) fn accessor(&mut self, accessor: Value) -> usize {
        push(&mut self.document["accessors"], accessor)
    }

    fn vectors(&mut self, count: usize, bounds: Option<[[f32; 3]; 2]>) -> usize {
        let view = self.view(count as u64 * 12, Some(VERTICES), None);
        self.vectors_in(view, 0, count, bounds)
    }

    /// Adds an accessor of vectors that begin at `offset` of a buffer view.
    pub(super) fn vectors_in(
        &mut self,
        view: usize,
        offset: u64,
        count: usize,
        bounds: Option<[[f32; 3]; 2]>,
    ) -> usize {
        let mut accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": FLOAT, "count": count, "type": "VEC3",
        });
        if let Some([low, high]) = bounds {
            accessor["min"] = json!(low.map(f64::from));
            accessor["max"] = json!(high.map(f64::from));
        }
        self.accessor(accessor)
    }

    /// Adds an accessor of scalars with a view of its own.
    pub(super) fn scalars(&mut self, count: usize, bounds: Option<[f32; 2]>) -> usize {
        let view = self.view(count as u64 * 4, None, None);
        let mut accessor =
            json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": "SCALAR"});
        if let Some([low, high]) = bounds {
            accessor["min"] = json!([f64::from(low)]);
            accessor["max"] = json!([f64::from(high)]);
        }
        self.accessor(accessor)
    }

    /// Writes everything before the first byte of the binary chunk's data (section 4.4); returns the
    /// size of the whole file.
    pub(super) fn start(&mut self, out: &mut dyn Write) -> io::Result<u64> {
        self.document["buffers"] = json!([{"byteLength": self.length}]);
        let mut json = serde_json::to_vec(&self.document).map_err(io::Error::other)?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let total = 28 + json.len() as u64 + self.length;
        let Ok(size) = u32::try_from(total) else {
            let gib = total as f64 / f64::from(1 << 30);
            return Err(io::Error::other(format!(
                "the file would have {gib:.1} GiB, but GLB ends at 4 GiB: write fewer frames or \
                 a coarser surface"
            )));
        };
        out.write_all(b"glTF\x02\0\0\0")?;
        out.write_all(&size.to_le_bytes())?;
        out.write_all(&(json.len() as u32).to_le_bytes())?;
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        out.write_all(&(self.length as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        Ok(total)
    }

    /// Writes the data that [`Glb::new`] made room for.
    pub(super) fn write_shape(&self, shape: &Shape<'_>, out: &mut dyn Write) -> io::Result<()> {
        for &corner in shape.triangles.as_flattened() {
            if shape.is_small() {
                out.write_all(&(corner as u16).to_le_bytes())?;
            } else {
                out.write_all(&corner.to_le_bytes())?;
            }
        }
        if shape.is_small() && !shape.triangles.len().is_multiple_of(2) {
            out.write_all(&[0; 2])?;
        }
        write_floats(shape.positions.as_flattened(), out)?;
        write_floats(shape.normals.as_flattened(), out)?;
        write_floats(shape.colors.as_deref().unwrap_or_default().as_flattened(), out)
    }
}

pub(super) fn write_floats(values: &[f32], out: &mut dyn Write) -> io::Result<()> {
    let mut block = [0u8; 4096];
    for part in values.chunks(block.len() / 4) {
        for (slot, x) in block.chunks_exact_mut(4).zip(part) {
            slot.copy_from_slice(&x.to_le_bytes());
        }
        out.write_all(&block[..4 * part.len()])?;
    }
    Ok(())
}

fn push(list: &mut Value, item: Value) -> usize {
    let list = list.as_array_mut().expect("the document was made with its lists");
    list.push(item);
    list.len() - 1
}
