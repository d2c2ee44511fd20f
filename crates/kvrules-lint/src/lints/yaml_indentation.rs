//! KV003 `yaml_indentation`: a block under a key that has a value already.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile, Span};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV003",
    name: "yaml_indentation",
    level: Level::Error,
    summary: "a block is indented under a key that already has a value",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(&[ProblemKind::YamlIndentation], to_diagnostic);

fn to_diagnostic(problem: &Problem, source: &SourceFile) -> Diagnostic {
    let key = code(&problem.detail);
    let Some(value) = problem.related else {
        return LINT
            .diagnostic_at(problem.span, format!("{key} is indented under a key that already has a value"));
    };
    let above = code(source.span_text(entry_span(source, value)));
    LINT.diagnostic_at(problem.span, format!("{key} is indented under {above}, which already has a value"))
        .with_secondary_label(value, "this value")
        .with_help(format!("indent {key} like the key above it"))
}

/// The key in front of a value, and the value.
fn entry_span(source: &SourceFile, value: Span) -> Span {
    let before = source.text().get(..value.start as usize).unwrap_or_default();
    let line = before.get(before.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or_default();
    let key = line.trim_start_matches([' ', '-']).len();
    Span { start: value.start.saturating_sub(u32::try_from(key).unwrap_or(0)), ..value }
}
