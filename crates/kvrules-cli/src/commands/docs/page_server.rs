//! A small server of generated pages for the browser of the same machine.
//!
//! It listens on 127.0.0.1 alone, knows the pages that it was given and no other files, and answers only requests that name this
//! machine as their host, so that pages of other sites cannot read it through the browser. Requests are bounded in size, time and number.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kvrules::OutputFile;

use crate::failure::Failure;
use crate::paths::has_extension;

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 8 * 1024;
/// Time for a request to arrive, and for an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time after which a page that waits for a change asks again.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Number of connections at a time; more are closed.
const CONNECTIONS: usize = 64;
/// Path under which a page waits for a change.
const CHANGES: &str = "/~changes";

/// A running server.
pub(super) struct PageServer {
    port: u16,
    pages: Arc<ServedPages>,
}

/// The pages, and who waits for others.
#[derive(Default)]
struct ServedPages {
    current: Mutex<PageVersion>,
    changed: Condvar,
}

/// Pages of one generation.
#[derive(Default)]
struct PageVersion {
    number: u64,
    files: HashMap<String, Arc<str>>,
}

/// The head of an answer and its body.
struct Answer {
    status: &'static str,
    content_type: &'static str,
    body: Arc<str>,
}

/// A request for a page.
#[derive(Debug, PartialEq, Eq)]
struct PageRequest {
    is_head: bool,
    /// The path, decoded, and behind `?` the query.
    path: String,
    query: String,
}

impl PageServer {
    /// Starts to listen. Without pages, it answers that there are none.
    pub(super) fn start(port: u16) -> Result<Self, Failure> {
        let failure = |error: std::io::Error| {
            Failure::new(format!("cannot listen on 127.0.0.1:{port}: {error}"))
                .help("choose another port with `--serve=PORT`; 0 takes a free one")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failure)?;
        let port = listener.local_addr().map_err(failure)?.port();
        let pages = Arc::new(ServedPages::default());
        let served = Arc::clone(&pages);
        thread::spawn(move || accept_connections(&listener, &served));
        Ok(Self { port, pages })
    }

    /// The address for a browser.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Shows other pages from now on; open pages load themselves again.
    pub(super) fn show(&self, files: Vec<OutputFile>) {
        let mut current = self.pages.lock();
        current.number += 1;
        current.files = files.into_iter().map(|file| (file.path, file.text.into())).collect();
        drop(current);
        self.pages.changed.notify_all();
    }
}

impl ServedPages {
    fn lock(&self) -> MutexGuard<'_, PageVersion> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn accept_connections(listener: &TcpListener, pages: &Arc<ServedPages>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of descriptors, perhaps: others have to end first.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (pages, open) = (Arc::clone(pages), Arc::clone(&open));
        thread::spawn(move || {
            // Whoever goes away early misses the answer.
            let _ = serve_connection(stream, &pages);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn serve_connection(mut stream: TcpStream, pages: &ServedPages) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut stream)?;
    let request = head.as_deref().ok_or("431 Request Header Fields Too Large").and_then(parse_request);
    let (answer, is_head) = match request {
        Ok(request) => (answer_request(&request, pages), request.is_head),
        Err(status) => (Answer::of_status(status), false),
    };
    let Answer { status, content_type, body } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if is_head { Ok(()) } else { stream.write_all(body.as_bytes()) }
}

/// Reads up to the empty line behind the head; `None` if it is too long.
fn read_head(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if head.len() > LONGEST_HEAD {
            return Ok(None);
        }
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

/// Parses a head. Fails with the status for the client.
fn parse_request(head: &str) -> Result<PageRequest, &'static str> {
    let mut lines = head.split("\r\n");
    let parts: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = parts.as_slice() else { return Err("400 Bad Request") };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err("400 Bad Request");
    }
    if !matches!(*method, "GET" | "HEAD") {
        return Err("405 Method Not Allowed");
    }
    let hosts = lines.filter_map(|line| line.split_once(':'));
    let mut hosts = hosts.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err("400 Bad Request") };
    if !matches!(host.rsplit_once(':').map_or(host, |(name, _)| name), "127.0.0.1" | "localhost") {
        return Err("421 Misdirected Request");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = decode_path(path).ok_or("400 Bad Request")?;
    Ok(PageRequest { is_head: *method == "HEAD", path, query: query.to_owned() })
}

/// A path with the bytes behind `%`.
fn decode_path(path: &str) -> Option<String> {
    let mut bytes = path.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(bytes.next())? * 16 + digit(bytes.next())?;
        decoded.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(decoded).ok()
}

