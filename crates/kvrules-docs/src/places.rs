//! Locations of rules, as readers see them.

use std::fmt::Write as _;

use kvrules_diagnostics::{Origin, Sources};
use kvrules_pages::document::Source;

/// The files that rules are in, and where they can be examined.
#[derive(Clone, Copy, Debug)]
pub struct RuleLocations<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The address of a line, with `{file}` and `{line}` in it; none if it is not given.
    pub link: Option<&'a str>,
}

impl RuleLocations<'_> {
    /// Returns the location of an origin; `None` if it was made and not read.
    pub(crate) fn of(&self, origin: Origin) -> Option<Source> {
        let span = origin.span()?;
        let file = self.sources.get(span.file)?;
        let name = file.name().replace('\\', "/");
        let line = file.position_at(span.start).line;
        let path = name.trim_start_matches("./");
        let at = |link: &str| link.replace("{line}", &line.to_string()).replace("{file}", &encode_path(path));
        Some(Source { line, link: self.link.map(at), file: name })
    }
}

/// A path as a part of an address.
fn encode_path(path: &str) -> String {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes().fold(String::new(), |mut out, byte| {
        if fits(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::Span;

    use super::*;

    #[test]
    fn a_place_links_to_its_line() {
        let mut sources = Sources::default();
        let file = sources.add_file("./a b/rules.yaml", "one\ntwo\n");
        let places = RuleLocations { sources: &sources, link: Some("https://git.example/{file}#L{line}") };
        let place = places.of(Origin::from(Span::new(file, 4, 5))).unwrap();
        assert_eq!((place.file.as_str(), place.line), ("./a b/rules.yaml", 2));
        assert_eq!(place.link.as_deref(), Some("https://git.example/a%20b/rules.yaml#L2"));
        assert_eq!(places.of(Origin::default()), None);
    }
}
