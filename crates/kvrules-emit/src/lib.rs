//! Emitters: functions from elaborated rule sets to files, one folder a target.
//!
//! Every emitter lowers the same [`Predicate`](kvrules_ir::Predicate) and none decides what a rule means. What two
//! targets share stands beneath both: [`schema`] for the JSON schemas, [`cel`] for CEL, [`prose`] for documents.
//! Beside its files an emitter says, rule by rule, how exact they are (see [`Fidelity`]).

pub mod cel;
mod emitters;
mod fidelity;
pub mod names;
pub mod prose;
pub mod schema;

pub use emitters::EMITTERS;
pub use fidelity::{Fidelity, RuleFidelity};

use kvrules_ir::ElaboratedSet;

/// A target: what it is called and how it is made.
#[derive(Debug)]
pub struct Emitter {
    /// The name on the command line, such as `openapi`.
    pub name: &'static str,
    /// What it makes, in a few words.
    pub summary: &'static str,
    /// Makes it.
    pub emit: fn(&Request<'_>) -> Result<Emission, EmitError>,
}

/// What an emitter works on.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The rule sets, each written once, with all who use it.
    pub sets: &'a [ElaboratedSet],
    /// Document templates of the user's own.
    pub templates: &'a [Template],
    /// The version of kvrules, for targets that name their generator.
    pub version: &'a str,
}

/// A document template that replaces a built-in one of the same name.
#[derive(Clone, Debug)]
pub struct Template {
    /// Such as `markdown/rule_set.md.j2`.
    pub name: String,
    /// The template.
    pub text: String,
}

/// What an emitter made. Nothing is written anywhere yet.
#[derive(Clone, Debug, Default)]
pub struct Emission {
    /// The files, in the order of the sets.
    pub files: Vec<OutputFile>,
    /// For each rule of each set, in order, how exactly the files say it.
    pub fidelity: Vec<RuleFidelity>,
}

/// One file of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Below the target's own folder, with `/` between parts.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Why a target could not be made. Rules that a target cannot say are no error; see [`Fidelity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// What went wrong, and where in which template.
    pub message: String,
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for EmitError {}

/// The target with this name.
pub fn emitter(name: &str) -> Option<&'static Emitter> {
    EMITTERS.iter().copied().find(|emitter| emitter.name == name)
}
