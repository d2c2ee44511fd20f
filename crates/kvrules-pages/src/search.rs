//! The index of the search on pages: a script that sets a variable, since pages that are opened as files cannot read others.
//!
//! A page is a list: its title, its file without extension, its group, and its parts. A part is an anchor; of a part whose name is not its
//! anchor, a list of anchor and name. Anchors are written as the length that they share with the one before, as a character, and the
//! rest.

use kvrules_diagnostics::render::json_text;
use serde_json::{Value as Json, json};

use super::document::Document;
use super::fact::{Fact, FactValue, Piece};
use super::names::to_file_stem;
use super::resources::{ResourcePage, ResourceRule};
use crate::OutputFile;

/// The file of the index of pages about rules and resources.
const RULES_INDEX: &str = "search.js";

/// Returns the index of pages about rules and resources.
pub(super) fn document_index(document: &Document) -> OutputFile {
    let sets = document.sets.iter().map(|set| {
        let stem = set.group.as_deref().map_or_else(|| set.anchor.clone(), to_file_stem);
        let own = set.group.is_some().then(|| json!([set.anchor, set.title]));
        let rules = set.rules.iter().map(|rule| json!([rule.page.anchor, rule.page.title]));
        json!([set.title, stem, "Rules", own.into_iter().chain(rules).collect::<Vec<_>>()])
    });
    let resources = document.resources.iter().map(resource_entry);
    index_file(RULES_INDEX, &sets.chain(resources).collect())
}

/// Returns the file of an index.
pub(super) fn index_file(path: &str, pages: &Vec<Json>) -> OutputFile {
    // A text of an author that closes or opens a script does neither, also if the index becomes a part of a page.
    let text = serde_json::to_string(pages).unwrap_or_default();
    let text = json_text(&text).replace('<', "\\u003c");
    OutputFile { path: path.to_owned(), text: format!("window.kvrulesPages={text};\n") }
}

fn resource_entry(page: &ResourcePage) -> Json {
    let mut parts = AnchorList::default();
    for section in &page.sections {
        section.rules.iter().for_each(|rule| parts.add_rule(rule));
        for entry in &section.entries {
            parts.add(&entry.anchor);
            entry.rules.iter().for_each(|rule| parts.add_rule(rule));
        }
    }
    json!([page.title, page.anchor, page.part.as_deref().unwrap_or(&page.group), parts.parts])
}

#[derive(Default)]
struct AnchorList {
    parts: Vec<Json>,
    last: String,
}

impl AnchorList {
    fn add(&mut self, anchor: &str) {
        let shared = self.last.bytes().zip(anchor.bytes()).take_while(|(one, other)| one == other).count();
        // Anchors are ASCII. Printable characters stand for up to 90 shared ones.
        let shared = u8::try_from(shared.min(90)).unwrap_or_default();
        let rest = anchor.get(usize::from(shared)..).unwrap_or_default();
        self.parts.push(Json::String(format!("{}{rest}", char::from(b'#' + shared))));
        anchor.clone_into(&mut self.last);
    }

    /// A rule is found by its message.
    fn add_rule(&mut self, rule: &ResourceRule) {
        let message = rule.facts.iter().find(|fact| fact.kind == "message").map(fact_text);
        if let Some(message) = message.filter(|message| !message.is_empty()) {
            self.parts.push(json!([rule.anchor, message]));
        }
    }
}

fn fact_text(fact: &Fact) -> String {
    let FactValue::Line(pieces) = &fact.value else { return String::new() };
    let text = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.plain.as_str(),
        Piece::Words(words) => words.as_str(),
        Piece::Code(code) => code,
        _ => "",
    });
    text.collect::<String>().chars().take(MESSAGE).collect()
}

/// Number of characters of a message that can be searched for.
const MESSAGE: usize = 120;
