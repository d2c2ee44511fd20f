//! RuleSets: the meaning of their rules compared with the expressions, and files with these expressions.
//!
//! The expressions at their places in the schema of the subject say what the conditions mean: that is shown on values. Other targets
//! are compared with the expressions, and a definition or a list of rules has to have exactly these.

use std::collections::BTreeMap;

use kvrules_apiserver::cost::review_with;
use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::definition::{ResourceVersion, added_error};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_apiserver::structural::SchemaOptions;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_diagnostics::Exactness;
use kvrules_emit::resource_schema::set_name;
use kvrules_emit::{Artefact, Emission, EmitError, ReadEntries, Request};
use kvrules_generate::{parse_place, place_text, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::rewrite::says_same;
use kvrules_lift::{Confirmation, DefinitionRule, confirm_rule, definition_rules, lift_expression};
use kvrules_rule_set::{RuleConfirmation, confirm_meaning};
use serde_json::{Value, json};

use super::VerifiedVersion;
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict};
use crate::report::RuleReport;
use crate::run::parse_documents;

/// Number of values on which the meaning of each rule is compared with its expression.
const VALUES: usize = 200;

/// The comparison of meaning and expression for each rule, by the RuleSet and the rule.
pub(super) type Meanings = BTreeMap<(String, String), RuleConfirmation>;

/// Compares the meaning of all rules with their expressions.
pub(super) fn confirm_rule_sets(request: &Request<'_>) -> Meanings {
    let of_set = |set: &kvrules_rule_set::RuleSet| {
        let confirmed = confirm_meaning(set, VALUES).into_iter();
        confirmed.map(|rule| ((set.name.clone(), rule.rule.clone()), rule)).collect::<Vec<_>>()
    };
    request.authored.iter().flat_map(of_set).collect()
}

/// Returns the finding about a rule whose expression has another meaning, or could not be tried.
pub(super) fn meaning_finding(confirmed: Option<&RuleConfirmation>) -> Option<ClaimFinding> {
    let confirmed = confirmed?;
    if let Some(departure) = &confirmed.departure {
        let verdict = |rejects: bool| ObjectVerdict { rejects, warns: false };
        let object = match &departure.stored {
            Some(stored) => json!({"object": departure.value, "oldObject": stored}),
            None => departure.value.clone(),
        };
        return Some(ClaimFinding::Fault(ClaimFault::UnclaimedDeparture {
            way: if departure.holds { Exactness::Narrower } else { Exactness::Wider },
            object,
            expected: verdict(!departure.holds),
            actual: verdict(departure.holds),
        }));
    }
    (confirmed.values == 0)
        .then(|| ClaimFinding::Inconclusive("no value of the rule was generated".to_owned()))
}

/// The way in which the rules of files are found.
#[derive(Clone, Copy)]
pub(super) enum EntryReading {
    /// In a definition, or a list of rules.
    Run(Artefact),
    /// In a text, as the target reads it.
    Text(ReadEntries),
}

/// Verifies a definition, or a list of rules: it has the rules, and servers take them.
pub(super) fn verify_entries(
    version: &ResourceVersion,
    reading: EntryReading,
    emission: Result<Emission, EmitError>,
    request: &Request<'_>,
) -> VerifiedVersion {
    let (set, not_run) =
        (set_name(version), |cause: String| ClaimFinding::Fault(ClaimFault::CannotRun(cause)));
    let emission = match emission {
        Ok(emission) => emission,
        Err(error) => {
            let claim = kvrules_emit::Fidelity::Exact;
            let rule = RuleReport {
                rule: set.clone(),
                sets: vec![set],
                claim,
                finding: not_run(error.message),
                objects: 0,
            };
            return VerifiedVersion { rules: vec![rule], objects: 0, ..VerifiedVersion::default() };
        }
    };
    let placed = placed_entries(version, reading, &emission);
    let refusal = match reading {
        EntryReading::Run(Artefact::Definition) => {
            let placed = placed.as_ref().ok();
            placed.and_then(|placed| {
                refusal_of(placed, request).or_else(|| rejection_of(version, placed, request))
            })
        }
        EntryReading::Text(_) => {
            placed.as_ref().ok().and_then(|placed| typed_rejection_of(version, placed, request))
        }
        EntryReading::Run(_) => None,
    };
    let known = definition_rules(&version.schema);
    let mut rules = Vec::new();
    for entry in &emission.fidelity {
        let is_claimed = entry.fidelity.exactness() != Exactness::Unsupported;
        let rule = known.iter().find(|rule| rule.name_by_place() == entry.rule);
        let (finding, objects) = match (&placed, &refusal) {
            _ if !is_claimed => (ClaimFinding::Unsupported, 0),
            (Err(cause), _) | (_, Some(cause)) => (not_run(cause.clone()), 0),
            (Ok(placed), None) => entry_finding(version, rule, (placed, reading), request.servers),
        };
        let (rule, claim) = (entry.rule.clone(), entry.fidelity.clone());
        rules.push(RuleReport { rule, sets: vec![set.clone()], claim, finding, objects });
    }
    // The values of rules that RuleSets state are those on which their meaning is compared.
    let objects = rules.iter().map(|rule| rule.objects).filter(|_| version.authored.is_none()).sum();
    VerifiedVersion { rules, objects, ..VerifiedVersion::default() }
}

