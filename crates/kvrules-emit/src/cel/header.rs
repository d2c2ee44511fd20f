//! Comments above the rules in a file: their object, the servers that accept them, and the inexact rules.

use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_diagnostics::render::needs_escape;
use kvrules_ir::ElaboratedSet;

use crate::RuleFidelity;

/// Lines are filled up to here.
const WIDTH: usize = 100;

/// Comments on the rules of a set, for servers not older than `oldest`, such as `1.30`.
pub(crate) fn header_comment(
    set: &ElaboratedSet,
    oldest: KubernetesVersion,
    fidelity: &[RuleFidelity],
) -> String {
    let mut head = to_comment(&format!("rules of {}", set.name));
    let users = set.used_by.iter().map(|user| user.name.as_str()).collect::<Vec<_>>().join(", ");
    if !users.is_empty() {
        head.push_str(&to_comment(&format!("used by: {users}")));
    }
    head.push_str(&version_comment(oldest));
    for RuleFidelity { rule, fidelity, .. } in fidelity {
        if let Some(cause) = fidelity.cause() {
            head.push_str(&to_comment(&format!("{rule}: {}: {cause}", fidelity.as_str())));
        }
    }
    for rule in &set.left_out {
        head.push_str(&to_comment(&format!("{}: left out: {}", rule.name, rule.cause)));
    }
    head
}

/// The comment that says for which servers a file is.
pub(crate) fn version_comment(oldest: KubernetesVersion) -> String {
    to_comment(&format!("for Kubernetes {oldest} and later"))
}

/// A comment, its lines filled with words.
pub(crate) fn to_comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split(|c: char| c.is_whitespace() || needs_escape(c)).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("#   {word}")),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
