//! Rules of RuleSets as lines of source code: one block for each rule, under a comment with the path of the type or field.

use kvrules_apiserver::definition::{ResourceVersion, added_error};
use kvrules_apiserver::field_error::FieldError;
use kvrules_diagnostics::render::needs_escape;
use kvrules_generate::{PlaceStep, place_text, schema_at_place, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, definition_rules};
use kvrules_rule_set::AuthoredRule;
use serde_json::{Value, json};

use crate::authored_rules::{definition_cause, rule_fidelity};
use crate::fitted_rules::FittedRules;
use crate::{Emission, Fidelity, OutputFile, Request, RuleFidelity};

/// A rule, and the type or field that it belongs to.
pub(crate) struct MarkedRule<'r> {
    /// The path from the object; empty for the object.
    pub(crate) path: String,
    /// The schema there.
    pub(crate) node: &'r Value,
    /// The entry of `x-kubernetes-validations`.
    pub(crate) entry: Value,
    /// The rule in words.
    pub(crate) authored: Option<&'r AuthoredRule>,
}

/// Writes the lines of a rule.
///
/// # Errors
///
/// The cause for which there are none.
pub(crate) type WriteRule<'w> = dyn FnMut(&MarkedRule<'_>) -> Result<Vec<String>, String> + 'w;

/// Makes one file for each RuleSet about a custom resource.
pub(crate) fn emit_marked(request: &Request<'_>, kind: &str, write: &mut WriteRule<'_>) -> Emission {
    let mut emission = Emission::default();
    for version in request.resources {
        if let Some(cause) = definition_cause(version) {
            emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.to_owned())));
            continue;
        }
        let stem = version.file_stem();
        let mut text =
            format!("// {kind} of the RuleSet {stem}, for {} in {}.\n", version.kind, version.api_version());
        let fitted = FittedRules::of_version(version, request.servers);
        let rules = definition_rules(&version.schema);
        let entries: Vec<_> =
            rules.iter().map(|rule| fitted.entry_of(version, rule).map(marked_entry)).collect();
        let refused = RefusedEntries::find(version, rules.iter().zip(&entries), request);
        for (rule, entry) in rules.into_iter().zip(entries) {
            let name = rule.name_by_place();
            let has_unfit_path = place_text(&rule.place).contains(needs_escape);
            let lines = match (entry, refused.cause_of(&rule)) {
                _ if has_unfit_path => Err("the path has characters that a comment cannot show".to_owned()),
                (_, Some(cause)) => Err(cause),
                (None, None) => Err(fitted.losses.get(&name).cloned().unwrap_or_default()),
                (Some(entry), None) => write(&marked_rule(version, &rule, entry, request)),
            };
            let fidelity = match lines {
                Ok(lines) => {
                    text += &block_of(version, &rule, &lines);
                    Fidelity::Exact
                }
                Err(cause) => Fidelity::Unsupported(cause),
            };
            let set = crate::resource_schema::set_name(version);
            emission.fidelity.push(RuleFidelity { set, rule: name, fidelity });
        }
        emission.restated.extend(fitted.restated);
        emission.files.push(OutputFile { path: format!("{stem}.txt"), text });
    }
    emission
}

/// Returns an entry as a definition can have it that is written from types: they declare nothing of the metadata, so that no path of an
/// error may lead into them.
// controller-tools pkg/crd/known_types.go, KnownPackages, for ObjectMeta; kube-derive custom_resource.rs
pub fn marked_entry(mut entry: Value) -> Value {
    let is_of_metadata = |path: &str| path == ".metadata" || path.starts_with(".metadata.");
    if entry_text(&entry, "fieldPath").is_some_and(is_of_metadata)
        && let Some(fields) = entry.as_object_mut()
    {
        fields.shift_remove("fieldPath");
    }
    entry
}

/// Entries with which servers reject the definition that is written from types, each with the cause.
struct RefusedEntries(Vec<(Vec<PlaceStep>, usize, String)>);

