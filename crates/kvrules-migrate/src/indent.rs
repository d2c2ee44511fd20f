//! White space at the start of lines.

/// Returns the number of leading spaces of a line; `None` if it has a tab, whose width is undefined.
pub(crate) fn indentation_of(line: &str) -> Option<usize> {
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    let lead = line.get(..blank)?;
    (!lead.contains('\t')).then_some(blank)
}

/// Returns the prefix for the lines of a block: the text before its first key, with spaces for the dash of a list. The
/// prefix of a quotation, `> `, stays.
pub(crate) fn block_prefix(before: &str) -> Option<String> {
    let fits = before.chars().all(|c| matches!(c, ' ' | '-' | '>'));
    fits.then(|| before.replace('-', " "))
}
