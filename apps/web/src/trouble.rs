//! Telling what cannot be helped.

use std::panic;

use web_sys::{console, window};

/// Shows a text in the page's element `trouble`, if it has one.
pub fn show(text: &str) {
    let document = window().and_then(|w| w.document());
    if let Some(place) = document.and_then(|d| d.get_element_by_id("trouble")) {
        place.set_text_content(Some(text));
        // Nothing more can be done where even this fails.
        let _ = place.remove_attribute("hidden");
    }
}

/// Writes a line to the browser's console.
pub fn note(text: &str) {
    console::info_1(&text.into());
}

/// Tells of panics where the user sees it; the runner writes them to the console.
pub fn watch() {
    panic::set_hook(Box::new(|info| {
        show(&format!(
            "Pliant has stopped by a mistake of its own. Please reload the page. ({info})"
        ));
    }));
}
