//! Values that a schema accepts and on which the atoms of a formula differ.

mod plain_integers;
mod reduced_schema;

use std::collections::{HashMap, HashSet};

use kvrules_apiserver::object::ObjectSchema;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom};
use kvrules_ir::{Collection, Constant, EntryVariables, Formula, Quantification, Term, VariableId};
use serde_json::{Value as Json, json};

use crate::facts::without_patterns;
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use plain_integers::with_plain_integers;
use reduced_schema::reduced_schema;

/// A change that is tried at the end of some steps.
struct Change {
    steps: Vec<PlaceStep>,
    edits: Vec<Edit>,
}

/// Something that is done to a value.
#[derive(Clone, Debug, PartialEq)]
enum Edit {
    /// It becomes this value.
    Set(Json),
    /// It is taken away.
    Remove,
    /// It is made, unless it is there.
    Make,
    /// It gets this size: of a text, list or map.
    Resize(usize),
    /// It gets a key with this name.
    AddKey(String),
}

/// Two places of one rule whose values are compared.
struct PlacePair(Vec<PlaceStep>, Vec<PlaceStep>);

/// Texts that the readings of the libraries accept, or nearly.
const TEXTS: &[&str] = &[
    "",
    "a",
    "a-b",
    "A",
    "10",
    "1Gi",
    "500m",
    "1h30m",
    "30s",
    "10.0.0.1",
    "10.0.0.0/8",
    "10.1.0.0/16",
    "fd00::1",
    "fd00::/64",
    "https://example.com:8443/a?b=c",
    "example.com",
    "1.2.3",
    "v1",
    "2024-01-01T00:00:00Z",
    "a.b/c",
    "0",
];

/// The longest text, list or map that is made on purpose.
const LONGEST: usize = 70;

/// Makes values that a rule's schema accepts or nearly accepts, and on which the atoms of its formulas differ.
pub struct RuleValues {
    schema: Json,
    wrapped: ObjectSchema,
    changes: Vec<Change>,
    pairs: Vec<PlacePair>,
    chance: PseudoRandom,
    is_transition: bool,
    optional_old: bool,
    /// Values of the schema, made when they are needed.
    built: Vec<Json>,
    chance_of_built: PseudoRandom,
}

/// Number of changes at one place that are made alone.
const MOST_ROUNDS: usize = 8;

/// Number of values with one change.
const MOST_CHANGED: usize = 40;

/// The number of values of the schema that are made.
const MOST_BUILT: usize = 60;

impl RuleValues {
    /// The values for a rule.
    pub fn new(rule: &DefinitionRule, formulas: &LiftedExpression) -> Self {
        Self { optional_old: rule.source.optional_old_self, ..Self::of_schema(&rule.schema, formulas) }
    }

    /// Values for a rule that need not match the patterns of its schema: rules run on them as well, and a text that a pattern
    /// matches takes long to find.
    pub(crate) fn with_any_texts(rule: &DefinitionRule, formulas: &LiftedExpression) -> Self {
        let optional_old = rule.source.optional_old_self;
        Self { optional_old, ..Self::of_schema(&without_patterns(&rule.schema), formulas) }
    }

    /// Values of a schema for formulas about `self`.
    pub(crate) fn of_schema(schema: &Json, formulas: &LiftedExpression) -> Self {
        let mut names = HashSet::new();
        for formula in [&formulas.holds, &formulas.fails] {
            formula.visit_terms(&mut |term| {
                if let Term::Field(_, name) = term {
                    names.insert(name.clone());
                }
            });
        }
        let schema = reduced_schema(schema, &names);
        let wrapped = ObjectSchema::new(&json!({"type": "object", "properties": {"v": schema}}));
        let mut collector = Collector::default();
        collector.collect(&formulas.holds);
        collector.collect(&formulas.fails);
        Self {
            wrapped: wrapped.without_metadata_checks(),
            changes: collector.changes(),
            pairs: collector.pairs,
            chance: PseudoRandom::new(),
            is_transition: collector.has_old,
            optional_old: false,
            built: Vec::new(),
            chance_of_built: PseudoRandom::new(),
            schema,
        }
    }

