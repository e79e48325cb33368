//! `pliant render`: one picture of a checkpoint, of the start of a scene, or of a mesh; or pictures and
//! films of a series of frames.

mod film;
mod mesh;
mod series;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::checkpoint;
use pliant::mesh::source::read_file;
use pliant::render::encode::{EncodeError, write_png};
use pliant::render::{Bounds, Cut, Image, RenderError, View};
use pliant::scene::{Picture, PictureCamera, PictureColour, suggest};
use pliant::session::Frame;
use pliant::session::pictures::{PaintError, Painter, shot};
use pliant::{Backend, Scene, Simulator};
use serde_json::json;

use crate::args::{RenderArgs, Up};
use crate::console::Console;
use crate::failure::Failure;
use crate::volume::unseen::{self, There};

/// Pictures of more pixels take longer than one waits without a word.
const LARGE: u64 = 30_000_000;

/// Draws what there is in a file, or in the files of a series.
pub fn run(mut args: RenderArgs, console: &Console) -> Result<ExitCode, Failure> {
    args.colour = args.colour.or_else(|| args.volume.colour());
    let is_vtu = args.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("vtu"));
    let series = match series::find(&args.input)? {
        None if is_vtu && wants_series(&args) => Some(series::around(&args.input)?),
        found => found,
    };
    args.volume.check_colour(args.colour.as_ref())?;
    check_cut(&args, args.volume.volume)?;
    let Written { files: written, size, warnings } = match series {
        Some(series) => {
            mesh::choose_inside(&mut args, &series.frames[0])?;
            film::draw(&args, &series)?
        }
        None => picture(&mut args, console)?,
    };
    for warning in &warnings {
        console.warn(warning);
    }
    if console.json {
        let outputs: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        console.document(&json!({ "outputs": outputs, "size": size, "warnings": warnings }));
    } else if let [first, .., last] = &written[..] {
        let (count, [width, height]) = (written.len(), size);
        let (first, last) = (first.display(), last.display());
        console.say(format!("{first} … {last}: {count} files, {width} × {height} pixels"));
    } else if let Some(out) = written.first() {
        console.say(format!("{}: {} × {} pixels", out.display(), size[0], size[1]));
    }
    Ok(ExitCode::SUCCESS)
}

/// What came of it.
struct Written {
    files: Vec<PathBuf>,
    /// Of pictures \[pixels\].
    size: [u32; 2],
    warnings: Vec<String>,
}

/// Cuts do not open clouds.
fn check_cut(args: &RenderArgs, is_inside: bool) -> Result<(), Failure> {
    let Some((axis, at)) = args.cut.filter(|_| is_inside) else { return Ok(()) };
    let at = at.map_or(String::new(), |at| format!("={at}"));
    let axis = ["x", "y", "z"][axis];
    Err(Failure::misuse("--cut opens surfaces, not what --volume shows")
        .help(format!("write --slice {axis}{at}")))
}

fn wants_series(args: &RenderArgs) -> bool {
    let ending = args.out.as_deref().and_then(Path::extension).unwrap_or_default();
    let is_film = ["gif", "mp4"].iter().any(|kind| ending.eq_ignore_ascii_case(kind));
    args.gif || args.mp4 || args.sheet || is_film
}

/// One picture.
fn picture(args: &mut RenderArgs, console: &Console) -> Result<Written, Failure> {
    if wants_series(args) {
        let problem = format!("{} is one picture and no series of frames", args.input.display());
        return Err(Failure::misuse(problem)
            .help("--gif, --mp4 and --sheet take a .pvd or a folder of frames that --vtu wrote"));
    }
    let out = args.out.clone().unwrap_or_else(|| beside(&args.input));
    if out.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        return Err(Failure::misuse(format!("{} is no name for a PNG", out.display()))
            .help("let the name after --out end in .png"));
    }
    if let Some([width, height]) = args.size.filter(|[w, h]| u64::from(*w) * u64::from(*h) > LARGE)
    {
        console.note(format!("drawing {width} × {height} pixels, which takes a while"));
    }
    let (image, warnings) = draw(args)?;
    write_png(&out, &image)?;
    Ok(Written { files: vec![out], size: [image.width, image.height], warnings })
}

/// A picture in the working folder that is called like the file.
fn beside(input: &Path) -> PathBuf {
    let stem = input.file_stem().unwrap_or_default();
    PathBuf::from(stem).with_added_extension("png")
}

fn draw(args: &mut RenderArgs) -> Result<(Image, Vec<String>), Failure> {
    if args.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let scene = Scene::load(&args.input)?;
        return draw_simulator(Simulator::new(scene, Backend::cpu())?, args);
    }
    let bytes = read_file(&args.input)?;
    if bytes.starts_with(b"PLIANT") {
        let of_file = |failure: Failure| failure.file(&args.input);
        let saved = checkpoint::decode(&bytes).map_err(|e| of_file(e.into()))?;
        let sim = Simulator::resume(&saved, Backend::cpu()).map_err(|e| of_file(e.into()))?;
        return draw_simulator(sim, args);
    }
    drop(bytes);
    mesh::choose_inside(args, &args.input.clone())?;
    mesh::draw(args)
}

