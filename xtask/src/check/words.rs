//! Words and phrases of `xtask/words.toml`, which messages, help, pages and comments must not contain.

mod extract;
mod list;
mod mask;
mod phrase;

use std::collections::BTreeSet;

use super::at;
use crate::workspace::{Finding, Source, Workspace};
use list::Entry;
use phrase::Words;

/// The list of words, with the reason for each.
pub(super) const LIST: &str = "xtask/words.toml";

pub(super) fn findings(workspace: &Workspace, sources: &[Source]) -> Result<Vec<Finding>, String> {
    let entries = match list::parse(&workspace.read(LIST)?) {
        Ok(entries) => entries,
        Err((line, text)) => return Ok(vec![Finding::new(LIST, line, text)]),
    };
    Ok(check(&entries, sources))
}

/// Returns the violations of a list in some files, and the exceptions of the list that no file needs.
fn check(entries: &[Entry], sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut needed = BTreeSet::new();
    for source in sources {
        for text in extract::texts(source) {
            let words = Words::split(&text.masked);
            for entry in entries.iter().filter(|entry| entry.holds_in(text.kind)) {
                for range in entry.matches(&words) {
                    if entry.quoted_in.contains(&source.path) {
                        needed.insert((entry.line, source.path.as_str()));
                        continue;
                    }
                    let found = one_line(&text.masked[range.clone()]);
                    let message = format!(
                        "\"{found}\" in {}: {}; write {}",
                        text.kind.description(),
                        entry.reason,
                        entry.write
                    );
                    findings.push(at(&source.path, &source.text, text.start + range.start, message));
                }
            }
        }
    }
    for entry in entries {
        for path in &entry.quoted_in {
            if !needed.contains(&(entry.line, path.as_str())) {
                let text = format!("unused exception `{path}`; remove it from `quoted-in`");
                findings.push(Finding::new(LIST, entry.line, text));
            }
        }
    }
    findings
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = "\
[[entry]]
phrases = [\"truth value|values\"]
reason = \"not the term\"
write = \"`boolean`\"
in = [\"all\"]

[[entry]]
phrases = [\"^ whether\"]
reason = \"an indirect question\"
write = \"`True if`\"
in = [\"public-docs\", \"headings\"]

[[entry]]
phrases = [\"whole number|numbers\"]
except = [\"a whole number of\"]
reason = \"not the term\"
write = \"`integer`\"
in = [\"messages\"]
quoted-in = [\"crates/a/src/server.rs\"]
";

    fn check_file(path: &str, text: &str) -> Vec<String> {
        let entries = list::parse(ENTRIES).unwrap();
        let quoted = Source { path: "crates/a/src/server.rs".into(), text: "f(\"no whole number\");".into() };
        let sources = [Source { path: path.into(), text: text.into() }, quoted];
        check(&entries, &sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_word_of_the_list_is_found_with_its_line_and_replacement() {
        let text = "//! x\n/// A field or a truth\n/// value.\nfn f() {}\n";
        assert_eq!(
            check_file("crates/a/src/lib.rs", text),
            ["crates/a/src/lib.rs:2: \"truth value\" in a doc comment: not the term; write `boolean`"]
        );
        assert_eq!(check_file("docs/a.md", "# A\n\nSome *Truth values* here\n").len(), 1);
        assert_eq!(check_file("crates/a/src/lib.rs", "fn f() -> &str { \"a truth value\" }").len(), 1);
        assert_eq!(check_file("templates/a.md.j2", "{{ a }} is a truth value\n").len(), 1);
    }

    #[test]
    fn other_text_passes() {
        let code = "//! x\n/// `truth value` and truthy values.\nfn truth() { \"truth {value}\"; } // truth value\n\
            #[cfg(test)]\nmod tests { const A: &str = \"a truth value\"; }\n";
        assert_eq!(check_file("crates/a/src/lib.rs", code), [""; 0]);
        assert_eq!(check_file("crates/a/tests/b.rs", "fn f() { \"a truth value\" }"), [""; 0]);
        assert_eq!(check_file("docs/a.md", "```\ntruth value\n```\nThe truth. Value it.\n"), [""; 0]);
    }

    #[test]
    fn an_entry_holds_only_where_it_says() {
        let public = "/// Whether it is set.\npub fn f() {}\n";
        assert_eq!(check_file("crates/a/src/lib.rs", public).len(), 1);
        assert_eq!(check_file("crates/a/src/lib.rs", &public.replace("pub ", "")), [""; 0]);
        assert_eq!(check_file("docs/a.md", "# Whether it is set\n").len(), 1);
        assert_eq!(check_file("docs/a.md", "Whether it is set\n"), [""; 0]);
    }

    #[test]
    fn an_exception_covers_its_own_words_alone() {
        let found = check_file("crates/a/src/lib.rs", "f(\"a whole number of bytes\", \"a whole number\");");
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_file_that_quotes_another_program_is_excepted_while_it_needs_to_be() {
        let entries = list::parse(ENTRIES).unwrap();
        let found: Vec<String> = check(&entries, &[]).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["xtask/words.toml:13: unused exception `crates/a/src/server.rs`; remove it from `quoted-in`"]
        );
    }

    /// Sentences with a violation of the list in the repository, and as they should be.
    const SENTENCES: [(&str, &str, &str); 15] = [
        ("doc", "What to make of a loss", "Treatment of inexact targets"),
        ("doc", "Whether a field is there", "True if the field is present"),
        ("doc", "Who judges", "Engine to evaluate with"),
        ("comment", "What is no text is no name.", "Keys are strings."),
        ("heading", "What to do", "Resolution"),
        ("heading", "How losses are treated", "How to treat losses"),
        ("message", "empty where there is none", "empty if unset"),
        ("message", "a type that there is not", "unknown type"),
        ("message", "x is no choice", "invalid value x"),
        ("message", "must be a whole number", "must be a whole number of bytes"),
        ("page", "such rules are dear", "such rules are expensive"),
        ("page", "what is lost is told", "every loss is reported"),
        ("page", "it says nothing of rules", "it does not affect rules"),
        ("page", "a mistake in a rule", "removed by mistake"),
        ("page", "the schema that a value is held to", "the schema that a value must satisfy"),
    ];

    #[test]
    fn the_list_finds_planted_violations_and_no_plain_words() {
        let entries = list::parse(include_str!("../../words.toml")).unwrap();
        let find = |kind: &str, sentence: &str| {
            let (path, text) = match kind {
                "doc" => ("crates/a/src/lib.rs", format!("/// {sentence}\npub fn f() {{}}\n")),
                // The rule is for the first line only.
                "comment" => ("crates/a/tests/b.rs", format!("// {sentence}\n// What follows is its end.\n")),
                "message" => ("crates/a/src/lib.rs", format!("fn f() {{ g(\"{sentence}\"); }}\n")),
                "heading" => ("docs/a.md", format!("# {sentence}\n")),
                _ => ("docs/a.md", format!("{sentence}\n")),
            };
            let found = check(&entries, &[Source { path: path.into(), text }]);
            found.into_iter().filter(|finding| finding.path == path).count()
        };
        for (kind, violation, plain) in SENTENCES {
            assert_ne!(find(kind, violation), 0, "{violation}");
            assert_eq!(find(kind, plain), 0, "{plain}");
        }
    }
}
