//! Grouping of rule sets on pages.

use kvrules_diagnostics::{Origin, Sources};
use kvrules_ir::ElaboratedSet;

/// Criterion that groups rule sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Each has a page of its own.
    #[default]
    Set,
    /// The part of the name up to the first `-`: `windows10` of `windows10-desktop-large`.
    Name,
    /// The file that they are in.
    File,
}

impl Grouping {
    /// Each, the default first.
    pub const ALL: [Self; 3] = [Self::Set, Self::Name, Self::File];

    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Name => "name",
            Self::File => "file",
        }
    }

    /// The group of each set; nothing if each has a page of its own.
    pub(crate) fn groups(self, sets: &[ElaboratedSet], sources: &Sources) -> Vec<String> {
        match self {
            Self::Set => Vec::new(),
            Self::Name => sets.iter().map(|set| name_start(&set.name)).collect(),
            Self::File => sets.iter().map(|set| file_of_set(set, sources)).collect(),
        }
    }
}

fn name_start(name: &str) -> String {
    match name.split('-').next().unwrap_or_default() {
        "" => name.to_owned(),
        start => start.to_owned(),
    }
}

fn file_of_set(set: &ElaboratedSet, sources: &Sources) -> String {
    let origin = set.used_by.first().map(|audience| audience.origin);
    let file = origin.and_then(Origin::span).and_then(|span| sources.get(span.file));
    file.map_or_else(|| "elsewhere".to_owned(), |file| file.name().replace('\\', "/"))
}
