//! The regular expression that the value must match, and its meaning in words.

use crate::document::Text;
use crate::fact::{Fact, Piece};
use crate::fact_kind::{Described, FactKind};
use crate::fact_picture::FactPicture;

pub(super) static FACT: FactKind =
    FactKind { name: "pattern", on_rules: Some(60), on_extra_specs: Some(60), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let Some(pattern) = &described.page().pattern else { return Vec::new() };
    let too_complex = || Text::from_prose(&"too complex to describe in words".into());
    let reading = pattern.reading.clone().unwrap_or_else(too_complex);
    let mut code = vec![Piece::Code(pattern.code.clone())];
    // Patterns of extra specs are those of Python.
    if described.rule().is_some() {
        code.push(Piece::Picture(FactPicture::Pattern { source: pattern.source.clone() }));
    }
    vec![Fact::of_line("Regular expression", code), Fact::of_text("In words", &reading)]
}
