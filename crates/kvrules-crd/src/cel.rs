//! Reports errors of expressions, at their locations within a string of the file.

use std::ops::Range;

use kvrules_cel::Expressions;
use kvrules_cel::ast::Expr;
use kvrules_cel::issue::{Issue, parse_rendered_issues};
use kvrules_diagnostics::{Diagnostic, Edit, Fix, Lint, Span, suggest_nearest};
use kvrules_syntax::edit::quote_json;
use kvrules_syntax::{Entry, Node};

use crate::cures::{ExpressionView, find_cure};
use crate::lints;
use crate::rendered_types::{parse_overload, split_types};
use crate::text::{backtick_quotes, backtick_text, did_you_mean, server_words};
use crate::tokens::token_range;

/// The findings about an expression, from the server's words about it. `source` is what the server examined, the text of the
/// node or what is left of it without blanks around it.
pub(crate) fn issue_findings(
    node: Node<'_>,
    source: &str,
    words: &str,
    view: ExpressionView<'_>,
    expressions: &Expressions,
) -> Vec<Diagnostic> {
    let cut = node.text().find(source).unwrap_or(0);
    let parsed = expressions.parse(source);
    let root = parsed.as_ref().as_ref().ok().map(|parsed| &parsed.root);
    let lint = if root.is_none() { &lints::EXPRESSION_SYNTAX } else { &lints::EXPRESSION_TYPE };
    let issues = parse_rendered_issues(source, words);
    issues.iter().map(|issue| cured_finding(node, (source, root), cut, lint, issue, view)).collect()
}

/// The finding about an expression that begins with `!` and no quotation marks, of which YAML reads the beginning as a tag.
pub(crate) fn tag_finding(entry: Entry<'_>) -> Option<Diagnostic> {
    let (span, line) = entry.tagged_line()?;
    let key = entry.key.text();
    let text = entry.value.text();
    let rest = if text.is_empty() { "empty".to_owned() } else { format!("only {}", backtick_text(text)) };
    let message = format!("`!` begins a YAML tag here, so that `{key}` is {rest}");
    let quoted = quote_json(line);
    let edit = Edit { span, replacement: quoted.clone() };
    let finding = lints::EXPRESSION_SYNTAX.diagnostic_at(span, message);
    let fix = Fix::safe_fix("put it in quotation marks", [edit]);
    Some(finding.with_help(format!("put it in quotation marks: `{quoted}`")).with_fix(fix))
}

/// The finding about an error with its cure.
fn cured_finding(
    node: Node<'_>,
    (source, root): (&str, Option<&Expr>),
    cut: usize,
    lint: &'static Lint,
    issue: &Issue,
    view: ExpressionView<'_>,
) -> Diagnostic {
    let finding = to_finding(node, source, cut, lint, issue, view.names);
    match find_cure(source, root, issue, view) {
        Some(cure) if finding.help.is_none() || !cure.is_last_resort() => {
            let fix = cure.to_fix(node, cut);
            finding.with_help(cure.help).fix_if(fix)
        }
        _ => finding,
    }
}

/// Returns the findings for an expression that does not parse; empty if it parses.
pub(crate) fn syntax_findings(node: Node<'_>, expressions: &Expressions) -> Vec<Diagnostic> {
    let parsed = expressions.parse(node.text());
    let Err(error) = parsed.as_ref() else { return Vec::new() };
    let finding = |issue: &Issue| {
        let source = (node.text(), None);
        cured_finding(node, source, 0, &lints::EXPRESSION_SYNTAX, issue, ExpressionView::default())
    };
    error.issues.iter().map(finding).collect()
}

/// The types that an expression of a policy does not fit.
pub(crate) struct MismatchedTypes<'a> {
    /// The path of the object that lacks a field, such as `object.spec`; empty for other errors.
    pub(crate) place: &'a str,
    /// The kinds with their versions, in words.
    pub(crate) titles: &'a [&'a str],
    /// True if these are all kinds that the expression is about.
    pub(crate) is_of_all: bool,
}

