//! Finds the parts of a file outside of its rules.

use kvrules::SourceFile;
use kvrules_elaborate::annotation;
use kvrules_syntax::{
    Document, Node, NodeStyle, markdown::find_fenced_blocks, parse_stream, templated::Template,
};

/// The pieces of a text between the values of its annotations. White space at the border of a value belongs to neither.
pub fn text_outside_annotations(source: &SourceFile) -> Vec<String> {
    let text = source.text();
    let mut values = Vec::new();
    let mut look = |documents: &[Document<'_>]| {
        for document in documents {
            let found = annotation::find_annotations(document);
            values.extend(
                found
                    .iter()
                    .filter(|found| !found.value.is_alias())
                    .map(|found| value_extent(text, found.value)),
            );
        }
    };
    if source.name().ends_with(".md") {
        for block in find_fenced_blocks(text) {
            look(&block.parse(source.id()).documents);
        }
    } else if let Some(template) = Template::from_source(text).filter(|_| !source.name().ends_with(".json")) {
        look(&template.parse(source.id()).documents);
    } else {
        look(&parse_stream(source.id(), text).documents);
    }
    values.sort_unstable();
    values.dedup();
    let mut pieces = Vec::new();
    let mut at = 0;
    for (start, end) in values {
        pieces.extend(text.get(at..start).map(|piece| piece.trim_end_matches(BORDER).to_owned()));
        at = end.max(at);
    }
    pieces.extend(text.get(at..).map(str::to_owned));
    pieces
}

const BORDER: [char; 5] = [' ', '\t', '\r', '\n', '>'];

/// From where to where a value goes; behind a block, to the end of its line.
fn value_extent(text: &str, value: Node<'_>) -> (usize, usize) {
    let range = value.span().to_range();
    let rest = text.get(range.end..).unwrap_or_default();
    let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let is_block = matches!(value.style(), NodeStyle::Literal | NodeStyle::Folded);
    (range.start, range.end + if is_block { line } else { 0 })
}
