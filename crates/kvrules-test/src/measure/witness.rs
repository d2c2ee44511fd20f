//! Objects for which a document and its mutant answer differently.

use std::cell::Cell;
use std::cmp::Reverse;
use std::sync::Arc;

use kvrules_apiserver::crd::CompiledSchema;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_generate::{ObjectGenerator, PlaceStep, value_at, with_value_at};
use kvrules_ir::Formula;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleValues};
use serde_json::{Value, json};

use super::coverage::remove_rules;
use super::reach::reach_place;
use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::model::{AuthorizerDecision, CaseInput, CaseWrites, Expectation, TestCase};
use crate::run::answer_case;
use crate::subject::Subject;

/// Number of values that are tried.
const TRIES: usize = 400;
/// Number of values that are put into whole objects.
const EMBEDDED: usize = 12;
/// Number of objects that are generated around a value.
const GENERATED: usize = 4;
/// Number of accepted objects that a value is put into with what leads to it, and of choices for each.
const REACHED: usize = 3;
const CHOICES: usize = 2;

/// Number of smaller objects that are tried for one witness.
const MOST_SHRINKINGS: usize = 400;

/// A request that distinguishes a rule from its mutant: the object, and the stored one of an update.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Witness {
    pub(super) object: Value,
    pub(super) old: Value,
    /// True for a write of the status.
    pub(super) is_status: bool,
    /// Parts of the request that policies read.
    pub(super) facts: RequestFacts,
}

/// Parts of a request other than its objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RequestFacts {
    pub(super) operation: String,
    pub(super) subresource: String,
    pub(super) user: Value,
    pub(super) namespace_object: Value,
    pub(super) params: Vec<(String, Value)>,
    pub(super) resource: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) options: Value,
    pub(super) decisions: Option<Vec<AuthorizerDecision>>,
}

impl RequestFacts {
    /// Returns those of a case.
    pub(super) fn of_input(input: &CaseInput) -> Self {
        Self {
            operation: input.operation.clone(),
            subresource: input.subresource.clone(),
            user: input.user.clone(),
            namespace_object: input.namespace_object.clone(),
            params: input.params.clone(),
            resource: input.resource.clone(),
            name: input.name.clone(),
            namespace: input.namespace.clone(),
            options: input.options.clone(),
            decisions: input.decisions.clone(),
        }
    }

    /// True if a suite of our own can state them.
    pub(super) fn is_representable(&self) -> bool {
        let known = Self {
            operation: self.operation.clone(),
            subresource: self.subresource.clone(),
            user: self.user.clone(),
            namespace_object: self.namespace_object.clone(),
            params: self.params.clone(),
            ..Self::default()
        };
        *self == known
    }
}

impl Witness {
    /// Creates the request for an object. One with a status that is a subresource replaces the object without it, or with the old
    /// status.
    pub(super) fn of_object(object: Value, old: Option<Value>, is_status: bool) -> Self {
        let without_status = || {
            let mut object = object.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.shift_remove("status");
            }
            object
        };
        let old = old.or_else(|| is_status.then(without_status)).unwrap_or_default();
        Self { object, old, is_status, facts: RequestFacts::default() }
    }

    /// Returns the input of a case with this request.
    pub(super) fn to_input(&self) -> CaseInput {
        CaseInput {
            object: self.object.clone(),
            old_object: self.old.clone(),
            writes: if self.is_status { CaseWrites::Status } else { CaseWrites::Object },
            operation: self.facts.operation.clone(),
            subresource: self.facts.subresource.clone(),
            user: self.facts.user.clone(),
            namespace_object: self.facts.namespace_object.clone(),
            params: self.facts.params.clone(),
            resource: self.facts.resource.clone(),
            name: self.facts.name.clone(),
            namespace: self.facts.namespace.clone(),
            options: self.facts.options.clone(),
            decisions: self.facts.decisions.clone(),
            ..CaseInput::default()
        }
    }
}

/// True if a place is in the status, and that is a subresource.
pub(super) fn is_in_status(search: &WitnessSearch<'_>, place: &[PlaceStep]) -> bool {
    let head = search.bases.first().unwrap_or(&search.case.input.object);
    let text = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
    let definition = search.original.find_definition(text("apiVersion"), text("kind"));
    let schema = definition.and_then(|it| it.find_schema(text("apiVersion"), search.case.input.server));
    let is_status = matches!(place.first(), Some(PlaceStep::Field(name)) if name == "status");
    is_status && schema.is_some_and(ObjectSchema::has_status)
}

