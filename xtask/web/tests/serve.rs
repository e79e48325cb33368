//! The server, as a browser and as somebody who means no good would use it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The real program, serving a folder.
struct Server {
    program: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_xtask-web"))
            .args(["--no-build", "--serve", "0", "--out"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let line = lines.map_while(Result::ok).find(|line| line.contains("http://")).unwrap();
        let (_, rest) = line.split_once("http://").unwrap();
        let address = rest.split('/').next().unwrap().to_owned();
        Self { program, address }
    }

    /// Head and body of the answer to a request that is sent as it is.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (String, Vec<u8>) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A page in a sub-folder, and beside it what nobody may see.
fn page() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    std::fs::create_dir_all(site.join("sub")).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(site.join("index.html"), "<p>start</p>").unwrap();
    std::fs::write(site.join("sub/index.html"), "<p>below</p>").unwrap();
    std::fs::write(site.join("sub/engine.wasm"), b"\0asm".repeat(1000)).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), site.join("out")).unwrap();
        std::os::unix::fs::symlink("../secret.txt", site.join("link.txt")).unwrap();
    }
    folder
}

#[test]
fn files_come_with_type_length_and_compression() {
    let folder = page();
    let server = Server::start(&folder.path().join("site"));
    let (head, body) = server.get("/");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("Content-Type: text/html; charset=utf-8\r\n"), "{head}");
    assert!(head.contains("Content-Length: 12\r\n") && !head.contains("gzip"), "{head}");
    assert_eq!(body, b"<p>start</p>");

    let compressed = "GET /sub/engine.wasm?v=2 HTTP/1.1\r\nAccept-Encoding: gzip, br\r\n\r\n";
    let (head, body) = server.ask(compressed);
    assert!(head.contains("Content-Type: application/wasm\r\n"), "{head}");
    assert!(head.contains("Content-Encoding: gzip\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut plain).unwrap();
    assert_eq!(plain, b"\0asm".repeat(1000));

    let (head, body) = server.ask("HEAD /sub/engine.wasm HTTP/1.1\r\n\r\n");
    assert!(head.contains("Content-Length: 4000\r\n") && body.is_empty(), "{head}");
    assert!(server.get("/sub").0.contains("\r\nLocation: /sub/\r\n"));
    assert_eq!(server.get("/sub/").1, b"<p>below</p>");
}

#[test]
fn nothing_outside_the_folder_can_be_had() {
    let folder = page();
    let server = Server::start(&folder.path().join("site"));
    for path in [
        "/../secret.txt",
        "/sub/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/..\\secret.txt",
        "//etc/passwd",
        "/out/secret.txt",
        "/link.txt",
        "/nothing",
        "/index.html/",
        "/\0",
    ] {
        let (head, body) = server.get(path);
        assert!(head.starts_with("HTTP/1.1 404 "), "{path:?}: {head}");
        assert!(body.is_empty(), "{path:?}");
    }
}

#[test]
fn other_requests_are_refused_and_the_server_goes_on() {
    let folder = page();
    let server = Server::start(&folder.path().join("site"));
    let status = |request: &str| server.ask(request).0.split(' ').nth(1).unwrap().to_owned();
    assert_eq!(status("POST / HTTP/1.1\r\n\r\n"), "405");
    assert_eq!(status("GET http://else.where/ HTTP/1.1\r\n\r\n"), "400");
    assert_eq!(status("hello\r\n\r\n"), "400");
    drop(TcpStream::connect(&server.address).unwrap());
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "200");
}

#[test]
fn a_folder_without_a_page_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_xtask-web"));
    let program = program.args(["--no-build", "--serve", "0", "--out"]).arg(empty.path());
    let output = program.output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no index.html"), "{said}");
}
