//! Facts about the rules of all definitions, found once for rules that several versions or fields have alike.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_apiserver::crd::with_object_meta;
use kvrules_apiserver::object::text_without_descriptions;
use kvrules_emit::resource_schema::RuleSchema;
use kvrules_lift::{DefinitionRule, LiftedExpression, ValuesSchema, rule_places, value_rules};
use kvrules_pages::{AuthorNotation, largest_first};
use rayon::prelude::*;
use serde_json::Value as Json;

use crate::samples::{PlaceRule, PlaceServer};

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
    schema: Arc<str>,
    name: String,
    is_root: bool,
    is_item: bool,
    is_optional: bool,
}

impl RuleIndex {
    /// Describes the rules of schemas, each under the number of a version. `meanwhile` is what can be done once all formulas are known.
    pub(super) fn of_schemas<T: Send>(
        schemas: &[SchemaPlace<'_>],
        notation: AuthorNotation,
        meanwhile: impl FnOnce() -> T + Send,
    ) -> (Self, T) {
        let listed: Vec<Vec<(String, RulePlace)>> = schemas.par_iter().map(listed_places).collect();
        let mut index = Self::default();
        let mut numbers: HashMap<RulePlace, usize> = HashMap::new();
        // The numbers of the places of each version, and where each number occurs first.
        let (mut in_versions, mut first): (Vec<Vec<usize>>, Vec<(usize, usize)>) = Default::default();
        for (version, places) in listed.into_iter().enumerate() {
            let mut of_version = Vec::with_capacity(places.len());
            for (pointer, place) in places {
                let number = *numbers.entry(place).or_insert(first.len());
                if number == first.len() {
                    first.push((version, of_version.len()));
                }
                index.places.insert((version, pointer), number);
                of_version.push(number);
            }
            in_versions.push(of_version);
        }
        let mut distinct: Vec<(RulePlace, usize)> = numbers.into_iter().collect();
        distinct.sort_unstable_by_key(|(_, number)| *number);
        let places: Vec<RulePlace> = distinct.into_iter().map(|(place, _)| place).collect();
        // All formulas before any sample, which needs those of the places below as well.
        let with_formulas = largest_first(&places, |place| place.schema.len(), RulePlace::lift_rules);
        let found =
            first.iter().zip(with_formulas.iter().zip(&places)).map(|((version, at), (own, place))| {
                let below =
                    in_versions.get(*version).and_then(|numbers| numbers.get(*at..)).unwrap_or_default();
                let below = below.iter().filter_map(|number| with_formulas.get(*number));
                (place, own, below.collect::<Vec<_>>())
            });
        let found: Vec<_> = found.collect();
        let describe = || {
            largest_first(
                &found,
                |(place, ..)| place.schema.len(),
                |(place, own, below)| place.describe_rules(own, below, notation),
            )
        };
        let (described, other) = rayon::join(describe, meanwhile);
        index.found = described;
        (index, other)
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
fn listed_places(root: &SchemaPlace<'_>) -> Vec<(String, RulePlace)> {
    let places = root.places_with_rules().into_iter();
    places.map(|place| (place.pointer.clone(), RulePlace::of(&place))).collect()
}

impl RulePlace {
    fn of(place: &SchemaPlace<'_>) -> Self {
        Self {
            schema: text_without_descriptions(place.node).into(),
            name: place.last_name().to_owned(),
            is_root: place.path.is_empty(),
            is_item: place.path.ends_with([']', '*']),
            is_optional: place.is_optional,
        }
    }

    fn lift_rules(&self) -> LiftedPlace {
        let schema: Json = serde_json::from_str(&self.schema).unwrap_or_default();
        let (schema, rule_schema) = if self.is_root {
            let schema = with_object_meta(&schema);
            let rule_schema = RuleSchema::of_values(&schema, true);
            (schema, rule_schema)
        } else {
            (schema, RuleSchema::of_text(Arc::clone(&self.schema), false))
        };
        let schema = ValuesSchema::from(schema);
        let lift = |rule: DefinitionRule<'static>| {
            let formulas = rule_schema.lift_known_rule(&rule).ok().map(Arc::new);
            (rule, formulas)
        };
        let rules = value_rules(&schema, self.is_root).into_par_iter().map(lift).collect();
        LiftedPlace { schema, rules }
    }

    /// Describes the rules of the place. `below` begins with the place itself, and the places below it follow.
    fn describe_rules(
        &self,
        own: &LiftedPlace,
        below: &[&LiftedPlace],
        notation: AuthorNotation,
    ) -> Vec<RuleFacts> {
        let server = PlaceServer::new(&own.schema, self.is_root).with_rules(own.rules_with_formulas(below));
        let describe = |(definition, formulas): &(DefinitionRule<'static>, Option<Arc<LiftedExpression>>)| {
            let described = DescribedRule {
                definition,
                name: &self.name,
                is_item: self.is_item,
                is_optional: self.is_optional,
                server: &server,
                formulas: formulas.as_deref(),
            };
            rule_facts(&described, notation)
        };
        own.rules.par_iter().map(describe).collect()
    }
}

/// The schema of a place and its rules, with formulas as far as they have some.
struct LiftedPlace {
    schema: ValuesSchema<'static>,
    rules: Vec<(DefinitionRule<'static>, Option<Arc<LiftedExpression>>)>,
}

impl LiftedPlace {
    /// The rules at and below the place that have formulas, by the places from this one on.
    fn rules_with_formulas(&self, places: &[&Self]) -> Vec<PlaceRule<'static>> {
        let mut found = Vec::new();
        // Both list the places of a schema in the same order.
        for (place, lifted) in rule_places(&self.schema).into_iter().zip(places) {
            for (rule, formulas) in &lifted.rules {
                let formulas = formulas.iter().map(Arc::clone);
                let known = |formulas| PlaceRule { steps: place.steps.clone(), rule: rule.clone(), formulas };
                found.extend(formulas.map(known));
            }
        }
        found
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
        let (index, ()) = RuleIndex::of_schemas(&places, AuthorNotation::Plain, || ());
        assert_eq!((index.places.len(), index.count_described()), (4, 1));
        assert_eq!(index.find_rules(1, "/properties/depth").len(), 1);
        assert_eq!(index.find_rules(1, "/properties/other").len(), 0);
    }
}
