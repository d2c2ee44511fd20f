//! Finds the scalars that tags are in, and the tags that are plain text there.

use std::ops::Range;

use kvrules_diagnostics::FileId;

use crate::templated::blocks::BlockArms;
use crate::templated::lexer::{Tag, TagRole};
use crate::templated::{Region, RegionKind};
use crate::{Document, Node, ProblemKind, stream::parse_part};

/// Keys whose values are written for readers.
const PROSE: [&str; 8] = [
    "$comment",
    "description",
    "example",
    "examples",
    "externalDocs",
    "kubectl.kubernetes.io/last-applied-configuration",
    "summary",
    "title",
];
/// Keys whose values may well have braces that nothing renders.
const LITERALS: [&str; 5] = ["const", "default", "enum", "message", "pattern"];
/// Keys with expressions in CEL, whose strings may well have such braces.
const EXPRESSIONS: [&str; 4] = ["expression", "messageExpression", "rule", "valueExpression"];

/// Names in a tag that only a chart or a playbook has.
const RENDERED: [&str; 13] = [
    ".Capabilities",
    ".Chart",
    ".Files",
    ".Release",
    ".Template",
    ".Values",
    "include ",
    "lookup(",
    "lookup ",
    "required ",
    "template ",
    "toYaml",
    "tpl ",
];

/// Content of a scalar, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarUse {
    Prose,
    Literal,
    Expression,
    Other,
}

/// The scalars of a text that is YAML with its tags.
pub(super) struct TagPlaces {
    /// In the order of the text.
    scalars: Vec<(Range<usize>, ScalarUse)>,
    /// Offsets at which maps begin, in the order of the text.
    maps: Vec<usize>,
}

impl TagPlaces {
    /// The scalars and maps of a text; none if it is not YAML.
    pub(super) fn of_yaml(text: &str, tags: &[Tag]) -> Option<Self> {
        let stream = parse_part(FileId(0), text, 0);
        let is_read = |document: &Document<'_>| {
            document.problems().iter().all(|problem| problem.kind == ProblemKind::DuplicateKey)
        };
        if !stream.documents.iter().all(is_read) {
            return None;
        }
        let mut places = Self { scalars: Vec::new(), maps: Vec::new() };
        for root in stream.documents.iter().filter_map(Document::root) {
            places.add_node(root, ScalarUse::Other);
        }
        places.scalars.sort_by_key(|(scalar, _)| scalar.start);
        places.maps.sort_unstable();
        // A scalar that ends inside a tag is not what the author means.
        let is_whole = |tag: &Tag| places.scalar_at(tag.range.start).is_none_or(|it| tag.range.end <= it.end);
        tags.iter().all(is_whole).then_some(places)
    }

    fn add_node(&mut self, node: Node<'_>, usage: ScalarUse) {
        // The parser bounds the depth.
        let range = node.span().to_range();
        if node.is_alias() {
            return;
        }
        if !node.is_container() {
            self.scalars.push((range, usage));
            return;
        }
        if node.is_map() {
            self.maps.push(range.start);
        }
        for entry in node.entries() {
            self.add_node(entry.key, ScalarUse::Other);
            self.add_node(entry.value, use_below(entry, usage));
        }
        node.items().for_each(|item| self.add_node(item, usage));
    }

    /// The scalar at an offset.
    pub(super) fn scalar_at(&self, at: usize) -> Option<Range<usize>> {
        self.found_at(at).map(|(scalar, _)| scalar.clone())
    }

    fn found_at(&self, at: usize) -> Option<&(Range<usize>, ScalarUse)> {
        let before = self.scalars.partition_point(|(scalar, _)| scalar.start <= at);
        let found = before.checked_sub(1).and_then(|index| self.scalars.get(index));
        found.filter(|(scalar, _)| at < scalar.end)
    }

    /// True if a tag is in a comment: neither in a scalar nor a map in braces.
    pub(super) fn is_comment(&self, tag: &Tag) -> bool {
        let start = tag.range.start;
        self.found_at(start).is_none() && self.maps.binary_search(&start).is_err()
    }

    /// True if all tags are in scalars or comments.
    pub(super) fn are_in_scalars(&self, tags: &[Tag]) -> bool {
        tags.iter().all(|tag| self.found_at(tag.range.start).is_some() || self.is_comment(tag))
    }

    /// True if a tag may be replaced before the text is read.
    pub(super) fn is_rendered(&self, text: &str, tag: &Tag) -> bool {
        let Some((scalar, usage)) = self.found_at(tag.range.start) else { return false };
        let written = text.get(tag.range.clone()).unwrap_or_default();
        let is_named = || RENDERED.iter().any(|name| written.contains(name)) || written.starts_with("{%");
        let before = || text.get(scalar.start..tag.range.start).unwrap_or_default();
        tag.role != TagRole::Unclosed
            && match usage {
                ScalarUse::Prose => false,
                ScalarUse::Literal => is_named(),
                ScalarUse::Expression => is_named() || !is_in_string(before()),
                ScalarUse::Other => true,
            }
    }
}

