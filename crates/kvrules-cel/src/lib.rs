//! The Kubernetes API server's CEL: parsing, types from schemas, checking, cost and evaluation.

pub mod ast;
mod base64;
pub mod check;
pub mod cost;
pub mod crd;
mod decode;
pub mod definition;
pub mod eval;
mod expressions;
pub mod field_error;
mod field_path;
mod formats;
pub mod functions;
mod go_text;
mod go_url;
pub mod issue;
mod names;
mod node;
pub mod object;
mod object_meta;
mod parse;
pub mod policy;
pub mod stack;
pub mod structural;
pub mod types;
pub mod value;
pub mod work;

pub use expressions::{Expressions, Parsed};
pub use parse::{ParseError, parse, size_problem};
