//! KV705 `message_field_misspelt`: a message that names a field otherwise than it is called.

use std::ops::Range;

use kvrules_diagnostics::{Diagnostic, Level, Lint, Origin};
use kvrules_elaborate::{UnresolvedReason, path, resolve_path};
use kvrules_ir::{PathStep, Rule};

use crate::{
    LintCheck, RuleView, escaped_spans,
    message::message_node,
    message_text::{code, vm_path},
};

pub static LINT: Lint = Lint {
    code: "KV705",
    name: "message_field_misspelt",
    level: Level::Warning,
    summary: "a message misspells a field, or names another field than the rule checks",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

/// Shorter words are near too many others.
const SHORTEST: usize = 5;

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    // A rule whose own paths are wrong has findings of its own.
    let (Some(node), Some((read, _))) = (message_node(rule), rule.understood()) else { return };
    let text = node.text();
    let names = field_names(text);
    for (range, name) in &names {
        let Some((message, better)) = find_misspelling(rule, read, name, &names) else { continue };
        let finding = LINT.diagnostic_at(escaped_spans::span_of(rule.source, node, range.clone()), message);
        found.push(finding.with_help(match better {
            SuggestionSource::Nearest(path) => format!("did you mean {}?", code(&path)),
            SuggestionSource::EvaluatedPath(path) => format!("the rule checks {}", code(&path)),
        }));
    }
}

/// Better name than the one in the message.
enum SuggestionSource {
    /// A name that is spelled nearly so.
    Nearest(String),
    /// The field that the rule is about.
    EvaluatedPath(String),
}

/// Returns the problem with a name in a message.
fn find_misspelling(
    rule: &RuleView<'_>,
    read: &Rule,
    name: &str,
    all: &[(Range<usize>, String)],
) -> Option<(String, SuggestionSource)> {
    let own: Vec<_> = read.all_paths().map(|path| plain_names(&path.steps)).collect();
    let parts: Vec<_> = name.split('.').filter(|part| !part.is_empty()).collect();
    if own.iter().any(|path| contains_names(path, &parts)) {
        return None;
    }
    if let Some(near) = own.iter().find_map(|path| corrected_names(path, &parts)) {
        let message = format!("the message names {}, which is spelled differently in the rule", code(name));
        return Some((message, SuggestionSource::Nearest(near)));
    }
    let is_rooted = rule.catalog.root().child_field(parts.first()?).is_some() && parts.len() > 1;
    let path = path::parse(&format!(".{}", parts.join(".")), Origin::default()).ok().filter(|_| is_rooted)?;
    let better = SuggestionSource::EvaluatedPath(read.path.text.clone());
    match resolve_path(&path, rule.catalog) {
        Err(UnresolvedReason::UnknownField { name: missing, parent, .. }) => Some((
            format!(
                "the message names {}, but {} has no field {}",
                code(name),
                vm_path(&parent),
                code(&missing)
            ),
            better,
        )),
        // A message may name another field in addition to its own, but rarely another field alone.
        Ok(_) if all.len() == 1 && !evaluated_paths(read).any(|path| contains_names(&parts, &path)) => {
            Some((format!("the message names {}, which the rule does not check", code(name)), better))
        }
        _ => None,
    }
}

/// The names of the paths to what a rule compares. What its guard asks for is only on the way there.
fn evaluated_paths(read: &Rule) -> impl Iterator<Item = Vec<&str>> {
    std::iter::once(&read.path).chain(read.constraint.argument_paths()).map(|path| plain_names(&path.steps))
}

/// The names of a path, without lists and indexes.
fn plain_names(steps: &[PathStep]) -> Vec<&str> {
    let names = steps.iter().filter_map(|step| match step {
        PathStep::Field(name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}

/// True if a path contains some names in sequence.
fn contains_names(path: &[&str], names: &[&str]) -> bool {
    path.windows(names.len().max(1)).any(|window| window == names)
}

/// The part of a path that names are a misspelling of: all except one are right, and that one is nearly.
fn corrected_names(path: &[&str], names: &[&str]) -> Option<String> {
    let window = path.windows(names.len().max(1)).find(|window| {
        let mut wrong = window.iter().zip(names).filter(|(own, name)| own != name);
        let (Some((own, name)), None) = (wrong.next(), wrong.next()) else { return false };
        let is_plural = name.strip_prefix(*own).is_some_and(|ending| matches!(ending, "s" | "es"));
        let near = strsim::damerau_levenshtein(own, name);
        !is_plural && name.len() >= SHORTEST && near <= if name.len() < 2 * SHORTEST { 1 } else { 2 }
    })?;
    Some(window.join("."))
}

/// The words of a text that can only be names of fields: with points between their parts, or with a capital inside.
fn field_names(text: &str) -> Vec<(Range<usize>, String)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '[' | ']' | '*' | '/' | ':');
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|c: char| !is_part(c)) {
        let start = at;
        at += word.len()
            + text.get(at + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let inner = word.strip_prefix("jsonpath::").unwrap_or(word).trim_start_matches(['.', '/']);
        let start = start + (word.len() - inner.len());
        let inner = inner.trim_end_matches(['.', ':', '/']);
        let name = without_brackets(inner);
        if is_name(&name) {
            found.push((start..start + inner.len(), name));
        }
    }
    found
}

/// `disks[*].disk` as `disks.disk`.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    let keep = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(keep).collect()
}

/// True if a word can only be a name: not a file, a host, a version or a word of prose.
fn is_name(word: &str) -> bool {
    let parts: Vec<_> = word.split('.').collect();
    let is_field = |part: &&str| {
        part.len() > 1
            && part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_camel = || word.contains(|c: char| c.is_ascii_uppercase());
    parts.iter().all(is_field) && (parts.len() > 1 || is_camel())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_told_from_prose() {
        let found = |text| field_names(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(found("set .spec.domain.memroy.guest."), ["spec.domain.memroy.guest"]);
        assert_eq!(
            found("`disks[*].disk.bus`: bootOrder, e.g. 1.5 or v1.2 of QEMU/kvm"),
            ["disks.disk.bus", "bootOrder"]
        );
        assert_eq!(field_names("é .spec.domain").first().map(|(range, _)| range.clone()), Some(4..15));
    }

    #[test]
    fn one_slip_in_one_name_is_near() {
        let path = ["spec", "domain", "memory", "guest"];
        assert_eq!(corrected_names(&path, &["domain", "memroy"]).as_deref(), Some("domain.memory"));
        assert_eq!(corrected_names(&path, &["guset"]).as_deref(), Some("guest"));
        assert_eq!(corrected_names(&path, &["guests"]), None);
        assert_eq!(corrected_names(&path, &["domian", "memroy"]), None);
        assert_eq!(corrected_names(&path, &["domain", "machine"]), None);
    }
}
