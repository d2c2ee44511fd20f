//! Rules of one place with what is certain about them, shared by places with equal schemas.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use kvrules_apiserver::cost::ReviewMemo;
use kvrules_apiserver::crd::RuleSource;
use kvrules_cel::Parsed;
use kvrules_cel::ast::Expression;
use kvrules_cel::types::{MentionedProperties, TypeDeclaration, declare_mentioned};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{
    ContradictionSearch, DefinitionRule, LiftedExpression, PlaceFormulas, PlaceProofs, RestatedKeyword,
    RuleFailures, RuleOfPlace, RulePlace, RuleSense, RuleTiming, ValuesSchema, examine_rule,
    find_restated_keyword, is_confirmed, lift_expression,
};
use serde_json::Value;

/// The values that confirm formulas before something is reported because of them.
const CONFIRMING_VALUES: usize = 60;

/// A rule with its formulas.
pub(super) struct ExaminedRule<'v> {
    pub(super) rule: DefinitionRule<'v>,
    parsed: Arc<Parsed>,
    pub(super) formulas: LiftedExpression,
    pub(super) sense: RuleSense,
    pub(super) is_about_updates: bool,
    /// The fields that it names.
    fields: HashSet<String>,
    is_confirmed: OnceCell<bool>,
    keyword: OnceCell<Option<RestatedKeyword>>,
    /// The values that end it in an error, for all places that share it.
    pub(super) failures: RefCell<RuleFailures>,
}

/// The rules of a place.
pub(super) struct ExaminedPlace<'v> {
    /// Those that have formulas.
    pub(super) rules: Vec<ExaminedRule<'v>>,
    /// The number of each rule that another one implies, with the text of the other.
    pub(super) implied: HashMap<usize, String>,
    /// The number of the first rule that is not compared with all others, if there are too many.
    pub(super) not_compared: Option<usize>,
    pub(super) contradiction: PlaceContradiction,
    /// The place as it was first found.
    is_root: bool,
    pub(super) schema: ValuesSchema<'v>,
    sources: Vec<RuleSource>,
    constant_fields: Vec<Vec<String>>,
}

/// Rules of a place that no value passes together, if some were found.
#[derive(Debug, Default)]
pub(super) enum PlaceContradiction {
    /// None are known.
    #[default]
    None,
    /// The last of some rules that contradict each other, with the texts of the others.
    Found(usize, Vec<String>),
    /// The rules are too large to decide it; the first of them.
    TooLarge(usize),
}

/// The places that are known.
#[derive(Default)]
pub(super) struct KnownPlaces<'v>(HashMap<String, Vec<Rc<ExaminedPlace<'v>>>>);

impl<'v> KnownPlaces<'v> {
    /// The rules of a place, examined once for places with equal schemas. `proofs` is what is left of the proofs for the schema.
    pub(super) fn examine_place(
        &mut self,
        place: &RulePlace<'v>,
        memo: &ReviewMemo,
        proofs: &Cell<usize>,
    ) -> Rc<ExaminedPlace<'v>> {
        let sources = place.sources();
        let text = sources.first().map(|source| source.rule.clone()).unwrap_or_default();
        let known = self.0.get(&text).into_iter().flatten().find(|known| known.is_like(place, &sources));
        if let Some(known) = known {
            return Rc::clone(known);
        }
        let examined = Rc::new(ExaminedPlace::new(place, sources, memo, proofs));
        self.0.entry(text).or_default().push(Rc::clone(&examined));
        examined
    }
}

fn are_schemas_alike(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else { return one == other };
    let is_meant = |keyword: &(&String, &Value)| keyword.0 != "description";
    let (one, other) = (one.iter().filter(is_meant), other.iter().filter(is_meant));
    all_alike(one, other, |(name, one), (same, other)| {
        name == same
            && match (name.as_str(), one, other) {
                ("properties", Value::Object(one), Value::Object(other)) => {
                    all_alike(one, other, |one, other| one.0 == other.0 && are_schemas_alike(one.1, other.1))
                }
                ("items" | "additionalProperties", one, other) => are_schemas_alike(one, other),
                (_, one, other) => one == other,
            }
    })
}

/// True if there are as many of one as of the other, and each two are alike.
fn all_alike<'v>(
    one: impl IntoIterator<Item = (&'v String, &'v Value)>,
    other: impl IntoIterator<Item = (&'v String, &'v Value)>,
    are_alike: impl Fn((&String, &Value), (&String, &Value)) -> bool,
) -> bool {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if are_alike(one, other) => {}
            _ => return false,
        }
    }
}

