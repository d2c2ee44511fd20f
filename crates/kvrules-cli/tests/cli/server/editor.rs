//! An editor that speaks the protocol.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;

/// Patience with the server; a debug build checks the largest definitions in seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server, and what it sent.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    requests: i64,
    /// The diagnostics of each file with the version that they are for, as they were published last.
    pub(crate) published: BTreeMap<String, (Option<i64>, Vec<Value>)>,
    /// Answers that were read while another one was awaited.
    answers: BTreeMap<String, Value>,
    /// All other messages.
    pub(crate) others: Vec<Value>,
}

impl Editor {
    /// Starts a server in a directory, without a first message.
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&[&["server"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap() == 0 {
                        return;
                    }
                    if line == "\r\n" {
                        break;
                    }
                    length = line.strip_prefix("Content-Length: ").unwrap().trim().parse().unwrap();
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                let _ = sender.send(serde_json::from_slice(&body).unwrap());
            }
        });
        let (published, answers, others) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { child, input, messages, requests: 0, published, answers, others }
    }

    /// Starts a server and initializes it.
    pub(crate) fn open(place: &Place, encodings: &[&str]) -> Self {
        let mut editor = Self::start(place, &[]);
        let capabilities = json!({
            "general": {"positionEncodings": encodings},
            "textDocument": {"publishDiagnostics": {"relatedInformation": true}},
        });
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        let answer = editor.request("initialize", &params);
        let chosen = if encodings.contains(&"utf-8") { "utf-8" } else { "utf-16" };
        assert_eq!(answer["capabilities"]["positionEncoding"], chosen);
        editor.notify("initialized", &json!({}));
        editor
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        // A server that ended takes none.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request, and returns its result, or the error.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id))
    }

    /// The result of a request, or the error.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        while !self.answers.contains_key(&id.to_string()) {
            self.take_message();
        }
        let answer = self.answers.remove(&id.to_string()).unwrap();
        answer.get("result").or(answer.get("error")).unwrap().clone()
    }

    fn take_message(&mut self) {
        let message = self.messages.recv_timeout(PATIENCE).unwrap();
        if message.get("id").is_some() && message.get("method").is_none() {
            assert!(self.answers.insert(message["id"].to_string(), message).is_none(), "answered twice");
        } else if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let found = params["diagnostics"].as_array().unwrap().clone();
            let uri = params["uri"].as_str().unwrap().to_owned();
            self.published.insert(uri, (params["version"].as_i64(), found));
        } else {
            self.others.push(message);
        }
    }

    pub(crate) fn open_file(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Changes a file: `[range, text]`, or the whole text without a range.
    pub(crate) fn change_file(&mut self, uri: &str, version: i64, changes: &[Value]) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", &params);
    }

    /// The findings in a version of a file.
    pub(crate) fn findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            match self.published.get(uri) {
                Some((Some(published), found)) if *published == version => return found.clone(),
                _ => self.take_message(),
            }
        }
    }

    /// The findings in a version of a file that are published next.
    pub(crate) fn next_findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        self.published.remove(uri);
        self.findings(uri, version)
    }

    /// Waits for the next findings of any file, and returns the version that they are for.
    pub(crate) fn next_publication(&mut self) -> Option<i64> {
        self.published.clear();
        while self.published.is_empty() {
            self.take_message();
        }
        self.published.values().next().unwrap().0
    }

    /// Ends the session in order.
    pub(crate) fn leave(mut self) {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        assert_eq!(self.status(), Some(0));
    }

    /// Closes the input, and returns the status of the server.
    pub(crate) fn status(&mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }

    /// The largest amount of memory that the server took so far, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().trim().parse::<u64>().unwrap() << 10
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // A test that fails leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap())
}

/// The findings of `kvrules check` about a file, in the form of the protocol: code, severity, message and range.
pub(crate) fn fresh_findings(place: &Place, name: &str, encoding: &str) -> Vec<Value> {
    let run = place.run(&["check", name, "--output-format", "json", "--exit-zero", "--allow-empty"]);
    let found: Vec<Value> = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let text = place.read(name);
    let convert = |found: &Value| {
        let severity = match found["level"].as_str().unwrap() {
            "error" => 1,
            "warning" => 2,
            _ => 3,
        };
        let range = |place: &Value| {
            let end = |end: &str| to_position(&text, place[end]["offset"].as_u64().unwrap(), encoding);
            json!({"start": end("start"), "end": end("end")})
        };
        let label = found["label"].as_str().map(str::to_owned);
        let help = found["help"].as_str().map(|help| format!("help: {help}"));
        let message = found["message"].as_str().unwrap().to_owned();
        let message: Vec<String> = std::iter::once(message).chain(label).chain(help).collect();
        let others = found["secondary"].as_array().unwrap().iter();
        let related: Vec<Value> = others.map(|place| json!([range(place), place["label"]])).collect();
        json!({
            "code": found["code"], "severity": severity, "message": message.join("\n"),
            "range": range(found), "related": related,
        })
    };
    found.iter().map(convert).collect()
}

/// The same of published diagnostics.
pub(crate) fn shown_findings(published: &[Value]) -> Vec<Value> {
    let convert = |found: &Value| {
        let none = Vec::new();
        let others = found["relatedInformation"].as_array().unwrap_or(&none).iter();
        let label = |place: &Value| match place["message"].as_str().unwrap() {
            "see here" => Value::Null,
            text => json!(text),
        };
        let related: Vec<Value> =
            others.map(|place| json!([place["location"]["range"], label(place)])).collect();
        json!({
            "code": found["code"], "severity": found["severity"], "message": found["message"],
            "range": found["range"], "related": related,
        })
    };
    published.iter().map(convert).collect()
}

/// The position of a byte offset, counted in the slow and obvious way.
pub(crate) fn to_position(text: &str, offset: u64, encoding: &str) -> Value {
    let before = text.get(..usize::try_from(offset).unwrap()).unwrap();
    let before = before.replace("\r\n", "\n\u{1}").replace('\r', "\n").replace('\u{1}', "");
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap();
    let character = if encoding == "utf-8" { last.len() } else { last.encode_utf16().count() };
    json!({"line": line, "character": character})
}
