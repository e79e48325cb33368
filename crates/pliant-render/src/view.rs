//! How a scene is drawn.

use crate::camera::Camera;
use crate::colour::{Colour, ColourMap, Table};
use crate::volume::{self, TransferFunction};

/// What to draw and how.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Where from.
    pub camera: Camera,
    /// Colours behind everything, at the upper and at the lower edge.
    pub background: [Colour; 2],
    /// Direction towards the main light; of any length.
    pub light: [f32; 3],
    /// How triangles are lit.
    pub shading: Shading,
    /// What colours mean.
    pub colouring: Colouring,
    /// Draw surfaces. Without them, edges, points and tetrahedra remain.
    pub surface: bool,
    /// Bodies throw shadows.
    pub shadow: bool,
    /// Draw the floor, if there is one.
    pub ground: bool,
    /// Draw lines on the floor at round distances.
    pub grid: bool,
    /// Draw the edges of the walls.
    pub world_box: bool,
    /// Draw the directions of x, y and z in the lower left corner.
    pub axes: bool,
    /// Draw the edges of the triangles.
    pub wireframe: bool,
    /// Draw the vertices as small balls.
    pub vertices: bool,
    /// Mark the vertices that are held in place.
    pub locks: bool,
    /// Draw bands and cylinders of drags and pushes.
    pub touches: bool,
    /// Explain the colours beside the picture's right edge.
    pub legend: bool,
    /// Cut bodies open.
    pub cut: Option<Cut>,
    /// Look into bodies: those with tetrahedra and values are drawn as clouds instead of surfaces.
    /// Cuts do not open them; a [`volume::Slice`] does.
    pub volume: Option<volume::Look>,
}

impl View {
    /// The colours of values on surfaces where bodies are looked into: those of the clouds beside them,
    /// over the range of the scale.
    pub(crate) fn own_colours(&self) -> Option<(&TransferFunction, [f32; 2])> {
        let look = self.volume.as_ref()?;
        Some((&look.transfer, self.colouring.scale()?.range))
    }

    /// The colours of `map` in this view.
    pub(crate) fn table(&self, map: ColourMap) -> Table {
        let Some((transfer, [low, high])) = self.own_colours() else { return map.table() };
        Table::of(|t| transfer.colour(low + (high - low) * t))
    }

    /// Plain colours, smooth surfaces, shadow and floor, as `camera` sees them.
    pub fn new(camera: Camera) -> Self {
        Self {
            camera,
            background: [Colour::from_hex(0xeef1f4), Colour::from_hex(0xc6ccd3)],
            light: [-0.35, -0.75, 1.25],
            shading: Shading::Smooth,
            colouring: Colouring::Body,
            surface: true,
            shadow: true,
            ground: true,
            grid: true,
            world_box: false,
            axes: false,
            wireframe: false,
            vertices: false,
            locks: true,
            touches: true,
            legend: true,
            cut: None,
            volume: None,
        }
    }
}

/// How triangles are lit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shading {
    /// With normals that turn evenly from vertex to vertex.
    Smooth,
    /// Each by its own normal.
    Flat,
}

/// A plane that cuts bodies open. Tetrahedra (of bodies without any, triangles) whose middle is on the
/// side to which the normal points are left out, and the faces so uncovered are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// A point of the plane, in world coordinates \[m\].
    pub point: [f64; 3],
    /// Its normal; of any length.
    pub normal: [f64; 3],
}

/// What the colours of bodies mean. Bodies without values stay grey where values are shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Colouring {
    /// All bodies alike.
    Plain,
    /// Each body in its own colour.
    Body,
    /// Values are sizes of forces \[N\]: grey at zero, red from `reference` on (Echtler 2004).
    Force {
        /// What is fully red \[N\].
        reference: f32,
    },
    /// Values are stresses \[Pa\].
    Stress {
        /// Least and greatest on the scale.
        range: [f32; 2],
    },
    /// Values are speeds \[m/s\].
    Speed {
        /// Least and greatest on the scale.
        range: [f32; 2],
    },
    /// Values of any kind.
    Field {
        /// Least and greatest on the scale.
        range: [f32; 2],
        /// What they are, for the legend.
        name: String,
        /// In which unit; may be empty.
        unit: String,
    },
}

/// What a legend and a colour lookup need to know of a colouring by values.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What is measured.
    pub name: String,
    /// In which unit.
    pub unit: String,
    /// Least and greatest value on the scale.
    pub range: [f32; 2],
    /// Its colours.
    pub map: ColourMap,
}

impl Scale {
    /// The place of `value` on the scale: 0 at its least, 1 at its greatest.
    pub fn place(&self, value: f32) -> f32 {
        let [low, high] = self.range;
        // A range without extent: everything sits at the lower end.
        if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { value * 0.0 }
    }
}

impl Colouring {
    /// The scale of a colouring by values; nothing for the others.
    pub fn scale(&self) -> Option<Scale> {
        let scale = |name: &str, unit: &str, range: [f32; 2], map| {
            Some(Scale { name: name.into(), unit: unit.into(), range, map })
        };
        match self {
            Colouring::Plain | Colouring::Body => None,
            Colouring::Force { reference } => {
                scale("force", "N", [0.0, *reference], ColourMap::GreyRed)
            }
            Colouring::Stress { range } => scale("stress", "Pa", *range, ColourMap::Viridis),
            Colouring::Speed { range } => scale("speed", "m/s", *range, ColourMap::Viridis),
            Colouring::Field { range, name, unit } => scale(name, unit, *range, ColourMap::Viridis),
        }
    }
}
