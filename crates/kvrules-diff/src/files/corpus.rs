//! Existing objects that the new side would reject.

use kvrules_diagnostics::SourceFile;
use kvrules_elaborate::object;
use kvrules_elaborate::template::TemplateKind;
use kvrules_eval::{Outcome, Program};
use kvrules_extra_specs::{Checker, DefinitionRegistry, Finding, ValidationMode, read_flavors};
use kvrules_ir::{ElaboratedSet, Severity};
use kvrules_kubernetes::keywords::LIST_TYPE;
use kvrules_sources::crd::RunResources;
use kvrules_syntax::kubernetes::{TypedObject, find_objects};
use kvrules_syntax::source_stream;
use serde::Serialize;
use serde_json::{Value, json};

use super::notations::{EngineVerdict, NotationEngines, PairedSides, pair_sides};
use super::{CrdVersion, IncomparableReason, Location, NamedPair, SideFile, UnitContent};
use crate::json_schema;
use crate::schema::{AdmissionVerdict, ObjectStep, SchemaEvaluator, path_text};

/// Both sides, ready to evaluate existing objects.
#[derive(Debug, Default)]
pub struct Corpus {
    schemas: Vec<SchemaSides>,
    plain: Vec<PlainSchemaSides>,
    sets: Vec<RuleSides>,
    notations: Vec<NotationEngines>,
    flavors: Option<[DefinitionRegistry; 2]>,
}

#[derive(Debug)]
struct SchemaSides {
    group: String,
    kind: String,
    versions: [String; 2],
    schema: Value,
    old: SchemaEvaluator,
    new: SchemaEvaluator,
}

#[derive(Debug)]
struct PlainSchemaSides {
    names: [String; 2],
    old: json_schema::SchemaValidator,
    new: json_schema::SchemaValidator,
}

#[derive(Debug)]
struct RuleSides {
    names: [String; 2],
    old: Vec<(Program, String)>,
    new: Vec<(Program, String)>,
    /// True if the new side has rules that cannot be evaluated.
    is_partial: bool,
}

/// Result of evaluating a corpus.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CorpusReport {
    /// The objects that were accepted and would be refused.
    pub refused: Vec<RefusedObject>,
    /// Number of objects evaluated by both sides.
    pub objects: usize,
    /// Number of them that the old side rejects already.
    pub refused_before: usize,
    /// Number of those that the new side would accept.
    pub accepted_now: usize,
    /// Number of objects whose kind is not compared.
    pub others: usize,
    /// The objects that are accepted and lose fields, which the old side stores.
    pub pruned: Vec<PrunedObject>,
    /// Number of objects about which rules without a meaning decide too.
    pub undecided: usize,
}

/// An object of which the server would drop fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrunedObject {
    /// Location of the object.
    pub at: Location,
    /// Name of the object.
    pub name: String,
    /// The fields that are dropped.
    pub fields: Vec<String>,
}

/// An object that would be refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedObject {
    /// Location of the object.
    pub at: Location,
    /// Name of the object.
    pub name: String,
    /// Reasons of the rejection.
    pub reasons: Vec<RefusalReason>,
    /// Result for updates.
    pub updates: UpdateOutcome,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusalReason {
    /// The reason with its place.
    pub text: String,
    /// The part of the object that an update must leave alone to pass; none if leaving it alone does not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<String>,
}

/// Result for an update of an object that would be rejected when created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateOutcome {
    /// It passes while what is refused is left alone.
    Passes,
    /// It is refused whatever it changes.
    Refused,
    /// Only a write to the status is refused; one of all else passes.
    Status,
    /// Without updates: a document is evaluated as it is.
    Whole,
}

