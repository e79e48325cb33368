//! The bar that says what colours mean, and other writing in pictures.

use crate::colour::{Colour, ColourMap};
use crate::font;
use crate::image::Image;
use crate::list::Label;
use crate::view::{Scale, View};

const INK: u32 = 0x2b3138;
const PANEL: u32 = 0xfbfbfa;
/// Opacity of the panel behind the bar, of 255.
const PANEL_OPACITY: u8 = 205;
/// The most ticks on a bar.
const MAX_TICKS: usize = 7;

/// Round numbers from `low` to `high`, both included where round, `most` at the most (and at least
/// one step); empty if there is no range.
pub fn ticks([low, high]: [f32; 2], most: usize) -> Vec<f64> {
    let (low, high) = (f64::from(low), f64::from(high));
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return Vec::new();
    }
    // Steps of 1, 2 and 5 times a power of ten, the smallest of which there are few enough.
    let power = 10f64.powf((span / most.max(2) as f64).log10().floor());
    let slack = span * 1e-6;
    for step in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].map(|m| m * power) {
        let first = ((low - slack) / step).ceil();
        let last = ((high + slack) / step).floor();
        let count = (last - first) as i64 + 1;
        if count <= most.max(2) as i64 {
            return (0..count).map(|i| (first + i as f64) * step).collect();
        }
    }
    Vec::new()
}

/// What is written: the title, and each tick with its place on the scale from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Writing {
    /// Name and unit, with a prefix such as kilo that keeps numbers short.
    pub title: String,
    /// Place and number.
    pub ticks: Vec<(f32, String)>,
}

/// Units that take a prefix.
const PREFIXED: [&str; 7] = ["Pa", "N", "J", "W", "m", "m/s", "N/m"];

