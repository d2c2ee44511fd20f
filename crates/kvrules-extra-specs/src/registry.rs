//! Lookup of the definition that decides about a key.
//!
//! Literal parts of a name are literal here, other than in Nova. A name that is the key letter for letter decides before
//! patterns of its layer, patterns decide in their order, and an earlier layer decides before a later one: what Nova
//! ships comes before what an operator adds, as the specification says.

mod conflict;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

pub use conflict::{ConflictKind, DefinitionConflict};

use crate::definition::{Definition, NamePiece, split_pieces};
use crate::form::NameForm;
use crate::index::{PatternIndex, PatternVerdict};
use crate::nova::{NovaDefinition, NovaOutcome, PreparedDefinition};

/// Definitions, prepared for look-ups.
#[derive(Debug)]
pub struct DefinitionRegistry {
    entries: Vec<RegistryEntry>,
    exact: HashMap<String, usize>,
    patterns: PatternIndex,
    /// Index of the entry of each pattern.
    patterned: Vec<usize>,
    namespaces: Vec<String>,
    namespace_patterns: PatternIndex,
    conflicts: Vec<DefinitionConflict>,
}

#[derive(Debug)]
pub(crate) struct RegistryEntry {
    pub(crate) definition: Definition,
    pub(crate) value: PreparedDefinition,
    /// Form of its keys, made on the first guess at a key.
    pub(crate) form: OnceLock<Option<NameForm>>,
    layer: usize,
}

/// The definition that decides about a key, and how it was found.
#[derive(Clone, Debug)]
pub struct DefinitionMatch<'r> {
    /// The definition.
    pub definition: &'r Definition,
    /// Way in which it was found.
    pub how: MatchKind,
    pub(crate) entry: &'r RegistryEntry,
}

/// Way in which a definition was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// The name is the key.
    Exact,
    /// The name matches the key; [`DefinitionRegistry::parameter_values`] returns what its parameters matched.
    Pattern,
}

impl DefinitionRegistry {
    /// A registry of layers, the one that decides first first.
    pub fn new(layers: impl IntoIterator<Item = Vec<Definition>>) -> Self {
        let mut entries = Vec::new();
        let mut exact = HashMap::new();
        let mut conflicts = Vec::new();
        let mut names: HashMap<String, usize> = HashMap::new();
        for (layer, definitions) in layers.into_iter().enumerate() {
            for definition in definitions {
                let first = names.get(&definition.name).and_then(|place| entries.get(*place));
                if let Some(first) = first {
                    // Nova replaces the earlier definition without a message (validators.py, load_validators).
                    conflicts.push(conflict::same_name(first, &definition));
                    continue;
                }
                names.insert(definition.name.clone(), entries.len());
                // A name with parameters is not a valid key: Nova finds it as an exact name, and then refuses it by
                // its own expression.
                if !definition.is_patterned() {
                    exact.insert(definition.name.clone(), entries.len());
                }
                let value = PreparedDefinition::new(NovaDefinition::from(&definition));
                entries.push(RegistryEntry { definition, value, form: OnceLock::new(), layer });
            }
        }
        let is_patterned =
            |place: &usize| entries.get(*place).is_some_and(|entry| entry.definition.is_patterned());
        let patterned: Vec<usize> = (0..entries.len()).filter(is_patterned).collect();
        let patterns: Vec<String> = patterned
            .iter()
            .filter_map(|place| entries.get(*place))
            .map(|entry| name_pattern(&entry.definition.pieces()))
            .collect();
        // Sorted, so that messages do not depend on the order of definitions.
        let namespaces: BTreeSet<(String, String)> =
            entries.iter().filter_map(|entry| namespace_pattern(&entry.definition)).collect();
        let namespace_patterns = PatternIndex::new(namespaces.iter().map(|(_, regex)| regex.as_str()));
        let mut registry = Self {
            exact,
            patterns: PatternIndex::new(patterns.iter().map(String::as_str)),
            patterned,
            namespaces: namespaces.into_iter().map(|(template, _)| template).collect(),
            namespace_patterns,
            entries,
            conflicts,
        };
        let shadowed = conflict::find_shadowed(&registry);
        registry.conflicts.extend(shadowed);
        registry
    }

