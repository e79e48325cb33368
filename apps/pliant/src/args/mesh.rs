//! Options of `mesh`.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};
use pliant::mesh::formats::WRITABLE;

use super::positive;

#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Counts, sizes, arrays, groups, quality and animations of mesh files.
    #[command(after_help = INFO_EXAMPLES)]
    Info {
        /// Mesh files of any supported format, which is found by content.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },

    /// Say what is wrong with mesh files, and what to do; fails when something must be mended.
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// Mesh files of any supported format, which is found by content.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },

    /// Find what is near what on the surface of a mesh, or between two meshes, and what crosses.
    #[command(after_help = CONTACTS_EXAMPLES)]
    Contacts {
        /// A mesh; of one with tetrahedra, its boundary.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Another mesh: only pairs between the two are counted.
        #[arg(value_name = "OTHER")]
        other: Option<PathBuf>,
        /// Count pairs nearer than this, in metres.
        #[arg(long, value_name = "R", value_parser = positive, allow_negative_numbers = true)]
        radius: f64,
        /// Name all pairs too, not only how many there are.
        #[arg(long)]
        pairs: bool,
        /// Use this many threads [default: all cores]; results do not depend on it.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
    },

    /// Write a mesh, a pose of a moving one or the ground of a height map in the format that the new name's
    /// extension tells.
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
}

/// Options of `mesh convert`.
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    /// The mesh to read; with --time also a series, with --size a height map.
    #[arg(value_name = "IN", value_hint = ValueHint::AnyPath)]
    pub input: PathBuf,
    #[arg(value_name = "OUT", help = writable())]
    pub output: PathBuf,
    /// Turn inverted tetrahedra round, drop duplicate and degenerate elements.
    #[arg(long)]
    pub repair: bool,
    /// Multiply all coordinates, for instance by 0.001 from millimetres to metres.
    #[arg(long, value_name = "FACTOR", value_parser = positive, allow_negative_numbers = true)]
    pub scale: Option<f64>,

    /// Write the mesh as it is at this time, in seconds. IN is a glTF file with animations, or a series: a
    /// .pvd, a folder of numbered meshes, or a quoted pattern such as 'frames/*.obj'.
    #[arg(long, value_name = "SECONDS", value_parser = finite, allow_negative_numbers = true)]
    #[arg(help_heading = "Meshes that move", conflicts_with = "size")]
    pub time: Option<f64>,
    /// Which animation of the file, by its name or number [default: the first].
    #[arg(long, value_name = "NAME|N", requires = "time", help_heading = "Meshes that move")]
    pub animation: Option<String>,
    /// From frame to frame of a series that tells no times, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    #[arg(default_value = "0.04", requires = "time", help_heading = "Meshes that move")]
    pub interval: f64,

    /// Read IN as a height map (PNG, or text with a row of numbers in each line) of this size along x and y,
    /// in metres.
    #[arg(long, value_name = "X,Y", value_parser = lengths, allow_negative_numbers = true)]
    #[arg(requires = "height", help_heading = "Height maps")]
    pub size: Option<[f64; 2]>,
    /// Height of what is white in the picture, in metres; black is at 0. Numbers of a text are multiplied.
    #[arg(long, value_name = "METRES", value_parser = finite, allow_negative_numbers = true)]
    #[arg(requires = "size", help_heading = "Height maps")]
    pub height: Option<f64>,
}

const INFO_EXAMPLES: &str = "\
Of glTF files it lists animations (number, name, duration and how many quantities they move), skins and
morph targets.

Examples:
  pliant mesh info bunny.node
  pliant mesh info hand.glb
  pliant mesh info --json *.msh     several files give a JSON array";

const CHECK_EXAMPLES: &str = "\
The exit code is 0 when a simulation can run on the meshes and 1 when it cannot. Triangles of the surface
that cross each other are found without rounding; `pliant mesh contacts --pairs` lists all of them.

Examples:
  pliant mesh check scan.obj
  pliant mesh check --quiet *.msh && echo fine";

const CONTACTS_EXAMPLES: &str = "\
Three kinds of pairs are counted: a vertex and a triangle nearer than R, two edges nearer than R, and two
triangles that cross, which is decided without rounding. Triangles cross when they have a point in common:
touching counts, and so does lying in one plane and overlapping. Pairs that share a corner are left out.

Numbers begin with 0. Triangles of a mesh with tetrahedra are its boundary faces, as `mesh convert` to OBJ
writes them. Points of a surface mesh that coincide are one vertex, the first of them. With OTHER, its
vertices and triangles are numbered after those of FILE.

With --json: `vertex_triangle`, `edge_edge` and `intersections` are the three counts, `nearest` the
smallest distance of all these pairs in metres, or null; --pairs adds the object `pairs` with three lists
of the same names, edges as their two vertices.

Examples:
  pliant mesh contacts cloth.obj --radius 0.002
  pliant mesh contacts shirt.obj body.stl --radius 0.005 --json
  pliant mesh contacts liver.msh --radius 0.001 --json --pairs | jq '.pairs.intersections[]'";

const CONVERT_EXAMPLES: &str = "\
Volume meshes written as OBJ, PLY, STL or GLB become their surface.

Before its first and behind its last moment a motion stands still. Between two frames of a series every
point goes straight; all frames must have the same triangles and tetrahedra.

Height maps are seen from above: their left lower corner comes to lie in the origin, x to the right and y
upwards. 16 bits of grey give smooth slopes; of colours the luminance is taken.

Examples:
  pliant mesh convert bunny.node bunny.vtu
  pliant mesh convert --repair --scale 0.001 organ.msh organ.vtu
  pliant mesh convert hand.glb pose.obj --time 0.5 --animation grasp
  pliant mesh convert pliant-out/scene/bar.pvd bar.vtu --time 1.25
  pliant mesh convert 'frames/*.obj' pose.stl --time 0.5 --interval 0.02
  pliant mesh convert heights.png ground.obj --size 20,10 --height 1.5";

/// What `mesh convert` can write.
fn writable() -> String {
    let extensions: Vec<String> = WRITABLE.iter().map(|e| format!(".{e}")).collect();
    format!("The file to write; it may end in {}", extensions.join(", "))
}

fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err("it must be a finite number".into()),
    }
}

/// Two lengths, written `20,10`.
fn lengths(text: &str) -> Result<[f64; 2], String> {
    let both = text.split_once(',').map(|(x, y)| [positive(x), positive(y)]);
    match both {
        Some([Ok(x), Ok(y)]) => Ok([x, y]),
        _ => Err("write two lengths above 0 in metres, such as 20,10".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_lengths() {
        assert_eq!(lengths("20, 7.5"), Ok([20.0, 7.5]));
        for bad in ["20", "20x10", "20,0", "1,2,3", "-1,1", "a,b", ""] {
            assert!(lengths(bad).is_err(), "{bad}");
        }
    }
}
