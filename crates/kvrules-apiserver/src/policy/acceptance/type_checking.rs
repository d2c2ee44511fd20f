//! Types of the objects and the parameters of a policy, compared with its expressions. A server does so after it has accepted the
//! policy, and writes what it finds into `status.typeChecking`.

mod declare;
mod relevance;

use std::collections::{BTreeMap, BTreeSet};

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::issue::Issue;
use kvrules_cel::parse;
use kvrules_cel::types::Type;
use serde_json::Value as Json;

use super::expressions::{ExpressionEnvironments, ObjectTypes};
use super::fields::PolicyField;
use crate::policy::PolicyEngine;
use declare::declare_type;

/// The most resources of a rule whose types are checked.
// admission/plugin/policy/validating/typechecking.go, maxTypesToCheck
const MOST_RESOURCES: usize = 10;

/// The names of the types of objects and of parameters. The colon keeps them apart from names in expressions: a name with dots may
/// be that of a type.
const OBJECT: &str = "selfType:object";
const PARAMS: &str = "selfType:params";

/// An expression that does not fit the types of what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// The path of the expression in the document.
    pub field: String,
    /// The error, in the words of the server; its offset is in the expression without the blanks around it.
    pub issue: Issue,
    /// The path of the object that lacks a field, such as `object.spec`; empty for other errors.
    pub place: String,
    /// The fields that it has.
    pub candidates: Vec<String>,
}

/// A resource that a policy matches by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckedResource {
    /// The API group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource, such as `deployments`.
    pub resource: String,
}

/// Resources that a policy matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedResources {
    /// Those whose types are checked, sorted.
    pub resources: BTreeSet<CheckedResource>,
    /// True if the policy also matches others, by wildcards or as subresources.
    pub has_others: bool,
}

/// Returns the resources whose types a server compares with the expressions of a policy: no wildcards, no subresources, and at
/// most ten.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::resources_to_check;
/// use serde_json::json;
/// let policy = |resources: &[&str]| json!({"spec": {"matchConstraints": {"resourceRules": [
///     {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": resources}]}}});
/// let found = resources_to_check(&policy(&["deployments", "deployments/scale"]));
/// assert_eq!(found.resources.first().unwrap().resource, "deployments");
/// assert!(found.resources.len() == 1 && found.has_others);
/// assert!(resources_to_check(&policy(&["*"])).resources.is_empty());
/// ```
// admission/plugin/policy/validating/typechecking.go, typesToCheck. It counts the kinds of a rule, also those it has already.
pub fn resources_to_check(document: &Json) -> CheckedResources {
    let rules = PolicyField::root(document).child("spec").child("matchConstraints").items("resourceRules");
    let mut found = CheckedResources::default();
    for rule in rules {
        let list = |name: &str| {
            let mut texts: Vec<&str> = rule.items(name).iter().map(PolicyField::text).collect();
            texts.sort_unstable();
            texts
        };
        let (groups, versions, resources) = (list("apiGroups"), list("apiVersions"), list("resources"));
        let is_wild = |text: &&str| text.contains('*');
        if groups.iter().any(is_wild) || versions.iter().any(is_wild) {
            found.has_others = true;
            continue;
        }
        found.has_others |= resources.iter().any(|text| text.contains(['*', '/']));
        let mut count = 0;
        for (group, version) in groups.iter().flat_map(|group| versions.iter().map(move |it| (group, it))) {
            for resource in resources.iter().filter(|text| !text.contains(['*', '/'])) {
                if count == MOST_RESOURCES {
                    return CheckedResources { has_others: true, ..found };
                }
                count += 1;
                let [group, version, resource] = [group, version, resource].map(|it| (*it).to_owned());
                found.resources.insert(CheckedResource { group, version, resource });
            }
        }
    }
    found
}

