//! Infers types from the leaves upwards.

use crate::ast::{Literal, operators};
use crate::types::Type;

use super::core::{Core, CoreId, Field, Item, Kind, Loop, Node, Pair};
use super::env::{FieldLookup, TypeEnvironment};
use super::signatures::is_function;
use super::unify::{Known, most_general};
use super::{Facts, Mistake};

/// The types of all nodes, and the mistakes in the order in which they are found.
pub(super) fn infer(core: &Core, env: &TypeEnvironment) -> (Facts, Vec<Mistake>) {
    let facts = Facts {
        types: vec![Type::Error; core.node_count],
        overloads: vec![Vec::new(); core.node_count],
        namespaced: vec![false; core.node_count],
        ..Facts::default()
    };
    let mut inference =
        Inference { env, known: Known::default(), locals: Vec::new(), facts, mistakes: Vec::new() };
    inference.node(&core.root);
    inference.finish()
}

pub(super) struct Inference<'a> {
    env: &'a TypeEnvironment,
    pub(super) known: Known,
    locals: Vec<(String, Type)>,
    pub(super) facts: Facts,
    pub(super) mistakes: Vec<Mistake>,
}

impl Inference<'_> {
    fn finish(mut self) -> (Facts, Vec<Mistake>) {
        for ty in &mut self.facts.types {
            *ty = self.known.resolve(ty, true);
        }
        (self.facts, self.mistakes)
    }

    pub(super) fn type_of(&self, id: CoreId) -> Type {
        self.facts.types.get(id).cloned().unwrap_or(Type::Error)
    }

    pub(super) fn mistake(&mut self, node: &Node, message: String) {
        self.mistakes.push((node.at, message));
    }

    /// Infers a node, notes its type and gives it.
    pub(super) fn node(&mut self, node: &Node) -> Type {
        let ty = match &node.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => self.ident(node, name),
            Kind::Select { operand, field, test } => self.select(node, operand, field, *test),
            Kind::Call { function, target: None, args } if function == operators::OPT_SELECT => {
                self.optional_select(node, args)
            }
            Kind::Call { function, target, args } => self.call(node, function, target.as_deref(), args),
            Kind::List(items) => self.list(items),
            Kind::Map(pairs) => self.map(pairs),
            Kind::Struct { type_name, fields } => self.object(node, type_name, fields),
            Kind::Loop(fold) => self.fold(fold),
        };
        if let Some(slot) = self.facts.types.get_mut(node.id) {
            *slot = ty.clone();
        }
        ty
    }

    fn lookup(&mut self, name: &str) -> Option<Type> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let local = self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, ty)| ty.clone());
        let ty = local.or_else(|| self.env.lookup(name))?;
        self.facts.names.insert(name.to_owned());
        Some(ty)
    }

    fn ident(&mut self, node: &Node, name: &str) -> Type {
        if let Some(ty) = self.lookup(name) {
            return ty;
        }
        self.undeclared(node, name);
        Type::Error
    }

    pub(super) fn undeclared(&mut self, node: &Node, name: &str) {
        self.mistake(node, format!("undeclared reference to '{name}' (in container '')"));
    }

    fn select(&mut self, node: &Node, operand: &Node, field: &str, test: bool) -> Type {
        let qualified = if test { None } else { node.qualified_name() };
        if let Some(name) = qualified
            && let Some(ty) = self.lookup(&name)
        {
            self.facts.qualified.insert(node.id, name);
            return ty;
        }
        let ty = self.field(node, operand, field, false);
        if test { Type::Bool } else { self.known.resolve(&ty, false) }
    }

    /// `operand.?field`, whose field is a literal.
    fn optional_select(&mut self, node: &Node, args: &[Node]) -> Type {
        let [operand, field] = args else { return Type::Error };
        let Kind::Literal(Literal::String(name)) = &field.kind else { return Type::Error };
        self.node(field);
        let ty = self.field(node, operand, name, true);
        self.fits(node, "select_optional_field");
        self.known.resolve(&ty, false)
    }

    pub(super) fn fits(&mut self, node: &Node, overload: &'static str) {
        if let Some(overloads) = self.facts.overloads.get_mut(node.id) {
            overloads.push(overload);
        }
    }

    fn field(&mut self, node: &Node, operand: &Node, field: &str, optional: bool) -> Type {
        let operand = self.node(operand);
        let operand = self.known.resolve(&operand, false);
        let (target, was_optional) = match &operand {
            Type::Optional(value) => (value.as_ref(), true),
            other => (other, false),
        };
        let ty = match target {
            Type::Map(_, value) => value.as_ref().clone(),
            Type::Object(name) => self.object_field(node, name, field),
            Type::Var(_) => {
                self.known.assign(&Type::Dyn, target);
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.mistake(node, message);
                Type::Dyn
            }
        };
        if was_optional || optional { Type::optional_of(ty) } else { ty }
    }

    fn object_field(&mut self, node: &Node, object: &str, field: &str) -> Type {
        let message = match self.env.field(object, field) {
            FieldLookup::Found(ty) => return ty,
            FieldLookup::NoSuchField => format!("undefined field '{field}'"),
            FieldLookup::NoSuchObject => format!("unexpected failed resolution of '{object}'"),
        };
        self.mistake(node, message);
        Type::Error
    }

    fn call(&mut self, node: &Node, function: &str, target: Option<&Node>, args: &[Node]) -> Type {
        for arg in args {
            self.node(arg);
        }
        match (function, target) {
            (operators::AND, None) => return self.logical(node, "logical_and", args),
            (operators::OR, None) => return self.logical(node, "logical_or", args),
            _ => {}
        }
        let Some(target) = target else {
            let name = function.strip_prefix('.').unwrap_or(function);
            if is_function(name) {
                return self.resolve_call(node, name, None, args);
            }
            self.undeclared(node, function);
            return Type::Error;
        };
        let front = target.qualified_name();
        let whole = front.map(|front| format!("{}.{function}", front.strip_prefix('.').unwrap_or(&front)));
        if let Some(name) = whole.filter(|name| is_function(name)) {
            if let Some(namespaced) = self.facts.namespaced.get_mut(node.id) {
                *namespaced = true;
            }
            return self.resolve_call(node, &name, None, args);
        }
        self.node(target);
        if is_function(function) {
            return self.resolve_call(node, function, Some(target), args);
        }
        self.undeclared(node, function);
        Type::Error
    }

    /// `&&` and `||` say which operand is wrong instead of that nothing fits.
    fn logical(&mut self, node: &Node, overload: &'static str, args: &[Node]) -> Type {
        let mut result = Type::Bool;
        for arg in args {
            let ty = self.type_of(arg.id);
            if !self.known.assign(&ty, &Type::Bool) {
                self.mismatch(arg, &Type::Bool, &ty);
                result = Type::Error;
            }
        }
        self.fits(node, overload);
        result
    }

    fn list(&mut self, items: &[Item]) -> Type {
        let mut element = None;
        for item in items {
            let mut ty = self.node(&item.value);
            if item.optional {
                ty = self.unwrap_optional(&item.value, &ty);
            }
            element = Some(self.join(element, ty));
        }
        Type::list_of(element.unwrap_or_else(|| self.known.fresh()))
    }

    fn map(&mut self, pairs: &[Pair]) -> Type {
        let mut types = None;
        for pair in pairs {
            let (key, value) = types.unzip();
            let key_type = self.node(&pair.key);
            let key = self.join(key, key_type);
            let mut value_type = self.node(&pair.value);
            if pair.optional {
                value_type = self.unwrap_optional(&pair.value, &value_type);
            }
            types = Some((key, self.join(value, value_type)));
        }
        let (key, value) = types.unwrap_or_else(|| (self.known.fresh(), self.known.fresh()));
        Type::map_of(key, value)
    }

    fn unwrap_optional(&mut self, node: &Node, ty: &Type) -> Type {
        match self.known.resolve(ty, false) {
            Type::Optional(value) => value.as_ref().clone(),
            Type::Dyn => Type::Dyn,
            other => {
                self.mismatch(node, &Type::optional_of(other.clone()), &other);
                other
            }
        }
    }

    /// The common type of the elements so far and another. That they are of one type is looked at later, in `literals`.
    // cel-go checker/checker.go, joinTypes
    fn join(&mut self, before: Option<Type>, ty: Type) -> Type {
        let Some(before) = before else { return ty };
        if self.known.assign(&before, &ty) { most_general(&before, &ty) } else { Type::Dyn }
    }

    fn mismatch(&mut self, node: &Node, expected: &Type, found: &Type) {
        let (expected, found) = (self.known.resolve(expected, false), self.known.resolve(found, false));
        self.mistake(node, format!("expected type '{expected}' but found '{found}'"));
    }

    fn object(&mut self, node: &Node, type_name: &str, fields: &[Field]) -> Type {
        let object = match self.lookup(type_name) {
            None => {
                self.undeclared(node, type_name);
                return Type::Error;
            }
            Some(Type::Type(Some(ty))) if matches!(*ty, Type::Object(_)) => ty.as_ref().clone(),
            Some(Type::Type(_)) => {
                self.mistake(node, format!("'{type_name}' is not a message type"));
                Type::Error
            }
            Some(_) => {
                self.mistake(node, format!("'{type_name}' is not a type"));
                Type::Error
            }
        };
        for field in fields {
            self.object_value(&object, field);
        }
        object
    }

    fn object_value(&mut self, object: &Type, field: &Field) {
        let mut value = self.node(&field.value);
        if field.optional {
            value = self.unwrap_optional(&field.value, &value);
        }
        let Type::Object(name) = object else { return };
        let place = Node { at: field.at, ..field.value.clone() };
        let wanted = self.object_field(&place, name, &field.name);
        if !self.known.assign(&wanted, &value) {
            let name = &field.name;
            let message =
                format!("expected type of field '{name}' is '{wanted}' but provided type is '{value}'");
            self.mistake(&place, message);
        }
    }

    fn fold(&mut self, fold: &Loop) -> Type {
        let range = self.node(&fold.range);
        let accumulated = self.node(&fold.init);
        let range = self.known.resolve(&range, false);
        let (var, var2) = self.loop_variables(fold, &range);
        let depth = self.locals.len();
        self.locals.push((fold.accumulator.clone(), accumulated.clone()));
        self.locals.push((fold.var.clone(), var));
        self.locals.extend(fold.var2.clone().map(|name| (name, var2)));
        let condition = self.node(&fold.condition);
        self.must_be(&fold.condition, &Type::Bool, &condition);
        let step = self.node(&fold.step);
        self.must_be(&fold.step, &accumulated, &step);
        self.locals.truncate(depth + 1);
        let result = self.node(&fold.result);
        self.locals.truncate(depth);
        self.known.resolve(&result, false)
    }

    fn loop_variables(&mut self, fold: &Loop, range: &Type) -> (Type, Type) {
        match range {
            Type::List(element) if fold.var2.is_some() => (Type::Int, element.as_ref().clone()),
            Type::List(element) => (element.as_ref().clone(), Type::Error),
            Type::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.known.assign(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.mistake(&fold.range, message);
                (Type::Error, Type::Error)
            }
        }
    }

    fn must_be(&mut self, node: &Node, expected: &Type, found: &Type) {
        if !self.known.assign(expected, found) {
            self.mismatch(node, expected, found);
        }
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
