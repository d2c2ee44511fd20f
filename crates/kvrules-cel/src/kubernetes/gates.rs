//! Functions and syntax, with the first minor that has them.
//!
//! A server of minor N compiles a new text with what was there in N − 1, so that the previous minor can read what was
//! stored; a text that was stored before is compiled with everything that N has.
// apiserver pkg/cel/environment/base.go, baseOpts and baseOptsWithoutStrictCost: IntroducedVersion of each option set

use super::KubernetesVersion;

/// A group of functions and syntax that came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// `<` and its neighbours across types of numbers.
    CrossTypeOrder,
    /// Optional values.
    Optionals,
    /// Quantities.
    Quantity,
    /// `format`, `strings.quote` and sets.
    FormatAndSets,
    /// Addresses and networks.
    Network,
    /// Named formats.
    NamedFormats,
    /// Macros with two variables.
    TwoVariables,
    /// `first`, `last`, `unwrapOpt` and `optional.unwrap`.
    OptionalLists,
    /// Semantic versions.
    Semver,
    /// Functions on lists, such as `sort`.
    Lists,
    /// `matches(text, pattern)`.
    GlobalMatches,
    /// Functions of the authorizer.
    Authorizer,
    /// Selectors of the authorizer.
    AuthorizerSelectors,
    /// Names in backticks.
    QuotedNames,
}

/// Known facts about a gate.
#[derive(Clone, Copy, Debug)]
pub struct GateFact {
    /// The gate.
    pub gate: Gate,
    /// The first minor that takes it in a new text; `None` if no known minor does.
    pub new_from: Option<KubernetesVersion>,
    /// The first minor that takes it in a text that was stored before.
    pub stored_from: Option<KubernetesVersion>,
    /// Prefixes of the identifiers of its overloads; a whole identifier ends with `=`.
    overloads: &'static [&'static str],
    /// Names of the types that come with it.
    types: &'static [&'static str],
}

const fn gate(
    gate: Gate,
    (new, stored): (u8, u8),
    overloads: &'static [&'static str],
    types: &'static [&'static str],
) -> GateFact {
    let (new, stored) = (KubernetesVersion::table_minor(new), KubernetesVersion::table_minor(stored));
    GateFact { gate, new_from: Some(new), stored_from: Some(stored), overloads, types }
}

/// Gate, first minor for new texts and for stored ones, overloads, types.
#[rustfmt::skip]
const GATES: &[GateFact] = &[
    gate(Gate::CrossTypeOrder, (29, 28), &[
        "less_int64_", "less_uint64_", "less_double_", "less_equals_int64_", "less_equals_uint64_", "less_equals_double_",
        "greater_int64_", "greater_uint64_", "greater_double_", "greater_equals_int64_", "greater_equals_uint64_",
        "greater_equals_double_",
    ], &[]),
    gate(Gate::GlobalMatches, (28, 28), &["matches="], &[]),
    gate(Gate::AuthorizerSelectors, (32, 32), &["authorizer_fieldselector", "authorizer_labelselector"], &[]),
    gate(Gate::Authorizer, (27, 27), &["authorizer_", "groupcheck_", "resourcecheck_", "pathcheck_", "decision_"], &[]),
    gate(Gate::OptionalLists, (33, 33), &["list_first", "list_last", "optional_unwrap"], &[]),
    gate(Gate::Optionals, (29, 28), &["optional_", "list_optindex_", "map_optindex_", "select_optional_"], &["optional_type"]),
    gate(Gate::Quantity, (29, 28), &["string_to_quantity", "is_quantity_", "quantity_"], &["kubernetes.Quantity"]),
    gate(Gate::FormatAndSets, (30, 29), &["string_format", "strings_quote", "list_sets_"], &[]),
    gate(Gate::Network, (31, 30), &["string_to_ip", "is_ip", "ip_", "string_to_cidr", "is_cidr", "cidr_"], &["net.IP", "net.CIDR"]),
    gate(Gate::NamedFormats, (32, 31), &["format_"], &["kubernetes.NamedFormat"]),
    gate(Gate::TwoVariables, (33, 32), &["@mapInsert_"], &[]),
    gate(Gate::Semver, (34, 33), &["string_to_semver", "string_bool_to_semver", "is_semver_", "semver_"], &["kubernetes.Semver"]),
    gate(Gate::Lists, (35, 34), &[
        "list_slice", "list_flatten", "lists_range", "list_distinct", "list_reverse", "list_int_sort", "list_uint_sort",
        "list_double_sort", "list_bool_sort", "list_duration_sort", "list_timestamp_sort", "list_string_sort", "list_bytes_sort",
    ], &[]),
    GateFact { gate: Gate::QuotedNames, new_from: None, stored_from: None, overloads: &[], types: &[] },
];

/// Returns the facts of every gate.
pub fn all_gates() -> impl Iterator<Item = &'static GateFact> {
    GATES.iter()
}

/// Returns the facts of a gate.
pub fn find_gate(gate: Gate) -> Option<&'static GateFact> {
    GATES.iter().find(|fact| fact.gate == gate)
}

/// The gate of an overload, by its identifier; `None` if every known minor has it.
pub(crate) fn gate_of_overload(id: &str) -> Option<Gate> {
    let has = |fact: &&GateFact| {
        fact.overloads.iter().any(|prefix| match prefix.strip_suffix('=') {
            Some(whole) => id == whole,
            None => id.starts_with(prefix),
        })
    };
    GATES.iter().find(has).map(|fact| fact.gate)
}

/// The gate of a type that can be named in an expression.
pub(crate) fn gate_of_type(name: &str) -> Option<Gate> {
    GATES.iter().find(|fact| fact.types.contains(&name)).map(|fact| fact.gate)
}

/// The gate of a macro, by its name and the number of its arguments.
// cel-go ext/comprehensions.go and ext/lists.go, sortByMacro; cel/library.go, optMap and optFlatMap
pub(crate) fn gate_of_macro(name: &str, args: usize) -> Option<Gate> {
    match (name, args) {
        ("optMap" | "optFlatMap", 2) => Some(Gate::Optionals),
        ("sortBy", 2) => Some(Gate::Lists),
        ("all" | "exists" | "exists_one" | "existsOne", 3)
        | ("transformList" | "transformMap" | "transformMapEntry", 3 | 4) => Some(Gate::TwoVariables),
        _ => None,
    }
}

/// A set of gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct GateSet(u16);

impl GateSet {
    pub(crate) const ALL: Self = Self(u16::MAX);

    pub(crate) fn from_gates(gates: impl Iterator<Item = Gate>) -> Self {
        Self(gates.fold(0, |set, gate| set | Self::bit(gate)))
    }

    const fn bit(gate: Gate) -> u16 {
        1 << gate as u16
    }

    pub(crate) const fn contains(self, gate: Gate) -> bool {
        self.0 & Self::bit(gate) != 0
    }

    pub(crate) const fn insert(&mut self, gate: Gate) {
        self.0 |= Self::bit(gate);
    }

    pub(crate) const fn remove(&mut self, gate: Gate) {
        self.0 &= !Self::bit(gate);
    }

    pub(crate) const fn common_gates(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
