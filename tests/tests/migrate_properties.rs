//! Migration and formatting as properties: old forms come back as the rules they were, bytes beside the rules stay, a second
//! run changes nothing, and what comes out is YAML for a parser that knows nothing of ours.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::{
    Catalog, ElaboratedRule, FileId, SourceFile, fmt,
    migrate::{Migration, MigrationOptions, MigrationOutcome, migrate_file},
};
use kvrules_tests::{
    fuzz::{FuzzTarget, load_corpus, text_outside_annotations},
    old_forms::{FORMS, OldForm, to_old_form},
    template_bundles,
};
use proptest::prelude::*;

fn file(text: &str) -> SourceFile {
    SourceFile::new(FileId(0), "rules.yaml", text)
}

fn migrated(text: &str) -> Migration {
    migrate_file(&file(text), Catalog::kubevirt_vm(), MigrationOptions::default())
}

/// The rules of each annotation, by what they mean.
fn rules(text: &str) -> Vec<(String, Vec<ElaboratedRule>)> {
    kvrules::read_rules(&file(text)).sets.into_iter().map(|set| (set.name, set.rules)).collect()
}

fn is_yaml(text: &str) -> bool {
    use serde::Deserialize as _;
    serde_yaml::Deserializer::from_str(text).all(|document| serde_yaml::Value::deserialize(document).is_ok())
}

/// Migrates, and holds the result to what is promised of every migration.
fn settled(old: &str) -> String {
    let migration = migrated(old);
    assert_eq!(migration.outcome(), MigrationOutcome::Migrated, "{:?}\n{old}", migration.refusals);
    assert!(is_yaml(&migration.text), "{}", migration.text);
    let again = migrated(&migration.text);
    assert_eq!(again.outcome(), MigrationOutcome::Current, "{:?}\n{}", again.changes, migration.text);
    assert_eq!(again.text, migration.text);
    migration.text
}

#[test]
fn bundles_in_every_old_form_come_back_as_they_were() {
    let (mut sets, mut files) = (0, 0);
    for (name, bundle) in template_bundles() {
        let before = rules(&bundle);
        // Each form of 201901 yields the same rules, so except for the first and the last form, a few templates of
        // the bundle suffice.
        for (number, form) in FORMS.iter().enumerate() {
            let whole = number == 0 || number + 1 == FORMS.len();
            let part: String = bundle.split_inclusive("\n---\n").step_by(if whole { 1 } else { 9 }).collect();
            let before = if whole { before.clone() } else { rules(&part) };
            let old = to_old_form(&part, *form);
            assert_ne!(old, part, "{name}");
            assert_eq!(rules(&settled(&old)), before, "{name}, {form:?}");
            (sets, files) = (sets + before.len(), files + 1);
        }
    }
    println!("{sets} rule sets in {files} files came back as they were");
}

/// Returns the rest of a text without the rules and the keys around them that come and go.
fn bare(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_key = |line: &str| {
        ["validations:", "validation:", "vm.kubevirt.io/validations:"]
            .iter()
            .any(|key| line.trim_start().starts_with(key))
    };
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        if is_key(lines[at]) {
            let inside = lines[at + 1..]
                .iter()
                .take_while(|line| depth(line) > depth(lines[at]) || line.trim().is_empty());
            let blank = lines[at + 1..at + 1 + inside.clone().count()]
                .iter()
                .rev()
                .take_while(|line| line.trim().is_empty());
            at += 1 + inside.count() - blank.count();
            continue;
        }
        let comes_and_goes = matches!(lines[at].trim(), "annotations:" | "annotations: {}" | "metadata:");
        if !comes_and_goes {
            kept.push(lines[at].trim_end_matches(['\n', '\r']).to_owned());
        }
        at += 1;
    }
    kept.retain(|line| !line.is_empty() || text.contains("\n\n"));
    kept
}

/// The lines of all rules, without indentation.
fn inside(text: &str) -> Vec<String> {
    let mut kept = bare(text);
    kept.reverse();
    let all = text.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']));
    let mut rules = Vec::new();
    for line in all {
        if kept.last().is_some_and(|next| next == line) {
            kept.pop();
        } else if line.trim().starts_with(['"', '{', '}', '[', ']']) {
            rules.push(line.trim().to_owned());
        }
    }
    rules
}

