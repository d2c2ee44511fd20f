//! KV851 `deprecated_path`: a path to a field that has had its day.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::{
    annotation::Key,
    catalog::{DeprecationState, FieldDeprecation, find_deprecation},
};
use kvrules_ir::Path;
use kvrules_syntax::Node;

use crate::{LintCheck, RuleView, arguments::path_arguments, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV851",
    name: "deprecated_path",
    level: Level::Warning,
    summary: "a path uses a deprecated or removed field",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::RuleInPlace(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, _)) = rule.understood() else { return };
    // A guard with the same path has the same error, so it is not reported again.
    let guard = read.guard.as_ref().filter(|guard| guard.text != read.path.text);
    let own = [(Key::Path, Some(&read.path)), (Key::Valid, guard)];
    let own = own.into_iter().filter_map(|(key, path)| Some((rule.key_value(key)?, path?)));
    let arguments = path_arguments(rule).into_iter().map(|argument| (argument.node, argument.path));
    for (node, path) in own.chain(arguments) {
        let known = find_deprecation(path, rule.catalog.subject());
        found.extend(known.and_then(|known| deprecation_diagnostic(rule, node, path, known)));
    }
}

fn deprecation_diagnostic<'a>(
    rule: &RuleView<'a>,
    node: Node<'a>,
    path: &Path,
    known: &FieldDeprecation,
) -> Option<Diagnostic> {
    // Lazy, because it parses the path again and most paths are not deprecated.
    let at = |message| {
        let written = rule.written(node);
        LINT.diagnostic_at(
            written.map_or(node.span(), |written| written.span_of(rule, 0..written.text.len())),
            message,
        )
    };
    let field = code(&path.text);
    match (known.state, known.instead) {
        (DeprecationState::Removed(version), _) => {
            let message =
                format!("{field} has no effect since KubeVirt {version} removed what it configures");
            Some(at(message).with_help("remove the rule, or check the field that replaced it"))
        }
        (DeprecationState::Moved, Some(instead)) => {
            moved_field_level(rule, known.path, instead).map(|level| {
                let message = match level {
                    Level::Warning => {
                        format!("{field} is unset: the machine next to the rule sets {}", code(instead))
                    }
                    _ => format!("{field} is missing in machines that have only {}", code(instead)),
                };
                let finding =
                    at(message).with_help(format!("check {} instead if machines set it", code(instead)));
                Diagnostic { level, ..finding }
            })
        }
        (DeprecationState::Moved, None) => None,
    }
}

/// Returns the level of the finding: by the machines next to the rule, and `Info` if there are none. `None` if a
/// machine still uses the old field.
fn moved_field_level(rule: &RuleView<'_>, old: &str, instead: &str) -> Option<Level> {
    let machines: Vec<_> = rule.annotation.virtual_machines().collect();
    if machines.iter().any(|machine| sets_field(*machine, old)) {
        return None;
    }
    Some(if machines.iter().any(|machine| sets_field(*machine, instead)) {
        Level::Warning
    } else {
        Level::Info
    })
}

/// True if a machine sets the field at a path of names.
fn sets_field(machine: Node<'_>, path: &str) -> bool {
    let template = machine.get("spec").and_then(|spec| spec.get("template"));
    path.split('.')
        .skip(1)
        .try_fold(template, |node, name| node.map(|node| node.get(name)))
        .flatten()
        .is_some()
}
