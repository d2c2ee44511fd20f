//! From a tree with places to a JSON value, with the parameters of a template put in.

use kvrules_diagnostics::Span;
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Map, Number, Value};

use super::ParameterValues;

/// Error for a node that is not a JSON value.
#[derive(Clone, Debug)]
pub struct NotJsonError {
    /// Location of the node.
    pub span: Span,
    /// Reason, in a sentence.
    pub message: String,
}

/// The JSON value of a node. Nesting is bounded by the parser, so this may recurse.
pub fn node_to_json(node: Node<'_>, parameters: &ParameterValues) -> Result<Value, NotJsonError> {
    read_node(node, parameters, IntegerHandling::Exact)
}

/// The JSON value of a node as an API server reads it, to which integers beyond 64 bits are floats.
pub fn server_value(node: Node<'_>) -> Result<Value, NotJsonError> {
    read_node(node, &ParameterValues::without_template(), IntegerHandling::OrFloats)
}

/// Handling of integers beyond 64 bits.
#[derive(Clone, Copy)]
enum IntegerHandling {
    /// They are refused.
    Exact,
    /// They become floats.
    OrFloats,
}

fn read_node(
    node: Node<'_>,
    parameters: &ParameterValues,
    integers: IntegerHandling,
) -> Result<Value, NotJsonError> {
    let not_json = |message| NotJsonError { span: node.span(), message };
    match node.kind() {
        SyntaxKind::Null => Ok(Value::Null),
        SyntaxKind::True => Ok(Value::Bool(true)),
        SyntaxKind::False => Ok(Value::Bool(false)),
        SyntaxKind::Number => read_number(node.text(), integers).map(Value::Number).map_err(not_json),
        SyntaxKind::String | SyntaxKind::Parameter => parameters.fill_text(node.text()).map_err(not_json),
        SyntaxKind::List => node.items().map(|item| read_item(item, parameters, integers)).collect(),
        SyntaxKind::Map => read_map(node, parameters, integers).map(Value::Object),
        SyntaxKind::Hole | SyntaxKind::Alias => Err(not_json("this could not be read".to_owned())),
    }
}

/// An item of a list. OpenShift's processor breaks where `null` takes the place of one.
fn read_item(
    item: Node<'_>,
    parameters: &ParameterValues,
    integers: IntegerHandling,
) -> Result<Value, NotJsonError> {
    if parameters.removes(item.text()) {
        let message = "a parameter that is `null` cannot stand for an item of a list".to_owned();
        return Err(NotJsonError { span: item.span(), message });
    }
    read_node(item, parameters, integers)
}

/// The entries of a map: those merged in first, so that its own win.
fn read_map(
    node: Node<'_>,
    parameters: &ParameterValues,
    integers: IntegerHandling,
) -> Result<Map<String, Value>, NotJsonError> {
    let mut members = Map::new();
    if let Some(merged) = node.entries().find(|entry| node.has_merges() && entry.key.text() == "<<") {
        let maps: Vec<_> = merged.value.items().collect();
        let maps = if maps.is_empty() { vec![merged.value] } else { maps };
        // Of several maps the first wins.
        for merged in maps.into_iter().rev() {
            members.extend(read_map(merged, parameters, integers)?);
        }
    }
    for entry in node.entries() {
        if entry.key.is_list() || entry.key.is_map() {
            return Err(NotJsonError {
                span: entry.key.span(),
                message: "a key is a list or a map".to_owned(),
            });
        }
        let is_merge = node.has_merges() && entry.key.text() == "<<";
        if !is_merge && !parameters.removes(entry.value.text()) {
            members.insert(read_key(entry.key, parameters)?, read_node(entry.value, parameters, integers)?);
        }
    }
    Ok(members)
}

/// A key, in which parameters are replaced too. Neither engine can have anything but a string here.
fn read_key(key: Node<'_>, parameters: &ParameterValues) -> Result<String, NotJsonError> {
    let not_json = |message| NotJsonError { span: key.span(), message };
    match parameters.fill_text(key.text()).map_err(not_json)? {
        Value::String(text) => Ok(text),
        other => Err(not_json(format!("`{}` makes the key `{other}`, which is not a string", key.text()))),
    }
}

/// A number as JSON has it; one that does not fit is refused and never rounded to another integer.
fn read_number(text: &str, integers: IntegerHandling) -> Result<Number, String> {
    let is_integer = !text.contains(['.', 'e', 'E']);
    let radix =
        |prefix: &str, radix| text.strip_prefix(prefix).map(|digits| u64::from_str_radix(digits, radix));
    if let Some(read) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return read.map(Number::from).map_err(|_| out_of_range_message(text));
    }
    if is_integer && let Some(number) = parse_integer(text.strip_prefix('+').unwrap_or(text)) {
        return Ok(number);
    }
    let may_be_float = !is_integer || matches!(integers, IntegerHandling::OrFloats);
    let float = text.parse::<f64>().ok().filter(|_| may_be_float);
    float.and_then(Number::from_f64).ok_or_else(|| out_of_range_message(text))
}

fn parse_integer(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

fn out_of_range_message(text: &str) -> String {
    format!("the number `{text}` is beyond 64 bits")
}

#[cfg(test)]
mod tests {
    use super::{IntegerHandling, read_number};

    #[test]
    fn numbers_stay_what_they_are() {
        for text in ["0", "-1", "1.5", "18446744073709551615", "-9223372036854775808"] {
            assert_eq!(read_number(text, IntegerHandling::Exact).unwrap().to_string(), text);
        }
        assert_eq!(read_number("0x10", IntegerHandling::Exact).unwrap().to_string(), "16");
        for text in ["18446744073709551616", "-9223372036854775809", "1e999", ".inf"] {
            assert!(read_number(text, IntegerHandling::Exact).is_err(), "{text}");
        }
        let wide = read_number("18446744073709551616", IntegerHandling::OrFloats).unwrap();
        assert_eq!(wide.as_f64(), Some(18_446_744_073_709_551_616.0));
    }
}
