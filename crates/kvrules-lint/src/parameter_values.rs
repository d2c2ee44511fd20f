//! Compares the values of a template's parameters with its own rules: the written values, and the generated ones.

use std::collections::{BTreeMap, HashMap};

use kvrules_elaborate::object::ParameterValues;
use kvrules_elaborate::template::{GeneratorPart, Template, ValueGenerator};
use kvrules_eval::{EvaluatedValue, Explanation, explain_rule, predicate_holds};
use kvrules_ir::{ElaboratedRule, Interval, RegexPattern, Severity, ValueTest};
use kvrules_regex::{Automaton, TextDemands, TextSearch};
use kvrules_syntax::{Node, find_parameters};
use serde_json::Value;

use crate::{
    LintedAnnotation,
    machines::{Names, PLACEHOLDER, has_parameter, node_at, visible_fields},
    templates::declared_parameters,
};

/// Number of generated values that are tried one by one.
const MOST_VALUES: u64 = 256;

/// Number of parameters that are processed at most to try values, since each value needs all of them.
const MOST_PROCESSED: u64 = 200_000;

/// Number of values that are drawn from a greater number.
const DRAWN: u64 = 32;

/// A rule that a parameter's value violates, or may.
pub(crate) struct ParameterViolation<'d, 'r> {
    /// The parameter.
    pub(crate) parameter: Node<'d>,
    /// The value in the VirtualMachine that it is a part of.
    pub(crate) place: Node<'d>,
    /// The rule.
    pub(crate) rule: &'r ElaboratedRule,
    /// Values of the parameter that violate it.
    pub(crate) extent: ViolationExtent,
    /// The value in the VirtualMachine, and why it violates the rule; empty if no such value is known.
    pub(crate) reason: String,
}

/// Values of a parameter that violate a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViolationExtent {
    /// The only one: it is written, or is empty.
    SoleValue,
    /// All that are generated.
    AllGenerated,
    /// Some that are generated.
    SomeGenerated,
    /// None that is known, among too many to look at all.
    Unknown,
}

/// The rules that the values of parameters violate, machine by machine.
pub(crate) fn find_violations<'d, 'r>(
    annotated: &'r LintedAnnotation<'d>,
) -> Vec<ParameterViolation<'d, 'r>> {
    let Some(template) = annotated.annotation.template else { return Vec::new() };
    if !annotated.catalog.subject().is_virtual_machine() || template.has_open_parameters() {
        return Vec::new();
    }
    let declared = declared_parameters(template);
    let required: BTreeMap<_, _> = declared
        .iter()
        .filter(|(_, parameter)| is_wanted(**parameter))
        .map(|(name, _)| ((*name).to_owned(), PLACEHOLDER.to_owned()))
        .collect();
    let names = Names::of(annotated);
    let mut found = Vec::new();
    let machines = annotated.annotation.virtual_machines();
    for machine in machines.filter(|machine| !machine.is_open() && has_parameter(*machine, &names)) {
        let mut case = RuleCase {
            annotated,
            names: &names,
            template,
            machine,
            declared: &declared,
            required: &required,
            usual: None,
        };
        case.usual = case.object(&BTreeMap::new());
        let rules = annotated.elaboration.rules.iter();
        found.extend(
            rules.filter(|rule| rule.severity == Severity::Error).filter_map(|rule| case.evaluate(rule)),
        );
    }
    found
}

/// True if a value of a machine uses a parameter that the template declares; such values are evaluated here.
pub(crate) fn is_parametrized(template: Template<'_>, node: Node<'_>) -> bool {
    find_parameters(node.text()).any(|parameter| template.find_parameter(parameter.name).is_some())
}

struct RuleCase<'d, 'r> {
    annotated: &'r LintedAnnotation<'d>,
    names: &'r Names<'r>,
    template: Template<'d>,
    machine: Node<'d>,
    /// The parameters, by their names.
    declared: &'r HashMap<&'d str, Node<'d>>,
    /// Those that somebody has to give, each with a placeholder.
    required: &'r BTreeMap<String, String>,
    /// The machine with the template's own values.
    usual: Option<Value>,
}

