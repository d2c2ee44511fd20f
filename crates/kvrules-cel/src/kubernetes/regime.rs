//! The regimes of static cost, and the costs of evaluations, by minor.

use super::{CelEngine, KubernetesVersion};

/// Sizes that a schema gives to strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StringBounds {
    /// True if `maxLength` bounds an int-or-string; from 1.34.
    pub of_int_or_string: bool,
    /// True if the longest value of an enum bounds a string; from 1.29.
    pub by_enum: bool,
    /// True if names in the metadata of resources are bounded; from 1.37.
    pub of_names: bool,
}

/// Cost of `has(e.f)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PresenceTestCost {
    /// Nothing, and `e` is not visited; to 1.27.
    Free,
    /// That of `e` and a step; 1.28.
    OperandAndStep,
    /// That of `e`; from 1.29.
    Operand,
}

/// Size of the result of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopResultSize {
    /// Unknown; to 1.29.
    Unknown,
    /// That of the range, whatever the result is; 1.30 to 1.32.
    Range,
    /// That of the range for lists and maps, 1 for others; from 1.33.
    OfResult,
}

/// The switches between the estimators of the minors.
///
/// ```
/// use kvrules_cel::kubernetes::{CostRegime, KubernetesVersion};
///
/// let regimes: std::collections::HashSet<_> = KubernetesVersion::all_known().map(CostRegime::of_server).collect();
/// assert_eq!(regimes.len(), 8);
/// ```
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CostRegime {
    /// Sizes of declared strings.
    pub string_bounds: StringBounds,
    pub(crate) presence_test: PresenceTestCost,
    pub(crate) loop_result: LoopResultSize,
    /// True if sizes of values travel with variables, entries and `dyn`; before, only paths do. From 1.33.
    pub(crate) tracks_values: bool,
    /// True if equality of the types of libraries and the result of `url` have known sizes; from 1.32.
    pub(crate) sizes_library_values: bool,
    /// True if `.?` is estimated like other operators; from 1.29.
    pub(crate) estimates_optional_selections: bool,
    /// True if a quantity is read from its text; from 1.30.
    pub(crate) reads_quantities: bool,
    /// True if literals of strings are sized in code points instead of bytes; from 1.28.
    pub(crate) counts_code_points: bool,
    /// True if the results of functions on strings have sizes; from 1.26.
    pub(crate) sizes_string_results: bool,
}

impl CostRegime {
    /// The regime of the newest server.
    pub const NEWEST: Self = Self::of_server(KubernetesVersion::NEWEST);

    /// Returns the regime of a server.
    // cel-go checker/cost.go and apiserver pkg/cel/library/cost.go of the minors; shared with new and stored texts
    pub const fn of_server(version: KubernetesVersion) -> Self {
        let presence_test = match version.minor() {
            ..=27 => PresenceTestCost::Free,
            28 => PresenceTestCost::OperandAndStep,
            _ => PresenceTestCost::Operand,
        };
        let loop_result = match version.minor() {
            ..=29 => LoopResultSize::Unknown,
            30..=32 => LoopResultSize::Range,
            _ => LoopResultSize::OfResult,
        };
        Self {
            string_bounds: StringBounds {
                of_int_or_string: version.is_at_least(34),
                by_enum: version.is_at_least(29),
                of_names: version.is_at_least(37),
            },
            presence_test,
            loop_result,
            tracks_values: version.is_at_least(33),
            sizes_library_values: version.is_at_least(32),
            estimates_optional_selections: version.is_at_least(29),
            reads_quantities: version.is_at_least(30),
            counts_code_points: version.is_at_least(28),
            sizes_string_results: version.is_at_least(26),
        }
    }
}

impl Default for CostRegime {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl StringBounds {
    /// The sizes of the newest server.
    pub const NEWEST: Self = CostRegime::NEWEST.string_bounds;
}

/// The switches between the evaluations of the minors, and their costs.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeRegime {
    /// True if `join` takes lists of the object; from 1.27.
    pub(crate) joins_object_lists: bool,
    /// True if a presence test that fails with an error has no cost of its own; from 1.28.
    pub(crate) takes_back_failed_tests: bool,
    /// True if an error on the left of `in` stays one next to a constant list; from 1.28.
    pub(crate) keeps_membership_errors: bool,
    /// True if `or` and `orValue` return a value of another type than optional; to 1.36.
    pub(crate) passes_plain_values: bool,
    /// True if a network contains others by their masked addresses; from 1.32.
    pub(crate) masks_contained_networks: bool,
    /// True if a quantity is charged by its text; from 1.30.
    pub(crate) reads_quantities: bool,
    /// True if functions of Kubernetes' libraries have costs of their own, instead of 1.
    pub(crate) charges_libraries: bool,
    /// Engine that evaluates.
    pub(crate) engine: CelEngine,
}

impl RuntimeRegime {
    /// The costs of the newest server.
    pub const NEWEST: Self = Self::of_server(KubernetesVersion::NEWEST);

    /// Returns the costs of a server.
    pub const fn of_server(version: KubernetesVersion) -> Self {
        Self {
            joins_object_lists: version.is_at_least(27),
            takes_back_failed_tests: version.is_at_least(28),
            keeps_membership_errors: version.is_at_least(28),
            passes_plain_values: !version.is_at_least(37),
            masks_contained_networks: version.is_at_least(32),
            reads_quantities: version.is_at_least(30),
            charges_libraries: true,
            engine: CelEngine::Server,
        }
    }

    /// Returns the regime of the expressions that an engine evaluates. Kyverno takes values of all types in `orValue`.
    // kyverno pkg/cel/compiler/env.go, OrValueCompatEnvOptions
    #[must_use]
    pub const fn with_engine(self, engine: CelEngine) -> Self {
        let is_kyverno = matches!(engine, CelEngine::Kyverno);
        Self { engine, passes_plain_values: self.passes_plain_values || is_kyverno, ..self }
    }

    /// Returns the costs of the expressions of policies on a server. Before 1.32, calls of Kubernetes' functions cost 1.
    // apiserver features/kube_features.go, StrictCostEnforcementForVAP; cel/environment/base.go, StrictCostOpt
    pub const fn of_policies(version: KubernetesVersion) -> Self {
        Self { charges_libraries: version.is_at_least(32), ..Self::of_server(version) }
    }
}

impl Default for RuntimeRegime {
    fn default() -> Self {
        Self::NEWEST
    }
}
