//! Splits the text of a chapter into plain text, directives and references. Code is not changed.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// A part of a chapter.
#[derive(Debug, PartialEq)]
pub(crate) enum ChapterPiece<'a> {
    /// Text that stays.
    Text(&'a str),
    /// `{{#kvrules …}}` on a line of its own.
    Directive {
        /// The line, from 1.
        line: usize,
        /// The white space before it.
        indent: &'a str,
        /// The directive, or the error in it.
        directive: Result<Directive, String>,
    },
    /// `[[rule:NAME]]` or `[[extra-spec:NAME]]`.
    Reference {
        /// The line, from 1.
        line: usize,
        /// Kind of the target.
        to: SubjectKind,
        /// Its name.
        name: &'a str,
    },
}

/// Kinds that can be described and referred to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SubjectKind {
    /// A rule.
    #[default]
    Rule,
    /// An extra spec of a flavor.
    ExtraSpec,
}

/// Content of a directive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Directive {
    /// Kind that it describes: rules or extra specs.
    pub(crate) about: SubjectKind,
    /// The namespace of extra specs; all if there is none.
    pub(crate) group: Option<String>,
    /// True if Nova's extra specs are left out.
    pub(crate) own_only: bool,
    /// The one rule; all rules if there is none.
    pub(crate) rule: Option<String>,
    /// Rule files, seen from the chapter; those of the configuration if there is none.
    pub(crate) paths: Vec<String>,
    /// Filter that selects the rules.
    pub(crate) filter: String,
    /// Level of the topmost heading; 2 if unset.
    pub(crate) level: usize,
    /// True if it requests a table instead of descriptions.
    pub(crate) summary: bool,
}

const DIRECTIVE: &str = "{{#kvrules";
const REFERENCES: [(&str, SubjectKind); 2] =
    [("[[rule:", SubjectKind::Rule), ("[[extra-spec:", SubjectKind::ExtraSpec)];

/// Splits a chapter into its pieces.
pub(crate) fn split_chapter(text: &str) -> Vec<ChapterPiece<'_>> {
    let code = code_ranges(text);
    let mut found = Vec::new();
    let mut done = 0;
    while let Some((start, end, piece)) = next_piece(text, done, &code) {
        found.push(ChapterPiece::Text(text.get(done..start).unwrap_or_default()));
        found.push(piece);
        done = end;
    }
    found.push(ChapterPiece::Text(text.get(done..).unwrap_or_default()));
    found
}

/// The bytes of code, in blocks and in lines.
fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(text, options).into_offset_iter();
    let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

/// The next piece that does not stay, with the bytes that it takes the place of.
fn next_piece<'a>(
    text: &'a str,
    from: usize,
    code: &[Range<usize>],
) -> Option<(usize, usize, ChapterPiece<'a>)> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let references = REFERENCES.iter().filter_map(|(mark, _)| rest.find(mark));
        let found = references.chain(rest.find(DIRECTIVE)).min()?;
        let start = at + found;
        let piece =
            if code.iter().any(|range| range.contains(&start)) { None } else { parse_piece(text, start) };
        match piece {
            Some(piece) => return Some(piece),
            None => at = start + 1,
        }
    }
}

fn parse_piece(text: &str, start: usize) -> Option<(usize, usize, ChapterPiece<'_>)> {
    let (before, rest) = (text.get(..start)?, text.get(start..)?);
    let line = before.matches('\n').count() + 1;
    if let Some((mark, to)) = REFERENCES.into_iter().find(|(mark, _)| rest.starts_with(mark)) {
        let (name, _) = rest.strip_prefix(mark)?.split_once("]]")?;
        let is_name = !before.ends_with('\\') && !name.contains('\n');
        let end = start + mark.len() + name.len() + 2;
        return is_name.then_some((start, end, ChapterPiece::Reference { line, to, name: name.trim() }));
    }
    let (inner, _) = rest.strip_prefix(DIRECTIVE)?.split_once("}}")?;
    let end = start + DIRECTIVE.len() + inner.len() + 2;
    if before.ends_with('\\') {
        // Remove the backslash and keep the rest, as mdBook does with its own directives.
        return Some((start - 1, end, ChapterPiece::Text(text.get(start..end)?)));
    }
    let indent = before.rsplit('\n').next().unwrap_or_default();
    let after = text.get(end..)?.split('\n').next().unwrap_or_default();
    let alone = indent.trim().is_empty() && after.trim().is_empty();
    let directive =
        if alone { parse_directive(inner) } else { Err("it must be on a line of its own".to_owned()) };
    let indent = if alone { indent } else { "" };
    Some((start - indent.len(), end, ChapterPiece::Directive { line, indent, directive }))
}

/// Reads `rules path=… filter=… level=N summary`, `rule NAME …` or `extra-specs group=… …`.
fn parse_directive(text: &str) -> Result<Directive, String> {
    let words = split_words(text)?;
    let mut words = words.iter().map(String::as_str);
    let mut directive = Directive { level: 2, ..Directive::default() };
    match words.next() {
        Some("rules") => {}
        Some("rule") => {
            let name = words.next().filter(|name| !name.is_empty());
            directive.rule = Some(name.ok_or("missing name of the rule")?.to_owned());
        }
        Some("extra-specs") => directive.about = SubjectKind::ExtraSpec,
        Some(other) => return Err(format!("unknown directive `{other}`; known are {KNOWN}")),
        None => return Err(format!("missing directive; known are {KNOWN}")),
    }
    for word in words {
        parse_option(&mut directive, word)?;
    }
    Ok(directive)
}

