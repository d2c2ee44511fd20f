//! Fields that KubeVirt reads under a newer name, as the catalog has them.

use kvrules_diagnostics::Origin;
use kvrules_elaborate::{
    catalog::{FieldDeprecation, find_deprecation},
    path::parse,
};
use kvrules_ir::Subject;
use kvrules_syntax::{Node, SyntaxKind};

/// Returns the deprecation of a field with a newer name, if the path leads to it and does not only pass it.
pub(crate) fn find_renamed(path: &str) -> Option<&'static FieldDeprecation> {
    let steps = |text| parse(text, Origin::default()).ok();
    let path = steps(path)?;
    let known = find_deprecation(&path, Subject::virtual_machine())?;
    let is_whole = steps(known.path).is_some_and(|old| old.steps.len() == path.steps.len());
    known.instead.filter(|_| is_whole).map(|_| known)
}

/// Returns the value of a VirtualMachine in the old field, if the new one is unset.
pub(crate) fn left_behind<'d>(machine: Node<'d>, known: &FieldDeprecation) -> Option<Node<'d>> {
    let old = value_at_path(machine, known.path)?;
    value_at_path(machine, known.instead?).is_none().then_some(old)
}

/// The value at a path without brackets.
fn value_at_path<'d>(machine: Node<'d>, path: &str) -> Option<Node<'d>> {
    let template = machine.get("spec")?.get("template")?;
    let found = path.split('.').skip(1).try_fold(template, Node::get);
    found.filter(|node| node.kind() != SyntaxKind::Null)
}
