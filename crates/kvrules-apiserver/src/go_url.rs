//! URLs as Go's `net/url` parses them, with its words for what is wrong.

use kvrules_cel::go_text::quote_string;

/// The parts of a URL that the server asks about.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GoUrl<'a> {
    /// In lower case.
    pub(crate) scheme: String,
    /// The user information before the `@`, if any.
    pub(crate) user: Option<&'a str>,
    /// With its port.
    pub(crate) host: &'a str,
    pub(crate) query: &'a str,
    pub(crate) fragment: &'a str,
}

/// Parses a URL; the error has Go's words.
// net/url, Parse
pub(crate) fn parse(text: &str) -> Result<GoUrl<'_>, String> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let url = parse_parts(before, false).map_err(|why| format!("parse {}: {why}", quote_string(before)))?;
    check_escapes(fragment).map_err(|why| format!("parse {}: {why}", quote_string(text)))?;
    Ok(GoUrl { fragment, ..url })
}

/// Parses the target of a request: an absolute URL, or a path from the root.
// net/url, ParseRequestURI
pub(crate) fn parse_request(text: &str) -> Result<GoUrl<'_>, String> {
    parse_parts(text, true).map_err(|why| format!("parse {}: {why}", quote_string(text)))
}

// net/url, parse and parseAuthority
fn parse_parts(text: &str, is_request: bool) -> Result<GoUrl<'_>, String> {
    if text.chars().any(|char| char.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && is_request {
        return Err("empty url".to_owned());
    }
    if text == "*" {
        return Ok(GoUrl::default());
    }
    let (scheme, rest) = scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let url = GoUrl { scheme: scheme.to_lowercase(), query, ..GoUrl::default() };
    if !rest.starts_with('/') {
        return match rest.split('/').next() {
            _ if !scheme.is_empty() => Ok(url),
            _ if is_request => Err("invalid URI for request".to_owned()),
            Some(first) if first.contains(':') => {
                Err("first path segment in URL cannot contain colon".to_owned())
            }
            _ => check_escapes(rest).map(|()| url),
        };
    }
    let has_authority = !scheme.is_empty() || (!is_request && !rest.starts_with("///"));
    let Some(after) = rest.strip_prefix("//").filter(|_| has_authority) else {
        return check_escapes(rest).map(|()| url);
    };
    let end = after.find('/').unwrap_or(after.len());
    let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    check_host(host)?;
    if user.is_some_and(|user| !user.chars().all(is_user_character)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    check_escapes(path)?;
    Ok(GoUrl { user, host, ..url })
}

// net/url, getScheme
fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, char) in text.char_indices() {
        match char {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default())),
            _ => break,
        }
    }
    Ok(("", text))
}

// net/url, parseHost
fn check_host(host: &str) -> Result<(), String> {
    let port = if host.starts_with('[') {
        let Some((_, port)) = host.rsplit_once(']') else { return Err("missing ']' in host".to_owned()) };
        port
    } else {
        host.rfind(':').and_then(|at| host.get(at..)).unwrap_or_default()
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.chars().all(|char| char.is_ascii_digit()));
    if !is_port {
        return Err(format!("invalid port {} after host", quote_string(port)));
    }
    check_escapes(host)?;
    match host.chars().find(|char| char.is_ascii() && !is_host_character(*char)) {
        Some(char) => Err(format!("invalid character {} in host name", quote_string(&char.to_string()))),
        None => Ok(()),
    }
}

// net/url, shouldEscape
fn is_host_character(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(char)
}

// net/url, validUserinfo
fn is_user_character(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(char)
}

// net/url, unescape
fn check_escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let escape: String = text.get(at..).unwrap_or_default().chars().take(3).collect();
        if escape.chars().skip(1).filter(char::is_ascii_hexdigit).count() < 2 {
            return Err(format!("invalid URL escape {}", quote_string(&escape)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_refused_in_the_words_of_go() {
        for (text, why) in [
            (":foo", r#"parse ":foo": missing protocol scheme"#),
            ("a b:c", r#"parse "a b:c": first path segment in URL cannot contain colon"#),
            ("https://h:p/", r#"parse "https://h:p/": invalid port ":p" after host"#),
            ("https://a b/", r#"parse "https://a b/": invalid character " " in host name"#),
            ("https://a/%zz", r#"parse "https://a/%zz": invalid URL escape "%zz""#),
            ("https://[::1/", r#"parse "https://[::1/": missing ']' in host"#),
            ("https://a\n", r#"parse "https://a\n": net/url: invalid control character in URL"#),
        ] {
            assert_eq!(parse(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn the_parts_of_a_url_are_told_apart() {
        let url = parse("HTTPS://u:p@host:8443/path?q=1#f").unwrap();
        let found = (url.scheme.as_str(), url.user, url.host, url.query, url.fragment);
        assert_eq!(found, ("https", Some("u:p"), "host:8443", "q=1", "f"));
        assert_eq!(parse("").unwrap(), GoUrl::default());
        assert_eq!(parse("mailto:a@b").map(|url| url.host.to_owned()).unwrap(), "");
        assert!(parse_request("unapproved").is_err() && parse_request("/path").is_ok());
    }
}
