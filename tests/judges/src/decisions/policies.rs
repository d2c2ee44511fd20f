//! Claims of `diff` about the validations of admission policies: for objects of a built-in kind, and of a kind that nobody defines.

use kvrules::diff::{Change, SideFile, Witness, compare_sides, read_units};
use kvrules::{Catalog, FileId, SourceFile};
use serde_json::{Value as Json, json};

use super::evaluate::{Outcome, Scope, evaluate_rule};
use super::expression::Expr;
use super::generate::{RuleMaker, generate_object};
use super::schema::{Constants, Field, Shape};
use super::value::Val;
use crate::{Random, Tally};

/// A policy: validations, a match condition, and what happens to errors.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    resource: Json,
    pub(crate) validations: Vec<Expr>,
    condition: Option<Expr>,
    fails_open: bool,
}

impl Policy {
    /// True if the policy admits an object.
    pub(crate) fn admits(&self, object: &Val) -> bool {
        let mut scope = Scope::of(vec![("object".to_owned(), object.clone())]);
        match self.condition.as_ref().map(|condition| evaluate_rule(condition, &mut scope)) {
            Some(Outcome::False) => return true,
            Some(Outcome::Error) => return self.fails_open,
            _ => {}
        }
        self.validations.iter().all(|rule| match evaluate_rule(rule, &mut scope) {
            Outcome::True => true,
            Outcome::Error => self.fails_open,
            _ => false,
        })
    }

    /// True if the policy evaluates a validation for an object, and the validation is false.
    pub(crate) fn is_violated(&self, validation: usize, object: &Val) -> bool {
        let mut scope = Scope::of(vec![("object".to_owned(), object.clone())]);
        let condition = self.condition.as_ref().map(|condition| evaluate_rule(condition, &mut scope));
        condition.is_none_or(|outcome| outcome == Outcome::True)
            && evaluate_rule(&self.validations[validation], &mut scope) == Outcome::False
    }

    /// The outcome of a validation for an object.
    pub(crate) fn outcome(&self, validation: usize, object: &Val) -> Outcome {
        evaluate_rule(
            &self.validations[validation],
            &mut Scope::of(vec![("object".to_owned(), object.clone())]),
        )
    }

    /// The constants of its expressions.
    pub(crate) fn constants(&self) -> Constants {
        Constants::of(self.validations.iter().chain(&self.condition))
    }

    /// Reads what a schema knows of an object; `None` if the values have other types. Nothing says that a field of an unknown kind has
    /// numbers with fractions: a server reads `0` as an integer.
    pub(crate) fn read_object(object: &Json, shape: &Shape) -> Option<Val> {
        let known = known_part(object, shape);
        if has_integer_as_number(&known, shape) { None } else { shape.read(&known) }
    }

    pub(crate) fn to_document(&self) -> Json {
        let validations: Vec<Json> =
            self.validations.iter().map(|it| json!({"expression": it.to_string()})).collect();
        let mut spec = json!({
            "failurePolicy": if self.fails_open { "Ignore" } else { "Fail" },
            "matchConstraints": {"resourceRules": [self.resource]},
            "validations": validations,
        });
        if let Some(condition) = &self.condition {
            spec["matchConditions"] = json!([{"name": "some", "expression": condition.to_string()}]);
        }
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "ponds.example.com"}, "spec": spec,
        })
    }
}

/// The objects of a generated policy, and the resource that it matches.
fn generate_subject(random: &mut Random) -> (Shape, Json) {
    let (spec, group, resource) = if random.chance(1, 2) {
        (deployment_spec(), "apps", "deployments")
    } else {
        let mut spec = generate_object(random);
        remove_schema_only(&mut spec);
        (spec, "example.com", "ponds")
    };
    let field = Field { name: "spec", shape: spec, is_required: true, default: None, is_nullable: false };
    let resource = json!({
        "apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource],
    });
    (Shape::Object { fields: vec![field] }, resource)
}

/// Some fields of a Deployment as servers store them.
pub(crate) fn deployment_spec() -> Shape {
    let optional = |name, shape| Field { name, shape, is_required: false, default: None, is_nullable: false };
    let text = || Shape::Text { among: None, longest: 4 };
    let object = |fields| Shape::Object { fields };
    let container = object(vec![optional("image", text())]);
    let containers = Shape::List { items: Box::new(container), fewest: 1, most: 2 };
    let pod = object(vec![
        optional("hostNetwork", Shape::Bool),
        Field { name: "containers", shape: containers, is_required: true, default: None, is_nullable: false },
    ]);
    let template = object(vec![Field {
        name: "spec",
        shape: pod,
        is_required: true,
        default: None,
        is_nullable: false,
    }]);
    let replicas = Shape::Int { least: Some(0), most: Some(100) };
    object(vec![
        Field { name: "replicas", shape: replicas, is_required: true, default: None, is_nullable: false },
        optional("paused", Shape::Bool),
        Field { name: "template", shape: template, is_required: true, default: None, is_nullable: false },
    ])
}

/// Nothing is known of the objects of an unknown kind: the values of the schema are some of them. No value is filled in.
fn remove_schema_only(shape: &mut Shape) {
    match shape {
        Shape::Object { fields } => {
            for field in fields {
                field.default = None;
                remove_schema_only(&mut field.shape);
            }
        }
        Shape::List { items: inner, .. } | Shape::Map { values: inner, .. } => remove_schema_only(inner),
        _ => {}
    }
}

