//! Random predicates, whose parts meet in the same fields.

use kvrules_emit::schema::{Dialect, QuantityMode, of_predicate};
use kvrules_ir::{Place, PlaceBase, Predicate, ValueTest, ValueType};
use proptest::prelude::*;

use crate::agreement::judge;
use crate::places::{between, length, matches, one_of, place, test};
use crate::synthesis;

/// Places over a small vocabulary, so that random predicates meet in the same nodes. The last name says the type.
fn any_place(base: PlaceBase) -> impl Strategy<Value = Place> {
    let paths = [
        "n?",
        "n",
        "a?.n?",
        "a?.n",
        "b!.n",
        "b?.a?.n",
        "s?",
        "s",
        "a?.s?",
        "a?.s",
        "a.s",
        "b.a.s",
        "f?",
        "f",
        "a?.f",
        "p?",
        "a.p",
        "q?",
        "q",
        "a?.q",
        "x?",
        "a?.x",
        "a?",
        "b?.a?",
        "l?",
        "l?.[0].s?",
        "a?.l?.[1].n",
        "l?.[1]",
    ];
    prop::sample::select(paths.to_vec()).prop_map(move |path| place(base, path, type_of(path)))
}

fn type_of(path: &str) -> ValueType {
    match path.trim_end_matches(['?', '!']).rsplit('.').next() {
        Some("n") => ValueType::Integer,
        Some("s") => ValueType::String,
        Some("f") => ValueType::Boolean,
        Some("p") => ValueType::IntOrString,
        Some("q") => ValueType::Quantity,
        Some("x") => ValueType::Any,
        Some("l") => ValueType::List,
        _ => ValueType::Object,
    }
}

/// Lists of objects.
fn any_list(base: PlaceBase) -> impl Strategy<Value = Place> {
    prop::sample::select(["l?", "l", "a?.l?", "b?.a.l"].as_slice())
        .prop_map(move |path| place(base, path, ValueType::List))
}

fn any_test() -> impl Strategy<Value = ValueTest> {
    prop_oneof![
        (prop::option::of(-2_i64..2), prop::option::of(0_i64..3)).prop_map(|(min, max)| between(min, max)),
        (prop::option::of(0_i64..3), prop::option::of(1_i64..5)).prop_map(|(min, max)| length(min, max)),
        prop::sample::subsequence(vec!["", "0", "1", "x", "true", "false", "1.5"], 0..4)
            .prop_map(|texts| one_of(&texts)),
        prop::sample::select(["^(x|1)$", "t", "^$"].as_slice()).prop_map(matches),
    ]
}

fn any_predicate(base: PlaceBase, depth: u32) -> BoxedStrategy<Predicate> {
    let atom = prop_oneof![
        1 => any_place(base).prop_map(Predicate::presence_of),
        4 => (any_place(base), any_test()).prop_map(|(place, of)| test(place, of)),
    ];
    if depth == 0 {
        return atom.boxed();
    }
    let parts = || prop::collection::vec(any_predicate(base, depth - 1), 2..4);
    let below = || (any_list(base), any_predicate(PlaceBase::Element(0), depth - 1));
    let pair = (any_predicate(base, depth - 1), any_predicate(base, depth - 1));
    prop_oneof![
        2 => atom,
        2 => parts().prop_map(Predicate::all_of),
        2 => parts().prop_map(Predicate::any_of),
        1 => any_predicate(base, depth - 1).prop_map(Predicate::negation_of),
        2 => below().prop_map(|(list, holds)| Predicate::each_element(list, holds)),
        2 => below().prop_map(|(list, holds)| Predicate::some_element(list, holds)),
        2 => pair.prop_map(|(condition, consequence)| Predicate::implication_of(condition, consequence)),
    ]
    .boxed()
}

#[test]
fn schemas_of_random_predicates_accept_what_the_predicates_accept() {
    let config = ProptestConfig {
        cases: kvrules_testdata::case_count(60),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let pairs = Dialect::ALL.map(|dialect| (dialect, std::cell::Cell::new((0_usize, 0_usize))));
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&any_predicate(PlaceBase::Root, 3), |predicate| {
        let objects = synthesis::objects(&predicate, 60);
        for (dialect, pairs) in &pairs {
            if of_predicate(&predicate, *dialect, QuantityMode::Exact).is_ok() {
                let agreement = judge(&predicate, *dialect, &objects);
                let (agreed, declared) = pairs.get();
                let differ = agreement.left_out.len() + agreement.let_in.len();
                pairs.set((agreed + agreement.agreed, declared + differ));
            }
        }
        Ok(())
    });
    run.unwrap();
    for (dialect, pairs) in pairs {
        let (agreed, declared) = pairs.get();
        println!("{dialect:?}: {agreed} pairs of random predicates agreed; {declared} differ as declared");
        assert!(agreed > 10_000 && declared * 10 < agreed, "{agreed} agreed, {declared} differ");
    }
}
