//! Requests for which a policy and its mutant answer differently, and proofs that there are none.

use std::collections::BTreeSet;

use crate::verdicts::KnownResources;
use kvrules_apiserver::policy::{Policy, PolicyExpression, Request};
use kvrules_cel::ast::{Expr, ExprKind, Literal};
use kvrules_crd::{PolicySubject, RunResources, has_unknown_subjects, policy_subjects};
use kvrules_ir::Formula;
use kvrules_lift::{LiftedExpression, PolicyLifter, inline_variables, is_implied};
use serde_json::{Value, json};

use super::mutant_status::MutantStatus;
use super::mutants::Mutant;
use super::sites::MeasuredRules;
use super::witness::{RequestFacts, Witness, WitnessSearch, shrink_while};
use crate::document::{metadata_text, text_field};

/// Number of requests that are generated for an expression and a kind of objects.
const TRIES: usize = 150;
/// Number of requests that confirm a formula.
const CONFIRMED_ON: usize = 60;
/// The most kinds of objects that requests are generated for.
const MOST_KINDS: usize = 4;
/// The most cases whose requests are edited, and edits of each.
const MOST_CASES: usize = 8;
const MOST_EDITS: usize = 150;
/// The most expressions of a policy that requests are generated for.
const MOST_EXPRESSIONS: usize = 6;

/// Decides if a request distinguishes a mutant from a policy.
pub(super) fn evaluate_policy_survivor(
    rules: &MeasuredRules<'_>,
    mutant: &Mutant,
    search: &WitnessSearch<'_>,
) -> (MutantStatus, Option<Witness>) {
    let changed = mutant.apply_change(&rules.document);
    let run = known_definitions(search);
    let subjects = policy_subjects(&rules.document, &run);
    let sides = PolicySides {
        own: (&rules.document, Policy::from_json(&rules.document)),
        other: (&changed, Policy::from_json(&changed)),
    };
    let expressions = sides.changed_expressions();
    let has_all = !subjects.is_empty() && !has_unknown_subjects(&rules.document, &run);
    let is_proved = |subject: &PolicySubject| expressions.iter().all(|it| sides.is_equal(subject, *it));
    if has_all && subjects.iter().all(is_proved) {
        return (MutantStatus::Equivalent, None);
    }
    let kinds = if subjects.is_empty() { subjects_of_cases(rules, &run) } else { subjects };
    let mut requests = edited_requests(rules, &sides);
    for subject in kinds.iter().take(MOST_KINDS) {
        requests.extend(sides.generated_requests(subject, &expressions, search));
    }
    // Another verdict is what most cases notice; else the other rules that are violated.
    let found = requests.iter().find(|witness| search.differs(witness)).cloned();
    if let Some(witness) = found {
        return (MutantStatus::Survived, Some(search.shrink(witness)));
    }
    let found = requests.into_iter().find(|witness| search.differs_in_rules(witness));
    let is_kept = |witness: &Witness| search.differs_in_rules(witness);
    match found {
        Some(witness) => (MutantStatus::Survived, Some(shrink_while(witness, &is_kept))),
        None => (MutantStatus::Undecided, None),
    }
}

/// The kinds of the objects of cases, for a policy about every resource.
fn subjects_of_cases(rules: &MeasuredRules<'_>, run: &RunResources) -> Vec<PolicySubject> {
    let known = KnownResources::new();
    let mut matched = Vec::new();
    for case in &rules.cases {
        let object = if case.input.object.is_null() { &case.input.old_object } else { &case.input.object };
        let (api_version, kind) = (text_field(object, "apiVersion"), text_field(object, "kind"));
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let Some((plural, _)) = known.find_resource(api_version, kind) else { continue };
        let rule = json!({"apiGroups": [group], "apiVersions": [version], "operations": ["*"], "resources": [plural]});
        if !matched.contains(&rule) {
            matched.push(rule);
        }
    }
    let mut document = rules.document.clone();
    if let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("matchConstraints".to_owned(), json!({"resourceRules": matched}));
    }
    policy_subjects(&document, run)
}

/// The definitions next to the policy.
fn known_definitions(search: &WitnessSearch<'_>) -> RunResources {
    let mut run = RunResources::default();
    for definition in &search.original.definitions {
        let text = definition.document.to_string();
        let stream = kvrules_syntax::parse_stream(kvrules_diagnostics::FileId::default(), &text);
        run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    }
    run
}