impl RefusedEntries {
    /// Asks about all entries together, and about each alone if servers reject them.
    fn find<'e>(
        version: &ResourceVersion,
        entries: impl Iterator<Item = (&'e DefinitionRule<'e>, &'e Option<Value>)> + Clone,
        request: &Request<'_>,
    ) -> Self {
        let entries = entries.filter_map(|(rule, entry)| Some((rule, entry.as_ref()?)));
        let bare = typed_definition(version, std::iter::empty());
        let refusal = |definition: &Value| added_error(definition, &bare, request.servers);
        let Some(of_all) = refusal(&typed_definition(version, entries.clone())) else {
            return Self(Vec::new());
        };
        let describe = |error: &FieldError| {
            format!("servers reject the definition with it: `{}`: {}", error.field, error.detail)
        };
        let refused = |cause: String, rule: &DefinitionRule<'_>| (rule.place.clone(), rule.index, cause);
        let alone = entries.clone().filter_map(|(rule, entry)| {
            let error = refusal(&typed_definition(version, std::iter::once((rule, entry))))?;
            Some(refused(describe(&error), rule))
        });
        let alone: Vec<_> = alone.collect();
        if alone.is_empty() {
            return Self(entries.map(|(rule, _)| refused(describe(&of_all), rule)).collect());
        }
        Self(alone)
    }

    fn cause_of(&self, rule: &DefinitionRule<'_>) -> Option<String> {
        let is_it = |(place, index, _): &&(Vec<PlaceStep>, usize, String)| {
            *place == rule.place && *index == rule.index
        };
        self.0.iter().find(is_it).map(|(_, _, cause)| cause.clone())
    }
}

/// The definition of a version as it is written from types, with entries added.
fn typed_definition<'e>(
    version: &ResourceVersion,
    entries: impl Iterator<Item = (&'e DefinitionRule<'e>, &'e Value)>,
) -> Value {
    let mut definition = (*version.document).clone();
    let versions = definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
    let is_own = |listed: &&mut Value| listed.get("name").and_then(Value::as_str) == Some(&version.version);
    let own = versions.and_then(|versions| versions.iter_mut().find(is_own));
    let Some(schema) = own.and_then(|own| own.pointer_mut("/schema/openAPIV3Schema")) else {
        return definition;
    };
    if let Some(metadata) = schema.pointer_mut("/properties/metadata") {
        *metadata = json!({"type": "object"});
    }
    for (rule, entry) in entries {
        let node = schema_at_place_mut(schema, &rule.place).and_then(Value::as_object_mut);
        let rules = node.map(|node| node.entry(VALIDATIONS).or_insert_with(|| json!([])));
        if let Some(rules) = rules.and_then(Value::as_array_mut) {
            rules.push(entry.clone());
        }
    }
    definition
}

fn marked_rule<'r>(
    version: &'r ResourceVersion,
    rule: &DefinitionRule,
    entry: Value,
    request: &Request<'r>,
) -> MarkedRule<'r> {
    static NONE: Value = Value::Null;
    let by_place = rule.name_by_place();
    let name = version.shown_rule_name(&by_place);
    let set_name = version.authored.as_ref().map(|authored| authored.name.as_str());
    let set = request.authored.iter().find(|set| Some(set.name.as_str()) == set_name);
    MarkedRule {
        path: place_text(&rule.place),
        node: schema_at_place(&version.schema, &rule.place).unwrap_or(&NONE),
        entry,
        authored: set.and_then(|set| set.rules.iter().find(|known| known.name == name)),
    }
}

fn block_of(version: &ResourceVersion, rule: &DefinitionRule, lines: &[String]) -> String {
    let path = place_text(&rule.place);
    let separator = if path.is_empty() { "" } else { "." };
    let by_place = rule.name_by_place();
    let name = escape_comment(version.shown_rule_name(&by_place));
    format!("\n// {}{separator}{path}: {name}\n{}\n", version.kind, lines.join("\n"))
}

/// A text for a comment to the end of the line.
fn escape_comment(text: &str) -> String {
    let escape = |c: char| if needs_escape(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// The blocks of a file: the path of each, and its lines.
pub(crate) fn read_blocks<'t>(text: &'t str, kind: &str) -> Vec<(String, Vec<&'t str>)> {
    let mut blocks: Vec<(String, Vec<&str>)> = Vec::new();
    let mut is_start = false;
    for line in text.lines() {
        if is_start && let Some(head) = line.strip_prefix("// ").and_then(|head| head.strip_prefix(kind)) {
            let path = head.split(": ").next().unwrap_or_default().trim_start_matches('.');
            blocks.push((path.to_owned(), Vec::new()));
        } else if !line.is_empty()
            && let Some((_, lines)) = blocks.last_mut()
        {
            lines.push(line);
        }
        is_start = line.is_empty();
    }
    blocks
}

/// A field of an entry.
pub(crate) fn entry_text<'e>(entry: &'e Value, key: &str) -> Option<&'e str> {
    entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}