/// Returns the words in the expressions of a policy. Fields that are not among them need no type.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::mentioned_names;
/// let policy = serde_json::json!({"spec": {"validations": [{"expression": "object.spec.replicas < 3"}]}});
/// assert!(mentioned_names(&policy).contains("replicas"));
/// ```
pub fn mentioned_names(document: &Json) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, source) in all_expressions(&PolicyField::root(document).child("spec")) {
        let words = source.split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '$');
        names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
    names
}

/// Returns the expressions of a policy that do not fit the schema of the objects that it matches, and of its parameters. An
/// unknown schema is `None`. An expression that a server rejects without types is left out.
///
/// Only what is wrong for the objects that expressions see at a request is returned: these are maps, so that `'a' in object.spec`
/// and `size(object.spec)` are right although the types of a server do not allow them.
///
/// ```
/// use kvrules_apiserver::policy::acceptance::check_types;
/// use serde_json::json;
/// let integer = json!({"type": "integer"});
/// let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"replicas": integer}}}});
/// let policy = json!({"spec": {"validations": [{"expression": "object.spec.replica < 3"}]}});
/// let found = check_types(&policy, Some(&schema), None);
/// assert_eq!(found[0].issue.message, "undefined field 'replica'");
/// assert_eq!((found[0].place.as_str(), found[0].candidates.as_slice()), ("object.spec", &["replicas".to_owned()][..]));
/// ```
pub fn check_types(document: &Json, object: Option<&Json>, params: Option<&Json>) -> Vec<TypeMismatch> {
    let spec = PolicyField::root(document).child("spec");
    let engine = PolicyEngine::of_document(document);
    let checker = TypeChecker {
        engine,
        typed: typed_environments(&spec, engine, object, params),
        untyped: ExpressionEnvironments::new(&spec, engine),
    };
    checker.check_policy(&spec)
}

/// Returns the names that the expressions of a policy see, with the types of the objects that they are about; without its
/// variables.
pub fn typed_environment(document: &Json, object: Option<&Json>, params: Option<&Json>) -> TypeEnvironment {
    let engine = PolicyEngine::of_document(document);
    typed_environments(&PolicyField::root(document).child("spec"), engine, object, params)
        .environment_with_params()
}

fn typed_environments(
    spec: &PolicyField<'_>,
    engine: PolicyEngine,
    object: Option<&Json>,
    params: Option<&Json>,
) -> ExpressionEnvironments {
    let mut types = ObjectTypes::new();
    let object = object.map(|schema| declare_type(schema, OBJECT, &mut types));
    let has_params = spec.child("paramKind").is_there();
    let params = params.filter(|_| has_params).map(|schema| declare_type(schema, PARAMS, &mut types));
    ExpressionEnvironments::new(spec, engine).with_types(object.as_ref(), params.as_ref(), types)
}

struct TypeChecker {
    engine: PolicyEngine,
    typed: ExpressionEnvironments,
    untyped: ExpressionEnvironments,
}

/// The types of variables by name, with the types of objects and without.
#[derive(Default)]
struct VariableTypes {
    typed: BTreeMap<String, Type>,
    untyped: BTreeMap<String, Type>,
}

impl TypeChecker {
    fn check_policy(&self, spec: &PolicyField<'_>) -> Vec<TypeMismatch> {
        let (mut variables, mut found) = (VariableTypes::default(), Vec::new());
        for condition in spec.items("matchConditions") {
            self.check_field(&condition.child("expression"), None, &mut found);
        }
        for variable in spec.items("variables") {
            let (name, field) = (variable.child("name").text(), variable.child("expression"));
            if let Some(ty) = self.given_type(name) {
                variables.typed.insert(name.to_owned(), ty);
                variables.untyped.insert(name.to_owned(), Type::Dyn);
                continue;
            }
            let typed = Self::check_in(&field, &variables.environments_of_variable(self), &mut found);
            let untyped =
                Self::check_untyped(&field, &self.untyped.environment_of_variable(&variables.untyped));
            variables.typed.insert(name.to_owned(), typed);
            variables.untyped.insert(name.to_owned(), untyped.unwrap_or(Type::Dyn));
        }
        let known = Some(&variables).filter(|variables| !variables.typed.is_empty());
        for validation in spec.items("validations") {
            for name in ["expression", "messageExpression"] {
                self.check_field(&validation.child(name), known, &mut found);
            }
        }
        for annotation in spec.items("auditAnnotations") {
            self.check_field(&annotation.child("valueExpression"), known, &mut found);
        }
        found
    }

