//! A series of frames as pictures, films and sheets.

use std::path::{Path, PathBuf};

use pliant::render::encode::{Film, contact_sheet, write_png};
use pliant::render::{Bounds, View, cpu};
use pliant::scene::PictureColour;

use super::mesh::{self, Drawing};
use super::series::Series;
use super::{EMPTY, Written};
use crate::args::RenderArgs;
use crate::failure::Failure;

/// Frames per second where nothing says how much time lies between them.
const USUAL_FPS: f64 = 25.0;
/// Most and least frames per second of films in real time.
const FPS: [f64; 2] = [1.0, 63.0];
/// Pictures on a sheet, and in a row of it.
const SHEET: [usize; 2] = [12, 4];
/// Widest picture on a sheet \[pixels\].
const WIDEST: u32 = 400;
/// Values of a frame that are looked at for the range of colours.
const SAMPLE: usize = 20_000;

/// Draws what was asked for: pictures of all frames, unless films or a sheet are wanted. Returns the
/// files that were written, the size of pictures, and what is to be said of them.
pub fn draw(args: &RenderArgs, series: &Series) -> Result<Written, Failure> {
    let places = Places::of(args, series)?;
    let Survey { bounds, range, extent } = survey(args, series)?;
    let (view, size) = mesh::view(args, bounds, range);
    let renderer = cpu::Renderer::new();
    let mut shown = Shown { args, renderer, view, ground: bounds.min[2] };
    let mut written = Vec::new();
    if places.films.is_empty() && places.sheet.is_none() {
        written = shown.frames(series, size, &places.frames)?;
    }
    if !places.films.is_empty() {
        shown.films(series, size, &places.films)?;
        written.extend(places.films);
    }
    if let Some(path) = places.sheet {
        shown.sheet(series, size, &path)?;
        written.push(path);
    }
    Ok(Written { files: written, size, warnings: mesh::warnings(args, bounds, extent) })
}

/// Where the files go.
#[derive(Debug, PartialEq)]
struct Places {
    films: Vec<PathBuf>,
    sheet: Option<PathBuf>,
    /// A folder, for pictures of each frame.
    frames: PathBuf,
}

impl Places {
    /// One film or sheet may be given its own name; all else goes into a folder, with names after the
    /// series. A name that ends as films do asks for one.
    fn of(args: &RenderArgs, series: &Series) -> Result<Self, Failure> {
        let out = args.out.clone().unwrap_or_default();
        let ending = out.extension().filter(|_| !out.is_dir());
        let ending = ending.map(|e| e.to_string_lossy().to_lowercase());
        let asked = |wanted: bool, kind: &str| wanted || ending.as_deref() == Some(kind);
        let films = [(asked(args.gif, "gif"), "gif"), (asked(args.mp4, "mp4"), "mp4")];
        let films = films.into_iter().filter(|(wanted, _)| *wanted).map(|(_, kind)| kind);
        let films: Vec<&str> = films.collect();
        if let Some(ending) = ending {
            return match (&films[..], args.sheet) {
                ([kind], false) if *kind == ending => {
                    Ok(Self { films: vec![out.clone()], sheet: None, frames: out })
                }
                ([], true) if ending == "png" => {
                    Ok(Self { films: Vec::new(), sheet: Some(out.clone()), frames: out })
                }
                _ => Err(several(&out, &ending)),
            };
        }
        let file = |end: &str| out.join(format!("{}{end}", series.name));
        Ok(Self {
            films: films.iter().map(|kind| file(&format!(".{kind}"))).collect(),
            sheet: args.sheet.then(|| file("-sheet.png")),
            frames: file("-frames"),
        })
    }
}

/// Says what a name after `--out` can be.
fn several(out: &Path, ending: &str) -> Failure {
    let problem = format!("{} is not the one file that a series gives", out.display());
    let help = match ending {
        "gif" | "mp4" | "png" => {
            "one file is what --gif, --mp4 or --sheet gives alone, called .gif, .mp4 or .png; give a folder \
             for several, and for a picture of each frame"
        }
        _ => "give a folder, or a name that ends in .gif, .mp4 or, with --sheet, .png",
    };
    Failure::misuse(problem).help(help)
}

/// What there is in all frames.
struct Survey {
    bounds: Bounds,
    /// Of colours.
    range: [f32; 2],
    /// Least and greatest value.
    extent: Option<[f32; 2]>,
}

/// The box round all frames, and the range of colours: the same in all pictures.
fn survey(args: &RenderArgs, series: &Series) -> Result<Survey, Failure> {
    let mut all: Option<Bounds> = None;
    let (mut sample, mut extremes) = (Vec::new(), Vec::new());
    for path in &series.frames {
        let drawing = Drawing::load(path, args)?;
        if let Some(here) = drawing.bounds() {
            let both = all.unwrap_or(here);
            all = Some(Bounds {
                min: std::array::from_fn(|k| both.min[k].min(here.min[k])),
                max: std::array::from_fn(|k| both.max[k].max(here.max[k])),
            });
        }
        let step = (drawing.values().count() / SAMPLE).max(1);
        sample.extend(drawing.values().step_by(step));
        extremes.extend(mesh::extremes(drawing.values()).into_iter().flatten());
    }
    if matches!(args.colour, Some(PictureColour::Field(_))) {
        // Their range is that of all values, not of a sample.
        sample.extend(&extremes);
    }
    let range = mesh::range(args, &sample);
    let extent = mesh::extremes(extremes.into_iter());
    Ok(Survey { bounds: all.unwrap_or(EMPTY), range, extent })
}

/// How frames are drawn.
struct Shown<'a> {
    args: &'a RenderArgs,
    /// Keeps from frame to frame what does not move.
    renderer: cpu::Renderer,
    view: View,
    /// The lowest point of all frames, where a floor shows how high the others are \[m\].
    ground: f64,
}

