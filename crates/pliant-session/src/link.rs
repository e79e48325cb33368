//! Links that carry a scene and where it is looked at from, to be sent around and opened in a browser.
//!
//! What stands behind `#scene=` in such an address is a letter for the version, and then in base64
//! (the alphabet for addresses, without padding) a checksum and the compressed scene file: the same
//! text that the command line reads, without what is as by default. The camera is that of the scene's
//! own pictures. Browsers do not send this part of an address to the server.
//!
//! ```
//! use pliant_session::link;
//! use pliant_sim::scene::{Body, Scene};
//!
//! let scene = Scene { bodies: vec![Body { name: "cube".into(), ..Body::default() }], ..Scene::default() };
//! let code = link::encode(&scene, None)?;
//! let address = link::address("https://example.org/pliant/", &code);
//! assert_eq!(link::decode(&address)?.scene, scene);
//! # Ok::<(), link::LinkError>(())
//! ```

use std::io::{Read, Write};
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::{Compression, Crc, bufread::DeflateDecoder, write::DeflateEncoder};
use pliant_render::Camera;
use pliant_sim::Scene;
use pliant_sim::scene::{ColliderGround, ColliderShape, PictureCamera, SceneError, Source};

use crate::pictures::shot;

/// The longest code \[characters\].
pub const MOST_CHARACTERS: usize = 64 << 10;
/// The longest scene file in a link \[bytes\].
pub const MOST_BYTES: usize = 1 << 20;

/// What the codes of this version begin with.
const VERSION: char = 'A';
/// Bytes of the checksum, which come first.
const CHECK: usize = 4;
/// What comes before the code in an address.
const KEY: &str = "scene=";
/// Decimal places that are kept of a camera, counted from the first digit of its distance.
const DIGITS: i32 = 6;

/// What a link carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The scene. It uses no mesh files and does not say where results are written.
    pub scene: Scene,
    /// Where it is looked at from, if the link says so; the same as the scene's pictures.
    pub camera: Option<Camera>,
}

/// Why there is no link, or none that can be opened, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinkError {
    /// Nothing was given.
    #[error("there is no link here: paste the whole address, or what follows #scene= in it")]
    Empty,
    /// An address of something else.
    #[error(
        "this address carries no scene: a link to one has #scene= in it and a code behind that. \
         Copy it again, up to its end"
    )]
    NoScene,
    /// Too much text for a link.
    #[error(
        "this is too long for a link, which has up to {MOST_CHARACTERS} characters; if it is a \
         scene file, open it as a file"
    )]
    TooLong,
    /// The first letter is that of no known version.
    #[error(
        "the link was made by another version of Pliant, or is none: it begins with {found:?} and \
         not with {VERSION:?}. Copy it again from its start, or use the newest version"
    )]
    Version {
        /// What it begins with.
        found: char,
    },
    /// Something in the code is missing or was changed.
    #[error("the link is damaged or was cut off: copy it again ({what})")]
    Damaged {
        /// How that shows.
        what: String,
    },
    /// The text in it is longer than any that is written.
    #[error(
        "the scene in the link is larger than {} MiB when unpacked, so it was not made by Pliant; \
         ask for the scene as a file",
        MOST_BYTES >> 20
    )]
    Bomb,
    /// The link is whole but what it holds makes no sense.
    #[error("the scene in the link cannot be used; ask for a new link\n{0}")]
    Scene(SceneError),
    /// A scene that cannot be written as a file.
    #[error("the scene cannot be written\n{0}")]
    Unwritable(SceneError),
    /// The scene needs a file that links do not carry.
    #[error(
        "body {body:?} is made of the mesh file {}, which a link cannot carry: send the scene and \
         the mesh as files",
        path.display()
    )]
    MeshFile {
        /// The body.
        body: String,
        /// Its mesh.
        path: PathBuf,
    },
    /// A collider needs a file that links do not carry.
    #[error(
        "collider {collider:?} is made of the height map {}, which a link cannot carry: send the scene and \
         the height map as files, or write its `heights` into the scene",
        path.display()
    )]
    HeightMapFile {
        /// The collider.
        collider: String,
        /// Its height map.
        path: PathBuf,
    },
    /// A collider is a mesh in a file.
    #[error(
        "collider {collider:?} is read from {}, and a link carries no files; make it of `shape` instead",
        path.display()
    )]
    ColliderFile {
        /// The collider.
        collider: String,
        /// Its mesh.
        path: PathBuf,
    },
    /// A collider is a mesh that is not even in a file.
    #[error(
        "collider {collider:?} is made of a mesh of its own, which a link cannot carry; make it of `shape` instead"
    )]
    ColliderMesh {
        /// The collider.
        collider: String,
    },
    /// The scene needs a mesh that is not even in a file.
    #[error(
        "body {body:?} is made of a mesh of its own, which a link cannot carry: save the mesh and \
         the scene as files and send them"
    )]
    Mesh {
        /// The body.
        body: String,
    },
    /// There is too much in the scene.
    #[error(
        "the scene is too large for a link: it would have {characters} characters, and \
         {MOST_CHARACTERS} are the most. Save it as a file and send that"
    )]
    SceneTooLarge {
        /// How long the link would be.
        characters: usize,
    },
    /// The camera stands nowhere.
    #[error(
        "the camera stands nowhere or looks at itself, so it cannot be sent: frame the scene anew"
    )]
    Camera,
}

