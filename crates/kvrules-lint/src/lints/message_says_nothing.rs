//! KV703 `message_says_nothing`: a message that names neither what is evaluated nor what is asked of it.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::catalog::measures_memory;
use kvrules_ir::{ElaboratedRule, Interval, PathStep, Rule, ValueTest};
use kvrules_kubernetes::quantity::in_human_units;
use num_bigint::BigInt;

use crate::{
    LintCheck, RuleView,
    message::{is_blank, is_common, message_node, message_words, repeats_name, singular_word},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV703",
    name: "message_says_nothing",
    level: Level::Info,
    summary: "a message names neither the field nor the limit",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

/// Steps that nearly every path has.
const ON_EVERY_WAY: [&str; 3] = ["spec", "domain", "devices"];

/// Common words for the things behind these names.
const ALSO_CALLED: [(&str, &[&str]); 9] = [
    ("memory", &["ram"]),
    ("cpu", &["core", "processor", "vcpu"]),
    ("disk", &["drive", "storage", "volume"]),
    ("cdrom", &["cd", "dvd"]),
    ("interface", &["network", "nic"]),
    ("bootloader", &["bios", "efi", "uefi"]),
    ("firmware", &["bios", "efi", "uefi"]),
    ("machine", &["chipset", "board"]),
    ("clock", &["time", "timer", "zone"]),
];

/// Words that stand for a limit.
const LIMITS: [&str; 13] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "ten", "zero", "empty", "single", "blank",
];

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let (Some(node), Some((read, meaning))) = (message_node(rule), rule.understood()) else { return };
    let text = node.text();
    // Other lints report names and blanks. A single word may be a key for translation, and text in other languages
    // cannot be checked with English words.
    let other =
        || is_blank(text) || repeats_name(rule, text) || message_words(text).len() < 2 || !text.is_ascii();
    if names_limit(text, meaning) || names_field(text, read) || other() {
        return;
    }
    let finding = LINT.diagnostic_at(node.span(), "the message names neither the field nor the limit");
    found.push(match suggest_message(read, meaning) {
        Some(better) => finding.with_help(format!("write the requirement, such as {}", code(&better))),
        None => finding.with_help("write which value is invalid, and which are allowed"),
    });
}

/// True if a string contains a value that passes, or anything like a number. A parameter may become either.
fn names_limit(text: &str, meaning: &ElaboratedRule) -> bool {
    if text.contains("${") || text.contains(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let lower = text.to_lowercase();
    let value = |test: &ValueTest| match test {
        ValueTest::OneOf(values) => values.iter().any(|value| lower.contains(&value.to_lowercase())),
        ValueTest::Matches(pattern) => {
            message_words(&pattern.0).iter().any(|part| part.len() > 2 && lower.contains(part.as_str()))
        }
        ValueTest::Integer(_) | ValueTest::Length(_) => false,
    };
    meaning.requirement.tests.iter().any(value)
        || message_words(text).iter().any(|word| LIMITS.contains(&word.as_str()))
}

/// True if a string has a word of one of the rule's paths, or another name of its field.
fn names_field(text: &str, rule: &Rule) -> bool {
    let wording = message_words(text);
    let steps = rule.all_paths().flat_map(|path| &path.steps);
    let names = steps.filter_map(|step| match step {
        PathStep::Field(name) => Some(name.as_str()),
        _ => None,
    });
    let mut names = names.filter(|name| !ON_EVERY_WAY.contains(name)).map(str::to_lowercase);
    names.any(|name| {
        wording.iter().any(|word| !is_common(word) && is_name(singular_word(word), singular_word(&name)))
    })
}

/// True if a word is a name, a part of it, or a common word for it.
fn is_name(word: &str, name: &str) -> bool {
    let part = |long: &str, short: &str| short.len() > 2 && long.contains(short);
    let called = ALSO_CALLED.iter().find(|(known, _)| *known == name);
    word == name
        || part(name, word)
        || part(word, name)
        || called.is_some_and(|(_, other)| other.contains(&word))
}

/// A message that describes the whole rule; `None` if that takes more than a few words.
fn suggest_message(rule: &Rule, meaning: &ElaboratedRule) -> Option<String> {
    let subject = &meaning.requirement.subject;
    let memory = measures_memory(&subject.leaf);
    let last = rule.path.steps.iter().rev().find_map(|step| match step {
        PathStep::Field(name) => Some(name.as_str()),
        _ => None,
    })?;
    let field = if memory { "memory".to_owned() } else { message_words(last).join(" ") };
    match meaning.requirement.tests.first()? {
        ValueTest::Integer(interval) => {
            let number = |number: &BigInt| if memory { in_human_units(number) } else { number.to_string() };
            Some(format!("{field} must be {}", bounds_phrase(interval, number)?))
        }
        ValueTest::Length(interval) => {
            Some(format!("{field} must have {} characters", bounds_phrase(interval, BigInt::to_string)?))
        }
        ValueTest::OneOf(values) => {
            let values: Vec<_> = values.iter().map(String::as_str).collect();
            Some(format!("{field} must be {}", values.join(" or ")))
        }
        ValueTest::Matches(_) => None,
    }
}

fn bounds_phrase(interval: &Interval, number: impl Fn(&BigInt) -> String) -> Option<String> {
    match (&interval.min, &interval.max) {
        (Some(min), Some(max)) => Some(format!("{} to {}", number(min), number(max))),
        (Some(min), None) => Some(format!("at least {}", number(min))),
        (None, Some(max)) => Some(format!("at most {}", number(max))),
        (None, None) => None,
    }
}
