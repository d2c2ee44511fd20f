//! Requirements written in a notation, and what the text means by the evaluators of the judge.

use serde_json::{Value as Json, json};

use super::evaluate::{Outcome, Scope, evaluate_rule};
use super::expression::{Expr, Function, Op};
use super::json_schemas::is_valid;
use super::requests::{RequestPolicy, Write};
use super::requirements::{Requirement, When, types_of};
use super::schema::Shape;
use super::value::Val;
use crate::Random;

/// A notation of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    Definition,
    Policy,
    RuleSet,
    JsonSchema,
}

impl Notation {
    pub(crate) const ALL: [Self; 4] = [Self::Definition, Self::Policy, Self::RuleSet, Self::JsonSchema];

    /// True if it says more than keywords.
    pub(crate) fn says_all(self) -> bool {
        self != Self::JsonSchema
    }

    pub(crate) fn file_name(self) -> &'static str {
        if self == Self::JsonSchema { "schema.json" } else { "rules.yaml" }
    }

    /// True if an update may leave a value as it is that the rules reject.
    fn excuses_unchanged(self) -> bool {
        matches!(self, Self::Definition | Self::RuleSet)
    }
}

/// A rule of a definition or a RuleSet, about `self` and `oldSelf`.
#[derive(Clone, Debug)]
struct PlacedRule {
    is_at_spec: bool,
    when: When,
    expr: Expr,
}

impl PlacedRule {
    fn passes(&self, write: &Write) -> bool {
        let at_place = |object: &Val| match object {
            Val::Null => None,
            object if self.is_at_spec => object.field("spec").cloned(),
            object => Some(object.clone()),
        };
        let (Some(value), stored) = (at_place(&write.object), at_place(&write.old)) else { return true };
        let is_skipped = match self.when {
            When::Always => self.expr.mentions("oldSelf") && stored.is_none(),
            When::Creations => stored.is_some(),
            When::Updates => stored.is_none(),
        };
        let variables = [("self", Some(value)), ("oldSelf", stored)];
        let known = variables.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        is_skipped || evaluate_rule(&self.expr, &mut Scope::of(known.collect::<Vec<_>>())) == Outcome::True
    }
}

/// Requirements in a notation.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) notation: Notation,
    pub(crate) text: String,
    /// The keywords, for each object that is written.
    schema: Json,
    rules: Vec<PlacedRule>,
    policy: Option<RequestPolicy>,
}

impl Side {
    /// Writes requirements on objects with a `spec` of this shape.
    pub(crate) fn write(
        random: &mut Random,
        notation: Notation,
        spec: &Shape,
        requirements: &[Requirement],
    ) -> Self {
        let mut writer = SideWriter { random, spec, schema: object_types(spec), rules: Vec::new() };
        let mut side =
            Self { notation, text: String::new(), schema: json!(true), rules: Vec::new(), policy: None };
        match notation {
            Notation::Definition => {
                let mut entries = [Vec::new(), Vec::new()];
                for requirement in requirements {
                    writer.add_to_definition(requirement, &mut entries);
                }
                side.schema = writer.schema.clone();
                side.text = definition(&with_entries(&writer.schema, entries)).to_string();
            }
            Notation::JsonSchema => {
                for requirement in requirements {
                    writer.add_keyword(requirement);
                }
                side.schema = writer.schema.clone();
                let mut schema = writer.schema.clone();
                schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
                schema["title"] = json!("Pond");
                side.text = schema.to_string();
            }
            Notation::RuleSet => {
                let add = |(index, requirement)| writer.rule_set_entry(index, requirement);
                let entries: Vec<Json> = requirements.iter().enumerate().map(add).collect();
                side.text = json!({
                    "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "ponds"},
                    "spec": {"subject": {"schema": "base.json"}, "rules": entries},
                })
                .to_string();
            }
            Notation::Policy => {
                let policy = writer.policy(requirements);
                side.text = policy.to_document().to_string();
                side.policy = Some(policy.without_variables());
            }
        }
        side.rules = writer.rules;
        side
    }

    /// True if the side admits a write, without excuses for values that stay as they are.
    pub(crate) fn admits(&self, write: &Write) -> bool {
        is_valid(&self.schema, &write.object.to_json())
            && self.rules.iter().all(|rule| rule.passes(write))
            && self
                .policy
                .as_ref()
                .is_none_or(|it| !it.operations.contains(&write.operation) || it.admits(write))
    }

    /// True if the side admits the creation of an object.
    pub(crate) fn admits_creation(&self, object: &Val) -> bool {
        self.admits(&Write { operation: "CREATE", object: object.clone(), old: Val::Null })
    }

    /// True if the side rejects a write, and no excuse is possible: something new violates it.
    pub(crate) fn certainly_rejects(&self, write: &Write) -> bool {
        let is_excusable = || {
            self.notation.excuses_unchanged()
                && write.operation == "UPDATE"
                && !self.admits_creation(&write.old)
                && !self.admits_creation(&write.object)
        };
        !self.admits(write) && !is_excusable()
    }

