//! Keys that the names of two definitions take, of which only one decides.

use kvrules_regex::python::PythonRegex;
use kvrules_regex::{Automaton, TextDemands, TextSearch};

use crate::definition::{Definition, ValueType};
use crate::index::{PatternIndex, PatternVerdict};
use crate::registry::{DefinitionRegistry, name_pattern};

/// A key that belongs to two definitions which ask for different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionOverlap {
    /// The name of the definition that decides about the key.
    pub decides: String,
    /// The name of the other, which refuses some of the values that the first takes.
    pub other: String,
    /// The key.
    pub key: String,
}

/// Keys that Nova's API accepts, except that it accepts none of more than 255 characters.
// nova api/openstack/compute/schemas/flavors_extraspecs.py, _metadata_key.
const KEYS: &str = "[a-zA-Z0-9_:. -]+";

/// Maximum number of searches for one pair of names, each of which excludes the keys of earlier definitions.
const TRIES: usize = 4;

/// The overlaps among definitions of one layer: for every two of them one key, if there is any.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_extra_specs::{find_overlaps, parse_definitions, shipped_document};
///
/// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///             - {name: 'a:{x}', value: {type: boolean}, parameters: [{name: x, pattern: 'b+'}]}\n\
///             - {name: 'a:{y}c', value: {type: integer}, parameters: [{name: y, pattern: 'b?'}]}\n\
///             - {name: 'a:bb', value: {type: integer}}\n";
/// let found = find_overlaps(&parse_definitions(FileId(0), text).0.expand_definitions());
/// assert_eq!((found.len(), found[0].key.as_str(), found[0].decides.as_str()), (1, "a:bb", "a:bb"));
/// assert!(find_overlaps(&shipped_document().expand_definitions()).is_empty());
/// ```
pub fn find_overlaps(definitions: &[Definition]) -> Vec<DefinitionOverlap> {
    let names: Vec<PatternName<'_>> =
        definitions.iter().filter(|one| one.is_patterned()).filter_map(PatternName::of).collect();
    let mut found = plain_overlaps(definitions, &names);
    let registry = DefinitionRegistry::new([definitions.to_vec()]);
    // All pairs can be tried, because `may_meet` rules out nearly every one before an automaton is built.
    for (at, first) in names.iter().enumerate() {
        for second in names.iter().skip(at + 1) {
            found.extend(pattern_overlap(&registry, first, second));
        }
    }
    found
}

/// True unless it is proved that no key has both names.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_extra_specs::{may_share_keys, parse_definitions};
///
/// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///             - {name: 'a:{x}', value: {type: boolean}, parameters: [{name: x, pattern: 'b+'}]}\n\
///             - {name: 'a:bb', value: {type: integer}}\n\
///             - {name: 'a:c', value: {type: integer}}\n";
/// let all = parse_definitions(FileId(0), text).0.expand_definitions();
/// assert!(may_share_keys(&all[0], &all[1]) && !may_share_keys(&all[0], &all[2]));
/// ```
pub fn may_share_keys(one: &Definition, other: &Definition) -> bool {
    if !one.is_patterned() && !other.is_patterned() {
        return one.name == other.name;
    }
    let (Some(one), Some(other)) = (PatternName::of(one), PatternName::of(other)) else { return true };
    if !one.may_meet(&other) {
        return false;
    }
    let (Some(one), Some(other)) = (one.automaton(), other.automaton()) else { return true };
    let demands = TextDemands { matches: &[&one, &other], ..TextDemands::default() };
    demands.find_text() != TextSearch::Nothing
}

/// A name with parameters.
struct PatternName<'d> {
    definition: &'d Definition,
    pattern: String,
    begin: String,
    end: String,
}

impl<'d> PatternName<'d> {
    fn of(definition: &'d Definition) -> Option<Self> {
        let pattern = name_pattern(&definition.pieces());
        let (begin, end) = PythonRegex::new(&pattern).ok()?.literal_ends();
        Some(Self { definition, pattern, begin, end })
    }

