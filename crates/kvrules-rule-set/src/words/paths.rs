//! Words about the presence of values, and about several paths.

use kvrules_syntax::{Node, SyntaxKind};
use serde_json::json;

use super::{ExampleObject, Reading, Word, WordExample, changes, offers};
use crate::compared::ComparedAs;
use crate::condition::{Comparison, Condition};
use crate::path::RulePath;
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::ValueType;

pub(super) static REQUIRED: Word = Word {
    name: "required",
    example: WordExample {
        rule: "path: spec.depth, required: true",
        passes: ExampleObject { spec: "depth: 3", stored: None },
        fails: ExampleObject { spec: "name: koi", stored: None },
    },
    summary: "the path has a value",
    schema: || json!({"const": true}),
    read: Reading::Presence(true),
    changes: changes::swap_with_forbidden,
    offer: offers::offer_required,
};

pub(super) static FORBIDDEN: Word = Word {
    name: "forbidden",
    example: WordExample {
        rule: "path: spec.legacy, forbidden: true",
        passes: ExampleObject { spec: "depth: 3", stored: None },
        fails: ExampleObject { spec: "legacy: \"yes\"", stored: None },
    },
    summary: "the path has no value",
    schema: || json!({"const": true}),
    read: Reading::Presence(false),
    changes: changes::swap_with_required,
    offer: offers::offer_forbidden,
};

pub(super) static EXACTLY_ONE_OF: Word = Word {
    name: "exactlyOneOf",
    example: WordExample {
        rule: "exactlyOneOf: [spec.git, spec.http]",
        passes: ExampleObject { spec: "git: {url: a}", stored: None },
        fails: ExampleObject { spec: "git: {url: a}, http: {url: b}", stored: None },
    },
    summary: "exactly one of the paths has a value",
    schema: paths_schema,
    read: Reading::Count(|_| (1, 1)),
    changes: changes::change_exactly_one,
    offer: offers::offer_exactly_one,
};

pub(super) static AT_MOST_ONE_OF: Word = Word {
    name: "atMostOneOf",
    example: WordExample {
        rule: "atMostOneOf: [spec.git, spec.http]",
        passes: ExampleObject { spec: "depth: 3", stored: None },
        fails: ExampleObject { spec: "git: {url: a}, http: {url: b}", stored: None },
    },
    summary: "at most one of the paths has a value",
    schema: paths_schema,
    read: Reading::Count(|_| (0, 1)),
    changes: changes::change_at_most_one,
    offer: offers::offer_at_most_one,
};

pub(super) static AT_LEAST_ONE_OF: Word = Word {
    name: "atLeastOneOf",
    example: WordExample {
        rule: "atLeastOneOf: [spec.git, spec.http]",
        passes: ExampleObject { spec: "http: {url: b}", stored: None },
        fails: ExampleObject { spec: "depth: 3", stored: None },
    },
    summary: "at least one of the paths has a value",
    schema: paths_schema,
    read: Reading::Count(|count| (1, count)),
    changes: changes::change_at_least_one,
    offer: offers::offer_at_least_one,
};

pub(super) static ALL_OR_NONE: Word = Word {
    name: "allOrNone",
    example: WordExample {
        rule: "allOrNone: [spec.least, spec.most]",
        passes: ExampleObject { spec: "least: 1, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 1", stored: None },
    },
    summary: "all of the paths have a value, or none has",
    schema: paths_schema,
    read: Reading::AllOrNone,
    changes: changes::drop_paths,
    offer: offers::offer_all_or_none,
};

pub(super) static AT_LEAST: Word = Word {
    name: "atLeast",
    example: WordExample {
        rule: "path: spec.most, atLeast: spec.least",
        passes: ExampleObject { spec: "least: 1, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 2, most: 1", stored: None },
    },
    summary: "the value is not less than the value at another path, if both are there: quantities, durations and times by what they mean, strings as `as` reads them",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::AtLeast),
    changes: changes::swap_with_at_most,
    offer: offers::offer_at_least,
};

pub(super) static AT_MOST: Word = Word {
    name: "atMost",
    example: WordExample {
        rule: "path: spec.least, atMost: spec.most",
        passes: ExampleObject { spec: "least: 1, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 2, most: 1", stored: None },
    },
    summary: "the value is not greater than the value at another path, if both are there; read as for `atLeast`",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::AtMost),
    changes: changes::swap_with_at_least,
    offer: offers::offer_at_most,
};

