//! A rule as its author wrote it, independent of the notation.

use std::sync::Arc;

use kvrules_diagnostics::Origin;
use kvrules_kubernetes::quantity::Quantity;

use crate::{OmittedRule, Path};

/// The notation that a rule set was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnnotationDialect {
    /// KubeVirt template annotation 201901: `validations` on the template, bare paths, `included`.
    Annotation201901,
    /// The form between the two: `validations` on the template, with `jsonpath::` before each path.
    AnnotationTransitional,
    /// KubeVirt template annotation 201902: `vm.kubevirt.io/validations` on the VM, with `jsonpath::`.
    Annotation201902,
}

impl AnnotationDialect {
    /// Returns the name shown to users: `201901`, `transitional`, `201902`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Annotation201901 => "201901",
            Self::AnnotationTransitional => "transitional",
            Self::Annotation201902 => "201902",
        }
    }
}

/// The rules of one annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// The template that the rules belong to, else the VM, else the file's stem.
    pub name: String,
    /// The notation.
    pub dialect: AnnotationDialect,
    /// The rules that could be read, in their order.
    pub rules: Vec<Arc<Rule>>,
    /// The rules that could not be read, with the cause.
    pub unread: Vec<OmittedRule>,
    /// The annotation.
    pub origin: Origin,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, unique in its set.
    pub name: String,
    /// Message for the user who violates it.
    pub message: String,
    /// The values that it evaluates.
    pub path: Path,
    /// The rule is skipped on objects where this yields nothing.
    pub guard: Option<Path>,
    /// Constraint on each value.
    pub constraint: Constraint,
    /// Effect of a violation: an error rejects the object, a warning is only reported.
    pub severity: Severity,
    /// The whole rule.
    pub origin: Origin,
}

impl Rule {
    /// The keys of a rule in the order in which kvrules writes them: what people read first comes first. `included`, as
    /// 201901 calls `values`, has its place.
    pub const KEYS_AS_WRITTEN: [&str; 13] = [
        "name",
        "path",
        "valid",
        "rule",
        "message",
        "justWarning",
        "min",
        "max",
        "minLength",
        "maxLength",
        "values",
        "included",
        "regex",
    ];

    /// Returns the position of a key among the others; behind all of them if the key is unknown.
    pub fn place_of(key: &str) -> usize {
        Self::KEYS_AS_WRITTEN.iter().position(|known| *known == key).unwrap_or(Self::KEYS_AS_WRITTEN.len())
    }
}

/// Effect of violating a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It rejects the object.
    Error,
    /// It is only reported (`justWarning`).
    Warning,
}

/// Constraint on each value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// An integer, or a quantity of whole base units, within bounds that are included.
    Integer {
        /// Not less than this.
        min: Option<BoundValue>,
        /// Not more than this.
        max: Option<BoundValue>,
    },
    /// A text with so many code points, bounds included.
    String {
        /// Not fewer than this.
        min_length: Option<BoundValue>,
        /// Not more than this.
        max_length: Option<BoundValue>,
    },
    /// One of these, compared as text.
    Enum {
        /// The texts, in the author's order.
        values: Vec<EnumValue>,
    },
    /// A text in which the expression is found.
    Regex {
        /// The expression, in the RE2 dialect.
        pattern: String,
        /// Location where it is written.
        origin: Origin,
    },
}

/// A bound: a number, or a path to one in the object itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundValue {
    /// A number, exact, as its text was written.
    Number(Quantity),
    /// A path that must yield exactly one number.
    Path(Path),
}

/// A value that an enumeration allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumValue {
    /// A text.
    Text(String),
    /// A path that must yield exactly one value.
    Path(Path),
}

impl Rule {
    /// Every path: the rule's own, its guard's, and those among its arguments.
    pub fn all_paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.guard).chain(self.constraint.argument_paths())
    }
}

impl Constraint {
    /// The arguments that are paths.
    pub fn argument_paths(&self) -> impl Iterator<Item = &Path> {
        let (bounds, values) = match self {
            Self::Integer { min, max } | Self::String { min_length: min, max_length: max } => {
                ([min.as_ref(), max.as_ref()], [].as_slice())
            }
            Self::Enum { values } => ([None, None], values.as_slice()),
            Self::Regex { .. } => ([None, None], [].as_slice()),
        };
        bounds
            .into_iter()
            .flatten()
            .filter_map(BoundValue::as_path)
            .chain(values.iter().filter_map(EnumValue::as_path))
    }
}

impl BoundValue {
    /// The path that it is, if it is one.
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Number(_) => None,
        }
    }
}

impl EnumValue {
    /// The path that it is, if it is one.
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Text(_) => None,
        }
    }
}
