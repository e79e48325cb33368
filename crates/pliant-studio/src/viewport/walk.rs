//! Moving the camera without a mouse.

use pliant_render::Camera;

/// A step of the camera, by key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Round the scene, to the left.
    Left,
    /// To the right.
    Right,
    /// Higher.
    Up,
    /// Lower.
    Down,
    /// Nearer.
    Closer,
    /// Farther.
    Away,
    /// Sideways, without turning.
    SlideLeft,
    /// Sideways, without turning.
    SlideRight,
    /// Upwards, without turning.
    SlideUp,
    /// Downwards, without turning.
    SlideDown,
}

/// A twenty-fourth of a half turn \[rad\].
const TURN: f64 = std::f64::consts::PI / 24.0;
/// Part of the picture's height.
const SLIDE: f64 = 0.05;
const ZOOM: f64 = 1.15;

impl Walk {
    /// Takes the step.
    pub fn go(self, camera: &mut Camera) {
        match self {
            Self::Left => camera.orbit(-TURN, 0.0),
            Self::Right => camera.orbit(TURN, 0.0),
            Self::Up => camera.orbit(0.0, TURN),
            Self::Down => camera.orbit(0.0, -TURN),
            Self::Closer => camera.zoom(ZOOM),
            Self::Away => camera.zoom(1.0 / ZOOM),
            // What is seen goes the other way.
            Self::SlideLeft => camera.pan(SLIDE, 0.0),
            Self::SlideRight => camera.pan(-SLIDE, 0.0),
            Self::SlideUp => camera.pan(0.0, -SLIDE),
            Self::SlideDown => camera.pan(0.0, SLIDE),
        }
    }
}