/// Valid contents of a directive.
const KNOWN: &str = "`rules`, `rule NAME` and `extra-specs`";

fn parse_option(directive: &mut Directive, word: &str) -> Result<(), String> {
    let is_rules = directive.about == SubjectKind::Rule;
    match word.split_once('=').unwrap_or((word, "")) {
        ("path", path) if !path.is_empty() => directive.paths.push(path.to_owned()),
        ("group", group) if !is_rules && !group.is_empty() => directive.group = Some(group.to_owned()),
        ("own-only", "") if !is_rules => directive.own_only = true,
        ("filter", filter) if is_rules && !filter.is_empty() => filter.clone_into(&mut directive.filter),
        ("level", level) => {
            let level = level.parse().ok().filter(|level| (1..=5).contains(level));
            directive.level = level.ok_or("`level` must be a number from 1 to 5")?;
        }
        ("summary", "") if directive.rule.is_none() => directive.summary = true,
        _ => {
            let others = if is_rules { "`filter=`" } else { "`group=`, `own-only`" };
            return Err(format!(
                "unknown option `{word}`; known are `path=`, {others}, `level=` and `summary`"
            ));
        }
    }
    Ok(())
}

/// Words with blanks between them; quotes keep blanks in a word.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => found.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    match quote {
        Some(open) => Err(format!("unclosed quote {open}")),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(text: &str) -> Vec<Result<Directive, String>> {
        let directives = |piece| match piece {
            ChapterPiece::Directive { directive, .. } => Some(directive),
            _ => None,
        };
        split_chapter(text).into_iter().filter_map(directives).collect()
    }

    #[test]
    fn directives_and_references_are_found_with_their_lines() {
        let text = "# A\n\nsee [[rule:a/b]]\n\n  {{#kvrules rules path=x filter=\"a b:c\" level=3}}\nend";
        let directive =
            Directive { paths: vec!["x".into()], filter: "a b:c".into(), level: 3, ..Directive::default() };
        let expected = [
            ChapterPiece::Text("# A\n\nsee "),
            ChapterPiece::Reference { line: 3, to: SubjectKind::Rule, name: "a/b" },
            ChapterPiece::Text("\n\n"),
            ChapterPiece::Directive { line: 5, indent: "  ", directive: Ok(directive) },
            ChapterPiece::Text("\nend"),
        ];
        assert_eq!(split_chapter(text), expected);
    }

    #[test]
    fn a_namespace_of_extra_specs_is_asked_for() {
        let expected = Directive {
            about: SubjectKind::ExtraSpec,
            group: Some("hw".into()),
            level: 2,
            summary: true,
            ..Directive::default()
        };
        assert_eq!(directives("{{#kvrules extra-specs group=hw summary}}"), [Ok(expected)]);
        let reference =
            ChapterPiece::Reference { line: 1, to: SubjectKind::ExtraSpec, name: "hw:cpu_policy" };
        assert!(split_chapter("see [[extra-spec:hw:cpu_policy]]").contains(&reference));
    }

    #[test]
    fn code_is_left_alone() {
        let text = "`[[rule:a]]` and\n\n```\n{{#kvrules rules}}\n```\n\n    {{#kvrules rule a}}\n";
        assert_eq!(split_chapter(text), [ChapterPiece::Text(text)]);
    }

    #[test]
    fn an_escaped_directive_loses_its_backslash_and_nothing_else() {
        let kept: String = split_chapter("a \\{{#kvrules rule x}} b \\[[rule:x]]")
            .iter()
            .map(|piece| match piece {
                ChapterPiece::Text(text) => text,
                _ => "?",
            })
            .collect();
        assert_eq!(kept, "a {{#kvrules rule x}} b \\[[rule:x]]");
    }

    #[test]
    fn a_directive_that_is_not_understood_says_why() {
        for (text, reason) in [
            ("{{#kvrules}}", "missing directive"),
            ("{{#kvrules tables}}", "unknown directive `tables`"),
            ("{{#kvrules rule}}", "missing name of the rule"),
            ("{{#kvrules rules level=9}}", "from 1 to 5"),
            ("{{#kvrules rules colour=red}}", "unknown option `colour=red`"),
            ("{{#kvrules rule a summary}}", "unknown option `summary`"),
            ("{{#kvrules rules group=hw}}", "unknown option `group=hw`"),
            ("{{#kvrules extra-specs filter=x}}", "unknown option `filter=x`"),
            ("{{#kvrules rules filter='a}}", "unclosed quote"),
            ("text {{#kvrules rules}}", "a line of its own"),
        ] {
            let found = directives(text);
            assert!(matches!(found.as_slice(), [Err(error)] if error.contains(reason)), "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_closed_is_text() {
        for text in ["{{#kvrules rules", "[[rule:a", "[[rule:a\n]]"] {
            assert_eq!(split_chapter(text), [ChapterPiece::Text(text)]);
        }
    }
}
