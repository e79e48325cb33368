//! Damaged and hostile files: every reader must give an error or a mesh, never a panic, a hang or a
//! large allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_mesh::formats::{gltf_write, ply, stl};
use pliant_mesh::{DataArray, Mesh};

use super::{read, volume};

/// Remembers the largest block that was ever asked for in this test program.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Far above what any file of these tests needs, far below what their counts could ask for.
const ALLOWED: usize = 64 << 20;

fn square() -> Mesh {
    Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.25], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        point_data: vec![DataArray::scalar("heat", vec![1.0, 2.0, 3.0, 4.0])],
        ..Mesh::default()
    }
}

fn fixtures() -> Vec<(&'static str, Vec<u8>)> {
    let written = |write: fn(&Mesh, &mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&square(), &mut out).unwrap();
        out
    };
    let head = "ply\nformat ENCODING 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\n\
                property uchar z\nelement face 1\nproperty list uchar short vertex_index\nend_header\n";
    let mut big = head.replace("ENCODING", "binary_big_endian").into_bytes();
    big.extend([0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1, 0, 2]);
    let gltf = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0,"scale":[1,2,1]}],"meshes":[{"primitives":
        [{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5120,"count":3,
        "type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":
        {"bufferView":0}}}],"bufferViews":[{"buffer":0,"byteLength":12,"byteStride":4},{"buffer":0,
        "byteLength":1}],"buffers":[{"byteLength":12,"uri":"data:;base64,AAAAAAEAAAAAAQAA"}]}"#;
    vec![
        ("a.obj", b"o a\nv 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0\n\\\nv 0 1 0\ng b c\nf 1/1 -3//2 3 4/1/1\nsurf 1\n".to_vec()),
        (
            "a.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\n\
              endloop\nendfacet\nendsolid a\nsolid\nendsolid"
                .to_vec(),
        ),
        ("b.stl", written(stl::write)),
        ("a.ply", format!("{}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", head.replace("ENCODING", "ascii")).into_bytes()),
        ("b.ply", written(ply::write)),
        ("c.ply", big),
        ("a.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n".to_vec()),
        ("b.off", b"STCNOFF 1 0 0\n0 0 0 0 0 1 1 1 1 .5 .5\n".to_vec()),
        ("a.gltf", gltf.as_bytes().to_vec()),
        ("a.glb", written(gltf_write::write)),
        (
            "a.x",
            b"xof 0303txt 0032\ntemplate A { <1> [...] }\nFrame a { FrameTransformMatrix { 1,0,0,0,\
              0,1,0,0,0,0,1,0,0,0,0,1;; } Mesh m { 3;0;0;0;,1;0;0;,0;1;0;;1;3;0,1,2;; } }\n"
                .to_vec(),
        ),
    ]
}

/// Reads damaged bytes; what comes out must be sound.
fn survive(bytes: &[u8], name: &str) {
    match read(bytes, name) {
        Ok((mesh, _)) => assert!(volume(&mesh).is_nan() || mesh.points.len() <= 1 << 20),
        Err(e) => assert!(!e.problem.is_empty() && e.problem.len() < 500, "{name}: {e}"),
    }
}

fn assert_modest() {
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest <= ALLOWED, "a block of {largest} bytes was asked for");
}

#[test]
fn whole_fixtures_are_read() {
    for (name, bytes) in fixtures() {
        let (mesh, _) = read(&bytes, name).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(name == "b.off" || !mesh.triangles.is_empty(), "{name}");
    }
}

#[test]
fn every_prefix() {
    for (name, bytes) in fixtures() {
        for end in 0..bytes.len() {
            survive(&bytes[..end], name);
        }
    }
    assert_modest();
}

#[test]
fn every_byte_replaced() {
    for (name, bytes) in fixtures() {
        let mut damaged = bytes.clone();
        for i in 0..bytes.len() {
            for byte in
                [0, 0xff, 0x7f, 0x80, b'9', b'-', b'\n', b' ', b'}', bytes[i] ^ 1, bytes[i] ^ 0x10]
            {
                damaged[i] = byte;
                survive(&damaged, name);
            }
            damaged[i] = bytes[i];
        }
    }
    assert_modest();
}

#[test]
fn digits_grown_into_huge_numbers() {
    for (name, bytes) in fixtures() {
        for i in (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()) {
            for huge in
                ["4294967295", "999999999999", "18446744073709551615", "1e308", "-2147483648"]
            {
                let mut damaged = bytes[..i].to_vec();
                damaged.extend(huge.bytes());
                damaged.extend(&bytes[i + 1..]);
                survive(&damaged, name);
            }
        }
    }
    assert_modest();
}

#[test]
fn bytes_removed_and_doubled_in_random_places() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for (name, bytes) in fixtures() {
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = random(damaged.len());
                let end = (at + 1 + random(8)).min(damaged.len());
                match random(3) {
                    0 => drop(damaged.drain(at..end)),
                    1 => {
                        let part = damaged[at..end].to_vec();
                        damaged.splice(at..at, part);
                    }
                    _ => damaged[at] = random(256) as u8,
                }
                damaged.push(0);
            }
            survive(&damaged, name);
        }
    }
    assert_modest();
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let mut x = b"xof 0303txt 0032\n".to_vec();
    x.extend(b"Frame { ".repeat(200_000));
    survive(&x, "deep.x");
    let mut x = b"xof 0303txt 0032\nA ".to_vec();
    x.extend(b"{ ".repeat(200_000));
    survive(&x, "deep.x");
    let mut json = br#"{"asset":{"version":"2.0"},"extras":"#.to_vec();
    json.extend(b"[".repeat(200_000));
    survive(&json, "deep.gltf");
    let nodes: Vec<String> = (1..=100_000).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect();
    let chain = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{},{{}}]}}"#, nodes.join(","));
    assert!(read(chain.as_bytes(), "chain.gltf").unwrap().0.points.is_empty());
}
