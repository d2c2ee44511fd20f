//! Evaluation, and what it costs.
//!
//! The server charges while it evaluates, so value and cost come out of one walk: [`evaluate_expression`]. Where its
//! evaluator has quirks (a branch of `?:` is cheaper than elsewhere, a constant list is free), they are here.

mod attribute;
mod call;
mod comprehension;
mod constant;
mod cost;
mod instantiate;
mod lib;
mod messages;
mod shape;
mod static_type;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use crate::ast::{Expr, ExprKind, Expression, Literal, NodeId};
use crate::kubernetes::RuntimeRegime;
use crate::stack::with_room;
use crate::value::{EvalError, Value};

pub use cost::CALL_LIMIT;
pub use lib::is_url;
pub use shape::ExpressionShape;

/// Names that an expression can use.
#[derive(Default)]
pub struct Scope<'a> {
    /// The variables, each with what is known of its type before evaluation.
    pub variables: BTreeMap<&'a str, (Value, ExpressionShape<'a>)>,
    /// Source of the fields of `variables`, in a policy.
    pub lazy: Option<&'a (dyn LazyFields + Sync)>,
    /// Costs of calls.
    pub costs: RuntimeRegime,
}

/// Fields that are computed when they are first asked for.
pub trait LazyFields {
    /// The field; `None` if no field has this name.
    fn field(&self, name: &str) -> Option<Result<Value, EvalError>>;
}

/// Result of an evaluation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value, or the error.
    pub result: Result<Value, EvalError>,
    /// Cost of the evaluation, also if it failed.
    pub cost: u64,
}

/// Evaluates an expression up to a cost limit.
///
/// ```
/// use kvrules_cel::eval::{CALL_LIMIT, Scope, ExpressionShape, evaluate_expression};
/// use kvrules_cel::value::Value;
///
/// let expression = kvrules_cel::parse("self.matches('^v[0-9]+$')").unwrap();
/// let mut scope = Scope::default();
/// scope.variables.insert("self", ("v12".into(), ExpressionShape::Known));
/// let outcome = evaluate_expression(&expression, &scope, CALL_LIMIT);
/// assert!(matches!(outcome.result, Ok(Value::Bool(true))));
/// assert_eq!(outcome.cost, 4);
/// ```
pub fn evaluate_expression(expression: &Expression, scope: &Scope<'_>, limit: u64) -> Outcome {
    let run = || {
        let mut machine = Evaluator::new(scope, limit, expression);
        let result = machine.eval_node(&expression.root);
        Outcome { result, cost: machine.cost }
    };
    with_room(expression.depth, run).unwrap_or_else(|| Outcome {
        result: Err(EvalError::unsupported_feature("an expression as deep as this")),
        cost: 0,
    })
}

/// Returns the reason why the server cannot make a program of an expression that type-checks: something that it computes
/// before the evaluation fails.
///
/// ```
/// use kvrules_cel::eval::instantiation_problem;
/// let expression = kvrules_cel::parse("self.i == int(18446744073709551615u)").unwrap();
/// assert_eq!(instantiation_problem(&expression).as_deref(), Some("integer overflow"));
/// ```
pub fn instantiation_problem(expression: &Expression) -> Option<String> {
    let scope = Scope::default();
    let run = || Evaluator::new(&scope, 0, expression).check_constants(&expression.root).err();
    with_room(expression.depth, run).unwrap_or_else(|| Some("no thread to work in".to_owned()))
}

type EvalResult = Result<Value, EvalError>;

/// A table by the numbers of nodes, which no input chooses.
type NodeMap<V> = HashMap<NodeId, V, BuildHasherDefault<NodeHasher>>;

/// Multiplies by an odd number, so that the numbers of nodes next to each other differ in the highest and the lowest bits.
#[derive(Default)]
struct NodeHasher(u64);

impl Hasher for NodeHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32((*byte).into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The state of one evaluation.
struct Evaluator<'a> {
    scope: &'a Scope<'a>,
    /// The variables of the loops around, innermost last.
    locals: Vec<LocalBinding<'a>>,
    literal_lists: &'a HashMap<NodeId, Value>,
    constants: NodeMap<Option<Value>>,
    plans: NodeMap<Rc<call::CallPlan<'a>>>,
    cost: u64,
    limit: u64,
    /// Maximum depth of the tree; see [`crate::stack`].
    depth: usize,
}

struct LocalBinding<'a> {
    name: &'a str,
    value: EvalResult,
    shape: ExpressionShape<'a>,
}

