//! `check --statistics`: how many findings of each code there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kvrules::render::RenderFormat;
use kvrules::{Diagnostic, Level};
use serde::Serialize;

use crate::commands::table::{Table, Tone};
use crate::failure::Failure;
use crate::terminal::ColorPainter;

/// Number of findings with a code.
#[derive(Debug, Serialize)]
struct CodeCount {
    code: &'static str,
    name: &'static str,
    level: &'static str,
    count: usize,
}

/// The counts in a format, the greatest first.
pub(super) fn render_statistics(
    format: RenderFormat,
    found: &[Diagnostic],
    paint: ColorPainter,
) -> Result<String, Failure> {
    let counts = count_codes(found);
    let json =
        |text: Result<String, serde_json::Error>| text.map_err(|error| Failure::new(error.to_string()));
    match format {
        RenderFormat::Json => Ok(json(serde_json::to_string_pretty(&counts))? + "\n"),
        RenderFormat::Human | RenderFormat::Concise => {
            Ok(if counts.is_empty() { String::new() } else { counts_table(&counts).text(paint) })
        }
        other => Err(Failure::new(format!("`--statistics` does not support the format `{}`", other.name()))
            .help("choose `human` or `json`")),
    }
}

fn count_codes(found: &[Diagnostic]) -> Vec<CodeCount> {
    let mut numbers: BTreeMap<(&str, Level), (&'static str, usize)> = BTreeMap::new();
    let mut counts: Vec<CodeCount> = Vec::new();
    for found in found {
        numbers.entry((found.code, found.level)).or_insert((found.name, 0)).1 += 1;
    }
    for found in found {
        if let Some((name, count)) = numbers.remove(&(found.code, found.level)) {
            counts.push(CodeCount { code: found.code, name, level: found.level.as_str(), count });
        }
    }
    counts.sort_by_key(|one| (Reverse(one.count), one.code, one.level));
    counts
}

fn counts_table(counts: &[CodeCount]) -> Table {
    let mut table = Table::new(["count", "code", "level", "name"]);
    for CodeCount { code, name, level, count } in counts {
        let tone = match *level {
            "error" => Tone::Bad,
            "warning" => Tone::Warn,
            _ => Tone::Plain,
        };
        let plain = |text: &str| (text.to_owned(), Tone::Plain);
        table.row(vec![plain(&count.to_string()), plain(code), ((*level).to_owned(), tone), plain(name)]);
    }
    table
}
