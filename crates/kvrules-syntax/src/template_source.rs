//! Finds out if a text is a template, and reads it.
//!
//! This is above the parsers: the scalars of a text are known only after it was parsed with its tags.

mod scalars;
mod written;

use crate::templated::Template;
use crate::templated::blocks::BlockArms;
use crate::templated::lexer::{self, Tag, TagRole};
use crate::templated::mask;

impl Template {
    /// The template that a text is; none if it has no tags outside of comments.
    pub fn from_source(text: &str) -> Option<Self> {
        if !text.contains("{{") && !text.contains("{%") {
            return None;
        }
        let tags = lexer::find_tags(text);
        if !have_effect(text, &tags) {
            return None;
        }
        match scalars::TagPlaces::of_yaml(text, &tags) {
            Some(places) if places.are_in_scalars(&tags) => Self::from_scalars(text, tags, &places),
            places => Self::from_structure(text, tags, places.as_ref()),
        }
    }

    /// The template of a text that is YAML with its tags; none if they are plain text.
    fn from_scalars(text: &str, mut tags: Vec<Tag>, places: &scalars::TagPlaces) -> Option<Self> {
        tags.retain(|tag| places.is_rendered(text, tag));
        if tags.is_empty() {
            return None;
        }
        let blocks = BlockArms::from_tags(&tags, text.len(), |at| places.scalar_at(at));
        let (masked, mut regions) = mask::mask_in_place(text, &tags, &blocks, |at| places.scalar_at(at))?;
        for region in &mut regions {
            region.scope = places.scalar_at(region.range.start);
        }
        Some(Self::with_regions(text, (masked, regions), blocks, &tags, true))
    }

    /// The template of a text whose tags stand for keys, items or lines.
    fn from_structure(text: &str, mut tags: Vec<Tag>, places: Option<&scalars::TagPlaces>) -> Option<Self> {
        tags.retain(|tag| places.is_none_or(|places| !places.is_comment(tag)));
        let scalar_at = |at: usize| places.and_then(|places| places.scalar_at(at));
        let blocks = BlockArms::from_tags(&tags, text.len(), scalar_at);
        let (masked, mut regions) = mask::mask_tags(text, &tags, &blocks)?;
        scalars::confine_regions(&masked, &tags, &blocks, &mut regions);
        Some(Self::with_regions(text, (masked, regions), blocks, &tags, false))
    }
}

/// True if any of the tags is outside of comments.
fn have_effect(text: &str, tags: &[Tag]) -> bool {
    let (mut line, mut seen) = (0, 0);
    tags.iter().any(|tag| {
        let at = tag.range.start;
        // Search from the previous tag on, because a line may have many tags.
        line = text.get(seen..at).and_then(|rest| rest.rfind('\n')).map_or(line, |found| seen + found + 1);
        seen = at;
        let in_comment = || text.get(line..at).is_some_and(|before| before.trim_start().starts_with('#'));
        tag.role != TagRole::Unclosed && !in_comment()
    })
}