impl Corpus {
    /// Prepares the two sides of a comparison for the evaluation of objects. JSON Schemas that are invalid are left out.
    ///
    /// ```
    /// use kvrules::diff::{Corpus, CorpusReport, SideFile, read_units};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let side = |most: u32| {
    ///     let path = "jsonpath::.spec.domain.cpu.cores";
    ///     let rule = format!(r#"{{"name": "cores", "rule": "integer", "message": "m", "path": "{path}", "max": {most}}}"#);
    ///     let text = format!("vm.kubevirt.io/validations: '[{rule}]'\n");
    ///     let source = SourceFile::new(FileId(0), "fedora.yaml", text);
    ///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    ///     [SideFile { path: String::new(), source, units }]
    /// };
    /// let vm = "kind: VirtualMachine\nmetadata: {name: large}\nspec: {template: {spec: {domain: {cpu: {cores: 6}}}}}\n";
    /// let mut report = CorpusReport::default();
    /// Corpus::new(&side(8), &side(4)).evaluate_objects(&SourceFile::new(FileId(1), "vm.yaml", vm), &mut report).unwrap();
    /// assert_eq!((report.refused_before, report.refused[0].name.as_str()), (0, "large"));
    /// ```
    pub fn new(old: &[SideFile], new: &[SideFile]) -> Self {
        let paired = pair_sides(old, new, &[], &RunResources::default());
        paired.map_or_else(|_| Self::default(), |paired| Self::of_pairs(old, new, &paired))
    }

    /// Prepares the sides of a comparison as [`new`](Self::new) does, for the pairs of
    /// [`compare_named_sides`](super::compare_named_sides).
    ///
    /// # Errors
    ///
    /// As for the comparison.
    pub fn of_named_sides(
        old: &[SideFile],
        new: &[SideFile],
        names: &[NamedPair],
        run: &RunResources,
    ) -> Result<Self, IncomparableReason> {
        Ok(Self::of_pairs(old, new, &pair_sides(old, new, names, run)?))
    }

    fn of_pairs(old: &[SideFile], new: &[SideFile], paired: &PairedSides<'_>) -> Self {
        let engines = |pair| NotationEngines::new(pair, [old, new]);
        let notations = paired.notations.iter().filter_map(engines).collect();
        let mut corpus = Self { notations, ..Self::default() };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for ((_, one), (_, other)) in &paired.matched.pairs {
            match (&one.content, &other.content) {
                (UnitContent::Schema(before), UnitContent::Schema(after)) => {
                    corpus.schemas.push(SchemaSides::new(before, after));
                }
                (UnitContent::Rules(before), UnitContent::Rules(after)) => {
                    corpus.sets.push(RuleSides {
                        names: [one.name.clone(), other.name.clone()],
                        old: compile_programs(before),
                        new: compile_programs(after),
                        is_partial: is_partial(before, after),
                    });
                }
                (UnitContent::JsonSchema(before), UnitContent::JsonSchema(after)) => {
                    let evaluates = (before.source.build_validator(), after.source.build_validator());
                    // The comparison has refused invalid schemas already.
                    if let (Ok(old), Ok(new)) = evaluates {
                        let names = [one.name.clone(), other.name.clone()];
                        corpus.plain.push(PlainSchemaSides { names, old, new });
                    }
                }
                (UnitContent::ExtraSpecs(before), UnitContent::ExtraSpecs(after)) => {
                    first.push(before.clone());
                    second.push(after.clone());
                }
                _ => {}
            }
        }
        if !first.is_empty() {
            corpus.flavors = Some([DefinitionRegistry::new(first), DefinitionRegistry::new(second)]);
        }
        corpus
    }

