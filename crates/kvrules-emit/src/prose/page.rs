//! Rule sets as pages: what stands on them, before any markup.

use std::collections::HashSet;

use kvrules_ir::{ElaboratedRule, ElaboratedSet, LeftOut, Severity, Subject};

use super::facts::{Fact, facts};
use super::inline::{Prose, one_line};
use super::measure::counted;
use super::rooted::rooted;
use super::sentence::demanded;
use super::users::Users;
use crate::names::{stem, stems};

/// A rule set's page.
#[derive(Debug)]
pub(crate) struct Page {
    /// File name without extension.
    pub(crate) stem: String,
    /// Heading, unlike that of any other page.
    pub(crate) title: String,
    /// How many rules, and what they do.
    pub(crate) summary: Prose,
    pub(crate) users: Users,
    pub(crate) rules: Vec<Section>,
    /// Rules that could not be understood: name and cause.
    pub(crate) left_out: Vec<(String, Prose)>,
}

/// A rule's section.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// Unique on the page.
    pub(crate) anchor: String,
    /// Unique in the whole set of pages.
    pub(crate) label: String,
    /// Whether the anchor differs from what is made of the heading by those who make anchors of headings.
    pub(crate) has_own_anchor: bool,
    pub(crate) demand: Prose,
    pub(crate) facts: Vec<Fact>,
}

/// How paths are to be read; stands on every page.
pub(crate) fn reading(subject: &Subject) -> Prose {
    let start = match subject.root_steps() {
        [] => Prose::from("Paths start at the ").text(subject.noun()).text(" itself."),
        steps => Prose::from("Paths start at ")
            .code(format!(".{}", steps.join(".")))
            .text(" of the ")
            .text(subject.noun())
            .text("."),
    };
    start.text(" Upper and lower case matter in values.")
}

/// What the index says first.
pub(crate) fn overview(pages: &[Page]) -> Prose {
    let names: HashSet<&String> = pages.iter().flat_map(|page| &page.users.names).collect();
    let sets = counted(pages.len(), "rule set");
    match names.len() {
        0 => Prose::from(format!("{sets}.")),
        count => Prose::from(format!("{sets}, used by {}.", counted(count, "template"))),
    }
}

/// The pages of all sets.
pub(crate) fn pages(sets: &[ElaboratedSet], subject: &Subject) -> Vec<Page> {
    let mut taken = Taken::default();
    let stems = stems(sets);
    sets.iter().zip(stems).map(|(set, stem)| page(set, stem, subject, &mut taken)).collect()
}

/// What stands for one thing already, among all pages.
#[derive(Default)]
struct Taken {
    titles: HashSet<String>,
    labels: HashSet<String>,
}

fn page(set: &ElaboratedSet, stem: String, subject: &Subject, taken: &mut Taken) -> Page {
    let title = unique(&named(&set.name), &mut taken.titles, |name, number| format!("{name} ({number})"));
    let mut anchors = HashSet::from([slug(&title)]);
    let rules = set.rules.iter().map(|rule| {
        let Labels { name, anchor, label } = labels(rule, &stem, &mut anchors, &mut taken.labels);
        let has_own_anchor = slug(&name) != anchor;
        let rule = rooted(rule, subject);
        let (demand, facts) = (demanded(&rule, subject), facts(&rule, subject));
        Section { name, anchor, label, has_own_anchor, demand, facts }
    });
    let rules = rules.collect();
    Page {
        title,
        summary: summary(set),
        users: Users::of(&set.used_by),
        rules,
        left_out: set.left_out.iter().map(left_out).collect(),
        stem,
    }
}

/// What a rule is called on its page, on the web and among all pages.
struct Labels {
    name: String,
    anchor: String,
    label: String,
}

fn labels(
    rule: &ElaboratedRule,
    page: &str,
    anchors: &mut HashSet<String>,
    labels: &mut HashSet<String>,
) -> Labels {
    let numbered = |name: &str, number: usize| format!("{name}-{number}");
    let anchor = unique(&stem(&rule.name), anchors, numbered);
    let label = unique(&format!("kvrules-{page}-{anchor}"), labels, numbered);
    Labels { name: named(&rule.name), anchor, label }
}

/// A name for headings, which cannot be empty.
fn named(name: &str) -> String {
    if one_line(name).trim().is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

/// The anchor that GitHub and mdBook make of a heading.
fn slug(heading: &str) -> String {
    let fits = |c: &char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '-' | '_');
    let dashed = |c: char| if c.is_whitespace() { '-' } else { c };
    heading.to_lowercase().chars().filter(fits).map(dashed).collect()
}

fn unique(name: &str, taken: &mut HashSet<String>, numbered: fn(&str, usize) -> String) -> String {
    let others = (2..).map(|number| numbered(name, number));
    let free = std::iter::once(name.to_owned()).chain(others).find(|name| !taken.contains(name));
    let free = free.unwrap_or_else(|| name.to_owned());
    taken.insert(free.clone());
    free
}

fn summary(set: &ElaboratedSet) -> Prose {
    let warnings = set.rules.iter().filter(|rule| rule.severity == Severity::Warning).count();
    let count = counted(set.rules.len(), "rule");
    Prose::from(match (warnings, set.rules.len()) {
        (0, _) => count,
        (1, 1) => format!("{count}, which only warns"),
        (all, rules) if all == rules => format!("{count}, which only warn"),
        (1, _) => format!("{count}, 1 of which only warns"),
        (some, _) => format!("{count}, {some} of which only warn"),
    })
}

fn left_out(rule: &LeftOut) -> (String, Prose) {
    (named(&rule.name), in_backticks(&rule.cause.text).capitalised().text("."))
}

/// A diagnostic sentence, its parts in backticks as code.
fn in_backticks(sentence: &str) -> Prose {
    let parts: Vec<&str> = sentence.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return sentence.into();
    }
    parts.iter().enumerate().fold(Prose::default(), |prose, (index, part)| match index % 2 {
        1 => prose.code(super::value::text_code(part)),
        _ => prose.text(part),
    })
}
