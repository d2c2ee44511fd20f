//! What is claimed of rules, compared with the evaluation of the rules on all objects of a small domain.
//!
//! Rules are random conditions over fields of many types. `KVRULES_DECISIONS_SEED` and `KVRULES_DECISIONS_ROUNDS` choose others and more.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![allow(
    clippy::option_option,
    clippy::similar_names,
    clippy::needless_pass_by_value,
    clippy::assigning_clones,
    reason = "tables and generators"
)]

mod domain;
mod grammar;

use std::collections::BTreeMap;
use std::fmt;

use domain::{Field, fields, objects_of, schema_of};
use grammar::Grammar;
use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value as CelValue, from_schema};
use kvrules_generate::PseudoRandom;
use kvrules_ir::Formula;
use kvrules_lift::{
    ContradictionSearch, DefinitionRule, FormulaVerdict, LiftedRule, PlaceFormulas, PlaceProofs,
    RestatedKeyword, certify_implication, examine_rule, find_restated_keyword, is_implied, lift_rule,
    may_end_in_error, stored_value_exists,
};
use serde_json::{Value, json};

/// The most objects of a domain.
const MOST_OBJECTS: usize = 260;
/// The rounds of the test; each compares some rules about the same fields.
const ROUNDS: usize = 700;

/// A value, and the one that it replaces at an update.
struct Write {
    value: Value,
    old: Option<Value>,
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.old {
            Some(old) => write!(f, "{} in place of {old}", self.value),
            None => write!(f, "{}", self.value),
        }
    }
}

/// A rule with its verdict on each object: none where it ends in an error.
struct JudgedRule {
    rule: DefinitionRule<'static>,
    lifted: LiftedRule,
    verdicts: Vec<Option<bool>>,
}

/// The claims of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    /// Not claimed, though no object is against it.
    missed: usize,
    wrong: usize,
}

#[derive(Default)]
struct Report {
    tallies: BTreeMap<&'static str, Tally>,
    wrong: Vec<String>,
    certificates: Certificates,
    /// Rules without a formula.
    opaque: usize,
    rules: usize,
}

/// The answer of the checker of certificates.
#[derive(Debug, Default)]
struct Certificates {
    /// All steps are checked.
    complete: usize,
    /// Some steps are named alone.
    partial: usize,
    /// Proofs that have none.
    missing: usize,
    refused: Vec<String>,
}

impl Report {
    /// Checks the certificate of a claim.
    fn check_certificate(
        &mut self,
        is_claimed: bool,
        premises: &[&Formula],
        conclusion: &Formula,
        schema: &Value,
        about: impl Fn() -> String,
    ) {
        if !is_claimed {
            return;
        }
        let Some(certificate) = certify_implication(premises, conclusion, schema) else {
            self.certificates.missing += 1;
            return;
        };
        let report = certificate.check_steps(schema);
        match &report.refusal {
            Some(why) => self.certificates.refused.push(format!("{}: {why}: {:#?}", about(), report)),
            None if report.unchecked.is_empty() => self.certificates.complete += 1,
            None => self.certificates.partial += 1,
        }
    }

    /// Asks for a proof, and checks its certificate.
    fn prove(
        &mut self,
        premises: &[&Formula],
        conclusion: &Formula,
        schema: &Value,
        about: impl Fn() -> String,
    ) -> bool {
        let is_proved = is_implied(premises, conclusion, schema);
        self.check_certificate(is_proved, premises, conclusion, schema, about);
        is_proved
    }

