//! Values judged from the reference object.

use kvrules_eval::Judged;

use super::Difference;
use crate::context::{Context, SspOutcome};
use crate::judge::Texts;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D3",
    name: "reference-object",
    summary: "where a path fails on the object, the validator judges the blanks of a reference object",
    applies,
};

/// The walk of the path is an error on the machine, and the blanks that are judged in its place pass where the values
/// of the object do not, or the reverse.
fn applies(context: &Context<'_>) -> bool {
    let Some(rule) = context.rule else { return false };
    let Some((read, seen)) = rule.judged() else { return false };
    if !seen.is_reference() {
        return false;
    }
    let own = !read.explanation.values.is_empty() && read.explanation.values.iter().all(Judged::passes);
    let blanks = match rule.written.kind.as_str() {
        "integer" | "string" => rule.ssp == SspOutcome::Satisfied,
        _ => Texts::of(read).all_pass(seen.texts().iter().map(String::as_str)),
    };
    own != blanks
}
