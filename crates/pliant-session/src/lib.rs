//! The run loop that every front end uses: commands in, messages and the latest frame out.
//!
//! A [`Session`] is a simulator with the script of its scene: actions begin and end exactly at step
//! boundaries, whether a run is stepped in one go, in pieces, or resumed from a checkpoint. A
//! [`Remote`] steers it from elsewhere. [`run`] drives a session to its end and writes what the scene
//! asks for: pictures, films, frames, animation, table and checkpoints. A [`player`] drives it for
//! somebody who watches and reaches into it, as in a window. A [`link`] carries a scene to somebody else.
//!
//! ```
//! use pliant_session::Session;
//! use pliant_sim::scene::{Body, Scene};
//! use pliant_sim::Backend;
//!
//! let mut body = Body { name: "cube".into(), ..Body::default() };
//! body.translate[2] = 5.0;
//! let scene = Scene { bodies: vec![body], ..Scene::default() };
//! let mut session = Session::new(scene, Backend::auto())?;
//! session.advance(25)?;
//! assert!((session.simulator().time() - 0.1).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files and threads are only in [`export`] and [`run`], which the web build leaves out.

#[cfg(not(target_arch = "wasm32"))]
pub mod export;
mod frame;
pub mod link;
pub mod pictures;
pub mod player;
mod remote;
#[cfg(not(target_arch = "wasm32"))]
mod runner;
mod script;
mod session;
#[cfg(test)]
mod tests;

pub use frame::{Fields, Frame, Geometry, TrackedMoment};
pub use remote::{Command, Message, Remote};
#[cfg(not(target_arch = "wasm32"))]
pub use runner::{Ending, Event, Outcome, Progress, RunError, RunOptions, run};
pub use session::{EditError, Session};
