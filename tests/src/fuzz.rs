//! Properties that fuzzing checks, whoever makes the inputs: the libFuzzer targets in `tests/fuzz`, or `cargo xtask
//! fuzz`.
//!
//! Each target takes any text. It says what is wrong, or panics; both are finds.

mod corpus;
mod mutate;
mod unannotated_text;

use std::{ffi::OsString, fs, process::ExitCode};

use kvrules::{
    Catalog, Diagnostic, ElaboratedRule, ElaboratedSet, FileId, FileReading, FixOptions, ReadContext,
    SourceFile, Sources,
    migrate::{MigrationOptions, MigrationOutcome, migrate_file},
    render::{self, RenderFormat},
};

pub use corpus::load_corpus;
pub use mutate::Mutator;
pub use unannotated_text::text_outside_annotations;

/// Operation that is tested with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzTarget {
    /// Parsing, reading, linting, and every format of findings.
    Read,
    /// Repairing.
    Fix,
    /// Migrating.
    Migrate,
    /// Formatting.
    Fmt,
}

impl FuzzTarget {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Fix, Self::Migrate, Self::Fmt];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Fix => "fix",
            Self::Migrate => "migrate",
            Self::Fmt => "fmt",
        }
    }

    /// Holds kvrules to what it promises about a text. An error says what it broke.
    pub fn check_text(self, text: &str) -> Result<(), String> {
        let source = SourceFile::new(FileId(0), name_for(text), text);
        match self {
            Self::Read => check_read(&source),
            Self::Fix => {
                [false, true].into_iter().try_for_each(|unsafe_fixes| check_fix(&source, unsafe_fixes))
            }
            Self::Migrate => check_migration(&source),
            Self::Fmt => check_format(&source),
        }
    }
}

/// Puts each file through a target again and prints what it breaks: a find that libFuzzer kept, without libFuzzer.
/// Text that is not UTF-8 is read as the fuzzer's targets read it, which is not at all.
pub fn replay_files(target: FuzzTarget, paths: impl Iterator<Item = OsString>) -> ExitCode {
    let (mut replayed, mut broken) = (0, 0);
    for path in paths {
        replayed += 1;
        let read = fs::read_to_string(&path).map_err(|error| format!("cannot be read: {error}"));
        if let Err(what) = read.and_then(|text| target.check_text(&text)) {
            broken += 1;
            println!("{}: {what}", path.display());
        }
    }
    println!("{}: {replayed} texts, {broken} break a promise", target.name());
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The name of a file with such a text, from what it begins with.
pub fn name_for(text: &str) -> &'static str {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with("# ") && text.contains("```") {
        "fuzz.md"
    } else if start.starts_with(['{', '[']) {
        "fuzz.json"
    } else {
        "fuzz.yaml"
    }
}

fn check_read(source: &SourceFile) -> Result<(), String> {
    let mut sources = Sources::default();
    sources.add_file(source.name(), source.text());
    let reading = kvrules::read_rules(source);
    for found in &reading.diagnostics {
        let spans = std::iter::once(&found.primary).chain(&found.secondary).map(|label| label.span);
        for span in spans.chain(found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span)) {
            ensure_claim(source.text().get(span.to_range()).is_some(), || {
                format!("{} has a place outside of the text", found.code)
            })?;
        }
    }
    for format in RenderFormat::ALL {
        render::render_diagnostics(format, &reading.diagnostics, &sources, &render::RenderOptions::default());
    }
    Ok(())
}

fn check_fix(source: &SourceFile, unsafe_fixes: bool) -> Result<(), String> {
    let accept = |_: &SourceFile, reading: &FileReading| -> Vec<Diagnostic> { reading.diagnostics.clone() };
    let options = FixOptions { unsafe_fixes, accept: &accept };
    let fixed = kvrules::fix_file(source, Catalog::kubevirt_vm(), &options);
    still_yaml(source, fixed.source.text())?;
    let before = kvrules::read_rules(source);
    ensure_claim(fixed.reading.count_rules() >= before.count_rules(), || "a repair lost a rule".to_owned())?;
    ensure_claim(count_meanings(&fixed.reading) >= count_meanings(&before), || {
        "a repair lost a meaning".to_owned()
    })?;
    let again = kvrules::fix_file(&fixed.source, Catalog::kubevirt_vm(), &options);
    ensure_claim(again.source.text() == fixed.source.text(), || {
        "a second repair changes something".to_owned()
    })
}

