//! Rules and keywords of a schema as formulas, and the same formulas seen from a place around theirs.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_generate::{PlaceStep, place_text, values_below};
use kvrules_ir::{Constant, EntryVariables, Formula, Quantification, Term, TermRelation, VariableId};
use kvrules_lift::{DefinitionRule, LiftedRule, definition_rules, lift_rule, replace_term};
use serde_json::Value;

use super::keyword::{INT_OR_STRING, keyword_flag, keyword_list, keyword_text};
use super::place::NodeStep;
use super::value_shape::reads_whole_values;

/// Number of objects that confirm a formula.
const CONFIRMING: usize = 60;
/// Variables of loops that are added around formulas; those of rules are small numbers.
const FIRST_VARIABLE: u32 = 1 << 16;

/// The writes in which a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleTiming {
    /// In all writes, without the stored value.
    Always,
    /// In updates.
    Update,
    /// In all writes, with the stored value if there is one.
    Optional,
}

/// A condition on the values at a place.
#[derive(Clone, Debug)]
pub(super) struct PlacedFormula {
    pub(super) place: Vec<PlaceStep>,
    pub(super) timing: RuleTiming,
    pub(super) formula: Rc<Formula>,
    /// Name for users.
    pub(super) name: String,
}

/// The rules of one side, which are lifted when they are needed.
pub(super) struct SideRules<'s> {
    pub(super) schema: &'s Value,
    pub(super) rules: Vec<DefinitionRule>,
    lifted: RefCell<HashMap<usize, Result<Rc<LiftedRule>, String>>>,
    /// Number of rules that may still be lifted.
    left: Rc<Cell<usize>>,
}

impl<'s> SideRules<'s> {
    pub(super) fn new(schema: &'s Value, left: Rc<Cell<usize>>) -> Self {
        Self { schema, rules: definition_rules(schema), lifted: RefCell::default(), left }
    }

    /// The number of a rule at a place.
    pub(super) fn find_rule(&self, place: &[PlaceStep], rule: &Value) -> Option<usize> {
        let source = RuleSource::from_json(rule);
        self.rules.iter().position(|known| known.place == place && known.source == source)
    }

    /// The rules of a place, with their numbers.
    pub(super) fn rules_at(&self, place: &[PlaceStep]) -> impl Iterator<Item = (usize, &DefinitionRule)> {
        self.rules.iter().enumerate().filter(move |(_, rule)| rule.place == place)
    }

    /// The lifted rule.
    ///
    /// # Errors
    ///
    /// It has no formula; the reason.
    pub(super) fn lifted_rule(&self, index: usize) -> Result<Rc<LiftedRule>, String> {
        if let Some(known) = self.lifted.borrow().get(&index) {
            return known.clone();
        }
        let Some(rule) = self.rules.get(index) else { return Err("unknown rule".to_owned()) };
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err("too many rules to examine".to_owned());
        };
        self.left.set(left);
        let lifted = lift_rule(rule, CONFIRMING).map(Rc::new).map_err(|opaque| opaque.to_string());
        self.lifted.borrow_mut().insert(index, lifted.clone());
        lifted
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
        let lifted = self.lifted_rule(index)?;
        let Some(rule) = self.rules.get(index) else { return Err("unknown rule".to_owned()) };
        let timing = match (rule.source.optional_old_self, rule.source.is_transition_rule()) {
            (true, _) => RuleTiming::Optional,
            (false, true) => RuleTiming::Update,
            (false, false) => RuleTiming::Always,
        };
        let formula = Rc::new(lifted.formulas.holds.clone());
        Ok(PlacedFormula { place: rule.place.clone(), timing, formula, name: rule_name(rule) })
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

/// The node at the end of some steps.
pub(super) fn node_at<'s>(schema: &'s Value, steps: &[PlaceStep]) -> Option<&'s Value> {
    steps.iter().try_fold(schema, |node, step| match step {
        PlaceStep::Field(name) => node.get("properties")?.get(name),
        PlaceStep::Any => values_below(node),
    })
}

