//! The predicates of real bundles, and those that go through each corner of the lowering.

use kvrules_emit::Fidelity;
use kvrules_ir::{Base, Operand, Predicate, Relation, Scalar, Test, ValueType};
use serde_json::json;

use crate::agreement::{judge, schema};
use crate::places::{
    GIB, between, bus, cores, disks, domain, element, length, matches, memory, one_of, place, root, test,
    with_default,
};
use crate::synthesis;

/// Each with its name.
#[expect(clippy::too_many_lines, reason = "a list")]
fn predicates() -> Vec<(&'static str, Predicate)> {
    let present = |path: &str| Predicate::present(domain(path, ValueType::Object));
    let string = |path: &str| domain(path, ValueType::String);
    let cdrom = || Predicate::present(element("cdrom?", ValueType::Object));
    let numbers = |of: Test| test(domain("numbers?", ValueType::Integer), of);
    vec![
        ("memory", memory(2 * GIB)),
        ("memory between", test(domain("memory?.guest?", ValueType::Quantity), between(GIB, 4 * GIB))),
        ("memory guarded", Predicate::implication(present("memory?.guest?"), memory(GIB))),
        ("memory not", Predicate::not(memory(GIB))),
        ("memory at most", test(domain("memory?.guest?", ValueType::Quantity), between(None, 0))),
        ("disk guarded", bus("disk", &["virtio", "sata", "scsi"], true)),
        ("disk unguarded", bus("disk", &["virtio"], false)),
        ("no disk", Predicate::not(bus("disk", &["virtio"], false))),
        (
            "some bus",
            Predicate::some(disks(), test(element("disk?.bus", ValueType::String), one_of(&["sata", ""]))),
        ),
        (
            "empty bus",
            Predicate::each(disks(), test(element("disk?.bus", ValueType::String), one_of(&["", "sata"]))),
        ),
        ("no cdrom", Predicate::not(Predicate::some(disks(), cdrom()))),
        (
            "list or cdrom",
            Predicate::any([Predicate::not(Predicate::present(disks())), Predicate::some(disks(), cdrom())]),
        ),
        (
            "two somes",
            Predicate::all([
                Predicate::some(disks(), cdrom()),
                Predicate::some(disks(), Predicate::present(element("lun?", ValueType::Object))),
            ]),
        ),
        (
            "not two somes",
            Predicate::not(Predicate::all([
                Predicate::some(disks(), cdrom()),
                Predicate::some(disks(), Predicate::present(element("lun?", ValueType::Object))),
            ])),
        ),
        ("either disk", Predicate::any([bus("disk", &["virtio"], true), bus("cdrom", &["sata"], true)])),
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
        ("no key", Predicate::not(Predicate::present(root("labels?.{a.b}", ValueType::String)))),
        ("numbers as text", numbers(one_of(&["1", "2.5", "007", "1e3", "true", "x"]))),
        ("number or boolean", Predicate::not(numbers(one_of(&["1", "true"])))),
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
        ("machine not", Predicate::not(test(string("machine?.type"), matches("q35$")))),
        ("machine any case", test(string("machine?.type"), matches(r"(?i)^\w+\d"))),
        ("flag", test(domain("flag?", ValueType::Boolean), matches("^t"))),
        ("port", test(domain("port?", ValueType::IntOrString), matches("^[a-z]+$"))),
        ("port number", test(domain("port?", ValueType::IntOrString), between(1, 65535))),
        (
            "elements themselves",
            Predicate::each(
                domain("words?", ValueType::List),
                test(element("", ValueType::String), one_of(&["a", "b"])),
            ),
        ),
        (
            "nested lists",
            Predicate::each(
                domain("outer?", ValueType::List),
                Predicate::some(
                    element("inner?", ValueType::List),
                    test(element("n?", ValueType::Integer), between(1, 3)),
                ),
            ),
        ),
        ("guard elsewhere", Predicate::implication(present("firmware?.efi?"), cores(between(2, None)))),
        ("guard by list", Predicate::implication(Predicate::some(disks(), cdrom()), cores(between(2, None)))),
        (
            "sockets or cores",
            Predicate::any([
                cores(between(2, None)),
                test(domain("cpu?.sockets", ValueType::Integer), between(2, None)),
            ]),
        ),
        (
            "all at once",
            Predicate::all([
                memory(GIB),
                cores(between(1, 4)),
                bus("disk", &["virtio", "sata"], true),
                bus("cdrom", &["sata"], true),
            ]),
        ),
        (
            "not all at once",
            Predicate::not(Predicate::all([
                memory(GIB),
                cores(between(1, 4)),
                bus("cdrom", &["sata"], true),
            ])),
        ),
        ("always", Predicate::True),
        ("never", Predicate::False),
    ]
}

