//! The tables of `docs/guide/found.md`, for the tests that hold them against what is found.

use std::path::Path;

/// The rows of the table between `<!-- found: NAME -->` and the comment that ends it, as cells without blanks around them.
/// None where there is no such table.
pub fn read_table(page: &Path, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let begin = format!("<!-- found: {name} -->");
    let behind = text.split_once(begin.as_str()).map_or("", |(_, behind)| behind);
    let inside = behind.split_once("<!-- /found -->").map_or("", |(inside, _)| inside);
    let rows = inside.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.skip(2).map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}
