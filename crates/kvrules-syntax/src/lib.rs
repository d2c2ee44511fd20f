//! YAML documents, and the JSON inside their scalars, as one kind of tree in which every node knows its place.
//!
//! Parsing is total: [`parse_stream`] always answers with documents *and* a list of [`Problem`]s, and what could
//! not be read is a [`SyntaxKind::Hole`]. A string that holds JSON is opened with [`parse_embedded`]; the nodes inside
//! carry positions in the file that the string is in, through indentation, folding and escapes.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_syntax::{parse_embedded, parse_stream};
//!
//! let text = "rules: |\n  [{\"min\": 1,}]\n";
//! let stream = parse_stream(FileId(0), text);
//! let rules = stream.documents[0].root().unwrap().get("rules").unwrap();
//! let json = parse_embedded(rules);
//! let min = json.root().unwrap().items().next().unwrap().get("min").unwrap();
//! assert_eq!(&text[min.span().to_range()], "1");
//! assert_eq!(json.problems().len(), 1); // the comma before `}`
//! ```

mod builder;
mod chars;
mod document;
mod embedded;
mod json;
mod node;
mod notation;
mod offset;
mod parameters;
mod problem;
mod scalar_map;
mod stream;
mod write;
mod yaml;

pub mod edit;
pub mod kubernetes;
pub mod layout;
pub mod markdown;
pub mod pointer;
pub mod restated;
pub mod restructuredtext;
mod template_source;
pub mod templated;
pub mod value;
pub mod yaml11;

pub use document::{Document, NodeStyle, SyntaxKind};
pub use embedded::{EmbeddedReader, parse_embedded, parse_json};
pub use node::{Entry, Node};
pub use notation::Notation;
pub use parameters::{TemplateParameter, find_parameters};
pub use problem::{Problem, ProblemKind};
pub use stream::{DocumentStream, JsonDialect, parse_stream, source_stream};
pub use write::{WriteError, to_yaml};
pub use yaml::parse_yaml;

/// The deepest nesting of lists and mappings that is read. A schema 300 levels deep fits, which has two mappings a level;
/// whoever walks a tree may recurse this far.
pub const MAX_DEPTH: usize = 700;
