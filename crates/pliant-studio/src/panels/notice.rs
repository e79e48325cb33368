//! A line over the picture about how things run here, where that is not as usual.

use eframe::egui::{
    Align2, Area, Color32, CornerRadius, Frame, Hyperlink, Id, Rect, RichText, Stroke, Ui, vec2,
};

use crate::app::{Action, Studio};

const INK: Color32 = Color32::from_rgb(90, 50, 0);
const GROUND: Color32 = Color32::from_rgb(255, 243, 214);
/// From the lower right corner of the picture: above the line that says what the mouse does \[points\].
const CORNER: [f32; 2] = [-10.0, -42.0];

/// Something about how things run here.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What is said.
    pub text: String,
    /// What else could be done: the text of a link, and its address.
    pub link: Option<[String; 2]>,
}

impl From<String> for Notice {
    fn from(text: String) -> Self {
        Self { text, link: None }
    }
}

impl From<&str> for Notice {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// Shows the line over the picture, where it covers nothing that is pressed, until it is closed.
pub fn show(ui: &Ui, area: Rect, studio: &mut Studio, actions: &mut Vec<Action>) {
    let Some(notice) = &studio.notice else { return };
    let corner = area.right_bottom() + vec2(CORNER[0], CORNER[1]);
    let place = Area::new(Id::unique("notice")).pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner);
    let shown = place.show(ui.ctx(), |ui| {
        let frame = Frame::popup(ui.style()).fill(GROUND).stroke(Stroke::NONE);
        frame.corner_radius(CornerRadius::same(5)).show(ui, |ui| {
            ui.set_max_width((0.6 * area.width()).max(160.0));
            ui.label(RichText::new(&notice.text).color(INK));
            ui.horizontal_wrapped(|ui| {
                if let Some([text, address]) = &notice.link {
                    let text = RichText::new(text).color(INK).underline();
                    let link = ui.add(Hyperlink::from_label_and_url(text, address));
                    studio.places.note("notice link", link);
                }
                if studio.places.note("close notice", ui.button("Close")).clicked() {
                    actions.push(Action::CloseNotice);
                }
            });
        });
    });
    studio.places.note_rect("notice", shown.response.rect);
}
