//! Words about parts of strings, items of lists, and values that are not empty.

use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Value as Json, json};

use super::{ExampleObject, Reading, Word, WordExample, changes, offers, require_type};
use crate::condition::{Affix, Bounds, Condition, ValueTest};
use crate::path::PathStep;
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::{ValueType, child_schema};

pub(super) static STARTS_WITH: Word = Word {
    name: "startsWith",
    example: WordExample {
        rule: "path: spec.name, startsWith: [pond-, lake-]",
        passes: ExampleObject { spec: "name: lake-como", stored: None },
        fails: ExampleObject { spec: "name: como", stored: None },
    },
    summary: "the string starts with the text, or with one of these texts",
    schema: texts_schema,
    read: Reading::Test(|reader, node, target| {
        read_affix(reader, node, target, ("startsWith", Affix::Start))
    }),
    changes: changes::change_texts,
    offer: offers::offer_start,
};

pub(super) static ENDS_WITH: Word = Word {
    name: "endsWith",
    example: WordExample {
        rule: "path: spec.address, endsWith: .example.com",
        passes: ExampleObject { spec: "address: pond.example.com", stored: None },
        fails: ExampleObject { spec: "address: pond.example.org", stored: None },
    },
    summary: "the string ends with the text, or with one of these texts",
    schema: texts_schema,
    read: Reading::Test(|reader, node, target| read_affix(reader, node, target, ("endsWith", Affix::End))),
    changes: changes::change_texts,
    offer: offers::offer_end,
};

pub(super) static CONTAINS: Word = Word {
    name: "contains",
    example: WordExample {
        rule: "path: spec.friends, contains: koi",
        passes: ExampleObject { spec: "friends: [carp, koi]", stored: None },
        fails: ExampleObject { spec: "friends: [carp]", stored: None },
    },
    summary: "the list has an item that is equal to the value, or the string has the text in it",
    schema: || json!({"type": ["string", "number", "boolean"]}),
    read: Reading::Test(read_contained),
    changes: changes::none,
    offer: offers::offer_contained,
};

pub(super) static NOT_EMPTY: Word = Word {
    name: "notEmpty",
    example: WordExample {
        rule: "path: spec.fish, notEmpty: true",
        passes: ExampleObject { spec: "fish: [{name: koi}]", stored: None },
        fails: ExampleObject { spec: "fish: []", stored: None },
    },
    summary: "the path has a value, and it is a string with a character, a list with an item or a map with a key",
    schema: || json!({"const": true}),
    read: Reading::NotEmpty,
    changes: changes::none,
    offer: offers::offer_not_empty,
};

fn texts_schema() -> Json {
    let text = json!({"type": "string", "minLength": 1});
    json!({"anyOf": [text, {"type": "array", "minItems": 1, "items": text}]})
}

fn read_affix(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
    (word, place): (&str, Affix),
) -> Option<ValueTest> {
    require_type(reader, word, target, &[ValueType::String])?;
    let nodes: Vec<Node<'_>> = if node.is_list() { node.items().collect() } else { vec![node] };
    if nodes.is_empty() {
        reader.report_contradiction(
            node.span(),
            &format!("`{word}` is an empty list, so that no value passes"),
            None,
        );
        return None;
    }
    let mut texts: Vec<String> = Vec::new();
    for node in nodes {
        let text = read_text(reader, node, word)?;
        if texts.contains(&text) {
            reader.report_shape(node.span(), format!("duplicate text {}", Json::from(text)));
            return None;
        }
        texts.push(text);
    }
    Some(ValueTest::Affix(place, texts))
}

/// Reads a text that is not empty, or the parameter that stands for one.
fn read_text(reader: &mut ConditionReader<'_, '_>, node: Node<'_>, word: &str) -> Option<String> {
    let value = reader.read_scalar(node, word)?;
    match value.as_str() {
        Some("") => {
            reader.report_shape(
                node.span(),
                format!("the text of `{word}` is empty, so that every value passes"),
            );
            None
        }
        Some(text) => Some(text.to_owned()),
        None => {
            let message = format!("`{word}` must be a string, and {value} is none");
            reader.report_advised(
                node.span(),
                message,
                &format!("put it in quotation marks: `\"{}\"`", node.text()),
            );
            None
        }
    }
}

fn read_contained(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<ValueTest> {
    if require_type(reader, "contains", target, &[ValueType::String, ValueType::List])? == ValueType::String {
        let text = read_text(reader, node, "contains")?;
        return Some(ValueTest::Affix(Affix::Inside, vec![text]));
    }
    if node.is_list() {
        let message = "`contains` is one value".to_owned();
        let help = "for several that must all be there, write a rule for each";
        reader.report_advised(node.span(), message, help);
        return None;
    }
    let value = reader.read_scalar(node, "contains")?;
    let items = child_schema(target.schema, &PathStep::Each).unwrap_or(&Json::Null);
    let of_items = ValueType::of_schema(items);
    if !of_items.is_scalar() {
        let message =
            format!("the items of {} are not scalars, but {}", target.path.name_value(), of_items.describe());
        let help = "write the path of a field of the items, such as `spec.list[*].name`";
        reader.report_type(target.span, message, Some(help));
        return None;
    }
    if !of_items.has_value(&value) {
        let message =
            format!("an item of {} is {}, but {value} is not", target.path.name_value(), of_items.describe());
        let help = (of_items == ValueType::String)
            .then(|| format!("put it in quotation marks: `\"{}\"`", node.text()));
        reader.report_type(node.span(), message, help.as_deref());
        return None;
    }
    Some(ValueTest::Contains(value))
}

/// Reads `true`: the path has a value with a character, an item or a key.
pub(super) fn read_not_empty(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<Condition> {
    let types = [ValueType::String, ValueType::List, ValueType::Map];
    let found = require_type(reader, "notEmpty", target, &types)?;
    if node.kind() != SyntaxKind::True {
        let message = "`notEmpty` can only be `true`; leave it out otherwise".to_owned();
        reader.report_shape(node.span(), message);
        return None;
    }
    let some = Bounds::with_limits(Some(1), None);
    let test = if found == ValueType::String { ValueTest::Length(some) } else { ValueTest::Items(some) };
    if reader.is_condition() {
        return Some(Condition::Passes(target.path.clone(), test));
    }
    let present = Condition::Present(target.path.clone());
    Some(Condition::All(vec![present, Condition::if_present(target.path.clone(), test)]))
}
