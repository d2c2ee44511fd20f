//! Patterns that are not regular expressions of ECMA 262.

use kvrules_diagnostics::Diagnostic;
use kvrules_kubernetes::keywords::find_keyword;
use kvrules_regex::ecma::to_re2;
use kvrules_syntax::Node;

use crate::lints::INVALID_SCHEMA_PATTERN;
use crate::tree::SchemaSite;
use crate::value_form::{has_format, is_unreadable};

/// Checks `pattern` and the keys of `patternProperties`.
pub(super) fn check_patterns(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    let keys = site.node.get("patternProperties").filter(|_| defines_key_patterns(site));
    let keys = keys.into_iter().flat_map(|map| map.entries_with_merged().map(|entry| entry.key));
    for pattern in site.node.get("pattern").into_iter().chain(keys) {
        if is_unreadable(pattern) || pattern.as_str().is_none() || is_valid_pattern(pattern) {
            continue;
        }
        let reason = pattern_fault(pattern.text());
        let found =
            INVALID_SCHEMA_PATTERN.diagnostic_at(pattern.span(), format!("invalid pattern: {reason}"));
        findings.push(found.help_if(pattern_help(pattern.text()).map(str::to_owned)));
    }
}

fn defines_key_patterns(site: &SchemaSite<'_>) -> bool {
    find_keyword("patternProperties").is_some_and(|keyword| keyword.is_defined_in(site.dialect))
}

/// True if a pattern is a regular expression of ECMA 262.
pub(crate) fn is_valid_pattern(pattern: Node<'_>) -> bool {
    has_format(pattern, "regex")
}

/// Reason why a pattern is invalid.
fn pattern_fault(pattern: &str) -> String {
    // RE2 has fewer constructs; what it does not have is valid in ECMA 262 and not the reason.
    let is_reason = |error: &kvrules_regex::RegexError| !error.is_of_another_dialect();
    if let Some(error) = kvrules_regex::parse(pattern).err().filter(is_reason) {
        return error.to_string();
    }
    let reason = to_re2(pattern).err().filter(|reason| !reason.starts_with("RE2 "));
    reason.unwrap_or_else(|| "not a regular expression of ECMA 262".to_owned())
}

fn pattern_help(pattern: &str) -> Option<&'static str> {
    let has = |construct: &str| pattern.contains(construct);
    match () {
        () if has("(?i)") || has("(?s)") || has("(?m)") || has("(?x)") => {
            Some("write both cases, as in `[aA]`: ECMA 262 has no flags for a whole pattern")
        }
        () if has("(?P<") => Some("write `(?<name>`; ECMA 262 has no `(?P<`"),
        () if has(r"\A") || has(r"\Z") || has(r"\z") => Some("write `^` and `$` for the start and the end"),
        () if has("[[:") => Some("ECMA 262 has no named classes; write the ranges, as in `[a-zA-Z]`"),
        () => None,
    }
}
