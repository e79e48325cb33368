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
//! | `engine` | the simulation, beside the window |
//! | `viewport` | the picture: camera, drawing, grabbing |
//! | `layout` | how the window is divided, by its size |
//! | `panels` | everything round it |
//! | `colours` | what must be read, in both themes |
//! | `fonts` | the letters it is written in |
//! | `keys` | every key, once, for the one who presses and for the one who reads |
//! | `record` | films |
//! | `saving` | other files |
//! | `describe` | what is seen, in words |
//! | `share` | links to scenes |
//! | `telemetry` | what goes on, for machines |

mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
mod colours;
mod describe;
mod engine;
mod fonts;
mod inside;
mod keys;
mod layout;
mod log;
mod look;
mod open;
mod panels;
mod places;
mod plot;
mod record;
mod saving;
mod share;
mod telemetry;
mod tools;
mod viewport;
#[cfg(not(target_arch = "wasm32"))]
mod window;

pub use app::Studio;
pub use engine::Runs;
#[cfg(target_arch = "wasm32")]
pub use engine::sleep;
pub use open::Source;
pub use panels::notice::Notice;
pub use viewport::{Screen, ScreenError};
#[cfg(not(target_arch = "wasm32"))]
pub use window::{Options, StudioError, run};
