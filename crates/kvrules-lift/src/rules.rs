//! The rules of a definition's schema.

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_cel::ast::Expression;
use kvrules_cel::check::{CheckedExpression, TypeEnvironment, check_expression};
use kvrules_cel::types::{MentionedProperties, declare_mentioned, keyword_value};
use kvrules_generate::{PlaceStep, place_text};
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE, VALIDATIONS};
use serde_json::Value as Json;

use crate::opaque::{Opaque, OpaqueKind};
use crate::rule_schema::ValuesSchema;

/// A rule of a schema, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionRule<'s> {
    /// The steps from the object to the values that the rule is about.
    pub place: Vec<PlaceStep>,
    /// The schema of these values, as rules see it.
    pub schema: ValuesSchema<'s>,
    /// Number of the rule at its place.
    pub index: usize,
    /// The rule.
    pub source: RuleSource,
    /// Ways from these values to those that no update changes: the keys by which the server finds the stored item of a list. Of a
    /// key itself the empty way.
    pub constant_fields: Vec<Vec<String>>,
}

/// Returns the rules of a schema with their places, outer ones first. Those of a place share a copy of its schema.
///
/// ```
/// use kvrules_lift::definition_rules;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self > 1"}]);
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rules}}});
/// let found = definition_rules(&schema);
/// assert_eq!((found.len(), found[0].source.rule.as_str()), (1, "self > 1"));
/// ```
pub fn definition_rules(schema: &Json) -> Vec<DefinitionRule<'static>> {
    let copied = |place: &RulePlace<'_>| place.rules_with(&place.values_schema().into_shared().into());
    rule_places(schema).iter().flat_map(copied).collect()
}

/// Returns the rules of a schema, which they share: as those of the whole object if `is_root` is set, else as those of a value at
/// any place.
pub fn value_rules<'s>(schema: &ValuesSchema<'s>, is_root: bool) -> Vec<DefinitionRule<'s>> {
    let rules = keyword_value(schema, VALIDATIONS).and_then(Json::as_array);
    let rule = |(index, rule): (usize, &Json)| DefinitionRule {
        place: if is_root { Vec::new() } else { vec![PlaceStep::Any] },
        schema: schema.clone(),
        index,
        source: RuleSource::from_json(rule),
        constant_fields: Vec::new(),
    };
    rules.into_iter().flatten().enumerate().map(rule).collect()
}

/// A place of a schema that has rules. Its schema is not copied.
#[derive(Clone, Debug)]
pub struct RulePlace<'s> {
    /// The steps from the object to the values that the rules are about.
    pub steps: Vec<PlaceStep>,
    /// The schema of these values, as it is written.
    pub node: &'s Json,
    /// See [`DefinitionRule::constant_fields`].
    pub constant_fields: Vec<Vec<String>>,
}

impl<'s> RulePlace<'s> {
    /// Returns the rules as they are written, in their order.
    pub fn sources(&self) -> Vec<RuleSource> {
        let rules = keyword_value(self.node, VALIDATIONS).and_then(Json::as_array);
        rules.into_iter().flatten().map(RuleSource::from_json).collect()
    }

    /// Returns the schema of the values, as rules see it.
    pub fn values_schema(&self) -> ValuesSchema<'s> {
        if self.steps.is_empty() {
            with_object_meta(self.node).into()
        } else {
            ValuesSchema::Borrowed(self.node)
        }
    }

    /// Returns the rules with their schema.
    pub fn to_rules(&self) -> Vec<DefinitionRule<'s>> {
        self.rules_with(&self.values_schema())
    }

    fn rules_with<'v>(&self, schema: &ValuesSchema<'v>) -> Vec<DefinitionRule<'v>> {
        let rule = |(index, source): (usize, RuleSource)| DefinitionRule {
            place: self.steps.clone(),
            schema: schema.clone(),
            index,
            source,
            constant_fields: self.constant_fields.clone(),
        };
        self.sources().into_iter().enumerate().map(rule).collect()
    }
}

