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

use super::pair::{Found, MatchedUnits, find_named, match_units};
use super::rule_sets::{RuleSetGroup, pair_with_definitions};
use super::{ComparableKind, ComparableUnit, IncomparableReason, SideFile, UnitContent};
use crate::report::{Comparison, WriteKind};
use common_schema::CommonSchema;
use compare::{NotationPair, notation_word};
use engine::SideEngine;
use subject::{SubjectKind, UnitSubject, unit_subject};

/// Names of units that are compared with each other: of the old side and of the new one.
pub type NamedPair = (String, String);

/// Two units of different notations about the same objects, with the kind of these.
pub(super) struct PairedNotations<'s> {
    pub(super) units: [Found<'s>; 2],
    kind: SubjectKind,
}

/// The units of two sides in pairs.
pub(super) struct PairedSides<'s> {
    /// Pairs of one kind, and the units without a partner.
    pub(super) matched: MatchedUnits<'s>,
    /// RuleSets with the definition that they are about; true for RuleSets of the new side.
    pub(super) rule_sets: Vec<(RuleSetGroup<'s>, bool)>,
    pub(super) notations: Vec<PairedNotations<'s>>,
}

/// Pairs the units of two sides: by the names that the user gives, else by their own names and the objects that they are about.
///
/// # Errors
///
/// A name is unknown, or two named units have no objects in common.
pub(super) fn pair_sides<'s>(
    old: &'s [SideFile],
    new: &'s [SideFile],
    names: &[NamedPair],
    run: &RunResources,
) -> Result<PairedSides<'s>, IncomparableReason> {
    let mut matched = match_units(old, new);
    let mut notations = Vec::new();
    for units in find_named(old, new, names)? {
        matched.take_units(units);
        if units[0].1.content.kind() == units[1].1.content.kind() {
            matched.pairs.push((units[0], units[1]));
        } else {
            notations.push(pair_named(units, run).map_err(IncomparableReason::Subjects)?);
        }
    }
    let rule_sets = pair_with_definitions(&mut matched);
    notations.extend(pair_notations(&mut matched, run));
    Ok(PairedSides { matched, rule_sets, notations })
}

/// The engines of two units of different notations, for existing objects.
#[derive(Debug)]
pub(super) struct NotationEngines {
    kind: SubjectKind,
    engines: [SideEngine; 2],
}

/// The answers of both sides about an existing object, the old one first.
pub(super) use engine::EngineVerdict;

impl NotationEngines {
    /// The engines of a pair; `None` if a JSON Schema is invalid.
    pub(super) fn new(pair: &PairedNotations<'_>, sides: [&[SideFile]; 2]) -> Option<Self> {
        let engine = |(_, unit): Found<'_>, side: &[SideFile]| {
            let bindings: Vec<&Value> = bindings_of(unit, side).collect();
            SideEngine::new(unit, &pair.kind, &bindings).ok()
        };
        let [old, new] = pair.units;
        let engines = [engine(old, sides[0])?, engine(new, sides[1])?];
        Some(Self { kind: pair.kind.clone(), engines })
    }

    /// True if the pair is about an object of this kind. Without a kind it is about documents.
    pub(super) fn is_about(&self, object: &Value) -> bool {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_kind = self.kind.kind.is_empty() || text("kind") == self.kind.kind;
        self.kind == SubjectKind::default() || (is_kind && text("apiVersion") == self.kind.api_version())
    }

    /// Returns the answers about the creation of an object, the old side first.
    pub(super) fn evaluate_object(&self, object: &Value) -> [EngineVerdict; 2] {
        self.engines.each_ref().map(|engine| engine.evaluate_write(object, None, WriteKind::Create))
    }

    /// Returns the answer of the new side about an update that leaves all values as they are.
    pub(super) fn evaluate_unchanged(&self, object: &Value) -> EngineVerdict {
        let [_, new] = &self.engines;
        new.evaluate_write(object, Some(object), WriteKind::Update)
    }
}

/// Takes pairs of units of different notations about the same objects out of what has no partner, with the bindings of policies among
/// them.
fn pair_notations<'s>(matched: &mut MatchedUnits<'s>, run: &RunResources) -> Vec<PairedNotations<'s>> {
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
fn pair_named<'s>(units: [Found<'s>; 2], run: &RunResources) -> Result<PairedNotations<'s>, String> {
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
    let is_definition = |content: &UnitContent| matches!(content, UnitContent::Schema(_));
    let mut notes = Vec::new();
    if has(is_policy) && has(is_definition) {
        notes.push(
            "an update that leaves a violating value as it is passes the definition, and a policy that denies rejects it: such updates are not compared"
                .to_owned(),
        );
    }
    if has(is_policy) && has_subresources(units, &pair.kind) {
        notes.push(
            "writes of the objects themselves are compared, and not those of their subresources".to_owned(),
        );
    }
    if has(|content| matches!(content, UnitContent::JsonSchema(_))) && pair.kind != SubjectKind::default() {
        notes.push(format!(
            "objects with the fields and types of {} are compared; a JSON Schema sees no stored object, and fields that are not declared are left out",
            pair.kind.describe()
        ));
    }
    notes
}

/// True if requests for subresources change objects of the kind.
fn has_subresources(units: [&ComparableUnit; 2], kind: &SubjectKind) -> bool {
    let is_written = |unit: &ComparableUnit| match &unit.content {
        UnitContent::Schema(definition) => !definition.version.subresources.is_empty(),
        UnitContent::RuleSet(set) => !set.subject.version.subresources.is_empty(),
        _ => false,
    };
    let built_in = || kvrules_rule_set::built_in_subresources(&kind.group, &kind.version, &kind.plural);
    units.into_iter().any(is_written) || !built_in().is_empty()
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
