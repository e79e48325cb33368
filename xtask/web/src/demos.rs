//! What the start page says and shows of each demo. Names, titles and descriptions are those of
//! `pliant_scenes`; how a demo is photographed is written down here.

use std::path::PathBuf;

use pliant_scenes::Named;

use crate::paths;

/// The size of pictures in pixels.
pub const SIZE: [u32; 2] = [480, 300];

/// How a demo is photographed.
pub struct Shot {
    /// The demo.
    pub name: &'static str,
    /// When \[s\].
    pub time: f64,
    /// How much of the view's width and height is left out, and where the middle of the rest is,
    /// as parts of the whole.
    pub cut: f64,
    /// The middle of what is kept.
    pub middle: [f64; 2],
    /// What the picture shows, for those who do not see it.
    pub shows: &'static str,
}

/// One for every demo.
pub const SHOTS: &[Shot] = &[
    Shot {
        name: "jelly",
        time: 0.9,
        cut: 0.15,
        middle: [0.52, 0.52],
        shows: "A red, a blue, a green and an ochre cube on a light floor, each a little out of shape",
    },
    Shot {
        name: "bunny",
        time: 2.1,
        cut: 0.4,
        middle: [0.46, 0.52],
        shows: "A red rubber bunny sitting on a light floor",
    },
    Shot {
        name: "hanging-bar",
        time: 1.6,
        cut: 0.2,
        middle: [0.52, 0.58],
        shows: "A thin red bar that hangs between two rows of fixed points and sags",
    },
    Shot {
        name: "dent",
        time: 2.6,
        cut: 0.2,
        middle: [0.5, 0.55],
        shows: "A flat red block with three dents in its upper side",
    },
    Shot {
        name: "crowd",
        time: 0.55,
        cut: 0.1,
        middle: [0.45, 0.54],
        shows: "A hundred small balls, blocks, rings and stars in many colours, in rows on a floor",
    },
    Shot {
        name: "cloth",
        time: 2.4,
        cut: 0.0,
        middle: [0.5, 0.5],
        shows: "A red cloth held at its four corners and blown up like a sail, its shadow below",
    },
    Shot {
        name: "blob",
        time: 0.9,
        cut: 0.35,
        middle: [0.53, 0.6],
        shows: "A smooth red blob, flattened by its landing",
    },
    Shot {
        name: "phantom",
        time: 1.2,
        cut: 0.2,
        middle: [0.5, 0.5],
        shows: "A head as a cloud: pale bones round a red brain, and two blue eyes",
    },
];

/// How to photograph the demo called `name`.
pub fn shot(name: &str) -> Option<&'static Shot> {
    SHOTS.iter().find(|shot| shot.name == name)
}

/// Where the picture of a demo is kept.
pub fn picture(name: &str) -> PathBuf {
    paths::sources().join("demos").join(format!("{name}.jpg"))
}

/// The list of demos for the start page, with pictures in `folder` beside it.
pub fn list(folder: &str) -> String {
    pliant_scenes::ALL.iter().map(|demo| card(demo, folder)).collect()
}

fn card(demo: &Named, folder: &str) -> String {
    let shows = shot(demo.name).map_or(demo.title, |shot| shot.shows);
    let [width, height] = SIZE;
    format!(
        "<li><a class=\"card\" href=\"#demo={name}\" data-title=\"{title}\">\
         <img src=\"{folder}/demos/{name}.jpg\" width=\"{width}\" height=\"{height}\" alt=\"{shows}\">\
         <h3>{title}</h3><p>{description}.</p></a></li>\n",
        name = escape(demo.name),
        title = escape(demo.title),
        shows = escape(shows),
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
        for demo in pliant_scenes::ALL {
            assert!(shot(demo.name).is_some(), "{} is missing in SHOTS", demo.name);
            let bytes = std::fs::read(picture(demo.name)).unwrap_or_else(|e| {
                panic!("{}: {e}; cargo xtask web --pictures draws it", demo.name)
            });
            assert!(bytes.len() <= 30_000, "{}: {} bytes", demo.name, bytes.len());
            assert_eq!(jpeg_size(&bytes), Some(SIZE), "{}", demo.name);
        }
        assert_eq!(SHOTS.len(), pliant_scenes::ALL.len(), "a shot of a demo that is no more");
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
        assert_eq!(list.matches("<li>").count(), pliant_scenes::ALL.len());
        for demo in pliant_scenes::ALL {
            assert!(list.contains(&format!("href=\"#demo={}\"", demo.name)));
            assert!(list.contains(&format!("here/demos/{}.jpg", demo.name)));
        }
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