impl PlacedFormula {
    /// The same condition on the values `above` its place, in a write that has a stored value or not. `None` if it cannot be
    /// expressed there.
    pub(super) fn seen_from(&self, above: usize, is_update: bool, schema: &Value) -> Option<Formula> {
        let formula = match (self.timing, is_update) {
            (RuleTiming::Always, _) | (RuleTiming::Update | RuleTiming::Optional, true) => {
                (*self.formula).clone()
            }
            (RuleTiming::Update, false) => return Some(Formula::True),
            (RuleTiming::Optional, false) => without_stored(&self.formula)?,
        };
        let (way, rest) = self.place.split_at_checked(above)?;
        let has_stored = self.timing != RuleTiming::Always && is_update;
        let root = |name: &str| Term::Root(name.to_owned());
        let stored = has_stored.then(|| root("oldSelf"));
        let node = node_at(schema, way)?;
        Self::wrap(&formula, root("self"), stored, rest, node, FIRST_VARIABLE)
    }

    /// The condition on the values at the end of some steps from a term.
    fn wrap(
        formula: &Formula,
        term: Term,
        stored: Option<Term>,
        steps: &[PlaceStep],
        node: &Value,
        variable: u32,
    ) -> Option<Formula> {
        let absent = |term: &Term| Formula::negation_of(Formula::is_defined(term.clone()));
        match steps.split_first() {
            None => {
                let formula = replace_term(formula, &Term::Root("self".to_owned()), &term);
                Some(match stored {
                    Some(stored) => replace_term(&formula, &Term::Root("oldSelf".to_owned()), &stored),
                    None => formula,
                })
            }
            Some((PlaceStep::Field(name), rest)) => {
                let term = term.with_field(name.clone());
                let stored = stored.map(|stored| stored.with_field(name.clone()));
                let no_stored = stored.as_ref().map(absent);
                let node = node.get("properties")?.get(name)?;
                let inner = Self::wrap(formula, term.clone(), stored, rest, node, variable)?;
                Some(Formula::any_of([absent(&term), inner].into_iter().chain(no_stored)))
            }
            // The type of the list decides with which item of the stored list a server compares.
            Some((PlaceStep::Any, _)) if stored.is_some() => None,
            Some((PlaceStep::Any, rest)) => {
                let node = values_below(node).filter(|node| !keyword_flag(node, "nullable"))?;
                let value = VariableId(variable);
                let holds = Self::wrap(formula, Term::Variable(value), None, rest, node, variable + 1)?;
                let entry = EntryVariables { key: None, value: Some(value) };
                Some(Formula::Each(Box::new(Quantification { range: term, entry, holds })))
            }
        }
    }

    /// The names of the fields that it mentions.
    pub(super) fn field_names(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        self.formula.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term {
                names.insert(name.clone());
            }
        });
        names
    }
}

/// The formula in writes without a stored value. `None` if it counts with it.
fn without_stored(formula: &Formula) -> Option<Formula> {
    let parts = |parts: &[Formula]| parts.iter().map(without_stored).collect::<Option<Vec<_>>>();
    match formula {
        Formula::All(all) => parts(all).map(Formula::all_of),
        Formula::Any(any) => parts(any).map(Formula::any_of),
        Formula::Not(inner) => without_stored(inner).map(Formula::negation_of),
        Formula::Each(it) | Formula::Some(it) => {
            let of_stored = mentions_stored(&Formula::Defined(it.range.clone()));
            (!of_stored && !mentions_stored(&it.holds))
                .then(|| formula.clone())
                .or_else(|| of_stored.then_some(Formula::False))
        }
        other if !mentions_stored(other) => Some(other.clone()),
        other => {
            let mut is_strict = true;
            other.visit_terms(&mut |term| is_strict &= !matches!(term, Term::Tally(_) | Term::Collect(_)));
            is_strict.then_some(Formula::False)
        }
    }
}

fn mentions_stored(formula: &Formula) -> bool {
    let mut found = false;
    formula.visit_terms(&mut |term| found |= matches!(term, Term::Root(name) if name == "oldSelf"));
    found
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
