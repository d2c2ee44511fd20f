//! Definitions on the servers of several Kubernetes versions: what each rejects, what rules cost there, and the oldest that takes
//! them.

mod constructs;
mod differences;
mod matrix;
mod oldest;
mod policies;
mod reviews;
mod subject;
mod words;

pub(crate) use differences::check_versions;
pub use matrix::{CostColumn, DefinitionMatrix, RuleShares, VersionMatrix, cost_matrix};
pub use oldest::{OldestVersion, find_oldest_versions};
pub(crate) use policies::{VersionedPolicy, served_api_finding};
pub(crate) use subject::VersionedDefinition;
