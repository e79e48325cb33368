//! Encoded array data turned into bytes: base64, block headers, compression.
//!
//! No size that a file claims is trusted: memory grows with the data that really comes out, and all
//! data of a file together is bounded by a multiple of the file's own size.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::document::{ArrayTag, Codec, Document, Source};
use crate::bytes::Cursor;
use crate::source::MAX_BYTES;
use crate::text::{Scanner, parse_integer, parse_number, show};
use crate::{ReadError, Result};

/// How much larger than its file a mesh in memory may be, above [`FREE_BYTES`]. Regular grids with
/// constant arrays reach some tens; a compression bomb reaches a thousand.
const MAX_GROWTH: u64 = 300;
const FREE_BYTES: u64 = 64 << 20;
/// An LZ4 byte stands for 255 at most.
const LZ4_GROWTH: usize = 255;
/// XZ presets use dictionaries up to 64 MiB.
const XZ_MEMORY_KIB: u32 = 80 << 10;

/// Decodes arrays of one document, within its memory bound.
pub(super) struct Decoder<'d, 'a> {
    document: &'d Document<'a>,
    budget: Cell<u64>,
}

impl<'d, 'a> Decoder<'d, 'a> {
    pub fn new(document: &'d Document<'a>) -> Self {
        let size = document.bytes.len() as u64;
        let budget = size.saturating_mul(MAX_GROWTH).saturating_add(FREE_BYTES).min(MAX_BYTES);
        Self { document, budget: Cell::new(budget) }
    }

    /// Notes that `bytes` more memory is about to be used.
    pub fn spend(&self, bytes: usize, at: usize) -> Result<()> {
        let left = self.budget.get().checked_sub(bytes as u64).ok_or_else(|| {
            let problem = "the arrays need far more memory than a file of this size can mean";
            self.document.error(at, problem).help("The file is damaged, or made to exhaust memory")
        })?;
        self.budget.set(left);
        Ok(())
    }

    fn error(&self, tag: &ArrayTag<'_>, problem: impl std::fmt::Display) -> ReadError {
        self.document.error(tag.at, format!("the array {:?}: {problem}", tag.name))
    }

    /// `tuples` tuples as numbers.
    pub fn numbers(&self, tag: &ArrayTag<'a>, tuples: usize) -> Result<Vec<f64>> {
        let count = tuples.checked_mul(tag.components);
        let count = count.ok_or_else(|| self.error(tag, "has more numbers than any memory"))?;
        if let Source::Text(parts) = &tag.source {
            let rounded = |t: &[u8]| parse_number(t).map(|x| tag.number.rounded(x));
            return self.text(tag, parts, count, rounded, "number");
        }
        let bytes = self.bytes(tag, count)?;
        self.spend(count.saturating_mul(8), tag.at)?;
        let mut values = tag.number.decode(&bytes, self.document.endian);
        values.truncate(count);
        Ok(values)
    }

    /// `count` integers.
    pub fn integers(&self, tag: &ArrayTag<'a>, count: usize) -> Result<Vec<i64>> {
        if let Source::Text(parts) = &tag.source {
            return self.text(tag, parts, count, parse_integer, "integer");
        }
        let bytes = self.bytes(tag, count)?;
        self.spend(count.saturating_mul(8), tag.at)?;
        let values = tag.number.decode_integers(&bytes, self.document.endian);
        values.ok_or_else(|| self.error(tag, "does not hold integers"))
    }