/// Every line outside of the rules is the same, and inside of them every line that holds no path and no `included`.
fn kept(old: &str, new: &str) {
    assert_eq!(bare(old), bare(new), "{new}");
    let (before, after) = (inside(old), inside(new));
    assert_eq!(before.len(), after.len(), "{old}\n{new}");
    for (before, after) in before.iter().zip(&after) {
        let changes = before.contains("spec.") || before.contains("\"included\"");
        assert!(changes || before == after, "{before} became {after}");
    }
}

#[test]
fn every_byte_of_a_bundle_stays_but_the_rules() {
    for (name, bundle) in template_bundles() {
        let old = to_old_form(&bundle, FORMS[0]);
        kept(&old, &settled(&old));
        for breaks in ["\r\n", "\n"] {
            let part: String = old.split_inclusive("\n---\n").step_by(11).collect();
            let part = part.trim_end().replace('\n', breaks);
            let new = settled(&part);
            kept(&part, &new);
            assert_eq!(new.matches('\n').count(), new.matches(breaks).count(), "{name}");
            assert!(!new.ends_with('\n'), "{name}");
        }
    }
}

/// A template with awkward things in every place; `#n` stands for a number of its own.
const AWKWARD: &str = "\u{feff}# before everything\n---\n# é “quotes” #n\n\nkind:   Template # kind\nmetadata: # metadata\n  # above\n  name: &name \"a\\tb\" # name\n  annotations: # annotations\n    # above the first\n    first: 'it''s'   \n    validations: |\n      [{\n        \"name\": \"a\", \"rule\": \"integer\", \"message\": \"é\\t“#n”\",\n        \"path\": \"/spec.domain.cpu.cores\",\n        \"max\": 8\n      }]\n    # above the last\n    last: >-\n      folded\ttab  \n      text\n\n  labels: {flow: [style, 'x', {y: *name}], \"z\": ~} # flow\nobjects:\n- # first\n  kind: Secret\n  data: !!binary |\n    aGFsbG8=\n-   kind: VirtualMachine\n    metadata:\n      # in metadata\n      name: *name\n      annotations:\n        # in annotations\n        own: |+\n          text #n\n\n        other: \"x\"   # behind\n    spec:\n      template: {spec: {domain: {cpu: {cores: 1}}}}\n# at the end\n...\n---\nb: 1   \n";

#[test]
fn comments_anchors_flow_and_blanks_stay_where_they_are() {
    for breaks in ["\n", "\r\n"] {
        for end in ["\n", ""] {
            let text = format!("{}{end}", AWKWARD.trim_end_matches('\n')).replace('\n', breaks);
            let new = settled(&text);
            kept(&text, &new);
            assert!(
                new.contains(&format!("        vm.kubevirt.io/validations: |{breaks}          [{{{breaks}")),
                "{new}"
            );
            assert_eq!(new.ends_with(breaks), !end.is_empty());
        }
    }
}

#[test]
fn every_text_of_the_corpus_keeps_what_is_promised() {
    let corpus = load_corpus();
    for text in corpus.iter().step_by(3) {
        for target in [FuzzTarget::Migrate, FuzzTarget::Fmt] {
            assert_eq!(target.check_text(text), Ok(()), "{} of\n{text}", target.name());
        }
    }
    println!("{} texts migrated and formatted", corpus.len().div_ceil(3));
}

#[test]
fn bundles_are_formatted_without_a_change_beside_the_rules() {
    for (name, bundle) in template_bundles() {
        let source = file(&bundle);
        let once = fmt::format_file(&source);
        assert!(once.left.is_empty(), "{name}: {:?}", once.left);
        let after = file(&once.text);
        assert_eq!(fmt::format_file(&after).text, once.text, "{name}");
        assert_eq!(rules(&once.text), rules(&bundle), "{name}");
        assert_eq!(text_outside_annotations(&source), text_outside_annotations(&after), "{name}");
        assert!(is_yaml(&once.text), "{name}");
    }
}

#[test]
fn what_the_annotation_target_writes_is_formatted_already() {
    for (name, text) in template_bundles().into_iter().take(2) {
        let sets = kvrules::merge_rule_sets(kvrules::read_rules(&file(&text)).sets);
        let emitter: Vec<_> =
            kvrules::all_targets().iter().copied().filter(|target| target.name == "annotation").collect();
        for output in
            kvrules::compile_targets(&emitter, &kvrules::Request::for_virtual_machines(&sets)).unwrap()
        {
            for written in output.emission.files {
                let source = SourceFile::new(FileId(0), written.path.as_str(), written.text.as_str());
                let formatted = fmt::format_file(&source);
                assert_eq!(
                    (formatted.text, formatted.left.len()),
                    (written.text, 0),
                    "{name}: {}",
                    written.path
                );
            }
        }
    }
}

