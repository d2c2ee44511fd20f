//! Reports the rules that the configured targets do not express exactly, as findings at the rules (`KV920`).
//!
//! A lint of files cannot know it: it takes the configuration and the targets, which come later. What
//! [`loss`](crate::targets::loss) reports when a target is made, this reports while rules are written.

use crate::{EmitError, Emitter, Fidelity, Request};
use kvrules_diagnostics::{Diagnostic, Level, Span, join_words};
use kvrules_ir::{ElaboratedRule, ElaboratedSet};

use crate::lints::TARGET_CANNOT_SAY;
use crate::targets::loss::LossPolicy;
use crate::targets::outputs::{TargetOutput, compile_targets};

/// Loss of some targets on a rule, all for the same reason.
struct RuleLossGroup<'a> {
    fidelity: &'a Fidelity,
    level: Level,
    targets: Vec<&'static str>,
}

/// A finding for each rule of the request that one of `targets` does not say exactly, as bad as `policy` makes it. Documents
/// evaluate nothing and lose nothing. Rules that no target has are left to the findings that say why. A target that cannot be
/// made at all is a finding at the first rule.
///
/// ```
/// use kvrules::loss::LossPolicy;
/// use kvrules::{FileId, Request, SourceFile};
///
/// let text = r#"
/// vm.kubevirt.io/validations: |
///   [{
///     "name": "threads", "rule": "integer", "message": "no more threads than cores",
///     "path": "jsonpath::.spec.domain.cpu.threads", "max": "jsonpath::.spec.domain.cpu.cores"
///   }]
/// "#;
/// let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text)).sets;
/// let find = |target| {
///     let targets = [kvrules::find_emitter(target).unwrap()];
///     kvrules::lint_targets(&targets, &Request::for_virtual_machines(&sets), &LossPolicy::default())
/// };
/// assert_eq!(find("openapi").len(), 1, "a schema cannot compare two fields");
/// assert!(find("admission-policy").is_empty());
/// ```
pub fn lint_targets(
    targets: &[&'static Emitter],
    request: &Request<'_>,
    policy: &LossPolicy,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let rules = || request.sets.iter().flat_map(|set: &ElaboratedSet| &set.rules);
    let Some(first) = rules().next() else { return found };
    let mut outputs = Vec::new();
    for target in targets.iter().filter(|target| target.enforces_rules()) {
        match compile_targets(&[*target], request) {
            Ok(made) => outputs.extend(made),
            Err(error) => found.extend(rule_head(first).map(|head| emit_error_diagnostic(head, &error))),
        }
    }
    for (index, rule) in rules().enumerate() {
        let lost = find_losses(&outputs, index, policy);
        found.extend(lost.iter().filter_map(|lost| loss_diagnostic(rule, lost)));
    }
    found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    found
}

/// Returns the span to point at for a rule as a whole: its opening bracket.
fn rule_head(rule: &ElaboratedRule) -> Option<Span> {
    let span = rule.origin.span()?;
    Some(Span { end: span.end.min(span.start + 1), ..span })
}

fn emit_error_diagnostic(head: Span, error: &EmitError) -> Diagnostic {
    let help = "list its requirements with `kvrules compile --list-targets`, or remove it from `targets`";
    let finding = TARGET_CANNOT_SAY.diagnostic_at(head, error.message.clone()).with_help(help);
    Diagnostic { level: Level::Error, ..finding }
}

/// Returns the losses of the outputs on a rule, which is given by its index among the rules of all sets.
fn find_losses<'a>(outputs: &'a [TargetOutput], index: usize, policy: &LossPolicy) -> Vec<RuleLossGroup<'a>> {
    let mut all: Vec<RuleLossGroup<'a>> = Vec::new();
    for output in outputs {
        let reported = output.emission.fidelity.get(index).map(|reported| &reported.fidelity);
        let (Some(fidelity), Some(target)) = (reported, crate::find_emitter(output.target)) else {
            continue;
        };
        let Some(level) = policy.loss_level(target, fidelity) else { continue };
        match all.iter_mut().find(|lost| lost.fidelity == fidelity && lost.level == level) {
            Some(same) => same.targets.push(target.name),
            None => all.push(RuleLossGroup { fidelity, level, targets: vec![target.name] }),
        }
    }
    all
}

fn loss_diagnostic(rule: &ElaboratedRule, lost: &RuleLossGroup<'_>) -> Option<Diagnostic> {
    let name = format!("rule `{}`", rule.name.replace('`', "'"));
    let one = lost.targets.len() == 1;
    let (verb, s) = if one { ("does", "s") } else { ("do", "") };
    let does = match lost.fidelity {
        Fidelity::Exact => return None,
        Fidelity::Wider(_) => format!("accept{s} more than {name}"),
        Fidelity::Narrower(_) => format!("reject{s} more than {name}"),
        Fidelity::Incomparable(_) => format!("accept{s} more than {name} here and less there"),
        Fidelity::Unsupported(_) => format!("{verb} not have {name}"),
    };
    let because = lost.fidelity.cause().map_or_else(String::new, |cause| format!(": {cause}"));
    let help = match lost.fidelity {
        Fidelity::Unsupported(_) => "enforce the rule with another target, or change it".to_owned(),
        _ => format!(
            "`kvrules verify --target {}` shows an object on which they differ",
            lost.targets.first()?
        ),
    };
    let finding = TARGET_CANNOT_SAY
        .diagnostic_at(rule_head(rule)?, format!("{} {does}{because}", quote_targets(&lost.targets)))
        .with_help(help);
    Some(Diagnostic { level: lost.level, ..finding })
}

/// `the target A`, or `the targets A and B`.
fn quote_targets(targets: &[&str]) -> String {
    let quoted: Vec<_> = targets.iter().map(|target| format!("`{target}`")).collect();
    let noun = if quoted.len() == 1 { "target" } else { "targets" };
    format!("the {noun} {}", join_words(&quoted, "and"))
}
