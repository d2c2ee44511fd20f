//! Reads the fields of `static LINT: Lint = Lint { … }` off the text. The generator runs before the crate it
//! writes for can be compiled, so it cannot ask the compiler.

use crate::scan::{body_after, code_only, words};
use crate::workspace::line_of;

/// The struct literal of a static, whose fields can be looked up.
pub(super) struct Literal<'a> {
    text: &'a str,
    code: String,
    start: usize,
}

impl<'a> Literal<'a> {
    /// Finds `static NAME: … = … { … }`.
    pub(super) fn find(text: &'a str, name: &str) -> Option<Self> {
        let code = code_only(text);
        let at = words(&code, name).find(|at| code[..*at].trim_end().ends_with("static"))?;
        let body = body_after(&code, at)?;
        Some(Self {
            text: &text[body.clone()],
            code: code[body.clone()].to_owned(),
            start: line_of(text, body.start),
        })
    }

    /// The line, counted from 1, on which the literal opens.
    pub(super) fn line(&self) -> usize {
        self.start
    }

    /// The value of a field that is written as a string literal.
    pub(super) fn string(&self, field: &str) -> Option<String> {
        let value = self.value(field)?;
        let hashes = value.strip_prefix('r').map(|raw| raw.chars().take_while(|c| *c == '#').count());
        match hashes {
            Some(count) => {
                let fence = "#".repeat(count);
                let inner = value[1 + count..].strip_prefix('"')?;
                Some(inner.split_once(&format!("\"{fence}"))?.0.to_owned())
            }
            None => unquote(value.strip_prefix('"')?),
        }
    }

    /// The last part of a field that is written as a path: `Warning` of `Level::Warning`.
    pub(super) fn variant(&self, field: &str) -> Option<&'a str> {
        let value = self.value(field)?;
        let end = value.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))?;
        value[..end].rsplit(':').next().filter(|word| !word.is_empty())
    }

    /// The text from the first character of the field's value onwards, for what is neither string nor path.
    pub(super) fn rest(&self, field: &str) -> Option<&'a str> {
        self.value(field)
    }

    /// The text from the first character of the field's value onwards.
    fn value(&self, field: &str) -> Option<&'a str> {
        let after = words(&self.code, field).map(|at| at + field.len());
        let is_field = |at: &usize| {
            let rest = self.code[*at..].trim_start();
            rest.starts_with(':') && !rest.starts_with("::")
        };
        let at = after.into_iter().find(is_field)?;
        Some(self.text[at..].trim_start().strip_prefix(':')?.trim_start())
    }
}

/// Reads an escaped string up to its closing quote.
fn unquote(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => match chars.next()? {
                // A line that goes on drops the indentation of the next.
                '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! code: \"no\"\n/// name: no\npub(crate) static LINT: Lint = Lint {\n    code: \"KV102\",\n    \
        // name: \"other\"\n    name: \"missing_key\", level: crate::Level::Warning,\n    \
        summary: \"a `\\\"key\\\"` is \\\n        missing\",\n    note: r#\"raw \"x\"\"#,\n};\n";

    #[test]
    fn fields_are_read_from_the_literal_and_not_from_comments() {
        let literal = Literal::find(TEXT, "LINT").unwrap();
        assert_eq!(literal.line(), 3);
        assert_eq!(literal.string("code").as_deref(), Some("KV102"));
        assert_eq!(literal.string("name").as_deref(), Some("missing_key"));
        assert_eq!(literal.variant("level"), Some("Warning"));
        assert_eq!(literal.string("summary").as_deref(), Some("a `\"key\"` is missing"));
        assert_eq!(literal.string("note").as_deref(), Some("raw \"x\""));
        assert_eq!(literal.string("absent"), None);
    }

    #[test]
    fn a_file_without_the_static_has_no_literal() {
        assert!(Literal::find("use crate::LINT;\n", "LINT").is_none());
    }
}
