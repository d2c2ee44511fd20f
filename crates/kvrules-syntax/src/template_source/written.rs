//! Reads texts with tags: as placeholders where rules are read, and as they are written where people read them.

use std::borrow::Cow;
use std::ops::Range;

use kvrules_diagnostics::FileId;

use crate::templated::blocks::BlockArms;
use crate::templated::{Template, lexer, mask};
use crate::{
    Document, Node, NodeStyle, Notation, TemplateParameter,
    document::{NodePayload, NodeText},
    find_parameters, parse_yaml,
};

impl Template {
    /// True if the text is YAML with its tags.
    pub(crate) fn is_in_scalars(&self) -> bool {
        self.is_in_scalars
    }

    /// The text as it is written.
    pub(crate) fn written_text(&self) -> &str {
        &self.written
    }

    /// Overwrites the tags in the scalars of a document that was read with them, and notes the template if it has any.
    pub(crate) fn overwrite_tags<'s>(&'s self, document: &mut Document<'s>) {
        let base = document.map.to_file(0) as usize;
        let range = base..base + document.text.len();
        let (first, last) = match (document.nodes.first(), document.nodes.iter().map(|it| it.end).max()) {
            (Some(first), Some(last)) => (first.start as usize, last as usize),
            _ => return,
        };
        if self.regions_touching(first, last).next().is_none() {
            return;
        }
        if let Some(masked) = self.masked.get(range) {
            document.text = Cow::Borrowed(masked);
        }
        for node in &mut document.nodes {
            node.may_refer = true;
            let NodePayload::Text(NodeText::Side { start, len }) = node.payload else { continue };
            if self.regions_touching(node.start as usize, node.end as usize).next().is_none() {
                continue;
            }
            let place = start as usize..(start + len) as usize;
            let masked = document.side.get(place.clone()).and_then(mask_text);
            if let Some(masked) = masked {
                document.side.replace_range(place, &masked);
            }
        }
        document.template = Some(self);
    }

    /// The text of a scalar with its tags as they are written, if it can be read so.
    pub(crate) fn written_scalar(&self, node: Node<'_>) -> Option<String> {
        let span = node.span().to_range();
        let style = node.style();
        let text = match style {
            NodeStyle::Literal | NodeStyle::Folded => return self.written_block(node),
            _ => self.written.get(span)?,
        };
        if style == NodeStyle::Plain && !text.contains('\n') {
            return Some(text.to_owned());
        }
        let documents = parse_yaml(FileId(0), text, 0);
        let root = documents.first().filter(|it| it.problems().is_empty()).and_then(Document::root)?;
        (documents.len() == 1 && !root.is_container()).then(|| root.text().to_owned())
    }

    /// The text of a block scalar, whose lines are read again.
    fn written_block(&self, node: Node<'_>) -> Option<String> {
        let span = node.span().to_range();
        let start = self.written.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
        let lines = self.written.get(start..span.end)?;
        let header = if node.style() == NodeStyle::Literal { "|\n" } else { ">\n" };
        let text = format!("- {header}{}", indent_lines(lines));
        let documents = parse_yaml(FileId(0), &text, 0);
        let root = documents.first().filter(|it| it.problems().is_empty()).and_then(Document::root)?;
        let item = root.items().next().filter(|item| !item.is_container() && documents.len() == 1)?;
        let read = item.text();
        let ending = node.text().len() - node.text().trim_end_matches('\n').len();
        Some(format!("{}{}", read.trim_end_matches('\n'), "\n".repeat(ending)))
    }
}

impl<'d> Node<'d> {
    /// The text of a scalar with its template tags as they are written, where [`Node::text`] has placeholders.
    pub fn text_with_tags(self) -> Cow<'d, str> {
        let text = self.text();
        let Some(template) = self.document.template().filter(|_| self.has_tags()) else {
            return Cow::Borrowed(text);
        };
        // The text of JSON in a scalar is written with the escapes of two notations.
        if self.notation() == Notation::Yaml
            && let Some(written) = template.written_scalar(self)
        {
            return Cow::Owned(written);
        }
        let tags: Vec<&str> = template.values_in(self.span()).collect();
        let is_mask = |parameter: &TemplateParameter<'_>| parameter.name.bytes().all(|byte| byte == b'_');
        let places: Vec<Range<usize>> =
            find_parameters(text).filter(is_mask).map(|found| found.range).collect();
        // Placeholders come in the order of their tags. If they cannot be paired, the text is kept as it was read.
        if tags.is_empty() || tags.len() != places.len() {
            return Cow::Borrowed(text);
        }
        let (mut restored, mut at) = (String::new(), 0);
        for (place, tag) in places.into_iter().zip(tags) {
            restored.push_str(text.get(at..place.start).unwrap_or_default());
            restored.push_str(tag);
            at = place.end;
        }
        restored.push_str(text.get(at..).unwrap_or_default());
        Cow::Owned(restored)
    }
}

/// The lines with more indentation, since a block at the start of a text may have none.
fn indent_lines(lines: &str) -> String {
    lines
        .lines()
        .map(|line| if line.trim().is_empty() { "\n".to_owned() } else { format!("  {line}\n") })
        .collect()
}

/// The text of a scalar with its tags overwritten; none if it has none.
fn mask_text(text: &str) -> Option<String> {
    let tags = lexer::find_tags(text);
    let blocks = BlockArms::from_tags(&tags, text.len(), |_| None);
    mask::mask_in_place(text, &tags, &blocks, |_| Some(0..text.len())).map(|(masked, _)| masked)
}