fn count_meanings(reading: &FileReading) -> usize {
    reading.sets.iter().map(|set| set.rules.len()).sum()
}

fn check_migration(source: &SourceFile) -> Result<(), String> {
    let migration = migrate_file(source, Catalog::kubevirt_vm(), MigrationOptions::default());
    let outcome = migration.outcome();
    for refusal in &migration.refusals {
        let found_error = refusal.message.contains("bug in kvrules");
        ensure_claim(!found_error, || refusal.message.clone())?;
        ensure_claim(source.text().get(refusal.primary.span.to_range()).is_some(), || {
            "a refusal has no place".to_owned()
        })?;
    }
    if matches!(outcome, MigrationOutcome::Refused | MigrationOutcome::Current) {
        return ensure_claim(migration.text == source.text(), || {
            format!("{outcome:?}, and the text changed")
        });
    }
    still_yaml(source, &migration.text)?;
    let after = SourceFile::new(source.id(), source.name(), migration.text.clone());
    if outcome == MigrationOutcome::Migrated {
        nothing_is_lost(&kvrules::read_rules(source).sets, &kvrules::read_rules(&after).sets)?;
    }
    let again = migrate_file(&after, Catalog::kubevirt_vm(), MigrationOptions::default());
    ensure_claim(again.outcome() == MigrationOutcome::Current, || {
        format!("a second migration is {:?}: {:?}", again.outcome(), again.changes)
    })
}

/// Checks that every rule with a meaning is present afterwards, under whatever name.
fn nothing_is_lost(before: &[ElaboratedSet], after: &[ElaboratedSet]) -> Result<(), String> {
    let same = |one: &ElaboratedRule, other: &ElaboratedRule| {
        one.predicate == other.predicate && one.message == other.message && one.severity == other.severity
    };
    for rule in before.iter().flat_map(|set| &set.rules) {
        let found = after.iter().flat_map(|set| &set.rules).any(|other| same(rule, other));
        ensure_claim(found, || format!("the rule `{}` is lost", rule.name))?;
    }
    Ok(())
}

fn check_format(source: &SourceFile) -> Result<(), String> {
    let formatted = kvrules::fmt::format_file(source);
    let found_error = formatted.left.iter().find(|left| left.message.contains("bug in kvrules"));
    ensure_claim(found_error.is_none(), || "formatting would lose rules".to_owned())?;
    still_yaml(source, &formatted.text)?;
    let after = SourceFile::new(source.id(), source.name(), formatted.text.clone());
    let again = kvrules::fmt::format_file(&after);
    ensure_claim(again.text == formatted.text, || "a second formatting changes something".to_owned())?;
    ensure_claim(kvrules::read_rules(source).sets == kvrules::read_rules(&after).sets, || {
        "formatting changed the rules".to_owned()
    })?;
    if kvrules::detect_contents(source).has_rule_sets() {
        return ensure_claim(rules_of_rule_sets(source) == rules_of_rule_sets(&after), || {
            "formatting changed a RuleSet".to_owned()
        });
    }
    ensure_claim(text_outside_annotations(source) == text_outside_annotations(&after), || {
        "formatting changed something outside of the rules".to_owned()
    })
}

/// The names of the rules of RuleSets, and what their conditions are made of. Formatting changes the order of words.
fn rules_of_rule_sets(source: &SourceFile) -> Vec<(String, Vec<String>)> {
    let read = kvrules::read_file(source, &ReadContext::new(Catalog::kubevirt_vm()));
    let parts = |condition: &dyn std::fmt::Debug| {
        let text = format!("{condition:?}");
        let parts = text.split([' ', ',', '(', ')', '[', ']', '{', '}']);
        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
        parts.sort_unstable();
        parts
    };
    let rules = read.rule_sets.into_iter().flat_map(|set| set.rules);
    rules.map(|rule| (rule.name, parts(&rule.condition))).collect()
}

/// Checks that a text is still YAML for an independent parser, if it was before.
fn still_yaml(source: &SourceFile, after: &str) -> Result<(), String> {
    if source.name().ends_with(".md") || source.text() == after || !is_yaml(source.text()) {
        return Ok(());
    }
    ensure_claim(is_yaml(after), || "the result is no YAML any more".to_owned())
}

fn is_yaml(text: &str) -> bool {
    saphyr_parser::Parser::new_from_str(text).all(|event| event.is_ok())
}

fn ensure_claim(holds: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken()) }
}
