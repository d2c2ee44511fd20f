//! Rules in the structural schema of a CustomResourceDefinition.
//!
//! A rule is cut into its parts, and each part is put at the deepest node of the schema that can say it
//! ([`placement`]), so that the server names that field when it refuses. The schema is either drawn from the rules alone
//! ([`outline`]) or that of a definition which exists already, into whose text the additions are written ([`merge`]). What
//! the server would find too expensive ([`cost`]) is expressed in another way ([`restate`]) or bounded ([`bounds`]).
//!
//! Rules are expressed in CEL, though a schema has keywords for much of it: a keyword has no message, the server's own words
//! do not explain the rule to the user, and after a keyword such as `enum` fails the server runs no rule at all, so
//! all the other messages would be lost too. Keywords are kept for what is too expensive in CEL.

mod dialect;
mod path;

mod absence;
mod names;
mod placement;
mod rebase;

mod schema;

mod bounds;
mod cost;
mod limits;
mod restate;

mod compile;
mod entry;

mod outline;

mod definition;
mod merge;

mod document;

pub(crate) use compile::CompileChoices;
pub(crate) use definition::{DefinitionSource, lacks_definition};
pub(crate) use document::{ExistingDefinition, build_standalone, merge_into_existing};
pub(crate) use rebase::predicate_places as places_of;