    /// The definitions that are in force, in their order.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.entries.iter().map(|entry| &entry.definition)
    }

    /// The definitions that match some key, as one layer with the same results.
    pub fn in_force(&self) -> Vec<Definition> {
        let shadowed: BTreeSet<&str> = self
            .conflicts
            .iter()
            .filter(|conflict| conflict.kind == ConflictKind::Shadowed)
            .map(|conflict| conflict.loses.as_str())
            .collect();
        self.definitions().filter(|one| !shadowed.contains(one.name.as_str())).cloned().collect()
    }

    /// Returns the conflicts between two layers, or two definitions of one.
    pub fn conflicts(&self) -> &[DefinitionConflict] {
        &self.conflicts
    }

    /// The definition that decides about a key.
    pub fn find_definition(&self, key: &str) -> Option<DefinitionMatch<'_>> {
        let exact = self.exact.get(key).and_then(|place| self.entries.get(*place));
        // The exact names of the first layer take precedence over everything else, so no pattern is tried.
        if let Some(entry) = exact.filter(|entry| entry.layer == 0) {
            return Some(to_match(entry, MatchKind::Exact));
        }
        let layer = exact.map_or(usize::MAX, |entry| entry.layer);
        self.find_pattern(key, layer).or_else(|| exact.map(|entry| to_match(entry, MatchKind::Exact)))
    }

    /// Returns the values of the parameters in a key that a pattern matches.
    pub fn parameter_values(&self, key: &str) -> BTreeMap<String, String> {
        let number = self.first_pattern(key, usize::MAX);
        number.map_or_else(BTreeMap::new, |(number, _)| self.patterns.captures(number, key))
    }

    /// The definition of the first pattern that matches, of layers before this one.
    fn find_pattern(&self, key: &str, layer: usize) -> Option<DefinitionMatch<'_>> {
        self.first_pattern(key, layer).map(|(_, entry)| to_match(entry, MatchKind::Pattern))
    }

    fn first_pattern(&self, key: &str, layer: usize) -> Option<(usize, &RegistryEntry)> {
        self.patterns.candidates(key).into_iter().find_map(|number| {
            let entry = self.entries.get(*self.patterned.get(number)?)?;
            let matches =
                entry.layer < layer && self.patterns.match_pattern(number, key) == PatternVerdict::Match;
            matches.then_some((number, entry))
        })
    }

    /// The namespaces of definitions, as written: `hw`, `trait{group}`.
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    /// The namespaces that a text is one of, as written.
    pub fn namespaces_of<'r>(&'r self, text: &str) -> Vec<&'r str> {
        let fits =
            |number: &usize| self.namespace_patterns.match_pattern(*number, text) == PatternVerdict::Match;
        let numbers = self.namespace_patterns.candidates(text).into_iter().filter(fits);
        numbers.filter_map(|number| self.namespaces.get(number)).map(String::as_str).collect()
    }

    /// The definition of a name as written, parameters and all.
    pub fn by_template(&self, name: &str) -> Option<&Definition> {
        self.definitions().find(|definition| definition.name == name)
    }

    pub(crate) fn entries(&self) -> &[RegistryEntry] {
        &self.entries
    }
}

impl DefinitionMatch<'_> {
    /// Returns true if the definition accepts a value; `None` if a pattern cannot be decided.
    // By Nova's own checks of values: a registry differs from Nova only in how it finds a definition.
    pub fn accepts_value(&self, value: &str) -> Option<bool> {
        match self.entry.value.check(value) {
            NovaOutcome::Accepted => Some(true),
            NovaOutcome::Refused(_) => Some(false),
            NovaOutcome::Crash(_) | NovaOutcome::Unstable { .. } | NovaOutcome::Undecided => None,
        }
    }
}

impl RegistryEntry {
    pub(crate) fn layer(&self) -> usize {
        self.layer
    }
}

fn to_match(entry: &RegistryEntry, how: MatchKind) -> DefinitionMatch<'_> {
    DefinitionMatch { definition: &entry.definition, how, entry }
}

/// The namespace as written, and the pattern for it.
fn namespace_pattern(definition: &Definition) -> Option<(String, String)> {
    let namespace = definition.namespace()?.0;
    Some((namespace.to_owned(), name_pattern(&split_pieces(namespace, &definition.parameters))))
}

/// A Python pattern in which only parameters are patterns.
// Named groups as in base.py, ExtraSpecValidator.__post_init__, but with the literal parts escaped.
pub(crate) fn name_pattern(pieces: &[NamePiece<'_>]) -> String {
    let mut pattern = String::new();
    for piece in pieces {
        match piece {
            NamePiece::Text(text) => escape_pattern(text, &mut pattern),
            NamePiece::Parameter(parameter) => {
                pattern.extend(["(?P<", &parameter.name, ">", &parameter.pattern, ")"]);
            }
        }
    }
    pattern
}

/// A text as a pattern for itself.
pub(crate) fn escape_pattern(text: &str, out: &mut String) {
    for char in text.chars() {
        // `_` and `:` have no meaning in an expression; patterns are shown to people, so they stay readable.
        if char.is_ascii() && !char.is_ascii_alphanumeric() && char != '_' && char != ':' {
            out.push('\\');
        }
        out.push(char);
    }
}
