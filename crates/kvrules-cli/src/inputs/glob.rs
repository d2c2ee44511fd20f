//! Globs: how they are read, and where to look for what they match.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobMatcher};

/// True if an argument is a glob and not the name of a file.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// A glob in which `*` stays within one directory; the error is a sentence.
pub(super) fn compile_glob(pattern: &str) -> Result<Glob, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map_err(|error| format!("invalid glob `{pattern}`: {}", error.kind()))
}

/// A glob split for searching.
#[derive(Debug)]
pub(super) struct GlobSearch {
    /// The directory below which everything lies that can match.
    pub(super) root: PathBuf,
    /// Number of levels below that directory at which a match can lie, if known.
    pub(super) depth: Option<usize>,
    /// True if the glob names hidden files.
    pub(super) hidden: bool,
    matcher: GlobMatcher,
    base: PathBuf,
}

impl GlobSearch {
    /// The search for `pattern`, which starts from the directory `base`.
    pub(super) fn new(base: &Path, pattern: &str) -> Result<Self, String> {
        let pattern = pattern.trim_start_matches("./");
        let parts: Vec<&str> = pattern.split('/').collect();
        let literal = parts.iter().take_while(|part| !is_glob(part)).count();
        let fixed: Vec<&str> = parts.iter().copied().take(literal).collect();
        // The first part of an absolute pattern is empty.
        let fixed = if fixed == [""] { "/".to_owned() } else { fixed.join("/") };
        let deep = parts.iter().skip(literal).any(|part| part.contains("**"));
        // A choice such as `{a,b/c}` may hold separators of its own, so it is searched to any depth.
        let deep = deep || parts.iter().skip(literal).any(|part| part.contains('{') != part.contains('}'));
        Ok(Self {
            root: base.join(fixed),
            depth: (!deep).then_some(parts.len() - literal),
            hidden: parts.iter().skip(literal).any(|part| part.starts_with('.')),
            matcher: compile_glob(pattern)?.compile_matcher(),
            base: base.to_owned(),
        })
    }

    /// True if a file found below the root matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path.strip_prefix(&self.base).unwrap_or(path))
    }
}