fn use_below(entry: crate::Entry<'_>, outer: ScalarUse) -> ScalarUse {
    let key = entry.key.text();
    // A field of an object may have the name of a keyword.
    let is_written = !entry.value.is_map();
    if outer != ScalarUse::Other {
        outer
    } else if PROSE.contains(&key) && (is_written || key.starts_with("example")) {
        ScalarUse::Prose
    } else if LITERALS.contains(&key) && (is_written || key == "default") {
        ScalarUse::Literal
    } else if EXPRESSIONS.contains(&key) && is_written {
        ScalarUse::Expression
    } else {
        ScalarUse::Other
    }
}

/// True if an expression, up to a place, has opened a string that it has not closed. Quotation marks of YAML around the expression
/// are not counted.
fn is_in_string(before: &str) -> bool {
    let (around, inside) = match before.chars().next() {
        Some(quote @ ('"' | '\'')) => (Some(quote), before.get(1..).unwrap_or_default()),
        _ => (None, before),
    };
    let mut open = None;
    let mut chars = inside.chars().peekable();
    while let Some(char) = chars.next() {
        match (open, char) {
            // `''` in single quotation marks, and `\"` in double ones, is one quotation mark of the expression.
            (_, '\'') if around == Some('\'') => _ = chars.next(),
            (_, '\\') if around == Some('"') && chars.peek() == Some(&'"') => {}
            (Some(_), '\\') => {
                chars.next();
                continue;
            }
            _ => {}
        }
        open = match (open, char) {
            (None, '"' | '\'') => Some(char),
            (Some(quote), _) if quote == char => None,
            _ => open,
        };
    }
    open.is_some()
}

/// Confines the parts of conditions that begin and end in the same block of text to it.
pub(super) fn confine_regions(masked: &str, tags: &[Tag], blocks: &BlockArms, regions: &mut [Region]) {
    if !regions.iter().any(|region| region.kind == RegionKind::Structure) {
        return;
    }
    let Some(places) = TagPlaces::of_readable(masked) else { return };
    let place = |index: usize| tags.get(index).map_or(0, |tag| tag.range.start);
    for (opening, closing) in &blocks.pairs {
        let (first, last) = (place(*opening), place(*closing));
        let Some(scalar) = places.scalar_at(first).filter(|scalar| scalar.contains(&last)) else { continue };
        let ends = blocks.endings.iter().filter(|(_, opened)| opened == opening);
        for start in ends.map(|(ending, _)| place(*ending)).chain([first]) {
            let found = regions.binary_search_by_key(&start, |region| region.range.start);
            if let Some(region) = found.ok().and_then(|at| regions.get_mut(at)) {
                region.scope = Some(scalar.clone());
            }
        }
    }
}

impl TagPlaces {
    /// The scalars of a text whose tags are overwritten, as far as it is YAML.
    fn of_readable(masked: &str) -> Option<Self> {
        let stream = parse_part(FileId(0), masked, 0);
        let mut places = Self { scalars: Vec::new(), maps: Vec::new() };
        for root in stream.documents.iter().filter_map(Document::root) {
            places.add_node(root, ScalarUse::Other);
        }
        places.scalars.retain(|(scalar, _)| !scalar.is_empty());
        places.scalars.sort_by_key(|(scalar, _)| scalar.start);
        // Tags that begin and end a text are blanks before and behind it.
        for (scalar, _) in &mut places.scalars {
            let before = masked.get(..scalar.start).unwrap_or_default().trim_end();
            let is_block = before.trim_end_matches(['-', '+', '1', '2', '4']).ends_with(['|', '>']);
            let behind = masked.get(scalar.end..).unwrap_or_default();
            let start = if is_block { before.len() } else { scalar.start };
            *scalar = start..scalar.end + (behind.len() - behind.trim_start().len());
        }
        Some(places).filter(|places| !places.scalars.is_empty())
    }
}
