//! Requests that policies decide about, and policies with variables, match conditions and several operations.

use serde_json::{Value as Json, json};

use super::evaluate::{Outcome, Scope, evaluate_rule};
use super::expression::{Expr, Op};
use super::generate::RuleMaker;
use super::schema::{Constants, Shape};
use super::value::Val;
use crate::Random;

/// Random pairs of a stored and a sent object.
const UPDATES: usize = 500;

/// A request: the object is null in deletions, and the old one in creations.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) operation: &'static str,
    pub(crate) object: Val,
    pub(crate) old: Val,
}

impl Write {
    /// The variables of an expression of a policy.
    fn scope(&self) -> Scope {
        let request = Val::Map(vec![("operation".into(), Val::text(self.operation))].into());
        Scope::of(vec![
            ("object".to_owned(), self.object.clone()),
            ("oldObject".to_owned(), self.old.clone()),
            ("request".to_owned(), request),
        ])
    }

    /// Writes the request for people.
    pub(crate) fn describe(&self) -> String {
        format!("{} {} → {}", self.operation, self.old.to_json(), self.object.to_json())
    }
}

/// Makes the requests of some operations about some objects.
pub(crate) fn writes_of(operations: &[&'static str], objects: &[Val], random: &mut Random) -> Vec<Write> {
    let mut writes = Vec::new();
    for operation in operations {
        let mut add = |object: &Val, old: &Val| {
            writes.push(Write { operation, object: object.clone(), old: old.clone() });
        };
        match *operation {
            "CREATE" => objects.iter().for_each(|object| add(object, &Val::Null)),
            "DELETE" => objects.iter().for_each(|old| add(&Val::Null, old)),
            _ if objects.is_empty() => {}
            _ => {
                objects.iter().for_each(|object| add(object, object));
                for _ in 0..UPDATES {
                    add(random.choose(objects), random.choose(objects));
                }
            }
        }
    }
    writes
}

/// A policy. Its expressions name its variables.
#[derive(Clone, Debug)]
pub(crate) struct RequestPolicy {
    pub(crate) resource: Json,
    pub(crate) operations: Vec<&'static str>,
    pub(crate) variables: Vec<(String, Expr)>,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) validations: Vec<Expr>,
    pub(crate) fails_open: bool,
}

impl RequestPolicy {
    /// A policy without expressions.
    pub(crate) fn about(resource: Json, operations: Vec<&'static str>) -> Self {
        Self {
            resource,
            operations,
            variables: Vec::new(),
            conditions: Vec::new(),
            validations: Vec::new(),
            fails_open: false,
        }
    }

    /// Makes a policy about objects of a schema, whose validations are partly related to each other. The resource has no operations.
    pub(crate) fn generate(random: &mut Random, shape: &Shape, resource: Json) -> Self {
        let operations = match random.below(8) {
            0 | 1 => vec!["CREATE"],
            2 => vec!["UPDATE"],
            3 => vec!["CREATE", "UPDATE", "DELETE"],
            4 if random.chance(1, 2) => vec!["DELETE"],
            _ => vec!["CREATE", "UPDATE"],
        };
        let mut policy = Self::about(resource, operations);
        policy.fails_open = random.chance(1, 8);
        let mut values = vec![(Expr::var("object"), shape.clone())];
        if random.chance(1, 3) {
            values.push((Expr::var("oldObject"), shape.clone()));
        }
        for index in 0..random.below(5).saturating_sub(2) {
            let (expr, shape) = generate_variable(random, &values);
            let name = format!("v{index}");
            values.push((Expr::var("variables").dot(&name), shape));
            policy.variables.push((name, expr));
        }
        if random.chance(1, 4) {
            // Match conditions see no variables.
            let plain: Vec<_> =
                values.iter().filter(|(value, _)| matches!(value, Expr::Var(_))).cloned().collect();
            let condition = generate_expression(random, &plain, &policy.operations, None);
            policy.conditions.push(condition);
        }
        for _ in 0..1 + random.below(3) {
            let known = policy.validations.iter().chain(&policy.conditions).last().cloned();
            let validation = generate_expression(random, &values, &policy.operations, known.as_ref());
            policy.validations.push(validation);
        }
        policy
    }

    /// The expression with the variables' own expressions in their places. CEL has no side effects, so these mean the same.
    pub(crate) fn inlined(&self, expr: &Expr) -> Expr {
        let mut inlined = expr.clone();
        // A variable may name those before it.
        for (name, value) in self.variables.iter().rev() {
            replace_variable(&mut inlined, name, value);
        }
        inlined
    }

    /// The policy without variables, which means the same.
    pub(crate) fn without_variables(&self) -> Self {
        let inline = |expressions: &[Expr]| expressions.iter().map(|it| self.inlined(it)).collect();
        Self {
            variables: Vec::new(),
            conditions: inline(&self.conditions),
            validations: inline(&self.validations),
            ..self.clone()
        }
    }

    pub(crate) fn constants(&self) -> Constants {
        let plain = self.without_variables();
        Constants::of(plain.conditions.iter().chain(&plain.validations))
    }

    /// True if the validations are evaluated: all conditions are true. The policy must have no variables.
    pub(crate) fn is_evaluated(&self, write: &Write) -> bool {
        self.conditions.iter().all(|it| outcome_of(it, write) == Outcome::True)
    }

