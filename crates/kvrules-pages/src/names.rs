//! File names for rule sets.

use std::collections::HashSet;
use std::hash::BuildHasher;

use kvrules_ir::ElaboratedSet;

/// A file stem for each set: its name in lower case, with `-` for whatever a file name or an address cannot hold,
/// and a number where two would be the same.
pub fn to_file_stems(sets: &[ElaboratedSet]) -> Vec<String> {
    let mut taken = HashSet::from(["index".to_owned()]);
    sets.iter().map(|set| unique_stem(&to_file_stem(&set.name), &mut taken)).collect()
}

/// A name as part of a file name or an address: `a-z`, `0-9`, `.`, `_` and `-`.
pub fn to_file_stem(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mapped: String = name.chars().map(|c| if fits(c) { c.to_ascii_lowercase() } else { '-' }).collect();
    let trimmed = mapped.trim_matches(['-', '.']);
    let short: String = trimmed.chars().take(100).collect();
    if short.is_empty() { "rules".to_owned() } else { short }
}

/// A stem that is not taken: with a number behind it where it is.
pub fn unique_stem<S: BuildHasher>(stem: &str, taken: &mut HashSet<String, S>) -> String {
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let free = std::iter::once(stem.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or_else(|| stem.to_owned());
    taken.insert(name.clone());
    name
}
