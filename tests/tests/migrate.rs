//! Migration: the examples of the published texts, the released bundles, and files written to be awkward.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::{
    Catalog, FileId, SourceFile,
    migrate::{Migration, MigrationOptions, MigrationOutcome, migrate_file},
};

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile::new(FileId(0), name, text)
}

fn migrated(text: &str) -> Migration {
    migrate_file(&file("rules.yaml", text), Catalog::kubevirt_vm(), MigrationOptions::default())
}

/// The fenced examples of a text, with the line that each begins on.
fn examples(name: &str) -> Option<Vec<(usize, String)>> {
    let text = kvrules_testdata::read_text(&format!("specs/{name}"))?;
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            match open.take() {
                Some(block) => found.push(block),
                None => open = Some((number + 2, String::new())),
            }
        } else if let Some((_, block)) = &mut open {
            block.push_str(line);
            block.push('\n');
        }
    }
    Some(found)
}

/// The document with the rules inside read as JSON.
fn values(text: &str) -> (serde_json::Value, serde_json::Value) {
    let document: serde_json::Value = serde_yaml::from_str(text).unwrap();
    let rules = document["objects"][0]["metadata"]["annotations"]["vm.kubevirt.io/validations"].clone();
    let rules = serde_json::from_str(rules.as_str().unwrap()).unwrap();
    let mut bare = document;
    bare["objects"][0]["metadata"]["annotations"] = serde_json::Value::Null;
    (bare, rules)
}

/// Keys that the authors changed, and their new values.
type Changed = &'static [(&'static str, &'static str)];

/// The lines on which an example of 201901 and the same one of 201902 begin, and what the authors changed beside the form.
const SAME: [(usize, usize, Changed); 5] = [
    (153, 200, &[("valid", "jsonpath::.spec.domain.cpu")]),
    (179, 230, &[]),
    (206, 261, &[]),
    (229, 340, &[]),
    (248, 363, &[("valid", "jsonpath::.spec.domain.devices.disks[*].disk.bus"), ("justWarning", "true")]),
];

#[test]
fn the_examples_of_201901_become_what_201902_shows() {
    let (Some(old), Some(new)) =
        (examples("template-validation-201901.md"), examples("template-validation-201902.md"))
    else {
        return;
    };
    let example =
        |from: &[(usize, String)], line: usize| from.iter().find(|(at, _)| *at == line).unwrap().1.clone();
    for (before, after, changed) in SAME {
        let migration = migrated(&example(&old, before));
        assert_eq!(
            migration.outcome(),
            MigrationOutcome::Migrated,
            "line {before}: {:?}",
            migration.refusals
        );
        let (found, mut rules) = values(&migration.text);
        // The authors also changed the rules. Apply those changes before the comparison, because they are not part
        // of the migration.
        for (key, value) in changed {
            rules[0][*key] = if *value == "true" { true.into() } else { (*value).into() };
        }
        // The second text forgets a comma in the same place as the first.
        let wanted = example(&new, after).replace("limited\"\n", "limited\",\n");
        assert_eq!((found, rules), values(&wanted), "line {before}");
    }
    println!("{} well-formed examples of 201901 become what 201902 shows", SAME.len());
}

#[test]
fn the_malformed_examples_of_201901_are_refused_with_the_reason() {
    let Some(old) = examples("template-validation-201901.md") else { return };
    let reasons = [(77, "lacks `rule`"), (96, "lacks `name` and `message`"), (114, "lacks `path`")];
    for (line, reason) in reasons {
        let text = &old.iter().find(|(at, _)| *at == line).unwrap().1;
        let migration = migrated(text);
        assert_eq!(migration.outcome(), MigrationOutcome::Refused, "line {line}");
        assert!(
            migration.refusals[0].message.contains(reason),
            "line {line}: {}",
            migration.refusals[0].message
        );
        assert_eq!(&migration.text, text);
    }
}

/// A file made to be awkward, with what is to become of it: another text, or the reason of the refusal.
struct Case {
    name: String,
    before: String,
    after: Option<String>,
    reason: Option<String>,
}

fn cases() -> Vec<Case> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/migrate");
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let names = files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).ok();
    let case = |name: String| {
        let (stem, extension) = name.split_once(".before.")?;
        let after = read(&format!("{stem}.after.{extension}"));
        let reason = read(&format!("{stem}.refused.txt")).map(|text| text.trim_end().to_owned());
        Some(Case { name: format!("{stem}.{extension}"), before: read(&name)?, after, reason })
    };
    names.filter_map(case).collect()
}

#[test]
fn each_awkward_file_becomes_what_stands_beside_it_or_is_refused_with_the_reason() {
    let cases = cases();
    for Case { name, before, after, reason } in &cases {
        let migration =
            migrate_file(&file(name, before), Catalog::kubevirt_vm(), MigrationOptions::default());
        let reported = migration.refusals.first().map(|refusal| refusal.message.clone());
        assert_eq!(&reported, reason, "{name}");
        assert_eq!(&migration.text, after.as_ref().unwrap_or(before), "{name}");
        assert!(after.is_some() != reason.is_some(), "{name}: either it is migrated or refused");
    }
    println!("{} awkward files are migrated or refused as they should be", cases.len());
    assert!(cases.len() > 60);
}

#[test]
fn what_was_migrated_is_sound_and_needs_nothing_more() {
    for Case { name, after, .. } in cases() {
        let Some(after) = after else { continue };
        let again = migrate_file(&file(&name, &after), Catalog::kubevirt_vm(), MigrationOptions::default());
        assert_eq!(
            again.outcome(),
            MigrationOutcome::Current,
            "{name}: {:?} {:?}",
            again.changes,
            again.refusals
        );
        let is_template = after.contains("{{");
        if (name.ends_with(".yaml") || name.ends_with(".json")) && !is_template {
            // serde_yaml knows no byte order mark.
            for document in serde_yaml::Deserializer::from_str(after.trim_start_matches('\u{feff}')) {
                let read = <serde_yaml::Value as serde::Deserialize>::deserialize(document);
                assert!(read.is_ok(), "{name}: {:?}", read.err());
            }
        }
    }
}
