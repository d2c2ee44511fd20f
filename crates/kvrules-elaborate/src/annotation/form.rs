//! Detects the form of an annotation, with the evidence.

use kvrules_diagnostics::Span;
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::Node;

use super::{Annotation, AnnotationHolder, Key, VM_ANNOTATION, operand::has_prefix};

/// The form of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnotationForm {
    /// The form with the most evidence.
    pub dialect: AnnotationDialect,
    /// Evidence for two forms at once, in an annotation of which nothing else says what it is.
    pub mixture: Option<FormMixture>,
}

/// Two paths of one annotation that belong to different forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormMixture {
    /// A path with `jsonpath::`.
    pub prefixed: Span,
    /// A path without.
    pub bare: Span,
}

impl Default for AnnotationForm {
    fn default() -> Self {
        Self { dialect: AnnotationDialect::Annotation201902, mixture: None }
    }
}

impl AnnotationForm {
    /// The place decides where it can: the VM's own annotation is 201902 and nothing else. On a template, and for an
    /// annotation by itself, the paths and the keys decide.
    pub(super) fn of(annotation: &Annotation<'_>) -> Self {
        if annotation.key_text() == VM_ANNOTATION || is_on_vm(annotation.holder) {
            return Self::default();
        }
        let evidence = FormEvidence::of(annotation);
        let old_key = evidence.included || annotation.key_text() == "validation";
        match (evidence.prefixed, evidence.bare) {
            (Some(prefixed), Some(bare)) => Self {
                dialect: if old_key {
                    AnnotationDialect::Annotation201901
                } else {
                    AnnotationDialect::AnnotationTransitional
                },
                mixture: Some(FormMixture { prefixed, bare }),
            },
            (Some(_), None) if old_key => {
                Self { dialect: AnnotationDialect::Annotation201901, mixture: None }
            }
            (Some(_), None)
                if annotation.holder == AnnotationHolder::Fragment && annotation.key.is_none() =>
            {
                Self::default()
            }
            (Some(_), None) => Self { dialect: AnnotationDialect::AnnotationTransitional, mixture: None },
            (None, _) => Self { dialect: AnnotationDialect::Annotation201901, mixture: None },
        }
    }
}

fn is_on_vm(holder: AnnotationHolder) -> bool {
    matches!(holder, AnnotationHolder::VirtualMachine { .. } | AnnotationHolder::Instance)
}

/// Evidence from the paths and keys of an annotation.
#[derive(Default)]
struct FormEvidence {
    prefixed: Option<Span>,
    bare: Option<Span>,
    included: bool,
}

impl FormEvidence {
    fn of(annotation: &Annotation<'_>) -> Self {
        let mut evidence = Self::default();
        for rule in annotation.rules() {
            evidence.included |= rule.get(Key::Included.as_str()).is_some();
            let paths = [Key::Path, Key::Valid].map(|key| rule.get(key.as_str()));
            for path in
                paths.into_iter().flatten().filter(|path| path.as_str().is_some_and(|text| !text.is_empty()))
            {
                evidence.path(path);
            }
        }
        evidence
    }

    fn path(&mut self, path: Node<'_>) {
        let place = if has_prefix(path.text()) { &mut self.prefixed } else { &mut self.bare };
        place.get_or_insert(path.span());
    }
}
