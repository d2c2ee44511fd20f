//! The type checker: which type every part of an expression has, and what is wrong with it.
//!
//! Signatures come from [`crate::functions`]; macros are checked as the loops they stand for. Messages and places
//! are the server's.

pub(crate) mod core;
mod dialects;
mod env;
mod expand;
mod infer;
mod literals;
mod overload;
mod requirements;
mod signatures;
mod unify;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::{Expr, Expression, NodeId};
use crate::issue::Issue;
use crate::kubernetes::{Gate, GateSet, gate_of_overload, gate_of_type};
use crate::stack::with_room;
use crate::types::{Type, escape_word};
use crate::work;

pub use env::TypeEnvironment;
pub use literals::literal_problem;
pub use requirements::Requirement;

/// An expression that type-checks.
#[derive(Clone, Debug)]
pub struct CheckedExpression {
    types: Vec<Option<Type>>,
    pub(crate) core: core::CoreTree,
    pub(crate) facts: TypeFacts,
    /// Maximum depth of the expanded tree; see [`crate::stack`].
    pub(crate) depth: usize,
    has_quoted_names: bool,
}

/// Results of the checker for the nodes of the expanded tree, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeFacts {
    /// The type of each node.
    pub(crate) types: Vec<Type>,
    /// The overloads that fit a call.
    pub(crate) overloads: Vec<Vec<&'static str>>,
    /// Calls whose receiver turned out to be the front part of the function's name.
    pub(crate) namespaced: Vec<bool>,
    /// Selections that are names with dots in them, such as those of types.
    pub(crate) qualified: std::collections::HashMap<core::CoreId, String>,
    /// The names that were looked up and found.
    pub(crate) names: std::collections::BTreeSet<String>,
    /// The types that lack a field that is selected, by the offset of the error.
    pub(crate) lacking_types: BTreeMap<usize, Arc<str>>,
}

impl CheckedExpression {
    /// The type of the whole expression.
    pub fn result_type(&self) -> &Type {
        self.facts.types.get(self.core.root.id).unwrap_or(&Type::Error)
    }

    /// The type of a node as written; `None` for names that are not values, such as `strings` in `strings.quote`.
    pub fn type_of(&self, node: NodeId) -> Option<&Type> {
        self.types.get(node as usize)?.as_ref()
    }

    /// True if the expression mentions a variable, or a loop variable of that name.
    pub fn mentions_variable(&self, variable: &str) -> bool {
        self.facts.names.contains(variable)
    }

    /// The gates of the overloads, macros and types of the expression.
    pub(crate) fn used_gates(&self) -> GateSet {
        let overloads = self.facts.overloads.iter().flatten().filter_map(|id| gate_of_overload(id));
        let types = self.facts.names.iter().filter_map(|name| gate_of_type(name));
        let mut gates = GateSet::from_gates(overloads.chain(types));
        self.core.root.visit_nodes(&mut |node| match &node.kind {
            core::CoreKind::Loop(fold) if fold.var2.is_some() => gates.insert(Gate::TwoVariables),
            core::CoreKind::List(items) if items.iter().any(|item| item.optional) => {
                gates.insert(Gate::Optionals);
            }
            core::CoreKind::Map(pairs) if pairs.iter().any(|pair| pair.optional) => {
                gates.insert(Gate::Optionals);
            }
            _ => {}
        });
        gates
    }

    /// True if the template of a call of `format` is not a literal.
    pub(crate) fn has_dynamic_format(&self) -> bool {
        let mut found = false;
        self.core.root.visit_nodes(&mut |node| {
            if let core::CoreKind::Call { function, target: Some(template), .. } = &node.kind {
                found |= function == "format" && !matches!(template.kind, core::CoreKind::Literal(_));
            }
        });
        found
    }

    /// True if a field is selected by a name that is a reserved word.
    pub(crate) fn selects_reserved_words(&self) -> bool {
        let mut found = false;
        self.core.root.visit_nodes(&mut |node| {
            if let core::CoreKind::Select { field, .. } = &node.kind {
                found |= escape_word(field).is_some();
            }
        });
        found
    }

