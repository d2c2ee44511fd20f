//! Compares claims about two schemas with the verdicts of both on many objects.
//!
//! Pairs of small schemas are generated from seeds, most of them a schema and itself with a change or two. For each pair:
//! every witness witnesses; where all is said to be equal no object tells the two apart; where all that changed is said to
//! be stricter no object that was refused is accepted, and the reverse.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_diff::schema::{AdmissionVerdict, SchemaEvaluator, Version, compare_versions};
use kvrules_diff::{Change, Direction, EffectAnswer, Witness, WriteKind};
use serde_json::{Value, json};

use pairs::{Seeds, Side, many, pair};

mod pairs;

#[derive(Default)]
struct Tally {
    pairs: usize,
    objects: usize,
    witnesses: usize,
    distinguished: usize,
    claims: BTreeMap<Direction, usize>,
    silent: usize,
    wrong: usize,
}

impl Tally {
    /// Reports that a claim does not hold.
    fn wrong(&mut self, reported: &str) {
        assert!(std::env::var_os("KVRULES_DIFF_SHOW").is_some(), "{reported}");
        println!("wrong: {reported}");
        self.wrong += 1;
    }
}

#[test]
fn what_is_claimed_of_two_schemas_holds_on_every_object() {
    let mut tally = Tally::default();
    for seed in kvrules_testdata::seed_range(300) {
        let mut seeds = Seeds::new(seed);
        let Some((old, new)) = pair(&mut seeds) else { continue };
        tally.pairs += 1;
        hold(seed, (&old, &new), &mut seeds, &mut tally);
    }
    println!(
        "{} pairs, {} objects, {} told apart by one, {} witnesses, {} differences not found; {:?}",
        tally.pairs, tally.objects, tally.distinguished, tally.witnesses, tally.silent, tally.claims
    );
    assert_eq!(tally.wrong, 0, "claims that do not hold");
    if kvrules_testdata::is_quick_run() {
        // Other seeds have pairs whose change is undecided, about one in a thousand.
        assert_eq!(tally.silent, 0, "pairs that objects tell apart, without a witness");
        assert!(tally.pairs > 235 && tally.distinguished > 180 && tally.witnesses > 340);
    }
}

/// Answers of both sides to a write.
struct Asked {
    before: AdmissionVerdict,
    after: AdmissionVerdict,
    reported: String,
}

/// Every object created; some of them written over others; and the status of each written, where it is a subresource.
fn requested(
    objects: &[Value],
    (first, second): (&SchemaEvaluator, &SchemaEvaluator),
    has_status: bool,
    seeds: &mut Seeds,
) -> Vec<Asked> {
    const UPDATES: usize = 30;
    let mut all: Vec<Asked> = Vec::new();
    for object in objects {
        let (before, after) = (first.evaluate_create(object), second.evaluate_create(object));
        all.push(Asked { before, after, reported: object.to_string() });
        let bare = without_status(object);
        if has_status
            && bare != *object
            && first.evaluate_create(&bare).is_accepted()
            && second.evaluate_create(&bare).is_accepted()
        {
            let (before, after) = (first.write_status(object, &bare), second.write_status(object, &bare));
            all.push(Asked { before, after, reported: format!("{object} by a write to the status") });
        }
    }
    let stored: Vec<&Value> = objects
        .iter()
        .filter(|object| {
            first.evaluate_existing(object).is_accepted() && second.evaluate_existing(object).is_accepted()
        })
        .collect();
    for _ in 0..if stored.is_empty() { 0 } else { UPDATES } {
        let (old, object) = (*seeds.one(&stored), seeds.one(objects));
        let (before, after) = (first.evaluate_update(object, old), second.evaluate_update(object, old));
        all.push(Asked { before, after, reported: format!("{object} in the place of {old}") });
    }
    all
}

fn without_status(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().and_then(|fields| fields.remove("status"));
    object
}

