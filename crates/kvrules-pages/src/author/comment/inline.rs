//! Running text of descriptions.

use super::super::is_harmless;
use crate::prose::{Prose, one_line};

/// Reads code between backticks, words between two stars, and links.
pub(super) fn inline_prose(text: &str) -> Prose {
    let mut prose = Prose::default();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '*', '[']) {
        let (before, marked) = rest.split_at(start);
        if let Some(link) = marked.strip_prefix('[') {
            prose = add_words(prose, before);
            (prose, rest) = match split_link(link) {
                Some((words, address, rest)) => (prose.link(words, address), rest),
                None => (prose.text("["), link),
            };
            continue;
        }
        let char = if marked.starts_with('*') { '*' } else { '`' };
        let mark = marked.get(..marked.len() - marked.trim_start_matches(char).len()).unwrap_or_default();
        let found = marked_words(marked, mark);
        prose = add_words(prose, before);
        prose = match found {
            Some((words, _)) if mark == "**" => prose.strong(words),
            Some((code, _)) => prose.code(one_line(code).into_owned()),
            None => prose.text(mark),
        };
        rest = found.map_or_else(|| marked.get(mark.len()..).unwrap_or_default(), |(_, rest)| rest);
    }
    add_words(prose, rest)
}

/// The words and the address of a link behind its first bracket, and what follows it. Only web pages and email addresses are linked.
fn split_link(link: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = link.split_at_checked(link.find(['[', ']'])?)?;
    let rest = rest.strip_prefix("](")?;
    // Of an address with parentheses the end is not known.
    let end = rest.find(|char: char| char.is_whitespace() || matches!(char, '(' | ')'))?;
    let (address, rest) = rest.split_at_checked(end)?;
    let rest = rest.strip_prefix(')')?;
    let words = words.strip_prefix('`').and_then(|words| words.strip_suffix('`')).unwrap_or(words);
    let leads_out = ["https://", "http://", "mailto:"].iter().any(|scheme| {
        address.strip_prefix(scheme).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    });
    let is_plain = !words.trim().is_empty() && !words.contains(['`', '*']);
    (leads_out && is_plain && is_harmless(address)).then_some((words, address, rest))
}

/// Adds words, in which addresses of web pages are links.
fn add_words(mut prose: Prose, text: &str) -> Prose {
    let mut rest = text;
    while let Some((before, address, after)) = split_at_address(rest) {
        prose = prose.text(before).link(address, address);
        rest = after;
    }
    prose.text(rest)
}

/// The first address of a web page, and what is before and after it.
fn split_at_address(text: &str) -> Option<(&str, &str, &str)> {
    let starts = text.match_indices("http").map(|(start, _)| start);
    let is_word = |text: &str| text.chars().next_back().is_some_and(char::is_alphanumeric);
    let parts = starts.filter_map(|start| text.split_at_checked(start));
    parts.filter(|(before, _)| !is_word(before)).find_map(|(before, rest)| {
        let host = rest.strip_prefix("https://").or_else(|| rest.strip_prefix("http://"))?;
        let is_part = |char: char| char.is_ascii_graphic() && !"<>\"'`()[]{}|\\^*".contains(char);
        let end = host.find(|char| !is_part(char)).unwrap_or(host.len());
        // A full stop behind an address ends the sentence.
        let host = host.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?', '_']);
        let (address, after) = rest.split_at_checked(rest.find("://")? + 3 + host.len())?;
        (!host.is_empty() && is_harmless(address)).then_some((before, address, after))
    })
}

/// The words between a mark and the next one that is equal, and what follows that; `None` if they are neither code nor strong.
fn marked_words<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    if !matches!(mark, "`" | "``" | "**") {
        return None;
    }
    let inner = text.get(mark.len()..)?;
    let (words, rest) = inner.split_once(mark)?;
    let is_whole = !mark.chars().next().is_some_and(|char| rest.starts_with(char))
        && (mark != "**" || !words.contains('`'));
    let words = if mark == "**" { words } else { words.trim() };
    let is_tight = !words.is_empty() && words.trim() == words;
    (is_whole && is_tight).then_some((words, rest))
}