    fn add_claim(
        &mut self,
        kind: &'static str,
        is_claimed: bool,
        counter: Option<&Write>,
        about: impl Fn() -> String,
    ) {
        let tally = self.tallies.entry(kind).or_default();
        match (is_claimed, counter) {
            (true, None) => tally.right += 1,
            (false, None) => tally.missed += 1,
            (false, Some(_)) => {}
            (true, Some(object)) => {
                tally.wrong += 1;
                self.wrong.push(format!("{kind}: {}: not for {object}", about()));
            }
        }
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_claim_contradicts_an_evaluation() {
    let seed = setting("KVRULES_DECISIONS_SEED", 1);
    let rounds = setting("KVRULES_DECISIONS_ROUNDS", ROUNDS.try_into().unwrap());
    let all = fields();
    let mut report = Report::default();
    for round in 0..rounds {
        let mut random = PseudoRandom::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(round));
        compare_rules(&mut random, &all, &mut report);
    }
    let Report { tallies, wrong, certificates, opaque, rules } = &report;
    println!("{rules} rules, {opaque} without a formula");
    for (kind, tally) in tallies {
        println!("{kind}: {tally:?}");
    }
    let Certificates { complete, partial, missing, refused } = certificates;
    println!(
        "certificates: {complete} checked, {partial} in part, {missing} missing, {} refused",
        refused.len()
    );
    assert!(refused.is_empty(), "{}\n{} certificates are refused", refused.join("\n"), refused.len());
    assert!(complete + partial > 200 && *missing * 20 < complete + partial);
    assert!(wrong.is_empty(), "{}\n{} claims are wrong", wrong.join("\n"), wrong.len());
    let right: usize = tallies.values().map(|it| it.right).sum();
    assert!(right > 200, "{right} claims");
}

/// Makes some rules about the same fields, and judges what is claimed of them.
fn compare_rules(random: &mut PseudoRandom, all: &[Field], report: &mut Report) {
    let mut chosen: Vec<&Field> = Vec::new();
    for _ in 0..=random.number_below(3) {
        let field = random.choose_one(all).unwrap();
        let count: usize = chosen.iter().chain([&field]).map(|it| it.values.len() + 1).product();
        if count <= MOST_OBJECTS && !chosen.iter().any(|it| it.name == field.name) {
            chosen.push(field);
        }
    }
    let schema = schema_of(&chosen);
    let is_update = random.number_below(6) == 0;
    let objects = if is_update { updates_of(random, &chosen) } else { creations_of(&chosen) };
    let rules: Vec<JudgedRule> = rule_texts(random, &chosen, is_update)
        .into_iter()
        .filter_map(|text| {
            let judged = judge_rule(&text, &schema, &objects, report);
            report.rules += 1;
            report.opaque += usize::from(judged.is_none());
            judged
        })
        .collect();
    for it in &rules {
        judge_sense(it, &schema, &objects, report);
    }
    judge_pairs(&rules, &schema, &objects, report);
    judge_place(&rules, &schema, &objects, report);
}

fn creations_of(fields: &[&Field]) -> Vec<Write> {
    objects_of(fields).into_iter().map(|value| Write { value, old: None }).collect()
}

/// Pairs of objects; if there are many, each object twice.
fn updates_of(random: &mut PseudoRandom, fields: &[&Field]) -> Vec<Write> {
    let all = objects_of(fields);
    let of_value = |value: &Value| {
        let olds: Vec<&Value> = if all.len() * all.len() <= MOST_OBJECTS {
            all.iter().collect()
        } else {
            (0..2).filter_map(|_| random.choose_one(&all)).chain([value]).collect()
        };
        olds.into_iter().map(|old| Write { value: value.clone(), old: Some(old.clone()) }).collect::<Vec<_>>()
    };
    all.iter().flat_map(of_value).collect()
}

/// Rules that are made of the same few conditions, so that many imply or contradict each other.
fn rule_texts(random: &mut PseudoRandom, fields: &[&Field], is_update: bool) -> Vec<String> {
    let atoms: Vec<String> = {
        let mut grammar = Grammar::new(random, fields, is_update);
        (0..3).map(|_| grammar.atom(2)).collect()
    };
    let mut texts = Vec::new();
    for _ in 0..4 {
        let atom = |random: &mut PseudoRandom| random.choose_one(&atoms).cloned().unwrap_or_default();
        let parts = [atom(random), atom(random), atom(random)];
        let [one, two, three] = parts;
        texts.push(match random.number_below(7) {
            0 => one,
            1 => format!("!({one})"),
            2 => format!("({one}) && ({two})"),
            3 => format!("({one}) || ({two})"),
            4 => format!("({one}) && (({two}) || ({three}))"),
            5 => format!("({one}) ? ({two}) : ({three})"),
            _ => Grammar::new(random, fields, is_update).condition(2),
        });
    }
    texts.sort_unstable();
    texts.dedup();
    texts
}

fn judge_rule(text: &str, schema: &Value, objects: &[Write], report: &mut Report) -> Option<JudgedRule> {
    let source = RuleSource::from_json(&json!({ "rule": text }));
    let schema_of_rule = schema.clone().into();
    let rule = DefinitionRule {
        place: Vec::new(),
        schema: schema_of_rule,
        index: 0,
        source,
        constant_fields: Vec::new(),
    };
    let lifted = lift_rule(&rule, 40).ok()?;
    let verdicts =
        objects.iter().map(|object| evaluate(&lifted, schema, object)).collect::<Option<Vec<_>>>()?;
    let formulas = FormulaVerdict::new(&rule, &lifted.formulas);
    let mut pairs = objects.iter().zip(&verdicts);
    let differing = pairs
        .find(|(object, verdict)| formulas.decide_value(&object.value, object.old.as_ref()) != **verdict);
    report.add_claim("formulas", true, differing.map(|(object, _)| object), || text.to_owned());
    Some(JudgedRule { rule, lifted, verdicts })
}

/// The verdict of a rule as a server evaluates it. `None` if it gives up.
fn evaluate(lifted: &LiftedRule, schema: &Value, object: &Write) -> Option<Option<bool>> {
    let mut scope = Scope::default();
    let shape = ExpressionShape::Schema(schema);
    scope.variables.insert("self", (from_schema(&object.value, schema), shape));
    if let Some(old) = &object.old {
        scope.variables.insert("oldSelf", (from_schema(old, schema), shape));
    }
    match evaluate_expression(&lifted.expression, &scope, CALL_LIMIT).result {
        Ok(CelValue::Bool(verdict)) => Some(Some(verdict)),
        Err(error) if error.kind == ErrorKind::Cancelled => None,
        _ => Some(None),
    }
}

/// The first object on which a rule has another verdict than those that are meant.
fn object_with<'o>(
    it: &JudgedRule,
    objects: &'o [Write],
    is_meant: impl Fn(Option<bool>) -> bool,
) -> Option<&'o Write> {
    let mut pairs = objects.iter().zip(&it.verdicts);
    pairs.find(|(_, verdict)| is_meant(**verdict)).map(|(object, _)| object)
}

