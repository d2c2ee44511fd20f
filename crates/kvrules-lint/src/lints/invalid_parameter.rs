//! KV118 `invalid_parameter`: the declaration of a parameter that the server or the engine rejects.

use std::collections::HashMap;

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, suggest_nearest};
use kvrules_elaborate::template::{Template, TemplateKind, ValueGenerator};
use kvrules_syntax::{
    Node, SyntaxKind,
    edit::{Rewriter, ScalarEdit as Written},
};

use crate::{
    LintCheck, LintedFile,
    message_text::{code, describe_value},
    templates::{is_name, parameters_path},
};

pub static LINT: Lint = Lint {
    code: "KV118",
    name: "invalid_parameter",
    level: Level::Error,
    summary: "the declaration of a template parameter is invalid",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// The fields of a parameter that hold strings, in both kinds of template.
const STRINGS: [&str; 6] = ["name", "displayName", "description", "value", "generate", "from"];

/// True for an expression that generates nothing, or why it is invalid. The templates of a bundle share theirs.
type KnownExpressions<'d> = HashMap<(&'d str, TemplateKind), Result<bool, String>>;

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let mut expressions = KnownExpressions::new();
    for template in file.examined_templates().iter().map(|examined| examined.template) {
        let Some(list) = template.parameter_list().filter(|list| list.kind() != SyntaxKind::Null) else {
            continue;
        };
        if !list.is_list() {
            let message =
                format!("`{}` must be a list, not {}", parameters_path(template), describe_value(list));
            found.push(
                LINT.diagnostic_at(list.span().first_byte(), message)
                    .with_help("write one item for each parameter"),
            );
            continue;
        }
        let mut names = HashMap::new();
        for parameter in list.items() {
            if parameter.is_map() {
                of_fields(file, parameter, found);
                of_name(template, parameter, &mut names, found);
                of_generator(template, parameter, &mut expressions, found);
            } else if !parameter.is_templated() {
                let message = format!("a parameter must be an object, not {}", describe_value(parameter));
                found.push(
                    LINT.diagnostic_at(parameter.span().first_byte(), message)
                        .with_help("give it at least a `name`"),
                );
            }
        }
    }
}

/// The schema of the definition, and the Go types of OpenShift: strings are strings, `required` is a boolean.
fn of_fields(file: &LintedFile<'_>, parameter: Node<'_>, found: &mut Vec<Diagnostic>) {
    for entry in parameter.entries() {
        let (key, value) = (entry.key.text(), entry.value);
        if matches!(value.kind(), SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Alias)
            || value.is_templated()
        {
            continue;
        }
        if STRINGS.contains(&key) && value.kind() != SyntaxKind::String {
            let message = format!("`{key}` of a parameter must be a string, not {}", describe_value(value));
            let is_plain = matches!(value.kind(), SyntaxKind::Number | SyntaxKind::True | SyntaxKind::False);
            let edit = Rewriter::new(file.source).replace_scalar(value, Written::Text(value.text()));
            let fix = edit.filter(|_| is_plain);
            let fix = fix.map(|edit| Fix::safe_fix("put it in quotation marks", [edit]));
            found.push(
                LINT.diagnostic_at(value.span(), message).with_help("put it in quotation marks").fix_if(fix),
            );
        } else if key == "required" && !matches!(value.kind(), SyntaxKind::True | SyntaxKind::False) {
            let message =
                format!("`required` of a parameter must be a boolean, not {}", describe_value(value));
            found.push(LINT.diagnostic_at(value.span(), message).with_help("write `true` or `false`"));
        } else if key != "required" && !STRINGS.contains(&key) && !entry.key.is_merge_key() {
            found.push(unknown_field(entry.key));
        }
    }
}

/// The server drops the field, and `kubectl` rejects the file before.
fn unknown_field(key: Node<'_>) -> Diagnostic {
    let known = STRINGS.into_iter().chain(["required"]);
    let finding =
        LINT.diagnostic_at(key.span(), format!("unknown field {} of a parameter", code(key.text())));
    let finding = Diagnostic { level: Level::Warning, ..finding };
    let listed = || format!("the fields are {}", known.clone().collect::<Vec<_>>().join(", "));
    finding.with_help(suggest_nearest(key.text(), known.clone()).unwrap_or_else(listed))
}