    /// A value of the schema.
    fn built_value(&mut self, index: usize) -> Json {
        let index = index % MOST_BUILT;
        let mut generator = ObjectGenerator::new(&self.schema);
        std::mem::swap(&mut generator.chance, &mut self.chance_of_built);
        while self.built.len() <= index {
            let next = self.built.len();
            // Of three, one has something changed that no formula names.
            self.built.push(match next % 3 {
                2 => generator.generate_object(next),
                _ => generator.generate_valid(next),
            });
        }
        std::mem::swap(&mut generator.chance, &mut self.chance_of_built);
        self.built.get(index).cloned().unwrap_or_default()
    }

    /// A value as the server stores it, and an old one where the rule is about updates. `None` if the schema rejects it.
    pub fn next_pair(&mut self, index: usize) -> Option<(Json, Option<Json>)> {
        let (value, old) = self.make_pair(index);
        let value = self.stored(&value)?;
        Some(match old {
            Some(old) => (value, Some(self.stored(&old)?)),
            None => (value, None),
        })
    }

    /// A value as people would write it, and an old one where the rule is about updates.
    pub(crate) fn make_pair(&mut self, index: usize) -> (Json, Option<Json>) {
        let value = self.make_value(index);
        if !self.is_transition {
            return (value, None);
        }
        let is_creation = self.optional_old && self.chance.number_below(4) == 0;
        let old = match self.chance.number_below(3) {
            0 => value.clone(),
            1 => {
                let mut old = value.clone();
                self.change(&mut old, 1);
                old
            }
            _ => self.make_value(index / 2),
        };
        (value, if is_creation { None } else { Some(old) })
    }

    /// A value as people would write it, with defaults left out.
    pub fn make_value(&mut self, index: usize) -> Json {
        let mut value = self.built_value(index);
        self.change(&mut value, 2);
        if self.chance.number_below(6) == 0 {
            repeat_item(&mut value);
        }
        value
    }

    /// Returns a value with each of the changes that distinguish the formulas made alone, as far as they change it: the first of each
    /// place first.
    pub fn changed_values(&self, value: &Json) -> Vec<Json> {
        let mut chance = PseudoRandom::new();
        let mut found = Vec::new();
        for round in 0..MOST_ROUNDS {
            for change in &self.changes {
                let Some(edit) = change.edits.get(round) else { continue };
                let mut changed = value.clone();
                edit_value(&mut changed, &self.schema, &change.steps, edit, &mut chance);
                if changed != *value && !found.contains(&changed) && found.len() < MOST_CHANGED {
                    found.push(changed);
                }
            }
        }
        found
    }

    /// Applies some of the changes: of `1 / rarity`.
    fn change(&mut self, value: &mut Json, rarity: usize) {
        for index in 0..self.changes.len() {
            if self.chance.number_below(rarity + 1) != 0 {
                continue;
            }
            let Some(change) = self.changes.get(index) else { continue };
            let Some(edit) = self.chance.choose_one(&change.edits).cloned() else { continue };
            let steps = change.steps.clone();
            let schema = std::mem::take(&mut self.schema);
            edit_value(value, &schema, &steps, &edit, &mut self.chance);
            self.schema = schema;
        }
        for index in 0..self.pairs.len() {
            let Some(PlacePair(from, to)) = self.pairs.get(index) else { continue };
            let (from, to) = if self.chance.number_below(2) == 0 { (from, to) } else { (to, from) };
            let (from, to) = (from.clone(), to.clone());
            if self.chance.number_below(rarity + 1) == 0
                && let Some(found) = kvrules_generate::value_at(value, &from).cloned()
            {
                let schema = std::mem::take(&mut self.schema);
                let edit = Edit::Set(nearby(found, &mut self.chance));
                edit_value(value, &schema, &to, &edit, &mut self.chance);
                self.schema = schema;
            }
        }
    }

    /// The value as the server stores it, if the schema accepts it.
    pub fn accepted_value(&self, value: &Json) -> Option<Json> {
        let admission = self.wrapped.admit_object(&json!({ "v": value }), None);
        admission.stored.get("v").filter(|_| admission.is_accepted()).map(with_plain_integers)
    }

    /// The value as the server reads it, before it validates it.
    pub(crate) fn decoded(&self, value: &Json) -> Option<Json> {
        let decoded = self.wrapped.decode_new_object(&json!({ "v": value }))?;
        decoded.get("v").filter(|value| !value.is_null()).map(with_plain_integers)
    }

