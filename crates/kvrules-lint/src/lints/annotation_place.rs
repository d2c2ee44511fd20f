//! KV109 `annotation_place`: an annotation where nothing reads it.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::{Holder, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};

use crate::{Annotated, Check, Lint, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV109",
    name: "annotation_place",
    level: Level::Error,
    summary: "an annotation with rules stands where nothing reads it",
    check: Check::Annotation(check),
};

fn check(annotated: &Annotated<'_>, found: &mut Vec<Diagnostic>) {
    let annotation = &annotated.annotation;
    let Some(key) = annotation.key else { return };
    let of_template = TEMPLATE_ANNOTATIONS.contains(&key.text());
    let (place, help) = match annotation.holder {
        Holder::Template { .. } if !of_template => (
            "on a template",
            format!(
                "move it to the metadata of the VirtualMachine in the template, or call it `{}`",
                TEMPLATE_ANNOTATIONS[0]
            ),
        ),
        Holder::VirtualMachine { .. } if of_template => {
            ("on a VirtualMachine", format!("call it `{VM_ANNOTATION}`"))
        }
        Holder::Instance => (
            "inside `.spec.template`",
            format!("move it to the metadata of the VirtualMachine, as `{VM_ANNOTATION}`"),
        ),
        _ => return,
    };
    let message = format!("nothing reads the annotation {} {place}", code(key.text()));
    found.push(LINT.at(key.span(), message).help(help));
}