/// The finding about an expression of a policy that does not fit types; the error is located within the text of the node
/// without the blanks around it.
pub(crate) fn mismatch_finding(
    node: Node<'_>,
    issue: &Issue,
    types: &MismatchedTypes<'_>,
    fields: &[String],
) -> Diagnostic {
    let source = node.text().trim();
    let cut = node.text().find(source).unwrap_or(0);
    let finding = to_finding(node, source, cut, &lints::POLICY_TYPE, issue, &[]);
    let kinds = match types.titles {
        [] => String::new(),
        [one] => format!(" in {one}"),
        [first, rest @ ..] => {
            let word = if rest.len() == 1 { "kind" } else { "kinds" };
            format!(" in {first} and {} other {word}", rest.len())
        }
    };
    let quoted = issue.message.split('\'').nth(1).unwrap_or_default();
    if types.place.is_empty() {
        let kinds = if types.is_of_all { String::new() } else { kinds };
        return Diagnostic { message: format!("{}{kinds}", finding.message), ..finding };
    }
    let (root, path) = types.place.split_once('.').map_or((types.place, ""), |(root, path)| (root, path));
    let path = if path.is_empty() { quoted.to_owned() } else { format!("{path}.{quoted}") };
    let help = did_you_mean(quoted, fields.iter().map(String::as_str));
    let is_of_params = root == "params";
    let other = || {
        let what = if is_of_params { "the parameters have" } else { "the object has" };
        format!("use a field that {what}; the server prunes others")
    };
    let message = format!("undefined field `{path}`{kinds}");
    Diagnostic { message, help: Some(help.unwrap_or_else(other)), ..finding }
}

fn to_finding(
    node: Node<'_>,
    source: &str,
    cut: usize,
    lint: &'static Lint,
    issue: &Issue,
    names: &[String],
) -> Diagnostic {
    let span = match issue.line {
        0 => crate::schema_location::node_head_span(node),
        _ => token_span(node, source, cut, issue.offset),
    };
    let is_call = source
        .get(token_range(source, issue.offset).end..)
        .is_some_and(|rest| rest.trim_start().starts_with('('));
    let (message, help) = reword_message(&issue.message, names, is_call);
    let finding = lint.diagnostic_at(span, message).help_if(help);
    let words = issue.message.split_whitespace().collect::<Vec<_>>().join(" ");
    // The server's message is left out if it only repeats ours.
    if finding.message == backtick_quotes(&lower_first(&words)) {
        finding
    } else {
        finding.with_label(server_words(&words))
    }
}

/// The word or the sign at an offset of an expression.
fn token_span(node: Node<'_>, source: &str, cut: usize, offset: usize) -> Span {
    let Range { start, end } = token_range(source, offset);
    node.place_of(cut + start..cut + end)
}

/// The server's words about an expression in ours, and what to do.
fn reword_message(words: &str, names: &[String], is_call: bool) -> (String, Option<String>) {
    if let Some(what) = words.strip_prefix("Syntax error: ") {
        return (format!("syntax error: {}", describe_unexpected(what)), None);
    }
    let quoted = words.split('\'').nth(1).unwrap_or_default();
    if words.starts_with("undefined field") {
        return (
            format!("undefined field `{quoted}`"),
            did_you_mean(quoted, names.iter().map(String::as_str)),
        );
    }
    if words.starts_with("undeclared reference to") {
        let suggestion = || {
            if is_call {
                meant_function(quoted)
            } else {
                did_you_mean(quoted, names.iter().map(String::as_str))
            }
        };
        // A known variable that is not available here is not a misspelling.
        let is_elsewhere = names.iter().any(|name| name == quoted);
        let known = if is_elsewhere { unavailable_variable_note(quoted) } else { unknown_name(quoted) };
        return (format!("undeclared reference to `{quoted}`"), known.map(str::to_owned).or_else(suggestion));
    }
    if let Some((function, types)) = parse_overload(words) {
        return of_types(&function, types);
    }
    (backtick_quotes(&lower_first(words)), None)
}

/// Describes the unexpected token and the expected ones.
fn describe_unexpected(words: &str) -> String {
    let other = || backtick_quotes(&words.replace("'<EOF>'", "end of expression").replace(['{', '}'], ""));
    let Some((front, wanted)) = words.split_once(" expecting ") else { return other() };
    let Some(token) = front.strip_suffix('\'').and_then(|front| front.split_once(" input '")) else {
        return other();
    };
    let met = match token.1 {
        "<EOF>" => "end of expression".to_owned(),
        token => backtick_text(&token.replace('`', "'")),
    };
    let wanted = match wanted {
        "<EOF>" => "end of expression".to_owned(),
        set if set.contains("IDENTIFIER") => "a value".to_owned(),
        set => {
            let tokens = set.trim_matches(['{', '}']).split(", ").map(|token| token.trim_matches('\''));
            tokens.map(|token| format!("`{token}`")).collect::<Vec<_>>().join(" or ")
        }
    };
    format!("unexpected {met}, expected {wanted}")
}

