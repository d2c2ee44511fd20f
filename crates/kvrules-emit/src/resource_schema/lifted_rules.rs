//! Formulas of rules, lifted once for rules that several fields, versions, targets or pages have alike.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use kvrules_apiserver::object::text_without_descriptions;
use kvrules_lift::{DefinitionRule, LiftedExpression, lift_mixed_rule};
use serde_json::Value;

/// Number of objects on which the formula of a rule must agree with the server before a schema or a page relies on it; half as many if
/// the rule is true for many of them and false for many.
pub(super) const CONFIRMED_ON: usize = 60;

/// Most bytes of schemas of which the formulas are kept.
const MOST_BYTES: usize = 32 << 20;

/// A schema with rules, as far as it matters to their formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSchema {
    /// Of the text, which is long and looked up for each rule of the schema.
    hash: u64,
    /// The schema without descriptions, as JSON in the order of the text.
    text: Arc<str>,
    /// True if it is the schema of the whole object.
    is_root: bool,
}

impl Hash for RuleSchema {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// The formulas of a rule, or the reason for which it has none.
type Lifted = Result<LiftedExpression, String>;

#[derive(Default)]
struct KnownRules {
    /// By schema and by the number of the rule in it.
    lifted: HashMap<RuleSchema, HashMap<usize, Lifted>>,
    bytes: usize,
}

// Formulas depend on nothing else, so all conversions and pages share them.
static KNOWN: LazyLock<Mutex<KnownRules>> = LazyLock::new(Mutex::default);

impl RuleSchema {
    /// Returns the schema of a rule.
    pub fn of_rule(rule: &DefinitionRule) -> Self {
        Self::of_values(&rule.schema, rule.place.is_empty())
    }

    /// Returns the schema of the rules about values of a schema; `is_root` says that they are whole objects.
    pub fn of_values(schema: &Value, is_root: bool) -> Self {
        Self::of_text(text_without_descriptions(schema).into(), is_root)
    }

    /// As [`Self::of_values`], of the text that [`text_without_descriptions`] makes of the schema.
    pub fn of_text(text: Arc<str>, is_root: bool) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self { hash: hasher.finish(), text, is_root }
    }

    /// Returns the formulas of a rule of the schema, which are lifted and confirmed if they are not known yet. The rule is about a value
    /// at any place, or about the whole object, and has no constant fields.
    ///
    /// # Errors
    ///
    /// The rule has no formula, or the server does not confirm it; the reason.
    pub fn lift_known_rule(&self, rule: &DefinitionRule) -> Result<LiftedExpression, String> {
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().find_rule(self, rule.index);
        found.unwrap_or_else(|| {
            let lifted = lift_mixed_rule(rule, CONFIRMED_ON);
            let lifted = lifted.map(|lifted| lifted.formulas).map_err(|opaque| opaque.to_string());
            known().add_rule(self, rule.index, lifted.clone());
            lifted
        })
    }
}

impl KnownRules {
    fn find_rule(&self, schema: &RuleSchema, index: usize) -> Option<Lifted> {
        self.lifted.get(schema)?.get(&index).cloned()
    }

    fn add_rule(&mut self, schema: &RuleSchema, index: usize, lifted: Lifted) {
        if let Some(of_schema) = self.lifted.get_mut(schema) {
            of_schema.insert(index, lifted);
            return;
        }
        if self.bytes + schema.text.len() > MOST_BYTES {
            *self = Self::default();
        }
        self.bytes += schema.text.len();
        self.lifted.insert(schema.clone(), HashMap::from([(index, lifted)]));
    }
}

#[cfg(test)]
mod tests {
    use kvrules_apiserver::crd::RuleSource;
    use kvrules_generate::PlaceStep;
    use serde_json::json;

    use super::*;

    fn schema(words: &str, limit: u8) -> Value {
        let rules = json!([{"rule": format!("self > {limit}")}, {"rule": "self < 9"}]);
        json!({"type": "integer", "description": words, "x-kubernetes-validations": rules})
    }

    fn rule_of(schema: &Value, index: usize) -> DefinitionRule<'static> {
        DefinitionRule {
            place: vec![PlaceStep::Any],
            schema: schema.clone().into(),
            index,
            source: RuleSource::from_json(&schema["x-kubernetes-validations"][index]),
            constant_fields: Vec::new(),
        }
    }

    #[test]
    fn schemas_that_differ_in_words_alone_share_formulas_and_others_do_not() {
        let lift = |schema: &Value, index: usize| {
            let rule = rule_of(schema, index);
            RuleSchema::of_rule(&rule).lift_known_rule(&rule).unwrap()
        };
        let (one, same, other) = (schema("One.", 1), schema("Same.", 1), schema("Other.", 2));
        assert_eq!(RuleSchema::of_rule(&rule_of(&one, 0)), RuleSchema::of_rule(&rule_of(&same, 0)));
        assert_eq!(lift(&one, 0), lift(&same, 0));
        assert_ne!(lift(&one, 0), lift(&one, 1));
        assert_ne!(lift(&one, 0), lift(&other, 0));
        assert_eq!(lift(&one, 1), lift(&other, 1));
    }

    #[test]
    fn known_formulas_are_bounded() {
        let mut known = KnownRules::default();
        let lifted: Lifted = Err("it is too large".to_owned());
        let wide = |letter: &str| RuleSchema::of_text(letter.repeat(MOST_BYTES / 2).into(), false);
        for letter in ["a", "b", "c"] {
            known.add_rule(&wide(letter), 0, lifted.clone());
        }
        assert!(known.bytes <= MOST_BYTES);
        assert_eq!((known.find_rule(&wide("a"), 0), known.find_rule(&wide("c"), 0)), (None, Some(lifted)));
        assert_eq!(known.find_rule(&wide("c"), 1), None);
    }
}
