//! Forms of a definition's keys after their namespace, for suggestions.

use kvrules_regex::python::{PythonMatcher, PythonRegex};

use crate::definition::{Definition, NamePiece, split_pieces};

/// Form of a local name: parameters that may be empty are, and one that may not can stand at its end.
#[derive(Debug)]
pub(crate) struct NameForm {
    pub(crate) begin: String,
    pub(crate) end: Option<PythonMatcher>,
}

impl NameForm {
    /// Returns the form of a definition; `None` if a parameter that may not be empty is anywhere but at its end.
    pub(crate) fn of(definition: &Definition) -> Option<Self> {
        let start = definition.namespace().map_or(0, |namespace| namespace.0.len() + 1);
        let pieces = split_pieces(definition.name.get(start..)?, &definition.parameters);
        let mut form = Self { begin: String::new(), end: None };
        for piece in pieces {
            match piece {
                _ if form.end.is_some() => return None,
                NamePiece::Text(text) => form.begin.push_str(text),
                NamePiece::Parameter(parameter) => {
                    let matcher = PythonRegex::new(&parameter.pattern).ok()?.compile_matcher().ok()?;
                    form.end = (!matcher.is_match("")).then_some(matcher);
                }
            }
        }
        Some(form)
    }
}
