//! Predicates, each with what it is about: some as real rules make them, some that lie in wait at a corner.

use kvrules_ir::{
    Interval, Operand, OperandRelation, Place, PlaceBase, PlaceStep, Predicate, Presence, RegexPattern,
    Scalar, ValueTest, ValueType,
};
use num_bigint::BigInt;

/// A place in a short notation: steps with `|` between them, of which `name` is a required field, `name?` an optional
/// and `name~` a defaulted one, `{key}` an entry and `[0]` an item. It starts at the root, after `^` at the element of
/// the loop around, after `^^` at that of the next.
pub(crate) fn place(text: &str, value_type: ValueType) -> Place {
    let trimmed = text.trim_start_matches('^');
    let depth = text.len() - trimmed.len();
    let base = match u32::try_from(depth).unwrap().checked_sub(1) {
        None => PlaceBase::Root,
        Some(depth) => PlaceBase::Element(depth),
    };
    let steps = trimmed.split_terminator('|').map(step).collect();
    Place { base, steps, value_type, default: None }
}

fn step(text: &str) -> PlaceStep {
    if let Some(key) = text.strip_prefix('{') {
        return PlaceStep::Key(key.trim_end_matches('}').to_owned());
    }
    if let Some(index) = text.strip_prefix('[') {
        return PlaceStep::Item(index.trim_end_matches(']').parse().unwrap());
    }
    let presence = match text.chars().last() {
        Some('?') => Presence::Optional,
        Some('~') => Presence::Defaulted,
        _ => Presence::Required,
    };
    PlaceStep::Field { name: text.trim_end_matches(['?', '~']).to_owned(), presence }
}

/// A place below `.spec.template.spec`.
pub(crate) fn vm(text: &str, value_type: ValueType) -> Place {
    place(&format!("spec|template|spec~|{text}"), value_type)
}

fn or_else(place: Place, default: Scalar) -> Place {
    Place { default: Some(default), ..place }
}

pub(crate) fn between(min: impl Into<Option<i128>>, max: impl Into<Option<i128>>) -> Interval {
    Interval { min: min.into().map(BigInt::from), max: max.into().map(BigInt::from) }
}

pub(crate) fn test(place: Place, test: ValueTest) -> Predicate {
    Predicate::Test { place, test }
}

fn integer(place: Place, min: impl Into<Option<i128>>, max: impl Into<Option<i128>>) -> Predicate {
    test(place, ValueTest::Integer(between(min, max)))
}

