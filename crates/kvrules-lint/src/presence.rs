//! Compares the steps that a path requires to be present with those that another path grants.
//!
//! Presence of a step and the ways through lists come resolved from `kvrules-elaborate`; here they are only lined up
//! with the steps that the author wrote.

use kvrules_ir::{Constraint, ElaboratedRule, Path, PlaceStep, Presence, Rule, Selector, ValueTest};

/// A path and where it leads.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedPath<'r> {
    /// As it is written.
    pub path: &'r Path,
    /// Resolved.
    pub selector: &'r Selector,
}

/// Requirement of one written step of a path.
#[derive(Clone, Copy, PartialEq)]
enum PathStride<'r> {
    Step(&'r PlaceStep),
    /// `[*]`: at least one element.
    Each,
}

/// Returns the path that a rule evaluates.
pub(crate) fn subject_path<'r>(read: &'r Rule, meaning: &'r ElaboratedRule) -> ResolvedPath<'r> {
    ResolvedPath { path: &read.path, selector: &meaning.requirement.subject }
}

/// The guard of a rule.
pub(crate) fn guard_path<'r>(read: &'r Rule, meaning: &'r ElaboratedRule) -> Option<ResolvedPath<'r>> {
    Some(ResolvedPath { path: read.guard.as_ref()?, selector: meaning.requirement.guard.as_ref()? })
}

impl<'r> ResolvedPath<'r> {
    /// The last step that an object may lack, counted from 0; none if the path leads to a value in every object.
    pub(crate) fn last_optional(self) -> Option<usize> {
        self.strides().enumerate().filter(|(_, stride)| stride.is_optional()).last().map(|(step, _)| step)
    }

    /// True if a default gives the value to every item of the lists on the way: the path finds none only if there are no items.
    pub(crate) fn is_default_of_items(self) -> bool {
        let mut strides = self.strides();
        let is_each = |stride: &PathStride<'_>| matches!(stride, PathStride::Each);
        let mut optional = self.strides().filter(|stride| stride.is_optional()).peekable();
        let last = self.strides().last();
        let is_default =
            matches!(last, Some(PathStride::Step(step)) if step.presence() == Presence::Defaulted);
        is_default && strides.any(|stride| is_each(&stride)) && optional.all(|stride| is_each(&stride))
    }

    /// The last step that an object may lack although the other path leads to something in it.
    pub(crate) fn not_granted_by(self, other: Self) -> Option<usize> {
        let granted = other.strides().zip(self.strides()).take_while(|(own, needed)| own.grants(*needed));
        let granted = granted.count();
        self.last_optional().filter(|last| *last >= granted)
    }

    /// One for each step as it is written.
    fn strides(self) -> impl Iterator<Item = PathStride<'r>> {
        let Selector { lists, leaf, .. } = self.selector;
        let all = lists.iter().map(|list| list.steps.len() + 1).sum::<usize>() + leaf.steps.len();
        let lists =
            lists.iter().flat_map(|list| list.steps.iter().map(PathStride::Step).chain([PathStride::Each]));
        // Skip the steps of the selector that are not written: those that lead to the root of paths.
        lists.chain(leaf.steps.iter().map(PathStride::Step)).skip(all.saturating_sub(self.path.steps.len()))
    }
}

impl PathStride<'_> {
    fn is_optional(self) -> bool {
        match self {
            Self::Step(step) => step.presence() == Presence::Optional,
            Self::Each => true,
        }
    }

    /// True if presence of this step implies presence of `needed`. One item is an element.
    fn grants(self, needed: Self) -> bool {
        self == needed || matches!((self, needed), (Self::Step(PlaceStep::Item(_)), Self::Each))
    }
}

