//! User text inside messages.

use kvrules_elaborate::annotation::RuleKind;
use kvrules_ir::ValueType;
use kvrules_syntax::{Node, SyntaxKind};

/// Longer texts are cut.
const MOST_SHOWN: usize = 60;

/// A text of the user in backticks: on one line, and not too long of it.
pub(crate) fn code(text: &str) -> String {
    let mut shown = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == MOST_SHOWN {
            shown.push('…');
            break;
        }
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            '`' => shown.push('\''),
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    format!("`{shown}`")
}

/// A path in backticks; of a long one its end, which names the field.
pub(crate) fn path_code(path: &str) -> String {
    let length = path.chars().count();
    if length <= MOST_SHOWN {
        return code(path);
    }
    let end: String = path.chars().skip(length + 1 - MOST_SHOWN).collect();
    let start = end.find('.').unwrap_or(0);
    code(&format!("…{}", end.get(start..).unwrap_or_default()))
}

/// A list of words in backticks: `a`, `b` or `c`.
pub(crate) fn join_with_or(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| code(word)).collect();
    kvrules_diagnostics::join_words(&quoted, "or")
}

/// Describes a value, for "must be …, not …".
pub(crate) fn describe_value(node: Node<'_>) -> String {
    match node.kind() {
        SyntaxKind::Null => "null".to_owned(),
        SyntaxKind::True | SyntaxKind::False => format!("the word {}", code(node.text())),
        SyntaxKind::Number => format!("the number {}", code(node.text())),
        SyntaxKind::String => format!("the string {}", code(node.text())),
        SyntaxKind::Parameter => format!("{} without quotation marks", code(node.text())),
        SyntaxKind::List => "a list".to_owned(),
        SyntaxKind::Map => "an object".to_owned(),
        SyntaxKind::Hole | SyntaxKind::Alias => "an unreadable value".to_owned(),
    }
}

/// Returns the title of a rule in a message.
pub(crate) fn rule_title(name: &str) -> String {
    if name.is_empty() { "a rule without a name".to_owned() } else { format!("rule {}", code(name)) }
}

/// A place by its path, which begins inside the VM.
pub(crate) fn vm_path(path: &str) -> String {
    if path.is_empty() { "the `.spec.template` that paths begin at".to_owned() } else { code(path) }
}

/// Describes the type of a field in the catalog.
pub(crate) fn of_type(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Integer => "an integer",
        ValueType::Quantity => "a quantity",
        ValueType::String => "a string",
        ValueType::Boolean => "a boolean",
        ValueType::IntOrString => "an integer or a string",
        ValueType::Number => "a number",
        ValueType::Time => "a time",
        ValueType::Object => "an object",
        ValueType::Map => "a map",
        ValueType::List => "a list",
        ValueType::Any => "anything",
    }
}

/// A kind of rule with its article: an `integer` rule.
pub(crate) fn a_rule(kind: RuleKind) -> String {
    let article = if matches!(kind, RuleKind::Integer | RuleKind::Enum) { "an" } else { "a" };
    format!("{article} `{}` rule", kind.as_str())
}
