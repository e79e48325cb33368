//! Looking into bodies: what a scene says about it, as a renderer takes it.

use std::borrow::Cow;

use pliant_render::volume::{Iso, Look, Preset, Quality, Slice, TransferFunction};
use pliant_render::{Colour, Scale};
use pliant_sim::Model;
use pliant_sim::scene::{
    Picture, PictureColour, PictureQuality, PictureVolume, Rgb, Transfer, TransferPoint,
    TransferPreset,
};

/// What is known of the bodies that are looked into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// How large the largest of them is \[m\]: densities are per this length.
    pub across: f64,
    /// The middle of all of them at the start \[m\].
    pub middle: [f64; 3],
}

impl Inside {
    /// How the inside is shown of the values of `colour`, on `scale`.
    pub fn look(&self, wish: &PictureVolume, colour: &PictureColour, scale: &Scale) -> Look {
        let across = self.across as f32;
        let isos = wish.iso.iter().map(|iso| Iso {
            value: iso.value as f32,
            colour: iso.colour.map(self::colour),
            opacity: iso.opacity as f32,
        });
        Look {
            opacity: wish.opacity as f32,
            isos: isos.collect(),
            slice: wish.slice.map(|slice| Slice {
                point: slice.point.unwrap_or(self.middle),
                normal: slice.normal,
                clears: slice.clears,
            }),
            quality: match wish.quality {
                PictureQuality::Draft => Quality::Draft,
                PictureQuality::Normal => Quality::Normal,
                PictureQuality::Fine => Quality::Fine,
            },
            name: scale.name.clone(),
            unit: scale.unit.clone(),
            ..Look::new(transfer(&wish.transfer_for(colour), scale.range).across(across))
        }
    }
}

/// The transfer function over a range of values, for bodies one metre across.
pub fn transfer(wish: &Transfer, [low, high]: [f32; 2]) -> TransferFunction {
    let points = match wish {
        Transfer::Preset(_) => points(wish),
        Transfer::Points(points) => Cow::Borrowed(&points[..]),
    };
    let value = |p: &TransferPoint| low + (high - low) * p.at as f32;
    let colours = points.iter().map(|p| (value(p), colour(p.colour))).collect();
    let densities = points.iter().map(|p| (value(p), p.density as f32)).collect();
    let made = TransferFunction::new(colours, densities);
    // Points that a scene would not have passed with.
    made.unwrap_or_else(|_| Preset::Viridis.transfer().over([low, high]))
}

/// The points of a transfer function, also of a preset, as somebody may go on from there.
pub fn points(wish: &Transfer) -> Cow<'_, [TransferPoint]> {
    let function = match wish {
        Transfer::Points(points) => return Cow::Borrowed(points),
        Transfer::Preset(wish) => preset(*wish).transfer(),
    };
    let mut places: Vec<f32> = function.colours().iter().map(|p| p.0).collect();
    places.extend(function.extinctions().iter().map(|p| p.0));
    places.sort_by(f32::total_cmp);
    places.dedup();
    let point = |&at: &f32| TransferPoint {
        // Written with few digits.
        at: (f64::from(at) * 1e4).round() / 1e4,
        colour: rgb(function.colour(at)),
        density: (f64::from(function.extinction(at)) * 1e4).round() / 1e4,
    };
    places.iter().map(point).collect()
}

/// A preset as the renderer has it.
pub(super) fn preset(wish: TransferPreset) -> Preset {
    match wish {
        TransferPreset::Tissue => Preset::Tissue,
        TransferPreset::SkinAndBone => Preset::SkinAndBone,
        TransferPreset::Rainbow => Preset::Rainbow,
        TransferPreset::Viridis => Preset::Viridis,
        TransferPreset::Heat => Preset::Heat,
        TransferPreset::XRay => Preset::XRay,
    }
}

/// A picture whose colours show values, if the inside of bodies is wanted: the first field of the mesh
/// files, or else the stress.
pub fn with_values<'a>(picture: &'a Picture, model: &Model) -> Cow<'a, Picture> {
    if picture.volume.is_none() || picture.colour.has_values() {
        return Cow::Borrowed(picture);
    }
    let field = model.field_names().first().map(|name| PictureColour::Field((*name).to_owned()));
    let colour = field.unwrap_or(PictureColour::Stress);
    Cow::Owned(Picture { colour, ..picture.clone() })
}

/// A colour as the renderer has it.
pub fn colour(Rgb(rgb): Rgb) -> Colour {
    Colour::from_srgb(rgb.map(|c| f32::from(c) / 255.0))
}

/// A colour as scenes have it.
pub fn rgb(colour: Colour) -> Rgb {
    let [r, g, b, _] = colour.to_srgb8();
    Rgb([r, g, b])
}
