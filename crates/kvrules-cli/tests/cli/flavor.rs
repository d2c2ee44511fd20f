//! `kvrules flavor` and `kvrules import`: extra specs of flavors.

use serde_json::{Value, json};

use crate::place::{GOOD, Place, Run};

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
        lines[0]
            .starts_with("flavors.json:3:73: error[KX201] invalid value of `hw:cpu_policy`: 'it's', a, b'")
    );
    assert!(
        lines[1].starts_with("flavors.json:3:102: error[KX201] invalid value of `hw:numa_nodes`"),
        "{run:?}"
    );
    assert_eq!(run.err, "checked 4 extra specs in 3 flavors: 2 errors\n");
    let run = place.run_with_input(&["flavor", "check", "-", "--output-format", "json"], LIST);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found[0]["code"], "KX203", "{found:#}");
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
    assert!(run.code == Some(2) && run.err.contains("unknown type `text`"), "{run:?}");
    place.write("specs/broken.yaml", ACME.replace("acme:tier", "hw:cpu_policy"));
    let run = place.run(&["flavor", "check", "hw:cpu_policy=shared"]);
    assert!(run.code == Some(0) && run.err.contains("`hw:cpu_policy` is already defined"), "{run:?}");
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
    assert!(run.code == Some(1) && run.out.starts_with("acme.yaml:6:27: error[KX106] empty enum"), "{run:?}");
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
        assert!(run.code == Some(0) && run.out.starts_with("526 extra specs\n\ntarget "), "{run:?}");
        assert!(serde_json::from_str::<Value>(&place.read(&format!("out/{file}"))).unwrap().is_object());
        let check = [&args[..], &["--check"]].concat();
        assert_eq!(place.run(&check).code, Some(0));
        place.write(&format!("out/{file}"), "{}");
        let run = place.run(&check);
        assert_eq!(
            (run.code, run.out.as_str()),
            (Some(1), &*format!("would change: out/{file}\n")),
            "{run:?}"
        );
        assert!(run.err.contains("1 file not up to date; run `kvrules flavor compile`"), "{run:?}");
    }
    assert!(place.read("out/acme.json").contains("\"prefix\": \"acme:\""));
}

#[test]
fn definitions_are_compiled_with_the_options_of_compile() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let compile =
        |more: &[&str]| place.run(&[&["flavor", "compile", "--definitions", "acme.yaml"][..], more].concat());
    let diff = compile(&["--target", "json-schema", "--diff"]);
    assert!(diff.code == Some(1) && diff.out.contains("+++ b/target/kvrules/json-schema/"), "{}", diff.err);
    let refused = compile(&["--target", "json-schema", "--loss", "error"]);
    assert!(refused.code == Some(1) && refused.err.contains("nothing was written"), "{refused:?}");
    let both = compile(&["--out-dir", "out", "--loss-report", "loss.json", "--own-only", "--verify"]);
    assert_eq!(both.code, Some(0), "{}", both.err);
    assert_eq!(place.files("out/json-schema"), [".kvrules-manifest", "extra-specs.schema.json"]);
    assert!(place.files("out/glance-metadefs").contains(&"acme.json".to_owned()));
    let report: Value = serde_json::from_str(&place.read("loss.json")).unwrap();
    assert_eq!(report["targets"].as_array().unwrap().len(), 2);
    assert!(
        place.read("out/json-schema/extra-specs.schema.json").contains("\"additionalProperties\": false")
    );
    assert_eq!(compile(&["--out-dir", "out", "--own-only", "--permissive"]).code, Some(0));
    assert!(place.read("out/json-schema/extra-specs.schema.json").contains("\"additionalProperties\": true"));
}

#[test]
fn nothing_is_compiled_without_definitions_or_for_targets_of_rules() {
    let place = Place::with(&[]);
    let run = place.run(&["flavor", "compile", "--own-only"]);
    assert!(run.code == Some(2) && run.err.contains("no definitions of extra specs to compile"), "{run:?}");
    let run = place.run(&["flavor", "compile", "--target", "openapi"]);
    assert!(run.code == Some(2) && run.err.contains("`openapi` requires rules"), "{run:?}");
}

