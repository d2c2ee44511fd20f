//! Changes between two texts, or two collections of them: rule sets of templates, CustomResourceDefinitions, admission policies,
//! JSON Schemas and those of OpenAPI documents, definitions of extra specs.
//!
//! [`read_units`] splits a text into [`ComparableUnit`]s, the things that can be compared, and [`compare_sides`]
//! matches those of two sides by location and name. [`Corpus`] then shows which existing objects the new side would
//! reject.
//!
//! ```
//! use kvrules::{Catalog, FileId, SourceFile};
//! use kvrules::diff::{Direction, SideFile, compare_sides, read_units};
//!
//! let rules = |most: u32| format!(
//!     "vm.kubevirt.io/validations: '[{{\"name\": \"r\", \"rule\": \"integer\", \"message\": \"m\", \
//!      \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": {most}}}]'\n"
//! );
//! let side = |file: u32, most| {
//!     let source = SourceFile::new(FileId(file), "r.yaml", rules(most));
//!     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
//!     vec![SideFile { path: String::new(), source, units }]
//! };
//! let diff = compare_sides(&side(0, 8), &side(1, 4)).unwrap();
//! let change = &diff.pairs[0].changes[0];
//! assert_eq!(change.change.direction, Direction::Tightened);
//! assert_eq!(change.new.as_ref().unwrap().line, 1);
//! ```

mod corpus;
mod json_schema;
mod kind;
mod locate;
mod notations;
mod pair;
mod read;
mod report_text;
mod rule_sets;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_extra_specs::Definition as ExtraSpec;
use kvrules_ir::ElaboratedSet;
use kvrules_rule_set::RuleSet;
use kvrules_sources::Input;
use kvrules_sources::crd::RunResources;
use serde::Serialize;
use serde_json::Value;

pub use crate::{
    Change, ChangedLimit, Direction, EffectAnswer, ExclusionProof, ProofExplanation, RequestSubject, Witness,
    WriteKind,
};
pub use corpus::{Corpus, CorpusReport, PrunedObject, RefusalReason, RefusedObject, UpdateOutcome};
pub use json_schema::PlainSchema;
pub use kind::ComparableKind;
pub use notations::NamedPair;
pub use read::{read_units, read_units_in};
pub use report_text::{limit_text, proof_text};

use crate::Comparison;
use crate::json_schema::InvalidSide;
use crate::schema::{Version, VersionContext, compare_versions_in};
use kind::RULE_SET;
use locate::SiteLocator;
use notations::PairedSides;

/// A text of one side, and what is in it.
#[derive(Debug)]
pub struct SideFile {
    /// Its path below the directory that was given; empty if a file was.
    pub path: String,
    /// The text.
    pub source: SourceFile,
    /// The comparable units, in the order of the text.
    pub units: Vec<ComparableUnit>,
}

/// Something that can be compared with another of its kind.
#[derive(Debug)]
pub struct ComparableUnit {
    /// Name of the unit.
    pub name: String,
    /// Content of the unit.
    pub content: UnitContent,
    /// Start of the unit, in bytes.
    pub at: u32,
}

/// Content of a unit.
#[derive(Debug)]
pub enum UnitContent {
    /// The rules of a template, a VirtualMachine or a bare annotation.
    Rules(ElaboratedSet),
    /// One version of a CustomResourceDefinition.
    Schema(Box<CrdVersion>),
    /// A JSON Schema, or a schema of an OpenAPI document.
    JsonSchema(Box<PlainSchema>),
    /// A RuleSet.
    RuleSet(Box<RuleSet>),
    /// An admission policy, a binding or a configuration of webhooks.
    Policy(Box<Policy>),
    /// The definitions of a document of extra specs.
    ExtraSpecs(Vec<ExtraSpec>),
}

/// A resource that decides about requests: an admission policy, a binding or a configuration of webhooks.
#[derive(Debug)]
pub struct Policy {
    /// Its kind.
    pub kind: &'static str,
    /// The whole resource.
    pub value: Value,
    /// Index of its document in the text, from 0, and the path to it in the document.
    address: (usize, Vec<String>),
}

/// One version of a CustomResourceDefinition.
#[derive(Debug)]
pub struct CrdVersion {
    /// The version.
    pub version: ResourceVersion,
    /// Index of its document in the text, from 0, and the path to the schema in it.
    address: (usize, Vec<String>),
}

