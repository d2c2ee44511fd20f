//! Clients that break the protocol get errors, and the server goes on.

#![expect(clippy::indexing_slicing, reason = "an answer of another form fails the test")]

use serde_json::{Value, json};

use super::editor::{Editor, uri};
use crate::place::{BAD, ODD, Place};

const NOT_INITIALIZED: i64 = -32002;
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const CANCELLED: i64 = -32800;

fn assert_alive(editor: &mut Editor) {
    let answer = editor.request("kvrules/unknown", &json!({}));
    assert_eq!(answer["code"], UNKNOWN_METHOD);
    assert_eq!(answer["message"], "unknown method `kvrules/unknown`");
}

#[test]
fn the_order_of_a_session_is_enforced() {
    let place = Place::with(&[]);
    let mut editor = Editor::start(&place, &["--stdio"]);
    assert_eq!(editor.request("textDocument/hover", &json!({}))["code"], NOT_INITIALIZED);
    assert_eq!(editor.request("shutdown", &Value::Null)["code"], NOT_INITIALIZED);
    // Notifications before the first request are dropped.
    editor.open_file("file:///a.yaml", BAD);
    assert_eq!(editor.request("initialize", &json!({"capabilities": 3}))["code"], INVALID_PARAMS);
    let first = json!({"processId": null, "rootUri": null, "capabilities": {}});
    let answer = editor.request("initialize", &first);
    assert_eq!(answer["serverInfo"]["name"], "kvrules");
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16", "unless the client names others");
    assert_eq!(editor.request("initialize", &first)["code"], INVALID_REQUEST);
    assert_alive(&mut editor);
    assert_eq!(editor.request("shutdown", &Value::Null), Value::Null);
    assert_eq!(editor.request("shutdown", &Value::Null)["code"], INVALID_REQUEST);
    assert!(editor.published.is_empty());
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.status(), Some(0));
}

#[test]
fn a_client_that_goes_away_makes_the_status_1() {
    let place = Place::with(&[]);
    assert_eq!(Editor::open(&place, &["utf-8"]).status(), Some(1));
    let mut editor = Editor::open(&place, &["utf-8"]);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.status(), Some(1));
    assert_eq!(Editor::start(&place, &[]).status(), Some(1));
}

#[test]
fn messages_that_cannot_be_read_are_answered_with_errors() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    let deep = "[".repeat(200_000);
    let cases: [(&str, i64); 9] = [
        ("Content-Length: 3\r\n\r\n{a}", PARSE_ERROR),
        ("Content-Length: 2\r\n\r\n[]", INVALID_REQUEST),
        ("Content-Length: 15\r\n\r\n{\"method\": 3  }", INVALID_REQUEST),
        ("hello\r\n\r\n", PARSE_ERROR),
        ("Content-Length: many\r\n\r\n", PARSE_ERROR),
        ("Content-Length: -5\r\n\r\n", PARSE_ERROR),
        // Shorter than the message: its rest stands before the next header.
        ("Content-Length: 2\r\n\r\n{\"method\": \"a\"}", PARSE_ERROR),
        ("\u{0}\u{1}\r\n\r\n", PARSE_ERROR),
        (&format!("Content-Length: {}\r\n\r\n{deep}", deep.len()), PARSE_ERROR),
    ];
    for (bytes, code) in cases {
        editor.send_bytes(bytes.as_bytes());
        let answer = editor.answer(&Value::Null);
        assert_eq!(answer["code"], code, "{bytes:.60} {answer}");
        if bytes.ends_with("\"a\"}") {
            editor.send(&json!({"jsonrpc": "2.0", "method": "$/nothing"}));
            assert_eq!(editor.answer(&Value::Null)["code"], PARSE_ERROR);
        }
        assert_alive(&mut editor);
    }
    editor.leave();
}

#[test]
fn a_length_that_is_announced_takes_no_memory() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    assert_alive(&mut editor);
    editor.send_bytes(b"Content-Length: 250000000\r\n\r\n{}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    #[cfg(target_os = "linux")]
    assert!(editor.peak_memory() < 100 << 20, "{}", editor.peak_memory());
    assert_eq!(editor.status(), Some(1));
}

