//! Where a picture is taken from.

use crate::error::RenderError;
use crate::geometry::Bounds;
use crate::math::{Vec3, Vec3d, Vec3f, vec3};

/// A perspective camera in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands \[m\].
    pub eye: [f64; 3],
    /// What is in the middle of the picture \[m\].
    pub target: [f64; 3],
    /// The direction that points up in the picture; need not be of unit length or at right angles to
    /// the view.
    pub up: [f64; 3],
    /// Angle from the lower to the upper edge of the picture \[rad\].
    pub field_of_view: f64,
}

/// What framing leaves free round the scene, as part of the picture.
const MARGIN: f64 = 0.1;
/// Nothing nearer than this part of the distance to the target is drawn.
const NEAR: f64 = 1e-3;
/// How close to straight down or up an orbit goes \[rad\].
const POLE: f64 = 0.02;

/// Right, up and into the picture: unit vectors at right angles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    pub right: Vec3d,
    pub up: Vec3d,
    pub forward: Vec3d,
}

impl Camera {
    /// A camera that looks at the middle of `bounds` from `direction` (a vector from the scene to the
    /// eye) and sees all of it in a picture of the given `aspect` (width by height). Up is +z.
    pub fn framing(bounds: Bounds, direction: [f64; 3], aspect: f64) -> Self {
        let mut camera = Self {
            eye: direction,
            target: [0.0; 3],
            up: [0.0, 0.0, 1.0],
            field_of_view: 35f64.to_radians(),
        };
        camera.fit(bounds, aspect);
        camera
    }

    /// Looks at the middle of `bounds` and goes so far away, or so near, that all of it is seen in a
    /// picture of the given `aspect` (width by height). Direction and angle stay as they are.
    pub fn fit(&mut self, bounds: Bounds, aspect: f64) {
        let centre = bounds.centre();
        let away = Vec3::from(self.eye) - Vec3::from(self.target);
        let away = away.unit_or(vec3(0.0, -1.0, 0.0));
        self.target = centre;
        self.eye = (Vec3::from(centre) + away).into();
        let basis = self.basis();
        let tan_y = (self.field_of_view / 2.0).tan() * (1.0 - MARGIN);
        let tan_x = tan_y * if aspect > 0.0 && aspect.is_finite() { aspect } else { 1.0 };
        // A corner is inside when its offset from the axis is at most its distance times the tangent.
        let distance = bounds.corners().into_iter().fold(0.0, |far: f64, corner| {
            let c = Vec3::from(corner) - Vec3::from(centre);
            let sideways = (c.dot(basis.right).abs() / tan_x).max(c.dot(basis.up).abs() / tan_y);
            far.max(c.dot(away) + sideways)
        });
        let distance = if distance > 0.0 && distance.is_finite() { distance } else { 1.0 };
        self.eye = (Vec3::from(centre) + away * distance).into();
    }

    /// Distance from the eye to the target \[m\].
    pub fn distance(&self) -> f64 {
        (Vec3::from(self.target) - Vec3::from(self.eye)).length()
    }

    /// Walks round the target: by `azimuth` \[rad\] anticlockwise seen from +z, and `elevation` \[rad\]
    /// upwards, stopping short of the poles.
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) {
        let arm = Vec3::from(self.eye) - Vec3::from(self.target);
        let distance = arm.length();
        let around = arm.y.atan2(arm.x) + azimuth;
        let limit = std::f64::consts::FRAC_PI_2 - POLE;
        let above = (arm.z / distance.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0).asin() + elevation;
        let above = above.clamp(-limit, limit);
        let arm = vec3(around.cos() * above.cos(), around.sin() * above.cos(), above.sin());
        self.eye = (Vec3::from(self.target) + arm * distance).into();
        self.up = [0.0, 0.0, 1.0];
    }

    /// Moves eye and target so that what is at the target shifts by `right` and `up`, in parts of the
    /// picture's height.
    pub fn pan(&mut self, right: f64, up: f64) {
        let basis = self.basis();
        let height = 2.0 * self.distance() * (self.field_of_view / 2.0).tan();
        let shift = (basis.right * -right + basis.up * -up) * height;
        self.eye = (Vec3::from(self.eye) + shift).into();
        self.target = (Vec3::from(self.target) + shift).into();
    }

    /// Comes `factor` times closer to the target; below one it goes away.
    pub fn zoom(&mut self, factor: f64) {
        if factor > 0.0 && factor.is_finite() {
            let arm = Vec3::from(self.eye) - Vec3::from(self.target);
            self.eye = (Vec3::from(self.target) + arm * (1.0 / factor)).into();
        }
    }

    pub(crate) fn basis(&self) -> Basis {
        let forward = Vec3::from(self.target) - Vec3::from(self.eye);
        let forward = forward.unit_or(vec3(0.0, 1.0, 0.0));
        let sideways = |up: Vec3d| {
            let right = forward.cross(up.unit_or(vec3(0.0, 0.0, 1.0)));
            (right.length() > 1e-9).then_some(right)
        };
        // Looking along `up` leaves the roll open: take any of the axes that is not in line.
        let right = sideways(self.up.into())
            .or_else(|| sideways(vec3(0.0, 1.0, 0.0)))
            .or_else(|| sideways(vec3(1.0, 0.0, 0.0)))
            .unwrap_or(vec3(1.0, 0.0, 0.0))
            .unit_or(vec3(1.0, 0.0, 0.0));
        Basis { right, up: right.cross(forward), forward }
    }

    /// The mapping to a picture of `width` × `height` pixels, for vertices relative to `origin`.
    pub fn projection(
        &self,
        origin: [f64; 3],
        width: u32,
        height: u32,
    ) -> Result<Projection, RenderError> {
        let finite = [self.eye, self.target, self.up].iter().all(|v| Vec3::from(*v).is_finite());
        let distance = self.distance();
        if !finite {
            return Err(RenderError::Camera { what: "place is not a finite number" });
        } else if distance == 0.0 || !distance.is_finite() {
            return Err(RenderError::Camera {
                what: "eye must lie at a finite distance from its target",
            });
        } else if !(self.field_of_view > 0.0 && self.field_of_view < 3.1) {
            return Err(RenderError::Camera {
                what: "field of view must lie between 0 and 3.1 rad",
            });
        }
        Ok(Projection::new(self, origin, [f64::from(width), f64::from(height)]))
    }
}

