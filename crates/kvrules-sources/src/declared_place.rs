//! The way from a name to its declaration.

use kvrules_crd::{ExpressionAt, NameOwner, expression_at};
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_rule_set::{is_of_kind, is_rule_set};
use kvrules_syntax::{Document, Node};

use crate::input::with_documents;
use crate::units::RULE_TESTS_KIND;

/// Location of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredPlace {
    /// A part of the same file.
    Span(Span),
    /// A file, by its path from the folder of the file that names it.
    File(String),
}

/// Returns the declaration of what is at an offset of a file: of a variable of a policy, of a field of a schema, of a rule that an
/// example names, or the file that a RuleSet or a suite names.
///
/// ```
/// use kvrules::{DeclaredPlace, FileId, SourceFile, declared_place};
///
/// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nspec: {subject: {schema: pond.yaml}}\n";
/// let source = SourceFile::new(FileId(0), "rules.yaml", text);
/// let offset = u32::try_from(text.find("pond").unwrap()).unwrap();
/// assert_eq!(declared_place(&source, offset), Some(DeclaredPlace::File("pond.yaml".to_owned())));
/// assert_eq!(declared_place(&source, 0), None);
/// ```
pub fn declared_place(source: &SourceFile, offset: u32) -> Option<DeclaredPlace> {
    with_documents(source, |file| {
        let run = kvrules_crd::RunResources::default();
        file.documents.iter().find_map(|document| {
            if is_rule_set(document) {
                return in_rule_set(document, offset);
            }
            if is_of_kind(document, RULE_TESTS_KIND) {
                let rules = document.root()?.get("rules")?;
                return named_file(rules.items(), offset);
            }
            expression_at(source, document, offset, &run).and_then(|found| in_expression(&found))
        })
    })
}

fn in_expression(expression: &ExpressionAt<'_>) -> Option<DeclaredPlace> {
    let name = expression.name_at();
    let span = match name.owner {
        NameOwner::Variables => {
            expression.variables.iter().find(|variable| variable.name == name.name).map(|it| it.span)
        }
        NameOwner::Value(_) => expression.declared_property(),
        NameOwner::Start => None,
    };
    span.map(DeclaredPlace::Span)
}

fn in_rule_set(document: &Document<'_>, offset: u32) -> Option<DeclaredPlace> {
    let spec = document.root()?.get("spec")?;
    let schema = spec.get("subject").and_then(|subject| subject.get("schema"));
    let included = spec.get("include").into_iter().flat_map(Node::items);
    let files = schema.into_iter().chain(included.filter_map(|it| it.get("file")));
    if let Some(file) = named_file(files, offset) {
        return Some(file);
    }
    let rejected = spec.get("examples").and_then(|examples| examples.get("reject"));
    let violated = rejected.into_iter().flat_map(Node::items).filter_map(|example| example.get("violates"));
    let name = violated.flat_map(Node::items).find(|name| covers(*name, offset))?;
    let rules = spec.get("rules").into_iter().flat_map(Node::items).filter_map(|rule| rule.get("name"));
    let rule = rules.into_iter().find(|rule| rule.text() == name.text())?;
    Some(DeclaredPlace::Span(rule.span()))
}

/// The file that one of some strings at an offset names.
fn named_file<'d>(names: impl Iterator<Item = Node<'d>>, offset: u32) -> Option<DeclaredPlace> {
    let mut names = names.filter(|name| covers(*name, offset));
    Some(DeclaredPlace::File(names.next()?.as_str()?.to_owned()))
}

fn covers(node: Node<'_>, offset: u32) -> bool {
    let span = node.span();
    !node.is_alias() && span.start <= offset && offset <= span.end
}
