//! Lints over rules: one lint, one file, one page.
//!
//! A lint is a [`Lint`](kvrules_diagnostics::Lint) in a file of its own under `lints/`: its code, level and reasons,
//! and next to it a function that looks at a problem of the parser, an annotation, or one rule. `cargo xtask codegen` writes the
//! list of them. Lints word what is wrong; what a rule *means* they ask of `kvrules-elaborate` and never decide.

mod arguments;
mod context;
mod deployed;
mod escaped_spans;
mod fields;
pub mod lints;
mod machine_fields;
mod machines;
mod memory;
mod message;
mod message_text;
mod parameter_values;
mod paths;
mod patterns;
mod presence;
mod relations;
mod repair;
mod repeated_rules;
mod shape;
mod suggest;
mod templated;
mod templates;
mod values;

pub use context::{LintedAnnotation, LintedFile, RuleView};
pub use machine_fields::has_known_fields;

use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_syntax::{Document, Problem, ProblemKind};

/// Turns a parser's problem into a finding of the lint.
type ProblemReporter = fn(&Problem, &SourceFile) -> Diagnostic;

/// Input of a lint's check.
pub(crate) enum LintCheck {
    /// Problems that a parser met, of these kinds.
    Problem(&'static [ProblemKind], ProblemReporter),
    /// A whole file.
    File(fn(&LintedFile<'_>, &mut Vec<Diagnostic>)),
    /// One annotation.
    Annotation(fn(&LintedAnnotation<'_>, &mut Vec<Diagnostic>)),
    /// An error that a parser meets in some cases, and that only an annotation shows in others.
    ProblemOrAnnotation(
        &'static [ProblemKind],
        ProblemReporter,
        fn(&LintedAnnotation<'_>, &mut Vec<Diagnostic>),
    ),
    /// One rule, by its own content alone. It is not checked again where it repeats one without findings.
    Rule(fn(&RuleView<'_>, &mut Vec<Diagnostic>)),
    /// One rule, by its content and what is around it: other rules, the form of the annotation, machines.
    RuleInPlace(fn(&RuleView<'_>, &mut Vec<Diagnostic>)),
}

/// All findings in a file, in the order of its text.
pub fn lint_file(file: &LintedFile<'_>) -> Vec<Diagnostic> {
    context::share_relations(file.annotations);
    let mut rules: Vec<_> = file.rules().collect();
    repeated_rules::share_predictions(&mut rules);
    let mut found = Vec::new();
    for (_, check) in lints::CHECKS {
        match *check {
            LintCheck::Problem(kinds, word) => report_problems(file, kinds, word, &mut found),
            LintCheck::File(check) => check(file, &mut found),
            LintCheck::Annotation(check) => {
                file.annotations.iter().for_each(|annotated| check(annotated, &mut found));
            }
            LintCheck::ProblemOrAnnotation(kinds, word, check) => {
                report_problems(file, kinds, word, &mut found);
                file.annotations.iter().for_each(|annotated| check(annotated, &mut found));
            }
            LintCheck::Rule(check) => check_different_rules(&rules, check, &mut found),
            LintCheck::RuleInPlace(check) => {
                for rule in &rules {
                    check_rule(rule, check, &mut found);
                }
            }
        }
    }
    templated::keep_reported(file, &mut found);
    repair::withdraw_at_tags(file, &mut found);
    for found in &mut found {
        in_whole_characters(file.source, found);
    }
    found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    // The target of an alias is checked once for each use, so findings in it are duplicated.
    found.dedup();
    found
}

/// The start of something long is shown as one byte; its first character may have more.
fn in_whole_characters(source: &SourceFile, found: &mut Diagnostic) {
    let text = source.text();
    for label in std::iter::once(&mut found.primary).chain(&mut found.secondary) {
        let end = (label.span.end as usize..text.len()).find(|end| text.is_char_boundary(*end));
        label.span.end = end.and_then(|end| u32::try_from(end).ok()).unwrap_or(label.span.end);
    }
}

/// Looks at each rule, except at those that repeat one without findings.
fn check_different_rules(
    rules: &[RuleView<'_>],
    check: fn(&RuleView<'_>, &mut Vec<Diagnostic>),
    found: &mut Vec<Diagnostic>,
) {
    let mut reported = Vec::with_capacity(rules.len());
    for rule in rules {
        let before = found.len();
        if rule.repeats.is_none_or(|first| reported.get(first) != Some(&false)) {
            check_rule(rule, check, found);
        }
        reported.push(found.len() > before);
    }
}

/// Looks at one rule. Where a parser had to guess what it says, nothing that would be changed in it is certain.
fn check_rule(
    rule: &RuleView<'_>,
    check: fn(&RuleView<'_>, &mut Vec<Diagnostic>),
    found: &mut Vec<Diagnostic>,
) {
    let before = found.len();
    check(rule, found);
    if rule.uncertain {
        found.iter_mut().skip(before).for_each(|found| found.fix = None);
    }
}

fn report_problems(
    file: &LintedFile<'_>,
    kinds: &[ProblemKind],
    word: ProblemReporter,
    found: &mut Vec<Diagnostic>,
) {
    for document in file.parsed_documents() {
        let problems =
            relevant_problems(document, file.source).filter(|problem| kinds.contains(&problem.kind));
        let before = found.len();
        found.extend(problems.map(|problem| word(problem, file.source)));
        let repairs = found.iter_mut().skip(before).filter(|found| found.fix.is_some());
        repair::withdraw_on_guesses(document, file.source, repairs);
    }
}

/// The problems of a document, without those that only follow from another: where the parser had to guess the end of
/// a string, the rest of the line is not evidence.
fn relevant_problems<'a>(
    document: &'a Document<'_>,
    source: &'a SourceFile,
) -> impl Iterator<Item = &'a Problem> {
    let mut guessed_on = None;
    document.problems().iter().filter(move |problem| {
        if guessed_on == Some(source.position_at(problem.span.start).line) {
            return false;
        }
        let is_string = || problem.detail.starts_with(['"', '\'', '“']);
        if problem.kind == ProblemKind::JsonInnerQuote
            || (problem.kind == ProblemKind::JsonUnclosed && is_string())
        {
            guessed_on = Some(source.position_at(problem.span.start).line);
        }
        true
    })
}

#[cfg(test)]
mod tests;
