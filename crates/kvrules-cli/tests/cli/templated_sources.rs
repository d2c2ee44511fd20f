//! Sources of every kind in templates: what tags insert is not reported as wrong, the rest is checked, and what is not read is
//! said.

use crate::place::Place;

const SCHEMA: &str = "$schema: http://json-schema.org/draft-07/schema#\n";
const NOTE: &str = "info[KV017]: template tags insert values here, which cannot be checked";

/// The findings of a template with one of these texts; notes are shown.
fn check(text: &str) -> (Option<i32>, String) {
    let run = Place::with(&[("a.yaml", text)]).run(&["check", "--level", "info", "a.yaml"]);
    (run.code, run.out + &run.err)
}

#[test]
fn a_schema_under_a_condition_is_checked() {
    let (code, shown) = check(&format!(
        "{{{{- if .Values.on }}}}\n{SCHEMA}type: object\nproperties:\n  size: {{type: integer, minimum: {{{{ .Values.min }}}}}}\n  \
         more: {{type: strng}}\n  name: {{type: string, minLength: 4, maxLength: 3}}\n{{{{- end }}}}\n"
    ));
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("unknown type `strng`"), "{shown}");
    assert!(shown.contains("no value satisfies `minLength` and `maxLength`"), "{shown}");
    assert!(shown.contains("2 errors"), "{shown}");
}

#[test]
fn keywords_of_two_branches_do_not_contradict_each_other() {
    let (code, shown) = check(&format!(
        "{SCHEMA}type: string\n{{{{- if .a }}}}\nminLength: 3\n{{{{- else }}}}\nmaxLength: 2\n{{{{- end }}}}\n"
    ));
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_document_that_tags_break_off_is_unread() {
    let text = format!(
        "{SCHEMA}type: object\n{{{{- range .x }}}}\n  {{{{ . }}}}: - [\n{{{{- end }}}}\nproperties: {{a: {{type: strng}}}}\n"
    );
    let (code, shown) = check(&text);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("the template cannot be read without rendering"), "{shown}");
    assert!(!shown.contains("no findings"), "{shown}");
}

#[test]
fn extra_specs_that_tags_insert_are_noted_and_the_others_checked() {
    let (code, shown) =
        check("extra_specs:\n  hw:cpu_cores: '{{ .Values.cores }}'\n  hw:cpu_policy: dedicted\n");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains(NOTE) && shown.contains("1 error, 1 note"), "{shown}");
    assert!(!shown.contains("integer"), "{shown}");
    let (code, shown) = check(
        "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n- name: hw:a\n  description: d\n  \
         value: {type: '{{ .T }}', description: x}\n- name: hw:b\n  description: d\n  value: {type: intger, description: x}\n",
    );
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains(NOTE) && shown.contains("unknown type `intger`"), "{shown}");
    assert!(shown.contains("1 error, 1 note"), "{shown}");
}

#[test]
fn a_schema_of_an_unknown_dialect_is_an_error() {
    let (code, shown) = check("$schema: http://json-schema.org/draft-03/schema#\ntype: object\n");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("error[KS111]"), "{shown}");
}
