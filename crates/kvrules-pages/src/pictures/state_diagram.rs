//! Allowed changes of a value as a state diagram.

use std::collections::BTreeMap;

use kvrules_diagnostics::join_words;

use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::{shown_text, to_coordinate};
use crate::pictures::text_width::{TextFont, estimate_width, fit_text};

/// The values of a field, and the changes between them that an update may make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDiagram {
    /// The allowed changes, from one value to another.
    pub changes: Vec<(String, String)>,
    /// The values that a new object may have; empty if it may have any.
    pub initial: Vec<String>,
    /// True if a value may stay as it is.
    pub may_stay: bool,
}

/// Most values that are drawn.
const MOST_STATES: usize = 16;
/// Most changes that are drawn.
const MOST_CHANGES: usize = 40;
const LABEL: i32 = 180;
/// Distance of the tops of two boxes.
const STEP: i32 = 58;
const HEIGHT: i32 = 28;
/// Distance of two lanes for arrows.
const LANE: i32 = 14;

/// An arrow between two boxes.
#[derive(Clone, Copy, Debug)]
struct Arrow {
    from: usize,
    to: usize,
    /// Number of the lane that it takes on its side; unset if it goes straight down.
    lane: Option<i32>,
}

/// Draws values as boxes below each other: arrows down are at the right, arrows up at the left.
pub fn draw_state_diagram(diagram: &StateDiagram) -> Picture {
    let title = "Allowed changes of the value".to_owned();
    let states = order_states(diagram);
    let changes = diagram.changes.iter().filter(|(from, to)| from != to).count();
    if states.len() > MOST_STATES || changes > MOST_CHANGES {
        let mut canvas = Canvas::default();
        let line = format!("{} values with {changes} changes: too many for a diagram", states.len());
        canvas.text((MARGIN, MARGIN + 13), Align::Start, TextFont::Words, Tone::Soft, &line);
        return canvas.finish(title, format!("{line}."));
    }
    let arrows = plan_arrows(diagram, &states);
    let lanes = |goes_up: bool| {
        let lanes =
            arrows.iter().filter(|arrow| (arrow.from > arrow.to) == goes_up).filter_map(|arrow| arrow.lane);
        lanes.max().map_or(0, |lane| lane + 1)
    };
    let (left_lanes, right_lanes) = (lanes(true), lanes(false));
    let labels: Vec<String> =
        states.iter().map(|state| fit_text(&label_of(state), TextFont::Code, LABEL)).collect();
    let width = labels.iter().map(|label| estimate_width(label, TextFont::Code)).max().unwrap_or(0) + 24;
    let mut canvas = Canvas::default();
    let x = MARGIN + 22 + left_lanes * LANE;
    for (index, (state, label)) in states.iter().zip(&labels).enumerate() {
        let y = MARGIN + to_coordinate(index) * STEP;
        let is_last = !diagram.changes.iter().any(|(from, to)| from == state && to != state);
        let look = FrameLook { radius: 14, tone: Tone::Ink, is_dashed: false, fill: 6 };
        canvas.frame(Frame { x, y, width, height: HEIGHT }, look);
        if is_last {
            canvas.frame(
                Frame { x: x + 3, y: y + 3, width: width - 6, height: HEIGHT - 6 },
                FrameLook { fill: 0, radius: 11, ..look },
            );
        }
        canvas.text((x + width / 2, y + 18), Align::Middle, TextFont::Code, Tone::Ink, label);
        if diagram.initial.contains(state) {
            // Between the lanes of other arrows and the box there is room for the start.
            canvas.dot((x - 18, y + HEIGHT / 2), 4, Tone::Info, true);
            canvas.arrow_head((x, y + HEIGHT / 2), (1, 0), Tone::Info);
        }
    }
    for arrow in &arrows {
        draw_arrow(&mut canvas, arrow, x, width);
    }
    let mut y = MARGIN + to_coordinate(states.len()) * STEP;
    for line in legend(diagram) {
        canvas.text((MARGIN, y), Align::Start, TextFont::Small, Tone::Soft, line);
        y += 17;
    }
    // Lanes at the right have no labels, so the picture must be told to be as wide as they are.
    canvas.line(&[(x + width + 10 + right_lanes * LANE, MARGIN)], Tone::Soft, 1);
    canvas.finish(title, describe_states(diagram, &states))
}

fn label_of(state: &str) -> String {
    if state.is_empty() { "\"\"".to_owned() } else { shown_text(state) }
}

