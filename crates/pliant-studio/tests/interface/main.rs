//! The studio without a window: its interface is fed with events, as a window would, and looked at
//! through its telemetry. With a GPU (or Mesa's software one) pictures are drawn, too.

mod answering;
mod cpu_screen;
mod device;
mod events;
mod fingers;
mod harness;
mod keyboard;
mod phone;
mod touching;
mod volume;
