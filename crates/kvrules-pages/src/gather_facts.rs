//! Collects the facts of pages from all kinds.

use kvrules_ir::{ElaboratedSet, Subject};

use super::document::Document;
use super::extra_specs::SpecPage;
use super::fact::Fact;
use super::fact_kind::{Described, FactKind};
use super::facts::FACTS;
use crate::prose::rebase_to_root;

impl Document {
    /// Collects the facts about the rules of the sets that the document is about. Must be called again after pages change.
    pub fn gather_facts(&mut self, sets: &[ElaboratedSet], subject: &Subject) {
        for (page, set) in self.sets.iter_mut().zip(sets) {
            for (page, rule) in page.rules.iter_mut().zip(&set.rules) {
                page.page.facts = list_facts(Described::Rule(page, &rebase_to_root(rule, subject)));
            }
        }
    }
}

impl SpecPage {
    /// Collects the facts about the extra spec. Must be called again after the page changes.
    pub fn gather_facts(&mut self) {
        self.page.facts = list_facts(Described::ExtraSpec(self));
    }
}

fn list_facts(described: Described<'_>) -> Vec<Fact> {
    let position = |kind: &FactKind| match described {
        Described::Rule(..) => kind.on_rules,
        Described::ExtraSpec(_) => kind.on_extra_specs,
    };
    let mut kinds: Vec<_> = FACTS.iter().filter_map(|kind| Some((position(kind)?, *kind))).collect();
    kinds.sort_by_key(|(position, _)| *position);
    let of_kind = |(_, kind): (u32, &FactKind)| {
        let name = |fact| Fact { kind: kind.name.to_owned(), ..fact };
        (kind.facts)(&described).into_iter().map(name).collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_kinds_share_a_name_or_a_position() {
        let names: HashSet<&str> = FACTS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), FACTS.len());
        let positions: [fn(&FactKind) -> Option<u32>; 2] = [|kind| kind.on_rules, |kind| kind.on_extra_specs];
        for position in positions {
            let all: Vec<u32> = FACTS.iter().filter_map(|kind| position(kind)).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
        }
    }
}
