//! Addresses of files.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// Returns the path of a `file:` address, without `.` and `..`; `None` for another address.
pub(crate) fn path_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.get(rest.find('/')?..)?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = decode_percent(path)?;
    // `/c:/rules` is `c:/rules` on Windows.
    let is_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    let decoded = if is_drive { decoded.trim_start_matches('/').to_owned() } else { decoded };
    Some(normalize_path(Path::new(&decoded)))
}

/// Returns the `file:` address of an absolute path.
pub(crate) fn uri_of_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = "file://".to_owned();
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// A path without `.` and `..`. Links are not followed.
pub(crate) fn normalize_path(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut made, component| {
        match component {
            Component::ParentDir => _ = made.pop(),
            Component::CurDir => {}
            other => made.push(other),
        }
        made
    })
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_inverse() {
        let path = Path::new("/a b/é%/c.yaml");
        assert_eq!(uri_of_path(path), "file:///a%20b/%C3%A9%25/c.yaml");
        assert_eq!(path_of_uri(&uri_of_path(path)).as_deref(), Some(path));
        assert_eq!(path_of_uri("file://host/a/../b").as_deref(), Some(Path::new("/b")));
        assert_eq!(path_of_uri("untitled:Untitled-1"), None);
        assert_eq!(path_of_uri("file:///%zz"), None);
    }
}