    /// True if a name is in backticks.
    pub(crate) fn has_quoted_names(&self) -> bool {
        self.has_quoted_names
    }
}

/// Type-checks an expression.
///
/// The issues are in the order of the text, as the server prints them; [`crate::issue::render_issues`] gives its words.
///
/// ```
/// use kvrules_cel::check::{check_expression, TypeEnvironment};
/// use kvrules_cel::types::{declare_schema, Type};
/// let schema = serde_json::json!({"type": "object", "properties": {"i": {"type": "integer"}}});
/// let env = TypeEnvironment::for_rule(&declare_schema(&schema, false).unwrap(), false);
/// let checked = check_expression(&kvrules_cel::parse("self.i > 1.5").unwrap(), &env).unwrap();
/// assert_eq!(*checked.result_type(), Type::Bool);
///
/// let issues = check_expression(&kvrules_cel::parse("self.i == 1.5").unwrap(), &env).unwrap_err();
/// assert_eq!(issues[0].message, "found no matching overload for '_==_' applied to '(int, double)'");
/// ```
pub fn check_expression(
    expression: &Expression,
    env: &TypeEnvironment,
) -> Result<CheckedExpression, Vec<Issue>> {
    work::count(&work::CHECKS);
    with_room(expression.depth.saturating_mul(2), || check_here(expression, env))
        .unwrap_or_else(|| Err(vec![Issue::without_location("no thread to check in")]))
}

fn check_here(expression: &Expression, env: &TypeEnvironment) -> Result<CheckedExpression, Vec<Issue>> {
    let core = expand::expand_macros(expression, env.dialect());
    let (facts, mut errors) = infer::infer_types(&core, env);
    errors.extend(literals::check_early(&core, &facts, env.dialect()));
    // Validators run only if type checking succeeded, so their errors never appear together with those of the
    // checker.
    let errors =
        if errors.is_empty() { literals::check_literals(&core, &facts, env.dialect()) } else { errors };
    if !errors.is_empty() {
        let errors = if env.dialect().names_optional_type {
            errors
        } else {
            errors.into_iter().map(|(at, text)| (at, text.replace("optional_type(", "optional("))).collect()
        };
        return Err(to_issues(&expression.source, errors, &facts.lacking_types));
    }
    let mut types = vec![None; expression.node_count as usize];
    core.root.visit_nodes(&mut |node| {
        let slot = node.origin.and_then(|origin| types.get_mut(origin as usize));
        if let (Some(slot), Some(ty)) = (slot, facts.types.get(node.id)) {
            *slot = Some(ty.clone());
        }
    });
    let has_quoted_names = expression.source.contains('`');
    Ok(CheckedExpression { types, core, facts, depth: expression.depth.saturating_mul(2), has_quoted_names })
}

/// The type of a part of an expression; `dyn` where it has errors.
pub(crate) fn type_of_part(part: &Expr, env: &TypeEnvironment) -> Type {
    let core = expand::expand_part(part, env.dialect());
    let (facts, errors) = infer::infer_types(&core, env);
    let ty = facts.types.get(core.root.id).filter(|_| errors.is_empty());
    ty.cloned().unwrap_or(Type::Dyn)
}

/// An error at a byte offset.
pub(crate) type TypeError = (usize, String);

/// The most errors the server prints.
const REPORTED: usize = 100;

fn to_issues(source: &str, errors: Vec<TypeError>, lacking: &BTreeMap<usize, Arc<str>>) -> Vec<Issue> {
    let to_issue = |(at, message): TypeError| {
        let lacking_type = lacking.get(&at).filter(|_| message.starts_with("undefined field")).cloned();
        Issue { lacking_type, ..Issue::at_offset(source, at, message) }
    };
    let mut issues: Vec<Issue> = errors.into_iter().map(to_issue).collect();
    issues.sort_by_key(|issue| (issue.line, issue.column));
    issues.truncate(REPORTED);
    issues
}
