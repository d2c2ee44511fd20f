//! Finds what the server accepts although it cannot be intended: bounds that contradict each other, constraints
//! without effect, unknown formats.

use kvrules_diagnostics::Diagnostic;
use std::collections::HashSet;

use kvrules_apiserver::object::Format;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::yaml11::read_as_yaml11;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use crate::lints;
use crate::plain;
use crate::schema_tree::{Keyword, KeywordSet, Schema, SchemaTree};
use crate::text::{backtick_text, did_you_mean};

/// Keywords that bound values.
const BOUNDS: KeywordSet = KeywordSet::from_keywords(&[
    Keyword::Minimum,
    Keyword::Maximum,
    Keyword::MultipleOf,
    Keyword::MinLength,
    Keyword::MaxLength,
    Keyword::MinItems,
    Keyword::MaxItems,
    Keyword::MinProperties,
    Keyword::MaxProperties,
]);

/// Looks at every schema.
pub(super) fn check_contradictions(tree: &SchemaTree<'_>, findings: &mut Vec<Diagnostic>) {
    for schema in tree.schemas() {
        check_schema(schema, findings);
    }
}

fn check_schema(schema: Schema<'_, '_>, findings: &mut Vec<Diagnostic>) {
    let ty = schema.ty();
    if schema.has_any(BOUNDS) {
        findings.extend(check_bound_pairs(schema));
        findings.extend(check_multiple_of(schema));
        findings.extend(check_integer_bounds(schema, ty));
    }
    for (keyword, entry) in schema.keywords().iter().copied() {
        let found = match keyword {
            Keyword::Enum => of_enum(schema, entry, ty),
            Keyword::Format => check_format(entry, ty),
            Keyword::Required if schema.is_spine() => check_required(schema, entry),
            Keyword::ExclusiveMinimum => check_exclusive_bound(schema, entry, Keyword::Minimum),
            Keyword::ExclusiveMaximum => check_exclusive_bound(schema, entry, Keyword::Maximum),
            Keyword::Default if entry.value.kind() == SyntaxKind::Null => Some(null_default(entry)),
            Keyword::MinLength
            | Keyword::MinItems
            | Keyword::MinProperties
            | Keyword::MaxLength
            | Keyword::MaxItems
            | Keyword::MaxProperties => check_negative_bound(entry),
            _ => None,
        };
        findings.extend(found.or_else(|| of_type(schema, keyword, entry, ty)));
    }
}

fn bound_value<'d>(schema: Schema<'_, 'd>, keyword: Keyword) -> Option<(Entry<'d>, f64)> {
    let entry = schema.entry(keyword).filter(|entry| plain::kind(entry.value) == SyntaxKind::Number)?;
    Some((entry, ValueReader::for_kubernetes().read_number(entry.value)?.as_f64()?))
}

fn unsatisfiable_finding(entry: Entry<'_>, message: String) -> Diagnostic {
    lints::UNSATISFIABLE_SCHEMA.diagnostic_at(entry.value.span(), message)
}

fn idle_finding(entry: Entry<'_>, message: String) -> Diagnostic {
    lints::IDLE_CONSTRAINT.diagnostic_at(entry.key.span(), message)
}

fn idle_item(item: Node<'_>, message: String) -> Diagnostic {
    lints::IDLE_CONSTRAINT.diagnostic_at(item.span(), message)
}

/// Lower bounds above upper ones.
fn check_bound_pairs(schema: Schema<'_, '_>) -> Vec<Diagnostic> {
    let kinds = [
        (Keyword::Minimum, Keyword::Maximum),
        (Keyword::MinLength, Keyword::MaxLength),
        (Keyword::MinItems, Keyword::MaxItems),
        (Keyword::MinProperties, Keyword::MaxProperties),
    ];
    let contradiction = |(least, most): (Keyword, Keyword)| {
        let ((low, least_value), (high, most_value)) =
            (bound_value(schema, least)?, bound_value(schema, most)?);
        let is_exclusive =
            || schema.is_true(Keyword::ExclusiveMinimum) || schema.is_true(Keyword::ExclusiveMaximum);
        let open = least == Keyword::Minimum && is_exclusive();
        let empty = least_value > most_value || (least_value >= most_value && open);
        empty.then(|| {
            let (least, most) = (least.as_str(), most.as_str());
            let (low_text, high_text) = (low.value.text(), high.value.text());
            let message = if least_value > most_value {
                format!("{least} {low_text} exceeds {most} {high_text}")
            } else {
                format!("no value is between {low_text} and {high_text}, one of which is excluded")
            };
            unsatisfiable_finding(
                low,
                message.replace(least, &format!("`{least}`")).replace(most, &format!("`{most}`")),
            )
            .with_secondary_label(high.value.span(), "the other bound is here")
        })
    };
    kinds.into_iter().filter_map(contradiction).collect()
}

