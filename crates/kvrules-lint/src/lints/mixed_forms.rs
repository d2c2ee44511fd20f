//! KV112 `mixed_forms`: paths of two versions in one annotation.

use kvrules_diagnostics::{Diagnostic, Level};

use crate::{Annotated, Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV112",
    name: "mixed_forms",
    level: Level::Error,
    summary: "one annotation has paths with `jsonpath::` and paths without",
    check: Check::Annotation(check),
};

fn check(annotated: &Annotated<'_>, found: &mut Vec<Diagnostic>) {
    let Some(mixture) = annotated.annotation.form().mixture else { return };
    found.push(
        LINT.at(mixture.bare, "a path without `jsonpath::` in an annotation that has paths with it")
            .also(mixture.prefixed, "a path with it")
            .help("put `jsonpath::` before every path"),
    );
}
