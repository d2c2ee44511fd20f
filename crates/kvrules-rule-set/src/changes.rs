//! Small changes of rules, each of which a test should notice: what a suite is measured by.

use serde_json::{Map, Value as Json};

use crate::path::{PathStep, RulePath};
use crate::quantified::QUANTIFIERS;
use crate::rule_reader::{OUTER_KEYS, REQUIRED_KEYS, read_rule_with};
use crate::rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use crate::shape::{ValueType, child_schema, schema_at};
use crate::words::WORDS;
use crate::words::changes::change_counts;

/// A change of one rule of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleChange {
    /// Description.
    pub description: String,
    /// The rule with the change as it would be written; `None` if it is dropped.
    pub rule: Option<Json>,
}

impl RuleSet {
    /// Returns the changes of a rule as it is written in the document. Some may have errors; [`with_changed_rule`](Self::with_changed_rule)
    /// reads them.
    pub fn list_changes(&self, written: &Json) -> Vec<RuleChange> {
        let Some(fields) = written.as_object() else { return Vec::new() };
        let mut changes = vec![RuleChange { description: "the rule is dropped".to_owned(), rule: None }];
        let scope = fields.get("each").and_then(Json::as_str).and_then(|path| RulePath::parse(path).ok());
        let scope = scope.unwrap_or_default();
        let mut add = |(description, rule): (String, Map<String, Json>)| {
            changes.push(RuleChange { description, rule: Some(rule.into()) });
        };
        if REQUIRED_KEYS.iter().any(|key| fields.contains_key(*key)) {
            let conditions = self.change_condition(&written_condition(fields), &scope).into_iter();
            conditions
                .filter_map(|(text, condition)| Some((text, with_condition(fields, condition)?)))
                .for_each(&mut add);
        } else {
            self.change_words(fields, &scope).into_iter().for_each(&mut add);
        }
        if let Some(when) = fields.get("when") {
            add(("`when` is dropped".to_owned(), without(fields, "when")));
            for (description, changed) in self.change_condition(when, &scope) {
                add((format!("in `when`, {description}"), with(fields, "when", changed)));
            }
        }
        let severity = fields.get("severity").and_then(Json::as_str).unwrap_or_default();
        let other =
            if severity == RuleSeverity::Warn.as_str() { RuleSeverity::Error } else { RuleSeverity::Warn };
        let other = other.as_str();
        add((format!("`severity` becomes `{other}`"), with(fields, "severity", other.into())));
        changes
    }

    /// Changes of the words of a mapping.
    fn change_words(&self, fields: &Map<String, Json>, scope: &RulePath) -> Vec<(String, Map<String, Json>)> {
        let mut changes = Vec::new();
        let words = WORDS.iter().filter_map(|word| Some((*word, fields.get(word.name)?))).collect::<Vec<_>>();
        for (word, value) in &words {
            if words.len() > 1 {
                changes.push((format!("`{}` is dropped", word.name), without(fields, word.name)));
            }
            for change in (word.changes)(&self.parameters.put_values(value)) {
                let name = change.word.unwrap_or(word.name);
                if name == word.name || !fields.contains_key(name) {
                    let rule = with(&without(fields, word.name), name, change.value);
                    changes.push((format!("`{}`: {}", word.name, change.description), rule));
                }
            }
        }
        let compared = WORDS.iter().filter(|word| word.compares_paths()).map(|word| word.name);
        for key in std::iter::once("path").chain(compared) {
            let path = fields.get(key).and_then(Json::as_str);
            if let Some((old, new)) = path.and_then(|path| Some((path, self.sibling_path(path, scope)?))) {
                let description = format!("the path `{old}` becomes `{new}`");
                changes.push((description, with(fields, key, new.into())));
            }
        }
        changes
    }

    /// Changes of a condition as it is written.
    fn change_condition(&self, condition: &Json, scope: &RulePath) -> Vec<(String, Json)> {
        let mut changes = Vec::new();
        if let Some(items) = condition.as_array() {
            changes
                .extend(self.change_list(items, scope).into_iter().map(|(text, items)| (text, items.into())));
            if items.len() > 1 {
                changes.push(("`all` becomes `any`".to_owned(), serde_json::json!({"any": items})));
            }
            return changes;
        }
        let Some(fields) = condition.as_object() else { return changes };
        if let Some((name, items)) = quantified_items(fields) {
            return self.change_quantified(fields, name, &scope.join_path(&items));
        }
        for (name, other) in [("all", "any"), ("any", "all")] {
            let Some(items) = fields.get(name).and_then(Json::as_array) else { continue };
            for (text, items) in self.change_list(items, scope) {
                changes.push((text, with(fields, name, items.into()).into()));
            }
            if items.len() > 1 {
                let swapped = with(&without(fields, name), other, items.clone().into());
                changes.push((format!("`{name}` becomes `{other}`"), swapped.into()));
            }
        }
        if let Some(inner) = fields.get("not") {
            changes.push(("`not` is dropped".to_owned(), inner.clone()));
            let inner = self.change_condition(inner, scope).into_iter();
            changes.extend(inner.map(|(text, inner)| (text, with(fields, "not", inner).into())));
        }
        let words = self.change_words(fields, scope).into_iter();
        changes.extend(words.map(|(text, fields)| (text, fields.into())));
        changes
    }

