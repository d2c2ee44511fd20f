//! Layout of a diagram: each part has a width and heights above and below its track.

use super::block::{Block, BoxKind, label_font};
use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::text_width::{TextFont, estimate_width};

/// Width at which the parts go on in another row.
const ROW: i32 = 420;
/// Width of the widest part that is drawn.
const WIDEST: i32 = 1600;
/// Space between two parts.
const GAP: i32 = 14;
/// Space for the tracks at each side of a choice or a loop.
const SIDE: i32 = 20;
/// Half the height of a box.
const HALF: i32 = 13;

/// Size of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    width: i32,
    up: i32,
    down: i32,
}

/// Draws parts in as many rows as they need; `None` if a part is too wide.
pub(super) fn draw_rows(blocks: &[Block]) -> Option<Canvas> {
    let mut rows: Vec<Vec<(&Block, Extent)>> = vec![Vec::new()];
    let mut width = 0;
    for block in blocks {
        let extent = measure(block);
        if extent.width > WIDEST {
            return None;
        }
        if width > 0 && width + GAP + extent.width > ROW {
            rows.push(Vec::new());
            width = 0;
        }
        width += GAP + extent.width;
        rows.last_mut()?.push((block, extent));
    }
    let mut canvas = Canvas::default();
    let mut y = MARGIN;
    let count = rows.len();
    // End of the track of the row above: its position, and the bottom of the row.
    let mut above: Option<(i32, i32, i32)> = None;
    for (index, row) in rows.iter().enumerate() {
        let up = row.iter().map(|(_, extent)| extent.up).max().unwrap_or(0).max(HALF);
        let down = row.iter().map(|(_, extent)| extent.down).max().unwrap_or(0).max(HALF);
        let track = y + up;
        let mut x = MARGIN + 6;
        if let Some((end, end_y, bottom)) = above {
            let between = bottom + 8;
            canvas.track(&[
                (end, end_y),
                (end + 12, end_y),
                (end + 12, between),
                (x, between),
                (x, track),
                (x + GAP, track),
            ]);
        } else {
            canvas.dot((x, track), 5, Tone::Ink, true);
            canvas.track(&[(x, track), (x + GAP, track)]);
        }
        x += GAP;
        for (block, extent) in row {
            draw(&mut canvas, block, x, track);
            canvas.track(&[(x + extent.width, track), (x + extent.width + GAP, track)]);
            x += extent.width + GAP;
        }
        if index + 1 == count {
            canvas.dot((x + 5, track), 5, Tone::Ink, false);
        }
        above = Some((x, track, track + down));
        y = track + down + 16;
    }
    Some(canvas)
}

fn measure(block: &Block) -> Extent {
    match block {
        Block::Track => Extent { width: GAP, up: 2, down: 2 },
        Block::Label { text, kind } => {
            Extent { width: estimate_width(text, label_font(*kind)) + 18, up: HALF, down: HALF }
        }
        Block::Sequence(blocks) => {
            let mut whole = Extent::default();
            for extent in blocks.iter().map(measure) {
                whole.width = whole.width.saturating_add(extent.width + GAP);
                whole.up = whole.up.max(extent.up);
                whole.down = whole.down.max(extent.down);
            }
            Extent { width: whole.width - GAP, ..whole }
        }
        Block::Choice(blocks) => {
            let extents: Vec<Extent> = blocks.iter().map(measure).collect();
            let width = extents.iter().map(|extent| extent.width).max().unwrap_or(0) + 2 * SIDE;
            let up = extents.first().map_or(0, |first| first.up);
            let heights: i32 = extents.iter().map(|extent| extent.up + extent.down + 8).sum();
            Extent { width, up, down: (heights - up - 8).max(2) }
        }
        Block::Optional(block) => {
            let inner = measure(block);
            Extent { width: inner.width + 2 * SIDE, up: inner.up + 12, down: inner.down }
        }
        Block::Loop { block, times } => {
            let inner = measure(block);
            let label = if times.is_empty() { 0 } else { estimate_width(times, TextFont::Small) + 8 };
            let below = if times.is_empty() { 12 } else { 28 };
            Extent { width: inner.width.max(label) + 2 * SIDE, up: inner.up, down: inner.down + below }
        }
    }
}

