//! Reads the comparable units of a text.

use std::collections::BTreeSet;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::structural::check_schema;
use kvrules_crd::{LocatedResource, ResourceKind, locate_resources};
use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_extra_specs::read_document;
use kvrules_lint::lints::DUPLICATE_KEY;
use kvrules_sources::{
    FileReading, Operation, ParsedFile, ReadContext, Unit, VersionSchema, hides_others, read_definition,
    read_file, read_resource, with_written_documents,
};
use kvrules_syntax::Document;
use serde_json::Value;

use super::{ComparableUnit, CrdVersion, Policy, UnitContent, UnreadableError};

/// Returns the comparable units of a text; empty if it has none. `catalog` has the fields that its rules are about.
///
/// # Errors
///
/// The location and the reason if a part of the text cannot be read, because comparing the rest would give wrong results.
///
/// ```
/// use kvrules::{Catalog, FileId, SourceFile, diff::read_units};
///
/// let read = |text: &str| read_units(&SourceFile::new(FileId(0), "api.yaml", text), Catalog::kubevirt_vm());
/// let api = "openapi: 3.0.3\ncomponents:\n  schemas:\n    Box: {type: object}\n    Size: {type: integer}\n";
/// assert_eq!(read(api).unwrap().iter().map(|unit| unit.name.as_str()).collect::<Vec<_>>(), ["Box", "Size"]);
/// let error = read("type: object\nproperties: {size: {$ref: other.yaml}}\n").unwrap_err();
/// assert_eq!((error.message.as_str(), error.at.line), ("the reference `other.yaml` points to another document", 2));
/// ```
pub fn read_units(source: &SourceFile, catalog: &Catalog) -> Result<Vec<ComparableUnit>, UnreadableError> {
    read_units_in(source, &ReadContext::new(catalog))
}

/// Returns the comparable units of a text, as [`read_units`] does, in a context that has the definitions of RuleSets' subjects.
///
/// # Errors
///
/// As for [`read_units`].
pub fn read_units_in(
    source: &SourceFile,
    context: &ReadContext<'_>,
) -> Result<Vec<ComparableUnit>, UnreadableError> {
    let reading = read_file(source, context);
    let mut rules = read_rules(source, &reading)?;
    let tags = reading.templated.is_some().then(|| {
        let error = UnreadableError::at_offset(source, 0, "template tags keep this file from being compared");
        let help = "render the template and compare the result, as with `helm template`".to_owned();
        UnreadableError { help: Some(help), ..error }
    });
    let mut units = with_written_documents(source, |file| read_documents(file, tags.as_ref()))?;
    units.append(&mut rules);
    match tags {
        Some(error) if units.is_empty() && reading.contents.has_input_of(Operation::Compare) => Err(error),
        _ => Ok(units),
    }
}

/// Returns the units of documents that are compared as they are written. If `tags` is given, template tags are the reason why a
/// document cannot be read.
fn read_documents(
    file: &ParsedFile<'_>,
    tags: Option<&UnreadableError>,
) -> Result<Vec<ComparableUnit>, UnreadableError> {
    let mut found = Vec::new();
    for (number, units) in file.units_of(Operation::Compare).iter().enumerate() {
        let is_read =
            |unit: &Unit| unit.is_resource() || unit.schema_language().is_some() || unit.is_extra_specs();
        let Some(document) = file.documents.get(number).filter(|_| units.iter().any(is_read)) else {
            continue;
        };
        if document.has_unread_parts() {
            let at = document.problems().first().map_or(0, |problem| problem.span.start);
            let unread = || UnreadableError::at_offset(file.source, at, "this cannot be read");
            return Err(tags.cloned().unwrap_or_else(unread));
        }
        read_document_units(file.source, number, document, units, &mut found)?;
    }
    Ok(found)
}

