//! KV507 `enum_in_regex`: `^(virtio|scsi)$`.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, optional_path};
use kvrules_syntax::{
    edit::{Rewriter, ScalarEdit},
    find_parameters,
};

use crate::{
    LintCheck, RuleView,
    patterns::{parsed_pattern, some_of},
    relations::is_reported,
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV507",
    name: "enum_in_regex",
    level: Level::Info,
    summary: "a pattern matches only a few strings and could be an `enum`",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

/// Longer lists are easier to read as a pattern.
const MOST: usize = 12;

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    // KV209 reports that the field is not a string.
    if is_reported(rule, &[super::text_of_number::CHECK]) {
        return;
    }
    let Some(texts) = regex.finite_language(MOST).filter(|texts| !texts.is_empty()) else { return };
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let values: Vec<_> = texts.iter().map(|text| serde_json::Value::from(*text).to_string()).collect();
    // `values` reads such a string as a path.
    let is_path = |text: &&str| optional_path(text, rule.dialect()).is_some();
    let message = format!("the pattern matches {} and nothing else", some_of(&texts));
    let help = format!("write an `enum` rule with `\"values\": [{}]`", values.join(", ").replace('`', "'"));
    found.push(
        LINT.diagnostic_at(pattern.whole(rule), message)
            .with_help(help)
            .fix_if(enumeration_fix(rule, &values.join(", ")).filter(|_| !texts.iter().any(is_path))),
    );
}

/// The rule as an enumeration of the same texts.
fn enumeration_fix(rule: &RuleView<'_>, values: &str) -> Option<Fix> {
    // A regex rule ignores `values` and `included`, but an enum rule would use them, so such a rule gets no fix.
    let alone = [Key::Values, Key::Included].iter().all(|key| rule.find_entry(*key).is_none());
    let (kind, pattern) = (rule.key_value(Key::Rule)?, rule.key_value(Key::Regex).filter(|_| alone)?);
    let fixed = find_parameters(pattern.text()).next().is_none() && !values.contains("${");
    let list =
        Rewriter::new(rule.source).replace_scalar(pattern, ScalarEdit::Literal(&format!("[{values}]")));
    let edits = [
        repair::text(rule, kind, "enum")?,
        repair::rename_key(rule, Key::Regex, Key::Values)?,
        list.filter(|_| fixed)?,
    ];
    Some(Fix::safe_fix("write an `enum` rule with the same strings", edits))
}
