//! Anchors and labels on the page of a resource.

use std::collections::{HashMap, HashSet};

/// The names that are in use on a page.
#[derive(Debug, Default)]
pub(super) struct PageNames {
    /// The name of the page, with which labels begin.
    stem: String,
    /// In lower case, since labels and some servers know no other.
    anchors: HashSet<String>,
    /// Number of uses of each that is used again, so that many alike are numbered in linear time.
    numbers: HashMap<String, usize>,
}

impl PageNames {
    pub(super) fn of_page(stem: &str) -> Self {
        Self { stem: stem.to_owned(), ..Self::default() }
    }

    /// Returns the label of the page itself.
    pub(super) fn page_label(&self) -> String {
        format!("kvrules-{}", self.stem)
    }

    /// Returns an anchor and a label for a path or a name.
    pub(super) fn add_name(&mut self, name: &str) -> (String, String) {
        let wanted = name_anchor(name);
        let lower = wanted.to_ascii_lowercase();
        let label = |lower: &str| ["kvrules-", &self.stem, "-", lower].concat();
        // Most are used once.
        if !self.anchors.contains(&lower) {
            let label = label(&lower);
            self.anchors.insert(lower);
            return (wanted, label);
        }
        let number = self.numbers.entry(lower).or_insert(1);
        loop {
            *number += 1;
            let anchor = format!("{wanted}-{number}");
            let lower = anchor.to_ascii_lowercase();
            if !self.anchors.contains(&lower) {
                let label = label(&lower);
                self.anchors.insert(lower);
                return (anchor, label);
            }
        }
    }
}

/// A path as part of an address: `spec.disks[].name` as `spec.disks.name`, `spec.tags[]` as `spec.tags-items`, and `spec.labels.*` as
/// `spec.labels._`.
fn name_anchor(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain) {
        return name.to_owned();
    }
    let plain = name.trim_end_matches("[]");
    let mut anchor = String::with_capacity(name.len() + "-items".len());
    let (mut rest, mut is_start) = (plain.chars().peekable(), true);
    while let Some(char) = rest.next() {
        let mapped = match char {
            '[' if rest.next_if_eq(&'\'').is_some() => '.',
            '[' | ']' | '\'' => {
                is_start = false;
                continue;
            }
            '*' => '_',
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => c,
            _ => '-',
        };
        is_start &= mapped == '.';
        if !is_start {
            anchor.push(mapped);
        }
    }
    anchor.extend(std::iter::repeat_n("-items", (name.len() - plain.len()) / 2));
    if anchor.is_empty() { "_".to_owned() } else { anchor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_unique_whatever_the_case() {
        let mut names = PageNames::of_page("ponds_v1");
        let first = names.add_name("spec.disks[].name");
        assert_eq!(first, ("spec.disks.name".to_owned(), "kvrules-ponds_v1-spec.disks.name".to_owned()));
        assert_eq!(names.add_name("spec.Disks.name").0, "spec.Disks.name-2");
        assert_eq!(names.add_name("spec.labels.*['a/b']").0, "spec.labels._.a-b");
        assert_eq!(names.add_name("spec.tags[][]").0, "spec.tags-items-items");
        assert_eq!(names.add_name("''").0, "_");
    }
}
