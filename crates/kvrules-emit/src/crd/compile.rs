//! Rules as additions to a schema.

use std::fmt::Write as _;

use kvrules_apiserver::needs::{missing_text, rule_needs};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Value, json};

use super::bounds::{self, SchemaBound};
use super::cost::{self, RULE_LIMIT, SCHEMA_LIMIT};
use super::dialect::DIALECT;
use super::entry::ValidationEntry;
use super::limits;
use super::path::NodePath;
use super::placement::{PlacedPredicate, find_placements, split_presence};
use super::rebase::reached_nodes;
use super::restate;
use super::schema::{NodeKnowledge, StructuralSchema};
use crate::cel::{Expr, LoweredPredicate, lower_predicate, to_served};
use crate::{Fidelity, RuleFidelity};

/// Something to be added at a node of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaAddition {
    pub(super) node: NodePath,
    pub(super) what: AdditionKind,
}

/// An addition to a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AdditionKind {
    Validation(ValidationEntry),
    /// A keyword with its value, and the rule that it is for.
    Keyword(&'static str, Value, String),
}

impl SchemaAddition {
    /// True if a schema has it already.
    pub(super) fn is_in(&self, schema: &Value) -> bool {
        let Some(node) = self.node.find(schema) else { return false };
        match &self.what {
            AdditionKind::Validation(entry) => node
                .get(VALIDATIONS)
                .and_then(Value::as_array)
                .is_some_and(|entries| entries.iter().any(|other| entry.is(other))),
            AdditionKind::Keyword(keyword, value, _) => node.get(*keyword) == Some(value),
        }
    }

    /// Takes a keyword away that was added to a schema.
    fn remove_from(&self, schema: &mut Value) {
        if let (AdditionKind::Keyword(keyword, ..), Some(Value::Object(node))) =
            (&self.what, self.node.find_mut(schema))
        {
            node.shift_remove(*keyword);
        }
    }

    /// Adds it to a schema that does not have it.
    pub(super) fn add_to(&self, schema: &mut Value) {
        let Some(Value::Object(node)) = self.node.find_mut(schema) else { return };
        match &self.what {
            AdditionKind::Validation(entry) => {
                let entries = node.entry(VALIDATIONS).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(entries) = entries {
                    entries.push(entry.value());
                }
            }
            AdditionKind::Keyword(keyword, value, _) => {
                node.insert((*keyword).to_owned(), value.clone());
            }
        }
    }
}

/// A rule set as additions to a schema.
#[derive(Debug, Default)]
pub(super) struct CompiledSet {
    pub(super) additions: Vec<SchemaAddition>,
    pub(super) fidelity: Vec<RuleFidelity>,
}

/// The schema has no node that a rule refers to: the nearest node, and the name that is missing there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownFieldError {
    pub(super) node: NodePath,
    pub(super) name: String,
}

/// Choices of the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompileChoices {
    /// True if lists and strings may be bounded to make an expensive rule acceptable.
    pub(crate) may_bound: bool,
    /// True if messages name the value and the limit.
    pub(crate) values: bool,
    /// The servers that take the rules.
    pub(crate) servers: KubernetesVersions,
}

/// Returns the additions of the rules of a set to a schema.
pub(super) fn compile_rule_set(
    set: &ElaboratedSet,
    schema: &StructuralSchema,
    choices: CompileChoices,
) -> Result<CompiledSet, UnknownFieldError> {
    let mut working = schema.clone();
    let left = SCHEMA_LIMIT.saturating_sub(cost::of_schema(&working.value, choices.servers));
    let mut compiler = RuleSetCompiler { schema: &mut working, choices, left, additions: Vec::new() };
    let mut fidelity = Vec::new();
    for rule in &set.rules {
        let found = compiler.rule(rule)?;
        fidelity.push(RuleFidelity { set: set.name.clone(), rule: rule.name.clone(), fidelity: found });
    }
    let RuleSetCompiler { mut additions, .. } = compiler;
    for SchemaAddition { node, what } in &mut additions {
        if let AdditionKind::Validation(entry) = what {
            entry.price(&working.value, node, choices.servers);
        }
    }
    Ok(CompiledSet { additions, fidelity })
}

struct RuleSetCompiler<'a> {
    schema: &'a mut StructuralSchema,
    choices: CompileChoices,
    /// Cost that the rules of the schema may still use.
    left: u64,
    additions: Vec<SchemaAddition>,
}

