//! References of schemas to the files next to them.

use crate::place::Place;

const A: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://schemas.example/a.json","type":"object","properties":{"b":{"$ref":"b.json#/definitions/x"},"c":{"$ref":"https://schemas.example/b.json"}}}"#;
const B: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://schemas.example/b.json","definitions":{"x":{"type":"string"}},"type":"object","properties":{"d":{"$ref":"sub/c.json"}}}"#;
const C: &str = r#"{"type":"integer","minimum":3}"#;

#[test]
fn references_to_files_next_to_a_schema_are_followed() {
    let place = Place::with(&[("s/a.json", A), ("s/b.json", B), ("s/sub/c.json", C)]);
    let run = place.run(&["import", "schema", "s/a.json", "--under", "spec", "--bare"]);
    assert!(
        run.code == Some(0) && run.out.contains("type: string") && run.out.contains("minimum: 3"),
        "{run:?}"
    );
    assert_eq!(place.run(&["diff", "s/a.json", "s/a.json"]).code, Some(0));
    let changed = [("t/a.json", A), ("t/b.json", B), ("t/sub/c.json", r#"{"type":"integer","minimum":4}"#)];
    for (name, text) in changed {
        place.write(name, text);
    }
    let run = place.run(&["diff", "s/a.json", "t/a.json", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    // Without an identifier, in YAML, and with a list of definitions in the document.
    place.write("s/plain.yaml", "type: object\nproperties:\n  b: {$ref: 'other.yaml#/definitions/y'}\n  c: {$ref: '#/definitions/own'}\n");
    place.write("s/flow.json", r##"{"type":"object","properties":{"b":{"$ref":"other.yaml#/definitions/y"},"c":{"$ref":"#/definitions/own"}},"definitions":{"own":{"type":"boolean"}}}"##);
    place.write("s/other.yaml", "definitions:\n  y: {type: string, maxLength: 7}\n");
    let run = place.run(&["import", "schema", "s/flow.json", "--under", "spec", "--bare"]);
    assert!(run.out.contains("maxLength: 7") && run.out.contains("type: boolean"), "{run:?}");
    let run = place.run(&["import", "schema", "s/plain.yaml", "--under", "spec", "--bare"]);
    assert!(
        run.code == Some(2)
            && run.err.contains("plain.yaml:4:13")
            && run.err.contains("unresolved reference `#/definitions/own`"),
        "{run:?}"
    );
}

#[test]
fn references_that_are_not_followed_are_errors_with_a_line() {
    let refer = |to: &str| {
        format!(r#"{{"type":"object",\n"properties":{{"b":{{"$ref":"{to}"}}}}}}"#).replace("\\n", "\n")
    };
    let place = Place::with(&[
        ("s/up.json", &refer("../b.json")),
        ("s/none.json", &refer("missing.json")),
        ("s/far.json", &refer("https://example.com/b.json")),
        ("s/broken.json", &refer("bad.json")),
        ("s/bad.json", "{\"type\": "),
        ("b.json", C),
        ("s/one.json", &refer("two.json")),
        ("s/two.json", &refer("one.json")),
    ]);
    for name in ["up", "none", "far", "broken"] {
        let file = format!("s/{name}.json");
        for command in [&["import", "schema", &file][..], &["diff", &file, &file]] {
            let run = place.run(command);
            assert!(run.code == Some(2) && run.err.contains("another document"), "{name} {run:?}");
        }
    }
    let run = place.run(&["import", "schema", "s/one.json", "--under", "spec"]);
    assert!(
        run.code == Some(2) && run.err.contains("recursive schema") && run.err.contains("s/one.json:"),
        "{run:?}"
    );
}
