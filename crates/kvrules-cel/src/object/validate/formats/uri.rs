//! Request URIs as Go reads them (`net/url`, `ParseRequestURI`).

use std::net::{Ipv4Addr, Ipv6Addr};

/// True if a text is an absolute URI, or a path from the root.
// net/url url.go, parse
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    let Some((scheme, rest)) = scheme(text) else { return false };
    let before_query = rest.split_once('?').map_or(rest, |(before, _)| before);
    if text == "*" {
        return true;
    }
    if !before_query.starts_with('/') {
        // A path without a root is opaque, and anything.
        return !scheme.is_empty();
    }
    let authority = before_query.strip_prefix("//").filter(|_| !scheme.is_empty());
    let (authority, path) = match authority {
        Some(rest) => rest.split_at_checked(rest.find('/').unwrap_or(rest.len())).unwrap_or((rest, "")),
        None => ("", before_query),
    };
    is_authority(scheme, authority) && has_valid_escapes(path)
}

/// Scheme and rest; the scheme is empty if there is none. None for a text that begins with a colon.
// url.go, getScheme
fn scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    let Some((word, rest)) = text.split_at_checked(end.unwrap_or(text.len())) else {
        return Some(("", text));
    };
    match rest.strip_prefix(':') {
        Some(_) if word.is_empty() => None,
        Some(rest) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => Some((word, rest)),
        _ => Some(("", text)),
    }
}

// url.go, parseAuthority
fn is_authority(scheme: &str, authority: &str) -> bool {
    match authority.rsplit_once('@') {
        Some((user, host)) => is_host(scheme, host) && is_userinfo(user),
        None => is_host(scheme, authority),
    }
}

// url.go, validUserinfo
fn is_userinfo(user: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    user.chars().all(is_allowed) && has_valid_escapes(user)
}

// url.go, parseHost
fn is_host(scheme: &str, host: &str) -> bool {
    if host.rfind('[') == Some(0) {
        let Some((literal, port)) = host.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')) else {
            return false;
        };
        return is_port(port) && is_ip_literal(literal);
    }
    // Lists of hosts with ports are common in the URLs of databases, so only these schemes are strict.
    let is_strict = ["http", "https"].iter().any(|strict| scheme.eq_ignore_ascii_case(strict));
    let port = if is_strict { host.find(':') } else { host.rfind(':') };
    port.and_then(|at| host.get(at..)).is_none_or(is_port) && is_host_text(host)
}

// url.go, validOptionalPort
fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The address between the brackets, whose zone comes behind `%25`.
fn is_ip_literal(literal: &str) -> bool {
    let (address, zone) = match literal.split_once("%25") {
        Some((address, zone)) => (address, Some(zone)),
        None => (literal, None),
    };
    let has_zone = zone.is_none_or(|zone| !zone.is_empty() && has_valid_escapes(zone));
    has_zone && address.parse::<Ipv6Addr>().is_ok() && address.parse::<Ipv4Addr>().is_err()
}

/// In a host only the bytes of other alphabets may be escaped.
// url.go, unescape with encodeHost
fn is_host_text(host: &str) -> bool {
    let is_allowed =
        |byte: u8| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~%".contains(&byte);
    let escapes = host.split('%').skip(1);
    let is_foreign = |escape: &str| escape.starts_with("25") || escape.starts_with(|c: char| c >= '8');
    host.bytes().all(is_allowed) && has_valid_escapes(host) && escapes.into_iter().all(is_foreign)
}

fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|escape| {
        let mut bytes = escape.bytes();
        let mut is_digit = || bytes.next().is_some_and(|byte| byte.is_ascii_hexdigit());
        is_digit() && is_digit()
    })
}
