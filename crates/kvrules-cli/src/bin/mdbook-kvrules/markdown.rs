//! Descriptions and tables of rules as Markdown for a chapter.

use std::fmt::Write as _;

use kvrules::docs::document::{Page, RulePage, SetPage, Severity};
use kvrules::docs::fact::{Fact, Reference, ReferenceTarget};
use kvrules::docs::{Document, LaidOutFact, MARKDOWN, PageLinks, encode_entities, escape_code, lay_out_fact};
use pulldown_cmark::{Event, Parser};

/// A rule and the set that it is in.
pub(crate) type RuleInSet<'a> = (&'a SetPage, &'a RulePage);

/// Locations where rules and extra specs are described, for headings that can be linked to.
pub(crate) trait PageAnchors {
    /// Remembers that something is described here; false where this chapter has described it before.
    fn describe(&mut self, page: &Page) -> bool;
    /// A link from here to where a rule is described, if it is anywhere.
    fn link_rule(&self, set: &SetPage, rule: &RulePage) -> Option<String>;
    /// A link from here to where an extra spec is described, if it is anywhere.
    fn link_spec(&self, name: &str) -> Option<String>;
}

/// Links of the facts in a chapter.
struct ChapterLinks<'a>(&'a dyn PageAnchors);

impl PageLinks for ChapterLinks<'_> {
    fn address_of(&self, reference: &Reference) -> Option<String> {
        match reference.to {
            ReferenceTarget::Field | ReferenceTarget::Resource => None,
            ReferenceTarget::ExtraSpec => self.0.link_spec(&reference.name),
        }
    }

    // Names of families are linked to the heading of the family.
    fn has_targets(&self) -> bool {
        false
    }
}

/// Rule sets with the chosen ones of their rules.
pub(crate) fn choose_rules(
    document: &Document,
    chosen: impl Fn(&SetPage, &RulePage) -> bool,
) -> Vec<(&SetPage, Vec<&RulePage>)> {
    let with_rules = document.sets.iter().map(|set| {
        let rules: Vec<_> = set.rules.iter().filter(|rule| chosen(set, rule)).collect();
        (set, rules)
    });
    with_rules.filter(|(_, rules)| !rules.is_empty()).collect()
}

/// Describes rule sets with some of their rules.
pub(crate) fn rule_sets(
    sets: &[(&SetPage, Vec<&RulePage>)],
    level: usize,
    anchors: &mut dyn PageAnchors,
) -> String {
    let mut out = String::new();
    for (set, rules) in sets {
        let _ =
            writeln!(out, "{} {}\n\n{}.\n", "#".repeat(level), inline_code(&set.title), set.summary.markdown);
        out += &describe_users(set);
        for left_out in &set.left_out {
            let _ =
                writeln!(out, "{} is left out: {}\n", inline_code(&left_out.title), left_out.cause.markdown);
        }
        for rule in rules {
            out += &describe_page(&rule.page, level + 1, anchors);
        }
    }
    out
}

/// Describes the users of a rule set; folded if there are many.
fn describe_users(set: &SetPage) -> String {
    let codes = |names: &[String]| render_list(names.iter().map(|name| inline_code(name)));
    if set.users.is_empty() {
        return if set.used_by.is_empty() {
            String::new()
        } else {
            format!("Used by {}.\n\n", codes(&set.used_by))
        };
    }
    let mut out = format!("<details>\n<summary>Used by {}</summary>\n\n", set.users_counted);
    for group in &set.users {
        let _ = writeln!(out, "- {}: {}", inline_code(&group.title), codes(&group.names));
    }
    out + "\n</details>\n\n"
}

/// Describes a rule or an extra spec.
pub(crate) fn describe_page(page: &Page, level: usize, anchors: &mut dyn PageAnchors) -> String {
    let anchor = if anchors.describe(page) { format!(" {{#{}}}", page.label) } else { String::new() };
    let mut out = format!("{} {}{anchor}\n\n", "#".repeat(level), inline_code(&page.title));
    if let Some(own) = page.body.as_ref().and_then(|body| body.markdown.as_ref()) {
        let _ = writeln!(out, "{}\n", own.trim_end());
        return out;
    }
    for text in page.description.iter().chain([&page.sentence]) {
        let _ = writeln!(out, "{}\n", text.markdown);
    }
    out + &describe_facts(&page.facts, &ChapterLinks(anchors))
}

