//! Reading one damaged file and judging what comes of it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use pliant_mesh::doctor::{Code, examine, repair};
use pliant_mesh::formats::gltf::AnimatedMesh;
use pliant_mesh::height_map::HeightMap;
use pliant_mesh::motion::Motion;
use pliant_mesh::{Mesh, ReadError, formats, read_bytes};

use super::memory;
use super::seeds::Seed;

/// What must not happen.
pub enum Failure {
    /// A panic, with its message.
    Panic(String),
    /// More memory than the file's size justifies.
    Memory { peak: usize, allowed: usize },
    /// Too slow.
    Slow(Duration),
    /// An accepted mesh that does not hold together.
    Unsound(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Panic(message) => write!(f, "panic: {message}"),
            Failure::Memory { peak, allowed } => {
                write!(f, "took {peak} bytes of memory, {allowed} allowed")
            }
            Failure::Slow(time) => write!(f, "took {:.1} s", time.as_secs_f64()),
            Failure::Unsound(problem) => write!(f, "accepted an unsound mesh: {problem}"),
        }
    }
}

/// Reads a file, examines and writes what was accepted. `Ok(true)` when it was accepted.
pub fn run(file: &Seed) -> Result<bool, Failure> {
    run_with(file, read)
}

/// The mesh of a file, with all else that can be read from one of its kind.
pub fn read(file: &Seed) -> Result<Mesh, ReadError> {
    match file.kind.as_str() {
        "png" => return HeightMap::from_png(&file.bytes, [2.0, 1.0], 0.5).map(|map| map.to_mesh()),
        "gltf" | "glb" => play(file),
        _ => {}
    }
    read_bytes(&file.bytes, &file.name, &file.companions).map(|loaded| loaded.mesh)
}

/// Shows some moments of each animation, which must have all points.
fn play(file: &Seed) {
    // What cannot move can still be a mesh.
    let Ok(mut mesh) = AnimatedMesh::from_bytes(&file.bytes, &file.name, &file.companions) else {
        return;
    };
    for clip in 0..mesh.clips().len().clamp(1, 4) {
        // Files without an animation stand still.
        let _ = mesh.choose(&clip.to_string());
        let [start, end] = mesh.span();
        for time in [start, 0.3 * start + 0.7 * end, end, f64::NAN] {
            assert_eq!(mesh.points_at(time).len(), mesh.mesh().points.len(), "points at {time} s");
        }
    }
}

fn run_with(file: &Seed, read: impl Fn(&Seed) -> Result<Mesh, ReadError>) -> Result<bool, Failure> {
    let size: usize = file.bytes.len() + file.companions.0.values().map(Vec::len).sum::<usize>();
    // Compression has its own bound in the readers; a small file may rightly unpack to a large one.
    let packed = file.bytes.starts_with(&[0x1f, 0x8b]);
    let allowed = if packed { 1 << 30 } else { (64 << 20) + 200 * size };
    let (outcome, peak) = memory::peak_of(|| catch_unwind(AssertUnwindSafe(|| read(file))));
    let read = outcome.map_err(panicked)?;
    if peak > allowed {
        return Err(Failure::Memory { peak, allowed });
    }
    match read {
        Ok(mesh) => {
            catch_unwind(AssertUnwindSafe(|| judge(mesh))).map_err(panicked)??;
            Ok(true)
        }
        Err(error) => {
            // The message must be there and showable.
            if error.to_string().is_empty() {
                return Err(Failure::Unsound("an error without words".into()));
            }
            Ok(false)
        }
    }
}

fn panicked(payload: Box<dyn std::any::Any + Send>) -> Failure {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
    Failure::Panic(text.unwrap_or_else(|| "without a message".into()))
}

/// What is accepted must be consistent and must pass through doctor and writers without a panic.
fn judge(mut mesh: Mesh) -> Result<(), Failure> {
    let report = examine(&mesh);
    let broken = [Code::BadIndex, Code::ArrayLength, Code::GroupIndex];
    if let Some(finding) = report.findings.iter().find(|f| broken.contains(&f.code)) {
        return Err(Failure::Unsound(finding.to_string()));
    }
    repair(&mut mesh);
    let mut sink = std::io::sink();
    // Writers may refuse a mesh that does not suit their format; only panics count.
    let _ = formats::tetgen::write_node(&mesh, &mut sink);
    let _ = formats::tetgen::write_ele(&mesh, &mut sink);
    let writers = [
        formats::gmsh::write,
        formats::vtu::write,
        formats::obj::write,
        formats::ply::write,
        formats::stl::write,
        formats::gltf_write::write,
    ];
    for write in writers {
        let _ = write(&mesh, &mut sink);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(read: impl Fn() -> Result<Mesh, ReadError>) -> Result<bool, Failure> {
        run_with(&Seed::new("a.obj", "v 0 0 0"), |_| read())
    }

    fn refused() -> Result<Mesh, ReadError> {
        Err(ReadError::file("no"))
    }

    #[test]
    fn bad_readers_are_caught_and_good_ones_are_not() {
        assert!(matches!(outcome(refused), Ok(false)));
        let panics = outcome(|| panic!("at line {}", 7));
        assert!(matches!(panics, Err(Failure::Panic(m)) if m == "at line 7"));
        let greedy = outcome(|| {
            let held = std::hint::black_box(Vec::<u8>::with_capacity(100 << 20));
            drop(held);
            refused()
        });
        assert!(matches!(greedy, Err(Failure::Memory { peak, .. }) if peak >= 100 << 20));
        let unsound = outcome(|| Ok(Mesh { tets: vec![[0, 1, 2, 3]], ..Mesh::default() }));
        assert!(matches!(unsound, Err(Failure::Unsound(_))));
    }
}
