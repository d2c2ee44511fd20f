//! From rule sets to the document about them.

use std::collections::{HashMap, HashSet};

use kvrules_ir::{ElaboratedRule, ElaboratedSet, OmittedRule, PlaceStep, Subject};

use super::author::AuthorNotation;
use super::document::{
    Document, Examples, Field, LeftOutRule, Limit, Page, PatternText, Presence, RulePage, SetPage, Severity,
    Text, UserGroup,
};
use super::resources::{ResourcePage, group_resources};
use super::users::SetUsers;
use crate::names::{to_file_stem, to_file_stems};
use crate::prose::{
    Prose, ValueBound, condition_prose, count_noun, default_of, describe_rebased, if_absent, if_defaulted,
    one_line, pattern_code, pattern_in_words, rebase_to_root, rule_demands, scalar_code, text_code,
    value_type, violation_outcome,
};

/// Options for making a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentOptions<'a> {
    /// The version of kvrules.
    pub version: &'a str,
    /// Markup of messages by authors.
    pub notation: AuthorNotation,
    /// For each set the group that it is shown in; empty if each has a page of its own.
    pub groups: &'a [String],
}

impl<'a> DocumentOptions<'a> {
    /// A page for each set, messages as plain words.
    pub fn with_version(version: &'a str) -> Self {
        Self { version, notation: AuthorNotation::Plain, groups: &[] }
    }
}

/// Returns the document of rule sets about such objects.
pub fn build_document(sets: &[ElaboratedSet], subject: &Subject, making: &DocumentOptions<'_>) -> Document {
    let mut builder = PageBuilder {
        subject,
        making,
        titles: HashSet::new(),
        labels: HashSet::new(),
        anchors: HashMap::new(),
    };
    let pages = sets.iter().zip(to_file_stems(sets)).enumerate();
    let pages: Vec<SetPage> = pages.map(|(index, (set, stem))| builder.set(index, set, stem)).collect();
    let mut document = Document {
        version: making.version.to_owned(),
        overview: Text::from_prose(&index_overview(&pages)),
        reading: Text::from_prose(&explain_paths(subject)),
        sets: pages,
        resources: Vec::new(),
    };
    document.gather_facts(sets, subject);
    document
}

/// Returns the explanation of how to read paths, which is on every page.
fn explain_paths(subject: &Subject) -> Prose {
    let start = match subject.root_steps() {
        [] => Prose::from("Paths start at the ").text(subject.kind_noun()).text(" itself."),
        steps => Prose::from("Paths start at ")
            .code(format!(".{}", steps.join(".")))
            .text(" of the ")
            .text(subject.kind_noun())
            .text("."),
    };
    start.text(" Values are case-sensitive.")
}

/// Returns the first paragraph of the index.
fn index_overview(pages: &[SetPage]) -> Prose {
    let names: HashSet<&String> = pages.iter().flat_map(|page| &page.used_by).collect();
    let sets = count_noun(pages.len(), "rule set");
    match names.len() {
        0 => Prose::from(format!("{sets}.")),
        count => Prose::from(format!("{sets}, used by {}.", count_noun(count, "template"))),
    }
}

impl Document {
    /// Adds the pages of resources.
    pub fn add_resources(&mut self, pages: Vec<ResourcePage>) {
        self.resources.extend(pages);
        let groups = group_resources(&self.resources);
        let count = |pages: &[&ResourcePage]| count_noun(pages.len(), "page");
        let is_single = groups.len() == 1 && self.sets.is_empty();
        // The title of the index names the only group.
        let counted =
            groups.iter().map(
                |(group, pages)| {
                    if is_single { count(pages) } else { format!("{group}: {}", count(pages)) }
                },
            );
        let sets = (!self.sets.is_empty()).then(|| index_overview(&self.sets));
        let resources = counted.collect::<Vec<_>>().join("; ");
        let resources = Some(resources).filter(|counted| !counted.is_empty());
        let sentences: Vec<Prose> =
            sets.into_iter().chain(resources.map(|counted| Prose::from(format!("{counted}.")))).collect();
        if !sentences.is_empty() {
            self.overview = Text::from_prose(&Prose::join_with(&sentences, " ", " "));
        }
    }
}

/// Names that are already in use.
struct PageBuilder<'a> {
    subject: &'a Subject,
    making: &'a DocumentOptions<'a>,
    titles: HashSet<String>,
    labels: HashSet<String>,
    /// By page.
    anchors: HashMap<String, HashSet<String>>,
}

