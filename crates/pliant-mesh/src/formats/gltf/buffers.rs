//! The bytes behind a glTF document: chunks of a GLB, files beside it, or text inside it.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use super::document::Document;
use crate::bytes::{Cursor, Endian};
use crate::source::Companions;
use crate::{Place, ReadError, Result};

const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// Splits a GLB into its JSON and its binary chunk (section 4.4).
pub(super) fn split_glb(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let mut cursor = Cursor::new(bytes, 0, Endian::Little);
    cursor.take(4, "the word glTF")?;
    let version = cursor.u32("the version")?;
    if version != 2 {
        return Err(ReadError::at(
            Place::Byte(4),
            format!("is GLB version {version}, and only version 2 can be read"),
        )
        .help("Export it as glTF 2.0"));
    }
    let length = cursor.u32("the length")? as usize;
    if length > bytes.len() {
        return Err(ReadError::at(
            Place::Byte(8),
            format!("the header promises {length} bytes, but the file has {}", bytes.len()),
        )
        .help("It was cut off: fetch or export it again"));
    }
    let (mut json, mut bin) = (None, None);
    while cursor.remaining() >= 8 {
        let length = cursor.u32("a chunk's length")? as usize;
        let kind = cursor.u32("a chunk's type")?;
        let data = cursor.take(length, "a chunk")?;
        match kind {
            JSON if json.is_none() => json = Some(data),
            BIN if bin.is_none() => bin = Some(data),
            // Chunks of other kinds are there for extensions.
            _ => {}
        }
    }
    let json = json.ok_or_else(|| cursor.error("there is no JSON chunk"))?;
    Ok((json, bin))
}

/// Opens the buffers of a document when they are first asked for.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    chunk: Option<&'a [u8]>,
    companions: &'a dyn Companions,
    open: Vec<Option<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document,
        chunk: Option<&'a [u8]>,
        companions: &'a dyn Companions,
    ) -> Self {
        let open = document.buffers.iter().map(|_| None).collect();
        Self { document, chunk, companions, open }
    }

    /// How many bytes the buffers opened so far have.
    pub(super) fn open_bytes(&self) -> usize {
        self.open.iter().flatten().map(|bytes| bytes.len()).sum()
    }

    /// The bytes of a buffer view and the distance between its elements, if it sets one.
    pub(super) fn view(&mut self, index: usize) -> Result<(&[u8], Option<usize>)> {
        let count = self.document.buffer_views.len();
        let view = self.document.buffer_views.get(index).ok_or_else(|| {
            ReadError::file(format!("refers to buffer view {index}, but there are {count}"))
        })?;
        let bytes = self.buffer(view.buffer)?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let Some(slice) = end.and_then(|end| bytes.get(view.byte_offset..end)) else {
            return Err(ReadError::file(format!(
                "buffer view {index} asks for {} bytes from {} on, but buffer {} has {}",
                view.byte_length,
                view.byte_offset,
                view.buffer,
                bytes.len()
            ))
            .help("The file is damaged or was cut off"));
        };
        Ok((slice, view.byte_stride))
    }

    fn buffer(&mut self, index: usize) -> Result<&[u8]> {
        let count = self.open.len();
        let Some(slot) = self.open.get_mut(index) else {
            return Err(ReadError::file(format!(
                "refers to buffer {index}, but there are {count}"
            )));
        };
        if slot.is_none() {
            let buffer = &self.document.buffers[index];
            let bytes = match (&buffer.uri, self.chunk) {
                (Some(uri), _) => load(uri, self.companions)?,
                (None, Some(chunk)) if index == 0 => Cow::Borrowed(chunk),
                (None, _) => {
                    return Err(ReadError::file(format!("buffer {index} has no data"))
                        .help("It may need an extension that is not supported"));
                }
            };
            if bytes.len() < buffer.byte_length {
                return Err(ReadError::file(format!(
                    "buffer {index} should have {} bytes, but has {}",
                    buffer.byte_length,
                    bytes.len()
                ))
                .help("It was cut off: fetch or export it again"));
            }
            *slot = Some(bytes);
        }
        Ok(slot.as_deref().unwrap_or_default())
    }
}

fn load<'a>(uri: &str, companions: &dyn Companions) -> Result<Cow<'a, [u8]>> {
    let Some(data) = uri.strip_prefix("data:") else {
        return companions.open(&percent_decoded(uri)).map(Cow::Owned);
    };
    let Some((head, text)) = data.split_once(',') else {
        return Err(ReadError::file("a data URI has no comma before its data"));
    };
    if !head.ends_with(";base64") {
        return Err(ReadError::file("a data URI is not in base64"));
    }
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&base64::alphabet::STANDARD, config)
        .decode(text.trim_ascii())
        .map(Cow::Owned)
        .map_err(|e| ReadError::file(format!("the base64 data of a buffer is damaged: {e}")))
}

/// Turns `%20` and its like back into what they stand for (RFC 3986, section 2.1).
fn percent_decoded(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let bytes = uri.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let digit = |k: usize| bytes.get(at + k).and_then(|&d| char::from(d).to_digit(16));
        match (b, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(b);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
