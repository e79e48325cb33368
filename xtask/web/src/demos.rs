//! What the start page says and shows of each demo, from `pliant_scenes`.

use std::path::PathBuf;

use pliant_scenes::{Named, Shot};

use crate::paths;

/// The size of pictures in pixels.
pub const SIZE: [u32; 2] = [480, 300];

/// Where the picture of a demo is kept.
pub fn picture(name: &str) -> PathBuf {
    paths::sources().join("demos").join(format!("{name}.jpg"))
}

/// The list of demos for the start page, with pictures in `folder` beside it.
pub fn list(folder: &str) -> String {
    shown().map(|(demo, shot)| card(demo, shot, folder)).collect()
}

/// The demos on the start page, whose pictures a first visit downloads.
pub fn shown() -> impl Iterator<Item = (&'static Named, &'static Shot)> {
    pliant_scenes::ALL.iter().filter_map(|demo| Some((demo, demo.shot.as_ref()?)))
}

fn card(demo: &Named, shot: &Shot, folder: &str) -> String {
    let [width, height] = SIZE;
    format!(
        "<li><a class=\"card\" href=\"#demo={name}\" data-title=\"{title}\">\
         <img src=\"{folder}/demos/{name}.jpg\" width=\"{width}\" height=\"{height}\" alt=\"{shows}\">\
         <h3>{title}</h3><p>{description}.</p></a></li>\n",
        name = escape(demo.name),
        title = escape(demo.title),
        shows = escape(shot.shows),
        description = escape(demo.description),
    )
}

/// Text as it may stand in HTML, also between quotation marks.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demo_has_a_small_picture_of_the_right_size() {
        for (demo, _) in shown() {
            let bytes = std::fs::read(picture(demo.name)).unwrap_or_else(|e| {
                panic!("{}: {e}; cargo xtask web --pictures draws it", demo.name)
            });
            assert!(bytes.len() <= 30_000, "{}: {} bytes", demo.name, bytes.len());
            assert_eq!(jpeg_size(&bytes), Some(SIZE), "{}", demo.name);
        }
        let kept = std::fs::read_dir(paths::sources().join("demos")).unwrap().count();
        assert_eq!(kept, shown().count(), "a picture of a demo that is no more");
    }

    /// From the frame header of a baseline JPEG (ITU-T T.81, B.2.2).
    fn jpeg_size(bytes: &[u8]) -> Option<[u32; 2]> {
        let at = bytes.windows(2).position(|pair| pair == [0xFF, 0xC0])?;
        let [height, width] =
            [at + 5, at + 7].map(|i| u16::from_be_bytes([bytes[i], bytes[i + 1]]));
        Some([width.into(), height.into()])
    }

    #[test]
    fn cards_name_every_demo_and_escape_what_they_say() {
        let list = list("here");
        assert_eq!(list.matches("<li>").count(), shown().count());
        for (demo, _) in shown() {
            assert!(list.contains(&format!("href=\"#demo={}\"", demo.name)));
            assert!(list.contains(&format!("here/demos/{}.jpg", demo.name)));
        }
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
