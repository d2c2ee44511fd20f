//! KV120 `invalid_machine`: a `VirtualMachine` in no template that the server rejects.

use kvrules_diagnostics::{Diagnostic, Level, Lint, find_nearest};
use kvrules_syntax::{Node, SyntaxKind};

use crate::{
    LintCheck, LintedFile,
    machine_fields::{FieldSelection, is_mistyped, machine_fields},
    message_text::{code, describe_value, of_type},
};

pub static LINT: Lint = Lint {
    code: "KV120",
    name: "invalid_machine",
    level: Level::Error,
    summary: "the server rejects a VirtualMachine because of an unknown field or a type",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// The fields of a VirtualMachine, and of its `spec`.
// kubevirt staging/src/kubevirt.io/api/core/v1/types.go, VirtualMachine and VirtualMachineSpec
const FIELDS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
const SPEC_FIELDS: [&str; 8] = [
    "dataVolumeTemplates",
    "instancetype",
    "liveUpdateFeatures",
    "preference",
    "runStrategy",
    "running",
    "template",
    "updateVolumesStrategy",
];

/// The deepest nesting of lists.
const MOST_LISTS: usize = 8;

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    for document in file.documents {
        if let Some(root) = document.root() {
            check_object(root, None, 0, found);
        }
    }
}

/// Checks an object, or those of a list, which may name their kind once for all.
fn check_object(node: Node<'_>, assumed: Option<&str>, depth: usize, found: &mut Vec<Diagnostic>) {
    let Some(kind) = node.get("kind").and_then(Node::as_str).or(assumed) else { return };
    if let Some(listed) = kind.strip_suffix("List").filter(|_| depth < MOST_LISTS) {
        let assumed = Some(listed).filter(|listed| !listed.is_empty());
        for item in node.get("items").into_iter().flat_map(Node::items) {
            check_object(item, assumed, depth + 1, found);
        }
    }
    let is_of_kubevirt =
        node.get("apiVersion").is_none_or(|version| version.text().starts_with("kubevirt.io/"));
    if kind == "VirtualMachine" && is_of_kubevirt {
        check_machine(node, found);
    }
}

fn check_machine(machine: Node<'_>, found: &mut Vec<Diagnostic>) {
    unknown_keys(machine, &FIELDS, "", found);
    if let Some(spec) = machine.get("spec") {
        if spec.is_map() {
            unknown_keys(spec, &SPEC_FIELDS, ".spec", found);
        } else if spec.kind() != SyntaxKind::Null && !spec.is_templated() {
            let message = format!("`.spec` must be an object, not {}", describe_value(spec));
            found.push(LINT.diagnostic_at(spec.span().first_byte(), message));
        }
    }
    let fields = machine_fields(machine, FieldSelection::ALL);
    for unknown in fields.unknown.iter().filter(|unknown| !unknown.key.is_templated()) {
        found.push(unknown_field(unknown.key, &unknown.path, None));
    }
    for value in fields.values.iter().filter(|value| is_mistyped(value)) {
        let (path, wanted) = (code(&value.path), of_type(value.value_type));
        let message = format!("{path} must be {wanted}, not {}", describe_value(value.node));
        let span = value.node.span().first_byte();
        found.push(LINT.diagnostic_at(span, message).with_help("the server rejects the VirtualMachine"));
    }
}

fn unknown_keys(object: Node<'_>, known: &[&str], path: &str, found: &mut Vec<Diagnostic>) {
    let is_unknown =
        |key: &Node<'_>| !known.contains(&key.text()) && !key.is_merge_key() && !key.is_templated();
    let keys = object.entries().map(|entry| entry.key).filter(is_unknown);
    found.extend(keys.map(|key| unknown_field(key, path, find_nearest(key.text(), known.iter().copied()))));
}

/// Only a warning, because another version of KubeVirt may have the field.
fn unknown_field(key: Node<'_>, path: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("unknown field {} of the VirtualMachine", code(&format!("{path}.{}", key.text())));
    let help = match near {
        Some(near) => format!("did you mean `{path}.{near}`?"),
        None => "correct or remove it: the server rejects a VirtualMachine with unknown fields".to_owned(),
    };
    let finding = LINT.diagnostic_at(key.span(), message).with_help(help);
    Diagnostic { level: Level::Warning, ..finding }
}
