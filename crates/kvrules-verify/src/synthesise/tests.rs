//! Tests of the candidates for single predicates.

use kvrules_ir::{Interval, Place, PlaceBase, PlaceStep, Predicate, Presence, ValueTest, ValueType};

use super::*;

fn place(base: PlaceBase, way: &str, value_type: ValueType) -> Place {
    let step = |name: &str| {
        let (name, presence) = match name.strip_suffix('?') {
            Some(name) => (name, Presence::Optional),
            None => (
                name.strip_suffix('!').unwrap_or(name),
                if name.ends_with('!') { Presence::Required } else { Presence::Defaulted },
            ),
        };
        PlaceStep::Field { name: name.to_owned(), presence }
    };
    let steps = way.split('.').filter(|name| !name.is_empty()).map(step).collect();
    Place { base, steps, value_type, default: None }
}

fn texts(synthesis: &Synthesis) -> Vec<String> {
    synthesis.objects.iter().map(|object| object.value.to_string()).collect()
}

fn memory() -> Predicate {
    let interval = Interval { min: None, max: Some(2.into()) };
    Predicate::Test {
        place: place(PlaceBase::Root, "memory?.guest?", ValueType::Quantity),
        test: ValueTest::Integer(interval),
    }
}

fn named() -> Predicate {
    let name = place(PlaceBase::Element(0), "name", ValueType::String);
    Predicate::some_element(
        place(PlaceBase::Root, "networks?", ValueType::List),
        Predicate::Test { place: name, test: ValueTest::Length(Interval::default()) },
    )
}

#[test]
fn a_guard_and_a_value_are_shown_in_every_case() {
    let rule = Predicate::implication_of(named(), memory());
    let synthesis = synthesise_tree(&PlaceTree::new(&[&rule]), &SizeLimits::default(), OF_RULE);
    assert!(synthesis.complete);
    let shown = texts(&synthesis);
    for object in [
        "{}",
        r#"{"memory":{"guest":3},"networks":[{}]}"#,
        r#"{"memory":{"guest":"1.5"}}"#,
        r#"{"memory":{}}"#,
        r#"{"memory":null}"#,
    ] {
        assert!(shown.iter().any(|text| text == object), "{object} in {shown:#?}");
    }
    assert!(shown.len() < 2000, "{}", shown.len());
}

#[test]
fn objects_come_from_small_to_large_and_each_once() {
    let synthesis = synthesise_tree(&PlaceTree::new(&[&memory(), &named()]), &SizeLimits::default(), OF_RULE);
    let sizes: Vec<_> = synthesis.objects.iter().map(|object| object_size(&object.value)).collect();
    assert!(sizes.is_sorted());
    let shown = texts(&synthesis);
    let distinct: std::collections::BTreeSet<_> = shown.iter().collect();
    assert_eq!(distinct.len(), shown.len());
    assert_eq!(shown.first().map(String::as_str), Some("{}"));
}

#[test]
fn required_fields_are_always_there() {
    let name = place(PlaceBase::Root, "spec!.name?", ValueType::String);
    let synthesis =
        synthesise_tree(&PlaceTree::new(&[&Predicate::Present(name)]), &SizeLimits::default(), OF_RULE);
    assert!(texts(&synthesis).iter().all(|text| text.contains("spec")));
}

#[test]
fn lists_and_texts_cross_the_lines_of_an_artefact() {
    let lines = SizeLimits { items: [20].into(), lengths: [30].into() };
    let synthesis = synthesise_tree(&PlaceTree::new(&[&named()]), &lines, OF_RULE);
    let networks = |object: &Candidate| object.value.get("networks").and_then(Value::as_array).map(Vec::len);
    assert!(synthesis.objects.iter().any(|object| networks(object) == Some(21)));
    let long = format!("\"{}\"", "x".repeat(31));
    assert!(texts(&synthesis).iter().any(|text| text.contains(&long)));
}

/// The single item with this index has one of two names.
fn item(index: i64) -> Predicate {
    let mut place = place(PlaceBase::Root, "disks?.name", ValueType::String);
    place.steps.insert(1, PlaceStep::Item(index));
    Predicate::Test { place, test: ValueTest::OneOf(["a", "b"].map(str::to_owned).into_iter().collect()) }
}

#[test]
fn lists_for_many_single_items_hold_a_bounded_number_of_elements() {
    let elements = |count: i64| -> (usize, bool) {
        let rules: Vec<Predicate> = (0..count).map(item).collect();
        let synthesis = synthesise_tree(
            &PlaceTree::new(&rules.iter().collect::<Vec<_>>()),
            &SizeLimits::default(),
            OF_SET,
        );
        let lists = synthesis.objects.iter().filter_map(|object| object.value["disks"].as_array());
        (lists.map(Vec::len).sum(), synthesis.complete)
    };
    let (few, is_complete) = elements(4);
    assert!(is_complete && few > 40, "{few}");
    let (many, is_complete) = elements(150);
    assert!(!is_complete && many < 500_000, "{many}");
}
