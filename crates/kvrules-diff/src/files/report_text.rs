//! Parts of a report in words.

use crate::{ChangedLimit, Direction, ExclusionProof};

/// Returns a changed limit in a line: `maximum 10 → 5`.
///
/// ```
/// use kvrules::diff::{ChangedLimit, limit_text};
///
/// let limit = |before: Option<&str>, after: Option<&str>| {
///     let [before, after] = [before, after].map(|limit| limit.map(str::to_owned));
///     limit_text(&ChangedLimit { key: "maximum".to_owned(), before, after })
/// };
/// assert_eq!(limit(Some("10"), Some("5")), "maximum 10 → 5");
/// assert_eq!(limit(Some("10"), None), "maximum 10 removed");
/// ```
pub fn limit_text(limit: &ChangedLimit) -> String {
    match (&limit.before, &limit.after) {
        (Some(before), Some(after)) => format!("{} {before} → {after}", limit.key),
        (None, Some(after)) => format!("{} {after} added", limit.key),
        (Some(before), None) => format!("{} {before} removed", limit.key),
        (None, None) => limit.key.clone(),
    }
}

/// Returns a proof as a person would write it.
///
/// ```
/// use kvrules::diff::{Direction, ExclusionProof, proof_text};
///
/// let proof = ExclusionProof { excludes: Direction::Loosened, by: vec!["`self > 2`".to_owned()], explanation: None };
/// assert_eq!(proof_text(&proof), "proved: nothing is newly accepted, because the rule `self > 2` implies it");
/// ```
pub fn proof_text(proof: &ExclusionProof) -> String {
    let effect = if proof.excludes == Direction::Loosened { "accepted" } else { "rejected" };
    let reason = match proof.by.as_slice() {
        [] => "the schema implies it".to_owned(),
        [rule] => format!("the rule {rule} implies it"),
        rules => format!("the rules {} imply it", rules.join(" and ")),
    };
    format!("proved: nothing is newly {effect}, because {reason}")
}
