//! Resources as a server gets them, and the errors for which it rejects a definition.

use std::collections::BTreeMap;

use kvrules_apiserver::field_error::FieldError;
use kvrules_crd::LocatedResource;
use kvrules_diagnostics::Diagnostic;
use kvrules_elaborate::object::{ParameterValues, process_object};
use kvrules_elaborate::template::Template;
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::find_field;
use kvrules_syntax::value::{NotJsonError, ValueReader};
use serde_json::Value;

/// The schema of a version of a definition.
#[derive(Clone, Copy, Debug)]
pub struct VersionSchema<'v> {
    /// The value of `openAPIV3Schema`.
    pub schema: &'v Value,
    /// The field in which it is, as a server names it.
    pub prefix: &'v str,
    /// True if the version has the status subresource.
    pub has_status: bool,
}

/// Returns the value of a resource, of one in an OpenShift template with the values that its parameters have there. Integers beyond
/// 64 bits are floats, as they are to the server.
///
/// # Errors
///
/// A part of it that no server gets, or that depends on a template in another template.
///
/// ```
/// use kvrules_crd::locate_resources;
/// use kvrules_diagnostics::FileId;
///
/// let text = "kind: Template\nparameters: [{name: KIND, value: Pond}]\nobjects:\n\
///             - {kind: CustomResourceDefinition, spec: {names: {kind: '${KIND}'}}}\n";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let value = kvrules_sources::read_resource(&locate_resources(&stream.documents[0])[0])?;
/// assert_eq!(value["spec"]["names"]["kind"], "Pond");
/// # Ok::<(), kvrules_syntax::value::NotJsonError>(())
/// ```
pub fn read_resource(resource: &LocatedResource<'_>) -> Result<Value, NotJsonError> {
    let node = resource.node;
    match resource.templates.as_slice() {
        [] => ValueReader::for_kubernetes().read_value(node),
        [template] => match Template::new(*template) {
            Some(template) => {
                process_object(template, node, &ParameterValues::from_template(template, &BTreeMap::new()))
            }
            None => ValueReader::for_kubernetes().read_value(node),
        },
        _ => Err(NotJsonError {
            span: node.span(),
            message: "this resource is in a template of a template".to_owned(),
        }),
    }
}

/// Returns the value of a definition. `find_errors` has the errors of a server about the schema of a version.
///
/// # Errors
///
/// All reasons for which a server rejects it that concern its versions.
///
/// ```
/// use kvrules_crd::locate_resources;
/// use kvrules_diagnostics::FileId;
///
/// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {versions: [{name: v1}]}\n";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let located = locate_resources(&stream.documents[0]);
/// let errors = kvrules_sources::read_definition(&located[0], &|_| Vec::new()).unwrap_err();
/// assert_eq!(errors[0].message, "missing `schema.openAPIV3Schema` in this version, which servers require");
/// ```
pub fn read_definition(
    resource: &LocatedResource<'_>,
    find_errors: &dyn Fn(VersionSchema<'_>) -> Vec<FieldError>,
) -> Result<Value, Vec<Diagnostic>> {
    let node = resource.node;
    let api_version = node.get("apiVersion").and_then(Node::as_str).unwrap_or_default();
    if api_version != "apiextensions.k8s.io/v1" {
        let span = node.get("apiVersion").map_or(node.span(), Node::span);
        let message =
            format!("servers accept only definitions in `apiextensions.k8s.io/v1`, not in `{api_version}`");
        return Err(vec![Diagnostic::refused_input("schema", span, message)]);
    }
    let value = read_resource(resource)
        .map_err(|error| vec![Diagnostic::refused_input("schema", error.span, error.message)])?;
    let errors = find_version_errors(node, &value, find_errors);
    if errors.is_empty() { Ok(value) } else { Err(errors) }
}

/// Returns the errors about the versions of a definition.
fn find_version_errors(
    node: Node<'_>,
    definition: &Value,
    find_errors: &dyn Fn(VersionSchema<'_>) -> Vec<FieldError>,
) -> Vec<Diagnostic> {
    let error = |path: &str, message: String| {
        Diagnostic::refused_input("schema", find_field(node, path).entry.value.span(), message)
    };
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
    let Some(versions) = versions.filter(|versions| !versions.is_empty()) else {
        return vec![error("spec.versions", "missing `spec.versions` in this definition".to_owned())];
    };
    // Like the server: a schema that all versions have is written at the top of its internal form.
    let first = versions.first().and_then(schema_of);
    let has_several = versions.iter().skip(1).any(|version| schema_of(version) != first);
    let mut errors = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let path = format!("spec.versions[{index}].schema");
        let Some(schema) = schema_of(version).filter(|schema| schema.is_object()) else {
            let message = "missing `schema.openAPIV3Schema` in this version, which servers require";
            errors.push(error(&path, message.to_owned()));
            continue;
        };
        if !has_several && index > 0 {
            continue;
        }
        let prefix = if has_several { path.as_str() } else { "spec.validation" };
        let has_status = version.pointer("/subresources/status").is_some_and(Value::is_object);
        errors.extend(find_errors(VersionSchema { schema, prefix, has_status }).iter().map(|found| {
            let field = found.field.strip_prefix(prefix).unwrap_or_default();
            let message = format!("the API server rejects this definition: {}", describe_error(found));
            error(&format!("{path}{field}"), message)
        }));
    }
    errors
}

fn schema_of(version: &Value) -> Option<&Value> {
    version.pointer("/schema/openAPIV3Schema")
}

/// An error in one line: the field, and the first line of its message.
fn describe_error(error: &FieldError) -> String {
    let mut lines = error.detail.lines().map(str::trim).filter(|line| !line.is_empty());
    let kind = error.error_type.message_name();
    let detail = lines.next().map(|line| format!(": {line}")).unwrap_or_default();
    if error.field.is_empty() {
        format!("{kind}{detail}")
    } else {
        format!("`{}`: {kind}{detail}", error.field)
    }
}