impl CrdVersion {
    /// Returns the part of it that decides which objects are accepted.
    fn compared_version(&self) -> Version<'_> {
        Version { schema: &self.version.schema, has_status: self.version.has_status() }
    }
}

/// All differences.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The compared pairs, in the order of the old side.
    pub pairs: Vec<ComparedPair>,
    /// Units that only the new side has.
    pub added: Vec<UnpairedUnit>,
    /// Units that only the old side has.
    pub removed: Vec<UnpairedUnit>,
    /// Number of compared rules or fields.
    pub compared: usize,
    /// Number of changes of each direction.
    pub counts: BTreeMap<Direction, usize>,
}

/// Two things that were compared.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedPair {
    /// Kind of the two.
    pub kind: ComparableKind,
    /// Name of the old one.
    pub name: String,
    /// Name of the new one, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    /// Start of the old one.
    pub old: Location,
    /// Start of the new one.
    pub new: Location,
    /// Number of compared rules or fields.
    pub compared: usize,
    /// The steps that it took: cases, values and objects that were examined.
    #[serde(skip)]
    pub steps: u64,
    /// What is compared and what is not, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The differences.
    pub changes: Vec<LocatedChange>,
}

/// Something that only one side has.
#[derive(Debug, Serialize)]
pub struct UnpairedUnit {
    /// Kind of the unit.
    pub kind: ComparableKind,
    /// Name of the unit.
    pub name: String,
    /// Start of the unit.
    pub at: Location,
}

/// A change with its places.
#[derive(Debug, Serialize)]
pub struct LocatedChange {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// If something that was accepted is rejected.
    pub tightens: EffectAnswer,
    /// If something that was rejected is accepted.
    pub loosens: EffectAnswer,
    /// Location on the old side.
    pub old: Option<Location>,
    /// Location on the new side.
    pub new: Option<Location>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// The file, as messages call it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

impl Location {
    pub(crate) fn from_offset(source: &SourceFile, offset: u32) -> Self {
        let at = source.position_at(offset);
        Self { file: source.name().to_owned(), line: at.line, column: at.column }
    }
}

/// The reason why a text cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableError {
    /// Location of the problem.
    pub at: Location,
    /// The reason, in a sentence.
    pub message: String,
    /// Instruction for the user.
    pub help: Option<String>,
}

impl UnreadableError {
    fn at_offset(source: &SourceFile, offset: u32, message: impl Into<String>) -> Self {
        Self { at: Location::from_offset(source, offset), message: message.into(), help: None }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Diff {
    /// Returns the number of changes of a direction.
    ///
    /// ```
    /// use kvrules::diff::{Direction, SideFile, compare_sides, read_units};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let side = |least: u32, most: u32| {
    ///     let fields = format!("{{low: {{type: integer, minimum: {least}}}, high: {{type: integer, maximum: {most}}}}}");
    ///     let text = format!("type: object\nproperties: {fields}\n");
    ///     let source = SourceFile::new(FileId(0), "schema.yaml", text);
    ///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    ///     [SideFile { path: String::new(), source, units }]
    /// };
    /// let diff = compare_sides(&side(1, 9), &side(2, 10)).unwrap();
    /// let count = |direction| diff.count_changes(direction);
    /// assert_eq!((count(Direction::Tightened), count(Direction::Loosened), count(Direction::Unknown)), (1, 1, 0));
    /// ```
    pub fn count_changes(&self, direction: Direction) -> usize {
        self.counts.get(&direction).copied().unwrap_or(0)
    }

    /// Returns all changes, in the order of the compared pairs.
    ///
    /// ```
    /// use kvrules::diff::{SideFile, compare_sides, read_units};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let side = |definition: &str| {
    ///     let text = format!("kind: ExtraSpecDefinitions\nversion: 1\ndefinitions: [{definition}]\n");
    ///     let source = SourceFile::new(FileId(0), "acme.yaml", text);
    ///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    ///     [SideFile { path: String::new(), source, units }]
    /// };
    /// let old = side("{name: 'acme:tier', description: d, value: {type: string, enum: [gold, silver]}}");
    /// let new = side("{name: 'acme:tier', description: d, value: {type: string, enum: [gold]}}");
    /// let diff = compare_sides(&old, &new).unwrap();
    /// assert_eq!(diff.changes().map(|change| change.at.as_str()).collect::<Vec<_>>(), ["acme:tier"]);
    /// ```
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.pairs.iter().flat_map(|pair| &pair.changes).map(|located| &located.change)
    }

    /// True if the two sides do not differ in anything.
    ///
    /// ```
    /// use kvrules::diff::{SideFile, compare_sides, read_units};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let side = |schema: &str| {
    ///     let source = SourceFile::new(FileId(0), "schema.yaml", format!("type: object\nproperties: {{n: {schema}}}\n"));
    ///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    ///     [SideFile { path: String::new(), source, units }]
    /// };
    /// let old = side("{type: integer, minimum: 1}");
    /// assert!(compare_sides(&old, &side("{minimum: 1, type: integer}")).unwrap().is_empty());
    /// assert!(!compare_sides(&old, &side("{type: integer, minimum: 2}")).unwrap().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changes().next().is_none()
    }
}

