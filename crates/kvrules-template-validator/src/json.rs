//! JSON as Go's `encoding/json` reads it: the same grammar, the same words for what is wrong.

mod check;
mod cursor;
mod text;

pub(crate) use check::check_json;
pub(crate) use cursor::Cursor;
pub(crate) use text::decode_string;