/// Macros, which look like functions.
const MACROS: [&str; 7] = ["has", "all", "exists", "exists_one", "existsOne", "map", "filter"];

/// The function with the most similar name, for a name that no function has.
fn meant_function(name: &str) -> Option<String> {
    let mut functions: Vec<&str> =
        kvrules_cel::functions::all_overloads().map(|overload| overload.name).collect();
    functions.retain(|name| name.starts_with(char::is_alphabetic) && !name.contains('@'));
    functions.sort_unstable();
    functions.dedup();
    suggest_nearest(name, MACROS.into_iter().chain(functions))
}

/// Returns a note on a name of policies that is unknown in this policy.
fn unavailable_variable_note(name: &str) -> Option<&'static str> {
    Some(match name {
        "params" => "declare the kind of the parameters in `spec.paramKind`",
        "variables" => "declare variables in `spec.variables`; a variable can use only those above it",
        "namespaceObject" | "authorizer" => "remove it: this field is evaluated before it is available",
        _ => return None,
    })
}

/// Returns a note on a name of another CEL dialect.
fn unknown_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "now" | "timestamp" => "rules cannot read the current time",
        "object" | "oldObject" | "request" | "authorizer" => {
            "use `self` or `oldSelf`; this name is for admission policies"
        }
        "self" | "oldSelf" => "use `object` or `oldObject`; this name is for definitions",
        "existsOne" => "use `exists_one`, the name of the macro with one variable",
        _ => return None,
    })
}

fn of_types(function: &str, types: &str) -> (String, Option<String>) {
    let operator = function.trim_matches(['_', '@']);
    let parts = split_types(types.trim_start_matches('(').trim_end_matches(')'));
    let help = |text: &str| Some(text.to_owned());
    if let ([left, right], "==" | "!=") = (parts.as_slice(), operator) {
        let message = format!("{} and {} cannot be compared", describe_type(left), describe_type(right));
        let numbers = ["int", "uint", "double"];
        let hint = if numbers.contains(&left.as_str()) && numbers.contains(&right.as_str()) {
            help("write both as the same kind of number: `1.0` for a `number`, `1` for an `integer`")
        } else if right == "null" || left == "null" {
            help("write `has(…)`: an absent field is not `null`")
        } else {
            None
        };
        return (message, hint);
    }
    let types = parts.iter().map(|part| describe_type(part)).collect::<Vec<_>>();
    if let ([left, right], "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=" | "&&" | "||" | "in") =
        (types.as_slice(), operator)
    {
        return (format!("no matching overload of `{operator}` for {left} and {right}"), None);
    }
    if let Some((receiver, arguments)) = types_of_call(&parts) {
        let message = if arguments.is_empty() {
            format!("{receiver} has no function `{operator}` without arguments")
        } else {
            format!("{receiver} has no function `{operator}` for {}", arguments.join(", "))
        };
        return (message, None);
    }
    (format!("no matching overload of `{operator}` for {}", types.join(", ")), None)
}

/// The receiver and the arguments of a call, which is shown as `T.(A, B)`.
fn types_of_call(parts: &[String]) -> Option<(String, Vec<String>)> {
    let (receiver, arguments) = parts.first()?.split_once(".(")?;
    Some((describe_type(receiver), split_types(arguments).iter().map(|ty| describe_type(ty)).collect()))
}

/// A type in words. The names of objects are made up by the server.
fn describe_type(ty: &str) -> String {
    match ty {
        "int" => "an `int`".to_owned(),
        ty if ty.starts_with("selfType") => "an object".to_owned(),
        ty if ty.starts_with("list(") => "a list".to_owned(),
        ty if ty.starts_with("map(") => "a map".to_owned(),
        ty if ty.starts_with("optional_type(") => "an optional".to_owned(),
        ty => format!("a `{}`", ty.trim_start_matches("kubernetes.")),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let second_is_lower = text.chars().nth(1).is_some_and(char::is_lowercase);
    match chars.next() {
        Some(first) if second_is_lower => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
