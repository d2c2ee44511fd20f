//! White space at the start of lines.

/// How many spaces a line begins with; none where a tab is among them, whose width nobody knows.
pub(crate) fn columns(line: &str) -> Option<usize> {
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    let lead = line.get(..blank)?;
    (!lead.contains('\t')).then_some(blank)
}

/// What the lines of a block begin with: all that stands before its first key, with spaces for the dash of a list. The
/// prefix of a quotation, `> `, stays.
pub(crate) fn prefix(before: &str) -> Option<String> {
    let fits = before.chars().all(|c| matches!(c, ' ' | '-' | '>'));
    fits.then(|| before.replace('-', " "))
}
