//! Two documents of extra-spec definitions, by what they let flavors say.
//!
//! Definitions are matched by name. Both documents are evaluated strictly: a key that matches none of their
//! definitions is rejected.

use std::collections::BTreeSet;

use kvrules_extra_specs::{
    Checker, Definition, DefinitionRegistry, EnumMember, ValidationMode, ValueType, may_share_keys,
};
use kvrules_regex::python::PythonRegex;
use kvrules_regex::{Automaton, TextDemands, TextSearch};
use serde_json::json;

use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction, Witness};

/// Compares two documents' definitions.
///
/// ```
/// use kvrules_diff::{Direction, extra_specs};
/// use kvrules_diagnostics::FileId;
///
/// let with = |most: u32| {
///     let text = format!("kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///                         - {{name: 'a:b', description: x, value: {{type: integer, max: {most}}}}}\n");
///     kvrules_extra_specs::parse_definitions(FileId(0), &text).0.expand_definitions()
/// };
/// let comparison = extra_specs::compare_definitions(&with(9), &with(5));
/// assert_eq!(comparison.changes[0].direction, Direction::Tightened);
/// assert_eq!(comparison.changes[0].refused.as_ref().unwrap().object, serde_json::json!({"a:b": "6"}));
/// ```
pub fn compare_definitions(old: &[Definition], new: &[Definition]) -> Comparison {
    let registries = [DefinitionRegistry::new([old.to_vec()]), DefinitionRegistry::new([new.to_vec()])];
    let [first, second] = &registries;
    let bench = DefinitionPair {
        registries: [first, second],
        old: Checker::new(first, ValidationMode::Strict),
        new: Checker::new(second, ValidationMode::Strict),
    };
    let mut comparison = Comparison::default();
    let named = |side: &'_ [Definition], name: &str| side.iter().position(|it| it.name == name);
    for before in old {
        comparison.compared += 1;
        let after = named(new, &before.name).and_then(|at| new.get(at));
        comparison.changes.extend(of_pair(Some(before), after, &bench));
    }
    for after in new.iter().filter(|after| named(old, &after.name).is_none()) {
        comparison.compared += 1;
        comparison.changes.extend(of_pair(None, Some(after), &bench));
    }
    comparison
}

/// Both documents, prepared for evaluation.
struct DefinitionPair<'r> {
    registries: [&'r DefinitionRegistry; 2],
    old: Checker<'r>,
    new: Checker<'r>,
}

impl DefinitionPair<'_> {
    /// True if definitions with other names may take keys of one.
    fn may_others_take_keys(&self, own: &Definition) -> bool {
        let all = self.registries.iter().flat_map(|registry| registry.definitions());
        all.filter(|other| other.name != own.name).any(|other| may_share_keys(own, other))
    }
}

/// The answer of a document to a pair.
enum PairVerdict {
    Accepted,
    Rejected(String),
    Undecided,
}

impl PairVerdict {
    fn of_checker(checker: &Checker<'_>, key: &str, value: &str) -> Self {
        let findings = checker.check_one(key, value);
        let is_undecided = findings.iter().any(kvrules_extra_specs::Finding::is_undecided);
        match findings.into_iter().find(kvrules_extra_specs::Finding::is_rejection) {
            Some(found) => Self::Rejected(found.message),
            None if is_undecided => Self::Undecided,
            None => Self::Accepted,
        }
    }
}

