//! Options for looking into bodies that `run`, `demo` and `render` share.

pub mod unseen;

use pliant::Simulator;
use pliant::scene::{
    Picture, PictureColour, PictureIso, PictureQuality, PictureSlice, PictureVolume, Transfer,
    TransferPoint,
};

use crate::failure::Failure;

/// How the inside of bodies is shown.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct VolumeArgs {
    /// Show the inside of bodies with tetrahedra: values as clouds, cast ray by ray.
    #[arg(long, help_heading = "Volume")]
    pub volume: bool,
    /// The array of the mesh that is shown; the same as --colour field:NAME [default with --volume: the
    /// first scalar of the mesh that no run wrote, else the stress].
    #[arg(long, value_name = "NAME", conflicts_with = "colour", help_heading = "Volume")]
    pub field: Option<String>,
    /// Colour and density of values: tissue, skin-and-bone, rainbow, viridis, heat or x-ray; or points
    /// such as 0.1:#b4694c:0,1:#ffffff:30, each a place from 0 to 1, a colour and a density [default:
    /// tissue for arrays of the mesh, viridis for what a run measures].
    #[arg(long, value_name = "PRESET|POINTS", value_parser = transfer, requires = "volume")]
    #[arg(allow_hyphen_values = true, help_heading = "Volume")]
    pub transfer: Option<Transfer>,
    /// Make clouds denser or, below 1, thinner; with 0 only --iso and --slice are seen.
    #[arg(long, value_name = "FACTOR", value_parser = opacity, requires = "volume")]
    #[arg(allow_negative_numbers = true, help_heading = "Volume")]
    pub opacity: Option<f64>,
    /// Draw surfaces where the values are these, opaque, or as opaque as 0.3 says in 80@0.3.
    #[arg(long, value_name = "V[@OPACITY],…", value_parser = iso, requires = "volume")]
    #[arg(value_delimiter = ',', allow_hyphen_values = true, help_heading = "Volume")]
    pub iso: Vec<PictureIso>,
    /// Show the values on a plane at right angles to an axis, in the middle or at a coordinate in
    /// metres, and take away what is nearer to the camera.
    #[arg(long, value_name = "x|y|z[=POS]", value_parser = crate::commands::render::cut)]
    #[arg(requires = "volume", help_heading = "Volume")]
    pub slice: Option<(usize, Option<f64>)>,
    /// How many rays are cast: draft (one for four pixels), normal (one for each) or fine (four).
    #[arg(long, value_name = "HOW", value_parser = quality, requires = "volume")]
    #[arg(help_heading = "Volume")]
    pub quality: Option<PictureQuality>,
}

impl VolumeArgs {
    /// Whether anything was asked for.
    pub fn asks(&self) -> bool {
        self.volume || self.field.is_some()
    }

    /// What colours show, if it is said here.
    pub fn colour(&self) -> Option<PictureColour> {
        self.field.clone().map(PictureColour::Field)
    }

    /// Refuses colours that show no values, of which there is no inside.
    pub fn check_colour(&self, colour: Option<&PictureColour>) -> Result<(), Failure> {
        if !self.volume || colour.is_none_or(PictureColour::has_values) {
            return Ok(());
        }
        let problem = "--volume needs values, which --colour body and plain have not";
        Err(Failure::misuse(problem).help("leave --colour away, or name an array with --field"))
    }

    /// Refuses scenes that have nothing inside; one that wants it by itself is warned of.
    pub fn check_scene(&self, sim: &Simulator, name: &str) -> Result<Option<String>, Failure> {
        if sim.model().tets.is_empty() {
            let problem = format!("{name} has no tetrahedra to look into");
            return match self.volume {
                true => Err(Failure::misuse(problem).help("leave --volume away")),
                false => Ok(Some(format!("{problem}: surfaces are shown"))),
            };
        }
        Ok(None)
    }

    /// Adds what was asked for to how pictures look. A slice without a coordinate is at `middle`, or
    /// without that in the middle of the bodies at the start.
    pub fn apply(&self, picture: &mut Picture, middle: Option<[f64; 3]>) {
        if !self.volume {
            return;
        }
        let direction = picture.camera.direction;
        let volume = picture.volume.get_or_insert_with(PictureVolume::default);
        if let Some(transfer) = &self.transfer {
            volume.transfer = Some(transfer.clone());
        }
        volume.opacity = self.opacity.unwrap_or(volume.opacity);
        volume.quality = self.quality.unwrap_or(volume.quality);
        if !self.iso.is_empty() {
            volume.iso.clone_from(&self.iso);
        }
        if let Some((axis, at)) = self.slice {
            let mut normal = [0.0; 3];
            normal[axis] = if direction[axis] < 0.0 { -1.0 } else { 1.0 };
            let mut point = middle;
            if let Some(at) = at {
                point.get_or_insert_default()[axis] = at;
            }
            volume.slice = Some(PictureSlice { normal, point, clears: true });
        }
    }
}

