//! Compared units, their pairing, and the reports.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::Catalog;
use kvrules_sources::Operation;

use super::*;

fn side(path: &str, id: u32, text: &str) -> SideFile {
    let source = SourceFile::new(FileId(id), if path.is_empty() { "a.yaml" } else { path }, text);
    let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    SideFile { path: path.to_owned(), source, units }
}

fn annotation(rules: &str) -> String {
    format!("vm.kubevirt.io/validations: |\n  [{rules}]\n")
}

fn cores(name: &str, message: &str, most: u32) -> String {
    format!(
        "{{\"name\": \"{name}\", \"rule\": \"integer\", \"message\": \"{message}\", \
         \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": {most}}}"
    )
}

fn reported(old: &str, new: &str) -> Vec<(String, Direction)> {
    let diff = compare_sides(&[side("", 0, old)], &[side("", 1, new)]).unwrap();
    diff.changes().map(|change| (change.at.clone(), change.direction)).collect()
}

#[test]
fn a_rule_is_known_by_its_name_and_else_by_its_meaning() {
    let (one, renamed) = (annotation(&cores("a", "m", 8)), annotation(&cores("b", "m", 8)));
    assert_eq!(reported(&one, &renamed), [("a".to_owned(), Direction::Equal)]);
    assert_eq!(reported(&one, &annotation(&cores("a", "n", 8))), [("a".to_owned(), Direction::MessageOnly)]);
    assert_eq!(reported(&one, &annotation(&cores("a", "m", 9))), [("a".to_owned(), Direction::Loosened)]);
    assert!(reported(&one, &one).is_empty());
}

#[test]
fn a_rule_that_others_say_already_changes_nothing() {
    let one = annotation(&cores("a", "m", 8));
    let two = annotation(&format!("{}, {}", cores("a", "m", 8), cores("b", "m", 9)));
    assert_eq!(reported(&one, &two), [("b".to_owned(), Direction::Equal)]);
    assert_eq!(reported(&two, &one), [("b".to_owned(), Direction::Equal)]);
}

#[test]
fn warnings_that_become_errors_refuse_more() {
    let warning = cores("a", "m", 8).replace("\"max\"", "\"justWarning\": true, \"max\"");
    let (soft, hard) = (annotation(&warning), annotation(&cores("a", "m", 8)));
    assert_eq!(reported(&soft, &hard), [("a".to_owned(), Direction::Tightened)]);
    assert_eq!(reported(&hard, &soft), [("a".to_owned(), Direction::Loosened)]);
}

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: w.e.com}\nspec:\n  \
                   group: e.com\n  names: {kind: W}\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        \
                   type: object\n        properties:\n          n: {type: integer, maximum: 9}\n";

#[test]
fn a_change_in_a_definition_has_its_place_on_both_sides() {
    let new = CRD.replace("maximum: 9", "minimum: 1, maximum: 5");
    let diff = compare_sides(&[side("x.yaml", 0, CRD)], &[side("x.yaml", 1, &new)]).unwrap();
    let [located] = diff.pairs[0].changes.as_slice() else { panic!("{diff:?}") };
    assert_eq!(located.change.direction, Direction::Tightened);
    assert_eq!((located.old.as_ref().unwrap().line, located.new.as_ref().unwrap().line), (13, 13));
    let limits: Vec<_> = located.change.limits.iter().map(limit_text).collect();
    assert_eq!(limits, ["minimum 1 added", "maximum 9 → 5"]);
}

#[test]
fn a_subresource_that_comes_is_told_with_its_place_and_the_status_is_shown_by_writes_to_it() {
    let old = CRD.replace("n: {type", "status: {type");
    let new = old.replace("  - name: v1\n", "  - name: v1\n    subresources:\n      status: {}\n");
    let diff = compare_sides(&[side("", 0, &old)], &[side("", 1, &new)]).unwrap();
    let [located] = diff.pairs[0].changes.as_slice() else { panic!("{diff:?}") };
    assert_eq!((located.change.direction, &located.old), (Direction::Loosened, &None));
    assert_eq!(located.new.as_ref().unwrap().line, 10);
    let (old, stricter) = (new.clone(), new.replace("maximum: 9", "maximum: 5"));
    let (old, new) = ([side("", 0, &old)], [side("", 1, &stricter)]);
    let diff = compare_sides(&old, &new).unwrap();
    assert_eq!(diff.pairs[0].changes[0].change.refused.as_ref().unwrap().write, WriteKind::Status);
    // An object that exists keeps its status for as long as nobody writes it.
    let text = "apiVersion: e.com/v1\nkind: W\nmetadata: {name: a}\nstatus: 7\n";
    let mut surveyed = CorpusReport::default();
    Corpus::new(&old, &new)
        .evaluate_objects(&SourceFile::new(FileId(2), "o.yaml", text), &mut surveyed)
        .unwrap();
    assert_eq!((surveyed.refused.len(), surveyed.refused[0].updates), (1, UpdateOutcome::Status));
}

