//! Real CustomResourceDefinitions become catalogs, and have the fields where the API server found rules.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop and speak"
)]

use std::collections::BTreeMap;
use std::path::Path;

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::ValueType;

fn read(path: &Path, choice: Option<&str>) -> Option<Catalog> {
    let file = SourceFile::new(FileId(0), path.to_string_lossy(), std::fs::read_to_string(path).unwrap());
    match Catalog::from_schema(&file, choice) {
        Ok(catalog) => Some(catalog),
        Err(problems) => {
            for problem in problems {
                let at = file.position_at(problem.span.start);
                println!("{}:{}:{}: {}", file.name(), at.line, at.column, problem.message);
            }
            None
        }
    }
}

/// The field at a path such as `openAPIV3Schema.properties[spec].items`.
fn at<'c>(catalog: &'c Catalog, schema_path: &str) -> Option<CatalogField<'c>> {
    let mut field = catalog.root();
    let steps = catalog.root_steps().iter().map(|step| format!(".properties[{step}]"));
    let start: String = std::iter::once("openAPIV3Schema".to_owned()).chain(steps).collect();
    let mut rest = schema_path.strip_prefix(&start)?;
    while !rest.is_empty() {
        let named = rest.strip_prefix(".properties[").and_then(|rest| rest.split_once(']'));
        if let Some((name, after)) = named {
            (field, rest) = (field.child_field(name)?, after);
        } else {
            rest = rest.strip_prefix(".items").or_else(|| rest.strip_prefix(".additionalProperties"))?;
            field = field.item_field()?;
        }
    }
    Some(field)
}

#[test]
fn every_recorded_definition_is_read_and_has_the_fields_that_its_rules_are_about() {
    let Some(facts) = kvrules_testdata::read_value("kubernetes/crds-facts.json") else { return };
    let folder =
        kvrules_testdata::find_path("kubernetes/crds").expect("the definitions lie beside their facts");
    let (mut files, mut found, mut wrong) = (0, 0, Vec::new());
    let facts = facts.as_array().unwrap();
    for fact in facts {
        let name = fact["file"].as_str().unwrap();
        let path = folder.join(name);
        // The server refused the definitions that store no version; each has one that can be chosen.
        let choice = (fact["accepted"] != true).then(|| version(&path));
        assert!(choice.is_none() || read(&path, None).is_none(), "{name}");
        let mut catalogs = BTreeMap::from([(None, read(&path, choice.as_deref()))]);
        files += usize::from(catalogs[&None].is_some());
        for rule in fact["rules"].as_array().unwrap() {
            let schema_path = rule["schemaPath"].as_str().unwrap();
            let version = rule["version"].as_str();
            let catalog = catalogs.entry(version).or_insert_with(|| read(&path, version));
            match catalog {
                Some(catalog) if at(catalog, schema_path).is_some() => found += 1,
                _ => wrong.push(format!("{name}: {schema_path}")),
            }
        }
    }
    let rules = found + wrong.len();
    println!("{files}/{} definitions read, {found}/{rules} places of rules found", facts.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(files, facts.len());
}

/// The name of the first version in a definition.
fn version(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let versions = stream.documents[0].root().unwrap().get("spec").unwrap().get("versions").unwrap();
    versions.items().next().unwrap().get("name").unwrap().text().to_owned()
}

#[test]
fn the_definition_of_virtual_machines_has_the_types_of_the_built_in_catalog() {
    let Some(path) = kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let catalog = read(&path, None).unwrap();
    assert_eq!(
        (catalog.kind(), catalog.root_steps()),
        (Some("VirtualMachine"), ["spec", "template"].as_slice())
    );
    let (mut same, mut all, mut differing) = (0, 0, Vec::new());
    let mut waiting = vec![(
        "spec".to_owned(),
        Catalog::kubevirt_vm().root().child_field("spec").unwrap(),
        catalog.root().child_field("spec"),
    )];
    while let Some((path, built_in, read)) = waiting.pop() {
        // Fields that the release of the definition does not have yet, or no longer.
        let Some(read) = read else { continue };
        all += 1;
        if read.value_type() == built_in.value_type() {
            same += 1;
        } else {
            differing.push(format!("{path}: {:?} and not {:?}", read.value_type(), built_in.value_type()));
        }
        for field in built_in.child_fields() {
            let other = read
                .item_field()
                .filter(|_| built_in.item_field().is_some())
                .or_else(|| read.child_field(field.name()));
            waiting.push((format!("{path}.{}", field.name()), field, other));
        }
    }
    println!("{same}/{all} fields of one type: {differing:?}");
    assert_eq!(catalog.root().child_field("metadata").unwrap().value_type(), ValueType::Object);
    assert!(same > 500 && differing.is_empty(), "{differing:#?}");
}
