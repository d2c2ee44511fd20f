//! `--list-targets`: what there is to compile to, read off the registry.

use clap::ValueEnum;
use kvrules::{Emitter, TargetOption};
use serde::Serialize;

use crate::commands::table::{Table, Tone};
use crate::sentences::wrap_lines;
use crate::terminal::ColorPainter;

/// Maximum width of the description of an option, so that with its name it fits a terminal.
const WIDTH: usize = 78;

/// Format of the list.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ListFormat {
    Human,
    Json,
}

/// One target.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    /// True if it evaluates objects, and is not only read.
    enforced: bool,
    options: Vec<Choice>,
}

/// One of its options.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    summary: &'static str,
    /// Its possible values; empty if any string is valid.
    values: &'static [&'static str],
    default: &'static str,
}

/// All targets.
pub(super) fn list_targets(format: ListFormat, paint: ColorPainter) -> String {
    match format {
        ListFormat::Human => render_human(&target_entries(kvrules::all_targets()), paint),
        ListFormat::Json => render_json(&target_entries(kvrules::all_targets())),
    }
}

fn target_entries(targets: &[&'static Emitter]) -> Vec<Entry> {
    let choice = |option: &TargetOption| {
        let TargetOption { name, summary, values, default } = *option;
        Choice { name, summary, values, default }
    };
    let entry = |target: &&'static Emitter| Entry {
        name: target.name,
        summary: target.summary,
        enforced: target.is_enforced(),
        options: target.options.iter().map(choice).collect(),
    };
    targets.iter().map(entry).collect()
}

/// Below each target what can be chosen about it.
fn render_human(targets: &[Entry], paint: ColorPainter) -> String {
    let mut table = Table::new(["target", "description"]);
    let plain = |text: String| (text, Tone::Plain);
    for target in targets {
        table.row(vec![(target.name.to_owned(), Tone::Strong), plain(target.summary.to_owned())]);
        for option in &target.options {
            let mut name = format!("  {}", option.name);
            for line in
                wrap_lines(option.summary, WIDTH).into_iter().chain(wrap_lines(&option_values(option), WIDTH))
            {
                table.row(vec![plain(std::mem::take(&mut name)), plain(line)]);
            }
        }
    }
    table.text(paint) + "\n`--option TARGET.NAME=VALUE` sets an option.\n"
}

/// Describes the possible values of an option, and its default.
fn option_values(option: &Choice) -> String {
    if option.values.is_empty() {
        return match option.default {
            "" => "= any string".to_owned(),
            default => format!("= any string; `{default}` (default)"),
        };
    }
    let describe = |value: &&str| {
        if *value == option.default { format!("{value} (default)") } else { (*value).to_owned() }
    };
    let values = option.values.iter().map(describe);
    format!("= {}", values.collect::<Vec<_>>().join(" | "))
}

fn render_json(targets: &[Entry]) -> String {
    // The struct has only strings, so serializing it cannot fail.
    serde_json::to_string_pretty(targets).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    static POND: Emitter = Emitter {
        name: "pond",
        summary: "a pond",
        options: &[
            TargetOption { name: "depth", values: &["deep", "flat"], default: "flat", summary: "how deep" },
            TargetOption { name: "name", values: &[], default: "", summary: "what it is called" },
        ],
        rule_sets: None,
        extra_specs: None,
        resources: None,
        authored: None,
    };

    #[test]
    fn options_stand_below_their_target_with_what_they_can_be() {
        assert_eq!(
            render_human(&target_entries(&[&POND]), ColorPainter(false)),
            "target   description\npond     a pond\n  depth  how deep\n         = deep | flat (default)\n  name   what it \
             is called\n         = any string\n\n`--option TARGET.NAME=VALUE` sets an option.\n"
        );
    }
}