    /// The value as the server stores it, if rules run on it.
    pub(crate) fn stored(&self, value: &Json) -> Option<Json> {
        let admission = self.wrapped.admit_object(&json!({ "v": value }), None);
        // Violated bounds and patterns do not keep rules from running.
        let runs = admission
            .errors
            .iter()
            .all(|error| matches!(error.reason.as_str(), "FieldValueInvalid" | "FieldValueDuplicate"));
        let value = admission.stored.get("v").filter(|value| runs && !value.is_null())?;
        Some(with_plain_integers(value))
    }
}

/// Repeats the last item of the lists in a value: rules are about equal items too.
fn repeat_item(value: &mut Json) {
    match value {
        Json::Array(items) => {
            items.iter_mut().for_each(repeat_item);
            let last = items.last().cloned();
            items.extend(last);
        }
        Json::Object(fields) => fields.values_mut().for_each(repeat_item),
        _ => {}
    }
}

/// The same number or one next to it.
fn nearby(value: Json, chance: &mut PseudoRandom) -> Json {
    match value.as_i64() {
        Some(number) => match chance.number_below(3) {
            0 => number.saturating_add(1).into(),
            1 => number.saturating_sub(1).into(),
            _ => value,
        },
        None => value,
    }
}

/// Edits the value at the end of some steps, with what is missing on the way made from the schema.
fn edit_value(object: &mut Json, schema: &Json, steps: &[PlaceStep], edit: &Edit, chance: &mut PseudoRandom) {
    let Some((step, rest)) = steps.split_first() else {
        return apply_edit(object, schema, edit);
    };
    let is_removed = rest.is_empty() && *edit == Edit::Remove;
    match (step, object) {
        (PlaceStep::Field(name), Json::Object(fields)) => {
            if is_removed {
                fields.remove(name);
                return;
            }
            let property = schema.get("properties").and_then(|it| it.get(name));
            let below = property.or_else(|| schema.get("additionalProperties").filter(|it| it.is_object()));
            let Some(below) = below else { return };
            let index = chance.number_below(60);
            let make = || ObjectGenerator::new(below).generate_valid(index);
            edit_value(fields.entry(name.clone()).or_insert_with(make), below, rest, edit, chance);
        }
        (PlaceStep::Any, Json::Array(items)) => {
            let Some(below) = schema.get("items") else { return };
            if is_removed {
                items.pop();
                return;
            }
            edit_items(items, below, rest, edit, chance);
        }
        (PlaceStep::Any, Json::Object(fields)) => {
            let Some(below) = schema.get("additionalProperties").filter(|it| it.is_object()) else { return };
            let known = fields.keys().nth(chance.number_below(3)).cloned();
            let key = known.unwrap_or_else(|| {
                ["a", "b", "c"].get(chance.number_below(3)).map_or("a", |key| *key).to_owned()
            });
            if is_removed {
                fields.remove(&key);
                return;
            }
            let index = chance.number_below(60);
            let make = || ObjectGenerator::new(below).generate_valid(index);
            edit_value(fields.entry(key).or_insert_with(make), below, rest, edit, chance);
        }
        _ => {}
    }
}

/// Edits one item of a list, a new one, or all of them.
fn edit_items(
    items: &mut Vec<Json>,
    schema: &Json,
    steps: &[PlaceStep],
    edit: &Edit,
    chance: &mut PseudoRandom,
) {
    if items.is_empty() || chance.number_below(4) == 0 && items.len() < 5 {
        items.push(ObjectGenerator::new(schema).generate_valid(chance.number_below(60)));
    }
    let at = if chance.number_below(5) == 0 { None } else { Some(chance.number_below(items.len())) };
    for (index, item) in items.iter_mut().enumerate() {
        if at.is_none_or(|at| at == index) {
            edit_value(item, schema, steps, edit, chance);
        }
    }
}

