//! The expressions of a policy: which names they see, and to what they must evaluate.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::issue::render_issues;
use kvrules_cel::kubernetes::{CelEngine, Dialect};
use kvrules_cel::names;
use kvrules_cel::parse_in;
use kvrules_cel::types::{RESERVED, Type};
use serde_json::Value as Json;

use super::fields::{PolicyField, PolicyRejections, require_text};
use super::languages::PolicyLanguages;
use crate::cost::{SERVER_CRASH, program_problem};
use crate::policy::PolicyEngine;

/// The longest value expression of an annotation, in bytes.
// admissionregistration validation.go, maxAuditAnnotationValueExpressionLength, maxAuditAnnotations and
// validateMatchConditions
const LONGEST_ANNOTATION: usize = 5120;
const MOST_ANNOTATIONS: usize = 20;
const MOST_CONDITIONS: usize = 64;

/// Reviews match conditions.
pub(super) fn review_conditions(
    spec: &PolicyField<'_>,
    languages: &PolicyLanguages,
    refusals: &mut PolicyRejections,
) {
    review_each_condition(spec, &ExpressionEnvironments::on_server(spec, languages), refusals);
}

/// Reviews variables, validations and annotations.
pub(super) fn review_expressions(
    document: &Json,
    spec: &PolicyField<'_>,
    languages: &PolicyLanguages,
    refusals: &mut PolicyRejections,
) {
    let environments = ExpressionEnvironments::on_server(spec, languages);
    let variables = review_variables(spec, &environments, refusals);
    for validation in spec.items("validations") {
        review_validation(&validation, &environments, &variables, refusals);
    }
    review_annotations(document, spec, &environments, &variables, refusals);
}

// admissionregistration validation.go, validateMatchConditions: no variables, and `params` only if the policy has a kind of
// parameters.
fn review_each_condition(
    spec: &PolicyField<'_>,
    environments: &ExpressionEnvironments,
    refusals: &mut PolicyRejections,
) {
    let conditions = spec.items("matchConditions");
    if conditions.len() > MOST_CONDITIONS {
        refusals.too_many(&spec.child("matchConditions"), conditions.len(), MOST_CONDITIONS);
    }
    let mut seen = Vec::new();
    for condition in &conditions {
        let (name, expression) = (condition.child("name"), condition.child("expression"));
        if expression.text().trim().is_empty() {
            refusals.reject_missing(&expression, "");
        } else {
            // The server shows the expression without the blanks around it.
            // admissionregistration validation.go, validateMatchCondition
            let trimmed = Json::from(expression.text().trim());
            let shown = expression.with_value(&trimmed);
            let source = expression.text().trim();
            let dialect = environments.languages.of_condition(source);
            environments.full(None).review_expression(&shown, source, dialect, &[Type::Bool], refusals);
        }
        if !require_text(&name, refusals) {
            continue;
        }
        refusals.reject_each(&name, &names::qualified_name(name.text()));
        if seen.contains(&name.text()) {
            refusals.reject_duplicate(&name, name.text());
        }
        seen.push(name.text());
    }
}

/// The types of the variables, in the order of the policy; none for one whose expression is wrong.
pub(super) fn variable_types(spec: &PolicyField<'_>, engine: PolicyEngine) -> Vec<Option<Type>> {
    declare_variables(spec, &ExpressionEnvironments::new(spec, engine), &mut PolicyRejections::default()).1
}

/// The types of the variables by name; one whose expression is wrong has any.
fn review_variables(
    spec: &PolicyField<'_>,
    environments: &ExpressionEnvironments,
    refusals: &mut PolicyRejections,
) -> BTreeMap<String, Type> {
    declare_variables(spec, environments, refusals).0
}

