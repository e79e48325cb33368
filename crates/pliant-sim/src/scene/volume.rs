//! How the inside of bodies is shown: colour and density of values, surfaces of equal value, a slice.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::PictureColour;
use super::hints::suggest;

/// Bodies with tetrahedra drawn as clouds of the values that colours show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PictureVolume {
    /// Colour and density of values; without it [`Transfer::usual`] for what colours show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Transfer>,
    /// Factor on all densities.
    pub opacity: f64,
    /// Surfaces of equal value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iso: Vec<PictureIso>,
    /// A plane that shows the values on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<PictureSlice>,
    /// How many rays are cast.
    pub quality: PictureQuality,
}

impl Default for PictureVolume {
    fn default() -> Self {
        Self {
            transfer: None,
            opacity: 1.0,
            iso: Vec::new(),
            slice: None,
            quality: PictureQuality::default(),
        }
    }
}

impl PictureVolume {
    /// The most points of a transfer function.
    pub const MOST_POINTS: usize = 64;
    /// The most surfaces of equal value.
    pub const MOST_ISOS: usize = 16;
    /// The greatest factor on densities, and the greatest density of a point.
    pub const DENSEST: f64 = 1e6;

    /// Colour and density of the values of `colour`: as given, or else the default.
    pub fn transfer_for(&self, colour: &PictureColour) -> Cow<'_, Transfer> {
        self.transfer.as_ref().map_or_else(|| Cow::Owned(Transfer::usual(colour)), Cow::Borrowed)
    }
}

/// Colour and density of values: the name of a preset, or points.
#[derive(Clone, Debug, PartialEq)]
pub enum Transfer {
    /// Something to start from.
    Preset(TransferPreset),
    /// At rising places, with straight lines between them.
    Points(Vec<TransferPoint>),
}

impl Transfer {
    /// The default: fields of files are mostly scans, of which the least values
    /// are air; of what a run measures also the least is shown, for a body at rest has nothing else.
    pub fn usual(colour: &PictureColour) -> Self {
        Self::Preset(match colour {
            PictureColour::Field(_) => TransferPreset::Tissue,
            _ => TransferPreset::Viridis,
        })
    }
}

/// A transfer function to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferPreset {
    /// Scans of the body: skin and fat as a veil, muscles and brain denser, bone pale and dense.
    Tissue,
    /// Two thin shells, translucent skin and pale bone, and nothing between.
    SkinAndBone,
    /// Blue over green to red, denser with the value.
    Rainbow,
    /// Dark violet over green to yellow, denser with the value.
    Viridis,
    /// Black over red and yellow to white.
    Heat,
    /// Dark where much is in the way.
    XRay,
}

impl TransferPreset {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Tissue, Self::SkinAndBone, Self::Rainbow, Self::Viridis, Self::Heat, Self::XRay];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tissue => "tissue",
            Self::SkinAndBone => "skin-and-bone",
            Self::Rainbow => "rainbow",
            Self::Viridis => "viridis",
            Self::Heat => "heat",
            Self::XRay => "x-ray",
        }
    }
}

impl FromStr for TransferPreset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|p| p.name() == text).ok_or_else(|| {
            let help = suggest(text, &Self::ALL.map(Self::name), "there are");
            format!("there is no transfer function {text:?}; {help}")
        })
    }
}

/// A point of a transfer function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferPoint {
    /// Its place: 0 at the least and 1 at the greatest value of the range of colours.
    pub at: f64,
    /// What values there look like.
    pub colour: Rgb,
    /// How much they hide: the number of times that light is taken down to 37 % on its way through a
    /// body that is all of this value.
    pub density: f64,
}

/// Red, green and blue as on web pages, written `"#d98a68"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub [u8; 3]);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl FromStr for Rgb {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii());
        let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, r, g, b] = number.map(u32::to_be_bytes).ok_or_else(|| {
            format!("{text:?} is no colour; write six hexadecimal digits such as \"#d98a68\"")
        })?;
        Ok(Self([r, g, b]))
    }
}

impl Serialize for Rgb {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rgb {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

/// A surface on which values are equal. In TOML a plain number means its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureIso {
    /// In the unit of what colours show.
    pub value: f64,
    /// Without one, that of the transfer function.
    pub colour: Option<Rgb>,
    /// From 0, not seen, to 1, which hides what is behind it.
    pub opacity: f64,
}

impl PictureIso {
    /// An opaque surface in the colour of its value.
    pub fn new(value: f64) -> Self {
        Self { value, colour: None, opacity: 1.0 }
    }
}

/// A plane that shows the values on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureSlice {
    /// A direction at right angles to the plane; of any length.
    pub normal: [f64; 3],
    /// A point of the plane \[m\]; without one, the middle of the bodies at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Leave out what is on the side to which the normal points.
    #[serde(default)]
    pub clears: bool,
}

/// How many rays are cast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureQuality {
    /// One for two by two pixels.
    Draft,
    /// One for each pixel.
    #[default]
    Normal,
    /// Four for each pixel.
    Fine,
}

impl PictureQuality {
    /// All of them, the quickest first.
    pub const ALL: [Self; 3] = [Self::Draft, Self::Normal, Self::Fine];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Normal => "normal",
            Self::Fine => "fine",
        }
    }
}

impl FromStr for PictureQuality {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|q| q.name() == text);
        found.ok_or_else(|| suggest(text, &Self::ALL.map(Self::name), "there are"))
    }
}

impl Serialize for Transfer {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Preset(preset) => s.serialize_str(preset.name()),
            Self::Points(points) => points.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Transfer {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(TransferVisitor)
    }
}

struct TransferVisitor;

impl<'de> Visitor<'de> for TransferVisitor {
    type Value = Transfer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the name of a preset such as \"tissue\", or points such as \
             [{ at = 0, colour = \"#000000\", density = 0 }, { at = 1, colour = \"#ffffff\", density = 9 }]",
        )
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Transfer, E> {
        text.parse().map(Transfer::Preset).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Transfer, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Transfer::Points)
    }
}
