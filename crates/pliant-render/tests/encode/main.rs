//! Pictures and films written and read again.

mod ffmpeg;
mod files;
mod gif;
mod mp4;
mod scene;
