//! The answers of kvrules for a page without a server: WebAssembly with a plain interface of three functions.
//!
//! A page calls [`reserve_request`], writes the request to the memory at the returned address, calls [`answer_reserved`], and reads as many
//! bytes as that returns from [`answer_address`]. Requests and answers are JSON in UTF-8; [`answer_request`] lists them. Nothing of
//! a request is kept for the next one.

mod abi;
mod check;
mod cost;
mod messages;
mod request;
mod sentences;
mod targets;
mod verdict;

pub use abi::{answer_address, answer_reserved, reserve_request};
pub use request::answer_request;
