//! Rules by targets, with the fidelity of each target to each rule.

use kvrules_diagnostics::Exactness;

use crate::pictures::canvas::{Align, Canvas, Frame, FrameLook, MARGIN, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::{left_out_lines, shown_text, to_coordinate};
use crate::pictures::text_width::{TextFont, estimate_width, fit_text};

/// The fidelity of targets to rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FidelityMatrix {
    /// Names of the targets.
    pub targets: Vec<String>,
    /// The rules.
    pub rules: Vec<FidelityRow>,
}

/// A rule of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FidelityRow {
    /// Its name.
    pub name: String,
    /// The fidelity of each target, in the order of the targets; unset if the target does not apply.
    pub fidelity: Vec<Option<Exactness>>,
}

/// Most rules that are shown.
const MOST_RULES: usize = 60;
/// Most targets that are shown.
const MOST_TARGETS: usize = 16;
const LABEL: i32 = 220;
const ROW: i32 = 22;
const COLUMN: i32 = 26;

/// The mark of a relation, which differs without colours too.
fn mark_of(exactness: Exactness) -> (&'static str, Tone) {
    match exactness {
        Exactness::Exact => ("=", Tone::Pass),
        Exactness::Wider => (">", Tone::Warn),
        Exactness::Narrower => ("<", Tone::Warn),
        Exactness::Incomparable => ("≠", Tone::Warn),
        Exactness::Unsupported => ("×", Tone::Fail),
    }
}

/// Draws rules as rows and targets as columns. More rules or targets than fit are counted below.
pub fn draw_fidelity_matrix(matrix: &FidelityMatrix) -> Picture {
    let mut canvas = Canvas::default();
    let names: Vec<String> = matrix
        .rules
        .iter()
        .take(MOST_RULES)
        .map(|row| fit_text(&shown_text(&row.name), TextFont::Words, LABEL))
        .collect();
    let targets: Vec<String> = matrix
        .targets
        .iter()
        .take(MOST_TARGETS)
        .map(|target| fit_text(&shown_text(target), TextFont::Words, 140))
        .collect();
    let left =
        MARGIN + names.iter().map(|name| estimate_width(name, TextFont::Words)).max().unwrap_or(0) + 12;
    let top =
        MARGIN + targets.iter().map(|target| estimate_width(target, TextFont::Words)).max().unwrap_or(0) + 8;
    for (index, target) in targets.iter().enumerate() {
        let x = left + to_coordinate(index) * COLUMN + COLUMN / 2;
        canvas.rising_text((x + 4, top - 6), TextFont::Words, target);
    }
    for (index, (name, row)) in names.iter().zip(&matrix.rules).enumerate() {
        let y = top + to_coordinate(index) * ROW;
        canvas.text((left - 10, y + 15), Align::End, TextFont::Words, Tone::Ink, name);
        for (column, fidelity) in row.fidelity.iter().take(targets.len()).enumerate() {
            draw_cell(&mut canvas, (left + to_coordinate(column) * COLUMN, y), *fidelity);
        }
    }
    let bottom = top + to_coordinate(names.len()) * ROW;
    draw_legend(&mut canvas, matrix, bottom + 20);
    canvas.finish("Fidelity of targets to rules".to_owned(), describe_matrix(matrix))
}

fn draw_cell(canvas: &mut Canvas, (x, y): (i32, i32), fidelity: Option<Exactness>) {
    let frame = Frame { x: x + 2, y: y + 2, width: COLUMN - 4, height: ROW - 4 };
    let Some(exactness) = fidelity else {
        return canvas.frame(frame, FrameLook { radius: 3, tone: Tone::Soft, is_dashed: true, fill: 0 });
    };
    let (mark, tone) = mark_of(exactness);
    canvas.frame(frame, FrameLook { radius: 3, tone, is_dashed: false, fill: 15 });
    canvas.text((x + COLUMN / 2, y + 15), Align::Middle, TextFont::Words, tone, mark);
}

fn draw_legend(canvas: &mut Canvas, matrix: &FidelityMatrix, mut y: i32) {
    let used =
        matrix.rules.iter().take(MOST_RULES).flat_map(|row| row.fidelity.iter().take(MOST_TARGETS).flatten());
    let used: Vec<Exactness> = used.copied().collect();
    for exactness in Exactness::ALL.into_iter().filter(|exactness| used.contains(exactness)) {
        let (mark, tone) = mark_of(exactness);
        let meaning = match exactness {
            Exactness::Exact => "exact: accepts the same as the rule",
            Exactness::Wider => "wider: accepts more",
            Exactness::Narrower => "narrower: accepts less",
            Exactness::Incomparable => "incomparable: accepts more and less",
            Exactness::Unsupported => "unsupported: does not express the rule",
        };
        canvas.text((MARGIN + 6, y), Align::Middle, TextFont::Words, tone, mark);
        canvas.text((MARGIN + 18, y), Align::Start, TextFont::Small, Tone::Soft, meaning);
        y += 17;
    }
    for line in not_shown(matrix) {
        canvas.text((MARGIN, y), Align::Start, TextFont::Small, Tone::Soft, &line);
        y += 17;
    }
}

/// Counts of what the picture leaves out.
fn not_shown(matrix: &FidelityMatrix) -> Vec<String> {
    left_out_lines([
        (matrix.rules.len(), MOST_RULES, "rules"),
        (matrix.targets.len(), MOST_TARGETS, "targets"),
    ])
}

fn describe_matrix(matrix: &FidelityMatrix) -> String {
    let mut sentences = Vec::new();
    for row in matrix.rules.iter().take(MOST_RULES) {
        let cells = matrix.targets.iter().zip(&row.fidelity).take(MOST_TARGETS);
        let cells = cells.map(|(target, fidelity)| {
            let word = fidelity.map_or("not applicable", Exactness::as_str);
            format!("{} {word}", shown_text(target))
        });
        sentences.push(format!("{}: {}.", shown_text(&row.name), cells.collect::<Vec<_>>().join(", ")));
    }
    sentences.extend(not_shown(matrix).into_iter().map(|line| line + "."));
    sentences.join(" ")
}
