//! Keys and paths of rules, from their old spelling to that of 201902.

use kvrules_diagnostics::SourceFile;
use kvrules_elaborate::annotation::{
    Annotation, AnnotationHolder, Key, PREFIX, VM_ANNOTATION, find_annotations, optional_path, path_text,
};
use kvrules_elaborate::catalog::FieldDeprecation;
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::{
    Document, Entry, Node,
    edit::{Rewriter, ScalarEdit},
};

use crate::{
    MigrationOptions, MigrationStep, StepChange,
    renamed_fields::{find_renamed, left_behind},
};

/// Brings the rules of every annotation in an old form to the keys and paths of 201902. The annotation stays where it is.
pub fn rewrite_rules(
    source: &SourceFile,
    document: &Document<'_>,
    options: MigrationOptions,
) -> MigrationStep {
    let mut step = MigrationStep::default();
    for annotation in find_annotations(document) {
        let dialect = annotation.form().dialect;
        if !is_old(&annotation) && !options.paths {
            continue;
        }
        let rewriter = Rewriter::new(source);
        let mut work = RewriteWork { rewriter, dialect, options, step: &mut step, renamed: Vec::new() };
        annotation.rules().for_each(|rule| work.rule(rule));
        work.notes(&annotation);
    }
    step
}

/// True if an annotation is to be migrated: it is in an old form, or has an old name.
pub fn is_old(annotation: &Annotation<'_>) -> bool {
    let is_named_so = annotation.key.is_some() && annotation.key_text() != VM_ANNOTATION;
    annotation.form().dialect != AnnotationDialect::Annotation201902
        || (is_named_so && annotation.holder != AnnotationHolder::Instance)
}

struct RewriteWork<'s, 'w> {
    rewriter: Rewriter<'s>,
    dialect: AnnotationDialect,
    options: MigrationOptions,
    step: &'w mut MigrationStep,
    /// The fields that rules look at under a newer name from now on.
    renamed: Vec<&'static FieldDeprecation>,
}

/// Arguments that may be a value or a path.
const ARGUMENTS: [Key; 4] = [Key::Min, Key::Max, Key::MinLength, Key::MaxLength];

impl RewriteWork<'_, '_> {
    fn rule(&mut self, rule: Node<'_>) {
        for key in [Key::Path, Key::Valid] {
            if let Some(node) = rule.get(key.as_str()) {
                self.path(node, |text, dialect| Some(path_text(text, dialect).0));
            }
        }
        let lists = [Key::Values, Key::Included].into_iter().filter_map(|key| rule.get(key.as_str()));
        let arguments = ARGUMENTS.into_iter().filter_map(|key| rule.get(key.as_str()));
        for node in arguments.chain(lists.flat_map(Node::items)) {
            self.path(node, |text, dialect| Some(optional_path(text, dialect)?.0));
        }
        self.included(rule);
    }

    /// A text that is a path, or may be one, gets the prefix and the root of 201902.
    fn path(&mut self, node: Node<'_>, read: impl Fn(&str, AnnotationDialect) -> Option<String>) {
        let Some(text) = node.as_str().filter(|text| !text.is_empty()) else { return };
        let Some(path) = read(text, self.dialect) else { return };
        let known = find_renamed(&path).filter(|_| self.options.paths);
        let path = known.and_then(|known| known.instead).map_or(path, str::to_owned);
        let written = format!("{PREFIX}{path}");
        if written == text {
            return;
        }
        match self.rewriter.replace_scalar(node, ScalarEdit::Text(&written)) {
            Some(edit) => {
                self.step.edits.push(edit);
                self.renamed.extend(known);
                self.step.change(node.span(), format!("wrote `{text}` as `{written}`"));
            }
            None => self.step.refuse(
                node.span(),
                format!("the path `{text}` cannot be rewritten where it is"),
                "write the rules as JSON in a block scalar, `|`",
            ),
        }
    }

    /// Reports values that stay where no rule looks any more.
    fn notes(&mut self, annotation: &Annotation<'_>) {
        self.renamed.dedup();
        for known in &self.renamed {
            let (old, new) = (known.path, known.instead.unwrap_or_default());
            for value in annotation.virtual_machines().filter_map(|machine| left_behind(machine, known)) {
                let what = format!(
                    "this VirtualMachine has `{old}` and no `{new}`, where the rules look now: move it there"
                );
                self.step.notes.push(StepChange { span: value.span(), what });
            }
        }
    }

    fn included(&mut self, rule: Node<'_>) {
        let Some(entry) = own_entry(rule, Key::Included) else { return };
        if own_entry(rule, Key::Values).is_some() {
            let why = "a rule has both `included` and `values`, but `included` is not read".to_owned();
            return self.step.refuse(entry.key.span(), why, "keep the one that is meant, as `values`");
        }
        if let Some(edit) = self.rewriter.rename_key(entry, Key::Values.as_str()) {
            self.step.edits.push(edit);
            self.step.change(entry.key.span(), "wrote `included` as `values`");
        } else {
            let why = "`included` cannot be renamed where it is".to_owned();
            self.step.refuse(entry.key.span(), why, "write the rules as JSON in a block scalar, `|`");
        }
    }
}

fn own_entry(rule: Node<'_>, key: Key) -> Option<Entry<'_>> {
    rule.entries().find(|entry| entry.key.text() == key.as_str())
}