fn of_pair(
    before: Option<&Definition>,
    after: Option<&Definition>,
    bench: &DefinitionPair<'_>,
) -> Option<Change> {
    let limits = changed_limits(before, after);
    if limits.is_empty() && before.is_some() && after.is_some() {
        return None;
    }
    let name = before.or(after).map(|it| it.name.clone()).unwrap_or_default();
    let what = match (before, after) {
        (None, _) => "definition added",
        (_, None) => "definition removed",
        _ => "definition",
    };
    let mut change = Change::new(name, what, limits);
    let site = |side: Option<&Definition>| {
        side.and_then(|it| it.origin.span()).map_or(ChangeSite::Absent, ChangeSite::Span)
    };
    (change.old, change.new) = (site(before), site(after));
    let words = |limit: &ChangedLimit| matches!(limit.key.as_str(), "description" | "status");
    if before.is_some() && after.is_some() && change.limits.iter().all(words) {
        (change.direction, change.proved) = (Direction::MessageOnly, true);
        return Some(change);
    }
    let bound = implied_bound(before, after, bench);
    let sides: Vec<&Definition> = before.into_iter().chain(after).collect();
    let values: BTreeSet<String> = sides.iter().flat_map(|it| sample_values(&it.value.r#type)).collect();
    let mut values: Vec<String> = values.into_iter().collect();
    values.sort_by_key(|value| (value.len(), value.clone()));
    let between = before.zip(after).map(|(one, other)| distinguishing_texts(one, other)).unwrap_or_default();
    for key in sides.iter().flat_map(|it| sample_keys(it)) {
        for value in between.iter().chain(&values) {
            change.compare_verdicts(bench, &key, value, bound);
        }
    }
    change.conclude(bound, "value");
    Some(change)
}

impl Change {
    /// Evaluates a pair with both documents, and keeps it if it is the first to show a difference.
    fn compare_verdicts(
        &mut self,
        bench: &DefinitionPair<'_>,
        key: &str,
        value: &str,
        bound: ImpliedDirection,
    ) {
        self.objects += 1;
        let witness = |because: String| Some(Witness::new(json!({key: value}), because));
        let verdict = |checker| PairVerdict::of_checker(checker, key, value);
        match (verdict(&bench.old), verdict(&bench.new)) {
            (PairVerdict::Accepted, PairVerdict::Rejected(because))
                if self.refused.is_none() && bound != ImpliedDirection::Looser =>
            {
                self.refused = witness(because);
            }
            (PairVerdict::Rejected(because), PairVerdict::Accepted)
                if self.accepted.is_none() && bound != ImpliedDirection::Tighter =>
            {
                self.accepted = witness(because);
            }
            _ => {}
        }
    }
}

/// Returns the parts that are written differently.
fn changed_limits(before: Option<&Definition>, after: Option<&Definition>) -> Vec<ChangedLimit> {
    let parts = |side: Option<&Definition>| side.map(definition_parts).unwrap_or_default();
    let (old, new) = (parts(before), parts(after));
    let one_sided = before.is_none() || after.is_none();
    let keys: BTreeSet<&String> = old.iter().chain(&new).map(|(key, _)| key).collect();
    let value = |side: &[(String, String)], key: &str| {
        side.iter().find(|(known, _)| known == key).map(|it| it.1.clone())
    };
    let all = keys.into_iter().filter(|key| !one_sided || !matches!(key.as_str(), "description" | "status"));
    all.map(|key| ChangedLimit { key: key.clone(), before: value(&old, key), after: value(&new, key) })
        .filter(|limit| limit.before != limit.after)
        .collect()
}

fn definition_parts(definition: &Definition) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut put = |key: &str, text: String| parts.push((key.to_owned(), text));
    put("description", definition.description.clone());
    put("status", serde_json::to_value(&definition.status).unwrap_or_default().to_string());
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            put("type", "integer".to_owned());
            for (key, bound) in [("min", min), ("max", max)] {
                if let Some(bound) = bound {
                    put(key, bound.to_string());
                }
            }
        }
        ValueType::Boolean => put("type", "boolean".to_owned()),
        ValueType::String { members, pattern } => {
            put("type", "string".to_owned());
            if let Some(members) = members {
                let texts: Vec<_> = members.iter().map(EnumMember::value).collect();
                put("enum", texts.join(", "));
            }
            if let Some(pattern) = pattern {
                put("pattern", pattern.clone());
            }
        }
    }
    for parameter in &definition.parameters {
        put(&format!("parameter {}", parameter.name), parameter.pattern.clone());
    }
    parts
}