/// The reason why two sides cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncomparableReason {
    /// They have no objects in common, or kvrules knows too little of these; a sentence says why.
    Subjects(String),
    /// No unit has the name that the user gave; a sentence says which.
    Names(String),
    /// No validator takes one of the schemas.
    Schema(UnreadableError),
}

/// Compares two sides, which must be about the same objects.
///
/// # Errors
///
/// The reason why they cannot be compared: they have no objects in common, or a JSON Schema is invalid.
///
/// ```
/// use kvrules::diff::{Direction, SideFile, compare_sides, read_units};
/// use kvrules::{Catalog, FileId, SourceFile};
///
/// let side = |most: u32| {
///     let text = format!(r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {{name: ponds.example.com}}
/// spec: {{group: example.com, names: {{kind: Pond}}, versions: [{{name: v1, schema: {{openAPIV3Schema: {{type: object,
///   properties: {{depth: {{type: integer, maximum: {most}}}}}}}}}}}]}}
/// "#);
///     let source = SourceFile::new(FileId(0), "crd.yaml", text);
///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
///     [SideFile { path: String::new(), source, units }]
/// };
/// let diff = compare_sides(&side(9), &side(5)).unwrap();
/// let change = &diff.pairs[0].changes[0].change;
/// assert_eq!(change.direction, Direction::Tightened);
/// assert_eq!(change.refused.as_ref().unwrap().object["depth"], 6);
/// ```
pub fn compare_sides(old: &[SideFile], new: &[SideFile]) -> Result<Diff, IncomparableReason> {
    compare_sides_with(old, new, &RunResources::default())
}

/// Compares two sides as [`compare_sides`] does; `run` has the definitions of the custom kinds that policies are about.
///
/// # Errors
///
/// As [`compare_sides`].
pub fn compare_sides_with(
    old: &[SideFile],
    new: &[SideFile],
    run: &RunResources,
) -> Result<Diff, IncomparableReason> {
    compare_named_sides(old, new, &[], run)
}

/// Compares two sides as [`compare_sides_with`] does, and the units with these names with each other.
///
/// # Errors
///
/// As [`compare_sides`]; or no unit has one of the names.
pub fn compare_named_sides(
    old: &[SideFile],
    new: &[SideFile],
    names: &[NamedPair],
    run: &RunResources,
) -> Result<Diff, IncomparableReason> {
    let PairedSides { matched, rule_sets, notations } = notations::pair_sides(old, new, names, run)?;
    let mut diff = Diff::default();
    let inputs = written_inputs(old, new);
    let (mut first, mut second) = (SiteLocator::new(&inputs), SiteLocator::new(&inputs));
    compare_pairs(&matched, &mut diff, run, (&mut first, &mut second))?;
    for (group, is_new) in rule_sets {
        diff.pairs.push(of_rule_sets(&group, is_new, &mut first, &mut second));
    }
    for pair in &notations {
        let compared = notations::compare_notations(pair, [old, new], run);
        let comparison = compared.map_err(IncomparableReason::Subjects)?;
        diff.pairs.push(of_notations(pair, comparison, &mut first, &mut second));
    }
    if diff.pairs.is_empty()
        && let Some(reason) = notations::refusal(old, new, run)
    {
        return Err(IncomparableReason::Subjects(reason));
    }
    let single = |(part, unit): &(&SideFile, &ComparableUnit)| UnpairedUnit {
        kind: unit.content.kind(),
        name: unit.name.clone(),
        at: Location::from_offset(&part.source, unit.at),
    };
    diff.added = matched.added.iter().map(single).collect();
    diff.removed = matched.removed.iter().map(single).collect();
    diff.compared = diff.pairs.iter().map(|pair| pair.compared).sum();
    let mut counts = BTreeMap::new();
    for change in diff.changes() {
        *counts.entry(change.direction).or_default() += 1;
    }
    diff.counts = counts;
    if run.explains_proofs() {
        note_missing_certificates(&mut diff);
    }
    Ok(diff)
}

