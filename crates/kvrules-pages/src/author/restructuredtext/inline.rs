//! Emphasis, literals and links within a line.

use std::collections::HashMap;

use crate::author::is_harmless;
use crate::prose::Prose;

/// Targets of names: `.. _name: address`.
#[derive(Debug, Default)]
pub(super) struct LinkTargets(HashMap<String, String>);

impl LinkTargets {
    /// Those of a text.
    pub(super) fn of(lines: &[String]) -> Self {
        Self(lines.iter().filter_map(|line| parse_target(line)).collect())
    }

    /// True if a line defines the target of a name.
    pub(super) fn is_target(line: &str) -> bool {
        parse_target(line).is_some()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&fold_name(name)).map(String::as_str)
    }
}

fn parse_target(line: &str) -> Option<(String, String)> {
    let (name, url) = line.trim_start().strip_prefix(".. _")?.split_once(": ")?;
    let url = url.trim();
    (is_harmless(url) && url.contains(':')).then(|| (fold_name(name.trim_matches('`')), url.to_owned()))
}

/// Letter case and the number of blanks do not count in names.
fn fold_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Running text with its markup read. Markup that is not closed is text.
pub(super) fn parse_inline(text: &str, targets: &LinkTargets) -> Prose {
    let mut prose = Prose::default();
    let mut before: Option<char> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let escaped = rest.chars().nth(1);
            // Escaped white space is removed.
            let wording = escaped.filter(|c| !c.is_whitespace());
            prose = prose.text(&wording.map(String::from).unwrap_or_default());
            rest = rest.get(1 + escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
            // Markup may begin after escaped white space, as after any white space.
            before = escaped.or(before);
            continue;
        }
        let found = if may_start(before) { parse_markup(rest, targets) } else { None };
        let (wording, used) = found.unwrap_or_else(|| (Prose::from(c.to_string()), c.len_utf8()));
        before = rest.get(..used).and_then(|used| used.chars().next_back());
        prose = prose.add_prose(&wording);
        rest = rest.get(used..).unwrap_or_default();
    }
    prose
}

/// True if markup may begin behind this.
fn may_start(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || "'\"([{<-/:".contains(c))
}

/// True if markup may end before this.
fn may_end(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || "'\")]}>-/\\:.,;!?".contains(c))
}

/// Parses the markup that begins here; returns it and its length in bytes.
fn parse_markup(text: &str, targets: &LinkTargets) -> Option<(Prose, usize)> {
    let wording = Prose::default;
    if let Some((inside, used)) = text_between(text, "``", false) {
        return Some((wording().code(inside), used));
    }
    if let Some((inside, used)) = text_between(text, "**", true) {
        return Some((wording().strong(&unescape_text(inside)), used));
    }
    if let Some((inside, used)) = text_between(text, "*", true).filter(|_| !text.starts_with("**")) {
        return Some((wording().emphasis(&unescape_text(inside)), used));
    }
    if let Some((name, inside, used)) = parse_role(text) {
        return role_wording(name, inside).map(|prose| (prose, used));
    }
    if let Some((inside, used)) = parse_link(text) {
        return Some((resolve_link(inside, targets)?, used));
    }
    if let Some((inside, used)) = text_between(text, "`", true) {
        return Some((wording().emphasis(&unescape_text(inside)), used));
    }
    parse_named(text, targets).or_else(|| parse_address(text))
}

/// Returns the text between a mark and the same mark again, and the length of all of it in bytes.
fn text_between<'t>(text: &'t str, mark: &str, escapes: bool) -> Option<(&'t str, usize)> {
    let inside = text.strip_prefix(mark)?;
    if inside.starts_with(char::is_whitespace) {
        return None;
    }
    let mut from = 0;
    loop {
        let at = from + inside.get(from..)?.find(mark)?;
        let wording = inside.get(..at)?;
        let behind = inside.get(at + mark.len()..)?;
        let is_escaped = escapes && wording.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
        let closes = !wording.is_empty() && !wording.ends_with(char::is_whitespace) && may_end(behind);
        if closes && !is_escaped {
            return Some((wording, mark.len() * 2 + at));
        }
        from = at + 1;
    }
}

/// `` :role:`text` ``.
fn parse_role(text: &str) -> Option<(&str, &str, usize)> {
    let (name, rest) = text.strip_prefix(':')?.split_once(":`")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-+.:_".contains(c));
    let quoted = text.get(name.len() + 2..)?;
    let (inside, used) = text_between(quoted, "`", true)?;
    (is_name && !rest.is_empty()).then_some((name, inside, name.len() + 2 + used))
}

/// Returns the content of a role; `None` if the role is unknown.
fn role_wording(name: &str, inside: &str) -> Option<Prose> {
    let (prose, text) = (Prose::default(), unescape_text(inside));
    match name {
        "code" | "literal" | "command" | "program" | "file" | "samp" | "envvar" | "option" | "kbd" => {
            Some(prose.code(text))
        }
        "emphasis" | "title-reference" | "title" | "t" | "dfn" => Some(prose.emphasis(&text)),
        "strong" | "guilabel" => Some(prose.strong(&text)),
        _ => None,
    }
}

/// `` `words <address>`_ `` or `` `name`_ ``, with one underscore or two.
fn parse_link(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('`').filter(|inside| !inside.starts_with(['`', ' ']))?;
    let at = inside.match_indices("`_").map(|(at, _)| at).find(|at| {
        inside.get(..*at).is_some_and(|wording| !wording.is_empty() && !wording.ends_with(['\\', ' ']))
    })?;
    let wording = inside.get(..at).filter(|wording| !wording.contains('`'))?;
    let behind = inside.get(at + 2..)?;
    let more = usize::from(behind.starts_with('_'));
    may_end(behind.get(more..)?).then_some((wording, at + 3 + more))
}

fn resolve_link(inside: &str, targets: &LinkTargets) -> Option<Prose> {
    let with_address = inside.strip_suffix('>').and_then(|inside| inside.rsplit_once('<'));
    let Some((words, url)) = with_address else {
        return targets.get(inside).map(|url| Prose::default().link(&unescape_text(inside), url));
    };
    let url = url.trim();
    let words = unescape_text(words.trim());
    let words = if words.is_empty() { url.to_owned() } else { words };
    let prose = Prose::default();
    Some(if is_harmless(url) { prose.link(&words, url) } else { prose.text(&words) })
}

/// `name_`, if the text defines the target of the name.
fn parse_named(text: &str, targets: &LinkTargets) -> Option<(Prose, usize)> {
    let word = text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').len();
    let behind = text.get(word..)?.strip_prefix('_')?;
    let name = text.get(..word).filter(|name| !name.is_empty())?;
    let url = targets.get(name).filter(|_| may_end(behind))?;
    Some((Prose::default().link(name, url), word + 1))
}

/// An address alone. Marks at its end belong to the sentence.
fn parse_address(text: &str) -> Option<(Prose, usize)> {
    ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme))?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()+,;=%".contains(c);
    let url = text.get(..text.find(|c| !fits(c)).unwrap_or(text.len()))?;
    let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', ']']);
    let is_whole = url.split_once("://").is_some_and(|(_, host)| !host.is_empty());
    (is_whole && is_harmless(url)).then(|| (Prose::default().link(url, url), url.len()))
}

/// Text with its backslashes read.
fn unescape_text(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| !c.is_whitespace())),
            c => out.push(c),
        }
    }
    out
}
