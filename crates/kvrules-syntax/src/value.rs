//! From a tree with places to a JSON value. Merges, sizes, numbers and plain scalars are decided here for every source.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::{parse_stream, value::ValueReader};
//!
//! let stream = parse_stream(FileId(0), "{paused: on, mode: 0644, ratio: 5.0}");
//! let node = stream.documents[0].root().unwrap();
//! let served = ValueReader::for_kubernetes().read_value(node)?;
//! assert_eq!(served, serde_json::json!({"paused": true, "mode": 420, "ratio": 5}));
//! let read = ValueReader::for_yaml12().read_value(node)?;
//! assert_eq!(read, serde_json::json!({"paused": "on", "mode": 644, "ratio": 5.0}));
//! # Ok::<(), kvrules_syntax::value::NotJsonError>(())
//! ```

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use serde_json::{Map, Number, Value};

use crate::kubernetes::{REQUEST_BYTES, plain};
use crate::{Entry, Node, Notation, SyntaxKind};

/// Error for a node that is not a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJsonError {
    /// Location of the node.
    pub span: Span,
    /// Reason, in a sentence.
    pub message: String,
}

/// Replacement of strings while a value is read, as the parameters of a template need it.
pub trait TextReplacement {
    /// Returns the value that takes the place of a string, or the reason why there is none.
    fn replace_text(&self, text: &str) -> Result<Value, String>;
    /// True if the field with this string as its value is removed.
    fn removes_field(&self, text: &str) -> bool;
}

/// Version of YAML by which plain scalars are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScalarRules {
    /// YAML 1.1 as Kubernetes has it, and floats that are integers as integers, since YAML is sent to the server as JSON.
    Kubernetes,
    /// YAML 1.2, in which JSON is read too.
    Yaml12,
}

/// Reader of JSON values.
#[derive(Clone, Copy)]
pub struct ValueReader<'a> {
    scalars: ScalarRules,
    limit: usize,
    dropped: Option<&'a BTreeSet<Span>>,
    texts: Option<&'a dyn TextReplacement>,
    has_exact_integers: bool,
    is_lenient: bool,
}

impl<'a> ValueReader<'a> {
    /// Reader of documents for a Kubernetes API server. Integers beyond 64 bits are floats, as they are to the server.
    pub fn for_kubernetes() -> Self {
        // No text is larger than the address space.
        let (scalars, limit) = (ScalarRules::Kubernetes, usize::MAX);
        let (dropped, texts) = (None, None);
        Self { scalars, limit, dropped, texts, has_exact_integers: false, is_lenient: false }
    }

    /// Reader of other documents. Integers beyond 64 bits are errors: no value is rounded to another one.
    pub fn for_yaml12() -> Self {
        Self { scalars: ScalarRules::Yaml12, ..Self::for_kubernetes().with_exact_integers() }
    }

    /// Makes integers beyond 64 bits errors, for objects whose kinds have no field for them.
    #[must_use]
    pub fn with_exact_integers(self) -> Self {
        Self { has_exact_integers: true, ..self }
    }

    /// Limits the size, in bytes of text with everything that aliases repeat.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Leaves out the entries and items whose values have these spans.
    #[must_use]
    pub fn without_spans(self, dropped: &'a BTreeSet<Span>) -> Self {
        Self { dropped: Some(dropped).filter(|spans| !spans.is_empty()), ..self }
    }

    /// Replaces strings.
    #[must_use]
    pub fn with_texts(self, texts: &'a dyn TextReplacement) -> Self {
        Self { texts: Some(texts), ..self }
    }

