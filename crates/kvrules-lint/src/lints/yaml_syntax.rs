//! KV002 `yaml_syntax`: the file is not YAML.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::LintCheck;

pub static LINT: Lint = Lint {
    code: "KV002",
    name: "yaml_syntax",
    level: Level::Error,
    summary: "the YAML is invalid",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(&[ProblemKind::Yaml], to_diagnostic);

/// Words of the parser, and what to say and to advise instead.
const WORDS: &[(&str, &str, &str)] = &[
    ("tab", "tab in indentation, where YAML requires spaces", "indent with spaces"),
    (
        "mapping values are not allowed",
        "unexpected `:`: no mapping is allowed here",
        "put the value in quotation marks if the `:` belongs to it, or move the key below the keys of its mapping",
    ),
    (
        "did not find expected ',' or '}'",
        "unclosed mapping `{`, or missing `,`",
        "add `}` or `,` before this",
    ),
    ("expected ',' or ']'", "unclosed list `[`, or lacks a `,`", "add `]` or `,` before this"),
    (
        "quoted scalar, found unexpected end of stream",
        "unclosed quotation mark",
        "add the closing quotation mark",
    ),
    (
        "did not find expected key",
        "invalid indentation: this line belongs to no mapping above it",
        "indent it like the keys that it belongs with",
    ),
    (
        "did not find expected '-'",
        "missing `-`: this line is among the items of a list",
        "put `-` before it, or indent it like the key of the list",
    ),
    (
        "block sequence entries are not allowed",
        "a list begins after other text on its line",
        "begin the list on a line of its own",
    ),
    ("unknown anchor", "unknown anchor of an alias", "define it with `&` and the same name, above"),
    ("simple key", "missing `:` after a key", "put `:` and a space after the key"),
    (
        "wrongly indented line in block scalar",
        "an empty line is indented deeper than the text below it",
        "remove the spaces of the empty line",
    ),
];

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let parser = problem.detail.as_str();
    let known = WORDS.iter().find(|(part, ..)| parser.contains(part));
    let found = match known {
        Some((_, message, help)) => LINT.diagnostic_at(problem.span, *message).with_help(*help),
        None => {
            LINT.diagnostic_at(problem.span, format!("invalid YAML from here: {}", plain_message(parser)))
        }
    };
    found.with_label("what follows is not read")
}

/// The parser's words as part of a sentence, with what it quotes in backticks.
fn plain_message(words: &str) -> String {
    let words = words.replace("`{", "`");
    let (mut plain, mut quoted) = (String::new(), false);
    let mut rest = words.trim_end_matches('.').chars().peekable();
    while let Some(c) = rest.next() {
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let apostrophe = c == '\'' && inside(plain.chars().last()) && inside(rest.peek().copied());
        quoted ^= c == '`';
        plain.push(if matches!(c, '\'' | '"') && !quoted && !apostrophe { '`' } else { c });
    }
    plain
}