impl<'v> ExaminedPlace<'v> {
    fn new(place: &RulePlace<'v>, sources: Vec<RuleSource>, memo: &ReviewMemo, proofs: &Cell<usize>) -> Self {
        let written = place.to_rules();
        let schema = written.first().map(|rule| rule.schema.clone()).unwrap_or_default();
        let declared = declare_place(&schema, place.steps.is_empty(), &sources);
        let examine = |rule| ExaminedRule::new(rule, declared.as_ref()?, memo);
        let rules: Vec<ExaminedRule<'v>> = written.into_iter().filter_map(examine).collect();
        let (mut implied, mut not_compared) = (HashMap::new(), None);
        let mut contradiction = PlaceContradiction::None;
        if rules.len() > 1 {
            let formulas = rules.iter().map(|it| &it.formulas.holds).collect::<Vec<&Formula>>();
            let formulas = PlaceFormulas::new(&schema, formulas);
            let mut relations =
                Relations { rules: &rules, proofs: PlaceProofs::new(&formulas), left: proofs };
            contradiction = relations.find_contradiction();
            (implied, not_compared) = relations.find_implied();
        }
        Self {
            rules,
            implied,
            not_compared,
            contradiction,
            is_root: place.steps.is_empty(),
            schema,
            sources,
            constant_fields: place.constant_fields.clone(),
        }
    }

    /// The rules except the one with a number.
    pub(super) fn rules_except(&self, number: Option<usize>) -> Vec<RuleOfPlace<'_>> {
        let others = self.rules.iter().enumerate().filter(|(at, _)| Some(*at) != number);
        others.map(|(_, it)| RuleOfPlace { rule: &it.rule, formulas: &it.formulas }).collect()
    }

    /// True if a place has the same rules and the same schema, except for descriptions. The schema of a whole object has fields that are
    /// not written.
    fn is_like(&self, place: &RulePlace<'_>, sources: &[RuleSource]) -> bool {
        !self.is_root
            && !place.steps.is_empty()
            && self.sources == sources
            && self.constant_fields == place.constant_fields
            && are_schemas_alike(&self.schema, place.node)
    }
}

/// The declaration of `self` for the rules of a place: the one with which the server's review compiles them, so that its results can
/// be used.
fn declare_place(schema: &Value, is_root: bool, sources: &[RuleSource]) -> Option<Arc<TypeDeclaration>> {
    let expressions = sources.iter().flat_map(|source| [&source.rule, &source.message_expression]);
    let expressions: Vec<&str> = expressions.map(String::as_str).collect();
    let mut names = Vec::new();
    let mentioned = MentionedProperties::of_expressions(&expressions, &mut names);
    declare_mentioned(schema, is_root, mentioned).map(Arc::new)
}

impl<'v> ExaminedRule<'v> {
    fn new(rule: DefinitionRule<'v>, declared: &Arc<TypeDeclaration>, memo: &ReviewMemo) -> Option<Self> {
        let has_optional = rule.source.optional_old_self;
        let parsed = memo.expressions.parse(&rule.source.rule);
        let expression = parsed.as_ref().as_ref().ok()?;
        let compiled = memo.compile_rule(&rule.source.rule, has_optional, declared);
        let optional: &[&str] = if has_optional { &["oldSelf"] } else { &[] };
        let formulas = lift_expression(expression, compiled.checked()?, optional).ok()?;
        let sense = examine_rule(&rule, &formulas);
        let is_about_updates = rule.source.is_transition_rule();
        let mut fields = HashSet::new();
        formulas.holds.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term
                && !fields.contains(name)
            {
                fields.insert(name.clone());
            }
        });
        Some(Self {
            rule,
            parsed,
            formulas,
            sense,
            is_about_updates,
            fields,
            is_confirmed: OnceCell::new(),
            keyword: OnceCell::new(),
            failures: RefCell::default(),
        })
    }

    /// The expression of the rule.
    pub(super) fn expression(&self) -> Option<&Expression> {
        self.parsed.as_ref().as_ref().ok()
    }

    /// True if the server evaluates the rule as its formulas say, on values that are made for it.
    pub(super) fn is_confirmed(&self) -> bool {
        let confirm = || {
            let is_confirmed = |it| is_confirmed(&self.rule, it, &self.formulas, CONFIRMING_VALUES);
            self.expression().is_some_and(is_confirmed)
        };
        *self.is_confirmed.get_or_init(confirm)
    }

    /// The keyword that says the same as the rule, unless the rule says more with its message or its reason, or runs in updates alone.
    pub(super) fn restated_keyword(&self) -> Option<RestatedKeyword> {
        let source = &self.rule.source;
        let is_of_updates = RuleTiming::of_rule(&self.rule) == RuleTiming::Update;
        if is_of_updates || !source.message_expression.is_empty() || !source.reason.is_empty() {
            return None;
        }
        let find = || find_restated_keyword(&self.formulas.holds, &self.rule.schema);
        self.keyword.get_or_init(find).clone()
    }

    /// True if it is compared with the other rules of its place.
    fn is_comparable(&self) -> bool {
        !self.sense.is_always_true && !self.sense.is_never_true
    }

    /// True if it runs in all writes in which another rule runs.
    fn runs_whenever(&self, other: &ExaminedRule<'_>) -> bool {
        let is_of_updates = |it: &ExaminedRule<'_>| it.is_about_updates && !it.rule.source.optional_old_self;
        !is_of_updates(self) || is_of_updates(other)
    }
}

