//! Writing definitions as metadef files, and saying what does not fit.

use std::collections::BTreeMap;

use kvrules_diagnostics::Exactness;
use kvrules_regex::python::PythonRegex;
use serde_json::{Map, Value as Json, json};

use super::{FLAVOR, IMAGE, MAX_DESCRIPTION, MAX_NAME};
use crate::definition::{Definition, EnumMember, Status, ValueType};
use crate::portable::PortablePattern;
use crate::registry::DefinitionRegistry;

/// The files of a set of definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadefFiles {
    /// The files, in the order of their names.
    pub files: Vec<MetadefFile>,
    /// Differences from the definitions.
    pub losses: Vec<MetadefLoss>,
}

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadefFile {
    /// Its name, such as `hw.json`.
    pub name: String,
    /// The namespace document.
    pub document: Json,
}

/// One thing that a metadef does not say as the definition does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadefLoss {
    /// The name of the definition.
    pub definition: String,
    /// Relation of the metadef to the definition.
    pub kind: Exactness,
    /// Reason of the difference.
    pub cause: &'static str,
}

/// Reason why a pattern that has classes is wider than it should be.
pub(crate) const UNCHECKED_VALUES: &str =
    "strings beyond ASCII are not checked, because engines disagree about Unicode classes";

/// Writes definitions as files that Glance loads, one for each namespace. Of extra specs with an image property of the same
/// meaning there is a file that applies to images too.
///
/// `prefix` begins the names of the namespaces, such as `OS::Compute::ExtraSpecs::`.
pub fn write_metadefs(definitions: &[Definition], prefix: &str) -> MetadefFiles {
    let mut losses = Vec::new();
    let mut groups: BTreeMap<String, PropertyGroup> = BTreeMap::new();
    // Two definitions can have one bare key; only the one that decides about it may describe it.
    let registry = DefinitionRegistry::new([definitions.to_vec()]);
    for definition in definitions {
        let Some(key) = bare_name(definition, &mut losses) else { continue };
        if registry.find_definition(&key).is_some_and(|found| found.definition.name != definition.name) {
            let cause = "another definition matches its key without parameters";
            losses.push(MetadefLoss {
                definition: definition.name.clone(),
                kind: Exactness::Unsupported,
                cause,
            });
            continue;
        }
        if definition.is_patterned() {
            let cause = "only the key without its parameter is included";
            losses.push(MetadefLoss {
                definition: definition.name.clone(),
                kind: Exactness::Narrower,
                cause,
            });
        }
        let group = PropertyGroup::of(definition, &key);
        let property = property_json(definition, &mut losses);
        // The prefix of the association goes before each name.
        let local = key.strip_prefix(&group.flavor_prefix).unwrap_or(&key).to_owned();
        let group = groups.entry(group.file_name()).or_insert(group);
        group.properties.insert(local, property);
    }
    let files =
        groups.into_iter().map(|(name, group)| MetadefFile { name, document: group.document(prefix) });
    MetadefFiles { files: files.collect(), losses }
}

/// Properties of one file.
struct PropertyGroup {
    /// The namespace of the keys; empty for keys without one.
    namespace: String,
    /// Prefix of each property in a flavor.
    flavor_prefix: String,
    /// Prefix of each property in an image, if they apply there.
    image_prefix: Option<String>,
    properties: Map<String, Json>,
}

impl PropertyGroup {
    // Properties with an image twin get a file of their own, because an association applies to all properties of its file.
    fn of(definition: &Definition, key: &str) -> Self {
        let namespace = key.split_once(':').map_or("", |(namespace, _)| namespace).to_owned();
        let flavor_prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}:") };
        let local = key.strip_prefix(&flavor_prefix).unwrap_or(key);
        let image = definition.image_property.as_deref().and_then(|image| image.strip_suffix(local));
        let image_prefix = image.map(str::to_owned);
        Self { namespace, flavor_prefix, image_prefix, properties: Map::new() }
    }

    fn file_name(&self) -> String {
        let namespace = if self.namespace.is_empty() { "without-namespace" } else { &self.namespace };
        let images = if self.image_prefix.is_some() { "-and-images" } else { "" };
        format!("{}{images}.json", namespace.replace('_', "-"))
    }

    fn document(self, prefix: &str) -> Json {
        let mut associations = vec![json!({"name": FLAVOR})];
        if let (Some(association), false) = (associations.first_mut(), self.flavor_prefix.is_empty()) {
            association["prefix"] = json!(self.flavor_prefix);
        }
        if let Some(image_prefix) = &self.image_prefix {
            associations.push(json!({"name": IMAGE, "prefix": image_prefix}));
        }
        let (title, what) = match self.namespace.as_str() {
            "" => ("without namespace".to_owned(), "without a namespace".to_owned()),
            namespace => (namespace.to_owned(), format!("of the namespace {namespace}")),
        };
        let images = if self.image_prefix.is_some() { " and images" } else { "" };
        json!({
            // `_images` has the 7 characters that are kept free.
            "namespace": truncate_text(&format!("{prefix}{}", title.replace(' ', "_")), MAX_NAME - 7) + if images.is_empty() { "" } else { "_images" },
            "display_name": truncate_text(&format!("Extra specs {title}{images}"), MAX_NAME),
            "description": truncate_text(&format!("Extra specs {what} of flavors{images}."), MAX_DESCRIPTION),
            "visibility": "public",
            "protected": true,
            "resource_type_associations": associations,
            "properties": self.properties,
        })
    }
}