    /// Makes unreadable parts `null`, and numbers and keys that JSON has no form for strings. The caller has reported them.
    #[must_use]
    pub fn with_lenient_reading(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// Returns the value of a node.
    ///
    /// # Errors
    ///
    /// If the value exceeds the limit or, unless the reader is lenient, has a part that is not JSON.
    pub fn read_value(self, node: Node<'_>) -> Result<Value, NotJsonError> {
        // Nesting is bounded by the parser, so this may recurse.
        Reading { options: self, left: self.limit }.read_value(node)
    }

    /// Returns the number that a node is; `None` if it is not a number, or JSON has no form for it.
    pub fn read_number(self, node: Node<'_>) -> Option<Number> {
        let number = match self.scalars {
            ScalarRules::Kubernetes => served_number(node),
            ScalarRules::Yaml12 => plain::parse(node.text()),
        }?;
        let is_rounded = self.has_exact_integers && number.is_f64() && !node.text().contains(['.', 'e', 'E']);
        (!is_rounded).then_some(number)
    }

    fn drops(self, node: Node<'_>) -> bool {
        self.dropped.is_some_and(|dropped| dropped.contains(&node.span()))
    }

    fn removes(self, node: Node<'_>) -> bool {
        self.texts.is_some_and(|texts| texts.removes_field(node.text()))
    }

    fn kind(self, node: Node<'_>) -> SyntaxKind {
        match self.scalars {
            ScalarRules::Kubernetes => plain::kind(node),
            ScalarRules::Yaml12 => node.kind(),
        }
    }
}

/// The number as the server reads it. YAML is sent as JSON, which has no point in a float that is an integer.
fn served_number(node: Node<'_>) -> Option<Number> {
    let number = plain::resolve_number(node)?;
    Some(if node.notation() == Notation::Yaml { whole_number(&number).unwrap_or(number) } else { number })
}

/// Returns the integer that a float is, if it is one of fewer than 16 digits.
pub fn whole_number(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
    (float.abs() < 1e15).then(|| Number::from(float as i64))
}

/// Makes integers of floats that are integers: to JSON Schema 10.0 and 1e1 are the integer 10.
pub fn drop_points(value: &mut Value) {
    match value {
        Value::Number(number) => *number = whole_number(number).unwrap_or_else(|| number.clone()),
        Value::Array(items) => items.iter_mut().for_each(drop_points),
        Value::Object(fields) => fields.values_mut().for_each(drop_points),
        _ => {}
    }
}

/// The value of a node as a server gets it, without the entries and items whose values are in `dropped`; `None` if it is
/// larger than a request. Parts that cannot be read are `null`.
pub fn request_value(node: Node<'_>, dropped: &BTreeSet<Span>) -> Option<Value> {
    let reader = ValueReader::for_kubernetes().with_limit(REQUEST_BYTES).with_lenient_reading();
    reader.without_spans(dropped).read_value(node).ok()
}

struct Reading<'a> {
    options: ValueReader<'a>,
    /// Number of bytes that may still be read.
    left: usize,
}

impl Reading<'_> {
    fn read_value(&mut self, node: Node<'_>) -> Result<Value, NotJsonError> {
        self.spend(node.text().len() + 1, node)?;
        let options = self.options;
        match options.kind(node) {
            SyntaxKind::Null => Ok(Value::Null),
            SyntaxKind::True => Ok(Value::Bool(true)),
            SyntaxKind::False => Ok(Value::Bool(false)),
            SyntaxKind::Number => match options.read_number(node) {
                Some(number) => Ok(Value::Number(number)),
                None if options.is_lenient => Ok(Value::from(node.text())),
                None => Err(not_json(node, format!("the number `{}` is beyond 64 bits", node.text()))),
            },
            SyntaxKind::String | SyntaxKind::Parameter => self.read_text(node),
            SyntaxKind::List => self.read_list(node),
            SyntaxKind::Map => self.read_map(node).map(Value::Object),
            SyntaxKind::Hole | SyntaxKind::Alias if options.is_lenient => Ok(Value::Null),
            SyntaxKind::Hole | SyntaxKind::Alias => Err(not_json(node, "this could not be read".to_owned())),
        }
    }

    fn spend(&mut self, bytes: usize, node: Node<'_>) -> Result<(), NotJsonError> {
        let too_large = || not_json(node, "the value is too large".to_owned());
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    fn read_text(&self, node: Node<'_>) -> Result<Value, NotJsonError> {
        match self.options.texts {
            Some(texts) => texts.replace_text(node.text()).map_err(|message| not_json(node, message)),
            // Template tags are copied as they are written.
            None => Ok(Value::from(node.text_with_tags())),
        }
    }

    fn read_list(&mut self, node: Node<'_>) -> Result<Value, NotJsonError> {
        let options = self.options;
        let items = node.items().filter(|item| !options.drops(*item));
        items.map(|item| self.read_item(item)).collect()
    }

    /// Reads an item of a list. OpenShift's processor fails if `null` takes the place of one.
    fn read_item(&mut self, item: Node<'_>) -> Result<Value, NotJsonError> {
        if self.options.removes(item) {
            let message = "a parameter that is `null` cannot stand for an item of a list";
            return Err(not_json(item, message.to_owned()));
        }
        self.read_value(item)
    }

    fn read_map(&mut self, node: Node<'_>) -> Result<Map<String, Value>, NotJsonError> {
        // Growing a map hashes its keys again.
        let mut fields = Map::with_capacity(node.entries().count());
        for Entry { key, value } in node.entries_with_merged() {
            if self.options.drops(value) || self.options.removes(value) {
                continue;
            }
            self.spend(key.text().len() + 1, key)?;
            fields.insert(self.read_key(key)?, self.read_value(value)?);
        }
        Ok(fields)
    }

    fn read_key(&self, key: Node<'_>) -> Result<String, NotJsonError> {
        if self.options.is_lenient {
            return Ok(key.text().to_owned());
        }
        if key.is_list() || key.is_map() {
            return Err(not_json(key, "a key is a list or a map".to_owned()));
        }
        match self.read_text(key)? {
            Value::String(text) => Ok(text),
            // Neither OpenShift's engine nor KubeVirt's can have anything but a string here.
            other => {
                let message = format!("`{}` makes the key `{other}`, which is not a string", key.text());
                Err(not_json(key, message))
            }
        }
    }
}