    /// Evaluates the objects of a text by both sides, and adds the results to a report.
    ///
    /// # Errors
    ///
    /// The first location in the text that is neither YAML nor JSON.
    ///
    /// ```
    /// use kvrules::diff::{Corpus, CorpusReport, SideFile, read_units};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let side = |most: u32| {
    ///     let text = format!("type: object\nproperties: {{size: {{type: integer, maximum: {most}}}}}\n");
    ///     let source = SourceFile::new(FileId(0), "box.yaml", text);
    ///     let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    ///     [SideFile { path: String::new(), source, units }]
    /// };
    /// let corpus = Corpus::new(&side(9), &side(5));
    /// let mut report = CorpusReport::default();
    /// corpus.evaluate_objects(&SourceFile::new(FileId(1), "boxes.yaml", "size: 7\n---\nsize: 1\n"), &mut report).unwrap();
    /// assert_eq!((report.objects, report.refused.len()), (2, 1));
    /// assert_eq!(report.refused[0].reasons[0].text, "size: 7 is greater than the maximum of 5");
    /// ```
    pub fn evaluate_objects(
        &self,
        source: &SourceFile,
        surveyed: &mut CorpusReport,
    ) -> Result<(), super::UnreadableError> {
        if let Some([old, new]) = &self.flavors {
            of_flavors(source, (old, new), surveyed);
            return Ok(());
        }
        let stream = source_stream(source);
        for document in &stream.documents {
            if let Some(problem) = document.problems().first() {
                let at = Location::from_offset(source, problem.span.start);
                let message = "this is neither YAML nor JSON".to_owned();
                return Err(super::UnreadableError { at, message, help: None });
            }
            for object in document.root().into_iter().flat_map(find_objects) {
                self.evaluate_object(source, object, surveyed);
            }
        }
        Ok(())
    }

    fn evaluate_object(&self, source: &SourceFile, found: TypedObject<'_>, surveyed: &mut CorpusReport) {
        let TypedObject { node, kind, .. } = found;
        if kind.is_empty() && !node.is_map() {
            return;
        }
        let Ok(object) = object::document_value(node) else {
            surveyed.others += 1;
            return;
        };
        let at = Location::from_offset(source, node.span().start);
        if let Some(schema) = self.schemas.iter().find(|schema| schema.is_about(&object)) {
            schema.evaluate_object(&object, at, surveyed);
        } else if let Some(notations) = self.notations.iter().find(|pair| pair.is_about(&object)) {
            evaluate_notations(notations, &object, at, surveyed);
        } else if let Some(schema) = self.plain_for(kind) {
            schema.evaluate_object(&object, at, surveyed);
        } else if let Some(rules) = self.rules_for(kind, &object) {
            rules.evaluate_object(&object, at, surveyed);
        } else {
            surveyed.others += 1;
        }
    }

    /// The only JSON Schema, else the one that is called as a kind, or ends in it behind a point.
    fn plain_for(&self, kind: &str) -> Option<&PlainSchemaSides> {
        let is_named = |schema: &&PlainSchemaSides| {
            schema.names.iter().any(|name| !kind.is_empty() && name.rsplit('.').next() == Some(kind))
        };
        match self.plain.as_slice() {
            [only] => Some(only),
            all => all.iter().find(is_named),
        }
    }

    /// The rules of the template that a machine names, or the only ones.
    fn rules_for(&self, kind: &str, object: &Value) -> Option<&RuleSides> {
        const LABEL: &str = "vm.kubevirt.io/template";
        let is_template =
            [TemplateKind::OpenShift, TemplateKind::KubeVirt].iter().any(|of| of.as_str() == kind);
        if self.sets.is_empty() || kind.is_empty() || is_template {
            return None;
        }
        let labels = ["/metadata/labels", "/metadata/annotations", "/spec/template/metadata/labels"];
        let named = labels.iter().find_map(|at| object.pointer(at)?.get(LABEL)?.as_str());
        let of = |name: &str| self.sets.iter().find(|set| set.names.iter().any(|known| known == name));
        match (named.and_then(of), self.sets.as_slice()) {
            (Some(set), _) => Some(set),
            (None, [only]) => Some(only),
            _ => None,
        }
    }
}

impl SchemaSides {
    fn new(old: &CrdVersion, new: &CrdVersion) -> Self {
        Self {
            group: new.version.group.clone(),
            kind: new.version.kind.clone(),
            versions: [old, new].map(|side| side.version.version.clone()),
            schema: new.version.schema.to_value(),
            old: SchemaEvaluator::new(old.compared_version()),
            new: SchemaEvaluator::new(new.compared_version()),
        }
    }

    fn is_about(&self, object: &Value) -> bool {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = text("apiVersion").split_once('/').unwrap_or_default();
        text("kind") == self.kind && group == self.group && self.versions.iter().any(|known| known == version)
    }