/// Returns the places of a schema that have rules, outer ones first.
pub fn rule_places(schema: &Json) -> Vec<RulePlace<'_>> {
    let mut found = Vec::new();
    collect_places(schema, &mut Vec::new(), &[], &mut found);
    found
}

/// Adds the places at and below a node. A step is the name of a field; none for items and values.
fn collect_places<'s>(
    node: &'s Json,
    steps: &mut Vec<Option<&'s str>>,
    constant: &[&[String]],
    found: &mut Vec<RulePlace<'s>>,
) {
    let rules = keyword_value(node, VALIDATIONS).and_then(Json::as_array);
    if rules.is_some_and(|rules| !rules.is_empty()) {
        let step = |step: Option<&str>| step.map_or(PlaceStep::Any, |name| PlaceStep::Field(name.to_owned()));
        let constant_fields = constant.iter().map(|way| way.to_vec()).collect();
        found.push(RulePlace { steps: steps.iter().copied().map(step).collect(), node, constant_fields });
    }
    for (name, child) in keyword_value(node, "properties").and_then(Json::as_object).into_iter().flatten() {
        steps.push(Some(name));
        let below = constant.iter().filter_map(|way| way.split_first().filter(|(first, _)| *first == name));
        let below: Vec<&[String]> = below.map(|(_, rest)| rest).collect();
        collect_places(child, steps, &below, found);
        steps.pop();
    }
    for below in ["items", "additionalProperties"].iter().filter_map(|name| keyword_value(node, name)) {
        if below.is_object() {
            steps.push(None);
            let keys = list_keys(node);
            let keys: Vec<&[String]> = keys.iter().map(Vec::as_slice).collect();
            collect_places(below, steps, &keys, found);
            steps.pop();
        }
    }
}

/// The keys by which the server finds the stored item of a list.
fn list_keys(node: &Json) -> Vec<Vec<String>> {
    let is_keyed = keyword_value(node, LIST_TYPE).is_some_and(|kind| kind == "map");
    let keys = keyword_value(node, LIST_MAP_KEYS).filter(|_| is_keyed).and_then(Json::as_array);
    keys.into_iter().flatten().filter_map(Json::as_str).map(|key| vec![key.to_owned()]).collect()
}

/// Returns the name of a rule by its place and its number there, such as `spec.x-kubernetes-validations[0]`.
pub fn rule_name(place: &[PlaceStep], index: usize) -> String {
    let separator = if place.is_empty() { "" } else { "." };
    format!("{}{separator}{VALIDATIONS}[{index}]", place_text(place))
}

impl DefinitionRule<'_> {
    /// Returns the name of the rule by its place, such as `spec.x-kubernetes-validations[0]`.
    pub fn name_by_place(&self) -> String {
        rule_name(&self.place, self.index)
    }

    /// Returns the rule with a schema of its own.
    pub fn into_owned(self) -> DefinitionRule<'static> {
        let Self { place, schema, index, source, constant_fields } = self;
        DefinitionRule { place, schema: schema.into_shared().into(), index, source, constant_fields }
    }

    /// Parses the rule and checks its types.
    ///
    /// # Errors
    ///
    /// It does not parse, or has the wrong types.
    pub fn check_types(&self) -> Result<(Expression, CheckedExpression), Opaque> {
        let invalid = || Opaque::whole(OpaqueKind::Invalid);
        let mut names = Vec::new();
        let mentioned = MentionedProperties::of_expressions(&[&self.source.rule], &mut names);
        let declared =
            declare_mentioned(&self.schema, self.place.is_empty(), mentioned).ok_or_else(invalid)?;
        let environment = TypeEnvironment::for_rule(&declared, self.source.optional_old_self);
        let expression = kvrules_cel::parse(&self.source.rule).map_err(|_| invalid())?;
        let checked = check_expression(&expression, &environment).map_err(|_| invalid())?;
        Ok((expression, checked))
    }

    /// The names whose value is an optional.
    pub fn optional_roots(&self) -> &'static [&'static str] {
        if self.source.optional_old_self { &["oldSelf"] } else { &[] }
    }
}