/// The values: those of new objects first, each other one after a value that leads to it.
fn order_states(diagram: &StateDiagram) -> Vec<String> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in &diagram.changes {
        next.entry(from).or_default().push(to);
    }
    let mut ordered: Vec<&str> = Vec::new();
    let is_target = |state: &str| diagram.changes.iter().any(|(from, to)| to == state && from != state);
    let sources = diagram.changes.iter().map(|(from, _)| from.as_str()).filter(|state| !is_target(state));
    let all = diagram.changes.iter().flat_map(|(from, to)| [from.as_str(), to.as_str()]);
    for start in diagram.initial.iter().map(String::as_str).chain(sources).chain(all) {
        if !ordered.contains(&start) {
            let mut at = ordered.len();
            ordered.push(start);
            while let Some(state) = ordered.get(at).copied() {
                for follower in next.get(state).into_iter().flatten() {
                    if !ordered.contains(follower) && ordered.len() <= MOST_STATES {
                        ordered.push(follower);
                    }
                }
                at += 1;
            }
        }
        if ordered.len() > MOST_STATES {
            break;
        }
    }
    ordered.into_iter().map(str::to_owned).collect()
}

/// The arrows with their lanes: shorter ones are nearer to the boxes.
fn plan_arrows(diagram: &StateDiagram, states: &[String]) -> Vec<Arrow> {
    let place = |state: &String| states.iter().position(|known| known == state);
    let ends = diagram.changes.iter().filter_map(|(from, to)| Some((place(from)?, place(to)?)));
    let mut ends: Vec<(usize, usize)> = ends.filter(|(from, to)| from != to).collect();
    ends.sort_unstable_by_key(|(from, to)| (from.abs_diff(*to), *from, *to));
    ends.dedup();
    let (mut down, mut up) = (0, 0);
    let arrow = |(from, to): (usize, usize)| {
        let lane = if to == from + 1 {
            None
        } else {
            let next = if to > from { &mut down } else { &mut up };
            *next += 1;
            Some(*next - 1)
        };
        Arrow { from, to, lane }
    };
    ends.into_iter().map(arrow).collect()
}

fn draw_arrow(canvas: &mut Canvas, arrow: &Arrow, x: i32, width: i32) {
    let top = |state: usize| MARGIN + to_coordinate(state) * STEP;
    let Some(lane) = arrow.lane else {
        let middle = x + width / 2;
        canvas.line(&[(middle, top(arrow.from) + HEIGHT), (middle, top(arrow.to) - 2)], Tone::Ink, 1);
        return canvas.arrow_head((middle, top(arrow.to)), (0, 1), Tone::Ink);
    };
    // Arrows leave above the middle of a box and arrive below it, each a little apart from the next.
    let shift = lane.min(1) * 3;
    let (leaves, arrives) = (top(arrow.from) + 5 + shift, top(arrow.to) + HEIGHT - 5 - shift);
    let (side, edge) = if arrow.to > arrow.from { (1, x + width) } else { (-1, x) };
    let lane_x = edge + side * (22 + lane * LANE - if side > 0 { 8 } else { 0 });
    canvas.line(
        &[(edge, leaves), (lane_x, leaves), (lane_x, arrives), (edge + side * 2, arrives)],
        Tone::Ink,
        1,
    );
    canvas.arrow_head((edge, arrives), (-side, 0), Tone::Ink);
}

fn legend(diagram: &StateDiagram) -> Vec<&'static str> {
    let mut lines = vec!["double border: no change is allowed any more"];
    if !diagram.initial.is_empty() {
        lines.push("dot with arrow: value of a new object");
    }
    lines.push(if diagram.may_stay {
        "a value may also stay as it is"
    } else {
        "a value may not stay as it is"
    });
    lines
}

fn describe_states(diagram: &StateDiagram, states: &[String]) -> String {
    let mut sentences = Vec::new();
    if !diagram.initial.is_empty() {
        let initial: Vec<String> = diagram.initial.iter().map(|state| label_of(state)).collect();
        sentences.push(format!("A new object has {}.", initial.join(" or ")));
    }
    for state in states {
        let followers = diagram.changes.iter().filter(|(from, to)| from == state && to != state);
        let mut followers: Vec<String> = followers.map(|(_, to)| label_of(to)).collect();
        followers.dedup();
        let from = label_of(state);
        sentences.push(match followers.as_slice() {
            [] => format!("{from} cannot change any more."),
            followers => format!("{from} may change to {}.", join_words(followers, "or")),
        });
    }
    if diagram.may_stay {
        sentences.push("A value may also stay as it is.".to_owned());
    }
    sentences.join(" ")
}
