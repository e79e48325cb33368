//! Typed arrays inside buffers (section 3.6.2).

use super::buffers::Buffers;
use super::document::{Accessor, Document, Sparse};
use crate::{ReadError, Result};

/// The most elements of an accessor that has no bytes of its own, whose length the size of the file
/// therefore does not bound.
const MAX_UNBACKED: usize = 1 << 18;

/// Type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u64) -> Result<Self> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            other => {
                return Err(ReadError::file(format!("the component type {other} is unknown")));
            }
        })
    }

    /// The type of indices, which section 3.7.2.1 wants unsigned.
    fn of_indices(code: u64) -> Result<Self> {
        match Self::of(code)? {
            unsigned @ (Component::U8 | Component::U16 | Component::U32) => Ok(unsigned),
            other => Err(ReadError::file(format!("indices cannot be of type {other:?}"))),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number that `raw`, which has at least [`Component::bytes`] bytes, begins with.
    /// Normalised integers follow section 3.11's table of conversions.
    fn value(self, raw: &[u8], normalized: bool) -> f64 {
        let four = || [raw[0], raw[1], raw[2], raw[3]];
        let (value, largest) = match self {
            Component::I8 => (f64::from(raw[0] as i8), 127.0),
            Component::U8 => (f64::from(raw[0]), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes([raw[0], raw[1]])), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes([raw[0], raw[1]])), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes(four())), 4_294_967_295.0),
            Component::F32 => return f64::from(f32::from_le_bytes(four())),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// What the elements of an accessor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// Numbers of any kind.
    Numbers,
    /// What counts something else: unsigned integers.
    Indices,
}

/// Reads an accessor whose elements have `N` numbers; `what` names it in errors.
pub(super) fn read<const N: usize>(
    document: &Document,
    buffers: &mut Buffers<'_>,
    index: usize,
    usage: Use,
    what: &str,
) -> Result<Vec<[f64; N]>> {
    let count = document.accessors.len();
    let accessor = document.accessors.get(index).ok_or_else(|| {
        ReadError::file(format!("refers to accessor {index}, but there are {count}"))
    })?;
    elements(accessor, buffers, usage, what).map_err(|e| ReadError {
        problem: format!("accessor {index} ({what}): {}", e.problem),
        ..e
    })
}

fn elements<const N: usize>(
    accessor: &Accessor,
    buffers: &mut Buffers<'_>,
    usage: Use,
    what: &str,
) -> Result<Vec<[f64; N]>> {
    let shape = match N {
        1 => "SCALAR",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    };
    if accessor.shape != shape {
        return Err(ReadError::file(format!("{what} must be {shape}, not {:?}", accessor.shape)));
    }
    let component = match usage {
        Use::Indices => Component::of_indices(accessor.component_type)?,
        Use::Numbers => Component::of(accessor.component_type)?,
    };
    let mut out = match accessor.buffer_view {
        Some(view) => {
            let (bytes, stride) = buffers.view(view)?;
            let span = Span { offset: accessor.byte_offset, count: accessor.count, stride };
            span.read(bytes, component, accessor.normalized)?
        }
        // All zeros by the letter of the specification, but no mesh that anybody meant.
        None if accessor.sparse.is_none() => {
            return Err(ReadError::file(format!("has {} elements but no data", accessor.count))
                .help("If the mesh is compressed, export it without compression"));
        }
        None if accessor.count > MAX_UNBACKED => {
            return Err(ReadError::file(format!(
                "has {} elements but no data: at most {MAX_UNBACKED} can be read",
                accessor.count
            )));
        }
        None => vec![[0.0; N]; accessor.count],
    };
    if let Some(sparse) = &accessor.sparse {
        replace(&mut out, accessor, sparse, buffers)?;
    }
    Ok(out)
}

/// Where elements lie inside a buffer view.
struct Span {
    offset: usize,
    count: usize,
    stride: Option<usize>,
}

impl Span {
    fn read<const N: usize>(
        &self,
        bytes: &[u8],
        component: Component,
        normalized: bool,
    ) -> Result<Vec<[f64; N]>> {
        let size = N * component.bytes();
        let stride = self.stride.unwrap_or(size);
        if stride < size {
            return Err(ReadError::file(format!(
                "elements of {size} bytes cannot lie {stride} bytes apart"
            )));
        }
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let end = (self.count - 1)
            .checked_mul(stride)
            .and_then(|last| last.checked_add(size))
            .and_then(|span| span.checked_add(self.offset));
        if end.is_none_or(|end| end > bytes.len()) {
            return Err(ReadError::file(format!(
                "{} elements from byte {} on do not fit the {} bytes of its buffer view",
                self.count,
                self.offset,
                bytes.len()
            ))
            .help("The file is damaged or was cut off"));
        }
        let element = |i: usize| {
            let raw = &bytes[self.offset + i * stride..][..size];
            std::array::from_fn(|k| component.value(&raw[k * component.bytes()..], normalized))
        };
        Ok((0..self.count).map(element).collect())
    }
}

/// Puts the sparse values of an accessor in their places.
fn replace<const N: usize>(
    out: &mut [[f64; N]],
    accessor: &Accessor,
    sparse: &Sparse,
    buffers: &mut Buffers<'_>,
) -> Result<()> {
    let index_type = Component::of_indices(sparse.indices.component_type.unwrap_or(5125))?;
    let (bytes, stride) = buffers.view(sparse.indices.buffer_view)?;
    let span = Span { offset: sparse.indices.byte_offset, count: sparse.count, stride };
    let indices: Vec<[f64; 1]> = span.read(bytes, index_type, false)?;
    let (bytes, stride) = buffers.view(sparse.values.buffer_view)?;
    let span = Span { offset: sparse.values.byte_offset, count: sparse.count, stride };
    let component = Component::of(accessor.component_type)?;
    let values: Vec<[f64; N]> = span.read(bytes, component, accessor.normalized)?;
    let count = out.len();
    for ([index], value) in indices.into_iter().zip(values) {
        let Some(slot) = out.get_mut(index as usize) else {
            return Err(ReadError::file(format!(
                "a sparse value replaces element {index}, but there are {count}"
            )));
        };
        *slot = value;
    }
    Ok(())
}
