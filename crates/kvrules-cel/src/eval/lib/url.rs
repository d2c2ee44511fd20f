//! URLs as Go reads the target of a request: absolute, or a path from the root.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{EvalResult, Native, no_such_overload};
use crate::go_text::quote_string;
use crate::value::address::parse_address;
use crate::value::{EvalError, Key, Value};

pub(super) fn find_url_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        // apiserver pkg/cel/library/urls.go, stringToUrl: parsed twice, since ParseRequestURI does not know fragments
        ("url", false) => |args| match args {
            [Value::String(text)] => {
                let failed = |reason| {
                    EvalError::new(format!("URL parse error during conversion from string: {reason}"))
                };
                request_problem(text).map_or(Ok(()), |reason| Err(failed(reason)))?;
                UrlParts::parse_url(text).map_err(|reason| failed(parse_error_message(text, &reason)))?;
                Ok(Value::Url(text.clone()))
            }
            _ => no_such_overload(),
        },
        ("isURL", false) => |args| match args {
            [Value::String(text)] => Ok(Value::Bool(is_url(text))),
            _ => no_such_overload(),
        },
        ("getScheme", true) => |args| part(args, |url| url.scheme.to_ascii_lowercase().into()),
        ("getHost", true) => |args| part(args, |url| text_of(&url.host)),
        ("getHostname", true) => |args| part(args, |url| text_of(host_and_port(&url.host).0)),
        ("getPort", true) => |args| part(args, |url| text_of(host_and_port(&url.host).1)),
        ("getEscapedPath", true) => |args| part(args, |url| url.escaped_path().into()),
        ("getQuery", true) => |args| part(args, |url| query(url.query)),
        _ => return None,
    })
}

/// True if a string is a URL.
// apiserver pkg/cel/library/urls.go, isURL
pub fn is_url(text: &str) -> bool {
    request_problem(text).is_none()
}

/// Returns Go's reason why a string is not the target of a request; a fragment is part of the path there.
// net/url, ParseRequestURI
pub(super) fn request_problem(text: &str) -> Option<String> {
    UrlParts::parse_parts(text, true).err().map(|reason| parse_error_message(text, &reason))
}

fn parse_error_message(text: &str, reason: &str) -> String {
    format!("parse {}: {reason}", quote_string(text))
}

/// The parts of a URL.
#[derive(Default)]
struct UrlParts<'a> {
    scheme: &'a str,
    /// Without its escapes, so that it may be no text.
    host: Vec<u8>,
    path: &'a str,
    query: &'a str,
}

impl<'a> UrlParts<'a> {
    /// A URL that may end with a fragment.
    // net/url, Parse
    fn parse_url(text: &'a str) -> Result<Self, String> {
        let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
        let parts = Self::parse_parts(url, false)?;
        unescape(fragment, EscapeMode::Path)?;
        Ok(parts)
    }

    // net/url, parse
    fn parse_parts(text: &'a str, is_request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && is_request {
            return Err("empty url".to_owned());
        }
        if text == "*" {
            return Ok(Self { path: "*", ..Self::default() });
        }
        let (scheme, rest) = scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut parts = Self { scheme, query, ..Self::default() };
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                return Ok(parts); // opaque
            }
            if is_request {
                return Err("invalid URI for request".to_owned());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let has_authority = !scheme.is_empty() || !is_request && !rest.starts_with("///");
        let after = rest.strip_prefix("//").filter(|_| has_authority);
        let path = match after {
            Some(after) => {
                let end = after.find('/').unwrap_or(after.len());
                let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
                parts.host = host_of_authority(scheme, authority)?;
                path
            }
            None => rest,
        };
        unescape(path, EscapeMode::Path)?;
        parts.path = path;
        Ok(parts)
    }

    /// The path as written if that is a way to escape it, else with what must be escaped.
    // net/url, EscapedPath
    fn escaped_path(&self) -> String {
        let path = unescape(self.path, EscapeMode::Path).unwrap_or_default();
        let escaped = escape(&path);
        let is_valid = self.path.bytes().all(|byte| match byte {
            byte if b"!$&'()*+,;=:@[]%".contains(&byte) => true,
            byte => !must_escape(byte, EscapeMode::Path),
        });
        match path.as_slice() {
            _ if is_valid && escaped != self.path => self.path.to_owned(),
            b"*" => "*".to_owned(),
            _ => escaped,
        }
    }
}

/// The part of a URL that a string belongs to.
#[derive(Clone, Copy, PartialEq)]
enum EscapeMode {
    Path,
    Host,
    Zone,
    UserPassword,
    QueryComponent,
}

/// The scheme, empty if there is none, and what follows.
// net/url, getScheme
fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, char) in text.char_indices() {
        match char {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((text.get(..index).unwrap_or(""), text.get(index + 1..).unwrap_or(""))),
            _ => break,
        }
    }
    Ok(("", text))
}

/// The host of an authority, whose user must be well formed too.
// net/url, parseAuthority
fn host_of_authority(scheme: &str, authority: &str) -> Result<Vec<u8>, String> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    let host = parse_host(scheme, host)?;
    let is_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(is_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    unescape(name, EscapeMode::UserPassword)?;
    unescape(password, EscapeMode::UserPassword)?;
    Ok(host)
}

