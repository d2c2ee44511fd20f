//! A comparison for a person at a terminal.

use std::collections::HashMap;
use std::fmt::Write as _;

use kvrules::diff::{
    Change, ChangedLimit, ComparedPair, CorpusReport, Diff, Direction, LocatedChange, PrunedObject,
    RefusedObject, Witness, WriteKind, limit_text, proof_text,
};

use kvrules::render::one_line;

use super::{Report, describe_updates};
use crate::sentences::{count_noun, list_few};
use crate::terminal::ColorPainter;

/// The whole report.
pub(super) fn render_human(report: &Report, paint: ColorPainter) -> String {
    let mut text = String::new();
    for (pair, alike) in group_pairs(&report.diff.pairs) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&of_pair(pair, paint));
        if !alike.is_empty() {
            let _ = writeln!(text, "  also in {}", one_line(&list_few(&alike, pair.kind.name)));
        }
    }
    for (word, singles) in
        [("only the old side has", &report.diff.removed), ("only the new side has", &report.diff.added)]
    {
        for single in singles {
            let single = format!("{word} the {} `{}` ({})", single.kind, single.name, single.at);
            let _ = writeln!(text, "{}", one_line(&single));
        }
    }
    if let Some(corpus) = &report.corpus {
        text.push_str(&of_corpus(corpus, paint));
    }
    text
}

/// Pairs that differ in something, with the names of those behind them that differ in the same.
fn group_pairs(pairs: &[ComparedPair]) -> Vec<(&ComparedPair, Vec<&str>)> {
    let without_places = |pair: &ComparedPair| {
        let changes: Vec<_> =
            pair.changes.iter().map(|located| serde_json::to_string(&located.change).ok()).collect();
        (pair.kind, changes)
    };
    let mut groups: Vec<(&ComparedPair, Vec<&str>)> = Vec::new();
    let mut known = HashMap::new();
    for pair in pairs.iter().filter(|pair| !pair.changes.is_empty()) {
        let at = *known.entry(without_places(pair)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, alike)) => alike.push(&pair.name),
            None => groups.push((pair, Vec::new())),
        }
    }
    groups
}

fn of_pair(pair: &ComparedPair, paint: ColorPainter) -> String {
    let renamed = pair.renamed.as_ref().map(|name| format!(" → {name}")).unwrap_or_default();
    let title = format!("{} {}{renamed}", pair.kind, pair.name);
    let mut text = paint.bold(&one_line(&title)) + "\n";
    for note in &pair.notes {
        let _ = writeln!(text, "  ({})", one_line(note));
    }
    let mut last = None;
    for located in &pair.changes {
        let at = &located.change.at;
        if last != Some(at) {
            let shown = if at.is_empty() { "(the whole object)" } else { at };
            let _ = writeln!(text, "  {}", one_line(shown));
            last = Some(at);
        }
        text.push_str(&of_change(located, paint));
    }
    text
}

fn of_change(located: &LocatedChange, paint: ColorPainter) -> String {
    let change = &located.change;
    let word = paint_direction(change.direction, paint);
    let limits = describe_limits(change);
    let mut text = format!("    {word}: {}\n", one_line(&format!("{limits}{}", render_location(located))));
    for (is_refused, witness) in [(true, &change.refused), (false, &change.accepted)] {
        text.extend(witness.iter().map(|witness| of_witness(witness_label(is_refused, witness), witness)));
    }
    for proof in &change.proofs {
        let _ = writeln!(text, "      {}", one_line(&proof_text(proof)));
        for line in proof.explanation.iter().flat_map(|it| &it.lines) {
            let _ = writeln!(text, "        {}", one_line(line));
        }
    }
    for note in &change.notes {
        let _ = writeln!(text, "      {}", one_line(note));
    }
    text
}

/// Describes the limits on both sides.
pub(in crate::commands) fn describe_limits(change: &Change) -> String {
    let is_single = [" added", " removed"].iter().any(|end| change.what.ends_with(end));
    let describe = |limit: &ChangedLimit| match limit.after.as_ref().or(limit.before.as_ref()) {
        Some(text) if is_single && limit.key == "rule" => text.clone(),
        Some(text) if is_single => format!("{} {text}", limit.key),
        _ => limit_text(limit),
    };
    let limits = truncate_text(&change.limits.iter().map(describe).collect::<Vec<_>>().join("; "));
    match (change.what, limits) {
        (what, limits) if limits.is_empty() => what.to_owned(),
        (what, limits) if is_single || what == "warning" => format!("{what}: {limits}"),
        (_, limits) => limits,
    }
}

fn render_location(located: &LocatedChange) -> String {
    match (&located.old, &located.new) {
        (Some(old), Some(new)) => format!(" ({old} → {new})"),
        (Some(one), None) | (None, Some(one)) => format!(" ({one})"),
        (None, None) => String::new(),
    }
}

/// Returns what the object of a witness shows.
fn witness_label(is_refused: bool, witness: &Witness) -> &'static str {
    match (is_refused, witness.request.is_some()) {
        (true, false) => "valid before, rejected now",
        (false, false) => "rejected before, valid now",
        (true, true) => "admitted before, denied now",
        (false, true) => "denied before, admitted now",
    }
}

