//! Cuts a text into template tags, by the delimiters of Go and Jinja.

use std::ops::Range;

use crate::parameters::parameter_at;

/// One tag, from its opening to its closing delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The bytes of the tag, delimiters included.
    pub(crate) range: Range<usize>,
    pub(crate) role: TagRole,
}

/// Effect of a tag on the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagRole {
    /// Puts a text in its place.
    Output,
    /// Begins a part that comes once, never, or many times.
    Open,
    /// Begins the alternative of such a part.
    Middle,
    /// Ends it.
    Close,
    /// Puts nothing in its place: a comment, an assignment, the marks around a raw part.
    Silent,
    /// Opens and never closes.
    Unclosed,
}

/// A longer tag is not meant as one.
const LONGEST: usize = 16 * 1024;
/// Distance after the first closing delimiter in which one is searched for that fits the braces inside a tag.
const BRACES: usize = 128;

/// All tags of a text in their order; none overlaps another.
pub(crate) fn find_tags(text: &str) -> Vec<Tag> {
    let mut lexer = Lexer { text, at: 0, ends: [None, None, None] };
    let mut tags = Vec::new();
    while let Some(tag) = lexer.next() {
        lexer.at = tag.range.end.max(lexer.at);
        let raw = text.get(tag.range.clone()).is_some_and(|tag| tag.starts_with("{%") && word(tag) == "raw");
        tags.push(tag);
        if raw {
            lexer.at = end_of_raw(text, lexer.at);
        }
    }
    tags
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Next offset of each closing delimiter; cached, so that openings without one cost nothing.
    ends: [Option<usize>; 3],
}

/// Opening and closing delimiters.
const DELIMITERS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];

impl Lexer<'_> {
    fn next(&mut self) -> Option<Tag> {
        loop {
            let start = self.at + self.text.get(self.at..)?.find('{')?;
            let kind = DELIMITERS.iter().position(|(open, _)| self.starts(start, open));
            let Some(kind) = kind.filter(|_| !self.is_parameter(start)) else {
                self.at = start + 1;
                continue;
            };
            let end = self.end(kind, start + 2);
            // An unclosed `{#` is more likely to be ordinary text than a comment.
            if kind == 2 && end.is_none() {
                self.at = start + 2;
                continue;
            }
            return Some(self.tag(start, end));
        }
    }

    fn tag(&self, start: usize, end: Option<usize>) -> Tag {
        let Some(end) = end else {
            let line = self.text.get(start..).and_then(|rest| rest.find(['\n', '\r']));
            let end = line.map_or(self.text.len(), |len| start + len);
            return Tag { range: start..end, role: TagRole::Unclosed };
        };
        Tag { range: start..end, role: tag_role(self.text.get(start..end).unwrap_or_default()) }
    }

    fn starts(&self, at: usize, with: &str) -> bool {
        self.text.get(at..).is_some_and(|rest| rest.starts_with(with))
    }

    /// True if the `{{` at `at` belongs to `${{NAME}}`.
    fn is_parameter(&self, at: usize) -> bool {
        let dollar = at.checked_sub(1).filter(|before| self.text.as_bytes().get(*before) == Some(&b'$'));
        dollar.and_then(|dollar| parameter_at(self.text, dollar)).is_some()
    }

    /// The end of a tag whose content begins at `from`.
    fn end(&mut self, kind: usize, from: usize) -> Option<usize> {
        let (_, close) = DELIMITERS.get(kind)?;
        let first = self.next_close(kind, from, close)?;
        if first - from > LONGEST {
            return None;
        }
        if kind == 2 {
            return Some(first + 2);
        }
        let head = self.text.get(from..)?;
        if kind == 0 && head.trim_start_matches(['-', ' ', '\t']).starts_with("/*") {
            let ends = self.text.get(from..)?.find("*/").map(|at| from + at + 2)?;
            let after = self.text.get(ends..)?;
            let skipped = after.len() - after.trim_start_matches(['-', ' ', '\t']).len();
            return after
                .trim_start_matches(['-', ' ', '\t'])
                .starts_with("}}")
                .then_some(ends + skipped + 2);
        }
        Some(self.code_end(from, first, close).unwrap_or(first) + 2)
    }

    fn next_close(&mut self, kind: usize, from: usize, close: &str) -> Option<usize> {
        let kept = self.ends.get_mut(kind)?;
        if kept.is_none_or(|kept| kept < from) {
            let found = self.text.get(from..)?.find(close).map(|at| from + at);
            *kept = Some(found.unwrap_or(usize::MAX));
        }
        kept.filter(|kept| *kept != usize::MAX)
    }

    /// The closing delimiter behind strings and, over a short way, matched braces.
    fn code_end(&self, from: usize, first: usize, close: &str) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let mut at = from;
        let mut fallback = None;
        while let Some(byte) = bytes.get(at) {
            let closes = bytes.get(at..at + 2) == Some(close.as_bytes());
            if closes && depth == 0 {
                return Some(at);
            }
            if closes && fallback.is_none() {
                fallback = Some(at);
            }
            if at > first + BRACES {
                return fallback;
            }
            at = match byte {
                b'"' | b'\'' | b'`' => self.string_end(at, *byte).unwrap_or(at + 1),
                b'{' if close == "}}" => {
                    depth += 1;
                    at + 1
                }
                b'}' if close == "}}" => {
                    depth = depth.saturating_sub(1);
                    at + 1
                }
                _ => at + 1,
            };
        }
        fallback
    }

    /// Just past the string that opens at `at`; none if it does not close on its line.
    fn string_end(&self, at: usize, quote: u8) -> Option<usize> {
        let mut hidden = false;
        for (offset, byte) in self.text.as_bytes().get(at + 1..)?.iter().take(LONGEST).enumerate() {
            match byte {
                b'\n' => return None,
                b'\\' if quote != b'`' => hidden = !hidden,
                byte if *byte == quote && !hidden => return Some(at + 1 + offset + 1),
                _ => hidden = false,
            }
        }
        None
    }
}

