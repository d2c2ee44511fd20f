//! Properties: evaluation is total, and the constructors of predicates keep the meaning when they simplify.
//!
//! The constructors assume that objects have the types of the catalog wherever a place passes
//! through them, so the objects here are made from a small catalog: an object `o` that is always there, an object
//! `p?` that is optional, lists `l?` and `k` of such things in turn, and a list `w?` of plain values.

use kvrules_eval::predicate_holds;
use kvrules_ir::{Operand, OperandRelation, Place, PlaceBase, Predicate, RegexPattern, ValueTest, ValueType};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::support::{integer, one_of, place, typed, within};

/// Kind of an element (or the root).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Object,
    Plain,
}

/// The places that can be seen from where quantifiers of these shapes stand, the innermost last; with the root.
fn seen(stack: &[Shape], texts: &'static [&'static str]) -> Vec<Place> {
    let mut places: Vec<Place> = texts.iter().map(|text| place(text)).collect();
    for (depth, shape) in (0..).zip(stack.iter().rev()) {
        let own = if *shape == Shape::Object { texts } else { &[""] };
        places.extend(own.iter().map(|text| Place { base: PlaceBase::Element(depth), ..place(text) }));
    }
    places
}

const ANY: &[&str] =
    &["s?", "t", "o", "o.t", "o.n?", "o.d.u?", "o.d.v", "p?", "p?.t", "p?.n?", "p?.d.u?", "p?.d.v"];
const LISTS: &[&str] = &["l?", "k", "p?.l?", "p?.k"];

fn a_place(stack: &[Shape]) -> impl Strategy<Value = Place> + use<> {
    let kinds = [ValueType::String, ValueType::Integer, ValueType::Quantity];
    (select(seen(stack, ANY)), select(kinds.to_vec()))
        .prop_map(|(place, value_type)| Place { value_type, ..place })
}

/// A list, and what its elements are.
fn a_list(stack: &[Shape]) -> impl Strategy<Value = (Place, Shape)> + use<> {
    let listed = |place| Place { value_type: ValueType::List, ..place };
    let is_object = |place: &Place| place.base == PlaceBase::Root || !place.steps.is_empty();
    let lists = seen(stack, LISTS).into_iter().filter(is_object).map(|place| (listed(place), Shape::Object));
    let plain = (typed("w?", ValueType::List), Shape::Plain);
    select(lists.chain([plain]).collect::<Vec<_>>())
}

fn a_test() -> impl Strategy<Value = ValueTest> {
    prop_oneof![
        (0_i64..3, 0_i64..3).prop_map(|(min, more)| integer(min, min + more)),
        (0_i64..3).prop_map(|min| ValueTest::Length(within(Some(min), None))),
        Just(one_of(["", "a", "1"])),
        Just(one_of(["b"])),
        Just(ValueTest::Matches(RegexPattern("^[ab1]*$".to_owned()))),
    ]
}

fn an_atom(stack: &[Shape]) -> BoxedStrategy<Predicate> {
    let relations = vec![OperandRelation::AtLeast, OperandRelation::AtMost, OperandRelation::Equal];
    let operands: Vec<fn(Place) -> Operand> = vec![Operand::Integer, Operand::Length, Operand::Text];
    prop_oneof![
        1 => any::<bool>().prop_map(|truth| if truth { Predicate::True } else { Predicate::False }),
        4 => a_place(stack).prop_map(Predicate::Present),
        4 => (a_place(stack), a_test()).prop_map(|(place, test)| Predicate::Test { place, test }),
        1 => (a_place(stack), a_place(stack), select(relations), select(operands)).prop_map(
            |(left, right, relation, operand)| {
                Predicate::Compare { left: operand(left), relation, right: operand(right) }
            }
        ),
    ]
    .boxed()
}

