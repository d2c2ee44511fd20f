//! The subcommands, one file each.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod cost;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod flavor;
pub(crate) mod fmt;
mod html_page;
pub(crate) mod import_rule_set;
pub(crate) mod import_schema;
pub(crate) mod init;
pub(crate) mod lints;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod minors;
pub(crate) mod new;
pub(crate) mod schema;
pub(crate) mod server;
mod table;
pub(crate) mod test;
pub(crate) mod verify;
