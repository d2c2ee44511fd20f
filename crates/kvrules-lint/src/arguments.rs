//! Arguments of a rule: its own values, or paths.

use kvrules_elaborate::annotation::{ALL_KEYS, Key, RuleKind};
use kvrules_ir::{BoundValue, Constraint, EnumValue, Path};
use kvrules_syntax::Node;

use crate::{RuleView, shape::type_faults};

/// The arguments that another kind of rule takes, with that kind. None are, where the rule's kind is not known; one
/// of a wrong type is that error and not this one.
pub(crate) fn foreign_arguments(rule: &RuleView<'_>) -> impl Iterator<Item = (Key, RuleKind)> {
    let kind = rule.kind();
    let others = move |key: Key| key.argument_of().filter(|owner| kind.is_some_and(|kind| kind != *owner));
    let others = ALL_KEYS.into_iter().filter_map(move |key| Some((key, others(key)?)));
    others.filter(|(key, _)| rule.key_value(*key).is_some() && type_faults(rule, *key).is_empty())
}

/// An argument that is a path.
pub(crate) struct PathArgument<'a> {
    /// The argument that it is, or is an item of.
    pub key: Key,
    /// The string.
    pub node: Node<'a>,
    /// The parsed path.
    pub path: &'a Path,
}

/// The arguments of a rule that are paths.
pub(crate) fn path_arguments<'a>(rule: &RuleView<'a>) -> Vec<PathArgument<'a>> {
    let Some(read) = rule.read.filter(|_| !rule.uncertain) else { return Vec::new() };
    let bound = |key: Key, bound: &'a Option<BoundValue>| match bound {
        Some(BoundValue::Path(path)) => Some(PathArgument { key, node: rule.key_value(key)?, path }),
        _ => None,
    };
    match &read.constraint {
        Constraint::Integer { min, max } => {
            bound(Key::Min, min).into_iter().chain(bound(Key::Max, max)).collect()
        }
        Constraint::String { min_length, max_length } => {
            bound(Key::MinLength, min_length).into_iter().chain(bound(Key::MaxLength, max_length)).collect()
        }
        Constraint::Enum { values } => enumerated_values(rule, values)
            .filter_map(|(key, node, value)| match value {
                EnumValue::Path(path) => Some(PathArgument { key, node, path }),
                EnumValue::Text(_) => None,
            })
            .collect(),
        Constraint::Regex { .. } => Vec::new(),
    }
}

/// The values of an enumeration with the places where they are written.
pub(crate) fn enumerated_values<'a>(
    rule: &RuleView<'a>,
    values: &'a [EnumValue],
) -> impl Iterator<Item = (Key, Node<'a>, &'a EnumValue)> {
    let list = |key: Key| Some((key, rule.key_value(key)?));
    let list = list(Key::Values).or_else(|| list(Key::Included));
    let nodes = list.into_iter().flat_map(|(key, list)| list.items().map(move |node| (key, node)));
    nodes.zip(values).map(|((key, node), value)| (key, node, value))
}
