//! Lists with bullets, and lists with numbers.

use super::RestReader;
use super::lines::{dedent_lines, indent_of, indented_end, is_blank};
use crate::author::Block;

/// Mark at the start of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemMark {
    Bullet(char),
    /// With a dot or a bracket behind the number.
    Number(char),
}

/// A list, if the lines begin with one.
pub(super) fn read_list(reader: RestReader<'_>, lines: &[String]) -> Option<(Block, usize)> {
    let (mark, start, _) = parse_mark(lines.first()?)?;
    // If the next line is not indented, a leading number is part of a paragraph and not a list mark.
    let below = lines.get(1).filter(|line| !is_blank(line) && indent_of(line) == 0);
    if matches!(mark, ItemMark::Number(_))
        && below.is_some_and(|line| self::parse_mark(line).is_none_or(|(other, ..)| other != mark))
    {
        return None;
    }
    let mut items = Vec::new();
    let mut used = 0;
    loop {
        let rest = lines.get(used..).unwrap_or_default();
        let blank = rest.iter().take_while(|line| is_blank(line)).count();
        let rest = rest.get(blank..).unwrap_or_default();
        let Some((other, _, width)) = rest.first().and_then(|line| self::parse_mark(line)) else { break };
        if other != mark {
            break;
        }
        let end = 1 + indented_end(rest.get(1..).unwrap_or_default(), 0);
        items.push(reader.inner(&item_lines(rest.get(..end).unwrap_or_default(), width)));
        used += blank + end;
    }
    Some((Block::List { start, items }, used))
}

/// The lines of an item without its mark.
fn item_lines(lines: &[String], width: usize) -> Vec<String> {
    let Some((first, rest)) = lines.split_first() else { return Vec::new() };
    let first = first.get(width..).unwrap_or_default().trim_start().to_owned();
    std::iter::once(first).chain(dedent_lines(rest)).collect()
}

/// The mark of an item, the number where it has one, and the width of the mark.
fn parse_mark(line: &str) -> Option<(ItemMark, Option<u64>, usize)> {
    let first = line.chars().next()?;
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    if matches!(first, '-' | '*' | '+' | '•' | '‣' | '⁃') {
        let rest = line.get(first.len_utf8()..)?;
        return ends(rest).then_some((ItemMark::Bullet(first), None, first.len_utf8()));
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let width = if line.starts_with('#') { 1 } else { digits };
    let rest = line.get(width..)?;
    let behind = rest.chars().next().filter(|c| matches!(c, '.' | ')'))?;
    let start = if digits == 0 { 1 } else { line.get(..digits)?.parse().ok()? };
    (width > 0 && ends(rest.get(1..)?)).then_some((ItemMark::Number(behind), Some(start), width + 1))
}