fn draw_simulator(mut sim: Simulator, args: &RenderArgs) -> Result<(Image, Vec<String>), Failure> {
    if args.up != Up::Z {
        let problem = format!("in {} z is up, as in all scenes", args.input.display());
        return Err(Failure::misuse(problem).help("use --up only for meshes and their series"));
    }
    let wish = sim.scene().output.picture.clone();
    let mut picture = Picture {
        size: args.size.unwrap_or(wish.size),
        colour: args.colour.clone().unwrap_or(wish.colour.clone()),
        range: wish.range.filter(|_| args.colour.as_ref().is_none_or(|c| *c == wish.colour)),
        ..wish.clone()
    };
    // One picture shows one moment, from close by, unless the scene says where the camera stands.
    picture.camera = camera_wish(args, &wish.camera);
    args.volume.apply(&mut picture, None);
    check_shown(&sim, &picture.colour)?;
    check_cut(args, picture.volume.is_some())?;
    let mut warnings = Vec::new();
    if picture.volume.is_some() {
        warnings.extend(args.volume.check_scene(&sim, &args.input.display().to_string())?);
    }
    let mut painter = Painter::new(&sim, &picture);
    let frame = Frame::capture(&mut sim, painter.fields());
    if picture.range.is_none() {
        painter.fit_range(&frame);
    }
    let bounds = painter.bounds(&frame).unwrap_or(EMPTY);
    let to_show = painter.bounds_to_show(&frame).unwrap_or(EMPTY);
    painter.view.camera = shot::framing(to_show, &picture);
    apply(args, &mut painter.view, bounds);
    let image = painter.paint(&frame, picture.size)?;
    // What is shown may be another choice than what was said.
    let shown = Picture { colour: painter.colour().clone(), ..picture };
    let there = There { bounds: Some(bounds), extent: painter.extent_of(&frame) };
    warnings.extend(unseen::warnings(&shown, &there));
    Ok((image, warnings))
}

/// Refuses fields that the meshes of a scene do not have.
fn check_shown(sim: &Simulator, colour: &PictureColour) -> Result<(), Failure> {
    let names = sim.model().field_names();
    match colour {
        PictureColour::Field(name) if !names.contains(&name.as_str()) => {
            Err(no_array(name, "no mesh of the scene", &names))
        }
        _ => Ok(()),
    }
}

/// Says which arrays there are instead.
fn no_array(name: &str, of: &str, names: &[&str]) -> Failure {
    Failure::misuse(format!("{of} has an array called {name:?}")).help(match names {
        [] => "there are no arrays on points or tetrahedra".into(),
        names => suggest(name, names, "there are"),
    })
}

/// What the camera looks at when there is nothing.
const EMPTY: Bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };

fn camera_wish(args: &RenderArgs, scene: &PictureCamera) -> PictureCamera {
    match args.view {
        Some(direction) => PictureCamera { direction, ..PictureCamera::default() },
        None => scene.clone(),
    }
}

/// Wireframe and cut.
fn apply(args: &RenderArgs, view: &mut View, bounds: Bounds) {
    view.wireframe = args.wireframe;
    // Marks of what is cut away would hang in the air.
    view.locks = args.cut.is_none();
    view.cut = args.cut.map(|(axis, at)| {
        let mut point = bounds.centre();
        point[axis] = at.unwrap_or(point[axis]);
        // What is nearer to the camera is taken away.
        let towards = view.camera.eye[axis] - view.camera.target[axis];
        let mut normal = [0.0; 3];
        normal[axis] = if towards < 0.0 { -1.0 } else { 1.0 };
        Cut { point, normal }
    });
}

/// `front`, `side`, `top`, `iso`, or three numbers.
pub fn direction(text: &str) -> Result<[f64; 3], String> {
    match text {
        "front" => Ok([0.0, -1.0, 0.0]),
        "side" => Ok([1.0, 0.0, 0.0]),
        "top" => Ok([0.0, 0.0, 1.0]),
        "iso" => Ok([1.0, -1.0, 0.8]),
        _ => {
            let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
            let direction = numbers.ok().and_then(|n| <[f64; 3]>::try_from(n).ok());
            let possible = |d: &[f64; 3]| *d != [0.0; 3] && d.iter().all(|c| c.is_finite());
            direction.filter(possible).ok_or_else(|| {
                "write front, side, top, iso, or the direction to the camera such as 1,-2,0.5"
                    .into()
            })
        }
    }
}

/// `x`, `y` or `z`, and where.
pub fn cut(text: &str) -> Result<(usize, Option<f64>), String> {
    let (axis, at) = text.split_once('=').map_or((text, None), |(axis, at)| (axis, Some(at)));
    let number = at.map(|at| at.trim().parse::<f64>().ok().filter(|x| x.is_finite()));
    match (["x", "y", "z"].iter().position(|a| *a == axis.trim()), number) {
        (Some(axis), None) => Ok((axis, None)),
        (Some(axis), Some(Some(at))) => Ok((axis, Some(at))),
        _ => Err("write x, y or z, and where if not in the middle: z=0.1".into()),
    }
}

/// What a mesh file can show.
fn needs_simulation(colour: &PictureColour, path: &Path) -> Failure {
    Failure::misuse(format!("{} holds no values for --colour {colour}", path.display()))
        .help("take a frame that --vtu wrote, a checkpoint, or --colour body")
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<PaintError> for Failure {
    fn from(error: PaintError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        Self::new(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_cuts_are_read() {
        assert_eq!(direction("1, -2,0.5"), Ok([1.0, -2.0, 0.5]));
        for bad in ["", "1,2", "0,0,0", "1,2,nan", "above", "1,2,3,4"] {
            assert!(direction(bad).is_err(), "{bad}");
        }
        assert_eq!(cut("y"), Ok((1, None)));
        assert_eq!(cut("z=-0.5"), Ok((2, Some(-0.5))));
        for bad in ["", "w", "x=", "x=inf", "x=1=2"] {
            assert!(cut(bad).is_err(), "{bad}");
        }
    }
}
