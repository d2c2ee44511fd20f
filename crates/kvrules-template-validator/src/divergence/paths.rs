//! The paths of a rule as they are written, and what is wrong with each.

use kvrules_diagnostics::Origin;
use kvrules_elaborate::{UnresolvedReason, catalog::Catalog, path, resolve_path};
use kvrules_ir::{OmissionKind, PathStep, Place, PlaceStep, Presence, Requirement, Selector, ValueType};

use crate::divergence::written_rule::WrittenRule;

/// A path, by the key under which it stands.
pub(crate) struct KeyedPath<'w> {
    pub(crate) key: &'static str,
    text: &'w str,
}

/// The paths of a rule: what it evaluates, its guard, and its arguments.
pub(crate) fn rule_paths(written: &WrittenRule) -> impl Iterator<Item = KeyedPath<'_>> {
    let path = written.path.iter().map(|text| KeyedPath { key: "path", text });
    let valid = written.valid.iter().map(|text| KeyedPath { key: "valid", text });
    path.chain(valid).chain(argument_paths(written))
}

/// The arguments that are paths.
pub(crate) fn argument_paths(written: &WrittenRule) -> impl Iterator<Item = KeyedPath<'_>> {
    let keys = match written.kind.as_str() {
        "integer" => ["min", "max"],
        "string" => ["minLength", "maxLength"],
        _ => ["values"; 2],
    };
    let bounds = keys.into_iter().zip(written.bounds_are_paths).filter(|(_, is_path)| *is_path);
    let mut bounds = bounds.map(|(key, _)| key);
    written.arguments.iter().map(move |text| KeyedPath { key: bounds.next().unwrap_or("values"), text })
}

impl KeyedPath<'_> {
    /// Resolves the path; an error has the cause.
    pub(crate) fn resolve_path(&self) -> Result<Selector, OmissionKind> {
        let path = self.parse_path().ok_or(OmissionKind::PathSyntax)?;
        resolve_path(&path, Catalog::kubevirt_vm()).map_err(|unresolved| match unresolved {
            UnresolvedReason::Unsupported { .. } => OmissionKind::PathConstruct,
            _ => OmissionKind::UnknownField,
        })
    }

    /// True if a step may be the name of a Go field: those begin in upper case, and no name of the API does where
    /// kvrules knows none.
    pub(crate) fn has_go_name(&self) -> bool {
        let is_go =
            |step: &PathStep| matches!(step, PathStep::Field(name) if name.starts_with(char::is_uppercase));
        self.parse_path().is_some_and(|path| path.steps.iter().any(is_go))
    }

    fn parse_path(&self) -> Option<kvrules_ir::Path> {
        path::parse(self.text.strip_prefix("jsonpath::")?, Origin::default()).ok()
    }
}

/// The name of the last step of a path, where that is a field that objects may lack: a pointer in the validator's eyes, or
/// a list or a map.
pub(crate) fn optional_end(selector: &Selector) -> Option<&str> {
    match selector.leaf.steps.last()? {
        PlaceStep::Field { name, presence: Presence::Optional } => Some(name),
        _ => None,
    }
}

/// True if a path is below the domain, where the validator's reference object has everything.
pub(crate) fn is_in_domain(selector: &Selector) -> bool {
    let first: &Place = selector.lists.first().unwrap_or(&selector.leaf);
    let names = first.steps.iter().map(|step| match step {
        PlaceStep::Field { name, .. } => name.as_str(),
        _ => "",
    });
    names.take(4).eq(["spec", "template", "spec", "domain"])
}

/// The name of the last step above the end of a path that objects may lack, so that the validator takes a blank of its
/// reference object; none if the rule's guard goes the same way.
pub(crate) fn unguarded_way<'s>(selector: &'s Selector, requirement: &Requirement) -> Option<&'s str> {
    let (at, name) = optional_way(selector).filter(|_| is_in_domain(selector))?;
    let is_guarded = requirement.guard.as_ref().is_some_and(|guard| {
        let way = guard.leaf.steps.get(..=at);
        guard.lists == selector.lists && way.is_some() && way == selector.leaf.steps.get(..=at)
    });
    (!is_guarded).then_some(name)
}

/// The last step above the end of a path that objects, or elements of its innermost list, may lack: its place and name.
pub(crate) fn optional_way(selector: &Selector) -> Option<(usize, &str)> {
    let (_, way) = selector.leaf.steps.split_last()?;
    let at = way.iter().rposition(|step| step.presence() == Presence::Optional)?;
    match way.get(at)? {
        PlaceStep::Field { name, .. } => Some((at, name)),
        _ => None,
    }
}

/// True if the validator can read no value there as an integer, though by the rule's meaning one may be present:
/// behind a pointer, or in a type that may be a string.
pub(crate) fn is_unreadable(selector: &Selector) -> bool {
    match selector.leaf.value_type {
        ValueType::IntOrString => true,
        ValueType::Integer => optional_end(selector).is_some(),
        _ => false,
    }
}
