//! KV119 `invalid_template`: a `VirtualMachineTemplate` that its definition or its webhook rejects.

use kvrules_diagnostics::{Diagnostic, Level, Lint, find_nearest};
use kvrules_elaborate::template::{KUBEVIRT_GROUP, KUBEVIRT_VERSIONS, Template, TemplateKind};
use kvrules_syntax::{Node, SyntaxKind};

use crate::{
    LintCheck, LintedFile,
    machine_fields::{FieldSelection, is_mistyped, machine_fields},
    message_text::{code, describe_value, join_with_or, of_type, path_code},
};

pub static LINT: Lint = Lint {
    code: "KV119",
    name: "invalid_template",
    level: Level::Error,
    summary: "the server rejects a VirtualMachineTemplate",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// The fields of the object, and of its `spec`.
const FIELDS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
const SPEC_FIELDS: [&str; 3] = ["virtualMachine", "parameters", "message"];

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let templates = file.examined_templates().iter().map(|examined| examined.template);
    for template in templates.filter(|template| template.kind() == TemplateKind::KubeVirt) {
        check_version(template, found);
        unknown_fields(template.node(), &FIELDS, "", found);
        check_spec(template.node(), found);
        for machine in template.virtual_machines() {
            of_machine(machine, found);
        }
    }
}

fn check_version(template: Template<'_>, found: &mut Vec<Diagnostic>) {
    let (node, kind) = (template.node(), template.node().get("kind"));
    match (node.get("apiVersion").filter(|version| !version.is_templated()), kind) {
        (Some(api), _) => {
            let version = api.text().split_once('/').map_or("", |(_, version)| version);
            if !KUBEVIRT_VERSIONS.contains(&version) {
                let message = format!("unknown version {} of VirtualMachineTemplate", code(api.text()));
                let help = format!("the versions are {}", join_with_or(&KUBEVIRT_VERSIONS));
                found.push(LINT.diagnostic_at(api.span(), message).with_help(help));
            }
        }
        // In the items of a list, `apiVersion` and `kind` may both be missing.
        (None, Some(kind)) if node.get("apiVersion").is_none() && !node.is_open() => {
            let help = format!("add `apiVersion: {KUBEVIRT_GROUP}/{}`", KUBEVIRT_VERSIONS[1]);
            found.push(
                LINT.diagnostic_at(kind.span(), "missing `apiVersion` of a VirtualMachineTemplate")
                    .with_help(help),
            );
        }
        _ => {}
    }
}

/// The server drops unknown fields, and `kubectl` rejects the file before.
fn unknown_fields(object: Node<'_>, known: &[&str], path: &str, found: &mut Vec<Diagnostic>) {
    for entry in object.entries().filter(|entry| !known.contains(&entry.key.text())) {
        let key = entry.key.text();
        if entry.key.is_merge_key() || entry.key.is_templated() {
            continue;
        }
        let written = code(&format!("{path}{key}"));
        let finding = LINT
            .diagnostic_at(entry.key.span(), format!("unknown field {written} of a VirtualMachineTemplate"));
        let help = match key {
            "parameters" | "message" if path.is_empty() => format!("it belongs in `spec.{key}`"),
            "objects" => "the VirtualMachine belongs in `spec.virtualMachine`".to_owned(),
            _ => match find_nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{path}{near}`?"),
                None => format!("the fields are {}", known.join(", ")),
            },
        };
        found.push(finding.with_help(help));
    }
}

fn check_spec(object: Node<'_>, found: &mut Vec<Diagnostic>) {
    const HELP: &str = "put the VirtualMachine in `spec.virtualMachine`";
    let present = |node: Node<'_>| node.kind() != SyntaxKind::Null;
    let Some(spec) = object.get("spec").filter(|spec| present(*spec)) else {
        if !object.is_open() {
            let place = object.get("kind").map_or(object.span().first_byte(), Node::span);
            found.push(
                LINT.diagnostic_at(place, "missing `spec` of a VirtualMachineTemplate").with_help(HELP),
            );
        }
        return;
    };
    if !spec.is_map() {
        if !spec.is_templated() {
            let message = format!("`spec` must be an object, not {}", describe_value(spec));
            found.push(LINT.diagnostic_at(spec.span().first_byte(), message).with_help(HELP));
        }
        return;
    }
    unknown_fields(spec, &SPEC_FIELDS, "spec.", found);
    match spec.get("virtualMachine").filter(|machine| present(*machine)) {
        None if spec.is_open() => {}
        None => {
            let place = object.entry("spec").map_or(spec.span(), |entry| entry.key.span());
            found.push(LINT.diagnostic_at(place, "missing `spec.virtualMachine`").with_help(HELP));
        }
        Some(machine) if !machine.is_map() && !machine.is_templated() => {
            let message = format!("`spec.virtualMachine` must be an object, not {}", describe_value(machine));
            found.push(
                LINT.diagnostic_at(machine.span().first_byte(), message)
                    .with_help("write the VirtualMachine itself"),
            );
        }
        Some(_) => {}
    }
    if let Some(message) = spec.get("message").filter(|message| present(*message))
        && message.kind() != SyntaxKind::String
        && !message.is_templated()
    {
        let what = format!("`spec.message` must be a string, not {}", describe_value(message));
        found.push(
            LINT.diagnostic_at(message.span().first_byte(), what).with_help("put it in quotation marks"),
        );
    }
}

/// The webhook decodes the processed VirtualMachine, and rejects unknown fields and values of another type.
fn of_machine(machine: Node<'_>, found: &mut Vec<Diagnostic>) {
    let fields = machine_fields(machine, FieldSelection::ALL);
    for unknown in fields.unknown.iter().filter(|unknown| !unknown.key.is_templated()) {
        let path = format!("{}.{}", unknown.path, unknown.key.text());
        let message = format!("unknown field {} of the VirtualMachine", path_code(&path));
        let help = match unknown.near {
            Some(near) => format!("did you mean `{}.{near}`?", unknown.path),
            None => "the webhook rejects templates with unknown fields".to_owned(),
        };
        // Only a warning, because another version of KubeVirt may have the field.
        let finding = LINT.diagnostic_at(unknown.key.span(), message).with_help(help);
        found.push(Diagnostic { level: Level::Warning, ..finding });
    }
    for value in fields.values.iter().filter(|value| is_mistyped(value)) {
        let message = format!(
            "{} must be {}, not {}",
            path_code(&value.path),
            of_type(value.value_type),
            describe_value(value.node)
        );
        found.push(
            LINT.diagnostic_at(value.node.span().first_byte(), message)
                .with_help("the webhook rejects the template"),
        );
    }
}
