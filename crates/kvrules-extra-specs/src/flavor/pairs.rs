//! Pairs that are in a text: `key=value` of an argument, and `key='value', …` as the OpenStack client prints properties.

use kvrules_diagnostics::{FileId, Span};
use kvrules_syntax::Node;

use super::FlavorSpec;

/// A place in a file.
pub(super) fn span(file: FileId, start: usize, end: usize) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(file, offset(start), offset(end))
}

/// One argument that begins at an offset of the text.
// osc-lib cli/parseractions.py, KeyValueAction: cut at the first `=`, and an empty key is an error.
pub(super) fn parse_argument(file: FileId, start: usize, pair: &str) -> Option<FlavorSpec> {
    let (key, value) = pair.split_once('=').filter(|(key, _)| !key.is_empty())?;
    let behind = start + key.len() + 1;
    Some(FlavorSpec {
        key: key.to_owned(),
        value: value.to_owned(),
        key_span: span(file, start, start + key.len()),
        value_span: span(file, behind, start + pair.len()),
    })
}

/// The pairs of `key='value', key='value'`; none if the text is not written so. The client puts no marks before quotes
/// in values, so a value ends where another pair, or nothing, follows.
// osc-lib utils, format_dict: pairs in the order of their keys, values in quotation marks without escapes.
pub(super) fn parse_properties(node: Node<'_>) -> Option<Vec<FlavorSpec>> {
    let text = node.text();
    let mut specs = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let key_end = at + text.get(at..)?.find("='")?;
        let start = key_end + 2;
        let end = start + value_end(text.get(start..)?)?;
        specs.push(FlavorSpec {
            key: text.get(at..key_end)?.to_owned(),
            value: text.get(start..end)?.to_owned(),
            key_span: node.span_of(at..key_end),
            value_span: node.span_of(start..end),
        });
        // format_dict writes `, ` between pairs, and nothing after the last.
        at = (end + "', ".len()).min(text.len());
    }
    Some(specs)
}

/// Returns the end of the value that begins here.
fn value_end(text: &str) -> Option<usize> {
    let ends = text.match_indices('\'').map(|(at, _)| at);
    let is_end = |at: &usize| {
        let rest = text.get(at + 1..).unwrap_or_default();
        // A key has no quotation mark (Nova's schema of requests), so one before `='` belongs to a value.
        let begins_pair = |rest: &str| {
            rest.find("='").is_some_and(|key| !rest.get(..key).unwrap_or_default().contains('\''))
        };
        rest.is_empty() || rest.strip_prefix(", ").is_some_and(begins_pair)
    };
    ends.into_iter().find(is_end)
}
