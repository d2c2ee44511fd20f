//! Functions on strings: cel-go's strings library (version 2) and Kubernetes' `find` and `findAll`.

use super::{Overload, SignatureType, global, member};

/// The overloads on strings.
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    member("charAt", "string_char_at_int", &[SignatureType::String, SignatureType::Int], SignatureType::String),
    member("format", "string_format", &[SignatureType::String, SignatureType::List(&SignatureType::Dyn)], SignatureType::String),
    member("indexOf", "string_index_of_string", &[SignatureType::String, SignatureType::String], SignatureType::Int),
    member("indexOf", "string_index_of_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::Int),
    member("join", "list_join", &[SignatureType::List(&SignatureType::String)], SignatureType::String),
    member("join", "list_join_string", &[SignatureType::List(&SignatureType::String), SignatureType::String], SignatureType::String),
    member("lastIndexOf", "string_last_index_of_string", &[SignatureType::String, SignatureType::String], SignatureType::Int),
    member("lastIndexOf", "string_last_index_of_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::Int),
    member("lowerAscii", "string_lower_ascii", &[SignatureType::String], SignatureType::String),
    member("replace", "string_replace_string_string", &[SignatureType::String, SignatureType::String, SignatureType::String], SignatureType::String),
    member("replace", "string_replace_string_string_int", &[SignatureType::String, SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::String),
    member("split", "string_split_string", &[SignatureType::String, SignatureType::String], SignatureType::List(&SignatureType::String)),
    member("split", "string_split_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::List(&SignatureType::String)),
    member("substring", "string_substring_int", &[SignatureType::String, SignatureType::Int], SignatureType::String),
    member("substring", "string_substring_int_int", &[SignatureType::String, SignatureType::Int, SignatureType::Int], SignatureType::String),
    member("trim", "string_trim", &[SignatureType::String], SignatureType::String),
    member("upperAscii", "string_upper_ascii", &[SignatureType::String], SignatureType::String),
    global("strings.quote", "strings_quote", &[SignatureType::String], SignatureType::String),
    member("find", "string_find_string", &[SignatureType::String, SignatureType::String], SignatureType::String),
    member("findAll", "string_find_all_string", &[SignatureType::String, SignatureType::String], SignatureType::List(&SignatureType::String)),
    member("findAll", "string_find_all_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::List(&SignatureType::String)),
];