/// True if a number with fractions is written as an integer.
fn has_integer_as_number(value: &Json, shape: &Shape) -> bool {
    match (value, shape) {
        (Json::Number(number), Shape::Number) => !number.is_f64(),
        (Json::Array(list), Shape::List { items, .. }) => {
            list.iter().any(|item| has_integer_as_number(item, items))
        }
        (Json::Object(map), Shape::Map { values, .. }) => {
            map.values().any(|value| has_integer_as_number(value, values))
        }
        (Json::Object(map), Shape::Object { fields }) => fields
            .iter()
            .any(|field| map.get(field.name).is_some_and(|value| has_integer_as_number(value, &field.shape))),
        _ => false,
    }
}

/// The part of a JSON value that a schema knows.
fn known_part(value: &Json, shape: &Shape) -> Json {
    match (value, shape) {
        (Json::Object(map), Shape::Object { fields }) => {
            let known = fields.iter().filter_map(|field| {
                Some((field.name.to_owned(), known_part(map.get(field.name)?, &field.shape)))
            });
            Json::Object(known.collect())
        }
        (Json::Array(list), Shape::List { items, .. }) => {
            Json::Array(list.iter().map(|item| known_part(item, items)).collect())
        }
        _ => value.clone(),
    }
}

pub(crate) fn generate_policy(random: &mut Random, shape: &Shape, resource: Json) -> Policy {
    let number = 1 + random.below(2);
    let fails_open = random.chance(1, 6);
    let has_condition = random.chance(1, 5);
    let mut rule = |depth| RuleMaker::new(random, "object", shape, false).condition(depth);
    let validations = (0..number).map(|index| rule(1 + index % 2)).collect();
    Policy { resource, validations, condition: has_condition.then(|| rule(1)), fails_open }
}

/// Changes a validation or the match condition, or adds a validation.
fn change_policy(policy: &Policy, shape: &Shape, random: &mut Random) -> Policy {
    let mut changed = policy.clone();
    let index = random.below(policy.validations.len());
    let choice = random.below(6);
    let mut maker = RuleMaker::new(random, "object", shape, false);
    match (&policy.condition, choice) {
        (Some(condition), 0 | 1) => changed.condition = Some(maker.related(condition)),
        (_, 2) => changed.validations.push(maker.condition(1)),
        (_, 3) => changed.validations[index] = maker.condition(2),
        _ => changed.validations[index] = maker.related(&policy.validations[index]),
    }
    changed
}

/// A generated policy, and a changed form of it.
pub(crate) fn generate_documents(random: &mut Random) -> [Json; 2] {
    let (shape, resource) = generate_subject(random);
    let old = generate_policy(random, &shape, resource);
    let new = change_policy(&old, &shape, random);
    [old.to_document(), new.to_document()]
}

/// Judges the comparison of two generated policies.
pub(crate) fn judge_policies(random: &mut Random, origin: &str, tally: &mut Tally) {
    let (shape, resource) = generate_subject(random);
    let old = generate_policy(random, &shape, resource);
    let new = change_policy(&old, &shape, random);
    let documents = [&old, &new].map(Policy::to_document);
    let sides = [0, 1].map(|id: usize| {
        let source = SourceFile::new(FileId(id as u32), "policy.yaml", documents[id].to_string());
        let units = read_units(&source, Catalog::kubevirt_vm()).unwrap_or_default();
        [SideFile { path: String::new(), source, units }]
    });
    let Ok(diff) = compare_sides(&sides[0], &sides[1]) else {
        tally.unjudged("the policies cannot be compared");
        return;
    };
    let constants = Constants::of(old.validations.iter().chain(&new.validations).chain(&old.condition));
    let objects = shape.values(&constants, random);
    let newly = |is_admitted: bool| {
        let found = objects.iter().find(|it| new.admits(it) == is_admitted && old.admits(it) != is_admitted);
        found.map(|object| object.to_json().to_string())
    };
    let (tightens, loosens) = (newly(false), newly(true));
    let changes: Vec<&Change> = diff.changes().collect();
    let describe = |claim: &str| format!("old: {}\nnew: {}\nclaim: {claim}", documents[0], documents[1]);
    if changes.iter().any(|it| !it.proved) {
        tally.missed("policies: directions");
    } else {
        let is_tightening = changes.iter().any(|it| it.direction.is_tightening());
        let is_loosening = changes.iter().any(|it| it.direction.is_loosening());
        let refutation = tightens.filter(|_| !is_tightening).or(loosens.filter(|_| !is_loosening));
        let kind = match (is_tightening, is_loosening) {
            (true, true) => "policies: incomparable",
            (true, false) => "policies: tightened",
            (false, true) => "policies: loosened",
            (false, false) => "policies: equal",
        };
        tally.judge(kind, origin, refutation.map(|it| format!("{}\nrefuted by: {it}", describe(kind))));
    }
    let examples = changes.iter().flat_map(|it| [(&it.refused, false), (&it.accepted, true)]);
    for (witness, is_admitted) in examples.filter_map(|(it, side)| Some((it.as_ref()?, side))) {
        match refute_example(&old, &new, &shape, witness, is_admitted) {
            Ok(refutation) => {
                let refutation = refutation.map(|it| format!("{}\nrefuted: {it}", describe("example")));
                tally.judge("policies: example", origin, refutation);
            }
            Err(reason) => tally.unjudged(reason),
        }
    }
}

/// The example of a change must be answered differently. Of an unknown kind the example may have any types.
fn refute_example(
    old: &Policy,
    new: &Policy,
    shape: &Shape,
    witness: &Witness,
    is_admitted: bool,
) -> Result<Option<String>, &'static str> {
    let object = Policy::read_object(&witness.object, shape);
    let object = object.ok_or("an example with values outside of the judge's types")?;
    let is_shown = new.admits(&object) == is_admitted && old.admits(&object) != is_admitted;
    Ok((!is_shown).then(|| format!("the example {} does not show it", object.to_json())))
}
