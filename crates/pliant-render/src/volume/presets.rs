//! Transfer functions to start from.

use super::TransferFunction;
use crate::colour::{Colour, ColourMap};

/// A transfer function for values from 0 to 1 in bodies one metre across; see
/// [`TransferFunction::over`] and [`TransferFunction::across`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Scans of the body: skin and fat as a veil, muscles and brain denser, bone pale and dense.
    Tissue,
    /// Two thin shells, translucent skin and pale bone, and nothing between.
    SkinAndBone,
    /// Blue over green to red, denser with the value.
    Rainbow,
    /// Viridis, denser with the value: even steps look even, also to the colour-blind.
    Viridis,
    /// Black over red and yellow to white: what is high glows.
    Heat,
    /// Dark where much is in the way, like a radiograph.
    XRay,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 6] = [
        Preset::Tissue,
        Preset::SkinAndBone,
        Preset::Rainbow,
        Preset::Viridis,
        Preset::Heat,
        Preset::XRay,
    ];

    /// The function itself.
    pub fn transfer(self) -> TransferFunction {
        let colours: &[(f32, u32)] = match self {
            Preset::Tissue => &[
                (0.0, 0x2b1a14),
                (0.12, 0xb4694c),
                (0.30, 0xd98a68),
                (0.45, 0xb8382f),
                (0.60, 0xe0b49a),
                (0.78, 0xf2e6d0),
                (1.0, 0xffffff),
            ],
            Preset::SkinAndBone => {
                &[(0.0, 0xd99878), (0.30, 0xd99878), (0.55, 0xf1e8d6), (1.0, 0xffffff)]
            }
            Preset::Rainbow => &[
                (0.0, 0x2b3fd0),
                (0.25, 0x21b5d8),
                (0.5, 0x3fc14d),
                (0.75, 0xf2d024),
                (1.0, 0xd92b1f),
            ],
            Preset::Viridis => &[],
            Preset::Heat => &[(0.0, 0x000000), (0.35, 0xb01205), (0.7, 0xf5a313), (1.0, 0xfffbe0)],
            Preset::XRay => &[(0.0, 0x05070a), (1.0, 0x05070a)],
        };
        let extinctions: &[(f32, f32)] = match self {
            Preset::Tissue => &[
                (0.0, 0.0),
                (0.08, 0.0),
                (0.16, 0.6),
                (0.30, 1.0),
                (0.40, 3.0),
                (0.60, 8.0),
                (0.80, 22.0),
                (1.0, 40.0),
            ],
            Preset::SkinAndBone => &[
                (0.0, 0.0),
                (0.08, 0.0),
                (0.13, 7.0),
                (0.20, 0.6),
                (0.45, 0.6),
                (0.60, 30.0),
                (1.0, 60.0),
            ],
            // What is least is a veil: a body at rest is nothing else.
            Preset::Rainbow | Preset::Viridis => &[(0.0, 0.6), (1.0, 6.0)],
            Preset::Heat => &[(0.0, 0.15), (0.2, 0.3), (1.0, 9.0)],
            Preset::XRay => &[(0.0, 0.0), (0.05, 0.0), (1.0, 3.5)],
        };
        let mut points: Vec<(f32, Colour)> =
            colours.iter().map(|&(value, hex)| (value, Colour::from_hex(hex))).collect();
        if points.is_empty() {
            let point =
                |i: u8| (f32::from(i) / 16.0, ColourMap::Viridis.colour(f32::from(i) / 16.0));
            points = (0..=16).map(point).collect();
        }
        TransferFunction::new(points, extinctions.to_vec()).expect("presets are in order")
    }
}