#[test]
fn files_of_definitions_that_are_gone_are_named_and_pruned() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let args = ["flavor", "compile", "--target", "glance-metadefs", "--out-dir", "out"];
    assert_eq!(place.run(&[&args[..], &["--definitions", "acme.yaml"]].concat()).code, Some(0));
    place.write("out/mine.txt", "mine");
    let check = place.run(&[&args[..], &["--check"]].concat());
    assert_eq!(check.code, Some(1), "{check:?}");
    assert!(check.out.contains("no longer generated: out/acme.json\n"), "{check:?}");
    let run = place.run(&args);
    assert!(run.err.contains("no longer generated: out/acme.json"), "{run:?}");
    assert!(place.path("out/acme.json").exists());
    assert_eq!(place.run(&[&args[..], &["--prune"]].concat()).code, Some(0));
    assert!(!place.path("out/acme.json").exists() && place.path("out/mine.txt").exists());
    assert_eq!(place.run(&[&args[..], &["--check"]].concat()).code, Some(0));
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
        run.code == Some(1) && run.out.contains("near-miss: `acme:teir` is spelled similarly to `acme:tier`")
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
    let path = place.path("python").to_string_lossy().into_owned();
    place.run_with(&[("PYTHONPATH", &path), ("LC_ALL", "C")], &[&["import", "nova"], args].concat())
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
    assert!(run.err.contains("help: set the Python of Nova's environment"), "{run:?}");
    let run = import_nova(&place, "VALIDATORS = 1 / 0", &[]);
    assert!(run.err.contains("cannot read Nova's definitions: ZeroDivisionError"), "{run:?}");
    let run = import_nova(&place, "VALIDATORS = {}", &[]);
    assert!(run.code == Some(2) && run.err.contains("no definitions in the output"), "{run:?}");
    let run = place.run(&["import", "nova", "--python", "./no-such-python"]);
    assert!(
        run.code == Some(2) && run.err.contains("cannot run `./no-such-python`: no such file"),
        "{run:?}"
    );
    assert!(!place.path("nova.json").exists());
}

