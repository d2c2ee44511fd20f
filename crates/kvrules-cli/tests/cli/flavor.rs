//! `kvrules flavor` and `kvrules import`: extra specs of flavors.

use serde_json::{Value, json};

use crate::place::{Place, Run};

const ACME: &str = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n  - name: acme:tier\n    description: The \
                    service level.\n    value: {type: string, enum: [gold, silver]}\n";

const LIST: &str = r#"[
  {"ID": "1", "Name": "gold", "RAM": 1024, "Properties": {"hw:cpu_policy": "dedicated", "acme:tier": "gold"}},
  {"ID": "2", "Name": "odd", "RAM": 1024, "Properties": "hw:cpu_policy='it's', a, b', hw:numa_nodes='0'"},
  {"ID": "3", "Name": "none", "RAM": 1024}
]
"#;

#[test]
fn pairs_that_are_right_are_0_and_say_how_much_was_checked() {
    let run = Place::with(&[]).run(&["flavor", "check", "hw:cpu_policy=dedicated", "hw:numa_nodes=2"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(run.err, "checked 2 extra specs in 1 flavor: no findings\n");
}

#[test]
fn slips_in_keys_and_values_are_told_with_what_was_meant() {
    let place = Place::with(&[]);
    let run = place.run(&["flavor", "check", "hw:cpu_pollllicy=dedicated", "hw:cpu_policy=deddddicated"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("did you mean `hw:cpu_policy`?"), "{run:?}");
    assert!(run.out.contains("did you mean `dedicated`?") && run.out.contains("<arguments>:2:15"), "{run:?}");
}

#[test]
fn flavors_as_the_client_prints_them_are_read_with_their_places() {
    let place = Place::with(&[("flavors.json", LIST), ("acme.yaml", ACME)]);
    let args =
        ["flavor", "check", "flavors.json", "--definitions", "acme.yaml", "--output-format", "concise"];
    let run = place.run(&args);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(
        lines[0].starts_with(
            "flavors.json:3:73: error[KV971] the value of `hw:cpu_policy` is wrong: 'it's', a, b'"
        )
    );
    assert!(
        lines[1].starts_with("flavors.json:3:102: error[KV971] the value of `hw:numa_nodes` is wrong"),
        "{run:?}"
    );
    assert_eq!(run.err, "checked 4 extra specs in 3 flavors: 2 errors\n");
    let run = place.run_with_input(&["flavor", "check", "-", "--output-format", "json"], LIST);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found[0]["code"], "KV973", "{found:#}");
    assert_eq!(found[0]["file"], "<stdin>");
}

#[test]
fn the_body_of_a_request_is_read() {
    let place = Place::with(&[]);
    let run = |body: &str| place.run_with_input(&["flavor", "check", "-"], body);
    assert_eq!(run(r#"{"extra_specs": {"hw:numa_nodes": 2}}"#).code, Some(0));
    assert_eq!(run(r#"{"extra_specs": {"hw:numa_nodes": 2.0}}"#).code, Some(1));
    let truth = run(r#"{"extra_specs": {"hw:boot_menu": true}}"#);
    assert!(
        truth.code == Some(1) && truth.out.contains(r#"put it in quotation marks: `"true"`"#),
        "{truth:?}"
    );
    assert_eq!(run("17").code, Some(1));
    assert_eq!(run("").code, Some(1));
    assert_eq!(place.run(&["flavor", "check", "missing.json"]).code, Some(2));
}

#[test]
fn validation_is_strict_permissive_or_off_and_nothing_else() {
    let place = Place::with(&[]);
    let run = |mode: &[&str], pair: &str| place.run(&[&["flavor", "check", pair], mode].concat());
    let unknown = "hw:nope=1";
    assert_eq!(run(&[], unknown).code, Some(1));
    assert_eq!(run(&["--validation", "strict"], unknown).code, Some(1));
    let permissive = run(&["--validation", "permissive"], unknown);
    assert_eq!((permissive.code, permissive.out.as_str()), (Some(0), ""));
    assert!(permissive.err.starts_with("info: <arguments>:1:1: `hw:nope` does not appear"), "{permissive:?}");
    assert_eq!(run(&["--validation", "permissive"], "hw:cpu_policy=x").code, Some(1));
    let off = run(&["--validation", "off"], "hw:cpu_policy=x");
    assert_eq!((off.code, off.out.as_str(), off.err.as_str()), (Some(0), "", ""));
    assert_eq!(run(&["--validation", "disabled"], "hw:cpu_policy=shared").code, Some(2));
}

#[test]
fn nova_compat_decides_as_nova_does() {
    let place = Place::with(&[]);
    let check = |args: &[&str]| place.run(&[&["flavor", "check"], args].concat());
    for pair in ["hww:cpu_policy=x", "hw:numa_cpusX0=0", "cpu_policy=x"] {
        assert_eq!(check(&[pair]).code, Some(1), "{pair}");
        assert_eq!(check(&["--nova-compat", pair]).code, Some(0), "{pair}");
        let strict = check(&["--nova-compat", "--validation", "strict", pair]).code;
        assert_eq!(strict, Some(i32::from(pair != "hw:numa_cpusX0=0")), "{pair}");
    }
    let run = check(&["--nova-compat", "hw:cpu_policy=x", "--output-format", "concise"]);
    assert!(
        run.out.ends_with("Validation failed; 'x' is not one of: dedicated, shared, mixed.\n"),
        "{run:?}"
    );
}

#[test]
fn definitions_of_ones_own_come_from_the_configuration_and_what_is_wrong_with_them_is_told() {
    let config = "[extra-specs]\ndefinitions = ['specs']\n";
    let place = Place::with(&[("kvrules.toml", config), ("specs/acme.yaml", ACME)]);
    assert_eq!(place.run(&["flavor", "check", "acme:tier=gold"]).code, Some(0));
    assert_eq!(place.run(&["flavor", "check", "acme:tier=tin"]).code, Some(1));
    assert_eq!(place.run(&["--no-config", "flavor", "check", "acme:tier=gold"]).code, Some(1));
    place.write("specs/broken.yaml", ACME.replace("string", "text").replace("acme:", "broken:"));
    let run = place.run(&["flavor", "check", "acme:tier=gold"]);
    assert!(run.code == Some(2) && run.err.contains("there is no type `text`"), "{run:?}");
    place.write("specs/broken.yaml", ACME.replace("acme:tier", "hw:cpu_policy"));
    let run = place.run(&["flavor", "check", "hw:cpu_policy=shared"]);
    assert!(run.code == Some(0) && run.err.contains("`hw:cpu_policy` is defined already"), "{run:?}");
}

#[test]
fn check_looks_at_definitions_too() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let run = place.run(&["check", "acme.yaml"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (Some(0), "checked 1 file, 1 extra spec: no findings\n"),
        "{run:?}"
    );
    place.write("acme.yaml", ACME.replace("gold, silver", ""));
    let run = place.run(&["check", "acme.yaml", "--output-format", "concise"]);
    assert!(
        run.code == Some(1) && run.out.starts_with("acme.yaml:6:27: error[KV965] the enum is empty"),
        "{run:?}"
    );
}

#[test]
fn the_shipped_definitions_read_back_and_fit_their_schema() {
    let place = Place::with(&[]);
    let schema: Value = serde_json::from_str(&place.run(&["schema", "extra-specs"]).out).unwrap();
    let printed = place.run(&["flavor", "definitions", "--output-format", "json"]).out;
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&printed));
    assert!(!validator.is_valid(&json!({"kind": "ExtraSpecDefinitions", "version": 1})));
    place.write("nova.yaml", place.run(&["flavor", "definitions"]).out);
    let run = place.run(&["check", "nova.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "checked 1 file, 525 extra specs: no findings\n"));
}

#[test]
fn targets_are_written_and_held_against_what_is_there() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    for (target, file) in [("json-schema", "extra-specs.schema.json"), ("glance-metadefs", "hw.json")] {
        let args =
            ["flavor", "compile", "--target", target, "--out-dir", "out", "--definitions", "acme.yaml"];
        let run = place.run(&args);
        assert!(run.code == Some(0) && run.err.contains("are said exactly"), "{run:?}");
        assert!(serde_json::from_str::<Value>(&place.read(&format!("out/{file}"))).unwrap().is_object());
        let check = [&args[..], &["--check"]].concat();
        assert_eq!(place.run(&check).code, Some(0));
        place.write(&format!("out/{file}"), "{}");
        let run = place.run(&check);
        assert!(run.code == Some(1) && run.err.contains("is not up to date"), "{run:?}");
    }
    assert!(place.read("out/acme.json").contains("\"prefix\": \"acme:\""));
}

#[test]
fn metadefs_become_definitions_and_are_compared_with_others() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let compile = ["flavor", "compile", "--target", "glance-metadefs", "--out-dir", "metadefs", "--own-only"];
    assert_eq!(place.run(&[&compile[..], &["--definitions", "acme.yaml"]].concat()).code, Some(0));
    let imported = place.run(&["import", "metadefs", "metadefs"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    place.write("imported.yaml", &imported.out);
    let same = place.run(&["flavor", "compare", "acme.yaml", "imported.yaml"]);
    assert_eq!((same.code, same.out.as_str()), (Some(0), ""), "{same:?}");
    assert_eq!(same.err, "compared 1 definition with 1 definition: no differences\n");
    place.write("other.yaml", ACME.replace("silver", "tin").replace("acme:tier", "acme:teir"));
    let run = place.run(&["flavor", "compare", "metadefs", "other.yaml"]);
    assert!(
        run.code == Some(1) && run.out.contains("near-miss: `acme:teir` is spelled almost like `acme:tier`")
    );
    place.write("other.yaml", ACME.replace("silver", "tin"));
    let run = place.run(&["flavor", "compare", "metadefs", "other.yaml", "--output-format", "json"]);
    let notes: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((notes[0]["kind"].as_str(), notes.as_array().unwrap().len()), (Some("enum"), 1));
    assert_eq!(place.run(&["import", "metadefs", "acme.yaml"]).code, Some(2));
}

/// A package that looks like Nova to whoever asks for its definitions.
const NOVA: &str = "from types import SimpleNamespace as N
def one(name, **value):
    return N(name=name, description='d', value=value, deprecated=False, parameters=[])
VALIDATORS = {'a:b': one('a:b', type=int, min=1), 'a:c': one('a:c', type=str, enum=['\u{e9}', 'y'])}
";

/// The command with a Python that finds this Nova.
fn import_nova(place: &Place, nova: &str, args: &[&str]) -> Run {
    for package in ["nova", "nova/api", "nova/api/validation", "nova/api/validation/extra_specs"] {
        place.write(&format!("python/{package}/__init__.py"), "");
    }
    place.write("python/nova/api/validation/extra_specs/validators.py", nova);
    let mut command = place.command(&[&["import", "nova"], args].concat());
    command.env("PYTHONPATH", place.path("python")).env("LC_ALL", "C");
    Run::from(command.output().unwrap())
}

#[test]
fn the_definitions_of_an_installed_nova_become_a_document() {
    let place = Place::with(&[]);
    let run = import_nova(&place, NOVA, &[]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "imported 2 definitions\n"), "{run:?}");
    place.write("nova.json", &run.out);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(document["definitions"][1]["value"]["enum"], json!(["\u{e9}", "y"]));
    assert_eq!(place.run(&["check", "nova.json"]).code, Some(0));
    let run = import_nova(&place, NOVA, &["--output", "other.json"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(place.read("other.json"), place.read("nova.json"));
}

#[test]
fn a_python_without_nova_is_told_with_what_to_do() {
    let place = Place::with(&[]);
    let run = import_nova(&place, "raise ImportError('no os_traits')", &["-o", "nova.json"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.err.contains("Nova is not installed in this environment: no os_traits"), "{run:?}");
    assert!(run.err.contains("help: name the Python of the environment"), "{run:?}");
    let run = import_nova(&place, "VALIDATORS = 1 / 0", &[]);
    assert!(run.err.contains("cannot read Nova's definitions: ZeroDivisionError"), "{run:?}");
    let run = import_nova(&place, "VALIDATORS = {}", &[]);
    assert!(run.code == Some(2) && run.err.contains("holds no definitions"), "{run:?}");
    let run = place.run(&["import", "nova", "--python", "./no-such-python"]);
    assert!(run.code == Some(2) && run.err.contains("cannot run `./no-such-python`: no such file"), "{run:?}");
    assert!(!place.path("nova.json").exists());
}
