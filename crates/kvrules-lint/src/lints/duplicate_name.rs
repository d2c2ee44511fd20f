//! KV105 `duplicate_name`: two rules of one template with the same name.

use std::collections::{HashMap, hash_map::Entry};

use kvrules_diagnostics::{Diagnostic, Level, Span};
use kvrules_elaborate::annotation::{Annotation, Holder, Key};
use kvrules_syntax::Node;

use crate::{Annotated, Check, File, Lint, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV105",
    name: "duplicate_name",
    level: Level::Error,
    summary: "two rules of one template have the same name",
    check: Check::File(check),
};

/// What names must be unique in: a template with all that is in it, else one annotation.
#[derive(PartialEq, Eq, Hash)]
enum Scope {
    Template(Span),
    Annotation(Span),
}

fn check(file: &File<'_>, found: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(Scope, &str), Span> = HashMap::new();
    for Annotated { annotation, .. } in file.annotations {
        for name in names(annotation) {
            match seen.entry((scope(annotation), name.text())) {
                Entry::Vacant(vacant) => {
                    vacant.insert(name.span());
                }
                Entry::Occupied(first) if *first.get() != name.span() => {
                    found.push(duplicate(name, *first.get()));
                }
                Entry::Occupied(_) => {}
            }
        }
    }
}

fn names<'a>(annotation: &'a Annotation<'_>) -> impl Iterator<Item = Node<'a>> {
    let names = annotation.rules().filter_map(|rule| rule.get(Key::Name.as_str()));
    names.filter(|name| name.as_str().is_some_and(|text| !text.is_empty()))
}

fn scope(annotation: &Annotation<'_>) -> Scope {
    match annotation.holder {
        Holder::Template { id } | Holder::VirtualMachine { template: Some(id) } => Scope::Template(id),
        _ => Scope::Annotation(annotation.value.span()),
    }
}

fn duplicate(name: Node<'_>, first: Span) -> Diagnostic {
    LINT.at(name.span(), format!("the name {} is taken by another rule", code(name.text())))
        .also(first, "the first rule with this name")
        .help("give each rule of a template a name of its own")
}
