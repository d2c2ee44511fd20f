//! The constructs in the expressions of a policy that only newer servers have.

use std::collections::BTreeMap;

use kvrules_cel::check::{Requirement, check_expression};
use kvrules_cel::parse;
use kvrules_cel::types::Type;
use serde_json::Value as Json;

use super::expressions::ExpressionEnvironments;
use super::fields::PolicyField;
use super::type_checking::all_expressions;
use crate::policy::PolicyEngine;

/// An expression of a policy, and the constructs in it that not every known server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionRequirements {
    /// The path of the expression in the document.
    pub field: String,
    /// The constructs, in the order of the text.
    pub requirements: Vec<Requirement>,
}

/// Returns the constructs in the expressions of a policy that not every known server has. An expression that the newest server
/// rejects has none.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::policy_requirements;
/// let policy = serde_json::json!({"spec": {"validations": [{"expression": "object.?spec.hasValue()"}]}});
/// let found = policy_requirements(&policy);
/// assert_eq!(found[0].field, "spec.validations[0].expression");
/// assert_eq!(found[0].requirements[0].name, ".?");
/// ```
pub fn policy_requirements(document: &Json) -> Vec<ExpressionRequirements> {
    let spec = PolicyField::root(document).child("spec");
    let names = super::variable_types(document);
    let items = spec.items("variables");
    let declared = items
        .iter()
        .zip(names)
        .map(|(item, ty)| (item.child("name").text().to_owned(), ty.unwrap_or(Type::Dyn)));
    let variables: BTreeMap<String, Type> = declared.collect();
    let environment = ExpressionEnvironments::new(&spec, PolicyEngine::Server).environment(Some(&variables));
    let of_expression = |(field, source): (String, &str)| {
        let checked = check_expression(&parse(source).ok()?, &environment).ok()?;
        let requirements = checked.find_requirements(source);
        (!requirements.is_empty()).then_some(ExpressionRequirements { field, requirements })
    };
    all_expressions(&spec).into_iter().filter_map(of_expression).collect()
}
