//! The header of a PLY file.

use crate::text::{Scanner, parse_integer, show};
use crate::{Place, ReadError, Result};

/// How the numbers behind the header are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
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
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Number::I8,
            b"uchar" | b"uint8" => Number::U8,
            b"short" | b"int16" => Number::I16,
            b"ushort" | b"uint16" => Number::U16,
            b"int" | b"int32" => Number::I32,
            b"uint" | b"uint32" => Number::U32,
            b"long" | b"int64" => Number::I64,
            b"ulong" | b"uint64" => Number::U64,
            b"float" | b"float32" => Number::F32,
            b"double" | b"float64" => Number::F64,
            _ => return None,
        })
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::I64 | Number::U64 | Number::F64 => 8,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar(Number),
    /// Type of the length, type of the items.
    List(Number, Number),
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// The scalar properties, in the order in which a row gives them.
    pub(super) fn scalars(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(|p| matches!(p.kind, Kind::Scalar(_)))
    }

    /// Where among the scalars of a row the property `name` stands.
    pub(super) fn scalar(&self, name: &str) -> Option<usize> {
        self.scalars().position(|p| p.name == name)
    }

    /// The fewest bytes a row can have in a binary file.
    pub(super) fn least_bytes(&self) -> usize {
        let sizes = self.properties.iter().map(|p| match p.kind {
            Kind::Scalar(number) | Kind::List(number, _) => number.bytes(),
        });
        sizes.sum()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Where the numbers begin.
    pub(super) body: usize,
    /// Lines before the numbers.
    pub(super) lines: usize,
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        if !(bytes.starts_with(b"ply")
            && bytes.get(3).is_none_or(|b| matches!(b, b'\n' | b'\r' | b' ')))
        {
            return Err(ReadError::at(Place::Line(1), "a PLY file begins with the line `ply`"));
        }
        let mut scan = Scanner::new(bytes);
        scan.next_line();
        // A binary body may begin with a line feed: only the line end that the header uses is its own.
        let lone_return = bytes[..scan.offset()].ends_with(b"\r");
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            match scan.expect("end_header")? {
                b"format" => encoding = Some(format(&mut scan)?),
                b"comment" | b"obj_info" => {}
                b"element" => elements.push(element(&mut scan, &elements)?),
                b"property" => {
                    let property = property(&mut scan)?;
                    let Some(element) = elements.last_mut() else {
                        return Err(scan.error("a property stands before any element"));
                    };
                    element.properties.push(property);
                }
                b"end_header" => break,
                other => {
                    return Err(scan.error(format!("{} is no word of a PLY header", show(other))));
                }
            }
            scan.next_line();
        }
        let Some(encoding) = encoding else {
            return Err(scan.error("the header has no `format` line"));
        };
        let lines = scan.line();
        let body = end_of_line(bytes, scan.offset(), lone_return);
        Ok(Self { encoding, elements, body, lines })
    }

    /// How many points there will be.
    pub(super) fn point_count(&self) -> Result<usize> {
        let Some(vertex) = self.elements.iter().find(|e| e.name == "vertex") else {
            return Err(ReadError::file("the header has no element `vertex`"));
        };
        if vertex.count > u32::MAX as usize {
            let n = vertex.count;
            return Err(ReadError::file(format!(
                "{n} points are more than 32-bit numbers can count"
            )));
        }
        Ok(vertex.count)
    }
}

/// The first byte behind the line that `from` stands on.
fn end_of_line(bytes: &[u8], from: usize, lone_return: bool) -> usize {
    let mut at = from;
    while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t')) {
        at += 1;
    }
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) if !lone_return => at + 2,
        (Some(b'\n' | b'\r'), _) => at + 1,
        _ => at,
    }
}

fn word<'a>(scan: &mut Scanner<'a>, what: &str) -> Result<&'a [u8]> {
    scan.token_on_line()
        .ok_or_else(|| scan.error(format!("{what} is missing at the end of the line")))
}

fn format(scan: &mut Scanner<'_>) -> Result<Encoding> {
    match word(scan, "the format")? {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        other => Err(scan
            .error(format!("the format {} is unknown", show(other)))
            .help("It must be ascii, binary_little_endian or binary_big_endian")),
    }
}

fn element(scan: &mut Scanner<'_>, before: &[Element]) -> Result<Element> {
    let name = String::from_utf8_lossy(word(scan, "an element's name")?).into_owned();
    let token = word(scan, "an element's count")?;
    let count = parse_integer(token).and_then(|n| usize::try_from(n).ok());
    let Some(count) = count else {
        return Err(scan.error(format!("the count of element {name} is {}, no count", show(token))));
    };
    if name == "vertex" && before.iter().any(|e| e.name == name) {
        return Err(scan.error("there are two elements `vertex`"));
    }
    Ok(Element { name, count, properties: Vec::new() })
}

fn property(scan: &mut Scanner<'_>) -> Result<Property> {
    let first = word(scan, "a property's type")?;
    let kind = if first == b"list" {
        let length = number(scan, "a list's length type")?;
        if matches!(length, Number::F32 | Number::F64) {
            return Err(scan.error("the length of a list cannot be a fraction"));
        }
        Kind::List(length, number(scan, "a list's item type")?)
    } else {
        Kind::Scalar(Number::named(first).ok_or_else(|| unknown_type(scan, first))?)
    };
    let name = String::from_utf8_lossy(word(scan, "a property's name")?).into_owned();
    Ok(Property { name, kind })
}

fn number(scan: &mut Scanner<'_>, what: &str) -> Result<Number> {
    let token = word(scan, what)?;
    Number::named(token).ok_or_else(|| unknown_type(scan, token))
}

fn unknown_type(scan: &Scanner<'_>, token: &[u8]) -> ReadError {
    scan.error(format!("the number type {} is unknown", show(token)))
        .help("It must be one of char, uchar, short, ushort, int, uint, float and double")
}
