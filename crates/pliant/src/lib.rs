//! Real-time soft bodies on any GPU and on plain CPUs.

pub use pliant_mesh as mesh;
pub use pliant_scenes as scenes;
pub use pliant_session as session;
pub use pliant_sim::stages::touch;
pub use pliant_sim::{
    Backend, BuildError, Diverged, Energy, Model, Scene, Simulator, State, StepReport, checkpoint,
    scene, stability,
};
