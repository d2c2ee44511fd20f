//! Nova's decisions (34.0.0, on Python 3.11), reproduced exactly, crashes included.
//!
//! Nova takes the name of a definition for a regular expression as it stands, asks definitions in the order in which
//! they were registered, and knows a namespace by what is before the first `:` of such an expression. A definition
//! with an error is accepted and makes lookups fail later. All of it is described in `SEMANTICS.md` next to the recorded
//! cases. One thing is better here: every answer takes bounded time.
//!
//! ```
//! use kvrules_extra_specs::nova::{NovaValidator, NovaOutcome};
//! use kvrules_extra_specs::shipped_document;
//!
//! let nova = NovaValidator::from_definitions(&shipped_document().expand_definitions());
//! assert_eq!(nova.check_pair("hw:numa_cpusX0", "0-3"), NovaOutcome::Accepted);
//! let NovaOutcome::Refused(refusal) = nova.check_pair("hw:cpu_policy", "dddd") else { panic!() };
//! assert_eq!(refusal.text, "Validation failed; 'dddd' is not one of: dedicated, shared, mixed.");
//! ```

pub mod api;
mod definition;
mod outcome;
mod value;

use std::collections::{BTreeSet, HashMap};

pub(crate) use value::PreparedDefinition;

pub use definition::{ConstructError, NovaDefinition, NovaEnum, NovaType};
pub use outcome::{FoundDefinition, NovaOutcome, NovaRefusal, NovaRefusalKind};

use crate::definition::Definition;
use crate::index::{PatternIndex, PatternVerdict};
use crate::mode::ValidationMode;

/// Nova's validator with the definitions that it was given.
#[derive(Debug)]
// nova api/validation/extra_specs/validators.py: VALIDATORS and NAMESPACES.
pub struct NovaValidator {
    definitions: Vec<value::PreparedDefinition>,
    by_name: HashMap<String, usize>,
    names: PatternIndex,
    namespaces: Vec<String>,
    namespace_index: PatternIndex,
}

