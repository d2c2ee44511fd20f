//! Comments in the crates that copy the behaviour of other programs: reported for each crate, not enforced.

use crate::scan::{code_only, comments_and_literals, test_ranges};
use crate::workspace::Source;

/// Crates that emulate the API server, the template validator, and Nova.
const EMULATORS: [&str; 4] =
    ["kvrules-cel", "kvrules-apiserver", "kvrules-template-validator", "kvrules-extra-specs"];

/// Returns a line on the share of comments in the emulators.
pub(super) fn report(sources: &[Source]) -> String {
    let shares = EMULATORS.map(|name| {
        let folder = format!("crates/{name}/src/");
        let files = sources.iter().filter(|source| source.path.starts_with(&folder) && source.is_rust());
        let (mut comments, mut lines) = (0, 0);
        for source in files.filter(|source| !source.is_test()) {
            let (more, all) = count(&source.text);
            comments += more;
            lines += all;
        }
        format!("{name} {}", per_hundred(comments, lines))
    });
    format!("comments (`//`) per 100 lines of emulators: {}", shares.join(", "))
}

/// The lines with a comment that is not for documentation, and all lines, both without tests.
fn count(text: &str) -> (usize, usize) {
    let tests = test_ranges(&code_only(text));
    let is_tested = |at: usize| tests.iter().any(|range| range.contains(&at));
    let comments = comments_and_literals(text).into_iter().filter(|range| {
        let comment = &text[range.clone()];
        comment.starts_with("//")
            && !(comment.starts_with("//!") || comment.starts_with("///"))
            && !is_tested(range.start)
    });
    let in_tests: usize = tests.iter().map(|range| text[range.clone()].lines().count()).sum();
    (comments.count(), text.lines().count().saturating_sub(in_tests))
}

/// The share with one digit after the point.
fn per_hundred(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_comments_literals_and_tests_are_not_counted() {
        let text = "//! x\n/// x\nfn a() {\n    // why\n    \"// x\"; // why\n}\n#[cfg(test)]\nmod tests {\n    // x\n}\n";
        let (comments, lines) = count(text);
        assert_eq!(comments, 2);
        assert_eq!(lines, 6);
    }

    #[test]
    fn the_share_of_each_emulator_is_reported() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [
            source("crates/kvrules-cel/src/a.rs", "// why\n//! x\n\n\n"),
            source("crates/kvrules-lint/src/a.rs", "// why\n"),
        ];
        assert_eq!(
            report(&sources),
            "comments (`//`) per 100 lines of emulators: kvrules-cel 25.0, kvrules-apiserver 0.0, kvrules-template-validator 0.0, \
             kvrules-extra-specs 0.0"
        );
    }
}
