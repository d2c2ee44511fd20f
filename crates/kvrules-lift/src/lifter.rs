//! Boolean expressions: the rules of two-sided lifting.

use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, operators};
use kvrules_cel::check::CheckedExpression;
use kvrules_cel::types::Type;
use kvrules_ir::{Constant, Formula, Term, TermRelation};
use serde_json::Value as Json;

use crate::opaque::{Opaque, OpaqueKind};
use crate::state::{GuardedTerm, LiftedExpression, Lifter, combine, entry_of, property_name};

/// The greatest depth of an expression.
pub(crate) const MOST_DEPTH: usize = 150;

/// The longest expression, in bytes.
const LONGEST: usize = 16_384;

/// Lifts an expression that type-checks. `optional_roots` are the names whose value is an optional, such as `oldSelf` of a rule
/// with `optionalOldSelf`.
///
/// # Errors
///
/// No formula says the same; the reason.
///
/// ```
/// use kvrules_cel::check::{TypeEnvironment, check_expression};
/// use kvrules_cel::types::declare_schema;
/// use kvrules_lift::{lift_expression, show_formula};
///
/// let schema = serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}});
/// let environment = TypeEnvironment::for_rule(&declare_schema(&schema, false).unwrap(), false);
/// let expression = kvrules_cel::parse("!has(self.n) || self.n > 3").unwrap();
/// let checked = check_expression(&expression, &environment).unwrap();
/// let lifted = lift_expression(&expression, &checked, &[]).unwrap();
/// assert_eq!(show_formula(&lifted.holds), "self.n is absent, or self.n > 3");
/// assert_eq!(show_formula(&lifted.fails), "self.n <= 3");
/// ```
pub fn lift_expression(
    expression: &Expression,
    checked: &CheckedExpression,
    optional_roots: &[&str],
) -> Result<LiftedExpression, Opaque> {
    if expression.depth > MOST_DEPTH || expression.source.len() > LONGEST {
        return Err(Opaque::whole(OpaqueKind::TooLarge));
    }
    let mut lifter = Lifter::new(checked, optional_roots);
    lifter.lift_truth(&expression.root)
}

/// Lifts an expression of a policy. `nullable_roots` are the names that are null if the request has no such object: roots without a
/// value in formulas. `values` is the schema whose properties are the roots, if types are not known before evaluation.
pub(crate) fn lift_policy_expression(
    expression: &Expression,
    checked: &CheckedExpression,
    nullable_roots: &[&str],
    values: Option<&Json>,
) -> Result<LiftedExpression, Opaque> {
    if expression.depth > MOST_DEPTH || expression.source.len() > LONGEST {
        return Err(Opaque::whole(OpaqueKind::TooLarge));
    }
    let mut lifter = Lifter::new(checked, &[]);
    lifter.nullable_roots = nullable_roots;
    lifter.values = values;
    lifter.lift_truth(&expression.root)
}

type Lifted = Result<LiftedExpression, Opaque>;

