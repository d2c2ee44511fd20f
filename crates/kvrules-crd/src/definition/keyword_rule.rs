//! Rules that say the same as a keyword, and the keyword in their place.

use kvrules_diagnostics::{Diagnostic, Edit, Fix, SourceFile, Span};
use kvrules_lift::RestatedKeyword;
use kvrules_syntax::Node;
use kvrules_syntax::edit::{Rewriter, ScalarEdit};
use serde_json::Value;

use crate::lints;
use crate::schema_location::{SchemaLocation, join_names};

/// The finding that the rule of some number says the same as a keyword; `place` is the list of rules.
pub(super) fn keyword_finding(
    source: &SourceFile,
    place: &SchemaLocation<'_>,
    span: Span,
    index: usize,
    found: &RestatedKeyword,
) -> Diagnostic {
    let name = found.path.iter().fold(place.name.clone(), |name, below| join_names(&name, below));
    let subject = if name.is_empty() { "the root of the schema".to_owned() } else { format!("`{name}`") };
    let message = format!("the rule says the same as {} of {subject}", describe_keyword(found));
    let help = "a keyword costs nothing at run time and reaches every reader of the schema, but has a message of the server's";
    let finding = lints::KEYWORD_RULE.diagnostic_at(span, message).with_help(help);
    let edits = edits(source, place, found, index);
    let title = format!("write {} in place of the rule and its message", describe_keyword(found));
    finding.fix_if(edits.map(|edits| Fix::not_safe(title, edits).removing_rule()))
}

fn describe_keyword(found: &RestatedKeyword) -> String {
    let exclusive = exclusive_keyword(found).map(|keyword| format!(" with `{keyword}: true`"));
    format!("`{}: {}`{}", found.keyword, found.value, exclusive.unwrap_or_default())
}

fn exclusive_keyword(found: &RestatedKeyword) -> Option<&'static str> {
    match (found.is_exclusive, found.keyword) {
        (true, "minimum") => Some("exclusiveMinimum"),
        (true, _) => Some("exclusiveMaximum"),
        (false, _) => None,
    }
}

/// The edits that write the keyword behind the type of its schema, and take the rule out.
fn edits(
    source: &SourceFile,
    place: &SchemaLocation<'_>,
    found: &RestatedKeyword,
    index: usize,
) -> Option<Vec<Edit>> {
    // Two keywords would be inserted at one place.
    if found.is_exclusive {
        return None;
    }
    let rewriter = Rewriter::new(source);
    let node = found.path.iter().try_fold(place.owner, |node, name| node.get("properties")?.get(name))?;
    Some(vec![insertion(rewriter, node, found.keyword, &found.value)?, removal(rewriter, place, index)?])
}

fn insertion(rewriter: Rewriter<'_>, node: Node<'_>, keyword: &str, value: &Value) -> Option<Edit> {
    let behind = node.entry("type")?;
    if node.is_templated() || node.entry(keyword).is_some() {
        return None;
    }
    let text = value.to_string();
    let written = value.as_str().map_or(ScalarEdit::Literal(&text), ScalarEdit::Text);
    rewriter.insert_after(node, behind, keyword, written)
}

/// The edit that takes a rule out of its list, and the only one with its list.
fn removal(rewriter: Rewriter<'_>, place: &SchemaLocation<'_>, index: usize) -> Option<Edit> {
    let list = place.entry?;
    if list.value.items().count() == 1 {
        return rewriter.remove_entry(place.owner, list);
    }
    rewriter.remove_item(list.value, list.value.items().nth(index)?)
}
