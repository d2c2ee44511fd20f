//! Rules as Markdown for a chapter.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Parser};

use crate::pages::{Document, Example, Rule, RuleSet, SaidBy, Source, Text};

/// A rule and the set that it is in.
pub(crate) type RuleInSet<'a> = (&'a RuleSet, &'a Rule);

/// Locations where rules are described, for headings that can be linked to.
pub(crate) trait RuleAnchors {
    /// Remembers that a rule is described here; false where this chapter has described it before.
    fn describe(&mut self, set: &RuleSet, rule: &Rule) -> bool;
    /// A link from here to where a rule is described, if it is anywhere.
    fn link(&self, set: &RuleSet, rule: &Rule) -> Option<String>;
}

/// Rule sets with the chosen ones of their rules.
pub(crate) fn choose_rules(
    document: &Document,
    chosen: impl Fn(&RuleSet, &Rule) -> bool,
) -> Vec<(&RuleSet, Vec<&Rule>)> {
    let with_rules = document.sets.iter().map(|set| {
        let rules: Vec<_> = set.rules.iter().filter(|rule| chosen(set, rule)).collect();
        (set, rules)
    });
    with_rules.filter(|(_, rules)| !rules.is_empty()).collect()
}

/// Describes rule sets with some of their rules.
pub(crate) fn rule_sets(
    sets: &[(&RuleSet, Vec<&Rule>)],
    level: usize,
    anchors: &mut dyn RuleAnchors,
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
            out += &self::describe_rule((set, rule), level + 1, anchors);
        }
    }
    out
}

