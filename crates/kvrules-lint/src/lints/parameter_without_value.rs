//! KV113 `parameter_without_value`: a template parameter in a rule whose value is not known before the template is used.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::{AnnotationHolder, Key};
use kvrules_elaborate::template::TemplateKind;
use kvrules_syntax::{Document, Node, SyntaxKind, TemplateParameter, find_parameters};

use crate::{LintCheck, LintedFile, RuleView, escaped_spans, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV113",
    name: "parameter_without_value",
    level: Level::Warning,
    summary: "a rule depends on a template parameter without a value",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// The keys, next to the arguments, whose value decides what a rule means.
const KEYS: [Key; 4] = [Key::Rule, Key::Path, Key::Valid, Key::JustWarning];

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    for annotation in file.annotations.iter().map(|linted| &linted.annotation) {
        let root = annotation.json().and_then(Document::root);
        let places = root.into_iter().chain(annotation.root().into_iter().flat_map(Node::items));
        let hidden = places.filter(|node| node.kind() == SyntaxKind::Parameter);
        found.extend(hidden.map(|node| {
            LINT.diagnostic_at(
                node.span(),
                format!("the rules behind {} cannot be compiled", code(node.text())),
            )
            .with_help("write the rules themselves")
        }));
    }
    for rule in file.rules() {
        for (key, node) in evaluated_values(&rule) {
            let first = find_parameters(node.text())
                .find_map(|parameter| Some((missing_value_cause(&rule, key, &parameter)?, parameter)));
            found.extend(first.map(|((message, help), parameter)| {
                LINT.diagnostic_at(escaped_spans::span_of(file.source, node, parameter.range), message)
                    .with_help(help)
            }));
        }
    }
}

/// The values in which a parameter matters.
fn evaluated_values<'a>(rule: &RuleView<'a>) -> Vec<(Key, Node<'a>)> {
    let own = KEYS.into_iter().filter_map(|key| Some((key, rule.key_value(key)?)));
    let arguments = rule.arguments();
    let items = arguments
        .flat_map(|(key, node)| std::iter::once(node).chain(node.items()).map(move |node| (key, node)));
    let own = own.filter(|(key, node)| (node.kind() == SyntaxKind::Parameter) == (*key == Key::JustWarning));
    own.chain(items)
        .filter(|(_, node)| matches!(node.kind(), SyntaxKind::String | SyntaxKind::Parameter))
        .collect()
}

/// True if a `VirtualMachineTemplate` does not declare the parameter, which KV114 reports.
fn is_unknown(rule: &RuleView<'_>, name: &str) -> bool {
    let template = rule.annotation.template.filter(|template| template.kind() == TemplateKind::KubeVirt);
    template
        .is_some_and(|template| !template.has_open_parameters() && template.find_parameter(name).is_none())
}

/// Returns the reason why a parameter cannot be compiled, and what to do.
fn missing_value_cause(
    rule: &RuleView<'_>,
    key: Key,
    parameter: &TemplateParameter<'_>,
) -> Option<(String, String)> {
    let name = parameter.name;
    if parameter.unquoted {
        let message = format!("`${{{{{name}}}}}` is not replaced inside an annotation");
        return Some((message, format!("write `${{{name}}}`")));
    }
    if key == Key::JustWarning {
        let message = format!("unknown until the template is used if `${{{name}}}` makes the rule a warning");
        return Some((message, "write `true` or `false`".to_owned()));
    }
    if rule.annotation.parameters.default_value(name).is_some() || is_unknown(rule, name) {
        return None;
    }
    let in_template = matches!(
        rule.annotation.holder,
        AnnotationHolder::Template { .. } | AnnotationHolder::VirtualMachine { template: Some(_) }
    );
    Some(if in_template {
        let help = format!("give the parameter `{name}` of the template a `value`, or write the value here");
        (format!("the parameter `{name}` has no value, so that the rule cannot be compiled"), help)
    } else {
        let message =
            format!("`${{{name}}}` has no value outside a template, so that the rule cannot be compiled");
        (message, "write the value here".to_owned())
    })
}
