//! The pliant program.
fn main() {}
