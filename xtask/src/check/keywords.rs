//! Names of keywords: code that looks one of Kubernetes' up, or writes it, takes the constant of kvrules-kubernetes, so that
//! every use of a keyword is found by its name.

use std::ops::Range;

use super::at;
use crate::scan::{code_only, comments_and_literals, test_ranges};
use crate::workspace::{Finding, Source};

/// The crate with the table.
const TABLE: &str = "crates/kvrules-kubernetes/src/keywords";
/// Beginning of the keywords.
const PREFIX: &str = "\"x-kubernetes-";

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let products = sources.iter().filter(|source| source.is_rust() && !source.is_test());
    products.filter(|source| !source.path.starts_with(TABLE)).flat_map(written_keywords).collect()
}

fn written_keywords(source: &Source) -> Vec<Finding> {
    if !source.text.contains(PREFIX) {
        return Vec::new();
    }
    let text = source.text.as_str();
    let tests = test_ranges(&code_only(text));
    let is_product = |range: &Range<usize>| !tests.iter().any(|test| test.contains(&range.start));
    let literals = comments_and_literals(text).into_iter();
    let keywords = literals.filter(|range| is_keyword(&text[range.clone()]) && is_product(range));
    let finding = |range: Range<usize>| {
        let keyword = text[range.clone()].trim_matches('"');
        let message = format!("`{keyword}` is written as a literal; use the constant of kvrules-kubernetes");
        at(&source.path, text, range.start, message)
    };
    keywords.map(finding).collect()
}

/// True for a literal that is a keyword, and not a text with one in it.
fn is_keyword(literal: &str) -> bool {
    let name = literal.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix('"'));
    name.is_some_and(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings_in(path: &str, text: &str) -> Vec<String> {
        findings(&[Source { path: path.into(), text: text.into() }]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_keyword_that_is_written_as_a_literal_is_found() {
        for planted in [
            "\n\nlet rules = node.get(\"x-kubernetes-validations\");",
            "fn f() {\n    match name {\n        \"x-kubernetes-list-type\" => 1,",
            "//! Text.\n\nconst PREFIX: &str = \"x-kubernetes-\";",
        ] {
            let found = findings_in("crates/kvrules-crd/src/a.rs", planted);
            assert!(found.len() == 1 && found[0].contains("is written as a literal"), "{planted} {found:?}");
        }
    }

    #[test]
    fn texts_comments_tests_and_the_table_pass() {
        let literal = "const NAME: &str = \"x-kubernetes-map-type\";\n";
        assert_eq!(findings_in("crates/kvrules-kubernetes/src/keywords.rs", literal), [""; 0]);
        assert_eq!(findings_in("crates/kvrules-crd/tests/a.rs", literal), [""; 0]);
        for text in [
            "let message = \"x-kubernetes-validations estimated rule cost\";\n",
            "/// `\"x-kubernetes-validations\"` has rules.\n",
            "#[cfg(test)]\nmod tests {\n    const NAME: &str = \"x-kubernetes-map-type\";\n}\n",
        ] {
            assert_eq!(findings_in("crates/kvrules-crd/src/a.rs", text), [""; 0], "{text}");
        }
    }
}