/// An evaluated value that is made with parameters.
struct TemplatedPlace<'d> {
    node: Node<'d>,
    evaluated: EvaluatedValue,
}

impl<'d> RuleCase<'d, '_> {
    fn evaluate<'r>(&self, rule: &'r ElaboratedRule) -> Option<ParameterViolation<'d, 'r>> {
        let usual = self.usual.as_ref()?;
        let explanation = explain_rule(rule, usual).ok()?;
        let places = self.places(&explanation);
        let names: Vec<_> = places
            .iter()
            .flat_map(|place| find_parameters(place.node.text()))
            .map(|found| found.name)
            .collect();
        // The value of a parameter that the user must give is unknown.
        if names.is_empty() || names.iter().any(|name| self.required.contains_key(*name)) {
            return None;
        }
        let generated: BTreeMap<_, _> =
            names.iter().filter_map(|name| Some((*name, self.generator(name)?))).collect();
        if generated.is_empty() {
            let failing = places.iter().find(|place| !place.evaluated.passes_tests()).or(places.first())?;
            let is_violated = !predicate_holds(&rule.predicate, usual);
            let fixed = explanation.values.iter().any(|value| !value.passes_tests())
                && failing.evaluated.passes_tests();
            if !is_violated || fixed {
                return None;
            }
            let name = find_parameters(failing.node.text()).next()?.name;
            return self.violation(rule, name, failing, ViolationExtent::SoleValue, explanation.reason);
        }
        self.evaluate_generated(rule, &places, &generated)
    }

    fn evaluate_generated<'r>(
        &self,
        rule: &'r ElaboratedRule,
        places: &[TemplatedPlace<'d>],
        generated: &BTreeMap<&str, ValueGenerator>,
    ) -> Option<ParameterViolation<'d, 'r>> {
        let draws = GeneratedDraws::of(generated, self.declared.len());
        let (mut violating, mut satisfying) = (None, 0_usize);
        for given in &draws.values {
            if predicate_holds(&rule.predicate, &self.object(given)?) {
                satisfying += 1;
            } else if violating.is_none() {
                violating = Some(given);
            }
        }
        let by_reasoning = || Self::by_reasoning(rule, places, generated, satisfying > 0);
        let (extent, example) = match violating {
            Some(given) if satisfying > 0 => (ViolationExtent::SomeGenerated, Some(given.clone())),
            Some(given) if draws.are_all || by_reasoning() == Some(true) => {
                (ViolationExtent::AllGenerated, Some(given.clone()))
            }
            // All values that were drawn violate the rule, but others may satisfy it.
            Some(given) => (ViolationExtent::SomeGenerated, Some(given.clone())),
            None if draws.are_all || by_reasoning() == Some(true) => return None,
            None => (ViolationExtent::Unknown, None),
        };
        let explanation = example.map(|given| self.explained(rule, &given));
        let reason = explanation.flatten().map(|explanation| explanation.reason).unwrap_or_default();
        let has_generated = |place: &&TemplatedPlace<'_>| {
            find_parameters(place.node.text()).any(|found| generated.contains_key(found.name))
        };
        let place = places.iter().find(has_generated)?;
        let name = find_parameters(place.node.text()).find(|found| generated.contains_key(found.name))?.name;
        self.violation(rule, name, place, extent, reason)
    }

    fn violation<'r>(
        &self,
        rule: &'r ElaboratedRule,
        name: &str,
        place: &TemplatedPlace<'d>,
        extent: ViolationExtent,
        reason: String,
    ) -> Option<ParameterViolation<'d, 'r>> {
        let parameter = *self.declared.get(name)?;
        Some(ParameterViolation { parameter, place: place.node, rule, extent, reason })
    }

    /// The fields of the machine that the rules refer to, with these values of parameters.
    fn object(&self, given: &BTreeMap<String, String>) -> Option<Value> {
        let mut given = given.clone();
        given.extend(self.required.clone());
        visible_fields(
            self.annotated,
            self.names,
            self.machine,
            &ParameterValues::from_template(self.template, &given),
        )
    }

    fn explained(&self, rule: &ElaboratedRule, given: &BTreeMap<String, String>) -> Option<Explanation> {
        explain_rule(rule, &self.object(given)?).ok()
    }

    /// The evaluated values that are made with parameters.
    fn places(&self, explanation: &Explanation) -> Vec<TemplatedPlace<'d>> {
        let values = explanation.values.iter();
        let places = values.filter_map(|evaluated| {
            let node = node_at(self.machine, &evaluated.finding.location)?;
            let is_declared =
                find_parameters(node.text()).any(|found| self.declared.contains_key(found.name));
            is_declared.then(|| TemplatedPlace { node, evaluated: evaluated.clone() })
        });
        places.collect()
    }

    /// The generator of a parameter, if it is what gives its value.
    fn generator(&self, name: &str) -> Option<ValueGenerator> {
        let parameter = self.declared.get(name)?;
        let text = |key: &str| parameter.get(key).map_or("", Node::text);
        let is_used = text("value").is_empty() && text("generate") == "expression";
        let generator = ValueGenerator::new(text("from"), self.template.kind()).ok()?;
        (is_used && !generator.is_constant()).then_some(generator)
    }

    /// Decides what drawing values could not: true if all generated values do as those that were drawn, which all violate
    /// the rule or all satisfy it. None if that cannot be expressed.
    fn by_reasoning(
        rule: &ElaboratedRule,
        places: &[TemplatedPlace<'d>],
        generated: &BTreeMap<&str, ValueGenerator>,
        satisfied: bool,
    ) -> Option<bool> {
        let ([place], Some((name, generator))) = (places, generated.iter().next()) else { return None };
        let text = place.node.text();
        let mut references = find_parameters(text);
        let reference = references.next().filter(|found| found.name == *name && !found.unquoted)?;
        // The value must consist of this parameter alone, and nothing else may affect the rule.
        let is_alone = references.next().is_none() && generated.len() == 1 && generator.is_exact();
        if !is_alone || !rule.requirement.compared_with.is_empty() {
            return None;
        }
        let around = (text.get(..reference.range.start)?, text.get(reference.range.end..)?);
        let language = ValueLanguage { generator, around };
        match rule.requirement.tests.as_slice() {
            [only] => language.is_uniform(only, satisfied),
            tests if satisfied => {
                let all = tests.iter().map(|test| language.is_uniform(test, true));
                all.collect::<Option<Vec<_>>>().map(|all| all.into_iter().all(|is| is))
            }
            _ => None,
        }
    }
}