/// True if a rule has a lower bound that is above zero or a path, so that it reads as a requirement that the value
/// be present: at least this much memory.
pub(crate) fn asks_for_more_than_nothing(read: &Rule, meaning: &ElaboratedRule) -> bool {
    let is_path =
        |bound: &Option<kvrules_ir::BoundValue>| matches!(bound, Some(kvrules_ir::BoundValue::Path(_)));
    let low = match &read.constraint {
        Constraint::Integer { min, .. } => min,
        Constraint::String { min_length, .. } => min_length,
        Constraint::Enum { .. } | Constraint::Regex { .. } => return false,
    };
    is_path(low)
        || meaning.requirement.tests.iter().any(|test| match test {
            ValueTest::Integer(interval) | ValueTest::Length(interval) => {
                interval.min.as_ref().is_some_and(|min| *min > 0.into())
            }
            ValueTest::OneOf(_) | ValueTest::Matches(_) => false,
        })
}

/// True if a rule has no argument, which is an error of its own.
pub(crate) fn has_no_argument(read: &Rule) -> bool {
    match &read.constraint {
        Constraint::Integer { min: low, max: high }
        | Constraint::String { min_length: low, max_length: high } => low.is_none() && high.is_none(),
        Constraint::Enum { values } => values.is_empty(),
        Constraint::Regex { pattern, .. } => pattern.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::Origin;
    use kvrules_elaborate::{catalog::Catalog, elaborate_rule_set, path::parse, resolve_path};
    use kvrules_ir::{AnnotationDialect, Predicate, RuleSet, Severity};

    use super::*;

    const PATHS: [&str; 16] = [
        ".spec",
        ".spec.domain",
        ".spec.hostname",
        ".spec.domain.cpu",
        ".spec.domain.cpu.cores",
        ".spec.domain.cpu.realtime.mask",
        ".spec.domain.memory.guest",
        ".spec.domain.resources.requests.memory",
        ".spec.domain.devices.disks",
        ".spec.domain.devices.disks[*]",
        ".spec.domain.devices.disks[*].name",
        ".spec.domain.devices.disks[*].disk",
        ".spec.domain.devices.disks[*].disk.bus",
        ".spec.domain.devices.disks[*].cdrom.bus",
        ".spec.domain.devices.interfaces[*].ports[*].port",
        ".spec.domain.devices.interfaces[*].ports",
    ];

    /// Returns the predicate for a path as a guard that finds something, as elaboration has it.
    fn exists(path: &Path) -> Predicate {
        let rule = Rule {
            name: String::new(),
            message: String::new(),
            path: path.clone(),
            guard: Some(path.clone()),
            constraint: Constraint::Regex { pattern: "a".to_owned(), origin: Origin::default() },
            severity: Severity::Error,
            origin: Origin::default(),
        };
        let (name, dialect, origin) = (String::new(), AnnotationDialect::Annotation201902, Origin::default());
        let set = RuleSet { name, dialect, rules: vec![rule.into()], unread: Vec::new(), origin };
        elaborate_rule_set(&set, Catalog::kubevirt_vm()).rules.remove(0).applies
    }

    #[test]
    fn a_path_is_granted_where_elaboration_says_so() {
        let mut granted = 0;
        for needed in PATHS {
            let needed = parse(needed, Origin::default()).unwrap();
            let needs = resolve_path(&needed, Catalog::kubevirt_vm()).unwrap();
            let way = ResolvedPath { path: &needed, selector: &needs };
            assert_eq!(way.last_optional().is_none(), exists(&needed) == Predicate::True, "{needed}");
            for guard in PATHS {
                let guard = parse(guard, Origin::default()).unwrap();
                let holds = resolve_path(&guard, Catalog::kubevirt_vm()).unwrap();
                let own = way.not_granted_by(ResolvedPath { path: &guard, selector: &holds }).is_none();
                assert_eq!(own, exists(&guard).obviously_implies(&exists(&needed)), "{guard} for {needed}");
                granted += usize::from(own);
            }
        }
        assert!((60..200).contains(&granted), "{granted}");
    }
}
