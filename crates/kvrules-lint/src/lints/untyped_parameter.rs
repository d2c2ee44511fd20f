//! KV116 `untyped_parameter`: a reference whose value has another type than its field.

use std::collections::HashMap;

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::object::whole_reference;
use kvrules_elaborate::template::{TemplateKind, ValueGenerator};
use kvrules_ir::ValueType;
use kvrules_syntax::{
    Node, SyntaxKind,
    edit::{Rewriter, ScalarEdit as Written},
    find_parameters,
};
use serde_json::Value;

use crate::{
    LintCheck, LintedFile,
    machine_fields::{FieldSelection, TypedValue, machine_fields},
    message_text::{code, of_type},
    templates::ExaminedTemplate,
};

pub static LINT: Lint = Lint {
    code: "KV116",
    name: "untyped_parameter",
    level: Level::Error,
    summary: "a reference to a parameter gives a field a value of another type",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

/// Declared parameters of a template.
struct DeclaredParameters<'t, 'd> {
    kind: TemplateKind,
    declared: &'t HashMap<&'d str, Node<'d>>,
}

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    for examined in file.examined_templates() {
        let ExaminedTemplate { template, declared, .. } = examined;
        let select = FieldSelection { is_wanted: may_mismatch, is_entered };
        let known = DeclaredParameters { kind: template.kind(), declared };
        for machine in template.virtual_machines() {
            let values = machine_fields(machine, select).values;
            found.extend(values.iter().filter_map(|value| type_diagnostic(file, &known, value)));
        }
    }
}

fn is_entered(node: Node<'_>) -> bool {
    node.may_have_parameters()
}

/// True for a text with a parameter that may give its field a value of another type.
fn may_mismatch(node: Node<'_>, value_type: ValueType) -> bool {
    let is_text = matches!(node.kind(), SyntaxKind::String | SyntaxKind::Parameter);
    is_text
        && node.text().contains('$')
        && (takes_no_string(value_type) || whole_reference(node.text()).is_some())
}

fn type_diagnostic(
    file: &LintedFile<'_>,
    known: &DeclaredParameters<'_, '_>,
    value: &TypedValue<'_>,
) -> Option<Diagnostic> {
    match whole_reference(value.node.text()) {
        Some(name) => of_value(file, known, value, name),
        None => of_string(file, value),
    }
}

/// True if no string can be the value of a field.
fn takes_no_string(value_type: ValueType) -> bool {
    use ValueType::{Boolean, Integer, List, Map, Number, Object};
    matches!(value_type, Integer | Number | Boolean | Object | Map | List)
}

/// `${NAME}`, with text around it or not, makes a string.
fn of_string(file: &LintedFile<'_>, value: &TypedValue<'_>) -> Option<Diagnostic> {
    let text = value.node.text();
    let first = find_parameters(text).next().filter(|_| takes_no_string(value.value_type))?;
    let message = format!(
        "{} makes a string, and {} must be {}",
        code(text),
        code(&value.path),
        of_type(value.value_type)
    );
    let finding = LINT.diagnostic_at(value.node.span(), message);
    if first.unquoted {
        return Some(finding.with_help(format!("write `${{{{{}}}}}` and nothing else", first.name)));
    }
    let typed = format!("${{{{{}}}}}", first.name);
    let help = format!("`{typed}` is replaced without quotation marks");
    if first.range != (0..text.len()) {
        return Some(finding.with_help(format!("write one parameter, as `{typed}`")));
    }
    let edit = Rewriter::new(file.source).replace_scalar(value.node, Written::Text(&typed));
    Some(finding.with_help(help).fix_if(edit.map(|edit| Fix::safe_fix(format!("write `{typed}`"), [edit]))))
}

/// `${{NAME}}` makes whatever the parameter's value is as JSON.
fn of_value(
    file: &LintedFile<'_>,
    known: &DeclaredParameters<'_, '_>,
    value: &TypedValue<'_>,
    name: &str,
) -> Option<Diagnostic> {
    let parameter = *known.declared.get(name)?;
    let (texts, is_generated) = known_values(known.kind, parameter)?;
    let read = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    let read = texts.into_iter().map(read).find(|read| !fits_type(read, value.value_type))?;
    let what = if is_generated { "can be" } else { "is" };
    let message = format!(
        "the value of {} {what} {}, and {} must be {}",
        code(name),
        describe_value(&read),
        code(&value.path),
        of_type(value.value_type)
    );
    let finding = LINT.diagnostic_at(value.node.span(), message);
    let place = parameter.get(if is_generated { "from" } else { "value" });
    let finding = match place {
        Some(place) => finding.with_secondary_label(place.span(), "the value"),
        None => finding,
    };
    if takes_no_string(value.value_type) {
        return Some(finding.with_help(format!("give `{name}` such a value")));
    }
    let string = format!("${{{name}}}");
    let edit = Rewriter::new(file.source).replace_scalar(value.node, Written::Text(&string));
    let fix = edit.map(|edit| Fix::safe_fix(format!("write `{string}`"), [edit]));
    Some(finding.with_help(format!("`{string}` makes a string")).fix_if(fix))
}

/// The default value of a parameter, or two generated ones, and true if they are generated.
fn known_values(kind: TemplateKind, parameter: Node<'_>) -> Option<(Vec<String>, bool)> {
    let text = |key: &str| parameter.get(key).map_or("", Node::text);
    if !text("value").is_empty() {
        return Some((vec![text("value").to_owned()], false));
    }
    let from = parameter.get("from").filter(|_| text("generate") == "expression")?;
    let generator = ValueGenerator::new(from.text(), kind).ok()?;
    let last = generator.generate_value(&mut |count| count.saturating_sub(1));
    Some((vec![generator.first_value(), last], true))
}

/// True if a value decodes into a field of a type.
fn fits_type(value: &Value, value_type: ValueType) -> bool {
    use ValueType::{Any, Boolean, IntOrString, Integer, List, Map, Number, Object, Quantity, String, Time};
    match value_type {
        Any => true,
        // A float without a fraction becomes an integer.
        Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Number => value.is_number(),
        Boolean => value.is_boolean(),
        IntOrString | Quantity => value.is_number() || value.is_string(),
        String | Time => value.is_string(),
        Object | Map => value.is_object(),
        List => value.is_array(),
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => format!("the boolean {}", code(&value.to_string())),
        Value::Number(_) => format!("the number {}", code(&value.to_string())),
        Value::String(text) => format!("the string {}", code(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
