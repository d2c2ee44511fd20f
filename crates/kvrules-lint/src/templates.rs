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
        template.processed_nodes().for_each(|node| collect_below(node, &mut references));
        ExaminedTemplate { template, declared: declared_parameters(template), references }
    };
    documents.iter().filter(is_read).flat_map(|document| find_templates(document)).map(examine).collect()
}

/// Collects the references below a node. Nesting is bounded by the parser, so this may recurse.
fn collect_below<'d>(node: Node<'d>, references: &mut Vec<ParameterReference<'d>>) {
    if !node.may_have_parameters() {
        return;
    }
    match node.kind() {
        SyntaxKind::String | SyntaxKind::Parameter => collect_in_text(node, references),
        SyntaxKind::List => node.items().for_each(|item| collect_below(item, references)),
        SyntaxKind::Map => node.entries().for_each(|entry| {
            if entry.key.may_have_parameters() {
                collect_in_text(entry.key, references);
            }
            collect_below(entry.value, references);
        }),
        _ => {}
    }
}

/// `${{NAME}}` is a reference if it is the whole string.
fn collect_in_text<'d>(node: Node<'d>, references: &mut Vec<ParameterReference<'d>>) {
    let text = node.text();
    let is_whole = |parameter: &TemplateParameter<'_>| parameter.range == (0..text.len());
    let found = find_parameters(text).filter(|parameter| !parameter.unquoted || is_whole(parameter));
    references.extend(found.map(|TemplateParameter { name, range, .. }| ParameterReference {
        name,
        node,
        range,
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

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;

    use super::*;

    /// The names that a template with these fields of a ConfigMap refers to.
    fn names_in(data: &str) -> Vec<String> {
        let text = &format!(
            "apiVersion: template.openshift.io/v1\nkind: Template\nlabels:\n  anchored: &a\n    b: ${{ANCHORED}}\nobjects:\n\
             - kind: ConfigMap\n  metadata: {{name: quiet, labels: {{a: b}}}}\n  data:\n{data}"
        );
        let documents = kvrules_syntax::parse_yaml(FileId(0), text, 0);
        let documents: Vec<_> = documents.iter().collect();
        let examined = examine_templates(&documents);
        let references = examined.iter().flat_map(|template| &template.references);
        references.map(|reference| reference.name.to_owned()).collect()
    }

    #[test]
    fn references_are_found_however_they_are_written() {
        assert_eq!(names_in("    a: {b: [c, '${PLAIN}']}\n"), ["PLAIN", "ANCHORED"]);
        assert_eq!(names_in("    a: {b: [c, \"\\x24{ESCAPED}\"]}\n"), ["ESCAPED", "ANCHORED"]);
        assert_eq!(names_in("    a: {b: [c, *a]}\n"), ["ANCHORED", "ANCHORED"]);
        assert_eq!(names_in("    a: {<<: *a}\n"), ["ANCHORED", "ANCHORED"]);
        assert_eq!(names_in("    a: {b: [c, d]}\n"), ["ANCHORED"]);
    }
}
