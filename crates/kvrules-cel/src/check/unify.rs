//! Assignability of a value of one type to another, and the binding of unknown types by it.

use std::sync::Arc;

use crate::types::Type;

/// Known bindings of the type variables, with a trail to undo assumptions.
#[derive(Debug, Default)]
pub(crate) struct Known {
    bound: Vec<Option<Type>>,
    trail: Vec<(usize, Option<Type>)>,
}

impl Known {
    /// A type that is not known yet.
    pub(crate) fn fresh(&mut self) -> Type {
        self.bound.push(None);
        Type::Var(self.bound.len() - 1)
    }

    /// True if each type is assignable to the type at the same place in the other list; if not, nothing is assumed.
    pub(crate) fn assign_all(&mut self, given: &[Type], wanted: &[Type]) -> bool {
        let mark = self.trail.len();
        let fits = given.len() == wanted.len() && given.iter().zip(wanted).all(|(a, b)| self.unify(a, b));
        if !fits {
            self.undo(mark);
        }
        fits
    }

    /// As [`Self::assign_all`], for one type.
    pub(crate) fn assign(&mut self, given: &Type, wanted: &Type) -> bool {
        self.assign_all(std::slice::from_ref(given), std::slice::from_ref(wanted))
    }

    /// The type with what is known put in; what stays unknown becomes `dyn` when `finish`.
    pub(crate) fn resolve(&self, ty: &Type, finish: bool) -> Type {
        let inner = |ty: &Arc<Type>| Arc::new(self.resolve(ty, finish));
        match ty {
            Type::Var(number) => match self.lookup(*number) {
                Some(known) => self.resolve(&known, finish),
                None if finish => Type::Dyn,
                None => ty.clone(),
            },
            Type::List(element) => Type::List(inner(element)),
            Type::Map(key, value) => Type::Map(inner(key), inner(value)),
            Type::Optional(value) => Type::Optional(inner(value)),
            Type::Type(Some(of)) => Type::Type(Some(inner(of))),
            _ => ty.clone(),
        }
    }

    fn lookup(&self, number: usize) -> Option<Type> {
        self.bound.get(number).cloned().flatten()
    }

    fn bind(&mut self, number: usize, ty: Type) {
        if let Some(slot) = self.bound.get_mut(number) {
            self.trail.push((number, slot.replace(ty)));
        }
    }

    fn undo(&mut self, mark: usize) {
        for (number, before) in self.trail.drain(mark..).rev() {
            if let Some(slot) = self.bound.get_mut(number) {
                *slot = before;
            }
        }
    }

    fn unify(&mut self, given: &Type, wanted: &Type) -> bool {
        if let Type::Var(number) = wanted {
            match self.substitute(given, *number) {
                Substitution::Valid => return true,
                Substitution::Clash => return false,
                Substitution::Circular => {}
            }
        }
        if let Type::Var(number) = given {
            return matches!(self.substitute(wanted, *number), Substitution::Valid);
        }
        let anything = |ty: &Type| matches!(ty, Type::Dyn | Type::Error);
        if anything(given) || anything(wanted) {
            return true;
        }
        match (given, wanted) {
            (Type::Null, other) | (other, Type::Null) => accepts_null(other),
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.unify(a, b),
            (Type::Map(key, value), Type::Map(key2, value2)) => {
                self.unify(key, key2) && self.unify(value, value2)
            }
            (Type::Type(_), Type::Type(_)) => true,
            (a, b) => a == b,
        }
    }

    /// Binds the variable to the type if it may be, or already is, the type.
    fn substitute(&mut self, ty: &Type, variable: usize) -> Substitution {
        if *ty == Type::Var(variable) {
            return Substitution::Valid;
        }
        if let Some(known) = self.lookup(variable) {
            if *ty == known {
                return Substitution::Valid;
            }
            if !self.unify(ty, &known) {
                return Substitution::Clash;
            }
            let general = if is_less_specific(ty, &known) { ty.clone() } else { known };
            self.bind(variable, general);
            return Substitution::Valid;
        }
        if self.occurs(variable, ty) {
            return Substitution::Circular;
        }
        self.bind(variable, ty.clone());
        Substitution::Valid
    }

    fn occurs(&self, variable: usize, within: &Type) -> bool {
        match within {
            Type::Var(number) if *number == variable => true,
            Type::Var(number) => self.lookup(*number).is_some_and(|known| self.occurs(variable, &known)),
            _ => within.type_parameters().into_iter().any(|part| self.occurs(variable, part)),
        }
    }
}

enum Substitution {
    Valid,
    Clash,
    Circular,
}

fn accepts_null(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Null | Type::Opaque(_) | Type::Object(_) | Type::Optional(_) | Type::Duration | Type::Timestamp
    )
}

/// The more general of two types that go together.
pub(crate) fn most_general(first: &Type, second: &Type) -> Type {
    if is_less_specific(first, second) { first.clone() } else { second.clone() }
}

fn is_less_specific(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Dyn | Type::Var(_), _) | (Type::Type(_), Type::Type(_)) => true,
        (_, Type::Dyn | Type::Var(_)) => false,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => is_less_specific(a, b),
        (Type::Map(key, value), Type::Map(key2, value2)) => {
            is_less_specific(key, key2) && is_less_specific(value, value2)
        }
        (a, b) => a == b,
    }
}
