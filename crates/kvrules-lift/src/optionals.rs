//! Optionals: under which condition they have which value.

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};
use kvrules_cel::types::Type;
use kvrules_ir::{Formula, Term};

use crate::opaque::{Opaque, OpaqueKind};
use crate::state::{GuardedTerm, LiftedExpression, Lifter, entry_of, property_name};

/// A value that an optional has under a condition, or none.
#[derive(Clone, Debug)]
struct GuardedOptional {
    when: Formula,
    value: Option<Term>,
}

type Optionals = Result<Vec<GuardedOptional>, Opaque>;

impl Lifter<'_> {
    /// `optional.hasValue()`
    pub(crate) fn lift_has_value(&mut self, optional: &Expr) -> Result<LiftedExpression, Opaque> {
        if let Some(terms) = self.lift_optional_call(optional)? {
            let truth = |value: bool| {
                let each = |it: &GuardedTerm| {
                    let call = Term::call_of("hasValue", true, vec![it.term.clone()]);
                    Formula::all_of([it.when.clone(), Formula::has_truth(call, value)])
                };
                Formula::any_of(terms.iter().map(each))
            };
            return Ok(LiftedExpression { holds: truth(true), fails: truth(false) });
        }
        let optionals = self.lift_optional(optional)?;
        let under = |has: bool| {
            let those = optionals.iter().filter(move |it| it.value.is_some() == has);
            Formula::any_of(those.map(|it| it.when.clone()))
        };
        Ok(LiftedExpression { holds: under(true), fails: under(false) })
    }

    /// A function that returns an optional, as a term of its own.
    fn lift_optional_call(&mut self, expr: &Expr) -> Result<Option<Vec<GuardedTerm>>, Opaque> {
        match &expr.kind {
            ExprKind::Call { function, receiver: Some(_), .. } if function == "validate" => {
                self.lift_plain_term(expr).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `has(optional.field)`: false if the optional has no value.
    pub(crate) fn lift_optional_has(
        &mut self,
        operand: &Expr,
        field: &str,
    ) -> Result<LiftedExpression, Opaque> {
        let name = property_name(operand, field)?;
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for GuardedOptional { when, value } in self.lift_optional(operand)? {
            match value {
                Some(term) => {
                    let present = Formula::Defined(term.with_field(name.clone()));
                    holds.push(Formula::all_of([when.clone(), present.clone()]));
                    fails.push(Formula::all_of([when, Formula::negation_of(present)]));
                }
                None => fails.push(when),
            }
        }
        Ok(LiftedExpression { holds: Formula::any_of(holds), fails: Formula::any_of(fails) })
    }

    /// `optional.orValue(other)` and `optional.value()`.
    pub(crate) fn lift_opened_optional(
        &mut self,
        expr: &Expr,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Result<Vec<GuardedTerm>, Opaque> {
        let Some(optional) = receiver else {
            return Err(Opaque::at(expr, OpaqueKind::Construct("an optional as a value")));
        };
        let otherwise = match args {
            [] => Vec::new(),
            [other, ..] => self.lift_term(other)?,
        };
        let mut terms = Vec::new();
        for GuardedOptional { when, value } in self.lift_optional(optional)? {
            match value {
                Some(term) => terms.push(GuardedTerm { when, term }),
                None => terms.extend(otherwise.iter().map(|it| GuardedTerm {
                    when: Formula::all_of([when.clone(), it.when.clone()]),
                    term: it.term.clone(),
                })),
            }
        }
        Ok(terms)
    }

    fn lift_optional(&mut self, expr: &Expr) -> Optionals {
        match &expr.kind {
            ExprKind::Ident(name) if self.optional_roots.contains(&name.as_str()) => {
                let present = Formula::Defined(Term::Root(name.clone()));
                Ok(vec![
                    GuardedOptional { when: present.clone(), value: Some(Term::Root(name.clone())) },
                    GuardedOptional { when: Formula::negation_of(present), value: None },
                ])
            }
            ExprKind::Select { operand, field } => {
                let name = property_name(expr, field)?;
                self.select_optional(operand, |of| of.with_field(name.clone()))
            }
            ExprKind::Call { function, receiver, args } => {
                self.lift_optional_function(expr, function, receiver.as_deref(), args)
            }
            ExprKind::OptMap { flat: false, target, var, body } => {
                let mut mapped = Vec::new();
                for it in self.lift_optional(target)? {
                    let Some(term) = it.value else {
                        mapped.push(it);
                        continue;
                    };
                    self.bindings.push((var.clone(), vec![GuardedTerm::always(term)]));
                    let body = self.lift_term(body);
                    self.bindings.pop();
                    mapped.extend(body?.into_iter().map(|result| GuardedOptional {
                        when: Formula::all_of([
                            it.when.clone(),
                            Formula::is_defined(result.term.clone()),
                            result.when,
                        ]),
                        value: Some(result.term),
                    }));
                }
                Ok(mapped)
            }
            _ => Err(Opaque::at(expr, OpaqueKind::Construct("an optional of this form"))),
        }
    }

    fn lift_optional_function(
        &mut self,
        expr: &Expr,
        function: &str,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Optionals {
        let is_of_namespace = receiver.and_then(Expr::qualified_name).as_deref() == Some("optional");
        match (function, args) {
            (operators::OPT_SELECT, [operand, field]) => match &field.kind {
                ExprKind::Literal(Literal::String(name)) => {
                    let is_object = matches!(inner_type(self.type_of(operand)), Some(Type::Object(_)));
                    let name = if is_object { property_name(expr, name)? } else { name.clone() };
                    self.select_optional(operand, |of| of.with_field(name.clone()))
                }
                _ => Err(Opaque::at(expr, OpaqueKind::Construct("an optional of this form"))),
            },
            (operators::OPT_INDEX | operators::INDEX, [operand, key]) => {
                let is_map = matches!(inner_type(self.type_of(operand)), Some(Type::Map(..)));
                let keys = self.lift_term(key)?;
                let [GuardedTerm { when: Formula::True, term: key }] = keys.as_slice() else {
                    return Err(Opaque::at(expr, OpaqueKind::Construct("a conditional key of an optional")));
                };
                let key = key.clone();
                self.select_optional(operand, |of| {
                    if is_map {
                        entry_of(of, key.clone())
                    } else {
                        Term::Index(Box::new(of), Box::new(key.clone()))
                    }
                })
            }
            ("of", [value]) if is_of_namespace => {
                let terms = self.lift_term(value)?.into_iter();
                let some = |it: GuardedTerm| GuardedOptional {
                    when: Formula::all_of([it.when, Formula::is_defined(it.term.clone())]),
                    value: Some(it.term),
                };
                Ok(terms.map(some).collect())
            }
            ("none", []) if is_of_namespace => Ok(vec![GuardedOptional { when: Formula::True, value: None }]),
            ("or", [other]) => self.lift_or(expr, receiver, other),
            _ => Err(Opaque::at(expr, OpaqueKind::Construct("an optional of this form"))),
        }
    }

    /// `first.or(other)`
    fn lift_or(&mut self, expr: &Expr, receiver: Option<&Expr>, other: &Expr) -> Optionals {
        let Some(first) = receiver else {
            return Err(Opaque::at(expr, OpaqueKind::Construct("an optional of this form")));
        };
        let others = self.lift_optional(other)?;
        let mut all = Vec::new();
        for it in self.lift_optional(first)? {
            if it.value.is_some() {
                all.push(it);
                continue;
            }
            all.extend(others.iter().map(|other| GuardedOptional {
                when: Formula::all_of([it.when.clone(), other.when.clone()]),
                value: other.value.clone(),
            }));
        }
        Ok(all)
    }

    /// A field or an entry of a value or of an optional: a value if it exists, else none.
    fn select_optional(&mut self, operand: &Expr, select: impl Fn(Term) -> Term) -> Optionals {
        let is_optional = matches!(self.type_of(operand), Some(Type::Optional(_)));
        let bases = if is_optional {
            self.lift_optional(operand)?
        } else {
            let some = |it: GuardedTerm| GuardedOptional { when: it.when, value: Some(it.term) };
            self.lift_term(operand)?.into_iter().map(some).collect()
        };
        let mut selected = Vec::new();
        for GuardedOptional { when, value } in bases {
            let Some(base) = value else {
                selected.push(GuardedOptional { when, value: None });
                continue;
            };
            let term = select(base.clone());
            let present = Formula::Defined(term.clone());
            let some = Formula::all_of([when.clone(), present.clone()]);
            selected.push(GuardedOptional { when: some, value: Some(term) });
            let none = Formula::all_of([when, Formula::is_defined(base), Formula::negation_of(present)]);
            selected.push(GuardedOptional { when: none, value: None });
        }
        Ok(selected)
    }
}

fn inner_type(ty: Option<&Type>) -> Option<&Type> {
    match ty {
        Some(Type::Optional(inner)) => Some(inner),
        other => other,
    }
}
