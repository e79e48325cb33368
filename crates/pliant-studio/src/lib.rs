//! Pliant's studio: a window in which soft bodies are looked at, touched and changed while they move.
