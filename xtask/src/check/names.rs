//! Public functions with a name of one word: their number in each crate may not rise above the one in
//! `xtask/one-word-functions.toml`, which is lowered whenever it falls.

use std::collections::BTreeMap;
use std::fs;

use crate::scan::{body_after, code_only, without_tests, words};
use crate::workspace::{Finding, Source, Workspace};

const RATCHET: &str = "xtask/one-word-functions.toml";
const UPDATE: &str = "cargo xtask check --update-words";
const HEADER: &str = "\
# Public functions with a name of one word, by crate. Getters (`fn span(&self)`) and the idioms of
# `xtask/src/check/names.rs` are not counted. Written by `cargo xtask check --update-words`.
";

/// Names that every reader of Rust knows from the standard library.
const IDIOMS: [&str; 18] = [
    "new", "len", "get", "iter", "keys", "values", "insert", "push", "extend", "remove", "contains", "clear",
    "next", "parse", "default", "map", "from", "name",
];

/// Numbers by crate.
type Counts = BTreeMap<String, usize>;

/// Public functions of one crate.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Functions {
    /// All of them.
    pub(super) all: usize,
    /// Those with a name of one word, getters and idioms included.
    pub(super) one_word: usize,
    /// Those with a name of one word that says too little.
    counted: usize,
}

pub(super) fn findings(workspace: &Workspace, sources: &[Source]) -> Result<Vec<Finding>, String> {
    Ok(compare(&counts(&survey(sources)), &read(&workspace.read(RATCHET)?)))
}

/// Writes the present counts. A function may move from crate to crate, but their number in all may not rise.
pub(super) fn update(workspace: &Workspace, sources: &[Source]) -> Result<(), String> {
    let actual = counts(&survey(sources));
    let allowed = workspace.read(RATCHET).map(|text| read(&text)).ok();
    let (now, before) =
        (actual.values().sum::<usize>(), allowed.map(|allowed| allowed.values().map(|(_, n)| n).sum()));
    if let Some(before) = before.filter(|before| now > *before) {
        return Err(format!(
            "{RATCHET}: {now} public functions have names of one word, more than {before}; rename the new ones"
        ));
    }
    fs::write(workspace.root.join(RATCHET), written(&actual)).map_err(|error| format!("{RATCHET}: {error}"))
}

fn written(counts: &Counts) -> String {
    let lines: String = counts.iter().map(|(name, count)| format!("{name} = {count}\n")).collect();
    format!("{HEADER}{lines}")
}

/// The counts of the file, with their lines.
fn read(text: &str) -> BTreeMap<String, (usize, usize)> {
    let entries = (1..).zip(text.lines()).filter_map(|(line, text)| {
        let (name, count) = text.split_once('=').filter(|_| !text.starts_with('#'))?;
        Some((name.trim().to_owned(), (line, count.trim().parse().ok()?)))
    });
    entries.collect()
}

fn compare(actual: &Counts, allowed: &BTreeMap<String, (usize, usize)>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, count) in actual {
        let (line, limit) = allowed.get(name).copied().unwrap_or((1, 0));
        let text = if *count > limit {
            format!(
                "{name} has {count} public functions with a name of one word, more than {limit}; \
                 name the new ones by a verb and its object (`lift_expression`)"
            )
        } else if *count < limit {
            format!(
                "{name} has {count} public functions with a name of one word, fewer than {limit}; \
                 lower the number by `{UPDATE}`"
            )
        } else {
            continue;
        };
        findings.push(Finding::new(RATCHET, line, text));
    }
    for (name, (line, _)) in allowed.iter().filter(|(name, _)| !actual.contains_key(*name)) {
        findings.push(Finding::new(
            RATCHET,
            *line,
            format!("unknown crate `{name}`; remove it by `{UPDATE}`"),
        ));
    }
    findings
}

fn counts(survey: &BTreeMap<String, Functions>) -> Counts {
    survey.iter().map(|(name, functions)| (name.clone(), functions.counted)).collect()
}

/// The public functions of each crate below `crates`.
pub(super) fn survey(sources: &[Source]) -> BTreeMap<String, Functions> {
    let mut survey: BTreeMap<String, Functions> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        let Some((name, file)) = source.path.strip_prefix("crates/").and_then(|rest| rest.split_once('/'))
        else {
            continue;
        };
        if file.starts_with("src/") {
            let functions = survey.entry(name.to_owned()).or_default();
            count(&without_tests(&code_only(&source.text)), functions);
        }
    }
    survey
}

