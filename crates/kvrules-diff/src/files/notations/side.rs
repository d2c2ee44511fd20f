//! A side of a comparison: a unit as rules at places of the common schema.

use kvrules_generate::{PlaceStep, place_text};
use kvrules_import::schema_keyword_rules;
use kvrules_rule_set::{RuleSet, RuleSeverity};
use kvrules_syntax::pointer::unescape_step;
use serde_json::{Value, json};

use super::super::{ComparableUnit, PlainSchema, UnitContent};
use super::annotation::read_annotation;
use super::common_schema::CommonSchema;
use super::policy::read_policy;
use super::policy_writes::WriteEntries;
use super::side_rules::{OpaquePart, SideRule, SideRules};
use crate::report::ChangeSite;

/// Reads the rules of a unit at the places of the common schema. A definition has its rules in its schema. `bindings` are those of a policy.
pub(super) fn read_side(unit: &ComparableUnit, common: &CommonSchema, bindings: &[&Value]) -> SideRules {
    let base = common.base_of(unit);
    let mut side = match &unit.content {
        UnitContent::Rules(set) => read_annotation(set),
        UnitContent::Policy(policy) => read_policy(&policy.value, bindings, &common.kind, &base),
        UnitContent::RuleSet(set) => read_rule_set(set),
        UnitContent::JsonSchema(schema) => read_json_schema(schema, common),
        UnitContent::Schema(_) | UnitContent::ExtraSpecs(_) => SideRules::default(),
    };
    let (fitting, others): (Vec<_>, Vec<_>) = side.rules.into_iter().partition(|rule| rule.fits_types(&base));
    side.rules = fitting;
    side.opaque.extend(others.into_iter().map(|rule| OpaquePart {
        name: rule.name,
        reason: "it does not fit the types of the fields".to_owned(),
        severity: rule.severity,
        site: rule.site,
    }));
    side
}

fn read_rule_set(set: &RuleSet) -> SideRules {
    let rule = |rule: &kvrules_rule_set::AuthoredRule| SideRule {
        name: rule.name.clone(),
        text: rule.requirement.clone(),
        severity: rule.severity,
        place: rule.place.clone(),
        entries: WriteEntries::always(vec![rule.to_entry()]),
        site: ChangeSite::Span(rule.span),
    };
    SideRules {
        rules: set.rules.iter().map(rule).collect(),
        opaque: Vec::new(),
        selection: set.selection.as_ref().map(|selection| selection.to_json().to_string()),
    }
}

/// The keywords of a JSON Schema as rules.
fn read_json_schema(schema: &PlainSchema, common: &CommonSchema) -> SideRules {
    let (document, pointer) = (schema.source.document(), schema.source.pointer());
    let mut side = SideRules::default();
    for found in schema_keyword_rules(document, pointer, &common.document_types()) {
        let location = ChangeSite::Pointer(found.pointer.split('/').skip(1).map(unescape_step).collect());
        let inside = place_text(&found.place);
        let separator = if inside.is_empty() { "" } else { "." };
        let name = format!("{inside}{separator}{}", found.keywords.join(", "));
        match found.expression {
            Ok(expression) => {
                let around = common.documents.iter().map(|_| document_step());
                let text = written_keywords(document, &found.pointer, &found.keywords);
                side.rules.push(SideRule {
                    entries: WriteEntries::always(vec![json!({"rule": expression, "message": text})]),
                    text,
                    name,
                    severity: RuleSeverity::Error,
                    place: around.chain(found.place).collect(),
                    site: location,
                });
            }
            Err(reason) => {
                side.opaque.push(OpaquePart { name, reason, severity: RuleSeverity::Error, site: location });
            }
        }
    }
    side
}

/// The step to a document in the object that stands for it.
fn document_step() -> PlaceStep {
    PlaceStep::Field(kvrules_apiserver::definition::DOCUMENT_FIELD.to_owned())
}

/// The keywords of a schema as they are written: `minimum: 2, maximum: 10`.
fn written_keywords(document: &Value, pointer: &str, keywords: &[String]) -> String {
    let up = |pointer: &str| pointer.rsplit_once('/').map_or("", |(around, _)| around).to_owned();
    // The pointer of one of several required fields leads to its name.
    let around = if keywords == ["required"] && !pointer.ends_with("/required") {
        return format!("required: {}", document.pointer(pointer).unwrap_or(&Value::Null));
    } else {
        up(pointer)
    };
    let node = document.pointer(&around);
    let written = keywords.iter().filter_map(|keyword| Some(format!("{keyword}: {}", node?.get(keyword)?)));
    written.collect::<Vec<_>>().join(", ")
}
