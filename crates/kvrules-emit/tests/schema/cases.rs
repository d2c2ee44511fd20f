//! The predicates of real bundles, and those that go through each corner of the lowering.

use kvrules_emit::Fidelity;
use kvrules_emit::schema::{Dialect, QuantityMode, of_predicate};
use kvrules_ir::{Operand, OperandRelation, PlaceBase, Predicate, Scalar, ValueTest, ValueType};
use serde_json::json;

use crate::agreement::judge;
use crate::places::{
    GIB, between, bus, cores, disks, domain, element, length, matches, memory, one_of, place, root, test,
    with_default,
};
use crate::synthesis;

/// Each with its name.
#[expect(clippy::too_many_lines, reason = "a list")]
pub(crate) fn predicates() -> Vec<(&'static str, Predicate)> {
    let present = |path: &str| Predicate::presence_of(domain(path, ValueType::Object));
    let string = |path: &str| domain(path, ValueType::String);
    let cdrom = || Predicate::presence_of(element("cdrom?", ValueType::Object));
    let numbers = |of: ValueTest| test(domain("numbers?", ValueType::Integer), of);
    vec![
        ("memory", memory(2 * GIB)),
        ("memory between", test(domain("memory?.guest?", ValueType::Quantity), between(GIB, 4 * GIB))),
        (
            "memory guarded",
            Predicate::implication_of(
                Predicate::presence_of(domain("memory?.guest?", ValueType::Quantity)),
                memory(GIB),
            ),
        ),
        ("memory not", Predicate::negation_of(memory(GIB))),
        ("memory at most", test(domain("memory?.guest?", ValueType::Quantity), between(None, 0))),
        ("disk guarded", bus("disk", &["virtio", "sata", "scsi"], true)),
        ("disk unguarded", bus("disk", &["virtio"], false)),
        ("no disk", Predicate::negation_of(bus("disk", &["virtio"], false))),
        (
            "some bus",
            Predicate::some_element(
                disks(),
                test(element("disk?.bus", ValueType::String), one_of(&["sata", ""])),
            ),
        ),
        (
            "empty bus",
            Predicate::each_element(
                disks(),
                test(element("disk?.bus", ValueType::String), one_of(&["", "sata"])),
            ),
        ),
        ("no cdrom", Predicate::negation_of(Predicate::some_element(disks(), cdrom()))),
        (
            "list or cdrom",
            Predicate::any_of([
                Predicate::negation_of(Predicate::presence_of(disks())),
                Predicate::some_element(disks(), cdrom()),
            ]),
        ),
        (
            "two somes",
            Predicate::all_of([
                Predicate::some_element(disks(), cdrom()),
                Predicate::some_element(disks(), Predicate::presence_of(element("lun?", ValueType::Object))),
            ]),
        ),
        (
            "not two somes",
            Predicate::negation_of(Predicate::all_of([
                Predicate::some_element(disks(), cdrom()),
                Predicate::some_element(disks(), Predicate::presence_of(element("lun?", ValueType::Object))),
            ])),
        ),
        ("either disk", Predicate::any_of([bus("disk", &["virtio"], true), bus("cdrom", &["sata"], true)])),
        ("cores", cores(between(1, 4))),
        ("cores twice", Predicate::All(vec![cores(between(1, None)), cores(between(None, 8))])),
        ("cores never", Predicate::All(vec![cores(between(9, None)), cores(between(None, 8))])),
        ("cores may be zero", cores(between(0, 2))),
        (
            "cores by default",
            test(
                with_default(domain("cpu?.cores", ValueType::Integer), Scalar::Integer(1.into())),
                between(1, 2),
            ),
        ),
        ("always there", test(domain("devices.useVirtio", ValueType::Boolean), one_of(&["false"]))),
        ("deep default", test(root("a.b.c", ValueType::String), one_of(&["", "x"]))),
        ("required", test(root("a!.b!.c?", ValueType::String), one_of(&["x"]))),
        ("key", test(root("metadata.labels?.{os/name}", ValueType::String), one_of(&["windows"]))),
        ("no key", Predicate::negation_of(Predicate::presence_of(root("labels?.{a.b}", ValueType::String)))),
        ("numbers as text", numbers(one_of(&["1", "2.5", "007", "1e3", "true", "x"]))),
        ("number or boolean", Predicate::negation_of(numbers(one_of(&["1", "true"])))),
        ("time", test(string("time?"), length(1, 3))),
        ("no text", test(string("text"), length(None, 0))),
        ("negative length", test(string("text"), length(None, -1))),
        ("length of a number", numbers(length(2, 3))),
        ("long number", numbers(length(3, None))),
        ("short number", numbers(length(None, 1))),
        ("length of a boolean", test(domain("flag?", ValueType::Boolean), length(5, 9))),
        ("length of a quantity", test(domain("memory?.guest?", ValueType::Quantity), length(2, 3))),
        ("length of anything", test(domain("memory?", ValueType::Any), length(1, 4))),
        ("machine", test(string("machine?.type"), matches("q35|^pc"))),
        ("machine choice", test(string("machine?.type"), matches("^(q35|pc)$"))),
        ("machine not", Predicate::negation_of(test(string("machine?.type"), matches("q35$")))),
        ("machine any case", test(string("machine?.type"), matches(r"(?i)^\w+\d"))),
        ("flag", test(domain("flag?", ValueType::Boolean), matches("^t"))),
        ("port", test(domain("port?", ValueType::IntOrString), matches("^[a-z]+$"))),
        ("port number", test(domain("port?", ValueType::IntOrString), between(1, 65535))),
        (
            "elements themselves",
            Predicate::each_element(
                domain("words?", ValueType::List),
                test(element("", ValueType::String), one_of(&["a", "b"])),
            ),
        ),
        (
            "nested lists",
            Predicate::each_element(
                domain("outer?", ValueType::List),
                Predicate::some_element(
                    element("inner?", ValueType::List),
                    test(element("n?", ValueType::Integer), between(1, 3)),
                ),
            ),
        ),
        ("guard elsewhere", Predicate::implication_of(present("firmware?.efi?"), cores(between(2, None)))),
        (
            "guard by list",
            Predicate::implication_of(Predicate::some_element(disks(), cdrom()), cores(between(2, None))),
        ),
        (
            "sockets or cores",
            Predicate::any_of([
                cores(between(2, None)),
                test(domain("cpu?.sockets", ValueType::Integer), between(2, None)),
            ]),
        ),
        (
            "all at once",
            Predicate::all_of([
                memory(GIB),
                cores(between(1, 4)),
                bus("disk", &["virtio", "sata"], true),
                bus("cdrom", &["sata"], true),
            ]),
        ),
        (
            "not all at once",
            Predicate::negation_of(Predicate::all_of([
                memory(GIB),
                cores(between(1, 4)),
                bus("cdrom", &["sata"], true),
            ])),
        ),
        (
            "first boot disk",
            test(domain("devices.disks?.[0].disk?.bus?", ValueType::String), one_of(&["virtio"])),
        ),
        (
            "second disk guarded",
            Predicate::implication_of(
                Predicate::presence_of(domain("devices.disks?.[1].disk?", ValueType::Object)),
                bus("cdrom", &["sata"], false),
            ),
        ),
        (
            "no third disk",
            Predicate::negation_of(Predicate::presence_of(domain("devices.disks?.[2]", ValueType::Object))),
        ),
        (
            "first and every disk",
            Predicate::all_of([
                Predicate::each_element(
                    disks(),
                    test(element("bus", ValueType::String), one_of(&["virtio", ""])),
                ),
                Predicate::presence_of(domain("devices.disks?.[0]", ValueType::Object)),
                test(domain("devices.disks?.[1].bus?", ValueType::String), one_of(&["virtio"])),
            ]),
        ),
        ("port of length", test(domain("port?", ValueType::IntOrString), length(2, 4))),
        ("anything matched", test(domain("any?", ValueType::Any), matches("^(t|[a-z]{3})"))),
        ("long id", numbers(length(19, 20))),
        ("object as text", test(domain("memory?", ValueType::Object), length(0, None))),
        ("always", Predicate::True),
        ("never", Predicate::False),
    ]
}