fn read_document_units(
    source: &SourceFile,
    number: usize,
    document: &Document<'_>,
    units: &[Unit],
    found: &mut Vec<ComparableUnit>,
) -> Result<(), UnreadableError> {
    if units.iter().any(Unit::is_extra_specs) {
        found.push(extra_specs(source, document)?);
    }
    let language = units.iter().find_map(Unit::schema_language);
    if let (Some(language), Some(root)) = (language, document.root()) {
        found.extend(super::json_schema::read_units(source, number, root, language)?);
    }
    let spans: BTreeSet<_> = units.iter().map(|unit| unit.span).collect();
    let located = locate_resources(document).into_iter();
    for resource in located.filter(|resource| spans.contains(&resource.span().first_byte())) {
        if resource.kind == Some(ResourceKind::Definition) {
            found.extend(definition_versions(source, number, &resource)?);
        } else {
            found.push(policy(source, number, resource)?);
        }
    }
    Ok(())
}

fn read_rules(source: &SourceFile, reading: &FileReading) -> Result<Vec<ComparableUnit>, UnreadableError> {
    // Errors of the parsers make the file unreadable. Other errors concern single rules, which are left out with
    // their cause.
    let broken = reading.diagnostics.iter().find(|found| hides_others(found) && !found.is_of(&DUPLICATE_KEY));
    if let Some(found) = broken {
        return Err(unreadable_text(source, found));
    }
    // A rule of a RuleSet that is left out is a difference.
    if let Some(found) = super::rule_sets::find_error(reading) {
        return Err(unreadable_text(source, found));
    }
    let mut units = super::rule_sets::to_units(reading);
    let unit = |set: &kvrules_ir::ElaboratedSet| {
        let at = set.used_by.first().and_then(|user| user.origin.span()).map_or(0, |span| span.start);
        ComparableUnit { name: set.name.clone(), content: UnitContent::Rules(set.clone()), at }
    };
    units.extend(reading.sets.iter().map(unit));
    Ok(units)
}

fn unreadable_text(source: &SourceFile, found: &Diagnostic) -> UnreadableError {
    let error = UnreadableError::at_offset(source, found.primary.span.start, &found.message);
    UnreadableError { help: found.help.clone(), ..error }
}

fn extra_specs(source: &SourceFile, document: &Document<'_>) -> Result<ComparableUnit, UnreadableError> {
    let (read, problems) = read_document(document);
    if let Some(problem) = problems.iter().find(|problem| problem.level == Level::Error) {
        return Err(unreadable_text(source, problem));
    }
    let at = document.root().map_or(0, |root| root.span().start);
    Ok(ComparableUnit {
        name: "extra specs".to_owned(),
        content: UnitContent::ExtraSpecs(read.expand_definitions()),
        at,
    })
}

fn policy(
    source: &SourceFile,
    number: usize,
    resource: LocatedResource<'_>,
) -> Result<ComparableUnit, UnreadableError> {
    let value = read_resource(&resource)
        .map_err(|error| UnreadableError::at_offset(source, error.span.start, error.message))?;
    let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let content = Policy { kind: resource.name, value, address: (number, resource.path) };
    Ok(ComparableUnit {
        name,
        content: UnitContent::Policy(Box::new(content)),
        at: resource.node.span().start,
    })
}

fn definition_versions(
    source: &SourceFile,
    number: usize,
    resource: &LocatedResource<'_>,
) -> Result<Vec<ComparableUnit>, UnreadableError> {
    // Rules that a server rejects are compared: they may be what changed.
    let find_errors = |version: VersionSchema<'_>| {
        let report = check_schema(version.schema, version.prefix, version.has_status);
        if report.is_structural { Vec::new() } else { report.errors.into_iter().take(1).collect() }
    };
    let value = read_definition(resource, &find_errors).map_err(|errors| {
        let first = errors.first().map(|error| unreadable_text(source, error));
        first.unwrap_or_else(|| UnreadableError::at_offset(source, 0, "this cannot be read"))
    })?;
    let unit = |(index, version): (usize, ResourceVersion)| {
        let way = ["spec", "versions", &index.to_string(), "schema", "openAPIV3Schema"].map(str::to_owned);
        ComparableUnit {
            name: format!("{}/{}", version.definition, version.version),
            at: super::locate::find_node(resource.node, &way).span().start,
            content: UnitContent::Schema(Box::new(CrdVersion {
                version,
                address: (number, [resource.path.as_slice(), &way].concat()),
            })),
        }
    };
    Ok(ResourceVersion::of_definition(&value).into_iter().enumerate().map(unit).collect())
}
