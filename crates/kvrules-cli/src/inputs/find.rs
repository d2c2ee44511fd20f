//! Finds the files of a run.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::exclude::Exclude;
use super::glob::{GlobSearch, is_glob};
use super::requested::RequestedInput;
use crate::failure::Failure;
use crate::options::InputArgs;
use crate::outputs::is_output_directory;
use crate::paths::has_extension;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::text::{self, PathOrigin, UnreadFile};

/// Content that a run looks for, which decides which files of a directory are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedContent {
    /// Rules, also in Markdown.
    Rules,
    /// Objects, which may stand one in a line.
    Objects,
}

impl WantedContent {
    /// The extensions of files that may hold it.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Rules => &["yaml", "yml", "json", "md", "markdown", "rst", "rest"],
            Self::Objects => &["yaml", "yml", "json", "ndjson", "jsonl"],
        }
    }

    /// True if a file of a directory may contain it, by its name.
    pub(super) fn is_of_interest(self, path: &Path) -> bool {
        has_extension(path, self.extensions()) || (self == Self::Rules && is_template(path))
    }

    /// True if a file that is not named explicitly is of no interest, whatever pattern found it.
    fn passes_over(self, path: &Path) -> bool {
        self == Self::Objects && has_extension(path, &["md", "markdown", "rst", "rest"])
    }

    fn help(self) -> &'static str {
        match self {
            Self::Rules => {
                "directories are searched for .yaml, .yml, .json, .md and .rst files, and for templates such as \
                 .yaml.j2, that git does not ignore; a file that is named is read in any case"
            }
            Self::Objects => {
                "directories are searched for .yaml, .yml, .json, .ndjson and .jsonl files that git does not \
                 ignore; a file that is named is read in any case"
            }
        }
    }
}

/// Something to read.
#[derive(Debug)]
pub(crate) enum InputSource {
    /// Standard input, under this name.
    Stdin(String),
    /// A file that is named.
    File(PathBuf),
    /// A file that was found in a directory, by a glob, or by way of the configuration.
    Searched(PathBuf),
}

impl InputSource {
    /// Returns its name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin(name) => name.clone(),
            Self::File(path) | Self::Searched(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// Returns its path; `None` for standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin(_) => None,
            Self::File(path) | Self::Searched(path) => Some(path),
        }
    }

    /// Returns the number of its bytes where that is known before it is read; else 0.
    pub(crate) fn size(&self) -> usize {
        let metadata = self.path().and_then(|path| path.metadata().ok());
        metadata.and_then(|metadata| usize::try_from(metadata.len()).ok()).unwrap_or_default()
    }

    /// Its text.
    pub(crate) fn read(&self) -> Result<String, UnreadFile> {
        match self {
            Self::Stdin(name) => text::read_text_from(name.clone(), std::io::stdin().lock()),
            Self::File(path) | Self::Searched(path) => text::read_text(path, self.path_origin()),
        }
    }

    /// The origin of its path.
    pub(crate) fn path_origin(&self) -> PathOrigin {
        match self {
            Self::Searched(_) => PathOrigin::Search,
            Self::Stdin(_) | Self::File(_) => PathOrigin::Argument,
        }
    }
}

/// Result of a search.
#[derive(Debug, Default)]
pub(crate) struct FoundInputs {
    /// To be read, in the order in which they were named; each once.
    pub(crate) files: Vec<InputSource>,
    /// Paths that could not even be searched.
    pub(crate) unread: Vec<UnreadFile>,
    /// Number of links to files that lead out of the directory that is searched.
    pub(crate) outside: usize,
    /// Inputs that were requested.
    pub(crate) requested_inputs: Vec<RequestedInput>,
}

/// The files that the command line names, or else the configuration. What is skipped is noted.
pub(crate) fn find_files(
    args: &InputArgs,
    settings: &Settings,
    wanted: WantedContent,
) -> Result<FoundInputs, Failure> {
    let found = search_files(args, settings, wanted)?;
    if found.outside > 0 {
        let links = count_noun(found.outside, "link");
        settings.note(&format!("skipped {links} out of the directory; `--follow-links` follows them"));
    }
    Ok(found)
}

