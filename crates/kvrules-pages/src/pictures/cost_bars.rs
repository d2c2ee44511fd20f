//! Costs of rules as bars next to their budgets.

use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::shown_text;
use crate::pictures::text_width::{TextFont, fit_text};

/// The cost of an expression and its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostBar {
    /// The rule, such as its field and its expression.
    pub label: String,
    /// The estimated cost; unset if it cannot be estimated.
    pub cost: Option<u64>,
    /// The greatest cost that is accepted; unset if there is none.
    pub budget: Option<u64>,
}

/// Most bars that are shown.
const MOST_BARS: usize = 40;
/// Width of a bar that takes all of its budget.
const TRACK: i32 = 200;
/// Width of the widest bar.
const WIDEST: i32 = TRACK + 40;
const ROW: i32 = 40;
const LABEL: i32 = 560;

/// Draws a bar for each cost, in the given order. A line marks the budget; a bar over its budget ends in an arrow. Costs without
/// budgets are compared with the greatest of them.
pub fn draw_cost_bars(bars: &[CostBar]) -> Picture {
    let mut canvas = Canvas::default();
    let mut y = MARGIN;
    let unlimited = bars.iter().filter(|bar| bar.budget.is_none());
    let greatest = unlimited.filter_map(|bar| bar.cost).max().unwrap_or_default();
    for bar in bars.iter().take(MOST_BARS) {
        draw_bar(&mut canvas, bar, greatest, y);
        y += ROW;
    }
    let left_out = bars.len().saturating_sub(MOST_BARS);
    if left_out > 0 {
        let line = format!("not shown: {left_out} of {} costs", bars.len());
        canvas.text((MARGIN, y + 12), Align::Start, TextFont::Small, Tone::Soft, &line);
    }
    let sentences =
        bars.iter().take(MOST_BARS).map(|bar| format!("{}: {}.", shown_text(&bar.label), cost_words(bar)));
    let more = (left_out > 0).then(|| format!("{left_out} more are not shown."));
    let description = sentences.chain(more).collect::<Vec<_>>().join(" ");
    let has_budgets = bars.iter().any(|bar| bar.budget.is_some());
    let title = if has_budgets { "Cost of rules, in parts of their budgets" } else { "Cost of rules" };
    canvas.finish(title.to_owned(), description)
}

/// Draws a bar; one without a budget is as long as its part of the greatest cost.
fn draw_bar(canvas: &mut Canvas, bar: &CostBar, greatest: u64, y: i32) {
    let label = fit_text(&shown_text(&bar.label), TextFont::Code, LABEL);
    canvas.text((MARGIN, y + 12), Align::Start, TextFont::Code, Tone::Ink, &label);
    let top = y + 19;
    let track = Frame { x: MARGIN, y: top, width: TRACK, height: 10 };
    canvas.frame(track, FrameLook { radius: 2, tone: Tone::Soft, is_dashed: bar.cost.is_none(), fill: 0 });
    let full = bar.budget.unwrap_or(greatest);
    let tone = match (bar.cost, bar.budget) {
        (None, _) => Tone::Warn,
        (Some(_), None) => Tone::Info,
        (Some(cost), Some(budget)) => share_tone(cost, budget),
    };
    if let Some(cost) = bar.cost {
        let wanted = u128::from(cost) * u128::from(TRACK.unsigned_abs()) / u128::from(full.max(1));
        let width = i32::try_from(wanted).unwrap_or(WIDEST).min(WIDEST - 8);
        let width = if cost > 0 { width.max(2) } else { 0 };
        canvas.bar(Frame { x: MARGIN, y: top, width, height: 10 }, tone);
        if width == WIDEST - 8 {
            canvas.arrow_head((MARGIN + WIDEST, top + 5), (1, 0), tone);
        }
    }
    if bar.budget.is_some() {
        canvas.line(&[(MARGIN + TRACK, top - 3), (MARGIN + TRACK, top + 13)], Tone::Ink, 2);
    }
    let words = cost_words(bar);
    canvas.text((MARGIN + WIDEST + 8, top + 9), Align::Start, TextFont::Small, tone_of_text(tone), &words);
}

/// Text is in the colour of the page unless it needs attention.
fn tone_of_text(tone: Tone) -> Tone {
    if tone == Tone::Info { Tone::Ink } else { tone }
}

/// The colour of a share of a budget.
pub(crate) fn share_tone(cost: u64, budget: u64) -> Tone {
    if cost > budget {
        Tone::Fail
    } else if cost > budget / 2 {
        Tone::Warn
    } else {
        Tone::Info
    }
}

fn cost_words(bar: &CostBar) -> String {
    let Some(cost) = bar.cost else { return "cost unknown".to_owned() };
    let Some(budget) = bar.budget else { return group_digits(cost) };
    let share = u128::from(cost) * 100 / u128::from(budget.max(1));
    match share {
        _ if cost > budget => {
            format!("{}, over the budget of {}", group_digits(cost), group_digits(budget))
        }
        0 if cost > 0 => format!("{}, less than 1 %", group_digits(cost)),
        share => format!("{}, {share} %", group_digits(cost)),
    }
}

/// A number with commas between thousands.
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