/// The code for a scene, looked at by `camera` or else as its own pictures are. [`address`] makes a
/// link of it. Where the scene writes its results is left out.
pub fn encode(scene: &Scene, camera: Option<Camera>) -> Result<String, LinkError> {
    refuse_files(scene)?;
    let mut scene = scene.clone();
    scene.output.folder = None;
    if let Some(camera) = camera {
        scene.output.picture.camera = wish(&camera).ok_or(LinkError::Camera)?;
    }
    let text = scene.to_short_toml().map_err(LinkError::Unwritable)?;
    let packed = pack(&text);
    let mut bytes = checksum(&packed).to_vec();
    bytes.extend(packed);
    let code = format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(bytes));
    let fits = text.len() <= MOST_BYTES && code.len() <= MOST_CHARACTERS;
    fits.then_some(code.clone()).ok_or(LinkError::SceneTooLarge { characters: code.len() })
}

/// The link to a scene: the address of the page with the code in it. Without a page it is the part
/// that goes behind one.
pub fn address(page: &str, code: &str) -> String {
    let page = page.split('#').next().unwrap_or_default().trim();
    format!("{page}#{KEY}{code}")
}

/// Whether a text is meant as a link, and not as the name of a file.
pub fn is_link(text: &str) -> bool {
    let text = text.trim_start();
    ["http://", "https://", "#scene="].iter().any(|start| text.starts_with(start))
}

/// What a link carries: a whole address, the part from `#scene=`, or the code alone. White space and
/// what else gets in when a link is sent by mail does not matter.
pub fn decode(text: &str) -> Result<Shared, LinkError> {
    let code = code_in(text)?;
    let mut rest = code.chars();
    match rest.next() {
        None => return Err(LinkError::Empty),
        Some(VERSION) => {}
        Some(found) => return Err(LinkError::Version { found }),
    }
    let bytes = bytes_of(rest.as_str())?;
    let Some((check, packed)) = bytes.split_at_checked(CHECK) else {
        return Err(damaged("it ends after its first characters"));
    };
    if check != checksum(packed) {
        return Err(damaged("its checksum is wrong"));
    }
    let text = unpack(packed)?;
    let mut scene = Scene::from_toml(&text, "link").map_err(LinkError::Scene)?;
    refuse_files(&scene)?;
    // Whoever sends a link does not decide where files are written.
    scene.output.folder = None;
    let camera = shot::placed(&scene.output.picture.camera);
    Ok(Shared { scene, camera })
}

/// The code in an address or a part of one, without what mail programs insert.
fn code_in(text: &str) -> Result<String, LinkError> {
    if text.len() > 2 * MOST_CHARACTERS {
        return Err(LinkError::TooLong);
    }
    let is_noise =
        |c: char| c.is_whitespace() || "\u{ad}\u{200b}\u{200c}\u{200d}\u{feff}".contains(c);
    let text: String = text.chars().filter(|c| !is_noise(*c)).collect();
    let text = text.trim_matches(['<', '>', '"', '\'', '(', ')', '.', ',', ';']);
    let fragment = text.split_once('#').map(|(_, fragment)| fragment);
    let is_address = fragment.is_some() || text.contains("://");
    let mut parts = fragment.unwrap_or(text).split('&');
    let code = match parts.find_map(|part| part.strip_prefix(KEY)) {
        Some(code) => code,
        None if is_address => return Err(LinkError::NoScene),
        None => text,
    };
    if code.len() > MOST_CHARACTERS {
        return Err(LinkError::TooLong);
    }
    Ok(code.to_owned())
}

