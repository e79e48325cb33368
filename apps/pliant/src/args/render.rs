//! What `pliant render` takes.

use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};
use pliant::scene::PictureColour;

use crate::commands::render;
use crate::pictures;
use crate::volume::VolumeArgs;

pub(super) const RENDER_EXAMPLES: &str = "\
A file that ends in .toml is a scene, drawn at its start. Checkpoints and meshes are found by content;
frames that --vtu wrote are meshes that hold force, stress and speed. Colours span what there is, but for a
few outliers, unless the scene gives output.picture.range.

A .pvd that --vtu wrote, or its folder, is a series: each frame becomes a picture, or all of them a film
(--gif, --mp4) or a sheet. Camera and colours are the same in all frames, and a floor lies at the lowest
point of all. With --gif, --mp4 or --sheet, one .vtu stands for all that are called alike but for a number.

--volume shows what is inside: the values of an array of the file, or what a run measures, as clouds. Values
between the least and the greatest are given colours and densities by --transfer; `pliant mesh info` lists
the arrays of a mesh. docs/volume.md tells how to get good pictures.

Examples:
  pliant render bunny.node
  pliant render scene.toml --view front --out start.png
  pliant render pliant-out/scene/checkpoint.pliant --colour stress --cut y
  pliant render pliant-out/jelly/vtu/jelly-00000480.vtu --colour stress --wireframe
  pliant render pliant-out/jelly/jelly.pvd --mp4 --colour stress --size 1280x720
  pliant render pliant-out/jelly --out jelly.gif
  pliant render pliant-out/jelly --sheet --view front
  pliant render character.obj --up y
  pliant render head.vtu --volume --field intensity --transfer skin-and-bone
  pliant render head.vtu --volume --opacity 0 --iso 60@0.3,180 --quality fine
  pliant render head.vtu --volume --slice x --view side
  pliant render pliant-out/jelly/jelly.pvd --mp4 --volume --colour stress --transfer heat";

/// Options of `render`.
#[derive(Debug, Default, clap::Args)]
pub struct RenderArgs {
    /// The checkpoint, scene or mesh; or a series: a .pvd, or a folder of results.
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub input: PathBuf,
    /// The picture, film (.gif, .mp4) or sheet to write, or the folder for several [default: called after
    /// FILE, in the working folder].
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    pub out: Option<PathBuf>,
    /// Width and height in pixels [default: 960x720, or what the scene says].
    #[arg(long, value_name = "WxH", value_parser = pictures::size)]
    pub size: Option<[u32; 2]>,
    /// What colours show: body (each its own), plain, force, contact, stress, speed, displacement, or
    /// field:NAME for an array of the mesh.
    #[arg(long, value_name = "WHAT", value_parser = pictures::colour)]
    pub colour: Option<PictureColour>,
    #[command(flatten)]
    pub volume: VolumeArgs,
    /// Where from: front, side, top, iso, or the direction to the camera, such as 1,-2,0.5.
    #[arg(long, value_name = "WHENCE", value_parser = render::direction)]
    #[arg(allow_hyphen_values = true)]
    pub view: Option<[f64; 3]>,
    /// Draw the edges of the surface.
    #[arg(long)]
    pub wireframe: bool,
    /// Cut bodies open at right angles to an axis, in the middle or at a coordinate in metres; what
    /// --volume shows is opened by --slice instead.
    #[arg(long, value_name = "x|y|z[=POS]", value_parser = render::cut)]
    pub cut: Option<(usize, Option<f64>)>,
    /// The axis of a mesh that points up; many tools for animation write y.
    #[arg(long, value_enum, value_name = "AXIS", default_value = "z", ignore_case = true)]
    pub up: Up,
    /// Write a series as an animated GIF.
    #[arg(long, help_heading = "Series")]
    pub gif: bool,
    /// Write a series as an MP4 film (H.264).
    #[arg(long, help_heading = "Series")]
    pub mp4: bool,
    /// Write twelve pictures from a whole series on one sheet.
    #[arg(long, help_heading = "Series")]
    pub sheet: bool,
    /// Frames per second that films are played at [default: real time, or 25 where no .pvd tells the
    /// times].
    #[arg(long, value_name = "N", value_parser = pictures::frame_rate, allow_negative_numbers = true)]
    #[arg(help_heading = "Series")]
    pub fps: Option<f64>,
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Up {
    X,
    Y,
    #[default]
    Z,
}

impl Up {
    /// A point in coordinates where z is up, turned without mirroring.
    pub fn turned(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Up::X => [y, z, x],
            Up::Y => [x, -z, y],
            Up::Z => [x, y, z],
        }
    }
}
