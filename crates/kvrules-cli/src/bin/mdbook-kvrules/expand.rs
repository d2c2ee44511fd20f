//! Putting rules and links into the chapters of a book.

use std::collections::BTreeMap;
use std::rc::Rc;

use kvrules::docs::document::{Page, RulePage, SetPage};
use kvrules::docs::resource_pages::ResourcePage;
use kvrules::docs::spec_pages::SpecPage;
use kvrules::docs::{Document, SpecsDocument};

use crate::book::{Book, BookContext};
use crate::filter::RuleFilter;
use crate::markdown::{self, PageAnchors, RuleInSet};
use crate::page_source::PageSource;
use crate::parse::{ChapterPiece, Directive, SubjectKind, split_chapter};
use crate::resource_markdown::{describe_resources, resource_table};
use crate::spec_markdown;

/// Location where each rule and each extra spec is described: by its full name the chapter, its heading's anchor, and its title.
type HeadingLocations = BTreeMap<(SubjectKind, String), HeadingLocation>;

#[derive(Clone, Debug)]
struct HeadingLocation {
    chapter: String,
    anchor: String,
    title: String,
}

/// A directive that is understood: what it chose.
enum ChosenPages {
    Rules(ChosenRules),
    Specs(ChosenSpecs),
}

/// The rules that a directive chose.
struct ChosenRules {
    document: Rc<Document>,
    filter: RuleFilter,
    directive: Directive,
}

/// The extra specs that a directive chose.
struct ChosenSpecs {
    document: Rc<SpecsDocument>,
    directive: Directive,
}

/// Replaces the directives and references of all chapters. What cannot be replaced is reported with chapter and line, all
/// of it at once.
pub(crate) fn expand_book(
    book: &mut Book,
    context: &BookContext,
    program: &mut PageSource<'_>,
) -> Result<(), Vec<String>> {
    let mut places = HeadingLocations::new();
    let mut errors = Vec::new();
    let mut chapters = book.chapters();
    // Collect the locations of all rules before the first link is resolved.
    for chapter in &chapters {
        for (line, _, directive) in parsed_directives(&split_chapter(chapter.content)) {
            let chosen =
                directive.and_then(|directive| choose_pages(directive, &chapter.path, context, program));
            match chosen {
                Ok(chosen) => chosen.note(&chapter.path, &mut places),
                Err(reason) => errors.push(format!("{}:{line}: {reason}", chapter.path)),
            }
        }
    }
    for chapter in &mut chapters {
        let mut page = Expansion { chapter: &chapter.path, places: &places, described: Vec::new() };
        let expanded = page.expand_page(chapter.content, context, program, &mut errors);
        *chapter.content = expanded;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn parsed_directives<'a>(pieces: &[ChapterPiece<'a>]) -> Vec<(usize, &'a str, Result<Directive, String>)> {
    let directive = |piece: &ChapterPiece<'a>| match piece {
        ChapterPiece::Directive { line, indent, directive } => Some((*line, *indent, directive.clone())),
        _ => None,
    };
    pieces.iter().filter_map(directive).collect()
}

/// Asks for what a directive is about.
fn choose_pages(
    directive: Directive,
    chapter: &str,
    context: &BookContext,
    program: &mut PageSource<'_>,
) -> Result<ChosenPages, String> {
    let filter = RuleFilter::parse(&directive.filter)?;
    let paths: Vec<String> = directive.paths.iter().map(|path| from_root(path, chapter, context)).collect();
    if directive.about == SubjectKind::ExtraSpec {
        let document = program.ask_specs(&paths, directive.own_only)?;
        let chosen = ChosenSpecs { document, directive };
        return match &chosen.directive.group {
            Some(group) if chosen.specs().is_empty() => Err(format!(
                "unknown namespace `{group}`; known namespaces: {}",
                spec_markdown::namespace_names(&chosen.document)
            )),
            _ => Ok(ChosenPages::Specs(chosen)),
        };
    }
    let document = program.pages_of_files(&paths)?;
    let chosen = ChosenRules { document, filter, directive };
    let found = chosen.rules().len();
    match &chosen.directive.rule {
        None if found == 0 && !chosen.resources().is_empty() => Ok(ChosenPages::Rules(chosen)),
        None if found == 0 => Err("no rule is selected".to_owned()),
        Some(name) if found == 0 => Err(format!("unknown rule `{name}`")),
        Some(name) if found > 1 => Err(format!("ambiguous rule name `{name}`: {}", chosen.names())),
        _ => Ok(ChosenPages::Rules(chosen)),
    }
}