/// A policy and its mutant.
struct PolicySides<'d> {
    own: (&'d Value, Policy),
    other: (&'d Value, Policy),
}

impl PolicySides<'_> {
    /// The expressions that differ after variables are put in.
    fn changed_expressions(&self) -> Vec<PolicyExpression> {
        let policy = &self.own.1;
        let validations = (0..policy.validations.len()).map(PolicyExpression::Validation);
        let count = self.own.0.pointer("/spec/matchConditions").and_then(Value::as_array).map_or(0, Vec::len);
        let conditions = (0..count).map(PolicyExpression::MatchCondition);
        let text =
            |policy: &Policy, expression| inline_variables(policy, expression).map(|it| it.source).ok();
        let differs = |expression: &PolicyExpression| {
            let (own, other) = (text(&self.own.1, *expression), text(&self.other.1, *expression));
            own.is_none() || own != other
        };
        validations.chain(conditions).filter(differs).collect()
    }

    /// True if it is proved that an expression has the same result for every request about a kind of objects.
    fn is_equal(&self, subject: &PolicySubject, expression: PolicyExpression) -> bool {
        let lift = |(document, policy): &(&Value, Policy)| {
            let lifter = PolicyLifter::new(document, policy, subject);
            let confirmed = lifter.lift_expression(expression, CONFIRMED_ON).ok()?;
            let (rule, formulas) = lifter.as_rule(&confirmed.formulas);
            Some((rule.schema, formulas))
        };
        let (Some((schema, own)), Some((_, other))) = (lift(&self.own), lift(&self.other)) else {
            return false;
        };
        let implies = |one: &Formula, two: &Formula| is_implied(&[one], two, &schema);
        let is_same = |one: &Formula, two: &Formula| implies(one, two) && implies(two, one);
        is_same(&own.holds, &other.holds) && is_same(&own.fails, &other.fails)
    }

    /// Requests on which the formulas of an expression differ.
    fn generated_requests(
        &self,
        subject: &PolicySubject,
        expressions: &[PolicyExpression],
        search: &WitnessSearch<'_>,
    ) -> Vec<Witness> {
        let (document, policy) = &self.own;
        let (changed, other) = &self.other;
        let lifter = PolicyLifter::new(document, policy, subject);
        let of_mutant = PolicyLifter::new(changed, other, subject);
        let mut requests = Vec::new();
        for expression in expressions.iter().take(MOST_EXPRESSIONS) {
            let both = [lifter.lift_unconfirmed(*expression), of_mutant.lift_unconfirmed(*expression)];
            let both: Vec<LiftedExpression> = both.into_iter().flatten().map(|(_, it)| it).collect();
            let formulas = LiftedExpression {
                holds: Formula::any_of(both.iter().map(|it| it.holds.clone())),
                fails: Formula::any_of(both.iter().map(|it| it.fails.clone())),
            };
            let generated = lifter.generate_requests(&formulas).take(TRIES).flatten();
            requests.extend(generated.map(|(_, request, params)| to_witness(request, &params, search)));
        }
        requests
    }

    /// The literals of both sides and integers next to them, as values that fields may have.
    fn literals(&self) -> Vec<Value> {
        let mut found = BTreeSet::new();
        self.visit_expressions(&mut |root| collect_literals(root, &mut found));
        found.into_iter().filter_map(|text| serde_json::from_str(&text).ok()).collect()
    }

    /// The names of fields in expressions.
    fn names(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.visit_expressions(&mut |root| collect_names(root, &mut found));
        found
    }

    fn visit_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        for (document, _) in [&self.own, &self.other] {
            for list in ["validations", "matchConditions", "variables"] {
                let items = document.pointer(&format!("/spec/{list}")).and_then(Value::as_array);
                for item in items.into_iter().flatten() {
                    if let Ok(parsed) = kvrules_cel::parse(text_field(item, "expression")) {
                        visit(&parsed.root);
                    }
                }
            }
        }
    }
}

fn collect_names(root: &Expr, found: &mut BTreeSet<String>) {
    root.visit_nodes(&mut |node| {
        if let ExprKind::Select { field, .. } | ExprKind::Has { field, .. } = &node.kind {
            found.insert(field.clone());
        }
    });
}

fn collect_literals(root: &Expr, found: &mut BTreeSet<String>) {
    root.visit_nodes(&mut |node| {
        let ExprKind::Literal(literal) = &node.kind else { return };
        match literal {
            Literal::Int(value) => {
                let nearby = [Some(*value), value.checked_add(1), value.checked_sub(1)];
                found.extend(nearby.into_iter().flatten().map(|it| it.to_string()));
            }
            Literal::String(text) => {
                found.insert(json!(text).to_string());
            }
            _ => {}
        }
    });
}

/// A generated request, with the parameters of the case if it has none.
fn to_witness(request: Request, params: &Value, search: &WitnessSearch<'_>) -> Witness {
    let of_case = RequestFacts::of_input(&search.case.input);
    let params = if params.is_null() {
        of_case.params
    } else {
        let name = of_case.params.first().map_or("params", |(name, _)| name.as_str());
        vec![(name.to_owned(), params.clone())]
    };
    let info = request.extra.get("userInfo").unwrap_or(&Value::Null);
    // As suites state a user and a namespace.
    let user = json!({"username": text_field(info, "username"), "groups": info.get("groups").cloned().unwrap_or_else(|| json!([]))});
    let of = if request.object.is_null() { &request.old_object } else { &request.object };
    let namespace = Some(metadata_text(of, "namespace")).filter(|it| !it.is_empty()).unwrap_or("default");
    let mut labels =
        request.namespace_object.pointer("/metadata/labels").cloned().unwrap_or_else(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert("kubernetes.io/metadata.name".to_owned(), namespace.into());
    }
    let namespace_object =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}});
    let facts = RequestFacts {
        operation: request.operation,
        subresource: String::new(),
        user,
        namespace_object,
        params,
        ..RequestFacts::default()
    };
    Witness { object: request.object, old: request.old_object, is_status: false, facts }
}