impl Shown<'_> {
    fn paint(&mut self, path: &Path, size: [u32; 2]) -> Result<pliant::render::Image, Failure> {
        let drawing = Drawing::load(path, self.args)?;
        drawing.paint(&mut self.renderer, &self.view, size, Some(self.ground))
    }

    fn films(&mut self, series: &Series, size: [u32; 2], paths: &[PathBuf]) -> Result<(), Failure> {
        let (fps, stride) = frame_rate(series.interval, self.args.fps);
        let films: Result<Vec<Film>, _> =
            paths.iter().map(|path| Film::create(path, size, fps)).collect();
        let mut films = films?;
        for path in series.frames.iter().step_by(stride) {
            let image = self.paint(path, size)?;
            for film in &mut films {
                film.add(&image)?;
            }
        }
        for film in films {
            film.finish()?;
        }
        Ok(())
    }

    fn sheet(&mut self, series: &Series, size: [u32; 2], path: &Path) -> Result<(), Failure> {
        let width = size[0].min(WIDEST);
        let height = (u64::from(size[1]) * u64::from(width) / u64::from(size[0])).max(1);
        let last = series.frames.len() - 1;
        let count = series.frames.len().min(SHEET[0]);
        let chosen = (0..count).map(|i| &series.frames[i * last / (count - 1).max(1)]);
        let images: Result<Vec<_>, Failure> =
            chosen.map(|path| self.paint(path, [width, height as u32])).collect();
        Ok(write_png(path, &contact_sheet(&images?, SHEET[1]))?)
    }

    fn frames(
        &mut self,
        series: &Series,
        size: [u32; 2],
        folder: &Path,
    ) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        for (number, frame) in series.frames.iter().enumerate() {
            let image = self.paint(frame, size)?;
            // Numbers are what other programs make films from.
            let path = folder.join(format!("{}-{number:05}.png", series.name));
            write_png(&path, &image)?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Frames per second of films, and of how many frames they show one.
fn frame_rate(interval: Option<f64>, wish: Option<f64>) -> (f64, usize) {
    let rate = match (wish, interval) {
        (Some(fps), _) => return (fps, 1),
        (None, Some(interval)) => 1.0 / interval,
        (None, None) => USUAL_FPS,
    };
    let stride = (rate / FPS[1]).ceil().clamp(1.0, 1e6);
    ((rate / stride).clamp(FPS[0], FPS[1]), stride as usize)
}

#[cfg(test)]
mod tests {
    use pliant::mesh::{DataArray, formats, shapes};

    use super::*;

    #[test]
    fn the_range_of_an_array_is_that_of_all_frames_and_values() {
        let folder = tempfile::tempdir().unwrap();
        let mut frames = Vec::new();
        for (name, value) in [("a.vtu", -3.0), ("b.vtu", 900.0)] {
            let mut mesh = shapes::bar([40; 3], [1.0; 3], shapes::Split::Five);
            // More than are looked at for other ranges; one of them counts.
            let mut values = vec![0.0; mesh.points.len()];
            assert!(values.len() > 3 * SAMPLE);
            values[1001] = value;
            mesh.point_data.push(DataArray::scalar("pressure", values));
            frames.push(folder.path().join(name));
            formats::save(&mesh, frames.last().unwrap()).unwrap();
        }
        let series = Series { name: "two".into(), frames, interval: None };
        let colour = Some(PictureColour::Field("pressure".into()));
        let args = RenderArgs { colour, ..RenderArgs::default() };
        let Survey { bounds, range, extent } = survey(&args, &series).unwrap();
        assert_eq!(extent, Some(range));
        assert_eq!((bounds.min, bounds.max), ([0.0; 3], [1.0; 3]));
        assert_eq!(range, [-3.0, 900.0]);
    }

    #[test]
    fn one_film_or_sheet_may_have_a_name_of_its_own() {
        let series = Series { name: "s".into(), frames: Vec::new(), interval: None };
        let places = |[gif, mp4, sheet]: [bool; 3], out: &str| {
            let out = Some(PathBuf::from(out));
            Places::of(&RenderArgs { gif, mp4, sheet, out, ..RenderArgs::default() }, &series)
        };
        assert_eq!(places([false, true, false], "x/a.MP4").unwrap().films, [Path::new("x/a.MP4")]);
        assert_eq!(places([false; 3], "a.gif").unwrap().films, [Path::new("a.gif")]);
        let sheet = places([false, false, true], "a.png").unwrap();
        assert_eq!((sheet.sheet, sheet.films.len()), (Some("a.png".into()), 0));
        let both = places([true, true, false], "x").unwrap();
        assert_eq!(both.films, [Path::new("x/s.gif"), Path::new("x/s.mp4")]);
        for (wanted, out) in [
            ([true, true, false], "a.gif"),
            ([true, false, false], "a.mp4"),
            ([false, true, true], "a.mp4"),
            ([false, true, false], "a.png"),
            ([false; 3], "a.png"),
            ([false, true, false], "a.avi"),
        ] {
            assert!(places(wanted, out).is_err(), "{wanted:?} {out}");
        }
    }

    #[test]
    fn films_show_real_time_as_far_as_films_can() {
        assert_eq!(frame_rate(Some(0.04), None), (25.0, 1));
        assert_eq!(frame_rate(Some(0.01), None), (50.0, 2));
        assert_eq!(frame_rate(Some(30.0), None), (1.0, 1));
        assert_eq!(frame_rate(Some(0.001), Some(24.0)), (24.0, 1));
        assert_eq!(frame_rate(None, None), (25.0, 1));
        assert_eq!(frame_rate(Some(1e-300), None).0, 63.0);
    }
}
