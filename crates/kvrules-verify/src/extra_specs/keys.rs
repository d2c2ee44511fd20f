//! Keys that show what a name takes.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_extra_specs::{Definition, DefinitionOverlap, DefinitionRegistry, Parameter, find_overlaps};
use kvrules_regex::python::PythonRegex;

use crate::synthesise::texts_of;

/// Maximum number of keys of one definition that are tested.
const MOST: usize = 6;

/// The greatest number of characters of a key, and of a value.
pub(super) const LONGEST: usize = 255;

/// Keys by the name of the definition that decides about them.
pub(super) struct DefinitionKeys<'d> {
    keys: BTreeMap<String, BTreeSet<String>>,
    /// The definitions whose pattern takes keys of another, by the name of the latter.
    others: BTreeMap<String, Vec<&'d Definition>>,
}

impl<'d> DefinitionKeys<'d> {
    pub(super) fn new(registry: &DefinitionRegistry, definitions: &'d [Definition]) -> Self {
        let mut found = Self { keys: BTreeMap::new(), others: BTreeMap::new() };
        let met: Vec<DefinitionOverlap> = find_overlaps(definitions);
        // Keys that two names match show the most, so they come before those that fill up the number.
        for overlap in &met {
            found.put(registry, &overlap.key);
            let other = definitions.iter().find(|one| one.name == overlap.other);
            found.others.entry(overlap.decides.clone()).or_default().extend(other);
        }
        for definition in definitions {
            for key in make_keys(definition) {
                found.put(registry, &key);
            }
        }
        found
    }

    fn put(&mut self, registry: &DefinitionRegistry, key: &str) {
        let Some(decides) = registry.find_definition(key).map(|found| found.definition) else { return };
        if !is_key(key) && decides.is_patterned() {
            return;
        }
        let keys = self.keys.entry(decides.name.clone()).or_default();
        if keys.len() < MOST {
            keys.insert(key.to_owned());
        }
    }

    /// The keys of a definition.
    pub(super) fn of(&self, name: &str) -> Vec<String> {
        self.keys.get(name).into_iter().flatten().cloned().collect()
    }

    /// The definitions whose patterns take keys of this one too.
    pub(super) fn others(&self, name: &str) -> &[&'d Definition] {
        self.others.get(name).map_or(&[], Vec::as_slice)
    }
}

/// True if Nova's API accepts a key.
fn is_key(key: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_:. ".contains(char);
    (1..=LONGEST).contains(&key.chars().count()) && key.chars().all(is_plain)
}

/// Keys from a name, with texts that its parameters' patterns describe. Which definition takes them, the registry knows.
fn make_keys(definition: &Definition) -> Vec<String> {
    let texts: Vec<(String, Vec<String>)> =
        definition.parameters.iter().map(|one| (one.to_placeholder(), of_parameter(one))).collect();
    let longest = texts.iter().map(|(_, texts)| texts.len()).max().unwrap_or(1);
    let fill = |at: usize| {
        texts.iter().enumerate().fold(definition.name.clone(), |name, (number, (place, texts))| {
            // Each parameter starts with another text, so that empty texts are also combined with others.
            let text = texts.get((at + number) % texts.len().max(1)).map_or("", String::as_str);
            name.replace(place, text)
        })
    };
    (0..longest).map(fill).collect()
}

/// Texts that a parameter takes: those of its pattern, the shortest first.
fn of_parameter(parameter: &Parameter) -> Vec<String> {
    let Ok(regex) = PythonRegex::new(&parameter.pattern) else { return Vec::new() };
    let mut texts = regex.to_regex().map_or_else(|_| Vec::new(), |plain| texts_of(&plain));
    texts.extend(["", "0", "1", "x", "A", ":a", "_1"].map(str::to_owned));
    if let Ok(matcher) = regex.compile_matcher() {
        texts.retain(|text| matcher.is_match(text));
    }
    texts.retain(|text| text.is_empty() || is_key(text));
    texts.sort_by_key(|text| (text.len(), text.clone()));
    texts.dedup();
    texts
}
