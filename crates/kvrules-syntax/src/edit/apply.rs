//! Selects compatible fixes, and applies their edits.

use std::collections::BTreeMap;

use kvrules_diagnostics::{Edit, Fix};

/// The fixes that can be carried out together, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixChoice {
    /// Those that are taken.
    pub taken: Vec<usize>,
    /// Those that touch what a taken one changes; they wait for the next pass.
    pub deferred: Vec<usize>,
    /// The edits of those that are taken, in the order of the text.
    pub edits: Vec<Edit>,
}

/// Picks fixes in their order, each with all of its edits or with none.
///
/// Two edits do not go together where they overlap, or where one puts something in at the border of the other. The same fix
/// offered twice is taken as one.
pub fn choose_fixes<'f>(fixes: impl IntoIterator<Item = &'f Fix>) -> FixChoice {
    let mut choice = FixChoice::default();
    let mut kept: BTreeMap<(u32, u32), &Edit> = BTreeMap::new();
    for (number, fix) in fixes.into_iter().enumerate() {
        let same = |edit: &Edit| kept.get(&edit_range(edit)).is_some_and(|other| *other == edit);
        if !fix.edits.is_empty() && fix.edits.iter().all(same) {
            choice.taken.push(number);
            continue;
        }
        let own = fix.edits.iter().enumerate();
        let apart =
            own.clone().all(|(at, edit)| !fix.edits.iter().take(at).any(|other| edits_clash(edit, other)));
        if apart && !fix.edits.is_empty() && fix.edits.iter().all(|edit| is_free(&kept, edit)) {
            kept.extend(fix.edits.iter().map(|edit| (edit_range(edit), edit)));
            choice.taken.push(number);
        } else {
            choice.deferred.push(number);
        }
    }
    choice.edits = kept.into_values().cloned().collect();
    choice
}

/// The text with the edits carried out. None if edits overlap or lie outside of the text.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<_> = edits.iter().collect();
    sorted.sort();
    let mut changed = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        let range = edit.span.to_range();
        changed.push_str(text.get(at..range.start)?);
        text.get(range.clone())?;
        changed.push_str(&edit.replacement);
        at = range.end;
    }
    changed.push_str(text.get(at..)?);
    Some(changed)
}

fn edit_range(edit: &Edit) -> (u32, u32) {
    (edit.span.start, edit.span.end)
}

/// True if an edit overlaps none of those kept. Those do not overlap each other, so comparing its neighbours
/// suffices.
fn is_free(kept: &BTreeMap<(u32, u32), &Edit>, edit: &Edit) -> bool {
    let (start, end) = edit_range(edit);
    let before = kept.range(..=(start, u32::MAX)).next_back();
    let behind = kept.range((start, 0)..=(end, u32::MAX)).next();
    before.into_iter().chain(behind).all(|(_, other)| !edits_clash(edit, other))
}

fn edits_clash(one: &Edit, other: &Edit) -> bool {
    let ((start, end), (from, to)) = (edit_range(one), edit_range(other));
    let puts_in = start == end || from == to;
    if puts_in { start <= to && from <= end } else { start < to && from < end }
}