    fn evaluate_object(&self, object: &Value, at: Location, surveyed: &mut CorpusReport) {
        surveyed.objects += 1;
        // Stored objects are read without the fields that a schema does not have: these are no reason to reject them.
        let [(before, unknown), (after, dropped)] =
            [&self.old, &self.new].map(|side| side.evaluate_existing(object).without_unknown_fields());
        if before.is_refused() {
            surveyed.refused_before += 1;
            surveyed.accepted_now += usize::from(after.is_accepted());
            return;
        }
        if after.is_accepted() {
            let lost = dropped.iter().filter(|path| !unknown.contains(path));
            let fields: Vec<String> = lost.map(|path| path_text(path)).collect();
            if !fields.is_empty() {
                surveyed.pruned.push(PrunedObject { at, name: name_of(object), fields });
            }
            return;
        }
        // Find out if an update that changes only a label passes, since the server excuses errors in unchanged
        // fields.
        let mut touched = object.clone();
        if let Some(fields) = touched.as_object_mut() {
            let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
            if let Some(metadata) = metadata.as_object_mut() {
                metadata.insert("labels".to_owned(), json!({"touched": "by-kvrules"}));
            }
        }
        let is_accepted = |verdict: AdmissionVerdict| verdict.without_unknown_fields().0.is_accepted();
        let passes = is_accepted(self.new.evaluate_update(&touched, object));
        let updates = match passes {
            _ if is_accepted(self.new.evaluate_create(object)) => UpdateOutcome::Status,
            true => UpdateOutcome::Passes,
            false => UpdateOutcome::Refused,
        };
        let reasons = after.refusals.iter().map(|refusal| RefusalReason {
            text: refusal.to_message(),
            unchanged: Some(path_text(&self.correlated_path(&refusal.path)))
                .filter(|path| passes && !path.is_empty()),
        });
        let mut reasons: Vec<RefusalReason> = reasons.collect();
        reasons.dedup();
        surveyed.refused.push(RefusedObject { at, name: name_of(object), reasons, updates });
    }

    /// The part of a path whose value the server can find in the old object: elements are found in lists with keys only.
    fn correlated_path(&self, path: &[ObjectStep]) -> Vec<ObjectStep> {
        let mut at = Some(&self.schema);
        let mut kept = Vec::new();
        for step in path {
            let node = at.unwrap_or(&Value::Null);
            at = match step {
                ObjectStep::Field(name) => {
                    let property = node.get("properties").and_then(|properties| properties.get(name));
                    property.or_else(|| node.get("additionalProperties"))
                }
                ObjectStep::Item(_) if node.get(LIST_TYPE) == Some(&json!("map")) => node.get("items"),
                ObjectStep::Item(_) => break,
            };
            kept.push(step.clone());
        }
        kept
    }
}

impl PlainSchemaSides {
    fn evaluate_object(&self, object: &Value, at: Location, surveyed: &mut CorpusReport) {
        surveyed.objects += 1;
        let is_accepted = self.new.accepts_value(object);
        if !self.old.accepts_value(object) {
            surveyed.refused_before += 1;
            surveyed.accepted_now += usize::from(is_accepted);
        } else if !is_accepted {
            let refusals = self.new.find_refusals(object).into_iter();
            let reasons = refusals
                .map(|refusal| RefusalReason { text: refusal.to_message(), unchanged: None })
                .collect();
            let name = name_of(object);
            surveyed.refused.push(RefusedObject { at, name, reasons, updates: UpdateOutcome::Whole });
        }
    }
}

impl RuleSides {
    fn evaluate_object(&self, object: &Value, at: Location, surveyed: &mut CorpusReport) {
        surveyed.objects += 1;
        let broken = |rules: &[(Program, String)]| -> Vec<String> {
            let rejects = rules.iter().filter(|(program, _)| {
                let verdict = program.evaluate_object(object);
                verdict.outcome == Outcome::Violated && verdict.severity == Severity::Error
            });
            rejects.map(|(_, message)| message.clone()).collect()
        };
        let (before, after) = (broken(&self.old), broken(&self.new));
        if !before.is_empty() {
            surveyed.refused_before += 1;
            surveyed.accepted_now += usize::from(after.is_empty());
        } else if !after.is_empty() {
            let reasons = after.into_iter().map(|text| RefusalReason { text, unchanged: None }).collect();
            let name = name_of(object);
            surveyed.refused.push(RefusedObject { at, name, reasons, updates: UpdateOutcome::Refused });
        } else if self.is_partial {
            surveyed.undecided += 1;
        }
    }
}