#[test]
fn things_are_matched_by_path_and_name_then_by_name() {
    let other = CRD.replace("w.e.com", "x.e.com");
    let old = [side("a/w.yaml", 0, CRD), side("x.yaml", 1, &other)];
    let new = [
        side("x.yaml", 2, &other),
        side("b/w.yaml", 3, CRD),
        side("y.yaml", 4, &CRD.replace("w.e.com", "y.e.com")),
    ];
    let diff = compare_sides(&old, &new).unwrap();
    let names: Vec<_> = diff.pairs.iter().map(|pair| (pair.name.as_str(), pair.new.file.as_str())).collect();
    assert_eq!(names, [("w.e.com/v1", "b/w.yaml"), ("x.e.com/v1", "x.yaml")]);
    assert_eq!(diff.added.len(), 1);
    assert!(diff.removed.is_empty());
}

#[test]
fn sides_about_different_objects_are_refused_by_what_they_are_about() {
    let error =
        compare_sides(&[side("", 0, CRD)], &[side("", 1, &annotation(&cores("a", "m", 8)))]).unwrap_err();
    let message = "the definition `w.e.com/v1` is about `W` of `e.com/v1`, and the template `a` about `VirtualMachine` of \
                   `kubevirt.io/v1`: no object is both";
    assert_eq!(error, IncomparableReason::Subjects(message.to_owned()));
}

#[test]
fn definitions_of_older_versions_are_refused_by_name() {
    let source = SourceFile::new(FileId(0), "s.yaml", CRD.replace("/v1\n", "/v1beta1\n"));
    assert!(read_units(&source, Catalog::kubevirt_vm()).unwrap_err().message.contains("v1beta1"));
}

#[test]
fn integers_beyond_64_bits_are_floats_as_they_are_to_the_server() {
    let bounded = |most: &str| {
        CRD.replace("{type: integer, maximum: 9}", &format!("{{type: number, maximum: {most}}}"))
    };
    let reported = reported(&bounded("18446744073709551616"), &bounded("9"));
    assert_eq!(reported, [("n".to_owned(), Direction::Tightened)]);
}

#[test]
fn definitions_in_templates_and_in_examples_of_a_text_have_their_places() {
    let indented = CRD.trim_end().replace('\n', "\n  ");
    let template = |most: u32| {
        let text = format!(
            "kind: List\nitems:\n- kind: Template\n  objects:\n  - {}\n",
            indented.replace('\n', "\n  ")
        );
        text.replace("maximum: 9", &format!("maximum: {most}"))
    };
    let page = |most: u32| {
        format!("# Pages\n\n```yaml\n{}```\n", CRD.replace("maximum: 9", &format!("maximum: {most}")))
    };
    for (old, new, path, line) in [(template(9), template(5), "a.yaml", 17), (page(9), page(5), "a.md", 16)] {
        let diff = compare_sides(&[side(path, 0, &old)], &[side(path, 1, &new)]).unwrap();
        let [located] = diff.pairs[0].changes.as_slice() else { panic!("{diff:?}") };
        assert_eq!(located.change.direction, Direction::Tightened);
        assert_eq!((located.new.as_ref().unwrap().line, located.old.as_ref().unwrap().line), (line, line));
    }
}

#[test]
fn what_sources_recognise_is_compared_and_nothing_else() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n";
    let webhook = policy.replace("AdmissionPolicy", "WebhookConfiguration");
    for text in [
        CRD,
        policy,
        &webhook,
        "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions: []\n",
        "type: [object, 'null']\nproperties: {a: {type: string}}\n",
        "$schema: https://json-schema.org/draft/2020-12/schema\nitems: {type: string}\n",
        "$ref: '#/$defs/a'\n$defs: {a: {type: string}}\n",
        "swagger: '2.0'\ndefinitions: {A: {type: string}}\n",
        // None of these is a schema.
        "$schema: https://example.com/config.json\ntype: module\n",
        "type: module\nproperties: {a: 5}\n",
        "openapi: 3.0.0\n",
        "definitions: {steps: {script: [make]}}\n",
        "extra_specs: {'hw:cpu_policy': dedicated}\n",
        "kind: CustomResourceDefinition\napiVersion: example.com/v1\n",
    ] {
        let source = SourceFile::new(FileId(0), "a.yaml", text);
        let is_compared = kvrules_sources::detect_contents(&source).has_input_of(Operation::Compare);
        let read = read_units(&source, Catalog::kubevirt_vm()).unwrap();
        assert_eq!(!read.is_empty(), is_compared, "{text}");
    }
}

const SCHEMA: &str =
    "{\n\"title\": \"Values\",\n\"properties\": {\n\"n\": {\"type\": \"integer\",\n\"maximum\": 9}}}\n";

