//! Relations between the rules of one annotation, as `kvrules-solver` proves them.
//!
//! Most rules have nothing to do with each other, and most that have are plainly neither equal nor opposed. What is
//! plain is reported here without a search, since `check` looks at every pair of every annotation.

use std::collections::{BTreeSet, HashMap, HashSet};

use kvrules_diagnostics::{Diagnostic, Lint, Span};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{ElaboratedRule, Operand, Place, PlaceStep, Predicate, Severity, ValueTest, ValueType};
use kvrules_regex::StepBudget;
use kvrules_solver::{ProofAnswer, Prover, UnknownReason};

use crate::{LintCheck, RuleView, message_text};

/// Something that is so of a rule, by itself or next to another.
#[derive(Clone, Debug)]
pub(crate) struct RelatedRule {
    /// Kind of the relation.
    pub(crate) relation: RuleRelation,
    /// The rule.
    pub(crate) rule: Span,
    /// The other rule: its place and its name.
    pub(crate) other: Option<(Span, String)>,
}

/// Relation of a rule to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRelation {
    /// No object satisfies it and the other.
    Contradicts,
    /// An object that satisfies the other rule satisfies it.
    Implied,
    /// It is a warning, and every object that violates it violates the other, an error.
    Shadowed,
    /// It means the same as the other.
    Same,
    /// It applies only to objects that the other rejects.
    NeverApplies,
    /// Every object satisfies it.
    AlwaysHolds,
    /// The relation of the rule to others is too large to decide.
    Undecided(UnknownReason),
}

/// Relations of each rule, by its location.
pub(crate) type Relations = HashMap<Span, Vec<RelatedRule>>;

/// The number of pairs of rules that are compared in one annotation: of a thousand rules on one field each pair.
const MOST_PAIRS: u64 = 500_000;

/// Everything that is so of the rules of an annotation. Each rule is implied, shadowed or repeated once at most.
pub(crate) fn find_relations(rules: &[&ElaboratedRule]) -> Relations {
    let pairs = StepBudget::new(MOST_PAIRS);
    let mut relations = Relations::new();
    for one in related_rules(rules, &pairs) {
        relations.entry(one.rule).or_default().push(one);
    }
    relations
}

fn related_rules(rules: &[&ElaboratedRule], pairs: &StepBudget) -> Vec<RelatedRule> {
    let mut prover = Prover::default();
    let mut undecided = FirstUndecided::default();
    let mut found = decided_relations(rules, &mut prover, &mut undecided, pairs);
    found.extend(
        undecided.0.and_then(|(rule, reason)| to_related(RuleRelation::Undecided(reason), rule, None)),
    );
    found
}

/// The first rule of which something was too large to decide, and why.
#[derive(Default)]
struct FirstUndecided<'r>(Option<(&'r ElaboratedRule, UnknownReason)>);

impl<'r> FirstUndecided<'r> {
    /// True if the answer is proved; the first rule with an undecided answer is recorded.
    fn is_yes(&mut self, rule: &'r ElaboratedRule, answer: &ProofAnswer) -> bool {
        if let (ProofAnswer::Unknown(reason), None) = (answer, self.0) {
            self.0 = reason.is_size_limit().then_some((rule, *reason));
        }
        answer.is_yes()
    }
}

