//! The shipped definitions against the facts recorded of Nova, field by field.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at a surprise, and shows how many facts agreed"
)]

mod tally;

use std::path::Path;

use kvrules_diagnostics::FileId;
use kvrules_extra_specs::nova::{NovaDefinition, NovaType};
use kvrules_extra_specs::{
    Definition, DefinitionRegistry, EnumMember, SHIPPED_YAML, Status, ValueType, parse_definitions,
    shipped_document, write_json, write_yaml,
};
use serde_json::{Value, json};
use tally::Tally;

fn value(definition: &Definition) -> Value {
    let mut value = serde_json::Map::new();
    let r#type = match NovaDefinition::from(definition).r#type {
        NovaType::Int => "int",
        NovaType::Bool => "bool",
        NovaType::Str => "str",
    };
    value.insert("type".to_owned(), json!(r#type));
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            value.extend(min.map(|min| ("min".to_owned(), json!(i64::try_from(min).unwrap()))));
            value.extend(max.map(|max| ("max".to_owned(), json!(i64::try_from(max).unwrap()))));
        }
        ValueType::Boolean => {}
        ValueType::String { members, pattern } => {
            let texts = members.as_ref().map(|all| all.iter().map(EnumMember::value).collect::<Vec<_>>());
            value.extend(texts.map(|texts| ("enum".to_owned(), json!(texts))));
            value.extend(pattern.as_ref().map(|pattern| ("pattern".to_owned(), json!(pattern))));
        }
    }
    value.into()
}

#[test]
fn the_shipped_definitions_are_novas_in_every_field() {
    let Some(facts) = kvrules_testdata::read_value("nova/extra-specs-facts.json") else { return };
    let facts = facts["definitions"].as_array().unwrap();
    let definitions = shipped_document().expand_definitions();
    assert_eq!(definitions.len(), facts.len());
    let mut tally = Tally::default();
    for (ours, fact) in definitions.iter().zip(facts) {
        let name = fact["name"].as_str().unwrap();
        let nova = NovaDefinition::from(ours);
        let parameters: Vec<_> = fact["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|parameter| json!([parameter["name"], parameter["pattern"]]))
            .collect();
        let own: Vec<_> =
            ours.parameters.iter().map(|parameter| json!([parameter.name, parameter.pattern])).collect();
        let own_drivers = !fact["virt_drivers"].as_array().unwrap().is_empty();
        let drivers = &fact[if own_drivers { "virt_drivers" } else { "group_virt_drivers" }];
        for (field, ours, theirs) in [
            ("name", json!(ours.name), fact["name"].clone()),
            ("name regex", json!(nova.name_regex), fact["name_regex"].clone()),
            ("namespace", json!(nova.namespace_regex()), fact["namespace_regex"].clone()),
            ("group", json!(ours.group()), fact["group"].clone()),
            ("parameters", json!(own), json!(parameters)),
            ("value", value(ours), fact["value"].clone()),
            ("virt drivers", json!(ours.virt_drivers), drivers.clone()),
            (
                "deprecated",
                json!(matches!(ours.status, Status::Deprecated { .. })),
                fact["deprecated"].clone(),
            ),
        ] {
            tally.compare(field, name, &ours, &theirs);
        }
    }
    tally.report("facts");
}

/// The release that the packages are pinned to.
fn pinned() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("crates/kvrules-py/requirements/openstack.txt")).unwrap();
    text.lines().find_map(|line| line.strip_prefix("nova==")).unwrap().to_owned()
}

#[test]
fn the_document_and_the_guide_name_the_release_that_is_pinned() {
    let release = format!("Nova {}", pinned());
    let first = SHIPPED_YAML.lines().next().unwrap();
    assert!(first.contains(&format!("{release}.")), "{first}");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/extra-specs.md");
    let words = std::fs::read_to_string(guide).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let definitions = shipped_document().expand_definitions().len();
    assert!(words.contains(&format!("all {definitions} definitions of {release}")), "{release}");
}

#[test]
fn the_models_of_memory_encryption_are_those_of_the_release() {
    let model = shipped_document()
        .expand_definitions()
        .into_iter()
        .find(|own| own.name == "hw:mem_encryption_model")
        .unwrap();
    let ValueType::String { members: Some(members), .. } = &model.value.r#type else { panic!("{model:?}") };
    let members: Vec<_> = members.iter().map(EnumMember::value).collect();
    assert_eq!(members, ["amd-sev", "amd-sev-es", "amd-sev-snp", "intel-tdx"]);
}

#[test]
fn the_shipped_document_has_no_problems_and_describes_everything() {
    let (document, problems) = parse_definitions(FileId(0), SHIPPED_YAML);
    assert_eq!(problems, []);
    for definition in document.expand_definitions() {
        let name = &definition.name;
        assert!(definition.description.len() > 20, "{name}");
        assert!(!definition.value.description.is_empty(), "{name}");
        assert!(!definition.description.contains("{word}"), "{name}");
        assert!(definition.parameters.iter().all(|parameter| !parameter.description.is_empty()), "{name}");
        if let ValueType::String { members: Some(members), .. } = &definition.value.r#type {
            assert!(members.iter().all(|member| !member.description().is_empty()), "{name}");
        }
    }
}

#[test]
fn what_shipped_definitions_refer_to_is_there() {
    let registry = DefinitionRegistry::new([shipped_document().expand_definitions()]);
    assert_eq!(registry.conflicts(), []);
    for definition in registry.definitions() {
        for name in &definition.requires {
            assert!(registry.by_template(name).is_some(), "{} requires {name}", definition.name);
        }
        if let Status::Deprecated { replacement, .. } = &definition.status {
            assert!(registry.by_template(replacement.as_ref().unwrap()).is_some(), "{}", definition.name);
        }
    }
    let twins = registry.definitions().filter(|definition| definition.group() == Some("hw"));
    assert_eq!(twins.filter(|definition| definition.image_property.is_some()).count(), 31);
}

#[test]
fn a_document_that_was_written_reads_back_as_itself() {
    let written = write_yaml(shipped_document());
    for text in [written.clone(), write_json(shipped_document())] {
        let (document, problems) = parse_definitions(FileId(0), &text);
        assert_eq!(problems, []);
        assert_eq!(&document, shipped_document());
        assert_eq!(write_yaml(&document), written);
    }
}
