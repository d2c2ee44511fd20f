//! Files whose names say that they are JSON.

use crate::place::{Place, Run};

const SCHEMA: &str = "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\",\"properties\":{\"a\":{\"minimun\":1,},},}\n";
const COMMENT: &str = "// one\n{\"$schema\":\"http://json-schema.org/draft-07/schema#\", // x\n\"minProperties\":-1,/* y */\"properties\":{\"a\":{\"type\":\"string\"}}}\n";

fn codes(run: &Run) -> Vec<String> {
    let code = |line: &str| Some(line.split_once('[')?.1.split(']').next()?.to_owned());
    run.out.lines().filter_map(code).collect()
}

fn check(name: &str, text: &str) -> Run {
    Place::with(&[(name, text)]).run(&["check", "--output-format", "concise", name])
}

#[test]
fn commas_and_comments_in_json_are_errors_and_what_follows_is_read() {
    let run = check("a.json", SCHEMA);
    assert_eq!(
        (run.code, codes(&run).as_slice()),
        (Some(1), ["KS106", "KV012", "KV012", "KV012"].map(str::to_owned).as_slice()),
        "{run:?}"
    );
    assert!(run.err.contains("1 JSON Schema"), "{run:?}");
    let run = check("a.json", COMMENT);
    assert_eq!(codes(&run), ["KV013", "KV013", "KS101", "KV013"], "{run:?}");
    assert!(run.out.contains("a.json:1:1: error[KV013] comment in JSON, which allows none"), "{run:?}");
    let flavors = "[{\"ID\":\"1\",\"Name\":\"a\",\"RAM\":1,\"VCPUs\":1,\"Properties\":{\"hw:cpu_policy\":\"dedicted\",},}]\n";
    assert_eq!(codes(&check("flavors.json", flavors)), ["KX201", "KV012", "KV012"]);
    let run =
        Place::with(&[("a.json", flavors)]).run(&["flavor", "check", "a.json", "--output-format", "concise"]);
    assert_eq!(codes(&run), ["KX201", "KX207", "KX207"], "{run:?}");
}

#[test]
fn each_line_of_ndjson_is_json() {
    let object = "{\"apiVersion\":\"kubevirt.io/v1\",\"kind\":\"VirtualMachine\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"template\":{\"spec\":{\"domain\":{\"devices\":{}}}}}";
    let text = format!("{object}}}\n{object},}}\n// end\n");
    for name in ["a.ndjson", "a.jsonl"] {
        let run = check(name, &text);
        assert_eq!(codes(&run), ["KV012", "KV013"], "{run:?}");
        assert!(run.out.contains(&format!("{name}:2:")), "{run:?}");
    }
}

#[test]
fn commas_are_removed_as_a_safe_fix_and_comments_on_request() {
    let place = Place::with(&[("a.json", SCHEMA), ("b.json", COMMENT)]);
    place.run(&["fix", "a.json", "b.json"]);
    assert!(place.read("a.json").contains("1}}}") && place.read("b.json").contains("// x"));
    place.run(&["fix", "--unsafe-fixes", "b.json"]);
    let fixed = place.read("b.json");
    assert!(!fixed.contains("// ") && !fixed.contains("/*"), "{fixed}");
}

#[test]
fn yaml_and_json_with_comments_stay_lenient() {
    assert_eq!(codes(&check("a.yaml", &SCHEMA.replace("minimun", "minimum"))), Vec::<String>::new());
    for name in ["tsconfig.json", "tsconfig.base.json", "a.jsonc", "a.json5", ".vscode/a.json"] {
        let run = check(name, COMMENT);
        assert_eq!(codes(&run), ["KS101"], "{name}: the key after the comment is read: {run:?}");
    }
    assert_eq!(
        codes(&check("a.json5", "{type: 'object', properties: {a: {minimum: +1}}}")),
        Vec::<String>::new()
    );
}

#[test]
fn comments_in_json_of_other_tools_are_not_reported() {
    let place = Place::with(&[
        ("d/other.json", "{\"editor\": 1, // x\n}"),
        ("d/a.json", &SCHEMA.replace("minimun", "minimum").replace(",}", "}")),
    ]);
    let run = place.run(&["check", "d"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
}
