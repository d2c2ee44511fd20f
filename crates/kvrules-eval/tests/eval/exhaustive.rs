//! The constructors of predicates on every pair out of a few hundred small predicates, over every object out of a
//! few hundred small objects. Random predicates seldom speak of the same places; these always do.

use kvrules_eval::predicate_holds;
use kvrules_ir::{Predicate, ValueType};
use serde_json::{Value, json};

use crate::support::{one_of, place, test, typed};

/// Predicates about places seen from an element (or the root), all but the first with defaults behind them.
fn atoms(base: &str) -> Vec<Predicate> {
    let present = |text: &str| Predicate::Present(place(&format!("{base}{text}")));
    let is_a = |text: &str| test(place(&format!("{base}{text}")), one_of(["a"]));
    let if_there = Predicate::Any(vec![Predicate::Not(Box::new(present("p?"))), is_a("p?.t")]);
    vec![present("p?"), present("p?.t"), present("t"), is_a("t"), is_a("p?.t"), if_there]
}

fn quantified(list: &str, inner: &Predicate) -> [Predicate; 2] {
    let (list, holds) = (typed(list, ValueType::List), Box::new(inner.clone()));
    [Predicate::Each { list: list.clone(), holds: holds.clone() }, Predicate::Some { list, holds }]
}

fn predicates() -> Vec<Predicate> {
    let constants = || vec![Predicate::True, Predicate::False];
    // Seen from an element: the element's own places, and the root's.
    let inner: Vec<_> = [constants(), atoms("@0."), atoms("")].concat();
    let mut all = [constants(), atoms(""), vec![Predicate::Present(place("p?.u?"))]].concat();
    for list in ["l?", "p?.l"] {
        all.push(Predicate::Present(typed(list, ValueType::List)));
        all.extend(inner.iter().flat_map(|inner| quantified(list, inner)));
        // Two levels deep: over the element's own list, with references to the inner and to the outer element.
        let deeper = [atoms("@0."), atoms("@1.")].concat();
        for inner in deeper.iter().flat_map(|inner| quantified("@0.l?", inner)) {
            all.extend(quantified(list, &inner));
        }
    }
    let plain = all.iter().take(16).cloned().collect::<Vec<_>>();
    all.extend(plain.iter().map(|part| Predicate::Not(Box::new(part.clone()))));
    for (left, right) in plain.iter().zip(plain.iter().skip(3)) {
        all.push(Predicate::All(vec![left.clone(), right.clone()]));
        all.push(Predicate::Any(vec![left.clone(), right.clone()]));
    }
    all
}

#[expect(clippy::indexing_slicing, reason = "the objects are spelled out right here")]
fn objects() -> Vec<Value> {
    let own = [
        json!({}),
        json!({"t": "a"}),
        json!({"p": {}}),
        json!({"p": {"t": "a", "u": 1}, "t": "b"}),
        json!({"p": null, "t": null}),
    ];
    let with_list = |object: &Value, list: Value| {
        let mut object = object.clone();
        object["l"] = list;
        object
    };
    let mut elements = own.to_vec();
    elements.push(with_list(&own[0], json!([own[3]])));
    elements.push(with_list(&own[2], json!([own[2], own[1]])));
    let mut lists = vec![json!(null), json!([]), json!([null])];
    lists.extend(elements.iter().map(|element| json!([element])));
    lists.extend(elements.iter().zip(elements.iter().skip(1)).map(|(one, other)| json!([one, null, other])));
    let mut all = Vec::new();
    for object in &own {
        all.extend(lists.iter().map(|list| with_list(object, list.clone())));
        if object["p"].is_object() {
            all.extend(lists.iter().map(|list| {
                let mut object = with_list(object, json!([{"p": {}}]));
                object["p"]["l"] = list.clone();
                object
            }));
        }
    }
    [own.to_vec(), all].concat()
}

/// On which of the objects a predicate holds.
fn truths(predicate: &Predicate, objects: &[Value]) -> Vec<bool> {
    objects.iter().map(|object| predicate_holds(predicate, object)).collect()
}

fn agree(simplified: &Predicate, expected: impl Iterator<Item = bool>, objects: &[Value]) {
    for (object, expected) in objects.iter().zip(expected) {
        assert_eq!(predicate_holds(simplified, object), expected, "{simplified:#?}\non {object}");
    }
}

#[test]
fn constructors_keep_the_meaning_of_every_pair() {
    let (predicates, objects) = (predicates(), objects());
    let truths: Vec<_> = predicates.iter().map(|predicate| truths(predicate, &objects)).collect();
    let (mut implied, mut shortened) = (0, 0);
    for (left, left_holds) in predicates.iter().zip(&truths) {
        for (right, right_holds) in predicates.iter().zip(&truths) {
            let both = || left_holds.iter().zip(right_holds);
            if left.obviously_implies(right) {
                implied += 1;
                assert!(both().all(|(left, right)| *left <= *right), "{left:#?}\nimplies\n{right:#?}");
            }
            let pair = || [left.clone(), right.clone()];
            let all = Predicate::all_of(pair());
            if all != Predicate::All(pair().to_vec()) {
                agree(&all, both().map(|(left, right)| *left && *right), &objects);
            }
            let any = Predicate::any_of(pair());
            if any != Predicate::Any(pair().to_vec()) {
                agree(&any, both().map(|(left, right)| *left || *right), &objects);
            }
            let implication = Predicate::implication_of(left.clone(), right.clone());
            if implication != Predicate::Any(vec![Predicate::Not(Box::new(left.clone())), right.clone()]) {
                shortened += 1;
                agree(&implication, both().map(|(left, right)| !*left || *right), &objects);
            }
        }
    }
    // The test is only meaningful if the constructors do simplify.
    assert!(implied > 5 * predicates.len() && shortened > 5 * predicates.len(), "{implied} {shortened}");
    println!(
        "{} predicates, {} objects, {implied} implied, {shortened} shortened",
        predicates.len(),
        objects.len()
    );
}

#[test]
fn constructors_keep_the_meaning_of_every_part() {
    let objects = objects();
    let parts = [vec![Predicate::True, Predicate::False], atoms("@0."), atoms("")].concat();
    for (list, part) in ["l?", "p?.l"].iter().flat_map(|list| parts.iter().map(move |part| (*list, part))) {
        let [each, some] = quantified(list, part);
        let list = typed(list, ValueType::List);
        agree(
            &Predicate::each_element(list.clone(), part.clone()),
            truths(&each, &objects).into_iter(),
            &objects,
        );
        agree(&Predicate::some_element(list, part.clone()), truths(&some, &objects).into_iter(), &objects);
    }
    for predicate in predicates() {
        let opposite = truths(&predicate, &objects).into_iter().map(|holds| !holds);
        agree(&Predicate::negation_of(predicate.clone()), opposite, &objects);
    }
    for text in ["p?", "p?.t", "t", "p?.l", "l?"] {
        let plain = truths(&Predicate::Present(place(text)), &objects);
        agree(&Predicate::presence_of(place(text)), plain.into_iter(), &objects);
    }
}

#[test]
fn elements_that_are_null_are_not_there() {
    // `Predicate::presence_of` treats an element as always present, which this test justifies.
    let element = || place("@0");
    assert_eq!(Predicate::presence_of(element()), Predicate::True);
    for [each, some] in [
        quantified("l?", &Predicate::Present(element())),
        quantified("l?", &Predicate::True),
        quantified("l?", &Predicate::presence_of(element())),
    ] {
        assert!(predicate_holds(&each, &json!({"l": [null]})));
        assert!(!predicate_holds(&some, &json!({"l": [null]})));
    }
}
