//! How pictures and films of a run look.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::PictureVolume;

/// How pictures and films look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Picture {
    /// Width and height \[pixels\].
    pub size: [u32; 2],
    /// Frames per second that films are played at \[1/s\]; without it they show real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// What colours mean.
    pub colour: PictureColour,
    /// Least and greatest value on the scale of colours, in the unit of what is shown; without it a
    /// range that suits the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Mark what touches: a point at each vertex, with an arrow for the force on it.
    #[serde(skip_serializing_if = "is_off")]
    pub contacts: bool,
    /// Show the wind by arrows.
    #[serde(skip_serializing_if = "is_off")]
    pub wind: bool,
    /// Show bodies themselves in place of the skins that they carry.
    #[serde(skip_serializing_if = "is_off")]
    pub cages: bool,
    /// Show the inside of bodies that have tetrahedra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<PictureVolume>,
    /// Where they are taken from.
    pub camera: PictureCamera,
}

fn is_off(is_on: &bool) -> bool {
    !is_on
}

impl Default for Picture {
    fn default() -> Self {
        Self {
            size: [960, 720],
            fps: None,
            colour: PictureColour::default(),
            range: None,
            contacts: false,
            wind: false,
            cages: false,
            volume: None,
            camera: PictureCamera::default(),
        }
    }
}

impl Picture {
    /// The largest width and height \[pixels\].
    pub const LARGEST_SIDE: u32 = 16384;
    /// The largest number of pixels in an MP4 film.
    pub const MOST_MP4_PIXELS: u64 = 35_000_000;
    /// Least and greatest number of frames per second \[1/s\].
    pub const FPS: [f64; 2] = [0.1, 1000.0];
}

/// What the colours of pictures mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureColour {
    /// Each body has its own.
    #[default]
    Body,
    /// All bodies alike.
    Plain,
    /// Size of the net force on each vertex \[N\].
    Force,
    /// Size of the force on each vertex of all that touches it \[N\].
    Contact,
    /// Von Mises stress of each tetrahedron \[Pa\].
    Stress,
    /// Speed of each vertex \[m/s\].
    Speed,
    /// Distance of each vertex from where it was at the start \[m\].
    Displacement,
    /// The array of this name that the mesh files have, on points or tetrahedra.
    Field(String),
}

impl PictureColour {
    /// Every choice that needs no name, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Body,
        Self::Plain,
        Self::Force,
        Self::Contact,
        Self::Stress,
        Self::Speed,
        Self::Displacement,
    ];

    /// The name used in scene files and on the command line; of a field its own.
    pub fn name(&self) -> &str {
        match self {
            Self::Body => "body",
            Self::Plain => "plain",
            Self::Force => "force",
            Self::Contact => "contact",
            Self::Stress => "stress",
            Self::Speed => "speed",
            Self::Displacement => "displacement",
            Self::Field(name) => name,
        }
    }

    /// Whether it shows numbers.
    pub fn has_values(&self) -> bool {
        !matches!(self, Self::Body | Self::Plain)
    }
}

impl fmt::Display for PictureColour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, "field:{name}"),
            other => f.pad(other.name()),
        }
    }
}

impl FromStr for PictureColour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("field:").map(str::trim) {
            Some("") => return Err("which field? Write field: and its name".into()),
            Some(name) => return Ok(Self::Field(name.into())),
            None => {}
        }
        Self::ALL.into_iter().find(|c| c.name() == text).ok_or_else(|| {
            let all = Self::ALL;
            let names: Vec<&str> = all.iter().map(Self::name).collect();
            let names = names.join(", ");
            format!("pictures cannot show {text:?}; choose one of {names}, or field:NAME")
        })
    }
}

/// Where pictures are taken from. It stays in place for the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PictureCamera {
    /// From the scene to the camera; of any length.
    pub direction: [f64; 3],
    /// The middle of the picture \[m\]; without it the middle of what moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// Distance from there to the camera \[m\]; without it such that all is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// What points up in the picture; of any length, and it need not be at right angles to the view.
    pub up: [f64; 3],
    /// Angle from the lower to the upper edge of the picture \[°\].
    pub field_of_view: f64,
}

impl Default for PictureCamera {
    fn default() -> Self {
        Self {
            direction: [0.5, -1.0, 0.45],
            target: None,
            distance: None,
            up: [0.0, 0.0, 1.0],
            field_of_view: 35.0,
        }
    }
}

impl PictureCamera {
    /// Least and greatest field of view \[°\].
    pub const FIELD_OF_VIEW: [f64; 2] = [0.01, 175.0];
}
