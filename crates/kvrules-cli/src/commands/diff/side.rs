//! One side of a comparison: a file, a directory, or what git has of them at a revision.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use kvrules::crd::RunResources;
use kvrules::diff::{SideFile, UnreadableError, read_units_in};
use kvrules::{Catalog, FileId, ReadContext, SourceFile, Sources, SubjectFiles, bundle_files};

use crate::failure::{Failure, io_reason};
use crate::inputs::{IGNORE_FILES, InputSource, SearchExclusions, WantedContent, find_files};
use crate::options::InputArgs;
use crate::paths::absolute_path;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::text::{self, PathOrigin, UnreadFile, read_text};

/// Input read from one side.
pub(in crate::commands) struct SideInput {
    /// The texts with what is in them.
    pub(in crate::commands) parts: Vec<SideFile>,
    /// Files of a directory that could not be read.
    pub(in crate::commands) unread: Vec<UnreadFile>,
    /// The number of the next text.
    pub(in crate::commands) next: usize,
}

/// A text under its path below the directory, and under its name for messages.
type NamedText = (String, String, Result<String, UnreadFile>);

impl SideInput {
    /// Reads what an argument names. Its texts are numbered from `first` on; `schemas` has the definitions that rules may be about.
    pub(in crate::commands) fn read(
        given: &str,
        first: usize,
        settings: &Settings,
        catalog: &Catalog,
        schemas: &Sources,
    ) -> Result<Self, Failure> {
        let (texts, is_directory) = match given.strip_prefix("git:") {
            Some(rest) if !Path::new(given).exists() => of_git(given, rest, settings)?,
            _ => of_files(given, settings)?,
        };
        let mut side = Self { parts: Vec::new(), unread: Vec::new(), next: first };
        let sources: Vec<_> = texts
            .into_iter()
            .enumerate()
            .map(|(at, (path, name, text))| {
                let source = to_source_file(name, text, first + at);
                (path, source.map(with_schema_files))
            })
            .collect();
        let read: Vec<&SourceFile> = sources.iter().filter_map(|(_, source)| source.as_ref().ok()).collect();
        let files: Vec<&SourceFile> = schemas.files().iter().chain(read.iter().copied()).collect();
        let (subjects, resources) = (read_subjects(&read), RunResources::of_files(&files));
        let context = ReadContext::new(catalog).with_resources(&resources).with_subjects(&subjects);
        let units: Vec<_> = sources
            .iter()
            .map(|(_, source)| source.as_ref().ok().map(|source| read_units_in(source, &context)))
            .collect();
        for ((path, source), units) in sources.into_iter().zip(units) {
            let part = source.and_then(|source| {
                let units = units.unwrap_or_else(|| Ok(Vec::new())).map_err(to_unread)?;
                Ok(SideFile { path, source, units })
            });
            match part {
                Ok(part) => {
                    side.next += 1;
                    side.parts.push(part);
                }
                Err(unread) if is_directory => side.unread.push(unread),
                Err(unread) => return Err(unread_failure(&unread)),
            }
        }
        Ok(side)
    }
}

/// The files that the RuleSets of a side name, on the disk or at its revision.
fn read_subjects(sources: &[&SourceFile]) -> SubjectFiles {
    let mut subjects = SubjectFiles::default();
    for source in sources {
        subjects.read_named_files(source, &mut |named| read_beside(source.name(), named));
    }
    subjects
}

/// A schema with the files that it refers to.
fn with_schema_files(source: SourceFile) -> SourceFile {
    let bundle = bundle_files(&source, &mut |named| read_beside(source.name(), named).ok());
    match bundle {
        Some(bundle) => SourceFile::new(source.id(), source.name(), bundle.text),
        None => source,
    }
}

