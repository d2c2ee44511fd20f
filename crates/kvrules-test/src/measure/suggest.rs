//! Suggested cases: for each mutant that survives, the smallest object that shows the difference, with the verdict of the rules.

use kvrules_generate::{ObjectGenerator, PlaceStep, text_of_length};
use serde_json::{Map, Value};

use super::mutants::Mutant;
use super::mutate::{MutationReport, measure_mutants};
use super::sites::MeasuredRules;
use super::witness::{Witness, WitnessSearch, is_in_status};
use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::model::{CaseInput, CaseWrites, Expectation, ExpectedText, ExpectedVerdict, TestCase};
use crate::own_format::{
    API_VERSION, CaseObject, KIND, ObjectSource, RuleTest, RuleTestsFile, TestText, TestVerdict,
};
use crate::run::answer_case;

/// Returns a suite of our own format with the missing cases, and the number of survivors that it kills. A case is left out if an
/// earlier one kills the mutant as well.
pub fn suggest_cases(
    rules: &MeasuredRules<'_>,
    report: &MutationReport,
    rules_path: &str,
) -> Option<(RuleTestsFile, usize)> {
    let case = rules.cases.first()?;
    let mut tests: Vec<RuleTest> = Vec::new();
    let mut known: Vec<&Witness> = Vec::new();
    for result in &report.mutants {
        let Some(witness) = result.witness.as_ref().filter(|witness| !known.contains(witness)) else {
            continue;
        };
        let answer = answer_of(case, witness);
        if answer.verdict == AnswerVerdict::Unevaluated {
            continue;
        }
        known.push(witness);
        tests.push(to_test(&result.mutant, &answer, witness, tests.len() + 1));
    }
    if tests.is_empty() {
        return None;
    }
    let killed = count_killed(rules, report, &tests);
    let file = RuleTestsFile {
        api_version: API_VERSION.to_owned(),
        kind: KIND.to_owned(),
        rules: vec![rules_path.to_owned()],
        cases: tests,
        ..RuleTestsFile::default()
    };
    Some((file, killed))
}

fn answer_of(case: &TestCase, witness: &Witness) -> CaseAnswer {
    answer_case(&TestCase { input: witness.to_input(), ..case.clone() }, &case.subject)
}

/// Returns the case in our own format.
fn to_test(mutant: &Mutant, answer: &CaseAnswer, witness: &Witness, number: usize) -> RuleTest {
    let Witness { object, old, is_status } = witness;
    let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let given = |fields: Map<String, Value>| Some(CaseObject::Given(ObjectSource::Inline(fields)));
    let is_rejected = answer.verdict == AnswerVerdict::Rejected;
    let message = answer.violations.first().map(|violation| TestText::Part(violation.message().to_owned()));
    RuleTest {
        name: format!("{number}: {}: {}", mutant.name, mutant.description),
        object: given(fields(object)),
        old: if old.is_null() { None } else { given(fields(old)) },
        subresource: if *is_status { "status".to_owned() } else { String::new() },
        expect: if is_rejected { TestVerdict::Reject } else { TestVerdict::Accept },
        messages: message.filter(|_| is_rejected).into_iter().collect(),
        ..RuleTest::default()
    }
}

/// Counts the survivors that the tests kill, by running them.
fn count_killed(rules: &MeasuredRules<'_>, report: &MutationReport, tests: &[RuleTest]) -> usize {
    let Some(base) = rules.cases.first() else { return 0 };
    let cases: Vec<TestCase> = tests.iter().map(|test| to_case(base, test)).collect();
    let with_tests = MeasuredRules {
        origin: rules.origin.clone(),
        document: rules.document.clone(),
        sites: rules.sites.clone(),
        cases: rules.cases.iter().copied().chain(&cases).collect(),
    };
    let killed = |report: &MutationReport| report.count(super::mutate::MutantStatus::Killed);
    killed(&measure_mutants(&with_tests)).saturating_sub(killed(report))
}

fn to_case(base: &TestCase, test: &RuleTest) -> TestCase {
    let value = |object: &Option<CaseObject>| match object {
        Some(CaseObject::Given(ObjectSource::Inline(fields))) => Value::Object(fields.clone()),
        _ => Value::Null,
    };
    let texts = test.messages.iter().filter_map(|text| match text {
        TestText::Part(text) => Some(ExpectedText::part(text, base.span)),
        _ => None,
    });
    let is_status = test.subresource == "status";
    let verdict = match test.expect {
        TestVerdict::Reject => ExpectedVerdict::Reject,
        _ => ExpectedVerdict::Accept,
    };
    TestCase {
        name: test.name.clone(),
        input: CaseInput {
            object: value(&test.object),
            old_object: value(&test.old),
            writes: if is_status { CaseWrites::Status } else { CaseWrites::Object },
            ..CaseInput::default()
        },
        expected: Expectation {
            verdict,
            is_about_status: is_status,
            messages: texts.collect(),
            ..Expectation::default()
        },
        ..base.clone()
    }
}

