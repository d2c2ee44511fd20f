//! OpenShift template parameters inside texts.

use std::ops::Range;

/// A `${NAME}` or `${{NAME}}` in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateParameter<'t> {
    /// The parameter's name.
    pub name: &'t str,
    /// The bytes of the whole reference.
    pub range: Range<usize>,
    /// True if it is `${{NAME}}`, which is replaced by a value that need not be a string.
    pub unquoted: bool,
}

/// The parameters that a text refers to, in their order.
///
/// A name is made of letters, digits and `_`, as OpenShift reads it; anything else is plain text.
///
/// ```
/// let found: Vec<_> = kvrules_syntax::find_parameters("a-${NAME}-${{N}}-${no:}").map(|p| p.name).collect();
/// assert_eq!(found, ["NAME", "N"]);
/// ```
pub fn find_parameters(text: &str) -> impl Iterator<Item = TemplateParameter<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            // Of one character, since the search for two prepares tables, which most texts are too short for.
            let at = from + text.get(from..)?.find('$')?;
            from = at + 1;
            if let Some(found) = parameter_at(text, at) {
                from = found.range.end;
                return Some(found);
            }
        }
    })
}

/// The parameter that begins at byte `at`.
pub(crate) fn parameter_at(text: &str, at: usize) -> Option<TemplateParameter<'_>> {
    let (open, close) = if text.get(at..)?.starts_with("${{") { ("${{", "}}") } else { ("${", "}") };
    let body = text.get(at..)?.strip_prefix(open)?;
    let len = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    let (name, rest) = body.split_at_checked(len)?;
    if name.is_empty() || !rest.starts_with(close) {
        return None;
    }
    let end = at + open.len() + len + close.len();
    Some(TemplateParameter { name, range: at..end, unquoted: open.len() == 3 })
}
