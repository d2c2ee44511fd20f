//! Contents of requests and answers.

use serde::Deserialize;

/// The name of a source if the page gives none.
const USUAL_NAME: &str = "rules.yaml";

/// Something that people wrote, with the name that it would have as a file.
#[derive(Debug, Deserialize)]
pub(crate) struct Source {
    pub(crate) text: String,
    #[serde(default = "usual_name")]
    pub(crate) name: String,
}

/// A source to be repaired.
#[derive(Debug, Deserialize)]
pub(crate) struct RepairRequest {
    #[serde(flatten)]
    pub(crate) source: Source,
    /// Index of the finding; without it, all safe fixes are applied.
    pub(crate) finding: Option<usize>,
}

/// An object to be evaluated by the rules of a source.
#[derive(Debug, Deserialize)]
pub(crate) struct ObjectRequest {
    #[serde(flatten)]
    pub(crate) source: Source,
    pub(crate) object: String,
    /// The stored object, if the request is an update.
    #[serde(default)]
    pub(crate) old: String,
}

fn usual_name() -> String {
    USUAL_NAME.to_owned()
}

/// The reason why a request has no answer.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) String);
