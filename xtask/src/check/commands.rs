//! Commands compare nothing with the name of a target, a source or a kind of unit: what applies to a unit, its kind says, and what a
//! target expresses, the target. So a new one is a folder, and no command changes.

use std::collections::BTreeSet;

use super::at;
use crate::scan::without_tests;
use crate::workspace::{Finding, Source};

/// The folder of commands.
const COMMANDS: &str = "crates/kvrules-cli/src/commands/";
/// Folders of registries, with the text before the fields that hold names.
const REGISTRIES: [(&str, &str, &str); 3] = [
    ("crates/kvrules-emit/src/emitters/", "EMITTER: Emitter =", "name: \""),
    ("crates/kvrules-sources/src/sources/", "SOURCE: Source =", "name: \""),
    ("crates/kvrules-sources/src/sources/", ": UnitKind =", "singular: \""),
];
/// Code before a name that is compared or looked up, and code behind it.
const BEFORE: [&str; 3] = ["==", "!=", "find_emitter("];
const BEHIND: [&str; 3] = ["=>", ") =>", "| \""];

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let names = known_names(sources);
    let commands = sources.iter().filter(|source| source.path.starts_with(COMMANDS) && source.is_rust());
    commands.filter(|source| !source.is_test()).flat_map(|source| compared_names(source, &names)).collect()
}

/// The names in the registries.
fn known_names(sources: &[Source]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for (folder, head, field) in REGISTRIES {
        for source in sources.iter().filter(|source| source.path.starts_with(folder)) {
            for part in source.text.split(head).skip(1) {
                let name = part.split_once(field).and_then(|(_, rest)| rest.split_once('"'));
                names.extend(name.map(|(name, _)| name));
            }
        }
    }
    names
}

fn compared_names(source: &Source, names: &BTreeSet<&str>) -> Vec<Finding> {
    let text = without_tests(&source.text);
    let mut findings = Vec::new();
    for name in names {
        let literal = format!("\"{name}\"");
        for (offset, _) in text.match_indices(&literal) {
            let before = text[..offset].trim_end().trim_end_matches("Some(").trim_end();
            let behind = text[offset + literal.len()..].trim_start();
            let is_compared = BEFORE.iter().any(|mark| before.ends_with(mark))
                || BEHIND.iter().any(|mark| behind.starts_with(mark));
            if is_compared {
                let message = format!("a command asks for `{name}` by name; ask the unit or the target");
                findings.push(at(&source.path, &text, offset, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings_in(command: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [
            source(
                "crates/kvrules-emit/src/emitters/openapi/mod.rs",
                "pub(crate) static EMITTER: Emitter = Emitter { name: \"openapi\" };",
            ),
            source(
                "crates/kvrules-sources/src/sources/flavors/mod.rs",
                "static SOURCE: Source = Source { name: \"flavors\" };\n\
                 static FLAVOR: UnitKind = UnitKind { singular: \"flavor\", plural: \"flavors\" };",
            ),
            source("crates/kvrules-cli/src/commands/compile.rs", command),
        ];
        findings(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_that_are_compared_or_looked_up_are_found() {
        for planted in [
            "fn f() {\n    match target.name {\n        \"openapi\" => 1,\n",
            "fn f() {\n    match kind {\n        Some(\"flavor\") => 1,\n",
            "fn f() {\n    match kind {\n        \"flavor\" | \"other\" => 1,\n",
            "fn f() {\n\n    if unit.kind.singular == \"flavor\" {",
            "fn f() {\n\n    if source.name != \"flavors\" {",
            "fn f() {\n\n    let target = find_emitter(\"openapi\");",
        ] {
            let found = findings_in(planted);
            assert!(
                found.len() == 1 && found[0].contains("compile.rs:3: a command asks"),
                "{planted} {found:?}"
            );
        }
    }

    #[test]
    fn names_in_texts_tables_and_tests_pass() {
        for text in [
            "const EXAMPLES: &str = \"kvrules compile --target openapi\";\n",
            "const KINDS: [&str; 1] = [\"flavor\"];\n",
            "fn f() -> &'static str { match self { Self::OpenApi => \"openapi\", _ => \"other\" } }\n",
            "#[cfg(test)]\nmod tests {\n    fn f() { assert!(name == \"openapi\"); }\n}\n",
        ] {
            assert_eq!(findings_in(text), [""; 0], "{text}");
        }
    }
}
