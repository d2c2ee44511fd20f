//! Objects in a text, each evaluated with the policies.

use kvrules_apiserver::policy::{Request, answer_from_reports, report_request};
use kvrules_diagnostics::SourceFile;
use kvrules_rule_set::{built_in_subresources, write_subresource};
use kvrules_syntax::Document;
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::value::ValueReader;
use serde_json::Value;

use super::super::crd::{StoredObjects, WriteTarget, to_crd_answer};
use super::super::find::name_of;
use super::super::{Evaluation, EvaluationFault, Options, unnamed_evaluation};
use super::answer::{first_fault, to_answer};
use super::request::{
    RequestObjects, RequestOperation, drop_built_in_nulls, label_namespace, make_request, set_namespace,
    set_type,
};
use super::resources::{Resource, unknown_resource};
use super::rules::PolicyRules;

/// The reason why an object is not evaluated.
enum Refusal {
    /// A sentence.
    Message(String),
    /// The server rejects it before it asks policies.
    Definition(Box<Evaluation>),
}

/// Evaluates each object in a document that could be read.
pub(crate) fn evaluate_objects(
    source: &SourceFile,
    document: &Document<'_>,
    rules: &PolicyRules,
    options: &Options,
) -> Vec<Evaluation> {
    let Some(root) = document.root() else { return Vec::new() };
    find_objects(root).iter().map(|object| evaluate_object(source, object, rules, options)).collect()
}

fn evaluate_object(
    source: &SourceFile,
    object: &TypedObject<'_>,
    rules: &PolicyRules,
    options: &Options,
) -> Evaluation {
    let evaluation = unnamed_evaluation(source, object.node, None);
    let name = name_of(object.node).map(str::to_owned);
    let fault = |message| Some(EvaluationFault::new(source, object.node.span(), message));
    let (request, operation, warnings) = match to_request(source, object, rules, options) {
        Ok(made) => made,
        Err(Refusal::Message(message)) => return Evaluation { name, fault: fault(message), ..evaluation },
        Err(Refusal::Definition(rejected)) => return Evaluation { name, ..*rejected },
    };
    let reports = report_request(&rules.policies, &rules.bindings, &request);
    let answered = answer_from_reports(&rules.policies, &rules.bindings, &request, &reports);
    let message = first_fault(rules, &request, &reports);
    let answer = to_answer(rules, (&request, operation), &reports, answered, warnings);
    Evaluation { name, policy: Some(answer), fault: message.and_then(fault), ..evaluation }
}

/// The request for an object, its operation, and the warnings about fields that its definition does not know.
fn to_request(
    source: &SourceFile,
    object: &TypedObject<'_>,
    rules: &PolicyRules,
    options: &Options,
) -> Result<(Request, RequestOperation, Vec<String>), Refusal> {
    let refuse = |message: String| Refusal::Message(message);
    if !object.node.is_map() {
        return Err(refuse("not an object".to_owned()));
    }
    for (value, missing) in [(object.kind, "kind"), (object.api_version, "apiVersion")] {
        if value.is_empty() {
            return Err(refuse(format!("missing `{missing}`, which selects the resource")));
        }
    }
    let resource = rules.resources.find_resource(object.api_version, object.kind);
    let resource = resource.ok_or_else(|| refuse(unknown_resource(object.api_version, object.kind)))?;
    let mut value = ValueReader::for_kubernetes().read_value(object.node).map_err(|it| refuse(it.message))?;
    set_type(&mut value, object.api_version, object.kind);
    if value.get("metadata").is_some_and(|metadata| !metadata.is_object() && !metadata.is_null()) {
        return Err(refuse("`metadata` is not an object".to_owned()));
    }
    let old = find_old(object, &value, options).map_err(refuse)?;
    let operation = find_operation(rules, old.is_some()).map_err(refuse)?;
    let (value, warnings) = match operation {
        RequestOperation::Delete | RequestOperation::Connect => (value, Vec::new()),
        _ => apply_definition(source, object, (value, old), rules, options)?,
    };
    let objects = to_objects(rules, resource, operation, value, old.cloned());
    let mut request = make_request(&rules.setup, (operation, resource), object.api_version, objects);
    if let Some(namespace) = rules.find_namespace(&request.namespace) {
        request.namespace_object = namespace.clone();
    }
    request.params.clone_from(&rules.params);
    Ok((request, operation, warnings))
}

/// The stored object that an object takes the place of.
fn find_old<'o>(
    object: &TypedObject<'_>,
    value: &Value,
    options: &'o Options,
) -> Result<Option<&'o Value>, String> {
    let stored: Option<&StoredObjects> = options.stored.as_deref();
    let old = stored.and_then(|it| it.find_stored(object.kind, object.api_version, value));
    let other = old.and_then(|old| old.get("apiVersion")?.as_str()).filter(|it| *it != object.api_version);
    match other {
        Some(other) => Err(format!(
            "the stored object is of `{other}` and this one of `{}`; the result of a conversion is unknown",
            object.api_version
        )),
        None => Ok(old),
    }
}

