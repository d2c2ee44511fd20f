//! From the text of an expression to its tree.
//!
//! The grammar is that of the `cel` crate's parser, which is generated from the server's own. Macros are not
//! expanded: the parser only checks their arguments while it reads, and `convert` makes our nodes of them.

mod convert;
mod descent;
mod limits;
mod macros;
mod nesting;
mod spans;
mod syntax;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails with its place")]
mod tests;
mod tokens;

pub(crate) use macros::{MacroShape, macro_table};

use cel::parser::ParseErrors;

use crate::ast::Expression;
use crate::issue::{Issue, render_issues};
use crate::kubernetes::{CelEngine, Dialect, GateSet};
use crate::stack::with_room;
use crate::work;

/// An expression that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The string that was parsed.
    pub source: String,
    /// Errors in the order of the source; never empty.
    pub issues: Vec<Issue>,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&render_issues(&self.source, &self.issues))
    }
}

impl std::error::Error for ParseError {}

/// Parses an expression with the server's limits: 100,000 code points, 250 levels of nesting.
///
/// ```
/// use kvrules_cel::ast::ExprKind;
/// let expression = kvrules_cel::parse("self.replicas >= 1").unwrap();
/// assert!(matches!(expression.root.kind, ExprKind::Call { ref function, .. } if function == "_>=_"));
///
/// let error = kvrules_cel::parse("self.a b").unwrap_err();
/// assert_eq!(error.issues[0].message, "Syntax error: extraneous input 'b' expecting <EOF>");
/// ```
pub fn parse(source: &str) -> Result<Expression, ParseError> {
    parse_in(source, Dialect::NEWEST)
}

/// As [`parse`], in the language of a server.
///
/// ```
/// use kvrules_cel::kubernetes::{Dialect, ExpressionAge};
///
/// let dialect = Dialect::of_server("1.28".parse().unwrap(), ExpressionAge::New);
/// let error = kvrules_cel::parse_in("self.?a.hasValue()", dialect).unwrap_err();
/// assert_eq!(error.issues[0].message, "unsupported syntax '.?'");
/// ```
pub fn parse_in(source: &str, dialect: Dialect) -> Result<Expression, ParseError> {
    work::count(&work::PARSES);
    let failed = |issues| ParseError { source: source.to_owned(), issues };
    let depth = limits::check_source_limits(source).map_err(|issue| failed(vec![issue]))?;
    // Libraries change no syntax.
    let dialect = Dialect { engine: CelEngine::Server, ..dialect };
    with_room(depth, || parse_here(source, dialect))
        .unwrap_or_else(|| Err(vec![Issue::without_location("no thread to parse in")]))
        .map_err(failed)
}

fn parse_here(source: &str, dialect: Dialect) -> Result<Expression, Vec<Issue>> {
    if !dialect.parses_quoted_names && syntax::has_quoted_names(source) {
        return Err(syntax::quoted_name_issues(source, |bare| parse_here(bare, dialect)));
    }
    let parsed = descent::parse(source, dialect).map_or_else(|| parse_by_grammar(source, dialect), Ok)?;
    match syntax::optional_syntax_issues(&parsed, dialect) {
        issues if issues.is_empty() => Ok(parsed),
        issues => Err(issues),
    }
}

/// The gates of the syntax in an expression.
pub(crate) fn used_gates(expression: &Expression) -> GateSet {
    syntax::used_gates(expression)
}

/// Returns the reason why the server rejects an expression for its size before it parses it; `None` if it parses it.
///
/// ```
/// assert_eq!(kvrules_cel::size_problem("self.replicas >= 1"), None);
/// let long = format!("self.name != '{}'", "x".repeat(100_000));
/// assert!(kvrules_cel::size_problem(&long).unwrap().starts_with("expression code point size exceeds limit"));
/// ```
pub fn size_problem(source: &str) -> Option<String> {
    limits::check_source_limits(source).err().map(|issue| issue.message)
}

/// Parses with the grammar alone, which has the server's words for every error.
fn parse_by_grammar(source: &str, dialect: Dialect) -> Result<Expression, Vec<Issue>> {
    let parser = macros::parser_environment(dialect)
        .parser()
        .enable_optional_syntax(true)
        .max_recursion_depth(limits::PARSER_DEPTH)
        .parse_with_source_info(source);
    match parser {
        Ok((root, info)) => convert::convert_tree(source, root, &info, dialect),
        Err(errors) => Err(to_issues(source, &errors, dialect)),
    }
}