/// A rule in 201902: a field with its kind of rule, a guard or none, and arguments.
fn rule() -> impl Strategy<Value = (usize, bool, bool, i64, String)> {
    (0..FIELDS.len(), any::<bool>(), any::<bool>(), 0..100_000_i64, "[a-zA-Zé“”\\\\'$%# ]{0,12}")
}

const FIELDS: [(&str, &str); 5] = [
    ("domain.cpu.cores", "integer"),
    ("domain.memory.guest", "integer"),
    ("hostname", "string"),
    ("domain.devices.disks[*].disk.bus", "enum"),
    ("domain.machine.type", "regex"),
];

fn written(number: usize, (field, guarded, warns, bound, text): &(usize, bool, bool, i64, String)) -> String {
    let (field, kind) = FIELDS[*field];
    let path = format!("\"jsonpath::.spec.{field}\"");
    let text = serde_json::Value::from(text.as_str());
    let mut members = vec![
        format!("\"name\": \"rule-{number}\""),
        format!("\"path\": {path}"),
        format!("\"rule\": \"{kind}\""),
    ];
    members.extend(guarded.then(|| format!("\"valid\": {path}")));
    members.push(format!("\"message\": {text}"));
    members.extend(warns.then(|| "\"justWarning\": true".to_owned()));
    members.push(match kind {
        "integer" if *warns => "\"max\": \"jsonpath::.spec.domain.cpu.sockets\"".to_owned(),
        "integer" => format!("\"min\": {bound}"),
        "string" => format!("\"minLength\": 1,\n \"maxLength\": {bound}"),
        "enum" => format!("\"values\": [\"v{bound}\", \"x\"]"),
        _ => "\"regex\": \"^\\\\d+'s$\"".to_owned(),
    });
    format!("{{{}}}", members.join(",\n "))
}

/// Returns a scalar with a JSON text, after its key at this indentation.
fn scalar(style: usize, json: &str, indentation: &str) -> String {
    let block = || json.replace('\n', &format!("\n{indentation}  "));
    match style {
        0 => format!("|\n{indentation}  {}\n", block()),
        1 => format!("|- # head\n{indentation}  {}\n", block()),
        2 => format!(">\n{indentation}  {}\n", block()),
        3 => format!("'{}' # behind\n", json.replace('\'', "''").replace('\n', " ")),
        _ => format!("{}\n", serde_json::Value::from(json)),
    }
}

fn old_template(rules: &str, form: OldForm, style: usize, place: usize) -> String {
    let value = scalar(style, &form.rewrite_rules(rules), "    ");
    let vm = [
        "",
        "  metadata:\n    name: x # n\n",
        "  metadata: {}\n",
        "  metadata:\n    annotations:\n      a: b\n    # c\n",
    ][place];
    format!(
        "kind: Template\nmetadata:\n  annotations:\n    # c\n    a: b\n    {}: {value}    z: 1\nobjects:\n- kind: VirtualMachine\n{vm}  spec: {{}}\n",
        form.key
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(96), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_rules_come_back_from_every_old_form_as_they_were(
        made in prop::collection::vec(rule(), 1..6), form in 0..FORMS.len(), style in 0..5_usize, place in 0..4_usize,
    ) {
        let json: Vec<_> = made.iter().enumerate().map(|(number, rule)| written(number, rule)).collect();
        let json = format!("[{}]", json.join(",\n "));
        let wanted = rules(&format!("vm.kubevirt.io/validations: {}\n", serde_json::Value::from(json.as_str())));
        let old = old_template(&json, FORMS[form], style, place);
        let new = settled(&old);
        prop_assert_eq!(&rules(&new)[0].1, &wanted[0].1, "{}\n{}", old, new);
        let formatted = fmt::format_file(&file(&new));
        prop_assert!(formatted.left.is_empty(), "{:?}", formatted.left);
        prop_assert_eq!(&rules(&formatted.text)[0].1, &wanted[0].1, "{}\n{}", old, formatted.text);
        prop_assert_eq!(text_outside_annotations(&file(&new)), text_outside_annotations(&file(&formatted.text)));
        prop_assert_eq!(fmt::format_file(&file(&formatted.text)).text, formatted.text);
    }
}