    /// The type of the variable in which Gatekeeper gives the parameters. Its expression also has the value null, which the engine
    /// gives for constraints without parameters.
    fn given_type(&self, name: &str) -> Option<Type> {
        let is_given = self.engine == PolicyEngine::Gatekeeper && name == "params";
        let expression = is_given.then(|| parse("params.spec.parameters").ok()).flatten()?;
        let environment = self.typed.environment_with_params();
        Some(check_expression(&expression, &environment).map_or(Type::Dyn, |it| it.result_type().clone()))
    }

    /// Checks an expression that sees variables; returns its type, which is any if it has errors.
    fn check_field(
        &self,
        field: &PolicyField<'_>,
        variables: Option<&VariableTypes>,
        found: &mut Vec<TypeMismatch>,
    ) -> Type {
        let environments = (
            self.typed.environment(variables.map(|it| &it.typed)),
            self.untyped.environment(variables.map(|it| &it.untyped)),
        );
        Self::check_in(field, &environments, found)
    }

    /// Checks an expression with the types of objects and without.
    fn check_in(
        field: &PolicyField<'_>,
        (typed, untyped): &(TypeEnvironment, TypeEnvironment),
        found: &mut Vec<TypeMismatch>,
    ) -> Type {
        let Ok(expression) = parse(field.text().trim()) else { return Type::Dyn };
        match check_expression(&expression, typed) {
            Ok(checked) => checked.result_type().clone(),
            Err(issues) => {
                if Self::check_untyped(field, untyped).is_some() {
                    let relevant = issues.into_iter().filter(relevance::is_wrong_at_requests);
                    found.extend(relevant.map(|issue| to_mismatch(field, issue, typed)));
                }
                Type::Dyn
            }
        }
    }

    /// The type of an expression without the types of objects; `None` if a server rejects it.
    fn check_untyped(field: &PolicyField<'_>, environment: &TypeEnvironment) -> Option<Type> {
        let expression = parse(field.text().trim()).ok()?;
        check_expression(&expression, environment).ok().map(|checked| checked.result_type().clone())
    }
}

impl VariableTypes {
    /// The environments of a variable, with the types of objects and without.
    fn environments_of_variable(&self, checker: &TypeChecker) -> (TypeEnvironment, TypeEnvironment) {
        let untyped = checker.untyped.environment_of_variable(&self.untyped);
        (checker.typed.environment_of_variable(&self.typed), untyped)
    }
}

fn to_mismatch(field: &PolicyField<'_>, issue: Issue, environment: &TypeEnvironment) -> TypeMismatch {
    let lacking = issue.lacking_type.as_deref().unwrap_or_default();
    let candidates = environment.field_names(lacking).map(str::to_owned).collect();
    let place = lacking.strip_prefix("selfType:").unwrap_or(lacking).to_owned();
    TypeMismatch { field: field.path().to_owned(), issue, place, candidates }
}

/// Every expression with its field, in the order of evaluation.
pub(super) fn all_expressions<'a>(spec: &PolicyField<'a>) -> Vec<(String, &'a str)> {
    let lists = [
        ("matchConditions", &["expression"][..]),
        ("variables", &["expression"]),
        ("validations", &["expression", "messageExpression"]),
        ("auditAnnotations", &["valueExpression"]),
    ];
    let mut found = Vec::new();
    for (list, names) in lists {
        for item in spec.items(list) {
            for name in names {
                let field = item.child(name);
                found.push((field.path().to_owned(), field.text()));
            }
        }
    }
    found
}