#[test]
fn a_json_schema_is_compared_as_a_validator_reads_it_and_has_places() {
    let schema = |most: u32| {
        SCHEMA
            .replace("\"properties\"", "\"type\": \"object\", \"properties\"")
            .replace('9', &most.to_string())
    };
    let diff = compare_sides(&[side("v.json", 0, &schema(9))], &[side("v.json", 1, &schema(5))]).unwrap();
    assert_eq!((diff.pairs[0].kind.name, diff.pairs[0].name.as_str()), ("JSON Schema", "Values"));
    let [located] = diff.pairs[0].changes.as_slice() else { panic!("{diff:?}") };
    assert_eq!(located.change.refused.as_ref().unwrap().object, serde_json::json!({"n": 6}));
    assert_eq!(located.old.as_ref().map(|at| (at.line, at.column)), Some((5, 1)));
}

#[test]
fn schemas_of_an_api_are_compared_each_by_itself() {
    let api = |most: u32| {
        format!(
            "openapi: 3.0.3\ncomponents:\n  schemas:\n    Box: {{type: object, properties: {{size: {{$ref: '#/components/schemas/Size'}}}}}}\n    Size: {{type: integer, maximum: {most}}}\n"
        )
    };
    let diff = compare_sides(&[side("a.yaml", 0, &api(9))], &[side("a.yaml", 1, &api(5))]).unwrap();
    let changed: Vec<_> = diff.pairs.iter().map(|pair| (pair.name.as_str(), pair.changes.len())).collect();
    assert_eq!(changed, [("Box", 0), ("Size", 1)]);
}

#[test]
fn a_reference_that_leads_nowhere_is_told_at_its_place() {
    let text = "type: object\nproperties:\n  a: {$ref: '#/$defs/none'}\n  b: {$ref: other.json}\n";
    let error = read_units(&SourceFile::new(FileId(0), "s.yaml", text), Catalog::kubevirt_vm()).unwrap_err();
    assert_eq!(error.message, "the reference `#/$defs/none` points to nothing");
    assert_eq!((error.at.line, error.at.column), (3, 7));
}

#[test]
fn definitions_of_other_things_are_no_schemas() {
    let units = |text: &str| {
        read_units(&SourceFile::new(FileId(0), "a.yaml", text), Catalog::kubevirt_vm()).unwrap().len()
    };
    assert_eq!(units("definitions: {steps: {script: [make]}}\n"), 0);
    assert_eq!(units("definitions: {port: {type: integer}, name: {type: string}}\n"), 2);
}

#[test]
fn what_is_no_schema_is_told_at_its_place() {
    let text = |name: &str| format!("type: object\nproperties:\n  a: {{type: {name}}}\n");
    let error = compare_sides(&[side("a.yaml", 0, &text("string"))], &[side("a.yaml", 1, &text("strin"))])
        .unwrap_err();
    let IncomparableReason::Schema(error) = error else { panic!("{error:?}") };
    assert_eq!((error.at.file.as_str(), error.at.line, error.at.column), ("a.yaml", 3, 7));
    assert!(error.message.starts_with("unknown type `strin`"), "{}", error.message);
}

#[test]
fn files_that_a_json_schema_would_refuse_are_found() {
    let schema = |most: u32| format!("type: object\nproperties: {{n: {{type: integer, maximum: {most}}}}}\n");
    let corpus = Corpus::new(&[side("", 0, &schema(9))], &[side("", 1, &schema(5))]);
    let mut surveyed = CorpusReport::default();
    corpus
        .evaluate_objects(&SourceFile::new(FileId(2), "o.yaml", "n: 7\n---\nn: 1\n"), &mut surveyed)
        .unwrap();
    assert_eq!((surveyed.objects, surveyed.refused.len()), (2, 1));
    assert_eq!(surveyed.refused[0].reasons[0].text, "n: 7 is greater than the maximum of 5");
}

#[test]
fn what_an_update_must_leave_alone_is_told() {
    let new = CRD.replace("maximum: 9", "maximum: 5");
    let (old, new) = ([side("", 0, CRD)], [side("", 1, &new)]);
    let corpus = Corpus::new(&old, &new);
    let text = "apiVersion: e.com/v1\nkind: W\nmetadata: {name: a}\nn: 7\n---\napiVersion: e.com/v1\nkind: W\nn: 1\n";
    let mut surveyed = CorpusReport::default();
    corpus.evaluate_objects(&SourceFile::new(FileId(2), "o.yaml", text), &mut surveyed).unwrap();
    assert_eq!((surveyed.objects, surveyed.refused.len()), (2, 1));
    let refused = &surveyed.refused[0];
    assert_eq!(
        (refused.updates, refused.reasons[0].unchanged.as_deref()),
        (UpdateOutcome::Passes, Some("n"))
    );
}
