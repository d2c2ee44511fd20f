//! Decides if a string is a path, and where in it the path begins.

use kvrules_ir::AnnotationDialect;

use super::PREFIX;

/// True if a string begins as paths do in 201902.
pub fn has_prefix(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// The path in a text that must be one, and how many bytes are before it.
///
/// In 201901 a path may begin with `/` or with no more than its first name; its root is the same. A prefix that is
/// missing in 201902 (which is a finding) does not hide what the path says.
pub fn path_text(text: &str, dialect: AnnotationDialect) -> (String, usize) {
    let rest = text.strip_prefix(PREFIX).unwrap_or(text);
    let prefix = text.len() - rest.len();
    if prefix > 0 && dialect != AnnotationDialect::Annotation201901 {
        return (rest.to_owned(), prefix);
    }
    let bare = rest.strip_prefix('/').unwrap_or(rest);
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    let bare = bare.strip_prefix(".spec.template").filter(|rest| rest.starts_with('.')).unwrap_or(bare);
    let bare = bare.strip_prefix("spec.template").filter(|rest| rest.starts_with('.')).unwrap_or(bare);
    let before = text.len() - bare.len();
    let begins = bare.starts_with(['.', '[']) || bare.is_empty();
    (if begins { bare.to_owned() } else { format!(".{bare}") }, before)
}

/// The path in a text that may be one or a value: by its prefix in 201902, by its looks in 201901.
pub fn optional_path(text: &str, dialect: AnnotationDialect) -> Option<(String, usize)> {
    let looks = || text.starts_with(['/', '$']) || text.starts_with(".spec.") || text.starts_with("spec.");
    let is_path = has_prefix(text) || (dialect == AnnotationDialect::Annotation201901 && looks());
    is_path.then(|| path_text(text, dialect))
}
