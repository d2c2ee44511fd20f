//! Texts that no API server would send: each is an error with its place, and the other objects are evaluated.

use serde_json::{Value, json};

use crate::eval::{at_most, vm};
use crate::place::{Place, Run};

/// Runs on an object's text between two good lines.
fn between(bad: &[u8]) -> Run {
    let good = |name: &str| vm(name, &json!(2), Some(&at_most(4, ""))).to_string().into_bytes();
    let text = [good("before"), bad.to_vec(), good("after")].join(&b'\n');
    let run = Place::with(&[]).run_with_input(&["eval", "--ndjson", "-"], text);
    assert_eq!(
        (run.code, run.out.as_str()),
        (Some(2), "before: satisfied\nafter: satisfied\n"),
        "{}",
        run.err
    );
    assert!(run.err.ends_with("evaluated 2 objects: 2 satisfied; 1 not evaluated\n"), "{}", run.err);
    run
}

/// The VirtualMachine `v` with this text in the place of its number of cores.
fn with_cores(text: &str) -> Vec<u8> {
    vm("v", &json!(7), Some(&at_most(4, ""))).to_string().replace(":7", &format!(":{text}")).into_bytes()
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_line() {
    let run = between(b"{\"kind\": \"\xff\"}");
    let reported = "error: <stdin>:2:11: not UTF-8: unexpected byte 0xFF\n";
    assert!(run.err.starts_with(reported), "{}", run.err);
    assert!(between(b"\x7fELF\x00\x01").err.starts_with("error: <stdin>:2:5: unexpected zero byte\n"));
}

#[test]
fn json_that_ends_early_is_told_with_its_line() {
    let whole = with_cores("2");
    for length in [1, 10, whole.len() / 2, whole.len() - 1] {
        let run = between(whole.get(..length).unwrap());
        assert!(run.err.starts_with("error: <stdin>:2:"), "{}", run.err);
    }
}

#[test]
fn deep_nesting_is_refused_and_breaks_nothing() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for nested in [deep("[", "]"), deep("{\"a\":", "}"), "[".repeat(100_000)] {
        let run = between(nested.as_bytes());
        assert!(run.err.starts_with("error: <stdin>:2:"), "{:.300}", run.err);
        let run = between(&with_cores(&nested));
        assert!(run.err.starts_with("error: <stdin>:2:"), "{:.300}", run.err);
    }
}

#[test]
fn numbers_beyond_64_bits_name_the_object_and_the_place() {
    for number in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let run = between(&with_cores(number));
        let reported = format!("`v`: the number `{number}` is beyond 64 bits\n");
        assert!(run.err.starts_with("error: <stdin>:2:") && run.err.contains(&reported), "{}", run.err);
    }
}

#[test]
fn a_virtual_machine_without_a_template_is_named() {
    for spec in [json!({}), Value::Null, json!({"template": []}), json!("text")] {
        let bad = json!({"kind": "VirtualMachine", "metadata": {"name": "bare"}, "spec": spec}).to_string();
        let run = between(bad.as_bytes());
        let reported = "error: <stdin>:2:1: `bare`: this VirtualMachine has no object `.spec.template`";
        assert!(run.err.starts_with(reported), "{}", run.err);
    }
}

#[test]
fn odd_shapes_around_an_object_are_errors_and_not_crashes() {
    let shapes = [
        json!(1),
        json!("text"),
        json!({"kind": 5}),
        json!({"kind": "VirtualMachine"}),
        json!({"kind": "VirtualMachine", "metadata": [], "spec": {"template": {}}}),
        json!({"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": 5}},
            "spec": {"template": {}}}),
        json!({"kind": "Template", "objects": {"kind": "VirtualMachine"}}),
    ];
    for shape in shapes {
        let run = between(shape.to_string().as_bytes());
        assert!(run.err.starts_with("error: <stdin>:2:"), "{shape}: {}", run.err);
    }
}

#[test]
fn a_quantity_that_is_none_violates_its_rule() {
    let rules = at_most(4, "").replace("cpu.cores", "memory.guest");
    let mut machine = vm("v", &json!(1), Some(&rules));
    for quantity in ["lots", "1.5.5Gi", "", "9999999999999999999999999999999E"] {
        *machine.pointer_mut("/spec/template/spec/domain").unwrap() = json!({"memory": {"guest": quantity}});
        let run = Place::with(&[("vm.json", &machine.to_string())]).run(&["eval", "vm.json"]);
        assert_eq!(run.code, Some(1), "{quantity}: {run:?}");
        let place = ".spec.template.spec.domain.memory.guest = ";
        assert!(run.out.starts_with("v: rejected\n") && run.out.contains(place), "{}", run.out);
    }
}

#[test]
fn empty_and_binary_files_are_told_by_name() {
    let good = vm("good", &json!(2), Some(&at_most(4, ""))).to_string();
    let place = Place::with(&[
        ("good.json", &good),
        ("empty.json", ""),
        ("empty.ndjson", "\n\n"),
        ("none.jsonl", ""),
    ]);
    place.write("binary.yaml", b"\x00\x01\x02");
    for (file, reported) in [
        ("empty.json", "empty.json: no object to evaluate"),
        ("empty.ndjson", "empty.ndjson: no object to evaluate"),
        ("none.jsonl", "none.jsonl: no object to evaluate"),
        ("binary.yaml", "binary.yaml:1:1: unexpected zero byte"),
    ] {
        let run = place.run(&["eval", file, "good.json"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), "good: satisfied\n"), "{file}");
        assert!(run.err.starts_with(&format!("error: {reported}\n")), "{}", run.err);
    }
}

#[test]
fn names_cannot_repaint_the_terminal() {
    let text = vm("\u{1b}[2Jx\nfake: satisfied", &json!(9), Some(&at_most(4, ""))).to_string();
    let run = Place::with(&[("vm.json", &text)]).run(&["eval", "vm.json", "--engine", "both"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("\\u{1b}[2Jx\\nfake: satisfied: rejected"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "{}", run.out);
}