fn of_witness(label: &str, witness: &Witness) -> String {
    let mut text = match &witness.previous {
        Some(previous) if witness.request.is_some() => format!(
            "      {label}: {}: {}\n        to {}\n",
            one_line(&write_name(witness)),
            render_object(previous),
            render_object(&witness.object)
        ),
        None if witness.request.is_some() => {
            format!("      {label}: {}: {}\n", one_line(&write_name(witness)), render_object(&witness.object))
        }
        Some(previous) => format!(
            "      {label}: {} of {}\n        to {}\n",
            write_name(witness),
            render_object(previous),
            render_object(&witness.object)
        ),
        None => format!("      {label}: {}\n", render_object(&witness.object)),
    };
    if !witness.because.is_empty() {
        let _ = writeln!(text, "        {}", one_line(&witness.because));
    }
    text
}

/// Returns the name for the write of an object that existed before.
pub(super) fn write_name(witness: &Witness) -> String {
    match &witness.request {
        Some(request) => request.to_string(),
        None if witness.write == WriteKind::Status => "the write to the status".to_owned(),
        None => "the update".to_owned(),
    }
}

/// An object on one line; of a very long one the beginning.
pub(super) fn render_object(object: &serde_json::Value) -> String {
    truncate_text(&object.to_string())
}

fn truncate_text(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}

fn paint_direction(direction: Direction, paint: ColorPainter) -> String {
    let word = direction.as_str();
    match direction {
        Direction::Tightened | Direction::TightenedLooseningUnknown | Direction::Incomparable => {
            paint.red(word)
        }
        Direction::Loosened => paint.green(word),
        Direction::LoosenedTighteningUnknown | Direction::Unknown => paint.yellow(word),
        Direction::Equal | Direction::MessageOnly => word.to_owned(),
    }
}

fn of_corpus(corpus: &CorpusReport, paint: ColorPainter) -> String {
    let mut text = String::new();
    if !corpus.refused.is_empty() {
        let _ = writeln!(text, "\n{}", paint.bold("existing objects that would be rejected"));
    }
    for refused in &corpus.refused {
        text.push_str(&of_refused(refused));
    }
    if !corpus.pruned.is_empty() {
        let _ = writeln!(text, "\n{}", paint.bold("existing objects that would lose fields"));
    }
    for pruned in &corpus.pruned {
        let _ = writeln!(text, "  {}", one_line(&format!("{} ({})", pruned.name, pruned.at)));
        let _ = writeln!(text, "    {}", one_line(&dropped_fields(pruned)));
    }
    text
}

/// Describes the fields that the server drops from an object.
pub(super) fn dropped_fields(pruned: &PrunedObject) -> String {
    let fields: Vec<String> = pruned.fields.iter().map(|field| format!("`{field}`")).collect();
    format!("accepted without {}, which the server drops", fields.join(", "))
}

fn of_refused(refused: &RefusedObject) -> String {
    let mut text = format!("  {}\n", one_line(&format!("{} ({})", refused.name, refused.at)));
    for reason in &refused.reasons {
        let _ = writeln!(text, "    {}", one_line(&reason.text));
    }
    text + &format!("    {}\n", one_line(&describe_updates(refused)))
}

/// Returns the noun for the things that are counted.
pub(super) fn unit_noun(diff: &Diff) -> &'static str {
    diff.pairs.first().map_or("field", |pair| pair.kind.part)
}

/// Summarises the comparison and its result, in a line or two.
pub(super) fn diff_summary(report: &Report) -> String {
    let diff = &report.diff;
    let noun = unit_noun(diff);
    let counts: Vec<String> = Direction::ALL
        .into_iter()
        .filter(|direction| diff.count_changes(*direction) > 0)
        .map(|direction| format!("{} {}", diff.count_changes(direction), direction.as_str()))
        .collect();
    let found = if counts.is_empty() { "no differences".to_owned() } else { counts.join(", ") };
    let mut text = format!("compared {}: {found}", count_noun(diff.compared, noun));
    for (number, word) in [(diff.removed.len(), "removed"), (diff.added.len(), "added")] {
        if number > 0 {
            let _ = write!(text, "; {number} {word}");
        }
    }
    if let Some(corpus) = &report.corpus {
        let _ = write!(text, "\n{}", of_survey(corpus));
    }
    text
}

fn of_survey(corpus: &CorpusReport) -> String {
    let mut text = format!(
        "{} of {} would be rejected",
        corpus.refused.len(),
        count_noun(corpus.objects, "existing object")
    );
    if corpus.refused_before > 0 {
        let _ = write!(
            text,
            "; {} rejected already, of which {} would be accepted",
            corpus.refused_before, corpus.accepted_now
        );
    }
    if !corpus.pruned.is_empty() {
        let _ = write!(text, "; {} would lose fields", corpus.pruned.len());
    }
    if corpus.undecided > 0 {
        let _ = write!(text, "; {} undecided, because some rules cannot be evaluated", corpus.undecided);
    }
    if corpus.others > 0 {
        let _ = write!(text, "; {} of other kinds left out", corpus.others);
    }
    text
}