/// True if a parameter has no value until a user sets one.
fn is_wanted(parameter: Node<'_>) -> bool {
    let text = |key: &str| parameter.get(key).map_or("", Node::text);
    text("value").is_empty() && text("generate").is_empty() && text("required") == "true"
}

/// Values of the generated parameters to try.
struct GeneratedDraws {
    values: Vec<BTreeMap<String, String>>,
    /// True if these are all values.
    are_all: bool,
}

impl GeneratedDraws {
    /// `parameters` is how many the template has.
    fn of(generated: &BTreeMap<&str, ValueGenerator>, parameters: usize) -> Self {
        let parameters = u64::try_from(parameters).unwrap_or(u64::MAX).max(1);
        let most = (MOST_PROCESSED / parameters).min(MOST_VALUES);
        let counts = generated.values().map(ValueGenerator::value_count);
        let total = counts.into_iter().try_fold(1_u64, |total, count| total.checked_mul(count?));
        let are_exact = generated.values().all(ValueGenerator::is_exact);
        let total = total.filter(|total| are_exact && *total <= most);
        let with = |choose: &mut dyn FnMut(usize) -> usize| {
            let values =
                generated.iter().map(|(name, from)| ((*name).to_owned(), from.generate_value(choose)));
            values.collect::<BTreeMap<_, _>>()
        };
        let values = if let Some(total) = total {
            (0..total).map(|index| with(&mut number_digits(index))).collect()
        } else {
            let mut values = vec![with(&mut |_| 0), with(&mut |count| count.saturating_sub(1))];
            let mut next = pseudo_random();
            values.extend((0..DRAWN.min(most)).map(|_| with(&mut next)));
            values
        };
        Self { values, are_all: total.is_some() }
    }
}

