//! Formatting: the JSON of annotations in the one layout that kvrules writes, and every other byte of the file as it was.
//!
//! ```
//! use kvrules::{FileId, SourceFile, fmt::format_file};
//!
//! let text = "vm.kubevirt.io/validations: | # mine\n  [{\"rule\":\"enum\", \"name\":\"a\"}]\n";
//! let formatted = format_file(&SourceFile::new(FileId(0), "a.yaml", text));
//! assert_eq!(formatted.text, "vm.kubevirt.io/validations: | # mine\n  [\n    {\n      \"name\": \"a\",\n      \"rule\": \"enum\"\n    }\n  ]\n");
//! ```

pub use kvrules_migrate::{FormattedFile, format_file};
