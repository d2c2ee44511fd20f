//! `human`: the source quoted, with carets under the place, as compilers for people do it.
//!
//! Drawing is the work of `annotate-snippets`. It is given a few short lines and not the file, so it cannot know
//! the true line and column once a long line is cut; it draws a stand-in for each file name, and the stand-ins
//! are replaced afterwards.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Renderer, Snippet};

use super::excerpt::{Excerpt, ExcerptMark, build_excerpts};
use super::page_address::page_address;
use super::{RenderOptions, escape};
use crate::{Applicability, Diagnostic, Fix, Level, Sources};

/// Columns of quoted source unless the caller says otherwise.
const WIDTH: usize = 140;
/// Room for the line number and the bars left of the source.
const GUTTER: usize = 10;
/// Minimum width of an excerpt that is useful.
const NARROW: usize = 30;
/// Lines come to the renderer already cut, so its own limit is out of reach.
const UNLIMITED: usize = 1 << 20;
/// Encloses a stand-in. Not a character that texts may use, and taken out of those that do.
const SENTINEL: char = '\u{fdd0}';

pub(super) fn render_human(diagnostics: &[Diagnostic], sources: &Sources, options: &RenderOptions) -> String {
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(UNLIMITED);
    let links = |diagnostic: &Diagnostic| {
        options.links_codes.then(|| page_address(diagnostic.code, diagnostic.name, options)).flatten()
    };
    let width = options.width.unwrap_or(WIDTH).saturating_sub(GUTTER).max(NARROW);
    let shown: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| render_one(&renderer, diagnostic, links(diagnostic), sources, width))
        .collect();
    shown.join("\n")
}

/// One finding, ending with a line break.
fn render_one(
    renderer: &Renderer,
    diagnostic: &Diagnostic,
    link: Option<String>,
    sources: &Sources,
    width: usize,
) -> String {
    let excerpts = build_excerpts(diagnostic, sources, width);
    let title = shown_level(diagnostic.level)
        .primary_title(without_sentinels(&escape::escape_line(&diagnostic.message)));
    let snippets = excerpts.iter().enumerate().map(|(index, excerpt)| snippet(index, excerpt));
    let help = diagnostic
        .help
        .as_deref()
        .map(|help| Shown::HELP.message(without_sentinels(&escape::escape_lines(help))));
    let fix = diagnostic.fix.as_ref().map(fix_message);
    let proof = diagnostic.proof.as_ref().map(|proof| {
        let lines = proof.lines.join("\n");
        Shown::NOTE.with_name("proof").message(without_sentinels(&escape::escape_lines(&lines)))
    });
    let title = title.id(diagnostic.code);
    let title = if let Some(link) = link { title.id_url(link) } else { title };
    let group = Group::with_title(title).elements(snippets).elements(help).elements(fix).elements(proof);
    let mut text = name_files(&renderer.render(&[group]), &excerpts);
    text.push('\n');
    text
}

/// Returns the message about a repair and its reliability.
fn fix_message(fix: &Fix) -> annotate_snippets::Message<'static> {
    let name = match fix.applicability {
        Applicability::Safe => "fix",
        Applicability::Unsafe => "unsafe fix",
        Applicability::DisplayOnly => "possible fix",
    };
    Shown::HELP.with_name(name).message(without_sentinels(&escape::escape_lines(&fix.title)))
}

fn shown_level(level: Level) -> Shown<'static> {
    match level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Info => Shown::INFO,
    }
}

fn snippet<'a>(index: usize, excerpt: &'a Excerpt<'_>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    Snippet::source(without_sentinels(&escape::same_length(&excerpt.text)))
        .line_start(excerpt.first_line)
        .path(format!("{SENTINEL}{index}{SENTINEL}"))
        .annotations(excerpt.marks.iter().map(annotation))
}

fn annotation<'a>(mark: &ExcerptMark<'_>) -> annotate_snippets::Annotation<'a> {
    let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let annotation = kind.span(mark.range.clone());
    if mark.label.is_empty() {
        annotation
    } else {
        annotation.label(without_sentinels(&escape::escape_line(mark.label)))
    }
}

/// `text` without sentinels; as long as before, so that offsets stay true.
fn without_sentinels(text: &str) -> String {
    text.replace(SENTINEL, "\u{fffd}")
}

/// `drawn` with each stand-in, and the position drawn after it, replaced by the file's name and true position.
fn name_files(drawn: &str, excerpts: &[Excerpt<'_>]) -> String {
    let mut parts = drawn.split(SENTINEL);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(index), Some(rest)) = (parts.next(), parts.next()) {
        if let Some(excerpt) = index.parse().ok().and_then(|index: usize| excerpts.get(index)) {
            let (file, at) = (escape::escape_line(excerpt.file), excerpt.position);
            let _ = write!(text, "{file}:{}:{}", at.line, at.column);
        }
        let rest = rest.trim_start_matches(|character: char| character == ':' || character.is_ascii_digit());
        text.push_str(rest);
    }
    text
}
