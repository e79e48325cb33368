//! Handing out what was saved.

use js_sys::{Array, Uint8Array};
use pliant_mesh::memory_fs;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url, window};

use crate::trouble;

/// Hands everything that was saved since the last call to the user.
pub fn deliver() {
    for (path, bytes) in memory_fs::take_written() {
        let name = path.file_name().map_or("pliant".into(), |n| n.to_string_lossy());
        if let Err(error) = download(&name, &bytes) {
            trouble::show(&format!("{name} could not be handed out: {error:?}"));
        }
    }
}

/// Does what a click on a link to a file does.
fn download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("application/octet-stream");
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &kind)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let document = window().and_then(|w| w.document()).ok_or("there is no page")?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The browser has taken it over; without this the bytes would stay as long as the page.
    Url::revoke_object_url(&address)
}
