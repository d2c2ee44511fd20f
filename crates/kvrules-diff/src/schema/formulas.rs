//! Rules and keywords of a schema as formulas.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_generate::{PlaceStep, place_text};
use kvrules_ir::{Constant, Formula, Term, TermRelation};
use kvrules_lift::{DefinitionRule, LiftedRule, PlacedFormula, definition_rules, lift_mixed_rule};
use serde_json::Value;

use super::keyword::{INT_OR_STRING, keyword_flag, keyword_list, keyword_text};
use super::place::NodeStep;
use super::rule_reads::ReadIndex;
use super::value_shape::reads_whole_values;

/// Number of objects that confirm a formula; half as many if the rule accepts many of them and rejects many.
const CONFIRMING: usize = 60;

/// The rules of one side, which are lifted when they are needed.
pub(super) struct SideRules<'s> {
    pub(super) schema: &'s Value,
    pub(super) rules: Vec<DefinitionRule<'static>>,
    lifted: RefCell<HashMap<usize, Result<PlacedFormula, String>>>,
    index: OnceCell<ReadIndex>,
    /// Number of rules that may still be lifted.
    left: Rc<Cell<usize>>,
}

impl<'s> SideRules<'s> {
    pub(super) fn new(schema: &'s Value, left: Rc<Cell<usize>>) -> Self {
        Self {
            schema,
            rules: definition_rules(schema),
            lifted: RefCell::default(),
            index: OnceCell::new(),
            left,
        }
    }

    /// The number of a rule at a place.
    pub(super) fn find_rule(&self, place: &[PlaceStep], rule: &Value) -> Option<usize> {
        let source = RuleSource::from_json(rule);
        let is_it = |known: &DefinitionRule| known.place == place && known.source == source;
        let mut numbers = self.index().with_text(rule).iter().copied();
        numbers.find(|number| self.rules.get(*number).is_some_and(is_it))
    }

    /// The rules by what they read.
    pub(super) fn index(&self) -> &ReadIndex {
        self.index.get_or_init(|| ReadIndex::new(&self.rules))
    }

    /// The rules of a place, with their numbers.
    pub(super) fn rules_at(
        &self,
        place: &[PlaceStep],
    ) -> impl Iterator<Item = (usize, &DefinitionRule<'static>)> {
        self.rules.iter().enumerate().filter(move |(_, rule)| rule.place == place)
    }

    /// True if no rule at a place or around it reads a field there. `None` if one of them has no formula.
    pub(super) fn rules_do_not_read(&self, place: &[PlaceStep], field: &str) -> Option<bool> {
        for (index, rule) in self.rules.iter().enumerate().filter(|(_, rule)| place.starts_with(&rule.place))
        {
            let formula = self.rule_formula(index).ok()?;
            if formula.field_names().contains(field) || reads_whole_values(&formula.formula, &rule.schema) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The condition under which a rule accepts a value.
    ///
    /// # Errors
    ///
    /// The rule has no formula; the reason.
    pub(super) fn rule_formula(&self, index: usize) -> Result<PlacedFormula, String> {
        if let Some(known) = self.lifted.borrow().get(&index) {
            return known.clone();
        }
        let Some(rule) = self.rules.get(index) else { return Err("unknown rule".to_owned()) };
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err("too many rules to examine".to_owned());
        };
        self.left.set(left);
        let placed =
            |lifted: LiftedRule| PlacedFormula::of_rule(rule, lifted.formulas.holds, rule_name(rule));
        let lifted = lift_mixed_rule(rule, CONFIRMING).map(placed).map_err(|opaque| opaque.to_string());
        self.lifted.borrow_mut().insert(index, lifted.clone());
        lifted
    }
}

/// A rule for users: its text, and its place unless that is the whole object.
fn rule_name(rule: &DefinitionRule) -> String {
    let text = rule.source.rule.split_whitespace().collect::<Vec<_>>().join(" ");
    match place_text(&rule.place).as_str() {
        "" => format!("`{text}`"),
        place => format!("`{text}` of `{place}`"),
    }
}

/// The steps of a place.
pub(super) fn place_steps(downs: &[NodeStep]) -> Vec<PlaceStep> {
    let step = |down: &NodeStep| match down {
        NodeStep::Property(name) => PlaceStep::Field(name.clone()),
        NodeStep::Items | NodeStep::Values => PlaceStep::Any,
    };
    downs.iter().map(step).collect()
}

/// The keywords of a node as one formula about its value; `None` if one of them has none.
pub(super) fn keywords_formula(node: &Value, keywords: &[String]) -> Option<Formula> {
    let written = keywords.iter().filter(|keyword| node.get(keyword.as_str()).is_some());
    written.map(|keyword| keyword_formula(node, keyword)).collect::<Option<Vec<_>>>().map(Formula::all_of)
}

fn keyword_formula(node: &Value, keyword: &str) -> Option<Formula> {
    let value = Term::Root("self".to_owned());
    let kind = keyword_text(node, "type");
    if keyword_flag(node, INT_OR_STRING) || keyword_flag(node, "nullable") || node.get("format").is_some() {
        return None;
    }
    let at_most = |left: Term, right: Term| Formula::comparison_of(left, TermRelation::LessOrEqual, right);
    let limit = || node.get(keyword)?.as_i64().map(|number| Term::Constant(Constant::Integer(number)));
    let size = Term::size_of(value.clone());
    let is_plain = |flag: &str| !keyword_flag(node, flag);
    match (keyword, kind) {
        ("minimum", "integer") if is_plain("exclusiveMinimum") => Some(at_most(limit()?, value)),
        ("maximum", "integer") if is_plain("exclusiveMaximum") => Some(at_most(value, limit()?)),
        ("minLength", "string") | ("minItems", "array") => Some(at_most(limit()?, size)),
        ("maxLength", "string") | ("maxItems", "array") => Some(at_most(size, limit()?)),
        ("pattern", "string") => {
            let pattern = Term::Constant(Constant::Text(keyword_text(node, keyword).to_owned()));
            Some(Formula::has_truth(Term::call_of("matches", true, vec![value, pattern]), true))
        }
        ("enum", _) => {
            let constant = |listed: &Value| match (listed, kind) {
                (Value::String(text), "string") => Some(Constant::Text(text.clone())),
                (Value::Number(number), "integer") => number.as_i64().map(Constant::Integer),
                (Value::Bool(truth), "boolean") => Some(Constant::Boolean(*truth)),
                _ => None,
            };
            let equal = |listed: &Value| {
                let constant = Term::Constant(constant(listed)?);
                Some(Formula::comparison_of(value.clone(), TermRelation::Equal, constant))
            };
            keyword_list(node, keyword).iter().map(equal).collect::<Option<Vec<_>>>().map(Formula::any_of)
        }
        _ => None,
    }
}