/// Looks for an object that tells a keyword from its mutant: accepted objects with a value at the bound.
pub(super) fn find_keyword_witness(mutant: &Mutant, search: &WitnessSearch<'_>) -> Option<Witness> {
    let (pointer, keyword) = mutant.pointer.rsplit_once('/')?;
    let (_, below) = pointer.split_once("/openAPIV3Schema")?;
    let steps = place_of(below);
    let head = search.bases.first()?;
    let api_version = head.get("apiVersion").and_then(Value::as_str)?;
    let definition = search.original.find_definition(api_version, head.get("kind")?.as_str()?)?;
    let schema =
        definition.find_version(api_version.rsplit('/').next()?)?.pointer("/schema/openAPIV3Schema")?;
    let node = schema.pointer(below).unwrap_or(&Value::Null);
    let mut generator = ObjectGenerator::new(schema);
    for value in boundary_values(keyword, mutant, node)? {
        let of_bases = search.bases.iter().filter_map(|base| super::witness::put_value(base, &steps, &value));
        let candidates: Vec<Value> = of_bases.collect();
        let generated: Vec<Value> = (0..3)
            .filter_map(|attempt| generator.generate_holding(&steps, attempt, &value))
            .map(|object| super::witness::with_head(&object, head))
            .collect();
        for object in candidates.into_iter().chain(generated) {
            let witness = Witness::of_object(object, None, is_in_status(search, &steps));
            if search.differs(&witness) {
                return Some(search.shrink(witness));
            }
        }
    }
    None
}

/// The values at which a changed bound differs from the original.
fn boundary_values(keyword: &str, mutant: &Mutant, node: &Value) -> Option<Vec<Value>> {
    if keyword == "enum" {
        let (before, after) = (mutant.before.as_array()?, mutant.after.as_array()?);
        let only = |one: &[Value], other: &[Value]| {
            one.iter().filter(|value| !other.contains(value)).cloned().collect::<Vec<_>>()
        };
        let mut values = only(before, after);
        values.extend(only(after, before));
        return Some(values);
    }
    let (before, after) = (mutant.before.as_i64()?, mutant.after.as_i64()?);
    let sizes = [before, after, before.max(after)];
    let to_value = |size: i64| {
        let length = usize::try_from(size).unwrap_or_default();
        match keyword {
            "minimum" | "maximum" => Some(Value::from(size)),
            "minLength" | "maxLength" if length <= 4096 => Some(Value::from(text_of_size(node, length))),
            "minItems" | "maxItems" if length <= MOST_ITEMS => items_of_size(node, length),
            _ => None,
        }
    };
    Some(sizes.into_iter().filter_map(to_value).collect())
}

/// The longest list that is made.
const MOST_ITEMS: usize = 128;

/// Returns a list of so many different items, if the schema has them.
fn items_of_size(node: &Value, length: usize) -> Option<Value> {
    let schema = node.get("items")?;
    let mut generator = ObjectGenerator::new(schema);
    let mut items: Vec<Value> = Vec::new();
    for index in 0..length * 4 {
        if items.len() == length {
            break;
        }
        let item = generator.generate_valid(index);
        if !items.contains(&item) {
            items.push(item);
        }
    }
    (items.len() == length).then_some(Value::Array(items))
}

/// Returns a text of this length, which the pattern of the node matches if one is found.
fn text_of_size(node: &Value, length: usize) -> String {
    let pattern = node.get("pattern").and_then(Value::as_str);
    let matching = pattern.and_then(|pattern| text_of_length(pattern, (length, Some(length))));
    matching.unwrap_or_else(|| "a".repeat(length))
}

/// The steps to the values of a node of a schema.
fn place_of(pointer: &str) -> Vec<PlaceStep> {
    let mut steps = Vec::new();
    let mut tokens = pointer.split('/').filter(|token| !token.is_empty());
    while let Some(token) = tokens.next() {
        match token {
            "properties" => steps.extend(
                tokens.next().map(|name| PlaceStep::Field(kvrules_syntax::pointer::unescape_step(name))),
            ),
            _ => steps.push(PlaceStep::Any),
        }
    }
    steps
}
