//! Functions on strings: cel-go's strings library (version 2) and Kubernetes' `find` and `findAll`.

use super::{Overload, SignatureType, global_overload, member_overload};

/// The overloads on strings.
// cel-go ext/strings.go, stringLib.CompileOptions; apiserver pkg/cel/library/regex.go
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    member_overload("charAt", "string_char_at_int", &[SignatureType::String, SignatureType::Int], SignatureType::String),
    member_overload("format", "string_format", &[SignatureType::String, SignatureType::List(&SignatureType::Dyn)], SignatureType::String),
    member_overload("indexOf", "string_index_of_string", &[SignatureType::String, SignatureType::String], SignatureType::Int),
    member_overload("indexOf", "string_index_of_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::Int),
    member_overload("join", "list_join", &[SignatureType::List(&SignatureType::String)], SignatureType::String),
    member_overload("join", "list_join_string", &[SignatureType::List(&SignatureType::String), SignatureType::String], SignatureType::String),
    member_overload("lastIndexOf", "string_last_index_of_string", &[SignatureType::String, SignatureType::String], SignatureType::Int),
    member_overload("lastIndexOf", "string_last_index_of_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::Int),
    member_overload("lowerAscii", "string_lower_ascii", &[SignatureType::String], SignatureType::String),
    member_overload("replace", "string_replace_string_string", &[SignatureType::String, SignatureType::String, SignatureType::String], SignatureType::String),
    member_overload("replace", "string_replace_string_string_int", &[SignatureType::String, SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::String),
    member_overload("split", "string_split_string", &[SignatureType::String, SignatureType::String], SignatureType::List(&SignatureType::String)),
    member_overload("split", "string_split_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::List(&SignatureType::String)),
    member_overload("substring", "string_substring_int", &[SignatureType::String, SignatureType::Int], SignatureType::String),
    member_overload("substring", "string_substring_int_int", &[SignatureType::String, SignatureType::Int, SignatureType::Int], SignatureType::String),
    member_overload("trim", "string_trim", &[SignatureType::String], SignatureType::String),
    member_overload("upperAscii", "string_upper_ascii", &[SignatureType::String], SignatureType::String),
    global_overload("strings.quote", "strings_quote", &[SignatureType::String], SignatureType::String),
    member_overload("find", "string_find_string", &[SignatureType::String, SignatureType::String], SignatureType::String),
    member_overload("findAll", "string_find_all_string", &[SignatureType::String, SignatureType::String], SignatureType::List(&SignatureType::String)),
    member_overload("findAll", "string_find_all_string_int", &[SignatureType::String, SignatureType::String, SignatureType::Int], SignatureType::List(&SignatureType::String)),
];
