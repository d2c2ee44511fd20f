//! Changing a text without moving a byte that is not meant: edits that know the place that they are for.
//!
//! [`Rewriter`] makes the edits, [`choose_fixes`] picks those that go together, and [`apply_edits`] carries them out. A value that is put
//! in is written as its place asks, with the backslashes of the scalar around it, and takes over the layout that its
//! neighbours have. Where a place cannot be changed with certainty the answer is none.
//!
//! ```
//! use kvrules_diagnostics::{FileId, SourceFile};
//! use kvrules_syntax::{edit::{Rewriter, ScalarEdit, apply_edits}, parse_embedded, parse_stream};
//!
//! let source = SourceFile::new(FileId(0), "a.yaml", "rules: \"[{\\\"min\\\": 1}]\" # mine\n");
//! let stream = parse_stream(source.id(), source.text());
//! let json = parse_embedded(stream.documents[0].root().unwrap().get("rules").unwrap());
//! let rule = json.root().unwrap().items().next().unwrap();
//! let rewriter = Rewriter::new(&source);
//! let edit = rewriter.insert_after(rule, rule.entry("min").unwrap(), "name", ScalarEdit::Text("a")).unwrap();
//! assert_eq!(apply_edits(source.text(), &[edit]).unwrap(), "rules: \"[{\\\"min\\\": 1, \\\"name\\\": \\\"a\\\"}]\" # mine\n");
//! ```

mod apply;
mod block;
mod gap;
mod rewriter;
mod scalar;
mod yaml11;

pub use apply::{FixChoice, apply_edits, choose_fixes};
pub use rewriter::{Rewriter, scalar_edit};
pub use scalar::{ScalarEdit, quote_json};
pub use yaml11::for_older_readers;