/// The text of a file whose path starts from the folder of another.
pub(in crate::commands) fn read_beside(name: &str, named: &str) -> Result<String, String> {
    let of_revision = name.strip_prefix("git:").filter(|_| !Path::new(name).exists());
    let Some((revision, path)) = of_revision.and_then(|rest| rest.split_once(':')) else {
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        return read_text(&folder.join(named), PathOrigin::File).map_err(|unread| unread.message);
    };
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in named.split('/') {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    let text = run_git(name, ["show", &format!("{revision}:{}", parts.join("/"))])
        .map_err(|_| format!("`{revision}` has no such file"))?;
    text::read_text_from(named.to_owned(), text.as_slice()).map_err(|unread| unread.message)
}

/// A text as the library takes it.
pub(super) fn to_source_file(
    name: String,
    text: Result<String, UnreadFile>,
    number: usize,
) -> Result<SourceFile, UnreadFile> {
    let id = FileId(u32::try_from(number).unwrap_or(u32::MAX));
    text.map(|text| SourceFile::new(id, name, text))
}

/// Converts an error of the library for unreadable input to one for files.
pub(in crate::commands) fn to_unread(found: UnreadableError) -> UnreadFile {
    let at = kvrules::Position { line: found.at.line, column: found.at.column };
    UnreadFile { name: found.at.file, at: Some(at), message: found.message, help: found.help }
}

fn unread_failure(unread: &UnreadFile) -> Failure {
    let failure = Failure::new(unread.to_string());
    match &unread.help {
        Some(help) => failure.help(help.clone()),
        None => failure,
    }
}

fn of_files(given: &str, settings: &Settings) -> Result<(Vec<NamedText>, bool), Failure> {
    let path = Path::new(given);
    if !path.is_dir() {
        let text = read_text(path, PathOrigin::Argument).map_err(|unread| unread_failure(&unread))?;
        return Ok((vec![(String::new(), given.to_owned(), Ok(text))], false));
    }
    let found = find_files(&input_args(vec![path.to_owned()]), settings, WantedContent::Rules)?;
    let texts = found.files.iter().map(|input| {
        let name = input.name();
        let below = Path::new(&name).strip_prefix(path).unwrap_or(Path::new(&name));
        (below.to_string_lossy().replace('\\', "/"), name.clone(), input.read())
    });
    Ok((texts.collect(), true))
}

fn input_args(paths: Vec<PathBuf>) -> InputArgs {
    InputArgs { paths, stdin_filename: None, follow_links: false, jobs: None, allow_empty: false }
}

/// The files with existing objects.
pub(super) fn corpus_inputs(
    paths: &[PathBuf],
    settings: &Settings,
    unread: &mut Vec<UnreadFile>,
    terminal: &Terminal,
) -> Result<Vec<InputSource>, Failure> {
    let found = find_files(&input_args(paths.to_vec()), settings, WantedContent::Objects)?;
    found.unread.iter().for_each(|unread| terminal.unread(unread));
    unread.extend(found.unread);
    Ok(found.files)
}

/// `REVISION:PATH`, a file or a directory.
fn of_git(given: &str, rest: &str, settings: &Settings) -> Result<(Vec<NamedText>, bool), Failure> {
    let usage = || {
        Failure::new(format!("missing revision or path in `{given}`"))
            .help("write `git:REVISION:PATH`, such as `git:HEAD:crds/a.yaml`")
    };
    let (revision, path) = rest.split_once(':').ok_or_else(usage)?;
    // git would parse a revision that begins with a dash as an option.
    if revision.is_empty() || revision.starts_with('-') || path.is_empty() {
        return Err(usage());
    }
    let kind = run_git(given, ["cat-file", "-t", rest])?;
    if String::from_utf8_lossy(&kind).trim() != "tree" {
        let text = run_git(given, ["show", rest])?;
        return Ok((
            vec![(String::new(), given.to_owned(), text::read_text_from(given.to_owned(), text.as_slice()))],
            false,
        ));
    }
    Ok((of_tree(given, revision, path, settings)?, true))
}

/// The files of a directory of a revision that a search of the directory would read.
fn of_tree(given: &str, revision: &str, path: &str, settings: &Settings) -> Result<Vec<NamedText>, Failure> {
    let rest = format!("{revision}:{path}");
    let top = run_git(given, ["rev-parse", "--show-toplevel"])?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches(['\r', '\n']));
    // git resolves a path that begins with a dot against the working directory.
    let root = if path.starts_with('.') { absolute_path(Path::new(path)) } else { top.join(path) };
    let list = run_git(given, ["ls-tree", "-r", "-z", "--full-tree", &rest])?;
    let list = String::from_utf8_lossy(&list).into_owned();
    let files: Vec<&str> = list.split('\0').filter_map(regular_file).collect();
    let whole = |name: &str| format!("{}/{name}", rest.trim_end_matches('/'));
    let mut listing = SearchExclusions::new(settings, WantedContent::Rules)?;
    let outer = root.ancestors().skip(1).take_while(|directory| directory.starts_with(&top));
    for (directory, name) in outer.flat_map(|directory| IGNORE_FILES.map(|name| (directory, name))) {
        let below = directory.strip_prefix(&top).unwrap_or(directory).join(name);
        if let Ok(text) = run_git(given, ["show", &format!("{revision}:{}", below.to_string_lossy())]) {
            listing.heed(directory, &String::from_utf8_lossy(&text));
        }
    }
    for name in files.iter().map(Path::new) {
        if name.file_name().is_some_and(|file| IGNORE_FILES.iter().any(|known| file == *known)) {
            let text = run_git(given, ["show", &whole(&name.to_string_lossy())])?;
            let directory = root.join(name.parent().unwrap_or(Path::new("")));
            listing.heed(&directory, &String::from_utf8_lossy(&text));
        }
    }
    let mut texts = Vec::new();
    for name in files.into_iter().filter(|name| listing.has(&root, Path::new(name))) {
        let shown = format!("git:{}", whole(name));
        let text = run_git(given, ["show", &whole(name)])?;
        texts.push((name.to_owned(), shown.clone(), text::read_text_from(shown, text.as_slice())));
    }
    Ok(texts)
}

/// The name in an entry of a tree that is a file; links lead to files that have entries of their own.
fn regular_file(entry: &str) -> Option<&str> {
    let (facts, name) = entry.split_once('\t')?;
    facts.starts_with("100").then_some(name)
}

/// Runs git and gives what it prints.
fn run_git<const N: usize>(given: &str, args: [&str; N]) -> Result<Vec<u8>, Failure> {
    let output = Command::new("git").args(args.map(OsStr::new)).output().map_err(|error| {
        Failure::new(format!("cannot read `{given}`: cannot run git: {}", io_reason(&error)))
            .help("`git:REVISION:PATH` needs the command `git`")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned();
    Err(Failure::new(format!("cannot read `{given}`: {first}")))
}
