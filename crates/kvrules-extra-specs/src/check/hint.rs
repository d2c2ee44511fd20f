//! Suggestions for a wrong key or value: a key that is defined, or a value that is allowed.

use kvrules_diagnostics::{find_nearest, most_alike as best};

use crate::definition::{Definition, ValueType};
use crate::form::NameForm;
use crate::nova::NovaOutcome;
use crate::python::BOOLEAN_WORDS;
use crate::registry::{DefinitionMatch, DefinitionRegistry, RegistryEntry};

/// Least similarity of two keys of one namespace.
const SAME_NAMESPACE: f64 = 0.7;
/// Least similarity of two namespaces if the rest is equal.
const OTHER_NAMESPACE: f64 = 0.5;
/// Least similarity of whole keys whose namespaces differ.
const WHOLE_KEY: f64 = 0.85;

/// Help with a key that nothing matches.
pub(super) fn key_hint(registry: &DefinitionRegistry, key: &str) -> Option<String> {
    let near = match key.split_once(':') {
        Some((namespace, local)) => {
            let known = registry.namespaces_of(namespace);
            if known.is_empty() {
                in_other_namespace(registry, key, namespace, local)
            } else {
                in_namespace(registry, &known, namespace, local)
            }
        }
        None => without_namespace(registry, key),
    };
    near.map(|near| format!("did you mean `{near}`?"))
}

fn in_namespace(
    registry: &DefinitionRegistry,
    known: &[&str],
    namespace: &str,
    local: &str,
) -> Option<String> {
    let candidates: Vec<(String, String)> = registry
        .entries()
        .iter()
        .filter(|entry| entry.definition.namespace().is_some_and(|own| known.contains(&own.0)))
        .filter_map(|entry| local_form(entry, local))
        .map(|form| (form.clone(), form))
        .collect();
    let near = best(local, SAME_NAMESPACE, candidates.iter().map(|(form, near)| (form.as_str(), near)))?;
    Some(format!("{namespace}:{near}"))
}

fn in_other_namespace(
    registry: &DefinitionRegistry,
    key: &str,
    namespace: &str,
    local: &str,
) -> Option<String> {
    let mut same_local = Vec::new();
    let mut whole = Vec::new();
    for entry in registry.entries() {
        let (Some(group), Some(form)) = (entry.definition.group(), local_form(entry, local)) else {
            continue;
        };
        let candidate = format!("{group}:{form}");
        if form == local {
            same_local.push((group, candidate));
        } else {
            whole.push(candidate);
        }
    }
    best(namespace, OTHER_NAMESPACE, same_local.iter().map(|(group, candidate)| (*group, candidate)))
        .or_else(|| best(key, WHOLE_KEY, whole.iter().map(|candidate| (candidate.as_str(), candidate))))
        .cloned()
}

fn without_namespace(registry: &DefinitionRegistry, key: &str) -> Option<String> {
    let plain = registry.definitions().filter(|definition| definition.namespace().is_none());
    let near = best(key, WHOLE_KEY, plain.map(|definition| (definition.name.as_str(), &definition.name)));
    let in_namespace =
        |definition: &&Definition| definition.name.split_once(':').is_some_and(|(_, local)| local == key);
    let of_image = || {
        let named =
            registry.definitions().filter_map(|one| Some((one.image_property.as_deref()?, &one.name)));
        best(key, WHOLE_KEY, named)
    };
    near.or_else(|| registry.definitions().find(in_namespace).map(|definition| &definition.name))
        .or_else(of_image)
        .cloned()
}

/// The part of a definition's name behind its namespace, made as like as can be to what was written.
fn local_form(entry: &RegistryEntry, written: &str) -> Option<String> {
    let form = entry.form.get_or_init(|| NameForm::of(&entry.definition)).as_ref()?;
    let end = match &form.end {
        None => "",
        Some(matcher) => possible_tails(&form.begin, written).find(|tail| matcher.is_match(tail))?,
    };
    Some(format!("{}{end}", form.begin))
}

/// Returns the possible rests after a beginning that was written with a slip or two.
fn possible_tails<'t>(begin: &str, written: &'t str) -> impl Iterator<Item = &'t str> {
    let length = begin.len();
    [0isize, -1, 1, -2, 2].into_iter().filter_map(move |slip| {
        let tail = written.get(length.checked_add_signed(slip)?..)?;
        (!tail.is_empty()).then_some(tail)
    })
}

/// Help with a value that is refused.
pub(super) fn value_hint(found: &DefinitionMatch<'_>, value: &str) -> Option<String> {
    let did_you_mean = |text: &str| Some(format!("did you mean `{text}`?"));
    // Surrounding white space and wrong case are the most frequent errors.
    let trimmed = value.trim();
    for slip in [trimmed.to_owned(), trimmed.to_lowercase(), trimmed.to_uppercase()] {
        // Tried with Nova's check, so that a suggestion is never refused in its turn.
        if slip != value && found.entry.value.check(&slip) == NovaOutcome::Accepted {
            return did_you_mean(&slip);
        }
    }
    match &found.definition.value.r#type {
        ValueType::Integer { min, max } => Some(match (min, max) {
            (Some(min), Some(max)) => format!("write an integer from {min} to {max}"),
            (Some(min), None) => format!("write an integer of at least {min}"),
            (None, Some(max)) => format!("write an integer of at most {max}"),
            (None, None) => "write an integer".to_owned(),
        }),
        ValueType::Boolean => {
            // Words of one or two letters are similar to almost any value.
            match find_nearest(value, BOOLEAN_WORDS.into_iter().filter(|word| word.len() > 2)) {
                Some(word) => did_you_mean(word),
                None => Some("write `true` or `false`".to_owned()),
            }
        }
        ValueType::String { pattern: None, members: Some(members) } => {
            match find_nearest(value, members.iter().map(crate::definition::EnumMember::value)) {
                Some(near) => did_you_mean(near),
                None => None,
            }
        }
        ValueType::String { .. } => {
            let description = &found.definition.value.description;
            (!description.is_empty()).then(|| format!("expected: {description}"))
        }
    }
}
