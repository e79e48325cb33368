//! Looking into bodies: what a [`Look`] makes of the values inside tetrahedra.
//!
//! # Theory
//!
//! A body with values is a cloud: a place of value s has a colour c(s) and an extinction τ(s)
//! \[1/m\], the part of the light that a metre of it would take away if nothing else did. A
//! [`TransferFunction`] holds both. Light that crosses a length ℓ keeps exp(−∫τ dℓ), and the cloud
//! adds its own colour for what it takes (Max 1995, "Optical models for direct volume rendering",
//! section 5: absorption plus emission). Along a ray through one tetrahedron the value is linear, so
//! that the integral of τ is known exactly from the integral of the transfer function (Engel, Kraus
//! and Ertl 2001, "High-quality pre-integrated volume rendering", section 4).
//!
//! # Practice
//!
//! With [`View::volume`](crate::View::volume) set, bodies that have tetrahedra and values are drawn
//! as clouds instead of surfaces; everything else is drawn as before, and hides what is behind it.
//! Clouds throw no shadows.
//!
//! ```
//! use pliant_render::volume::{Look, Preset};
//!
//! // The values of a scan from 0 to 252, in a head 0.2 m across.
//! let transfer = Preset::Tissue.transfer().over([0.0, 252.0]).across(0.2);
//! let look = Look { name: "intensity".into(), ..Look::new(transfer) };
//! look.check()?;
//! # Ok::<(), pliant_render::RenderError>(())
//! ```

pub(crate) mod four;
pub(crate) mod mesh;
mod presets;
pub(crate) mod table;
mod transfer;
pub(crate) mod walk;

pub use presets::Preset;
pub use transfer::{TransferError, TransferFunction};

use crate::colour::Colour;
use crate::error::RenderError;
use crate::math::Vec3;

/// How the inside of bodies is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Colour and extinction of values.
    pub transfer: TransferFunction,
    /// Factor on all extinctions, at least 0. With 0, only iso-surfaces and the slice are seen.
    pub opacity: f32,
    /// Surfaces of equal value.
    pub isos: Vec<Iso>,
    /// A plane that shows the values on it.
    pub slice: Option<Slice>,
    /// How many rays are cast.
    pub quality: Quality,
    /// What the values are, for the legend.
    pub name: String,
    /// In which unit; may be empty.
    pub unit: String,
}

/// A surface on which the values are equal, lit like the surface of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iso {
    /// The value. Where values belong to tetrahedra, the surface lies between those below it and the
    /// others.
    pub value: f32,
    /// Its colour; without one, that of the transfer function.
    pub colour: Option<Colour>,
    /// From 0, not seen, to 1, which hides what is behind it.
    pub opacity: f32,
}

/// A plane through bodies that shows the values on it in the transfer function's colours, opaque and
/// not lit, so that they can be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// A point of the plane, in world coordinates \[m\].
    pub point: [f64; 3],
    /// Its normal; of any length.
    pub normal: [f64; 3],
    /// Leave out the clouds on the side to which the normal points.
    pub clears: bool,
}

/// How many rays are cast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// One for two by two pixels, for pictures that must be quick; on a GPU one for each pixel.
    Draft,
    /// One through the middle of each pixel.
    #[default]
    Normal,
    /// Four for each pixel, for smooth outlines.
    Fine,
}

impl Look {
    /// Clouds by `transfer`, without iso-surfaces or a slice.
    pub fn new(transfer: TransferFunction) -> Self {
        Self {
            transfer,
            opacity: 1.0,
            isos: Vec::new(),
            slice: None,
            quality: Quality::Normal,
            name: String::new(),
            unit: String::new(),
        }
    }

    /// The colour that explains a value: that of the transfer function, or where all are the same, as on a
    /// radiograph, how much of it the value lets be seen.
    pub fn legend_colour(&self, value: f32) -> Colour {
        let colour = self.transfer.colour(value);
        if self.transfer.colours().iter().any(|(_, other)| *other != colour) {
            return colour;
        }
        let most = self.transfer.extinctions().iter().fold(0.0, |most: f32, p| most.max(p.1));
        let part = if most > 0.0 { self.transfer.extinction(value) / most } else { 1.0 };
        // Through the densest a fiftieth of the light comes.
        let through = (-4.0 * part).exp();
        Colour(colour.vec().mix(Colour([1.0; 3]).vec(), through).into())
    }

    /// The iso-surfaces that are seen, each with its colour, the least value first.
    pub(crate) fn seen_isos(&self) -> Vec<(Iso, Colour)> {
        let seen = self.isos.iter().filter(|iso| iso.opacity > 0.0);
        let colour = |iso: &Iso| iso.colour.unwrap_or_else(|| self.transfer.colour(iso.value));
        let mut seen: Vec<_> = seen.map(|iso| (*iso, colour(iso))).collect();
        seen.sort_by(|(a, _), (b, _)| a.value.total_cmp(&b.value));
        seen
    }

    /// Refuses numbers that no picture can be made of.
    pub fn check(&self) -> Result<(), RenderError> {
        let fail = |what| Err(RenderError::Look { what });
        if !(self.opacity >= 0.0 && self.opacity.is_finite()) {
            return fail("opacity must be a number of at least 0".into());
        }
        for (number, iso) in self.isos.iter().enumerate() {
            if !iso.value.is_finite() {
                return fail(format!("iso-surface {number} needs a finite value"));
            } else if !(0.0..=1.0).contains(&iso.opacity) {
                return fail(format!("iso-surface {number} needs an opacity from 0 to 1"));
            }
        }
        match self.slice {
            Some(Slice { point, normal, .. }) => {
                let length = Vec3::from(normal).length();
                let is_plane = length > 0.0 && length.is_finite() && Vec3::from(point).is_finite();
                if is_plane { Ok(()) } else { fail("slice needs a finite point and normal".into()) }
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