/// Draws a part whose track begins at a point.
fn draw(canvas: &mut Canvas, block: &Block, x: i32, y: i32) {
    let extent = measure(block);
    let end = x + extent.width;
    match block {
        Block::Track => canvas.track(&[(x, y), (end, y)]),
        Block::Label { text, kind } => {
            draw_label(canvas, text, *kind, Frame { x, y: y - HALF, width: extent.width, height: 2 * HALF });
        }
        Block::Sequence(blocks) => {
            let mut at = x;
            for (index, block) in blocks.iter().enumerate() {
                if index > 0 {
                    canvas.track(&[(at, y), (at + GAP, y)]);
                    at += GAP;
                }
                draw(canvas, block, at, y);
                at += measure(block).width;
            }
        }
        Block::Choice(blocks) => draw_choice(canvas, blocks, (x, end), y),
        Block::Optional(inner) => {
            let top = y - extent.up + 2;
            canvas.track(&[
                (x, y),
                (x + SIDE / 2, y),
                (x + SIDE / 2, top),
                (end - SIDE / 2, top),
                (end - SIDE / 2, y),
                (end, y),
            ]);
            canvas.track(&[(x, y), (x + SIDE, y)]);
            canvas.track(&[(end - SIDE, y), (end, y)]);
            draw(canvas, inner, x + SIDE, y);
        }
        Block::Loop { block, times } => draw_loop(canvas, block, times, (x, end), y),
    }
}

fn draw_label(canvas: &mut Canvas, text: &str, kind: BoxKind, frame: Frame) {
    let look = match kind {
        BoxKind::Literal => FrameLook { radius: HALF, tone: Tone::Info, is_dashed: false, fill: 10 },
        BoxKind::Set => FrameLook { radius: 3, tone: Tone::Ink, is_dashed: false, fill: 6 },
        BoxKind::Place => FrameLook { radius: 3, tone: Tone::Soft, is_dashed: true, fill: 0 },
    };
    canvas.frame(frame, look);
    let middle = (frame.x + frame.width / 2, frame.y + frame.height / 2 + 4);
    canvas.text(middle, Align::Middle, label_font(kind), Tone::Ink, text);
}

fn draw_choice(canvas: &mut Canvas, blocks: &[Block], (x, end): (i32, i32), y: i32) {
    let mut track = y;
    let mut bottom = None;
    for block in blocks {
        let extent = measure(block);
        if let Some(above) = bottom {
            track = above + 8 + extent.up;
        }
        let inner_end = x + SIDE + extent.width;
        if track == y {
            canvas.track(&[(x, y), (x + SIDE, y)]);
            canvas.track(&[(inner_end, y), (end, y)]);
        } else {
            canvas.track(&[(x, y), (x + SIDE / 2, y), (x + SIDE / 2, track), (x + SIDE, track)]);
            canvas.track(&[(inner_end, track), (end - SIDE / 2, track), (end - SIDE / 2, y), (end, y)]);
        }
        draw(canvas, block, x + SIDE, track);
        bottom = Some(track + extent.down);
    }
}

/// Draws a part with the track back below it.
fn draw_loop(canvas: &mut Canvas, block: &Block, times: &str, (x, end): (i32, i32), y: i32) {
    let inner = measure(block);
    let start = x + (end - x - inner.width) / 2;
    canvas.track(&[(x, y), (start, y)]);
    draw(canvas, block, start, y);
    canvas.track(&[(start + inner.width, y), (end, y)]);
    let back = y + inner.down + 8;
    let (left, right) = (x + SIDE / 2, end - SIDE / 2);
    canvas.track(&[(right - 4, y), (right, y), (right, back), (left, back), (left, y), (left + 4, y)]);
    canvas.arrow_head((i32::midpoint(left, right) - 4, back), (-1, 0), Tone::Soft);
    if !times.is_empty() {
        canvas.text(
            (i32::midpoint(left, right), back + 15),
            Align::Middle,
            TextFont::Small,
            Tone::Soft,
            times,
        );
    }
}
