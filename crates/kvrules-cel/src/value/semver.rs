//! Semantic versions 2.0.0.

use std::cmp::Ordering;

use super::EvalError;

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semver {
    /// Major, minor, patch.
    pub numbers: [u64; 3],
    pre: Vec<Identifier>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    // Numbers come before words.
    Number(u64),
    Word(String),
}

impl Semver {
    /// Reads a version; `normalize` lets a leading `v`, missing numbers and leading zeros pass.
    pub fn parse(text: &str, normalize: bool) -> Result<Self, EvalError> {
        let normalized = if normalize { normalized(text) } else { text.to_owned() };
        if text.is_empty() {
            return Err(EvalError::new("Version string empty"));
        }
        let (rest, _build) = split_once(&normalized, '+');
        let (core, pre) = split_once(rest, '-');
        let parts: Vec<&str> = core.split('.').collect();
        let [major, minor, patch] = parts.as_slice() else {
            return Err(EvalError::new("No Major.Minor.Patch elements found"));
        };
        let numbers = [number(major, "Major")?, number(minor, "Minor")?, number(patch, "Patch")?];
        let pre = pre.map_or(Ok(Vec::new()), |pre| pre.split('.').map(identifier).collect())?;
        Ok(Self { numbers, pre })
    }

    /// Precedence; build metadata does not count, a pre-release comes before the release.
    pub fn order(&self, other: &Self) -> Ordering {
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

fn number(text: &str, capital: &str) -> Result<u64, EvalError> {
    let which = capital.to_lowercase();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit()) {
        return Err(EvalError::new(format!("Invalid character(s) found in {which} number {text:?}")));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(EvalError::new(format!("{capital} number must not contain leading zeroes {text:?}")));
    }
    text.parse().map_err(|_| EvalError::new(format!("{capital} number is out of range {text:?}")))
}

fn identifier(text: &str) -> Result<Identifier, EvalError> {
    if text.is_empty() {
        return Err(EvalError::new("Prerelease is empty"));
    }
    if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(EvalError::new(format!("Invalid character(s) found in prerelease {text:?}")));
    }
    if !text.chars().all(|c| c.is_ascii_digit()) {
        return Ok(Identifier::Word(text.to_owned()));
    }
    if text.len() > 1 && text.starts_with('0') {
        let message = format!("Numeric PreRelease version must not contain leading zeroes {text:?}");
        return Err(EvalError::new(message));
    }
    text.parse().map(Identifier::Number).map_err(|_| EvalError::new("prerelease number is out of range"))
}

fn normalized(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let mut parts: Vec<String> = core.splitn(3, '.').map(without_zeros).collect();
    while parts.len() < 3 && rest.is_empty() {
        parts.push("0".to_owned());
    }
    format!("{}{rest}", parts.join("."))
}

fn without_zeros(part: &str) -> String {
    let trimmed = part.trim_start_matches('0');
    let all_zero = !part.is_empty() && !trimmed.starts_with(|c: char| c.is_ascii_digit());
    if all_zero { format!("0{trimmed}") } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prerelease_comes_before_its_release() {
        let version = |text| Semver::parse(text, false).unwrap();
        assert_eq!(version("1.0.0-alpha.1").order(&version("1.0.0")), Ordering::Less);
        assert_eq!(version("1.0.0-1").order(&version("1.0.0-a")), Ordering::Less);
        assert_eq!(version("1.0.0+a").order(&version("1.0.0+b")), Ordering::Equal);
        assert!(Semver::parse("v1.0", false).is_err());
        assert_eq!(Semver::parse("v1.0", true).unwrap().numbers, [1, 0, 0]);
    }
}
