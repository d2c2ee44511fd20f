//! Documents with mistakes: each is told on its line, and the other definitions still load.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at a surprise"
)]

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_extra_specs::{SHIPPED_YAML, document_schema, parse_definitions, shipped_document};

const HEAD: &str = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n";
const GOOD: &str = "- {name: 'good:one', description: stays, value: {type: boolean}}\n";

/// The problems of entries as `line: message (help)`, and the names that were loaded.
fn problems(entries: &str) -> (Vec<String>, Vec<&'static str>, Vec<String>) {
    let text = format!("{HEAD}{GOOD}{entries}");
    let file = SourceFile::new(FileId(0), "specs.yaml", text.as_str());
    let (document, problems) = parse_definitions(FileId(0), &text);
    let reported = problems
        .iter()
        .map(|problem| {
            let line = text[..problem.primary.span.start as usize].matches('\n').count() + 1;
            let help = problem.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
            let word = &file.text()[problem.primary.span.to_range()];
            format!("{line}: {}{help} at `{word}`", problem.message)
        })
        .collect();
    let names = document.expand_definitions().into_iter().map(|definition| definition.name).collect();
    (reported, problems.iter().map(|problem| problem.code).collect(), names)
}

fn one(entry: &str) -> (String, &'static str, Vec<String>) {
    let (reported, codes, names) = problems(entry);
    assert_eq!(reported.len(), 1, "{reported:#?}");
    (reported[0].clone(), codes[0], names)
}

#[test]
fn an_unknown_type_is_told_at_the_word() {
    let (reported, code, names) = one("- name: a:b\n  description: x\n  value:\n    type: int\n");
    assert_eq!(reported, "8: unknown type `int` (did you mean `integer`?) at `int`");
    assert_eq!((code, names), ("KX102", vec!["good:one".to_owned()]));
}

#[test]
fn a_pattern_that_does_not_compile_is_told_where_it_goes_wrong() {
    let (reported, code, names) =
        one("- name: a:b\n  description: x\n  value:\n    type: string\n    pattern: 'a(b'\n");
    assert_eq!(reported, "9: invalid pattern: the group has no closing `)` at `(`");
    assert_eq!((code, names.len()), ("KX103", 1));
}

#[test]
fn a_pattern_of_python_alone_is_kept_with_a_warning() {
    let (reported, code, names) =
        one("- name: a:b\n  description: x\n  value:\n    type: string\n    pattern: '(?!x).+'\n");
    assert!(
        reported.starts_with("9: the pattern has look-ahead, which not every engine supports"),
        "{reported}"
    );
    assert_eq!((code, names.len()), ("KX107", 2));
}

#[test]
fn unused_and_undefined_parameters_are_told() {
    let entry = "- name: 'a:{id}'\n  description: x\n  value: {type: boolean}\n  parameters:\n  - {name: num, pattern: '[0-9]'}\n";
    let (reported, codes, names) = problems(entry);
    assert_eq!(
        reported,
        [
            "5: unknown parameter `id` in the name (add it to `parameters`, with a pattern) at `{id}`",
            "9: unused parameter `num` (remove it, or write `{num}` in the name) at `num`",
        ]
    );
    assert_eq!(codes, ["KX104", "KX111"]);
    assert_eq!(names, ["good:one"]);
}

#[test]
fn of_two_definitions_of_a_name_the_first_stays() {
    let entry = "- {name: 'a:b', description: x, value: {type: boolean}}\n- {name: 'a:b', description: y, value: {type: integer}}\n";
    let (reported, code, names) = one(entry);
    assert_eq!(reported, "6: `a:b` is already defined at `'a:b'`");
    assert_eq!((code, names), ("KX105", vec!["good:one".to_owned(), "a:b".to_owned()]));
}

#[test]
fn an_unknown_key_is_told_with_the_key_that_was_meant() {
    let (reported, code, names) =
        one("- {name: 'a:b', descripton: x, description: y, value: {type: boolean}}\n");
    assert_eq!(
        reported,
        "5: unknown key `descripton` in the definition (did you mean `description`?) at `descripton`"
    );
    assert_eq!((code, names.len()), ("KX101", 2));
}

#[test]
fn a_range_without_numbers_and_an_enum_without_members_are_told() {
    let (reported, code, _) =
        one("- name: a:b\n  description: x\n  value:\n    type: integer\n    min: 5\n    max: 1\n");
    assert_eq!((reported.as_str(), code), ("9: no number is at least 5 and at most 1 at `5`", "KX106"));
    let (reported, code, _) =
        one("- name: a:b\n  description: x\n  value:\n    type: string\n    enum: []\n");
    assert_eq!((reported.as_str(), code), ("9: empty enum, so no value is allowed at `enum`", "KX106"));
}

