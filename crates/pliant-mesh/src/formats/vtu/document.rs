//! The XML of a `.vtu` file: which arrays there are and where their data lies.

use std::str;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::bytes::Endian;
use crate::formats::vtk::number::Number;
use crate::{Place, ReadError, Result};

/// VTK nests six deep; its information keys a little more.
const MAX_DEPTH: usize = 64;

/// How binary data was compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Codec {
    None,
    Zlib,
    Lz4,
    Xz,
}

/// What the XML says; data is still encoded.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub bytes: &'a [u8],
    pub endian: Endian,
    /// Whether sizes before the data take eight bytes instead of four.
    pub wide_header: bool,
    pub codec: Codec,
    pub pieces: Vec<Piece<'a>>,
    /// What follows the underscore of `AppendedData`.
    pub appended: &'a [u8],
    pub appended_base64: bool,
    /// Where appended arrays start, sorted.
    pub offsets: Vec<usize>,
}

/// A part of the grid, with points of its own.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    pub at: usize,
    pub point_count: usize,
    pub cell_count: usize,
    pub points: Vec<ArrayTag<'a>>,
    pub cells: Vec<ArrayTag<'a>>,
    pub point_data: Vec<ArrayTag<'a>>,
    pub cell_data: Vec<ArrayTag<'a>>,
}

/// A `DataArray` element.
#[derive(Debug)]
pub(super) struct ArrayTag<'a> {
    pub name: String,
    pub number: Number,
    pub components: usize,
    pub at: usize,
    pub source: Source<'a>,
}

/// Where the numbers of an array stand.
#[derive(Debug)]
pub(super) enum Source<'a> {
    Text(Vec<&'a str>),
    Base64(Vec<&'a str>),
    Appended(usize),
}

impl Document<'_> {
    /// An error at the line that holds byte `at`.
    pub fn error(&self, at: usize, problem: impl Into<String>) -> ReadError {
        error_at(self.bytes, at, problem)
    }
}

pub(super) fn error_at(bytes: &[u8], at: usize, problem: impl Into<String>) -> ReadError {
    let before = &bytes[..at.min(bytes.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    ReadError::at(Place::Line(line), problem)
}

/// Reads the XML up to the appended data, which is no XML.
pub(super) fn parse<'a>(bytes: &'a [u8], warnings: &mut Vec<String>) -> Result<Document<'a>> {
    let (xml, appended) = cut_appended(bytes);
    let text = str::from_utf8(xml).map_err(|e| {
        error_at(bytes, e.valid_up_to(), "the XML is not in UTF-8")
            .help("The file is damaged, or its appended data lacks the AppendedData element")
    })?;
    let mut parser = Parser::new(bytes, warnings);
    let mut reader = Reader::from_str(text);
    loop {
        let at = reader.buffer_position() as usize;
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => parser.event(event, at)?,
            Err(e) => return Err(error_at(bytes, at, format!("the XML is damaged: {e}"))),
        }
    }
    parser.finish(appended)
}