/// A path that starts at a chapter, seen from the book's directory.
fn from_root(path: &str, chapter: &str, context: &BookContext) -> String {
    let directory = chapter.rsplit_once('/').map_or("", |(directory, _)| directory);
    let joined = context.sources.join(directory).join(path);
    let mut parts: Vec<std::path::Component<'_>> = Vec::new();
    for part in joined.components() {
        let up = matches!(part, std::path::Component::ParentDir);
        let can_go = parts.last().is_some_and(|last| matches!(last, std::path::Component::Normal(_)));
        match part {
            std::path::Component::CurDir => {}
            _ if up && can_go => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    let path: std::path::PathBuf = parts.iter().collect();
    if path.as_os_str().is_empty() { ".".to_owned() } else { path.to_string_lossy().into_owned() }
}

impl ChosenPages {
    /// Remembers where what it chose is described. The first place counts.
    fn note(&self, chapter: &str, places: &mut HeadingLocations) {
        match self {
            Self::Rules(rules) => rules.note(chapter, places),
            Self::Specs(specs) => specs.note(chapter, places),
        }
    }

    fn markdown(&self, page: &mut Expansion<'_>) -> String {
        match self {
            Self::Rules(rules) => rules.markdown(page),
            Self::Specs(specs) => specs.markdown(page),
        }
    }
}

impl ChosenSpecs {
    fn specs(&self) -> Vec<&SpecPage> {
        spec_markdown::specs_of_group(&self.document, self.directive.group.as_deref())
    }

    fn note(&self, chapter: &str, places: &mut HeadingLocations) {
        for spec in self.specs().into_iter().filter(|_| !self.directive.summary) {
            let names = spec.members.iter().map(|member| &member.name).chain([&spec.page.name]);
            for name in names {
                places.entry((SubjectKind::ExtraSpec, name.clone())).or_insert_with(|| HeadingLocation {
                    chapter: chapter.to_owned(),
                    anchor: spec.page.label.clone(),
                    title: name.clone(),
                });
            }
        }
    }

    fn markdown(&self, page: &mut Expansion<'_>) -> String {
        if self.directive.summary {
            return spec_markdown::spec_table(&self.specs(), page);
        }
        spec_markdown::describe_specs(&self.specs(), self.directive.level, page)
    }
}

impl ChosenRules {
    fn rules(&self) -> Vec<RuleInSet<'_>> {
        let sets = markdown::choose_rules(&self.document, |set, rule| self.chooses(set, rule));
        sets.into_iter().flat_map(|(set, rules)| rules.into_iter().map(move |rule| (set, rule))).collect()
    }

    fn chooses(&self, set: &SetPage, rule: &RulePage) -> bool {
        let is_named = |name: &String| is_called(&set.full_name(rule), name);
        self.filter.chooses(set, rule) && self.directive.rule.as_ref().is_none_or(is_named)
    }

    /// The definitions and policies, which filters and names of rules do not select.
    fn resources(&self) -> &[ResourcePage] {
        let Directive { rule, filter, .. } = &self.directive;
        if rule.is_none() && filter.is_empty() { &self.document.resources } else { &[] }
    }

    fn names(&self) -> String {
        let names = self.rules().into_iter().map(|(set, rule)| format!("`{}`", set.full_name(rule)));
        names.collect::<Vec<_>>().join(", ")
    }

    fn note(&self, chapter: &str, places: &mut HeadingLocations) {
        for (set, rule) in self.rules().into_iter().filter(|_| !self.directive.summary) {
            places.entry((SubjectKind::Rule, set.full_name(rule))).or_insert_with(|| HeadingLocation {
                chapter: chapter.to_owned(),
                anchor: rule.page.label.clone(),
                title: rule.page.title.clone(),
            });
        }
    }

    fn markdown(&self, page: &mut Expansion<'_>) -> String {
        let Directive { rule, level, summary, .. } = &self.directive;
        let sets = markdown::choose_rules(&self.document, |set, rule| self.chooses(set, rule));
        match self.rules().as_slice() {
            _ if *summary => markdown::rule_tables(&sets, page) + &resource_table(self.resources()),
            [one] if rule.is_some() => markdown::describe_page(&one.1.page, *level, page),
            _ => markdown::rule_sets(&sets, *level, page) + &describe_resources(self.resources(), *level),
        }
    }
}

/// True if a name refers to a rule with this full name; the name may omit the set.
fn is_called(full: &str, name: &str) -> bool {
    full == name || full.strip_suffix(name).is_some_and(|set| set.ends_with('/'))
}

/// A chapter that is being filled.
struct Expansion<'a> {
    chapter: &'a str,
    places: &'a HeadingLocations,
    /// The labels of what it has described.
    described: Vec<String>,
}