/// The rules of the files, by their paths, and the schema of a definition.
#[derive(Default)]
struct PlacedEntries {
    by_path: BTreeMap<String, Vec<Value>>,
    schema: Option<Value>,
    /// The definition.
    document: Option<Value>,
}

fn placed_entries(
    version: &ResourceVersion,
    reading: EntryReading,
    emission: &Emission,
) -> Result<PlacedEntries, String> {
    if let EntryReading::Text(read_entries) = reading {
        let mut found = PlacedEntries::default();
        for (path, entry) in emission.files.iter().flat_map(|file| read_entries(&file.text, version)) {
            found.by_path.entry(path).or_default().push(entry);
        }
        return Ok(found);
    }
    let documents = if emission.files.is_empty() {
        Vec::new()
    } else {
        parse_documents(&emission.files).map_err(|error| error.0)?
    };
    let mut found = PlacedEntries::default();
    if !matches!(reading, EntryReading::Run(Artefact::Definition)) {
        for entry in documents.iter().filter_map(Value::as_array).flatten() {
            let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
            let rules = entry.get(VALIDATIONS).and_then(Value::as_array);
            found.by_path.entry(path.to_owned()).or_default().extend(rules.into_iter().flatten().cloned());
        }
        return Ok(found);
    }
    let emitted =
        documents.iter().flat_map(ResourceVersion::of_definition).find(|it| it.version == version.version);
    if let Some(emitted) = emitted {
        for rule in definition_rules(&emitted.schema) {
            let entry = kvrules_emit::rule_entry_at(&emitted.schema, &rule);
            found.by_path.entry(place_text(&rule.place)).or_default().push(entry);
        }
        found.schema = Some(emitted.schema.to_value());
        found.document = Some((*emitted.document).clone());
    }
    Ok(found)
}

/// The reason for which a server of the request rejects the schema.
fn refusal_of(placed: &PlacedEntries, request: &Request<'_>) -> Option<String> {
    let schema = placed.schema.as_ref()?;
    request.servers.iter().find_map(|version| {
        let options =
            SchemaOptions { server: ServerFeatures::of_version(version), ..SchemaOptions::default() };
        let review = review_with(schema, "spec.validation", &options);
        let mut errors = review.errors.iter().chain(review.rules.iter().flat_map(|rule| &rule.errors));
        let error = errors.next()?;
        Some(format!("the API server rejects it: {}: {}", error.field, error.detail))
    })
}

/// The reason for which a server of the request rejects the definition with the rules of a RuleSet and not without them.
fn rejection_of(version: &ResourceVersion, placed: &PlacedEntries, request: &Request<'_>) -> Option<String> {
    version.authored.as_ref()?;
    let error = added_error(placed.document.as_ref()?, &version.document, request.servers)?;
    Some(format!("the API server rejects it: {}: {}", error.field, error.detail))
}