impl<'a> Evaluator<'a> {
    fn new(scope: &'a Scope<'a>, limit: u64, expression: &'a Expression) -> Self {
        let (constants, plans) = (NodeMap::default(), NodeMap::default());
        let literal_lists =
            expression.literal_lists.get_or_make(|| constant::literal_lists(&expression.root));
        let depth = expression.depth;
        Self { scope, locals: Vec::new(), literal_lists, constants, plans, cost: 0, limit, depth }
    }

    // cel-go interpreter/runtimecost.go, CostObserver: the limit is checked after each node, and the cost of that node is kept
    fn charge(&mut self, cost: u64) -> Result<(), EvalError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(EvalError::operation_cancelled()) } else { Ok(()) }
    }

    fn eval_node(&mut self, expr: &'a Expr) -> EvalResult {
        if let Some(constant) = self.folded_value(expr) {
            return Ok(constant);
        }
        match &expr.kind {
            ExprKind::Literal(value) => Ok(literal_value(value)),
            ExprKind::Ident(_) | ExprKind::Select { .. } | ExprKind::Has { .. } => self.eval_attribute(expr),
            ExprKind::Call { function, receiver, args } => {
                self.eval_call(expr, function, receiver.as_deref(), args)
            }
            ExprKind::List(elements) => {
                let result = self.eval_list(elements);
                self.charge(cost::LIST)?;
                result
            }
            ExprKind::Map(entries) => {
                let result = self.eval_map(entries);
                self.charge(cost::MAP)?;
                result
            }
            ExprKind::Struct { type_name, fields } => self.eval_message(type_name, fields),
            ExprKind::Comprehension(comprehension) => self.eval_comprehension(comprehension),
            ExprKind::OptMap { flat, target, var, body } => self.opt_map(*flat, target, var, body),
            ExprKind::SortBy { range, var, key } => self.sort_by(range, var, key),
        }
    }

    // cel-go interpreter/interpretable.go, evalList.Eval
    fn eval_list(&mut self, elements: &'a [crate::ast::Element]) -> EvalResult {
        let mut items = Vec::new();
        for element in elements {
            let value = self.eval_node(&element.value)?;
            match (element.optional, value) {
                (false, value) => items.push(value),
                (true, Value::Optional(value)) => items.extend(value.map(|it| (*it).clone())),
                (true, other) => return Err(not_optional("list element", &other)),
            }
        }
        Ok(Value::from_items(items))
    }

    // cel-go interpreter/interpretable.go, evalMap.Eval
    fn eval_map(&mut self, entries: &'a [crate::ast::Entry]) -> EvalResult {
        let mut map = BTreeMap::new();
        for entry in entries {
            let key = self.eval_node(&entry.key)?;
            let value = self.eval_node(&entry.value)?;
            let key = key.to_key().ok_or_else(|| no_key(&key))?;
            // The last of several equal keys counts, even if it is an optional entry without a value.
            match (entry.optional, value) {
                (false, value) => map.insert(key, value),
                (true, Value::Optional(None)) => map.remove(&key),
                (true, Value::Optional(Some(value))) => map.insert(key, (*value).clone()),
                (true, other) => {
                    let shown = lib::display(&key.to_value());
                    return Err(not_optional(&format!("entry '{shown}'"), &other));
                }
            };
        }
        Ok(Value::from_entries(map))
    }
}

/// Returns the error for a value that is not a key of a map literal. Go's maps accept nearly everything, but bytes make its
/// program panic.
// cel-go interpreter/interpretable.go, evalMap.Eval; cel/program.go, Eval, which recovers
fn no_key(key: &Value) -> EvalError {
    match key {
        Value::Bytes(_) => EvalError::internal_error(UNHASHABLE),
        other => EvalError::unsupported_feature(format!("a key of the type `{}`", other.type_name())),
    }
}

/// Go's error for hashing a value of a type that cannot be hashed.
const UNHASHABLE: &str = "runtime error: hash of unhashable type types.Bytes";

// cel-go interpreter/interpretable.go, invalidOptionalEntryInit and invalidOptionalElementInit
fn not_optional(what: &str, value: &Value) -> EvalError {
    let shown = lib::display(value);
    EvalError::new(format!("cannot initialize optional {what} from non-optional value {shown}"))
}

fn literal_value(value: &Literal) -> Value {
    match value {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(text) => Value::string(text.as_str()),
        Literal::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
    }
}