fn hold(seed: u64, (old, new): (&Side, &Side), seeds: &mut Seeds, tally: &mut Tally) {
    let one = Version { schema: &old.0, has_status: old.1 };
    let other = Version { schema: &new.0, has_status: new.1 };
    let comparison = compare_versions(one, other, &json!({}));
    let reported = || {
        format!("seed {seed}\nold {} {}\nnew {} {}\n{:#?}", old.1, old.0, new.1, new.0, comparison.changes)
    };
    let (first, second) = (SchemaEvaluator::new(one), SchemaEvaluator::new(other));
    for change in &comparison.changes {
        *tally.claims.entry(change.direction).or_default() += 1;
        tally.witnesses += witnesses(change, &first, &second, &reported);
        if change.direction == Direction::Unknown && std::env::var_os("KVRULES_DIFF_SHOW").is_some() {
            println!(
                "unknown: {} {} {:?} {:?} {}\n  old {}\n  new {}",
                change.at, change.what, change.limits, change.at_most, change.objects, old.0, new.0
            );
        }
    }
    let some = |fits: &dyn Fn(&Change) -> bool| comparison.changes.iter().any(fits);
    // An undecided direction may refuse or accept more.
    let may_refuse = some(&|change| change.tightens() != EffectAnswer::No);
    let may_accept = some(&|change| change.loosens() != EffectAnswer::No);
    let mut apart = (false, false);
    let mut shown_by = String::new();
    let objects = many(&old.0, &new.0, seeds);
    for Asked { before, after, reported: written } in
        requested(&objects, (&first, &second), old.1 || new.1, seeds)
    {
        tally.objects += 1;
        if before.is_accepted() && after.is_refused() {
            apart.0 = true;
            shown_by = format!("refused {written}: {}", after.first_reason());
            if !may_refuse {
                tally.wrong(&format!(
                    "{written} was accepted and is refused: {:?}\n{}",
                    after.refusals,
                    reported()
                ));
            }
        }
        if after.is_accepted() && before.is_refused() {
            apart.1 = true;
            shown_by = format!("accepted {written}: {}", before.first_reason());
            if !may_accept {
                tally.wrong(&format!(
                    "{written} was refused and is accepted: {:?}\n{}",
                    before.refusals,
                    reported()
                ));
            }
        }
    }
    tally.distinguished += usize::from(apart.0 || apart.1);
    let shown =
        (some(&|change| change.direction.is_tightening()), some(&|change| change.direction.is_loosening()));
    let silent = (apart.0 && !shown.0) || (apart.1 && !shown.1);
    if silent && std::env::var_os("KVRULES_DIFF_SHOW").is_some() {
        println!("silent: {}\n  last {shown_by}", reported());
    }
    tally.silent += usize::from(silent);
}

fn witnesses(
    change: &Change,
    first: &SchemaEvaluator,
    second: &SchemaEvaluator,
    reported: &dyn Fn() -> String,
) -> usize {
    let ask = |judge: &SchemaEvaluator, witness: &Witness| match (&witness.previous, witness.write) {
        (Some(previous), WriteKind::Status) => judge.write_status(&witness.object, previous),
        (Some(previous), _) => judge.evaluate_update(&witness.object, previous),
        (None, _) => judge.evaluate_create(&witness.object),
    };
    if let Some(witness) = &change.refused {
        assert!(
            ask(first, witness).is_accepted() && ask(second, witness).is_refused(),
            "{witness:?}\n{}",
            reported()
        );
    }
    if let Some(witness) = &change.accepted {
        assert!(
            ask(first, witness).is_refused() && ask(second, witness).is_accepted(),
            "{witness:?}\n{}",
            reported()
        );
    }
    assert_eq!(change.direction.is_tightening(), change.refused.is_some(), "{}", reported());
    assert_eq!(change.direction.is_loosening(), change.accepted.is_some(), "{}", reported());
    usize::from(change.refused.is_some()) + usize::from(change.accepted.is_some())
}
