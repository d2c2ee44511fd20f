//! The stored value next to a place, as far as a server finds it.

use serde_json::Value;

use super::equality::{EqualityWriter, key_names, same_keys};
use super::facts::{DataKind, ListType, data_kind, is_nullable, is_unchanged_if_equal};
use super::layout::{any_of, loop_text};
use super::names::LoopNames;
use super::path::{ValuePath, optional_select_text};
use super::pieces::Remaining;

/// The stored value of a place.
#[derive(Clone, Debug)]
pub(super) enum StoredPlace<'s> {
    /// A rule needs it; where it is absent the rule does not run.
    Required(ValuePath),
    /// A rule has it as an optional, which is empty if the value is null.
    Optional { text: String, is_nullable: bool },
    /// A rule does not name it, but an unchanged value is excused.
    Compared(ComparedPlace<'s>),
    /// A server finds none.
    Absent,
    /// A rule does not name it, and nothing is excused.
    Ignored,
}

/// A place and the stored one with which an update is compared.
#[derive(Clone, Debug)]
pub(super) struct ComparedPlace<'s> {
    new: ValuePath,
    old: ValuePath,
    schema: &'s Value,
    /// The lists with keys around it, outer ones first.
    lists: Vec<KeyedList>,
    /// True below a list without keys: the list as a whole has to be unchanged.
    is_fixed: bool,
    /// True where an update excuses nothing.
    is_never_unchanged: bool,
}

/// A stored list in which the item with the same keys is looked for.
#[derive(Clone, Debug)]
struct KeyedList {
    list: String,
    item: String,
    same_keys: String,
}

impl<'s> StoredPlace<'s> {
    /// The stored object, as a rule about transitions has it.
    pub(super) fn named(is_optional: bool) -> Self {
        if is_optional {
            let text = "optional.ofNonZeroValue(oldObject)".to_owned();
            return Self::Optional { text, is_nullable: false };
        }
        Self::Required(ValuePath::of_variable("oldObject"))
    }

    /// The stored object, as an update is compared with it.
    pub(super) fn compared(schema: &'s Value) -> Self {
        let (new, old) = (ValuePath::of_variable("object"), ValuePath::of_variable("oldObject"));
        // The metadata of objects have fields that no schema describes, so the whole object never counts as unchanged.
        let lists = Vec::new();
        Self::Compared(ComparedPlace { new, old, schema, lists, is_fixed: false, is_never_unchanged: true })
    }

    /// The stored value of a field. `new` is the place of the field.
    // apiextensions schema/cel/validation.go, validateMap; ratchetingOptions.key
    pub(super) fn field(self, name: &str, schema: &'s Value, new: &ValuePath) -> Self {
        match self {
            Self::Required(path) => Self::Required(path.field(name)),
            // Behind an optional step null has no fields either.
            Self::Optional { text, .. } => {
                Self::Optional { text: optional_select_text(&text, name), is_nullable: is_nullable(schema) }
            }
            Self::Compared(place) if place.is_fixed => Self::Compared(place),
            Self::Compared(place) => {
                let is_head = place.new.text() == "object" && matches!(name, "apiVersion" | "kind");
                let old = place.old.field(name);
                Self::Compared(ComparedPlace {
                    new: new.clone(),
                    old,
                    schema,
                    is_never_unchanged: is_head,
                    ..place
                })
            }
            Self::Absent => Self::Absent,
            Self::Ignored => Self::Ignored,
        }
    }

    /// The stored value of a key of a map. `key` is a variable.
    pub(super) fn key(self, key: &str, schema: &'s Value, new: &ValuePath) -> Self {
        match self {
            Self::Required(path) => Self::Required(path.key(key)),
            Self::Optional { text, .. } => {
                Self::Optional { text: format!("{text}[?{key}]"), is_nullable: is_nullable(schema) }
            }
            Self::Compared(place) if place.is_fixed => Self::Compared(place),
            Self::Compared(place) => {
                let old = place.old.key(key);
                Self::Compared(ComparedPlace { new: new.clone(), old, schema, ..place })
            }
            Self::Absent => Self::Absent,
            Self::Ignored => Self::Ignored,
        }
    }