/// Compares the pairs of one kind.
fn compare_pairs<'s>(
    matched: &pair::MatchedUnits<'s>,
    diff: &mut Diff,
    run: &RunResources,
    (first, second): (&mut SiteLocator<'s>, &mut SiteLocator<'s>),
) -> Result<(), IncomparableReason> {
    let mut definitions: Vec<[*const Value; 2]> = Vec::new();
    for (one, other) in &matched.pairs {
        diff.pairs.push(of_pair([*one, *other], run, first, second)?);
        if let (UnitContent::Schema(before), UnitContent::Schema(after)) = (&one.1.content, &other.1.content)
        {
            let both = [before, after].map(|side| Arc::as_ptr(&side.version.document));
            if !definitions.contains(&both) {
                definitions.push(both);
                diff.pairs.extend(rest_of_definition(*one, *other, first, second));
            }
        }
    }
    Ok(())
}

/// The changes of two units of different notations with their locations.
fn of_notations<'s>(
    pair: &notations::PairedNotations<'s>,
    comparison: Comparison,
    first: &mut SiteLocator<'s>,
    second: &mut SiteLocator<'s>,
) -> ComparedPair {
    let [old, new] = pair.units;
    let kind = old.1.content.kind();
    let renamed = format!("{} {}", new.1.content.kind(), new.1.name);
    let names = [old.1.name.as_str(), renamed.as_str()];
    let notes = notations::scope_notes(pair);
    ComparedPair { notes, ..located(kind, names, comparison, (old, new), (first, second)) }
}

/// Says of proofs without certificates that they have none.
fn note_missing_certificates(diff: &mut Diff) {
    let changes = diff.pairs.iter_mut().flat_map(|pair| &mut pair.changes);
    for proof in changes.flat_map(|located| &mut located.change.proofs) {
        let missing = || {
            let (lines, value) = kvrules_lift::explain_claim(&[None], &Value::Null);
            ProofExplanation { lines, value }
        };
        proof.explanation.get_or_insert_with(missing);
    }
}

/// The texts of both sides, to find locations in.
fn written_inputs<'s>(old: &'s [SideFile], new: &'s [SideFile]) -> HashMap<FileId, Input<'s>> {
    let sources = old.iter().chain(new).map(|part| &part.source);
    sources.map(|source| (source.id(), Input::parse_written(source))).collect()
}

type LocatedUnit<'s> = (&'s SideFile, &'s ComparableUnit);

fn of_pair<'s>(
    [old, new]: [LocatedUnit<'s>; 2],
    run: &RunResources,
    first: &mut SiteLocator<'s>,
    second: &mut SiteLocator<'s>,
) -> Result<ComparedPair, IncomparableReason> {
    let (before, after) = (&old.1.content, &new.1.content);
    let comparison = match (before, after) {
        (UnitContent::Rules(one), UnitContent::Rules(other)) => crate::rules::compare_rule_sets(one, other),
        (UnitContent::Schema(one), UnitContent::Schema(other)) => {
            compare_schemas(one, other, run.explains_proofs())
        }
        (UnitContent::Policy(one), UnitContent::Policy(other)) => {
            crate::resource::compare_policies(&one.value, &other.value, run.resources())
        }
        (UnitContent::RuleSet(one), UnitContent::RuleSet(other)) => rule_sets::compare_rule_sets(one, other),
        (UnitContent::ExtraSpecs(one), UnitContent::ExtraSpecs(other)) => {
            crate::extra_specs::compare_definitions(one, other)
        }
        (UnitContent::JsonSchema(one), UnitContent::JsonSchema(other)) => {
            let is_apart = |reference: &str| {
                json_schema::refers_to_schema(old.0, reference)
                    && json_schema::refers_to_schema(new.0, reference)
            };
            crate::json_schema::compare_schemas(&one.source, &other.source, &is_apart).map_err(|unfit| {
                let (found, places, why) = match unfit {
                    InvalidSide::Old(why) => (old, &mut *first, why),
                    InvalidSide::New(why) => (new, &mut *second, why),
                };
                let at = places.locate_site(&crate::ChangeSite::Pointer(why.place), found);
                let at = at.unwrap_or_else(|| Location::from_offset(&found.0.source, found.1.at));
                IncomparableReason::Schema(UnreadableError { at, message: why.message, help: None })
            })?
        }
        _ => Comparison::default(),
    };
    let names = [old, new].map(|found| found.1.name.as_str());
    Ok(located(before.kind(), names, comparison, (old, new), (first, second)))
}

