//! Estimated cost of the rules of a schema, before any object is seen, and the server's limits for it.
//!
//! [`review_schema`] gives the server's answer for every rule of a schema. [`RuleSite`] estimates one rule that is not
//! in the schema yet, for authors of rules.

mod expensive;
mod limits;
mod memo;
mod report;
mod rule;
mod walk;

use std::fmt;

use kvrules_cel::Parsed;
use kvrules_cel::ast::Expression;
use kvrules_cel::check::{CheckedExpression, TypeEnvironment, check_expression, literal_problem};
use kvrules_cel::cost::expression_cost_in;
use kvrules_cel::issue::render_issues;
use kvrules_cel::kubernetes::{CostRegime, Dialect, ExpressionAge, KubernetesVersions, StringBounds};
use kvrules_cel::types::{Type, TypeDeclaration};
use serde_json::Value;

pub use expensive::ExpensiveExpression;
pub use limits::{EXPRESSION_LIMIT, RUNTIME_EXPRESSION_LIMIT, SCHEMA_LIMIT};
pub use memo::{CompiledExpression, ReviewMemo};
pub use report::{
    RuleReport, Rules, SchemaReport, greatest_rules, greatest_total_cost, review_rules, review_schema,
    review_sharing, review_with, rule_costs_on, rules_at_once, rules_sharing,
};
pub use walk::Cardinality;

/// Maximum cost of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// One evaluation.
    pub expression: u64,
    /// Number of evaluations for one object.
    pub cardinality: Cardinality,
    /// The product; this is what the limit is for.
    pub total: u64,
}

/// Reason why a rule has no cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostError {
    /// There is no such node in the schema.
    NoSuchNode(String),
    /// Rules are not possible at this node: its type is unknown.
    NoType(String),
    /// The rule does not compile, in the server's words.
    Compile(String),
}

