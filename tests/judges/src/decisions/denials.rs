//! Claims of `check` about the requests of an admission policy (KC308): validations that together deny every request of an operation, and
//! expressions that are true for every request or for none.

use kvrules::{Catalog, Diagnostic, FileId, ReadContext, SourceFile, read_file};
use serde_json::{Value as Json, json};

use super::evaluate::Outcome;
use super::expression::Expr;
use super::generate::generate_object;
use super::policies::deployment_spec;
use super::requests::{RequestPolicy, Write, outcome_of, writes_of};
use super::schema::{Field, Shape};
use super::value::Val;
use crate::{Random, Tally};

const ALL_DENIED: &str = "KC308 policy denies all";
const SOME_DENIED: &str = "KC308 policy denies an operation";
const ALWAYS: &str = "KC308 expression of a policy always true";
const NEVER: &str = "KC308 validation never true";
const NO_REQUEST: &str = "KC308 match condition never true";

/// Codes of findings after which `check` looks for no denied operations, or says nothing more about an expression.
const OTHER_FINDINGS: [&str; 3] = ["KC307", "KC308", "KC309"];

/// A policy, and the requests of its small domain.
struct JudgedPolicy {
    text: String,
    /// Without variables.
    policy: RequestPolicy,
    writes: Vec<Write>,
    /// For each request, if the conditions are true.
    evaluated: Vec<bool>,
}

