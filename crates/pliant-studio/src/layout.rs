//! How the window is divided, by its size alone, and how large everything is in it.

use eframe::egui::{Context, FontId, Style, TextStyle, Vec2, style::Spacing, vec2};

/// Narrower windows than this have no room beside the picture \[points\].
const NARROW: f32 = 720.0;
/// Lower windows than this have no room below it \[points\].
const LOW: f32 = 420.0;
/// Nothing that a finger must hit is lower than this \[points\].
pub const FINGERTIP: f32 = 40.0;

/// The arrangements there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Panels round the picture, for mice.
    #[default]
    Desktop,
    /// One column, for a phone held upright: what is asked for comes in a drawer at the bottom.
    Upright,
    /// The picture and a drawer beside it, for a phone held sideways.
    Sideways,
}

impl Layout {
    /// The arrangement for the present size of the window.
    pub fn of(ctx: &Context) -> Self {
        Self::for_size(ctx.content_rect().size())
    }

    fn for_size(size: Vec2) -> Self {
        match size {
            s if s.x >= NARROW && s.y >= LOW => Self::Desktop,
            s if s.x > s.y => Self::Sideways,
            _ => Self::Upright,
        }
    }

    /// Whether it is made for fingers and little room.
    pub fn is_small(self) -> bool {
        self != Self::Desktop
    }

    /// In a word, for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desk",
            Self::Upright => "upright",
            Self::Sideways => "sideways",
        }
    }

    /// Sets the sizes of everything in this arrangement.
    pub fn set_sizes(self, ctx: &Context) {
        ctx.all_styles_mut(|style| {
            let usual = Style::default();
            style.spacing = self.spacing(usual.spacing);
            style.text_styles = usual.text_styles;
            if self.is_small() {
                let letters = FontId::proportional(15.0);
                style.text_styles.insert(TextStyle::Body, letters.clone());
                style.text_styles.insert(TextStyle::Button, letters);
                style.text_styles.insert(TextStyle::Small, FontId::proportional(12.0));
            }
        });
    }

    /// Somewhat larger than egui's own; for fingers, much larger.
    fn spacing(self, usual: Spacing) -> Spacing {
        let spacing = Spacing { slider_width: 130.0, item_spacing: vec2(6.0, 5.0), ..usual };
        match self {
            Self::Desktop => spacing,
            Self::Upright | Self::Sideways => Spacing {
                interact_size: Vec2::splat(FINGERTIP),
                button_padding: vec2(9.0, 6.0),
                icon_width: 22.0,
                icon_width_inner: 14.0,
                icon_spacing: 8.0,
                ..spacing
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_decides() {
        let of = |x, y| Layout::for_size(vec2(x, y));
        for (width, height) in [(1280.0, 800.0), (800.0, 600.0), (720.0, 420.0)] {
            assert_eq!(of(width, height), Layout::Desktop, "{width} × {height}");
        }
        for (width, height) in [(390.0, 844.0), (360.0, 640.0), (719.0, 900.0), (120.0, 120.0)] {
            assert_eq!(of(width, height), Layout::Upright, "{width} × {height}");
        }
        for (width, height) in [(844.0, 390.0), (640.0, 360.0), (1600.0, 419.0), (719.0, 500.0)] {
            assert_eq!(of(width, height), Layout::Sideways, "{width} × {height}");
        }
    }

    #[test]
    fn going_there_and_back_leaves_nothing_behind() {
        let ctx = Context::default();
        Layout::Desktop.set_sizes(&ctx);
        let desktop = ctx.global_style().as_ref().clone();
        Layout::Upright.set_sizes(&ctx);
        assert!(ctx.global_style().spacing.interact_size.y >= FINGERTIP);
        Layout::Desktop.set_sizes(&ctx);
        let back = ctx.global_style();
        assert!(back.spacing == desktop.spacing && back.text_styles == desktop.text_styles);
    }
}