fn answer_request(request: &PageRequest, pages: &ServedPages) -> Answer {
    if request.path == CHANGES {
        return Answer {
            status: "200 OK",
            content_type: "text/plain",
            body: wait_for_change(request, pages).into(),
        };
    }
    let current = pages.lock();
    let name = request.path.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    // Only what was generated has a name here; no path leads to the disk.
    let Some(text) = current.files.get(name).map(Arc::clone) else {
        let is_start = current.files.is_empty();
        return Answer::of_status(if is_start { "503 Service Unavailable" } else { "404 Not Found" })
            .with_reload(current.number);
    };
    let number = current.number;
    drop(current);
    if has_extension(Path::new(name), &["js"]) {
        return Answer { status: "200 OK", content_type: "text/javascript; charset=utf-8", body: text };
    }
    Answer { status: "200 OK", content_type: "text/html; charset=utf-8", body: text }.with_reload(number)
}

impl Answer {
    fn of_status(status: &'static str) -> Self {
        let words = if status.starts_with("503") { "No pages yet; see the terminal." } else { status };
        let body = format!("<!DOCTYPE html><title>kvrules</title><p>{words}</p>\n");
        Self { status, content_type: "text/html; charset=utf-8", body: body.into() }
    }

    /// The same page, which loads itself again after a change.
    fn with_reload(self, number: u64) -> Self {
        let script = format!(
            "<script>(async () => {{ for (;;) {{ try {{ const answer = await fetch(\"{CHANGES}?{number}\"); if (answer.ok && \
             (await answer.text()) !== \"{number}\") return location.reload(); }} catch {{ await new Promise((done) => \
             setTimeout(done, 1000)); }} }} }})();</script>\n"
        );
        Self { body: format!("{}{script}", self.body).into(), ..self }
    }
}

/// Waits until the pages are others than those of the query, for a while; returns the number of the current ones.
fn wait_for_change(request: &PageRequest, pages: &ServedPages) -> String {
    let known: u64 = request.query.parse().unwrap_or_default();
    let is_known = |current: &mut PageVersion| current.number == known;
    let waited = pages.changed.wait_timeout_while(pages.lock(), LONGEST_WAIT, is_known);
    waited.unwrap_or_else(PoisonError::into_inner).0.number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(target: &str, host: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
    }

    #[test]
    fn only_requests_for_this_machine_are_answered() {
        let request = parse_request(&head("/a%20b.html?x=1", "localhost:8765")).unwrap();
        assert_eq!((request.path.as_str(), request.query.as_str()), ("/a b.html", "x=1"));
        for (text, status) in [
            (head("/", "evil.example"), "421 Misdirected Request"),
            (head("/", "127.0.0.1.evil.example:80"), "421 Misdirected Request"),
            (head("/%zz", "localhost"), "400 Bad Request"),
            (head("/%ff", "localhost"), "400 Bad Request"),
            (head("http://evil.example/", "localhost"), "400 Bad Request"),
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), "400 Bad Request"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: x\r\n\r\n".to_owned(), "400 Bad Request"),
            ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "405 Method Not Allowed"),
            ("\r\n\r\n".to_owned(), "400 Bad Request"),
        ] {
            assert_eq!(parse_request(&text), Err(status), "{text}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_pages() {
        let server = PageServer::start(0).unwrap();
        server.show(vec![OutputFile { path: "index.html".to_owned(), text: "<p>hello</p>".to_owned() }]);
        let status = |path: &str| {
            let request = PageRequest { is_head: false, path: path.to_owned(), query: String::new() };
            answer_request(&request, &server.pages).status
        };
        assert_eq!(status("/"), "200 OK");
        for path in ["/../Cargo.toml", "//etc/passwd", "/index.html/", "/./index.html", "/\u{0}"] {
            assert_eq!(status(path), "404 Not Found", "{path}");
        }
    }

    #[test]
    fn a_long_or_slow_request_is_ended() {
        let server = PageServer::start(0).unwrap();
        server.show(vec![OutputFile { path: "index.html".to_owned(), text: "<p>hello</p>".to_owned() }]);
        let ask = |text: &[u8]| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
            // The server may close before all of a long request is sent.
            let _ = stream.write_all(text);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        };
        assert!(ask(head("/", "localhost").as_bytes()).contains("<p>hello</p><script>"));
        let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(LONGEST_HEAD));
        let answer = ask(long.as_bytes());
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert_eq!(ask(b"GET / HT"), "", "it never comes to an end");
    }
}