impl JudgedPolicy {
    fn generate(random: &mut Random) -> Self {
        let (spec, definition, group, resource) = if random.chance(1, 4) {
            (deployment_spec(), String::new(), "apps", "deployments")
        } else {
            let spec = generate_object(random);
            (spec.clone(), format!("{}\n---\n", definition_of(&spec)), "example.com", "ponds")
        };
        let field = Field { name: "spec", shape: spec, is_required: true, default: None, is_nullable: false };
        let shape = Shape::Object { fields: vec![field] };
        let resource = json!({"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource]});
        let written = RequestPolicy::generate(random, &shape, resource);
        let text = format!("{definition}{}\n", written.to_document());
        let policy = written.without_variables();
        let objects = shape.values(&policy.constants(), random);
        let writes = writes_of(&policy.operations, &objects, random);
        let evaluated = writes.iter().map(|write| policy.is_evaluated(write)).collect();
        Self { text, policy, writes, evaluated }
    }

    fn evaluated_writes(&self) -> impl Iterator<Item = &Write> {
        self.writes.iter().zip(&self.evaluated).filter(|(_, is_evaluated)| **is_evaluated).map(|(it, _)| it)
    }

    /// A request of an operation that the validations admit.
    fn find_admitted(&self, operation: &str) -> Option<&Write> {
        self.evaluated_writes().find(|write| write.operation == operation && self.policy.admits(write))
    }

    /// True if the domain has requests of an operation that are evaluated, and each is denied.
    fn is_denied(&self, operation: &str) -> bool {
        self.evaluated_writes().any(|write| write.operation == operation)
            && self.find_admitted(operation).is_none()
    }

    fn find_outcome(&self, expr: &Expr, is_wanted: impl Fn(Outcome) -> bool) -> Option<&Write> {
        self.evaluated_writes().find(|write| is_wanted(outcome_of(expr, write)))
    }

    /// The kind of a claim and the request that refutes it; `None` if the finding claims nothing about all requests.
    fn refute(&self, finding: &Diagnostic) -> Option<(&'static str, Option<&Write>)> {
        let (field, message) = (finding.field.as_deref()?, finding.message.as_str());
        if field == "spec.validations" {
            let admitted = |operations: &[&str]| operations.iter().find_map(|it| self.find_admitted(it));
            if message.starts_with("no request satisfies the validations") {
                return Some((ALL_DENIED, admitted(&self.policy.operations)));
            }
            let names = message.strip_prefix("no ")?.split_once(" satisfies the validations")?.0;
            return Some((SOME_DENIED, admitted(&names.split(" or ").collect::<Vec<_>>())));
        }
        let expr = self.expression_at(field)?;
        let is_true = |outcome| outcome == Outcome::True;
        Some(match message.split_once(':').map_or(message, |(start, _)| start) {
            "the expression is true for every request that the policy matches" => {
                (ALWAYS, self.find_outcome(expr, |outcome| !is_true(outcome)))
            }
            "no request satisfies the validation" => {
                // An ignored error rejects none, which the message may say.
                let rejects_errors = !message.ends_with("for which it does not end in an error");
                let passes = |outcome| {
                    is_true(outcome) || rejects_errors && self.policy.fails_open && outcome == Outcome::Error
                };
                (NEVER, self.find_outcome(expr, passes))
            }
            "no request satisfies the condition" => {
                (NO_REQUEST, self.writes.iter().find(|write| is_true(outcome_of(expr, write))))
            }
            _ => return None,
        })
    }

    /// The expression at a field such as `spec.validations[1].expression`.
    fn expression_at(&self, field: &str) -> Option<&Expr> {
        let (list, rest) = field.split_once('[')?;
        let index: usize = rest.strip_suffix("].expression")?.parse().ok()?;
        match list {
            "spec.validations" => self.policy.validations.get(index),
            "spec.matchConditions" => self.policy.conditions.get(index),
            _ => None,
        }
    }

    /// Counts what holds for all requests of the domain without a claim.
    fn count_missed(&self, findings: &[Diagnostic], tally: &mut Tally) {
        let is_found = |field: &str| {
            let is_other = |it: &&Diagnostic| OTHER_FINDINGS.contains(&it.code);
            findings.iter().filter(is_other).any(|it| it.field.as_deref() == Some(field))
        };
        let mut has_cause = false;
        for (list, expressions) in
            [("matchConditions", &self.policy.conditions), ("validations", &self.policy.validations)]
        {
            for (index, expr) in expressions.iter().enumerate() {
                if is_found(&format!("spec.{list}[{index}].expression")) {
                    has_cause = true;
                } else if reads_content(expr) && !is_about_request(expr) {
                    self.count_missed_constant(expr, list == "validations", tally);
                }
            }
        }
        let denied: Vec<&str> =
            self.policy.operations.iter().copied().filter(|it| self.is_denied(it)).collect();
        let is_deliberate = !self.policy.validations.iter().any(reads_content);
        if !has_cause && !denied.is_empty() && !is_deliberate && !is_found("spec.validations") {
            let is_all = denied.len() == self.policy.operations.len();
            tally.missed(if is_all { ALL_DENIED } else { SOME_DENIED });
        }
    }

    fn count_missed_constant(&self, expr: &Expr, is_validation: bool, tally: &mut Tally) {
        if self.evaluated_writes().next().is_none() {
            return;
        }
        let is_true = |outcome| outcome == Outcome::True;
        if self.find_outcome(expr, |outcome| !is_true(outcome)).is_none() {
            // A condition says of the evaluated requests that it holds.
            if is_validation {
                tally.missed(ALWAYS);
            }
        } else if !self.writes.iter().any(|write| is_true(outcome_of(expr, write))) {
            tally.missed(if is_validation { NEVER } else { NO_REQUEST });
        }
    }
}

/// True if an expression is about fields of an object. Others are constant on purpose.
fn reads_content(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |it| {
        found |= matches!(it, Expr::Field(of, _) | Expr::Has(of, _)
            if matches!(&**of, Expr::Var(name) if name == "object" || name == "oldObject"));
    });
    found
}

/// True if an expression tests the operation. One that the operations of a policy decide is constant on purpose.
fn is_about_request(expr: &Expr) -> bool {
    let mut found = expr.mentions("request");
    expr.visit(&mut |it| found |= matches!(it, Expr::Lit(Val::Null)));
    found
}

/// The definition of the objects.
fn definition_of(spec: &Shape) -> Json {
    let names = json!({"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"});
    let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec.to_schema()}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

/// Judges the findings about a generated policy.
pub(crate) fn judge_denials(random: &mut Random, origin: &str, tally: &mut Tally) {
    let judged = JudgedPolicy::generate(random);
    let source = SourceFile::new(FileId(0), "policy.yaml", judged.text.clone());
    let reading = read_file(&source, &ReadContext::new(Catalog::kubevirt_vm()));
    for finding in &reading.diagnostics {
        if matches!(finding.code, "KC302" | "KC303") {
            tally.unjudged(&format!("{}: {}", finding.code, finding.message));
            return;
        }
    }
    for finding in reading.diagnostics.iter().filter(|it| it.code == "KC308") {
        let Some((kind, refutation)) = judged.refute(finding) else { continue };
        let details = refutation.map(|write| {
            let (text, claim) = (&judged.text, &finding.message);
            format!("{text}claim: {claim}\nrefuted by: {}", write.describe())
        });
        tally.judge(kind, origin, details);
    }
    judged.count_missed(&reading.diagnostics, tally);
}
