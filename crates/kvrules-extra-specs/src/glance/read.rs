//! Reading the parts of a metadef file that say something about extra specs.

use kvrules_diagnostics::Origin;
use kvrules_syntax::Node;

use super::FLAVOR;
use crate::definition::{Definition, EnumMember, Status, Value, ValueType};
use crate::python::PyValue;

/// A namespace of metadefs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadefNamespace {
    /// Its name, such as `OS::Compute::CPUPinning`.
    pub namespace: String,
    /// Its name for people.
    pub display_name: String,
    /// Description of the namespace.
    pub description: String,
    /// The resources that its properties apply to.
    pub associations: Vec<ResourceAssociation>,
    /// Its properties, with those in its objects.
    pub properties: Vec<MetadefProperty>,
}

/// A resource that properties apply to, and their prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAssociation {
    /// The resource type, such as `OS::Nova::Flavor`.
    pub name: String,
    /// Prefix of each property's name; empty if the name is the whole key.
    pub prefix: String,
    /// Part of the resource that has the properties, such as `image` of a volume.
    pub properties_target: Option<String>,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadefProperty {
    /// Its name, without the prefix.
    pub name: String,
    /// The object that it is in.
    pub object: Option<String>,
    /// Its name for people.
    pub title: String,
    /// Description of the property.
    pub description: String,
    /// `string`, `integer`, `number`, `boolean`, `array` or `object`.
    pub r#type: String,
    /// `enum`, as texts.
    pub members: Option<Vec<String>>,
    /// `minimum`, without its fraction.
    pub minimum: Option<i128>,
    /// `maximum`, without its fraction.
    pub maximum: Option<i128>,
    /// `pattern`.
    pub pattern: Option<String>,
    /// `operators`.
    pub operators: Vec<String>,
    /// `default`, as text.
    pub default: Option<String>,
    /// Location of the property.
    pub origin: Origin,
}

impl MetadefNamespace {
    /// The prefixes under which properties apply to flavors.
    // One namespace may serve flavors, images and volumes at once, each with a prefix of its own.
    pub fn flavor_prefixes(&self) -> impl Iterator<Item = &str> {
        let flavor = self.associations.iter().filter(|association| association.name == FLAVOR);
        flavor.map(|association| association.prefix.as_str())
    }
}

/// True if a document is a namespace beyond doubt: other documents have a key `namespace` too.
// Any of these keys is enough: some of Glance's own files have objects and no properties.
pub fn is_namespace(document: Node<'_>) -> bool {
    let own = ["resource_type_associations", "properties", "objects", "display_name"];
    document.get("namespace").and_then(Node::as_str).is_some()
        && document.get("kind").is_none()
        && own.iter().any(|key| document.get(key).is_some())
}

/// Reads a namespace document; none if it is not an object with a `namespace`. What is wrong otherwise,
/// [`super::predict_answers`] reports.
pub fn read_namespace(document: Node<'_>) -> Option<MetadefNamespace> {
    let text = |key: &str| document.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let associations = document.get("resource_type_associations").into_iter().flat_map(Node::items);
    let mut properties = all_properties(document, None);
    for object in document.get("objects").into_iter().flat_map(Node::items) {
        let name = object.get("name").map(Node::text).unwrap_or_default();
        properties.extend(all_properties(object, Some(name)));
    }
    Some(MetadefNamespace {
        namespace: document.get("namespace").and_then(Node::as_str)?.to_owned(),
        display_name: text("display_name"),
        description: text("description"),
        associations: associations.map(read_association).collect(),
        properties,
    })
}

fn read_association(node: Node<'_>) -> ResourceAssociation {
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    ResourceAssociation {
        name: text("name").unwrap_or_default(),
        prefix: text("prefix").unwrap_or_default(),
        properties_target: text("properties_target"),
    }
}

fn all_properties(node: Node<'_>, object: Option<&str>) -> Vec<MetadefProperty> {
    let entries = node.get("properties").into_iter().flat_map(Node::entries);
    entries.map(|entry| read_property(entry.key, entry.value, object)).collect()
}

fn read_property(key: Node<'_>, node: Node<'_>, object: Option<&str>) -> MetadefProperty {
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let shown = |node: Node<'_>| PyValue::from_json(node).map(|value| value.to_str());
    let number = |key: &str| match node.get(key).and_then(PyValue::from_json) {
        Some(PyValue::Int(number)) => i128::try_from(number).ok(),
        // As the model of Glance stores it (wsme rest/json.py, numeric_fromjson).
        Some(PyValue::Float(number)) => format!("{:.0}", number.trunc()).parse().ok(),
        _ => None,
    };
    MetadefProperty {
        name: key.text().to_owned(),
        object: object.map(str::to_owned),
        title: text("title").unwrap_or_default(),
        description: text("description").unwrap_or_default(),
        r#type: text("type").unwrap_or_default(),
        members: node.get("enum").map(|list| list.items().filter_map(shown).collect()),
        minimum: number("minimum"),
        maximum: number("maximum"),
        pattern: text("pattern"),
        operators: node.get("operators").into_iter().flat_map(Node::items).filter_map(shown).collect(),
        default: node.get("default").and_then(shown),
        origin: Origin::from(key.span()),
    }
}

/// The extra specs that a namespace describes, one for each property and flavor prefix.
///
/// A pattern of a metadef may match anywhere in a value, which the definition's pattern expresses explicitly.
pub fn namespace_definitions(namespace: &MetadefNamespace) -> Vec<Definition> {
    let all = |prefix: &str| {
        namespace.properties.iter().map(|property| property_definition(prefix, property)).collect::<Vec<_>>()
    };
    namespace.flavor_prefixes().flat_map(all).collect()
}

fn property_definition(prefix: &str, property: &MetadefProperty) -> Definition {
    let r#type = match property.r#type.as_str() {
        "integer" => ValueType::Integer { min: property.minimum, max: property.maximum },
        "boolean" => ValueType::Boolean,
        // A pattern of JSON Schema is searched for, whereas one of a definition matches the whole value.
        "string" => ValueType::String {
            members: property
                .members
                .as_ref()
                .map(|all| all.iter().cloned().map(EnumMember::Plain).collect()),
            pattern: property.pattern.as_ref().map(|pattern| format!("(?s:.*?)(?:{pattern})(?s:.*)")),
        },
        // Nova has no numbers with a fraction, arrays or objects: it stores the text of any value.
        _ => ValueType::String { members: None, pattern: None },
    };
    Definition {
        name: format!("{prefix}{}", property.name),
        parameters: Vec::new(),
        description: if property.description.is_empty() { &property.title } else { &property.description }
            .clone(),
        status: Status::Supported,
        value: Value { r#type, description: String::new() },
        virt_drivers: Vec::new(),
        requires: Vec::new(),
        since: None,
        image_property: None,
        family: None,
        origin: property.origin,
    }
}
