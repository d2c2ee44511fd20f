//! KV019 `misspelt_annotation`: an annotation whose key is nearly the one that is read.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::find_misspelt_keys;
use kvrules_syntax::edit::{Rewriter, ScalarEdit};

use crate::{LintCheck, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV019",
    name: "misspelt_annotation",
    level: Level::Error,
    summary: "the name of an annotation with rules is misspelt, so nothing reads it",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    for misspelt in find_misspelt_keys(file.documents) {
        let (key, suggestion) = (misspelt.key, misspelt.intended);
        let message = format!("no rules are read from the annotation {}", code(key.text()));
        let edit = Rewriter::new(file.source).replace_scalar(key, ScalarEdit::Text(suggestion));
        let title = format!("rename it to `{suggestion}`, so that its rules are enforced");
        let finding =
            LINT.diagnostic_at(key.span(), message).with_help(format!("did you mean `{suggestion}`?"));
        found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
    }
}
