//! Locations in a source text, and findings about them.
//!
//! All other crates of kvrules depend on this one, and it depends on none of them: a [`Span`] is a range in a text,
//! [`Sources`] holds the texts, a [`Diagnostic`] is one finding, and each file under [`render`] shows a list of
//! findings in one format.

mod diagnostic;
mod exactness;
mod fingerprint;
mod fix;
mod lint;
mod nearest;
mod origin;
pub mod render;
mod sentences;
mod source;
mod span;

pub use diagnostic::{Diagnostic, Label, Level, Proof};
pub use exactness::Exactness;
pub use fingerprint::{Fingerprint, fingerprint_findings};
pub use fix::{Applicability, Edit, Fix};
pub use lint::Lint;
pub use nearest::{find_nearest, most_alike, suggest_name, suggest_nearest};
pub use origin::Origin;
pub use sentences::{count_noun, join_words, quote_names};
pub use source::{Position, SourceFile, Sources};
pub use span::{FileId, Span};
