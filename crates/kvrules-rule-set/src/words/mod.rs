//! The words of rules, one file for each family.

pub(crate) mod bounds;
pub(crate) mod changes;
mod choices;
pub(crate) mod offers;
mod paths;
mod stored;
mod texts;

use kvrules_syntax::Node;
use serde_json::Value as Json;

use crate::condition::{Comparison, Condition, StoredTest, ValueTest};
use crate::reader::{ConditionReader, PathTarget};
use crate::shape::ValueType;

/// A word of a rule, such as `integer`.
pub struct Word {
    /// The key.
    pub name: &'static str,
    /// The requirement.
    pub summary: &'static str,
    /// A rule with it, about the example of the reference.
    pub example: WordExample,
    /// The JSON Schema of its value.
    pub(crate) schema: fn() -> Json,
    pub(crate) read: Reading,
    /// Small changes of its value that a test should notice.
    pub(crate) changes: fn(&Json) -> Vec<changes::WordChange>,
    /// A value for a field in YAML, if the word fits its type.
    pub(crate) offer: fn(&offers::OfferedField<'_>) -> Option<String>,
}

/// A rule with objects of both verdicts.
#[derive(Clone, Copy, Debug)]
pub struct WordExample {
    /// The keys of the rule next to its name, in YAML.
    pub rule: &'static str,
    /// An object that passes.
    pub passes: ExampleObject,
    /// An object that violates the rule.
    pub fails: ExampleObject,
}

/// An object of an example.
#[derive(Clone, Copy, Debug)]
pub struct ExampleObject {
    /// The entries of its `spec`, in YAML.
    pub spec: &'static str,
    /// Those of the stored object, in an update.
    pub stored: Option<&'static str>,
}

/// The way in which the value of a word is read, and the values that it is about.
pub(crate) enum Reading {
    /// A test of the value at `path`, which passes if the path has no value.
    Test(fn(&mut ConditionReader<'_, '_>, Node<'_>, &PathTarget<'_>) -> Option<ValueTest>),
    /// A test of the value at `path`, which the value must fail; it passes if the path has no value.
    Denied(fn(&mut ConditionReader<'_, '_>, Node<'_>, &PathTarget<'_>) -> Option<ValueTest>),
    /// `true`: the path has a value that is not empty.
    NotEmpty,
    /// `true`: the path has a value, or has none.
    Presence(bool),
    /// A comparison of `path` with another path.
    Compare(Comparison),
    /// Bounds of the number of listed paths that have a value.
    Count(fn(usize) -> (usize, usize)),
    /// All of the listed paths have a value, or none.
    AllOrNone,
    /// Every value at `path` is among those at another path.
    Reference,
    /// The value at `path` compared with the stored one.
    Stored(fn(&mut ConditionReader<'_, '_>, Node<'_>, &PathTarget<'_>) -> Option<StoredTest>),
    /// An expression in CEL.
    Cel,
}

/// All words, in the order of the reference.
pub static WORDS: &[&Word] = &[
    &paths::REQUIRED,
    &paths::FORBIDDEN,
    &paths::EXACTLY_ONE_OF,
    &paths::AT_MOST_ONE_OF,
    &paths::AT_LEAST_ONE_OF,
    &paths::ALL_OR_NONE,
    &bounds::INTEGER,
    &bounds::NUMBER,
    &bounds::QUANTITY,
    &bounds::LENGTH,
    &bounds::ITEMS,
    &choices::IN,
    &choices::NOT_IN,
    &choices::PATTERN,
    &choices::NOT_PATTERN,
    &texts::STARTS_WITH,
    &texts::ENDS_WITH,
    &texts::CONTAINS,
    &texts::NOT_EMPTY,
    &choices::FORMAT,
    &choices::UNIQUE_BY,
    &paths::AT_LEAST,
    &paths::AT_MOST,
    &paths::ABOVE,
    &paths::BELOW,
    &paths::EQUALS,
    &paths::NOT_EQUALS,
    &paths::REFERS_TO,
    &stored::IMMUTABLE,
    &stored::NO_REMOVAL,
    &stored::TRANSITIONS,
    &CEL,
];

static CEL: Word = Word {
    name: "cel",
    example: WordExample {
        rule: "cel: \"!has(self.spec) || !has(self.spec.name) || self.spec.name != self.metadata.name\"",
        passes: ExampleObject { spec: "name: koi", stored: None },
        fails: ExampleObject { spec: "name: pond", stored: None },
    },
    summary: "an expression in CEL over `self`, the object or the item of `each`, is true",
    schema: || serde_json::json!({"type": "string", "minLength": 1}),
    read: Reading::Cel,
    changes: changes::none,
    offer: offers::nothing,
};

impl Word {
    /// True if it is about the value at `path`.
    pub fn needs_path(&self) -> bool {
        !matches!(self.read, Reading::Count(_) | Reading::AllOrNone | Reading::Cel)
    }

