//! The language that a server compiles an expression in.

use super::{Gate, GateSet, KubernetesVersion, all_gates};

/// True history of a text: it decides which functions a server offers to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExpressionAge {
    /// A new text: it gets what the minor before had.
    #[default]
    New,
    /// A text that was stored before: it gets everything.
    Stored,
}

/// Engine that evaluates expressions, with libraries of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CelEngine {
    /// The API server.
    #[default]
    Server,
    /// Kyverno, with its own functions and values, and `cel.bind`.
    Kyverno,
}

/// Functions, syntax and words of errors that an expression meets on a server.
///
/// ```
/// use kvrules_cel::kubernetes::{Dialect, ExpressionAge, Gate};
///
/// let dialect = |age| Dialect::of_server("1.31".parse().unwrap(), age);
/// assert!(!dialect(ExpressionAge::New).has_gate(Gate::NamedFormats));
/// assert!(dialect(ExpressionAge::Stored).has_gate(Gate::NamedFormats));
/// ```
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    pub(crate) gates: GateSet,
    /// True if the grammar knows the syntax of optionals, even if it is not enabled.
    pub(crate) parses_optionals: bool,
    /// True if the grammar knows names in backticks, even if they are not enabled.
    pub(crate) parses_quoted_names: bool,
    /// True if a call of an unknown function has a type, so that no error follows from it.
    pub(crate) types_unknown_calls: bool,
    /// True if elements of a literal are compared while types are inferred, also in the arguments of `format`.
    pub(crate) checks_homogeneity_early: bool,
    /// True if unknown element types are shown as variables.
    pub(crate) shows_type_variables: bool,
    /// True if optionals are shown as `optional_type`.
    pub(crate) names_optional_type: bool,
    /// True if a field with the name of a reserved word can be selected by that name.
    pub(crate) reads_reserved_words: bool,
    /// True if an error in the argument of `has` is placed there, and not at the call.
    pub(crate) places_has_errors: bool,
    /// True if literals of durations, timestamps and patterns are checked with the types.
    pub(crate) checks_literals: bool,
    /// True if the check of templates of `format` fails on a dynamic template.
    pub(crate) crashes_on_dynamic_format: bool,
    /// Engine whose libraries the expression may use.
    pub(crate) engine: CelEngine,
}

impl Dialect {
    /// The language of the newest server.
    pub const NEWEST: Self = Self {
        gates: GateSet::ALL,
        parses_optionals: true,
        parses_quoted_names: true,
        types_unknown_calls: true,
        checks_homogeneity_early: false,
        shows_type_variables: false,
        names_optional_type: true,
        reads_reserved_words: true,
        places_has_errors: true,
        checks_literals: true,
        crashes_on_dynamic_format: false,
        engine: CelEngine::Server,
    };

    /// Returns the language of a server for a text.
    pub fn of_server(version: KubernetesVersion, age: ExpressionAge) -> Self {
        let since = |from: Option<KubernetesVersion>| from.is_some_and(|from| from <= version);
        let gates = all_gates().filter(|fact| match age {
            ExpressionAge::New => since(fact.new_from),
            ExpressionAge::Stored => since(fact.stored_from),
        });
        let gates = GateSet::from_gates(gates.map(|fact| fact.gate));
        Self {
            gates,
            // cel-go v0.16, v0.17 and v0.23: the grammars and checkers that the minors were released with
            parses_optionals: version.is_at_least(28),
            parses_quoted_names: version.is_at_least(33),
            types_unknown_calls: version.is_at_least(29),
            checks_homogeneity_early: !version.is_at_least(29),
            shows_type_variables: !version.is_at_least(28),
            names_optional_type: version.is_at_least(31),
            reads_reserved_words: version.is_at_least(32),
            places_has_errors: version.is_at_least(29),
            checks_literals: gates.contains(Gate::FormatAndSets),
            crashes_on_dynamic_format: version.minor() == 31,
            engine: CelEngine::Server,
        }
    }

    /// The newest language with the libraries of an engine.
    #[must_use]
    pub const fn of_engine(engine: CelEngine) -> Self {
        Self { engine, ..Self::NEWEST }
    }

    /// True if a gate is open.
    pub const fn has_gate(self, gate: Gate) -> bool {
        self.gates.contains(gate)
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl Dialect {
    /// The part of the language that the parser reads, with all else as in the newest.
    pub(crate) fn syntax_only(self) -> Self {
        let mut gates = GateSet::ALL;
        for gate in [Gate::Optionals, Gate::TwoVariables, Gate::Lists] {
            if !self.has_gate(gate) {
                gates.remove(gate);
            }
        }
        let (parses_optionals, parses_quoted_names) = (self.parses_optionals, self.parses_quoted_names);
        let places_has_errors = self.places_has_errors;
        Self { gates, parses_optionals, parses_quoted_names, places_has_errors, ..Self::NEWEST }
    }
}

impl Dialect {
    /// True if literals of durations, timestamps and patterns are checked with the types; else making a program fails.
    pub const fn checks_literals(self) -> bool {
        self.checks_literals
    }
}