fn judge_sense(it: &JudgedRule, schema: &Value, objects: &[Write], report: &mut Report) {
    let formulas = &it.lifted.formulas;
    let sense = examine_rule(&it.rule, formulas);
    let about = || it.rule.source.rule.clone();
    let fails = object_with(it, objects, |verdict| verdict != Some(true));
    report.add_claim("always true", sense.is_always_true, fails, about);
    let passes = object_with(it, objects, |verdict| verdict == Some(true));
    report.add_claim("never true", sense.is_never_true, passes, about);
    let ends = object_with(it, objects, |verdict| verdict.is_none());
    report.add_claim("no error", !may_end_in_error(&it.rule, formulas), ends, about);
    let stored = stored_in(objects);
    let decided = report.prove(&[&stored], &formulas.is_decided(), schema, about);
    report.check_certificate(sense.is_always_true, &[&stored], &formulas.holds, schema, about);
    report.check_certificate(
        sense.is_never_true,
        &[&formulas.holds, &stored],
        &Formula::False,
        schema,
        about,
    );
    report.add_claim("decided", decided, ends, about);
    let fails = object_with(it, objects, |verdict| verdict == Some(false));
    if objects.iter().all(|it| it.old.is_none())
        && let Some(found) = find_restated_keyword(&formulas.holds, schema)
    {
        let by_keyword = ObjectSchema::new(&with_keyword(&found, schema)).without_metadata_checks();
        let differs = |(object, verdict): &(&Write, &Option<bool>)| {
            by_keyword.admit_object(&object.value, None).is_accepted() != (**verdict == Some(true))
        };
        let differing = objects.iter().zip(&it.verdicts).find(differs);
        report.add_claim("keyword", true, differing.map(|(object, _)| object), about);
    }
    let never_false = report.prove(&[&formulas.fails, &stored], &Formula::False, schema, about);
    report.add_claim("never false", never_false, fails, about);
}

