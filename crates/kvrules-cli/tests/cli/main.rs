//! The built command, run as a user runs it: exit status, output, and the files it leaves behind.

mod check;
mod compile;
mod config;
mod eval;
mod inputs;
mod others;
mod place;
