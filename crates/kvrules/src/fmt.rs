//! Formatting: the JSON of annotations in the one layout that kvrules writes, and every other byte of the file as it was.

pub use kvrules_migrate::{FormattedFile, format_file};