/// A preset, or points.
fn transfer(text: &str) -> Result<Transfer, String> {
    if !text.contains(':') {
        return text.parse().map(Transfer::Preset);
    }
    let point = |text: &str| -> Result<TransferPoint, String> {
        let mut parts = text.trim().split(':');
        let (Some(at), Some(colour), Some(density), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(format!("{text:?} is no point; write place:colour:density"));
        };
        let number = |text: &str, most: f64| {
            let number = text.trim().parse::<f64>().ok().filter(|n| (0.0..=most).contains(n));
            number.ok_or_else(|| format!("{text:?} must be a number from 0 to {most}"))
        };
        Ok(TransferPoint {
            at: number(at, 1.0)?,
            colour: colour.trim().parse()?,
            density: number(density, PictureVolume::DENSEST)?,
        })
    };
    let points: Vec<TransferPoint> = text.split(',').map(point).collect::<Result<_, _>>()?;
    if !points.is_sorted_by(|a, b| a.at <= b.at) {
        return Err("the places of points must rise".into());
    } else if points.len() > PictureVolume::MOST_POINTS {
        return Err(format!("there may be no more than {} points", PictureVolume::MOST_POINTS));
    }
    Ok(Transfer::Points(points))
}

fn opacity(text: &str) -> Result<f64, String> {
    let most = PictureVolume::DENSEST;
    let factor = text.trim().parse::<f64>().ok().filter(|x| (0.0..=most).contains(x));
    factor.ok_or_else(|| format!("it must be a number from 0 to {most}"))
}

/// A value, and how opaque its surface is.
fn iso(text: &str) -> Result<PictureIso, String> {
    let (value, opacity) = text.split_once('@').map_or((text, None), |(v, o)| (v, Some(o)));
    let value = value.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let opacity = opacity.map_or(Some(1.0), |o| o.trim().parse::<f64>().ok());
    match (value, opacity) {
        (Some(_), Some(opacity)) if !(0.0..=1.0).contains(&opacity) => {
            Err(format!("an opacity is from 0, not seen, to 1, opaque; {opacity} is not"))
        }
        (Some(value), Some(opacity)) => Ok(PictureIso { opacity, ..PictureIso::new(value) }),
        _ => Err("write values such as 80,120, or 80@0.3 for a translucent surface".into()),
    }
}

fn quality(text: &str) -> Result<PictureQuality, String> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_functions_are_read() {
        assert!(matches!(transfer("x-ray"), Ok(Transfer::Preset(p)) if p.name() == "x-ray"));
        let Ok(Transfer::Points(points)) = transfer("0:#000000:0, 0.5:#ff8000:2.5") else {
            panic!("two points");
        };
        assert_eq!((points[1].at, points[1].density), (0.5, 2.5));
        assert_eq!(points[1].colour.0, [255, 128, 0]);
        for bad in
            ["bones", "0:#000:1", "0:#000000", "2:#000000:1", "0:#000000:-1", "0:#000000:nan"]
        {
            assert!(transfer(bad).is_err(), "{bad}");
        }
        assert!(transfer("1:#000000:0,0:#000000:0").unwrap_err().contains("rise"));
    }

    #[test]
    fn surfaces_are_values_with_an_opacity() {
        assert_eq!(iso("-3"), Ok(PictureIso::new(-3.0)));
        assert_eq!(iso("80@0.25").unwrap().opacity, 0.25);
        assert!(iso("80@2").unwrap_err().contains("from 0"));
        for bad in ["", "nan", "80@", "x"] {
            assert!(iso(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_slice_opens_towards_the_camera() {
        let mut picture = Picture::default();
        let args = VolumeArgs { slice: Some((1, None)), ..VolumeArgs::default() };
        args.apply(&mut picture, None);
        assert_eq!(picture.volume, None, "without --volume nothing happens");
        let args = VolumeArgs { volume: true, ..args };
        args.apply(&mut picture, None);
        let slice = picture.volume.take().unwrap().slice.unwrap();
        assert_eq!((slice.normal, slice.point), ([0.0, -1.0, 0.0], None));
        let args = VolumeArgs { slice: Some((2, Some(0.5))), ..args };
        args.apply(&mut picture, Some([1.0, 2.0, 3.0]));
        let slice = picture.volume.unwrap().slice.unwrap();
        assert_eq!((slice.normal, slice.point), ([0.0, 0.0, 1.0], Some([1.0, 2.0, 0.5])));
    }
}
