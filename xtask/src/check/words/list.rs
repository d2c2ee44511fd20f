//! The file of words: entries in the part of TOML that it needs, so that this package stays without dependencies.

use std::ops::Range;

use super::extract::Kind;
use super::phrase::{Phrase, Words};

/// Phrases to avoid for one reason.
pub(super) struct Entry {
    /// Line of its `[[entry]]`.
    pub(super) line: usize,
    phrases: Vec<Phrase>,
    except: Vec<Phrase>,
    pub(super) reason: String,
    pub(super) write: String,
    kinds: Vec<Kind>,
    /// Files that reproduce the texts of another program.
    pub(super) quoted_in: Vec<String>,
}

impl Entry {
    pub(super) fn holds_in(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// The occurrences of its phrases outside of its exceptions.
    pub(super) fn matches(&self, words: &Words) -> Vec<Range<usize>> {
        let found = self.phrases.iter().flat_map(|phrase| phrase.matches(words));
        let mut found: Vec<Range<usize>> = found.collect();
        if found.is_empty() {
            return found;
        }
        let except: Vec<Range<usize>> = self.except.iter().flat_map(|phrase| phrase.matches(words)).collect();
        found
            .retain(|range| !except.iter().any(|other| other.start <= range.start && range.end <= other.end));
        found
    }
}

/// Parses the list. An error has its line.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, (usize, String)> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, text)) = lines.next() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if text == "[[entry]]" {
            check_complete(entries.last())?;
            entries.push(empty(line));
            continue;
        }
        let invalid =
            || (line, format!("invalid line `{text}`; write `KEY = \"TEXT\"` or `KEY = [\"TEXT\", …]`"));
        let (key, value) = text.split_once('=').ok_or_else(invalid)?;
        let mut value = value.trim().to_owned();
        while value.starts_with('[') && !value.ends_with(']') {
            let (_, more) = lines.next().ok_or((line, "missing `]`".to_owned()))?;
            value.push_str(more.trim());
        }
        let Some(entry) = entries.last_mut() else {
            return Err((line, "missing `[[entry]]` before the first key".into()));
        };
        set(entry, key.trim(), &strings(&value).ok_or_else(invalid)?).map_err(|text| (line, text))?;
    }
    check_complete(entries.last())?;
    Ok(entries)
}

fn empty(line: usize) -> Entry {
    Entry {
        line,
        phrases: Vec::new(),
        except: Vec::new(),
        reason: String::new(),
        write: String::new(),
        kinds: Vec::new(),
        quoted_in: Vec::new(),
    }
}

fn set(entry: &mut Entry, key: &str, values: &[String]) -> Result<(), String> {
    let phrases = || values.iter().map(|value| Phrase::parse(value)).collect::<Result<Vec<_>, _>>();
    match key {
        "phrases" => entry.phrases = phrases()?,
        "except" => entry.except = phrases()?,
        "reason" => entry.reason = values.concat(),
        "write" => entry.write = values.concat(),
        "in" => {
            for value in values {
                entry
                    .kinds
                    .extend(Kind::named(value).ok_or_else(|| format!("unknown kind of text `{value}`"))?);
            }
        }
        "quoted-in" => entry.quoted_in = values.to_vec(),
        _ => return Err(format!("unknown key `{key}`")),
    }
    Ok(())
}

fn check_complete(entry: Option<&Entry>) -> Result<(), (usize, String)> {
    let Some(entry) = entry else { return Ok(()) };
    let missing = [
        ("phrases", entry.phrases.is_empty()),
        ("reason", entry.reason.is_empty()),
        ("write", entry.write.is_empty()),
        ("in", entry.kinds.is_empty()),
    ];
    match missing.iter().find(|(_, is_missing)| *is_missing) {
        Some((key, _)) => Err((entry.line, format!("missing key `{key}`"))),
        None => Ok(()),
    }
}

/// The strings of a value: one, or those of a list. Strings have no escapes.
fn strings(value: &str) -> Option<Vec<String>> {
    let inner = match value.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?,
        None => value,
    };
    let parts: Vec<&str> = inner.split('"').collect();
    let (quoted, between): (Vec<_>, Vec<_>) = parts.iter().enumerate().partition(|(index, _)| index % 2 == 1);
    let is_valid = parts.len() % 2 == 1
        && !inner.contains('\\')
        && between.iter().all(|(_, text)| text.trim().is_empty() || text.trim() == ",");
    is_valid.then(|| quoted.into_iter().map(|(_, text)| (*text).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Option<(usize, String)> {
        parse(text).err()
    }

    #[test]
    fn an_entry_is_read_with_lists_over_several_lines() {
        let text = "# words\n[[entry]]\nphrases = [\n  \"a b\",\n  \"c\",\n]\nreason = \"r\"\nwrite = \"w\"\nin = [\"all\"]\n";
        let entries = parse(text).unwrap_or_else(|(line, text)| panic!("{line}: {text}"));
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].phrases.len(), 2);
        assert!(entries[0].holds_in(Kind::Message));
    }

    #[test]
    fn an_entry_without_a_replacement_is_an_error() {
        let text = "[[entry]]\nphrases = [\"a\"]\nreason = \"r\"\nin = [\"all\"]\n";
        assert_eq!(error(text), Some((1, "missing key `write`".into())));
    }

    #[test]
    fn unknown_keys_and_kinds_are_errors() {
        assert_eq!(error("[[entry]]\nx = \"a\"\n"), Some((2, "unknown key `x`".into())));
        assert_eq!(error("[[entry]]\nin = [\"books\"]\n"), Some((2, "unknown kind of text `books`".into())));
        assert!(error("[[entry]]\nphrases = a\n").is_some());
    }
}
