//! The legacy file layout: keywords in text, numbers in text or as big-endian bytes.

use super::grid::{Cells, Grid};
use super::number::Number;
use crate::bytes::Endian;
use crate::text::{Scanner, parse_number, show};
use crate::{DataArray, Place, ReadError, Result};

/// Reads the whole file.
pub(super) fn read(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Grid> {
    let (mut reader, polydata) = Reader::start(bytes, warnings)?;
    while let Some(keyword) = reader.scan.token() {
        let keyword = keyword.to_ascii_uppercase();
        reader.section(&keyword, polydata).map_err(|e| reader.placed(e))?;
    }
    reader.finish(polydata)
}

/// Where the arrays that follow belong.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Nothing,
    Points,
    Cells,
}

/// Cells of one polygon-data section, as the lists of corners.
#[derive(Default)]
struct Lists {
    ends: Vec<usize>,
    corners: Vec<u32>,
}

struct Reader<'a, 'w> {
    scan: Scanner<'a>,
    binary: bool,
    points: Option<Vec<[f64; 3]>>,
    cells: Option<Lists>,
    types: Option<Vec<u8>>,
    /// Vertices, lines, polygons and strips of polygon data: the order in which cells are counted.
    poly: [Lists; 4],
    target: Target,
    tuples: usize,
    point_arrays: Vec<DataArray>,
    cell_arrays: Vec<DataArray>,
    warnings: &'w mut Vec<String>,
}

