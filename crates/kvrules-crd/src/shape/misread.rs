//! Plain scalars that Kubernetes takes for something else than a reader of YAML 1.2 does, and how to write them so that both
//! agree.

use kvrules_diagnostics::{Edit, Fix};
use kvrules_syntax::edit::quote_json;
use kvrules_syntax::yaml11::{Yaml11Value, read_as_yaml11};
use kvrules_syntax::{Node, SyntaxKind};

use crate::finding::{Finding, FindingKind};
use crate::text::code;

/// Type of value that is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Text,
    Flag,
    Number,
    Anything,
}

impl Wanted {
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

/// Looks at a value and all that is in it. What an alias stands for is told where it is written.
pub(super) fn within(node: Node<'_>, wanted: Wanted, findings: &mut Vec<Finding>) {
    if node.is_alias() {
        return;
    }
    findings.extend(value(node, wanted));
    for item in node.items() {
        within(item, Wanted::Anything, findings);
    }
    for entry in node.entries() {
        findings.extend(key(entry.key));
        within(entry.value, Wanted::Anything, findings);
    }
}

/// The finding about a scalar.
pub(super) fn value(node: Node<'_>, wanted: Wanted) -> Option<Finding> {
    let reading = read_as_yaml11(node).filter(|_| !node.is_alias())?;
    let message = format!("Kubernetes reads {}", describe_scalar(node, reading));
    Some(repaired(Finding::new(FindingKind::Misread, node.span(), message), node, reading, wanted))
}

/// The finding about a key.
pub(super) fn key(node: Node<'_>) -> Option<Finding> {
    let reading = read_as_yaml11(node).filter(|_| !node.is_alias())?;
    let text = node.text();
    let message = format!("Kubernetes reads the key {} as `{reading}`", code(text));
    let title =
        format!("put `{text}` in quotation marks, so that Kubernetes no longer reads the key as `{reading}`");
    let fix = Fix::not_safe(title, [edit(node, quote_json(text))]);
    let finding = Finding::new(FindingKind::Misread, node.span(), message);
    Some(Finding {
        fix: Some(fix),
        ..finding.help(format!("put it in quotation marks: `{}`", quote_json(text)))
    })
}

/// Describes a scalar in words.
pub(super) fn describe_scalar(node: Node<'_>, reading: Yaml11Value) -> String {
    let article = if matches!(reading, Yaml11Value::Boolean(_)) { "" } else { "the number " };
    format!("{} as {article}`{reading}`", code(node.text()))
}

/// The finding with what to write instead.
pub(super) fn repaired(finding: Finding, node: Node<'_>, reading: Yaml11Value, wanted: Wanted) -> Finding {
    let fits = match reading {
        Yaml11Value::Boolean(_) => wanted == Wanted::Flag,
        // What is a number for either version is meant to be one.
        _ => wanted == Wanted::Number || (wanted == Wanted::Anything && node.kind() == SyntaxKind::Number),
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
    let finding = finding.help(help);
    if node.is_alias() {
        return finding;
    }
    let edits = [edit(node, text)];
    let is_safe = fits || wanted == Wanted::Text;
    let fix = if is_safe {
        Fix::safe_fix(title, edits)
    } else {
        Fix::not_safe(format!("{title}, which makes it a string for Kubernetes"), edits)
    };
    Finding { fix: Some(fix), ..finding }
}

fn edit(node: Node<'_>, replacement: String) -> Edit {
    Edit { span: node.span(), replacement }
}
