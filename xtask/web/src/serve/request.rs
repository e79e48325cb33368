//! Reading what a browser asks for (RFC 9112), as far as a static page needs it.

use std::io::Read;

/// The longest request \[bytes\]; browsers send less than one kilobyte.
const LONGEST: usize = 16 * 1024;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// The path as it was sent, without what stands behind a question mark.
    pub path: String,
    /// Whether the content is wanted, or only what is said about it.
    pub wants_body: bool,
    /// Whether it may be compressed.
    pub takes_gzip: bool,
}

/// Why a request is not answered with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not HTTP, or not complete.
    Malformed,
    /// Only GET and HEAD are known.
    Method,
    /// It does not end.
    TooLong,
}

/// Reads a request up to its empty line.
pub fn read(stream: &mut impl Read) -> std::io::Result<Result<Request, Refusal>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    let end = loop {
        if let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if received.len() >= LONGEST {
            return Ok(Err(Refusal::TooLong));
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(Err(Refusal::Malformed)),
            count => received.extend_from_slice(&buffer[..count]),
        }
    };
    Ok(parse(&received[..end]))
}

fn parse(head: &[u8]) -> Result<Request, Refusal> {
    let text = std::str::from_utf8(head).map_err(|_| Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(target), Some(version), None) = (method, target, version, words.next())
    else {
        return Err(Refusal::Malformed);
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(Refusal::Malformed);
    }
    let wants_body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return Err(Refusal::Method),
    };
    let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
    Ok(Request { path, wants_body, takes_gzip: lines.any(allows_gzip) })
}

/// Whether a line of the head says that gzip is understood.
fn allows_gzip(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let accepted = |coding: &str| {
        let mut parts = coding.split(';').map(str::trim);
        let zero = |weight: &str| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        parts.next() == Some("gzip") && !parts.any(zero)
    };
    name.eq_ignore_ascii_case("accept-encoding") && value.split(',').any(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<Request, Refusal> {
        read(&mut text.as_bytes()).unwrap()
    }

    #[test]
    fn method_path_and_encoding_are_read() {
        let asked =
            request("GET /a/b.js?v=1 HTTP/1.1\r\nhost: x\r\nAccept-Encoding: br, gzip\r\n\r\n");
        let wanted = Request { path: "/a/b.js".into(), wants_body: true, takes_gzip: true };
        assert_eq!(asked, Ok(wanted));
        let plain = request("HEAD / HTTP/1.0\r\naccept-encoding: gzip;q=0, deflate\r\n\r\n");
        assert_eq!(plain, Ok(Request { path: "/".into(), wants_body: false, takes_gzip: false }));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for bad in
            ["", "GET", "GET / HTTP/1.1\r\n", "\r\n\r\n", "GET /\r\n\r\n", "GET x HTTP/1.1\r\n\r\n"]
        {
            assert_eq!(request(bad), Err(Refusal::Malformed), "{bad:?}");
        }
        assert_eq!(request("GET / HTTP/2\r\n\r\n"), Err(Refusal::Malformed));
        assert_eq!(request("POST / HTTP/1.1\r\n\r\n"), Err(Refusal::Method));
        assert_eq!(read(&mut &b"GET /\xff HTTP/1.1\r\n\r\n"[..]).unwrap(), Err(Refusal::Malformed));
        let endless = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(LONGEST));
        assert_eq!(request(&endless), Err(Refusal::TooLong));
    }
}
