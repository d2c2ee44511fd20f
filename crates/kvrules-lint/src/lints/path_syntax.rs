//! KV203 `path_syntax`: a path that the Kubernetes JSONPath dialect does not accept.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::path::PathError;

use crate::{LintCheck, RuleView, message_text::code, paths::WrittenPath, repair};

pub static LINT: Lint = Lint {
    code: "KV203",
    name: "path_syntax",
    level: Level::Error,
    summary: "a path is not valid Kubernetes JSONPath",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for path in rule.paths() {
        let Err(error) = &path.parsed else { continue };
        let finding = LINT.diagnostic_at(path.span_of(rule, error.range.clone()), error.to_string());
        let finding = finding.fix_if(path_fix(rule, path));
        found.push(match help(&path.text, error) {
            Some(help) => finding.with_help(help),
            None => finding,
        });
    }
}

/// The path in single quotation marks and with its first dot, if it leads somewhere then.
fn path_fix(rule: &RuleView<'_>, written: &WrittenPath<'_>) -> Option<Fix> {
    let text = written.text.replace("[\"", "['").replace("\"]", "']");
    let begins = text.starts_with(['.', '[', '$', '@', '{']);
    let text = if begins { text } else { format!(".{}", text.strip_prefix('/').unwrap_or(&text)) };
    let edit = repair::path_that_resolves(rule, written, &text)?;
    Some(Fix::safe_fix(format!("write {}", code(&text)), [edit]))
}

fn help(path: &str, error: &PathError) -> Option<&'static str> {
    let wrong = path.get(error.range.clone()).unwrap_or_default();
    Some(match wrong {
        _ if wrong.starts_with("[\"") => "write `['name']`, with single quotation marks",
        _ if wrong.starts_with("[?(") && wrong.contains(['&', '|']) => {
            "write a rule for each comparison: a filter contains only one"
        }
        _ if wrong.starts_with("[(") => "an index is a number; `[-1]` is the last item",
        "&" | "|" => "write a rule for each comparison: a filter contains only one",
        "\t" => "remove it, or write it as part of a name with a backslash before it",
        _ if path.starts_with(|c: char| c.is_alphanumeric() || c == '/') && wrong.len() == path.len() => {
            "put `.` before the first name"
        }
        _ => return None,
    })
}
