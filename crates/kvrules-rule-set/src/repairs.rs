//! Repairs of findings: names that are nearly right, bounds in the wrong order, lists without `[*]`.

use kvrules_diagnostics::{Edit, Fix, Span};
use kvrules_syntax::{Node, NodeStyle};

/// Writes another name in place of one. `None` if the place has more than the name, such as quotation marks or escapes.
pub(crate) fn rename_fix(span: Span, name: &str, near: &str) -> Option<Fix> {
    let is_plain =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_name_alone = span.to_range().len() == name.len() && is_plain(near);
    let edit = Edit { span, replacement: near.to_owned() };
    is_name_alone.then(|| Fix::not_safe(format!("write `{near}`"), [edit]))
}

/// Exchanges two scalars of one line each.
pub(crate) fn exchange_fix(one: Node<'_>, other: Node<'_>) -> Option<Fix> {
    let edit = |from: Node<'_>, to: Node<'_>| {
        // Without quotation marks the text is what is written.
        let is_plain = from.style() == NodeStyle::Plain && from.span().to_range().len() == from.text().len();
        (is_plain && !to.is_alias()).then(|| Edit { span: to.span(), replacement: from.text().to_owned() })
    };
    Some(Fix::not_safe("exchange `min` and `max`", [edit(one, other)?, edit(other, one)?]))
}

/// Writes `[*]` at the end of the name of a list in a path. Without quotation marks, brackets would be a list of YAML in some places.
pub(crate) fn items_fix(path: Node<'_>, step: Span) -> Option<Fix> {
    let is_quoted = matches!(path.style(), NodeStyle::Single | NodeStyle::Double);
    is_quoted.then(|| Fix::not_safe("write `[*]` for the items of the list", [Edit::insert_at(step, "[*]")]))
}