/// Evaluates an object by two units of different notations.
fn evaluate_notations(pair: &NotationEngines, object: &Value, at: Location, surveyed: &mut CorpusReport) {
    surveyed.objects += 1;
    match pair.evaluate_object(object) {
        [EngineVerdict::Rejected(_), after] => {
            surveyed.refused_before += 1;
            surveyed.accepted_now += usize::from(after == EngineVerdict::Accepted);
        }
        [EngineVerdict::Accepted, EngineVerdict::Rejected(text)] => {
            let updates = match pair.evaluate_unchanged(object) {
                EngineVerdict::Accepted => UpdateOutcome::Passes,
                EngineVerdict::Rejected(_) | EngineVerdict::Unknown => UpdateOutcome::Refused,
            };
            let reasons = vec![RefusalReason { text, unchanged: None }];
            surveyed.refused.push(RefusedObject { at, name: name_of(object), reasons, updates });
        }
        [EngineVerdict::Unknown, _] | [_, EngineVerdict::Unknown] => surveyed.undecided += 1,
        [EngineVerdict::Accepted, EngineVerdict::Accepted] => {}
    }
}

/// True if a rule of the new side that is not one of the old side cannot be evaluated.
fn is_partial(old: &ElaboratedSet, new: &ElaboratedSet) -> bool {
    new.left_out.iter().any(|rule| !old.left_out.contains(rule))
        || new.rules.iter().any(|rule| Program::new(rule).is_err() && !old.rules.contains(rule))
}

fn compile_programs(set: &ElaboratedSet) -> Vec<(Program, String)> {
    let describe = |rule: &kvrules_ir::ElaboratedRule| format!("{}: {}", rule.name, rule.message);
    set.rules.iter().filter_map(|rule| Some((Program::new(rule).ok()?, describe(rule)))).collect()
}

fn of_flavors(
    source: &SourceFile,
    (old, new): (&DefinitionRegistry, &DefinitionRegistry),
    surveyed: &mut CorpusReport,
) {
    let read = read_flavors(source.id(), source.text());
    let (first, second) =
        (Checker::new(old, ValidationMode::Strict), Checker::new(new, ValidationMode::Strict));
    for flavor in &read.flavors {
        surveyed.objects += 1;
        let refused = |checker: &Checker<'_>, spec: &kvrules_extra_specs::FlavorSpec| {
            checker
                .check_one(&spec.key, &spec.value)
                .into_iter()
                .find(Finding::is_rejection)
                .map(|found| found.message)
        };
        let before = flavor.specs.iter().filter(|spec| refused(&first, spec).is_some()).count();
        surveyed.refused_before += usize::from(before > 0);
        let newly = flavor.specs.iter().filter(|spec| refused(&first, spec).is_none());
        let reasons: Vec<_> = newly
            .filter_map(|spec| {
                Some(RefusalReason { text: refused(&second, spec)?, unchanged: Some(spec.key.clone()) })
            })
            .collect();
        let now = flavor.specs.iter().any(|spec| refused(&second, spec).is_some());
        surveyed.accepted_now += usize::from(before > 0 && !now);
        if let (Some(first), false) = (flavor.specs.first(), reasons.is_empty()) {
            let at = Location::from_offset(source, first.key_span.start);
            let name = flavor.name.clone().unwrap_or_else(|| "flavor".to_owned());
            surveyed.refused.push(RefusedObject { at, name, reasons, updates: UpdateOutcome::Passes });
        }
    }
}

fn name_of(object: &Value) -> String {
    let text = |at: &str| object.pointer(at).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("/metadata/namespace"), text("/metadata/name")) {
        (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
        (_, name) => name.unwrap_or("without a name").to_owned(),
    }
}
