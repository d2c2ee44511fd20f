//! Requests for subresources that a policy does not see, and by which an object may come to violate a rule.

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::definition::{ResourceVersion, WrittenSubresource};
use kvrules_cel::ast::Expression;
use kvrules_generate::{field_steps, parse_place, place_text};
use kvrules_lift::{DefinitionRule, examine_rule, lift_expression, reads_place, rename_roots};

use super::added_objects::find_added_object;

/// Returns what the claim about a rule states of the requests for subresources that the policy does not see.
pub(super) fn unseen_causes(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    expression: &Expression,
) -> Vec<String> {
    let mut causes: Vec<(UnseenChange, Vec<String>)> = Vec::new();
    for written in version.written_subresources().filter(|written| !written.is_evaluated) {
        let name = version.subresource_name(written);
        let Some(change) = UnseenChange::of_request(version, rule, expression, written) else { continue };
        match causes.iter_mut().find(|(known, _)| *known == change) {
            Some((_, names)) => names.push(name),
            None => causes.push((change, vec![name])),
        }
    }
    causes.into_iter().map(|(change, names)| change.describe(&names)).collect()
}

/// A change of the object with which it may violate the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum UnseenChange {
    /// Of these fields.
    Fields(Vec<String>),
    /// The object at this path is added.
    AddedObject(String),
    /// None: the rule rejects updates that leave the value as it is.
    Unchanged,
}

impl UnseenChange {
    /// The change that requests for a subresource make; `None` if the rule does not depend on it.
    fn of_request(
        version: &ResourceVersion,
        rule: &DefinitionRule,
        expression: &Expression,
        written: &WrittenSubresource,
    ) -> Option<Self> {
        let is_custom = !version.document.is_null();
        // A field that a definition does not declare is dropped.
        let is_kept = |field: &&String| !is_custom || parse_place(field, &version.schema).is_some();
        let kept: Vec<&String> = written.fields.iter().filter(is_kept).collect();
        let is_read = |field: &&&String| reads_place(&rule.place, &expression.root, &field_steps(field));
        let fields: Vec<String> = kept.iter().filter(is_read).map(|field| (**field).clone()).collect();
        if !fields.is_empty() {
            return Some(Self::Fields(fields));
        }
        // Objects of built-in kinds always have what is around the fields.
        let added = kept.iter().filter(|_| is_custom).find_map(|field| {
            let steps = field_steps(field);
            find_added_object(version, rule, expression, &steps).map(place_text)
        });
        let rejects_unchanged = || !accepts_unchanged(rule, expression);
        added.map(Self::AddedObject).or_else(|| rejects_unchanged().then_some(Self::Unchanged))
    }

    fn describe(&self, subresources: &[String]) -> String {
        let listed = |names: Vec<String>, word: &str| names.join(&format!(" {word} "));
        let names = listed(subresources.iter().map(|name| format!("`{name}`")).collect(), "or");
        let change = match self {
            Self::Fields(fields) => {
                let fields = listed(fields.iter().map(|field| format!("`.{field}`")).collect(), "and");
                format!("changes {fields} without validation")
            }
            Self::AddedObject(path) => format!("adds `.{path}` without validation"),
            Self::Unchanged => "leaves the value as it is without validation".to_owned(),
        };
        format!("a request for {names} {change}")
    }
}

/// True if an update that leaves the value as it is passes, whatever the value is. Other rules than those about updates passed when the
/// value was stored.
fn accepts_unchanged(rule: &DefinitionRule, expression: &Expression) -> bool {
    if !rule.source.is_transition_rule() {
        return true;
    }
    let stored = if rule.source.optional_old_self { "optional.of(self)" } else { "self" };
    let Ok(text) = rename_roots(expression, &[("self", "self"), ("oldSelf", stored)]) else { return false };
    let source = RuleSource { rule: text, optional_old_self: false, ..rule.source.clone() };
    let unchanged = DefinitionRule { source, ..rule.clone() };
    let Ok((expression, checked)) = unchanged.check_types() else { return false };
    let formulas = lift_expression(&expression, &checked, &[]);
    formulas.is_ok_and(|formulas| examine_rule(&unchanged, &formulas).is_always_true)
}