#[test]
fn parameters_that_do_not_fit_are_reported() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    for params in [json!({}), json!([]), json!({"textDocument": {"uri": 3}}), Value::Null] {
        editor.notify("textDocument/didOpen", &params);
        editor.notify("textDocument/didChange", &params);
        editor.notify("textDocument/didClose", &params);
    }
    assert_alive(&mut editor);
    assert_eq!(editor.others.len(), 12, "{:?}", editor.others);
    assert_eq!(editor.others[0]["method"], "window/logMessage");
    // Files that are not open.
    editor.change_file("file:///nowhere.yaml", 2, &[json!({"text": BAD})]);
    editor.notify("textDocument/didClose", &json!({"textDocument": {"uri": "file:///nowhere.yaml"}}));
    editor.open_file("no address %zz", BAD);
    assert_eq!(editor.findings("no address %zz", 1).len(), 1);
    editor.leave();
}

#[test]
fn positions_outside_of_a_file_are_its_ends() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file(&uri, "");
    let at = |line: u64, character: u64| json!({"line": line, "character": character});
    let far = json!({"start": at(4_000_000_000, 4_000_000_000), "end": at(4_294_967_295, 0)});
    editor.change_file(&uri, 2, &[json!({"range": far, "text": "𝒳: ["})]);
    assert_eq!(editor.findings(&uri, 2).len(), 1);
    // The end before the start, and a position within a character.
    let backwards = json!({"start": at(0, 5), "end": at(0, 1)});
    editor.change_file(&uri, 3, &[json!({"range": backwards, "text": "]"})]);
    assert_eq!(editor.findings(&uri, 3).len(), 0);
    let negative = json!({"start": {"line": -1, "character": 0}, "end": at(0, 1)});
    editor.change_file(&uri, 4, &[json!({"range": negative, "text": "]"})]);
    assert_alive(&mut editor);
    editor.leave();
}

#[test]
fn requests_that_wait_are_cancelled() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    // One write, so that all of it is read before the first answer.
    let message = |message: Value| {
        let text = message.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    };
    let long = json!({"jsonrpc": "2.0", "method": "$/long", "params": "x".repeat(5_000_000)});
    let asked = json!({"jsonrpc": "2.0", "id": "mine", "method": "kvrules/unknown"});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "mine"}});
    let all = message(long) + &message(asked) + &message(cancel);
    editor.send_bytes(all.as_bytes());
    let code = editor.answer(&json!("mine"))["code"].as_i64();
    // Either is right: the request may be answered before the other message arrives.
    assert!([Some(CANCELLED), Some(UNKNOWN_METHOD)].contains(&code), "{code:?}");
    editor.notify("$/cancelRequest", &json!({"id": "never asked"}));
    editor.notify("$/cancelRequest", &Value::Null);
    assert_alive(&mut editor);
    editor.leave();
}

#[test]
fn a_huge_file_is_checked_and_forgotten() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    let huge = format!("{ODD}rows:\n{}", "- {name: 'é𝒳', value: 1}\n".repeat(100_000));
    editor.open_file(&uri, &huge);
    assert_eq!(editor.findings(&uri, 1).len(), 1);
    let at = json!({"line": 1, "character": 0});
    for version in 2..20 {
        editor.change_file(&uri, version, &[json!({"range": {"start": at, "end": at}, "text": " "})]);
    }
    editor.findings(&uri, 19);
    // A state of the text takes about 30 times its size, and two may be in use.
    #[cfg(target_os = "linux")]
    assert!(editor.peak_memory() < 80 * huge.len() as u64, "{}", editor.peak_memory());
    let deep = "[".repeat(100_000);
    editor.change_file(&uri, 20, &[json!({"text": deep})]);
    assert_ne!(editor.findings(&uri, 20).len(), 0);
    editor.leave();
}

#[test]
fn a_flood_of_messages_takes_no_memory() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    let uri = uri(&place.path("a.yaml"));
    editor.open_file(&uri, BAD);
    for version in 2..20_000 {
        editor.change_file(&uri, version, &[json!({"text": BAD})]);
    }
    assert_eq!(editor.findings(&uri, 19_999).len(), 1);
    #[cfg(target_os = "linux")]
    assert!(editor.peak_memory() < 200 << 20, "{}", editor.peak_memory());
    editor.leave();
}