    /// Changes of a condition about items: another number of them, and changes of what is so for each.
    fn change_quantified(
        &self,
        fields: &Map<String, Json>,
        name: &str,
        items: &RulePath,
    ) -> Vec<(String, Json)> {
        let mut changes = Vec::new();
        let list = fields.get(name).cloned().unwrap_or_default();
        match name {
            "count" => {
                let (bounds, of) = (without(list.as_object().unwrap_or(&Map::new()), "of"), list.get("of"));
                for change in change_counts(&bounds.into()) {
                    let Json::Object(bounds) = change.value else { continue };
                    let count = with(&bounds, "of", of.cloned().unwrap_or_default());
                    changes.push((
                        format!("`count`: {}", change.description),
                        with(fields, name, count.into()).into(),
                    ));
                }
            }
            name => {
                let other = if name == "each" { "some" } else { "each" };
                let swapped = with(&without(fields, name), other, list);
                changes.push((format!("`{name}` becomes `{other}`"), swapped.into()));
            }
        }
        let inner = self.change_condition(&without(fields, name).into(), items).into_iter();
        changes.extend(inner.filter_map(|(text, inner)| {
            let list = fields.get(name)?.clone();
            match inner {
                Json::Object(inner) => Some((text, with(&inner, name, list).into())),
                _ => None,
            }
        }));
        changes
    }

    /// Changes of a list of conditions: one is dropped or changed.
    fn change_list(&self, items: &[Json], scope: &RulePath) -> Vec<(String, Vec<Json>)> {
        let mut changes = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let replace = |by: Option<Json>| {
                let before = items.iter().take(index).cloned();
                before.chain(by).chain(items.iter().skip(index + 1).cloned()).collect::<Vec<Json>>()
            };
            if items.len() > 1 {
                changes.push((format!("the condition {item} is dropped"), replace(None)));
            }
            for (text, changed) in self.change_condition(item, scope) {
                changes.push((text, replace(Some(changed))));
            }
        }
        changes
    }

    /// The path to another field of the same object and type that the document mentions.
    fn sibling_path(&self, path: &str, scope: &RulePath) -> Option<String> {
        let own = RulePath::parse(path).ok()?;
        let (last, parent) = own.0.split_last()?;
        let PathStep::Field(last) = last else { return None };
        let parent = RulePath(parent.to_vec());
        let schema = schema_at(&self.subject.schema, &scope.join_path(&parent))?;
        let of =
            |name: &str| Some(ValueType::of_schema(child_schema(schema, &PathStep::Field(name.to_owned()))?));
        let wanted = of(last)?;
        let names = schema.get("properties")?.as_object()?.keys();
        let sibling = names.into_iter().find(|name| *name != last && of(name) == Some(wanted))?;
        let steps = parent.0.into_iter().chain([PathStep::Field(sibling.clone())]);
        Some(RulePath(steps.collect()).to_string())
    }

    /// Returns the set with a rule as it would be written in place of the one with a name, or without that; `None` if it has errors.
    #[must_use]
    pub fn with_changed_rule(&self, name: &str, written: Option<&Json>) -> Option<Self> {
        let index = self.rules.iter().position(|rule| rule.name == name)?;
        let mut set = self.clone();
        match written {
            None => _ = set.rules.remove(index),
            Some(written) => *set.rules.get_mut(index)? = self.read_changed_rule(written)?,
        }
        Some(set)
    }

    /// Reads a rule as it would be written in the document; `None` if it has errors.
    pub fn read_changed_rule(&self, written: &Json) -> Option<AuthoredRule> {
        let text = written.to_string();
        let stream = kvrules_syntax::parse_stream(self.span.file, &text);
        read_rule_with(stream.documents.first()?, &self.subject, &self.parameters, &mut Vec::new())
    }
}

/// The condition that a rule requires, without the other keys of the rule.
fn written_condition(fields: &Map<String, Json>) -> Json {
    fields
        .iter()
        .filter(|(key, _)| !OUTER_KEYS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The rule with another required condition; `None` for one that a rule does not write so.
fn with_condition(fields: &Map<String, Json>, condition: Json) -> Option<Map<String, Json>> {
    let Json::Object(condition) = condition else { return None };
    // `each` of a rule and words without a connective have another meaning.
    let is_one =
        REQUIRED_KEYS.iter().any(|key| condition.contains_key(*key)) && !condition.contains_key("each");
    let outer = fields.iter().filter(|(key, _)| OUTER_KEYS.contains(&key.as_str()));
    is_one.then(|| outer.map(|(key, value)| (key.clone(), value.clone())).chain(condition).collect())
}

/// The quantifier of a condition, and the path of the items.
fn quantified_items(fields: &Map<String, Json>) -> Option<(&'static str, RulePath)> {
    let name = QUANTIFIERS.into_iter().find(|name| fields.contains_key(*name))?;
    let value = fields.get(name)?;
    let path = value.get("of").unwrap_or(value).as_str()?;
    Some((name, RulePath::parse(path).ok()?))
}

fn with(fields: &Map<String, Json>, name: &str, value: Json) -> Map<String, Json> {
    let mut changed = fields.clone();
    changed.insert(name.to_owned(), value);
    changed
}

fn without(fields: &Map<String, Json>, name: &str) -> Map<String, Json> {
    let mut changed = fields.clone();
    changed.shift_remove(name);
    changed
}
