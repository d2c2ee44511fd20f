//! Objects that `kvrules eval` accepts; the number of threads changes nothing.

use serde_json::{Value, json};

use crate::eval::{at_most, eval, vm};
use crate::place::{Place, Run};

const CONFIG_MAP: &str = "kind: ConfigMap\nmetadata: {name: c}\n";

/// A VirtualMachine with two cores, of which it may have four.
fn good(name: &str) -> String {
    vm(name, &json!(2), Some(&at_most(4, ""))).to_string()
}

/// Two VirtualMachines, a file that holds something else, and files that are not looked at.
fn directory() -> Place {
    let mixed = format!("{CONFIG_MAP}---\n{}\n", good("mixed"));
    let line = good("line");
    Place::with(&[
        ("d/a.json", &good("a")),
        ("d/e/mixed.yaml", &mixed),
        ("d/e/map.yaml", CONFIG_MAP),
        ("d/lines.ndjson", &line),
        ("d/README.md", "# Machines"),
        ("d/build/b.json", &good("ignored")),
        (".gitignore", "build/\n"),
    ])
}

#[test]
fn a_directory_stands_for_the_objects_below_it() {
    let run = directory().run(&["eval", "d"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "a: satisfied\nmixed: satisfied\nline: satisfied\n"));
    let reported = "note: d/e/map.yaml: skipped, it has no VirtualMachine\n\
                note: d/e/mixed.yaml: skipped 1 object of other kinds than VirtualMachine\n\
                evaluated 3 objects: 3 satisfied; 1 file without VirtualMachines skipped\n";
    assert_eq!(run.err, reported);
}

#[test]
fn a_file_of_another_kind_is_an_error_only_when_it_is_named() {
    let place = directory();
    let named = place.run(&["eval", "d/e/map.yaml", "d"]);
    assert_eq!(named.code, Some(2));
    assert!(named.err.contains("error: d/e/map.yaml:1:1: `c`: not a VirtualMachine"), "{}", named.err);
    let also = place.run(&["eval", "d", "d/e/map.yaml"]);
    assert_eq!((also.code, also.out), (Some(2), named.out));
    assert_eq!(place.run(&["eval", "d/build/b.json"]).out, "ignored: satisfied\n");
}

#[test]
fn a_glob_stands_for_the_objects_that_it_matches() {
    let run = directory().run(&["eval", "d/**/m*.yaml", "d/*.json"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "mixed: satisfied\na: satisfied\n"));
    assert!(run.err.contains("note: d/e/map.yaml: skipped"), "{}", run.err);
    let run = directory().run(&["eval", "d/*.json", "x/*.json"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), "a: satisfied\n"));
    assert!(run.err.contains("x/*.json: no file matches"), "{}", run.err);
}

#[test]
fn where_nothing_can_be_judged_the_status_is_2() {
    let place = Place::with(&[("d/map.yaml", CONFIG_MAP), ("d/list.yaml", "kind: List\nitems: []\n")]);
    let run = place.run(&["eval", "d"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    let reported =
        "nothing was evaluated; 2 files without VirtualMachines skipped\nerror: no object to evaluate\n";
    assert!(run.err.ends_with(reported), "{}", run.err);
    place.write("empty/x.txt", "");
    let run = place.run(&["eval", "empty"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: no file to read was found\n") && run.err.contains(".ndjson"));
}

#[test]
fn a_broken_file_in_a_directory_is_2_since_it_may_hold_objects() {
    let place = Place::with(&[("d/a.json", &good("a")), ("d/b.yaml", "a: [\n")]);
    let run = place.run(&["eval", "d"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), "a: satisfied\n"));
    assert!(run.err.contains("error: d/b.yaml:"), "{}", run.err);
}

#[test]
fn without_objects_the_inputs_of_the_configuration_are_judged() {
    let place = directory();
    let run = place.run(&["eval"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(
        run.err.starts_with("error: no input files given, and there is no configuration\n"),
        "{}",
        run.err
    );
    place.write("kvrules.toml", "inputs = ['d', 'd/README.md']\nexclude = ['d/e']\n");
    let run = place.run(&["eval"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "a: satisfied\nline: satisfied\n"), "{}", run.err);
    assert_eq!(place.run(&["eval", "--no-config"]).code, Some(2));
}

#[test]
fn standard_input_is_read_alone_and_its_name_says_how() {
    let place = Place::with(&[("a.json", &good("a"))]);
    let run = place.run(&["eval", "-", "a.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("standard input (`-`) cannot be read together with files"), "{}", run.err);
    let lines = format!("{}\n{}\n", good("b"), good("c"));
    let run = place.run_with_input(&["eval", "-", "--stdin-filename", "vms.ndjson"], &lines);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "b: satisfied\nc: satisfied\n"), "{}", run.err);
}

const LINES: u32 = 1300;

/// Lines of every sort, many more than are handed on at a time.
fn many_lines() -> Vec<u8> {
    let mut bytes = Vec::new();
    let broken = vm("broken", &json!(1), Some(&at_most(4, "").replace("cpu.cores", "cpu.cors"))).to_string();
    for number in 0..LINES {
        let cores = json!(number % 7);
        let most = 4 + number / 600;
        match number % 97 {
            5 => bytes.extend(b"{\"kind\": \"Pod\"}"),
            6 => bytes.extend(b"{\"kind\": \"VirtualMachine\", \"metadata\": {\"name\": \"\xff\"}}"),
            7 => bytes.extend(b""),
            8 => bytes.extend(broken.as_bytes()),
            9 => bytes.extend(b"{"),
            _ => {
                let rules = at_most(most, "");
                bytes.extend(vm(&format!("v{number}"), &cores, Some(&rules)).to_string().as_bytes());
            }
        }
        bytes.extend(b"\n");
    }
    bytes
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let place = Place::with(&[("d/z.json", &good("z")), ("d/map.yaml", CONFIG_MAP)]);
    place.write("d/lines.jsonl", many_lines());
    for number in 0..40 {
        place.write(&format!("d/{number}.yaml"), good(&format!("file{number}")));
    }
    for format in ["human", "json", "junit"] {
        let run = |jobs: &str| -> Run {
            place.run(&["eval", "d", "--engine", "both", "--output-format", format, "-j", jobs])
        };
        let one = run("1");
        assert_eq!(one.code, Some(2));
        assert!(one.out.lines().count() > 1200, "{format}: {}", one.out.lines().count());
        assert!(one == run("4"), "{format}: -j1 and -j4 differ");
    }
}

#[test]
fn every_line_has_one_record_in_its_order() {
    let place = Place::with(&[]);
    place.write("lines.jsonl", many_lines());
    let run = place.run(&["eval", "lines.jsonl", "--output-format", "json", "-j4"]);
    let lines: Vec<u64> = run
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap().get("line").and_then(Value::as_u64).unwrap())
        .collect();
    let expected: Vec<u64> =
        (0..u64::from(LINES)).filter(|number| number % 97 != 7).map(|number| number + 1).collect();
    assert_eq!(lines, expected);
}

#[test]
fn json_is_an_array_also_when_there_is_nothing_to_read() {
    let run = Place::with(&[]).run(&["eval", "gone.yaml", "--output-format", "json"]);
    let records: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, records.len()), (Some(2), 1));
}

#[test]
fn no_thread_is_no_number_of_threads() {
    assert_eq!(eval(&[("a.json", &good("a"))], &["a.json", "-j0"]).code, Some(2));
}