impl Expansion<'_> {
    fn expand_page(
        &mut self,
        text: &str,
        context: &BookContext,
        program: &mut PageSource<'_>,
        errors: &mut Vec<String>,
    ) -> String {
        let mut out = String::new();
        for piece in split_chapter(text) {
            match piece {
                ChapterPiece::Text(text) => out.push_str(text),
                // The first pass has reported the errors of directives.
                ChapterPiece::Directive { indent, directive, .. } => {
                    let chosen = directive
                        .and_then(|directive| choose_pages(directive, self.chapter, context, program));
                    out.extend(chosen.map(|chosen| indent_text(&chosen.markdown(self), indent)));
                }
                ChapterPiece::Reference { line, to, name } => match self.reference(to, name) {
                    Ok(link) => out.push_str(&link),
                    Err(reason) => errors.push(format!("{}:{line}: {reason}", self.chapter)),
                },
            }
        }
        out
    }

    /// The link that a reference becomes.
    fn reference(&self, to: SubjectKind, name: &str) -> Result<String, String> {
        let exact = self.places.get_key_value(&(to, name.to_owned())).into_iter();
        let is_intended = |(kind, full): &(SubjectKind, String)| {
            *kind == SubjectKind::Rule && to == *kind && is_called(full, name)
        };
        let found: Vec<_> = match exact.len() {
            0 => self.places.iter().filter(|(place, _)| is_intended(place)).collect(),
            _ => exact.collect(),
        };
        match (found.as_slice(), to) {
            ([], SubjectKind::Rule) => Err(format!("no chapter describes the rule `{name}`")),
            ([], SubjectKind::ExtraSpec) => Err(format!("no chapter describes the extra spec `{name}`")),
            ([(_, place)], _) => {
                Ok(format!("[{}]({})", markdown::inline_code(&place.title), self.link_to(place)))
            }
            (several, _) => {
                let names: Vec<_> = several.iter().map(|((_, full), _)| format!("`{full}`")).collect();
                Err(format!("ambiguous rule name `{name}`: {}", names.join(", ")))
            }
        }
    }

    /// The way from this chapter to a place.
    fn link_to(&self, place: &HeadingLocation) -> String {
        if place.chapter == self.chapter {
            return format!("#{}", place.anchor);
        }
        let mut here: Vec<&str> = self.chapter.split('/').collect();
        let mut there: Vec<&str> = place.chapter.split('/').collect();
        here.pop();
        let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count().min(there.len() - 1);
        let up = "../".repeat(here.len() - shared);
        there.drain(..shared);
        // mdBook renders `README.md` as `index.html`, but does not change links to it, so link to `index.md`.
        if let Some(file) = there.last_mut().filter(|file| file.eq_ignore_ascii_case("README.md")) {
            *file = "index.md";
        }
        format!("<{up}{}#{}>", there.join("/"), place.anchor)
    }
}

impl PageAnchors for Expansion<'_> {
    fn describe(&mut self, page: &Page) -> bool {
        let is_new = !self.described.contains(&page.label);
        self.described.push(page.label.clone());
        is_new
    }

    fn link_rule(&self, set: &SetPage, rule: &RulePage) -> Option<String> {
        self.places.get(&(SubjectKind::Rule, set.full_name(rule))).map(|place| self.link_to(place))
    }

    fn link_spec(&self, name: &str) -> Option<String> {
        self.places.get(&(SubjectKind::ExtraSpec, name.to_owned())).map(|place| self.link_to(place))
    }
}

fn indent_text(text: &str, indent: &str) -> String {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") });
    lines.collect::<Vec<_>>().join("\n")
}
