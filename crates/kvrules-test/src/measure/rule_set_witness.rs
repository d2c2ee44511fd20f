//! Objects for which a RuleSet and its mutant answer differently.

use std::rc::Rc;

use kvrules_apiserver::definition::RequestSelection;
use kvrules_generate::ObjectGenerator;
use kvrules_ir::Formula;
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleValues, lift_rule};
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use serde_json::{Map, Value, json};

use super::rule_set_edits::{ObjectEdit, list_edits, list_edits_of};
use super::witness::{Witness, WitnessSearch, put_value, shrink_while};

/// Number of values that are tried.
const TRIES: usize = 400;
/// Number of differing objects for which a request with another verdict is looked for.
const EMBEDDED: usize = 12;
/// Number of objects that are generated around a value.
const GENERATED: usize = 3;
/// Number of objects on which a formula is confirmed.
const CONFIRMED: usize = 60;

/// Number of updates between edited objects that are tried for each of them.
const UPDATES: usize = 400;
/// Number of edited objects that are tried.
const MOST_EDITED: usize = 20_000;
/// Number of edits for other rules.
const REPAIRS: usize = 6;

/// The RuleSet and its mutant.
pub(super) type Sides<'s> = (&'s RuleSet, &'s RuleSet);

/// The two sides of a comparison.
#[derive(Debug)]
pub(super) struct ComparedRules<'s> {
    pub(super) sides: Sides<'s>,
    /// The document of the RuleSet.
    pub(super) document: &'s Value,
    /// The rule as it is written, and with the change.
    pub(super) written: Vec<&'s Value>,
    /// The same rule of both sides; none if it is dropped.
    pub(super) rules: (&'s AuthoredRule, Option<&'s AuthoredRule>),
    /// Objects of cases, accepted or not.
    pub(super) objects: Vec<Value>,
}

impl ComparedRules<'_> {
    /// True if the rule is violated on one side alone, or with another consequence. All other rules are the same.
    fn differ(&self, witness: &Witness) -> bool {
        let (own, other) = self.sides;
        let object = own.read_object(&witness.object);
        let stored = Some(&witness.old).filter(|old| !old.is_null()).map(|old| own.read_object(old));
        let consequence = |set: &RuleSet, rule: &AuthoredRule| {
            set.is_violated(rule, &object, stored.as_deref()).then_some(rule.severity)
        };
        let (rule, changed) = self.rules;
        consequence(own, rule) != changed.and_then(|changed| consequence(other, changed))
    }
}

/// Looks for an object for which both sides have another verdict. The rule is the original one, at the values that it is about.
pub(super) fn find_rule_witness(
    search: &WitnessSearch<'_>,
    compared: &ComparedRules<'_>,
    rule: &DefinitionRule,
    formulas: Option<&LiftedExpression>,
) -> Option<Witness> {
    let mut left = EMBEDDED;
    let edits = compared.written.iter().flat_map(|written| list_edits(compared.sides.0, written));
    let edits: Vec<ObjectEdit> = edits.collect();
    let head = Value::Object(object_head(compared.sides.0));
    let bases: Vec<&Value> = std::iter::once(&head).chain(search.bases).chain(&compared.objects).collect();
    let candidates = edited_objects(&bases, &edits)
        .take(MOST_EDITED)
        .chain(generate_objects(search, compared, rule, formulas));
    for candidate in candidates {
        if !compared.differ(&candidate) {
            continue;
        }
        let smallest = shrink_while(candidate, &|it| compared.differ(it));
        if let Some(witness) = to_request(search, compared, &smallest) {
            return Some(witness);
        }
        left -= 1;
        if left == 0 {
            return None;
        }
    }
    None
}

/// Objects, the smallest first, and the same with edits. Most searches end with one of the first, so each is made when it is asked for.
fn edited_objects<'b>(bases: &'b [&'b Value], edits: &'b [ObjectEdit]) -> impl Iterator<Item = Witness> + 'b {
    let creation = |object: Value| Witness::of_object(object, None, false);
    let unchanged = bases.iter().map(move |base| creation((*base).clone()));
    let edited = bases.iter().flat_map(move |base: &'b &'b Value| {
        let edited: Rc<[Value]> = edits.iter().map(|edit| edit.apply(base)).collect();
        let at = move |edited: &Rc<[Value]>, index: usize| edited.get(index).cloned().unwrap_or_default();
        let (new, before, after, both) = (Rc::clone(&edited), Rc::clone(&edited), Rc::clone(&edited), edited);
        let count = edits.len();
        let creations = (0..count).map(move |index| creation(at(&new, index)));
        let from_edit =
            (0..count).map(move |index| Witness::of_object((*base).clone(), Some(at(&before, index)), false));
        let to_edit =
            (0..count).map(move |index| Witness::of_object(at(&after, index), Some((*base).clone()), false));
        // Updates from one edit to the other.
        let pairs = (0..count).flat_map(move |old| (0..count).map(move |new| (old, new))).take(UPDATES);
        let between =
            pairs.map(move |(old, new)| Witness::of_object(at(&both, new), Some(at(&both, old)), false));
        creations.chain(from_edit).chain(to_edit).chain(between)
    });
    unchanged.chain(edited)
}