/// Subjects of a search: the rules, and their mutant.
pub(super) struct WitnessSearch<'s> {
    pub(super) original: &'s Subject,
    pub(super) mutant: &'s Subject,
    /// A case whose request other than the objects is used.
    pub(super) case: &'s TestCase,
    /// Objects that the rules accept.
    pub(super) bases: &'s [Value],
    /// Number of requests that a side answered.
    pub(super) answered: Cell<usize>,
}

impl WitnessSearch<'_> {
    /// Looks for values of a rule's place that the rule and its mutant distinguish, and puts them into objects.
    pub(super) fn find(
        &self,
        rule: &DefinitionRule,
        changed: &DefinitionRule,
        formulas: Option<&LiftedExpression>,
    ) -> Option<Witness> {
        let unknown = LiftedExpression { holds: Formula::True, fails: Formula::False };
        let mut values = RuleValues::new(rule, formulas.unwrap_or(&unknown));
        let (own, other) = (single_rule(rule), single_rule(changed));
        let mut left = EMBEDDED;
        for index in 0..TRIES {
            let Some((value, old)) = values.next_pair(index) else { continue };
            let (wrapped, wrapped_old) = (json!({"v": value}), old.as_ref().map(|old| json!({"v": old})));
            let is_accepted = |schema: &CompiledSchema| {
                schema.validate_object(&wrapped, wrapped_old.as_ref()).errors.is_empty()
            };
            if is_accepted(&own) == is_accepted(&other) {
                continue;
            }
            if let Some(witness) = self.embed(rule, &value, old.as_ref()) {
                return Some(self.shrink(witness));
            }
            left -= 1;
            if left == 0 {
                return None;
            }
        }
        None
    }

    /// True if the two sides answer differently.
    pub(super) fn differs(&self, witness: &Witness) -> bool {
        let verdict = |subject| self.verdict(subject, witness);
        match (verdict(self.original), verdict(self.mutant)) {
            (AnswerVerdict::Unevaluated, _) | (_, AnswerVerdict::Unevaluated) => false,
            (one, other) => one != other,
        }
    }

    /// True if the two sides answer differently: another verdict, or other rules that are violated.
    pub(super) fn differs_in_rules(&self, witness: &Witness) -> bool {
        let [one, other] = [self.original, self.mutant].map(|subject| self.answer(subject, witness));
        if [&one, &other].iter().any(|answer| answer.verdict == AnswerVerdict::Unevaluated) {
            return false;
        }
        let rules = |answer: &CaseAnswer| -> Vec<Vec<String>> {
            answer.violations.iter().map(|violation| violation.rules.clone()).collect()
        };
        let places = |answer: &CaseAnswer| -> Vec<Option<String>> {
            // The names after the place have the expression, which is another one.
            rules(answer).into_iter().map(|names| names.into_iter().nth(1)).collect()
        };
        one.verdict != other.verdict || places(&one) != places(&other)
    }

    /// Returns the verdict of the rules themselves.
    fn verdict(&self, subject: &Subject, witness: &Witness) -> AnswerVerdict {
        self.answer(subject, witness).verdict
    }

    fn answer(&self, subject: &Subject, witness: &Witness) -> CaseAnswer {
        self.answered.set(self.answered.get() + 1);
        let initial = (!witness.old.is_null()).then(|| Arc::clone(&self.case.subject));
        let input = CaseInput { initial_subject: initial, ..witness.to_input() };
        // As the suggested case is evaluated, which is no example.
        let case = TestCase { input, expected: Expectation::default(), ..self.case.clone() };
        answer_case(&case, subject)
    }

    fn embed(&self, rule: &DefinitionRule, value: &Value, old: Option<&Value>) -> Option<Witness> {
        let put = |base: &Value, value: &Value| {
            if rule.place.is_empty() {
                return Some(with_type(value, base));
            }
            let (parent, last) = (rule.place.get(..rule.place.len() - 1)?, rule.place.last()?);
            let is_possible = match (value_at(base, parent)?, last) {
                (Value::Object(_), PlaceStep::Field(_)) => true,
                (Value::Array(items), PlaceStep::Any) => !items.is_empty(),
                (Value::Object(fields), PlaceStep::Any) => fields.contains_key("a"),
                _ => false,
            };
            if !is_possible {
                return None;
            }
            put_value(base, &rule.place, value)
        };
        let is_status = is_in_status(self, &rule.place);
        let of_base = |base: &Value| {
            let object = put(base, value)?;
            let old = match old {
                Some(old) => Some(put(base, old)?),
                None => None,
            };
            Some(Witness::of_object(object, old, is_status)).filter(|witness| self.differs(witness))
        };
        let found = self.bases.iter().find_map(of_base);
        let found = found.or_else(|| self.embed_names(rule, value, old));
        found
            .or_else(|| self.embed_below(rule, value, old))
            .or_else(|| self.generate_around(rule, value, old))
    }

    /// Puts the names and labels of a whole object into accepted objects.
    fn embed_names(&self, rule: &DefinitionRule, value: &Value, old: Option<&Value>) -> Option<Witness> {
        let with_names = |base: &Value, value: &Value| {
            let mut object = base.clone();
            let names = value.get("metadata").and_then(Value::as_object)?;
            object.get_mut("metadata")?.as_object_mut()?.extend(names.clone());
            Some(object)
        };
        let to_witness = |base: &Value| {
            let old = match old {
                Some(old) => Some(with_names(base, old)?),
                None => None,
            };
            Some(Witness::of_object(with_names(base, value)?, old, false)).filter(|it| self.differs(it))
        };
        rule.place.is_empty().then(|| self.bases.iter().find_map(to_witness)).flatten()
    }

    /// The object whose type and names a request has.
    fn head(&self) -> &Value {
        self.bases.first().unwrap_or(&self.case.input.object)
    }

    /// The schema of the objects in the definition; none for another kind of subject.
    pub(super) fn root_schema(&self) -> Option<&Value> {
        let api_version = self.head().get("apiVersion").and_then(Value::as_str)?;
        let kind = self.head().get("kind").and_then(Value::as_str)?;
        let definition = self.original.find_definition(api_version, kind)?;
        definition.find_version(api_version.rsplit('/').next()?)?.pointer("/schema/openAPIV3Schema")
    }

    /// Accepted objects with a value at a place, and with what leads to it.
    pub(super) fn reach_around(&self, place: &[PlaceStep], value: &Value) -> Vec<Value> {
        let Some(schema) = self.root_schema() else { return Vec::new() };
        // Those that have most of the way, the small ones first.
        let has_steps = |base: &Value, count: usize| {
            place.get(..count).is_some_and(|steps| value_at(base, steps).is_some())
        };
        let missing =
            |base: &&Value| Reverse((1..place.len()).filter(|count| has_steps(base, *count)).count());
        let mut bases: Vec<&Value> = self.bases.iter().collect();
        bases.sort_by_cached_key(missing);
        bases.truncate(REACHED);
        let reach =
            |base| (0..CHOICES).filter_map(move |attempt| reach_place(base, schema, place, value, attempt));
        let mut objects: Vec<Value> = Vec::new();
        for object in bases.into_iter().flat_map(reach) {
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        objects
    }

    /// Puts a value into accepted objects that lack what leads to it.
    fn embed_below(&self, rule: &DefinitionRule, value: &Value, old: Option<&Value>) -> Option<Witness> {
        let is_status = is_in_status(self, &rule.place);
        let to_witness = |object: Value| {
            let old = match old {
                Some(old) => Some(put_value(&object, &rule.place, old)?),
                None => None,
            };
            Some(Witness::of_object(object, old, is_status)).filter(|witness| self.differs(witness))
        };
        self.reach_around(&rule.place, value).into_iter().find_map(to_witness)
    }

    /// Puts a value into objects that are generated around it.
    fn generate_around(&self, rule: &DefinitionRule, value: &Value, old: Option<&Value>) -> Option<Witness> {
        let head = self.head();
        let schema = self.root_schema()?;
        let mut generator = ObjectGenerator::new(schema);
        (0..GENERATED).find_map(|attempt| {
            let object = with_head(&generator.generate_holding(&rule.place, attempt, value)?, head);
            let old = match old {
                Some(old) => Some(put_value(&object, &rule.place, old)?),
                None => None,
            };
            let witness = Witness::of_object(object, old, is_in_status(self, &rule.place));
            Some(witness).filter(|witness| self.differs(witness))
        })
    }

    /// Removes fields and items while both sides still differ.
    pub(super) fn shrink(&self, witness: Witness) -> Witness {
        shrink_while(witness, &|witness| self.differs(witness))
    }
}

