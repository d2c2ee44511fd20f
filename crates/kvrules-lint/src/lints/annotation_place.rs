//! KV109 `annotation_place`: an annotation where nothing reads it.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, SourceFile};
use kvrules_elaborate::annotation::{AnnotationHolder, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};
use kvrules_elaborate::template::TemplateKind;
use kvrules_syntax::edit::{Rewriter, ScalarEdit};

use crate::{LintCheck, LintedAnnotation, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV109",
    name: "annotation_place",
    level: Level::Error,
    summary: "an annotation with rules is misplaced, so nothing reads it",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    file.annotations.iter().for_each(|annotated| check_annotation(file.source, annotated, found));
}

fn check_annotation(source: &SourceFile, annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    let annotation = &annotated.annotation;
    let Some(key) = annotation.key else { return };
    let of_template = TEMPLATE_ANNOTATIONS.contains(&key.text());
    let is_kubevirt = annotation.template.is_some_and(|template| template.kind() == TemplateKind::KubeVirt);
    let mut renamed = false;
    let (place, help) = match annotation.holder {
        AnnotationHolder::Template { .. } if is_kubevirt => (
            "on a VirtualMachineTemplate",
            format!("move it to the metadata of `spec.virtualMachine`, as `{VM_ANNOTATION}`"),
        ),
        AnnotationHolder::Template { .. } if !of_template => (
            "on a template",
            format!(
                "move it to the metadata of the VirtualMachine in the template, or call it `{}`",
                TEMPLATE_ANNOTATIONS[0]
            ),
        ),
        AnnotationHolder::VirtualMachine { .. } if of_template => {
            renamed = true;
            ("on a VirtualMachine", format!("call it `{VM_ANNOTATION}`"))
        }
        AnnotationHolder::Instance => (
            "inside `.spec.template`",
            format!("move it to the metadata of the VirtualMachine, as `{VM_ANNOTATION}`"),
        ),
        _ => return,
    };
    let message = format!("nothing reads the annotation {} {place}", code(key.text()));
    let edit =
        renamed.then(|| Rewriter::new(source).replace_scalar(key, ScalarEdit::Text(VM_ANNOTATION))).flatten();
    let title = format!("rename it to `{VM_ANNOTATION}`, so that its rules are enforced");
    found.push(
        LINT.diagnostic_at(key.span(), message)
            .with_help(help)
            .fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))),
    );
}