impl Lifter<'_> {
    /// Lifts a boolean expression.
    pub(crate) fn lift_truth(&mut self, expr: &Expr) -> Lifted {
        let lifted = self.lift_boolean(expr)?;
        self.charge(expr, lifted.holds.node_count() + lifted.fails.node_count())?;
        Ok(lifted)
    }

    fn lift_boolean(&mut self, expr: &Expr) -> Lifted {
        match &expr.kind {
            ExprKind::Literal(Literal::Bool(value)) => Ok(LiftedExpression::constant(*value)),
            ExprKind::Has { operand, field, .. } => self.lift_has(operand, field),
            ExprKind::Comprehension(comprehension) => self.lift_loop(expr, comprehension),
            ExprKind::Call { function, receiver, args } => {
                self.lift_boolean_call(expr, function, receiver.as_deref(), args)
            }
            _ => self.lift_boolean_term(expr),
        }
    }

    fn lift_boolean_call(
        &mut self,
        expr: &Expr,
        function: &str,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Lifted {
        match (function, args) {
            (operators::NOT, [inner]) => Ok(self.lift_truth(inner)?.swapped()),
            (operators::AND, [left, right]) => {
                let (left, right) = (self.lift_truth(left)?, self.lift_truth(right)?);
                Ok(left.and(right))
            }
            (operators::OR, [left, right]) => {
                let (left, right) = (self.lift_truth(left)?, self.lift_truth(right)?);
                Ok(left.swapped().and(right.swapped()).swapped())
            }
            (operators::CONDITIONAL, [condition, yes, no]) => {
                let condition = self.lift_truth(condition)?;
                let (yes, no) = (self.lift_truth(yes)?, self.lift_truth(no)?);
                Ok(condition.choose(yes, no))
            }
            (operators::EQUALS, [left, right]) => self.lift_equality(left, right),
            (operators::NOT_EQUALS, [left, right]) => Ok(self.lift_equality(left, right)?.swapped()),
            (operators::LESS, [left, right]) => self.lift_order(left, right),
            (operators::GREATER, [left, right]) => self.lift_order(right, left),
            (operators::LESS_EQUALS, [left, right]) => Ok(self.lift_order(right, left)?.swapped()),
            (operators::GREATER_EQUALS, [left, right]) => Ok(self.lift_order(left, right)?.swapped()),
            (operators::IN, [item, range]) => self.lift_membership(item, range),
            ("hasValue", []) => match receiver {
                Some(optional) => self.lift_has_value(optional),
                None => Err(Opaque::at(expr, OpaqueKind::Construct("`hasValue` without an optional"))),
            },
            _ if receiver.is_some_and(is_sets_library) => match self.lift_set_function(function, args) {
                Some(Ok(lifted)) => Ok(lifted),
                _ => self.lift_boolean_term(expr),
            },
            _ => self.lift_boolean_term(expr),
        }
    }

    /// A term that is true or false.
    fn lift_boolean_term(&mut self, expr: &Expr) -> Lifted {
        match self.type_of(expr) {
            Some(Type::Bool) => {}
            _ if self.is_dynamic(expr) => {}
            _ => return Err(Opaque::at(expr, OpaqueKind::UnknownType)),
        }
        let terms = self.lift_plain_term(expr)?;
        let with = |value: bool| {
            let each = |it: &GuardedTerm| {
                Formula::all_of([it.when.clone(), Formula::has_truth(it.term.clone(), value)])
            };
            Formula::any_of(terms.iter().map(each))
        };
        Ok(LiftedExpression { holds: with(true), fails: with(false) })
    }

    /// `root == null`, for a root without a value in place of a null.
    fn lift_null_root(&self, left: &Expr, right: &Expr) -> Option<LiftedExpression> {
        let ((ExprKind::Ident(name), ExprKind::Literal(Literal::Null))
        | (ExprKind::Literal(Literal::Null), ExprKind::Ident(name))) = (&left.kind, &right.kind)
        else {
            return None;
        };
        let is_bound = self.bindings.iter().any(|(bound, _)| bound == name);
        let is_nullable = !is_bound && self.nullable_roots.contains(&name.as_str());
        let fails = Formula::Defined(Term::Root(name.clone()));
        is_nullable.then(|| LiftedExpression { holds: Formula::negation_of(fails.clone()), fails })
    }

    fn lift_equality(&mut self, left: &Expr, right: &Expr) -> Lifted {
        if let Some(lifted) = self.lift_null_root(left, right) {
            return Ok(lifted);
        }
        let is_boolean = |expr: &Expr| self.type_of(expr) == Some(&Type::Bool) && !is_plain_path(expr);
        // Of two conditions: both or none.
        if is_boolean(left) || is_boolean(right) {
            let (left, right) = (self.lift_truth(left)?, self.lift_truth(right)?);
            let same = left.clone().choose(right.clone(), right.clone().swapped());
            return Ok(same);
        }
        let (left, right) = (self.lift_term(left)?, self.lift_term(right)?);
        Ok(combine(&left, &right, |left, right| {
            let (left, right) = compared_quantities(left, right).unwrap_or((left, right));
            let compare = |relation| Formula::comparison_of(left.clone(), relation, right.clone());
            (compare(TermRelation::Equal), compare(TermRelation::NotEqual))
        }))
    }

    /// `left < right`
    fn lift_order(&mut self, left: &Expr, right: &Expr) -> Lifted {
        let (left, right) = (self.lift_term(left)?, self.lift_term(right)?);
        Ok(combine(&left, &right, |left, right| {
            let (a, b) = (left.clone(), right.clone());
            let holds = Formula::comparison_of(a, TermRelation::Less, b);
            (holds, Formula::comparison_of(right.clone(), TermRelation::LessOrEqual, left.clone()))
        }))
    }

    /// `has(operand.field)`
    fn lift_has(&mut self, operand: &Expr, field: &str) -> Lifted {
        let ty = self.type_of(operand).cloned();
        let name = match &ty {
            Some(Type::Object(_)) => property_name(operand, field)?,
            Some(Type::Map(..)) => field.to_owned(),
            _ if self.is_dynamic(operand) => field.to_owned(),
            Some(Type::Optional(_)) => return self.lift_optional_has(operand, field),
            _ => return Err(Opaque::at(operand, OpaqueKind::UnknownType)),
        };
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for GuardedTerm { when, term } in self.lift_term(operand)? {
            let present = Formula::Defined(term.clone().with_field(name.clone()));
            holds.push(Formula::all_of([when.clone(), present.clone()]));
            fails.push(Formula::all_of([when, Formula::is_defined(term), Formula::negation_of(present)]));
        }
        Ok(LiftedExpression { holds: Formula::any_of(holds), fails: Formula::any_of(fails) })
    }

    /// `item in range`
    fn lift_membership(&mut self, item: &Expr, range: &Expr) -> Lifted {
        let items = self.lift_term(item)?;
        let is_map = match self.type_of(range) {
            Some(Type::Dyn) => self.lift_term(range)?.first().and_then(|it| self.is_map(range, &it.term)),
            Some(Type::Map(..)) => Some(true),
            Some(Type::List(_)) => Some(false),
            _ => None,
        };
        match is_map {
            Some(true) => {
                let maps = self.lift_term(range)?;
                Ok(combine(&items, &maps, |key, map| {
                    let entry = Formula::Defined(entry_of(map.clone(), key.clone()));
                    let known = [Formula::is_defined(map.clone()), Formula::is_defined(key.clone())];
                    let absent = known.into_iter().chain([Formula::negation_of(entry.clone())]);
                    (entry, Formula::all_of(absent))
                }))
            }
            Some(false) => self.lift_list_membership(&items, range),
            None => Err(Opaque::at(range, OpaqueKind::UnknownType)),
        }
    }
}

