//! Units of different notations as sides of a comparison: annotations of templates, definitions, policies, RuleSets and JSON Schemas.
//!
//! Both sides are put into one form, the schema of the objects with rules in CEL at its places. These are compared as versions of a
//! definition are, by the same proofs, and each example is confirmed by what enforces the sides.

mod annotation;
mod common_schema;
mod compare;
mod engine;
mod other_fields;
mod policy;
mod policy_writes;
mod side;
mod side_rules;
mod subject;

use kvrules_sources::crd::RunResources;
use serde_json::Value;

use super::pair::{Found, MatchedUnits};
use super::{ComparableKind, ComparableUnit, SideFile, UnitContent};
use crate::report::Comparison;
use common_schema::CommonSchema;
use compare::{NotationPair, notation_word};
use subject::{SubjectKind, UnitSubject, unit_subject};

/// Names of units that are compared with each other: of the old side and of the new one.
pub type NamedPair = (String, String);

/// Two units of different notations about the same objects, with the kind of these.
pub(super) struct PairedNotations<'s> {
    pub(super) units: [Found<'s>; 2],
    kind: SubjectKind,
}

/// Takes pairs of units of different notations about the same objects out of what has no partner, with the bindings of policies among
/// them.
pub(super) fn pair_notations<'s>(
    matched: &mut MatchedUnits<'s>,
    run: &RunResources,
) -> Vec<PairedNotations<'s>> {
    let mut pairs = Vec::new();
    let MatchedUnits { removed, added, .. } = matched;
    removed.retain(|old| {
        let kind_with = |new: &Found<'_>| {
            if old.1.content.kind() == new.1.content.kind() {
                return None;
            }
            let kind = common_kind([old.1, new.1], run).ok()?;
            (names_kind(*old, &kind) && names_kind(*new, &kind)).then_some(kind)
        };
        let found = added.iter().enumerate().find_map(|(at, new)| Some((at, kind_with(new)?)));
        let Some((at, kind)) = found else { return true };
        pairs.push(PairedNotations { units: [*old, added.remove(at)], kind });
        false
    });
    for side in [removed, added] {
        side.retain(|found| !pairs.iter().any(|pair| is_binding_of(found.1, &pair.units)));
    }
    pairs
}

/// True for the only JSON Schema of a file, and for one of several that is called as the kind of the objects, or ends in it behind a point.
fn names_kind((part, unit): Found<'_>, kind: &SubjectKind) -> bool {
    let is_schema = |unit: &&ComparableUnit| matches!(unit.content, UnitContent::JsonSchema(_));
    let is_named = || unit.name.rsplit('.').next() == Some(kind.kind.as_str());
    !is_schema(&unit) || part.units.iter().filter(is_schema).count() == 1 || is_named()
}

/// The pair of two units that the user names.
pub(super) fn pair_named<'s>(
    units: [Found<'s>; 2],
    run: &RunResources,
) -> Result<PairedNotations<'s>, String> {
    let [old, new] = units.map(|found| unit_subject(found.1, run));
    let first = |subject: &UnitSubject| match subject {
        UnitSubject::Kinds(kinds) => kinds.first().cloned(),
        UnitSubject::Documents | UnitSubject::Alone(_) => None,
    };
    if let Some(refusal) = lone_refusal([units[0].1, units[1].1], [&old, &new]) {
        return Err(refusal);
    }
    let kind = match (first(&old), first(&new)) {
        (Some(one), Some(other)) => one.completed_by(&other),
        (one, other) => one.or(other).unwrap_or_default(),
    };
    Ok(PairedNotations { units, kind })
}

/// Compares two units of different notations.
///
/// # Errors
///
/// The reason why they cannot be compared.
pub(super) fn compare_notations(
    pair: &PairedNotations<'_>,
    sides: [&[SideFile]; 2],
    run: &RunResources,
) -> Result<Comparison, String> {
    let [old, new] = pair.units.map(|(_, unit)| unit);
    let common = CommonSchema::find([old, new], &pair.kind, run)?;
    let bound = |unit, side: &[SideFile]| (unit, bindings_of(unit, side).cloned().collect::<Vec<_>>());
    let [(old, first), (new, second)] = [bound(old, sides[0]), bound(new, sides[1])];
    let units = [(old, first.iter().collect()), (new, second.iter().collect())];
    NotationPair { units, common, explains_proofs: run.explains_proofs() }.compare()
}

