//! For KubeVirt's own kinds the built-in catalog decides presence and zero values, whatever their definition says.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, reason = "a test may stop and speak")]

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::{Presence, Scalar, ValueType};

fn catalog(text: &str, choice: Option<&str>) -> Catalog {
    Catalog::from_schema(&SourceFile::new(FileId(0), "crd.yaml", text), choice).unwrap()
}

/// A pointer with a `default` in the definition, which the server sets.
const DEFAULTED_BY_THE_SERVER: &str = ".spec.volumes.*.containerPath.readOnly";

/// Fields in which two catalogs differ, of those that both have.
fn differences(
    one: CatalogField<'_>,
    other: CatalogField<'_>,
    path: &str,
    compared: &mut usize,
    found: &mut Vec<String>,
) {
    *compared += 1;
    // A default equal to the zero value adds nothing to the catalog.
    let zero = Scalar::Text(String::new());
    let default =
        |field: CatalogField<'_>| field.default_value().filter(|default| **default != zero).cloned();
    let reported = |field: CatalogField<'_>| (field.value_type(), field.presence(), default(field));
    if reported(one) != reported(other) && path != DEFAULTED_BY_THE_SERVER {
        found.push(format!("{path}: {:?} {:?}", reported(one), reported(other)));
    }
    for below in one.child_fields() {
        let same = match one.value_type() {
            ValueType::Object => other.child_field(below.name()),
            _ => other.item_field(),
        };
        let path = format!("{path}.{}", below.name());
        match same {
            Some(same) => differences(below, same, &path, compared, found),
            None => found.push(format!("{path} is missing")),
        }
    }
}

#[test]
fn the_built_in_catalog_decides_presence_and_zero_values_of_kubevirts_own_definition() {
    let Some(text) = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    for version in ["v1", "v1alpha3"] {
        let (mut compared, mut found) = (0, Vec::new());
        let declared = catalog(&text, Some(version));
        let own = Catalog::kubevirt_vm();
        differences(own.root(), declared.root(), "", &mut compared, &mut found);
        println!("{version}: {compared} fields compared, {} differ", found.len());
        assert!(compared > 600 && found.is_empty(), "{}", found.join("\n"));
    }
}

/// A definition of a kind, whose schema has these properties below a way.
fn definition(group: &str, kind: &str, way: &[&str], properties: &str) -> String {
    let schema =
        way.iter().rev().fold(format!("{{type: object, properties: {properties}}}"), |inner, name| {
            format!("{{type: object, properties: {{{name}: {inner}}}}}")
        });
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.{group}}}\nspec:\n  \
         group: {group}\n  names: {{kind: {kind}, plural: {plural}}}\n  scope: Namespaced\n  versions:\n  - {{name: v1, served: \
         true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}\n"
    )
}

const DOMAIN: &str = "{domain: {type: object, properties: {cpu: {type: object, properties: {cores: {type: integer}, sockets: \
                      {type: integer, default: 2}}}, devices: {type: object, properties: {disks: {type: array, items: {type: \
                      object, properties: {name: {type: string}, fresh: {type: string}, cdrom: {type: object, properties: \
                      {bus: {type: string}, readonly: {type: boolean}}}}}}, interfaces: {type: array, items: {type: object, \
                      properties: {masquerade: {type: object}, model: {type: string}}}}}}}}}";