fn apply_edit(value: &mut Json, schema: &Json, edit: &Edit) {
    let generate = |keyword: &str, index: usize| {
        let below = schema.get(keyword).cloned().unwrap_or_default();
        ObjectGenerator::new(&below).generate_valid(index)
    };
    match (edit, &mut *value) {
        (Edit::Set(new), _) => *value = new.clone(),
        (Edit::AddKey(key), Json::Object(fields)) => {
            fields.insert(key.clone(), generate("additionalProperties", key.len()));
        }
        (Edit::Resize(size), Json::Array(items)) => {
            items.truncate(*size);
            items.extend((items.len()..*size).map(|index| generate("items", index)));
        }
        (Edit::Resize(size), Json::Object(fields)) => {
            let known = std::mem::take(fields).into_iter();
            let more = (0..*size).map(|index| (format!("k{index}"), generate("additionalProperties", index)));
            *fields = known.chain(more).take(*size).collect();
        }
        (Edit::Resize(size), Json::String(text)) => *text = "a".repeat(*size),
        (Edit::Remove | Edit::Make | Edit::Resize(_) | Edit::AddKey(_), _) => {}
    }
}

/// Collects the places that a formula names, with values that make a difference there.
#[derive(Default)]
struct Collector {
    variables: HashMap<VariableId, Vec<PlaceStep>>,
    /// The maps whose keys are variables.
    keys: HashMap<VariableId, Vec<PlaceStep>>,
    found: Vec<(Vec<PlaceStep>, Vec<Edit>)>,
    pairs: Vec<PlacePair>,
    has_old: bool,
}

