//! Asking the program `kvrules` for the pages of rule files, once for the same files.

use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use kvrules::docs::{Document, SpecsDocument};
use serde::de::DeserializeOwned;

use crate::book::BookContext;

/// Asks and remembers.
#[derive(Debug)]
pub(crate) struct PageSource<'a> {
    context: &'a BookContext,
    answers: BTreeMap<Vec<String>, Result<Rc<Document>, String>>,
    specs: BTreeMap<(bool, Vec<String>), Result<Rc<SpecsDocument>, String>>,
}

impl<'a> PageSource<'a> {
    /// Creates the source. It does not run the program yet.
    pub(crate) fn new(context: &'a BookContext) -> Self {
        Self { context, answers: BTreeMap::new(), specs: BTreeMap::new() }
    }

    /// The pages of files, whose paths start at the book's directory; without paths, of those that the configuration of
    /// the book or else of kvrules names.
    pub(crate) fn pages_of_files(&mut self, paths: &[String]) -> Result<Rc<Document>, String> {
        let paths = if paths.is_empty() { &self.context.paths } else { paths };
        if let Some(answer) = self.answers.get(paths) {
            return answer.clone();
        }
        let answer = self.run(&self.context.arguments, paths).map(Rc::new);
        self.answers.insert(paths.to_vec(), answer.clone());
        answer
    }

    /// The extra specs of Nova and those that files define, or with `own_only` only these. Without paths the definitions are
    /// those that the configuration of the book or else of kvrules names.
    pub(crate) fn ask_specs(
        &mut self,
        paths: &[String],
        own_only: bool,
    ) -> Result<Rc<SpecsDocument>, String> {
        let paths = if paths.is_empty() { &self.context.definitions } else { paths };
        let key = (own_only, paths.to_vec());
        if let Some(answer) = self.specs.get(&key) {
            return answer.clone();
        }
        let words = ["--extra-specs", "--own-only"].map(str::to_owned);
        let words = if own_only { words.as_slice() } else { words.get(..1).unwrap_or_default() };
        let answer = self.run(words, paths).map(Rc::new);
        self.specs.insert(key, answer.clone());
        answer
    }

    fn run<T: DeserializeOwned>(&self, words: &[String], paths: &[String]) -> Result<T, String> {
        let program = self.program();
        let mut command = Command::new(&program);
        command.current_dir(&self.context.root).args(["docs", "--format", "json"]).args(words);
        if let Some(templates) = &self.context.templates {
            command.args(["--templates", templates]);
        }
        if !paths.is_empty() {
            command.arg("--").args(paths);
        }
        let output =
            command.output().map_err(|error| format!("cannot start `{}`: {error}", program.display()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(if message.is_empty() {
                format!("`kvrules docs` ended with {}", output.status)
            } else {
                message
            });
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("unexpected output of `kvrules docs`: {error}"))
    }

    /// The program that the book names, else the one next to this, else the first on the path.
    fn program(&self) -> PathBuf {
        let name = format!("kvrules{EXE_SUFFIX}");
        let chosen = self.context.executable.as_ref().map(PathBuf::from);
        let beside =
            || Some(std::env::current_exe().ok()?.parent()?.join(&name)).filter(|path| path.is_file());
        let absolute = |path: PathBuf| {
            // A path with directories is relative to the book, not to the working directory of mdBook.
            if path.components().count() > 1 { self.context.root.join(path) } else { path }
        };
        chosen.map(absolute).or_else(beside).unwrap_or_else(|| Path::new(&name).to_owned())
    }
}
