//! The templates of a file, and where they refer to their parameters.

use std::{collections::HashMap, ops::Range};

use kvrules_elaborate::template::{Template, TemplateKind, find_templates};
use kvrules_syntax::{Document, Node, ProblemKind, SyntaxKind, TemplateParameter, find_parameters};

/// A place at which a template refers to a parameter.
#[derive(Clone, Debug)]
pub(crate) struct ParameterReference<'d> {
    /// The parameter's name.
    pub(crate) name: &'d str,
    /// The string that it is in: a value, or a key.
    pub(crate) node: Node<'d>,
    /// The bytes of the string.
    pub(crate) range: Range<usize>,
}

/// A template, and the parts of it that several lints examine.
#[derive(Debug)]
pub(crate) struct ExaminedTemplate<'d> {
    /// The template.
    pub(crate) template: Template<'d>,
    /// The parameters that it declares, by their names; of several with one name the first.
    pub(crate) declared: HashMap<&'d str, Node<'d>>,
    /// The references in the places that its engine processes, in the order of the text.
    pub(crate) references: Vec<ParameterReference<'d>>,
}

/// The templates of documents, without those of documents with errors of the parser: unread parts may hold what is missing.
pub(crate) fn examine_templates<'a>(documents: &[&'a Document<'a>]) -> Vec<ExaminedTemplate<'a>> {
    let is_read = |document: &&&Document<'_>| {
        document.problems().iter().all(|problem| problem.kind == ProblemKind::DuplicateKey)
    };
    let examine = |template: Template<'a>| {
        let mut references = Vec::new();
        template.processed_nodes().for_each(|node| collect_references(node, &mut references));
        ExaminedTemplate { template, declared: declared_parameters(template), references }
    };
    documents.iter().filter(is_read).flat_map(|document| find_templates(document)).map(examine).collect()
}

/// Nesting is bounded by the parser, so this may recurse.
fn collect_references<'d>(node: Node<'d>, found: &mut Vec<ParameterReference<'d>>) {
    match node.kind() {
        SyntaxKind::String | SyntaxKind::Parameter => of_text(node, found),
        SyntaxKind::List => node.items().for_each(|item| collect_references(item, found)),
        SyntaxKind::Map => node.entries().for_each(|entry| {
            of_text(entry.key, found);
            collect_references(entry.value, found);
        }),
        _ => {}
    }
}

/// `${{NAME}}` counts if it is the whole string.
fn of_text<'d>(node: Node<'d>, found: &mut Vec<ParameterReference<'d>>) {
    let text = node.text();
    let is_whole = |parameter: &TemplateParameter<'_>| parameter.range == (0..text.len());
    let referred = find_parameters(text).filter(|parameter| !parameter.unquoted || is_whole(parameter));
    found.extend(referred.map(|parameter| ParameterReference {
        name: parameter.name,
        node,
        range: parameter.range,
    }));
}

/// The parameters that a template declares, by their names; of several with one name the first.
pub(crate) fn declared_parameters(template: Template<'_>) -> HashMap<&str, Node<'_>> {
    let mut declared = HashMap::new();
    for parameter in template.parameters() {
        if let Some(name) = parameter.get("name") {
            declared.entry(name.text()).or_insert(parameter);
        }
    }
    declared
}

/// The characters that a name may have to be referred to, and that OpenShift's server accepts.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the name of the list of parameters.
pub(crate) fn parameters_path(template: Template<'_>) -> &'static str {
    match template.kind() {
        TemplateKind::OpenShift => "parameters",
        TemplateKind::KubeVirt => "spec.parameters",
    }
}
