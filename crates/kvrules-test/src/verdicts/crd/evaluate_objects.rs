//! Objects in a text, each evaluated with the definition of its kind.

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::object::Admission;
use kvrules_diagnostics::SourceFile;
use kvrules_syntax::kubernetes::{TypedObject, find_field, find_objects};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node};

use super::super::find::name_of;
use super::super::{Evaluation, EvaluationFault, Options, unnamed_evaluation};
use super::definitions::{Definitions, ServedVersion};
use super::stored::StoredObjects;
use super::{CrdAnswer, CrdError, CrdVerdict, WriteTarget};

/// Evaluates each object in a document that could be read.
pub(crate) fn evaluate_objects(
    source: &SourceFile,
    document: &Document<'_>,
    definitions: &Definitions,
    options: &Options,
) -> Vec<Evaluation> {
    let Some(root) = document.root() else { return Vec::new() };
    find_objects(root).iter().map(|object| evaluate_object(source, object, definitions, options)).collect()
}

fn evaluate_object(
    source: &SourceFile,
    object: &TypedObject<'_>,
    definitions: &Definitions,
    options: &Options,
) -> Evaluation {
    let evaluation = unnamed_evaluation(source, object.node, None);
    let fault = |span, message: String, is_other_kind| EvaluationFault {
        is_other_kind,
        ..EvaluationFault::new(source, span, message)
    };
    let version = match version_of(object, definitions) {
        Ok(version) => version,
        Err((message, is_other_kind)) => {
            let fault = fault(object.node.span(), message, is_other_kind);
            return Evaluation { fault: Some(fault), ..evaluation };
        }
    };
    let value = match ValueReader::for_kubernetes().read_value(object.node) {
        Ok(value) => value,
        Err(error) => {
            return Evaluation { fault: Some(fault(error.span, error.message, false)), ..evaluation };
        }
    };
    let old = options
        .stored
        .as_deref()
        .and_then(|it: &StoredObjects| it.find_stored(object.kind, object.api_version, &value));
    if let Some(other) =
        old.and_then(|old| old.get("apiVersion")?.as_str()).filter(|it| *it != object.api_version)
    {
        let message = format!(
            "the stored object is of `{other}` and this one of `{}`; the result of a conversion is unknown",
            object.api_version
        );
        return Evaluation { fault: Some(fault(object.node.span(), message, false)), ..evaluation };
    }
    let name = name_of(object.node).map(str::to_owned);
    let admission = match (options.target, old) {
        (WriteTarget::Object, old) => version.schema().admit_object(&value, old),
        (WriteTarget::Status, Some(old)) if version.schema().has_status() => {
            version.schema().admit_status(&value, old)
        }
        (WriteTarget::Status, old) => {
            let message = no_status(object, old.is_some());
            return Evaluation { name, fault: Some(fault(object.node.span(), message, false)), ..evaluation };
        }
    };
    let crd = Some(to_crd_answer(source, object.node, admission, (old.is_some(), options)));
    Evaluation { name, crd, ..evaluation }
}

fn version_of<'v>(
    object: &TypedObject<'_>,
    definitions: &'v Definitions,
) -> Result<&'v ServedVersion, (String, bool)> {
    if !object.node.is_map() {
        return Err(("not an object".to_owned(), false));
    }
    if object.kind.is_empty() || object.api_version.is_empty() {
        let missing = if object.kind.is_empty() { "kind" } else { "apiVersion" };
        let message = format!("missing `{missing}`; known definitions: {}", definitions.kinds());
        return Err((message, true));
    }
    let version = definitions.find_version(object.api_version, object.kind);
    version.map_err(|unknown| (unknown.message, unknown.is_other_kind))
}

/// Returns the reason why the status of an object cannot be written.
fn no_status(object: &TypedObject<'_>, is_stored: bool) -> String {
    if is_stored {
        format!("`{}` in `{}` has no subresource `status`", object.kind, object.api_version)
    } else {
        "no stored object for the status; pass it with `--old`".to_owned()
    }
}

pub(crate) fn to_crd_answer(
    source: &SourceFile,
    node: Node<'_>,
    admission: Admission,
    (is_update, options): (bool, &Options),
) -> CrdAnswer {
    let error = |failure: Failure| CrdError {
        at: source.position_at(find_field(node, failure_path(&failure)).entry.value.span().start).into(),
        text: failure.to_message(),
        kind: failure.reason,
        field: failure.field,
        detail: failure.detail,
    };
    let verdict = if admission.is_accepted() { CrdVerdict::Accepted } else { CrdVerdict::Rejected };
    CrdAnswer {
        verdict,
        operation: if is_update { "update" } else { "create" },
        subresource: (options.target == WriteTarget::Status).then_some("status"),
        errors: admission.errors.into_iter().map(error).collect(),
        warnings: admission.warnings,
        cost: admission.cost,
        stored: options.trace.then_some(admission.stored),
    }
}

/// The path that a failure is about: where the server names no field, its words may begin or end with one.
fn failure_path(failure: &Failure) -> &str {
    if failure.field != kvrules_apiserver::object::NOWHERE {
        return &failure.field;
    }
    let detail = failure.detail.as_str();
    let quoted = detail.strip_prefix('"').and_then(|rest| rest.split_once("\" must ")).map(|(path, _)| path);
    let named = detail.rsplit_once(" in ").filter(|_| detail.contains(" value must be of type "));
    quoted.or(named.map(|(_, path)| path)).unwrap_or_default()
}
