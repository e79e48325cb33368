//! A session for somebody who watches: it keeps pace with the clock, can be stopped, stepped, edited
//! and sent back, and remembers what was.

mod order;
mod status;

pub use order::{Order, Ray};
pub use status::{Remembered, Sample, Status};