impl<'a, 'w> Reader<'a, 'w> {
    /// Reads the header; says also whether the file holds polygon data.
    fn start(bytes: &'a [u8], warnings: &'w mut Vec<String>) -> Result<(Self, bool)> {
        let mut scan = Scanner::new(bytes);
        let version = scan.rest_of_line();
        if !version.to_ascii_lowercase().starts_with(b"# vtk datafile version") {
            return Err(ReadError::at(
                Place::Line(1),
                "does not begin with \"# vtk DataFile Version\"",
            ));
        }
        scan.rest_of_line();
        let form = scan.expect("ASCII or BINARY")?;
        let binary = match form.to_ascii_uppercase().as_slice() {
            b"ASCII" => false,
            b"BINARY" => true,
            _ => {
                return Err(
                    scan.error(format!("{} where ASCII or BINARY should stand", show(form)))
                );
            }
        };
        let word = scan.expect("DATASET")?;
        if !word.eq_ignore_ascii_case(b"DATASET") {
            return Err(scan.error(format!("{} where DATASET should stand", show(word))));
        }
        let kind = scan.expect("the kind of data set")?;
        let polydata = match kind.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" => false,
            b"POLYDATA" => true,
            _ => {
                return Err(scan
                    .error(format!("holds the data set {}, which is not a mesh", show(kind)))
                    .help("Save it as an unstructured grid or as polygon data"));
            }
        };
        let reader = Self {
            scan,
            binary,
            points: None,
            cells: None,
            types: None,
            poly: Default::default(),
            target: Target::Nothing,
            tuples: 0,
            point_arrays: Vec::new(),
            cell_arrays: Vec::new(),
            warnings,
        };
        Ok((reader, polydata))
    }

    fn error(&self, problem: impl Into<String>) -> ReadError {
        self.placed(self.scan.error(problem))
    }

    /// Lines mean nothing between binary numbers; bytes do.
    fn placed(&self, error: ReadError) -> ReadError {
        let place = if self.binary { Place::Byte(self.scan.offset()) } else { error.place };
        ReadError { place, ..error }
    }

    fn section(&mut self, keyword: &[u8], polydata: bool) -> Result<()> {
        match keyword {
            b"POINTS" => self.read_points(),
            b"CELLS" if !polydata => {
                self.cells = Some(self.lists("CELLS")?);
                Ok(())
            }
            b"CELL_TYPES" if !polydata => self.cell_types(),
            b"VERTICES" if polydata => self.poly_section(0, "VERTICES"),
            b"LINES" if polydata => self.poly_section(1, "LINES"),
            b"POLYGONS" if polydata => self.poly_section(2, "POLYGONS"),
            b"TRIANGLE_STRIPS" if polydata => self.poly_section(3, "TRIANGLE_STRIPS"),
            b"METADATA" => {
                self.skip_metadata();
                Ok(())
            }
            b"POINT_DATA" => {
                let have = self.points.as_ref().map_or(0, Vec::len);
                self.start_data(Target::Points, have, "POINT_DATA", "points")
            }
            b"CELL_DATA" => {
                let have = self.cell_count();
                self.start_data(Target::Cells, have, "CELL_DATA", "cells")
            }
            b"FIELD" => self.field(),
            b"LOOKUP_TABLE" => self.lookup_table(),
            b"SCALARS" => self.scalars(),
            b"COLOR_SCALARS" => self.color_scalars(),
            b"VECTORS" | b"NORMALS" => self.attribute(3),
            b"TENSORS" => self.attribute(9),
            b"TENSORS6" => self.attribute(6),
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => self.attribute(1),
            b"TEXTURE_COORDINATES" => {
                let name = self.name()?;
                let dimensions = self.scan.count("the number of texture coordinates")?;
                let number = self.number_type()?;
                self.read_array(name, dimensions, number)
            }
            _ => Err(self.error(format!("{} is no keyword of this format", show(keyword))).help(
                "The numbers before it may be more or fewer than announced, or the file is damaged",
            )),
        }
    }

    // ---- geometry ----

    fn read_points(&mut self) -> Result<()> {
        let count = self.scan.count("the number of points")?;
        let number = self.number_type()?;
        let values = self.numbers(number, count, 3, "the points")?;
        self.points = Some(values.as_chunks::<3>().0.to_vec());
        Ok(())
    }

    fn poly_section(&mut self, slot: usize, name: &str) -> Result<()> {
        self.poly[slot] = self.lists(name)?;
        Ok(())
    }

    /// A list of cells, in the layout up to version 4 (`n a b c …` in a row) or the one since.
    fn lists(&mut self, name: &str) -> Result<Lists> {
        let first = self.scan.count(&format!("the first size of {name}"))?;
        let second = self.scan.count(&format!("the second size of {name}"))?;
        let mut ahead = self.scan.clone();
        let offsets_follow = ahead.token().is_some_and(|t| t.eq_ignore_ascii_case(b"OFFSETS"));
        if offsets_follow {
            self.scan = ahead;
            return self.split_lists(first, second, name);
        }
        let flat = self.integers(Number::I32, second, name)?;
        let mut lists = Lists::default();
        let mut rest = &flat[..];
        for cell in 0..first {
            let short = || {
                self.error(format!(
                    "{name} announces {first} cells in {second} numbers, but cell {cell} runs over \
                     their end"
                ))
            };
            let (&n, tail) = rest.split_first().ok_or_else(short)?;
            let n = usize::try_from(n).map_err(|_| short())?;
            let (corners, tail) = tail.split_at_checked(n).ok_or_else(short)?;
            self.extend(&mut lists.corners, corners, cell)?;
            lists.ends.push(lists.corners.len());
            rest = tail;
        }
        Ok(lists)
    }

    fn split_lists(&mut self, offsets: usize, corners: usize, name: &str) -> Result<Lists> {
        let number = self.number_type()?;
        let offsets = self.integers(number, offsets, "OFFSETS")?;
        let word = self.scan.expect("CONNECTIVITY")?;
        if !word.eq_ignore_ascii_case(b"CONNECTIVITY") {
            return Err(self.error(format!("{} where CONNECTIVITY should stand", show(word))));
        }
        let number = self.number_type()?;
        let flat = self.integers(number, corners, "CONNECTIVITY")?;
        let mut lists = Lists::default();
        self.extend(&mut lists.corners, &flat, 0)?;
        let mut last = 0;
        for (i, &offset) in offsets.iter().enumerate() {
            let end = usize::try_from(offset).ok().filter(|e| (last..=flat.len()).contains(e));
            last = end.ok_or_else(|| {
                self.error(format!(
                    "offset {i} of {name} is {offset}, which does not lie between the one before \
                     and the {} corners",
                    flat.len()
                ))
            })?;
            if i > 0 {
                lists.ends.push(last);
            } else if last != 0 {
                return Err(self.error(format!("the first offset of {name} is {offset}, not 0")));
            }
        }
        Ok(lists)
    }

    fn extend(&self, into: &mut Vec<u32>, corners: &[i64], cell: usize) -> Result<()> {
        for &c in corners {
            let c = u32::try_from(c).map_err(|_| {
                self.error(format!("cell {cell} or a later one has the corner {c}"))
            })?;
            into.push(c);
        }
        Ok(())
    }

    fn cell_types(&mut self) -> Result<()> {
        let count = self.scan.count("the number of cell types")?;
        let types = self.integers(Number::I32, count, "CELL_TYPES")?;
        let narrow = |t: &i64| u8::try_from(*t).unwrap_or(u8::MAX);
        self.types = Some(types.iter().map(narrow).collect());
        Ok(())
    }

    fn cell_count(&self) -> usize {
        let grid = self.cells.as_ref().map_or(0, |c| c.ends.len());
        grid + self.poly.iter().map(|l| l.ends.len()).sum::<usize>()
    }

    // ---- arrays ----

    fn start_data(&mut self, target: Target, have: usize, keyword: &str, what: &str) -> Result<()> {
        let count = self.scan.count(keyword)?;
        if count != have {
            return Err(self.error(format!(
                "{keyword} announces {count} values, but there are {have} {what}"
            )));
        }
        self.target = target;
        self.tuples = count;
        Ok(())
    }

    fn attribute(&mut self, components: usize) -> Result<()> {
        let name = self.name()?;
        let number = self.number_type()?;
        self.read_array(name, components, number)
    }

    fn scalars(&mut self) -> Result<()> {
        let name = self.name()?;
        let number = self.number_type()?;
        let components = match self.scan.token_on_line() {
            Some(t) => parse_number(t).filter(|n| (1.0..=1e6).contains(n)).ok_or_else(|| {
                self.error(format!("{} where the number of components should stand", show(t)))
            })? as usize,
            None => 1,
        };
        // Some writers leave the line out.
        let mut ahead = self.scan.clone();
        ahead.next_line();
        if !self.binary {
            ahead.peek();
        }
        if ahead.rest().len() >= 12 && ahead.rest()[..12].eq_ignore_ascii_case(b"LOOKUP_TABLE") {
            ahead.token();
            ahead.token_on_line();
            self.scan = ahead;
        }
        self.read_array(name, components, number)
    }

    /// Colours are bytes in binary files and fractions in text; both become 0 … 255.
    fn color_scalars(&mut self) -> Result<()> {
        let name = self.name()?;
        let components = self.scan.count("the number of colour components")?;
        let mut values = self.numbers(Number::U8, self.tuples, components, "the colours")?;
        if !self.binary {
            values.iter_mut().for_each(|v| *v = (*v * 255.0).round());
        }
        self.keep(DataArray { name, components, values });
        Ok(())
    }

    fn lookup_table(&mut self) -> Result<()> {
        self.name()?;
        let size = self.scan.count("the size of the lookup table")?;
        self.numbers(Number::U8, size, 4, "the lookup table").map(drop)
    }

    fn field(&mut self) -> Result<()> {
        self.name()?;
        let count = self.scan.count("the number of field arrays")?;
        for _ in 0..count {
            self.field_array()?;
        }
        Ok(())
    }

    fn field_array(&mut self) -> Result<()> {
        while self.scan.peek().is_some_and(|t| t.eq_ignore_ascii_case(b"METADATA")) {
            self.scan.token();
            self.skip_metadata();
        }
        let name = self.name()?;
        if name == "NULL_ARRAY" {
            return Ok(());
        }
        let components = self.scan.count("the number of components")?;
        let tuples = self.scan.count("the number of tuples")?;
        let word = self.scan.expect("the type of the numbers")?;
        if word.eq_ignore_ascii_case(b"string") {
            self.warnings.push(format!("the text array {name:?} is left out"));
            return self.skip_strings(components, tuples);
        }
        let number = self.number_named(word)?;
        let values = self.numbers(number, tuples, components, &format!("the array {name:?}"))?;
        if self.target == Target::Nothing {
            self.warnings.push(format!(
                "the array {name:?} belongs neither to points nor to cells and is left out"
            ));
        } else if tuples != self.tuples {
            return Err(self.error(format!(
                "the array {name:?} has {tuples} tuples, but {} are due",
                self.tuples
            )));
        } else {
            self.keep(DataArray { name, components, values });
        }
        Ok(())
    }

    fn read_array(&mut self, name: String, components: usize, number: Number) -> Result<()> {
        if self.target == Target::Nothing {
            return Err(
                self.error(format!("the array {name:?} stands before POINT_DATA and CELL_DATA"))
            );
        }
        let values =
            self.numbers(number, self.tuples, components, &format!("the array {name:?}"))?;
        self.keep(DataArray { name, components, values });
        Ok(())
    }

    fn keep(&mut self, array: DataArray) {
        match self.target {
            Target::Points => self.point_arrays.push(array),
            Target::Cells => self.cell_arrays.push(array),
            Target::Nothing => {}
        }
    }

    /// A block of remarks, up to the next empty line.
    fn skip_metadata(&mut self) {
        self.scan.next_line();
        while !self.scan.rest().is_empty() && !self.scan.rest_of_line().is_empty() {}
    }

    /// Texts: one per line, or each behind its length, whose first two bits say how many bytes
    /// that length takes.
    fn skip_strings(&mut self, components: usize, tuples: usize) -> Result<()> {
        let count = self.product(components, tuples, "the text array")?;
        self.scan.next_line();
        for _ in 0..count {
            let rest = self.scan.rest();
            if rest.is_empty() {
                return Err(self.cut_off("the text array"));
            }
            if !self.binary {
                self.scan.next_line();
                continue;
            }
            let width = 1usize << (3 - (rest[0] >> 6));
            let head = rest.get(..width).ok_or_else(|| self.cut_off("the text array"))?;
            let length = head.iter().fold(0u64, |n, &b| n << 8 | u64::from(b));
            let length = length & (u64::MAX >> (64 - 8 * width + 2));
            let end = usize::try_from(length).ok().and_then(|n| n.checked_add(width));
            let end =
                end.filter(|&e| e <= rest.len()).ok_or_else(|| self.cut_off("the text array"))?;
            self.scan.seek(self.scan.offset() + end);
        }
        Ok(())
    }

    // ---- numbers ----

    fn name(&mut self) -> Result<String> {
        let token = self.scan.expect("a name")?;
        Ok(decode_name(token))
    }

    fn number_type(&mut self) -> Result<Number> {
        let word = self.scan.expect("the type of the numbers")?;
        self.number_named(word)
    }

    fn number_named(&self, word: &[u8]) -> Result<Number> {
        Number::from_legacy(word).ok_or_else(|| {
            self.error(format!("{} is no type of numbers", show(word)))
                .help("Types are bit, char, short, int, long, float, double and their unsigned kin")
        })
    }

    fn product(&self, a: usize, b: usize, what: &str) -> Result<usize> {
        a.checked_mul(b)
            .ok_or_else(|| self.error(format!("{what} would have {a} times {b} numbers")))
    }

    fn cut_off(&self, what: &str) -> ReadError {
        self.error(format!("the file ends within {what}"))
            .help("It was probably cut off: fetch or export it again")
    }

    /// The bytes of `count` binary numbers, which begin on the line after the keyword.
    fn raw(&mut self, number: Number, count: usize, what: &str) -> Result<&'a [u8]> {
        self.scan.next_line();
        let rest = self.scan.rest();
        let bytes = number.bytes_of(count).and_then(|n| rest.get(..n));
        let bytes = bytes.ok_or_else(|| {
            self.error(format!(
                "{what} needs {count} numbers, but only {} bytes are left",
                rest.len()
            ))
            .help("The file was probably cut off: fetch or export it again")
        })?;
        self.scan.seek(self.scan.offset() + bytes.len());
        Ok(bytes)
    }

    fn numbers(
        &mut self,
        number: Number,
        tuples: usize,
        components: usize,
        what: &str,
    ) -> Result<Vec<f64>> {
        let count = self.product(tuples, components, what)?;
        if self.binary {
            let mut values = number.decode(self.raw(number, count, what)?, Endian::Big);
            values.truncate(count);
            return Ok(values);
        }
        let mut values = Vec::with_capacity(self.scan.capacity(count, 2));
        for _ in 0..count {
            values.push(number.rounded(self.scan.number(what)?));
        }
        Ok(values)
    }

    fn integers(&mut self, number: Number, count: usize, what: &str) -> Result<Vec<i64>> {
        if self.binary {
            let bytes = self.raw(number, count, what)?;
            return number
                .decode_integers(bytes, Endian::Big)
                .ok_or_else(|| self.error(format!("{what} does not hold integers")));
        }
        let mut values = Vec::with_capacity(self.scan.capacity(count, 2));
        for _ in 0..count {
            values.push(self.scan.integer(what)?);
        }
        Ok(values)
    }

    // ---- the end ----

    fn finish(self, polydata: bool) -> Result<Grid> {
        let missing = |what: &str| {
            ReadError::file(format!("has no {what} section"))
                .help("It was probably cut off: fetch or export it again")
        };
        let points = self.points.ok_or_else(|| missing("POINTS"))?;
        let cells = if polydata {
            poly_cells(self.poly)
        } else if points.is_empty() && self.cells.is_none() {
            Cells::default()
        } else {
            let lists = self.cells.ok_or_else(|| missing("CELLS"))?;
            let types = self.types.ok_or_else(|| missing("CELL_TYPES"))?;
            if types.len() != lists.ends.len() {
                return Err(ReadError::file(format!(
                    "has {} cells, but {} cell types",
                    lists.ends.len(),
                    types.len()
                )));
            }
            Cells { types, ends: lists.ends, corners: lists.corners }
        };
        if polydata && cells.types.is_empty() && !points.is_empty() {
            return Err(missing("POLYGONS"));
        }
        Ok(Grid { points, cells, point_arrays: self.point_arrays, cell_arrays: self.cell_arrays })
    }
}

fn poly_cells(sections: [Lists; 4]) -> Cells {
    let mut cells = Cells::default();
    // Vertices and lines of VTK's own numbering, then polygons and strips.
    for (kind, lists) in [2, 4, 7, 6].into_iter().zip(sections) {
        let base = cells.corners.len();
        cells.types.extend(std::iter::repeat_n(kind, lists.ends.len()));
        cells.ends.extend(lists.ends.iter().map(|e| e + base));
        cells.corners.extend(lists.corners);
    }
    cells
}

/// Undoes `%20` and the like, which newer writers use for blanks in names.
fn decode_name(token: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(token.len());
    let mut rest = token;
    while let Some((&b, tail)) = rest.split_first() {
        let code = match tail {
            [h, l, ..] if b == b'%' => {
                let digit = |c: &u8| char::from(*c).to_digit(16);
                digit(h).zip(digit(l)).map(|(h, l)| (h * 16 + l) as u8)
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(b));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
