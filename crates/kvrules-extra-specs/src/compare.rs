//! Compares two registries: definitions of only one of them, differences, and likely errors or patterns that are
//! slow in a backtracking engine in the second.

use std::collections::BTreeSet;

use kvrules_diagnostics::{Origin, find_nearest};
use kvrules_regex::AmbiguitySearch;
use kvrules_regex::python::PythonRegex;

use crate::definition::{Definition, EnumMember, Status, ValueType};
use crate::registry::{DefinitionRegistry, MatchKind};

/// One thing to know about the second of two registries next to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryNote {
    /// Kind of the note.
    pub kind: RegistryNoteKind,
    /// The name of the definition that it is about.
    pub name: String,
    /// The message, in a sentence.
    pub message: String,
    /// Location of the definition.
    pub origin: Origin,
}

/// Kinds of things to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistryNoteKind {
    /// Only the first has it.
    Missing,
    /// Only the second has it.
    Extra,
    /// Only the second has it, and the first has one that is spelled almost so.
    NearMiss,
    /// The types differ.
    Type,
    /// The lists of values differ.
    Enum,
    /// The bounds differ.
    Range,
    /// The patterns of values differ.
    Pattern,
    /// A name with parameters takes the name of another definition.
    Overlap,
    /// It is deprecated, and nothing says what to use instead.
    NoReplacement,
    /// A pattern takes an engine that backtracks exponential time.
    Exponential,
    /// A pattern is too large to decide if it takes such an engine exponential time.
    Undecided,
}

impl RegistryNoteKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Missing,
        Self::Extra,
        Self::NearMiss,
        Self::Type,
        Self::Enum,
        Self::Range,
        Self::Pattern,
        Self::Overlap,
        Self::NoReplacement,
        Self::Exponential,
        Self::Undecided,
    ];

    /// A stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::NearMiss => "near-miss",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Range => "range",
            Self::Pattern => "pattern",
            Self::Overlap => "overlap",
            Self::NoReplacement => "no-replacement",
            Self::Exponential => "exponential",
            Self::Undecided => "undecided",
        }
    }
}

/// Holds `second` against `first`, where a plain key of the second may be one that a pattern of the first takes.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_extra_specs::{cross_check, parse_definitions, shipped_document};
///
/// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///             - {name: 'hw:cpu_polcy', description: x, value: {type: string}}\n";
/// let notes = cross_check(&shipped_document().expand_definitions(), &parse_definitions(FileId(0), text).0.expand_definitions());
/// assert!(notes.iter().any(|note| note.message == "`hw:cpu_polcy` is spelled similarly to `hw:cpu_policy`"));
/// ```
pub fn cross_check(first: &[Definition], second: &[Definition]) -> Vec<RegistryNote> {
    let registry = DefinitionRegistry::new([first.to_vec()]);
    let mut notes = Vec::new();
    let mut covered = BTreeSet::new();
    for definition in second {
        let same = registry.by_template(&definition.name);
        match same.or_else(|| registry.find_definition(&definition.name).map(|found| found.definition)) {
            Some(known) => {
                covered.insert(known.name.as_str());
                compare_values(known, definition, &mut notes);
            }
            None => notes.push(unknown_key_note(&registry, definition)),
        }
    }
    for definition in first.iter().filter(|definition| !covered.contains(definition.name.as_str())) {
        let message = format!("`{}` is missing", definition.name);
        notes.push(RegistryNote {
            // A definition that the second registry lacks has no location there.
            origin: Origin::default(),
            ..to_note(RegistryNoteKind::Missing, definition, message)
        });
    }
    by_itself(second, &mut notes);
    notes
}

fn to_note(kind: RegistryNoteKind, definition: &Definition, message: String) -> RegistryNote {
    RegistryNote { kind, name: definition.name.clone(), message, origin: definition.origin }
}

fn unknown_key_note(registry: &DefinitionRegistry, definition: &Definition) -> RegistryNote {
    let names = registry.definitions().map(|known| known.name.as_str());
    match find_nearest(&definition.name, names)
        .filter(|near| strsim::damerau_levenshtein(near, &definition.name) <= 3)
    {
        Some(near) => {
            let message = format!("`{}` is spelled similarly to `{near}`", definition.name);
            to_note(RegistryNoteKind::NearMiss, definition, message)
        }
        None => to_note(
            RegistryNoteKind::Extra,
            definition,
            format!("`{}` is not defined in the first", definition.name),
        ),
    }
}

