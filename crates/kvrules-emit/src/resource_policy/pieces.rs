//! A part of a rule, rewritten for a policy, with what is known of its value.

use serde_json::Value;

use super::facts::{DataKind, TypedForm, data_kind, is_same_in_policies};
use super::names::LoopNames;

/// A part of a rule, rewritten.
#[derive(Clone, Debug)]
pub(super) struct Piece<'s> {
    pub(super) text: String,
    pub(super) origin: Origin<'s>,
}

/// Source of the value of a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'s> {
    /// An expression makes it, and it is the same as in the rule.
    Made,
    /// Data of the object. If it may be null, a null stands for a field that the rule does not see.
    Data { schema: &'s Value, is_nullable: bool },
    /// An optional of data.
    Optional(&'s Value),
    /// A list that an expression makes of data.
    Items(&'s Value),
}

/// Differences between rule and policy that remain although a rule is rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Remaining {
    /// It reads a duration of a schema, which has more forms than the function of the language knows.
    pub(super) reads_duration: bool,
}

/// The cause that rules out an exact rewriting.
pub(super) const BYTES: &str =
    "the rule reads a value of the format `byte` as bytes, which policies cannot decode";
const WHOLE: &str = "the rule passes on a whole value that is of another type in policies";

impl<'s> Piece<'s> {
    pub(super) fn made(text: String) -> Self {
        Self { text, origin: Origin::Made }
    }

    pub(super) fn data(text: String, schema: &'s Value) -> Self {
        Self { text, origin: Origin::Data { schema, is_nullable: false } }
    }

    /// With an error in place of null, as the rule has for a field that it does not see.
    pub(super) fn without_null(self, names: &mut LoopNames) -> Self {
        let Origin::Data { schema, is_nullable: true } = self.origin else { return self };
        let value = names.named("value");
        Self::data(format!("[{}].filter({value}, {value} != null)[0]", self.text), schema)
    }

    /// The value as the rule has it.
    pub(super) fn converted(
        self,
        names: &mut LoopNames,
        remaining: &mut Remaining,
    ) -> Result<String, String> {
        let Self { text, origin } = self.without_null(names);
        match origin {
            Origin::Made => Ok(text),
            Origin::Data { schema, .. } => match data_kind(schema) {
                DataKind::Typed(form) => convert_scalar(&text, form, remaining),
                DataKind::List(items, _) => convert_items(text, items, names, remaining),
                _ => keep_whole(text, schema),
            },
            Origin::Items(items) => convert_items(text, items, names, remaining),
            Origin::Optional(schema) => match data_kind(schema) {
                DataKind::Typed(form) => {
                    let value = names.named("value");
                    let converted = convert_scalar(&value, form, remaining)?;
                    Ok(format!("{text}.optMap({value}, {converted})"))
                }
                _ => keep_whole(text, schema),
            },
        }
    }
}

fn keep_whole(text: String, schema: &Value) -> Result<String, String> {
    if is_same_in_policies(schema) { Ok(text) } else { Err(WHOLE.to_owned()) }
}

fn convert_items(
    text: String,
    items: &Value,
    names: &mut LoopNames,
    remaining: &mut Remaining,
) -> Result<String, String> {
    let DataKind::Typed(form) = data_kind(items) else { return keep_whole(text, items) };
    let item = names.named("value");
    Ok(format!("{text}.map({item}, {})", convert_scalar(&item, form, remaining)?))
}

/// A scalar of an object in the type that rules give it.
// apiserver pkg/cel/common values.go, UnstructuredToVal
pub(super) fn convert_scalar(
    text: &str,
    form: TypedForm,
    remaining: &mut Remaining,
) -> Result<String, String> {
    Ok(match form {
        TypedForm::Double => format!("double({text})"),
        TypedForm::Timestamp => format!("timestamp({text})"),
        TypedForm::Date => format!("timestamp({text} + 'T00:00:00Z')"),
        TypedForm::Duration => {
            remaining.reads_duration = true;
            format!("duration({text})")
        }
        TypedForm::Bytes => return Err(BYTES.to_owned()),
    })
}
