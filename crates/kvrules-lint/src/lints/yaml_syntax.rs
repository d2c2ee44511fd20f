//! KV002 `yaml_syntax`: the file is not YAML.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV002",
    name: "yaml_syntax",
    level: Level::Error,
    summary: "the YAML cannot be read to its end",
    fix: None,
    check: Check::Problem(&[ProblemKind::Yaml], word),
};

/// Words of the parser, and what to say and to advise instead.
const WORDS: &[(&str, &str, &str)] = &[
    ("tab", "a tab stands where YAML wants spaces", "indent with spaces"),
    (
        "mapping values are not allowed",
        "`:` begins a mapping where none can be",
        "put the value in quotation marks if the `:` belongs to it, or move the key below the keys of its mapping",
    ),
    (
        "did not find expected ',' or '}'",
        "the mapping `{` is not closed, or lacks a `,`",
        "add `}` or `,` before this",
    ),
    ("expected ',' or ']'", "the list `[` is not closed, or lacks a `,`", "add `]` or `,` before this"),
    (
        "quoted scalar, found unexpected end of stream",
        "a quotation mark is not closed",
        "add the closing quotation mark",
    ),
    (
        "did not find expected key",
        "this line belongs to no mapping above it",
        "indent it like the keys that it belongs with",
    ),
    (
        "did not find expected '-'",
        "this line stands among the items of a list and is none",
        "put `-` before it, or indent it like the key of the list",
    ),
    (
        "block sequence entries are not allowed",
        "a list begins behind other text on its line",
        "begin the list on a line of its own",
    ),
    ("unknown anchor", "this alias has no anchor", "define it with `&` and the same name, above"),
    ("simple key", "a key lacks its `:`", "put `:` and a space behind the key"),
    (
        "wrongly indented line in block scalar",
        "an empty line is indented deeper than the text below it",
        "remove the spaces of the empty line",
    ),
];

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let parser = problem.detail.as_str();
    let known = WORDS.iter().find(|(part, ..)| parser.contains(part));
    let found = match known {
        Some((_, message, help)) => LINT.at(problem.span, *message).help(*help),
        None => LINT.at(problem.span, format!("the YAML cannot be read from here: {}", plain(parser))),
    };
    found.label("what follows is not read")
}

/// The parser's words as part of a sentence, with what it quotes in backticks.
fn plain(words: &str) -> String {
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