/// Compares RuleSets with the definition that they are about.
fn of_rule_sets<'s>(
    (sets, definition): &(Vec<LocatedUnit<'s>>, LocatedUnit<'s>),
    is_new: bool,
    first: &mut SiteLocator<'s>,
    second: &mut SiteLocator<'s>,
) -> ComparedPair {
    let found: Vec<&RuleSet> = sets.iter().filter_map(|unit| rule_sets::rule_set_of(*unit)).collect();
    let comparison = match &definition.1.content {
        UnitContent::Schema(schema) => rule_sets::compare_with_definition(&found, schema, is_new),
        _ => Comparison::default(),
    };
    let set = sets.first().copied().unwrap_or(*definition);
    let (old, new) = if is_new { (*definition, set) } else { (set, *definition) };
    let names = [old.1.name.as_str(), new.1.name.as_str()];
    located(RULE_SET, names, comparison, (old, new), (first, second))
}

/// Returns the changes of two definitions outside of their schemas; `None` if there are none.
fn rest_of_definition<'s>(
    old: LocatedUnit<'s>,
    new: LocatedUnit<'s>,
    first: &mut SiteLocator<'s>,
    second: &mut SiteLocator<'s>,
) -> Option<ComparedPair> {
    let (UnitContent::Schema(one), UnitContent::Schema(other)) = (&old.1.content, &new.1.content) else {
        return None;
    };
    let [one, other] = [&one.version, &other.version];
    let matched = [one, other].map(|version| version.version.as_str());
    let comparison = crate::resource::compare_definitions(&one.document, &other.document, matched);
    let names = [old, new].map(|found| found.1.name.rsplit_once('/').map_or("", |(name, _)| name));
    // The definition is not one of its own objects, so it does not count as compared.
    let comparison = Comparison { compared: 0, ..comparison };
    let pair = located(
        ComparableKind::new("definition", "CustomResourceDefinitions"),
        names,
        comparison,
        (old, new),
        (first, second),
    );
    Some(pair).filter(|pair| !pair.changes.is_empty())
}

/// Gives the changes of a pair their locations.
fn located<'s>(
    kind: ComparableKind,
    [name, renamed]: [&str; 2],
    comparison: Comparison,
    (old, new): (LocatedUnit<'s>, LocatedUnit<'s>),
    (first, second): (&mut SiteLocator<'s>, &mut SiteLocator<'s>),
) -> ComparedPair {
    let located = |change: Change| {
        let (old, new) = (first.locate_site(&change.old, old), second.locate_site(&change.new, new));
        LocatedChange { tightens: change.tightens(), loosens: change.loosens(), change, old, new }
    };
    ComparedPair {
        kind,
        name: name.to_owned(),
        renamed: (name != renamed).then(|| renamed.to_owned()),
        old: Location::from_offset(&old.0.source, old.1.at),
        new: Location::from_offset(&new.0.source, new.1.at),
        compared: comparison.compared,
        steps: comparison.steps,
        notes: Vec::new(),
        changes: comparison.changes.into_iter().map(located).collect(),
    }
}

fn compare_schemas(old: &CrdVersion, new: &CrdVersion, explains_proofs: bool) -> Comparison {
    let head = serde_json::json!({
        "apiVersion": new.version.api_version(),
        "kind": new.version.kind,
        "metadata": {"name": "example"},
    });
    let context = VersionContext { explains_proofs, ..VersionContext::default() };
    compare_versions_in(old.compared_version(), new.compared_version(), &head, &context)
}

#[cfg(test)]
mod tests;
