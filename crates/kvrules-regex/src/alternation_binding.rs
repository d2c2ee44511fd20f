//! Anchors that bind to one branch of an alternation instead of to all: `^virtio|scsi$`.

use std::ops::Range;

use crate::ast::{Anchor, Node};

/// An alternation whose anchors hold for some of its branches only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternationBinding {
    /// The branches, as bytes of the pattern.
    pub branches: Vec<Range<usize>>,
    /// True if the first branch alone is tied to the start of the text.
    pub start: bool,
    /// True if the last branch alone is tied to the end of the text.
    pub end: bool,
    /// The pattern that was probably meant: `^(?:virtio|scsi)$`.
    pub grouped: String,
}

/// Finds out whether the anchors of a pattern bind to one branch of it.
pub(crate) fn alternation_binding(pattern: &str) -> Option<AlternationBinding> {
    let flags = leading_flags(pattern);
    let branches = split_branches(pattern, flags);
    if branches.len() < 2 {
        return None;
    }
    let prefix = pattern.get(..flags)?;
    let ends: Option<Vec<_>> = branches
        .iter()
        .map(|branch| crate::parse(&format!("{prefix}{}", pattern.get(branch.clone())?)).ok())
        .map(|branch| branch.map(|branch| (begins_anchored(branch.ast()), ends_anchored(branch.ast()))))
        .collect();
    let ends = ends?;
    let (first, last) = (*ends.first()?, *ends.last()?);
    // `^$|^a` and `^a$|b` are intended: a branch with both anchors is complete.
    let start = first == (true, false) && ends.iter().skip(1).all(|(begins, _)| !begins);
    let end = last == (false, true) && ends.iter().rev().skip(1).all(|(_, ends)| !ends);
    let whole = branches.first()?.start..branches.last()?.end;
    let inner = pattern.get(whole)?;
    let inner = if start { inner.strip_prefix('^').or_else(|| inner.strip_prefix(r"\A"))? } else { inner };
    let inner = if end { inner.strip_suffix('$').or_else(|| inner.strip_suffix(r"\z"))? } else { inner };
    let (open, close) = (if start { "^" } else { "" }, if end { "$" } else { "" });
    let grouped = format!("{prefix}{open}(?:{inner}){close}");
    (start || end).then_some(AlternationBinding { branches, start, end, grouped })
}

fn begins_anchored(node: &Node) -> bool {
    match node {
        Node::Concat(parts) => parts.first().is_some_and(begins_anchored),
        // An anchor at the start of a line applies only to its own branch, like one at the start of the text.
        Node::Anchor(anchor) => matches!(anchor, Anchor::TextStart | Anchor::LineStart),
        _ => false,
    }
}

fn ends_anchored(node: &Node) -> bool {
    match node {
        Node::Concat(parts) => parts.last().is_some_and(ends_anchored),
        Node::Anchor(anchor) => matches!(anchor, Anchor::TextEnd | Anchor::LineEnd),
        _ => false,
    }
}

/// The length of a `(?i)` that a pattern begins with.
fn leading_flags(pattern: &str) -> usize {
    let Some(rest) = pattern.strip_prefix("(?") else { return 0 };
    let letters = rest.len() - rest.trim_start_matches(['i', 'm', 's', 'U', '-']).len();
    if letters > 0 && rest.get(letters..).is_some_and(|rest| rest.starts_with(')')) { letters + 3 } else { 0 }
}

/// The branches outside of all groups. The pattern is one that parses, so nothing is left open.
fn split_branches(pattern: &str, from: usize) -> Vec<Range<usize>> {
    let (mut branches, mut start, mut depth, mut class) = (Vec::new(), from, 0_usize, None);
    let mut skip = from;
    for (at, char) in pattern.char_indices() {
        if at < skip {
            continue;
        }
        let rest = pattern.get(at..).unwrap_or_default();
        if let Some(open) = class {
            // A bracket right behind the opening one, or behind its `^`, is a member.
            let first = at == open + 1 || (at == open + 2 && pattern.get(open + 1..at) == Some("^"));
            match char {
                '\\' => skip = at + 2,
                '[' if rest.starts_with("[:") => skip = rest.find(":]").map_or(skip, |end| at + end + 2),
                ']' if !first => class = None,
                _ => {}
            }
            continue;
        }
        match char {
            '\\' if rest.starts_with(r"\Q") => {
                skip = rest.find(r"\E").map_or(pattern.len(), |end| at + end + 2);
            }
            '\\' => skip = at + 2,
            '[' => class = Some(at),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                branches.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(start..pattern.len());
    branches
}

#[cfg(test)]
mod tests {
    use super::alternation_binding;

    #[test]
    fn an_anchor_that_binds_to_one_branch_is_found_and_grouped() {
        for (pattern, grouped) in [
            ("^virtio|scsi$", "^(?:virtio|scsi)$"),
            ("^virtio|scsi", "^(?:virtio|scsi)"),
            ("virtio|scsi$", "(?:virtio|scsi)$"),
            (r"(?i)\Aa|b|c\z", "(?i)^(?:a|b|c)$"),
            (r"^[|\]]|\||(x|y)$", r"^(?:[|\]]|\||(x|y))$"),
            ("(?mi)^virtio|scsi$", "(?mi)^(?:virtio|scsi)$"),
            (r"^a|\Q|\E$", r"^(?:a|\Q|\E)$"),
        ] {
            let found = alternation_binding(pattern).map(|found| found.grouped);
            assert_eq!(found.as_deref(), Some(grouped), "{pattern}");
            assert!(crate::parse(grouped).is_ok(), "{grouped}");
        }
    }

    #[test]
    fn anchors_on_every_branch_or_in_a_group_or_on_a_branch_that_stands_for_itself_are_meant() {
        for pattern in [
            "", "a|b", "^a$|^b$", "^(a|b)$", "^$|^a", "^a$|b", "a|^b$", "^a|^b", "a$|b$", "(^a|b$)", "[|]^",
            r"^a\|b$", "^[]|]$",
        ] {
            assert_eq!(alternation_binding(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn branches_are_told_by_their_bytes() {
        let found = alternation_binding("^é|b$").unwrap();
        assert_eq!((found.branches, found.start, found.end), (vec![0..3, 4..6], true, true));
    }
}