pub(super) static ABOVE: Word = Word {
    name: "above",
    example: WordExample {
        rule: "path: spec.most, above: spec.least",
        passes: ExampleObject { spec: "least: 1, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 2, most: 2", stored: None },
    },
    summary: "the value is greater than the value at another path, if both are there; read as for `atLeast`",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::Above),
    changes: changes::swap_with_at_least,
    offer: offers::offer_at_least,
};

pub(super) static BELOW: Word = Word {
    name: "below",
    example: WordExample {
        rule: "path: spec.least, below: spec.most",
        passes: ExampleObject { spec: "least: 1, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 2, most: 2", stored: None },
    },
    summary: "the value is less than the value at another path, if both are there; read as for `atLeast`",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::Below),
    changes: changes::swap_with_at_most,
    offer: offers::offer_at_most,
};

pub(super) static EQUALS: Word = Word {
    name: "equals",
    example: WordExample {
        rule: "path: spec.least, equals: spec.most",
        passes: ExampleObject { spec: "least: 2, most: 2", stored: None },
        fails: ExampleObject { spec: "least: 1, most: 2", stored: None },
    },
    summary: "the value is equal to the value at another path, if both are there; read as for `atLeast`",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::Equal),
    changes: changes::swap_with_at_least,
    offer: offers::offer_equals,
};

pub(super) static NOT_EQUALS: Word = Word {
    name: "notEquals",
    example: WordExample {
        rule: "path: spec.name, notEquals: spec.legacy",
        passes: ExampleObject { spec: "name: koi, legacy: carp", stored: None },
        fails: ExampleObject { spec: "name: koi, legacy: koi", stored: None },
    },
    summary: "the value differs from the value at another path, if both are there; read as for `atLeast`",
    schema: || json!({"type": "string"}),
    read: Reading::Compare(Comparison::NotEqual),
    changes: changes::swap_with_equals,
    offer: offers::offer_equals,
};

pub(super) static REFERS_TO: Word = Word {
    name: "refersTo",
    example: WordExample {
        rule: "path: \"spec.friends[*]\", refersTo: \"spec.fish[*].name\"",
        passes: ExampleObject { spec: "fish: [{name: koi}], friends: [koi]", stored: None },
        fails: ExampleObject { spec: "fish: [{name: koi}], friends: [carp]", stored: None },
    },
    summary: "every value at the path is also one at another path",
    schema: || json!({"type": "string"}),
    read: Reading::Reference,
    changes: changes::none,
    offer: offers::nothing,
};

fn paths_schema() -> serde_json::Value {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 2})
}

pub(super) fn read_presence(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    target: &PathTarget<'_>,
    is_present: bool,
) -> Option<Condition> {
    if value.kind() != SyntaxKind::True {
        let word = if is_present { "required" } else { "forbidden" };
        reader.report_shape(value.span(), format!("`{word}` can only be `true`; leave it out otherwise"));
        return None;
    }
    let present = Condition::Present(target.path.clone());
    Some(if is_present { present } else { Condition::Not(Box::new(present)) })
}

pub(super) fn read_comparison(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    target: &PathTarget<'_>,
    how: Comparison,
) -> Option<Condition> {
    let other = reader.read_plain_path(value)?;
    let read_as = find_reading(reader, value, (target, &other), how)?;
    let compared = Condition::Compares(target.path.clone(), how, other.path.clone(), read_as);
    if reader.is_condition() {
        return Some(compared);
    }
    Some(Condition::Any(vec![
        Condition::absent(target.path.clone()),
        Condition::absent(other.path),
        compared,
    ]))
}

