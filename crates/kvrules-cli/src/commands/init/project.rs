//! The kind of a project, by the files in its directory, and what it begins with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules::{FileId, SourceFile, detect_contents};

use super::StarterFile;
use crate::paths::{display_path, has_extension};
use crate::text::read_text;

/// The notation that most files of a project have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProjectKind {
    /// KubeVirt templates with annotations.
    Templates,
    /// CustomResourceDefinitions.
    Definitions,
    /// Admission policies.
    Policies,
    /// Flavors of OpenStack.
    Flavors,
    /// RuleSets, or nothing yet.
    RuleSets,
}

/// A project.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) kind: ProjectKind,
    /// The directory with most of the files that decided the kind, and their number.
    pub(super) found: Option<(PathBuf, usize)>,
}

/// Number of files that are examined, and depth of folders.
const MOST_FILES: usize = 500;
const MOST_LEVELS: usize = 6;

impl Project {
    /// Looks at the files of a directory. The kind is that of most files.
    pub(super) fn find_kind(directory: &Path) -> Self {
        let mut found: BTreeMap<ProjectKind, BTreeMap<PathBuf, usize>> = BTreeMap::new();
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
        let Some((kind, folders)) = kind else { return Self { kind: ProjectKind::RuleSets, found: None } };
        let folder = folders.iter().rev().max_by_key(|(_, count)| **count).map(|(folder, _)| folder.clone());
        Self { kind: *kind, found: folder.map(|folder| (folder, count(folders))) }
    }

    /// Returns what was found, for people.
    pub(super) fn describe_found(&self) -> Option<String> {
        let (folder, count) = self.found.as_ref()?;
        let files = crate::sentences::count_noun(*count, "file");
        Some(format!("found {files} with {}, as in `{}`", self.kind.title(), display_path(folder)))
    }
}

fn kinds_in(path: &Path) -> Vec<ProjectKind> {
    let Ok(text) = read_text(path) else { return Vec::new() };
    let contents = detect_contents(&SourceFile::new(FileId(0), display_path(path), text));
    let mut kinds: Vec<ProjectKind> =
        contents.units.iter().filter_map(|unit| ProjectKind::of_unit(unit.kind.singular)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl ProjectKind {
    fn of_unit(singular: &str) -> Option<Self> {
        match singular {
            "rule set" | "template without rules" => Some(Self::Templates),
            "definition" => Some(Self::Definitions),
            "policy or binding" => Some(Self::Policies),
            "flavor" => Some(Self::Flavors),
            "RuleSet" => Some(Self::RuleSets),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Templates => "templates",
            Self::Definitions => "CustomResourceDefinitions",
            Self::Policies => "admission policies",
            Self::Flavors => "flavors",
            Self::RuleSets => "RuleSets",
        }
    }

    /// Returns the example files.
    pub(super) fn examples(self) -> Vec<StarterFile> {
        let example = |text: &'static str| ("rules/example.yaml", text);
        let tests = |text: &'static str| ("rules/example.test.yaml", text);
        match self {
            Self::Templates => vec![example(include_str!("template.yaml"))],
            Self::Definitions => {
                vec![example(include_str!("definition.yaml")), tests(include_str!("definition.test.yaml"))]
            }
            Self::Policies => {
                vec![example(include_str!("policy.yaml")), tests(include_str!("policy.test.yaml"))]
            }
            Self::Flavors => vec![example(include_str!("flavor.yaml"))],
            Self::RuleSets => vec![example(include_str!("rule-set.yaml"))],
        }
    }

    /// Returns the line of the configuration with the targets.
    pub(super) fn targets(self) -> &'static str {
        match self {
            Self::Templates => "targets = [\"json-schema\", \"markdown\"]",
            Self::Definitions => "targets = [\"json-schema\"]",
            Self::RuleSets => "targets = [\"admission-policy\", \"json-schema\"]",
            Self::Policies | Self::Flavors => "# targets = [\"json-schema\"]",
        }
    }

    /// Returns the next steps.
    pub(super) fn steps(self) -> Vec<&'static str> {
        let check = "kvrules check       finds errors in rules/";
        let test = "kvrules test        runs the cases of the examples";
        let compile = "kvrules compile     writes the targets of kvrules.toml";
        match self {
            Self::Templates => vec![check, compile],
            Self::Definitions | Self::RuleSets => vec![check, test, compile],
            Self::Policies => vec![check, test],
            Self::Flavors => vec![check],
        }
    }
}