#[test]
fn schemas_accept_what_the_predicates_accept() {
    let mut counts = Dialect::ALL.map(|dialect| (dialect, Counts::default()));
    for (name, predicate) in predicates() {
        let objects = synthesis::objects(&predicate, 700);
        for (dialect, counts) in &mut counts {
            if of_predicate(&predicate, *dialect, QuantityMode::Exact).is_err() {
                assert!(*dialect == Dialect::OpenApi30 && name.contains("disk"), "{name} in {dialect:?}");
                continue;
            }
            let agreement = judge(&predicate, *dialect, &objects);
            // The quantities tried here have common spellings: none beyond the bounds may be accepted.
            assert_eq!(agreement.let_in, Vec::<serde_json::Value>::new(), "{name}");
            let some_of_each = agreement.accepted > 0 && agreement.accepted < objects.len();
            let constant =
                ["always", "never", "negative length", "cores never", "object as text"].contains(&name);
            assert!(some_of_each || constant, "{name}: {} of {}", agreement.accepted, objects.len());
            counts.agreed += agreement.agreed;
            counts.accepted += agreement.accepted;
            counts.declared += agreement.left_out.len();
            counts.ill_typed += agreement.ill_typed;
        }
    }
    for (dialect, counts) in counts {
        println!("{dialect:?}: {counts:?}");
        assert!(counts.agreed > 20_000, "only {counts:?}");
    }
}

/// Pairs of a predicate and an object: where both sides agree, how many of these are accepted, where they differ as
/// declared, and where they differ on objects that the API refuses.
#[derive(Debug, Default)]
struct Counts {
    agreed: usize,
    accepted: usize,
    declared: usize,
    ill_typed: usize,
}