/// A predicate of any kind, nested up to a depth, for where quantifiers of these shapes stand.
fn a_predicate(depth: u32, stack: Vec<Shape>) -> BoxedStrategy<Predicate> {
    if depth == 0 {
        return an_atom(&stack);
    }
    let inner = a_predicate(depth - 1, stack.clone());
    let quantified = a_list(&stack).prop_flat_map(move |(list, shape)| {
        let inner = a_predicate(depth - 1, [stack.as_slice(), &[shape]].concat());
        (inner, any::<bool>()).prop_map(move |(inner, all)| {
            let (list, holds) = (list.clone(), Box::new(inner));
            if all { Predicate::Each { list, holds } } else { Predicate::Some { list, holds } }
        })
    });
    prop_oneof![
        2 => inner.clone(),
        1 => vec(inner.clone(), 0..4).prop_map(Predicate::All),
        1 => vec(inner.clone(), 0..4).prop_map(Predicate::Any),
        1 => inner.prop_map(|inner| Predicate::Not(Box::new(inner))),
        2 => quantified,
    ]
    .boxed()
}

/// A condition as elaboration makes it: a place exists, behind up to `depth` lists.
fn a_condition(depth: u32, stack: Vec<Shape>) -> BoxedStrategy<Predicate> {
    let atom = a_place(&stack).prop_map(Predicate::presence_of);
    if depth == 0 {
        return atom.boxed();
    }
    let quantified = a_list(&stack).prop_flat_map(move |(list, shape)| {
        a_condition(depth - 1, [stack.as_slice(), &[shape]].concat())
            .prop_map(move |inner| Predicate::some_element(list.clone(), inner))
    });
    prop_oneof![1 => atom, 2 => quantified].boxed()
}

/// A consequence as elaboration makes it: what is there passes a test, behind up to `depth` lists, and perhaps
/// something must be there.
fn a_consequence(depth: u32, stack: Vec<Shape>) -> BoxedStrategy<Predicate> {
    let tested = |place: Place, test| Predicate::Test { place, test };
    let atom = (a_place(&stack), a_test(), any::<bool>()).prop_map(move |(place, test, needed)| {
        let test = tested(place.clone(), test);
        if needed {
            test
        } else {
            Predicate::any_of([Predicate::negation_of(Predicate::presence_of(place)), test])
        }
    });
    if depth == 0 {
        return atom.boxed();
    }
    let inner_stack = stack.clone();
    let quantified = a_list(&stack).prop_flat_map(move |(list, shape)| {
        a_consequence(depth - 1, [inner_stack.as_slice(), &[shape]].concat())
            .prop_map(move |inner| Predicate::each_element(list.clone(), inner))
    });
    let single = prop_oneof![1 => atom, 2 => quantified];
    let demand = a_condition(depth, stack);
    (proptest::option::of(demand), single)
        .prop_map(|(demand, single)| Predicate::all_of(demand.into_iter().chain([single])))
        .boxed()
}

/// A condition with a consequence that often speaks of the same places.
fn an_implication() -> impl Strategy<Value = (Predicate, Predicate)> {
    let related = a_list(&[]).prop_flat_map(|(list, shape)| {
        let other = list.clone();
        (a_condition(1, vec![shape]), a_consequence(1, vec![shape])).prop_map(
            move |(condition, consequence)| {
                (
                    Predicate::some_element(list.clone(), condition),
                    Predicate::each_element(other.clone(), consequence),
                )
            },
        )
    });
    prop_oneof![(a_condition(2, vec![]), a_consequence(2, vec![])), related]
}

fn a_leaf() -> impl Strategy<Value = Value> {
    let values = [
        json!(null),
        json!(0),
        json!(1),
        json!(2.0),
        json!(""),
        json!("a"),
        json!("b"),
        json!("1"),
        json!({}),
    ];
    select(values.to_vec())
}

/// An object with the types of the small catalog, of which anything may be missing or `null`.
fn a_typed_object(depth: u32) -> BoxedStrategy<Value> {
    let field = |name: &'static str, value: BoxedStrategy<Value>| {
        prop_oneof![1 => Just(None), 1 => Just(Some(Value::Null)), 4 => value.prop_map(Some)]
            .prop_map(move |value| Some((name.to_owned(), value?)))
            .boxed()
    };
    let leaf = || a_leaf().boxed();
    let d = vec![field("u", leaf()), field("v", leaf())];
    let mut o = vec![field("t", leaf()), field("n", leaf()), field("d", record(d))];
    let mut own = vec![field("s", leaf()), field("t", leaf())];
    own.push(field("o", record(o.clone())));
    own.push(field("w", vec(a_leaf(), 0..3).prop_map(Value::Array).boxed()));
    if depth > 0 {
        let list = || {
            let element = prop_oneof![1 => Just(Value::Null).boxed(), 5 => a_typed_object(depth - 1)];
            vec(element, 0..3).prop_map(Value::Array).boxed()
        };
        for name in ["l", "k"] {
            own.push(field(name, list()));
            o.push(field(name, list()));
        }
    }
    own.push(field("p", record(o)));
    record(own)
}