/// Removes fields and items while a condition holds, as long as few candidates are asked about.
pub(super) fn shrink_while(witness: Witness, is_kept: &dyn Fn(&Witness) -> bool) -> Witness {
    let mut smallest = witness;
    let left = Cell::new(MOST_SHRINKINGS);
    let is_kept = |witness: &Witness| {
        left.set(left.get().saturating_sub(1));
        left.get() > 0 && is_kept(witness)
    };
    while left.get() > 0 {
        let of_object = smaller_values(&smallest.object).into_iter();
        let of_object = of_object.map(|object| Witness { object, ..smallest.clone() });
        let of_old = smaller_values(&smallest.old).into_iter().map(|old| Witness { old, ..smallest.clone() });
        match of_object.chain(of_old).find(|smaller| is_kept(smaller)) {
            Some(smaller) => smallest = smaller,
            None => return smallest,
        }
    }
    smallest
}

/// Puts a value at a place whose parent exists.
pub(super) fn put_value(base: &Value, place: &[PlaceStep], value: &Value) -> Option<Value> {
    let mut base = base.clone();
    if let Some((PlaceStep::Field(name), parent)) = place.split_last() {
        // The field itself may be missing.
        let parent_value = value_at(&base, parent)?;
        let mut fields = parent_value.as_object()?.clone();
        fields.insert(name.clone(), value.clone());
        if parent.is_empty() {
            return Some(Value::Object(fields));
        }
        base = with_value_at(&base, parent, Some(&Value::Object(fields)))?;
        return Some(base);
    }
    with_value_at(&base, place, Some(value))
}

