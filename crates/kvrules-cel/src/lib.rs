//! The Kubernetes API server's CEL: parsing, types from schemas, checking, cost and evaluation.

pub mod ast;
pub mod base64;
pub mod check;
pub mod cost;
pub mod eval;
mod expressions;
pub mod formats;
pub mod functions;
pub mod go_text;
pub mod issue;
pub mod kubernetes;
mod layout;
pub mod literal;
pub mod names;
mod parse;
mod signatures;
mod source_text;
pub mod stack;
pub mod types;
pub mod value;
pub mod work;

pub use expressions::{Expressions, Parsed};
pub use layout::{ExpressionLayout, chain_parts};
pub use parse::{ParseError, parse, parse_in, size_problem};
pub use signatures::{NamedFunction, named_functions};
pub use source_text::SourceText;
