//! Writes still and moving GLB files for other people's readers to judge:
//! `cargo run -p pliant-mesh --example glb_samples -- FOLDER`, then
//! `node crates/pliant-mesh/tests/validate-glb.cjs FOLDER` with npm's gltf-validator installed.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_mesh::formats::gltf_write::{Animation, write, write_animation};
use pliant_mesh::{Mesh, write_atomically};

/// A square sheet of `n` × `n` cells, 1 m wide.
fn sheet(n: u32) -> Mesh {
    let at = |i: u32| f64::from(i) / f64::from(n);
    let points = (0..=n).flat_map(|y| (0..=n).map(move |x| [at(x), at(y), 0.0])).collect();
    let corner = |x: u32, y: u32| y * (n + 1) + x;
    let cell = |x: u32, y: u32| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..n).flat_map(|y| (0..n).flat_map(move |x| cell(x, y))).collect();
    Mesh { points, triangles, ..Mesh::default() }
}

fn single(mesh: &Mesh) -> Vec<[f32; 3]> {
    mesh.points.iter().map(|p| p.map(|x| x as f32)).collect()
}

/// Waves that run over `rest`.
fn waves(rest: &[[f32; 3]], count: usize) -> Vec<Vec<[f32; 3]>> {
    let lift = |frame: usize, p: &[f32; 3]| {
        let phase = frame as f32 * 0.2;
        [p[0], p[1], p[2] + 0.1 * ((6.0 * p[0] + phase).sin() - (6.0 * p[0]).sin())]
    };
    (0..count).map(|frame| rest.iter().map(|p| lift(frame, p)).collect()).collect()
}

fn animate(path: &Path, mesh: &Mesh, count: usize, colored: bool) -> Result<(), Box<dyn Error>> {
    let rest = single(mesh);
    let frames = waves(&rest, count);
    let times: Vec<f32> = (0..count).map(|i| i as f32 / 30.0).collect();
    let colors: Vec<[f32; 3]> = rest.iter().map(|p| p.map(|x| x.clamp(0.0, 1.0))).collect();
    let animation = Animation {
        name: "waves",
        triangles: &mesh.triangles,
        rest: &rest,
        frames: &frames,
        times: &times,
        colors: colored.then_some(&colors[..]),
    };
    let mut size = 0;
    write_atomically(path, |out| {
        size = write_animation(&animation, out)?;
        Ok(())
    })?;
    println!("{}: {} points, {count} frames, {size} bytes", path.display(), rest.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("name a folder to write to")?;
    for (name, n) in [("still-one-cell", 1), ("still-16-bit", 50), ("still-32-bit", 300)] {
        write_atomically(&folder.join(name).with_extension("glb"), |out| write(&sheet(n), out))?;
    }
    animate(&folder.join("moving.glb"), &sheet(30), 60, false)?;
    animate(&folder.join("moving-coloured.glb"), &sheet(7), 3, true)?;
    animate(&folder.join("moving-32-bit.glb"), &sheet(260), 4, true)?;
    animate(&folder.join("standing.glb"), &sheet(2), 1, false)?;
    // Meshes named behind the folder are written still and moving too.
    for path in arguments {
        let mesh = pliant_mesh::load(&path)?.mesh;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        write_atomically(&folder.join(format!("{stem}-still.glb")), |out| write(&mesh, out))?;
        animate(&folder.join(format!("{stem}-moving.glb")), &mesh, 120, false)?;
    }
    Ok(())
}