/// Facts about the comparison of two notations, in sentences.
pub(super) fn scope_notes(pair: &PairedNotations<'_>) -> Vec<String> {
    let units = pair.units.map(|(_, unit)| unit);
    let has = |test: fn(&UnitContent) -> bool| units.iter().any(|unit| test(&unit.content));
    let is_policy = |content: &UnitContent| matches!(content, UnitContent::Policy(_));
    let excuses = |content: &UnitContent| match content {
        UnitContent::Schema(_) => true,
        UnitContent::RuleSet(set) => set.subject.definition.is_some(),
        _ => false,
    };
    let mut notes = Vec::new();
    if let (true, Some(unit)) = (has(is_policy), units.iter().find(|unit| excuses(&unit.content))) {
        notes.push(format!(
            "an update that leaves a violating value as it is passes the {}, and a policy that denies rejects it: such updates are not compared",
            notation_word(unit)
        ));
    }
    if has(|content| matches!(content, UnitContent::JsonSchema(_))) && pair.kind != SubjectKind::default() {
        notes.push(format!(
            "objects with the fields and types of {} are compared; a JSON Schema sees no stored object, and fields that are not declared are left out",
            pair.kind.describe()
        ));
    }
    notes
}

/// The kind of objects that two units are about, or the reason why they have none in common.
fn common_kind(units: [&ComparableUnit; 2], run: &RunResources) -> Result<SubjectKind, String> {
    let [old, new] = units.map(|unit| unit_subject(unit, run));
    if let Some(refusal) = lone_refusal(units, [&old, &new]) {
        return Err(refusal);
    }
    let names = units.map(|unit| format!("the {} `{}`", notation_word(unit), unit.name));
    match (&old, &new) {
        (UnitSubject::Kinds(old), UnitSubject::Kinds(new)) => {
            let found = old.iter().find_map(|one| Some((one, new.iter().find(|other| one.fits(other))?)));
            let describe = |kinds: &[SubjectKind]| {
                kinds.iter().map(SubjectKind::describe).collect::<Vec<_>>().join(" and ")
            };
            found.map(|(one, other)| one.completed_by(other)).ok_or_else(|| {
                let [one, other] = &names;
                format!(
                    "{one} is about {}, and {other} about {}: no object is both",
                    describe(old),
                    describe(new)
                )
            })
        }
        (UnitSubject::Kinds(kinds), _) | (_, UnitSubject::Kinds(kinds)) => {
            kinds.first().cloned().ok_or_else(|| "the policy matches no resource by its name".to_owned())
        }
        _ => Ok(SubjectKind::default()),
    }
}

/// The reason for which a unit is compared with none of another notation.
fn lone_refusal(units: [&ComparableUnit; 2], subjects: [&UnitSubject; 2]) -> Option<String> {
    units.into_iter().zip(subjects).find_map(|(unit, subject)| match subject {
        UnitSubject::Alone(reason) => Some(format!(
            "the {} `{}` is compared only with another one: {reason}",
            notation_word(unit),
            unit.name
        )),
        UnitSubject::Kinds(_) | UnitSubject::Documents => None,
    })
}

/// The reason why no unit of one side is about the same objects as one of the other side; `None` if both have units of one kind.
pub(super) fn refusal(old: &[SideFile], new: &[SideFile], run: &RunResources) -> Option<String> {
    let kinds = |side: &[SideFile]| -> Vec<ComparableKind> {
        side.iter().flat_map(|part| &part.units).map(|unit| unit.content.kind()).collect()
    };
    let (before, after) = (kinds(old), kinds(new));
    if before.iter().any(|kind| after.contains(kind)) {
        return None;
    }
    let mut olds = old.iter().flat_map(|part| &part.units);
    olds.find_map(|one| {
        let mut news = new.iter().flat_map(|part| &part.units);
        news.find_map(|other| common_kind([one, other], run).err())
    })
    .or_else(|| {
        let units = || [old, new].into_iter().flatten().flat_map(|part| &part.units);
        let schemas: Vec<String> = units()
            .filter(|unit| matches!(unit.content, UnitContent::JsonSchema(_)))
            .map(|unit| format!("`{}`", unit.name))
            .collect();
        let other = units().find(|unit| !matches!(unit.content, UnitContent::JsonSchema(_)))?;
        Some(format!(
            "none of the schemas {} is called as the kind that the {} `{}` is about",
            schemas.join(", "),
            notation_word(other),
            other.name
        ))
    })
}

/// The bindings of a policy on its side.
fn bindings_of<'s>(unit: &'s ComparableUnit, side: &'s [SideFile]) -> impl Iterator<Item = &'s Value> {
    let units = side.iter().flat_map(|part| &part.units);
    units.filter_map(move |other| match &other.content {
        UnitContent::Policy(binding) if is_bound(other, unit) => Some(&binding.value),
        _ => None,
    })
}

/// True if a unit is a binding of a policy.
fn is_bound(binding: &ComparableUnit, policy: &ComparableUnit) -> bool {
    let UnitContent::Policy(content) = &binding.content else { return false };
    let named = content.value.pointer("/spec/policyName").and_then(Value::as_str);
    content.kind == "ValidatingAdmissionPolicyBinding"
        && matches!(policy.content, UnitContent::Policy(_))
        && named == Some(policy.name.as_str())
}

fn is_binding_of(unit: &ComparableUnit, pair: &[Found<'_>; 2]) -> bool {
    pair.iter().any(|(_, policy)| is_bound(unit, policy))
}
