//! The built command, run as a user runs it: exit status, output, and the files it leaves behind.

mod check;
mod check_targets;
mod compile;
mod compile_targets;
mod config;
mod docs;
mod docs_extra_specs;
mod eval;
mod eval_hostile;
mod eval_inputs;
mod eval_report;
mod fix;
mod flavor;
mod fmt;
mod formats;
mod hooks;
mod init;
mod inputs;
mod loss;
mod migrate;
mod others;
mod place;
mod schema_file;
mod select;
mod verify;
mod watch;