    /// True if the policy admits a request. The policy must have no variables.
    pub(crate) fn admits(&self, write: &Write) -> bool {
        let outcomes: Vec<Outcome> = self.conditions.iter().map(|it| outcome_of(it, write)).collect();
        if outcomes.contains(&Outcome::False) {
            return true;
        }
        if outcomes.contains(&Outcome::Error) {
            return self.fails_open;
        }
        self.validations.iter().all(|it| match outcome_of(it, write) {
            Outcome::True => true,
            Outcome::Error => self.fails_open,
            _ => false,
        })
    }

    pub(crate) fn to_document(&self) -> Json {
        let written = |expr: &Expr| json!({"expression": expr.to_string()});
        let mut resource = self.resource.clone();
        resource["operations"] = json!(self.operations);
        let mut spec = json!({
            "failurePolicy": if self.fails_open { "Ignore" } else { "Fail" },
            "matchConstraints": {"resourceRules": [resource]},
            "validations": self.validations.iter().map(written).collect::<Vec<_>>(),
        });
        if !self.conditions.is_empty() {
            let named = |(index, expr): (usize, &Expr)| json!({"name": format!("c{index}"), "expression": expr.to_string()});
            spec["matchConditions"] = self.conditions.iter().enumerate().map(named).collect();
        }
        if !self.variables.is_empty() {
            let named = |(name, expr): &(String, Expr)| json!({"name": name, "expression": expr.to_string()});
            spec["variables"] = self.variables.iter().map(named).collect();
        }
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "ponds.example.com"}, "spec": spec,
        })
    }
}

/// The outcome of an expression without variables of the policy.
pub(crate) fn outcome_of(expr: &Expr, write: &Write) -> Outcome {
    evaluate_rule(expr, &mut write.scope())
}

fn replace_variable(expr: &mut Expr, name: &str, value: &Expr) {
    let is_variable = |it: &Expr| {
        matches!(it, Expr::Field(of, field)
            if field == name && matches!(&**of, Expr::Var(known) if known == "variables"))
    };
    if is_variable(expr) {
        *expr = value.clone();
        return;
    }
    for child in expr.children_mut() {
        replace_variable(child, name, value);
    }
}

/// A condition, a part of the object, or a list that may be absent.
fn generate_variable(random: &mut Random, values: &[(Expr, Shape)]) -> (Expr, Shape) {
    let (object, shape) = values[random.below(values.len())].clone();
    let Shape::Object { fields } = &shape else { return (object, shape) };
    let field = random.choose(fields);
    let value = object.clone().dot(field.name);
    if field.is_present() && random.chance(1, 2) {
        return (value, field.shape.clone());
    }
    if let Shape::Object { fields: inner } = &field.shape
        && let Some(list) = inner.iter().find(|it| matches!(it.shape, Shape::List { .. }))
        && let Shape::List { items, most, .. } = &list.shape
    {
        let or_empty = Expr::OrValue(Box::new(value), list.name.to_owned(), Box::new(Expr::List(Vec::new())));
        return (or_empty, Shape::List { items: items.clone(), fewest: 0, most: *most });
    }
    let depth = random.below(2);
    (maker_of(random, values).condition(depth), Shape::Bool)
}

fn maker_of<'r>(random: &'r mut Random, values: &[(Expr, Shape)]) -> RuleMaker<'r> {
    let (_, shape) = &values[0];
    let maker = RuleMaker::new(random, "object", shape, false);
    values.iter().skip(1).fold(maker, |maker, (expr, shape)| maker.with_value(expr.clone(), shape))
}

/// A condition, often related to a known one, and often with a test of the operation.
fn generate_expression(
    random: &mut Random,
    values: &[(Expr, Shape)],
    operations: &[&'static str],
    known: Option<&Expr>,
) -> Expr {
    let (is_related, is_contrary, depth) = (random.chance(2, 3), random.chance(1, 2), random.below(3));
    let mut maker = maker_of(random, values);
    let condition = match known {
        Some(known) if is_related && is_contrary => maker.related(known).negated(),
        Some(known) if is_related => maker.related(known),
        _ => maker.condition(depth),
    };
    if operations.len() > 1 && random.chance(1, 2) || operations.len() == 1 && random.chance(1, 6) {
        let (op, guard) = generate_guard(random);
        return Expr::bin(op, guard, condition);
    }
    // The server takes no value of an unknown type for a condition.
    match condition {
        Expr::Field(..) => Expr::bin(Op::Eq, condition, Expr::Lit(Val::Bool(true))),
        condition => condition,
    }
}

/// A test of the operation, and how it is joined with what it guards.
pub(crate) fn generate_guard(random: &mut Random) -> (Op, Expr) {
    let is_null = |op, name| Expr::bin(op, Expr::var(name), Expr::Lit(Val::Null));
    let is_operation = |op, name| Expr::bin(op, Expr::var("request").dot("operation"), Expr::text(name));
    match random.below(8) {
        0 => (Op::Or, is_null(Op::Eq, "oldObject")),
        1 => (Op::And, is_null(Op::Ne, "oldObject")),
        2 => (Op::And, is_null(Op::Eq, "oldObject")),
        3 => (Op::Or, is_null(Op::Eq, "object")),
        4 => (Op::Or, is_operation(Op::Eq, "CREATE")),
        5 => (Op::Or, is_operation(Op::Ne, "UPDATE")),
        6 => (Op::And, is_operation(Op::Eq, "UPDATE")),
        _ => (Op::Or, is_operation(Op::Eq, "DELETE")),
    }
}
