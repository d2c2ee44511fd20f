//! Reading of `cel`: expressions with parameters, and the errors that a server would report.

use std::ops::Range;

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::issue::Issue;
use kvrules_cel::types::{MentionedProperties, Type, declare_mentioned};
use kvrules_diagnostics::suggest_nearest;
use kvrules_syntax::Node;
use serde_json::Value as Json;

use crate::condition::Condition;
use crate::lints;
use crate::lower::literal;
use crate::reader::ConditionReader;
use crate::shape::schema_at;

/// An error of an expression.
struct ExpressionError {
    message: String,
    /// The byte in the expression; `None` for the whole of it.
    offset: Option<usize>,
    /// The field that the type does not have.
    unknown_field: Option<String>,
    /// Advice.
    advice: Option<String>,
}

/// Variables of policies, and what rules have.
const OTHER_VARIABLES: [(&str, &str); 6] = [
    ("object", "write `self`: the object, or the value that `each` names"),
    ("oldObject", "write `oldSelf`: the stored object; a rule with it is about updates alone"),
    ("params", "declare the value in `parameters`, and write `$(NAME)`"),
    ("request", "a rule is about the object alone; select requests with `match`"),
    ("namespaceObject", "a rule is about the object alone; select namespaces with `match`"),
    ("authorizer", "a rule is about the object alone; select users with `match`"),
];

impl ConditionReader<'_, '_> {
    pub(crate) fn read_cel(&mut self, value: Node<'_>) -> Option<Condition> {
        let written = self.read_string(value, "cel")?;
        let text = self.with_parameters(value, &written)?;
        let Some(error) = find_error(&text, self.schema, self.scope.0.is_empty()) else {
            return Some(Condition::Cel(text));
        };
        // Values of parameters move what is behind them.
        let offset = error.offset.filter(|_| text == written);
        let span = offset.map_or(value.span(), |at| value.span_of(token_range(&text, at)));
        let help = match error.unknown_field {
            Some(name) => self.suggest_name(&name),
            None => error.advice,
        };
        self.findings.push(lints::RULE_EXPRESSION.diagnostic_at(span, error.message).help_if(help));
        None
    }

    /// The expression with the values of parameters such as `$(most)`; `None` with an unknown one.
    fn with_parameters(&mut self, node: Node<'_>, written: &str) -> Option<String> {
        let (mut text, mut rest) = (String::new(), written);
        while let Some((before, after)) = rest.split_once("$(") {
            let Some((name, behind)) = after.split_once(')') else { break };
            let at = written.len() - rest.len() + before.len();
            let span = node.span_of(at..at + name.len() + 3);
            let value = self.view.value_of(name, span, self.findings).ok()?;
            text.push_str(before);
            text.push_str(&literal(&value));
            rest = behind;
        }
        text.push_str(rest);
        Some(text)
    }

    /// Advice about a field that no type has.
    fn suggest_name(&self, name: &str) -> Option<String> {
        let whole = self.whole_schema();
        let mut names = Vec::new();
        collect_names(schema_at(&whole, &self.scope).unwrap_or(self.schema), &mut names);
        suggest_nearest(name, names.iter().copied())
    }
}

fn collect_names<'s>(schema: &'s Json, names: &mut Vec<&'s str>) {
    for (name, field) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
        names.push(name);
        collect_names(field, names);
    }
    for keyword in ["items", "additionalProperties"] {
        schema.get(keyword).filter(|it| it.is_object()).into_iter().for_each(|it| collect_names(it, names));
    }
}

fn find_error(text: &str, schema: &Json, is_root: bool) -> Option<ExpressionError> {
    let expression = match kvrules_cel::parse(text) {
        Ok(expression) => expression,
        Err(error) => return Some(to_error(error.issues.first()?)),
    };
    let mut names = Vec::new();
    let mentioned = MentionedProperties::of_expressions(&[text], &mut names);
    let whole = |message: &str| ExpressionError {
        message: message.to_owned(),
        offset: None,
        unknown_field: None,
        advice: None,
    };
    let Some(declared) = declare_mentioned(schema, is_root, mentioned) else {
        return Some(whole("the schema declares no type for the values of the rule"));
    };
    match check_expression(&expression, &TypeEnvironment::for_rule(&declared, false)) {
        Err(issues) => issues.first().map(to_error),
        Ok(checked) if *checked.result_type() != Type::Bool => {
            Some(whole("the expression must be a boolean"))
        }
        Ok(_) => None,
    }
}

fn to_error(issue: &Issue) -> ExpressionError {
    let words = issue.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let quoted = words.split('\'').nth(1).map(str::to_owned);
    let undeclared = quoted.as_deref().filter(|_| words.starts_with("undeclared reference"));
    let advice = undeclared.and_then(|name| OTHER_VARIABLES.iter().find(|(other, _)| *other == name));
    let advice = advice.map(|(_, advice)| (*advice).to_owned());
    let words = words.replace(" (in container '')", "");
    let message = match words.strip_prefix("Syntax error: ") {
        Some(problem) => format!("invalid expression: {}", problem.replace('\'', "`")),
        None => shown_types(&shown_operator(&words)).replace('\'', "`"),
    };
    let unknown_field = quoted.filter(|_| words.starts_with("undefined field"));
    let offset = (issue.line > 0).then_some(issue.offset);
    ExpressionError { message, offset, unknown_field, advice }
}

/// A message with `<=` for the function `_<=_`.
fn shown_operator(words: &str) -> String {
    let mut parts: Vec<&str> = words.split('\'').collect();
    if let Some(name) = parts.get_mut(1)
        && name.starts_with('_')
        && !name.contains(char::is_alphanumeric)
    {
        *name = name.trim_matches('_');
    }
    parts.join("'")
}

/// A message with `object` for the types that only a server has names for.
fn shown_types(words: &str) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once("selfType") {
        text.push_str(before);
        text.push_str("object");
        rest = after.trim_start_matches(|c: char| !",)' ".contains(c));
    }
    text + rest
}

/// The word or sign at an offset, with the dot before a field; at the end of the text, its last character.
fn token_range(text: &str, at: usize) -> Range<usize> {
    let written = text.trim_end();
    if at >= written.len() {
        let last = written.chars().next_back().map_or(0, char::len_utf8);
        return written.len() - last..written.len();
    }
    let rest = text.get(at..).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let dot = usize::from(rest.starts_with('.'));
    let word = rest.get(dot..).unwrap_or_default();
    let length = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
    let length = if dot + length > 0 { dot + length } else { rest.chars().next().map_or(0, char::len_utf8) };
    at..at + length
}
