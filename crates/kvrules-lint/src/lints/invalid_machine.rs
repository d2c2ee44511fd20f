//! KV120 `invalid_machine`: a `VirtualMachine` in no template, or another object with one, that the server rejects.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_syntax::kubernetes::{TypedObject, find_objects};

use crate::{
    LintCheck, LintedFile,
    machine_fields::{FieldSelection, MachineKind, UnknownEntry, is_mistyped, object_fields},
    message_text::{describe_value, of_type, path_code},
};

pub static LINT: Lint = Lint {
    code: "KV120",
    name: "invalid_machine",
    level: Level::Error,
    summary: "the server rejects a VirtualMachine because of an unknown field or a type",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    for object in file.documents.iter().filter_map(|document| document.root()).flat_map(find_objects) {
        if let Some(kind) = MachineKind::of_object(&object) {
            check_object(&object, kind, found);
        }
    }
}

fn check_object(object: &TypedObject<'_>, kind: MachineKind, found: &mut Vec<Diagnostic>) {
    let fields = object_fields(object.node, kind, FieldSelection::ALL);
    let unknown = fields.unknown.iter().filter(|unknown| !unknown.key.is_templated());
    found.extend(unknown.map(|unknown| unknown_field(unknown, object.kind)));
    for value in fields.values.iter().filter(|value| is_mistyped(value)) {
        let (path, wanted) = (path_code(&value.path), of_type(value.value_type));
        let message = format!("{path} must be {wanted}, not {}", describe_value(value.node));
        let span = value.node.span().first_byte();
        found.push(
            LINT.diagnostic_at(span, message).with_help(format!("the server rejects the {}", object.kind)),
        );
    }
}

/// Only a warning, because another version of KubeVirt may have the field.
fn unknown_field(unknown: &UnknownEntry<'_>, kind: &str) -> Diagnostic {
    let UnknownEntry { path, key, near } = unknown;
    let message = format!("unknown field {} of the {kind}", path_code(&format!("{path}.{}", key.text())));
    let help = match near {
        Some(near) => format!("did you mean `{path}.{near}`?"),
        None => format!("correct or remove it: the server rejects a {kind} with unknown fields"),
    };
    let finding = LINT.diagnostic_at(key.span(), message).with_help(help);
    Diagnostic { level: Level::Warning, ..finding }
}
