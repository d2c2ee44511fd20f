//! Costs of rules by versions of Kubernetes.

use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::{left_out_lines, shown_text};
use crate::pictures::text_width::{TextFont, estimate_width, fit_text};

/// Shares of budgets by versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostGrid {
    /// The versions, or ranges of them with the same costs.
    pub versions: Vec<String>,
    /// The rules.
    pub rows: Vec<CostRow>,
}

/// A rule of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostRow {
    /// The rule, such as its field and its expression.
    pub label: String,
    /// Its share on each version, in their order.
    pub cells: Vec<CostCell>,
}

/// The share of a budget on a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostCell {
    /// The share in words, such as `12 %`.
    pub text: String,
    /// The part of the budget that it is.
    pub share: CostShare,
}

/// Part of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostShare {
    /// At most half.
    Low,
    /// More than half.
    High,
    /// More than all, so that the server rejects the rule.
    Over,
    /// Unknown: the expression does not compile on this version.
    Unknown,
}

/// Most rules that are shown.
const MOST_ROWS: usize = 40;
/// Most versions that are shown.
const MOST_VERSIONS: usize = 16;
const LABEL: i32 = 560;
const ROW: i32 = 26;

impl CostShare {
    /// Returns the part of a budget that a cost is.
    pub fn of_cost(cost: Option<u64>, budget: u64) -> Self {
        match cost {
            None => Self::Unknown,
            Some(cost) if cost > budget => Self::Over,
            Some(cost) if cost > budget / 2 => Self::High,
            Some(_) => Self::Low,
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Low => Tone::Info,
            Self::High => Tone::Warn,
            Self::Over => Tone::Fail,
            Self::Unknown => Tone::Soft,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Low | Self::High => "",
            Self::Over => " (over budget)",
            Self::Unknown => " (unknown)",
        }
    }
}

/// Draws rules as pairs of rows, the label above its cells, and versions as columns.
pub fn draw_cost_grid(grid: &CostGrid) -> Picture {
    let mut canvas = Canvas::default();
    let rows: Vec<&CostRow> = grid.rows.iter().take(MOST_ROWS).collect();
    let versions: Vec<String> = grid
        .versions
        .iter()
        .take(MOST_VERSIONS)
        .map(|version| fit_text(&shown_text(version), TextFont::Words, 120))
        .collect();
    let cell_text = |cell: &CostCell| fit_text(&shown_text(&cell.text), TextFont::Words, 90);
    let cells = rows.iter().flat_map(|row| row.cells.iter().take(MOST_VERSIONS)).map(cell_text);
    let texts = cells.chain(versions.iter().cloned());
    let column = texts.map(|text| estimate_width(&text, TextFont::Words)).max().unwrap_or(0) + 14;
    for (version, x) in versions.iter().zip(columns(column)) {
        canvas.text((x + column / 2, MARGIN + 13), Align::Middle, TextFont::Words, Tone::Ink, version);
    }
    let mut y = MARGIN + 22;
    for row in rows {
        let label = fit_text(&shown_text(&row.label), TextFont::Code, LABEL);
        canvas.text((MARGIN, y + 14), Align::Start, TextFont::Code, Tone::Ink, &label);
        y += 18;
        for (cell, x) in row.cells.iter().take(versions.len()).zip(columns(column)) {
            let frame = Frame { x: x + 1, y: y + 2, width: column - 2, height: ROW - 4 };
            let fill = if cell.share == CostShare::Over { 30 } else { 12 };
            let is_dashed = cell.share == CostShare::Unknown;
            canvas.frame(frame, FrameLook { radius: 3, tone: cell.share.tone(), is_dashed, fill });
            let tone = if cell.share == CostShare::Low { Tone::Ink } else { cell.share.tone() };
            canvas.text((x + column / 2, y + 18), Align::Middle, TextFont::Words, tone, &cell_text(cell));
        }
        y += ROW + 6;
    }
    for line in not_shown(grid) {
        canvas.text((MARGIN, y + 12), Align::Start, TextFont::Small, Tone::Soft, &line);
        y += 17;
    }
    canvas.finish("Share of the budget by Kubernetes version".to_owned(), describe_grid(grid))
}

/// The left edges of columns.
fn columns(width: i32) -> impl Iterator<Item = i32> {
    (0_i32..).map(move |index| MARGIN + index * width)
}

fn not_shown(grid: &CostGrid) -> Vec<String> {
    left_out_lines([(grid.rows.len(), MOST_ROWS, "rules"), (grid.versions.len(), MOST_VERSIONS, "versions")])
}

fn describe_grid(grid: &CostGrid) -> String {
    let row = |row: &CostRow| {
        let cells = grid.versions.iter().zip(&row.cells).take(MOST_VERSIONS);
        let cells = cells.map(|(version, cell)| {
            format!("{} in {}{}", shown_text(&cell.text), shown_text(version), cell.share.suffix())
        });
        format!("{}: {}.", shown_text(&row.label), cells.collect::<Vec<_>>().join(", "))
    };
    let sentences = grid.rows.iter().take(MOST_ROWS).map(row);
    sentences.chain(not_shown(grid).into_iter().map(|line| line + ".")).collect::<Vec<_>>().join(" ")
}