fn decided_relations<'r>(
    rules: &[&'r ElaboratedRule],
    prover: &mut Prover<'r>,
    undecided: &mut FirstUndecided<'r>,
    steps: &StepBudget,
) -> Vec<RelatedRule> {
    let mut found = Vec::new();
    let usable = rules.iter().copied().filter(|rule| is_usable(rule));
    let holds =
        |rule: &&'r ElaboratedRule| can_be_idle(rule) && undecided.is_yes(rule, &prover.always_holds(rule));
    let (idle, rest): (Vec<_>, Vec<_>) = usable.partition(holds);
    found.extend(idle.iter().filter_map(|rule| to_related(RuleRelation::AlwaysHolds, rule, None)));
    let never = |rule: &&'r ElaboratedRule| {
        let both = [(&rule.applies, true), (&rule.predicate, true)];
        can_be_impossible(rule) && undecided.is_yes(rule, &prover.prove_exclusion(&both))
    };
    let (mut impossible, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(never);
    // Lints of the single rule report bounds and values that nothing satisfies.
    impossible.retain(|rule| rule.requirement.tests.iter().all(|test| matches!(test, ValueTest::Matches(_))));
    for rule in &rest {
        let barring = impossible.iter().copied().find(|other| {
            let both = [(&other.predicate, true), (&rule.applies, true)];
            other.severity == Severity::Error && undecided.is_yes(rule, &prover.prove_exclusion(&both))
        });
        found.extend(barring.and_then(|other| to_related(RuleRelation::NeverApplies, rule, Some(other))));
    }
    relate_pairs(&rest, &mut found, (prover, undecided), steps);
    found
}

fn relate_pairs<'r>(
    rules: &[&'r ElaboratedRule],
    found: &mut Vec<RelatedRule>,
    (prover, undecided): (&mut Prover<'r>, &mut FirstUndecided<'r>),
    steps: &StepBudget,
) {
    let mut on_trail: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    let mut reported: HashSet<Span> = HashSet::new();
    for (at, rule) in rules.iter().enumerate() {
        let own = field_trails(rule);
        let meeting: BTreeSet<usize> =
            own.iter().filter_map(|trail| on_trail.get(trail)).flatten().copied().collect();
        for trail in own {
            on_trail.entry(trail).or_default().push(at);
        }
        for other in meeting.into_iter().filter_map(|other| rules.get(other)) {
            if !steps.try_take(1) {
                undecided.0.get_or_insert((rule, UnknownReason::WorkExhausted));
                return;
            }
            let Some((relation, rule, other)) = relation_of(other, rule, prover, undecided) else { continue };
            let Some(one) = to_related(relation, rule, Some(other)) else { continue };
            // A rule that several others imply is reported once; each contradiction is reported.
            if relation == RuleRelation::Contradicts || reported.insert(one.rule) {
                found.push(one);
            }
        }
    }
}

fn to_related(
    relation: RuleRelation,
    rule: &ElaboratedRule,
    other: Option<&ElaboratedRule>,
) -> Option<RelatedRule> {
    let other = match other {
        Some(other) => Some((other.origin.span()?, other.name.clone())),
        None => None,
    };
    Some(RelatedRule { relation, rule: rule.origin.span()?, other })
}

/// Returns the relation between an earlier and a later rule: the relation, the rule that it is reported for, and the
/// other one.
fn relation_of<'r>(
    earlier: &'r ElaboratedRule,
    later: &'r ElaboratedRule,
    prover: &mut Prover<'r>,
    undecided: &mut FirstUndecided<'r>,
) -> Option<(RuleRelation, &'r ElaboratedRule, &'r ElaboratedRule)> {
    let mut implies = |one: &'r ElaboratedRule, other: &'r ElaboratedRule| {
        undecided.is_yes(later, &prover.prove_implication(one, other))
    };
    let is_warning = |rule: &ElaboratedRule| rule.severity == Severity::Warning;
    match (implies(earlier, later), implies(later, earlier)) {
        // Another lint reports two rules with the same name.
        (true, _) | (_, true) if earlier.name == later.name => None,
        (true, true) if is_warning(earlier) == is_warning(later) => {
            Some((RuleRelation::Same, later, earlier))
        }
        (true, _) if is_warning(later) && !is_warning(earlier) => {
            Some((RuleRelation::Shadowed, later, earlier))
        }
        (_, true) if is_warning(earlier) && !is_warning(later) => {
            Some((RuleRelation::Shadowed, earlier, later))
        }
        (true, false) if is_warning(earlier) == is_warning(later) => {
            Some((RuleRelation::Implied, later, earlier))
        }
        (false, true) if is_warning(earlier) == is_warning(later) => {
            Some((RuleRelation::Implied, earlier, later))
        }
        (false, false) => {
            let apart = undecided.is_yes(later, &prover.prove_contradiction(earlier, later));
            apart.then_some((RuleRelation::Contradicts, later, earlier))
        }
        _ => None,
    }
}

