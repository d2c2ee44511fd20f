//! Reads the comparable units of a text.

use std::collections::BTreeMap;
use std::rc::Rc;

use kvrules_apiserver::structural::check_schema;
use kvrules_crd::policy_kind;
use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::object::{self, ParameterValues};
use kvrules_elaborate::template::Template;
use kvrules_extra_specs::{is_definitions, read_document};
use kvrules_lint::lints::DUPLICATE_KEY;
use kvrules_sources::{FileReading, Operation, ReadContext, hides_others, read_file};
use kvrules_syntax::{Document, Node, ProblemKind, parse_stream};
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
    let name = source.name().to_ascii_lowercase();
    let is_text = [".md", ".markdown", ".rst", ".rest"].iter().any(|end| name.ends_with(end));
    let mut units = Vec::new();
    if !is_text {
        let stream = parse_stream(source.id(), source.text());
        for (number, document) in stream.documents.iter().enumerate() {
            let Some(root) = document.root() else { continue };
            if is_definitions(document) {
                check_intact(source, document)?;
                units.push(extra_specs(source, document)?);
            } else {
                let place = Place { address: (number, Vec::new()), template: None };
                look_into(source, document, root, &place, &mut units)?;
            }
        }
    }
    let reading = read_file(source, context);
    units.extend(read_rules(source, &reading)?);
    if units.is_empty() && reading.templated.is_some() && reading.contents.has_input_of(Operation::Compare) {
        let error = UnreadableError::at_offset(source, 0, "template tags keep this file from being compared");
        let help = "render the template and compare the result, as with `helm template`".to_owned();
        return Err(UnreadableError { help: Some(help), ..error });
    }
    Ok(units)
}

/// A document must be read to its end. Of a key that stands twice the last one counts, as it does for Kubernetes.
fn check_intact(source: &SourceFile, document: &Document<'_>) -> Result<(), UnreadableError> {
    let problem = document.problems().iter().find(|problem| problem.kind != ProblemKind::DuplicateKey);
    let Some(problem) = problem else { return Ok(()) };
    let message = match problem.kind {
        ProblemKind::TooDeep => "lists and maps nest too deep here".to_owned(),
        ProblemKind::AliasExpansion => "the aliases of this document expand too far".to_owned(),
        _ if problem.detail.is_empty() => "this is neither YAML nor JSON".to_owned(),
        _ => format!("this is neither YAML nor JSON: {}", problem.detail),
    };
    Err(UnreadableError::at_offset(source, problem.span.start, message))
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

/// Location of an object.
struct Place<'d> {
    /// Number of the document, and the way to the object in it.
    address: (usize, Vec<String>),
    /// The OpenShift template that it is in.
    template: Option<Template<'d>>,
}

/// The definitions in an object, which may be a list or a template of them.
fn look_into<'d>(
    source: &SourceFile,
    document: &Document<'_>,
    node: Node<'d>,
    place: &Place<'d>,
    units: &mut Vec<ComparableUnit>,
) -> Result<(), UnreadableError> {
    let address = &place.address;
    let mut inside = |objects: &str, template: Option<Template<'d>>| -> Result<(), UnreadableError> {
        let items = node.get(objects).into_iter().flat_map(Node::items);
        for (index, item) in items.enumerate() {
            let way = [address.1.as_slice(), &[objects.to_owned(), index.to_string()]].concat();
            let place = Place { address: (address.0, way), template };
            look_into(source, document, item, &place, units)?;
        }
        Ok(())
    };
    match node.get("kind").map(Node::text).unwrap_or_default() {
        "CustomResourceDefinition" => {
            check_intact(source, document)?;
            read_definition(source, node, place, units)
        }
        kind if kind.ends_with("List") => inside("items", place.template),
        // A template inside a template is one of its objects, and no server receives the definitions in it.
        "Template" if place.template.is_none() => inside("objects", Template::new(node)),
        "" if address.1.is_empty() && super::json_schema::is_schema(node) => {
            check_intact(source, document)?;
            units.extend(super::json_schema::read_units(source, address.0, node)?);
            Ok(())
        }
        _ => {
            let Some(kind) = policy_kind(node) else { return Ok(()) };
            check_intact(source, document)?;
            units.push(policy(source, node, kind, place)?);
            Ok(())
        }
    }
}

/// Returns an object as a server gets it; one in a template with the values of its parameters.
fn processed(
    source: &SourceFile,
    node: Node<'_>,
    template: Option<Template<'_>>,
) -> Result<Value, UnreadableError> {
    let value = match template {
        Some(template) => object::process_object(
            template,
            node,
            &ParameterValues::from_template(template, &BTreeMap::new()),
        ),
        None => object::document_value(node),
    };
    value.map_err(|error| UnreadableError::at_offset(source, error.span.start, error.message))
}

fn policy(
    source: &SourceFile,
    node: Node<'_>,
    kind: &'static str,
    Place { address: (number, way), template }: &Place<'_>,
) -> Result<ComparableUnit, UnreadableError> {
    let value = processed(source, node, *template)?;
    let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let content = Policy { kind, value, address: (*number, way.clone()) };
    Ok(ComparableUnit { name, content: UnitContent::Policy(Box::new(content)), at: node.span().start })
}

fn read_definition(
    source: &SourceFile,
    node: Node<'_>,
    Place { address: (number, way), template }: &Place<'_>,
    units: &mut Vec<ComparableUnit>,
) -> Result<(), UnreadableError> {
    let start = node.span().start;
    let api = node.get("apiVersion").map(Node::text).unwrap_or_default();
    if api != "apiextensions.k8s.io/v1" {
        let message = format!(
            "this CustomResourceDefinition is of `{api}`, but only `apiextensions.k8s.io/v1` is compared"
        );
        return Err(UnreadableError::at_offset(source, start, message));
    }
    let whole = Rc::new(processed(source, node, *template)?);
    let text = |at: &str| whole.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("/metadata/name");
    let versions = whole.pointer("/spec/versions").and_then(Value::as_array);
    let Some(versions) = versions.filter(|versions| !versions.is_empty()) else {
        let message = format!("the CustomResourceDefinition `{name}` has no versions");
        return Err(UnreadableError::at_offset(source, start, message));
    };
    for (index, version) in versions.iter().enumerate() {
        let label = version.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let place = ["spec", "versions", &index.to_string(), "schema", "openAPIV3Schema"].map(str::to_owned);
        let way = [way.as_slice(), &place].concat();
        let at = super::locate::find_node(node, &place).span().start;
        let schema = version.pointer("/schema/openAPIV3Schema").cloned();
        let Some(schema) = schema.filter(Value::is_object) else {
            let message = format!("the version `{label}` of `{name}` has no schema");
            return Err(UnreadableError::at_offset(source, at, message));
        };
        let has_status = version.pointer("/subresources/status").is_some_and(Value::is_object);
        let report = check_schema(&schema, "spec.validation", has_status);
        if let Some(error) = report.errors.first().filter(|_| !report.is_structural) {
            let message = format!(
                "the API server rejects the version `{label}` of `{name}`: {}: {}",
                error.field, error.detail
            );
            return Err(UnreadableError::at_offset(source, at, message));
        }
        let content = CrdVersion {
            group: text("/spec/group"),
            kind: text("/spec/names/kind"),
            version: label.clone(),
            schema,
            has_status,
            definition: Rc::clone(&whole),
            address: (*number, way),
        };
        units.push(ComparableUnit {
            name: format!("{name}/{label}"),
            content: UnitContent::Schema(Box::new(content)),
            at,
        });
    }
    Ok(())
}
