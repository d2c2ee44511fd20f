//! Bounds as a number line: the values that pass, and next to each bound a value that fails.

use std::cmp::Ordering;

use kvrules_diagnostics::join_words;

use crate::pictures::canvas::{Align, Canvas, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::shown_text;
use crate::pictures::text_width::{TextFont, estimate_width, fit_text};

/// Bounds of a value, with values on both sides of each. Values are texts, since quantities have units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberLine {
    /// The least value.
    pub lower: Option<NumberBound>,
    /// The greatest value.
    pub upper: Option<NumberBound>,
    /// Values next to the bounds, in ascending order.
    pub points: Vec<LinePoint>,
    /// Unit that is counted, such as `characters`; empty for the value itself.
    pub unit: String,
}

/// A bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberBound {
    /// The value.
    pub value: String,
    /// True if the value itself passes.
    pub is_included: bool,
}

/// A value next to a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePoint {
    /// The value.
    pub value: String,
    /// Its place: below the lower bound, between both, or above the upper bound.
    pub side: Ordering,
}

/// The widest label.
const LABEL: i32 = 120;
/// Space between two labels.
const GAP: i32 = 18;
/// The line is below the labels.
const LINE_Y: i32 = 40;

impl NumberLine {
    /// Creates the line of integers from bounds that pass, with the neighbour of each bound that fails. `floor` is the least
    /// value that exists, such as 0 for lengths: nothing below it is shown.
    pub fn from_integers(lower: Option<i64>, upper: Option<i64>, floor: Option<i64>, unit: &str) -> Self {
        let exists = |value: &i64| floor.is_none_or(|floor| *value >= floor);
        let lower = lower.filter(|lower| floor.is_none_or(|floor| *lower > floor));
        let below = lower.and_then(|lower| lower.checked_sub(1)).filter(exists);
        let above = upper.and_then(|upper| upper.checked_add(1)).filter(exists);
        let point = |value: i64, side| LinePoint { value: value.to_string(), side };
        // Contradictory bounds allow nothing, so there is no line to draw.
        if lower.zip(upper).is_some_and(|(lower, upper)| lower > upper) {
            return Self::default();
        }
        let points = [
            below.map(|value| point(value, Ordering::Less)),
            above.map(|value| point(value, Ordering::Greater)),
        ];
        let bound = |value: i64| NumberBound { value: value.to_string(), is_included: true };
        Self {
            lower: lower.map(bound),
            upper: upper.map(bound),
            points: points.into_iter().flatten().collect(),
            unit: unit.to_owned(),
        }
    }

    /// True if there is something to draw.
    pub fn has_bounds(&self) -> bool {
        self.lower.is_some() || self.upper.is_some()
    }

    fn values_on(&self, side: Ordering) -> impl Iterator<Item = String> {
        self.points.iter().filter(move |point| point.side == side).map(|point| shown_text(&point.value))
    }

    /// The marks from left to right.
    fn marks(&self) -> Vec<Mark> {
        let mark = |value: String, passes: bool| Mark { value, passes, bound: None };
        let bound = |bound: &NumberBound, side: Side| Mark {
            value: shown_text(&bound.value),
            passes: bound.is_included,
            bound: Some(side),
        };
        let mut marks: Vec<Mark> = self.values_on(Ordering::Less).map(|value| mark(value, false)).collect();
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) if lower.value == upper.value => {
                let passes = lower.is_included && upper.is_included;
                marks.push(Mark { passes, ..bound(lower, Side::Both) });
            }
            (lower, upper) => {
                marks.extend(lower.as_ref().map(|lower| bound(lower, Side::Lower)));
                marks.extend(self.values_on(Ordering::Equal).map(|value| mark(value, true)));
                marks.extend(upper.as_ref().map(|upper| bound(upper, Side::Upper)));
            }
        }
        marks.extend(self.values_on(Ordering::Greater).map(|value| mark(value, false)));
        marks
    }

    /// Everything that the picture shows, in sentences.
    fn description(&self) -> String {
        let (passing, failing): (Vec<Mark>, Vec<Mark>) =
            self.marks().into_iter().partition(|mark| mark.passes);
        let bound = |bound: &NumberBound, included: &str, excluded: &str| {
            format!("{} {}", if bound.is_included { included } else { excluded }, shown_text(&bound.value))
        };
        let range = match (&self.lower, &self.upper) {
            (Some(lower), Some(upper))
                if lower.is_included && upper.is_included && lower.value == upper.value =>
            {
                format!("exactly {}", shown_text(&lower.value))
            }
            (Some(lower), Some(upper)) if lower.is_included && upper.is_included => {
                format!("{} to {}", shown_text(&lower.value), shown_text(&upper.value))
            }
            (lower, upper) => {
                let lower = lower.as_ref().map(|lower| bound(lower, "at least", "more than"));
                let upper = upper.as_ref().map(|upper| bound(upper, "at most", "less than"));
                join_words(&lower.into_iter().chain(upper).collect::<Vec<_>>(), "and")
            }
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let verb = |count: usize| if count == 1 { "is" } else { "are" };
        let values =
            |marks: &[Mark]| join_words(&marks.iter().map(|mark| &mark.value).collect::<Vec<_>>(), "and");
        let mut range = format!("{range}{unit}.");
        if let Some(first) = range.get(..1).map(str::to_uppercase) {
            range.replace_range(..1, &first);
        }
        let inner: Vec<Mark> = passing.into_iter().filter(|mark| mark.bound.is_none()).collect();
        let inner = (!inner.is_empty()).then(|| format!("For example {}.", values(&inner)));
        let failing =
            (!failing.is_empty()).then(|| format!("{} {} outside.", values(&failing), verb(failing.len())));
        let sentences = std::iter::once(range).chain(inner).chain(failing);
        sentences.chain(std::iter::once("Not to scale.".to_owned())).collect::<Vec<_>>().join(" ")
    }
}