fn check_negative_bound(entry: Entry<'_>) -> Option<Diagnostic> {
    let value = ValueReader::for_kubernetes().read_number(entry.value)?.as_f64()?;
    if value >= 0.0 {
        return None;
    }
    let key = entry.key.text();
    Some(if key.starts_with("max") {
        unsatisfiable_finding(entry, format!("negative bound {}: no value satisfies it", entry.value.text()))
    } else {
        idle_finding(entry, format!("negative `{key}` has no effect"))
    })
}

/// Factors of zero or less: the server fails when it comes to use them.
fn check_multiple_of(schema: Schema<'_, '_>) -> Option<Diagnostic> {
    let (entry, value) = bound_value(schema, Keyword::MultipleOf)?;
    (value <= 0.0).then(|| {
        let message =
            format!("no value is a multiple of {}: the server rejects every value", entry.value.text());
        unsatisfiable_finding(entry, message).with_help("write a factor above zero")
    })
}

/// Bounds of integers that are none: the server then rejects every value.
fn check_integer_bounds(schema: Schema<'_, '_>, ty: &str) -> Vec<Diagnostic> {
    let is_int32 = schema.get(Keyword::Format).is_some_and(|format| format.text() == "int32");
    let mut findings = Vec::new();
    for keyword in [Keyword::Minimum, Keyword::Maximum, Keyword::MultipleOf] {
        let Some((entry, value)) = bound_value(schema, keyword) else { continue };
        let keyword = keyword.as_str();
        let text = entry.value.text();
        let beyond = value < f64::from(i32::MIN) || value > f64::from(i32::MAX);
        if ty == "integer" && value.fract() != 0.0 {
            let message =
                format!("fractional `{keyword}` {text} of an integer: the server rejects every value");
            findings
                .push(unsatisfiable_finding(entry, message).with_help("write an integer, or `type: number`"));
        } else if ty == "integer" && is_int32 && beyond {
            let message = format!("`{keyword}` {text} exceeds `int32`: the server rejects every value");
            findings.push(unsatisfiable_finding(entry, message).with_help("write `format: int64`"));
        } else if ty == "number" && value.fract() != 0.0 && keyword != Keyword::MultipleOf.as_str() {
            let message =
                format!("values written as integers are compared with {}, not {text}", value.trunc());
            let finding = idle_finding(entry, message);
            findings.push(finding.with_help("use an integer bound, or write a rule: `self >= 1.5`"));
        }
    }
    findings
}

fn of_enum(schema: Schema<'_, '_>, entry: Entry<'_>, ty: &str) -> Option<Diagnostic> {
    if !entry.value.is_list() || entry.value.is_open() {
        return None;
    }
    let items: Vec<Node<'_>> = entry.value.items().collect();
    if items.is_empty() {
        let help = "list the allowed values, or remove it";
        return Some(idle_finding(entry, "an empty `enum` has no effect".to_owned()).with_help(help));
    }
    let mut seen: HashSet<(SyntaxKind, &str)> = HashSet::new();
    for item in items {
        let key = (item.kind(), item.text());
        if item.kind() == SyntaxKind::Null && schema.is_true(Keyword::Nullable) {
            let message = "`null` is rejected although `enum` lists it".to_owned();
            let help = "write a rule on the enclosing object: `!has(self.field) || self.field in [...]`";
            return Some(idle_item(item, message).with_help(help));
        }
        // A scalar that Kubernetes reads as another type has a finding of its own.
        if read_as_yaml11(item).is_none() && !is_of(item.kind(), ty) {
            let message = format!("`enum` value {} is not of type {ty}", backtick_text(item.text()));
            let finding = idle_item(item, message);
            let quoted = ty == "string" && !item.text().is_empty();
            return Some(if quoted {
                finding.with_help(format!("write `\"{}\"`", item.text()))
            } else {
                finding
            });
        }
        if !item.is_map() && !item.is_list() && !seen.insert(key) {
            let message = format!("duplicate `enum` value {}", backtick_text(item.text()));
            return Some(idle_item(item, message));
        }
    }
    None
}

fn is_of(kind: SyntaxKind, ty: &str) -> bool {
    match ty {
        "string" => matches!(kind, SyntaxKind::String | SyntaxKind::Parameter),
        "integer" | "number" => matches!(kind, SyntaxKind::Number | SyntaxKind::Parameter),
        "boolean" => matches!(kind, SyntaxKind::True | SyntaxKind::False | SyntaxKind::Parameter),
        "array" => kind == SyntaxKind::List,
        "object" => kind == SyntaxKind::Map,
        _ => true,
    }
}