/// As [`find_files`], without any output.
pub(crate) fn search_files(
    args: &InputArgs,
    settings: &Settings,
    wanted: WantedContent,
) -> Result<FoundInputs, Failure> {
    let stdin = args.paths.iter().any(|path| path.as_os_str() == "-");
    if stdin && args.paths.len() > 1 {
        return Err(Failure::new("standard input (`-`) cannot be read together with files"));
    }
    if stdin {
        let name = args.stdin_filename.clone().unwrap_or_else(|| "<stdin>".to_owned());
        let requested_inputs =
            RequestedInput { name: name.clone(), is_named: true, files: vec![name.clone()] };
        return Ok(FoundInputs {
            files: vec![InputSource::Stdin(name)],
            requested_inputs: vec![requested_inputs],
            ..FoundInputs::default()
        });
    }
    if args.stdin_filename.is_some() {
        return Err(Failure::new("`--stdin-filename` requires standard input").help("add `-` to read it"));
    }
    let mut finder = InputFinder::new(Exclude::new(settings)?, wanted, args.follow_links);
    if args.paths.is_empty() {
        finder.configured(settings)?;
    } else {
        finder.named(&args.paths)?;
    }
    let found = finder.finished();
    if found.files.is_empty() && found.unread.is_empty() && !args.allow_empty {
        let generated = args.paths.iter().find_map(|path| generated_directory(path));
        let help = generated.map_or_else(|| wanted.help().to_owned(), |it| generated_help(&it));
        return Err(Failure::new("no file to read was found").help(help));
    }
    Ok(found)
}

/// The first directory below a path that kvrules writes to, which a search leaves out.
fn generated_directory(path: &Path) -> Option<PathBuf> {
    let entries = WalkBuilder::new(path).require_git(false).sort_by_file_path(Path::cmp).build();
    let mut below = entries.filter_map(Result::ok).filter(|entry| entry.depth() > 0);
    below.find(|entry| is_directory(entry) && is_output_directory(entry.path())).map(DirEntry::into_path)
}

fn generated_help(directory: &Path) -> String {
    let directory = directory.display();
    format!("files that kvrules wrote are left out of a search; name `{directory}` to read them")
}

struct InputFinder {
    exclude: Exclude,
    wanted: WantedContent,
    found: FoundInputs,
    /// Indices of the files of each input.
    members: Vec<Vec<usize>>,
    /// Index of each path in the files.
    seen: HashMap<PathBuf, usize>,
    /// True if links are followed wherever they lead.
    follow_links: bool,
}

impl InputFinder {
    fn new(exclude: Exclude, wanted: WantedContent, follow_links: bool) -> Self {
        let (found, members, seen) = (FoundInputs::default(), Vec::new(), HashMap::new());
        Self { exclude, wanted, found, members, seen, follow_links }
    }

    fn named(&mut self, paths: &[PathBuf]) -> Result<(), Failure> {
        for path in paths {
            let pattern = path.to_str().filter(|text| is_glob(text));
            match pattern {
                Some(pattern) if path.symlink_metadata().is_err() => {
                    self.add_input(pattern, false);
                    if self.matching(Path::new(""), pattern).map_err(Failure::new)? == 0 {
                        self.found.unread.push(unmatched_glob(pattern));
                    }
                }
                _ => {
                    self.add_input(&path.to_string_lossy(), !path.is_dir());
                    self.path(path, InputSource::File);
                }
            }
        }
        Ok(())
    }