/// Result of looking up a name.
enum NameLookup<'n> {
    /// The definition, and by which pattern it was found where that was not by its exact name.
    Definition(&'n value::PreparedDefinition, Option<usize>),
    /// Nothing matches; whether the namespace is a registered one.
    None(NamespaceLookup),
    Crash(&'static str),
    Undecided,
}

enum NamespaceLookup {
    Known,
    Unknown,
    Crash(&'static str),
    /// One pattern matches and another crashes; their order changes between runs.
    Order(&'static str),
    Undecided,
}

impl NovaValidator {
    /// The validator over definitions in the order of their registration. One of a name that is there already takes
    /// the place of the first.
    // nova api/validation/extra_specs/validators.py, load_validators.
    pub fn new(definitions: impl IntoIterator<Item = NovaDefinition>) -> Self {
        let mut kept: Vec<NovaDefinition> = Vec::new();
        let mut by_name = HashMap::new();
        for definition in definitions {
            if let Some(old) = by_name.get(&definition.name).and_then(|place: &usize| kept.get_mut(*place)) {
                // VALIDATORS is a dict, in which a key that is assigned again keeps its place.
                *old = definition;
                continue;
            }
            by_name.insert(definition.name.clone(), kept.len());
            kept.push(definition);
        }
        // NAMESPACES is a set, whose order differs between runs. Ours is sorted, and a result that depends on the
        // order is `Unstable`.
        let namespaces: BTreeSet<String> = kept.iter().filter_map(NovaDefinition::namespace_regex).collect();
        let namespaces: Vec<String> = namespaces.into_iter().collect();
        Self {
            names: PatternIndex::new(kept.iter().map(|definition| definition.name_regex.as_str())),
            namespace_index: PatternIndex::new(namespaces.iter().map(String::as_str)),
            definitions: kept.into_iter().map(value::PreparedDefinition::new).collect(),
            by_name,
            namespaces,
        }
    }

    /// The validator over definitions of ours. Names and patterns are handed over as they are.
    pub fn from_definitions<'d>(definitions: impl IntoIterator<Item = &'d Definition>) -> Self {
        Self::new(definitions.into_iter().map(NovaDefinition::from))
    }

    /// The registered namespaces, as regular expressions.
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    /// Checks a pair as the validator does in the API from microversion 2.86 on.
    // nova api/validation/extra_specs/validators.py, validate.
    pub fn check_pair(&self, name: &str, value: &str) -> NovaOutcome {
        match self.lookup(name) {
            NameLookup::Definition(definition, pattern) => self.check_found(definition, pattern, name, value),
            // A name without a namespace, or with an unknown one, is not checked.
            NameLookup::None(NamespaceLookup::Unknown) => NovaOutcome::Accepted,
            NameLookup::None(NamespaceLookup::Known) => NovaOutcome::Refused(NovaRefusal::unknown_name(name)),
            NameLookup::None(NamespaceLookup::Order(class)) => NovaOutcome::Unstable { crash: class },
            NameLookup::None(NamespaceLookup::Crash(class)) | NameLookup::Crash(class) => {
                NovaOutcome::Crash(class)
            }
            NameLookup::None(NamespaceLookup::Undecided) | NameLookup::Undecided => NovaOutcome::Undecided,
        }
    }

    /// Checks a pair by the same definitions in a mode of the specification, which Nova never released.
    // The modes of the blueprint, with the validators of Nova: Nova took the parameter out before its release.
    pub fn check_in(&self, mode: ValidationMode, name: &str, value: &str) -> NovaOutcome {
        match (mode, self.lookup(name)) {
            (ValidationMode::Off, _) | (ValidationMode::Permissive, NameLookup::None(_)) => {
                NovaOutcome::Accepted
            }
            (_, NameLookup::Definition(definition, pattern)) => {
                self.check_found(definition, pattern, name, value)
            }
            (_, NameLookup::None(_)) => NovaOutcome::Refused(NovaRefusal::unknown_name(name)),
            (_, NameLookup::Crash(class)) => NovaOutcome::Crash(class),
            (_, NameLookup::Undecided) => NovaOutcome::Undecided,
        }
    }

    /// The definition that decides about a name.
    pub fn find_definition(&self, name: &str) -> Option<FoundDefinition> {
        match self.lookup(name) {
            NameLookup::Definition(definition, pattern) => Some(FoundDefinition {
                definition: definition.definition.name.clone(),
                parameters: pattern.map(|number| self.names.captures(number, name)),
            }),
            _ => None,
        }
    }

    /// True if what is before the first `:` is a registered namespace.
    pub fn knows_namespace(&self, name: &str) -> bool {
        matches!(self.namespace(name), NamespaceLookup::Known)
    }

    // nova api/validation/extra_specs/validators.py, validate: the dict first, then every `re.fullmatch` in turn.
    fn lookup(&self, name: &str) -> NameLookup<'_> {
        if let Some(definition) = self.by_name.get(name).and_then(|place| self.definitions.get(*place)) {
            return NameLookup::Definition(definition, None);
        }
        match self.names.first(name) {
            Some((place, PatternVerdict::Match)) => match self.definitions.get(place) {
                Some(definition) => NameLookup::Definition(definition, Some(place)),
                None => NameLookup::Undecided,
            },
            // An invalid expression raises re.error for every name that no earlier expression matches.
            Some((_, PatternVerdict::Broken(class))) => NameLookup::Crash(class),
            Some(_) => NameLookup::Undecided,
            None => NameLookup::None(self.namespace(name)),
        }
    }

    /// A definition found by its exact name must still match as a pattern.
    // nova api/validation/extra_specs/base.py, ExtraSpecValidator.validate.
    fn check_found(
        &self,
        definition: &value::PreparedDefinition,
        pattern: Option<usize>,
        name: &str,
        value: &str,
    ) -> NovaOutcome {
        // The lookup has matched the same expression already.
        if pattern.is_some() {
            return definition.check(value);
        }
        let place = self.by_name.get(&definition.definition.name).copied().unwrap_or(usize::MAX);
        match self.names.match_pattern(place, name) {
            PatternVerdict::Match => definition.check(value),
            PatternVerdict::NoMatch => {
                NovaOutcome::Refused(NovaRefusal::name_format(&definition.definition.name, name))
            }
            PatternVerdict::Broken(class) => NovaOutcome::Crash(class),
            PatternVerdict::Undecided => NovaOutcome::Undecided,
        }
    }

    // nova api/validation/extra_specs/validators.py, validate: the text before the first `:` against each namespace.
    fn namespace(&self, name: &str) -> NamespaceLookup {
        let Some((namespace, _)) = name.split_once(':') else { return NamespaceLookup::Unknown };
        let (mut known, mut crash, mut undecided) = (false, None, false);
        for number in self.namespace_index.candidates(namespace) {
            match self.namespace_index.match_pattern(number, namespace) {
                // Continue after a match, because a later expression may still raise an error.
                PatternVerdict::Match => known = true,
                PatternVerdict::Broken(class) => crash = Some(class),
                PatternVerdict::Undecided => undecided = true,
                PatternVerdict::NoMatch => {}
            }
        }
        match (known, crash) {
            _ if undecided => NamespaceLookup::Undecided,
            (true, Some(class)) => NamespaceLookup::Order(class),
            (false, Some(class)) => NamespaceLookup::Crash(class),
            (true, None) => NamespaceLookup::Known,
            (false, None) => NamespaceLookup::Unknown,
        }
    }
}
