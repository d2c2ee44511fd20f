//! KV108 `other_version_key`: a key of the other version of the annotation.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::AnnotationDialect;

use crate::{LintCheck, RuleView, repair};

pub static LINT: Lint = Lint {
    code: "KV108",
    name: "other_version_key",
    level: Level::Warning,
    summary: "a key belongs to another version of the annotation than the rest",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for (key, own, other) in foreign_keys(rule.dialect()) {
        let Some(entry) = rule.find_entry(*key) else { continue };
        let message = format!("`{}` is a key of version {other}, and this annotation is {own}", key.as_str());
        let help = match key {
            Key::Included => "write `values`",
            Key::Values => "write `included`, or move the annotation to version 201902",
            _ => "move the annotation to version 201902",
        };
        found.push(
            LINT.diagnostic_at(entry.key.span(), message).with_help(help).fix_if(rename_fix(rule, *key)),
        );
    }
}

/// The name that the version has for the same list. Both are read alike.
fn rename_fix(rule: &RuleView<'_>, key: Key) -> Option<Fix> {
    let own = match key {
        Key::Included => Key::Values,
        Key::Values => Key::Included,
        _ => return None,
    };
    let edit = repair::rename_key(rule, key, own).filter(|_| rule.find_entry(own).is_none())?;
    Some(Fix::safe_fix(format!("write `{}`", own.as_str()), [edit]))
}

/// The keys that belong to the other version: the key, the version of the annotation, that of the key.
fn foreign_keys(dialect: AnnotationDialect) -> &'static [(Key, &'static str, &'static str)] {
    match dialect {
        AnnotationDialect::Annotation201901 => {
            &[(Key::JustWarning, "201901", "201902"), (Key::Values, "201901", "201902")]
        }
        AnnotationDialect::AnnotationTransitional => {
            &[(Key::Included, "written with `jsonpath::`", "201901")]
        }
        AnnotationDialect::Annotation201902 => &[(Key::Included, "201902", "201901")],
    }
}