    /// The stored item with the keys of an item, and the variable of a loop over the stored items if there is one. Items of other
    /// lists have no counterpart.
    // validation.go, validateArray; apiserver cel/common/maplist.go
    pub(super) fn item(
        self,
        list: &'s Value,
        item: &str,
        names: &mut LoopNames,
    ) -> (Self, Option<StoredLoop>) {
        if matches!(self, Self::Ignored) {
            return (Self::Ignored, None);
        }
        let (DataKind::List(items, list_type), place) = (data_kind(list), self) else {
            return (Self::Absent, None);
        };
        let ListType::Map(keys) = list_type else {
            return match place {
                Self::Compared(place) => (Self::Compared(ComparedPlace { is_fixed: true, ..place }), None),
                Self::Optional { .. } => {
                    (Self::Optional { text: "optional.none()".to_owned(), is_nullable: false }, None)
                }
                _ => (Self::Absent, None),
            };
        };
        let old = names.named("old");
        let same_keys = same_keys(&key_names(keys), &old, item);
        match place {
            Self::Required(path) => {
                let found = StoredLoop { list: path.text(), old: old.clone(), same_keys };
                (Self::Required(ValuePath::of_variable(&old)), Some(found))
            }
            Self::Optional { text, is_nullable: has_null } => {
                let list = if has_null { optional_without_null(&text, names) } else { text };
                let text = format!("{list}.orValue([]).filter({old}, {same_keys})[?0]");
                (Self::Optional { text, is_nullable: is_nullable(items) }, None)
            }
            Self::Compared(place) if place.is_fixed => (Self::Compared(place), None),
            Self::Compared(mut place) => {
                let list = format!("{}.orValue([])", place.old.optional_text());
                place.lists.push(KeyedList { list, item: old.clone(), same_keys });
                let (new, old) = (ValuePath::of_variable(item), ValuePath::of_variable(&old));
                (Self::Compared(ComparedPlace { new, old, schema: items, ..place }), None)
            }
            Self::Absent | Self::Ignored => (Self::Absent, None),
        }
    }
}

/// A loop over the stored items of a list.
#[derive(Clone, Debug)]
pub(super) struct StoredLoop {
    pub(super) list: String,
    pub(super) old: String,
    pub(super) same_keys: String,
}

impl StoredLoop {
    /// The text holds for the stored item with the same keys, if there is one.
    pub(super) fn around(&self, text: &str) -> String {
        let Self { list, old, same_keys } = self;
        let differs = match same_keys.split_once(" == ") {
            Some((one, other)) if !same_keys.contains(" && ") => format!("{one} != {other}"),
            _ => format!("!({same_keys})"),
        };
        loop_text(list, old, &any_of(&[differs, text.to_owned()]))
    }
}

impl ComparedPlace<'_> {
    /// True if the update leaves the value as it is; `None` if it never counts as unchanged.
    // apiextensions schema/cel/validation.go, shouldRatchetError
    pub(super) fn unchanged_text(&self, names: &mut LoopNames) -> Option<String> {
        if self.is_never_unchanged {
            return None;
        }
        let new = self.new.text();
        let is_whole_item = self.old.is_variable();
        let (inner, outer) = match self.lists.split_last() {
            // Equal items have equal keys.
            Some((last, outer)) if is_whole_item && is_unchanged_if_equal(self.schema) => {
                (format!("{new} in {}", last.list), outer)
            }
            _ => (self.compared_text(&new, names)?, self.lists.as_slice()),
        };
        let around = |text: String, list: &KeyedList| {
            let KeyedList { list, item, same_keys } = list;
            format!("{list}.exists({item}, {same_keys} && {text})")
        };
        Some(outer.iter().rev().fold(inner, around))
    }

    fn compared_text(&self, new: &str, names: &mut LoopNames) -> Option<String> {
        if is_unchanged_if_equal(self.schema) {
            return Some(format!("{new} == {}", self.old.nullable_text()));
        }
        let mut remaining = Remaining::default();
        let mut writer = EqualityWriter { names, remaining: &mut remaining };
        let same = writer.write_unchanged(new, &self.old.text(), self.schema)?;
        if self.old.is_variable() {
            return Some(same);
        }
        Some(format!("{} && {same}", self.old.present_text(is_nullable(self.schema))))
    }
}

/// An optional that is empty for null.
// The literal alone would give the optional the type of null.
pub(super) fn optional_without_null(text: &str, names: &mut LoopNames) -> String {
    let value = names.named("value");
    format!("{text}.optFlatMap({value}, {value} == dyn(null) ? optional.none() : optional.of({value}))")
}