/// The types of the variables, by name and in their order.
// admissionregistration validation.go, validateVariable; admission/plugin/cel/composition.go, CompileAndStoreVariable: a
// variable sees those before it.
fn declare_variables(
    spec: &PolicyField<'_>,
    environments: &ExpressionEnvironments,
    refusals: &mut PolicyRejections,
) -> (BTreeMap<String, Type>, Vec<Option<Type>>) {
    let (mut types, mut ordered) = (BTreeMap::new(), Vec::new());
    for variable in spec.items("variables") {
        let (name, expression) = (variable.child("name"), variable.child("expression"));
        if name.text().trim().is_empty() {
            refusals.reject_missing(&name, "name is not specified");
        } else if !is_identifier(name.text()) {
            refusals.reject_invalid(&name, "must be a valid CEL identifier");
        }
        let ty = if expression.text().trim().is_empty() {
            refusals.reject_missing(&expression, "expression is not specified");
            None
        } else {
            let dialect = environments.languages.of_validation(expression.text());
            let environment = environments.of_variable(&types);
            environment.review_expression(&expression, expression.text(), dialect, &[], refusals)
        };
        types.insert(name.text().to_owned(), ty.clone().unwrap_or(Type::Dyn));
        ordered.push(ty);
    }
    (types, ordered)
}

// admissionregistration validation.go, validateValidation
fn review_validation(
    field: &PolicyField<'_>,
    environments: &ExpressionEnvironments,
    variables: &BTreeMap<String, Type>,
    refusals: &mut PolicyRejections,
) {
    let known = Some(variables).filter(|it| !it.is_empty());
    let (expression, message) = (field.child("expression"), field.child("message"));
    let computed = field.child("messageExpression");
    if expression.text().trim().is_empty() {
        refusals.reject_missing(&expression, "expression is not specified");
    } else {
        let dialect = environments.languages.of_validation(expression.text());
        let environment = environments.full(known);
        environment.review_expression(&expression, expression.text(), dialect, &[Type::Bool], refusals);
    }
    let non_empty = "must be non-empty if specified";
    if !computed.text().is_empty() && computed.text().trim().is_empty() {
        refusals.reject_invalid(&computed, non_empty);
    } else if !computed.text().is_empty() {
        let source = computed.text();
        // validateMessageExpression sets HasAuthorizer to false.
        let dialect = environments.languages.of_message(source);
        let environment = environments.without_authorizer(known);
        environment.review_expression(&computed, source, dialect, &[Type::String], refusals);
    }
    let text = message.text();
    if !text.is_empty() && text.trim().is_empty() {
        refusals.reject_invalid(&message, non_empty);
    } else if text.trim().contains(['\n', '\r']) && environments.languages.engine() == PolicyEngine::Server {
        refusals.reject_invalid(&message, "must not contain line breaks");
    }
    let reason = field.child("reason");
    if reason.is_there() {
        refusals.one_of(&reason, &["Forbidden", "Invalid", "RequestEntityTooLarge"]);
    }
}

// admissionregistration validation.go, validateAuditAnnotation
fn review_annotations(
    document: &Json,
    spec: &PolicyField<'_>,
    environments: &ExpressionEnvironments,
    variables: &BTreeMap<String, Type>,
    refusals: &mut PolicyRejections,
) {
    let known = Some(variables).filter(|it| !it.is_empty());
    let policy = PolicyField::root(document).child("metadata").child("name");
    let annotations = spec.items("auditAnnotations");
    if annotations.len() > MOST_ANNOTATIONS {
        // The server shows the fields as its own type names them.
        let internal = |it: &PolicyField<'_>| {
            let (key, value) = (it.child("key").text(), it.child("valueExpression").text());
            serde_json::json!({"Key": key, "ValueExpression": value})
        };
        let shown: Json = annotations.iter().map(internal).collect();
        let detail = format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        refusals.invalid_value(&spec.child("auditAnnotations"), &shown, &detail);
    }
    let mut seen = Vec::new();
    for annotation in &annotations {
        let (key, value) = (annotation.child("key"), annotation.child("valueExpression"));
        if policy.text().is_empty() {
            refusals.invalid_value(&key, &Json::from(key.text()), "requires metadata.name be non-empty");
        } else {
            let whole = format!("{}/{}", policy.text(), key.text());
            for problem in names::qualified_name(&whole) {
                refusals.invalid_value(&key, &Json::String(whole.clone()), &problem);
            }
        }
        match value.text().trim() {
            "" => refusals.reject_missing(&value, "valueExpression is not specified"),
            // The server reports a missing value here, although it is there.
            text if text.len() > LONGEST_ANNOTATION => {
                refusals.reject_missing(&value, "must not exceed 5120 bytes in length");
            }
            source => {
                let dialect = environments.languages.of_annotation(source);
                let wanted = [Type::String, Type::Null];
                environments.full(known).review_expression(&value, source, dialect, &wanted, refusals);
            }
        }
        if seen.contains(&key.text()) {
            refusals.reject_duplicate(&key, key.text());
        }
        seen.push(key.text());
    }
}

