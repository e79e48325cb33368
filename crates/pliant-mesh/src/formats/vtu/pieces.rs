//! Pieces of a document decoded and joined into one grid.

use std::collections::HashMap;

use super::decode::Decoder;
use super::document::{ArrayTag, Document, Piece};
use crate::formats::vtk::grid::{Cells, Grid, POLYHEDRON};
use crate::{DataArray, ReadError, Result};

/// Decodes all pieces, one behind the other.
pub(super) fn merge(document: &Document<'_>, warnings: &mut Vec<String>) -> Result<Grid> {
    let decoder = Decoder::new(document);
    let mut grid = Grid::default();
    let mut point_arrays = Arrays::default();
    let mut cell_arrays = Arrays::default();
    for piece in &document.pieces {
        let reader = PieceReader { document, decoder: &decoder, piece };
        let base = grid.points.len();
        grid.points.extend(reader.points()?);
        reader.cells(base, &mut grid.cells)?;
        point_arrays.add(&decoder, &piece.point_data, piece.point_count)?;
        cell_arrays.add(&decoder, &piece.cell_data, piece.cell_count)?;
    }
    grid.point_arrays = point_arrays.finish(&decoder, warnings)?;
    grid.cell_arrays = cell_arrays.finish(&decoder, warnings)?;
    Ok(grid)
}

struct PieceReader<'d, 'a> {
    document: &'d Document<'a>,
    decoder: &'d Decoder<'d, 'a>,
    piece: &'d Piece<'a>,
}

impl<'d, 'a> PieceReader<'d, 'a> {
    fn error(&self, problem: impl Into<String>) -> ReadError {
        self.document.error(self.piece.at, problem)
    }

    fn points(&self) -> Result<Vec<[f64; 3]>> {
        if self.piece.point_count == 0 {
            return Ok(Vec::new());
        }
        let tag = self.piece.points.first();
        let tag = tag.ok_or_else(|| self.error("the piece has no Points array"))?;
        if tag.components != 3 {
            let problem = format!("points have {} coordinates instead of 3", tag.components);
            return Err(self.document.error(tag.at, problem));
        }
        let values = self.decoder.numbers(tag, self.piece.point_count)?;
        Ok(values.as_chunks::<3>().0.to_vec())
    }

    fn tag(&self, name: &str) -> Option<&'d ArrayTag<'a>> {
        self.piece.cells.iter().find(|t| t.name == name)
    }

    fn needed(&self, name: &str, count: usize) -> Result<Vec<i64>> {
        let tag = self.tag(name);
        let tag = tag.ok_or_else(|| self.error(format!("the piece has no {name:?} array")))?;
        self.decoder.integers(tag, count)
    }

    /// Ends of lists in an array of `offsets`, which must not fall.
    fn ends(&self, name: &str, count: usize) -> Result<Vec<usize>> {
        let mut last = 0;
        let ends = self.needed(name, count)?.into_iter().enumerate().map(|(i, end)| {
            last = usize::try_from(end).ok().filter(|&e| e >= last).ok_or_else(|| {
                self.error(format!("entry {i} of {name:?} is {end}, less than the one before"))
            })?;
            Ok(last)
        });
        ends.collect()
    }

    fn cells(&self, base: usize, cells: &mut Cells) -> Result<()> {
        let count = self.piece.cell_count;
        if count == 0 {
            return Ok(());
        }
        let types = self.needed("types", count)?;
        let ends = self.ends("offsets", count)?;
        let corners = self.needed("connectivity", ends.last().copied().unwrap_or(0))?;
        let faces = match types.contains(&i64::from(POLYHEDRON)) {
            true => Some(self.faces(count)?),
            false => None,
        };
        self.decoder.spend(corners.len().saturating_mul(4), self.piece.at)?;
        let mut start = 0;
        for (i, (&kind, &end)) in types.iter().zip(&ends).enumerate() {
            let kind = u8::try_from(kind).unwrap_or(u8::MAX);
            match &faces {
                Some(faces) if kind == POLYHEDRON => {
                    faces.stream(i, &mut cells.corners, |corners, into| {
                        // Cells may name the same face again and again.
                        self.decoder.spend(corners.len() * 4 + 4, self.piece.at)?;
                        into.push(corners.len() as u32);
                        for &c in corners {
                            into.push(self.corner(c, base, i)?);
                        }
                        Ok(())
                    })?;
                    cells.close(kind);
                }
                _ => {
                    for &c in &corners[start..end] {
                        cells.corners.push(self.corner(c, base, i)?);
                    }
                    cells.close(kind);
                }
            }
            start = end;
        }
        Ok(())
    }

    /// A corner number within the joined grid.
    fn corner(&self, corner: i64, base: usize, cell: usize) -> Result<u32> {
        let count = self.piece.point_count;
        let inside = usize::try_from(corner).ok().filter(|&c| c < count);
        inside.and_then(|c| u32::try_from(c + base).ok()).ok_or_else(|| {
            self.error(format!(
                "cell {cell} refers to point {corner}, but the piece has {count} points"
            ))
        })
    }

