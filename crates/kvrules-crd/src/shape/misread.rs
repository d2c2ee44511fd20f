//! Plain scalars that Kubernetes takes for something else than a reader of YAML 1.2 does, and how to write them so that both
//! agree.

use kvrules_diagnostics::{Diagnostic, Edit, Fix};
use kvrules_syntax::edit::quote_json;
use kvrules_syntax::yaml11::{Yaml11Value, read_as_yaml11};
use kvrules_syntax::{Node, SyntaxKind};

use crate::lints;
use crate::text::backtick_text;

/// Type of value that is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedType {
    Text,
    Flag,
    Number,
    Anything,
}

impl ExpectedType {
    /// Returns the value that a schema of a type requires.
    pub(super) fn of_type(ty: &str) -> Self {
        match ty {
            "string" => Self::Text,
            "boolean" => Self::Flag,
            "integer" | "number" => Self::Number,
            _ => Self::Anything,
        }
    }
}

/// Examines a value and all that is in it. The target of an alias is reported where it is written.
pub(super) fn check_values(node: Node<'_>, wanted: ExpectedType, findings: &mut Vec<Diagnostic>) {
    if node.is_alias() {
        return;
    }
    findings.extend(value_finding(node, wanted));
    for item in node.items() {
        check_values(item, ExpectedType::Anything, findings);
    }
    for entry in node.entries() {
        findings.extend(key_finding(entry.key));
        check_values(entry.value, ExpectedType::Anything, findings);
    }
}

/// The finding about a scalar.
pub(super) fn value_finding(node: Node<'_>, wanted: ExpectedType) -> Option<Diagnostic> {
    let reading = read_as_yaml11(node).filter(|_| !node.is_alias())?;
    let message = format!("Kubernetes reads {}", describe_scalar(node, reading));
    Some(with_repair(lints::MISREAD_SCALAR.diagnostic_at(node.span(), message), node, reading, wanted))
}

/// The finding about a key.
pub(super) fn key_finding(node: Node<'_>) -> Option<Diagnostic> {
    let reading = read_as_yaml11(node).filter(|_| !node.is_alias())?;
    let text = node.text();
    let message = format!("Kubernetes reads the key {} as `{reading}`", backtick_text(text));
    let title =
        format!("put `{text}` in quotation marks, so that Kubernetes no longer reads the key as `{reading}`");
    let fix = Fix::not_safe(title, [scalar_edit(node, quote_json(text))]);
    let finding = lints::MISREAD_SCALAR.diagnostic_at(node.span(), message);
    Some(Diagnostic {
        fix: Some(fix),
        ..finding.with_help(format!("put it in quotation marks: `{}`", quote_json(text)))
    })
}

/// Describes a scalar in words.
pub(super) fn describe_scalar(node: Node<'_>, reading: Yaml11Value) -> String {
    let article = if matches!(reading, Yaml11Value::Boolean(_)) { "" } else { "the number " };
    format!("{} as {article}`{reading}`", backtick_text(node.text()))
}

/// The finding with what to write instead.
pub(super) fn with_repair(
    finding: Diagnostic,
    node: Node<'_>,
    reading: Yaml11Value,
    wanted: ExpectedType,
) -> Diagnostic {
    let fits = match reading {
        Yaml11Value::Boolean(_) => wanted == ExpectedType::Flag,
        // A scalar that is a number in YAML 1.1 and in YAML 1.2 is meant as a number.
        _ => {
            wanted == ExpectedType::Number
                || (wanted == ExpectedType::Anything && node.kind() == SyntaxKind::Number)
        }
    };
    let (help, title, text) = if fits {
        let plain = reading.to_string();
        (format!("write `{plain}`"), format!("write `{plain}`"), plain)
    } else {
        let text = quote_json(node.text());
        (
            format!("put it in quotation marks: `{text}`"),
            format!("put `{}` in quotation marks", node.text()),
            text,
        )
    };
    let finding = finding.with_help(help);
    if node.is_alias() {
        return finding;
    }
    let edits = [scalar_edit(node, text)];
    let is_safe = fits || wanted == ExpectedType::Text;
    let fix = if is_safe {
        Fix::safe_fix(title, edits)
    } else {
        Fix::not_safe(format!("{title}, which makes it a string for Kubernetes"), edits)
    };
    Diagnostic { fix: Some(fix), ..finding }
}

fn scalar_edit(node: Node<'_>, replacement: String) -> Edit {
    Edit { span: node.span(), replacement }
}
