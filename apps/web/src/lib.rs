//! Pliant's studio in a browser tab.
//!
//! The page calls `start` with a canvas; everything after that happens by itself. Simulation and picture
//! are on WebGPU; where the browser has none, the simulation is on the processor and the interface is drawn
//! by WebGL. The other functions are for the page's own buttons, and for tests.
//!
//! | module | what it does |
//! |---|---|
//! | `exports` | what the page calls |
//! | `headless` | simulations without a picture |
//! | `tab` | the studio, and the runner that draws it |
//! | `device` | WebGPU, if there is any |
//! | `downloads` | handing out what was saved |
//! | `trouble` | telling what cannot be helped |

#[cfg(target_arch = "wasm32")]
mod device;
#[cfg(target_arch = "wasm32")]
mod downloads;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
mod headless;
#[cfg(target_arch = "wasm32")]
mod tab;
#[cfg(target_arch = "wasm32")]
mod trouble;

#[cfg(target_arch = "wasm32")]
pub use exports::*;
#[cfg(target_arch = "wasm32")]
pub use headless::simulate;
