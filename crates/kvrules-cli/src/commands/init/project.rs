//! The kind of a project, by the files in its directory, and what it begins with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kvrules::{FileId, SourceFile, detect_contents};

use super::StarterFile;
use crate::paths::{display_path, has_extension};
use crate::text::{PathOrigin, read_text};

/// A kind of project, and what it begins with.
#[derive(Debug)]
pub(super) struct ProjectKind {
    /// Names of the kinds of units that files of such a project have.
    units: &'static [&'static str],
    title: &'static str,
    /// Names and texts of the example files.
    pub(super) examples: &'static [StarterFile],
    /// The line of the configuration with the targets.
    pub(super) targets: &'static str,
    /// The next steps.
    pub(super) steps: &'static [&'static str],
}

const EXAMPLE: &str = "rules/example.yaml";
const TESTS: &str = "rules/example.test.yaml";
const CHECK: &str = "kvrules check       finds errors in rules/";
const TEST: &str = "kvrules test        runs the cases of the examples";
const COMPILE: &str = "kvrules compile     writes the targets of kvrules.toml";

/// Every kind of project; of equal numbers of files the first counts. The last is that of an empty directory.
static PROJECT_KINDS: [ProjectKind; 5] = [
    ProjectKind {
        units: &["rule set", "template without rules"],
        title: "templates",
        examples: &[(EXAMPLE, include_str!("template.yaml"))],
        targets: "targets = [\"json-schema\", \"markdown\"]",
        steps: &[CHECK, COMPILE],
    },
    ProjectKind {
        units: &["definition"],
        title: "CustomResourceDefinitions",
        examples: &[
            (EXAMPLE, include_str!("definition.yaml")),
            (TESTS, include_str!("definition.test.yaml")),
        ],
        targets: "targets = [\"json-schema\"]",
        steps: &[CHECK, TEST, COMPILE],
    },
    ProjectKind {
        units: &["policy or binding"],
        title: "admission policies",
        examples: &[(EXAMPLE, include_str!("policy.yaml")), (TESTS, include_str!("policy.test.yaml"))],
        targets: NO_TARGETS,
        steps: &[CHECK, TEST],
    },
    ProjectKind {
        units: &["flavor"],
        title: "flavors",
        examples: &[(EXAMPLE, include_str!("flavor.yaml"))],
        targets: NO_TARGETS,
        steps: &[CHECK],
    },
    RULE_SETS,
];

const RULE_SETS: ProjectKind = ProjectKind {
    units: &["RuleSet"],
    title: "RuleSets",
    examples: &[(EXAMPLE, include_str!("rule-set.yaml"))],
    targets: "targets = [\"admission-policy\", \"json-schema\"]",
    steps: &[CHECK, TEST, COMPILE],
};

const NO_TARGETS: &str = "# targets = [\"json-schema\"]";

/// A project.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) kind: &'static ProjectKind,
    /// The directory with most of the files that decided the kind, and their number.
    pub(super) found: Option<(PathBuf, usize)>,
    /// The directories with files of any kind, from the directory of the project.
    folders: BTreeSet<PathBuf>,
}

/// Number of files that are examined, and depth of folders.
const MOST_FILES: usize = 500;
const MOST_LEVELS: usize = 6;

impl Project {
    /// Looks at the files of a directory. The kind is that of most files.
    pub(super) fn find_kind(directory: &Path) -> Self {
        let mut found: BTreeMap<usize, BTreeMap<PathBuf, usize>> = BTreeMap::new();
        let mut walk = ignore::WalkBuilder::new(directory);
        walk.max_depth(Some(MOST_LEVELS)).sort_by_file_name(Ord::cmp);
        let files = walk.build().flatten().map(ignore::DirEntry::into_path);
        let files = files.filter(|path| has_extension(path, &["yaml", "yml", "json"]));
        for path in files.take(MOST_FILES) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            for kind in kinds_in(&path) {
                *found.entry(kind).or_default().entry(folder.clone()).or_default() += 1;
            }
        }
        let count = |folders: &BTreeMap<PathBuf, usize>| folders.values().sum::<usize>();
        // Of equal numbers the first kind.
        let kind = found.iter().rev().max_by_key(|(_, folders)| count(folders));
        let Some((kind, folders)) = kind else {
            return Self { kind: &RULE_SETS, found: None, folders: BTreeSet::new() };
        };
        let relative = |path: &PathBuf| path.strip_prefix(directory).unwrap_or(path).to_owned();
        let all = found.values().flat_map(BTreeMap::keys).map(relative).collect();
        let folder = folders.iter().rev().max_by_key(|(_, count)| **count).map(|(folder, _)| folder.clone());
        Self {
            kind: PROJECT_KINDS.get(*kind).unwrap_or(&RULE_SETS),
            found: folder.map(|folder| (folder, count(folders))),
            folders: all,
        }
    }

    /// The line of the configuration with the inputs: the example's directory, and those of the files that exist.
    pub(super) fn inputs_line(&self) -> String {
        let mut inputs: Vec<PathBuf> = Vec::new();
        let example = PathBuf::from("rules");
        for folder in std::iter::once(&example).chain(&self.folders) {
            if !inputs.iter().any(|input| folder.starts_with(input)) {
                inputs.retain(|input| !input.starts_with(folder));
                inputs.push(folder.clone());
            }
        }
        let shown = |path: &PathBuf| {
            let text = path.to_string_lossy().replace('\\', "/");
            let text = if text.is_empty() { "." } else { text.as_str() };
            format!("{text:?}")
        };
        format!("inputs = [{}]", inputs.iter().map(shown).collect::<Vec<_>>().join(", "))
    }

    /// Returns what was found, for people.
    pub(super) fn describe_found(&self) -> Option<String> {
        let (folder, count) = self.found.as_ref()?;
        let files = crate::sentences::count_noun(*count, "file");
        Some(format!("found {files} with {}, as in `{}`", self.kind.title, display_path(folder)))
    }
}

/// The kinds of projects, by their indices, that a file may belong to.
fn kinds_in(path: &Path) -> Vec<usize> {
    let Ok(text) = read_text(path, PathOrigin::Search) else { return Vec::new() };
    let contents = detect_contents(&SourceFile::new(FileId(0), display_path(path), text));
    let has = |kind: &ProjectKind| contents.units.iter().any(|unit| kind.units.contains(&unit.kind.singular));
    PROJECT_KINDS.iter().enumerate().filter(|(_, kind)| has(kind)).map(|(index, _)| index).collect()
}