/// Compares the rules of a place with each other.
struct Relations<'p> {
    rules: &'p [ExaminedRule<'p>],
    proofs: PlaceProofs<'p>,
    /// The number of implications that may still be proved.
    left: &'p Cell<usize>,
}

impl<'p> Relations<'p> {
    /// The rules that no value passes together: the last of them, with the texts of the others.
    fn find_contradiction(&mut self) -> PlaceContradiction {
        let is_static = |it: &ExaminedRule<'_>| it.is_comparable() && !it.is_about_updates;
        let among: Vec<usize> =
            self.rules.iter().enumerate().filter(|(_, it)| is_static(it)).map(|(at, _)| at).collect();
        let first = among.first().filter(|_| among.len() > 1);
        let together = match (first, first.map(|_| self.proofs.find_contradiction(&among))) {
            (Some(_), Some(ContradictionSearch::Found(together))) => together,
            (Some(first), Some(ContradictionSearch::TooLarge)) => {
                return PlaceContradiction::TooLarge(*first);
            }
            _ => return PlaceContradiction::None,
        };
        let rules: Vec<&ExaminedRule<'_>> = together.iter().filter_map(|at| self.rules.get(*at)).collect();
        match (together.last(), rules.split_last()) {
            (Some(last), Some((_, others))) if rules.iter().all(|it| it.is_confirmed()) => {
                let others = others.iter().map(|other| other.rule.source.rule.clone()).collect();
                PlaceContradiction::Found(*last, others)
            }
            _ => PlaceContradiction::None,
        }
    }

    /// The rules that others imply, with the texts of the others, and the first that is not compared with all.
    fn find_implied(&mut self) -> (HashMap<usize, String>, Option<usize>) {
        let (mut implied, mut not_compared) = (HashMap::new(), None);
        for (index, it) in self.rules.iter().enumerate() {
            // Consequences of a wrong value are not reported too.
            if !it.is_comparable() || !it.sense.unknown_values.is_empty() {
                continue;
            }
            let had_proofs = self.left.get() > 0;
            if let Some(other) = self.implying_rule(index, it) {
                implied.insert(index, other.rule.source.rule.clone());
            } else if had_proofs && self.left.get() == 0 {
                not_compared = Some(index);
            }
        }
        (implied, not_compared)
    }

    /// Another rule that no object passes without passing this one too. Of two that mean the same, the later repeats the earlier.
    fn implying_rule(&mut self, index: usize, it: &ExaminedRule<'_>) -> Option<&'p ExaminedRule<'p>> {
        let rules = self.rules;
        let mut others = rules.iter().enumerate().filter(|(at, other)| {
            // A rule about other fields implies nothing about these.
            *at != index
                && other.is_comparable()
                && other.runs_whenever(it)
                && it.fields.is_subset(&other.fields)
        });
        let found = others.find(|(at, other)| {
            self.implies(*at, index)
                && (*at < index || !self.repeats(index, it, *at, other) && self.left.get() > 0)
                && other.is_confirmed()
        });
        found.map(|(_, other)| other)
    }

    /// True if a later rule says the same as the one with a number, so that the later one is reported.
    fn repeats(&mut self, index: usize, it: &ExaminedRule<'_>, at: usize, other: &ExaminedRule<'_>) -> bool {
        it.runs_whenever(other) && self.implies(index, at)
    }

    fn implies(&mut self, one: usize, other: usize) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else { return false };
        self.left.set(left);
        self.proofs.prove_implication(one, other)
    }
}
