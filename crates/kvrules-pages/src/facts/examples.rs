//! Values that pass and that fail.

use crate::document::{Example, Examples};
use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};

pub(super) static FACT: FactKind =
    FactKind { name: "examples", on_rules: Some(130), on_extra_specs: Some(90), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    example_facts(["Passes", "Fails"], &described.page().examples)
}

/// Examples that pass and that fail, each with its label.
pub(super) fn example_facts([passes, fails]: [&str; 2], examples: &Examples) -> Vec<Fact> {
    let sorts = [(passes, &examples.passes), (fails, &examples.fails)].into_iter();
    let some = sorts.filter(|(_, examples)| !examples.is_empty());
    some.map(|(label, examples)| {
        Fact::of_line(label, Piece::join_with(examples.iter().map(example_line), ", "))
    })
    .collect()
}

fn example_line(example: &Example) -> Vec<Piece> {
    let mut line = vec![Piece::Code(example.code.clone())];
    for other in &example.beside {
        line.extend([Piece::Words(" with ".into()), Piece::of_field(&other.path)]);
        line.extend([Piece::Words(" set to ".into()), Piece::Code(other.code.clone())]);
    }
    line
}