/// Notices first, then a list of facts, then code.
fn describe_facts(facts: &[Fact], links: &dyn PageLinks) -> String {
    let (mut notices, mut items, mut code) = (String::new(), String::new(), String::new());
    for fact in facts {
        let LaidOutFact { label, form, value } = lay_out_fact(&MARKDOWN, fact, links);
        let _ = match (form, fact.notice) {
            ("code", _) => writeln!(code, "{label}:\n\n{value}\n"),
            (_, Some(_)) => writeln!(notices, "> **{label}.** {value}\n"),
            (_, None) => writeln!(items, "- **{label}:** {value}"),
        };
    }
    format!("{notices}{items}\n{code}")
}

/// Rule sets as tables, with a line for each rule.
pub(crate) fn rule_tables(sets: &[(&SetPage, Vec<&RulePage>)], anchors: &dyn PageAnchors) -> String {
    let mut out = String::new();
    for (set, rules) in sets {
        if sets.len() > 1 {
            let _ = writeln!(out, "**{}**\n", inline_code(&set.title));
        }
        out += "| rule | requirement | field |\n|---|---|---|\n";
        out.extend(rules.iter().map(|rule| table_row((set, rule), anchors)));
        out.push('\n');
    }
    out
}

fn table_row((set, rule): RuleInSet<'_>, anchors: &dyn PageAnchors) -> String {
    let name = escape_cell(&inline_code(&rule.page.title));
    let name = anchors.link_rule(set, rule).map(|link| format!("[{name}]({link})")).unwrap_or(name);
    let warns = if rule.severity == Severity::Warning { " (only warns)" } else { "" };
    let field = escape_cell(&inline_code(&rule.field.path));
    format!("| {name}{warns} | {} | {field} |\n", escape_cell(&rule.page.sentence.markdown))
}

fn render_list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Text for a cell, in which every bar is escaped.
pub(crate) fn escape_cell(markdown: &str) -> String {
    let markdown = markdown.replace('\n', " ");
    let mut out = String::new();
    let mut done = 0;
    for (event, range) in Parser::new(&markdown).into_offset_iter() {
        let Event::Code(code) = event else { continue };
        // A bar in a code span needs a backslash, which would change the meaning of a backslash before it.
        if code.contains('|') {
            out += &bars_escaped(markdown.get(done..range.start).unwrap_or_default());
            let _ = write!(out, "<code>{}</code>", encode_entities(&code));
            done = range.end;
        }
    }
    out + &bars_escaped(markdown.get(done..).unwrap_or_default())
}

fn bars_escaped(markdown: &str) -> String {
    let mut escaped = false;
    markdown.chars().fold(String::new(), |mut out, c| {
        if c == '|' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
        out
    })
}

/// Code in a line, whatever it holds.
pub(crate) fn inline_code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    // Markdown trims code in backticks.
    if text.trim() != text || text.is_empty() {
        return format!("<code>{}</code>", encode_entities(&text));
    }
    escape_code(&text)
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::Options;

    use super::*;

    #[test]
    fn code_stays_code_whatever_it_holds() {
        assert_eq!(inline_code("a"), "`a`");
        assert_eq!(inline_code("a``b`"), "``` a``b` ```");
        assert_eq!(inline_code("{{#x}}"), "<code>&#123;&#123;&#35;x&#125;&#125;</code>");
    }

    /// The texts and the code that are read back from Markdown, one after the other.
    fn read_back(markdown: &str) -> String {
        let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
        events.fold(String::new(), |mut out, event| {
            match event {
                Event::Text(text) | Event::Code(text) => out += &text,
                _ => {}
            }
            out
        })
    }

    #[test]
    fn hostile_code_is_read_back_as_it_was_in_lines_headings_and_cells() {
        let parts = [
            "`", "``", "|", "\\", "\\|", "{{#x}}", "{#a}", "..", "<script>", "*", "_a_", "&amp;", "[a](b)",
            "日本", "שלום",
        ];
        for text in parts.iter().flat_map(|a| parts.iter().map(move |b| format!("{a}x{b}"))) {
            let code = inline_code(&text);
            assert_eq!(read_back(&code), text, "{code}");
            assert_eq!(read_back(&format!("# {code} {{#anchor}}")).trim_end_matches(" {#anchor}"), text);
            let table = format!("| a |\n|---|\n| {} |", escape_cell(&code));
            assert_eq!(read_back(&table), format!("a{text}"), "{table}");
        }
    }

    #[test]
    fn a_bar_that_is_escaped_already_stays_so() {
        assert_eq!(escape_cell("a \\| b | c"), "a \\| b \\| c");
    }
}
