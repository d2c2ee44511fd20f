//! Paths of rules: `spec.ports[*].name`, `metadata.labels["app.kubernetes.io/name"]`.

use std::fmt;
use std::ops::Range;

/// A path from a value to values below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RulePath(pub Vec<PathStep>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// A field of an object, or a key of a map.
    Field(String),
    /// Every item of a list, or every value of a map.
    Each,
}

/// A path that does not parse, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The bytes of the path that are wrong.
    pub range: Range<usize>,
    /// The problem.
    pub message: String,
}

/// A parsed path with the bytes of each step.
#[derive(Clone, Debug, Default)]
pub struct LocatedPath {
    /// The path.
    pub path: RulePath,
    /// The bytes of each step.
    pub ranges: Vec<Range<usize>>,
}

impl RulePath {
    /// Parses a path. The empty text is the value itself.
    ///
    /// # Errors
    ///
    /// A step is empty, a bracket is not closed, or a bracket holds neither `*` nor a string.
    ///
    /// ```
    /// use kvrules_rule_set::{PathStep, RulePath};
    ///
    /// let path = RulePath::parse("spec.ports[*].name").unwrap();
    /// assert_eq!(path.0[2], PathStep::Each);
    /// let label = RulePath::parse(r#"metadata.labels["a.b/c"]"#).unwrap();
    /// assert_eq!(label.to_string(), r#"metadata.labels["a.b/c"]"#);
    /// assert_eq!(RulePath::parse("spec..a").unwrap_err().range, 5..6);
    /// ```
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse_located(text).map(|located| located.path)
    }

    /// Returns what messages call the value at the path. The path to the item that `each` names is empty.
    pub(crate) fn name_value(&self) -> String {
        if self.0.is_empty() { "the value".to_owned() } else { format!("`{self}`") }
    }

    /// Returns the path that leads to another one from where this ends.
    #[must_use]
    pub fn join_path(&self, below: &Self) -> Self {
        Self(self.0.iter().chain(&below.0).cloned().collect())
    }

    /// Returns the path to the values of the last `[*]`, and the path from them; `None` without `[*]`.
    pub fn split_at_first_each(&self) -> Option<(Self, Self)> {
        let at = self.0.iter().position(|step| *step == PathStep::Each)?;
        Some((
            Self(self.0.iter().take(at).cloned().collect()),
            Self(self.0.iter().skip(at + 1).cloned().collect()),
        ))
    }

    /// True if the path has a `[*]`.
    pub fn has_each(&self) -> bool {
        self.0.contains(&PathStep::Each)
    }
}

/// Parses a path, with the bytes of its steps.
///
/// # Errors
///
/// As for [`RulePath::parse`].
pub fn parse_located(text: &str) -> Result<LocatedPath, PathError> {
    let mut found = LocatedPath::default();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let (step, length) = if rest.starts_with('[') {
            bracket_step(rest, at)?
        } else {
            let dot = usize::from(at > 0);
            name_step(rest, at, dot)?
        };
        found.path.0.push(step);
        found.ranges.push(at..at + length);
        at += length;
    }
    Ok(found)
}

fn name_step(rest: &str, at: usize, dot: usize) -> Result<(PathStep, usize), PathError> {
    let body = if dot == 0 { rest } else { rest.strip_prefix('.').unwrap_or_default() };
    let name: String = body.chars().take_while(|c| !matches!(c, '.' | '[')).collect();
    if name.is_empty() {
        let end = (at + dot + 1).min(at + rest.len());
        return Err(PathError {
            range: at + dot.min(rest.len().saturating_sub(1))..end,
            message: "empty step in the path".to_owned(),
        });
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/');
    if let Some(wrong) = name.find(|c: char| !is_name(c)) {
        let start = at + dot + wrong;
        let message = format!("`{name}` is not a name; write `[\"{}\"]`", name.escape_debug());
        return Err(PathError { range: start..start + 1, message });
    }
    let length = dot + name.len();
    Ok((PathStep::Field(name), length))
}

fn bracket_step(rest: &str, at: usize) -> Result<(PathStep, usize), PathError> {
    if rest.starts_with("[*]") {
        return Ok((PathStep::Each, 3));
    }
    let fault =
        |length: usize, message: &str| PathError { range: at..at + length, message: message.to_owned() };
    let quote = rest.chars().nth(1).filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        return Err(fault(1, "a bracket holds `*` or a string, such as `[*]` or `[\"app/name\"]`"));
    };
    let body = rest.get(2..).unwrap_or_default();
    let end = body.find(quote).filter(|end| body.get(end + 1..).is_some_and(|after| after.starts_with(']')));
    match end {
        Some(0) => Err(fault(4, "empty step in the path")),
        Some(end) => Ok((PathStep::Field(body.get(..end).unwrap_or_default().to_owned()), end + 4)),
        None => Err(fault(1, "the bracket is not closed")),
    }
}

impl fmt::Display for RulePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Each => formatter.write_str("[*]")?,
                PathStep::Field(name)
                    if name.contains(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '$')) =>
                {
                    let quote = if name.contains('"') { '\'' } else { '"' };
                    write!(formatter, "[{quote}{name}{quote}]")?;
                }
                PathStep::Field(name) if index == 0 => formatter.write_str(name)?,
                PathStep::Field(name) => write!(formatter, ".{name}")?,
            }
        }
        Ok(())
    }
}
