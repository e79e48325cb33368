//! What an independent player makes of films.

use std::path::Path;
use std::process::Command;

/// All frames as ffmpeg sees them; nothing where there is no ffmpeg.
pub fn decoded(path: &Path, options: &[&str], size: [u32; 2]) -> Option<Vec<Vec<[u8; 3]>>> {
    let output = Command::new("ffmpeg")
        .args(["-v", "warning", "-xerror", "-err_detect", "explode", "-i"])
        .arg(path)
        .args(options)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output();
    let Ok(output) = output else {
        let required = std::env::var("PLIANT_FFMPEG").is_ok_and(|value| value == "required");
        assert!(!required, "PLIANT_FFMPEG=required, but there is no ffmpeg on this machine");
        eprintln!("skipped: there is no ffmpeg on this machine to decode the film with");
        return None;
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    let pixels = (size[0] * size[1]) as usize;
    assert_eq!(output.stdout.len() % (3 * pixels), 0);
    let frames = output.stdout.chunks_exact(3 * pixels);
    Some(frames.map(|frame| frame.as_chunks::<3>().0.to_vec()).collect())
}
