//! How the picture looks: colours, what is drawn, the cut.

use pliant_render::{Bounds, Camera, Colour, Colouring, Cut, Shading, View};
use pliant_sim::scene::{PictureColour, PictureSlice};

use crate::inside::Inside;

/// What the user chose to see. Kept when another scene is opened; only ranges and camera are the scene's.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What colours mean.
    pub colour: PictureColour,
    /// Flat instead of smooth.
    pub flat: bool,
    /// The surface itself.
    pub surface: bool,
    /// Edges of triangles.
    pub wireframe: bool,
    /// Vertices as balls.
    pub vertices: bool,
    /// Marks on held vertices.
    pub locks: bool,
    /// Floor and walls.
    pub world: bool,
    /// Lines on the floor, and axes.
    pub grid: bool,
    /// Shadows.
    pub shadow: bool,
    /// Forces of what touches, as arrows.
    pub contacts: bool,
    /// The wind, as arrows.
    pub wind: bool,
    /// Bodies in place of the skins that they carry.
    pub cages: bool,
    /// What is cut away.
    pub cut: Option<CutPlane>,
    /// What is seen of the inside.
    pub inside: Inside,
}

/// A plane at right angles to an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutPlane {
    /// 0, 1 or 2.
    pub axis: usize,
    /// From 0 at the least to 1 at the greatest coordinate of the bodies.
    pub at: f64,
    /// Which side goes.
    pub flipped: bool,
}

impl Default for CutPlane {
    fn default() -> Self {
        Self { axis: 1, at: 0.5, flipped: false }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self {
            colour: PictureColour::Body,
            flat: false,
            surface: true,
            wireframe: false,
            vertices: false,
            locks: true,
            world: true,
            grid: true,
            shadow: true,
            contacts: false,
            wind: false,
            cages: false,
            cut: None,
            inside: Inside::default(),
        }
    }
}

impl Look {
    /// The view of a renderer. `bounds` are those of the bodies.
    pub fn view(
        &self,
        camera: Camera,
        colouring: Colouring,
        bounds: Bounds,
        is_dark: bool,
    ) -> View {
        let mut view = View::new(camera);
        if is_dark {
            view.background = [Colour::from_hex(0x3a4048), Colour::from_hex(0x22262b)];
        }
        view.colouring = colouring;
        view.shading = if self.flat { Shading::Flat } else { Shading::Smooth };
        view.surface = self.surface;
        view.wireframe = self.wireframe;
        view.vertices = self.vertices;
        view.locks = self.locks && self.cut.is_none();
        (view.ground, view.world_box) = (self.world, self.world);
        (view.grid, view.axes) = (self.grid, self.grid);
        view.shadow = self.shadow;
        // The window writes its own.
        view.legend = false;
        view.cut = self.cut.map(|cut| cut.plane(bounds));
        view
    }
}

impl CutPlane {
    /// The plane at right angles to an axis that is most like a slice through bodies in `bounds`.
    pub fn near(slice: PictureSlice, bounds: Bounds) -> Self {
        let steep =
            |a: &usize, b: &usize| slice.normal[*a].abs().total_cmp(&slice.normal[*b].abs());
        let axis = (0..3).max_by(steep).unwrap_or(0);
        let point = slice.point.unwrap_or(bounds.centre())[axis];
        let size = bounds.max[axis] - bounds.min[axis];
        let at = if size > 0.0 { (point - bounds.min[axis]) / size } else { 0.5 };
        let plane = Self { axis, at: at.clamp(0.0, 1.0), flipped: false };
        let flipped = plane.plane(bounds).normal[axis] * slice.normal[axis] < 0.0;
        Self { flipped, ..plane }
    }

    /// The plane itself.
    pub fn plane(self, bounds: Bounds) -> Cut {
        let Self { axis, at, flipped } = self;
        let mut point = bounds.centre();
        point[axis] = bounds.min[axis] + at * (bounds.max[axis] - bounds.min[axis]);
        let mut normal = [0.0; 3];
        // Without being turned it takes away what is in front for the usual camera.
        let front = if axis == 1 { -1.0 } else { 1.0 };
        normal[axis] = if flipped { -front } else { front };
        Cut { point, normal }
    }
}
