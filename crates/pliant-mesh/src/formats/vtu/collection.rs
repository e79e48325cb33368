//! `.pvd` files, which list the frames of a series.

use std::io::{self, Write};
use std::str;

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::document::{Attributes, error_at};
use super::write::escaped;
use crate::{ReadError, Result};

/// Writes a `.pvd` file, which ParaView opens as a time series: time \[s\] and file name of each
/// frame.
pub fn write_pvd(entries: &[(f64, &str)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(out, "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">")?;
    writeln!(out, "  <Collection>")?;
    for (time, file) in entries {
        let file = escaped(file);
        writeln!(out, "    <DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>")?;
    }
    writeln!(out, "  </Collection>\n</VTKFile>")
}

/// Reads what a `.pvd` file lists: time \[s\] and file of each frame, in the order of the file. Names
/// are relative to the folder of the list.
pub fn read_pvd(bytes: &[u8]) -> Result<Vec<(f64, String)>> {
    let text = str::from_utf8(bytes)
        .map_err(|e| error_at(bytes, e.valid_up_to(), "the XML is not in UTF-8"))?;
    let mut reader = Reader::from_str(text);
    let (mut entries, mut is_list) = (Vec::new(), false);
    loop {
        let at = reader.buffer_position() as usize;
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let attributes = Attributes { bytes, at, tag: &tag };
                match tag.name().as_ref() {
                    "VTKFile" => {
                        is_list = attributes.get("type")?.as_deref() == Some("Collection");
                    }
                    "DataSet" if is_list => entries.push(entry(&attributes, entries.len())?),
                    _ => {}
                }
            }
            Ok(_) => {}
            Err(e) => return Err(error_at(bytes, at, format!("the XML is damaged: {e}"))),
        }
    }
    if is_list {
        return Ok(entries);
    }
    Err(ReadError::file("lists no series: there is no VTKFile of type \"Collection\" in it")
        .help("Take the .pvd that stands beside the frames"))
}

/// Without a time, frames are counted.
fn entry(attributes: &Attributes<'_>, number: usize) -> Result<(f64, String)> {
    let time = match attributes.get("timestep")? {
        None => number as f64,
        Some(text) => match text.trim().parse::<f64>() {
            Ok(time) if time.is_finite() => time,
            _ => return Err(attributes.error(format!("the time {text:?} is not a number"))),
        },
    };
    match attributes.get("file")? {
        Some(file) if !file.is_empty() => Ok((time, file)),
        _ => Err(attributes.error("a frame names no file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn what_is_written_is_read_again() {
        let entries = [(0.0, "vtu/a & b-1.vtu"), (0.04, "vtu/\"two\".vtu"), (1e-9, "c.vtu")];
        let mut bytes = Vec::new();
        write_pvd(&entries, &mut bytes).unwrap();
        let read = read_pvd(&bytes).unwrap();
        let read: Vec<(f64, &str)> = read.iter().map(|(t, f)| (*t, f.as_str())).collect();
        assert_eq!(read, entries);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let list = |body: &str| format!("<VTKFile type=\"Collection\">\n{body}</VTKFile>");
        let line = |text: String| read_pvd(text.as_bytes()).unwrap_err().place;
        assert_eq!(line(list("<DataSet timestep=\"x\" file=\"a\"/>")), Place::Line(2));
        assert_eq!(line(list("<DataSet timestep=\"inf\" file=\"a\"/>")), Place::Line(2));
        assert_eq!(line(list("\n<DataSet timestep=\"1\"/>")), Place::Line(3));
        assert_eq!(line(list("<DataSet file=\"\"/>")), Place::Line(2));
        assert_eq!(line("<VTKFile type=\"UnstructuredGrid\"/>".into()), Place::File);
        assert_eq!(line(String::new()), Place::File);
        assert!(read_pvd(b"\xff").is_err());
        assert!(read_pvd(b"<VTKFile type=\"Collection\"><a></b>").is_err());
        assert_eq!(read_pvd(list("<DataSet file=\"a\"/>").as_bytes()).unwrap()[0].0, 0.0);
    }
}