/// The digits of a number, each in the given base.
fn number_digits(mut rest: u64) -> impl FnMut(usize) -> usize {
    move |count| {
        let base = u64::try_from(count).unwrap_or(1).max(1);
        let digit = rest % base;
        rest /= base;
        usize::try_from(digit).unwrap_or_default()
    }
}

/// Numbers that look random and are the same in every run.
fn pseudo_random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |count| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let base = u64::try_from(count).unwrap_or(1).max(1);
        usize::try_from((state >> 33) % base).unwrap_or_default()
    }
}

/// The values at a place: a generated one with the text around it.
struct ValueLanguage<'g> {
    generator: &'g ValueGenerator,
    around: (&'g str, &'g str),
}

impl ValueLanguage<'_> {
    /// True if all values pass a test (`passing`), or all fail it (not `passing`); `None` if unknown.
    fn is_uniform(&self, test: &ValueTest, passing: bool) -> Option<bool> {
        match test {
            // All values have the same length.
            ValueTest::Length(_) => Some(true),
            ValueTest::Integer(interval) => self.is_uniform_integer(interval, passing),
            ValueTest::OneOf(texts) => {
                let members: Vec<_> = texts.iter().map(|text| escape_regex(text)).collect();
                self.is_uniform_pattern(&format!(r"\A(?:{})\z", members.join("|")), passing)
            }
            ValueTest::Matches(RegexPattern(pattern)) => self.is_uniform_pattern(pattern, passing),
        }
    }

    fn is_uniform_pattern(&self, pattern: &str, passing: bool) -> Option<bool> {
        let (before, behind) = self.around;
        let own =
            format!(r"\A{}{}{}\z", escape_regex(before), self.generator.to_pattern(), escape_regex(behind));
        let automaton =
            |pattern: &str| -> Option<Automaton> { kvrules_regex::parse(pattern).ok()?.to_automaton() };
        let (own, test) = (automaton(&own)?, automaton(pattern)?);
        let search = if passing {
            TextDemands { matches: &[&own], lacks: &[&test], ..TextDemands::default() }.find_text()
        } else {
            TextDemands { matches: &[&own, &test], ..TextDemands::default() }.find_text()
        };
        match search {
            TextSearch::Found(_) => Some(false),
            TextSearch::Nothing => Some(true),
            TextSearch::TooLarge => None,
        }
    }

    /// Numbers that differ in digits alone grow with them, so the least and the greatest speak for the rest. Both were
    /// drawn, since digits stand in a range in their order.
    fn is_uniform_integer(&self, interval: &Interval, passing: bool) -> Option<bool> {
        let is_ordered = |alphabet: &str| {
            alphabet.bytes().all(|byte| byte.is_ascii_digit())
                && alphabet.as_bytes().is_sorted_by(|one, other| one < other)
        };
        let grows = self.generator.parts().iter().all(|part| match part {
            GeneratorPart::Text(_) => true,
            GeneratorPart::Class { alphabet, .. } => is_ordered(alphabet),
        });
        let is_one_sided = interval.min.is_none() || interval.max.is_none();
        (grows && (passing || is_one_sided)).then_some(true)
    }
}

fn escape_regex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
