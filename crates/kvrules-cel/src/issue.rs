//! Errors in an expression, and the text the API server prints for them.
//!
//! Parser and checker collect [`Issue`]s; [`render_issues`] turns them into the words of the server, which shows the
//! line of the expression and a caret under the place.

use std::fmt::Write as _;
use std::sync::Arc;

/// One error in an expression, at the place where the server reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Description of the error, in the server's words.
    pub message: String,
    /// Line, from 1; 0 when the error has no place.
    pub line: u32,
    /// Column in code points, from 1; 0 when the error has no place.
    pub column: u32,
    /// Byte offset into the expression.
    pub offset: usize,
    /// The object type that lacks the field, for an undefined field; lost when the issue is rendered.
    pub lacking_type: Option<Arc<str>>,
}

impl Issue {
    /// An error at a byte offset of an expression.
    pub fn at_offset(source: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Self { message: message.into(), line: count(line), column: count(column), offset, lacking_type: None }
    }

    /// An error that has no place, such as a limit that was passed.
    pub fn without_location(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: 0, column: 0, offset: 0, lacking_type: None }
    }
}

/// The text of the server for a list of errors: one after the other, each with its line and a caret.
///
/// ```
/// use kvrules_cel::issue::{Issue, render_issues};
/// let issue = Issue::at_offset("self.é", 5, "undefined field");
/// assert_eq!(render_issues("self.é", &[issue]), "ERROR: <input>:1:6: undefined field\n | self.é\n | .....＾");
/// ```
pub fn render_issues(source: &str, issues: &[Issue]) -> String {
    let mut text = String::new();
    for (index, issue) in issues.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        render_one(source, issue, &mut text);
    }
    text
}

fn render_one(source: &str, issue: &Issue, text: &mut String) {
    let (line, column) = if issue.line == 0 { (-1, 0) } else { (i64::from(issue.line), issue.column) };
    let _ = write!(text, "ERROR: <input>:{line}:{column}: {}", issue.message);
    let Some(number) = issue.line.checked_sub(1) else { return };
    text.push_str(&draw_caret_line(source, number, issue.column).unwrap_or_default());
}

/// The errors in a text that [`render_issues`] made of an expression, however it was put into other words.
///
/// ```
/// use kvrules_cel::issue::{Issue, parse_rendered_issues, render_issues};
/// let issues = [Issue::at_offset("self.a b", 7, "extraneous input"), Issue::without_location("too much")];
/// let text = format!("compilation failed: {}", render_issues("self.a b", &issues));
/// assert_eq!(parse_rendered_issues("self.a b", &text), issues);
/// ```
pub fn parse_rendered_issues(source: &str, text: &str) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut rest = text.split_once(BEGIN).map_or("", |(_, rest)| rest);
    while let Some((issue, after)) = read_one(source, rest) {
        issues.push(issue);
        rest = after.split_once(BEGIN).map_or("", |(_, rest)| rest);
    }
    issues
}

/// Start of an error in the server's message.
const BEGIN: &str = "ERROR: <input>:";

fn read_one<'t>(source: &str, text: &'t str) -> Option<(Issue, &'t str)> {
    let (line, rest) = text.split_once(':')?;
    let (column, rest) = rest.split_once(": ")?;
    let (line, column): (u32, u32) = (line.parse().unwrap_or(0), column.parse().unwrap_or(0));
    let end = || rest.find("\nERROR: <input>:").unwrap_or(rest.len());
    let drawn = line.checked_sub(1).and_then(|number| draw_caret_line(source, number, column));
    let end = drawn.and_then(|drawn| rest.find(&drawn)).unwrap_or_else(end);
    let (message, after) = rest.split_at_checked(end)?;
    Some((
        Issue {
            message: message.to_owned(),
            line,
            column,
            offset: byte_offset(source, line, column),
            lacking_type: None,
        },
        after,
    ))
}

/// The line of an error with the caret below it.
fn draw_caret_line(source: &str, number: u32, column: u32) -> Option<String> {
    let shown = source.split('\n').nth(number as usize)?;
    Some(format!("\n | {}\n | {}", shown.replace('\t', " "), caret(shown, column)))
}

fn byte_offset(source: &str, line: u32, column: u32) -> usize {
    let before = (line as usize).saturating_sub(1);
    let start: usize = source.split_inclusive('\n').take(before).map(str::len).sum();
    let rest = source.get(start..).unwrap_or_default();
    start + rest.chars().take((column as usize).saturating_sub(1)).map(char::len_utf8).sum::<usize>()
}

/// The dots and the caret below a line; wide ones under characters outside of ASCII, as the server draws them.
fn caret(line: &str, column: u32) -> String {
    let before = (column as usize).saturating_sub(1);
    let wide = |char: Option<char>| char.is_some_and(|char| !char.is_ascii());
    let dot = |char: char| if wide(Some(char)) { '．' } else { '.' };
    let mut drawn: String = line.chars().take(before).map(dot).collect();
    drawn.push(if wide(line.chars().nth(before)) { '＾' } else { '^' });
    drawn
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
