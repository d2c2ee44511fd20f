//! YAML with the tags of Go templates or of Jinja in it, read without rendering it.
//!
//! [`Template::from_source`] finds the tags and overwrites them, byte for byte, with text that YAML can take: an expression inside
//! a value becomes a `${…}` without a value, which every later stage takes for unknown, and a tag that stands alone on its line
//! becomes nothing. Since no byte moves, all positions are those of the file. What the tags leave open is kept next to the
//! tree: [`Node::is_templated`](crate::Node::is_templated) and [`Node::is_open`](crate::Node::is_open) report.
//!
//! A text that is YAML as it is written is read so, and its tags are unknown parts of the scalars that they are in. Tags in comments,
//! descriptions and other prose are plain text; a text that has no others is plain YAML.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::templated::Template;
//!
//! let text = "cores: {{ item.cores }}\n{% if item.fast %}\npolicy: auto\n{% endif %}\n";
//! let template = Template::from_source(text).unwrap();
//! let stream = template.parse(FileId(0));
//! let root = stream.documents[0].root().unwrap();
//! assert!(root.get("cores").unwrap().is_templated());
//! assert_eq!(&text[root.get("policy").unwrap().span().to_range()], "auto");
//! assert!(root.get("policy").unwrap().is_templated());
//! ```

pub(crate) mod blocks;
pub(crate) mod lexer;
pub(crate) mod mask;
mod regions;
mod scan;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use kvrules_diagnostics::Span;

use crate::{Problem, ProblemKind};
use blocks::BlockArms;
use lexer::{Tag, TagRole};

/// A text with template tags.
#[derive(Clone, Debug)]
pub struct Template {
    /// The text as it is written.
    pub(crate) written: String,
    pub(crate) masked: String,
    regions: Vec<Region>,
    blocks: BlockArms,
    unclosed: Option<Range<usize>>,
    /// True if the text is YAML with its tags, all of which are in scalars.
    pub(crate) is_in_scalars: bool,
    /// A digest of the tags as they are written.
    digest: u64,
}

/// A part of the text that a tag takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The bytes of the tag; of a condition on one line, all of it.
    pub range: Range<usize>,
    /// Kind of content that may be rendered.
    pub kind: RegionKind,
    /// Start of the condition or the loop that it ends, or one of whose alternatives it ends.
    pub(crate) ends: Option<usize>,
    /// Start of the blank bytes before it.
    pub(crate) from: usize,
    /// The line, or lines, that it is on.
    pub(crate) lines: Range<usize>,
    /// The scalar beyond which it has no effect.
    pub(crate) scope: Option<Range<usize>>,
}

/// Content that may be rendered in the place of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// A part of one value.
    Value,
    /// Anything: keys, items, whole documents, or nothing.
    Structure,
    /// Nothing.
    Nothing,
}

impl Template {
    /// The template of a text whose tags are overwritten.
    pub(crate) fn with_regions(
        text: &str,
        (masked, regions): (String, Vec<Region>),
        blocks: BlockArms,
        tags: &[Tag],
        is_in_scalars: bool,
    ) -> Self {
        let unclosed = tags.iter().find(|tag| tag.role == TagRole::Unclosed).map(|tag| tag.range.clone());
        let mut digest = DefaultHasher::new();
        for region in &regions {
            text.get(region.range.clone()).hash(&mut digest);
        }
        let digest = digest.finish();
        Self { written: text.to_owned(), masked, regions, blocks, unclosed, is_in_scalars, digest }
    }

    /// The text with its tags overwritten.
    pub fn masked_text(&self) -> &str {
        &self.masked
    }

    /// The parts that tags take, in their order.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The first tag that opens and never closes.
    pub fn unclosed_tag(&self) -> Option<Range<usize>> {
        self.unclosed.clone()
    }

    /// Leaves out problems that may come from the tags alone.
    pub(crate) fn keep_reported(&self, problems: &mut Vec<Problem>) {
        problems.retain(|problem| {
            let spans = [Some(problem.span), problem.related];
            let spans = || spans.into_iter().flatten();
            let is_structure = !matches!(problem.kind, ProblemKind::JsonEscape | ProblemKind::DuplicateKey);
            self.are_together(spans()) && spans().all(|span| !self.is_near(span, is_structure))
        });
    }

    /// True if a tag touches a place, or, for what depends on the text around it, if the place is next to a tag that
    /// may be anything.
    fn is_near(&self, span: Span, beside: bool) -> bool {
        let (start, end) = (span.start as usize, span.end as usize);
        let margin = usize::from(beside);
        let mut touching = self.regions_touching(start.saturating_sub(margin), end + margin);
        touching.next().is_some() || (beside && self.stands_beside(start, end))
    }
}

#[cfg(test)]
mod tests;
