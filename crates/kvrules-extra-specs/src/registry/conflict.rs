//! Definitions that get in each other's way.

use kvrules_diagnostics::{Diagnostic, Origin};

use super::{DefinitionRegistry, MatchKind, RegistryEntry};
use crate::definition::Definition;
use crate::lints::SHADOWED_DEFINITION;

/// Two definitions of which one has less to say than its author may think.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionConflict {
    /// Kind of the conflict.
    pub kind: ConflictKind,
    /// The name of the definition that decides.
    pub wins: String,
    /// The name of the other.
    pub loses: String,
    /// Location of the other definition.
    pub origin: Origin,
}

/// Kind of a conflict between definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConflictKind {
    /// Both have the same name. The second is left out of the registry.
    SameName,
    /// The name of the second is a key that a pattern of an earlier layer takes. The second never decides.
    Shadowed,
    /// The pattern of the second also takes the name of the first, which takes precedence.
    Overlap,
}

impl DefinitionConflict {
    /// The finding for it, at the definition that does not decide.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let span = self.origin.span().unwrap_or_default();
        SHADOWED_DEFINITION.diagnostic_at(span, self.to_message()).with_help(match self.kind {
            ConflictKind::SameName => "the built-in definitions take precedence; choose another name",
            ConflictKind::Shadowed => "choose a name that no pattern of the built-in definitions matches",
            ConflictKind::Overlap => "restrict the pattern of the parameter if that is not intended",
        })
    }

    fn to_message(&self) -> String {
        let Self { wins, loses, .. } = self;
        match self.kind {
            ConflictKind::SameName => {
                format!("`{loses}` is already defined, and the first definition applies")
            }
            ConflictKind::Shadowed => {
                format!("`{loses}` never applies, because `{wins}` also matches and takes precedence")
            }
            ConflictKind::Overlap => format!("`{loses}` also matches `{wins}`, which takes precedence"),
        }
    }
}

/// The conflict of a definition with one that has its name.
pub(super) fn same_name(first: &RegistryEntry, definition: &Definition) -> DefinitionConflict {
    to_conflict(ConflictKind::SameName, &first.definition, definition)
}

/// Conflicts between layers.
pub(super) fn find_shadowed(registry: &DefinitionRegistry) -> Vec<DefinitionConflict> {
    let mut found = Vec::new();
    // In the first layer exact names decide before all patterns, so nothing can shadow them.
    for entry in
        registry.entries().iter().filter(|entry| entry.layer() > 0 && !entry.definition.is_patterned())
    {
        match registry.find_definition(&entry.definition.name) {
            Some(other) if other.how == MatchKind::Pattern => {
                found.push(to_conflict(ConflictKind::Shadowed, other.definition, &entry.definition));
            }
            _ => {}
        }
    }
    found.extend(find_overlaps(registry));
    found
}

/// Patterns of later layers that take plain names of the first.
fn find_overlaps(registry: &DefinitionRegistry) -> Vec<DefinitionConflict> {
    let mut found = Vec::new();
    // Overlaps within one layer are reported by `find_overlaps` of the crate.
    if registry.entries().iter().all(|entry| entry.layer() == 0) {
        return found;
    }
    for entry in registry.entries().iter().filter(|entry| !entry.definition.is_patterned()) {
        let name = &entry.definition.name;
        for number in registry.patterns.candidates(name) {
            let place = registry.patterned.get(number).copied().unwrap_or(usize::MAX);
            let Some(pattern) = registry.entries.get(place) else { continue };
            let takes = registry.patterns.match_pattern(number, name) == crate::index::PatternVerdict::Match;
            if pattern.layer() > entry.layer() && takes {
                found.push(to_conflict(ConflictKind::Overlap, &entry.definition, &pattern.definition));
            }
        }
    }
    found
}

fn to_conflict(kind: ConflictKind, wins: &Definition, loses: &Definition) -> DefinitionConflict {
    DefinitionConflict { kind, wins: wins.name.clone(), loses: loses.name.clone(), origin: loses.origin }
}
