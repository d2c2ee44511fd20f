//! All signatures: those of [`crate::functions`], and those that no expression can write or that only policies use.

use crate::functions::{
    self, A, B, LIST_A, MAP_A_B, Overload, SignatureType, global_overload, member_overload,
};
use crate::functions::{kyverno, kyverno_overloads};
use crate::kubernetes::{CelEngine, Dialect, gate_of_overload};

use super::expand::{MAP_INSERT, NOT_STRICTLY_FALSE, SORT_BY_KEYS};

const fn sort_overload(id: &'static str, params: &'static [SignatureType]) -> Overload {
    Overload { name: SORT_BY_KEYS, id, member: true, params, result: LIST_A }
}

/// Functions that only expansions of macros can call: their names cannot be written.
// cel-go common/operators, NotStrictlyFalse; ext/comprehensions.go, mapInsert; ext/lists.go, @sortByAssociatedKeys
const INTERNAL: &[Overload] = &[
    global_overload(NOT_STRICTLY_FALSE, "not_strictly_false", &[SignatureType::Bool], SignatureType::Bool),
    global_overload(MAP_INSERT, "@mapInsert_map_map", &[MAP_A_B, MAP_A_B], MAP_A_B),
    global_overload(MAP_INSERT, "@mapInsert_map_key_value", &[MAP_A_B, A, B], MAP_A_B),
    sort_overload("list_int_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::Int)]),
    sort_overload("list_uint_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::Uint)]),
    sort_overload("list_double_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::Double)]),
    sort_overload("list_bool_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::Bool)]),
    sort_overload(
        "list_duration_sortByAssociatedKeys",
        &[LIST_A, SignatureType::List(&SignatureType::Duration)],
    ),
    sort_overload(
        "list_timestamp_sortByAssociatedKeys",
        &[LIST_A, SignatureType::List(&SignatureType::Timestamp)],
    ),
    sort_overload("list_string_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::String)]),
    sort_overload("list_bytes_sortByAssociatedKeys", &[LIST_A, SignatureType::List(&SignatureType::Bytes)]),
];

const AUTHORIZER: SignatureType = SignatureType::Opaque("kubernetes.authorization.Authorizer");
const PATH_CHECK: SignatureType = SignatureType::Opaque("kubernetes.authorization.PathCheck");
const GROUP_CHECK: SignatureType = SignatureType::Opaque("kubernetes.authorization.GroupCheck");
const RESOURCE_CHECK: SignatureType = SignatureType::Opaque("kubernetes.authorization.ResourceCheck");
const DECISION: SignatureType = SignatureType::Opaque("kubernetes.authorization.Decision");

/// Functions of the authorizer, which are declared everywhere although only policies have an authorizer.
// apiserver pkg/cel/library/authz.go
const AUTHORIZATION: &[Overload] = &[
    member_overload("path", "authorizer_path", &[AUTHORIZER, SignatureType::String], PATH_CHECK),
    member_overload("group", "authorizer_group", &[AUTHORIZER, SignatureType::String], GROUP_CHECK),
    member_overload(
        "serviceAccount",
        "authorizer_serviceaccount",
        &[AUTHORIZER, SignatureType::String, SignatureType::String],
        AUTHORIZER,
    ),
    member_overload("resource", "groupcheck_resource", &[GROUP_CHECK, SignatureType::String], RESOURCE_CHECK),
    member_overload(
        "subresource",
        "resourcecheck_subresource",
        &[RESOURCE_CHECK, SignatureType::String],
        RESOURCE_CHECK,
    ),
    member_overload(
        "namespace",
        "resourcecheck_namespace",
        &[RESOURCE_CHECK, SignatureType::String],
        RESOURCE_CHECK,
    ),
    member_overload("name", "resourcecheck_name", &[RESOURCE_CHECK, SignatureType::String], RESOURCE_CHECK),
    member_overload(
        "fieldSelector",
        "authorizer_fieldselector",
        &[RESOURCE_CHECK, SignatureType::String],
        RESOURCE_CHECK,
    ),
    member_overload(
        "labelSelector",
        "authorizer_labelselector",
        &[RESOURCE_CHECK, SignatureType::String],
        RESOURCE_CHECK,
    ),
    member_overload("check", "pathcheck_check", &[PATH_CHECK, SignatureType::String], DECISION),
    member_overload("check", "resourcecheck_check", &[RESOURCE_CHECK, SignatureType::String], DECISION),
    member_overload("errored", "decision_errored", &[DECISION], SignatureType::Bool),
    member_overload("error", "decision_error", &[DECISION], SignatureType::String),
    member_overload("allowed", "decision_allowed", &[DECISION], SignatureType::Bool),
    member_overload("reason", "decision_reason", &[DECISION], SignatureType::String),
];

/// The overloads of a function that are not in the shared table.
fn find_checker_only(name: &str, member: bool) -> impl Iterator<Item = &'static Overload> {
    let others = INTERNAL.iter().chain(AUTHORIZATION);
    others.filter(move |overload| overload.name == name && overload.member == member)
}

/// True if a function has this name; then a call may fail to match its overloads, but its name is not unknown.
pub(super) fn is_function(name: &str, dialect: Dialect) -> bool {
    let mut all = functions::all_overloads().chain(INTERNAL).chain(AUTHORIZATION);
    all.any(|overload| overload.name == name && has_overload(dialect, overload))
        || own_overloads(dialect).any(|overload| overload.name == name)
}

/// The overloads that the engine of a dialect adds.
fn own_overloads(dialect: Dialect) -> impl Iterator<Item = &'static Overload> {
    let is_kyverno = dialect.engine == CelEngine::Kyverno;
    kyverno_overloads().chain([&kyverno::OR_VALUE]).filter(move |_| is_kyverno)
}

/// True if a dialect has an overload.
fn has_overload(dialect: Dialect, overload: &Overload) -> bool {
    Dialect { engine: CelEngine::Server, ..dialect } == Dialect::NEWEST
        || gate_of_overload(overload.id).is_none_or(|gate| dialect.has_gate(gate))
}

/// The overloads of a function, written as a member or not.
pub(super) fn find_checker_overloads(
    name: &str,
    member: bool,
    dialect: Dialect,
) -> impl Iterator<Item = &'static Overload> {
    let all = functions::find_overloads(name, member).chain(find_checker_only(name, member));
    let own = own_overloads(dialect).filter(move |it| it.name == name && it.member == member);
    // Kyverno replaces `orValue` while it parses.
    let is_replaced = dialect.engine == CelEngine::Kyverno && name == kyverno::OR_VALUE.name;
    all.filter(move |overload| has_overload(dialect, overload) && !is_replaced).chain(own)
}