/// Object types with their fields, by name.
pub(super) type ObjectTypes = BTreeMap<String, BTreeMap<String, Type>>;

/// The names that expressions of a policy see.
pub(super) struct ExpressionEnvironments {
    base: TypeEnvironment,
    /// The type of the parameters, if there are any.
    params: Option<Type>,
    languages: PolicyLanguages,
}

/// The name of the type of `variables`.
const VARIABLES: &str = "kubernetes.variables";

impl ExpressionEnvironments {
    /// The names on the newest server, or in another engine.
    pub(super) fn new(spec: &PolicyField<'_>, engine: PolicyEngine) -> Self {
        Self::on_server(spec, &PolicyLanguages::of_engine(engine))
    }

    /// The names on a server.
    pub(super) fn on_server(spec: &PolicyField<'_>, languages: &PolicyLanguages) -> Self {
        let base = request_types(namespace_types(TypeEnvironment::new()), languages.engine().cel_engine())
            .with_variable("object", Type::Dyn)
            .with_variable("oldObject", Type::Dyn)
            .with_variable("request", Type::Object("kubernetes.AdmissionRequest".into()))
            .with_variable("namespaceObject", Type::Object("kubernetes.Namespace".into()));
        let base = base.with_engine(languages.engine().cel_engine());
        let has_params = spec.child("paramKind").is_there();
        let is_visible = has_params && languages.engine() != PolicyEngine::Gatekeeper;
        let base = if is_visible { base.with_variable("params", Type::Dyn) } else { base };
        Self { base, params: has_params.then_some(Type::Dyn), languages: languages.clone() }
    }

    /// Declares the types of `object` and `oldObject`, and of `params`; a type that is unknown stays as it is.
    // admission/plugin/policy/validating/typechecking.go, buildEnvSet
    pub(super) fn with_types(
        self,
        object: Option<&Type>,
        params: Option<&Type>,
        objects: ObjectTypes,
    ) -> Self {
        let mut base = self.base;
        let is_visible = self.languages.engine() != PolicyEngine::Gatekeeper;
        let visible = params.filter(|_| is_visible);
        for (name, ty) in [("object", object), ("oldObject", object), ("params", visible)] {
            base = ty.into_iter().fold(base, |base, ty| base.with_variable(name, ty.clone()));
        }
        for (name, fields) in objects {
            base = base.with_object_type(&name, fields);
        }
        let params = params.cloned().or(self.params);
        Self { base, params, ..self }
    }

    /// The environment of a variable. Gatekeeper shows the constraint to variables alone.
    // gatekeeper pkg/drivers/k8scel/driver.go, AddTemplate: celVarsWithParameters
    fn of_variable(&self, variables: &BTreeMap<String, Type>) -> ExpressionEnvironment {
        let ExpressionEnvironment(environment) = self.full(Some(variables));
        ExpressionEnvironment(match &self.params {
            Some(ty) if self.languages.engine() == PolicyEngine::Gatekeeper => {
                environment.with_variable("params", ty.clone())
            }
            _ => environment,
        })
    }