/// A part of a rule that has found its form.
struct PlacedPart {
    additions: Vec<SchemaAddition>,
    /// True if it bounds a value without a bound.
    bounds: bool,
    cost: u64,
    fidelity: Fidelity,
}

impl RuleSetCompiler<'_> {
    fn rule(&mut self, rule: &ElaboratedRule) -> Result<Fidelity, UnknownFieldError> {
        if rule.severity == Severity::Warning {
            let cause = "a CRD validation rule can only reject, and this rule only warns";
            return Ok(Fidelity::Unsupported(cause.to_owned()));
        }
        if let Some(cause) = self.unseen(&rule.predicate)? {
            return Ok(Fidelity::Unsupported(cause));
        }
        let parts = lower_parts(&to_served(&rule.predicate), self.schema, self.choices.servers);
        let fitted = parts.and_then(|parts| {
            // A part that is `true` adds no rule, but it may be inexact because requirements were left out of it.
            let (expressed, unexpressed): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(_, lowered)| lowered.expression != Expr::Bool(true));
            let lost = unexpressed
                .iter()
                .fold(Fidelity::Exact, |lost, (_, part)| join_fidelities(lost, &part.fidelity));
            Ok((self.fitted(rule, expressed)?, lost))
        });
        let (fidelity, made) = match fitted {
            Ok((parts, lost)) => {
                (parts.iter().fold(lost, |fidelity, part| join_fidelities(fidelity, &part.fidelity)), parts)
            }
            Err(cause) => (Fidelity::Unsupported(cause), Vec::new()),
        };
        let bounded = made.iter().any(|part| part.bounds);
        self.additions.extend(made.into_iter().flat_map(|part| part.additions));
        if bounded {
            self.count_again();
        }
        Ok(fidelity)
    }

    /// Bounds make earlier rules cheaper too.
    fn count_again(&mut self) {
        let mut whole = self.schema.value.clone();
        for addition in &self.additions {
            if !addition.is_in(&whole) {
                addition.add_to(&mut whole);
            }
        }
        self.left = SCHEMA_LIMIT.saturating_sub(cost::of_schema(&whole, self.choices.servers));
    }

    /// Returns the reason if a rule cannot see a node that it reads.
    fn unseen(&self, predicate: &Predicate) -> Result<Option<String>, UnknownFieldError> {
        for (node, _) in reached_nodes(predicate, &NodePath::default()) {
            match self.schema.known(&node) {
                NodeKnowledge::Declared => {}
                NodeKnowledge::Missing(node, name) => return Err(UnknownFieldError { node, name }),
                NodeKnowledge::Open(above) => {
                    return Ok(Some(format!(
                        "the schema does not declare the fields of `{above}`, so rules cannot read them"
                    )));
                }
            }
        }
        Ok(None)
    }

    /// All parts within the budget, or why one of them is not.
    fn fitted(
        &mut self,
        rule: &ElaboratedRule,
        parts: Vec<(PlacedPredicate, LoweredPredicate)>,
    ) -> Result<Vec<PlacedPart>, String> {
        let before = self.left;
        let (mut fitted, mut added) = (Vec::new(), Vec::new());
        for (placed, lowered) in parts {
            match self.part(rule, &placed, lowered) {
                Ok(part) => {
                    self.left = self.left.saturating_sub(part.cost);
                    added.extend(self.add_keywords(&part));
                    fitted.push(part);
                }
                Err(cause) => {
                    self.left = before;
                    for addition in added {
                        addition.remove_from(&mut self.schema.value);
                    }
                    return Err(cause);
                }
            }
        }
        Ok(fitted)
    }

    /// Adds the keywords of a part, which later rules cost less for and cannot use for anything else.
    fn add_keywords(&mut self, part: &PlacedPart) -> Vec<SchemaAddition> {
        let is_new = |addition: &&SchemaAddition| {
            matches!(addition.what, AdditionKind::Keyword(..)) && !addition.is_in(&self.schema.value)
        };
        let new: Vec<SchemaAddition> = part.additions.iter().filter(is_new).cloned().collect();
        for addition in &new {
            addition.add_to(&mut self.schema.value);
        }
        new
    }

    /// The cheapest change to a part of a rule that brings it within the budget: none, other words, a keyword, bounds.
    fn part(
        &mut self,
        rule: &ElaboratedRule,
        placed: &PlacedPredicate,
        lowered: LoweredPredicate,
    ) -> Result<PlacedPart, String> {
        let LoweredPredicate { expression, fidelity } = lowered;
        let as_keywords = self.as_keywords(rule, placed);
        if let Some(part) = as_keywords.as_ref().filter(|part| self.has(part)) {
            return Ok(PlacedPart {
                additions: Vec::new(),
                bounds: false,
                cost: 0,
                fidelity: part.fidelity.clone(),
            });
        }
        let limit = RULE_LIMIT.min(self.left);
        let restated = restate::without_lists(&expression);
        let (mut cheapest, mut least) = (None, u64::MAX);
        for expression in [expression, restated] {
            let text = expression.to_string();
            let cost = cost::of_rule(&self.schema.value, &placed.node, &text, self.choices.servers)?;
            let expressed = self.place_part(rule, placed, &expression, cost);
            if self.has(&expressed) {
                return Ok(PlacedPart { fidelity, cost: 0, ..expressed });
            }
            if cost <= limit {
                return Ok(PlacedPart { fidelity, ..expressed });
            }
            if cheapest.is_none() || cost < least {
                (cheapest, least) = (Some(expression), cost);
            }
        }
        if let Some(part) = split_presence(placed, self.schema).and_then(|halves| self.halved(rule, halves)) {
            return Ok(PlacedPart { fidelity: join_fidelities(fidelity, &part.fidelity), ..part });
        }
        if let Some(part) = as_keywords {
            return Ok(part);
        }
        let expression = cheapest.unwrap_or(Expr::Bool(true));
        self.bounded(rule, placed, &expression, least, limit)
            .map(|part| PlacedPart { fidelity: join_fidelities(fidelity, &part.fidelity), ..part })
    }

    /// A part of a rule as keywords that express it exactly, or nothing.
    fn as_keywords(&self, rule: &ElaboratedRule, placed: &PlacedPredicate) -> Option<PlacedPart> {
        let keywords = restate::restate_keywords(&placed.predicate, placed.node.find(&self.schema.value)?)?;
        let keyword = |(keyword, value)| SchemaAddition {
            node: placed.node.clone(),
            what: AdditionKind::Keyword(keyword, value, rule.name.clone()),
        };
        let additions = keywords.into_iter().map(keyword).collect();
        Some(PlacedPart { additions, bounds: false, cost: 0, fidelity: Fidelity::Exact })
    }

    /// Parts of a part, if all of them are within the budget without bounds.
    fn halved(&mut self, rule: &ElaboratedRule, halves: Vec<Vec<PlacedPredicate>>) -> Option<PlacedPart> {
        let mut whole =
            PlacedPart { additions: Vec::new(), bounds: false, cost: 0, fidelity: Fidelity::Exact };
        for levels in halves {
            let (placed, lowered) = lower_part(levels, self.schema, self.choices.servers).ok()?;
            let half = self.part(rule, &placed, lowered).ok().filter(|half| !half.bounds)?;
            whole.additions.extend(half.additions);
            whole.cost = whole.cost.saturating_add(half.cost);
            whole.fidelity = join_fidelities(whole.fidelity, &half.fidelity);
        }
        (whole.cost <= self.left).then_some(whole)
    }

    fn bounded(
        &mut self,
        rule: &ElaboratedRule,
        placed: &PlacedPredicate,
        expression: &Expr,
        cost: u64,
        limit: u64,
    ) -> Result<PlacedPart, String> {
        let text = expression.to_string();
        let mut expensive = format!(
            "the estimated cost of the rule at `{}` is {} of the limit for one rule",
            placed.node,
            cost::cost_share(cost)
        );
        if limit < RULE_LIMIT {
            let _ =
                write!(expensive, ", and the other rules of the schema leave {}", cost::cost_share(limit));
        }
        let Some(found) =
            bounds::find_widest_bounds(&mut self.schema.value, placed, &text, (limit, self.choices.servers))
        else {
            return Err(format!("{expensive}, and no bounds on lists and strings reduce it enough"));
        };
        let bounds: Vec<String> = found.iter().map(ToString::to_string).collect();
        let bounds = bounds.join(" and ");
        if !self.choices.may_bound {
            return Err(format!(
                "{expensive}; {bounds} would reduce it enough (target option `add-bounds=true` adds that)"
            ));
        }
        bounds::add_bounds(&mut self.schema.value, &found);
        let cost = cost::of_rule(&self.schema.value, &placed.node, &text, self.choices.servers);
        bounds::remove_bounds(&mut self.schema.value, &found);
        let mut part = self.place_part(rule, placed, expression, cost?);
        let felt: Vec<String> = found
            .iter()
            .filter(|bound| !limits::implies_bound(&placed.predicate, &placed.node, bound))
            .map(ToString::to_string)
            .collect();
        if !felt.is_empty() {
            let felt = felt.join(" and ");
            part.fidelity =
                Fidelity::Narrower(format!("rejects anything longer than {felt}, because {expensive}"));
        }
        let bound = |bound: SchemaBound| SchemaAddition {
            what: AdditionKind::Keyword(bound.keyword, Value::from(bound.most), rule.name.clone()),
            node: bound.node,
        };
        part.additions.splice(0..0, found.into_iter().map(bound));
        part.bounds = true;
        Ok(part)
    }

    /// A part of a rule as a validation.
    fn place_part(
        &self,
        rule: &ElaboratedRule,
        placed: &PlacedPredicate,
        expression: &Expr,
        cost: u64,
    ) -> PlacedPart {
        let mut entry = ValidationEntry::new(rule, placed, expression, cost, self.choices.values);
        let of_message = entry.fit_message(&self.schema.value, &placed.node, self.choices.servers);
        let additions =
            vec![SchemaAddition { node: placed.node.clone(), what: AdditionKind::Validation(entry) }];
        let cost = cost.saturating_add(of_message);
        PlacedPart { additions, bounds: false, cost, fidelity: Fidelity::Exact }
    }

    /// True if the schema already expresses all of a part.
    fn has(&self, part: &PlacedPart) -> bool {
        part.additions.iter().all(|addition| addition.is_in(&self.schema.value))
    }
}

