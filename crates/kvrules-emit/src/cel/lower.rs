//! Predicates as expressions.

use kvrules_ir::{Place, Predicate};

use super::context::{NegationContext, PredicateLowering};
use super::dialect::Dialect;
use super::expr::Expr;
use super::served::to_served;
use super::shared::SharedParts;
use super::unsupported::UnsupportedReason;
use super::{compare, names, test};
use crate::Fidelity;

/// A predicate as CEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredPredicate {
    /// The expression, which is a boolean.
    pub expression: Expr,
    /// Relation of the objects that it accepts to those for which the predicate holds.
    pub fidelity: Fidelity,
}

/// Turns a predicate into CEL.
///
/// ```
/// use kvrules_emit::cel::{Dialect, lower_predicate};
/// use kvrules_ir::{PlaceBase, Interval, Place, PlaceStep, Predicate, Presence, ValueTest, ValueType};
/// let field = |name: &str| PlaceStep::Field { name: name.to_owned(), presence: Presence::Optional };
/// let cores = Place {
///     base: PlaceBase::Root,
///     steps: vec![field("cpu"), field("cores")],
///     value_type: ValueType::Integer,
///     default: None,
/// };
/// let interval = Interval { min: Some(2.into()), max: None };
/// let rule = Predicate::Test { place: cores, test: ValueTest::Integer(interval) };
/// let lowered = lower_predicate(&rule, Dialect::VIRTUAL_MACHINE_SCHEMA)?;
/// assert_eq!(lowered.expression.to_string(), "has(self.cpu) && has(self.cpu.cores) && self.cpu.cores >= 2");
/// # Ok::<(), kvrules_emit::cel::UnsupportedReason>(())
/// ```
pub fn lower_predicate(
    predicate: &Predicate,
    dialect: Dialect,
) -> Result<LoweredPredicate, UnsupportedReason> {
    lower_sharing(predicate, dialect, &SharedParts::default())
}

/// As [`lower_predicate`], where some sub-expressions have names of their own.
pub(crate) fn lower_sharing(
    predicate: &Predicate,
    dialect: Dialect,
    shared: &SharedParts,
) -> Result<LoweredPredicate, UnsupportedReason> {
    let mut lowering = PredicateLowering::new(dialect, shared);
    let expression = lowering.predicate(&to_served(predicate), NegationContext::Plain)?.simplified();
    // `false` accepts nothing, so it is exact. `true` may be wider than the predicate, because parts that cannot be
    // expressed are left out.
    let fidelity = match expression {
        Expr::Bool(false) => Fidelity::Exact,
        _ => lowering.deviation.fidelity(),
    };
    Ok(LoweredPredicate { expression, fidelity })
}

impl PredicateLowering<'_> {
    pub(super) fn predicate(
        &mut self,
        predicate: &Predicate,
        standing: NegationContext,
    ) -> Result<Expr, UnsupportedReason> {
        match predicate {
            Predicate::True => Ok(Expr::Bool(true)),
            Predicate::False => Ok(Expr::Bool(false)),
            Predicate::All(parts) => Ok(Expr::all_of(self.each(parts, standing)?)),
            Predicate::Any(parts) => Ok(Expr::any_of(self.each(parts, standing)?)),
            Predicate::Not(inner) => Ok(self.predicate(inner, standing.opposite())?.not()),
            Predicate::Each { list, holds } => self
                .loop_over(list, holds, standing, Expr::all)
                .map(|(guards, every)| Expr::any_of(guards.into_iter().map(Expr::not).chain([every]))),
            Predicate::Some { list, holds } => self
                .loop_over(list, holds, standing, Expr::exists)
                .map(|(guards, some)| Expr::all_of(guards.into_iter().chain([some]))),
            Predicate::Present(place) => Ok(Expr::all_of(self.scope().read(place)?.exists)),
            Predicate::Test { place, test } => test::lower(self, place, test, standing),
            Predicate::Compare { left, relation, right } => {
                compare::lower_comparison(self, left, *relation, right, standing)
            }
        }
    }

    /// Lowers parts. Tests of existence come first, because the other parts need not repeat them.
    fn each(
        &mut self,
        parts: &[Predicate],
        standing: NegationContext,
    ) -> Result<Vec<Expr>, UnsupportedReason> {
        let mut ordered: Vec<&Predicate> = parts.iter().collect();
        ordered.sort_by_key(|part| !asks_existence(part));
        ordered.into_iter().map(|part| self.predicate(part, standing)).collect()
    }

    /// A loop over a list, and the questions whether there is a list.
    fn loop_over(
        &mut self,
        list: &Place,
        holds: &Predicate,
        standing: NegationContext,
        quantify: fn(Expr, String, Expr) -> Expr,
    ) -> Result<(Vec<Expr>, Expr), UnsupportedReason> {
        let (guards, elements) = self.scope().elements(list)?;
        let (variable, body) = self.for_element(list, |lowering| lowering.predicate(holds, standing));
        Ok((guards, quantify(elements, variable, body?)))
    }

    /// Lowers a predicate about an element of a list; returns the variable of the element and the result.
    pub(super) fn for_element<T>(&mut self, list: &Place, say: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let variable = names::variable_name(list, &self.variables);
        self.variables.push(variable.clone());
        let lowered = say(self);
        self.variables.pop();
        (variable, lowered)
    }
}

fn asks_existence(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Present(_) => true,
        Predicate::Not(inner) => asks_existence(inner),
        _ => false,
    }
}
