//! Words about updates: the value compared with the stored one.

use kvrules_syntax::{Node, SyntaxKind};
use serde_json::json;

use super::{ExampleObject, Reading, Word, WordExample, changes, offers, require_type};
use crate::condition::StoredTest;
use crate::lints;
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::{ValueType, enum_values};

pub(super) static IMMUTABLE: Word = Word {
    name: "immutable",
    example: WordExample {
        rule: "path: spec.name, immutable: onceSet",
        passes: ExampleObject { spec: "name: koi", stored: Some("depth: 3") },
        fails: ExampleObject { spec: "name: carp", stored: Some("name: koi") },
    },
    summary: "an update does not change the value: `always`, `onceSet`, after which it is not removed either, or `whileSet`, if it may be removed",
    schema: || json!({"enum": ["always", "onceSet", "whileSet"]}),
    read: Reading::Stored(read_immutable),
    changes: changes::change_immutable,
    offer: offers::offer_immutable,
};

pub(super) static NO_REMOVAL: Word = Word {
    name: "noRemoval",
    example: WordExample {
        rule: "path: spec.friends, noRemoval: true",
        passes: ExampleObject { spec: "friends: [koi, carp]", stored: Some("friends: [koi]") },
        fails: ExampleObject { spec: "friends: [carp]", stored: Some("friends: [koi]") },
    },
    summary: "an update removes neither an item of the list or a key of the map, nor the field",
    schema: || json!({"const": true}),
    read: Reading::Stored(read_no_removal),
    changes: changes::none,
    offer: offers::offer_no_removal,
};

pub(super) static TRANSITIONS: Word = Word {
    name: "transitions",
    example: WordExample {
        rule: "path: spec.phase, transitions: {Draft: [Ready]}",
        passes: ExampleObject { spec: "phase: Ready", stored: Some("phase: Draft") },
        fails: ExampleObject { spec: "phase: Draft", stored: Some("phase: Ready") },
    },
    summary: "an update changes the string only from a key to one of its values; others stay, and it is not removed",
    schema: || json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}, "minProperties": 1}),
    read: Reading::Stored(read_transitions),
    changes: changes::drop_transitions,
    offer: offers::offer_transitions,
};

fn read_immutable(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    _: &PathTarget<'_>,
) -> Option<StoredTest> {
    match node.as_str() {
        Some("always") => Some(StoredTest::Always),
        Some("onceSet") => Some(StoredTest::OnceSet),
        Some("whileSet") => Some(StoredTest::WhileSet),
        _ if node.kind() == SyntaxKind::True => {
            let message = "`immutable` must be `always`, `onceSet` or `whileSet`";
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message.to_owned());
            let help = "write `always`, or `onceSet` if an update may set the field first";
            reader.findings.push(finding.with_help(help));
            None
        }
        _ => {
            reader.report_unknown(
                node.span(),
                "`immutable` must be `always`, `onceSet` or `whileSet`".to_owned(),
                node.text(),
                &["always", "onceSet", "whileSet"],
            );
            None
        }
    }
}

fn read_no_removal(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<StoredTest> {
    require_type(reader, "noRemoval", target, &[ValueType::List, ValueType::Map])?;
    if node.kind() != SyntaxKind::True {
        reader.report_shape(node.span(), "`noRemoval` can only be `true`; leave it out otherwise".to_owned());
        return None;
    }
    Some(StoredTest::NoRemoval)
}

fn read_transitions(
    reader: &mut ConditionReader<'_, '_>,
    node: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<StoredTest> {
    require_type(reader, "transitions", target, &[ValueType::String])?;
    if !node.is_map() || node.entries().next().is_none() {
        reader.report_shape(
            node.span(),
            "`transitions` must map each value to a list of the next ones".to_owned(),
        );
        return None;
    }
    let known = enum_values(target.schema);
    let mut allowed = Vec::new();
    for entry in node.entries_with_merged() {
        if !entry.value.is_list() {
            let message = format!("the values that may follow `{}` must be a list", entry.key.text());
            reader.report_no_list(entry.value, message);
            return None;
        }
        let values = reader.read_values(entry.value, "transitions")?;
        let texts: Option<Vec<String>> =
            values.iter().map(|value| value.as_str().map(str::to_owned)).collect();
        let Some(texts) = texts else {
            reader.report_shape(entry.value.span(), "the next values must be strings".to_owned());
            return None;
        };
        let keys = [(entry.key.text().to_owned(), entry.key.span())];
        let nexts = texts.iter().cloned().zip(entry.value.items().map(Node::span));
        for (text, span) in keys.into_iter().chain(nexts) {
            if known.is_some_and(|known| !known.iter().any(|value| value == text.as_str())) {
                reader.report_not_in_enum(span, &text, known.map(Vec::as_slice).unwrap_or_default());
            }
        }
        allowed.push((entry.key.text().to_owned(), texts));
    }
    Some(StoredTest::Transitions(allowed))
}
