//! Patterns of files.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// A glob over paths. `*` stays within one directory, `**` crosses them, and `{a,b}` is a choice. A pattern without `/` is
/// for files of that name anywhere, and one that matches a directory for everything below it.
///
/// ```
/// use kvrules::select::FilePattern;
///
/// let drafts = FilePattern::new("drafts/*.yaml")?;
/// assert!(drafts.matches("drafts/a.yaml") && !drafts.matches("drafts/old/a.yaml"));
/// assert!(FilePattern::new("a.yaml")?.matches("drafts/a.yaml"));
/// assert!(FilePattern::new("drafts/")?.matches("drafts/old/a.yaml"));
/// # Ok::<(), kvrules::select::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FilePattern {
    glob: GlobMatcher,
    /// True if it is for names and not for paths.
    bare: bool,
}

/// The reason why a string is not a pattern, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(pub String);

impl FilePattern {
    /// Compiles a glob.
    ///
    /// # Errors
    ///
    /// A sentence with the syntax error of the glob.
    ///
    /// ```
    /// use kvrules::select::FilePattern;
    ///
    /// let error = FilePattern::new("templates/{rhel").unwrap_err();
    /// assert!(error.to_string().starts_with("invalid glob `templates/{rhel`: "), "{error}");
    /// ```
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let pattern = text.trim_start_matches("./").trim_end_matches('/');
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| PatternError(format!("invalid glob `{text}`: {}", error.kind())))?;
        Ok(Self { glob: glob.compile_matcher(), bare: !pattern.contains('/') })
    }

    /// True if the pattern matches a file, given by its path relative to the base of the patterns.
    ///
    /// ```
    /// use kvrules::select::FilePattern;
    ///
    /// let pattern = FilePattern::new("templates/{rhel,fedora}-*.yaml")?;
    /// assert!(pattern.matches("templates/rhel-9.yaml") && !pattern.matches("templates/centos-9.yaml"));
    /// assert!(!pattern.matches("old/templates/rhel-9.yaml"));
    /// # Ok::<(), kvrules::select::PatternError>(())
    /// ```
    pub fn matches(&self, path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        let is_named = |path: &Path| path.file_name().is_some_and(|name| self.glob.is_match(name));
        path.ancestors().any(|path| self.glob.is_match(path) || (self.bare && is_named(path)))
    }
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}