/// The parts of a predicate in CEL, each at the deepest node that can express it.
fn lower_parts(
    predicate: &Predicate,
    schema: &StructuralSchema,
    servers: KubernetesVersions,
) -> Result<Vec<(PlacedPredicate, LoweredPredicate)>, String> {
    let parts = find_placements(predicate, schema);
    let placed: Result<Vec<_>, _> =
        parts.into_iter().map(|levels| lower_part(levels, schema, servers)).collect();
    placed.or_else(|cause| {
        let whole = PlacedPredicate { node: NodePath::default(), predicate: predicate.clone() };
        lower_part(vec![whole], schema, servers).map(|part| vec![part]).map_err(|_| cause)
    })
}

/// A predicate at the first of the nodes where the server takes it. Some names cannot be selected from above, and
/// others only from there.
fn lower_part(
    levels: Vec<PlacedPredicate>,
    schema: &StructuralSchema,
    servers: KubernetesVersions,
) -> Result<(PlacedPredicate, LoweredPredicate), String> {
    let mut first = None;
    for placed in levels {
        let cause = match lower_predicate(&placed.predicate, DIALECT) {
            Err(unsupported) => unsupported.cause,
            Ok(lowered) => match taken_by_servers(schema, &placed, &lowered, servers) {
                Ok(()) => return Ok((placed, lowered)),
                Err(cause) => cause,
            },
        };
        first.get_or_insert(cause);
    }
    Err(first.unwrap_or_default())
}

/// Checks that all servers take a rule; the error is the reason of those that do not.
fn taken_by_servers(
    schema: &StructuralSchema,
    placed: &PlacedPredicate,
    lowered: &LoweredPredicate,
    servers: KubernetesVersions,
) -> Result<(), String> {
    let text = lowered.expression.to_string();
    if let Some(cause) = missing_text(&rule_needs(&json!({ "rule": text })), servers.oldest()) {
        return Err(cause);
    }
    let cost = cost::of_rule(&schema.value, &placed.node, &text, servers);
    cost.map(drop).map_err(|cause| format!("the server rejects the rule: {cause}"))
}

/// Returns the fidelity of a rule with one more part.
fn join_fidelities(one: Fidelity, other: &Fidelity) -> Fidelity {
    match (&one, other) {
        (_, Fidelity::Exact) | (Fidelity::Unsupported(_), _) => one,
        (Fidelity::Exact, _) | (_, Fidelity::Unsupported(_)) => other.clone(),
        _ => {
            let mut causes: Vec<&str> = [&one, other].into_iter().filter_map(Fidelity::cause).collect();
            causes.dedup();
            Fidelity::with_cause(one.exactness().join_with(other.exactness()), causes.join(", and "))
        }
    }
}