/// The reason for which a server rejects the definition that types with these entries are written as: types declare no metadata.
fn typed_rejection_of(
    version: &ResourceVersion,
    placed: &PlacedEntries,
    request: &Request<'_>,
) -> Option<String> {
    let mut before = (*version.document).clone();
    let versions = before.pointer("/spec/versions").and_then(Value::as_array)?;
    let is_own = |listed: &Value| listed.get("name").and_then(Value::as_str) == Some(&version.version);
    let pointer = format!("/spec/versions/{}/schema/openAPIV3Schema", versions.iter().position(is_own)?);
    if let Some(fields) = before.pointer_mut(&format!("{pointer}/properties")).and_then(Value::as_object_mut)
    {
        fields.shift_remove("metadata");
    }
    let mut after = before.clone();
    let schema = after.pointer_mut(&pointer)?;
    for (path, entries) in &placed.by_path {
        let place = parse_place(path, schema)?;
        let node = schema_at_place_mut(schema, &place).and_then(Value::as_object_mut)?;
        let rules = node.entry(VALIDATIONS).or_insert_with(|| json!([]));
        rules.as_array_mut()?.extend(entries.iter().cloned());
    }
    let error = added_error(&after, &before, request.servers)?;
    Some(format!("the API server rejects the definition: {}: {}", error.field, error.detail))
}

/// True for the same entry. A keyword has the expression alone, and an entry with a computed message needs no other.
fn is_same_entry(entry: &Value, wanted: &Value) -> bool {
    let is_keyword = entry.as_object().is_some_and(|fields| fields.len() == 1);
    let without_message = || {
        let mut wanted = wanted.clone();
        let has_computed = wanted.get("messageExpression").is_some();
        wanted.as_object_mut().filter(|_| has_computed).map(|fields| fields.shift_remove("message"));
        wanted
    };
    entry == wanted || (is_keyword && entry.get("rule") == wanted.get("rule")) || *entry == without_message()
}

/// True if an entry differs from another in its rule and the message alone, and the rule is proved to say the same.
fn restates(entry: &Value, wanted: &Value, rule: &DefinitionRule) -> bool {
    let other_fields = |entry: &Value| {
        let mut entry = entry.clone();
        if let Some(fields) = entry.as_object_mut() {
            // A restated rule without a message shows the rule that the author wrote.
            for name in ["rule", "message", "messageExpression"] {
                fields.shift_remove(name);
            }
        }
        entry
    };
    let text =
        |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = |entry: &Value| match text(entry, "message").trim() {
        "" => format!("failed rule: {}", text(entry, "rule").trim()),
        own => own.to_owned(),
    };
    let (is_same_rule, form) = (text(entry, "rule") == rule.source.rule, text(entry, "rule"));
    other_fields(entry) == other_fields(wanted)
        && message(entry) == message(wanted)
        && (is_same_rule || says_same(rule, &form))
}

/// The finding about a rule, and the number of values on which the file's expression and the rule were compared.
fn entry_finding(
    version: &ResourceVersion,
    rule: Option<&DefinitionRule>,
    (placed, reading): (&PlacedEntries, EntryReading),
    servers: KubernetesVersions,
) -> (ClaimFinding, usize) {
    let fault = |cause: &str| (ClaimFinding::Fault(ClaimFault::CannotRun(cause.to_owned())), 0);
    let found = rule.and_then(|rule| {
        let wanted = kvrules_emit::rule_entry_for(version, rule, servers);
        let is_text = matches!(reading, EntryReading::Text(_));
        let wanted = if is_text { kvrules_emit::marked_entry(wanted) } else { wanted };
        let entries = placed.by_path.get(&place_text(&rule.place))?;
        let same = entries.iter().find(|entry| is_same_entry(entry, &wanted));
        let found = same.or_else(|| entries.iter().find(|entry| restates(entry, &wanted, rule)))?;
        Some((rule, found.get("rule")?.as_str()?))
    });
    let Some((rule, text)) = found else { return fault("the file does not have the rule at its place") };
    match compare_values(rule, text) {
        Some(confirmed) if confirmed.contradiction.is_some() => {
            fault("the file has a rule at its place that is evaluated otherwise")
        }
        confirmed => (ClaimFinding::Exact, confirmed.map_or(0, |confirmed| confirmed.objects)),
    }
}

/// Compares the server's evaluation of an expression with the formulas of a rule; `None` if it has none.
fn compare_values(rule: &DefinitionRule, text: &str) -> Option<Confirmation> {
    let (expression, checked) = rule.check_types().ok()?;
    let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
    let formulas = lift_expression(&expression, &checked, optional).ok()?;
    let source = RuleSource { rule: text.to_owned(), ..rule.source.clone() };
    let other = DefinitionRule { source, ..rule.clone() };
    let (expression, _) = other.check_types().ok()?;
    Some(confirm_rule(&other, &expression, &formulas, VALUES))
}