    /// The environment of an expression that has the expressions of variables in it.
    pub(super) fn environment_with_params(&self) -> TypeEnvironment {
        let environment = self.environment(None);
        match &self.params {
            Some(ty) => environment.with_variable("params", ty.clone()),
            None => environment,
        }
    }

    /// The environment of a variable with a type.
    pub(super) fn environment_of_variable(&self, variables: &BTreeMap<String, Type>) -> TypeEnvironment {
        self.of_variable(variables).0
    }

    /// The environment of an expression that sees all names.
    pub(super) fn environment(&self, variables: Option<&BTreeMap<String, Type>>) -> TypeEnvironment {
        self.full(variables).0
    }

    fn without_authorizer(&self, variables: Option<&BTreeMap<String, Type>>) -> ExpressionEnvironment {
        let env = self.base.clone();
        ExpressionEnvironment(match variables {
            Some(types) => {
                let of = Type::Object(VARIABLES.into());
                env.with_object_type(VARIABLES, types.clone()).with_variable("variables", of)
            }
            None => env,
        })
    }

    fn full(&self, variables: Option<&BTreeMap<String, Type>>) -> ExpressionEnvironment {
        let ExpressionEnvironment(env) = self.without_authorizer(variables);
        if self.languages.engine() != PolicyEngine::Server {
            return ExpressionEnvironment(env);
        }
        let of = |name: &str| Type::Object(format!("kubernetes.authorization.{name}").into());
        let env = env.with_variable("authorizer", of("Authorizer"));
        ExpressionEnvironment(env.with_variable("authorizer.requestResource", of("ResourceCheck")))
    }
}

struct ExpressionEnvironment(TypeEnvironment);

impl ExpressionEnvironment {
    /// Checks the expression in a field, whose text is `source`, against the types it may have, any when there are none;
    /// its type if it is right.
    // admission/plugin/cel/compile.go, CompileCELExpression; admissionregistration validation.go,
    // convertCELErrorToValidationError
    fn review_expression(
        &self,
        field: &PolicyField<'_>,
        source: &str,
        dialect: Dialect,
        wanted: &[Type],
        refusals: &mut PolicyRejections,
    ) -> Option<Type> {
        let checked = match parse_in(source, dialect) {
            Ok(expression) => match check_expression(&expression, &self.0.clone().with_dialect(dialect)) {
                Ok(checked) => Ok((checked, expression)),
                Err(issues) => Err(render_issues(source, &issues)),
            },
            Err(error) => Err(error.to_string()),
        };
        let (checked, expression) = match checked {
            Ok(checked) => checked,
            Err(text) => {
                refusals.reject_invalid(field, &format!("compilation failed: {text}"));
                return None;
            }
        };
        let ty = checked.result_type().clone();
        if checked.crashes_server(dialect) {
            refusals.reject_internal(field, SERVER_CRASH);
        } else if !wanted.is_empty() && !wanted.contains(&ty) {
            let names: Vec<String> = wanted.iter().map(display_type).collect();
            let wanted = match names.as_slice() {
                [one] => one.clone(),
                several => format!("one of [{}]", several.join(" ")),
            };
            refusals
                .reject_invalid(field, &format!("must evaluate to {wanted} but got {}", display_type(&ty)));
        } else if let Some(problem) = program_problem(&checked, &expression, dialect) {
            // admission/plugin/cel/compile.go, CompileCELExpression
            refusals.reject_internal(field, &format!("program instantiation failed: {problem}"));
        }
        Some(ty)
    }
}

/// Types as these texts name them.
fn display_type(ty: &Type) -> String {
    if *ty == Type::Null { "null_type".to_owned() } else { ty.to_string() }
}

fn with_object(env: TypeEnvironment, name: &str, fields: &[(&str, Type)]) -> TypeEnvironment {
    env.with_object_type(name, fields.iter().map(|(field, ty)| ((*field).to_owned(), ty.clone())).collect())
}

fn string_list_type() -> Type {
    Type::List(Arc::new(Type::String))
}

fn string_map(value: Type) -> Type {
    Type::Map(Arc::new(Type::String), Arc::new(value))
}

