//! `docs --since`: what changed since revisions of git, on the pages of what changed.

use std::path::Path;

use kvrules::diff::{
    ComparedPair, Diff, Direction, IncomparableReason, LocatedChange, UnpairedUnit, compare_sides,
};
use kvrules::docs::{ChangeEffect, ChangedResource, ChangedVersion, Document, ResourceChange, add_changes};
use kvrules::{Catalog, Sources};

use super::Docs;
use crate::commands::diff::{SideInput, describe_limits, to_unread};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::Terminal;

/// Adds the changes since the revisions of `--since`, the oldest first, to the pages.
pub(super) fn add_revisions(
    docs: &Docs,
    document: &mut Document,
    settings: &Settings,
    catalog: &Catalog,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let paths = docs.input_paths(settings);
    let mut versions: Vec<ChangedVersion> = Vec::new();
    let named = docs.content.since.iter().map(|revision| (revision.clone(), Some(revision.as_str())));
    for (name, _) in named.clone().chain([("now".to_owned(), None)]) {
        versions.push(ChangedVersion { name, ..ChangedVersion::default() });
    }
    for path in &paths {
        let mut before: Option<SideInput> = None;
        let revisions = named.clone().map(|(_, revision)| revision).chain([None]);
        for (index, revision) in revisions.enumerate() {
            let given = side_argument(path, revision)?;
            let first = before.as_ref().map_or(0, |side| side.next);
            let side = SideInput::read(&given, first, settings, catalog, &Sources::default())?;
            for unread in &side.unread {
                terminal.unread(unread);
            }
            if let (Some(before), Some(version)) = (&before, versions.get_mut(index)) {
                let diff = compare_sides(&before.parts, &side.parts).map_err(incomparable)?;
                add_differences(version, &diff, terminal);
            }
            before = Some(side);
        }
    }
    add_changes(document, &versions);
    Ok(())
}

/// A path, or what git has of it at a revision.
fn side_argument(path: &Path, revision: Option<&str>) -> Result<String, Failure> {
    let shown = path.to_string_lossy();
    if path.symlink_metadata().is_err() {
        return Err(Failure::new(format!("`--since` cannot follow `{shown}`"))
            .help("name files and directories, not globs or standard input"));
    }
    let Some(revision) = revision else { return Ok(shown.into_owned()) };
    // git resolves a path that begins with a dot against the working directory.
    let relative =
        if path.is_absolute() || shown.starts_with("./") || shown.starts_with("../") || shown == "." {
            shown.into_owned()
        } else {
            format!("./{shown}")
        };
    Ok(format!("git:{revision}:{relative}"))
}

fn incomparable(why: IncomparableReason) -> Failure {
    match why {
        IncomparableReason::Subjects(message) | IncomparableReason::Names(message) => {
            Failure::new(format!("cannot compare: {message}"))
        }
        IncomparableReason::Schema(found) => Failure::new(to_unread(found).to_string()),
    }
}

fn add_differences(version: &mut ChangedVersion, diff: &Diff, terminal: &Terminal) {
    for pair in &diff.pairs {
        if let Some(resource) = pair_resource(pair) {
            version.changes.entry(resource).or_default().extend(pair.changes.iter().filter_map(to_change));
        }
    }
    version.added.extend(diff.added.iter().filter_map(single_resource));
    for single in diff.removed.iter().filter(|single| single_resource(single).is_some()) {
        terminal.note(&format!("{} has no {} `{}` any more", version.name, single.kind, single.name));
    }
}

fn pair_resource(pair: &ComparedPair) -> Option<ChangedResource> {
    ChangedResource::of_kind(pair.kind.name, pair.renamed.as_ref().unwrap_or(&pair.name))
}

fn single_resource(single: &UnpairedUnit) -> Option<ChangedResource> {
    ChangedResource::of_kind(single.kind.name, &single.name)
}

/// A change of what is accepted.
fn to_change(located: &LocatedChange) -> Option<ResourceChange> {
    let change = &located.change;
    let effect = match change.direction {
        Direction::Tightened | Direction::TightenedLooseningUnknown => ChangeEffect::Tightened,
        Direction::Loosened | Direction::LoosenedTighteningUnknown => ChangeEffect::Loosened,
        Direction::Incomparable => ChangeEffect::Incomparable,
        Direction::Unknown => ChangeEffect::Unknown,
        Direction::MessageOnly | Direction::Equal => return None,
    };
    let unknown = change.direction.unknown_part().map(|part| format!("{part}; ")).unwrap_or_default();
    Some(ResourceChange { effect, place: change.at.clone(), text: unknown + &describe_limits(change) })
}