    /// True if it compares the value at `path` with the value at another path.
    pub fn compares_paths(&self) -> bool {
        matches!(self.read, Reading::Compare(_))
    }

    /// True if it compares the value with the stored one.
    pub(crate) fn is_of_updates(&self) -> bool {
        matches!(self.read, Reading::Stored(_))
    }

    /// True if `when` may use it.
    pub fn is_of_conditions(&self) -> bool {
        !matches!(self.read, Reading::Stored(_) | Reading::Cel | Reading::Reference)
    }
}

impl std::fmt::Debug for Word {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Word").field(&self.name).finish()
    }
}

/// Returns the word with a name.
pub(crate) fn find_word(name: &str) -> Option<&'static Word> {
    WORDS.iter().copied().find(|word| word.name == name)
}

/// Reads the value of a word as a condition. In a rule, a test passes if the path has no value.
pub(crate) fn read_word(
    word: &Word,
    reader: &mut ConditionReader<'_, '_>,
    value: Node<'_>,
    target: Option<&PathTarget<'_>>,
) -> Option<Condition> {
    match (&word.read, target) {
        (Reading::Test(read), Some(target)) => {
            let test = read(reader, value, target)?;
            Some(reader.of_value(target, test))
        }
        (Reading::Denied(read), Some(target)) => {
            let test = read(reader, value, target)?;
            Some(reader.of_denied(target, test))
        }
        (Reading::NotEmpty, Some(target)) => texts::read_not_empty(reader, value, target),
        (Reading::Presence(is_present), Some(target)) => {
            paths::read_presence(reader, value, target, *is_present)
        }
        (Reading::Compare(how), Some(target)) => paths::read_comparison(reader, value, target, *how),
        (Reading::Reference, Some(target)) => paths::read_reference(reader, value, target),
        (Reading::Stored(read), Some(target)) => {
            let test = read(reader, value, target)?;
            Some(Condition::Stored(target.path.clone(), test))
        }
        (Reading::Count(bounds), _) => paths::read_count(reader, value, *bounds),
        (Reading::AllOrNone, _) => paths::read_all_or_none(reader, value),
        (Reading::Cel, _) => reader.read_cel(value),
        (_, None) => None,
    }
}

/// Reports a word that does not fit the type of the value at its path, with the words that do.
pub(crate) fn require_type(
    reader: &mut ConditionReader<'_, '_>,
    word: &str,
    target: &PathTarget<'_>,
    types: &[ValueType],
) -> Option<ValueType> {
    let found = ValueType::of_schema(target.schema);
    if types.contains(&found) {
        return Some(found);
    }
    let describe = |kind: &ValueType| match kind {
        ValueType::IntOrString => "an int-or-string".to_owned(),
        kind => kind.describe().to_owned(),
    };
    let wanted: Vec<_> = types.iter().map(describe).collect();
    let message = format!(
        "`{word}` is for {}, but {} is {}",
        kvrules_diagnostics::join_words(&wanted, "or"),
        target.path.name_value(),
        found.describe()
    );
    let field = offers::OfferedField { path: &target.path, schema: target.schema, root: reader.schema };
    let fits = |word: &&&Word| matches!(word.read, Reading::Test(_)) && (word.offer)(&field).is_some();
    let fitting: Vec<_> = WORDS.iter().filter(fits).map(|word| format!("`{}`", word.name)).collect();
    let help = format!("words for {}: {}", found.describe(), fitting.join(", "));
    reader.report_type(target.span, message, (!fitting.is_empty()).then_some(help.as_str()));
    None
}