// admission/plugin/cel/compile.go, BuildRequestType
fn request_types(env: TypeEnvironment, engine: CelEngine) -> TypeEnvironment {
    let named = |name: &str| Type::Object(name.into());
    let (kind, resource) = ("kubernetes.GroupVersionKind", "kubernetes.GroupVersionResource");
    let text = Type::String;
    let env =
        with_object(env, kind, &[("group", text.clone()), ("version", text.clone()), ("kind", text.clone())]);
    let env = with_object(
        env,
        resource,
        &[("group", text.clone()), ("version", text.clone()), ("resource", text.clone())],
    );
    let env = with_object(
        env,
        "kubernetes.UserInfo",
        &[
            ("username", text.clone()),
            ("uid", text.clone()),
            ("groups", string_list_type()),
            ("extra", string_map(string_list_type())),
        ],
    );
    // kyverno pkg/cel/compiler/request.go, BuildRequestType
    let objects = [("object", Type::Dyn), ("oldObject", Type::Dyn)];
    let objects = objects.into_iter().filter(|_| engine == CelEngine::Kyverno);
    let fields: Vec<_> = request_fields(&named, &text).into_iter().chain(objects).collect();
    with_object(env, "kubernetes.AdmissionRequest", &fields)
}

fn request_fields(named: &dyn Fn(&str) -> Type, text: &Type) -> Vec<(&'static str, Type)> {
    let (kind, resource) = ("kubernetes.GroupVersionKind", "kubernetes.GroupVersionResource");
    let text = || text.clone();
    vec![
        ("kind", named(kind)),
        ("resource", named(resource)),
        ("subResource", text()),
        ("requestKind", named(kind)),
        ("requestResource", named(resource)),
        ("requestSubResource", text()),
        ("name", text()),
        ("namespace", text()),
        ("operation", text()),
        ("userInfo", named("kubernetes.UserInfo")),
        ("dryRun", Type::Bool),
        ("options", Type::Dyn),
    ]
}

// admission/plugin/cel/compile.go, BuildNamespaceType: some fields are left out by design.
fn namespace_types(env: TypeEnvironment) -> TypeEnvironment {
    let named = |name: &str| Type::Object(name.into());
    let text = Type::String;
    let env = with_object(
        env,
        "kubernetes.NamespaceMetadata",
        &[
            ("name", text.clone()),
            ("generateName", text.clone()),
            ("namespace", text.clone()),
            ("labels", string_map(Type::String)),
            ("annotations", string_map(Type::String)),
            ("UID", text.clone()),
            ("creationTimestamp", Type::Timestamp),
            ("deletionGracePeriodSeconds", Type::Int),
            ("deletionTimestamp", Type::Timestamp),
            ("generation", Type::Int),
            ("resourceVersion", text.clone()),
            ("finalizers", string_list_type()),
        ],
    );
    let env = with_object(env, "kubernetes.NamespaceSpec", &[("finalizers", string_list_type())]);
    let condition = "kubernetes.NamespaceCondition";
    let env = with_object(
        env,
        condition,
        &[
            ("status", text.clone()),
            ("type", text.clone()),
            ("lastTransitionTime", Type::Timestamp),
            ("message", text.clone()),
            ("reason", text.clone()),
        ],
    );
    let conditions = Type::List(Arc::new(named(condition)));
    let env = with_object(env, "kubernetes.NamespaceStatus", &[("conditions", conditions), ("phase", text)]);
    with_object(
        env,
        "kubernetes.Namespace",
        &[
            ("metadata", named("kubernetes.NamespaceMetadata")),
            ("spec", named("kubernetes.NamespaceSpec")),
            ("status", named("kubernetes.NamespaceStatus")),
        ],
    )
}

/// A name that an expression may use for a variable.
// admissionregistration validation.go, isCELIdentifier
fn is_identifier(text: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(start)
        && text.chars().all(|c| start(c) || c.is_ascii_digit())
        && !RESERVED.contains(&text)
}
