//! `--update`: the actual messages in place of the expected ones.

use std::collections::BTreeMap;
use std::path::Path;

use kvrules::test::Mismatch;
use kvrules::{FileId, Sources, Span};

use super::RunSuite;
use crate::failure::Failure;
use crate::outputs::{replace_if_unchanged, unified_diff};
use crate::sentences::count_noun;
use crate::terminal::Terminal;

/// Shows the changes of the suites as a diff, and writes them.
pub(super) fn update_messages(
    run: &[RunSuite<'_>],
    sources: &Sources,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let mut changes: BTreeMap<FileId, BTreeMap<(u32, u32), String>> = BTreeMap::new();
    let mut left = 0;
    let mismatches = run.iter().flat_map(|one| &one.cases).flat_map(|(_, result)| &result.mismatches);
    for mismatch in mismatches {
        match find_change(mismatch, sources) {
            Some((span, text)) => {
                _ = changes.entry(span.file).or_default().insert((span.start, span.end), text);
            }
            None => left += 1,
        }
    }
    let mut written = 0;
    for (file, changes) in &changes {
        let Some(source) = sources.get(*file) else { continue };
        let (old, new) = (source.text(), apply_changes(source.text(), changes));
        let path = Path::new(source.name());
        terminal.print(&unified_diff(path, Some(old), &new))?;
        replace_if_unchanged(path, old, &new).map_err(|why| why.failure(source.name()))?;
        written += changes.len();
    }
    if written > 0 {
        terminal.print_status(&format!("wrote {}", count_noun(written, "expected message")));
    }
    if left > 0 {
        terminal.note(&format!(
            "{} cannot be updated: the verdict or the object differs",
            count_noun(left, "difference")
        ));
    }
    Ok(())
}

/// Returns the location of an expected message and its new text. Only a scalar that is written on one line is replaced.
fn find_change(mismatch: &Mismatch, sources: &Sources) -> Option<(Span, String)> {
    let span = mismatch.span.filter(|_| mismatch.is_message)?;
    let (expected, actual) = (mismatch.expected.as_deref()?, mismatch.actual.as_deref()?);
    let source = sources.get(span.file)?;
    let written = source.text().get(span.to_range())?;
    let is_scalar = !written.contains('\n') && {
        let plain = written == expected;
        let quoted = written.starts_with(['"', '\'']);
        plain || quoted
    };
    let actual = most_similar(expected, actual).filter(|_| is_scalar)?;
    Some((span, serde_json::to_string(actual).ok()?))
}

/// Returns the line that has most words in common with the expected text.
fn most_similar<'a>(expected: &str, actual: &'a str) -> Option<&'a str> {
    let words: Vec<&str> = expected.split_whitespace().collect();
    let common = |line: &&str| line.split_whitespace().filter(|word| words.contains(word)).count();
    let lines = actual.lines().filter(|line| !line.is_empty());
    // The first of equals: messages are in the order of the answer.
    lines.rev().max_by_key(common)
}

fn apply_changes(text: &str, changes: &BTreeMap<(u32, u32), String>) -> String {
    let mut rewritten = text.to_owned();
    for ((start, end), new) in changes.iter().rev() {
        rewritten.replace_range(*start as usize..*end as usize, new);
    }
    rewritten
}