fn find_operation(rules: &PolicyRules, is_stored: bool) -> Result<RequestOperation, String> {
    match (rules.setup.operation, is_stored) {
        (Some(RequestOperation::Update), false) => {
            Err("no stored object for the update; pass it with `--old`".to_owned())
        }
        (Some(operation), _) => Ok(operation),
        (None, true) => Ok(RequestOperation::Update),
        (None, false) => Ok(RequestOperation::Create),
    }
}

/// The object as it would be stored by its definition, if that is known; otherwise as it is written.
// apiserver registry/generic/registry/store.go, Create and Update: validation by schema comes before validating admission.
fn apply_definition(
    source: &SourceFile,
    object: &TypedObject<'_>,
    (mut value, old): (Value, Option<&Value>),
    rules: &PolicyRules,
    options: &Options,
) -> Result<(Value, Vec<String>), Refusal> {
    let definitions = rules.definitions.as_ref().filter(|it| it.has_kind(object.api_version, object.kind));
    let Some(definitions) = definitions else {
        decode_built_in(&mut value);
        let subresource = (object.api_version, rules.setup.subresource.as_str());
        return Ok((written_object(rules, subresource, object.kind, value, old), Vec::new()));
    };
    let version = definitions
        .find_version(object.api_version, object.kind)
        .map_err(|unknown| Refusal::Message(unknown.message))?;
    let admission = match (rules.setup.subresource.as_str(), old) {
        ("", old) => version.schema().admit_object(&value, old),
        ("status", Some(old)) if version.schema().has_status() => version.schema().admit_status(&value, old),
        (name, _) => {
            let message = match name {
                "status" if old.is_none() => {
                    "no stored object for the status; pass it with `--old`".to_owned()
                }
                _ => format!("`{}` in `{}` has no subresource `{name}`", object.kind, object.api_version),
            };
            return Err(Refusal::Message(message));
        }
    };
    if admission.is_accepted() {
        return Ok((admission.stored, admission.warnings));
    }
    let target = match rules.setup.subresource.as_str() {
        "status" => WriteTarget::Status,
        _ => WriteTarget::Object,
    };
    let options = Options { target, trace: options.trace, ..Options::default() };
    let answer = to_crd_answer(source, object.node, admission, (old.is_some(), &options));
    let rejected = Evaluation { crd: Some(answer), ..unnamed_evaluation(source, object.node, None) };
    Err(Refusal::Definition(Box::new(rejected)))
}

/// Leaves out the nulls of a kind of Kubernetes, and adds those that its types have for unset fields.
// apimachinery pkg/runtime converter.go, ToUnstructured
fn decode_built_in(value: &mut Value) {
    drop_built_in_nulls(value);
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    kvrules_crd::fill_unset_fields(&api_version, &kind, value);
}

/// The object that a request for a subresource of a built-in kind makes of the stored one; else the object as it is.
fn written_object(
    rules: &PolicyRules,
    (api_version, subresource): (&str, &str),
    kind: &str,
    value: Value,
    old: Option<&Value>,
) -> Value {
    let (Some(old), Some(resource)) = (old, rules.resources.find_resource(api_version, kind)) else {
        return value;
    };
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let all = built_in_subresources(&resource.group, version, &resource.plural);
    match all.iter().find(|written| written.name == subresource && written.shows_object) {
        Some(written) => {
            let mut stored = old.clone();
            decode_built_in(&mut stored);
            write_subresource(written, &stored, &value)
        }
        None => value,
    }
}

/// The new and the old object of a request.
fn to_objects(
    rules: &PolicyRules,
    resource: &Resource,
    operation: RequestOperation,
    mut object: Value,
    old: Option<Value>,
) -> RequestObjects {
    let is_namespace = resource.group.is_empty() && resource.plural == "namespaces";
    let complete = |value: &mut Value| {
        set_namespace(value, resource.scope, &rules.setup.namespace);
        if is_namespace {
            label_namespace(value);
        }
    };
    complete(&mut object);
    let old = old.map(|mut old| {
        decode_built_in(&mut old);
        complete(&mut old);
        old
    });
    match (operation, old) {
        // apiserver registry/generic/registry/store.go, Delete: the stored object is the old one.
        (RequestOperation::Delete, old) => {
            let old = old.unwrap_or_else(|| {
                decode_built_in(&mut object);
                object
            });
            RequestObjects { object: Value::Null, old }
        }
        (_, old) => RequestObjects { object, old: old.unwrap_or(Value::Null) },
    }
}