/// From vertices to pixels. Pixel (0, 0) is the upper left one, and its middle is at (0.5, 0.5).
#[derive(Clone, Debug)]
pub struct Projection {
    /// Rows that give x·w, y·w and w, where w is the depth \[m\]; the fourth column is added.
    rows: [[f32; 4]; 3],
    basis: Basis,
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "the GPU's renderer asks"))]
    origin: [f64; 3],
    eye: Vec3d,
    /// Pixels per unit of slope.
    focal: f64,
    size: [f64; 2],
    near: f32,
}

impl Projection {
    fn new(camera: &Camera, origin: [f64; 3], size: [f64; 2]) -> Self {
        let basis = camera.basis();
        let eye = Vec3::from(camera.eye) - Vec3::from(origin);
        let focal = size[1] / 2.0 / (camera.field_of_view / 2.0).tan();
        let row = |v: Vec3d| [v.x as f32, v.y as f32, v.z as f32, -v.dot(eye) as f32];
        let rows = [
            row(basis.right * focal + basis.forward * (size[0] / 2.0)),
            row(basis.up * -focal + basis.forward * (size[1] / 2.0)),
            row(basis.forward),
        ];
        let near = (camera.distance() * NEAR) as f32;
        Self { rows, basis, origin, eye, focal, size, near }
    }

    /// The point `p` (relative to the origin) as (x·w, y·w, w), with x and y in pixels and w the depth
    /// \[m\], which is negative behind the camera.
    pub fn homogeneous(&self, p: [f32; 3]) -> [f32; 3] {
        self.rows.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
    }

    /// Rows that give, for (x, y, z, 1), the same with pixels counted from the middle of the picture,
    /// where numbers are small and so have more digits.
    pub(crate) fn centred_rows(&self) -> [[f32; 4]; 3] {
        let row = |v: Vec3d| [v.x as f32, v.y as f32, v.z as f32, -v.dot(self.eye) as f32];
        let Basis { right, up, forward } = self.basis;
        [row(right * self.focal), row(up * -self.focal), row(forward)]
    }

    /// Pixel coordinates and depth \[m\] of `p`; nothing if it is behind the near plane.
    pub fn pixel(&self, p: [f32; 3]) -> Option<[f32; 3]> {
        let [x, y, w] = self.homogeneous(p);
        (w > self.near).then(|| [x / w, y / w, w])
    }

    /// The ray through a pixel: its start at the eye, relative to the origin, and its unit direction.
    pub fn ray(&self, x: f64, y: f64) -> ([f64; 3], [f64; 3]) {
        let right = (x - self.size[0] / 2.0) / self.focal;
        let up = (self.size[1] / 2.0 - y) / self.focal;
        let direction = self.basis.forward + self.basis.right * right + self.basis.up * up;
        (self.eye.into(), (direction * (1.0 / direction.length())).into())
    }

    /// Nothing nearer than this is drawn \[m\].
    pub fn near(&self) -> f32 {
        self.near
    }

    /// The matrix for graphics hardware, as columns: clip coordinates from −1 to 1 with depth
    /// near / w, which is 1 at the near plane and 0 at infinity.
    pub fn clip_matrix(&self) -> [[f32; 4]; 4] {
        let [w, h] = self.size;
        let row = |v: Vec3d| [v.x, v.y, v.z, -v.dot(self.eye)].map(|c| c as f32);
        let x = row(self.basis.right * (2.0 * self.focal / w));
        let y = row(self.basis.up * (2.0 * self.focal / h));
        let depth = row(self.basis.forward);
        std::array::from_fn(|c| [x[c], y[c], if c == 3 { self.near } else { 0.0 }, depth[c]])
    }

    /// The vector from the eye to what is seen at depth one, as a x + b y + c for pixel (x, y).
    pub(crate) fn rays(&self) -> [Vec3f; 3] {
        let across = self.basis.right * (1.0 / self.focal);
        let down = self.basis.up * (-1.0 / self.focal);
        let [width, height] = self.size;
        let corner = self.basis.forward - across * (width / 2.0) - down * (height / 2.0);
        [across, down, corner].map(|v| v.to_f32())
    }

    pub(crate) fn eye(&self) -> Vec3f {
        self.eye.to_f32()
    }

    pub(crate) fn basis(&self) -> Basis {
        self.basis
    }

    /// What vertices are relative to \[m\].
    #[cfg(feature = "gpu")]
    pub(crate) fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// From the eye to the target \[m\].
    pub(crate) fn distance(&self) -> f64 {
        f64::from(self.near) / NEAR
    }

    pub(crate) fn focal(&self) -> f64 {
        self.focal
    }

    pub(crate) fn size(&self) -> [f64; 2] {
        self.size
    }
}

#[cfg(test)]
#[path = "camera_tests.rs"]
mod tests;