/// Objects on which the formulas of the rule differ.
fn generate_objects<'s>(
    search: &'s WitnessSearch<'_>,
    compared: &ComparedRules<'_>,
    rule: &'s DefinitionRule,
    formulas: Option<&LiftedExpression>,
) -> impl Iterator<Item = Witness> + 's {
    let unknown = || LiftedExpression { holds: Formula::True, fails: Formula::False };
    let own = || lift_rule(rule, CONFIRMED).map_or_else(|_| unknown(), |lifted| lifted.formulas);
    let formulas = formulas.cloned().unwrap_or_else(own);
    let mut values = RuleValues::new(rule, &formulas);
    let head = object_head(compared.sides.0);
    (0..TRIES).flat_map(move |index| {
        let pair = values.next_pair(index);
        pair.map(|pair| embed_value(search, rule, &head, pair)).unwrap_or_default()
    })
}

/// The fields of every object of the subject, and the labels that `match` selects.
fn object_head(set: &RuleSet) -> Map<String, Value> {
    let version = &set.subject.version;
    let mut metadata = json!({"name": "a"});
    let labels = set.selection.as_ref().map(RequestSelection::example_labels).unwrap_or_default();
    if let (false, Some(metadata)) = (labels.is_empty(), metadata.as_object_mut()) {
        metadata.insert("labels".to_owned(), labels.into());
    }
    let head = json!({"apiVersion": version.api_version(), "kind": version.kind, "metadata": metadata});
    head.as_object().cloned().unwrap_or_default()
}

/// Whole objects with a value at the place of a rule.
fn embed_value(
    search: &WitnessSearch<'_>,
    rule: &DefinitionRule,
    head: &Map<String, Value>,
    (value, old): (Value, Option<Value>),
) -> Vec<Witness> {
    let with_head = |object: Value| overlay(&Value::Object(head.clone()), &object);
    if rule.place.is_empty() {
        let typed = |object: Value| {
            let mut whole = with_head(object);
            if let Some(fields) = whole.as_object_mut() {
                for name in ["apiVersion", "kind"] {
                    fields.extend(head.get(name).map(|value| (name.to_owned(), value.clone())));
                }
            }
            whole
        };
        return vec![Witness::of_object(typed(value), old.map(typed), false)];
    }
    let subject = search.original.rule_sets.first().map(|it| &it.set.subject);
    if let Some(subject) = subject.filter(|subject| subject.is_of_documents()) {
        let mut generator = ObjectGenerator::new(&subject.version.schema);
        let objects =
            (0..GENERATED).filter_map(|attempt| generator.generate_holding(&rule.place, attempt, &value));
        let documents =
            objects.map(|object| Witness::of_object(subject.evaluated_object(object), None, false));
        return documents.collect();
    }
    let around = |base: &Value| {
        let object = put_value(base, &rule.place, &value)?;
        let old = match &old {
            Some(old) => Some(put_value(base, &rule.place, old)?),
            None => None,
        };
        Some(Witness::of_object(object, old, false))
    };
    let mut found: Vec<Witness> = search.bases.iter().filter_map(around).collect();
    let root = search.original.rule_sets.first().map(|it| &it.set.subject.version.schema);
    if let Some(mut generator) = root.map(|root| ObjectGenerator::new(root)) {
        let objects = (0..GENERATED)
            .filter_map(|attempt| generator.generate_holding(&rule.place, attempt, &value))
            .map(with_head);
        found.extend(objects.filter_map(|object| around(&object)));
    }
    found
}

fn report_rules(set: &RuleSet, witness: &Witness) -> Vec<(String, RuleSeverity)> {
    let stored = Some(&witness.old).filter(|old| !old.is_null());
    let violated = set.find_violations(&witness.object, stored).into_iter();
    violated.map(|rule| (rule.name.clone(), rule.severity)).collect()
}

/// Returns a request with another verdict: the object itself, with the other fields of accepted objects, or with edits for the rules that
/// it violates on both sides.
fn to_request(
    search: &WitnessSearch<'_>,
    compared: &ComparedRules<'_>,
    smallest: &Witness,
) -> Option<Witness> {
    let over = |base: &Value| Witness {
        object: overlay(base, &smallest.object),
        old: if smallest.old.is_null() { Value::Null } else { overlay(base, &smallest.old) },
        ..smallest.clone()
    };
    let mut candidates = std::iter::once(smallest.clone()).chain(search.bases.iter().map(over));
    let found = candidates.find(|candidate| search.differs(candidate));
    let found = found.or_else(|| repair_others(search, compared, smallest.clone()))?;
    Some(shrink_while(found, &|it| search.differs(it)))
}

/// Edits an object until it violates no rule on both sides, while the sides differ.
fn repair_others(
    search: &WitnessSearch<'_>,
    compared: &ComparedRules<'_>,
    witness: Witness,
) -> Option<Witness> {
    let (own, other) = compared.sides;
    let shared = |witness: &Witness| -> Vec<String> {
        let others = report_rules(other, witness);
        let both = report_rules(own, witness).into_iter().filter(|it| others.contains(it));
        both.map(|(name, _)| name).collect()
    };
    let mut current = witness;
    for _ in 0..REPAIRS {
        if search.differs(&current) {
            return Some(current);
        }
        let violated = shared(&current);
        let names: Vec<&str> = violated.iter().map(String::as_str).collect();
        let edits = list_edits_of(own, compared.document, &names).into_iter();
        let mut edited = edits.map(|edit| Witness { object: edit.apply(&current.object), ..current.clone() });
        current = edited
            .find(|candidate| compared.differ(candidate) && shared(candidate).len() < violated.len())?;
    }
    None
}

/// An object with the fields of another over it.
fn overlay(base: &Value, over: &Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            let mut merged = base.clone();
            for (name, value) in over {
                let below = merged.get(name).map_or_else(|| value.clone(), |own| overlay(own, value));
                merged.insert(name.clone(), below);
            }
            Value::Object(merged)
        }
        (_, over) => over.clone(),
    }
}
