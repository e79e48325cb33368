use std::io::Write;

use super::*;
use crate::Place;

const GREY: u8 = 0;
const RGB: u8 = 2;
const PALETTE: u8 = 3;
const GREY_ALPHA: u8 = 4;

/// A PNG from its parts: `head` is width, height, bits and colour type, `raw` has the rows with the byte
/// of their filter before each.
struct Png<'a> {
    head: (u32, u32, u8, u8),
    interlaced: bool,
    extra: &'a [(&'a [u8; 4], &'a [u8])],
    raw: &'a [u8],
}

impl Png<'_> {
    fn bytes(&self) -> Vec<u8> {
        let (width, height, bits, color) = self.head;
        let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
        header.extend([bits, color, 0, 0, u8::from(self.interlaced)]);
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(self.raw).unwrap();
        let packed = packed.finish().unwrap();
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        let first: (&[u8; 4], &[u8]) = (b"IHDR", &header);
        let last: [(&[u8; 4], &[u8]); 2] = [(b"IDAT", &packed), (b"IEND", &[])];
        for (kind, data) in [first].iter().chain(self.extra).chain(&last) {
            out.extend((data.len() as u32).to_be_bytes());
            let mut crc = flate2::Crc::new();
            crc.update(*kind);
            crc.update(data);
            out.extend([*kind as &[u8], data].concat());
            out.extend(crc.sum().to_be_bytes());
        }
        out
    }
}

fn png(head: (u32, u32, u8, u8), raw: &[u8]) -> Vec<u8> {
    Png { head, interlaced: false, extra: &[], raw }.bytes()
}

fn heights(png: &[u8]) -> Vec<f64> {
    HeightMap::from_png(png, [1.0, 1.0], 255.0).unwrap().heights().to_vec()
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64]) {
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && off < 1e-9, "{found:?} is not {expected:?}");
}

#[test]
fn pictures_are_seen_from_above() {
    let bytes = png((3, 2, 8, GREY), &[0, 10, 20, 30, 0, 40, 50, 255]);
    let map = HeightMap::from_png(&bytes, [4.0, 2.0], 2.0).unwrap();
    assert_eq!((map.columns(), map.rows(), map.size()), (3, 2, [4.0, 2.0]));
    // The lower row is at y = 0.
    let at = |x: f64, y: f64| map.at(x, y, Between::Triangles).unwrap().height * 255.0 / 2.0;
    assert_near(&[at(0.0, 0.0), at(2.0, 0.0), at(4.0, 0.0)], &[40.0, 50.0, 255.0]);
    assert_near(&[at(0.0, 2.0), at(2.0, 2.0), at(4.0, 2.0)], &[10.0, 20.0, 30.0]);
    assert!(map.warnings()[0].contains("256 shades"), "{:?}", map.warnings());
}