/// The offset of the tag that ends a raw part, or the end of the text.
fn end_of_raw(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("{%")) {
        at += found;
        if text.get(at..).is_some_and(|rest| word(rest) == "endraw") {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// The first word inside a tag.
fn word(tag: &str) -> &str {
    let inside = tag.get(2..).unwrap_or_default().trim_start_matches(['-', '+', '~']);
    let inside = inside.trim_start_matches([' ', '\t', '\r', '\n']);
    let len = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
    inside.get(..len).unwrap_or_default()
}

fn tag_role(tag: &str) -> TagRole {
    if tag.starts_with("{#") {
        return TagRole::Silent;
    }
    if tag.starts_with("{%") { statement_role(tag) } else { action_role(tag) }
}

/// Returns the role of a Jinja statement.
fn statement_role(tag: &str) -> TagRole {
    match word(tag) {
        "if" | "for" | "macro" | "call" | "filter" | "block" | "with" | "autoescape" | "trans" => {
            TagRole::Open
        }
        "set" if !tag.contains('=') => TagRole::Open,
        "else" | "elif" | "elsif" | "pluralize" => TagRole::Middle,
        "endraw" => TagRole::Silent,
        word if word.starts_with("end") => TagRole::Close,
        "include" => TagRole::Output,
        _ => TagRole::Silent,
    }
}

/// Returns the role of a tag in double braces: a Go action or a Jinja expression.
fn action_role(tag: &str) -> TagRole {
    let inside = tag.get(2..tag.len().saturating_sub(2)).unwrap_or_default();
    let inside = inside.trim_start_matches('-').trim();
    let assigns = || inside.starts_with('$') && is_assignment(inside);
    match word(tag) {
        "if" | "range" | "with" | "block" | "define" => TagRole::Open,
        "else" => TagRole::Middle,
        "end" => TagRole::Close,
        "break" | "continue" => TagRole::Silent,
        _ if inside.starts_with("/*") || assigns() => TagRole::Silent,
        _ => TagRole::Output,
    }
}

/// True if a Go action that begins with a variable assigns to it.
fn is_assignment(inside: &str) -> bool {
    let name = inside.trim_start_matches('$').trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let rest = name.trim_start();
    rest.starts_with(":=") || (rest.starts_with('=') && !rest.starts_with("=="))
}

#[cfg(test)]
mod tests {
    use super::{TagRole, find_tags};

    fn shown(text: &str) -> Vec<(&str, TagRole)> {
        find_tags(text).into_iter().map(|tag| (text.get(tag.range).unwrap_or("?"), tag.role)).collect()
    }

    #[test]
    fn delimiters_inside_strings_do_not_close() {
        let text = r#"a: {{ f "}}" '%}' `}}` }}-{% if x == '%}' %}"#;
        assert_eq!(
            shown(text),
            [(r#"{{ f "}}" '%}' `}}` }}"#, TagRole::Output), ("{% if x == '%}' %}", TagRole::Open)]
        );
    }

    #[test]
    fn braces_inside_an_expression_are_matched() {
        assert_eq!(shown("{{ {'a': {'b': 1}} }} }}"), [("{{ {'a': {'b': 1}} }}", TagRole::Output)]);
        assert_eq!(shown("{{ f('{') }} and {{ { }}")[1], ("{{ { }}", TagRole::Output));
    }

    #[test]
    fn a_parameter_is_no_tag() {
        assert_eq!(shown("a: ${{CORES}} ${NAME}"), []);
        assert_eq!(shown("a: {{ '${{CORES}}' }}"), [("{{ '${{CORES}}' }}", TagRole::Output)]);
    }

    #[test]
    fn what_a_tag_does_is_told_by_its_first_word() {
        use TagRole::{Close, Middle, Open, Output, Silent};
        let cases = [
            ("{{- if .a }}", Open),
            ("{{ range $i, $e := .l }}", Open),
            ("{{- else if .b -}}", Middle),
            ("{{end}}", Close),
            ("{{- /* }} no end */ -}}", Silent),
            ("{{ $x := 1 }}", Silent),
            ("{{ $x.y }}", Output),
            ("{{ iffy }}", Output),
            ("{%- for x in y +%}", Open),
            ("{% elif z %}", Middle),
            ("{%+ endfor -%}", Close),
            ("{% set a = 1 %}", Silent),
            ("{% include 'x' %}", Output),
            ("{# {{ not one }} #}", Silent),
        ];
        for (text, role) in cases {
            assert_eq!(shown(text), [(text, role)]);
        }
    }

    #[test]
    fn a_raw_part_is_plain_text() {
        let text = "{% raw %}{{ x }}{% endraw %}{{ y }}";
        assert_eq!(
            shown(text),
            [("{% raw %}", TagRole::Silent), ("{% endraw %}", TagRole::Silent), ("{{ y }}", TagRole::Output)]
        );
    }

    #[test]
    fn a_tag_without_an_end_reaches_to_the_end_of_its_line() {
        assert_eq!(shown("a: {{ b\nc: d\n"), [("{{ b", TagRole::Unclosed)]);
        assert_eq!(shown("a: {# b\n"), []);
    }
}