/// Describes the users of a rule set; folded if there are many.
fn describe_users(set: &RuleSet) -> String {
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

/// Describes a rule.
pub(crate) fn describe_rule(
    (set, rule): RuleInSet<'_>,
    level: usize,
    anchors: &mut dyn RuleAnchors,
) -> String {
    let anchor = if anchors.describe(set, rule) { format!(" {{#{}}}", rule.label) } else { String::new() };
    let mut out = format!("{} {}{anchor}\n\n", "#".repeat(level), inline_code(&rule.title));
    if let Some(own) = rule.body.as_ref().and_then(|body| body.markdown.as_ref()) {
        let _ = writeln!(out, "{}\n", own.trim_end());
        return out;
    }
    let _ = writeln!(out, "{}\n", rule.sentence.markdown);
    if let Some(deprecation) = &rule.deprecation {
        let instead = deprecation.replacement.as_ref();
        let instead = instead.map(|path| format!(" Use {} instead.", inline_code(path))).unwrap_or_default();
        let _ = writeln!(out, "> **Deprecated.** {}{instead}\n", deprecation.text.markdown);
    }
    for (label, words) in rule_facts(rule) {
        let _ = writeln!(out, "- **{label}:** {words}");
    }
    out.push('\n');
    for expression in &rule.cel {
        let _ = writeln!(
            out,
            "CEL of the target {}:\n\n{}\n",
            inline_code(&expression.target),
            code_block(&expression.rule)
        );
    }
    out
}

/// Rule sets as tables, with a line for each rule.
pub(crate) fn rule_tables(sets: &[(&RuleSet, Vec<&Rule>)], anchors: &dyn RuleAnchors) -> String {
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

fn table_row((set, rule): RuleInSet<'_>, anchors: &dyn RuleAnchors) -> String {
    let name = escape_cell(&inline_code(&rule.title));
    let name = anchors.link(set, rule).map(|link| format!("[{name}]({link})")).unwrap_or(name);
    let warns = if rule.severity == "warning" { " (only warns)" } else { "" };
    let field = escape_cell(&inline_code(&rule.field.path));
    format!("| {name}{warns} | {} | {field} |\n", escape_cell(&rule.sentence.markdown))
}

/// Returns the facts about a rule, with a label each, in the words of the pages that `kvrules docs` makes.
fn rule_facts(rule: &Rule) -> Vec<(&str, String)> {
    let mut facts =
        vec![("Field", inline_code(&rule.field.path)), ("Type", rule.field.type_text.markdown.clone())];
    facts.extend(rule.limits.iter().map(|limit| (limit.label.as_str(), limit.text.markdown.clone())));
    facts.extend(optional_fact("Allowed values", rule.values_text.as_ref()));
    if let Some(pattern) = &rule.pattern {
        facts.push(("Regular expression", inline_code(&pattern.code)));
        facts.extend(optional_fact("In words", pattern.reading.as_ref()));
    }
    facts.extend(optional_fact("Default", rule.field.default_text.as_ref()));
    if !rule.compared_with.is_empty() {
        facts.push(("Compared with", render_list(rule.compared_with.iter().map(|path| inline_code(path)))));
    }
    facts.extend(optional_fact("If absent", rule.absent.as_ref()));
    facts.extend(optional_fact("Applies", rule.applies.as_ref()));
    facts.push(("Severity", rule.severity_text.markdown.clone()));
    facts.push(("Message", hanging_blocks(&rule.message.markdown)));
    for (label, examples) in [("Passes", &rule.examples.passes), ("Fails", &rule.examples.fails)] {
        if !examples.is_empty() {
            facts.push((label, render_list(examples.iter().map(render_example))));
        }
    }
    facts.extend(rule.source.as_ref().map(|source| ("Defined in", render_place(source))));
    facts.extend(rule.said_by.iter().map(|said| (said.label.as_str(), render_targets(said))));
    facts
}

fn optional_fact(label: &'static str, text: Option<&Text>) -> Option<(&'static str, String)> {
    text.map(|text| (label, text.markdown.clone()))
}

pub(crate) fn render_example(example: &Example) -> String {
    let beside = example
        .beside
        .iter()
        .map(|other| format!(" with {} set to {}", inline_code(&other.path), inline_code(&other.code)));
    format!("{}{}", inline_code(&example.code), beside.collect::<String>())
}

pub(crate) fn render_targets(said: &SaidBy) -> String {
    let cause = said.cause.as_ref().map(|cause| format!(": {}", cause.markdown)).unwrap_or_default();
    format!("{}{cause}", render_list(said.targets.iter().map(|target| inline_code(target))))
}

pub(crate) fn render_place(source: &Source) -> String {
    let place = format!("{}, line {}", inline_code(&source.file), source.line);
    match &source.link {
        Some(link) => format!("[{place}](<{}>)", link.replace(['<', '>', '\n'], "")),
        None => place,
    }
}

pub(crate) fn render_list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Blocks in an item of a list after a label. A list, a table or code begins on a line of its own.
pub(crate) fn hanging_blocks(markdown: &str) -> String {
    let number = markdown.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < markdown.len() && number.starts_with(". ");
    let marks = ["- ", "> ", "| ", "```text\n", "<pre>"];
    let is_block = is_numbered || marks.iter().any(|mark| markdown.starts_with(mark));
    let start = if is_block { "\n\n  " } else { "" };
    let lines = markdown.split('\n');
    let indented = lines.enumerate().map(|(index, line)| match line {
        line if index == 0 || line.is_empty() => line.to_owned(),
        line => format!("  {line}"),
    });
    format!("{start}{}", indented.collect::<Vec<_>>().join("\n"))
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
    // Nothing can be escaped between backticks, and mdBook reads `{{` before Markdown does.
    if text.contains("{{") || text.contains("{#") || text.trim() != text || text.is_empty() {
        return format!("<code>{}</code>", encode_entities(&text));
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Code in a block, whatever it holds.
fn code_block(text: &str) -> String {
    if text.contains("{{") {
        return format!("<pre><code>{}</code></pre>", encode_entities(text));
    }
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn encode_entities(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if c.is_ascii_punctuation() || c == '\n' {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
        out
    })
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
        assert_eq!(code_block("a ``` b"), "````text\na ``` b\n````");
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

    #[test]
    fn a_message_of_several_blocks_stays_in_its_item() {
        assert_eq!(hanging_blocks("a\n\n- b"), "a\n\n  - b");
        assert_eq!(hanging_blocks("- a\n- b"), "\n\n  - a\n  - b");
    }
}
