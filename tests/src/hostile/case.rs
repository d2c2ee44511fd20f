//! One run: a command line, and the files that it finds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

use serde_json::{Value, json};

use crate::repository_root;

/// A command line and its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostileCase {
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The files, by their paths below the working directory.
    pub files: BTreeMap<String, String>,
}

impl HostileCase {
    /// True if files are processed by several threads, which must not affect the result.
    pub fn has_jobs(&self) -> bool {
        let command = self.args.first().map(String::as_str);
        matches!(command, Some("check" | "compile" | "cost" | "eval" | "fmt" | "migrate" | "test" | "verify"))
            && !self.has_word("--list-targets")
    }

    /// True if a word is on the command line.
    pub fn has_word(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg == word)
    }

    /// Returns the argument after an option.
    pub fn option_value(&self, option: &str) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == option)?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// The command with its options, as one types it.
    pub fn command_line(&self) -> String {
        format!("kvrules {}", self.args.join(" "))
    }

    /// The case as it is kept.
    pub fn to_text(&self) -> String {
        format!("{:#}\n", json!({"args": self.args, "files": self.files}))
    }

    /// The case that a text keeps.
    pub fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let args = value.get("args")?.as_array()?.iter();
        let files = value.get("files")?.as_object()?.iter();
        Some(Self {
            args: args.map(|arg| arg.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            files: files
                .map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
                .collect::<Option<_>>()?,
        })
    }
}

impl HostileCase {
    /// The cases that showed an error, with the names of their files.
    pub fn load_kept() -> io::Result<Vec<(PathBuf, Self)>> {
        let mut cases = Vec::new();
        for entry in fs::read_dir(repository_root().join("tests/cases/hostile"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let case = Self::parse(&fs::read_to_string(&path)?);
                cases.push((path, case.ok_or_else(|| io::Error::other("a case that cannot be read"))?));
            }
        }
        cases.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(cases)
    }
}