#[test]
fn every_kind_that_embeds_machines_takes_presence_from_the_catalog() {
    let (pool, plain) = ("pool.kubevirt.io", "kubevirt.io");
    for (group, kind, way) in [
        (plain, "VirtualMachine", &["spec", "template", "spec"][..]),
        (plain, "VirtualMachineInstance", &["spec"]),
        (plain, "VirtualMachineInstanceReplicaSet", &["spec", "template", "spec"]),
        (pool, "VirtualMachinePool", &["spec", "virtualMachineTemplate", "spec", "template", "spec"]),
    ] {
        let catalog = catalog(&definition(group, kind, way, DOMAIN), None);
        let skipped = catalog.root_steps().len();
        let at = |path: &str| {
            way.iter().copied().skip(skipped).chain(path.split('.')).fold(catalog.root(), |field, name| {
                match name {
                    "*" => field.item_field().unwrap(),
                    name => field.child_field(name).unwrap_or_else(|| panic!("{kind}: {path}: {name}")),
                }
            })
        };
        for (path, presence) in [
            // Pointers.
            ("domain.cpu", Presence::Optional),
            ("domain.devices.disks.*.cdrom", Presence::Optional),
            ("domain.devices.disks.*.cdrom.readonly", Presence::Optional),
            ("domain.devices.interfaces.*.masquerade", Presence::Optional),
            // Values, not pointers. A field that the definition does not require may be absent, and then has its
            // zero value.
            ("domain", Presence::Defaulted),
            ("domain.cpu.cores", Presence::Defaulted),
            ("domain.devices", Presence::Defaulted),
            ("domain.devices.disks", Presence::Defaulted),
            ("domain.devices.disks.*.name", Presence::Defaulted),
            ("domain.devices.disks.*.cdrom.bus", Presence::Defaulted),
            ("domain.devices.interfaces.*.model", Presence::Defaulted),
            // The catalog does not know it, so the definition decides.
            ("domain.devices.disks.*.fresh", Presence::Optional),
        ] {
            assert_eq!(at(path).presence(), presence, "{kind}: {path}");
        }
        let text = |path: &str| format!("{:?}", at(path).default_value());
        assert!(
            text("domain.cpu.cores").contains('1'),
            "a default of KubeVirt: {}",
            text("domain.cpu.cores")
        );
        assert!(text("domain.cpu.sockets").contains('2'), "the definition's own default comes first");
    }
}

#[test]
fn other_groups_with_kinds_of_the_same_name_keep_what_their_definition_says() {
    let text = definition("example.com", "VirtualMachine", &["spec", "template", "spec"], DOMAIN);
    let catalog = catalog(&text, None);
    let way = ["spec", "template", "spec", "domain", "cpu", "cores"];
    let cores = way.iter().fold(catalog.root(), |field, name| field.child_field(name).unwrap());
    assert_eq!(cores.presence(), Presence::Optional);
}

/// A field that another version of KubeVirt has.
const OF_ANOTHER_VERSION: &str = ".spec.liveUpdateFeatures";

/// The fields of a schema that a catalog lacks or has with another type, and how many were compared.
fn compare_types(
    field: CatalogField<'_>,
    declared: CatalogField<'_>,
    path: &str,
    found: &mut Vec<String>,
) -> usize {
    let is_checked_elsewhere = matches!(path, ".metadata" | ".spec.template" | ".status");
    if is_checked_elsewhere || path == OF_ANOTHER_VERSION {
        return 0;
    }
    // An object that may have any fields is anything.
    let has_any_fields = declared.is_open() && declared.child_fields().next().is_none();
    if field.value_type() != declared.value_type()
        && !(has_any_fields && field.value_type() == ValueType::Any)
    {
        found.push(format!("{path}: {:?} and not {:?}", field.value_type(), declared.value_type()));
    }
    let below = |one: CatalogField<'_>, other: CatalogField<'_>| -> Vec<String> {
        let names = one.child_fields().map(|field| field.name().to_owned());
        names.filter(|name| other.child_fields().all(|field| field.name() != name)).collect()
    };
    let lacks = below(declared, field).into_iter().map(|name| format!("{path}.{name} is missing"));
    let has = below(field, declared).into_iter().map(|name| format!("{path}.{name} is not declared"));
    found.extend(lacks.chain(has).filter(|text| !text.starts_with(OF_ANOTHER_VERSION)));
    let mut compared = 1;
    for child in field.child_fields() {
        if let Some(same) = declared.child_fields().find(|other| other.name() == child.name()) {
            compared += compare_types(child, same, &format!("{path}.{}", child.name()), found);
        }
    }
    compared
}

#[test]
fn the_fields_of_machines_outside_of_their_template_are_those_of_the_definition() {
    let Some(text) = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    // With another kind, paths start at the object.
    let text = text.replace("kind: VirtualMachine\n", "kind: Machine\n");
    let declared = catalog(&text, Some("v1"));
    let mut found = Vec::new();
    let compared = compare_types(Catalog::kubevirt_machine().root(), declared.root(), "", &mut found);
    println!("{compared} fields compared");
    assert!(compared > 120 && found.is_empty(), "{compared}: {}", found.join("\n"));
}