/// The parser's errors with our places; the parser counts bytes in some of them.
fn to_issues(source: &str, errors: &ParseErrors, dialect: Dialect) -> Vec<Issue> {
    let mut issues: Vec<Issue> = errors
        .errors
        .iter()
        .map(|error| match macros::decode_error(error) {
            Some((offset, message)) if message.contains("has()") && !dialect.places_has_errors => {
                Issue::at_offset(source, call_offset(source, offset), message)
            }
            Some((offset, message)) => Issue::at_offset(source, offset, message),
            None => syntax_issue(source, offset_of(source, error.pos), &error.msg, dialect),
        })
        .collect();
    if issues.iter().any(|issue| issue.message == syntax::MISSING_BEFORE_PARENTHESIS) {
        // The parser of then put a name there, so that the argument is a selection.
        issues.retain(|issue| !issue.message.contains("has() macro"));
    }
    issues.sort_by_key(|issue| (issue.line, issue.column));
    issues.truncate(limits::REPORTED_ERRORS);
    issues
}

/// The opening parenthesis of the call of `has` around an argument.
fn call_offset(source: &str, argument: usize) -> usize {
    let before = source.get(..argument).unwrap_or(source);
    let name = before.rfind("has").unwrap_or(0);
    before.get(name..).and_then(|call| call.find('(')).map_or(argument, |offset| name + offset)
}

/// An error of syntax in the words and at the place of the server.
fn syntax_issue(source: &str, offset: usize, message: &str, dialect: Dialect) -> Issue {
    // The server reports a name in quotes where it stands, not at the dot before it.
    let quoted = message.starts_with("unsupported syntax: '`'");
    let dot = source.get(offset..).and_then(|rest| rest.strip_prefix('.')).filter(|_| quoted);
    let offset = dot.map_or(offset, |rest| source.len() - rest.trim_start().len());
    let message = reserved_word_message(narrow_expected_tokens(message));
    let older = if dialect.parses_optionals { None } else { syntax::missing_name_message(&message) };
    Issue::at_offset(source, offset, older.unwrap_or(message))
}

/// A word that is not a name after a dot.
// cel-go parser/parser.go, SyntaxError
fn reserved_word_message(message: String) -> String {
    for word in ["true", "false", "null"] {
        let found = format!("no viable alternative at input '.{word}'");
        if message.contains(&found) {
            return message.replace(&found, &format!("mismatched input '{word}' expecting IDENTIFIER"));
        }
    }
    message
}

/// Tokens that may continue an operand.
const CONTINUATIONS: [&str; 17] = [
    "'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'", "'&&'", "'||'", "'['", "'.'", "'-'", "'?'", "'+'",
    "'*'", "'/'", "'%'",
];

/// After an operand the server's parser expects only what ends the place it is in; ours lists operators as well.
fn narrow_expected_tokens(message: &str) -> String {
    let narrow = || {
        let (before, set) = message.split_once(" expecting {")?;
        let tokens: Vec<&str> = set.strip_suffix('}')?.split(", ").collect();
        let after_operand = CONTINUATIONS.iter().all(|operator| tokens.contains(operator));
        let of_call = tokens.contains(&"')'");
        let ends = tokens.iter().filter(|it| !(CONTINUATIONS.contains(it) || of_call && **it == "','"));
        let ends: Vec<&str> = ends.copied().collect();
        match ends.as_slice() {
            [end] if after_operand => Some(format!("{before} expecting {end}")),
            several if after_operand => Some(format!("{before} expecting {{{}}}", several.join(", "))),
            _ => None,
        }
    };
    narrow().unwrap_or_else(|| message.to_owned())
}

/// The byte offset of a line and a column, both from 1, the column in code points.
fn offset_of(source: &str, (line, column): (isize, isize)) -> usize {
    let (Ok(line), Ok(column)) = (usize::try_from(line - 1), usize::try_from(column - 1)) else { return 0 };
    let lines = source.split_inclusive('\n');
    let start: usize = lines.clone().take(line).map(str::len).sum();
    let within =
        lines.clone().nth(line).map_or(0, |text| text.chars().take(column).map(char::len_utf8).sum());
    start + within
}