fn record(fields: Vec<BoxedStrategy<Option<(String, Value)>>>) -> BoxedStrategy<Value> {
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>())).boxed()
}

/// Any JSON, with the names of the small catalog in the wrong places too.
fn a_wild_object() -> impl Strategy<Value = Value> {
    let names = ["s", "t", "o", "p", "l", "k", "w", "n", "d", "u", "v"].map(str::to_owned).to_vec();
    a_leaf().prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((select(names.clone()), inner), 0..7)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn same_meaning(simplified: &Predicate, plain: &Predicate, objects: &[Value]) -> Result<(), TestCaseError> {
    for object in objects {
        let (simple, plain_holds) = (predicate_holds(simplified, object), predicate_holds(plain, object));
        prop_assert_eq!(simple, plain_holds, "on {}\n{:?}\nagainst\n{:?}", object, simplified, plain);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn not_is_the_opposite_on_any_json(predicate in a_predicate(3, vec![]), object in a_wild_object()) {
        let opposite = Predicate::Not(Box::new(predicate.clone()));
        prop_assert_eq!(predicate_holds(&predicate, &object), !predicate_holds(&opposite, &object));
        prop_assert_eq!(predicate_holds(&predicate, &object), !predicate_holds(&Predicate::negation_of(predicate.clone()), &object));
    }

    #[test]
    fn all_and_any_keep_the_meaning(
        parts in vec(a_predicate(2, vec![]), 0..5), objects in vec(a_typed_object(2), 1..6),
    ) {
        same_meaning(&Predicate::all_of(parts.clone()), &Predicate::All(parts.clone()), &objects)?;
        same_meaning(&Predicate::any_of(parts.clone()), &Predicate::Any(parts), &objects)?;
    }

    #[test]
    fn each_and_some_keep_the_meaning(
        (list, holds) in a_list(&[]).prop_flat_map(|(list, shape)| (Just(list), a_predicate(2, vec![shape]))),
        objects in vec(a_typed_object(2), 1..6),
    ) {
        let plain = Predicate::Each { list: list.clone(), holds: Box::new(holds.clone()) };
        same_meaning(&Predicate::each_element(list.clone(), holds.clone()), &plain, &objects)?;
        let plain = Predicate::Some { list: list.clone(), holds: Box::new(holds.clone()) };
        same_meaning(&Predicate::some_element(list, holds), &plain, &objects)?;
    }

    #[test]
    fn present_keeps_the_meaning(place in a_place(&[]), objects in vec(a_typed_object(1), 1..6)) {
        same_meaning(&Predicate::presence_of(place.clone()), &Predicate::Present(place), &objects)?;
    }

    #[test]
    fn implication_keeps_the_meaning(
        (condition, consequence) in prop_oneof![
            3 => an_implication().boxed(),
            1 => (a_predicate(2, vec![]), a_predicate(2, vec![])).boxed(),
        ],
        objects in vec(a_typed_object(2), 1..6),
    ) {
        let plain = Predicate::Any(vec![Predicate::Not(Box::new(condition.clone())), consequence.clone()]);
        same_meaning(&Predicate::implication_of(condition, consequence), &plain, &objects)?;
    }

    #[test]
    fn what_is_implied_holds(
        (left, right) in prop_oneof![
            an_implication().boxed(),
            (a_condition(2, vec![]), a_condition(2, vec![])).boxed(),
            (a_predicate(1, vec![]), a_predicate(1, vec![])).boxed(),
        ],
        objects in vec(a_typed_object(2), 1..6),
    ) {
        for (left, right) in [(&left, &right), (&right, &left)] {
            if left.obviously_implies(right) {
                for object in &objects {
                    prop_assert!(!predicate_holds(left, object) || predicate_holds(right, object), "{left:?}\n{right:?}\n{object}");
                }
            }
        }
    }
}
