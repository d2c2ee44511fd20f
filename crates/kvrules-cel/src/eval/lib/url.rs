//! URLs as Go reads the target of a request: absolute, or a path from the root.

use std::collections::BTreeMap;

use super::{Native, Result1, overload};
use crate::value::{EvalError, Key, Value};

pub(super) fn find(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("url", false) => |args| match args {
            [Value::String(text)] => Parts::of(text).map(|_| Value::Url(text.clone())),
            _ => overload(),
        },
        ("isURL", false) => |args| match args {
            [Value::String(text)] => Ok(Value::Bool(Parts::of(text).is_ok())),
            _ => overload(),
        },
        ("getScheme", true) => |args| part(args, |url| url.scheme.to_ascii_lowercase().into()),
        ("getHost", true) => |args| part(args, |url| url.host.into()),
        ("getHostname", true) => |args| part(args, |url| host_and_port(url.host).0.into()),
        ("getPort", true) => |args| part(args, |url| host_and_port(url.host).1.into()),
        ("getEscapedPath", true) => |args| part(args, |url| url.path.into()),
        ("getQuery", true) => |args| part(args, |url| query(url.query)),
        _ => return None,
    })
}

/// The parts of a URL.
struct Parts<'a> {
    scheme: &'a str,
    host: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, EvalError> {
        let failed = |reason: &str| {
            EvalError::new(format!("URL parse error during conversion from string: parse {text:?}: {reason}"))
        };
        if text.is_empty() {
            return Err(failed("empty url"));
        }
        if text.chars().any(|c| c.is_ascii_control()) {
            return Err(failed("net/url: invalid control character in URL"));
        }
        let (scheme, rest) =
            scheme(text).ok_or_else(|| failed("first path segment in URL cannot contain colon"))?;
        if scheme.is_empty() && !rest.starts_with('/') {
            return Err(failed("invalid URI for request"));
        }
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        // Without a path from the root, what follows the scheme is opaque.
        let after = before.strip_prefix("//").filter(|_| !scheme.is_empty() || !before.starts_with("///"));
        let (authority, path) = match after {
            Some(after) => {
                after.split_at_checked(after.find('/').unwrap_or(after.len())).unwrap_or((after, ""))
            }
            None if before.starts_with('/') => ("", before),
            None => ("", ""),
        };
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        if !valid_host(host) || !valid_escapes(path) {
            return Err(failed("invalid host or escape"));
        }
        Ok(Self { scheme, host, path, query })
    }
}

/// The scheme, empty where there is none; `None` for a text that starts with a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'));
    let (word, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    match rest.strip_prefix(':') {
        Some(_) if word.is_empty() => None,
        Some(after) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => Some((word, after)),
        Some(_) => None,
        None => Some(("", text)),
    }
}

fn valid_host(host: &str) -> bool {
    let (name, port) = host_and_port(host);
    let well_placed = !host.contains(['<', '>', '"', ' ', '\\', '^', '`', '{', '|', '}']);
    let port_text = host.rsplit_once(':').filter(|_| !host.ends_with(']')).map_or("", |(_, port)| port);
    well_placed && (port_text == port) && port.chars().all(|c| c.is_ascii_digit()) && valid_escapes(name)
}

fn valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| after.chars().take(2).filter(char::is_ascii_hexdigit).count() == 2)
}

fn host_and_port(host: &str) -> (&str, &str) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') => (name, port),
        _ => (host, ""),
    };
    (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
}

fn part(args: &[Value], pick: fn(&Parts<'_>) -> Value) -> Result1 {
    match args {
        [Value::Url(text)] => Parts::of(text).map(|parts| pick(&parts)),
        _ => overload(),
    }
}

fn query(text: &str) -> Value {
    let text = text.split_once('#').map_or(text, |(query, _)| query);
    let mut values: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let (Some(key), Some(value)) = (decoded(key), decoded(value)) {
            values.entry(Key::String(key.into())).or_default().push(value.into());
        }
    }
    Value::map(values.into_iter().map(|(key, values)| (key, Value::list(values))).collect())
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                bytes.push(u8::try_from(high * 16 + low).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}
