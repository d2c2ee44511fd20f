//! Semantic versions 2.0.0.

use std::cmp::Ordering;

use super::EvalError;
use crate::go_text::quote_string;

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semver {
    /// Major, minor, patch.
    pub numbers: [u64; 3],
    pre: Vec<Identifier>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    // Declared first, because numbers sort before words.
    Number(u64),
    Word(String),
}

impl Semver {
    /// Reads a version; `normalize` lets a leading `v`, missing numbers and leading zeros pass.
    // blang/semver, Parse
    pub fn parse(text: &str, normalize: bool) -> Result<Self, EvalError> {
        let normalized = if normalize { normalized(text)? } else { text.to_owned() };
        if normalized.is_empty() {
            return Err(EvalError::new("Version string empty"));
        }
        let parts: Vec<&str> = normalized.splitn(3, '.').collect();
        let [major, minor, patch] = parts.as_slice() else {
            return Err(EvalError::new("No Major.Minor.Patch elements found"));
        };
        let (major, minor) = (number(major, "Major")?, number(minor, "Minor")?);
        let (patch, build) = split_once(patch, '+');
        let (patch, pre) = split_once(patch, '-');
        let patch = number(patch, "Patch")?;
        let pre = pre.map_or(Ok(Vec::new()), |pre| pre.split('.').map(identifier).collect())?;
        for part in build.iter().flat_map(|build| build.split('.')) {
            check_build(part)?;
        }
        Ok(Self { numbers: [major, minor, patch], pre })
    }

    /// Precedence; build metadata does not count, a pre-release comes before the release.
    pub fn compare_precedence(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        })
    }
}

fn split_once(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

// blang/semver, Parse
fn number(text: &str, capital: &str) -> Result<u64, EvalError> {
    let (which, shown) = (capital.to_lowercase(), quote_string(text));
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EvalError::new(format!("Invalid character(s) found in {which} number {shown}")));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(EvalError::new(format!("{capital} number must not contain leading zeroes {shown}")));
    }
    parse_number(text)
}

// strconv/atoi.go, ParseUint
fn parse_number(text: &str) -> Result<u64, EvalError> {
    let problem = if text.is_empty() { "invalid syntax" } else { "value out of range" };
    let failed = || EvalError::new(format!("strconv.ParseUint: parsing {}: {problem}", quote_string(text)));
    text.parse().map_err(|_| failed())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

// blang/semver, NewPRVersion
fn identifier(text: &str) -> Result<Identifier, EvalError> {
    if text.is_empty() {
        return Err(EvalError::new("Prerelease is empty"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        if is_word(text) {
            return Ok(Identifier::Word(text.to_owned()));
        }
        return Err(EvalError::new(format!(
            "Invalid character(s) found in prerelease {}",
            quote_string(text)
        )));
    }
    if text.len() > 1 && text.starts_with('0') {
        let message =
            format!("Numeric PreRelease version must not contain leading zeroes {}", quote_string(text));
        return Err(EvalError::new(message));
    }
    parse_number(text).map(Identifier::Number)
}

// blang/semver, Parse; its NewBuildVersion has another message for an empty text
fn check_build(text: &str) -> Result<(), EvalError> {
    if text.is_empty() {
        return Err(EvalError::new("Build meta data is empty"));
    }
    if is_word(text) {
        return Ok(());
    }
    Err(EvalError::new(format!("Invalid character(s) found in build meta data {}", quote_string(text))))
}

// apiserver pkg/cel/library/semverlib.go, normalizeAndParse
fn normalized(text: &str) -> Result<String, EvalError> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err(EvalError::new("short version cannot contain PreRelease/Build meta data"));
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    let begins_with_digit = trimmed.starts_with(|c: char| c.is_ascii_digit());
    if begins_with_digit { trimmed.to_owned() } else { format!("0{trimmed}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prerelease_comes_before_its_release() {
        let version = |text| Semver::parse(text, false).unwrap();
        assert_eq!(version("1.0.0-alpha.1").compare_precedence(&version("1.0.0")), Ordering::Less);
        assert_eq!(version("1.0.0-1").compare_precedence(&version("1.0.0-a")), Ordering::Less);
        assert_eq!(version("1.0.0+a").compare_precedence(&version("1.0.0+b")), Ordering::Equal);
        assert!(Semver::parse("v1.0", false).is_err());
        assert_eq!(Semver::parse("v1.0", true).unwrap().numbers, [1, 0, 0]);
    }
}