impl Writing {
    /// The writing on the bar of `scale`.
    pub fn new(scale: &Scale) -> Self {
        let numbers = ticks(scale.range, MAX_TICKS);
        let largest = numbers.iter().fold(0.0, |most: f64, n| most.max(n.abs()));
        // From a tenth on, numbers are short enough as they are.
        let power = match largest {
            0.0 | 0.1..1.0 => 0,
            _ => (largest.log10() / 3.0 + 1e-9).floor() as i32 * 3,
        };
        let prefix = match power {
            -9 => "n",
            -6 => "u",
            -3 => "m",
            3 => "k",
            6 => "M",
            9 => "G",
            _ => "",
        };
        let (factor, unit) = if power != 0 && !prefix.is_empty() && PREFIXED.contains(&&*scale.unit)
        {
            (10f64.powi(-power), format!("{prefix}{}", scale.unit))
        } else if !(-3..=3).contains(&power) {
            (10f64.powi(-power), format!("10^{power} {}", scale.unit).trim_end().to_owned())
        } else {
            (1.0, scale.unit.clone())
        };
        let title = match (&*scale.name, &*unit) {
            (name, "") => name.to_owned(),
            (name, unit) => format!("{name} [{unit}]").trim_start().to_owned(),
        };
        let step = numbers.get(1).map_or(1.0, |n| (n - numbers[0]).abs()) * factor;
        let digits = (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
        let label = |n: f64| format!("{:.digits$}", n * factor + 0.0);
        let ticks = numbers.iter().map(|&n| (scale.place(n as f32), label(n))).collect();
        Self { title, ticks }
    }
}

/// Size of letters in a picture of `height` rows.
fn letter_scale(height: u32) -> u32 {
    ((height + 180) / 360).max(1)
}

/// Draws the bar that explains the colours of `view`, if it wants one.
pub(crate) fn draw_for(image: &mut Image, view: &View) {
    if !view.legend {
        return;
    }
    if let Some(look) = &view.volume {
        // All of the scale, also where the first point of the transfer function comes later.
        let range = view.colouring.scale().map_or(look.transfer.range(), |scale| scale.range);
        let map = ColourMap::Viridis;
        let scale = Scale { name: look.name.clone(), unit: look.unit.clone(), range, map };
        let value = |t: f32| range[0] + (range[1] - range[0]) * t;
        draw_bar(image, &scale, |t| look.legend_colour(value(t)));
    } else if let Some(scale) = view.colouring.scale() {
        draw(image, &scale);
    }
}

/// Draws the bar of `scale` at the right edge of `image`; nothing if there is no room.
pub fn draw(image: &mut Image, scale: &Scale) {
    draw_bar(image, scale, |t| scale.map.colour(t));
}

fn draw_bar(image: &mut Image, scale: &Scale, colour: impl Fn(f32) -> Colour) {
    let writing = Writing::new(scale);
    let s = letter_scale(image.height);
    let (pad, bar, tick) = (8 * s, 12 * s, 4 * s);
    let labels = writing.ticks.iter().map(|(_, t)| font::width(t, s)).max().unwrap_or(0);
    let inner = font::width(&writing.title, s).max(bar + tick + 3 * s + labels);
    let (width, length) = (inner + 2 * pad, image.height * 2 / 5);
    let height = 2 * pad + font::LINE * s + 6 * s + length;
    if width + pad > image.width || height + 2 * pad > image.height {
        return;
    }
    let (left, top) =
        (i64::from(image.width - width - pad), i64::from((image.height - height) / 2));
    let ink = Colour::from_hex(INK);
    let panel = Colour::from_hex(PANEL).to_srgb8();
    image.fill((left, top), (width.into(), height.into()), panel, PANEL_OPACITY);
    let [s64, pad, bar, tick, length] = [s, pad, bar, tick, length].map(i64::from);
    let x = left + pad;
    font::write(image, &writing.title, (x, top + pad), s, ink);
    let bar_top = top + pad + i64::from(font::LINE * s) + 6 * s64;
    for row in 0..length {
        let t = 1.0 - (row as f32 + 0.5) / length as f32;
        image.fill((x, bar_top + row), (bar, 1), colour(t).to_srgb8(), 255);
    }
    for (place, text) in &writing.ticks {
        let y = bar_top + ((1.0 - place) * (length - 1) as f32).round() as i64;
        image.fill((x + bar, y - s64 / 2), (tick, s64), ink.to_srgb8(), 255);
        let corner = (x + bar + tick + 3 * s64, y - i64::from(font::CAP * s) / 2);
        font::write(image, text, corner, s, ink);
    }
}

/// Writes a label with its middle where it belongs.
pub(crate) fn write_label(image: &mut Image, label: &Label) {
    let s = letter_scale(image.height);
    let [x, y] = label.at.map(|c| c.round() as i64);
    let corner = (x - i64::from(font::width(&label.text, s)) / 2, y - i64::from(font::CAP * s) / 2);
    font::write(image, &label.text, corner, s, label.colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(name: &str, unit: &str, range: [f32; 2]) -> Scale {
        Scale { name: name.into(), unit: unit.into(), range, map: ColourMap::Viridis }
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs().max(1.0))
    }

    #[test]
    fn ticks_are_round() {
        assert!(close(&ticks([0.0, 1.0], 7), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]));
        assert!(close(&ticks([0.0, 5.0], 7), &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
        assert!(close(&ticks([-3.0, 97.0], 7), &[0.0, 20.0, 40.0, 60.0, 80.0]));
        assert!(close(&ticks([1.23e6, 1.31e6], 5), &[1.24e6, 1.26e6, 1.28e6, 1.3e6]));
        for bad in [[1.0, 1.0], [2.0, 1.0], [f32::NAN, 1.0], [0.0, f32::INFINITY]] {
            assert!(ticks(bad, 7).is_empty(), "{bad:?}");
        }
    }

    #[test]
    fn there_are_never_too_many_or_too_few() {
        for i in 1..2000 {
            let high = 1.0007f32.powi(i * 9) * 1e-3;
            let n = ticks([-0.3 * high, high], 7).len();
            assert!((2..=7).contains(&n), "{n} ticks up to {high}");
        }
    }

    #[test]
    fn numbers_are_kept_short() {
        let stress = Writing::new(&scale("stress", "Pa", [0.0, 25_000.0]));
        assert_eq!(stress.title, "stress [kPa]");
        let labels: Vec<_> = stress.ticks.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(labels, ["0", "5", "10", "15", "20", "25"]);
        assert!((stress.ticks[1].0 - 0.2).abs() < 1e-6);
        let speed = Writing::new(&scale("speed", "m/s", [0.0, 0.06]));
        assert_eq!((&*speed.title, &*speed.ticks[1].1), ("speed [mm/s]", "10"));
        let plain = Writing::new(&scale("energy", "", [0.0, 0.5]));
        assert_eq!((&*plain.title, &*plain.ticks[1].1), ("energy", "0.1"));
        let other = Writing::new(&scale("rate", "1/s", [0.0, 3e7]));
        assert_eq!((&*other.title, &*other.ticks[1].1), ("rate [10^6 1/s]", "5"));
    }

    #[test]
    fn the_bar_has_the_colours_of_the_map() {
        let background = [9, 9, 9, 255];
        let mut image = Image::filled(480, 360, background);
        let scale = scale("speed", "m/s", [0.0, 1.0]);
        draw(&mut image, &scale);
        let has = |colour: [u8; 4]| image.pixels.contains(&colour);
        for t in [0.5 / 144.0, 72.5 / 144.0, 143.5 / 144.0] {
            assert!(has(ColourMap::Viridis.colour(1.0 - t).to_srgb8()), "{t}");
        }
        assert_eq!(image.at(0, 0), background);
        let untouched = Image::filled(30, 20, background);
        let mut small = untouched.clone();
        draw(&mut small, &scale);
        assert_eq!(small, untouched, "no room: nothing is drawn");
    }
}
