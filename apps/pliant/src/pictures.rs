//! Options for pictures and films that `run`, `demo` and `render` share.

use pliant::Simulator;
use pliant::scene::{Output, Picture, PictureColour};
use pliant::session::pictures::shot;
use pliant::session::pictures::volume::with_values;

use crate::failure::Failure;
use crate::volume::VolumeArgs;
use crate::volume::unseen::{self, There};

/// The pictures that a run is asked for.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PictureArgs {
    /// Write a picture of the last frame.
    #[arg(long, help_heading = "Pictures")]
    pub png: bool,
    /// Write the run as an animated GIF, for documents and web pages.
    #[arg(long, help_heading = "Pictures")]
    pub gif: bool,
    /// Write the run as an MP4 film (H.264), which plays everywhere.
    #[arg(long, help_heading = "Pictures")]
    pub mp4: bool,
    /// Write twelve pictures from the whole run on one sheet.
    #[arg(long, help_heading = "Pictures")]
    pub sheet: bool,
    /// Width and height of pictures and films in pixels, such as 1280x720.
    #[arg(long, value_name = "WxH", value_parser = size, help_heading = "Pictures")]
    pub size: Option<[u32; 2]>,
    /// Frames per second that films are played at [default: real time]. Fewer than 1 / --every make
    /// slow motion.
    #[arg(long, value_name = "N", value_parser = frame_rate, allow_negative_numbers = true)]
    #[arg(help_heading = "Pictures")]
    pub fps: Option<f64>,
    /// What colours show: body (each its own), plain, force, contact (force of all that touches), stress,
    /// speed, displacement, or field:NAME for an array of the mesh files.
    #[arg(long, value_name = "WHAT", value_parser = colour, help_heading = "Pictures")]
    pub colour: Option<PictureColour>,
    /// Mark what touches: a point at each vertex that something pushes, with an arrow for the force.
    #[arg(long, help_heading = "Pictures")]
    pub show_contacts: bool,
    /// Show the wind by arrows.
    #[arg(long, help_heading = "Pictures")]
    pub show_wind: bool,
    /// Show bodies themselves in place of the skins that they carry.
    #[arg(long, help_heading = "Pictures")]
    pub show_cages: bool,
    #[command(flatten)]
    pub volume: VolumeArgs,
}

impl PictureArgs {
    /// Whether anything was asked for.
    pub fn asks(&self) -> bool {
        let Self { png, gif, mp4, sheet, size, fps, colour, volume, .. } = self;
        let Self { show_contacts, show_wind, show_cages, .. } = self;
        let writes = *png || *gif || *mp4 || *sheet;
        let writes = writes || *show_contacts || *show_wind || *show_cages;
        writes || size.is_some() || fps.is_some() || colour.is_some() || volume.asks()
    }

    /// Adds what was asked for to what a scene writes.
    pub fn apply(&self, output: &mut Output) {
        output.png |= self.png;
        output.gif |= self.gif;
        output.mp4 |= self.mp4;
        output.sheet |= self.sheet;
        let picture = &mut output.picture;
        picture.size = self.size.unwrap_or(picture.size);
        picture.fps = self.fps.or(picture.fps);
        picture.contacts |= self.show_contacts;
        picture.wind |= self.show_wind;
        picture.cages |= self.show_cages;
        let colour = self.colour.clone().or_else(|| self.volume.colour());
        if let Some(colour) = &colour
            && *colour != picture.colour
        {
            // A range in other units says nothing.
            (picture.colour, picture.range) = (colour.clone(), None);
        }
        self.volume.apply(picture, None);
    }

    /// Refuses to look into bodies by what has no values.
    pub fn check_colour(&self) -> Result<(), Failure> {
        self.volume.check_colour(self.colour.as_ref())
    }

    /// What is to be said of the pictures that a run of `sim` is asked for; refuses what cannot be.
    pub fn warnings(
        &self,
        sim: &Simulator,
        output: &Output,
        name: &str,
    ) -> Result<Vec<String>, Failure> {
        let mut warnings = Vec::new();
        if output.picture.volume.is_some() {
            warnings.extend(self.volume.check_scene(sim, name)?);
        }
        if output.png || output.gif || output.mp4 || output.sheet {
            let shown = with_values(&output.picture, sim.model());
            // Of what is measured nobody knows the values beforehand.
            let extent = match &shown.colour {
                PictureColour::Field(name) => sim.model().field_range(name),
                _ => None,
            };
            let there = There { bounds: shot::expected_bounds(sim), extent };
            warnings.extend(unseen::warnings(&shown, &there));
        }
        Ok(warnings)
    }
}

/// What colours show.
pub fn colour(text: &str) -> Result<PictureColour, String> {
    text.parse()
}

/// Width and height, written `960x720`.
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let largest = Picture::LARGEST_SIDE;
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|n| (1..=largest).contains(n));
    let sides = text.split_once(['x', 'X', '×']);
    let sides = sides.and_then(|(width, height)| Some([side(width)?, side(height)?]));
    sides.ok_or_else(|| format!("write two sides from 1 to {largest}, such as 960x720"))
}

/// Frames per second.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    let [least, most] = Picture::FPS;
    let rate = text.trim().parse::<f64>().ok().filter(|r| (least..=most).contains(r));
    rate.ok_or_else(|| format!("it must be a number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_sides() {
        assert_eq!(size("960x720"), Ok([960, 720]));
        assert_eq!(size("1X16384"), Ok([1, 16384]));
        for bad in ["960", "0x5", "5x0", "16385x1", "-1x5", "axb", "", "1x2x3", "99999999999x1"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn another_colour_drops_the_range_of_the_old_one() {
        let mut output = Output::default();
        (output.picture.colour, output.picture.range) = (PictureColour::Stress, Some([0.0, 1e4]));
        PictureArgs::default().apply(&mut output);
        assert_eq!(output.picture.range, Some([0.0, 1e4]));
        PictureArgs { colour: Some(PictureColour::Force), ..PictureArgs::default() }
            .apply(&mut output);
        assert_eq!(output.picture.range, None);
    }
}