#[test]
fn exotic_spellings_of_quantities_differ_as_declared() {
    let predicate = memory(2 * GIB);
    let vm = |guest: &str| json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": guest}}}}}});
    let spellings = [
        "1e10",
        " 2Gi ",
        "3.0000000000000000000000000000625Gi",
        "2.5Gi",
        "2147483648000m",
        "2.2e9",
        "22000000e2",
        "22000000000E-1",
        "\u{3000}2Gi",
        "0.00000000000000000001e21",
        "1e30",
        "+2Gi",
        "2147483647e0",
        ".2147483648e10",
    ];
    for dialect in Dialect::ALL {
        let agreement = judge(&predicate, dialect, &spellings.map(vm));
        assert_eq!(agreement.left_out, Vec::<serde_json::Value>::new());
        let let_in = ["3.0000000000000000000000000000625Gi", "0.00000000000000000001e21"].map(vm);
        assert_eq!(agreement.let_in, let_in);
        assert_eq!(agreement.agreed, spellings.len() - 2);
    }
}

#[test]
fn each_type_has_its_own_fidelity() {
    let text = |of| [length(1, 3), matches("1+2")].map(|requested| test(root("a?", of), requested));
    let word =
        |predicate: &Predicate| of_predicate(predicate, Dialect::OpenApi31, QuantityMode::Exact).unwrap().1;
    for of in [ValueType::String, ValueType::Time, ValueType::Boolean, ValueType::Object, ValueType::List] {
        assert_eq!(text(of).map(|predicate| word(&predicate)), [Fidelity::Exact, Fidelity::Exact], "{of:?}");
    }
    let bounds = |of| word(&test(root("a?", of), between(1, 3)));
    for of in [ValueType::Integer, ValueType::IntOrString, ValueType::Number, ValueType::Any] {
        assert_eq!(bounds(of), Fidelity::Exact, "{of:?}");
    }
    assert!(matches!(bounds(ValueType::Quantity), Fidelity::Wider(_)));
    let zero = word(&test(root("a?", ValueType::Quantity), between(0, 0)));
    assert_eq!(zero, Fidelity::Exact);
    for of in [ValueType::Any, ValueType::Quantity] {
        for predicate in text(of) {
            assert!(matches!(word(&predicate), Fidelity::Narrower(_)), "{of:?}");
            assert!(matches!(word(&Predicate::negation_of(predicate)), Fidelity::Wider(_)), "{of:?}");
        }
        // No number has such a text, so none is refused that should pass.
        for no_number in [length(1, 2), matches("a+b")] {
            assert_eq!(word(&test(root("a?", of), no_number)), Fidelity::Exact, "{of:?}");
        }
    }
}

#[test]
fn what_a_schema_cannot_say_has_its_cause() {
    let number = |path: &str| Operand::Integer(root(path, ValueType::Integer));
    let compare =
        Predicate::Compare { left: number("a?"), relation: OperandRelation::AtLeast, right: number("b?") };
    let outer = place(PlaceBase::Root, "a?", ValueType::Integer);
    let around = Predicate::each_element(disks(), test(outer, between(1, 2)));
    let huge = ValueTest::Integer(kvrules_ir::Interval {
        min: Some(num_bigint::BigInt::from(1_u8) << 64),
        max: None,
    });
    let number = |of: ValueTest| test(root("a?", ValueType::Integer), of);
    let cases = [
        (compare.clone(), "a schema cannot compare two fields"),
        (
            Predicate::negation_of(Predicate::all_of([compare, memory(1)])),
            "a schema cannot compare two fields",
        ),
        (around, "a schema of a list element cannot refer to fields outside the element"),
        (
            Predicate::presence_of(root("a?.[0].b?", ValueType::String)),
            "an OpenAPI 3.0 schema cannot constrain a single item of a list",
        ),
        (
            Predicate::presence_of(root("a?.[-1]", ValueType::String)),
            "a schema cannot count the items of a list from its end",
        ),
        (number(huge), "a schema cannot contain a bound of more than 64 bits"),
        (number(matches("[02468]$")), "a schema cannot match the digits of a number"),
        (
            test(root("a?", ValueType::Number), length(1, 2)),
            "a schema cannot count the characters of a number",
        ),
    ];
    for (predicate, cause) in cases {
        assert_eq!(of_predicate(&predicate, Dialect::OpenApi30, QuantityMode::Exact).unwrap_err(), cause);
    }
}

#[test]
fn items_out_of_reach_are_named_in_every_dialect() {
    let item = |index: i64| Predicate::presence_of(root(&format!("a?.[{index}]"), ValueType::String));
    for dialect in [Dialect::JsonSchema202012, Dialect::OpenApi31] {
        let causes =
            [-1, 255, 256].map(|index| of_predicate(&item(index), dialect, QuantityMode::Exact).err());
        let [from_the_end, last, far] = causes;
        assert_eq!(from_the_end.unwrap(), "a schema cannot count the items of a list from its end");
        assert_eq!(last, None);
        assert_eq!(far.unwrap(), "a schema would have to list all items before this one");
    }
}
