//! Text in columns.

use crate::terminal::ColorPainter;

/// Colour of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Not at all.
    #[default]
    Plain,
    /// As a heading.
    Strong,
    /// Good news.
    Good,
    /// News to look at.
    Warn,
    /// Bad news.
    Bad,
}

/// Rows of cells, the first of them the heading.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, Tone)>>,
    /// Headings between rows, and before which row each stands.
    lines: Vec<(usize, String)>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let headings = headings.into_iter().map(|text| (text.into(), Tone::Strong)).collect();
        Self { rows: vec![headings], lines: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<(String, Tone)>) {
        self.rows.push(cells);
    }

    /// Adds a heading over the rows that follow.
    pub(crate) fn line(&mut self, text: &str) {
        self.lines.push((self.rows.len(), text.to_owned()));
    }

    /// The table for a terminal: columns separated by two blanks, numbers aligned to the right.
    pub(crate) fn text(&self, paint: ColorPainter) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            for (_, line) in self.lines.iter().filter(|(before, _)| *before == index) {
                text.extend(["\n", &paint.bold(line), "\n"]);
            }
            let cells = row.iter().zip(&widths).map(|((cell, tone), (width, number))| {
                let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
                let cell = paint_cell(cell, *tone, paint);
                if *number { gap + &cell } else { cell + &gap }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// For each column its width, and whether all below its heading are numbers, or nothing.
    fn widths(&self) -> Vec<(usize, bool)> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let column =
            |index: usize| self.rows.iter().filter_map(move |row| row.get(index)).map(|(text, _)| text);
        let is_number = |text: &String| text.chars().all(|letter| letter.is_ascii_digit());
        let measure = |index: usize| {
            let width = column(index).map(|text| text.chars().count()).max().unwrap_or_default();
            (width, column(index).skip(1).all(is_number))
        };
        (0..columns).map(measure).collect()
    }
}

fn paint_cell(text: &str, tone: Tone, paint: ColorPainter) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        Tone::Strong => paint.bold(text),
        Tone::Good => paint.green(text),
        Tone::Warn => paint.yellow(text),
        Tone::Bad => paint.red(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["name", "rules", "cel"]);
        table.row(vec![
            ("größe".into(), Tone::Plain),
            ("10".into(), Tone::Plain),
            ("exact".into(), Tone::Good),
        ]);
        table.row(vec![("a".into(), Tone::Plain), (String::new(), Tone::Plain)]);
        assert_eq!(table.text(ColorPainter(false)), "name   rules  cel\ngröße     10  exact\na\n");
    }
}