#[test]
fn literals_of_another_type_are_told_with_the_way_to_write_them() {
    let (reported, code, _) =
        one("- name: a:b\n  description: x\n  value:\n    type: string\n    enum: ['1.2', 2.0]\n");
    let help = "put it in quotation marks: `\"2.0\"`";
    assert_eq!(reported, format!("9: an item of `enum` must be a string, not a number ({help}) at `2.0`"));
    assert_eq!(code, "KX101");
    let (_, codes, _) =
        problems("- name: a:b\n  description: x\n  value: {type: integer, min: '1', enum: [a]}\n");
    assert_eq!(codes, ["KX101", "KX101"]);
}

#[test]
fn a_deprecation_without_replacement_is_told() {
    let (reported, code, names) =
        one("- name: a:b\n  description: x\n  value: {type: boolean}\n  status: deprecated\n");
    assert!(reported.starts_with("8: `a:b` is deprecated without a replacement"), "{reported}");
    assert_eq!((code, names.len()), ("KX108", 2));
}

#[test]
fn a_family_gives_one_definition_for_each_text() {
    let (reported, _, names) = problems(
        "- name: 'a{g}:{word}'\n  description: about {word}\n  for-each:\n    word: [X, Y]\n  parameters:\n  - {name: g, pattern: '[0-9]*', description: z}\n  value: {type: integer}\n",
    );
    assert_eq!(reported, Vec::<String>::new());
    assert_eq!(names, ["good:one", "a{g}:X", "a{g}:Y"]);
}

#[test]
fn a_file_of_something_else_is_told_and_read_no_further() {
    let (document, problems) = parse_definitions(FileId(0), "kind: List\nitems: []\n");
    assert!(document.definitions.is_empty());
    assert!(problems.iter().any(|problem| problem.code == "KX101"));
}

#[test]
fn the_json_schema_takes_the_keys_that_the_reader_takes() {
    let schema = document_schema();
    let entry = &schema["$defs"]["Entry"]["properties"];
    for key in [
        "name",
        "for-each",
        "parameters",
        "value",
        "status",
        "virt-drivers",
        "requires",
        "since",
        "image-property",
    ] {
        assert!(entry.get(key).is_some(), "{key}: {schema:#}");
    }
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["$defs"]["Entry"]["additionalProperties"], false);
    assert_eq!(schema["$defs"]["Value"]["unevaluatedProperties"], false);
}

#[test]
fn a_document_that_breaks_off_anywhere_is_read_as_far_as_it_goes() {
    let whole = SHIPPED_YAML;
    let all = shipped_document().expand_definitions().len();
    let mut before = 0;
    for end in (0..whole.len()).step_by(4_001).filter(|end| whole.is_char_boundary(*end)) {
        let (document, _) = parse_definitions(FileId(0), &whole[..end]);
        let read = document.expand_definitions().len();
        assert!(read <= all && read + 1 >= before, "{read} definitions in {end} bytes, {before} in fewer");
        before = read;
    }
    assert!(before > 100);
}

#[test]
fn what_is_no_mapping_is_told_and_does_no_harm() {
    for entries in [
        "- 7\n",
        "- []\n",
        "- name: [x]\n  value: 3\n",
        "- {name: a, value: {type: [string]}}\n",
        "- ~\n",
        "- *gone\n",
    ] {
        let (reported, _, names) = problems(entries);
        assert!(!reported.is_empty(), "{entries}");
        assert_eq!(names, ["good:one"], "{entries}");
    }
}

#[test]
fn numbers_that_no_bound_can_be_are_told_as_what_they_are() {
    for (bound, wanted) in [
        ("1.5", "`min` must be an integer in digits, not `1.5`"),
        ("1e3", "`min` must be an integer in digits, not `1e3`"),
        ("999999999999999999999999999999999999999999", "`min` exceeds the range of numbers"),
        ("'1'", "`min` must be an integer, not a string"),
    ] {
        let (reported, code, names) =
            one(&format!("- name: a:b\n  description: x\n  value: {{type: integer, min: {bound}}}\n"));
        assert!(reported.starts_with(&format!("7: {wanted}")), "{reported}");
        assert_eq!((code, names.len()), ("KX101", 1));
    }
}

#[test]
fn a_pattern_that_decides_nothing_is_told() {
    for (pattern, wanted) in [
        ("''", "empty pattern, which crashes Nova at every value (omit `pattern`"),
        ("'((a{1000}){1000}){1000}'", "invalid pattern: "),
    ] {
        let (reported, code, names) =
            one(&format!("- name: a:b\n  description: x\n  value: {{type: string, pattern: {pattern}}}\n"));
        assert!(reported.starts_with(&format!("7: {wanted}")), "{reported}");
        assert_eq!((code, names.len()), ("KX103", 1));
    }
}

#[test]
fn a_name_must_have_letters() {
    let (reported, code, names) = one("- name: ''\n  description: x\n  value: {type: boolean}\n");
    assert_eq!((reported.as_str(), code, names.len()), ("5: the name is empty at `''`", "KX101", 1));
}

#[test]
fn nothing_is_wrong_with_the_shipped_document_which_is_read_without_looking() {
    let (document, problems) = parse_definitions(FileId(0), SHIPPED_YAML);
    assert_eq!(problems, []);
    assert_eq!(document.expand_definitions(), shipped_document().expand_definitions());
}