impl fmt::Display for CostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchNode(path) => write!(f, "the schema has no node `{path}`"),
            Self::NoType(path) => write!(f, "rules are not possible at `{path}`, whose type is unknown"),
            Self::Compile(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for CostError {}

impl Cost {
    /// True if the server accepts a rule of this cost; the sum of a schema has a limit of its own, [`SCHEMA_LIMIT`].
    pub fn is_accepted(self) -> bool {
        self.total <= EXPRESSION_LIMIT
    }

    /// True if no object can make the rule run out of its budget: the static limit is ten times the real one.
    pub fn is_safe(self) -> bool {
        self.is_accepted() && self.expression <= RUNTIME_EXPRESSION_LIMIT
    }
}

/// A node of a schema on which rules are to stand.
///
/// ```
/// use kvrules_apiserver::cost::RuleSite;
/// let schema = serde_json::json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
///     "disks": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 63}}}}}});
/// let site = RuleSite::new(&schema, "properties[spec]").unwrap();
/// let cost = site.rule_cost("self.disks.all(x, x.matches('^[a-z]+$'))").unwrap();
/// assert_eq!(cost.total, 563);
/// assert!(cost.is_safe());
/// ```
#[derive(Clone, Debug)]
pub struct RuleSite {
    /// The servers, by what they do differently, the newest first.
    servers: Vec<ServedSite>,
}

/// A node as servers with the same language of new expressions and the same estimates see it.
#[derive(Clone, Debug)]
struct ServedSite {
    dialect: Dialect,
    regime: CostRegime,
    decl: TypeDeclaration,
    env: TypeEnvironment,
    cardinality: Cardinality,
}

impl RuleSite {
    /// The node at a path, named as the server does, from the root on: `properties[spec].items`; an empty one is the
    /// root.
    pub fn new(root_schema: &Value, path: &str) -> Result<Self, CostError> {
        Self::on_servers(root_schema, path, KubernetesVersions::default())
    }

    /// The same for the servers of several versions: a rule must compile on each, and its cost is the greatest.
    pub fn on_servers(
        root_schema: &Value,
        path: &str,
        versions: KubernetesVersions,
    ) -> Result<Self, CostError> {
        let mut servers: Vec<ServedSite> = Vec::new();
        for version in versions.iter().rev() {
            let (dialect, regime) =
                (Dialect::of_server(version, ExpressionAge::New), CostRegime::of_server(version));
            if !servers.iter().any(|known| (known.dialect, known.regime) == (dialect, regime)) {
                let (decl, cardinality) = measure_node_in(root_schema, path, regime.string_bounds)?;
                let env = TypeEnvironment::for_rule(&decl, false);
                servers.push(ServedSite { dialect, regime, decl, env, cardinality });
            }
        }
        Ok(Self { servers })
    }

    /// For rules with this value of `optionalOldSelf`.
    #[must_use]
    pub fn with_optional_old_self(mut self, is_optional: bool) -> Self {
        for server in &mut self.servers {
            server.env = TypeEnvironment::for_rule(&server.decl, is_optional);
        }
        self
    }

    /// The cost of a rule, where it is the greatest.
    pub fn rule_cost(&self, rule: &str) -> Result<Cost, CostError> {
        let costs: Result<Vec<Cost>, CostError> =
            self.servers.iter().map(|server| server.rule_cost(rule)).collect();
        let greatest = costs?.into_iter().max_by_key(|cost| (cost.total, cost.expression));
        greatest.ok_or_else(|| CostError::Compile("no Kubernetes version was selected".to_owned()))
    }

    /// The cost of a messageExpression, which is not multiplied.
    pub fn message_expression(&self, text: &str) -> Result<u64, CostError> {
        let costs: Result<Vec<u64>, CostError> =
            self.servers.iter().map(|server| server.expression_cost(text, &Type::String)).collect();
        Ok(costs?.into_iter().max().unwrap_or_default())
    }
}

impl ServedSite {
    fn rule_cost(&self, rule: &str) -> Result<Cost, CostError> {
        let expression = self.expression_cost(rule, &Type::Bool)?;
        // apiextensions validation.go, getExpressionCost and multiplyWithOverflowGuard
        let total = expression.saturating_mul(self.cardinality.evaluations);
        Ok(Cost { expression, cardinality: self.cardinality, total })
    }

    fn expression_cost(&self, text: &str, wanted: &Type) -> Result<u64, CostError> {
        let env = self.env.clone().with_dialect(self.dialect);
        let parsed = kvrules_cel::parse_in(text, self.dialect);
        let checked = compile_expression(text, &parsed, &env, wanted, self.dialect)?;
        Ok(expression_cost_in(&checked, &self.decl, self.regime))
    }
}

/// Returns the declaration of `self` at a node of a schema, and the number of evaluations of a rule there. See
/// [`RuleSite::new`] for the path.
pub fn measure_node(root_schema: &Value, path: &str) -> Result<(TypeDeclaration, Cardinality), CostError> {
    measure_node_in(root_schema, path, StringBounds::NEWEST)
}

/// The same with sizes of strings as a server has them.
pub fn measure_node_in(
    root_schema: &Value,
    path: &str,
    strings: StringBounds,
) -> Result<(TypeDeclaration, Cardinality), CostError> {
    let node = walk::find_node(root_schema, path).ok_or_else(|| CostError::NoSuchNode(path.to_owned()))?;
    let decl = node.declare_self(strings).ok_or_else(|| CostError::NoType(path.to_owned()))?;
    let cardinality = node.cardinality(&decl);
    Ok((decl, cardinality))
}

/// The answer of Kubernetes 1.31 to a request with such a rule, in our words: none.
// cel-go v0.20.1 ext/formatting.go, formatValidator: it reads the template as a literal, whatever it is
pub(crate) const SERVER_CRASH: &str = "the server crashes on `format` with a template that is not a literal";

/// The reason why a server cannot make a program of an expression that type-checks.
pub(crate) fn program_problem(
    checked: &CheckedExpression,
    parsed: &Expression,
    dialect: Dialect,
) -> Option<String> {
    let of_literals = if dialect.checks_literals() { None } else { literal_problem(checked) };
    of_literals.or_else(|| kvrules_cel::eval::instantiation_problem(parsed))
}

/// Checks an expression that must be of a type.
// apiextensions schema/cel/compilation.go, compileRule
fn compile_expression(
    text: &str,
    parsed: &Parsed,
    env: &TypeEnvironment,
    wanted: &Type,
    dialect: Dialect,
) -> Result<CheckedExpression, CostError> {
    let failed = |issues: &[kvrules_cel::issue::Issue]| {
        CostError::Compile(format!("compilation failed: {}", render_issues(text, issues)))
    };
    let parsed = parsed.as_ref().map_err(|error| failed(&error.issues))?;
    let checked = check_expression(parsed, env).map_err(|issues| failed(&issues))?;
    if checked.result_type() != wanted {
        let what = if *wanted == Type::Bool { "cel expression" } else { "messageExpression" };
        let article = if *wanted == Type::Bool { "a bool" } else { "a string" };
        return Err(CostError::Compile(format!("{what} must evaluate to {article}")));
    }
    if checked.crashes_server(dialect) {
        return Err(CostError::Compile(SERVER_CRASH.to_owned()));
    }
    // A program is made before its cost is estimated, so a rule that fails here has none.
    match program_problem(&checked, parsed, dialect) {
        Some(reason) => Err(CostError::Compile(format!("program instantiation failed: {reason}"))),
        None => Ok(checked),
    }
}
