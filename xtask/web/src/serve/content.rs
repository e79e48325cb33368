//! The files of a page in memory, and answers made of them.

use std::collections::BTreeMap;
use std::path::Path;

use super::request::{Refusal, Request};
use crate::paths::{at, files, read};
use crate::weigh::{as_sent, is_compressed};

/// More than this is no page of ours \[bytes\].
const LARGEST: usize = 256 << 20;

/// Every file of a page.
pub struct Content {
    files: BTreeMap<String, File>,
}

struct File {
    kind: &'static str,
    plain: Vec<u8>,
    /// Where it is worth it.
    gzip: Option<Vec<u8>>,
}

/// What is sent back.
pub struct Answer<'a> {
    /// Status and headers, with the empty line.
    pub head: String,
    /// What follows.
    pub body: &'a [u8],
}

impl Content {
    /// Reads all files in `folder`.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut content = Self { files: BTreeMap::new() };
        let mut total = 0;
        for path in files(folder)? {
            let plain = read(&folder.join(&path))?;
            total += plain.len();
            if total > LARGEST {
                return Err(at(folder, &"too many bytes for a page"));
            }
            let gzip = (!is_compressed(&path)).then(|| as_sent(&path, &plain));
            let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
            let name = format!("/{}", parts.join("/"));
            content.files.insert(name, File { kind: kind(&path), plain, gzip });
        }
        match content.files.keys().any(|name| name.ends_with("/index.html")) {
            true => Ok(content),
            false => Err(at(folder, &"no index.html; has the page been built?")),
        }
    }

    /// What to send for a request.
    pub fn answer(&self, request: &Request) -> Answer<'_> {
        let wanted = match request.path.ends_with('/') {
            true => format!("{}index.html", request.path),
            false => request.path.clone(),
        };
        let Some(file) = self.files.get(&wanted) else {
            let moved = format!("{}/index.html", request.path);
            return match self.files.contains_key(&moved) {
                // A path that is relative to a folder needs its slash.
                true => Answer::bare(
                    "301 Moved Permanently",
                    &format!("Location: {}/\r\n", request.path),
                ),
                false => Answer::bare("404 Not Found", ""),
            };
        };
        let (body, encoding) = match &file.gzip {
            Some(bytes) if request.takes_gzip => (bytes, "Content-Encoding: gzip\r\n"),
            _ => (&file.plain, ""),
        };
        // All but the start page lie in a folder that is named after their content.
        let keep = match file.kind.starts_with("text/html") {
            true => "no-cache",
            false => "max-age=31536000, immutable",
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n{encoding}\
             Vary: Accept-Encoding\r\nCache-Control: {keep}\r\n{ALWAYS}",
            file.kind,
            body.len(),
        );
        Answer { head, body: if request.wants_body { body } else { &[] } }
    }
}

const ALWAYS: &str = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
                      Connection: close\r\n\r\n";

impl Answer<'_> {
    /// An answer to what is not answered.
    pub fn refusal(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Malformed => Self::bare("400 Bad Request", ""),
            Refusal::Method => Self::bare("405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
            Refusal::TooLong => Self::bare("431 Request Header Fields Too Large", ""),
        }
    }

    /// A status alone.
    fn bare(status: &str, headers: &str) -> Self {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n{headers}{ALWAYS}");
        Answer { head, body: &[] }
    }
}

/// What a file is called by browsers.
fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "jpg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}
