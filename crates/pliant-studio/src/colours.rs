//! Colours of what must be read, over the picture and in the panels.

use eframe::egui::{Color32, Context, Theme};

/// Letters over the picture, in both themes: they lie on [`GROUND`].
pub const INK: Color32 = Color32::from_gray(30);
/// A pale ground between letters and the picture, whatever that shows.
pub const GROUND: Color32 = Color32::from_rgba_premultiplied(190, 190, 190, 190);
/// Letters of what went wrong.
pub const ALARM: Color32 = Color32::from_rgb(110, 20, 10);
/// The ground below them.
pub const ALARM_GROUND: Color32 = Color32::from_rgb(255, 244, 240);

/// Makes quiet text and warnings strong enough to be read.
pub fn set(ctx: &Context) {
    for theme in [Theme::Light, Theme::Dark] {
        ctx.style_mut_of(theme, |style| {
            let visuals = &mut style.visuals;
            let (weak, warning, error) = match theme {
                Theme::Light => (
                    Color32::from_gray(95),
                    Color32::from_rgb(160, 70, 0),
                    Color32::from_rgb(190, 0, 0),
                ),
                Theme::Dark => (
                    Color32::from_gray(145),
                    Color32::from_rgb(255, 143, 0),
                    Color32::from_rgb(255, 110, 100),
                ),
            };
            visuals.weak_text_color = Some(weak);
            visuals.warn_fg_color = warning;
            visuals.error_fg_color = error;
            if theme == Theme::Dark {
                visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(170);
            }
        });
    }
}

/// Colours of curves, which have their names in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Motion.
    Blue,
    /// Forces inside.
    Red,
    /// Height.
    Green,
    /// The hand.
    Violet,
}

impl Curve {
    /// For a ground that is dark or not.
    pub fn on(self, is_dark: bool) -> Color32 {
        let [r, g, b] = match (self, is_dark) {
            (Self::Blue, false) => [21, 101, 192],
            (Self::Blue, true) => [100, 181, 246],
            (Self::Red, false) => [198, 40, 40],
            (Self::Red, true) => [240, 120, 115],
            (Self::Green, false) => [46, 125, 50],
            (Self::Green, true) => [129, 199, 132],
            (Self::Violet, false) => [106, 27, 154],
            (Self::Violet, true) => [206, 147, 216],
        };
        Color32::from_rgb(r, g, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{Rgba, Visuals};

    /// Web Content Accessibility Guidelines 2.1, success criterion 1.4.3, level AA.
    const ENOUGH: f32 = 4.5;

    /// "Relative luminance" and "contrast ratio" of the same guidelines.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let light = |c: Color32| {
            let linear = |byte: u8| match f32::from(byte) / 255.0 {
                s if s <= 0.03928 => s / 12.92,
                s => ((s + 0.055) / 1.055).powf(2.4),
            };
            0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b())
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[track_caller]
    fn assert_readable(ink: Color32, ground: Color32) {
        let ratio = contrast(ink, ground);
        assert!(ratio >= ENOUGH, "{ink:?} on {ground:?}: {ratio:.2}");
    }

    fn visuals(theme: Theme) -> Visuals {
        let ctx = Context::default();
        set(&ctx);
        ctx.style_of(theme).visuals.clone()
    }

    #[test]
    fn black_on_white_is_21() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 1e-3);
        assert!((contrast(Color32::from_gray(118), Color32::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn what_is_written_over_the_picture_can_be_read_whatever_it_shows() {
        // Blended as windows do, by bytes.
        let over = |below: Color32| below.blend(GROUND);
        let worst = [Color32::BLACK, Color32::WHITE, Color32::RED, Color32::BLUE, Color32::GREEN];
        for below in worst {
            assert_readable(INK, over(below));
            assert_readable(ALARM, over(below));
        }
        // The backgrounds of the dark and the pale picture.
        for hex in [0x3a_4048, 0x22_262b, 0xff_ffff] {
            let [_, r, g, b] = u32::to_be_bytes(hex);
            assert_readable(INK, over(Color32::from_rgb(r, g, b)));
        }
        assert_readable(ALARM, ALARM_GROUND);
        assert!(Rgba::from(GROUND).a() < 1.0, "else nothing would be tested here");
    }

    #[test]
    fn panels_can_be_read_in_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let v = visuals(theme);
            for ground in [v.panel_fill, v.window_fill, v.extreme_bg_color] {
                assert_readable(v.text_color(), ground);
                assert_readable(v.weak_text_color(), ground);
                assert_readable(v.warn_fg_color, ground);
                assert_readable(v.error_fg_color, ground);
                assert_readable(v.strong_text_color(), ground);
            }
            for curve in [Curve::Blue, Curve::Red, Curve::Green, Curve::Violet] {
                assert_readable(curve.on(v.dark_mode), v.extreme_bg_color);
            }
            assert_readable(v.selection.stroke.color, v.selection.bg_fill);
            for state in [&v.widgets.inactive, &v.widgets.hovered, &v.widgets.active] {
                assert_readable(state.text_color(), state.weak_bg_fill);
            }
        }
    }
}
