//! Words about strings, choices and lists.

use kvrules_syntax::Node;
use serde_json::json;

use super::bounds::QUANTITIES;
use super::{ExampleObject, Reading, Word, WordExample, changes, offers, require_type};
use crate::compared::{ComparedAs, quantity_text};
use crate::condition::{ValueFormat, ValueTest};
use crate::path::{PathStep, RulePath};
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::{ValueType, child_schema};

pub(super) static IN: Word = Word {
    name: "in",
    example: WordExample {
        rule: "path: spec.phase, in: [Draft, Ready]",
        passes: ExampleObject { spec: "phase: Ready", stored: None },
        fails: ExampleObject { spec: "phase: Retired", stored: None },
    },
    summary: "the value is one of these; a quantity, if it is equal to one",
    schema: || json!({"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}),
    read: Reading::Test(|reader, node, target| read_choice(reader, node, target, "in")),
    changes: changes::change_choice,
    offer: offers::offer_choice,
};

pub(super) static PATTERN: Word = Word {
    name: "pattern",
    example: WordExample {
        rule: "path: spec.name, pattern: \"^[a-z]+$\"",
        passes: ExampleObject { spec: "name: koi", stored: None },
        fails: ExampleObject { spec: "name: Koi1", stored: None },
    },
    summary: "the regular expression, in the syntax of RE2, matches in the string",
    schema: || json!({"type": "string"}),
    read: Reading::Test(|reader, node, target| read_pattern(reader, node, target, "pattern")),
    changes: changes::drop_anchors,
    offer: offers::offer_pattern,
};

pub(super) static NOT_IN: Word = Word {
    name: "notIn",
    example: WordExample {
        rule: "path: spec.phase, notIn: [Retired]",
        passes: ExampleObject { spec: "phase: Ready", stored: None },
        fails: ExampleObject { spec: "phase: Retired", stored: None },
    },
    summary: "the value is none of these; a quantity, if it is equal to none",
    schema: || json!({"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}),
    read: Reading::Denied(|reader, node, target| read_choice(reader, node, target, "notIn")),
    changes: changes::change_choice,
    offer: offers::offer_denied_choice,
};

pub(super) static NOT_PATTERN: Word = Word {
    name: "notPattern",
    example: WordExample {
        rule: "path: spec.name, notPattern: \"[0-9]$\"",
        passes: ExampleObject { spec: "name: koi", stored: None },
        fails: ExampleObject { spec: "name: koi1", stored: None },
    },
    summary: "the regular expression, in the syntax of RE2, does not match anywhere in the string",
    schema: || json!({"type": "string"}),
    read: Reading::Denied(|reader, node, target| read_pattern(reader, node, target, "notPattern")),
    changes: changes::drop_anchors,
    offer: offers::offer_denied_pattern,
};

pub(super) static FORMAT: Word = Word {
    name: "format",
    example: WordExample {
        rule: "path: spec.address, format: ip",
        passes: ExampleObject { spec: "address: 10.0.0.1", stored: None },
        fails: ExampleObject { spec: "address: 10.0.0", stored: None },
    },
    summary: "the string is in the format",
    schema: || json!({"enum": FORMATS.iter().map(|(name, _)| *name).collect::<Vec<_>>()}),
    read: Reading::Test(read_format),
    changes: changes::none,
    offer: offers::offer_format,
};

pub(super) static UNIQUE_BY: Word = Word {
    name: "uniqueBy",
    example: WordExample {
        rule: "path: spec.fish, uniqueBy: [name]",
        passes: ExampleObject { spec: "fish: [{name: koi}, {name: carp}]", stored: None },
        fails: ExampleObject { spec: "fish: [{name: koi}, {name: koi}]", stored: None },
    },
    summary: "no two items of the list are equal in all of these paths; without paths, no two items are equal",
    schema: || json!({"type": "array", "items": {"type": "string"}}),
    read: Reading::Test(read_unique),
    changes: changes::drop_keys,
    offer: offers::offer_unique,
};

pub(crate) const FORMATS: &[(&str, ValueFormat)] = &[
    ("quantity", ValueFormat::Quantity),
    ("ip", ValueFormat::Ip),
    ("cidr", ValueFormat::Cidr),
    ("dns-label", ValueFormat::DnsLabel),
    ("dns-subdomain", ValueFormat::DnsSubdomain),
];

const SCALARS: &[ValueType] = &[ValueType::String, ValueType::Integer, ValueType::Number, ValueType::Boolean];

fn read_choice(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
    word: &str,
) -> Option<ValueTest> {
    let is_quantity = ComparedAs::of_schema(target.schema) == ComparedAs::Quantity;
    let found = if is_quantity {
        ValueType::of_schema(target.schema)
    } else {
        require_type(reader, word, target, SCALARS)?
    };
    let values = reader.read_values(node, word)?;
    if values.is_empty() {
        let verdict = if word == "in" { "no value passes" } else { "every value passes" };
        let message = format!("`{word}` is an empty list, so that {verdict}");
        reader.report_contradiction(node.span(), &message, None);
        return None;
    }
    if is_quantity {
        return read_quantities(reader, node, &values);
    }
    let mut is_sound = true;
    for (index, (value, item)) in values.iter().zip(node.items()).enumerate() {
        if values.iter().take(index).any(|earlier| earlier == value) && !reader.view.is_symbolic {
            is_sound = false;
            reader.report_shape(item.span(), format!("duplicate value {value}"));
        }
        if !found.has_value(value) {
            is_sound = false;
            let message =
                format!("{} is {}, but {} is not", target.path.name_value(), found.describe(), value);
            let help = (found == ValueType::String && !value.is_null())
                .then(|| format!("put it in quotation marks: `\"{}\"`", item.text()));
            reader.report_type(item.span(), message, help.as_deref());
        }
    }
    reader.check_enum(target, &values, node);
    is_sound.then_some(ValueTest::In(values))
}

/// The values of a choice as quantities.
fn read_quantities(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    values: &[serde_json::Value],
) -> Option<ValueTest> {
    let mut read = Vec::new();
    for (value, item) in values.iter().zip(node.items()) {
        let text = quantity_text(value).filter(|text| ValueFormat::Quantity.is_of(text));
        let Some(text) = text else {
            reader.report_type(item.span(), format!("{value} is not a quantity, such as `1.5Gi`"), None);
            return None;
        };
        let is_equal = |earlier: &String| {
            let order = ComparedAs::Quantity.compare(value, &serde_json::Value::from(earlier.as_str()));
            order.is_some_and(std::cmp::Ordering::is_eq)
        };
        if let Some(earlier) =
            read.iter().find(|earlier| is_equal(earlier)).filter(|_| !reader.view.is_symbolic)
        {
            reader.report_shape(item.span(), format!("duplicate value {value}: it is equal to `{earlier}`"));
            return None;
        }
        read.push(text.into_owned());
    }
    Some(ValueTest::InQuantities(read))
}

fn read_pattern(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
    word: &str,
) -> Option<ValueTest> {
    require_type(reader, word, target, &[ValueType::String])?;
    let text = reader.read_string(node, word)?;
    if let Some((before, _)) = text.split_once("$(") {
        let message = "a pattern cannot have parameters".to_owned();
        let help = "write `cel`, such as `self.matches($(name))` with `each`";
        reader.report_advised(node.span_of(before.len()..before.len() + 2), message, help);
        return None;
    }
    if let Err(error) = kvrules_regex::parse(&text) {
        reader.report_shape(node.span(), format!("invalid pattern: {error}"));
        return None;
    }
    Some(ValueTest::Pattern(text))
}

fn read_format(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    let text = reader.read_string(node, "format")?;
    let is_number_too = text == "quantity";
    let types = if is_number_too { QUANTITIES } else { &[ValueType::String] };
    require_type(reader, "format", target, types)?;
    let found = FORMATS.iter().find(|(name, _)| *name == text);
    if found.is_none() {
        let names: Vec<_> = FORMATS.iter().map(|(name, _)| *name).collect();
        reader.report_unknown(node.span(), format!("unknown format `{text}`"), &text, &names);
    }
    found.map(|(_, format)| ValueTest::Format(*format))
}

fn read_unique(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    require_type(reader, "uniqueBy", target, &[ValueType::List])?;
    let Some(items) = child_schema(target.schema, &PathStep::Each) else {
        reader.report_type(
            target.span,
            format!("the schema declares no type for the items of {}", target.path.name_value()),
            None,
        );
        return None;
    };
    if !node.is_list() {
        reader.report_no_list(node, "`uniqueBy` must be a list of paths within an item".to_owned());
        return None;
    }
    let mut keys = Vec::new();
    let each = RulePath(vec![PathStep::Each]);
    let of_items = reader.scope.join_path(&target.path).join_path(&each);
    for item in node.items() {
        let found = reader.read_path_of(item, items, &of_items)?;
        let of_key = ValueType::of_schema(found.schema);
        if found.path.has_each() || !of_key.is_scalar() {
            let message = format!(
                "items are compared by scalar values, but {} is {}",
                found.path.name_value(),
                of_key.describe()
            );
            reader.report_type(item.span(), message, None);
            return None;
        }
        keys.push((found.path, ComparedAs::of_schema(found.schema)));
    }
    if keys.is_empty() {
        let of_items = ValueType::of_schema(items);
        if !of_items.is_scalar() {
            let message = format!(
                "the items of {} are not scalars, but {}",
                target.path.name_value(),
                of_items.describe()
            );
            reader.report_type(
                node.span(),
                message,
                Some("list the paths by which items differ, such as `[name]`"),
            );
            return None;
        }
        keys.push((RulePath::default(), ComparedAs::of_schema(items)));
    }
    Some(ValueTest::UniqueBy(keys))
}