fn bytes_of(code: &str) -> Result<Vec<u8>, LinkError> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some((place, c)) = code.chars().enumerate().find(|(_, c)| !is_known(*c)) {
        // The version is the first character.
        return Err(damaged(format!("character {} of the code is {c:?}", place + 2)));
    }
    URL_SAFE_NO_PAD.decode(code).map_err(|_| damaged("its last characters are missing"))
}

fn checksum(packed: &[u8]) -> [u8; CHECK] {
    let mut crc = Crc::new();
    crc.update(packed);
    crc.sum().to_le_bytes()
}

fn pack(text: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.expect("memory takes all that is written")
}

/// The text, of which never more is unpacked than a link may hold.
fn unpack(packed: &[u8]) -> Result<String, LinkError> {
    let mut decoder = DeflateDecoder::new(packed);
    let mut bytes = Vec::new();
    let read = decoder.by_ref().take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > MOST_BYTES {
        return Err(LinkError::Bomb);
    }
    if read.is_err() || decoder.total_in() != packed.len() as u64 {
        return Err(damaged("it cannot be unpacked"));
    }
    String::from_utf8(bytes).map_err(|_| damaged("it does not hold text"))
}

fn damaged(what: impl Into<String>) -> LinkError {
    LinkError::Damaged { what: what.into() }
}

/// A link must not make its reader open files, and there are none to come with it.
fn refuse_files(scene: &Scene) -> Result<(), LinkError> {
    for body in &scene.bodies {
        let name = body.name.clone();
        for source in body.sources() {
            match source {
                Source::Shape(_) => {}
                Source::Mesh { path, .. } => {
                    return Err(LinkError::MeshFile { body: name, path: path.clone() });
                }
                Source::Inline(_) => return Err(LinkError::Mesh { body: name }),
            }
        }
    }
    for collider in &scene.colliders {
        if let ColliderShape::HeightMap(ColliderGround { file: Some(path), .. }) = &collider.shape {
            let (collider, path) = (collider.name.clone(), path.clone());
            return Err(LinkError::HeightMapFile { collider, path });
        }
        let ColliderShape::Mesh(mesh) = &collider.shape else { continue };
        match &mesh.source {
            Source::Shape(_) => {}
            Source::Mesh { path, .. } => {
                let (collider, path) = (collider.name.clone(), path.clone());
                return Err(LinkError::ColliderFile { collider, path });
            }
            Source::Inline(_) => {
                return Err(LinkError::ColliderMesh { collider: collider.name.clone() });
            }
        }
    }
    Ok(())
}

/// How a scene file describes a camera. Digits that nobody could see are left out.
fn wish(camera: &Camera) -> Option<PictureCamera> {
    let arm: [f64; 3] = std::array::from_fn(|k| camera.eye[k] - camera.target[k]);
    let (distance, up) = (length(arm), length(camera.up));
    let angle = camera.field_of_view.to_degrees();
    let [least, most] = PictureCamera::FIELD_OF_VIEW;
    let is_possible = [distance, up].iter().all(|l| l.is_finite() && *l > 0.0)
        && camera.target.iter().all(|c| c.is_finite())
        && (least..=most).contains(&angle);
    is_possible.then(|| PictureCamera {
        direction: arm.map(|c| rounded(c, distance)),
        target: Some(camera.target.map(|c| rounded(c, distance))),
        distance: Some(rounded(distance, distance)),
        up: camera.up.map(|c| rounded(c, up)),
        field_of_view: rounded(angle, angle),
    })
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A number to so many decimal places as matter beside `size`.
fn rounded(number: f64, size: f64) -> f64 {
    let places = (DIGITS - size.log10().floor() as i32).clamp(0, 330) as usize;
    let near = format!("{number:.places$}").parse().unwrap_or(number);
    // Without the sign of a zero.
    near + 0.0
}

#[cfg(test)]
mod tests;