/// The schema with a keyword in place of a rule.
fn with_keyword(found: &RestatedKeyword, schema: &Value) -> Value {
    let mut schema = schema.clone();
    let node = found.path.iter().fold(&mut schema, |node, name| &mut node["properties"][name]);
    match (found.keyword, node.get_mut("required").and_then(Value::as_array_mut)) {
        ("required", Some(known)) => known.extend(found.value.as_array().unwrap().clone()),
        _ => node[found.keyword] = found.value.clone(),
    }
    if found.is_exclusive {
        let exclusive = if found.keyword == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
        node[exclusive] = json!(true);
    }
    schema
}

/// That there is a stored value, if the writes replace one.
fn stored_in(objects: &[Write]) -> Formula {
    if objects.iter().all(|it| it.old.is_some()) { stored_value_exists() } else { Formula::True }
}

fn judge_pairs(rules: &[JudgedRule], schema: &Value, objects: &[Write], report: &mut Report) {
    let stored = stored_in(objects);
    for (at, one) in rules.iter().enumerate() {
        for (number, other) in rules.iter().enumerate().filter(|(number, _)| *number != at) {
            let about = || format!("{} => {}", one.rule.source.rule, other.rule.source.rule);
            let (holds, of_other) = (&one.lifted.formulas.holds, &other.lifted.formulas);
            let against = |is_meant: &dyn Fn(Option<bool>) -> bool| {
                let pairs = one.verdicts.iter().zip(&other.verdicts);
                let found =
                    pairs.zip(objects).find(|((one, other), _)| **one == Some(true) && is_meant(**other));
                found.map(|(_, object)| object)
            };
            let fails = against(&|verdict| verdict != Some(true));
            let implies = report.prove(&[holds, &stored], &of_other.holds, schema, about);
            report.add_claim("implies", implies, fails, about);
            let not_false = against(&|verdict| verdict != Some(false));
            let implies_false = report.prove(&[holds, &stored], &of_other.fails, schema, about);
            report.add_claim("implies false", implies_false, not_false, about);
            if number > at {
                let both = against(&|verdict| verdict == Some(true));
                let both_hold = [holds, &of_other.holds, &stored];
                let is_excluded = report.prove(&both_hold, &Formula::False, schema, about);
                report.add_claim("excludes", is_excluded, both, about);
            }
        }
    }
}

/// Judges what is proved of all rules together.
fn judge_place(rules: &[JudgedRule], schema: &Value, objects: &[Write], report: &mut Report) {
    let formulas: Vec<&Formula> = rules.iter().map(|it| &it.lifted.formulas.holds).collect();
    let formulas = PlaceFormulas::new(schema, formulas);
    let mut proofs = PlaceProofs::new(&formulas);
    for (at, one) in rules.iter().enumerate() {
        for (number, other) in rules.iter().enumerate().filter(|(number, _)| *number != at) {
            let about = || format!("{} => {}", one.rule.source.rule, other.rule.source.rule);
            let mut pairs = one.verdicts.iter().zip(&other.verdicts).zip(objects);
            let fails = pairs.find(|((one, other), _)| **one == Some(true) && **other != Some(true));
            let is_proved = proofs.prove_implication(at, number);
            let (premise, conclusion) = (&one.lifted.formulas.holds, &other.lifted.formulas.holds);
            report.check_certificate(is_proved, &[premise], conclusion, schema, about);
            report.add_claim("implies at its place", is_proved, fails.map(|(_, object)| object), about);
        }
    }
    let found = proofs.find_contradiction(&(0..rules.len()).collect::<Vec<_>>());
    if let ContradictionSearch::Found(numbers) = found {
        let passes = |at: usize| numbers.iter().all(|number| rules[*number].verdicts[at] == Some(true));
        let passing = (0..objects.len()).find(|at| passes(*at));
        let about = || {
            numbers.iter().map(|it| rules[*it].rule.source.rule.as_str()).collect::<Vec<_>>().join(" with ")
        };
        let together: Vec<&Formula> = numbers.iter().map(|it| &rules[*it].lifted.formulas.holds).collect();
        report.check_certificate(true, &together, &Formula::False, schema, about);
        report.add_claim("contradict", true, passing.map(|at| &objects[at]), about);
    }
}