/// Splits the file behind the start tag of `AppendedData`.
fn cut_appended(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    const TAG: &[u8] = b"<AppendedData";
    let end = bytes.windows(TAG.len()).position(|w| w == TAG).and_then(|start| {
        bytes[start..].iter().position(|&b| b == b'>').map(|length| start + length + 1)
    });
    match end {
        Some(end) => (&bytes[..end], Some(&bytes[end..])),
        None => (bytes, None),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Section {
    File,
    Grid,
    Piece,
    PointData,
    CellData,
    Points,
    Cells,
    FieldData,
    Array,
    Appended,
    Other,
}

struct Parser<'a, 'w> {
    document: Document<'a>,
    stack: Vec<Section>,
    closed: bool,
    /// The array whose element is open.
    array: Option<ArrayTag<'a>>,
    later_steps: usize,
    warnings: &'w mut Vec<String>,
}

impl<'a, 'w> Parser<'a, 'w> {
    fn new(bytes: &'a [u8], warnings: &'w mut Vec<String>) -> Self {
        let document = Document {
            bytes,
            endian: Endian::Little,
            wide_header: false,
            codec: Codec::None,
            pieces: Vec::new(),
            appended: &[],
            appended_base64: false,
            offsets: Vec::new(),
        };
        Self { document, stack: Vec::new(), closed: false, array: None, later_steps: 0, warnings }
    }

    fn event(&mut self, event: Event<'a>, at: usize) -> Result<()> {
        match event {
            Event::Start(tag) => self.open(&tag, at),
            Event::Empty(tag) => {
                self.open(&tag, at)?;
                self.close();
                Ok(())
            }
            Event::End(_) => {
                self.close();
                Ok(())
            }
            Event::Text(text) => {
                self.text(text.into_inner());
                Ok(())
            }
            Event::CData(text) => {
                self.text(text.into_inner());
                Ok(())
            }
            Event::DocType(_) => {
                Err(self.document.error(at, "has a DOCTYPE, which VTK files never have"))
            }
            Event::GeneralRef(_) if self.array.is_some() => {
                Err(self.document.error(at, "an entity stands where numbers should"))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<()> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(self
                .document
                .error(at, format!("elements are nested more than {MAX_DEPTH} deep")));
        }
        let attributes = Attributes { bytes: self.document.bytes, at, tag };
        let name = tag.name();
        let parent = self.stack.last().copied();
        let section = match (parent, name.as_ref()) {
            (None, "VTKFile") => self.file(&attributes)?,
            (None, other) => {
                return Err(self
                    .document
                    .error(at, format!("begins with the element {other:?} instead of VTKFile")));
            }
            (Some(Section::File), "UnstructuredGrid") => Section::Grid,
            (Some(Section::File), "AppendedData") => {
                self.document.appended_base64 =
                    attributes.get("encoding")?.as_deref() == Some("base64");
                Section::Appended
            }
            (Some(Section::Grid), "Piece") => self.piece(&attributes)?,
            (Some(Section::Grid), "FieldData") => Section::FieldData,
            (Some(Section::Piece), "PointData") => Section::PointData,
            (Some(Section::Piece), "CellData") => Section::CellData,
            (Some(Section::Piece), "Points") => Section::Points,
            (Some(Section::Piece), "Cells") => Section::Cells,
            (Some(parent), "DataArray" | "Array") => self.data_array(&attributes, parent)?,
            _ => Section::Other,
        };
        self.stack.push(section);
        Ok(())
    }

    fn file(&mut self, attributes: &Attributes<'_>) -> Result<Section> {
        let kind = attributes.get("type")?.unwrap_or_default();
        if kind != "UnstructuredGrid" {
            let help = match kind.as_str() {
                "PUnstructuredGrid" => "It only lists other files: load those",
                "PolyData" => "Save it as an unstructured grid or as legacy .vtk",
                "Collection" => "It only lists the files of a series: load one of those",
                _ => "Save it as an unstructured grid",
            };
            let problem = format!("holds the data set {kind:?}, not an UnstructuredGrid");
            return Err(attributes.error(problem).help(help));
        }
        self.document.endian = match attributes.get("byte_order")?.as_deref() {
            None | Some("LittleEndian") => Endian::Little,
            Some("BigEndian") => Endian::Big,
            Some(other) => return Err(attributes.error(format!("byte_order {other:?} is unknown"))),
        };
        self.document.wide_header = match attributes.get("header_type")?.as_deref() {
            None | Some("UInt32") => false,
            Some("UInt64") => true,
            Some(other) => {
                return Err(attributes.error(format!("header_type {other:?} is unknown")));
            }
        };
        self.document.codec = match attributes.get("compressor")?.as_deref() {
            None | Some("") => Codec::None,
            Some("vtkZLibDataCompressor") => Codec::Zlib,
            Some("vtkLZ4DataCompressor") => Codec::Lz4,
            Some("vtkLZMADataCompressor") => Codec::Xz,
            Some(other) => {
                return Err(attributes
                    .error(format!("the compressor {other:?} is unknown"))
                    .help("Save it with ZLib, LZ4 or LZMA, or without compression"));
            }
        };
        Ok(Section::File)
    }

    fn piece(&mut self, attributes: &Attributes<'_>) -> Result<Section> {
        self.document.pieces.push(Piece {
            at: attributes.at,
            point_count: attributes.count("NumberOfPoints")?,
            cell_count: attributes.count("NumberOfCells")?,
            ..Piece::default()
        });
        Ok(Section::Piece)
    }

    fn data_array(&mut self, attributes: &Attributes<'_>, parent: Section) -> Result<Section> {
        let offset = attributes.optional_count("offset")?;
        let format = attributes.get("format")?.unwrap_or_else(|| "ascii".into());
        if format == "appended" {
            self.document.offsets.extend(offset);
        }
        if !matches!(
            parent,
            Section::PointData
                | Section::CellData
                | Section::Points
                | Section::Cells
                | Section::FieldData
        ) {
            return Ok(Section::Other);
        }
        let name = attributes.get("Name")?.unwrap_or_else(|| "unnamed".into());
        if parent == Section::FieldData {
            self.warnings.push(format!(
                "the array {name:?} belongs neither to points nor to cells and is left out"
            ));
            return Ok(Section::Other);
        }
        let kind = attributes.get("type")?.unwrap_or_default();
        if kind == "String" {
            self.warnings.push(format!("the text array {name:?} is left out"));
            return Ok(Section::Other);
        }
        let number = Number::from_xml(&kind).ok_or_else(|| {
            attributes.error(format!("the array {name:?} has the unknown type {kind:?}"))
        })?;
        if attributes.get("TimeStep")?.is_some_and(|step| step != "0") {
            self.later_steps += 1;
            return Ok(Section::Other);
        }
        let source = match (format.as_str(), offset) {
            ("ascii", _) => Source::Text(Vec::new()),
            ("binary", _) => Source::Base64(Vec::new()),
            ("appended", Some(offset)) => Source::Appended(offset),
            ("appended", None) => {
                return Err(attributes.error(format!("the array {name:?} has no offset")));
            }
            (other, _) => {
                return Err(attributes
                    .error(format!("the array {name:?} has the unknown format {other:?}")));
            }
        };
        // VTK takes 0 for 1.
        let components = attributes.optional_count("NumberOfComponents")?.unwrap_or(1).max(1);
        self.array = Some(ArrayTag { name, number, components, at: attributes.at, source });
        Ok(Section::Array)
    }

    fn text(&mut self, text: std::borrow::Cow<'a, str>) {
        // Information keys inside an array have texts of their own.
        if self.stack.last() != Some(&Section::Array) {
            return;
        }
        let std::borrow::Cow::Borrowed(text) = text else { return };
        if let Some(ArrayTag { source: Source::Text(parts) | Source::Base64(parts), .. }) =
            &mut self.array
            && !text.trim_ascii().is_empty()
        {
            parts.push(text);
        }
    }

    fn close(&mut self) {
        let section = self.stack.pop();
        self.closed |= section == Some(Section::File);
        if section == Some(Section::Array)
            && let Some(array) = self.array.take()
            && let Some(piece) = self.document.pieces.last_mut()
        {
            match self.stack.last() {
                Some(Section::PointData) => piece.point_data.push(array),
                Some(Section::CellData) => piece.cell_data.push(array),
                Some(Section::Points) => piece.points.push(array),
                Some(Section::Cells) => piece.cells.push(array),
                _ => {}
            }
        }
    }

    fn finish(mut self, appended: Option<&'a [u8]>) -> Result<Document<'a>> {
        let end = self.document.bytes.len();
        if self.stack.last() == Some(&Section::Appended) {
            let data = appended.unwrap_or_default();
            let mark = data.iter().position(|b| !b.is_ascii_whitespace());
            match mark.map(|m| (data[m], m)) {
                Some((b'_', m)) => self.document.appended = &data[m + 1..],
                _ => {
                    let at = end - data.len();
                    return Err(self
                        .document
                        .error(at, "the appended data does not begin with \"_\""));
                }
            }
        } else if !self.closed {
            return Err(self
                .document
                .error(end, "the file ends before </VTKFile>")
                .help("It was probably cut off: fetch or export it again"));
        }
        if self.document.appended_base64 {
            let data = self.document.appended;
            self.document.appended =
                &data[..data.iter().position(|&b| b == b'<').unwrap_or(data.len())];
        }
        if self.later_steps > 0 {
            self.warnings.push(format!(
                "{} arrays of later time steps are left out; the first step is read",
                self.later_steps
            ));
        }
        self.document.offsets.sort_unstable();
        Ok(self.document)
    }
}

pub(super) struct Attributes<'t> {
    pub bytes: &'t [u8],
    pub at: usize,
    pub tag: &'t BytesStart<'t>,
}

impl Attributes<'_> {
    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        error_at(self.bytes, self.at, problem)
    }

    pub fn get(&self, name: &str) -> Result<Option<String>> {
        let mut found = self.tag.attributes();
        // Only the attribute asked for matters; doubled ones are the XML's own trouble.
        found.with_checks(false);
        for attribute in found {
            let attribute =
                attribute.map_err(|e| self.error(format!("the XML is damaged: {e}")))?;
            if attribute.key.as_ref() == name {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                let value = value.map_err(|e| self.error(format!("attribute {name:?}: {e}")))?;
                return Ok(Some(value.into_owned()));
            }
        }
        Ok(None)
    }

    fn optional_count(&self, name: &str) -> Result<Option<usize>> {
        let Some(text) = self.get(name)? else { return Ok(None) };
        let count = text.trim_ascii().parse();
        count.map(Some).map_err(|_| self.error(format!("{name} is {text:?}, which is no count")))
    }

    fn count(&self, name: &str) -> Result<usize> {
        self.optional_count(name)?.ok_or_else(|| self.error(format!("the piece lacks {name}")))
    }
}
