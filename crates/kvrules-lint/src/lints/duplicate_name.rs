//! KV105 `duplicate_name`: two rules of one template with the same name.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, Span};
use kvrules_elaborate::annotation::{Annotation, AnnotationHolder, Key};
use kvrules_syntax::{
    Node,
    edit::{Rewriter, ScalarEdit},
};

use crate::{LintCheck, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV105",
    name: "duplicate_name",
    level: Level::Error,
    summary: "two rules of one template have the same name",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// Scope in which names must be unique: a template with everything in it, else one annotation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NameScope {
    Template(Span),
    Annotation(Span),
}

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(NameScope, &str), Span> = HashMap::new();
    let mut doubles = Vec::new();
    for annotation in file.annotations.iter().map(|linted| &linted.annotation) {
        for name in rule_names(annotation) {
            match seen.entry((name_scope(annotation), name.text())) {
                Entry::Vacant(vacant) => {
                    vacant.insert(name.span());
                }
                Entry::Occupied(first) if *first.get() != name.span() => {
                    doubles.push((name, name_scope(annotation), *first.get()));
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    let mut given: HashSet<(NameScope, String)> = HashSet::new();
    for (name, scope, first) in doubles {
        let mut names = (2..=MOST_NUMBERED).map(|number| format!("{}-{number}", name.text()));
        let is_free = |new: &String| {
            !seen.contains_key(&(scope, new.as_str())) && !given.contains(&(scope, new.clone()))
        };
        let free = names.find(is_free);
        let edit = free
            .as_ref()
            .and_then(|free| Rewriter::new(file.source).replace_scalar(name, ScalarEdit::Text(free)));
        let fix = edit.zip(free.as_ref()).map(|(edit, free)| {
            Fix::not_safe(
                format!("rename this rule to {}, which its violations then show", code(free)),
                [edit],
            )
        });
        given.extend(free.map(|free| (scope, free)));
        found.push(duplicate_diagnostic(name, first).fix_if(fix));
    }
}

/// No name is used more often than this by accident.
const MOST_NUMBERED: u32 = 1000;

fn rule_names<'a>(annotation: &'a Annotation<'_>) -> impl Iterator<Item = Node<'a>> {
    let names = annotation.rules().filter_map(|rule| rule.get(Key::Name.as_str()));
    names.filter(|name| name.as_str().is_some_and(|text| !text.is_empty()))
}

fn name_scope(annotation: &Annotation<'_>) -> NameScope {
    match annotation.holder {
        AnnotationHolder::Template { id } | AnnotationHolder::VirtualMachine { template: Some(id) } => {
            NameScope::Template(id)
        }
        _ => NameScope::Annotation(annotation.value.span()),
    }
}

fn duplicate_diagnostic(name: Node<'_>, first: Span) -> Diagnostic {
    LINT.diagnostic_at(name.span(), format!("duplicate rule name {}", code(name.text())))
        .with_secondary_label(first, "the first rule with this name")
        .with_help("give each rule of a template a unique name")
}
