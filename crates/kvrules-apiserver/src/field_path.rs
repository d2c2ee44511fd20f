//! Paths to fields of a schema, as rules and selectable fields name them: `.a.b`, `['a']`.

use std::fmt::Write as _;

use serde_json::Value as Json;

/// Server's message for a path that is valid but refers to no field of the schema.
pub(crate) const NOWHERE: &str = "does not refer to a valid field";

/// A field that a path leads to.
#[derive(Debug)]
pub(crate) struct ResolvedField<'s> {
    /// The path as the API shows it: names after dots, keys of maps in brackets.
    pub(crate) path: String,
    /// The first step of it.
    pub(crate) first: String,
    /// The schema of the field; none if nothing is known of it.
    pub(crate) schema: Option<&'s Json>,
}

/// The path as the API shows it: names after dots, keys of maps in brackets. `None` when it is empty or leads
/// nowhere in the schema.
///
/// ```
/// use kvrules_apiserver::crd::normalize_field_path;
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {
///     "m": {"type": "object", "additionalProperties": {"type": "string"}},
/// }});
/// assert_eq!(normalize_field_path(".m['k']", &schema).as_deref(), Some("m[k]"));
/// assert_eq!(normalize_field_path(".nope", &schema), None);
/// ```
pub fn normalize_field_path(path: &str, schema: &Json) -> Option<String> {
    find_schema_field(path, schema, true).ok().map(|found| found.path).filter(|path| !path.is_empty())
}

/// Follows a path through a schema; the error has the server's words. Keys in brackets may be forbidden.
// schema/cel/validation.go, ValidFieldPath
pub(crate) fn find_schema_field<'s>(
    path: &str,
    schema: &'s Json,
    allows_brackets: bool,
) -> Result<ResolvedField<'s>, String> {
    let mut found = ResolvedField { path: String::new(), first: String::new(), schema: Some(schema) };
    let mut tokens = PathTokens(path);
    let end = || "unexpected end of JSON path".to_owned();
    while let Some(token) = tokens.next() {
        let name = match token {
            "[" if !allows_brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let token = tokens.next().ok_or_else(end)?;
                let quoted = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let quoted =
                    quoted.ok_or_else(|| format!("expected single quoted string but got {token}"))?;
                unescape(quoted)?
            }
            "." => tokens.next().ok_or_else(end)?.to_owned(),
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        found.descend(&name)?;
        if token == "[" {
            match tokens.next().ok_or_else(end)? {
                "]" => {}
                other => return Err(format!("expected ] but got {other}")),
            }
        }
    }
    Ok(found)
}

impl ResolvedField<'_> {
    fn descend(&mut self, name: &str) -> Result<(), String> {
        let nowhere = || NOWHERE.to_owned();
        let schema = self.schema.ok_or_else(nowhere)?;
        // An empty `properties` and a null `additionalProperties` count as missing.
        let properties = schema.get("properties").and_then(Json::as_object).filter(|it| !it.is_empty());
        let values = schema.get("additionalProperties").filter(|values| !values.is_null());
        let step = match (properties, values) {
            (Some(properties), _) => {
                self.schema = Some(properties.get(name).ok_or_else(nowhere)?);
                if !self.path.is_empty() {
                    self.path.push('.');
                }
                self.path.push_str(name);
                name.to_owned()
            }
            (None, Some(values)) => {
                self.schema = Some(values).filter(|values| values.is_object());
                let _ = write!(self.path, "[{name}]");
                format!("[{name}]")
            }
            (None, None) => return Err(nowhere()),
        };
        if self.first.is_empty() {
            self.first = step;
        }
        Ok(())
    }
}

/// The delimiters of a path, and what stands between them.
struct PathTokens<'p>(&'p str);

impl<'p> Iterator for PathTokens<'p> {
    type Item = &'p str;

    // The split function of the scanner in ValidFieldPath: a quoted string ends at a quote without a backslash before it.
    fn next(&mut self) -> Option<&'p str> {
        let text = Some(self.0).filter(|text| !text.is_empty())?;
        let end = if text.starts_with('\'') {
            let bytes = text.as_bytes();
            let closes = |at: &usize| bytes.get(*at) == Some(&b'\'') && bytes.get(at - 1) != Some(&b'\\');
            (1..text.len()).find(closes).map_or(text.len(), |at| at + 1)
        } else {
            text.find(['.', '[', ']']).map_or(text.len(), |at| at.max(1))
        };
        let (token, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        Some(token)
    }
}

// schema/cel/validation.go, unescapeSingleQuote
fn unescape(quoted: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        text.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(same @ ('\'' | '\\')) => same,
            Some(other) => return Err(format!("invalid string literal: invalid escape char \\{other}")),
            None => '\\',
        });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_refused_in_the_words_of_the_server() {
        let schema = json!({"properties": {"a": {"properties": {"b": {"type": "string"}}},
            "m": {"additionalProperties": {"type": "string"}}, "n": {"additionalProperties": null}}});
        for (path, why) in [
            ("a", "expected [ or . but got: a"),
            (".", "unexpected end of JSON path"),
            (".a.c", "does not refer to a valid field"),
            (".a[b]", "expected single quoted string but got b"),
            (".a['b'", "unexpected end of JSON path"),
            (".a['b'x", "expected ] but got x"),
            (".a['\\q']", "invalid string literal: invalid escape char \\q"),
            (".n.x", "does not refer to a valid field"),
            (".a.b.c", "does not refer to a valid field"),
            ("..a", "does not refer to a valid field"),
        ] {
            assert_eq!(find_schema_field(path, &schema, true).unwrap_err(), why, "{path}");
        }
        assert_eq!(
            find_schema_field(".a['b']", &schema, false).unwrap_err(),
            "array notation is not allowed"
        );
        let found = find_schema_field(".m.k", &schema, false).unwrap();
        assert_eq!((found.path.as_str(), found.first.as_str()), ("m[k]", "m"));
    }
}
