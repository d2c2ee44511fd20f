//! Rule sets about predicates, definitions made of them, and a server that evaluates by those.

use kvrules_apiserver::cost::review_schema;
use kvrules_apiserver::crd::CompiledSchema;
use kvrules_diagnostics::{FileId, Origin, SourceFile};
use kvrules_emit::{Emission, EmitError, Fidelity, Options, Request, find_emitter};
use kvrules_ir::{
    ElaboratedRule, ElaboratedSet, Place, PlaceBase, Predicate, Requirement, Selector, Severity, Subject,
    ValueTest, ValueType,
};
use serde_json::Value;

use super::cases::place;

pub(crate) fn rule(name: &str, predicate: Predicate) -> ElaboratedRule {
    let (subject, tests) = evaluated(&predicate);
    ElaboratedRule {
        name: name.to_owned(),
        message: format!("{name}: no"),
        severity: Severity::Error,
        applies: Predicate::True,
        predicate,
        requirement: Requirement { subject, guard: None, tests, compared_with: Vec::new() },
        written: kvrules_ir::AuthoredRule::default(),
        origin: Origin::default(),
    }
}

/// Returns the subject of a rule with this predicate: the last place that it tests, and the test.
fn evaluated(predicate: &Predicate) -> (Selector, Vec<ValueTest>) {
    let mut found = Judged { around: Vec::new(), last: None };
    found.look(predicate);
    let (lists, leaf, test) = found.last.unwrap_or_else(|| (Vec::new(), place("", ValueType::Object), None));
    (Selector { text: ".spec".to_owned(), lists, leaf }, test.into_iter().collect())
}

struct Judged {
    around: Vec<Place>,
    last: Option<(Vec<Place>, Place, Option<ValueTest>)>,
}

impl Judged {
    fn look(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::True | Predicate::False => {}
            Predicate::All(parts) | Predicate::Any(parts) => {
                for part in parts {
                    self.look(part);
                }
            }
            Predicate::Not(inner) => self.look(inner),
            Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
                self.around.push(list.clone());
                self.look(holds);
                self.around.pop();
            }
            Predicate::Present(place) => self.found(place, None),
            Predicate::Test { place, test } => self.found(place, Some(test)),
            Predicate::Compare { left, .. } => self.found(left.place(), None),
        }
    }

    fn found(&mut self, place: &Place, test: Option<&ValueTest>) {
        let lists = match place.base {
            PlaceBase::Root => Vec::new(),
            PlaceBase::Element(0) => self.around.clone(),
            PlaceBase::Element(_) => return,
        };
        self.last = Some((lists, place.clone(), test.cloned()));
    }
}

pub(crate) fn set(rules: Vec<ElaboratedRule>) -> ElaboratedSet {
    ElaboratedSet { name: "rules".to_owned(), used_by: Vec::new(), rules, left_out: Vec::new() }
}

/// A kind of object that no server knows.
pub(crate) fn subject_of(kind: &str) -> Subject {
    let text = |text: &str| Some(text.to_owned());
    Subject { kind: text(kind), group: text("example.com"), version: text("v1"), ..Subject::default() }
}

pub(crate) fn standalone(set: &ElaboratedSet) -> Emission {
    find_emitter("crd")
        .unwrap()
        .emit_rule_sets(&Request::for_virtual_machines(std::slice::from_ref(set)))
        .unwrap()
}

/// The rules merged into the text of a definition, with an option set.
pub(crate) fn merged_with(
    set: &ElaboratedSet,
    subject: &Subject,
    text: &str,
    options: &Options,
) -> Result<Emission, EmitError> {
    let file = SourceFile::new(FileId(0), "crd.yaml", text);
    let sets = std::slice::from_ref(set);
    find_emitter("crd").unwrap().emit_rule_sets(&Request {
        subject,
        schema: Some(&file),
        options,
        ..Request::for_virtual_machines(sets)
    })
}

pub(crate) fn merged(set: &ElaboratedSet, subject: &Subject, text: &str) -> Result<Emission, EmitError> {
    merged_with(set, subject, text, &Options::new())
}

/// The schema of the first version of a definition.
pub(crate) fn schema(text: &str) -> Value {
    let definition: Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap().clone()
}

/// A server with one definition.
pub(crate) struct Server {
    /// The values that the keywords of the schema allow.
    keywords: jsonschema::Validator,
    rules: CompiledSchema,
}

impl Server {
    /// The server takes the definition, with each of its rules.
    pub(crate) fn new(schema: &Value) -> Self {
        let report = review_schema(schema, "spec.validation", false);
        assert_eq!(report.errors, [], "{schema:#}");
        for rule in &report.rules {
            assert!(rule.valid && rule.errors.is_empty(), "{rule:?}");
        }
        Self { keywords: jsonschema::draft202012::new(schema).unwrap(), rules: CompiledSchema::new(schema) }
    }

    pub(crate) fn accepts(&self, object: &Value) -> bool {
        self.keywords.is_valid(object) && self.rules.validate_object(object, None).errors.is_empty()
    }

    /// The fields that the server names when it refuses.
    pub(crate) fn refused(&self, object: &Value) -> Vec<String> {
        self.rules.validate_object(object, None).errors.into_iter().map(|error| error.field).collect()
    }
}

/// True if a difference between the predicate and the answer is one that was declared.
pub(crate) fn may_differ(fidelity: &Fidelity, intended: bool) -> bool {
    match fidelity {
        Fidelity::Wider(_) => !intended,
        Fidelity::Narrower(_) => intended,
        Fidelity::Incomparable(_) | Fidelity::Unsupported(_) => true,
        Fidelity::Exact => false,
    }
}
