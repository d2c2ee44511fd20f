//! JSON laid out the one way that kvrules writes it: two spaces for each level, one entry a line, short lists on one line.
//!
//! Scalars and keys stay as they are written, with all their escapes and digits: a layout moves white space and nothing else.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::{layout::JsonLayout, parse_json};
//!
//! let text = r#"[{"max":1e3,"values":["a","b"]}]"#;
//! let document = parse_json(FileId(0), text);
//! let json = JsonLayout::from_node(document.root().unwrap(), text).unwrap();
//! assert_eq!(json.on_one_line(), r#"[{"max": 1e3, "values": ["a", "b"]}]"#);
//! assert_eq!(json.to_lines(), ["[", "  {", r#"    "max": 1e3,"#, r#"    "values": ["a", "b"]"#, "  }", "]"]);
//! ```

use crate::{Node, SyntaxKind};

/// A line with a list on it is no longer than this, counted in characters from where the JSON begins.
const WIDTH: usize = 100;

/// Indentation of one level.
const UNIT: &str = "  ";

/// A value to be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// A scalar as it is written.
    Scalar(String),
    /// A list.
    List(Vec<JsonLayout>),
    /// Keys, with their quotation marks, and values.
    Object(Vec<(String, JsonLayout)>),
}

impl JsonLayout {
    /// The value of a node of a JSON document with this text. None if a part of it could not be read.
    pub fn from_node(node: Node<'_>, text: &str) -> Option<Self> {
        let written = |node: Node<'_>| {
            let scalar = text.get(node.span().to_range()).filter(|scalar| !scalar.is_empty());
            scalar.filter(|_| node.kind() != SyntaxKind::Hole).map(str::to_owned)
        };
        match node.kind() {
            SyntaxKind::List => {
                node.items().map(|item| Self::from_node(item, text)).collect::<Option<_>>().map(Self::List)
            }
            SyntaxKind::Map => {
                let entries = node
                    .entries()
                    .map(|entry| Some((written(entry.key)?, Self::from_node(entry.value, text)?)));
                entries.collect::<Option<_>>().map(Self::Object)
            }
            _ => written(node).map(Self::Scalar),
        }
    }

    /// On one line, with a space behind each comma and colon.
    pub fn on_one_line(&self) -> String {
        let joined = |parts: Vec<String>, open, close| format!("{open}{}{close}", parts.join(", "));
        match self {
            Self::Scalar(text) => text.clone(),
            Self::List(items) => joined(items.iter().map(Self::on_one_line).collect(), '[', ']'),
            Self::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{key}: {}", value.on_one_line()));
                joined(entries.collect(), '{', '}')
            }
        }
    }

    /// In lines, without the indentation of their place.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.write("", "", &mut lines);
        lines
    }

    /// Writes the value behind `lead`, which begins its line.
    fn write(&self, at: &str, lead: &str, lines: &mut Vec<String>) {
        match self {
            Self::List(items) if !self.is_short(at, lead) => {
                let parts = items.iter().map(|item| (String::new(), item)).collect();
                write_container(at, lead, ('[', ']'), parts, lines);
            }
            Self::Object(entries) if !entries.is_empty() => {
                let parts = entries.iter().map(|(key, value)| (format!("{key}: "), value)).collect();
                write_container(at, lead, ('{', '}'), parts, lines);
            }
            _ => lines.push(format!("{at}{lead}{}", self.on_one_line())),
        }
    }

    /// True if a list has only scalars and fits on its line.
    fn is_short(&self, at: &str, lead: &str) -> bool {
        let Self::List(items) = self else { return false };
        let width = || at.len() + lead.chars().count() + self.on_one_line().chars().count();
        items.is_empty() || (items.iter().all(|item| matches!(item, Self::Scalar(_))) && width() <= WIDTH)
    }
}

/// Writes the parts of a container one below the other, with a comma behind each but the last.
fn write_container(
    at: &str,
    lead: &str,
    (open, close): (char, char),
    parts: Vec<(String, &JsonLayout)>,
    lines: &mut Vec<String>,
) {
    lines.push(format!("{at}{lead}{open}"));
    let inner = format!("{at}{UNIT}");
    let last = parts.len().saturating_sub(1);
    for (number, (lead, value)) in parts.into_iter().enumerate() {
        value.write(&inner, &lead, lines);
        if let Some(line) = lines.last_mut().filter(|_| number < last) {
            line.push(',');
        }
    }
    lines.push(format!("{at}{close}"));
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;

    use super::*;
    use crate::parse_json;

    fn laid_out(text: &str) -> String {
        let document = parse_json(FileId(0), text);
        document
            .root()
            .and_then(|root| JsonLayout::from_node(root, text))
            .map_or_else(String::new, |json| json.to_lines().join("\n"))
    }

    #[test]
    fn a_layout_is_a_fixed_point_of_itself() {
        let long = format!("[{{\"values\": [{}]}}]", vec!["\"a value\""; 20].join(","));
        for text in
            ["[]", "[{}]", "{\"a\": {\"b\": [1, [2]]}}", "[${{A}}, \"${B}\", 1.50, \"\\u0041\"]", &long]
        {
            let once = laid_out(text);
            assert!(!once.is_empty(), "{text}");
            assert_eq!(laid_out(&once), once);
        }
        assert!(laid_out(&long).contains("    \"values\": [\n      \"a value\",\n"));
    }

    #[test]
    fn what_could_not_be_read_is_not_laid_out() {
        assert_eq!(laid_out("[{\"a\": }]"), "");
        assert_eq!(laid_out("[NaN]"), "");
    }
}