    /// The constants of its expressions are those of the requirements, but for the text of its own.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let of_policy = self.policy.iter().flat_map(|it| it.validations.iter().chain(&it.conditions));
        self.rules.iter().map(|rule| &rule.expr).chain(of_policy)
    }
}

/// The definition of the objects with a schema.
pub(crate) fn definition(schema: &Json) -> Json {
    let names = json!({"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

/// The types of objects.
pub(crate) fn object_types(spec: &Shape) -> Json {
    json!({"type": "object", "properties": {"spec": types_of(spec)}})
}

/// Adds rules at the object, and at `spec`.
fn with_entries(schema: &Json, [root, spec]: [Vec<Json>; 2]) -> Json {
    let mut schema = schema.clone();
    if !root.is_empty() {
        schema["x-kubernetes-validations"] = json!(root);
    }
    if !spec.is_empty() {
        schema["properties"]["spec"]["x-kubernetes-validations"] = json!(spec);
    }
    schema
}

/// Replaces variables by other expressions.
fn with_variables(expr: &Expr, names: &[(&str, Expr)]) -> Expr {
    if let Expr::Var(name) = expr
        && let Some((_, other)) = names.iter().find(|(known, _)| known == name)
    {
        return other.clone();
    }
    let mut renamed = expr.clone();
    for child in renamed.children_mut() {
        *child = with_variables(child, names);
    }
    renamed
}

fn is_null(op: Op, name: &str) -> Expr {
    Expr::bin(op, Expr::var(name), Expr::Lit(Val::Null))
}

fn is_operation(op: Op, name: &str) -> Expr {
    Expr::bin(op, Expr::var("request").dot("operation"), Expr::text(name))
}

fn or(one: Expr, other: Expr) -> Expr {
    Expr::bin(Op::Or, one, other)
}

struct SideWriter<'r> {
    random: &'r mut Random,
    spec: &'r Shape,
    schema: Json,
    rules: Vec<PlacedRule>,
}

impl SideWriter<'_> {
    /// Adds a keyword to the schema. A JSON Schema says nothing of other requirements.
    fn add_keyword(&mut self, requirement: &Requirement) {
        let Requirement::Keyword { field, keyword, limit } = requirement else { return };
        let spec = &mut self.schema["properties"]["spec"];
        match *keyword {
            // One schema has one list of required fields.
            "required" => {
                let required = spec.as_object_mut().map(|it| it.entry("required").or_insert(json!([])));
                if let Some(Json::Array(names)) = required
                    && !names.contains(&limit[0])
                {
                    names.push(limit[0].clone());
                }
            }
            keyword => spec["properties"][field][keyword] = limit.clone(),
        }
        if self.random.chance(1, 6) {
            self.schema["required"] = json!(["spec"]);
        }
    }

    /// Adds a requirement as a keyword, or as a rule at the object or at `spec`.
    fn add_to_definition(&mut self, requirement: &Requirement, [root, spec]: &mut [Vec<Json>; 2]) {
        if matches!(requirement, Requirement::Keyword { .. }) && self.random.chance(2, 3) {
            return self.add_keyword(requirement);
        }
        let (when, expr) = requirement.expression(self.spec);
        // `optionalOldSelf` makes a rule about updates one about all writes, in which it tests for the stored value.
        let reads_old = expr.mentions("oldSelf");
        let is_optional = when != When::Always && (!reads_old || self.random.chance(1, 3));
        if !is_optional && self.random.chance(1, 4) {
            let expr = self.at_root(&expr);
            root.push(json!({"rule": expr.to_string()}));
            self.rules.push(PlacedRule { is_at_spec: false, when: When::Always, expr });
            return;
        }
        let mut entry = json!({"rule": expr.to_string()});
        if is_optional {
            let old = Expr::var("oldSelf");
            let has_old = Expr::call(Function::HasValue, vec![old.clone()]);
            let inside = with_variables(&expr, &[("oldSelf", Expr::call(Function::Value, vec![old]))]);
            let guard = if when == When::Updates { has_old.negated() } else { has_old };
            entry = json!({"rule": or(guard, inside).to_string(), "optionalOldSelf": true});
        }
        spec.push(entry);
        let when = if is_optional { when } else { When::Always };
        self.rules.push(PlacedRule { is_at_spec: true, when, expr });
    }

    /// A rule at the object, mostly with tests for the `spec`.
    fn at_root(&mut self, expr: &Expr) -> Expr {
        let (own, old) = (Expr::var("self"), Expr::var("oldSelf"));
        let inside =
            with_variables(expr, &[("self", own.clone().dot("spec")), ("oldSelf", old.clone().dot("spec"))]);
        if self.random.chance(1, 4) {
            return inside;
        }
        let has_old = expr.mentions("oldSelf").then(|| old.has("spec").negated());
        let guarded = has_old.into_iter().fold(inside, |inside, guard| or(guard, inside));
        or(own.has("spec").negated(), guarded)
    }

    /// Adds a requirement as words, or as a rule in CEL.
    fn rule_set_entry(&mut self, index: usize, requirement: &Requirement) -> Json {
        let name = format!("r{index}");
        if let Requirement::Keyword { field, keyword, limit } = requirement
            && self.random.chance(2, 3)
        {
            let mut entry = json!({"name": name, "path": format!("spec.{field}")});
            let (word, argument) = word_of(keyword, limit);
            entry[word] = argument;
            let inside = Expr::var("self").dot("spec").has(field);
            let has_spec = Expr::var("self").has("spec");
            let expr = if *keyword == "required" {
                Expr::bin(Op::And, has_spec, inside)
            } else {
                let (_, expr) = requirement.expression(self.spec);
                let inside = with_variables(&expr, &[("self", Expr::var("self").dot("spec"))]);
                or(has_spec.negated(), inside)
            };
            self.rules.push(PlacedRule { is_at_spec: false, when: When::Always, expr });
            return entry;
        }
        let (_, expr) = requirement.expression(self.spec);
        let is_at_spec = self.random.chance(1, 2);
        let expr = if is_at_spec { expr } else { self.at_root(&expr) };
        let mut entry = json!({"name": name, "cel": expr.to_string()});
        if is_at_spec {
            entry["each"] = json!("spec");
        }
        self.rules.push(PlacedRule { is_at_spec, when: When::Always, expr });
        entry
    }

    fn policy(&mut self, requirements: &[Requirement]) -> RequestPolicy {
        let resource = json!({"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["ponds"]});
        let operations = match self.random.below(10) {
            0 => vec!["CREATE"],
            1 => vec!["UPDATE"],
            _ => vec!["CREATE", "UPDATE"],
        };
        let mut policy = RequestPolicy::about(resource, operations);
        policy.fails_open = self.random.chance(1, 8);
        let mut own = Expr::var("object").dot("spec");
        if self.random.chance(1, 6) {
            policy.variables.push(("spec".to_owned(), own));
            own = Expr::var("variables").dot("spec");
        }
        for requirement in requirements {
            let validation = self.validation(requirement, &own);
            policy.validations.push(validation);
        }
        if policy.validations.is_empty() {
            policy.validations.push(Expr::Lit(Val::Bool(true)));
        }
        match self.random.below(12) {
            0 => policy.conditions.push(Expr::var("object").has("spec")),
            1 => policy.conditions.push(is_operation(Op::Eq, "UPDATE")),
            2 => policy.conditions.push(is_null(Op::Eq, "oldObject")),
            _ => {}
        }
        policy
    }

    fn validation(&mut self, requirement: &Requirement, own: &Expr) -> Expr {
        let (when, expr) = requirement.expression(self.spec);
        let old = Expr::var("oldObject").dot("spec");
        let mut written = with_variables(&expr, &[("self", own.clone()), ("oldSelf", old)]);
        let has_spec = Expr::var("object").has("spec");
        written = match self.random.below(4) {
            0 => Expr::bin(Op::And, has_spec, written),
            1 => written,
            _ => or(has_spec.negated(), written),
        };
        match when {
            When::Always => written,
            When::Creations => or(self.update_test(), written),
            When::Updates => {
                let (guard, is_first) = (self.creation_test(), !self.random.chance(1, 6));
                if is_first { or(guard, written) } else { or(written, guard) }
            }
        }
    }

    /// An expression that is true in updates.
    fn update_test(&mut self) -> Expr {
        match self.random.below(4) {
            0 => is_null(Op::Ne, "oldObject"),
            1 => is_operation(Op::Eq, "UPDATE"),
            2 => is_operation(Op::Ne, "CREATE"),
            _ => is_null(Op::Eq, "oldObject").negated(),
        }
    }

    /// An expression that is true in creations.
    fn creation_test(&mut self) -> Expr {
        let old = || Expr::var("oldObject");
        match self.random.below(7) {
            0 | 1 => is_null(Op::Eq, "oldObject"),
            2 => is_operation(Op::Eq, "CREATE"),
            3 => is_operation(Op::Ne, "UPDATE"),
            4 => Expr::bin(Op::Eq, Expr::call(Function::Type, vec![old()]), Expr::var("null_type")),
            5 => Expr::bin(
                Op::In,
                Expr::var("request").dot("operation"),
                Expr::List(vec![Expr::text("CREATE")]),
            ),
            _ => old().has("spec").negated(),
        }
    }
}

/// A keyword in the words of a RuleSet.
fn word_of(keyword: &str, limit: &Json) -> (&'static str, Json) {
    match keyword {
        "minimum" => ("integer", json!({"min": limit})),
        "maximum" => ("integer", json!({"max": limit})),
        "minLength" => ("length", json!({"min": limit})),
        "maxLength" => ("length", json!({"max": limit})),
        "minItems" => ("items", json!({"min": limit})),
        "maxItems" => ("items", json!({"max": limit})),
        "pattern" => ("pattern", limit.clone()),
        "enum" => ("in", limit.clone()),
        _ => ("required", json!(true)),
    }
}