fn check_format(entry: Entry<'_>, ty: &str) -> Option<Diagnostic> {
    let format = entry.value.as_str()?;
    let known = Format::from_name(format);
    let is_number = matches!(ty, "integer" | "number");
    if format.is_empty() || known.is_some_and(|known| known.value_type() == "string" || is_number) {
        return None;
    }
    let what = if known.is_some() { "only numbers have the format" } else { "the server knows no format" };
    let message = format!("{what} {}, so it has no effect", backtick_text(format));
    let finding = lints::DROPPED_KEYWORD.diagnostic_at(entry.value.span(), message);
    Some(finding.help_if(did_you_mean(format, Format::all_formats().map(Format::name))))
}

/// Up to so many names are looked for one by one, which takes less time than an index of all.
const FEW: usize = 8;

/// Fields that are required and never there: what is not declared is pruned.
fn check_required(schema: Schema<'_, '_>, entry: Entry<'_>) -> Option<Diagnostic> {
    let more = schema.get(Keyword::AdditionalProperties);
    let takes_more = schema.is_true(Keyword::PreserveUnknownFields)
        || more.is_some_and(|node| node.is_map() || plain::is_true(node));
    let properties = schema.get(Keyword::Properties);
    if takes_more || properties.is_some_and(Node::is_open) || schema.owner().is_open() {
        return None;
    }
    let names = || properties.into_iter().flat_map(Node::entries_with_merged).map(|entry| entry.key.text());
    let is_long = entry.value.items().nth(FEW).is_some();
    let declared: HashSet<&str> = if is_long { names().collect() } else { HashSet::new() };
    let is_declared =
        |name: &str| declared.contains(name) || (!is_long && names().any(|known| known == name));
    let is_resource = || schema.name().is_empty() || schema.is_true(Keyword::EmbeddedResource);
    let is_known = |name: &str| {
        is_declared(name) || (matches!(name, "metadata" | "kind" | "apiVersion") && is_resource())
    };
    let item = entry.value.items().find(|item| item.as_str().is_some_and(|name| !is_known(name)))?;
    let name = item.text();
    let message = format!("required field `{name}` is not declared: every object is rejected");
    let finding = lints::UNSATISFIABLE_SCHEMA.diagnostic_at(item.span(), message);
    let help = did_you_mean(name, names()).unwrap_or_else(|| {
        "declare it under `properties`: undeclared fields are pruned before validation".to_owned()
    });
    Some(finding.with_help(help))
}

fn check_exclusive_bound(schema: Schema<'_, '_>, entry: Entry<'_>, bound: Keyword) -> Option<Diagnostic> {
    let is_idle = plain::is_true(entry.value) && schema.entry(bound).is_none();
    let message = || format!("`{}` has no effect without `{}`", entry.key.text(), bound.as_str());
    is_idle.then(|| idle_finding(entry, message()))
}

fn null_default(entry: Entry<'_>) -> Diagnostic {
    let message = "a default of `null` is dropped".to_owned();
    lints::DROPPED_KEYWORD.diagnostic_at(entry.value.span(), message).with_help("remove it")
}

/// The types that a keyword is about; none if it is about all.
fn types_of(keyword: Keyword) -> Option<&'static [&'static str]> {
    Some(match keyword {
        Keyword::MinLength | Keyword::MaxLength | Keyword::Pattern => &["string"],
        Keyword::MinItems | Keyword::MaxItems => &["array"],
        Keyword::MinProperties | Keyword::MaxProperties | Keyword::Required => &["object"],
        Keyword::Minimum
        | Keyword::Maximum
        | Keyword::ExclusiveMinimum
        | Keyword::ExclusiveMaximum
        | Keyword::MultipleOf => &["integer", "number"],
        _ => return None,
    })
}

/// Constraints on values of another type.
fn of_type(schema: Schema<'_, '_>, keyword: Keyword, entry: Entry<'_>, ty: &str) -> Option<Diagnostic> {
    let types = types_of(keyword)?;
    let is_free = ty.is_empty() || types.contains(&ty);
    if is_free || schema.is_true(Keyword::IntOrString) || entry.value.kind() == SyntaxKind::Null {
        return None;
    }
    let keyword = keyword.as_str();
    let message = format!("`{keyword}` has no effect on values of type `{ty}`");
    let suggestion = match (keyword, ty) {
        ("minLength" | "minItems" | "minProperties", "string") => "minLength",
        ("maxLength" | "maxItems" | "maxProperties", "string") => "maxLength",
        ("minLength" | "minProperties", "array") => "minItems",
        ("maxLength" | "maxProperties", "array") => "maxItems",
        ("minLength" | "minItems", "object") => "minProperties",
        ("maxLength" | "maxItems", "object") => "maxProperties",
        ("minLength", "integer" | "number") => "minimum",
        ("maxLength", "integer" | "number") => "maximum",
        _ => return Some(idle_finding(entry, message)),
    };
    Some(idle_finding(entry, message).with_help(format!("did you mean `{suggestion}`?")))
}