/// True for the name before the functions of the sets library.
fn is_sets_library(receiver: &Expr) -> bool {
    matches!(&receiver.kind, ExprKind::Ident(name) if name == "sets")
}

/// True for a name and the fields of one.
fn is_plain_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ident(_) | ExprKind::Literal(_) => true,
        ExprKind::Select { operand, .. } => is_plain_path(operand),
        _ => false,
    }
}

/// The quantities in `quantity(a).compareTo(quantity(b)) == 0`, which is their equality.
// apiserver pkg/cel/quantity.go, Equal; apimachinery pkg/api/resource/quantity.go, Equal and Cmp
fn compared_quantities<'t>(left: &'t Term, right: &'t Term) -> Option<(&'t Term, &'t Term)> {
    let is_zero = |term: &Term| *term == Term::Constant(Constant::Integer(0));
    let call = match (left, right) {
        (Term::Call(call), zero) | (zero, Term::Call(call)) if is_zero(zero) => call,
        _ => return None,
    };
    let is_quantity = |term: &Term| matches!(term, Term::Call(call) if call.function == "quantity");
    match call.arguments.as_slice() {
        [one, other] if call.function == "compareTo" && is_quantity(one) && is_quantity(other) => {
            Some((one, other))
        }
        _ => None,
    }
}
