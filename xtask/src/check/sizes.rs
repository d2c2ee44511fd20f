//! Openings and sizes: a file says what it is and can be read in one sitting, a function can be seen at once.

use crate::scan::{code_only, functions, test_ranges, without_tests};
use crate::workspace::{Finding, Source};

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 60;

pub(super) fn findings(source: &Source) -> Vec<Finding> {
    if !source.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let opening = source.text.lines().next().and_then(|line| line.strip_prefix("//!"));
    if opening.is_none_or(|text| text.trim().is_empty()) {
        findings.push(Finding::new(
            &source.path,
            1,
            "must open with a `//!` paragraph; write what the file is for in its first line",
        ));
    }
    if source.is_test() {
        return findings;
    }
    let code = code_only(&source.text);
    let in_tests: usize =
        test_ranges(&code).into_iter().map(|range| source.text[range].lines().count()).sum();
    let lines = source.text.lines().count().saturating_sub(in_tests);
    if lines > FILE_LINES {
        findings.push(Finding::new(
            &source.path,
            1,
            format!("has {lines} lines without tests, more than {FILE_LINES}"),
        ));
    }
    for function in functions(&without_tests(&code)) {
        if function.lines > FUNCTION_LINES {
            let text =
                format!("`{}` has {} lines, more than {FUNCTION_LINES}", function.name, function.lines);
            findings.push(Finding::new(&source.path, function.line, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: String) -> Vec<String> {
        findings(&Source { path: path.into(), text }).into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn a_function_of_sixty_lines_passes_and_one_more_does_not() {
        let function = |lines: usize| format!("//! x\nfn f() {{\n{}}}\n", "    ;\n".repeat(lines - 2));
        assert!(texts("a.rs", function(60)).is_empty());
        assert_eq!(texts("a.rs", function(61)), ["a.rs:2: `f` has 61 lines, more than 60"]);
        assert!(texts("a/tests/b.rs", function(61)).is_empty());
    }

    #[test]
    fn tests_do_not_make_a_file_long() {
        let file = |lines: usize| {
            format!("//! x\n{}#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(lines), "\n".repeat(900))
        };
        assert!(texts("a.rs", file(599)).is_empty());
        assert_eq!(texts("a.rs", file(600)), ["a.rs:1: has 601 lines without tests, more than 600"]);
    }

    #[test]
    fn a_file_opens_with_a_paragraph() {
        for path in ["crates/a/src/b.rs", "xtask/src/a.rs", "tests/src/a.rs", "tests/a.rs"] {
            for text in ["// x\n", "//!\n//! x\n", "use a;\n//! x\n", ""] {
                let expected = format!(
                    "{path}:1: must open with a `//!` paragraph; write what the file is for in its first line"
                );
                assert_eq!(texts(path, text.into()), [expected], "{text:?}");
            }
            assert_eq!(texts(path, "//! Reads an x.\n".into()), [""; 0]);
        }
    }
}
