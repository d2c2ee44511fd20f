//! Valid configurations, and the errors for invalid ones.

use kvrules_diagnostics::FileId;
use kvrules_emit::TargetOption;

use super::*;

static CEL: Emitter = Emitter {
    name: "cel",
    summary: "CEL",
    options: &[TargetOption { name: "note", values: &[], default: "", summary: "any text" }],
    rule_sets: None,
    extra_specs: None,
    resources: None,
    authored: None,
};
static OPENAPI: Emitter = Emitter {
    name: "openapi",
    summary: "OpenAPI",
    options: &[
        TargetOption { name: "version", values: &["3.0", "3.1"], default: "3.0", summary: "which version" },
        TargetOption { name: "indent", values: &["2", "4"], default: "2", summary: "how deep" },
    ],
    rule_sets: None,
    extra_specs: None,
    resources: None,
    authored: None,
};
static TARGETS: [&Emitter; 2] = [&CEL, &OPENAPI];

fn parsed(name: &str, text: &str) -> Result<Option<Config>, Vec<String>> {
    let file = SourceFile::new(FileId(0), name, text);
    parse(&file, &TARGETS).map_err(|faults| {
        let reported = faults.into_iter().map(|fault| {
            let at = file.position_at(fault.primary.span.start);
            let help = fault.help.map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{}:{}: {}{help}", at.line, at.column, fault.message)
        });
        reported.collect()
    })
}

fn faults(text: &str) -> Vec<String> {
    parsed("kvrules.toml", text).unwrap_err()
}

#[test]
fn an_empty_configuration_has_defaults() {
    let config = parsed("kvrules.toml", "").unwrap().unwrap();
    assert!(config.inputs.is_empty() && config.exclude.is_empty() && config.targets.is_none());
    assert_eq!(config.out_dir, "target/kvrules");
}

#[test]
fn every_key_is_read() {
    let text = "inputs = ['a/*.yaml']\nexclude = ['b']\nout-dir = 'o'\nschema = 'c#v1'\ntargets = ['cel']\ntemplates = 't'\n\
                loss = 'warn'\n[target.openapi]\nout-dir = 'x'\nloss = 'allow'\noptions = { version = '3.1' }\n\
                [target.cel.options]\nnote = 'anything'\n";
    let config = parsed("kvrules.toml", text).unwrap().unwrap();
    assert_eq!(config.inputs[0].get_ref(), "a/*.yaml");
    assert_eq!(text.get(config.inputs[0].span()), Some("'a/*.yaml'"));
    assert_eq!(config.exclude[0].get_ref(), "b");
    assert_eq!(config.targets, Some(vec!["cel".to_owned()]));
    assert_eq!(config.schema.as_ref().map(|schema| schema.get_ref().as_str()), Some("c#v1"));
    assert_eq!(config.templates.as_deref(), Some("t"));
    assert_eq!(config.loss, Some(Loss::Warn));
    let openapi = &config.target["openapi"];
    assert_eq!((openapi.out_dir.as_deref(), openapi.loss), (Some("x"), Some(Loss::Allow)));
    assert_eq!(openapi.options["version"], "3.1");
    assert_eq!(config.target["cel"].options["note"], "anything");
}

#[test]
fn each_unknown_key_is_a_fault_with_its_place_and_a_suggestion() {
    assert_eq!(
        faults("inputs = []\noutdir = 'x'\n\n[target.openapi]\noutput = 'y'\n"),
        [
            "2:1: unknown key `outdir` in the configuration (did you mean `out-dir`?)",
            "5:1: unknown key `output` in `target.openapi` (known: `out-dir`, `loss`, `options`)",
        ]
    );
}

#[test]
fn unknown_targets_are_faults() {
    assert_eq!(
        faults("targets = ['cel', 'opnapi']\n[target.kel]\n"),
        [
            "1:19: invalid value `opnapi` for an item of `targets` (did you mean `openapi`?)",
            "2:9: unknown key `kel` in `target` (did you mean `cel`?)",
        ]
    );
}

#[test]
fn unknown_losses_and_options_are_faults() {
    assert_eq!(
        faults(
            "loss = 'eror'\n[target.openapi]\nloss = 'none'\n\
             options = { verison = '3.1', indent = '3', version = 3.1 }\n\
             [target.cel]\noptions = { version = '3' }\n"
        ),
        [
            "1:8: invalid value `eror` for `loss` (did you mean `error`?)",
            "3:8: invalid value `none` for `target.openapi.loss` (known: `error`, `warn`, `allow`)",
            "4:13: unknown key `verison` in `target.openapi.options` (did you mean `version`?)",
            "4:39: invalid value `3` for `target.openapi.options.indent` (known: `2`, `4`)",
            "4:54: `target.openapi.options.version` must be a string, not a number",
            "6:13: unknown key `version` in `target.cel.options` (known: `note`)",
        ]
    );
}

#[test]
fn wrong_types_are_faults_in_the_words_of_toml() {
    assert_eq!(
        faults("inputs = 'a'\nexclude = [1]\nout-dir = 3\ntarget = 1.5\ntargets = []\n"),
        [
            "1:10: `inputs` must be a list of strings, not a string",
            "2:12: an item of `exclude` must be a string, not a number",
            "3:11: `out-dir` must be a string, not a number",
            "4:10: `target` must be a table, not a number",
            "5:11: `targets` is empty (omit it to select all)",
        ]
    );
}

#[test]
fn broken_toml_is_a_fault_with_its_place() {
    let faults = faults("inputs = [\n'a'\nout-dir = 'x'\n");
    assert!(faults[0].starts_with("3:1: ") || faults[0].starts_with("2:"), "{faults:?}");
}

#[test]
fn a_pyproject_holds_a_configuration_only_in_its_section() {
    assert!(parsed("pyproject.toml", "[tool.ruff]\nline-length = 100\n").unwrap().is_none());
    assert!(parsed("a/pyproject.toml", "not toml at all").unwrap().is_none());
    assert!(parsed("pyproject.toml", "[project]\nname = 'kvrules-client'\n").unwrap().is_none());
    let config = parsed("pyproject.toml", "[tool.kvrules]\nout-dir = 'x'\n").unwrap().unwrap();
    assert_eq!(config.out_dir, "x");
    let faults = parsed("pyproject.toml", "[tool.kvrules]\noutdir = 'x'\n").unwrap_err();
    assert_eq!(faults, ["2:1: unknown key `outdir` in the configuration (did you mean `out-dir`?)"]);
}

#[test]
fn every_key_of_the_schema_is_described() {
    let schema = config_schema(&TARGETS);
    let described = |schema: &serde_json::Value| {
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name}");
        }
    };
    described(schema.as_value());
    let openapi = &schema.as_value()["properties"]["target"]["properties"]["openapi"];
    described(openapi);
    described(&openapi["properties"]["options"]);
    assert!(!schema.as_value().to_string().contains("$ref"));
}
