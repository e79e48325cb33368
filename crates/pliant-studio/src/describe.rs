//! What is seen, in words: for those who cannot see it, and for whoever wants it short.

use crate::app::Studio;

impl Studio {
    /// One or two sentences about the scene, what it does, and what is wrong.
    pub fn describe(&self) -> String {
        let mut text = match &self.opened {
            Some(opened) => {
                let status = self.status();
                let pace = if status.is_playing { "playing" } else { "paused" };
                format!(
                    "{}: {}, {pace} at {:.1} seconds, computed by {}.",
                    opened.source.title(),
                    bodies(opened.bodies.iter().map(|b| b.name.as_str())),
                    status.report.time,
                    if status.backend.is_empty() { "the CPU" } else { &status.backend },
                )
            }
            None => "Nothing is open.".into(),
        };
        if let Some(opening) = &self.opening {
            text += &format!(" Opening {}.", opening.source.title());
        }
        let troubles = [
            self.failure.as_ref().map(|f| f.message.clone()),
            self.status().diverged.map(|d| d.to_string()),
            self.viewport.trouble.clone(),
            self.notice.as_ref().map(|notice| notice.text.clone()),
        ];
        for trouble in troubles.into_iter().flatten() {
            text += &format!(" {}", sentence(&trouble));
        }
        text
    }
}

/// A few bodies by name, many by number.
fn bodies<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names[..] {
        [] => "no bodies".into(),
        [one] => format!("one soft body, {one}"),
        _ if names.len() <= 4 => format!("{} soft bodies, {}", names.len(), names.join(", ")),
        _ => format!("{} soft bodies", names.len()),
    }
}

/// The text, with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.into() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bodies_are_named_and_many_counted() {
        let all = ["a", "b", "c", "d", "e"];
        let text = |n: usize| bodies(all.into_iter().take(n));
        assert_eq!(text(0), "no bodies");
        assert_eq!(text(1), "one soft body, a");
        assert_eq!(text(2), "2 soft bodies, a, b");
        assert_eq!(text(5), "5 soft bodies");
        assert_eq!(sentence("it broke \n"), "it broke.");
    }
}
