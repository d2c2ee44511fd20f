//! Formatting: the JSON of annotations and RuleSets in the one layout that kvrules writes, and every other byte of the file as it was.

use kvrules_diagnostics::{Diagnostic, Edit, SourceFile, Span};
use kvrules_elaborate::annotation;
use kvrules_rule_set::{is_rule_set, lay_out_rule_set};
use kvrules_sources::with_documents;
use kvrules_syntax::{Document, edit::apply_edits};

use crate::format::{FORMAT, FormatResult, canonical_rules, format_annotations};

/// A formatted file.
#[derive(Debug)]
pub struct FormattedFile {
    /// The text; unchanged if nothing was formatted.
    pub text: String,
    /// The annotations that keep their layout, and why. An error says that something is wrong with the rules.
    pub left: Vec<Diagnostic>,
}

/// Formats the rules of a file. Markdown and reStructuredText are recognized by their names.
///
/// No value, key, number or escape changes, and no annotation gets another style: a block scalar gets lines, a quoted one
/// stays on one line. An annotation with errors keeps its layout.
///
/// ```
/// use kvrules::{FileId, SourceFile, fmt::format_file};
///
/// let format = |text: &str| format_file(&SourceFile::new(FileId(0), "a.yaml", text));
/// let quoted = format("vm.kubevirt.io/validations: '[{\"rule\":\"enum\",\"name\":\"bus\"}]'\n");
/// assert_eq!(quoted.text, "vm.kubevirt.io/validations: '[{\"name\": \"bus\", \"rule\": \"enum\"}]'\n");
///
/// let broken = "vm.kubevirt.io/validations: '[{\"rule\":\"enum\"'\n";
/// assert_eq!((format(broken).text.as_str(), format(broken).left.len()), (broken, 1));
/// ```
pub fn format_file(source: &SourceFile) -> FormattedFile {
    if !may_have_rules(source.text()) {
        return FormattedFile { text: source.text().to_owned(), left: Vec::new() };
    }
    with_documents(source, |file| format_documents(source, &file.documents))
}

fn format_documents(source: &SourceFile, documents: &[&Document<'_>]) -> FormattedFile {
    let mut all = FormatResult::default();
    for document in documents {
        if is_rule_set(document) {
            all.add_rule_set(source, document);
            continue;
        }
        let FormatResult { edits, left } = format_annotations(source, document);
        all.edits.extend(edits);
        all.left.extend(left);
    }
    let same = || source.text().to_owned();
    if all.edits.is_empty() {
        return FormattedFile { text: same(), left: all.left };
    }
    if let Some(text) =
        apply_edits(source.text(), &all.edits).filter(|text| says_the_same(source, documents, text))
    {
        return FormattedFile { text, left: all.left };
    }
    let span = Span::new(source.id(), 0, 0);
    let why = "the rules of this file would be lost by formatting, which is a bug in kvrules";
    let help = "leave the file as it is and report the bug";
    all.left.push(Diagnostic::refused_input(FORMAT, span, why).with_help(help));
    FormattedFile { text: same(), left: all.left }
}

impl FormatResult {
    /// Adds the layout of a RuleSet.
    fn add_rule_set(&mut self, source: &SourceFile, document: &Document<'_>) {
        match lay_out_rule_set(source.text(), document) {
            Ok(layout) => {
                let edit = to_edit(source, layout.range, layout.text);
                self.edits.extend(edit.filter(|edit| source.span_text(edit.span) != edit.replacement));
            }
            Err(refusal) => {
                let found = Diagnostic::refused_input(FORMAT, refusal.span, refusal.message);
                self.left.push(found.with_help(refusal.help));
            }
        }
    }
}

fn to_edit(source: &SourceFile, range: std::ops::Range<usize>, replacement: String) -> Option<Edit> {
    let (start, end) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
    Some(Edit { span: Span::new(source.id(), start, end), replacement })
}

/// True if there is anything to look for: the name of an annotation or a kind, or what begins like a list of rules by itself.
fn may_have_rules(text: &str) -> bool {
    text.contains("validation") || text.contains("\"rule\"") || text.contains("RuleSet")
}

/// True if another text has the same rules and no further errors.
fn says_the_same(source: &SourceFile, documents: &[&Document<'_>], text: &str) -> bool {
    let other = source.with_text(text);
    let errors = |documents: &[&Document<'_>]| {
        documents.iter().map(|document| document.problems().len()).sum::<usize>()
    };
    with_documents(&other, |file| {
        errors(&file.documents) <= errors(documents)
            && formatted_rules(&file.documents) == formatted_rules(documents)
    })
}

/// The rules of each annotation as formatting lays them out.
fn formatted_rules(documents: &[&Document<'_>]) -> Vec<Option<Vec<String>>> {
    documents
        .iter()
        .flat_map(|document| {
            annotation::find_annotations(document).iter().map(canonical_rules).collect::<Vec<_>>()
        })
        .collect()
}