    fn text<T>(
        &self,
        tag: &ArrayTag<'a>,
        parts: &[&'a str],
        count: usize,
        parse: impl Fn(&[u8]) -> Option<T>,
        what: &str,
    ) -> Result<Vec<T>> {
        let length: usize = parts.iter().map(|p| p.len()).sum();
        let mut values = Vec::with_capacity(count.min(length / 2 + 1));
        for part in parts {
            let mut scan = Scanner::new(part.as_bytes());
            while let Some(token) = scan.token() {
                let value = parse(token).ok_or_else(|| {
                    let at = part.as_ptr().addr() - self.document.bytes.as_ptr().addr();
                    let problem = format!("the array {:?}: {} is no {what}", tag.name, show(token));
                    self.document.error(at + scan.offset(), problem)
                })?;
                values.push(value);
            }
        }
        if values.len() != count {
            return Err(
                self.error(tag, format!("holds {} numbers, but {count} are due", values.len()))
            );
        }
        Ok(values)
    }

    /// The bytes of `count` binary numbers.
    fn bytes(&self, tag: &ArrayTag<'a>, count: usize) -> Result<Cow<'a, [u8]>> {
        let due = tag.number.bytes_of(count);
        let due = due.ok_or_else(|| self.error(tag, "has more numbers than any memory"))?;
        if due == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let stored = match &tag.source {
            Source::Text(_) => unreachable!("text is read elsewhere"),
            Source::Base64(parts) => {
                Cow::Owned(self.base64(tag, parts.iter().map(|p| p.as_bytes()))?)
            }
            Source::Appended(offset) => self.appended(tag, *offset)?,
        };
        match stored {
            Cow::Borrowed(stored) => self.unpack(tag, stored, due),
            Cow::Owned(stored) => {
                self.unpack(tag, &stored, due).map(|b| Cow::Owned(b.into_owned()))
            }
        }
    }

    fn appended(&self, tag: &ArrayTag<'a>, offset: usize) -> Result<Cow<'a, [u8]>> {
        let data = self.document.appended;
        let rest = data.get(offset..).ok_or_else(|| {
            self.error(tag, format!("begins at byte {offset} of {} appended bytes", data.len()))
                .help("The file was probably cut off: fetch or export it again")
        })?;
        if !self.document.appended_base64 {
            return Ok(Cow::Borrowed(rest));
        }
        // Base64 does not say where it ends, but the next array begins there.
        let offsets = &self.document.offsets;
        let next = offsets.get(offsets.partition_point(|&o| o <= offset)).copied();
        let length = next.map_or(rest.len(), |n| (n - offset).min(rest.len()));
        Ok(Cow::Owned(self.base64(tag, std::iter::once(&rest[..length]))?))
    }

    /// Decodes base64 in which padding may stand in the middle: VTK pads the block header and the
    /// blocks each for themselves.
    fn base64<'p>(
        &self,
        tag: &ArrayTag<'_>,
        parts: impl Iterator<Item = &'p [u8]>,
    ) -> Result<Vec<u8>> {
        let text: Vec<u8> = parts.flatten().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        self.spend(text.len(), tag.at)?;
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
        let mut rest = &text[..];
        while !rest.is_empty() {
            let padding = rest.iter().position(|&b| b == b'=').unwrap_or(rest.len());
            let end = padding + rest[padding..].iter().take_while(|&&b| b == b'=').count();
            let (run, tail) = rest.split_at(end);
            STANDARD.decode_vec(run, &mut bytes).map_err(|e| {
                self.error(tag, format!("its base64 is damaged: {e}"))
                    .help("The file was probably cut off: fetch or export it again")
            })?;
            rest = tail;
        }
        Ok(bytes)
    }

    /// Removes the header and the compression.
    fn unpack<'s>(
        &self,
        tag: &ArrayTag<'_>,
        stored: &'s [u8],
        due: usize,
    ) -> Result<Cow<'s, [u8]>> {
        let mut cursor = Cursor::new(stored, 0, self.document.endian);
        let in_tag = |e: ReadError| self.error(tag, e.problem).help(e.help);
        let header = |c: &mut Cursor<'s>| -> Result<u64> {
            let value = match self.document.wide_header {
                true => c.u64("its header"),
                false => c.u32("its header").map(u64::from),
            };
            value.map_err(in_tag)
        };
        let wrong = |size: u128| {
            self.error(tag, format!("holds {size} bytes, but {due} are due"))
                .help("Either the file is damaged or its header_type or byte_order is wrong")
        };
        let first = header(&mut cursor)?;
        if self.document.codec == Codec::None {
            if first != due as u64 {
                return Err(wrong(first.into()));
            }
            return cursor.take(due, "its data").map(Cow::Borrowed).map_err(in_tag);
        }
        if first == 0 {
            return if due == 0 { Ok(Cow::Borrowed(&[])) } else { Err(wrong(0)) };
        }
        let size = header(&mut cursor)?;
        let last = header(&mut cursor)?;
        let last = if last == 0 { size } else { last };
        let total = u128::from(size) * u128::from(first - 1) + u128::from(last);
        if total != due as u128 {
            return Err(wrong(total));
        }
        self.spend(due, tag.at)?;
        let width = if self.document.wide_header { 8 } else { 4 };
        let mut lengths = Vec::with_capacity(cursor.capacity(first as usize, width));
        for _ in 0..first {
            lengths.push(header(&mut cursor)?);
        }
        let mut out = Vec::new();
        for (i, &length) in lengths.iter().enumerate() {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let block = cursor.take(length, "a compressed block").map_err(in_tag)?;
            // The sum was checked to be what is due, so each part fits.
            let size = if i + 1 == lengths.len() { last } else { size } as usize;
            decompress(self.document.codec, block, size, &mut out)
                .map_err(|problem| self.error(tag, format!("block {i} {problem}")))?;
        }
        Ok(Cow::Owned(out))
    }
}

/// Appends the `size` bytes that `block` stands for.
fn decompress(codec: Codec, block: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    let limit = size as u64 + 1;
    let damaged = |e: &dyn std::fmt::Display| format!("is damaged: {e}");
    match codec {
        Codec::None => out.extend_from_slice(block),
        Codec::Zlib => {
            let mut decoder = flate2::read::ZlibDecoder::new(block).take(limit);
            decoder.read_to_end(out).map_err(|e| damaged(&e))?;
        }
        Codec::Xz => {
            let decoder = lzma_rust2::XzReader::new_mem_limit(block, false, XZ_MEMORY_KIB);
            decoder.take(limit).read_to_end(out).map_err(|e| damaged(&e))?;
        }
        Codec::Lz4 => {
            if size > block.len().saturating_mul(LZ4_GROWTH) {
                return Err(format!("claims to unpack {} bytes to {size}", block.len()));
            }
            out.resize(start + size, 0);
            let written = lz4_flex::block::decompress_into(block, &mut out[start..]);
            out.truncate(start + written.map_err(|e| damaged(&e))?);
        }
    }
    match out.len() - start {
        n if n == size => Ok(()),
        n if n > size => Err(format!("unpacks to more than the {size} bytes it claims")),
        n => Err(format!("unpacks to {n} bytes instead of {size}")),
    }
}