#[test]
fn schemas_accept_what_the_predicates_accept() {
    let (mut pairs, mut accepted, mut declared) = (0, 0, 0);
    for (name, predicate) in predicates() {
        let objects = synthesis::objects(&predicate, 1000);
        let agreement = judge(&predicate, &objects);
        // The quantities tried here are spelled as people do: nothing beyond the bounds may slip in.
        assert_eq!(agreement.let_in, Vec::<serde_json::Value>::new(), "{name}");
        let some_of_each = agreement.accepted > 0 && agreement.accepted < objects.len();
        let constant = matches!(name, "always" | "never" | "negative length" | "cores never");
        assert!(some_of_each || constant, "{name}: {} of {}", agreement.accepted, objects.len());
        pairs += agreement.agreed;
        accepted += agreement.accepted;
        declared += agreement.left_out.len();
    }
    println!("{pairs} pairs agreed, {accepted} of them accepted; {declared} differ as declared");
    assert!(pairs > 20_000, "only {pairs} pairs");
}

#[test]
fn exotic_spellings_of_quantities_differ_as_declared() {
    let predicate = memory(2 * GIB);
    let vm = |guest: &str| json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": guest}}}}}});
    let spellings = ["1e10", " 2Gi ", "3.00000000000625Gi", "2.5Gi", "2147483648000m"].map(vm);
    let agreement = judge(&predicate, &spellings);
    assert_eq!(agreement.left_out, [vm("1e10"), vm(" 2Gi ")]);
    assert_eq!(agreement.let_in, [vm("3.00000000000625Gi")]);
}

#[test]
fn wrong_types_in_place_of_strings_are_declared() {
    let (_, fidelity) = schema(&test(root("a?", ValueType::String), length(1, None))).unwrap();
    assert_eq!(
        fidelity,
        Fidelity::Narrower("the schema refuses numbers and booleans in place of a string".to_owned())
    );
    let (_, fidelity) =
        schema(&Predicate::not(test(root("a?", ValueType::String), length(1, None)))).unwrap();
    assert!(matches!(fidelity, Fidelity::Wider(_)), "{fidelity:?}");
}

#[test]
fn what_a_schema_cannot_say_has_its_cause() {
    let number = |path: &str| Operand::Integer(root(path, ValueType::Integer));
    let compare = Predicate::Compare { left: number("a?"), relation: Relation::AtLeast, right: number("b?") };
    let outer = place(Base::Root, "a?", ValueType::Integer);
    let around = Predicate::each(disks(), test(outer, between(1, 2)));
    let huge =
        Test::Integer(kvrules_ir::Interval { min: Some(num_bigint::BigInt::from(1_u8) << 64), max: None });
    let number = |of: Test| test(root("a?", ValueType::Integer), of);
    let cases = [
        (compare.clone(), "a schema cannot compare two fields"),
        (Predicate::not(Predicate::all([compare, memory(1)])), "a schema cannot compare two fields"),
        (around, "a schema cannot look from a list element at what is around it"),
        (
            Predicate::present(root("a?.[0].b?", ValueType::String)),
            "an OpenAPI 3.0 schema cannot single out one item of a list",
        ),
        (
            Predicate::present(root("a?.[-1]", ValueType::String)),
            "a schema cannot count the items of a list from its end",
        ),
        (number(huge), "a schema cannot hold a bound of more than 64 bits"),
        (number(matches("[02468]$")), "a schema cannot match the digits of a number"),
        (
            test(root("a?", ValueType::Number), length(1, 2)),
            "a schema cannot count the characters of a number",
        ),
    ];
    for (predicate, cause) in cases {
        assert_eq!(schema(&predicate).unwrap_err(), cause);
    }
}