fn count(code: &str, functions: &mut Functions) {
    for at in words(code, "fn") {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        if !code[line..at].trim_start().starts_with("pub ") {
            continue;
        }
        let rest = code[at + 2..].trim_start();
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        functions.all += 1;
        if name.is_empty() || name.contains('_') {
            continue;
        }
        functions.one_word += 1;
        let signature = &code[at..body_after(code, at).map_or(code.len(), |body| body.start)];
        if !IDIOMS.contains(&name.as_str()) && !is_getter(signature) {
            functions.counted += 1;
        }
    }
}

/// True if the function has no parameter but `self`.
fn is_getter(signature: &str) -> bool {
    let parameters = signature.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    parameters.is_some_and(|(parameters, _)| matches!(parameters.trim(), "&self" | "self" | "&'a self"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey_of(text: &str) -> Functions {
        let mut survey = survey(&[Source { path: "crates/kvrules-x/src/a.rs".into(), text: text.into() }]);
        survey.remove("kvrules-x").unwrap_or_default()
    }

    fn compared(count: usize, file: &str) -> Vec<String> {
        let found = compare(&Counts::from([("kvrules-x".to_owned(), count)]), &read(file));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_public_functions_of_one_word_are_counted() {
        let text = "pub fn told() {}\npub const fn of(a: u8) {}\npub fn to_text() {}\nfn below() {}\n\
            pub(crate) fn meant() {}\nimpl A {\n    pub fn span(&self) -> u8 {}\n    pub fn new(a: u8) {}\n}\n\
            // pub fn comment() {}\n#[cfg(test)]\nmod tests {\n    pub fn one() {}\n}\n";
        assert_eq!(survey_of(text), Functions { all: 5, one_word: 4, counted: 2 });
    }

    #[test]
    fn tests_and_other_packages_are_not_counted() {
        let source = |path: &str| Source { path: path.into(), text: "pub fn told() {}".into() };
        assert!(
            survey(&[source("crates/a/tests/b.rs"), source("tests/src/lib.rs"), source("xtask/src/a.rs")])
                .is_empty()
        );
    }

    #[test]
    fn a_number_that_rises_is_a_finding() {
        let found = compared(3, "# x\nkvrules-x = 2\n");
        assert_eq!(
            found,
            [
                "xtask/one-word-functions.toml:2: kvrules-x has 3 public functions with a name of one word, more than 2; \
              name the new ones by a verb and its object (`lift_expression`)"
            ]
        );
        assert_eq!(compared(1, "").len(), 1);
    }

    #[test]
    fn a_number_that_falls_must_be_lowered() {
        let found = compared(1, "kvrules-x = 2\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with("lower the number by `cargo xtask check --update-words`"), "{found:?}");
    }

    #[test]
    fn the_present_numbers_pass_as_they_are_written() {
        assert_eq!(compared(2, &written(&Counts::from([("kvrules-x".to_owned(), 2)]))), [""; 0]);
        assert_eq!(compared(2, "kvrules-x = 2\nkvrules-old = 1\n").len(), 1);
    }

    #[test]
    fn an_update_moves_and_lowers_the_numbers_and_never_raises_them() {
        let root = std::env::temp_dir().join(format!("xtask-names-{}", std::process::id()));
        fs::create_dir_all(root.join("xtask")).unwrap();
        let workspace = Workspace { root: root.clone() };
        let source =
            |name: &str, text: &str| Source { path: format!("crates/{name}/src/a.rs"), text: text.into() };
        let two = [source("a", "pub fn told() {}\npub fn of() {}\n")];
        let moved = [source("a", "pub fn told() {}\n"), source("b", "pub fn of() {}\n")];
        let three = [source("a", "pub fn told() {}\npub fn of() {}\npub fn below() {}\n")];
        assert!(update(&workspace, &two).is_ok());
        assert!(update(&workspace, &moved).is_ok());
        assert_eq!(findings(&workspace, &moved), Ok(Vec::new()));
        assert_eq!(findings(&workspace, &three).map(|found| found.len()), Ok(2));
        assert!(update(&workspace, &three).is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