// net/url, parseHost
fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    // Lists of hosts with ports are common in the URLs of databases, so only these schemes are strict.
    let is_strict = ["http", "https"].iter().any(|strict| scheme.eq_ignore_ascii_case(strict));
    match host.rfind('[') {
        None => {
            let split = if is_strict { host.split_once(':') } else { host.rsplit_once(':') };
            if let Some((_, port)) = split {
                valid_port(&format!(":{port}"))?;
            }
            unescape(host, EscapeMode::Host)
        }
        Some(0) => ip_literal(host),
        Some(_) => Err("invalid IP-literal".to_owned()),
    }
}

/// An IPv6 address in brackets, with a zone or without, and a port.
fn ip_literal(host: &str) -> Result<Vec<u8>, String> {
    let close = host.rfind(']').ok_or("missing ']' in host")?;
    let (address, port) = host.split_at_checked(close + 1).unwrap_or((host, ""));
    valid_port(port)?;
    let address = address.get(1..close).unwrap_or_default();
    let zone_at = address.find("%25").unwrap_or(address.len());
    let (plain, zone) = address.split_at_checked(zone_at).unwrap_or((address, ""));
    let mut literal = unescape(plain, EscapeMode::Host)?;
    literal.extend(unescape(zone, EscapeMode::Zone)?);
    let parsed =
        parse_address(&String::from_utf8_lossy(&literal)).map_err(|it| format!("invalid host: {it}"))?;
    if parsed.ip.is_ipv4() {
        return Err("invalid IP-literal".to_owned());
    }
    Ok([b"[", literal.as_slice(), b"]", port.as_bytes()].concat())
}

// net/url, validOptionalPort
fn valid_port(port: &str) -> Result<(), String> {
    let digits = port.strip_prefix(':');
    let is_valid = port.is_empty() || digits.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    if is_valid { Ok(()) } else { Err(format!("invalid port {} after host", quote_string(port))) }
}

/// Decodes the escapes in a text.
// net/url, unescape
fn unescape(text: &str, mode: EscapeMode) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let escape = text.as_bytes().get(at..(at + 3).min(bytes.len())).unwrap_or_default();
                let shown = || quote_string(&String::from_utf8_lossy(escape));
                let value = hexadecimal(escape).ok_or_else(|| format!("invalid URL escape {}", shown()))?;
                let is_percent = escape == b"%25";
                // In a host only bytes outside of ASCII may be escaped, and the sign before a zone.
                if mode == EscapeMode::Host && value < 0x80 && !is_percent {
                    return Err(format!("invalid URL escape {}", shown()));
                }
                let zone_byte = is_percent || value == b' ' || !must_escape(value, EscapeMode::Host);
                if mode == EscapeMode::Zone && !zone_byte {
                    return Err(format!("invalid URL escape {}", shown()));
                }
                plain.push(value);
                at += 3;
                continue;
            }
            b'+' if mode == EscapeMode::QueryComponent => plain.push(b' '),
            byte if matches!(mode, EscapeMode::Host | EscapeMode::Zone)
                && *byte < 0x80
                && must_escape(*byte, mode) =>
            {
                let shown = quote_string(&char::from(*byte).to_string());
                return Err(format!("invalid character {shown} in host name"));
            }
            byte => plain.push(*byte),
        }
        at += 1;
    }
    Ok(plain)
}

/// The byte of `%41`.
fn hexadecimal(escape: &[u8]) -> Option<u8> {
    let [b'%', high, low] = escape else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

// net/url, shouldEscape
fn must_escape(byte: u8, mode: EscapeMode) -> bool {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
        return false;
    }
    if matches!(mode, EscapeMode::Host | EscapeMode::Zone) && b"!$&'()*+,;=:[]<>\"".contains(&byte) {
        return false;
    }
    !(mode == EscapeMode::Path && b"$&+,/:;=@".contains(&byte))
}

fn escape(path: &[u8]) -> String {
    let mut text = String::new();
    for byte in path {
        if must_escape(*byte, EscapeMode::Path) {
            let _ = write!(text, "%{byte:02X}");
        } else {
            text.push(char::from(*byte));
        }
    }
    text
}

// net/url, splitHostPort
fn host_and_port(host: &[u8]) -> (&[u8], &[u8]) {
    let colon = host.iter().rposition(|byte| *byte == b':');
    let split = colon.and_then(|at| Some((host.get(..at)?, host.get(at + 1..)?)));
    let is_port = |port: &[u8]| port.iter().all(u8::is_ascii_digit);
    let (name, port) = split.filter(|(_, port)| is_port(port)).unwrap_or((host, &[]));
    (name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]")).unwrap_or(name), port)
}

fn text_of(bytes: &[u8]) -> Value {
    Value::from(String::from_utf8_lossy(bytes).into_owned())
}

fn part(args: &[Value], pick: fn(&UrlParts<'_>) -> Value) -> EvalResult {
    match args {
        [Value::Url(text)] => UrlParts::parse_url(text).map(|parts| pick(&parts)).map_err(EvalError::new),
        _ => no_such_overload(),
    }
}

/// The values of each key; pairs that are not well formed are left out.
// net/url, parseQuery
fn query(text: &str) -> Value {
    let mut values: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = |text| unescape(text, EscapeMode::QueryComponent).ok();
        if let (Some(key), Some(value)) = (decoded(key), decoded(value)) {
            let key = String::from_utf8_lossy(&key).into_owned();
            values.entry(Key::String(key.into())).or_default().push(text_of(&value));
        }
    }
    Value::from_entries(values.into_iter().map(|(key, values)| (key, Value::from_items(values))).collect())
}