impl Collector {
    fn collect(&mut self, formula: &Formula) {
        match formula {
            Formula::True | Formula::False => {}
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| self.collect(part)),
            Formula::Not(inner) => self.collect(inner),
            Formula::Defined(term) => self.note_term(term),
            Formula::Compare { left, right, .. } => {
                self.note_comparison(left, right);
                self.note_comparison(right, left);
                if let (Some(left), Some(right)) = (self.place_of(left), self.place_of(right)) {
                    self.pairs.push(PlacePair(left, right));
                }
                self.note_term(left);
                self.note_term(right);
            }
            Formula::Each(it) | Formula::Some(it) => self.collect_quantified(it),
        }
    }

    fn collect_quantified(&mut self, it: &Quantification) {
        self.note_term(&it.range);
        self.bind(&it.range, it.entry);
        self.collect(&it.holds);
    }

    fn bind(&mut self, range: &Term, entry: EntryVariables) {
        let Some(place) = self.place_of(range) else { return };
        if let Some(key) = entry.key {
            self.keys.insert(key, place.clone());
        }
        if let Some(value) = entry.value {
            self.variables.insert(value, place.into_iter().chain([PlaceStep::Any]).collect());
        }
    }

    /// The place of a path in `self` or in the old value.
    fn place_of(&self, term: &Term) -> Option<Vec<PlaceStep>> {
        match term {
            Term::Root(_) => Some(Vec::new()),
            Term::Variable(variable) => self.variables.get(variable).cloned(),
            Term::Field(of, name) => {
                let mut place = self.place_of(of)?;
                place.push(PlaceStep::Field(name.clone()));
                Some(place)
            }
            Term::Index(of, _) => {
                let mut place = self.place_of(of)?;
                place.push(PlaceStep::Any);
                Some(place)
            }
            Term::Collect(it) => match &it.result {
                Term::Variable(_) => self.place_of(&it.range),
                _ => None,
            },
            _ => None,
        }
    }

    fn note_comparison(&mut self, term: &Term, other: &Term) {
        let Term::Constant(constant) = other else { return };
        match term {
            Term::Call(call) if call.function == "size" => {
                let Some(of) = call.arguments.first() else { return };
                let Constant::Integer(number) = constant else { return };
                let sizes = [number.saturating_sub(1), *number, number.saturating_add(1)];
                let sizes = sizes.iter().filter_map(|size| usize::try_from(*size).ok());
                let sizes: Vec<usize> = sizes.map(|size| size.min(LONGEST)).collect();
                if let Term::Variable(variable) = of
                    && let Some(map) = self.keys.get(variable)
                {
                    let key = |size: &usize| Edit::AddKey("k".repeat(*size));
                    self.found.push((map.clone(), sizes.iter().map(key).collect()));
                }
                if let Some(place) = self.place_of(of) {
                    self.found.push((place, sizes.into_iter().map(Edit::Resize).collect()));
                }
            }
            // Of `self.kind.lowerAscii() == 'pod'`, both cases.
            Term::Call(call) => {
                if let Constant::Text(text) = constant {
                    let texts = [text.clone(), text.to_uppercase(), format!(" {text}")];
                    for of in &call.arguments {
                        self.note_texts(of, texts.iter().cloned());
                    }
                }
            }
            Term::Variable(variable) if self.keys.contains_key(variable) => {
                if let Constant::Text(text) = constant {
                    self.note_texts(term, [text.clone()]);
                }
            }
            term => {
                if let Some(place) = self.place_of(term) {
                    self.found.push((place, near(constant)));
                }
            }
        }
    }

    /// Notes texts for a place or for the keys of a map.
    fn note_texts(&mut self, term: &Term, texts: impl IntoIterator<Item = String>) {
        if let Term::Variable(variable) = term
            && let Some(map) = self.keys.get(variable)
        {
            let edits = texts.into_iter().map(Edit::AddKey).collect();
            self.found.push((map.clone(), edits));
        } else if let Some(place) = self.place_of(term) {
            self.found.push((place, texts.into_iter().map(|text| Edit::Set(text.into())).collect()));
        }
    }

    fn note_term(&mut self, term: &Term) {
        match term {
            Term::Root(name) => self.has_old |= name == "oldSelf",
            Term::Constant(_) | Term::Variable(_) => {}
            Term::Field(of, _) => {
                if let Some(place) = self.place_of(term) {
                    self.found.push((place, vec![Edit::Remove, Edit::Make]));
                }
                self.note_term(of);
            }
            Term::Index(of, key) => {
                if let (Some(place), Term::Constant(Constant::Integer(number))) = (self.place_of(of), &**key)
                {
                    let sizes = [0, *number, number.saturating_add(1)].map(usize::try_from);
                    let sizes = sizes.into_iter().flatten().filter(|size| *size <= LONGEST);
                    self.found.push((place, sizes.map(Edit::Resize).collect()));
                }
                self.note_term(of);
                self.note_term(key);
            }
            Term::Call(call) => self.note_call(&call.function, &call.arguments),
            Term::List(items) => items.iter().for_each(|item| self.note_term(item)),
            Term::Collect(it) => self.note_collection(it),
            Term::Tally(parts) => parts.iter().for_each(|part| self.collect(part)),
        }
    }

    fn note_collection(&mut self, it: &Collection) {
        self.note_term(&it.range);
        self.bind(&it.range, it.entry);
        self.collect(&it.selected);
        self.collect(&it.left_out);
        self.note_term(&it.result);
    }

    fn note_call(&mut self, function: &str, arguments: &[Term]) {
        let texts = arguments.iter().filter_map(|argument| match argument {
            Term::Constant(Constant::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        for argument in arguments {
            if function != "size" {
                let around = texts.iter().flat_map(|text| text_examples(function, text));
                self.note_texts(argument, around.chain(TEXTS.iter().map(|text| (*text).to_owned())));
            }
            self.note_term(argument);
        }
    }

    /// The changes, one for each place.
    fn changes(&self) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for (steps, edits) in &self.found {
            match changes.iter_mut().find(|change| change.steps == *steps) {
                Some(change) => {
                    let new: Vec<_> = edits.iter().filter(|it| !change.edits.contains(it)).cloned().collect();
                    change.edits.extend(new);
                }
                None => changes.push(Change { steps: steps.clone(), edits: edits.clone() }),
            }
        }
        changes
    }
}

/// Texts that a function with a text as its other argument treats differently.
fn text_examples(function: &str, text: &str) -> Vec<String> {
    let mut texts = vec![text.to_owned(), format!("{text}a"), format!("a{text}"), format!("a{text}b")];
    if function == "matches" {
        texts.extend(kvrules_generate::text_matching(text));
    }
    texts
}

/// A constant, and values next to it.
fn near(constant: &Constant) -> Vec<Edit> {
    let values = match constant {
        Constant::Null => vec![json!(null)],
        Constant::Boolean(_) => vec![json!(true), json!(false)],
        Constant::Integer(number) => {
            let numbers = [*number, number.saturating_add(1), number.saturating_sub(1)];
            numbers.iter().map(|number| json!(number)).chain([json!(number.to_string())]).collect()
        }
        Constant::Unsigned(number) => vec![json!(number)],
        Constant::Float(number) => vec![json!(number), json!(number + 0.5), json!(number - 0.5)],
        Constant::Text(text) => vec![json!(text), json!(format!("{text}x")), json!("other")],
        Constant::Type(_) => vec![json!(1), json!("1")],
    };
    values.into_iter().map(Edit::Set).collect()
}
