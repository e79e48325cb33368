//! Number types of VTK files and how their bytes become numbers.

use crate::bytes::Endian;

/// A number type that an array may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Number {
    Bit,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    /// The type called `name` in a legacy file. `long` has the eight bytes it has everywhere but
    /// on Windows; ids are stored with four whatever the writer's own size.
    pub fn from_legacy(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"bit" => Number::Bit,
            b"char" | b"signed_char" | b"vtktypeint8" => Number::I8,
            b"unsigned_char" | b"vtktypeuint8" => Number::U8,
            b"short" | b"vtktypeint16" => Number::I16,
            b"unsigned_short" | b"vtktypeuint16" => Number::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Number::I32,
            b"unsigned_int" | b"vtktypeuint32" => Number::U32,
            b"long" | b"vtktypeint64" | b"long_long" => Number::I64,
            b"unsigned_long" | b"vtktypeuint64" | b"unsigned_long_long" => Number::U64,
            b"float" => Number::F32,
            b"double" => Number::F64,
            _ => return None,
        })
    }

    /// The type called `name` in an XML file.
    pub fn from_xml(name: &str) -> Option<Self> {
        Some(match name {
            "Bit" => Number::Bit,
            "Int8" => Number::I8,
            "UInt8" => Number::U8,
            "Int16" => Number::I16,
            "UInt16" => Number::U16,
            "Int32" => Number::I32,
            "UInt32" => Number::U32,
            "Int64" => Number::I64,
            "UInt64" => Number::U64,
            "Float32" => Number::F32,
            "Float64" => Number::F64,
            _ => return None,
        })
    }

    /// Bytes that `count` numbers take; `None` when that is beyond any memory.
    pub fn bytes_of(self, count: usize) -> Option<usize> {
        match self {
            Number::Bit => Some(count.div_ceil(8)),
            Number::I8 | Number::U8 => Some(count),
            Number::I16 | Number::U16 => count.checked_mul(2),
            Number::I32 | Number::U32 | Number::F32 => count.checked_mul(4),
            Number::I64 | Number::U64 | Number::F64 => count.checked_mul(8),
        }
    }

    /// A number read from text as the type would store it, so that text and binary files agree.
    pub fn rounded(self, x: f64) -> f64 {
        if self == Number::F32 { f64::from(x as f32) } else { x }
    }

    /// The numbers in `bytes`; a part of a number at the end is ignored.
    pub fn decode(self, bytes: &[u8], endian: Endian) -> Vec<f64> {
        macro_rules! each {
            ($type:ty) => {
                each_number(bytes, endian, <$type>::from_le_bytes, <$type>::from_be_bytes, |x| {
                    x as f64
                })
            };
        }
        match self {
            Number::Bit => bits(bytes).map(f64::from).collect(),
            Number::I8 => bytes.iter().map(|&b| f64::from(b as i8)).collect(),
            Number::U8 => bytes.iter().map(|&b| f64::from(b)).collect(),
            Number::I16 => each!(i16),
            Number::U16 => each!(u16),
            Number::I32 => each!(i32),
            Number::U32 => each!(u32),
            Number::I64 => each!(i64),
            Number::U64 => each!(u64),
            Number::F32 => each!(f32),
            Number::F64 => each!(f64),
        }
    }

    /// The numbers in `bytes` as exact integers; `None` for a type that holds none.
    pub fn decode_integers(self, bytes: &[u8], endian: Endian) -> Option<Vec<i64>> {
        macro_rules! each {
            ($type:ty) => {
                each_number(bytes, endian, <$type>::from_le_bytes, <$type>::from_be_bytes, |x| {
                    i64::try_from(x).unwrap_or(i64::MAX)
                })
            };
        }
        Some(match self {
            Number::I8 => bytes.iter().map(|&b| i64::from(b as i8)).collect(),
            Number::U8 => bytes.iter().map(|&b| i64::from(b)).collect(),
            Number::I16 => each!(i16),
            Number::U16 => each!(u16),
            Number::I32 => each!(i32),
            Number::U32 => each!(u32),
            Number::I64 => each!(i64),
            Number::U64 => each!(u64),
            Number::Bit | Number::F32 | Number::F64 => return None,
        })
    }
}

/// The bits of `bytes`, most significant first.
fn bits(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    bytes.iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1))
}

fn each_number<const N: usize, T, R>(
    bytes: &[u8],
    endian: Endian,
    little: fn([u8; N]) -> T,
    big: fn([u8; N]) -> T,
    convert: impl Fn(T) -> R,
) -> Vec<R> {
    let read = match endian {
        Endian::Little => little,
        Endian::Big => big,
    };
    bytes.as_chunks::<N>().0.iter().map(|&raw| convert(read(raw))).collect()
}