/// The requests of the cases, with one part changed that an expression names.
fn edited_requests(rules: &MeasuredRules<'_>, sides: &PolicySides<'_>) -> Vec<Witness> {
    let edits = RequestEdits { literals: sides.literals(), names: sides.names() };
    let mut requests = Vec::new();
    for case in rules.cases.iter().take(MOST_CASES) {
        let input = &case.input;
        let facts = RequestFacts::of_input(input);
        let (object, old) = (input.object.clone(), input.old_object.clone());
        let own = Witness { object, old, is_status: false, facts };
        let mut found = vec![own.clone()];
        let with = |change: &dyn Fn(&mut Witness)| {
            let mut witness = own.clone();
            change(&mut witness);
            witness
        };
        found.extend(
            edits.edit(&own.object).into_iter().map(|value| with(&|it| it.object.clone_from(&value))),
        );
        found.extend(edits.edit(&own.old).into_iter().map(|value| with(&|it| it.old.clone_from(&value))));
        let facts = &own.facts;
        found.extend(
            edits.edit(&facts.user).into_iter().map(|value| with(&|it| it.facts.user.clone_from(&value))),
        );
        let spaces = edits.edit(&facts.namespace_object).into_iter();
        found.extend(spaces.map(|value| with(&|it| it.facts.namespace_object.clone_from(&value))));
        for (index, (_, params)) in facts.params.iter().enumerate() {
            let edited = edits.edit(params).into_iter();
            found.extend(edited.map(|value| {
                with(&|it| {
                    if let Some((_, params)) = it.facts.params.get_mut(index) {
                        params.clone_from(&value);
                    }
                })
            }));
        }
        for operation in ["CREATE", "UPDATE", "DELETE", "CONNECT"] {
            found.push(with(&|it| operation.clone_into(&mut it.facts.operation)));
        }
        for text in edits.literals.iter().filter_map(Value::as_str).chain([""]) {
            found.push(with(&|it| text.clone_into(&mut it.facts.subresource)));
        }
        found.truncate(MOST_EDITS);
        requests.extend(found);
    }
    requests
}

/// Values and names of fields that matter to the expressions.
struct RequestEdits {
    literals: Vec<Value>,
    names: BTreeSet<String>,
}

impl RequestEdits {
    /// Values with one named field changed or removed.
    fn edit(&self, value: &Value) -> Vec<Value> {
        let mut edited = Vec::new();
        self.edit_below(value, false, &mut |changed| edited.push(changed));
        edited
    }

    fn edit_below(&self, value: &Value, is_named: bool, add: &mut dyn FnMut(Value)) {
        match value {
            Value::Object(fields) => {
                for (name, below) in fields {
                    if ["apiVersion", "kind"].contains(&name.as_str()) {
                        continue;
                    }
                    // The keys of a named map, such as labels, are its own.
                    let is_known = is_named || self.names.contains(name);
                    if is_known {
                        let mut whole = fields.clone();
                        whole.shift_remove(name);
                        add(Value::Object(whole));
                    }
                    self.edit_below(below, is_known, &mut |changed| {
                        let mut whole = fields.clone();
                        whole.insert(name.clone(), changed);
                        add(Value::Object(whole));
                    });
                }
            }
            Value::Array(items) => {
                for (index, below) in items.iter().enumerate() {
                    if is_named {
                        let mut whole = items.clone();
                        whole.remove(index);
                        add(Value::Array(whole));
                    }
                    self.edit_below(below, is_named, &mut |changed| {
                        let mut whole = items.clone();
                        if let Some(item) = whole.get_mut(index) {
                            *item = changed;
                        }
                        add(Value::Array(whole));
                    });
                }
            }
            scalar if is_named => edit_scalar(scalar, &self.literals, add),
            _ => {}
        }
    }
}

fn edit_scalar(value: &Value, literals: &[Value], add: &mut dyn FnMut(Value)) {
    match value {
        Value::Bool(is_set) => add(Value::Bool(!is_set)),
        Value::Number(number) => {
            let nearby = number.as_i64().into_iter().flat_map(|it| [it.checked_add(1), it.checked_sub(1)]);
            nearby.flatten().map(Value::from).for_each(&mut *add);
            literals.iter().filter(|it| it.is_number() && *it != value).cloned().for_each(&mut *add);
        }
        Value::String(text) => {
            add(Value::from(format!("{text}x")));
            literals.iter().filter(|it| it.is_string() && *it != value).cloned().for_each(&mut *add);
        }
        Value::Null | Value::Object(_) | Value::Array(_) => {}
    }
}
