//! Metadefs against definitions: which extra specs they describe, and in what the two differ.

#![allow(dead_code, reason = "each of the two tests uses a part")]

use std::collections::{BTreeMap, BTreeSet};

use kvrules_extra_specs::Definition;
use kvrules_extra_specs::glance::{MetadefNamespace, MetadefProperty};
use kvrules_extra_specs::nova::{NovaDefinition, NovaOutcome, NovaType, NovaValidator};

/// One property of a metadef that applies to flavors, against the definition of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PropertyComparison {
    /// The namespace of the metadef.
    pub(crate) namespace: String,
    /// The object that the property is in.
    pub(crate) object: Option<String>,
    /// The property.
    pub(crate) property: String,
    /// The key: prefix and property.
    pub(crate) key: String,
    /// The type that the metadef gives.
    pub(crate) glance_type: String,
    /// The name of the definition that decides about the key.
    pub(crate) definition: Option<String>,
    /// Values of the parameters of that name.
    pub(crate) parameters: BTreeMap<String, String>,
    /// Result of the comparison.
    pub(crate) coverage: Coverage,
    /// In what the two differ.
    pub(crate) differences: Vec<PropertyDifference>,
}

/// Nova's treatment of a key that a metadef describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Coverage {
    /// Nothing: it has no such name and lets it pass.
    UnknownToNova,
    /// It refuses the name.
    RejectedName,
    /// It knows the name, and accepts the same values.
    Agrees,
    /// It knows the name, and says something else of the value.
    Differs,
}

impl Coverage {
    /// A stable word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::UnknownToNova => "unknown_to_nova",
            Self::RejectedName => "rejected_name",
            Self::Agrees => "agrees",
            Self::Differs => "differs",
        }
    }
}

/// One thing that a definition and a metadef say differently. The definition's side comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PropertyDifference {
    /// The types.
    Type(&'static str, String),
    /// The values that only one of the two allows.
    Enum {
        /// Those that only the definition has.
        missing: Vec<String>,
        /// Those that only the metadef has.
        extra: Vec<String>,
    },
    /// The least values.
    Min(Option<i128>, Option<i128>),
    /// The greatest values.
    Max(Option<i128>, Option<i128>),
    /// The patterns.
    Pattern(Option<String>, Option<String>),
}

impl PropertyDifference {
    /// A stable word for what differs.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Type(..) => "type",
            Self::Enum { .. } => "enum",
            Self::Min(..) => "min",
            Self::Max(..) => "max",
            Self::Pattern(..) => "pattern",
        }
    }
}

/// Compares every property that applies to flavors with the definition of its key, as Nova finds it.
pub(crate) fn compare_metadefs<'m>(
    definitions: &[Definition],
    namespaces: impl IntoIterator<Item = &'m MetadefNamespace>,
) -> Vec<PropertyComparison> {
    let nova = NovaValidator::from_definitions(definitions);
    let mut rows = Vec::new();
    for namespace in namespaces {
        for prefix in namespace.flavor_prefixes() {
            rows.extend(namespace.properties.iter().map(|property| {
                let key = format!("{prefix}{}", property.name);
                compare_property(&nova, definitions, namespace, property, key)
            }));
        }
    }
    rows
}

fn compare_property(
    nova: &NovaValidator,
    definitions: &[Definition],
    namespace: &MetadefNamespace,
    property: &MetadefProperty,
    key: String,
) -> PropertyComparison {
    let found = nova.find_definition(&key);
    let definition =
        found.as_ref().and_then(|found| definitions.iter().find(|one| one.name == found.definition));
    let differences =
        definition.map_or_else(Vec::new, |one| find_differences(&NovaDefinition::from(one), property));
    // The value does not matter: Nova settles the name before it looks at the value.
    let coverage = match (definition, nova.check_pair(&key, "")) {
        (Some(_), _) if differences.is_empty() => Coverage::Agrees,
        (Some(_), _) => Coverage::Differs,
        (None, NovaOutcome::Accepted) => Coverage::UnknownToNova,
        (None, _) => Coverage::RejectedName,
    };
    PropertyComparison {
        namespace: namespace.namespace.clone(),
        object: property.object.clone(),
        property: property.name.clone(),
        key,
        glance_type: property.r#type.clone(),
        definition: definition.map(|one| one.name.clone()),
        parameters: found.and_then(|found| found.parameters).unwrap_or_default(),
        coverage,
        differences,
    }
}

fn find_differences(nova: &NovaDefinition, glance: &MetadefProperty) -> Vec<PropertyDifference> {
    let mut found = Vec::new();
    let (word, json) = match nova.r#type {
        NovaType::Int => ("int", "integer"),
        NovaType::Bool => ("bool", "boolean"),
        NovaType::Str => ("str", "string"),
    };
    if json != glance.r#type {
        found.push(PropertyDifference::Type(word, glance.r#type.clone()));
    }
    // As sets: the order of members has no meaning for either side.
    let ours = text_set(nova.members.iter().flatten().map(|member| member.text.clone()));
    let theirs = text_set(glance.members.iter().flatten().cloned());
    if ours != theirs {
        let only =
            |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect();
        found.push(PropertyDifference::Enum { missing: only(&ours, &theirs), extra: only(&theirs, &ours) });
    }
    let bound = |bound: &Option<num_bigint::BigInt>| {
        bound.as_ref().and_then(|bound| i128::try_from(bound.clone()).ok())
    };
    let (min, max) = (bound(&nova.min), bound(&nova.max));
    if min != glance.minimum {
        found.push(PropertyDifference::Min(min, glance.minimum));
    }
    if max != glance.maximum {
        found.push(PropertyDifference::Max(max, glance.maximum));
    }
    if nova.pattern != glance.pattern {
        found.push(PropertyDifference::Pattern(nova.pattern.clone(), glance.pattern.clone()));
    }
    found
}

fn text_set(texts: impl Iterator<Item = String>) -> BTreeSet<String> {
    texts.collect()
}