fn compare_values(known: &Definition, definition: &Definition, notes: &mut Vec<RegistryNote>) {
    let name = &definition.name;
    let mut tell = |kind, message| notes.push(to_note(kind, definition, message));
    let (listed, others) = (enum_members(&known.value.r#type), enum_members(&definition.value.r#type));
    if member_texts(listed) != member_texts(others) {
        tell(RegistryNoteKind::Enum, compare_lists(name, listed, others));
    }
    match (&known.value.r#type, &definition.value.r#type) {
        (ValueType::Integer { min, max }, ValueType::Integer { min: least, max: greatest }) => {
            if (min, max) != (least, greatest) {
                let shown = |bound: &Option<i128>| bound.map_or("none".to_owned(), |bound| bound.to_string());
                let (one, other) = ((shown(min), shown(max)), (shown(least), shown(greatest)));
                let message = format!(
                    "the bounds of `{name}` are {} and {} in the first, {} and {} in the second",
                    one.0, one.1, other.0, other.1
                );
                tell(RegistryNoteKind::Range, message);
            }
        }
        (ValueType::Boolean, ValueType::Boolean) => {}
        (ValueType::String { pattern, .. }, ValueType::String { pattern: other, .. }) => {
            if pattern != other {
                tell(RegistryNoteKind::Pattern, format!("the patterns of `{name}` differ"));
            }
        }
        (one, other) => {
            let message = format!(
                "`{name}` is of the type {} in the first, {} in the second",
                one.type_name(),
                other.type_name()
            );
            tell(RegistryNoteKind::Type, message);
        }
    }
}

fn enum_members(value: &ValueType) -> Option<&[EnumMember]> {
    match value {
        ValueType::String { members, .. } => members.as_deref(),
        ValueType::Integer { .. } | ValueType::Boolean => None,
    }
}

fn member_texts(members: Option<&[EnumMember]>) -> BTreeSet<&str> {
    members.unwrap_or_default().iter().map(EnumMember::value).collect()
}

fn compare_lists(name: &str, one: Option<&[EnumMember]>, other: Option<&[EnumMember]>) -> String {
    let only = |one, other| {
        let words: Vec<_> =
            member_texts(one).difference(&member_texts(other)).map(|word| format!("`{word}`")).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    };
    format!(
        "of the values of `{name}` only the first has {}, only the second {}",
        only(one, other),
        only(other, one)
    )
}

/// Adds the notes on definitions that need no other registry.
fn by_itself(definitions: &[Definition], notes: &mut Vec<RegistryNote>) {
    let patterned: Vec<_> =
        definitions.iter().filter(|definition| definition.is_patterned()).cloned().collect();
    // Exact names would take precedence over the patterns to compare, so they are left out.
    let patterns = DefinitionRegistry::new([patterned]);
    for definition in definitions {
        let name = &definition.name;
        if !definition.is_patterned()
            && let Some(found) =
                patterns.find_definition(name).filter(|found| found.how == MatchKind::Pattern)
        {
            let message = format!("`{}` also matches the key `{name}`", found.definition.name);
            notes.push(to_note(RegistryNoteKind::Overlap, definition, message));
        }
        if let Status::Deprecated { replacement: None, .. } = definition.status {
            let message = format!("`{name}` is deprecated without a replacement");
            notes.push(to_note(RegistryNoteKind::NoReplacement, definition, message));
        }
        notes.extend(exponential_note(definition));
    }
}

/// The first pattern of a definition that is exponential, with a text that shows it; else the first that is too large to decide.
fn exponential_note(definition: &Definition) -> Option<RegistryNote> {
    let of_value = match &definition.value.r#type {
        ValueType::String { pattern: Some(pattern), .. } => Some(pattern.as_str()),
        _ => None,
    };
    let of_name = definition.parameters.iter().map(|parameter| parameter.pattern.as_str());
    let mut undecided = None;
    for pattern in of_value.into_iter().chain(of_name) {
        let Some(regex) = PythonRegex::new(pattern).ok().and_then(|regex| regex.to_regex().ok()) else {
            continue;
        };
        match regex.exponential_ambiguity() {
            AmbiguitySearch::Found(found) => {
                let text = found.pumped_text(20);
                let message =
                    format!("the pattern `{pattern}` takes Python exponential time, as for {text:?}");
                return Some(to_note(RegistryNoteKind::Exponential, definition, message));
            }
            AmbiguitySearch::TooLarge => {
                let message = "too large to decide if the pattern takes Python exponential time";
                undecided.get_or_insert_with(|| {
                    to_note(RegistryNoteKind::Undecided, definition, message.to_owned())
                });
            }
            AmbiguitySearch::Nothing => {}
        }
    }
    undecided
}