impl PageBuilder<'_> {
    fn set(&mut self, index: usize, set: &ElaboratedSet, anchor: String) -> SetPage {
        let numbered = |name: &str, number: usize| format!("{name} ({number})");
        let title = unique_name(&heading_name(&set.name), &mut self.titles, numbered);
        let group = self.making.groups.get(index).cloned();
        let page = group.clone().unwrap_or_else(|| anchor.clone());
        let taken = self.anchors.entry(page.clone()).or_insert_with(|| HashSet::from([heading_slug(&page)]));
        taken.extend([heading_slug(&title), anchor.clone()]);
        let SetUsers { names, groups } = SetUsers::of(&set.used_by);
        SetPage {
            name: set.name.clone(),
            summary: Text::from_prose(&set_summary(set)),
            users_counted: count_noun(names.len(), "template"),
            used_by: names,
            users: groups.into_iter().map(|(title, names)| UserGroup { title, names }).collect(),
            source: None,
            rules: set.rules.iter().map(|rule| self.rule(rule, &page, &anchor)).collect(),
            left_out: set.left_out.iter().map(left_out).collect(),
            changes: None,
            title,
            anchor,
            group,
        }
    }

    fn rule(&mut self, rule: &ElaboratedRule, page: &str, set: &str) -> RulePage {
        let numbered = |name: &str, number: usize| format!("{name}-{number}");
        let taken = self.anchors.entry(page.to_owned()).or_default();
        let anchor = unique_name(&to_file_stem(&rule.name), taken, numbered);
        let label = unique_name(&format!("kvrules-{set}-{anchor}"), &mut self.labels, numbered);
        let title = heading_name(&rule.name);
        let rule = &rebase_to_root(rule, self.subject);
        let demands = rule_demands(rule);
        RulePage {
            has_own_anchor: heading_slug(&title) != anchor,
            severity: match rule.severity {
                kvrules_ir::Severity::Error => Severity::Error,
                kvrules_ir::Severity::Warning => Severity::Warning,
            },
            severity_text: Text::from_prose(&violation_outcome(rule.severity, self.subject)),
            message: Text::of_author(&rule.message, self.making.notation),
            field: page_field(rule),
            values: demands.values,
            values_text: demands.values_said.as_ref().map(Text::from_prose),
            applies: condition_prose(rule).as_ref().map(Text::from_prose),
            absent: if_absent(rule).map(|wording| Text::from_prose(&wording.to_capitalised().text("."))),
            compared_with: rule.requirement.compared_with.clone(),
            cel: Vec::new(),
            deprecation: None,
            page: Page {
                name: rule.name.clone(),
                title,
                anchor,
                label,
                description: None,
                sentence: Text::from_prose(&describe_rebased(rule, self.subject)),
                facts: Vec::new(),
                limits: demands.bounds.into_iter().map(page_limit).collect(),
                pattern: demands.pattern.map(pattern_text),
                examples: Examples::default(),
                fidelity: Vec::new(),
                said_by: Vec::new(),
                source: None,
                body: None,
            },
        }
    }
}

fn page_field(rule: &ElaboratedRule) -> Field {
    let subject = &rule.requirement.subject;
    let default = default_of(&subject.leaf);
    Field {
        path: subject.text.clone(),
        value_type: subject.leaf.value_type.as_str().to_owned(),
        type_text: Text::from_prose(&value_type(rule)),
        default: default.as_ref().map(scalar_code),
        default_text: if_defaulted(rule).as_ref().map(Text::from_prose),
        presence: match subject.leaf.steps.last().map(PlaceStep::presence) {
            Some(kvrules_ir::Presence::Required) => Presence::Required,
            Some(kvrules_ir::Presence::Defaulted) => Presence::Defaulted,
            _ => Presence::Optional,
        },
    }
}

fn page_limit(bound: ValueBound) -> Limit {
    let (machine, human) = bound.number.map(|(number, human)| (number.to_string(), human)).unzip();
    Limit { label: bound.label.to_owned(), text: Text::from_prose(&bound.wording), machine, human }
}

fn pattern_text(source: String) -> PatternText {
    let reading = pattern_in_words(&source).as_ref().map(Text::from_prose);
    PatternText { code: pattern_code(&source), reading, source }
}

/// A name for headings, which cannot be empty.
fn heading_name(name: &str) -> String {
    if one_line(name).trim().is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

/// The anchor that GitHub and mdBook make of a heading.
pub(crate) fn heading_slug(heading: &str) -> String {
    let fits = |c: &char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '-' | '_');
    let dashed = |c: char| if c.is_whitespace() { '-' } else { c };
    heading.to_lowercase().chars().filter(fits).map(dashed).collect()
}

fn unique_name(name: &str, taken: &mut HashSet<String>, numbered: fn(&str, usize) -> String) -> String {
    let others = (2..).map(|number| numbered(name, number));
    let free = std::iter::once(name.to_owned()).chain(others).find(|name| !taken.contains(name));
    let free = free.unwrap_or_else(|| name.to_owned());
    taken.insert(free.clone());
    free
}

fn set_summary(set: &ElaboratedSet) -> Prose {
    let warns = |rule: &&ElaboratedRule| rule.severity == kvrules_ir::Severity::Warning;
    let warnings = set.rules.iter().filter(warns).count();
    let count = count_noun(set.rules.len(), "rule");
    Prose::from(match (warnings, set.rules.len()) {
        (0, _) => count,
        (1, 1) => format!("{count}, which only warns"),
        (all, rules) if all == rules => format!("{count}, which only warn"),
        (1, _) => format!("{count}, 1 of which only warns"),
        (some, _) => format!("{count}, {some} of which only warn"),
    })
}

fn left_out(rule: &OmittedRule) -> LeftOutRule {
    let cause = in_backticks(&rule.cause.text).to_capitalised().text(".");
    LeftOutRule {
        name: rule.name.clone(),
        title: heading_name(&rule.name),
        cause: Text::from_prose(&cause),
        source: None,
    }
}

/// A sentence such as diagnostics have, its parts in backticks as code.
pub(super) fn in_backticks(sentence: &str) -> Prose {
    let parts: Vec<&str> = sentence.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return sentence.into();
    }
    parts.iter().enumerate().fold(Prose::default(), |prose, (index, part)| match index % 2 {
        1 => prose.code(text_code(part)),
        _ => prose.text(part),
    })
}

impl Text {
    /// Words such as diagnostics have, their parts in backticks as code.
    pub fn of_words(words: &str) -> Self {
        Self::from_prose(&in_backticks(words))
    }

    /// A sentence such as diagnostics have, without a full stop, its parts in backticks as code.
    pub fn of_sentence(sentence: &str) -> Self {
        Self::from_prose(&in_backticks(sentence).to_capitalised().text("."))
    }
}
