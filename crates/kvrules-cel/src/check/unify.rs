//! Assignability of a value of one type to another, and the binding of unknown types by it.

use std::sync::Arc;

use crate::types::Type;

/// Known bindings of the type variables, with a trail to undo assumptions.
#[derive(Debug, Default)]
pub(crate) struct TypeBindings {
    bound: Vec<Option<Type>>,
    trail: Vec<(usize, Option<Type>)>,
}

impl TypeBindings {
    /// A type that is not known yet.
    pub(crate) fn new_variable(&mut self) -> Type {
        self.bound.push(None);
        Type::Var(self.bound.len() - 1)
    }

    /// True if each type is assignable to the type at the same place in the other list; if not, nothing is assumed.
    // cel-go checker/types.go, isAssignableList: works on a copy of the bindings, which the trail stands for here
    pub(crate) fn assign_all(&mut self, given: &[Type], wanted: &[Type]) -> bool {
        let mark = self.trail.len();
        let fits =
            given.len() == wanted.len() && given.iter().zip(wanted).all(|(a, b)| self.unify_types(a, b));
        if !fits {
            self.undo_to(mark);
        }
        fits
    }

    /// As [`Self::assign_all`], for one type.
    pub(crate) fn assign_type(&mut self, given: &Type, wanted: &Type) -> bool {
        self.assign_all(std::slice::from_ref(given), std::slice::from_ref(wanted))
    }

    /// The type with what is known put in; what stays unknown becomes `dyn` when `finish`.
    // cel-go checker/types.go, substitute
    pub(crate) fn resolve_type(&self, ty: &Type, finish: bool) -> Type {
        let inner = |ty: &Arc<Type>| Arc::new(self.resolve_type(ty, finish));
        match ty {
            Type::Var(number) => match self.lookup_binding(*number) {
                Some(known) => self.resolve_type(&known, finish),
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

    fn lookup_binding(&self, number: usize) -> Option<Type> {
        self.bound.get(number).cloned().flatten()
    }

    fn bind_variable(&mut self, number: usize, ty: Type) {
        if let Some(slot) = self.bound.get_mut(number) {
            self.trail.push((number, slot.replace(ty)));
        }
    }

    fn undo_to(&mut self, mark: usize) {
        for (number, before) in self.trail.drain(mark..).rev() {
            if let Some(slot) = self.bound.get_mut(number) {
                *slot = before;
            }
        }
    }

    // cel-go checker/types.go, internalIsAssignable: variables come before `dyn`, so that a variable can be bound to `dyn`
    fn unify_types(&mut self, given: &Type, wanted: &Type) -> bool {
        if let Type::Var(number) = wanted {
            match self.try_bind(given, *number) {
                Substitution::Valid => return true,
                Substitution::Clash => return false,
                Substitution::Circular => {}
            }
        }
        if let Type::Var(number) = given {
            return matches!(self.try_bind(wanted, *number), Substitution::Valid);
        }
        let anything = |ty: &Type| matches!(ty, Type::Dyn | Type::Error);
        if anything(given) || anything(wanted) {
            return true;
        }
        match (given, wanted) {
            (Type::Null, other) | (other, Type::Null) => accepts_null(other),
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.unify_types(a, b),
            (Type::Map(key, value), Type::Map(key2, value2)) => {
                self.unify_types(key, key2) && self.unify_types(value, value2)
            }
            // The parameter of `type(T)` is not compared: `type(1) == string` checks.
            (Type::Type(_), Type::Type(_)) => true,
            (a, b) => a == b,
        }
    }

    /// Binds the variable to the type if it may be, or already is, the type.
    // cel-go checker/types.go, isValidTypeSubstitution
    fn try_bind(&mut self, ty: &Type, variable: usize) -> Substitution {
        if *ty == Type::Var(variable) {
            return Substitution::Valid;
        }
        if let Some(known) = self.lookup_binding(variable) {
            if *ty == known {
                return Substitution::Valid;
            }
            if !self.unify_types(ty, &known) {
                return Substitution::Clash;
            }
            let general = if is_less_specific(ty, &known) { ty.clone() } else { known };
            self.bind_variable(variable, general);
            return Substitution::Valid;
        }
        if self.occurs_in(variable, ty) {
            return Substitution::Circular;
        }
        self.bind_variable(variable, ty.clone());
        Substitution::Valid
    }

    // cel-go checker/types.go, notReferencedIn: a type that contains itself would make resolve_type endless
    fn occurs_in(&self, variable: usize, within: &Type) -> bool {
        match within {
            Type::Var(number) if *number == variable => true,
            Type::Var(number) => {
                self.lookup_binding(*number).is_some_and(|known| self.occurs_in(variable, &known))
            }
            _ => within.type_parameters().into_iter().any(|part| self.occurs_in(variable, part)),
        }
    }
}

enum Substitution {
    Valid,
    Clash,
    Circular,
}

// cel-go checker/types.go, isLegacyNullable
fn accepts_null(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Null | Type::Opaque(_) | Type::Object(_) | Type::Optional(_) | Type::Duration | Type::Timestamp
    )
}

/// The more general of two types that go together.
// cel-go checker/types.go, mostGeneral
pub(crate) fn most_general(first: &Type, second: &Type) -> Type {
    if is_less_specific(first, second) { first.clone() } else { second.clone() }
}

// cel-go checker/types.go, isEqualOrLessSpecific
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
