//! A small server for one page, on this machine only.
//!
//! All files are read into memory first and a request can name nothing else, so that no path, however
//! it is written, leads out of the folder.

mod content;
mod request;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::options::Port;
use content::{Answer, Content};

/// The port that is tried first, and how many after it.
const FIRST_PORT: u16 = 8080;
const TRIES: u16 = 100;

/// How many visitors are served at once, and how long one may keep silent.
const VISITORS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves the files in `folder` until the program is ended.
pub fn serve(folder: &Path, port: Port) -> Result<(), String> {
    let content = Arc::new(Content::read(folder)?);
    let listener = listen(port)?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    println!("\nServing {} at http://{address}/ until Ctrl-C", folder.display());
    // Programs that start this one wait for the line above.
    let _ = std::io::stdout().flush();
    let visitors = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if visitors.load(Ordering::Relaxed) >= VISITORS {
            continue;
        }
        visitors.fetch_add(1, Ordering::Relaxed);
        let (content, counter) = (content.clone(), visitors.clone());
        std::thread::spawn(move || {
            // A visitor who goes away in the middle is none of our business.
            let _ = attend(stream, &content);
            counter.fetch_sub(1, Ordering::Relaxed);
        });
    }
    Ok(())
}

fn listen(port: Port) -> Result<TcpListener, String> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match port {
        Port::Number(number) => bind(number).map_err(|e| format!("port {number}: {e}")),
        Port::Free => {
            (FIRST_PORT..FIRST_PORT + TRIES).find_map(|port| bind(port).ok()).ok_or_else(|| {
                format!("ports {FIRST_PORT} to {} are all taken", FIRST_PORT + TRIES - 1)
            })
        }
    }
}

/// Answers one request and hangs up.
fn attend(mut stream: TcpStream, content: &Content) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let answer = match request::read(&mut stream)? {
        Ok(request) => content.answer(&request),
        Err(refusal) => Answer::refusal(refusal),
    };
    stream.write_all(answer.head.as_bytes())?;
    stream.write_all(answer.body)?;
    stream.flush()
}
