//! Validations of a policy as rules about the object alone, as a definition has them.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_cel::ast::{Expr, ExprKind, Expression};
use kvrules_cel::types::escape_property;
use serde_json::Value as Json;

use super::inline::{inline_variables, replace_places};

/// A validation of a policy as a rule about the object, which is `self` there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRule {
    /// The index of the validation.
    pub validation: usize,
    /// The rule in CEL, or the reason why no rule about the object alone says the same.
    pub rule: Result<String, String>,
}

/// Names that only expressions of policies have, and what they are.
const OTHER_ROOTS: [(&str, &str); 5] = [
    ("oldObject", "the stored object"),
    ("request", "the request"),
    ("params", "parameters"),
    ("namespaceObject", "the namespace"),
    ("authorizer", "permissions of the user"),
];

/// Returns the validations of a policy as rules about the object that is created, which has this schema. An object that the match
/// conditions exclude passes, and an error in them is an error of the rule.
///
/// ```
/// use kvrules_apiserver::policy::Policy;
/// use kvrules_lift::object_rules;
///
/// let policy = serde_json::json!({"spec": {
///     "matchConditions": [{"name": "web", "expression": "has(object.spec.web)"}],
///     "validations": [{"expression": "object.spec.web.port > 1"}, {"expression": "request.name != 'a'"}]}});
/// let rules = object_rules(&Policy::from_json(&policy), &serde_json::json!({"type": "object"}));
/// assert_eq!(rules[0].rule.as_deref(), Ok("(has(self.spec.web)) ? (self.spec.web.port > 1) : true"));
/// assert_eq!(rules[1].rule, Err("it reads the request (`request`)".to_owned()));
/// ```
pub fn object_rules(policy: &Policy, schema: &Json) -> Vec<ObjectRule> {
    let converter = Converter { policy, schema };
    let condition = |index| {
        let text = converter.object_expression(PolicyExpression::MatchCondition(index));
        text.map_err(|cause| format!("a match condition of the policy has no such rule: {cause}"))
    };
    let conditions: Result<Vec<String>, String> = (0..policy.conditions.len()).map(condition).collect();
    let rule = |validation| ObjectRule { validation, rule: converter.guarded_rule(validation, &conditions) };
    (0..policy.validations.len()).map(rule).collect()
}

struct Converter<'a> {
    policy: &'a Policy,
    schema: &'a Json,
}

impl Converter<'_> {
    /// A validation that is evaluated if all conditions hold. As in the server, a condition that is false wins over one that ends in
    /// an error.
    // admission/plugin/webhook/matchconditions/matcher.go, matcher.Match
    fn guarded_rule(
        &self,
        validation: usize,
        conditions: &Result<Vec<String>, String>,
    ) -> Result<String, String> {
        let conditions = conditions.as_ref().map_err(Clone::clone)?;
        let text = self.object_expression(PolicyExpression::Validation(validation))?;
        if conditions.is_empty() {
            return Ok(text);
        }
        let guards: Vec<String> = conditions.iter().map(|condition| in_parentheses(condition)).collect();
        Ok(format!("{} ? {} : true", guards.join(" && "), in_parentheses(&text)))
    }

    /// An expression of the policy with its variables put in, about `self`.
    fn object_expression(&self, expression: PolicyExpression) -> Result<String, String> {
        let inlined = inline_variables(self.policy, expression).map_err(|opaque| opaque.to_string())?;
        let mut found = None;
        inlined.root.visit_nodes(&mut |node| found = found.or_else(|| foreign_name(node)));
        if let Some((name, what)) = found {
            return Err(format!("it reads {what} (`{name}`)"));
        }
        if inlined.root.declares_name(|name| name == "self") {
            return Err("a loop has a variable with the name `self`".to_owned());
        }
        self.with_self(&inlined)
    }

    /// The text of an expression with `self` for `object`, and fields under the names that rules of definitions have for them:
    /// policies see plain maps, whose keys are not escaped.
    fn with_self(&self, expression: &Expression) -> Result<String, String> {
        let source = &expression.source;
        let mut places: Vec<(usize, usize, String)> = Vec::new();
        let mut problem = None;
        expression.root.visit_nodes(&mut |node| match &node.kind {
            ExprKind::Ident(name) if name == "object" => {
                places.push((node.span.start, node.span.end, "self".to_owned()));
            }
            ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. } => {
                let Some(escaped) = escape_property(field).filter(|escaped| escaped != field) else { return };
                match self.is_map(operand) {
                    Some(true) => return,
                    Some(false) => {}
                    None => {
                        problem.get_or_insert_with(|| {
                            format!("it reads `{field}`, a word of CEL, of a value whose type is not known")
                        });
                    }
                }
                let after = operand.span.end;
                let within = source.get(after..node.span.end).and_then(|text| text.rfind(field.as_str()));
                if let Some(start) = within.map(|offset| after + offset) {
                    places.push((start, start + field.len(), escaped));
                }
            }
            _ => {}
        });
        problem.map_or_else(|| Ok(replace_places(source, places)), Err)
    }

    /// True if a value is a map, false if it is an object with fields; `None` if it is neither, or its schema is not known.
    fn is_map(&self, operand: &Expr) -> Option<bool> {
        let node = self.schema_of(operand)?;
        match (node.get("properties").is_some(), node.get("additionalProperties").is_some()) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }

    /// The schema of a field of the object.
    fn schema_of(&self, value: &Expr) -> Option<&Json> {
        match &value.kind {
            ExprKind::Ident(name) if name == "object" => Some(self.schema),
            ExprKind::Select { operand, field } => self.schema_of(operand)?.get("properties")?.get(field),
            _ => None,
        }
    }
}

/// A line break ends a comment at the end of the text.
fn in_parentheses(text: &str) -> String {
    if text.contains("//") { format!("({text}\n)") } else { format!("({text})") }
}

/// The name in a node that a rule about the object cannot have.
fn foreign_name(node: &Expr) -> Option<(&'static str, &'static str)> {
    let ExprKind::Ident(name) = &node.kind else { return None };
    OTHER_ROOTS.into_iter().find(|(known, _)| known == name)
}
