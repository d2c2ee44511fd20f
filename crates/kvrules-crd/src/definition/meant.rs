//! What the server takes without a word and nobody can mean: bounds that contradict each other, constraints that never
//! have an effect, formats that it does not know.

use std::collections::HashSet;

use kvrules_cel::object::Format;
use kvrules_syntax::older::reading;
use kvrules_syntax::{Entry, Kind, Node};

use crate::finding::{Finding, FindingKind};
use crate::json::number;
use crate::place::{Place, entries, joined};
use crate::plain;
use crate::text::{code, did_you_mean};

/// Which type a keyword is about.
const OF_TYPE: &[(&str, &[&str])] = &[
    ("minLength", &["string"]),
    ("maxLength", &["string"]),
    ("pattern", &["string"]),
    ("minItems", &["array"]),
    ("maxItems", &["array"]),
    ("minProperties", &["object"]),
    ("maxProperties", &["object"]),
    ("required", &["object"]),
    ("minimum", &["integer", "number"]),
    ("maximum", &["integer", "number"]),
    ("exclusiveMinimum", &["integer", "number"]),
    ("exclusiveMaximum", &["integer", "number"]),
    ("multipleOf", &["integer", "number"]),
];

/// Looks at a schema and all below it.
pub(super) fn check(place: &Place<'_>, findings: &mut Vec<Finding>) {
    node(place, findings);
    for below in children(place) {
        check(&below, findings);
    }
}

/// The schemas directly below one.
pub(super) fn children<'d>(place: &Place<'d>) -> Vec<Place<'d>> {
    let mut children = Vec::new();
    let mut push = |entry: Entry<'d>, value: Node<'d>, name: String, branch| {
        if value.is_map() {
            children.push(Place { name, branch, ..Place::root(value, Some(entry.key)) });
        }
    };
    for entry in entries(place.owner) {
        match entry.key.text() {
            "properties" => {
                for property in entries(entry.value) {
                    push(property, property.value, joined(&place.name, property.key.text()), place.branch);
                }
            }
            "items" => push(entry, entry.value, format!("{}[]", place.name), place.branch),
            "additionalProperties" => push(entry, entry.value, format!("{}.*", place.name), place.branch),
            "not" => push(entry, entry.value, place.name.clone(), Some("not")),
            junctor @ ("allOf" | "anyOf" | "oneOf") => {
                let branch = ["allOf", "anyOf", "oneOf"].into_iter().find(|known| *known == junctor);
                entry.value.items().for_each(|item| push(entry, item, place.name.clone(), branch));
            }
            _ => {}
        }
    }
    children
}

fn node(place: &Place<'_>, findings: &mut Vec<Finding>) {
    let owner = place.owner;
    let ty = owner.get("type").map(Node::text).unwrap_or_default();
    findings.extend(pairs(place));
    findings.extend(factor(place));
    findings.extend(whole(place, ty));
    for entry in entries(owner) {
        let found = match entry.key.text() {
            "enum" => of_enum(place, entry, ty),
            "format" => format(entry, ty),
            "required" if place.branch.is_none() => required(place, entry),
            "exclusiveMinimum" | "exclusiveMaximum" => exclusive(owner, entry),
            "default" if entry.value.kind() == Kind::Null => Some(null_default(entry)),
            "minLength" | "minItems" | "minProperties" | "maxLength" | "maxItems" | "maxProperties" => {
                negative(entry)
            }
            _ => None,
        };
        findings.extend(found.or_else(|| of_type(place, entry, ty)));
    }
}

fn bound<'d>(owner: Node<'d>, keyword: &str) -> Option<(Entry<'d>, f64)> {
    let entry = owner.entry(keyword).filter(|entry| plain::kind(entry.value) == Kind::Number)?;
    Some((entry, number(entry.value)?.as_f64()?))
}

fn impossible(entry: Entry<'_>, message: String) -> Finding {
    Finding::new(FindingKind::Unsatisfiable, entry.value.span(), message)
}

fn idle(entry: Entry<'_>, message: String) -> Finding {
    Finding::new(FindingKind::Idle, entry.key.span(), message)
}

