//! Tables that are drawn: with `=` above and below, or as a grid. Cells that span others are not read.

use super::inline::{LinkTargets, parse_inline};
use super::lines::is_blank;
use crate::author::Block;
use crate::prose::Prose;

/// A table, if the lines begin with one.
pub(super) fn read_table(targets: &LinkTargets, lines: &[String]) -> Option<(Block, usize)> {
    let first = lines.first()?;
    if is_border(first, '=') && first.contains(' ') {
        return read_simple_table(targets, lines);
    }
    if first.starts_with("+-") && is_grid_line(first) { read_grid_table(targets, lines) } else { None }
}

/// True if a line is made of this mark and of blanks.
fn is_border(line: &str, mark: char) -> bool {
    line.contains(mark) && line.chars().all(|c| c == mark || c == ' ') && line.starts_with(mark)
}

/// Rows below a border, up to the last border before a blank line.
fn read_simple_table(targets: &LinkTargets, lines: &[String]) -> Option<(Block, usize)> {
    let border = lines.first()?;
    let is_end = |at: usize| lines.get(at).is_none_or(|line| is_blank(line));
    let last = (1..lines.len())
        .find(|at| lines.get(*at).is_some_and(|line| is_border(line, '=')) && is_end(at + 1))?;
    let columns = column_ranges(border);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut head = None;
    for line in lines.get(1..last)? {
        if is_border(line, '=') {
            head = Some(rows.len());
            continue;
        }
        if is_border(line, '-') || is_blank(line) {
            continue;
        }
        let cells = split_cells(line, &columns)?;
        match rows.last_mut() {
            // A row with an empty first cell continues the row above.
            Some(row) if cells.first().is_some_and(String::is_empty) => append_cells(row, &cells),
            _ => rows.push(cells),
        }
    }
    Some((build_table(targets, rows, head.is_some()), last + 1))
}

/// Returns the start of each column, and the start of the next.
fn column_ranges(border: &str) -> Vec<(usize, Option<usize>)> {
    let starts: Vec<usize> = border
        .char_indices()
        .filter(|(at, c)| *c != ' ' && (*at == 0 || border.as_bytes().get(at - 1) == Some(&b' ')))
        .map(|(at, _)| at)
        .collect();
    let ends = starts.iter().skip(1).copied().map(Some).chain([None]);
    starts.iter().copied().zip(ends).collect()
}

/// The texts of a line below the columns; nothing if a text runs into the next column.
fn split_cells(line: &str, columns: &[(usize, Option<usize>)]) -> Option<Vec<String>> {
    let chars: Vec<char> = line.chars().collect();
    let cell = |(start, end): &(usize, Option<usize>)| {
        let text = chars.get(*start..end.unwrap_or(chars.len()).min(chars.len()).max(*start));
        let runs_on = end.is_some_and(|end| chars.get(end - 1).is_some_and(|c| *c != ' '));
        (!runs_on).then(|| text.unwrap_or_default().iter().collect::<String>().trim().to_owned())
    };
    columns.iter().map(cell).collect()
}

fn append_cells(row: &mut [String], cells: &[String]) {
    for (cell, more) in row.iter_mut().zip(cells).filter(|(_, more)| !more.is_empty()) {
        *cell = if cell.is_empty() { more.clone() } else { format!("{cell} {more}") };
    }
}

fn is_grid_line(line: &str) -> bool {
    line.starts_with('+') && line.ends_with('+') && line.chars().all(|c| matches!(c, '+' | '-' | '='))
}

/// Rows between lines of `+---+`.
fn read_grid_table(targets: &LinkTargets, lines: &[String]) -> Option<(Block, usize)> {
    let border = lines.first()?;
    let used = lines.iter().position(|line| is_blank(line)).unwrap_or(lines.len());
    let edges: Vec<usize> = border.char_indices().filter(|(_, c)| *c == '+').map(|(at, _)| at).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut has_head = false;
    let mut is_new = true;
    for line in lines.get(1..used)? {
        if is_grid_line(line) {
            has_head |= line.contains('=');
            is_new = true;
            continue;
        }
        let chars: Vec<char> = line.chars().collect();
        if edges.iter().any(|at| chars.get(*at) != Some(&'|')) {
            return None;
        }
        let cells: Vec<String> = edges
            .windows(2)
            .filter_map(|pair| chars.get(pair.first()? + 1..*pair.last()?))
            .map(|cell| cell.iter().collect::<String>().trim().to_owned())
            .collect();
        match rows.last_mut().filter(|_| !is_new) {
            Some(row) => append_cells(row, &cells),
            None => rows.push(cells),
        }
        is_new = false;
    }
    (!rows.is_empty()).then(|| (build_table(targets, rows, has_head), used))
}

/// The first row is the head; if there is none, an empty one is.
fn build_table(targets: &LinkTargets, rows: Vec<Vec<String>>, has_head: bool) -> Block {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let head = (!has_head).then(|| vec![Prose::default(); width]);
    let prose = |row: Vec<String>| row.iter().map(|cell| parse_inline(cell, targets)).collect();
    Block::Table(head.into_iter().chain(rows.into_iter().map(prose)).collect())
}