/// Returns the bound that follows from the definitions.
fn implied_bound(
    before: Option<&Definition>,
    after: Option<&Definition>,
    bench: &DefinitionPair<'_>,
) -> ImpliedDirection {
    let Some(own) = before.or(after) else { return ImpliedDirection::Open };
    if !own.is_patterned() {
        // The only key is decided by one definition of each side, whatever its name.
        let [one, other] = bench
            .registries
            .map(|registry| registry.find_definition(&own.name).map(|found| &found.definition.value.r#type));
        return type_bound(one, other, own);
    }
    match (before, after) {
        (Some(before), Some(after)) => {
            let patterns = |it: &Definition| -> Vec<String> {
                it.parameters.iter().map(|parameter| parameter.pattern.clone()).collect()
            };
            if patterns(before) != patterns(after) {
                return ImpliedDirection::Open;
            }
            type_bound(Some(&before.value.r#type), Some(&after.value.r#type), own)
        }
        // Other definitions may take its keys on the side that does not have it.
        _ if bench.may_others_take_keys(own) => ImpliedDirection::Open,
        (Some(_), None) => ImpliedDirection::Tighter,
        _ => ImpliedDirection::Looser,
    }
}

/// Returns the bound of a key whose values have another type; without a type the key is rejected. `model` is any definition.
fn type_bound(one: Option<&ValueType>, other: Option<&ValueType>, model: &Definition) -> ImpliedDirection {
    let (Some(one), Some(other)) = (one, other) else {
        return match (one, other) {
            (Some(_), _) => ImpliedDirection::Tighter,
            (None, Some(_)) => ImpliedDirection::Looser,
            (None, None) => ImpliedDirection::Equal,
        };
    };
    match (is_subset(one, other, model), is_subset(other, one, model)) {
        (true, true) => ImpliedDirection::Equal,
        (false, true) => ImpliedDirection::Tighter,
        (true, false) => ImpliedDirection::Looser,
        (false, false) => ImpliedDirection::Open,
    }
}

/// True if it is proved that every value of `one` is one of `other`.
fn is_subset(one: &ValueType, other: &ValueType, model: &Definition) -> bool {
    if one == other {
        return true;
    }
    match (one, other) {
        (ValueType::String { members: Some(members), pattern: None }, _) => {
            are_values_of(members, other, model)
        }
        // Every value is a text.
        (_, ValueType::String { members: None, pattern: None }) => true,
        (ValueType::Integer { min, max }, ValueType::Integer { min: least, max: most }) => {
            let above = least.is_none_or(|least| min.is_some_and(|min| min >= least));
            above && most.is_none_or(|most| max.is_some_and(|max| max <= most))
        }
        (ValueType::String { pattern: Some(own), .. }, ValueType::String { pattern: Some(its), .. }) => {
            own == its || between_patterns(own, its) == TextSearch::Nothing
        }
        _ => false,
    }
}

/// True if a type accepts each of some values.
fn are_values_of(members: &[EnumMember], other: &ValueType, model: &Definition) -> bool {
    const KEY: &str = "key";
    let mut only = Definition { name: KEY.to_owned(), parameters: Vec::new(), ..model.clone() };
    only.value.r#type = other.clone();
    let registry = DefinitionRegistry::new([vec![only]]);
    let checker = Checker::new(&registry, ValidationMode::Strict);
    members
        .iter()
        .all(|member| matches!(PairVerdict::of_checker(&checker, KEY, member.value()), PairVerdict::Accepted))
}

/// A text that one pattern matches and another does not.
fn between_patterns(one: &str, other: &str) -> TextSearch {
    let (Some(own), Some(its)) = (build_automaton(one), build_automaton(other)) else {
        return TextSearch::TooLarge;
    };
    TextDemands { matches: &[&own], lacks: &[&its], length: (0, None) }.find_text()
}

/// The automaton of the texts that a pattern matches as a whole.
fn build_automaton(pattern: &str) -> Option<Automaton> {
    PythonRegex::new(pattern).ok()?.to_regex().ok()?.to_automaton()
}

fn find_match(pattern: &str) -> Option<String> {
    let automaton = build_automaton(pattern)?;
    match (TextDemands { matches: &[&automaton], lacks: &[], length: (0, None) }).find_text() {
        TextSearch::Found(text) => Some(text),
        TextSearch::Nothing | TextSearch::TooLarge => None,
    }
}

/// Texts that only one of two patterns matches.
fn distinguishing_texts(before: &Definition, after: &Definition) -> Vec<String> {
    let pattern = |it: &Definition| match &it.value.r#type {
        ValueType::String { pattern, .. } => pattern.clone(),
        _ => None,
    };
    let (Some(one), Some(other)) = (pattern(before), pattern(after)) else { return Vec::new() };
    let both = [between_patterns(&one, &other), between_patterns(&other, &one)];
    let text = |found| if let TextSearch::Found(text) = found { Some(text) } else { None };
    both.into_iter().filter_map(text).collect()
}

/// Values around the constraints of a type.
fn sample_values(of: &ValueType) -> Vec<String> {
    let mut values: Vec<String> = ["1", "0", "-1", "true", "no", "a", "a b", ""].map(str::to_owned).to_vec();
    match of {
        ValueType::Integer { min, max } => {
            let near =
                min.iter().chain(max).flat_map(|bound| (-1..=1).map(move |step| bound.saturating_add(step)));
            values.extend(near.map(|number| number.to_string()));
        }
        ValueType::Boolean => {}
        ValueType::String { members, pattern } => {
            values.extend(members.iter().flatten().map(|member| member.value().to_owned()));
            values.extend(pattern.iter().filter_map(|pattern| find_match(pattern)));
        }
    }
    values
}

/// Keys that a definition takes.
fn sample_keys(definition: &Definition) -> Vec<String> {
    let mut keys = vec![definition.name.clone()];
    for parameter in &definition.parameters {
        let mut texts: Vec<String> = find_match(&parameter.pattern).into_iter().collect();
        texts.extend(["0", "1", "a", "_a", ""].map(str::to_owned));
        let filled = keys
            .iter()
            .flat_map(|key| texts.iter().map(|text| key.replace(&parameter.to_placeholder(), text)));
        keys = filled.collect();
        keys.truncate(64);
    }
    keys
}
