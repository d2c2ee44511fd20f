//! KV503 `ungrouped_alternation`: `^virtio|scsi$`.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};

use kvrules_elaborate::annotation::Key;

use crate::{LintCheck, RuleView, message_text::code, patterns::parsed_pattern, repair};

pub static LINT: Lint = Lint {
    code: "KV503",
    name: "ungrouped_alternation",
    level: Level::Warning,
    summary: "an anchor binds to one branch of an alternation",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    let Some(binding) = regex.alternation_binding() else { return };
    let (Some(first), Some(last)) = (binding.branches.first(), binding.branches.last()) else { return };
    let text = |branch: &std::ops::Range<usize>| code(regex.source().get(branch.clone()).unwrap_or_default());
    let message = match (binding.start, binding.end) {
        (true, true) => {
            format!("the start applies to {} alone, and the end to {} alone", text(first), text(last))
        }
        (true, false) => format!("the start applies to {} alone", text(first)),
        _ => format!("the end applies to {} alone", text(last)),
    };
    let mut finding = LINT.diagnostic_at(pattern.span(rule, first.start..last.end), message);
    for branch in &binding.branches {
        let label = match (binding.start && branch == first, binding.end && branch == last) {
            (true, _) => "matches at the start, whatever follows",
            (_, true) => "matches at the end, whatever comes before",
            _ => "matches anywhere",
        };
        finding = finding.with_secondary_label(pattern.span(rule, branch.clone()), label);
    }
    let edit = rule.key_value(Key::Regex).and_then(|node| repair::text(rule, node, &binding.grouped));
    let title = format!("write {}, whose anchors apply to every branch", code(&binding.grouped));
    let finding = finding.with_help(format!("put the branches in a group: {}", code(&binding.grouped)));
    found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
}