    fn configured(&mut self, settings: &Settings) -> Result<(), Failure> {
        if settings.config.inputs.is_empty() {
            let (message, help) = if settings.found() {
                (
                    "no input files given, and the configuration has no `inputs`",
                    "name files, directories or globs",
                )
            } else {
                (
                    "no input files given, and there is no configuration",
                    "name files, directories or globs, or write a kvrules.toml",
                )
            };
            return Err(Failure::new(message).help(help));
        }
        for entry in &settings.config.inputs {
            let text = entry.get_ref();
            let path = settings.path(text);
            let is_pattern = is_glob(text) && path.symlink_metadata().is_err();
            self.add_input(text, !is_pattern && !path.is_dir());
            if is_pattern {
                let number = self.matching(settings.base(), text);
                if number.map_err(|message| settings.fault(entry, message, None))? == 0 {
                    return Err(settings.fault(entry, format!("no file matches `{text}`"), Some(GLOB_HELP)));
                }
            } else if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                return Err(settings.fault(entry, format!("file `{text}` not found"), None));
            } else {
                self.path(&path, InputSource::Searched);
            }
        }
        Ok(())
    }

    /// Returns the result of the search, with the names of the files of each input.
    fn finished(mut self) -> FoundInputs {
        for (input, files) in self.found.requested_inputs.iter_mut().zip(self.members) {
            let names = files.iter().filter_map(|index| self.found.files.get(*index).map(InputSource::name));
            input.files = names.collect();
        }
        // An input that cannot be read has an error of its own.
        let unread: Vec<_> = self.found.unread.iter().map(|unread| unread.name.as_str()).collect();
        self.found.requested_inputs.retain(|input| !unread.contains(&input.name.as_str()));
        self.found
    }

    /// Notes an input; what is found from now on belongs to it.
    fn add_input(&mut self, name: &str, is_named: bool) {
        self.found.requested_inputs.push(RequestedInput {
            name: name.to_owned(),
            is_named,
            files: Vec::new(),
        });
        self.members.push(Vec::new());
    }

    /// A file, or the files below a directory.
    fn path(&mut self, path: &Path, input: fn(PathBuf) -> InputSource) {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.search_directory(path),
            Ok(_) => self.file(input(path.to_owned())),
            Err(error) => self.found.unread.push(UnreadFile::new(path.to_string_lossy(), &error)),
        }
    }

    fn search_directory(&mut self, directory: &Path) {
        let mut walk = WalkBuilder::new(directory);
        let wanted = self.wanted;
        for path in self.walk(directory, &mut walk, |path| wanted.is_of_interest(path)) {
            self.file(InputSource::Searched(without_dot(directory, path)));
        }
    }

    /// The files that match a glob; the answer is their number.
    fn matching(&mut self, base: &Path, pattern: &str) -> Result<usize, String> {
        let search = GlobSearch::new(base, pattern)?;
        let here = search.root.as_os_str().is_empty();
        let root = if here { Path::new(".") } else { &search.root };
        if !root.exists() {
            return Ok(0);
        }
        let mut walk = WalkBuilder::new(root);
        walk.max_depth(search.depth).hidden(!search.hidden);
        let matches = |path: &Path| search.matches(&without_dot(root, path.to_owned()));
        let matching = self.walk(root, &mut walk, matches);
        let number = matching.len();
        for path in matching {
            self.file(InputSource::Searched(without_dot(root, path)));
        }
        Ok(number)
    }

    /// The files of a walk that are wanted, in the order of their names, without what git ignores, what is excluded, and
    /// directories that kvrules writes to.
    fn walk(
        &mut self,
        root: &Path,
        walk: &mut WalkBuilder,
        is_wanted: impl Fn(&Path) -> bool,
    ) -> Vec<PathBuf> {
        let exclude = self.exclude.clone();
        let tree = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        walk.require_git(false).sort_by_file_path(Path::cmp).follow_links(self.follow_links);
        walk.filter_entry(move |entry| {
            let is_output = || is_directory(entry) && is_output_directory(entry.path());
            entry.depth() == 0 || !(exclude.covers(entry.path()) || is_output())
        });
        let mut paths = Vec::new();
        for entry in walk.build() {
            match entry {
                Ok(entry) if !is_wanted(entry.path()) => {}
                Ok(entry) => match EntryKind::of(&entry, &tree) {
                    EntryKind::File => paths.push(entry.into_path()),
                    EntryKind::Outside => self.found.outside += 1,
                    EntryKind::Other => {}
                },
                // The target of a link in a loop is found under its other name.
                Err(error) if is_loop(&error) => {}
                Err(error) => self.found.unread.push(UnreadFile::walking(&error)),
            }
        }
        paths
    }

    fn file(&mut self, input: InputSource) {
        let (InputSource::File(path) | InputSource::Searched(path)) = &input else { return };
        if matches!(input, InputSource::Searched(_)) && self.wanted.passes_over(path) {
            return;
        }
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        let first = *self.seen.entry(identity).or_insert(self.found.files.len());
        if let Some(members) = self.members.last_mut() {
            members.push(first);
        }
        match (self.found.files.get_mut(first), &input) {
            (None, _) => self.found.files.push(input),
            // A file that is named on the command line counts as named, even if the search of a directory found it
            // first.
            (Some(searched @ InputSource::Searched(_)), InputSource::File(_)) => *searched = input,
            // Of a symbolic link and its target, keep the target, because fixes can be written to it.
            (Some(InputSource::Searched(known)), InputSource::Searched(path))
                if known.is_symlink() && !path.is_symlink() =>
            {
                known.clone_from(path);
            }
            _ => {}
        }
    }
}

