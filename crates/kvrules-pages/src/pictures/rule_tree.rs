//! The rules on a tree of fields.

use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::{shown_text, to_coordinate};
use crate::pictures::text_width::{TextFont, estimate_width, fit_text};

/// A field of a tree. Fields are listed as a reader meets them: each after its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeField {
    /// Its depth, 0 for the object.
    pub depth: usize,
    /// Its name.
    pub name: String,
    /// The rules at it, in a few words each.
    pub rules: Vec<String>,
}

/// Most fields that are drawn.
const MOST_FIELDS: usize = 80;
/// Most rules of a field that are written out.
const MOST_RULES: usize = 3;
/// Levels that are indented.
const DEEPEST: usize = 10;
const ROW: i32 = 20;
const INDENT: i32 = 16;
const NAME: i32 = 220;
const RULE: i32 = 520;

/// Draws the fields that have rules, and those that lead to them.
pub fn draw_rule_tree(fields: &[TreeField]) -> Picture {
    let mut canvas = Canvas::default();
    let mut y = MARGIN;
    let kept: Vec<&TreeField> = fields_with_rules(fields);
    // The baseline of the last field of each level, to which its children are joined.
    let mut parents: Vec<i32> = Vec::new();
    for field in kept.iter().take(MOST_FIELDS) {
        let depth = field.depth.min(DEEPEST);
        parents.truncate(depth);
        let x = MARGIN + to_coordinate(depth) * INDENT;
        if let Some(parent) = parents.last() {
            canvas.line(
                &[(x - INDENT + 5, *parent + 6), (x - INDENT + 5, y + 10), (x - 3, y + 10)],
                Tone::Soft,
                1,
            );
        }
        y = draw_field(&mut canvas, field, (x, y));
        parents.resize(depth, y - ROW + 10);
        parents.push(y - ROW * rows_of(field) + 10);
    }
    let left_out = kept.len().saturating_sub(MOST_FIELDS);
    if left_out > 0 {
        let line = format!("not shown: {left_out} more fields with rules");
        canvas.text((MARGIN, y + 13), Align::Start, TextFont::Small, Tone::Soft, &line);
    }
    let sentences = kept.iter().take(MOST_FIELDS).filter(|field| !field.rules.is_empty()).map(|field| {
        let rules: Vec<String> = field.rules.iter().take(MOST_RULES).map(|rule| shown_text(rule)).collect();
        format!("{}: {}{}.", shown_text(&field.name), rules.join("; "), more_words(field))
    });
    let description = sentences.collect::<Vec<_>>().join(" ");
    canvas.finish("Rules on the tree of fields".to_owned(), description)
}

/// The fields with rules and their parents.
fn fields_with_rules(fields: &[TreeField]) -> Vec<&TreeField> {
    // Depth of the last field that was kept, whose parent is needed too.
    let mut needed = 0;
    let mut kept = Vec::new();
    for field in fields.iter().rev() {
        if !field.rules.is_empty() || field.depth < needed {
            needed = field.depth;
            kept.push(field);
        }
    }
    kept.reverse();
    kept
}

fn rows_of(field: &TreeField) -> i32 {
    to_coordinate(field.rules.len().clamp(1, MOST_RULES))
}

fn more_words(field: &TreeField) -> String {
    let more = field.rules.len().saturating_sub(MOST_RULES);
    if more == 0 { String::new() } else { format!(" and {more} more") }
}

/// Draws a field with its rules at the right, and returns the top of the next one.
fn draw_field(canvas: &mut Canvas, field: &TreeField, (x, y): (i32, i32)) -> i32 {
    let name = fit_text(&shown_text(&field.name), TextFont::Code, NAME);
    canvas.dot(
        (x + 5, y + 10),
        3,
        if field.rules.is_empty() { Tone::Soft } else { Tone::Info },
        !field.rules.is_empty(),
    );
    canvas.text((x + 14, y + 14), Align::Start, TextFont::Code, Tone::Ink, &name);
    let rules_x = x + 14 + estimate_width(&name, TextFont::Code) + 12;
    let last = field.rules.len().min(MOST_RULES);
    for (index, rule) in field.rules.iter().take(MOST_RULES).enumerate() {
        let top = y + to_coordinate(index) * ROW;
        let more = if index + 1 == last { more_words(field) } else { String::new() };
        let text = fit_text(&shown_text(rule), TextFont::Words, RULE) + &more;
        let width = estimate_width(&text, TextFont::Words) + 12;
        canvas.frame(
            Frame { x: rules_x, y: top + 1, width, height: ROW - 2 },
            FrameLook { radius: 4, tone: Tone::Info, is_dashed: false, fill: 8 },
        );
        canvas.text((rules_x + 6, top + 14), Align::Start, TextFont::Words, Tone::Ink, &text);
    }
    y + ROW * rows_of(field)
}