fn of_name<'d>(
    template: Template<'_>,
    parameter: Node<'d>,
    names: &mut HashMap<&'d str, Node<'d>>,
    found: &mut Vec<Diagnostic>,
) {
    let is_kubevirt = template.kind() == TemplateKind::KubeVirt;
    let name = parameter.get("name").filter(|name| name.kind() != SyntaxKind::Null);
    let Some(name) = name else {
        if !parameter.is_open() {
            let message = "parameter without a name";
            found.push(LINT.diagnostic_at(parameter.span().first_byte(), message).with_help("add a `name`"));
        }
        return;
    };
    if name.is_templated() {
        return;
    }
    let text = name.text();
    if text.is_empty() {
        found.push(
            LINT.diagnostic_at(name.span(), "the name of a parameter is empty").with_help("write a name"),
        );
    } else if !is_name(text) {
        // The server of KubeVirt's kind accepts the name, and no reference can have it.
        let level = if is_kubevirt { Level::Warning } else { Level::Error };
        let message = format!("invalid parameter name {}", code(text));
        let help = "only letters, digits and `_` are allowed in a reference";
        found.push(Diagnostic { level, ..LINT.diagnostic_at(name.span(), message).with_help(help) });
    }
    match names.get(text) {
        Some(first) if !text.is_empty() => {
            let (level, message) = if is_kubevirt {
                (Level::Error, format!("duplicate parameter {}", code(text)))
            } else {
                (Level::Warning, format!("duplicate parameter {}: only the last one counts", code(text)))
            };
            let finding = LINT
                .diagnostic_at(name.span(), message)
                .with_secondary_label(first.span(), "the first parameter of this name");
            found.push(Diagnostic { level, ..finding.with_help("keep one of them") });
        }
        _ => _ = names.insert(text, name),
    }
}

fn of_generator<'d>(
    template: Template<'_>,
    parameter: Node<'d>,
    expressions: &mut KnownExpressions<'d>,
    found: &mut Vec<Diagnostic>,
) {
    let string = |key: &str| {
        let node =
            parameter.get(key).filter(|node| node.kind() == SyntaxKind::String && !node.is_templated());
        node.map(|node| (node, node.text()))
    };
    let is_kubevirt = template.kind() == TemplateKind::KubeVirt;
    // Both engines only use the generator of a parameter without a value, but the schema of KubeVirt's kind
    // validates every generator.
    let runs = parameter.get("value").is_none_or(|value| value.text().is_empty());
    let generate = string("generate");
    match generate {
        Some((node, text)) if text != "expression" && (is_kubevirt || (runs && !text.is_empty())) => {
            let message = format!("unknown generator {}", code(text));
            found.push(
                LINT.diagnostic_at(node.span(), message).with_help("the only generator is `expression`"),
            );
        }
        _ => {}
    }
    let is_expression = generate.is_some_and(|(_, text)| text == "expression");
    match string("from") {
        Some((node, from)) => {
            let is_constant = expressions.entry((from, template.kind())).or_insert_with(|| {
                ValueGenerator::new(from, template.kind()).map(|generator| generator.is_constant())
            });
            found.extend(of_expression(node, is_constant, is_kubevirt, runs && is_expression));
        }
        None if is_kubevirt && runs && is_expression && parameter.get("from").is_none() => {
            let place = generate.map_or(parameter, |(node, _)| node);
            let message = "`generate` without `from`";
            found.push(
                LINT.diagnostic_at(place.span(), message).with_help("add a `from` such as `[a-z0-9]{8}`"),
            );
        }
        None => {}
    }
}

/// `used` is whether the engine will generate a value.
fn of_expression(
    node: Node<'_>,
    is_constant: &Result<bool, String>,
    is_kubevirt: bool,
    used: bool,
) -> Option<Diagnostic> {
    const HELP: &str = "write text with parts such as `[a-z0-9]{8}`";
    match is_constant {
        Err(why) if used => Some(LINT.diagnostic_at(node.span(), format!("`from` {why}")).with_help(HELP)),
        Ok(true) if is_kubevirt => {
            // The pattern of the definition's schema, which looks for one part anywhere.
            let message = format!("`from` has nothing to generate: {}", code(node.text()));
            Some(LINT.diagnostic_at(node.span(), message).with_help(HELP))
        }
        Ok(true) if used => {
            let message = format!("`from` generates nothing random: {}", code(node.text()));
            let finding = LINT.diagnostic_at(node.span(), message).with_help(HELP);
            Some(Diagnostic { level: Level::Warning, ..finding })
        }
        _ => None,
    }
}
