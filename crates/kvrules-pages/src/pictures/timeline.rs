//! Changes between versions: stricter or looser.

use crate::pictures::canvas::{Align, Canvas, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::shown_text;
use crate::pictures::text_width::{TextFont, fit_text};

/// A version of a schema or of rules, and its changes since the version before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineStep {
    /// The version.
    pub version: String,
    /// The changes; empty for the first version, and if both accept the same.
    pub changes: Vec<TimelineChange>,
}

/// A change between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineChange {
    /// The effect on objects.
    pub direction: ChangeDirection,
    /// The change in a few words.
    pub text: String,
}

/// The effect of a change on the objects that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeDirection {
    /// Objects that were accepted are rejected.
    Tightened,
    /// Objects that were rejected are accepted.
    Loosened,
    /// Both.
    Incomparable,
    /// It is not known.
    Unknown,
}

impl ChangeDirection {
    fn look(self) -> (&'static str, Tone) {
        match self {
            Self::Tightened => ("tightened", Tone::Fail),
            Self::Loosened => ("loosened", Tone::Pass),
            Self::Incomparable => ("tightened and loosened", Tone::Warn),
            Self::Unknown => ("unknown", Tone::Soft),
        }
    }
}

/// Most versions that are shown, the newest.
const MOST_STEPS: usize = 24;
/// Most changes of a version that are written out.
const MOST_CHANGES: usize = 8;
const ROW: i32 = 19;
const TEXT: i32 = 520;

/// Draws versions from top to bottom, the changes of each below it.
pub fn draw_timeline(steps: &[TimelineStep]) -> Picture {
    let mut canvas = Canvas::default();
    let left_out = steps.len().saturating_sub(MOST_STEPS);
    let mut y = MARGIN;
    if left_out > 0 {
        let line = format!("not shown: {left_out} earlier versions");
        canvas.text((MARGIN + 20, y + 12), Align::Start, TextFont::Small, Tone::Soft, &line);
        y += ROW;
    }
    let mut previous = None;
    for (index, step) in steps.iter().enumerate().skip(left_out) {
        let at = (MARGIN + 7, y + 9);
        if let Some(above) = previous {
            canvas.line(&[(at.0, above), (at.0, at.1 - 6)], Tone::Soft, 2);
        }
        canvas.dot(at, 5, Tone::Info, true);
        let version = fit_text(&shown_text(&step.version), TextFont::Words, TEXT);
        canvas.text((MARGIN + 20, y + 14), Align::Start, TextFont::Words, Tone::Ink, &version);
        previous = Some(at.1 + 6);
        y = draw_changes(&mut canvas, step, index == 0, y + ROW + 2) + 8;
    }
    canvas.finish("Changes between versions".to_owned(), describe_steps(steps, left_out))
}

fn draw_changes(canvas: &mut Canvas, step: &TimelineStep, is_first: bool, mut y: i32) -> i32 {
    if step.changes.is_empty() && !is_first {
        canvas.text(
            (MARGIN + 20, y + 12),
            Align::Start,
            TextFont::Small,
            Tone::Soft,
            "accepts the same objects",
        );
        return y + ROW;
    }
    for change in step.changes.iter().take(MOST_CHANGES) {
        let (word, tone) = change.direction.look();
        let x = MARGIN + 20;
        match change.direction {
            ChangeDirection::Tightened => triangle(canvas, (x + 5, y + 8), -1, tone),
            ChangeDirection::Loosened => triangle(canvas, (x + 5, y + 8), 1, tone),
            _ => canvas.dot((x + 5, y + 8), 3, tone, false),
        }
        let text = format!("{word}: {}", shown_text(&change.text));
        canvas.text(
            (x + 16, y + 12),
            Align::Start,
            TextFont::Words,
            Tone::Ink,
            &fit_text(&text, TextFont::Words, TEXT),
        );
        y += ROW;
    }
    let more = step.changes.len().saturating_sub(MOST_CHANGES);
    if more > 0 {
        canvas.text(
            (MARGIN + 36, y + 12),
            Align::Start,
            TextFont::Small,
            Tone::Soft,
            &format!("and {more} more changes"),
        );
        y += ROW;
    }
    y
}

/// Two arrow heads: towards each other if less is accepted, apart if more is.
fn triangle(canvas: &mut Canvas, (x, y): (i32, i32), outward: i32, tone: Tone) {
    if outward > 0 {
        canvas.arrow_head((x + 8, y), (1, 0), tone);
        canvas.arrow_head((x - 8, y), (-1, 0), tone);
    } else {
        canvas.arrow_head((x, y), (1, 0), tone);
        canvas.arrow_head((x, y), (-1, 0), tone);
    }
}

fn describe_steps(steps: &[TimelineStep], left_out: usize) -> String {
    let mut sentences = Vec::new();
    if left_out > 0 {
        sentences.push(format!("{left_out} earlier versions are not shown."));
    }
    for (index, step) in steps.iter().enumerate().skip(left_out) {
        let changes = step.changes.iter().take(MOST_CHANGES);
        let changes: Vec<String> = changes
            .map(|change| format!("{}: {}", change.direction.look().0, shown_text(&change.text)))
            .collect();
        let more = step.changes.len().saturating_sub(MOST_CHANGES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let version = shown_text(&step.version);
        sentences.push(match (changes.as_slice(), index) {
            ([], 0) => format!("{version} is the first version."),
            ([], _) => format!("{version} accepts the same objects."),
            (changes, _) => format!("{version}: {}{more}.", changes.join("; ")),
        });
    }
    sentences.join(" ")
}