    /// Faces of polyhedra, in the layout of VTK 9.4 or the one before.
    fn faces(&self, count: usize) -> Result<Faces> {
        if self.tag("polyhedron_to_faces").is_some() {
            let cells = self.ends("polyhedron_offsets", count)?;
            let list = self.needed("polyhedron_to_faces", cells.last().copied().unwrap_or(0))?;
            let faces =
                list.iter().copied().max().map_or(0, |m| m.saturating_add(1).max(0) as usize);
            let ends = self.ends("face_offsets", faces)?;
            let corners = self.needed("face_connectivity", ends.last().copied().unwrap_or(0))?;
            return Ok(Faces::Shared { cells, list, ends, corners });
        }
        let ends = self.needed("faceoffsets", count)?;
        let length = ends.iter().copied().max().unwrap_or(0).max(0) as usize;
        Ok(Faces::Stream { stream: self.needed("faces", length)?, ends })
    }
}

enum Faces {
    /// Faces with their corners, and for each cell the faces it has.
    Shared { cells: Vec<usize>, list: Vec<i64>, ends: Vec<usize>, corners: Vec<i64> },
    /// For each polyhedron its number of faces, then each face's number of corners and corners;
    /// `ends` is −1 for other cells.
    Stream { stream: Vec<i64>, ends: Vec<i64> },
}

impl Faces {
    /// Appends the face stream of a cell; `add` writes the size and the corners of one face.
    fn stream(
        &self,
        cell: usize,
        out: &mut Vec<u32>,
        add: impl Fn(&[i64], &mut Vec<u32>) -> Result<()>,
    ) -> Result<()> {
        let broken =
            || ReadError::file(format!("cell {cell} is a polyhedron whose face list is damaged"));
        match self {
            Faces::Shared { cells, list, ends, corners } => {
                let start = if cell == 0 { 0 } else { cells[cell - 1] };
                let faces = list.get(start..cells[cell]).ok_or_else(broken)?;
                out.push(faces.len() as u32);
                for &face in faces {
                    let face = usize::try_from(face).ok().filter(|&f| f < ends.len());
                    let face = face.ok_or_else(broken)?;
                    let start = if face == 0 { 0 } else { ends[face - 1] };
                    add(&corners[start..ends[face]], out)?;
                }
            }
            Faces::Stream { stream, ends } => {
                let end = usize::try_from(ends[cell]).map_err(|_| broken())?;
                let start = ends[..cell].iter().rev().find(|&&e| e >= 0).map_or(0, |&e| e as usize);
                let (&count, mut rest) =
                    stream.get(start..end).and_then(<[i64]>::split_first).ok_or_else(broken)?;
                out.push(u32::try_from(count).map_err(|_| broken())?);
                for _ in 0..count {
                    let (&n, tail) = rest.split_first().ok_or_else(broken)?;
                    let n = usize::try_from(n).map_err(|_| broken())?;
                    let (face, tail) = tail.split_at_checked(n).ok_or_else(broken)?;
                    add(face, out)?;
                    rest = tail;
                }
            }
        }
        Ok(())
    }
}

/// Arrays that grow from piece to piece; what a piece lacks is filled with not-a-number.
#[derive(Default)]
struct Arrays {
    arrays: Vec<(DataArray, usize)>,
    /// By name, components, and the how-manieth of that name in its piece.
    by_key: HashMap<(String, usize, usize), usize>,
    tuples: usize,
    gaps: bool,
}

impl Arrays {
    fn add<'a>(
        &mut self,
        decoder: &Decoder<'_, 'a>,
        tags: &[ArrayTag<'a>],
        tuples: usize,
    ) -> Result<()> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for tag in tags {
            let turn = seen.entry(&tag.name).or_default();
            *turn += 1;
            let values = decoder.numbers(tag, tuples)?;
            let key = (tag.name.clone(), tag.components, *turn);
            let slot = *self.by_key.entry(key).or_insert_with(|| {
                let array = DataArray {
                    name: tag.name.clone(),
                    components: tag.components,
                    values: Vec::new(),
                };
                self.arrays.push((array, tag.at));
                self.arrays.len() - 1
            });
            self.fill(slot, decoder)?;
            self.arrays[slot].0.values.extend(values);
        }
        self.tuples += tuples;
        Ok(())
    }

    /// Fills an array up to the tuples of the pieces before.
    fn fill(&mut self, slot: usize, decoder: &Decoder<'_, '_>) -> Result<()> {
        let (array, at) = &mut self.arrays[slot];
        let due = self.tuples.saturating_mul(array.components);
        let gap = due.saturating_sub(array.values.len());
        if gap > 0 {
            decoder.spend(gap.saturating_mul(8), *at)?;
            array.values.resize(due, f64::NAN);
            self.gaps = true;
        }
        Ok(())
    }

    fn finish(
        mut self,
        decoder: &Decoder<'_, '_>,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<DataArray>> {
        for slot in 0..self.arrays.len() {
            self.fill(slot, decoder)?;
        }
        if self.gaps {
            warnings
                .push("some pieces lack arrays that others have; the gaps are not-a-number".into());
        }
        Ok(self.arrays.into_iter().map(|(array, _)| array).collect())
    }
}
