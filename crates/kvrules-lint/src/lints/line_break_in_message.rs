//! KV704 `line_break_in_message`: a message of several lines, which Kubernetes does not take.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};

use crate::{LintCheck, RuleView, escaped_spans, message::message_node, repair};

pub static LINT: Lint = Lint {
    code: "KV704",
    name: "line_break_in_message",
    level: Level::Warning,
    summary: "a message has a line break, which Kubernetes rejects in its own validation rules",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(node) = message_node(rule) else { return };
    // The server takes blanks and line breaks off both ends first.
    let (text, inner) = (node.text(), node.text().trim());
    let before = text.len() - text.trim_start().len();
    let Some(at) = inner.find(['\n', '\r']).map(|at| before + at) else { return };
    let message = "the message has a line break, which Kubernetes rejects in a validation rule";
    let finding = LINT.diagnostic_at(escaped_spans::span_of(rule.source, node, at..at + 1), message);
    let line =
        text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let fix =
        repair::text(rule, node, &line).map(|edit| Fix::safe_fix("write the message on one line", [edit]));
    found.push(finding.with_help("write it on one line, as targets for Kubernetes do with it").fix_if(fix));
}