    fn automaton(&self) -> Option<Automaton> {
        build_automaton(&self.pattern)
    }

    /// True if the plain texts at both ends leave room for a key of both.
    fn may_meet(&self, other: &Self) -> bool {
        let begins = self.begin.starts_with(&other.begin) || other.begin.starts_with(&self.begin);
        begins && (self.end.ends_with(&other.end) || other.end.ends_with(&self.end))
    }
}

fn build_automaton(pattern: &str) -> Option<Automaton> {
    // A pattern without an automaton, as with a backreference, gets no overlap reported.
    PythonRegex::new(pattern).ok()?.to_regex().ok()?.to_automaton()
}

/// Plain names decide, whatever patterns take them too.
fn plain_overlaps(definitions: &[Definition], names: &[PatternName<'_>]) -> Vec<DefinitionOverlap> {
    let index = PatternIndex::new(names.iter().map(|name| name.pattern.as_str()));
    let mut found = Vec::new();
    for definition in definitions.iter().filter(|definition| !definition.is_patterned()) {
        let takes = |number: &usize| index.match_pattern(*number, &definition.name) == PatternVerdict::Match;
        for number in index.candidates(&definition.name).into_iter().filter(takes) {
            let Some(name) = names.get(number).filter(|name| refuses_some_value(name.definition, definition))
            else {
                continue;
            };
            found.push(to_overlap(definition, name.definition, definition.name.clone()));
        }
    }
    found
}

/// A key that the first of two patterns decides about and the second takes.
fn pattern_overlap(
    registry: &DefinitionRegistry,
    first: &PatternName<'_>,
    second: &PatternName<'_>,
) -> Option<DefinitionOverlap> {
    if !first.may_meet(second) || !refuses_some_value(second.definition, first.definition) {
        return None;
    }
    let (one, other, keys) = (first.automaton()?, second.automaton()?, build_automaton(KEYS)?);
    let mut before: Vec<Automaton> = Vec::new();
    for _ in 0..TRIES {
        let lacks: Vec<&Automaton> = before.iter().collect();
        let demands =
            TextDemands { matches: &[&one, &other, &keys], lacks: &lacks, ..TextDemands::default() };
        let TextSearch::Found(key) = demands.find_text() else { return None };
        let decides = registry.find_definition(&key)?.definition;
        if decides.name == first.definition.name {
            return Some(to_overlap(first.definition, second.definition, key));
        }
        // Another definition takes precedence for this key, so the next search excludes all keys of that one.
        before.push(build_automaton(&name_pattern(&decides.pieces()))?);
    }
    None
}

fn to_overlap(decides: &Definition, other: &Definition, key: String) -> DefinitionOverlap {
    DefinitionOverlap { decides: decides.name.clone(), other: other.name.clone(), key }
}

/// True if a definition rejects some value that another accepts, as far as can be seen.
fn refuses_some_value(definition: &Definition, other: &Definition) -> bool {
    let (own, others) = (&definition.value.r#type, &other.value.r#type);
    match (own, others) {
        (ValueType::String { members: None, pattern: None }, _)
        | (ValueType::Boolean, ValueType::Boolean) => false,
        (ValueType::Integer { min, max }, ValueType::Integer { min: least, max: greatest }) => {
            min.is_some_and(|min| least.is_none_or(|least| least < min))
                || max.is_some_and(|max| greatest.is_none_or(|greatest| greatest > max))
        }
        (_, ValueType::String { members: Some(members), pattern: None }) => {
            let prepared = crate::nova::PreparedDefinition::new(definition.into());
            members.iter().any(|member| !prepared.check(member.value()).is_accepted())
        }
        (ValueType::String { pattern: Some(own), .. }, ValueType::String { pattern: Some(others), .. }) => {
            // Compared as texts: two spellings of one set of values count as different.
            own != others
        }
        _ => true,
    }
}