/// Lower bounds above upper ones.
fn pairs(place: &Place<'_>) -> Vec<Finding> {
    let kinds = [
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ];
    let contradiction = |(least, most): (&str, &str)| {
        let ((low, least_value), (high, most_value)) =
            (bound(place.owner, least)?, bound(place.owner, most)?);
        let flag = |keyword: &str| place.owner.get(keyword).is_some_and(plain::is_true);
        let open = least == "minimum" && (flag("exclusiveMinimum") || flag("exclusiveMaximum"));
        let empty = least_value > most_value || (least_value >= most_value && open);
        empty.then(|| {
            let (low_text, high_text) = (low.value.text(), high.value.text());
            let message = if least_value > most_value {
                format!("no value has {least} {low_text} and {most} {high_text}")
            } else {
                format!("no value lies between {low_text} and {high_text} where one of them is excluded")
            };
            impossible(low, message.replace(least, &format!("`{least}`")).replace(most, &format!("`{most}`")))
                .also(high.value.span(), "the other bound is here")
        })
    };
    kinds.into_iter().filter_map(contradiction).collect()
}

fn negative(entry: Entry<'_>) -> Option<Finding> {
    let value = number(entry.value)?.as_f64()?;
    if value >= 0.0 {
        return None;
    }
    let key = entry.key.text();
    Some(if key.starts_with("max") {
        impossible(entry, format!("nothing has a size of {} or less", entry.value.text()))
    } else {
        idle(entry, format!("`{key}` is below zero, and so has no effect"))
    })
}

/// Factors of zero or less: the server fails when it comes to use them.
fn factor(place: &Place<'_>) -> Option<Finding> {
    let (entry, value) = bound(place.owner, "multipleOf")?;
    (value <= 0.0).then(|| {
        let message =
            format!("nothing is a multiple of {}: the server refuses every value", entry.value.text());
        impossible(entry, message).help("write a factor above zero")
    })
}

/// Bounds of integers that are none: the server then refuses every value.
fn whole(place: &Place<'_>, ty: &str) -> Vec<Finding> {
    let is_int32 = place.owner.get("format").is_some_and(|format| format.text() == "int32");
    let mut findings = Vec::new();
    for keyword in ["minimum", "maximum", "multipleOf"] {
        let Some((entry, value)) = bound(place.owner, keyword) else { continue };
        let text = entry.value.text();
        let beyond = value < f64::from(i32::MIN) || value > f64::from(i32::MAX);
        if ty == "integer" && value.fract() != 0.0 {
            let message = format!("`{keyword}` of an integer is {text}: the server then refuses every value");
            findings.push(impossible(entry, message).help("write a whole number, or `type: number`"));
        } else if ty == "integer" && is_int32 && beyond {
            let message =
                format!("`{keyword}` is {text}, beyond `int32`: the server then refuses every value");
            findings.push(impossible(entry, message).help("write `format: int64`"));
        } else if ty == "number" && value.fract() != 0.0 && keyword != "multipleOf" {
            let message = format!(
                "values that are written as whole numbers are compared with {}, not {text}",
                value.trunc()
            );
            let finding = idle(entry, message);
            findings.push(finding.help("choose a whole bound, or say it with a rule: `self >= 1.5`"));
        }
    }
    findings
}

fn of_enum(place: &Place<'_>, entry: Entry<'_>, ty: &str) -> Option<Finding> {
    if !entry.value.is_list() || entry.value.is_open() {
        return None;
    }
    let items: Vec<Node<'_>> = entry.value.items().collect();
    if items.is_empty() {
        let help = "list the values that are allowed, or take it out";
        return Some(idle(entry, "an empty `enum` has no effect".to_owned()).help(help));
    }
    let mut seen: HashSet<(Kind, &str)> = HashSet::new();
    for item in items {
        let key = (item.kind(), item.text());
        if item.kind() == Kind::Null && place.owner.get("nullable").is_some_and(plain::is_true) {
            let message = "`null` is refused although `enum` lists it".to_owned();
            let help = "say it with a rule on the object around: `!has(self.field) || self.field in [...]`";
            return Some(Finding { span: item.span(), ..idle(entry, message) }.help(help));
        }
        // Another finding tells of what Kubernetes takes for something else.
        if reading(item).is_none() && !is_of(item.kind(), ty) {
            let message = format!("`enum` lists {}, which is no {ty}", code(item.text()));
            let finding = Finding { span: item.span(), ..idle(entry, message) };
            let quoted = ty == "string" && !item.text().is_empty();
            return Some(if quoted { finding.help(format!("write `\"{}\"`", item.text())) } else { finding });
        }
        if !item.is_map() && !item.is_list() && !seen.insert(key) {
            let message = format!("`enum` lists {} twice", code(item.text()));
            return Some(Finding { span: item.span(), ..idle(entry, message) });
        }
    }
    None
}