const GLOB_HELP: &str = "files that git ignores are left out; name them one by one to read them";

/// Kind of an entry of a directory.
enum EntryKind {
    /// A file, or a link to one.
    File,
    /// A link to a file that does not lie in the tree.
    Outside,
    /// A directory, a pipe, a device, or a link to one: directories are entered by one way only, and the others may have no
    /// end.
    Other,
}

impl EntryKind {
    fn of(entry: &DirEntry, tree: &Path) -> Self {
        match entry.file_type() {
            Some(kind) if kind.is_file() => Self::File,
            // An entry is a symbolic link only if links are not followed.
            Some(kind) if kind.is_symlink() => match entry.path().metadata() {
                Ok(metadata) if !metadata.is_file() => Self::Other,
                Ok(_) if !entry.path().canonicalize().is_ok_and(|file| file.starts_with(tree)) => {
                    Self::Outside
                }
                // A broken link is kept, so that reading it reports the error.
                _ => Self::File,
            },
            _ => Self::Other,
        }
    }
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// True if a walk came to a directory that it is already in.
fn is_loop(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => is_loop(err),
        _ => false,
    }
}

/// Extensions of templates. What is rendered from them may be anything, unless a second extension names it.
const TEMPLATES: [&str; 5] = ["j2", "jinja", "jinja2", "gotmpl", "tpl"];

/// True if a file is a template of YAML, such as `a.yaml.j2`, `a.tpl` or `a.gotmpl`.
fn is_template(path: &Path) -> bool {
    let inner = path.file_stem().map(Path::new).filter(|_| has_extension(path, &TEMPLATES));
    let is_yaml = |inner: &Path| has_extension(inner, &["yaml", "yml"]);
    inner.is_some_and(|inner| {
        is_yaml(inner) || (inner.extension().is_none() && has_extension(path, &["gotmpl", "tpl"]))
    })
}

/// `a.yaml` and not `./a.yaml`, where the user did not write the dot.
fn without_dot(root: &Path, path: PathBuf) -> PathBuf {
    let plain = path.strip_prefix(".").ok().filter(|_| root == Path::new("."));
    plain.map(Path::to_owned).unwrap_or(path)
}

fn unmatched_glob(pattern: &str) -> UnreadFile {
    let (name, message) = (pattern.to_owned(), "no file matches".to_owned());
    UnreadFile { name, at: None, message, help: Some(GLOB_HELP.to_owned()) }
}