pub(crate) fn one_of(texts: &[&str]) -> ValueTest {
    ValueTest::OneOf(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn matches(pattern: &str) -> ValueTest {
    ValueTest::Matches(RegexPattern(pattern.to_owned()))
}

pub(crate) fn memory() -> Place {
    vm("domain|memory?|guest?", ValueType::Quantity)
}

fn cores() -> Place {
    or_else(vm("domain|cpu?|cores~", ValueType::Integer), Scalar::Integer(1.into()))
}

pub(crate) fn disks() -> Place {
    vm("domain|devices|disks?", ValueType::List)
}

fn disk() -> Place {
    place("^disk?", ValueType::Object)
}

fn bus() -> Place {
    place("^disk?|bus~", ValueType::String)
}

pub(crate) fn guarded_bus(texts: &[&str]) -> Predicate {
    let each = Predicate::any_of([
        Predicate::negation_of(Predicate::presence_of(disk())),
        test(bus(), one_of(texts)),
    ]);
    Predicate::each_element(disks(), each)
}

/// Name and predicate.
pub(crate) fn cases() -> Vec<(&'static str, Predicate)> {
    [integers(), quantities(), texts(), lists(), comparisons(), names(), corners()].concat()
}

fn integers() -> Vec<(&'static str, Predicate)> {
    let port = || place("probe?|port?", ValueType::IntOrString);
    let huge = i128::from(i64::MAX);
    vec![
        ("an integer with a default that fails", integer(cores(), 2, None)),
        ("an integer with a default that passes", integer(cores(), 1, 16)),
        ("an integer that is one number", integer(cores(), 4, 4)),
        ("an integer between interchanged bounds", integer(cores(), 4, 2)),
        ("an integer without bounds", integer(place("a?|b?", ValueType::Integer), None, None)),
        ("an integer from beyond 64 bits", integer(cores(), huge + 1, None)),
        ("an integer up to beyond 64 bits", integer(cores(), -huge - 2, huge + 1)),
        ("an integer at the ends of 64 bits", integer(place("a?", ValueType::Integer), -huge, huge - 1)),
        ("an integer below zero", integer(place("a~", ValueType::Integer), None, -1)),
        ("an integer or string", integer(port(), 1, 1024)),
        ("an integer or string that is not", Predicate::negation_of(integer(port(), 1, 1024))),
        (
            "integers by their text",
            test(cores(), one_of(&["10", "2", "4", "04", "x", "99999999999999999999"])),
        ),
        ("an integer by its text", test(cores(), one_of(&["1"]))),
        ("an integer by no text of its own", test(cores(), one_of(&["one"]))),
        ("the length of an integer", test(cores(), ValueTest::Length(between(2, None)))),
        ("an expression on an integer", test(cores(), matches("^[24]$"))),
        ("a string as integer", integer(place("a~", ValueType::String), 0, None)),
    ]
}

fn quantities() -> Vec<(&'static str, Predicate)> {
    let requests = vm("domain|resources~|requests?|{memory}", ValueType::Quantity);
    let half = or_else(place("a?|size~", ValueType::Quantity), Scalar::Text("1.5Gi".to_owned()));
    vec![
        ("a quantity", integer(memory(), 2_147_483_648, None)),
        ("a quantity between bounds", integer(memory(), 536_870_912, 1_610_612_735)),
        ("a quantity that is one number", integer(memory(), 1024, 1024)),
        ("a quantity of at least zero", integer(memory(), 0, None)),
        ("a quantity below zero", integer(memory(), -2048, -1)),
        ("a quantity without bounds", integer(memory(), None, None)),
        ("a quantity between interchanged bounds", integer(memory(), 2, 1)),
        ("a quantity from the cap of binary suffixes", integer(memory(), i128::from(i64::MAX) + 1, None)),
        ("a quantity that is not", Predicate::negation_of(integer(memory(), 1024, None))),
        ("a quantity in a map", integer(requests, 1, None)),
        ("a quantity with a default that passes", integer(half.clone(), 1_073_741_824, None)),
        ("a quantity with a default that fails", integer(half, 2_147_483_648, None)),
        ("a quantity by its text", test(memory(), one_of(&["2Gi", "4Gi", "1"]))),
        ("an expression on a quantity", test(memory(), matches("Gi$"))),
        ("the length of a quantity", test(memory(), ValueTest::Length(between(None, 3)))),
    ]
}

fn texts() -> Vec<(&'static str, Predicate)> {
    let machine = || vm("domain|machine?|type~", ValueType::String);
    let flag = || place("cpu?|isolate~", ValueType::Boolean);
    vec![
        ("a text", test(machine(), one_of(&["q35"]))),
        ("one of several texts", test(machine(), one_of(&["q35", "pc-q35", "it's", "back\\slash"]))),
        ("a text that may be empty", test(machine(), one_of(&["", "q35"]))),
        ("no text", test(machine(), one_of(&[]))),
        ("a length", test(machine(), ValueTest::Length(between(1, 3)))),
        ("a length of any size", test(machine(), ValueTest::Length(between(0, None)))),
        ("a length below zero", test(machine(), ValueTest::Length(between(None, -1)))),
        ("an exact length", test(machine(), ValueTest::Length(between(2, 2)))),
        ("an expression", test(machine(), matches(r"^(pc|q)[-\d]+$"))),
        ("an expression that is a list of texts", test(machine(), matches("^(q35|pc)$"))),
        ("an expression that matches nothing too", test(machine(), matches("35|^$"))),
        ("an expression that matches always", test(machine(), matches(""))),
        ("a boolean", test(flag(), one_of(&["true"]))),
        ("a boolean that is false", test(flag(), one_of(&["false", "no"]))),
        ("a boolean of any value", test(flag(), one_of(&["false", "true"]))),
        ("a boolean by its length", test(flag(), ValueTest::Length(between(5, None)))),
        ("a boolean by an expression", test(flag(), matches("^t"))),
        ("an object as text", test(place("cpu?", ValueType::Object), one_of(&["{}"]))),
        (
            "a key of a map",
            test(place("annotations?|{vm.kubevirt.io/os}", ValueType::String), one_of(&["a"])),
        ),
    ]
}

fn lists() -> Vec<(&'static str, Predicate)> {
    let is_disk = || Predicate::presence_of(disk());
    let whole = Predicate::all_of([
        Predicate::some_element(disks(), is_disk()),
        Predicate::each_element(
            disks(),
            Predicate::any_of([Predicate::negation_of(is_disk()), test(bus(), one_of(&["virtio"]))]),
        ),
    ]);
    let ports = place("^ports?", ValueType::List);
    let interfaces = vm("domain|devices~|interfaces~", ValueType::List);
    let open = integer(place("^port", ValueType::Integer), 1024, None);
    let same = Predicate::Compare {
        left: Operand::Text(place("^name", ValueType::String)),
        relation: OperandRelation::Equal,
        right: Operand::Text(place("^^name", ValueType::String)),
    };
    let named = Predicate::each_element(
        interfaces.clone(),
        Predicate::some_element(place("^interfaces?", ValueType::List), same),
    );
    let first = test(place("disks?|[0]|bus?", ValueType::String), one_of(&["sata"]));
    vec![
        ("a guarded list", guarded_bus(&["sata", "scsi", "virtio"])),
        ("a guarded list with a default that passes", guarded_bus(&["sata", ""])),
        ("a list that must have values", whole),
        ("an unguarded list of a field", Predicate::each_element(disks(), is_disk())),
        ("some of a list", Predicate::some_element(disks(), test(bus(), one_of(&["sata"])))),
        ("none of a list", Predicate::negation_of(Predicate::some_element(disks(), is_disk()))),
        ("not each of a list", Predicate::negation_of(Predicate::each_element(disks(), is_disk()))),
        ("an empty list", Predicate::each_element(disks(), Predicate::False)),
        ("a list with elements", Predicate::some_element(interfaces.clone(), Predicate::True)),
        (
            "a list in a list",
            Predicate::each_element(interfaces.clone(), Predicate::each_element(ports.clone(), open.clone())),
        ),
        ("some list in a list", Predicate::some_element(interfaces, Predicate::some_element(ports, open))),
        ("a list in a list of the same name", named),
        (
            "a list of texts",
            Predicate::each_element(
                place("features?", ValueType::List),
                test(place("^", ValueType::String), one_of(&["acpi", "apic"])),
            ),
        ),
        ("an item", first),
        ("an item from the end", test(place("disks?|[-2]", ValueType::String), one_of(&["sata"]))),
    ]
}

fn comparisons() -> Vec<(&'static str, Predicate)> {
    use Operand::{Integer, Length, Text};
    use ValueType::{Boolean, IntOrString, Quantity, String};
    let compare = |left: Operand, relation, right: Operand| Predicate::Compare { left, relation, right };
    let (a, b) = (|kind| place("a?", kind), |kind| place("b~", kind));
    let whole = ValueType::Integer;
    let list = |right: Place| {
        let left = Integer(place("^boot?", whole));
        Predicate::each_element(
            place("disks?", ValueType::List),
            compare(left, OperandRelation::AtMost, Integer(right)),
        )
    };
    vec![
        ("integers", compare(Integer(a(whole)), OperandRelation::AtLeast, Integer(b(whole)))),
        (
            "integers or strings",
            compare(Integer(a(IntOrString)), OperandRelation::AtMost, Integer(b(IntOrString))),
        ),
        ("quantities", compare(Integer(memory()), OperandRelation::AtMost, Integer(b(Quantity)))),
        (
            "quantities that differ",
            Predicate::negation_of(compare(
                Integer(a(Quantity)),
                OperandRelation::Equal,
                Integer(b(Quantity)),
            )),
        ),
        (
            "a quantity and an integer",
            compare(Integer(a(Quantity)), OperandRelation::Equal, Integer(b(whole))),
        ),
        (
            "an integer and a quantity",
            compare(Integer(a(whole)), OperandRelation::AtLeast, Integer(b(Quantity))),
        ),
        ("lengths", compare(Length(a(String)), OperandRelation::AtMost, Length(b(String)))),
        ("texts", compare(Text(a(String)), OperandRelation::Equal, Text(b(String)))),
        ("texts in order", compare(Text(a(String)), OperandRelation::AtLeast, Text(b(String)))),
        ("booleans", compare(Text(a(Boolean)), OperandRelation::Equal, Text(b(Boolean)))),
        ("integers as text", compare(Text(a(whole)), OperandRelation::Equal, Text(b(whole)))),
        ("integers in the order of texts", compare(Text(a(whole)), OperandRelation::AtLeast, Text(b(whole)))),
        ("an integer and a string as text", compare(Text(a(whole)), OperandRelation::Equal, Text(b(String)))),
        (
            "a boolean and a string as text",
            compare(Text(a(Boolean)), OperandRelation::Equal, Text(b(String))),
        ),
        ("a quantity as text", compare(Text(a(Quantity)), OperandRelation::Equal, Text(b(String)))),
        ("a number and a text", compare(Integer(a(whole)), OperandRelation::Equal, Text(b(String)))),
        (
            "a string as integer in a comparison",
            compare(Integer(a(String)), OperandRelation::Equal, Integer(b(whole))),
        ),
        ("an element and a field", list(cores())),
        ("an element and an absent field", list(place("limits?|boot?", whole))),
    ]
}

fn names() -> Vec<(&'static str, Predicate)> {
    let text = |path: &str| test(place(path, ValueType::String), one_of(&["x"]));
    let all = |list: &str| {
        let list = place(list, ValueType::List);
        Predicate::each_element(list, test(place("^name", ValueType::String), one_of(&["x"])))
    };
    vec![
        ("a reserved name", text("namespace?|for?")),
        ("a name with signs", text("a-b?|c.d?|e/f?|g__h___i?")),
        ("a name that cannot be reached", text("1st?")),
        ("a name in another script", text("größe?")),
        ("a name like a type", Predicate::all_of([text("self?"), text("int?"), text("oldSelf?")])),
        ("a list of policies", all("policies?")),
        ("a list of types", all("ints?")),
        ("a list of addresses", all("addresses?")),
        ("a list that is no plural", all("bootOrder?")),
        ("a list of namespaces", all("namespaces?")),
        ("a hidden field", text("spec|template|metadata?|labels?|{os}")),
    ]
}

fn corners() -> Vec<(&'static str, Predicate)> {
    let present = |path: &str| Predicate::presence_of(place(path, ValueType::Object));
    let text = |path: &str| test(place(path, ValueType::String), one_of(&["x"]));
    vec![
        ("what is always there", present("spec~|domain~")),
        ("what is never", Predicate::negation_of(present("spec~|domain~"))),
        (
            "a guard on another field",
            Predicate::implication_of(present("spec~|cpu?"), text("spec~|machine?|type?")),
        ),
        ("a guard on a parent", Predicate::implication_of(present("a?|b?"), text("a?|b?|c?"))),
        (
            "a chain in a conjunction",
            Predicate::all_of([text("a?|b?|c?"), text("a?|b?|d~"), present("a?|e?")]),
        ),
        (
            "a choice in a conjunction",
            Predicate::all_of([Predicate::any_of([text("a?|b?"), text("a?|c?")]), text("a?|d?")]),
        ),
        ("the order of a choice", Predicate::Any(vec![text("a?|b?"), Predicate::negation_of(present("a?"))])),
        ("a default behind two defaults", integer(place("a~|b~|c~", ValueType::Integer), None, 0)),
        ("a default behind a default that fails", integer(place("a~|b~|c~", ValueType::Integer), 1, None)),
        ("an option between defaults", integer(place("a~|b?|c~|d~", ValueType::Integer), None, 0)),
        ("a required field of a defaulted object", integer(place("a~|b", ValueType::Integer), None, 5)),
        ("a time", test(place("at?", ValueType::Time), one_of(&["x"]))),
        ("a field of no known type", text_of_any()),
    ]
}

fn text_of_any() -> Predicate {
    test(place("a?", ValueType::Any), one_of(&["x"]))
}