/// True if a rule can be evaluated; a pattern that does not compile is an error of its own.
fn is_usable(rule: &ElaboratedRule) -> bool {
    rule.requirement.tests.iter().all(|test| match test {
        ValueTest::Matches(pattern) => kvrules_regex::parse(&pattern.0).is_ok(),
        _ => true,
    })
}

/// True if it is not obvious that some value violates the rule.
fn can_be_idle(rule: &ElaboratedRule) -> bool {
    let value_type = rule.requirement.subject.leaf.value_type;
    let refutable = |test: &ValueTest| match test {
        ValueTest::Integer(interval) => interval.min.is_some() || interval.max.is_some(),
        ValueTest::Length(interval) => {
            interval.max.is_some() || interval.min.as_ref().is_some_and(|min| *min > 0.into())
        }
        ValueTest::OneOf(_) => value_type != ValueType::Boolean && rule.requirement.compared_with.is_empty(),
        ValueTest::Matches(_) => false,
    };
    value_type.is_scalar() && !rule.requirement.tests.iter().any(refutable)
}

/// True if it is not obvious that some value satisfies the rule.
fn can_be_impossible(rule: &ElaboratedRule) -> bool {
    let value_type = rule.requirement.subject.leaf.value_type;
    let reachable = |test: &ValueTest| match test {
        ValueTest::Integer(interval) => {
            !interval.is_empty() && matches!(value_type, ValueType::Integer | ValueType::Quantity)
        }
        ValueTest::Length(interval) => {
            let negative = interval.max.as_ref().is_some_and(|max| *max < 0.into());
            !interval.is_empty() && !negative && value_type == ValueType::String
        }
        ValueTest::OneOf(texts) => !texts.is_empty() && value_type == ValueType::String,
        ValueTest::Matches(_) => false,
    };
    !(rule.requirement.compared_with.is_empty() && rule.requirement.tests.iter().all(reachable))
}

/// The fields that a rule evaluates and compares, by their names on the way: rules without a common one do not meet.
fn field_trails(rule: &ElaboratedRule) -> Vec<Vec<&str>> {
    let subject = &rule.requirement.subject;
    let way = subject.lists.iter().chain([&subject.leaf]).flat_map(place_names).collect();
    let mut trails = vec![way];
    collect_compared(&rule.predicate, &mut trails);
    trails
}

fn place_names(place: &Place) -> impl Iterator<Item = &str> {
    place.steps.iter().filter_map(|step| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => Some(name.as_str()),
        PlaceStep::Item(_) => None,
    })
}

fn collect_compared<'r>(predicate: &'r Predicate, trails: &mut Vec<Vec<&'r str>>) {
    if let Predicate::Compare { left, right, .. } = predicate {
        trails.extend([left, right].map(Operand::place).map(|place| place_names(place).collect()));
    }
    predicate.children().iter().for_each(|part| collect_compared(part, trails));
}

/// Reports what is so of a rule: `says` makes the message of the rule's title and of the other's.
pub(crate) fn report_relations(
    lint: &Lint,
    relation: RuleRelation,
    says: fn(&str, &str, &str) -> (String, String, String),
    rule: &RuleView<'_>,
    found: &mut Vec<Diagnostic>,
) {
    if rule.understood().is_none() {
        return;
    }
    let own = rule.node.span();
    let of_rule = rule.annotated.relations().get(&own).into_iter().flatten();
    for one in of_rule.filter(|one| one.relation == relation) {
        let other = one.other.as_ref().map_or_else(String::new, |(_, name)| message_text::rule_title(name));
        let (message, label, help) = says(&rule.message_title(), &other, rule.thing());
        let finding = lint.diagnostic_at(name_of(rule), message).with_help(help);
        found.push(match &one.other {
            Some((place, _)) => finding.with_secondary_label(other_name(rule, *place), label),
            None => finding,
        });
    }
}