fn is_of(kind: Kind, ty: &str) -> bool {
    match ty {
        "string" => matches!(kind, Kind::String | Kind::Parameter),
        "integer" | "number" => matches!(kind, Kind::Number | Kind::Parameter),
        "boolean" => matches!(kind, Kind::True | Kind::False | Kind::Parameter),
        "array" => kind == Kind::List,
        "object" => kind == Kind::Map,
        _ => true,
    }
}

fn format(entry: Entry<'_>, ty: &str) -> Option<Finding> {
    let format = entry.value.as_str()?;
    let known = Format::named(format);
    let is_number = matches!(ty, "integer" | "number");
    if format.is_empty() || known.is_some_and(|known| known.ty() == "string" || is_number) {
        return None;
    }
    let what = if known.is_some() { "what is no number has no format" } else { "the server knows no format" };
    let message = format!("{what} {}, so it has no effect", code(format));
    let finding = Finding::new(FindingKind::Dropped, entry.value.span(), message);
    Some(finding.help_if(did_you_mean(format, Format::all().map(Format::name))))
}

/// Fields that are required and never there: what is not declared is pruned.
fn required(place: &Place<'_>, entry: Entry<'_>) -> Option<Finding> {
    let owner = place.owner;
    let is_true = |keyword: &str| owner.get(keyword).is_some_and(plain::is_true);
    let takes_more = is_true("x-kubernetes-preserve-unknown-fields")
        || owner.get("additionalProperties").is_some_and(|node| node.is_map() || plain::is_true(node));
    let properties = owner.get("properties");
    if takes_more || properties.is_some_and(Node::is_open) || owner.is_open() {
        return None;
    }
    let is_resource = place.name.is_empty() || is_true("x-kubernetes-embedded-resource");
    let names = || properties.into_iter().flat_map(entries).map(|entry| entry.key.text());
    let declared: HashSet<&str> = names().collect();
    let is_known = |name: &str| {
        declared.contains(name) || (is_resource && matches!(name, "metadata" | "kind" | "apiVersion"))
    };
    let item = entry.value.items().find(|item| item.as_str().is_some_and(|name| !is_known(name)))?;
    let name = item.text();
    let message = format!("`{name}` is required and not declared, so every object is refused");
    let finding = Finding::new(FindingKind::Unsatisfiable, item.span(), message);
    let help = did_you_mean(name, names()).unwrap_or_else(|| {
        "declare it under `properties`: fields that are not declared are pruned before they are looked for".to_owned()
    });
    Some(finding.help(help))
}

fn exclusive(owner: Node<'_>, entry: Entry<'_>) -> Option<Finding> {
    let keyword = entry.key.text();
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    let is_idle = plain::is_true(entry.value) && owner.get(bound).is_none();
    is_idle.then(|| idle(entry, format!("`{keyword}` has no effect without `{bound}`")))
}

fn null_default(entry: Entry<'_>) -> Finding {
    let message = "a default of `null` is dropped".to_owned();
    Finding::new(FindingKind::Dropped, entry.value.span(), message).help("take it out")
}

/// Constraints on values of another type.
fn of_type(place: &Place<'_>, entry: Entry<'_>, ty: &str) -> Option<Finding> {
    let keyword = entry.key.text();
    let (_, types) = OF_TYPE.iter().find(|(known, _)| *known == keyword)?;
    let is_either = place.owner.get("x-kubernetes-int-or-string").is_some_and(plain::is_true);
    if ty.is_empty() || types.contains(&ty) || is_either || entry.value.kind() == Kind::Null {
        return None;
    }
    let message = format!("`{keyword}` has no effect on a value of the type `{ty}`");
    let meant = match (keyword, ty) {
        ("minLength" | "minItems" | "minProperties", "string") => "minLength",
        ("maxLength" | "maxItems" | "maxProperties", "string") => "maxLength",
        ("minLength" | "minProperties", "array") => "minItems",
        ("maxLength" | "maxProperties", "array") => "maxItems",
        ("minLength" | "minItems", "object") => "minProperties",
        ("maxLength" | "maxItems", "object") => "maxProperties",
        ("minLength", "integer" | "number") => "minimum",
        ("maxLength", "integer" | "number") => "maximum",
        _ => return Some(idle(entry, message)),
    };
    Some(idle(entry, message).help(format!("did you mean `{meant}`?")))
}
