//! Pliant's studio: a window in which soft bodies are looked at, touched and changed while they move.
//!
//! [`Studio`] is the whole interface, drawn with egui; it owns no window and no thread of its own. The
//! simulation runs elsewhere and is spoken to through [`Controls`](pliant_session::player::Controls):
//! orders out, status and frames in. So the interface answers at once however long a step takes.
//! [`run`] opens a native window with a studio in it.
//!
//! | module | what it does |
//! |---|---|
//! | `app` | puts the parts together, once per frame |
//! | `open` | from a demo, a file or a dropped mesh to a scene that runs |
//! | `engine` | the thread of the simulation |
//! | `viewport` | the picture: camera, drawing, grabbing |
//! | `layout` | how the window is divided, by its size |
//! | `panels` | everything round it |
//! | `colours` | what must be read, in both themes |
//! | `keys` | every key, once, for the one who presses and for the one who reads |
//! | `record` | films |
//! | `telemetry` | what goes on, for machines |

mod app;
mod colours;
mod engine;
mod keys;
mod layout;
mod log;
mod look;
mod open;
mod panels;
mod places;
mod plot;
mod record;
mod telemetry;
mod tools;
mod viewport;
#[cfg(not(target_arch = "wasm32"))]
mod window;

pub use app::Studio;
pub use engine::Runs;
pub use open::Source;
pub use viewport::{Screen, ScreenError};
#[cfg(not(target_arch = "wasm32"))]
pub use window::{Options, StudioError, run};
