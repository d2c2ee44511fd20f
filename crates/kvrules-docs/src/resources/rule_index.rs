//! Facts about the rules of all definitions, found once for rules that several versions or fields have alike.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_apiserver::crd::with_object_meta;
use kvrules_apiserver::object::text_without_descriptions;
use kvrules_emit::resource_schema::RuleSchema;
use kvrules_lift::{DefinitionRule, value_rules};
use kvrules_pages::AuthorNotation;
use rayon::prelude::*;
use serde_json::Value as Json;

use crate::samples::PlaceServer;

use super::rule_facts::{DescribedRule, RuleFacts, rule_facts};
use super::schema_place::SchemaPlace;

/// Facts about rules, by the version that has them and the JSON pointer of their schema in the definition.
#[derive(Debug, Default)]
pub(super) struct RuleIndex {
    places: HashMap<(usize, String), usize>,
    /// Of each rule of a place, in their order.
    found: Vec<Vec<RuleFacts>>,
}

/// The values that rules are about, as far as it matters to the facts about them.
#[derive(PartialEq, Eq, Hash)]
struct RulePlace {
    /// The schema without descriptions, as JSON in the order of the text.
    schema: String,
    name: String,
    is_root: bool,
    is_item: bool,
    is_optional: bool,
}

impl RuleIndex {
    /// Describes the rules of schemas, each under the number of a version.
    pub(super) fn of_schemas(schemas: &[SchemaPlace<'_>], notation: AuthorNotation) -> Self {
        let listed: Vec<Vec<(String, RulePlace)>> = schemas.par_iter().map(rule_places).collect();
        let mut index = Self::default();
        let mut numbers: HashMap<RulePlace, usize> = HashMap::new();
        for (version, places) in listed.into_iter().enumerate() {
            for (pointer, place) in places {
                let next = numbers.len();
                index.places.insert((version, pointer), *numbers.entry(place).or_insert(next));
            }
        }
        let mut distinct: Vec<(RulePlace, usize)> = numbers.into_iter().collect();
        distinct.sort_unstable_by_key(|(_, number)| *number);
        index.found = distinct.par_iter().map(|(place, _)| place.describe_rules(notation)).collect();
        index
    }

    /// Returns the facts about the rules of a schema of a version.
    pub(super) fn find_rules(&self, version: usize, pointer: &str) -> &[RuleFacts] {
        let number = self.places.get(&(version, pointer.to_owned()));
        number.and_then(|number| self.found.get(*number)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Number of places with rules whose facts were found.
    #[cfg(test)]
    fn count_described(&self) -> usize {
        self.found.len()
    }
}

/// The places of rules at and below a schema, with their JSON pointers.
fn rule_places(root: &SchemaPlace<'_>) -> Vec<(String, RulePlace)> {
    let places = root.places_with_rules().into_iter();
    places.map(|place| (place.pointer.clone(), RulePlace::of(&place))).collect()
}

impl RulePlace {
    fn of(place: &SchemaPlace<'_>) -> Self {
        Self {
            schema: text_without_descriptions(place.node),
            name: place.last_name().to_owned(),
            is_root: place.path.is_empty(),
            is_item: place.path.ends_with([']', '*']),
            is_optional: place.is_optional,
        }
    }

    fn describe_rules(&self, notation: AuthorNotation) -> Vec<RuleFacts> {
        let schema: Json = serde_json::from_str(&self.schema).unwrap_or_default();
        let schema = Arc::new(if self.is_root { with_object_meta(&schema) } else { schema });
        let server = PlaceServer::new(&schema, self.is_root);
        let rule_schema = RuleSchema::of_values(&schema, self.is_root);
        let describe = |definition: DefinitionRule| {
            let described = DescribedRule {
                definition: &definition,
                name: &self.name,
                is_item: self.is_item,
                is_optional: self.is_optional,
                server: &server,
                rule_schema: &rule_schema,
            };
            rule_facts(&described, notation)
        };
        value_rules(&schema, self.is_root).into_par_iter().map(describe).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_of_equal_schemas_are_described_once() {
        let depth = |words: &str| json!({"type": "integer", "description": words, "x-kubernetes-validations": [{"rule": "self > 1"}]});
        let version = |words: &str| {
            let properties = json!({"depth": depth(words), "other": {"type": "object", "properties": {"depth": depth("x")}}});
            json!({"type": "object", "properties": properties})
        };
        let (one, other) = (version("The depth."), version("How deep it is."));
        let places = [&one, &other].map(|schema| SchemaPlace::of_object(schema, String::new()));
        let index = RuleIndex::of_schemas(&places, AuthorNotation::Plain);
        assert_eq!((index.places.len(), index.count_described()), (4, 1));
        assert_eq!(index.find_rules(1, "/properties/depth").len(), 1);
        assert_eq!(index.find_rules(1, "/properties/other").len(), 0);
    }
}