/// Returns an object with the type and the names of another.
pub(super) fn with_head(object: &Value, head: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        for name in ["apiVersion", "kind", "metadata"] {
            if let Some(value) = head.get(name) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
    }
    object
}

/// Returns an object with the type of another, and its names unless it has its own.
fn with_type(object: &Value, head: &Value) -> Value {
    let mut typed = with_head(object, head);
    let own = object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(metadata) = typed.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.extend(own);
    }
    typed
}

/// A schema with one rule and no other, below the field `v`.
fn single_rule(rule: &DefinitionRule) -> CompiledSchema {
    let mut schema = (*rule.schema).clone();
    remove_rules(&mut schema);
    let optional = rule.source.optional_old_self;
    let entry = json!({"rule": rule.source.rule, "message": "differs", "optionalOldSelf": optional});
    if let Some(fields) = schema.as_object_mut() {
        fields.insert(VALIDATIONS.to_owned(), json!([entry]));
    }
    CompiledSchema::new(&json!({"type": "object", "properties": {"v": schema}}))
}

/// Values with one field or item less, the largest parts first.
fn smaller_values(value: &Value) -> Vec<Value> {
    let mut smaller = Vec::new();
    match value {
        Value::Object(fields) => {
            for name in
                fields.keys().filter(|name| !["apiVersion", "kind", "metadata"].contains(&name.as_str()))
            {
                let mut fields = fields.clone();
                fields.shift_remove(name);
                smaller.push(Value::Object(fields));
            }
            for (name, child) in fields {
                smaller.extend(smaller_values(child).into_iter().map(|child| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), child);
                    Value::Object(fields)
                }));
            }
        }
        Value::Array(items) => {
            for index in 0..items.len() {
                let mut items = items.clone();
                items.remove(index);
                smaller.push(Value::Array(items));
            }
            for (index, child) in items.iter().enumerate() {
                smaller.extend(smaller_values(child).into_iter().map(|child| {
                    let mut items = items.clone();
                    if let Some(item) = items.get_mut(index) {
                        *item = child;
                    }
                    Value::Array(items)
                }));
            }
        }
        _ => {}
    }
    smaller
}