/// The reading of two values: the one that `as` names, else that of their schemas.
fn find_reading(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    (target, other): (&PathTarget<'_>, &PathTarget<'_>),
    how: Comparison,
) -> Option<ComparedAs> {
    let types = [target, other].map(|one| ValueType::of_schema(one.schema));
    let declared = [target, other].map(|one| ComparedAs::of_schema(one.schema));
    let read_as = match (reader.read_as, declared) {
        (Some(named), _) => Some(named).filter(|named| {
            let is_free = |one: ComparedAs| matches!(one, ComparedAs::Plain | ComparedAs::Quantity);
            types.into_iter().all(|of_type| named.is_for(of_type)) && declared.into_iter().all(is_free)
        }),
        (None, [ComparedAs::Plain, ComparedAs::Plain]) => {
            let [one, _] = types;
            let is_ordered = matches!(one, ValueType::Integer | ValueType::Number | ValueType::String);
            let is_same = types.into_iter().all(|of_type| of_type == one) && one.is_scalar();
            (is_same && (!how.is_of_order() || is_ordered)).then_some(ComparedAs::Plain)
        }
        (None, [one, other]) if one == other => Some(one),
        // A quantity next to a value of which the schema says less.
        (None, [ComparedAs::Quantity, ComparedAs::Plain] | [ComparedAs::Plain, ComparedAs::Quantity]) => {
            let fits = types.into_iter().all(|of_type| ComparedAs::Quantity.is_for(of_type));
            fits.then_some(ComparedAs::Quantity)
        }
        _ => None,
    };
    if read_as == Some(ComparedAs::Duration) && reader.is_condition() {
        let message = "`as: duration` cannot be in `when`: an invalid duration is an error of the expression";
        reader.report_shape(value.span(), message.to_owned());
        return None;
    }
    if read_as.is_none() {
        report_incomparable(reader, value, (target, other), "they cannot be compared");
    }
    read_as
}

/// Reports two values of different types.
fn report_incomparable(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    (target, other): (&PathTarget<'_>, &PathTarget<'_>),
    problem: &str,
) {
    let describe = |one: &PathTarget<'_>| match ComparedAs::of_schema(one.schema) {
        ComparedAs::Plain => ValueType::of_schema(one.schema).describe().to_owned(),
        read_as => format!("one of the {}", read_as.describe()),
    };
    let named = reader.read_as.map(|named| format!(" as {}", named.describe())).unwrap_or_default();
    let message = format!(
        "{} is {}, and {} is {}: {problem}{named}",
        target.path.name_value(),
        describe(target),
        other.path.name_value(),
        describe(other)
    );
    reader.report_type(value.span(), message, None);
}

pub(super) fn read_reference(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    target: &PathTarget<'_>,
) -> Option<Condition> {
    let other = reader.read_any_path(value)?;
    let types = [target, &other].map(|one| ValueType::of_schema(one.schema));
    let [one, another] = [target, &other].map(|one| ComparedAs::of_schema(one.schema));
    if types.iter().any(|of_type| Some(of_type) != types.first() || !of_type.is_scalar()) || one != another {
        report_incomparable(reader, value, (target, &other), "one cannot refer to the other");
        return None;
    }
    Some(Condition::RefersTo(target.path.clone(), other.path, one))
}

fn read_paths(reader: &mut ConditionReader<'_, '_>, value: Node<'_>) -> Option<Vec<RulePath>> {
    if !value.is_list() {
        reader.report_no_list(value, "a list of paths is expected".to_owned());
        return None;
    }
    let paths: Vec<_> = value.items().map(|item| reader.read_plain_path(item)).collect();
    let paths: Option<Vec<RulePath>> = paths.into_iter().map(|path| path.map(|it| it.path)).collect();
    let paths = paths?;
    let repeated =
        paths.iter().enumerate().find(|(index, path)| paths.iter().take(*index).any(|it| it == *path));
    if let Some((index, path)) = repeated {
        let span = value.items().nth(index).map_or(value.span(), Node::span);
        reader.report_shape(span, format!("duplicate path `{path}`"));
        return None;
    }
    if paths.len() < 2 {
        reader.report_shape(value.span(), "two paths or more are expected".to_owned());
        return None;
    }
    Some(paths)
}

pub(super) fn read_count(
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    bounds: fn(usize) -> (usize, usize),
) -> Option<Condition> {
    let paths = read_paths(reader, value)?;
    let (least, most) = bounds(paths.len());
    Some(Condition::CountPresent { paths, least, most })
}

pub(super) fn read_all_or_none(reader: &mut ConditionReader<'_, '_>, value: Node<'_>) -> Option<Condition> {
    let paths = read_paths(reader, value)?;
    let all = paths.iter().cloned().map(Condition::Present).collect();
    let none = paths.into_iter().map(Condition::absent).collect();
    Some(Condition::Any(vec![Condition::All(all), Condition::All(none)]))
}