/// Returns the reason why the relation of a rule to others is undecided; `None` if it is decided, or if another rule
/// was the first.
pub(crate) fn undecided_reason(rule: &RuleView<'_>) -> Option<UnknownReason> {
    rule.understood()?;
    let own = rule.node.span();
    rule.annotated.relations().get(&own)?.iter().find_map(|one| match one.relation {
        RuleRelation::Undecided(reason) => Some(reason),
        _ => None,
    })
}

/// The name of a rule, else where it begins.
fn name_of(rule: &RuleView<'_>) -> Span {
    rule.key_value(Key::Name).map_or_else(|| rule.head_span(), kvrules_syntax::Node::span)
}

/// The name of another rule of the annotation, else where it begins.
fn other_name(rule: &RuleView<'_>, place: Span) -> Span {
    let node = rule.annotation.rules().find(|node| node.span() == place);
    let name = node.and_then(|node| node.get(Key::Name.as_str()));
    name.map_or_else(|| place.first_byte(), kvrules_syntax::Node::span)
}

/// True if one of these more specific checks has a finding in the rule.
pub(crate) fn is_reported(rule: &RuleView<'_>, checks: &[LintCheck]) -> bool {
    let mut found = Vec::new();
    for check in checks {
        if let LintCheck::Rule(check) | LintCheck::RuleInPlace(check) = check {
            check(rule, &mut found);
        }
    }
    !found.is_empty()
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::{FileId, SourceFile};
    use kvrules_elaborate::{annotation, catalog::Catalog};
    use kvrules_syntax::source_stream;

    use super::*;
    use crate::LintedAnnotation;

    /// Returns the relations of rules with bounds on fields, and the number of pairs that were compared.
    fn compared(fields: &[&str], most: u64) -> (Vec<RelatedRule>, u64) {
        let rule = |(at, field): (usize, &&str)| {
            let path = format!("jsonpath::.spec.domain.{field}");
            format!(
                r#"{{"name": "r{at}", "message": "m", "path": "{path}", "rule": "integer", "min": {at}}}"#
            )
        };
        let rules: Vec<_> = fields.iter().enumerate().map(rule).collect();
        let text = format!("vm.kubevirt.io/validations: |\n  [{}]\n", rules.join(", "));
        let source = SourceFile::new(FileId(0), "rules.yaml", text);
        let stream = source_stream(&source);
        let found = stream.documents.iter().flat_map(annotation::find_annotations).next().unwrap();
        let annotated = LintedAnnotation::from(kvrules_elaborate::ElaboratedAnnotation::new(
            found,
            "rules",
            Catalog::kubevirt_vm(),
        ));
        let pairs = StepBudget::new(most);
        let rules: Vec<_> = annotated.elaboration.rules.iter().collect();
        assert_eq!(rules.len(), fields.len());
        (related_rules(&rules, &pairs), pairs.steps_used())
    }

    #[test]
    fn only_rules_with_a_common_field_are_compared() {
        let fields = ["cpu.cores", "cpu.sockets", "cpu.cores", "cpu.threads", "cpu.sockets", "cpu.cores"];
        let (related, pairs) = compared(&fields, MOST_PAIRS);
        assert_eq!(pairs, 3 + 1);
        assert!(related.iter().all(|one| one.relation == RuleRelation::Implied), "{related:?}");
    }

    #[test]
    fn rules_that_are_too_many_to_compare_are_told_of() {
        let (related, pairs) = compared(&["cpu.cores"; 30], 100);
        assert_eq!(pairs, 100);
        let undecided = related
            .iter()
            .filter(|one| one.relation == RuleRelation::Undecided(UnknownReason::WorkExhausted));
        assert_eq!(undecided.count(), 1);
        let (related, pairs) = compared(&["cpu.cores"; 30], MOST_PAIRS);
        assert_eq!(pairs, 30 * 29 / 2);
        assert!(related.iter().all(|one| one.relation == RuleRelation::Implied), "{related:?}");
    }
}