#[test]
fn definitions_compile_as_rules_do_and_say_how_exactly() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let run = place.run(&["compile", "acme.yaml", "--out-dir", "o", "--loss-report", "loss.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("526 extra specs\n\ntarget           exact  wider"), "{run:?}");
    assert!(
        run.err
            .contains("warning: unsupported in glance-metadefs: a metadef cannot have keys with parameters"),
        "{run:?}"
    );
    let files = place.files("o");
    assert!(files.contains(&"json-schema/extra-specs.schema.json".to_owned()), "{files:?}");
    assert!(files.contains(&"glance-metadefs/acme.json".to_owned()), "{files:?}");
    assert!(!files.iter().any(|file| file.starts_with("cel")), "{files:?}");
    let schema: Value = serde_json::from_str(&place.read("o/json-schema/extra-specs.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&json!({"acme:tier": "gold", "hw:cpu_policy": "shared"})));
    assert!(!validator.is_valid(&json!({"acme:tier": "tin"})));
    let report: Value = serde_json::from_str(&place.read("loss.json")).unwrap();
    assert_eq!(report["sets"][0]["rules"].as_array().unwrap().len(), 526);
    assert_eq!(report["targets"][0]["name"], "glance-metadefs");
    assert_eq!(report["targets"][0]["totals"]["unsupported"], 5);
    let check = ["compile", "acme.yaml", "--out-dir", "o", "--check"];
    assert_eq!(place.run(&check).code, Some(0));
    place.write("acme.yaml", ACME.replace("silver", "tin"));
    assert_eq!(place.run(&check).code, Some(1));
}

#[test]
fn losses_of_definitions_are_weighed_as_those_of_rules() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let compile = |more: &[&str]| place.run(&[&["compile", "acme.yaml", "--out-dir", "o"], more].concat());
    let run = compile(&["--loss", "error"]);
    assert!(run.code == Some(1) && run.err.contains("nothing was written"), "{run:?}");
    assert!(!place.path("o").exists());
    assert_eq!(compile(&["--loss", "allow", "--quiet"]).err, "");
    let run = compile(&["--target", "cel"]);
    assert!(
        run.code == Some(2)
            && run.err.contains("targets of definitions of extra specs: `glance-metadefs`, `json-schema`"),
        "{run:?}"
    );
    let run = compile(&["--target", "glance-metadefs", "--option", "glance-metadefs.namespace-prefix=X::"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("o/glance-metadefs/acme.json").contains("\"namespace\": \"X::acme\""));
    place.write("kvrules.toml", "inputs = ['acme.yaml']\ntargets = ['glance-metadefs']\nout-dir = 'p'\n");
    assert_eq!(place.run(&["compile"]).code, Some(0));
    assert!(place.path("p/glance-metadefs/acme.json").exists());
    place.write("rules.yaml", GOOD);
    let run = place.run(&["compile", "rules.yaml", "--target", "glance-metadefs"]);
    assert!(run.code == Some(2) && run.err.contains("requires definitions of extra specs"), "{run:?}");
    let both = place.run(&["--no-config", "compile", ".", "--out-dir", "q", "--target", "json-schema"]);
    assert!(
        both.code == Some(0)
            && both.out.contains("1 rule set with 1 rule, used by 1 template; 526 extra specs"),
        "{both:?}"
    );
    assert_eq!(place.files("q/json-schema").len(), 3, "two schemas and the list of what is ours");
}

#[test]
fn definitions_are_verified() {
    let place = Place::with(&[("acme.yaml", ACME)]);
    let run = place.run(&["verify", "acme.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.starts_with("verified 526 extra specs with "), "{run:?}");
    let run = place.run(&["verify", "acme.yaml", "--target", "json-schema", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["holds"], &report["extraSpecs"]), (&json!(true), &json!(526)));
    assert_eq!(report["targets"].as_array().unwrap().len(), 1);
}

#[test]
fn a_document_that_stands_for_nova_takes_the_place_of_what_is_built_in() {
    let place = Place::with(&[]);
    let nova = place.run(&["flavor", "definitions"]).out;
    place.write("nova.yaml", nova.replace("value: \"mixed\"", "value: \"other\""));
    let check = |value: &str| {
        place.run(&["flavor", "check", "--definitions", "nova.yaml", &format!("hw:cpu_policy={value}")])
    };
    assert_eq!(check("dedicated").code, Some(0), "{:?}", check("dedicated"));
    assert_eq!(check("mixed").code, Some(1));
}

#[test]
fn findings_about_flavors_are_shown_and_fail_by_their_level() {
    let place = Place::with(&[]);
    let check = |more: &[&str]| {
        place.run(&[&["flavor", "check", "hide_hypervisor_id=true", "hw:numa_nodes=1_0"], more].concat())
    };
    let run = check(&[]);
    assert!(run.code == Some(0) && run.out.contains("KX205") && !run.out.contains("KX206"), "{run:?}");
    assert!(run.err.ends_with("1 warning, 1 note; `--level info` shows the notes\n"), "{run:?}");
    assert!(check(&["--level", "info"]).out.contains("KX206"));
    assert_eq!(check(&["--level", "error"]).out, "");
    assert_eq!(check(&["--fail-on", "warning"]).code, Some(1));
    assert_eq!(place.run(&["flavor", "check", "hw:numa_nodes=1_0", "--fail-on", "info"]).code, Some(1));
    assert_eq!(place.run(&["flavor", "check", "hw:nope=1", "--fail-on", "never"]).code, Some(0));
}

#[test]
fn the_schema_of_novas_api_refuses_keys_and_values_that_its_validator_never_sees() {
    let place = Place::with(&[("a.yaml", "acme:größe: x\nacme:a/b: x\nacme:fine: x\n")]);
    let run = place.run(&["flavor", "check", "a.yaml", "--nova-compat", "--output-format", "concise"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(
        lines[0].starts_with("a.yaml:1:1: error[KX202] 'acme:größe' does not match any of the regexes"),
        "{run:?}"
    );
    assert!(lines[1].starts_with("a.yaml:2:1: error[KX202] 'acme:a/b' does not match"), "{run:?}");
    place.write("long.yaml", format!("hw:pmem: {}\n", "a".repeat(256)));
    let run = place.run(&["flavor", "check", "long.yaml", "--nova-compat", "--output-format", "concise"]);
    assert!(
        run.out.starts_with("long.yaml:1:10: error[KX201]") && run.out.contains("is too long"),
        "{run:?}"
    );
}

#[test]
fn findings_about_definitions_are_ignored_selected_and_weighed_like_others() {
    let bare = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n  # kvrules: ignore[KX109] it is plain\n  - name: a:b\n    value: {type: boolean}\n  - name: a:c\n    value: {type: boolean}\n";
    let place = Place::with(&[("a.yaml", bare)]);
    let run = place.run(&["check", "a.yaml", "--output-format", "concise"]);
    assert!(run.out.starts_with("a.yaml:7:5: warning[KX109]") && run.out.lines().count() == 1, "{run:?}");
    assert!(run.code == Some(0) && run.err.contains("1 warning; 1 ignored"), "{run:?}");
    assert_eq!(place.run(&["check", "a.yaml", "--fail-on", "warning"]).code, Some(1));
    assert_eq!(place.run(&["check", "a.yaml", "--fail-on", "warning", "--ignore", "KX109"]).code, Some(0));
    assert_eq!(place.run(&["check", "a.yaml", "--severity", "KX109=error"]).code, Some(1));
    place.write("b.yaml", bare.replace("ignore[KX109]", "ignore[KX102]"));
    let run = place.run(&["check", "b.yaml", "--output-format", "concise"]);
    assert!(
        run.out.contains("b.yaml:4:") && run.out.lines().count() == 3,
        "an unused ignore is told: {run:?}"
    );
}