fn not_json(node: Node<'_>, message: String) -> NotJsonError {
    NotJsonError { span: node.span(), message }
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use serde_json::json;

    use super::*;
    use crate::parse_stream;

    fn read(reader: ValueReader<'_>, text: &str) -> Result<String, String> {
        let stream = parse_stream(FileId(0), text);
        let node = stream.documents.first().and_then(crate::Document::root).expect("a document");
        reader.read_value(node).map(|value| value.to_string()).map_err(|error| error.message)
    }

    fn exact(text: &str) -> Result<String, String> {
        read(ValueReader::for_yaml12(), text)
    }

    fn served(text: &str) -> Result<String, String> {
        read(ValueReader::for_kubernetes(), text)
    }

    #[test]
    fn integers_are_exact_or_refused() {
        for text in ["0", "-1", "1.5", "18446744073709551615", "-9223372036854775808", "5.0"] {
            assert_eq!(exact(&format!("[{text}]")).unwrap(), format!("[{text}]"));
        }
        assert_eq!(exact("[0x10, +5]").unwrap(), "[16,5]");
        for text in ["18446744073709551616", "-9223372036854775809", "1e999"] {
            assert_eq!(
                exact(&format!("[{text}]")).unwrap_err(),
                format!("the number `{text}` is beyond 64 bits")
            );
        }
    }

    #[test]
    fn a_server_reads_numbers_and_words_by_yaml_1_1_unless_the_text_is_json() {
        assert_eq!(
            served("- 0644\n- on\n- 5.0\n- 1_0.0\n- 18446744073709551616\n").unwrap(),
            "[420,true,5,10,1.8446744073709552e+19]"
        );
        assert_eq!(served("'on'").unwrap(), "\"on\"");
        assert_eq!(
            read(ValueReader::for_kubernetes(), "[1e999]").unwrap_err(),
            "the number `1e999` is beyond 64 bits"
        );
        assert_eq!(
            read(ValueReader::for_kubernetes().with_lenient_reading(), "[1e999]").unwrap(),
            "[\"1e999\"]"
        );
    }

    #[test]
    fn of_merged_maps_the_first_wins_and_own_keys_win_over_all() {
        let text = "a: &a {x: 1, y: 1, z: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: [*b, {z: 3, w: 3}], w: 4}\n";
        let read: Value = serde_json::from_str(&exact(text).unwrap()).unwrap();
        assert_eq!(read["b"], json!({"x": 1, "y": 2, "z": 1}));
        assert_eq!(read["c"], json!({"x": 1, "y": 2, "z": 1, "w": 4}));
        assert_eq!(exact("{'<<': 1}").unwrap(), r#"{"<<":1}"#);
    }

    #[test]
    fn a_limit_counts_what_aliases_repeat() {
        let text = "a: &a 0123456789\nb: [*a, *a, *a]\n";
        assert!(read(ValueReader::for_yaml12().with_limit(60), text).is_ok());
        assert_eq!(
            read(ValueReader::for_yaml12().with_limit(40), text).unwrap_err(),
            "the value is too large"
        );
    }
}