/// The key that stands for a definition: parameters that may be empty are.
fn bare_name(definition: &Definition, losses: &mut Vec<MetadefLoss>) -> Option<String> {
    let mut lose =
        |kind, cause| losses.push(MetadefLoss { definition: definition.name.clone(), kind, cause });
    let mut name = definition.name.clone();
    for parameter in &definition.parameters {
        let matcher = PythonRegex::new(&parameter.pattern).and_then(|regex| regex.compile_matcher());
        // A metadef has no pattern keys, so a parameter must be able to vanish.
        if !matcher.is_ok_and(|matcher| matcher.is_match("")) {
            lose(Exactness::Unsupported, "a metadef cannot have keys with parameters");
            return None;
        }
        name = name.replace(&parameter.to_placeholder(), "");
    }
    if name.chars().count() > MAX_NAME {
        lose(Exactness::Unsupported, "the name of a property has at most 80 characters");
        return None;
    }
    Some(name)
}

fn property_json(definition: &Definition, losses: &mut Vec<MetadefLoss>) -> Json {
    let mut lose =
        |kind, cause| losses.push(MetadefLoss { definition: definition.name.clone(), kind, cause });
    let mut property = Map::new();
    let mut put = |key: &str, value: Json| drop(property.insert(key.to_owned(), value));
    // The schema requires `title` and `type` (glance api/v2/metadef_namespaces.py, get_schema_definitions).
    put("title", json!(property_title(definition)));
    put("description", json!(property_description(definition)));
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            lose(Exactness::Narrower, "other spellings of a number are not JSON integers");
            put("type", json!("integer"));
            for (key, bound) in [("minimum", min), ("maximum", max)] {
                // The model takes any integer, but JSON numbers beyond 64 bits are not read alike everywhere.
                match bound.map(i64::try_from) {
                    Some(Ok(bound)) => put(key, json!(bound)),
                    Some(Err(_)) => lose(Exactness::Wider, "the bound is too large for a metadef"),
                    None => {}
                }
            }
        }
        ValueType::Boolean => {
            lose(Exactness::Narrower, "other words than true and false are not JSON booleans");
            put("type", json!("boolean"));
        }
        ValueType::String { pattern: Some(pattern), .. } => {
            put("type", json!("string"));
            match PortablePattern::of(pattern).map(PortablePattern::lenient) {
                Some((text, exact)) => {
                    put("pattern", json!(text));
                    if !exact {
                        lose(Exactness::Wider, UNCHECKED_VALUES);
                    }
                }
                None => lose(Exactness::Wider, "the pattern uses syntax that browsers do not support"),
            }
        }
        ValueType::String { members: Some(members), .. } => {
            put("type", json!("string"));
            // Strings, which the model requires of members for every type (PropertyType.enum).
            put("enum", json!(members.iter().map(EnumMember::value).collect::<Vec<_>>()));
        }
        ValueType::String { .. } => put("type", json!("string")),
    }
    Json::Object(property)
}

/// The name for people: the words of the key.
fn property_title(definition: &Definition) -> String {
    let local = definition.name.split_once(':').map_or(definition.name.as_str(), |(_, local)| local);
    let local = local.split('{').next().unwrap_or(local);
    let words = local.trim_end_matches(['.', ':']).replace(['_', ':'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| words.clone(), |first| first.to_uppercase().chain(chars).collect())
}

/// Returns the description, extended by everything that has no field.
fn property_description(definition: &Definition) -> String {
    let mut text = definition.description.clone();
    let mut say = |part: String| {
        text.push(' ');
        text.push_str(&part);
    };
    if !definition.value.description.is_empty() {
        say(format!("Value: {}", definition.value.description));
    }
    if let Status::Deprecated { since, replacement, .. } = &definition.status {
        let since = since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
        let instead = replacement.as_ref().map_or(String::new(), |name| format!("; use {name}"));
        say(format!("Deprecated{since}{instead}."));
    }
    if let Some(since) = &definition.since {
        say(format!("Since Nova {since}."));
    }
    if !definition.virt_drivers.is_empty() {
        say(format!("Virt drivers: {}.", definition.virt_drivers.join(", ")));
    }
    if !definition.requires.is_empty() {
        say(format!("Requires: {}.", definition.requires.join(", ")));
    }
    text
}

fn truncate_text(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
