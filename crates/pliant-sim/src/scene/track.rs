//! What is followed through a run, figure by figure.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Region;

/// A part of a body whose position, velocity and force become columns of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What its columns are called after; unique.
    pub name: String,
    /// The body; not needed where there is only one, nor for a point.
    pub body: Option<String>,
    /// Which vertices.
    pub part: TrackPart,
}

impl Track {
    /// The name whose columns would be those of the centre of mass.
    pub const TAKEN: &str = "center";
}

/// The vertices that are followed.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackPart {
    /// One by number, counted from 0 in the order of the mesh file.
    Vertex(u32),
    /// The one that is nearest to this point at the start \[m\].
    Point([f64; 3]),
    /// All of a region, as one.
    Region(Region),
}

impl TrackPart {
    /// The key that it is given by.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Vertex(_) => "vertex",
            Self::Point(_) => "point",
            Self::Region(_) => "region",
        }
    }
}

/// A [`Track`] as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackForm {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertex: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

impl<'de> Deserialize<'de> for Track {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let TrackForm { name, body, vertex, point, region } = TrackForm::deserialize(d)?;
        let part = match (vertex, point, region) {
            (Some(vertex), None, None) => TrackPart::Vertex(vertex),
            (None, Some(point), None) => TrackPart::Point(point),
            (None, None, Some(region)) => TrackPart::Region(region),
            (None, None, None) => {
                return Err(D::Error::custom(
                    "what is tracked needs one of `vertex`, `point` and `region`",
                ));
            }
            _ => {
                return Err(D::Error::custom(
                    "what is tracked has only one of `vertex`, `point` and `region`",
                ));
            }
        };
        Ok(Self { name, body, part })
    }
}

impl Serialize for Track {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self { name, body, part } = self.clone();
        let mut form = TrackForm { name, body, vertex: None, point: None, region: None };
        match part {
            TrackPart::Vertex(vertex) => form.vertex = Some(vertex),
            TrackPart::Point(point) => form.point = Some(point),
            TrackPart::Region(region) => form.region = Some(region),
        }
        form.serialize(s)
    }
}
