//! A server for the built page, as small as one can be: files of one folder, below one
//! path, on a free port of this machine.
//!
//! Below a path and not at the root, so that the browser tests prove that the page can
//! be hosted anywhere.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::{Failure, Outcome};

/// The path below which the page is.
const BASE: &str = "/lockstep/";

/// How long a connection may say nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves a folder until this program ends, and says at what address.
pub fn start(folder: PathBuf) -> Outcome<String> {
    if !folder.join("index.html").is_file() {
        return Err(Failure(format!(
            "{} has no page: `cargo xtask build` builds it",
            folder.display()
        )));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = format!("http://{}{BASE}", listener.local_addr()?);
    let folder = Arc::new(folder);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = Arc::clone(&folder);
            // A browser that hangs up in the middle is no affair of ours.
            thread::spawn(move || drop(converse(stream, &folder)));
        }
    });
    Ok(address)
}

/// Answers one request; a connection is not kept.
fn converse(mut stream: TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let answer = match method {
        "GET" | "HEAD" => file_for(target, folder),
        _ => Answer::text("405 Method Not Allowed", "only GET and HEAD\n"),
    };
    write!(
        stream,
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len(),
    )?;
    if method != "HEAD" {
        stream.write_all(&answer.body)?;
    }
    stream.flush()
}

struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
}

impl Answer {
    fn text(status: &'static str, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: text.as_bytes().to_vec() }
    }
}

fn file_for(target: &str, folder: &Path) -> Answer {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let Some(below) = path.strip_prefix(BASE) else {
        return Answer::text("404 Not Found", &format!("the page is at {BASE}\n"));
    };
    let below = if below.is_empty() || below.ends_with('/') {
        format!("{below}index.html")
    } else {
        below.to_owned()
    };
    let relative = Path::new(&below);
    let stays_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    match fs::read(folder.join(relative)) {
        Ok(body) if stays_inside => Answer { status: "200 OK", kind: kind_of(relative), body },
        _ => Answer::text("404 Not Found", "no such file\n"),
    }
}

/// What a file is, as a browser has to be told; it refuses to stream wasm that is not
/// called so.
fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" | "scn" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::OnceLock;

    /// A folder with two files, written once: a test must not read what another one is writing.
    fn folder() -> PathBuf {
        static FOLDER: OnceLock<PathBuf> = OnceLock::new();
        let made = || {
            let folder = std::env::temp_dir().join(format!("lockstep-site-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("index.html"), "<p>page").unwrap();
            fs::write(folder.join("a.wasm"), "wasm").unwrap();
            folder
        };
        FOLDER.get_or_init(made).clone()
    }

    fn answer_to(request: &str) -> String {
        let address = start(folder()).unwrap();
        let host = address.trim_start_matches("http://").trim_end_matches(BASE).to_owned();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_page_is_below_its_path_only() {
        let page = answer_to("GET /lockstep/?lang=zh");
        assert!(page.starts_with("HTTP/1.1 200 OK") && page.ends_with("<p>page"), "{page}");
        assert!(answer_to("GET /").starts_with("HTTP/1.1 404"));
        assert!(answer_to("GET /index.html").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn wasm_is_called_wasm() {
        assert!(answer_to("GET /lockstep/a.wasm").contains("Content-Type: application/wasm\r\n"));
    }

    #[test]
    fn nothing_outside_the_folder_is_handed_out() {
        assert!(answer_to("GET /lockstep/../../etc/hostname").starts_with("HTTP/1.1 404"));
        assert!(answer_to("GET /lockstep//etc/hostname").starts_with("HTTP/1.1 404"));
        assert!(answer_to("GET /lockstep/b.wasm").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn a_head_has_no_body_and_a_post_is_refused() {
        let head = answer_to("HEAD /lockstep/a.wasm");
        assert!(head.contains("Content-Length: 4\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        assert!(answer_to("POST /lockstep/").starts_with("HTTP/1.1 405"));
    }
}