#[test]
fn all_kinds_of_pictures_are_understood() {
    let deep = png((2, 2, 16, GREY), &[0, 0, 0, 255, 255, 0, 0, 1, 128, 0]);
    let map = HeightMap::from_png(&deep, [1.0; 2], 65535.0).unwrap();
    assert_near(map.heights(), &[1.0, 32768.0, 0.0, 65535.0]);
    assert!(map.warnings().is_empty(), "{:?}", map.warnings());
    assert_near(&heights(&png((2, 2, 1, GREY), &[0, 0x40, 0, 0x80])), &[255.0, 0.0, 0.0, 255.0]);
    assert_near(&heights(&png((2, 2, 4, GREY), &[0, 0x1f, 0, 0x20])), &[34.0, 0.0, 17.0, 255.0]);
    let red_to_white = [0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255];
    let luminances = [0.0722 * 255.0, 255.0, 0.2126 * 255.0, 0.7152 * 255.0];
    let map = HeightMap::from_png(&png((2, 2, 8, RGB), &red_to_white), [1.0; 2], 255.0).unwrap();
    assert_near(map.heights(), &luminances);
    assert_eq!(map.warnings()[0], "the picture has colours: heights are their luminance");
    let palette: (&[u8; 4], &[u8]) = (b"PLTE", &[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
    let indexed = Png {
        head: (2, 2, 2, PALETTE),
        interlaced: false,
        extra: &[palette],
        raw: &[0, 0x10, 0, 0xb0],
    };
    assert_near(&heights(&indexed.bytes()), &luminances);
    let clear = png((2, 2, 8, GREY_ALPHA), &[0, 1, 0, 2, 9, 0, 3, 0, 4, 255]);
    let map = HeightMap::from_png(&clear, [1.0; 2], 255.0).unwrap();
    assert_near(map.heights(), &[3.0, 4.0, 1.0, 2.0]);
    assert_eq!(map.warnings()[0], "the transparency of the picture was left out");
}

/// Adam7 sends pixels (0, 0), (2, 0) and (1, 0) of a picture of 3 × 2 in passes of their own.
#[test]
fn interlaced_pictures_are_put_in_order() {
    let raw = [0, 10, 0, 30, 0, 20, 0, 40, 50, 60];
    let bytes = Png { head: (3, 2, 8, GREY), interlaced: true, extra: &[], raw: &raw }.bytes();
    assert_near(&heights(&bytes), &[40.0, 50.0, 60.0, 10.0, 20.0, 30.0]);
}

#[test]
fn broken_and_huge_pictures_are_refused() {
    let read = |bytes: &[u8]| HeightMap::from_png(bytes, [1.0; 2], 1.0).unwrap_err();
    let good = png((3, 2, 8, GREY), &[0, 10, 20, 30, 0, 40, 50, 255]);
    for end in 8..good.len() - 12 {
        let e = read(&good[..end]);
        assert!(e.problem.starts_with("the picture cannot be read"), "{end}: {e}");
        assert!(!e.help.is_empty());
    }
    let mut flipped = good.clone();
    flipped[45] ^= 0xff;
    assert!(read(&flipped).problem.starts_with("the picture cannot be read"));
    let e = read(&png((3, 2, 8, GREY), &[0, 10, 20, 30]));
    assert!(e.problem.starts_with("the picture cannot be read"), "{e}");
    for (width, height, problem) in [
        (0x7fff_ffff, 0x7fff_ffff, "has 2147483647 × 2147483647 heights, and at most"),
        (5000, 5000, "promises 5000 × 5000 pixels, more than its"),
        (1, 7, "has 1 × 7 heights"),
    ] {
        let e = read(&png((width, height, 16, GREY), &[0; 64]));
        assert!(e.problem.contains(problem), "{e}");
    }
    assert!(read(b"nothing").problem.starts_with("the picture cannot be read"));
}

#[test]
fn numbers_in_lines_are_heights() {
    let text = "# ground\n1, 2; 3\n\n\t4 5e0  -6.5\r\n";
    let map = HeightMap::from_text(text.as_bytes(), [2.0, 1.0], 2.0).unwrap();
    assert_eq!(map.heights(), [8.0, 10.0, -13.0, 2.0, 4.0, 6.0]);
    for (text, line, problem) in [
        ("1 2\n3", Some(2), "the row has 1 heights, but those above have 2"),
        ("1 2\n3 x", Some(2), "is not a height"),
        ("1 2\n3 nan", Some(2), "is not a height"),
        ("1 2 3", None, "has 3 × 1 heights"),
        ("", None, "has 0 × 0 heights"),
        ("\u{fffd}", Some(1), "is not a height"),
    ] {
        let e = HeightMap::from_text(text.as_bytes(), [1.0; 2], 1.0).unwrap_err();
        assert_eq!(e.place, line.map_or(Place::File, Place::Line), "{text:?}");
        assert!(e.problem.contains(problem), "{e}");
    }
}

#[test]
fn sizes_and_heights_must_make_sense() {
    let four = || vec![0.0; 4];
    assert!(HeightMap::new(2, four(), [1.0, 0.0]).is_err());
    assert!(HeightMap::new(2, four(), [f64::NAN, 1.0]).is_err());
    assert!(HeightMap::new(0, four(), [1.0; 2]).is_err());
    assert!(HeightMap::new(3, vec![0.0; 7], [1.0; 2]).is_err());
    let e = HeightMap::new(2, vec![0.0, 0.0, 0.0, f64::NAN], [1.0; 2]).unwrap_err();
    assert_eq!(e.problem, "the height in row 1, column 1 is not finite");
    for height in [0.0, f64::INFINITY] {
        assert!(HeightMap::from_text(b"1 2\n3 4", [1.0; 2], height).is_err());
    }
}

fn bumps() -> HeightMap {
    let heights = (0..20).map(|i| f64::from(i * i * 7 % 11) * 0.1).collect();
    HeightMap::new(5, heights, [2.0, 1.5]).unwrap()
}

/// The ground between points is where the triangles of the mesh are, with their normals.
#[test]
fn ground_and_mesh_agree() {
    use crate::geometry::{cross, dot, sub};
    let map = bumps();
    let mesh = map.to_mesh();
    assert_eq!((mesh.points.len(), mesh.triangles.len()), (20, 24));
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.points[i as usize]);
        let middle: [f64; 3] = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        let ground = map.at(middle[0], middle[1], Between::Triangles).unwrap();
        let normal = cross(sub(b, a), sub(c, a));
        let length = dot(normal, normal).sqrt();
        assert!(normal[2] > 0.0, "faces up");
        assert_near(&ground.normal, &normal.map(|x| x / length));
        assert_near(&[ground.height], &[middle[2]]);
    }
    for p in &mesh.points {
        for between in [Between::Triangles, Between::Bilinear] {
            assert_near(&[map.at(p[0], p[1], between).unwrap().height], &[p[2]]);
        }
    }
    for (x, y) in [(-1e-9, 0.0), (2.1, 0.0), (0.0, 1.6), (f64::NAN, 0.0)] {
        assert_eq!(map.at(x, y, Between::Triangles), None);
    }
}

/// Bilinear ground meets h = 1 + 2x − y + 3xy exactly, and its normal is that of the function.
#[test]
fn bilinear_ground_meets_a_bilinear_function() {
    let h = |x: f64, y: f64| 1.0 + 2.0 * x - y + 3.0 * x * y;
    let grid: Vec<f64> = (0..12).map(|i| h(f64::from(i % 4), f64::from(i / 4) * 0.5)).collect();
    let map = HeightMap::new(4, grid, [3.0, 1.0]).unwrap();
    for (x, y) in [(0.3, 0.2), (1.0, 0.5), (2.9, 0.99), (3.0, 1.0)] {
        let ground = map.at(x, y, Between::Bilinear).unwrap();
        assert_near(&[ground.height], &[h(x, y)]);
        let [p, q] = [2.0 + 3.0 * y, -1.0 + 3.0 * x];
        let length = (p * p + q * q + 1.0).sqrt();
        assert_near(&ground.normal, &[-p / length, -q / length, 1.0 / length]);
    }
}