/// A value on the line.
#[derive(Clone, Debug)]
struct Mark {
    value: String,
    passes: bool,
    /// The bound that it is.
    bound: Option<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
    Both,
}

/// Draws bounds as a number line: a dot for a value that passes, a cross for one that fails. Positions are in order, not to scale.
pub fn draw_number_line(line: &NumberLine) -> Picture {
    let marks = line.marks();
    let mut canvas = Canvas::default();
    let mut x = MARGIN + 30;
    let mut places = Vec::new();
    for mark in &marks {
        let label = fit_text(&mark.value, TextFont::Words, LABEL);
        let width = estimate_width(&label, TextFont::Words).max(12);
        places.push((x + width / 2, label));
        x += width + GAP;
    }
    let (start, end) = (MARGIN, x + 30 - GAP);
    canvas.line(&[(start, LINE_Y), (end, LINE_Y)], Tone::Soft, 1);
    draw_range(&mut canvas, &marks, &places, (start, end));
    for (mark, (x, label)) in marks.iter().zip(&places) {
        let tone = if mark.passes { Tone::Pass } else { Tone::Fail };
        canvas.text((*x, LINE_Y - 14), Align::Middle, TextFont::Words, tone, label);
        match (mark.passes, mark.bound) {
            (true, _) => canvas.dot((*x, LINE_Y), 5, tone, true),
            (false, Some(_)) => canvas.dot((*x, LINE_Y), 5, tone, false),
            (false, None) => canvas.cross((*x, LINE_Y), 5, tone),
        }
    }
    let unit = if line.unit.is_empty() { String::new() } else { format!("{}: ", line.unit) };
    let is_outside = |mark: &Mark| !mark.passes && mark.bound.is_none();
    let outside = if marks.iter().any(is_outside) { "  × outside" } else { "" };
    let legend = format!("{unit}● within{outside}  (not to scale)");
    canvas.text((start, LINE_Y + 28), Align::Start, TextFont::Small, Tone::Soft, &legend);
    canvas.finish("Number line of the limits".to_owned(), line.description())
}

/// Draws the allowed part of the line. An end without a bound has an arrow.
fn draw_range(canvas: &mut Canvas, marks: &[Mark], places: &[(i32, String)], (start, end): (i32, i32)) {
    let place = |sides: [Side; 2]| {
        let of_mark =
            marks.iter().zip(places).find(|(mark, _)| mark.bound.is_some_and(|side| sides.contains(&side)));
        of_mark.map(|(_, (x, _))| *x)
    };
    let lower = place([Side::Lower, Side::Both]);
    let upper = place([Side::Upper, Side::Both]);
    let (from, to) = (lower.unwrap_or(start + 4), upper.unwrap_or(end - 4));
    if from < to && (lower.is_some() || upper.is_some()) {
        canvas.line(&[(from, LINE_Y), (to, LINE_Y)], Tone::Pass, 4);
    }
    if lower.is_none() {
        canvas.arrow_head((start, LINE_Y), (-1, 0), Tone::Pass);
    }
    if upper.is_none() {
        canvas.arrow_head((end, LINE_Y), (1, 0), Tone::Pass);
    }
}
