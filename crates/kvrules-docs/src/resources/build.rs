//! Adds the pages of definitions and policies to a document.

use std::collections::HashSet;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_crd::{ResourceKind, ResourceText};
use kvrules_emit::EmitError;
use kvrules_pages::names::{to_file_stem, unique_stem};
use kvrules_pages::resources::ResourcePage;
use kvrules_pages::{Document, largest_first};
use rayon::prelude::*;

use super::definition::{VersionInput, version_page};
use super::definition_targets::claim_fidelities;
use super::descriptions::DescriptionTexts;
use super::fields::SharedFacts;
use super::input::ResourcePagesInput;
use super::policy::{PolicyInput, policy_page};
use super::rule_index::RuleIndex;
use super::rule_sets::rule_set_page;
use super::values::text_of;

/// Adds a page for each served version of the definitions and for each policy; returns a note on each binding whose policy has no
/// page. Fails if a resource has nothing to describe.
pub fn add_resource_pages(
    document: &mut Document,
    given: &ResourcePagesInput<'_>,
) -> Result<Vec<String>, EmitError> {
    let mut stems = StemNames::of(document);
    let versions = find_versions(given, &mut stems)?;
    let mut policies = find_policies(given, &mut stems)?;
    let notes = add_bindings(given, &mut policies);
    link_parameters(&versions, &mut policies);
    let schemas: Vec<_> = versions.iter().map(VersionInput::schema_place).collect();
    // Targets share the formulas of rules.
    let claim = || claim_fidelities(&versions.iter().map(|input| &input.version).collect::<Vec<_>>());
    let (rules, claims) = RuleIndex::of_schemas(&schemas, given.notation, claim);
    let shared =
        SharedFacts { rules, descriptions: DescriptionTexts::in_notation(given.notation, given.format) };
    let claimed: Vec<_> = versions.iter().zip(&claims).enumerate().collect();
    let file_size = |version: &VersionInput<'_>| {
        given.places.sources.get(version.text.span.file).map_or(0, |file| file.text().len())
    };
    let mut pages: Vec<ResourcePage> = largest_first(
        &claimed,
        |(_, (version, _))| file_size(version),
        |(number, (version, claims))| version_page(version, (&shared, *number), claims, given),
    );
    pages.par_extend(policies.par_iter().map(|policy| policy_page(policy, given)));
    let named: Vec<_> = given.rule_sets.iter().map(|set| (*set, stems.add(&set.name))).collect();
    pages.par_extend(named.par_iter().map(|(set, stem)| rule_set_page(set, stem, given)));
    match notes.first() {
        Some(note) if pages.is_empty() && document.sets.is_empty() => {
            Err(EmitError { message: note.clone() })
        }
        _ => {
            document.add_resources(pages);
            // Large schemas take a while to free, in which no page could be made.
            drop(schemas);
            drop(shared.descriptions);
            rayon::join(|| drop((shared.rules, claims)), || drop(versions));
            Ok(notes)
        }
    }
}

/// The names of pages that are in use.
struct StemNames(HashSet<String>);

impl StemNames {
    fn of(document: &Document) -> Self {
        let sets = document.sets.iter().map(|set| match &set.group {
            Some(group) => to_file_stem(group),
            None => set.anchor.clone(),
        });
        Self(sets.chain(["index".to_owned(), "index-2".to_owned()]).collect())
    }

    fn add(&mut self, name: &str) -> String {
        unique_stem(&to_file_stem(name), &mut self.0)
    }
}

fn find_versions<'a>(
    given: &ResourcePagesInput<'a>,
    stems: &mut StemNames,
) -> Result<Vec<VersionInput<'a>>, EmitError> {
    let mut found = Vec::new();
    let definitions = given.resources.par_iter().filter(|text| text.kind == ResourceKind::Definition);
    let definitions: Vec<_> =
        definitions.map(|text| (text, ResourceVersion::of_shared_definition(&text.value))).collect();
    for (text, versions) in definitions {
        let start = found.len();
        let served: Vec<_> = versions.into_iter().filter(|version| version.is_served).collect();
        if served.is_empty() {
            let name = text_of(&text.value, "/metadata/name");
            let message = format!("no version of the definition `{name}` is served and has a schema");
            return Err(EmitError { message: given.located_message(text, &message) });
        }
        for version in served {
            let stem = stems.add(&version.file_stem());
            found.push(VersionInput { text, version, stem, others: Vec::new() });
        }
        link_versions(found.get_mut(start..).unwrap_or_default());
    }
    Ok(found)
}

/// Adds the pages of the other versions of a definition to each.
fn link_versions(versions: &mut [VersionInput<'_>]) {
    let pages: Vec<_> =
        versions.iter().map(|input| (input.version.version.clone(), input.stem.clone())).collect();
    for input in versions {
        input.others = pages.iter().filter(|(_, stem)| *stem != input.stem).cloned().collect();
    }
}

fn find_policies<'a>(
    given: &ResourcePagesInput<'a>,
    stems: &mut StemNames,
) -> Result<Vec<PolicyInput<'a>>, EmitError> {
    let mut found: Vec<PolicyInput<'a>> = Vec::new();
    // The page of a policy says what its engine makes of it.
    let is_written = |text: &&ResourceText| text.kind == ResourceKind::Policy && !text.is_generated();
    for text in given.resources.iter().filter(is_written) {
        let name = text_of(&text.value, "/metadata/name").to_owned();
        if found.iter().any(|other| other.name == name) {
            let message = given.located_message(text, &format!("two policies with the name `{name}`"));
            return Err(EmitError { message });
        }
        let stem = stems.add(&name);
        found.push(PolicyInput { text, name, stem, bindings: Vec::new(), params_page: None });
    }
    Ok(found)
}

/// Gives the policies the pages of the kinds of their parameters.
fn link_parameters(versions: &[VersionInput<'_>], policies: &mut [PolicyInput<'_>]) {
    for policy in policies {
        let kind = |name: &str| text_of(&policy.text.value, &format!("/spec/paramKind/{name}"));
        let is_kind = |input: &&VersionInput<'_>| {
            input.version.api_version() == kind("apiVersion") && input.version.kind == kind("kind")
        };
        policy.params_page = versions.iter().find(is_kind).map(|input| input.stem.clone());
    }
}

/// Gives the policies their bindings; returns notes on the others.
fn add_bindings<'a>(given: &ResourcePagesInput<'a>, policies: &mut [PolicyInput<'a>]) -> Vec<String> {
    let mut notes = Vec::new();
    for text in given.resources.iter().filter(|text| text.kind == ResourceKind::Binding) {
        let policy = text_of(&text.value, "/spec/policyName");
        if let Some(input) = policies.iter_mut().find(|input| input.name == policy) {
            input.bindings.push(text);
            continue;
        }
        let name = text_of(&text.value, "/metadata/name");
        let message = format!("the policy `{policy}` of the binding `{name}` is not among the inputs");
        notes.push(given.located_message(text, &message));
    }
    notes
}
