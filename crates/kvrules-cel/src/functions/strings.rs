//! Functions on strings: cel-go's strings library (version 2) and Kubernetes' `find` and `findAll`.

use super::{Overload, Ty, global, member};

/// The overloads on strings.
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    member("charAt", "string_char_at_int", &[Ty::String, Ty::Int], Ty::String),
    member("format", "string_format", &[Ty::String, Ty::List(&Ty::Dyn)], Ty::String),
    member("indexOf", "string_index_of_string", &[Ty::String, Ty::String], Ty::Int),
    member("indexOf", "string_index_of_string_int", &[Ty::String, Ty::String, Ty::Int], Ty::Int),
    member("join", "list_join", &[Ty::List(&Ty::String)], Ty::String),
    member("join", "list_join_string", &[Ty::List(&Ty::String), Ty::String], Ty::String),
    member("lastIndexOf", "string_last_index_of_string", &[Ty::String, Ty::String], Ty::Int),
    member("lastIndexOf", "string_last_index_of_string_int", &[Ty::String, Ty::String, Ty::Int], Ty::Int),
    member("lowerAscii", "string_lower_ascii", &[Ty::String], Ty::String),
    member("replace", "string_replace_string_string", &[Ty::String, Ty::String, Ty::String], Ty::String),
    member("replace", "string_replace_string_string_int", &[Ty::String, Ty::String, Ty::String, Ty::Int], Ty::String),
    member("split", "string_split_string", &[Ty::String, Ty::String], Ty::List(&Ty::String)),
    member("split", "string_split_string_int", &[Ty::String, Ty::String, Ty::Int], Ty::List(&Ty::String)),
    member("substring", "string_substring_int", &[Ty::String, Ty::Int], Ty::String),
    member("substring", "string_substring_int_int", &[Ty::String, Ty::Int, Ty::Int], Ty::String),
    member("trim", "string_trim", &[Ty::String], Ty::String),
    member("upperAscii", "string_upper_ascii", &[Ty::String], Ty::String),
    global("strings.quote", "strings_quote", &[Ty::String], Ty::String),
    member("find", "string_find_string", &[Ty::String, Ty::String], Ty::String),
    member("findAll", "string_find_all_string", &[Ty::String, Ty::String], Ty::List(&Ty::String)),
    member("findAll", "string_find_all_string_int", &[Ty::String, Ty::String, Ty::Int], Ty::List(&Ty::String)),
];
