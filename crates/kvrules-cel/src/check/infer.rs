//! Infers types from the leaves upwards.

use std::sync::Arc;

use crate::ast::{Literal, operators};
use crate::kubernetes::Dialect;
use crate::types::{Type, message_field, message_type};

use super::core::{CoreField, CoreId, CoreItem, CoreKind, CoreLoop, CoreNode, CorePair, CoreTree};
use super::env::{FieldLookup, TypeEnvironment};
use super::signatures::is_function;
use super::unify::{TypeBindings, most_general};
use super::{TypeError, TypeFacts};

/// The types of all nodes, and the errors in the order in which they are found.
// cel-go checker/checker.go, Check: types are resolved once more at the end, and unbound variables become `dyn`
pub(super) fn infer_types(core: &CoreTree, env: &TypeEnvironment) -> (TypeFacts, Vec<TypeError>) {
    let facts = TypeFacts {
        types: vec![Type::Error; core.node_count],
        overloads: vec![Vec::new(); core.node_count],
        namespaced: vec![false; core.node_count],
        ..TypeFacts::default()
    };
    let mut inference =
        Inference { env, known: TypeBindings::default(), locals: Vec::new(), facts, errors: Vec::new() };
    inference.infer_node(&core.root);
    inference.finish()
}

pub(super) struct Inference<'a> {
    env: &'a TypeEnvironment,
    pub(super) known: TypeBindings,
    locals: Vec<(String, Type)>,
    pub(super) facts: TypeFacts,
    pub(super) errors: Vec<TypeError>,
}

impl Inference<'_> {
    fn finish(mut self) -> (TypeFacts, Vec<TypeError>) {
        for ty in &mut self.facts.types {
            *ty = self.known.resolve_type(ty, true);
        }
        (self.facts, self.errors)
    }

    pub(super) fn type_of(&self, id: CoreId) -> Type {
        self.facts.types.get(id).cloned().unwrap_or(Type::Error)
    }

    pub(super) fn add_error(&mut self, node: &CoreNode, message: String) {
        self.errors.push((node.at, message));
    }

    /// Infers a node, notes its type and gives it.
    pub(super) fn infer_node(&mut self, node: &CoreNode) -> Type {
        let ty = match &node.kind {
            CoreKind::Literal(literal) => literal_type(literal),
            CoreKind::Ident(name) => self.infer_ident(node, name),
            CoreKind::Select { operand, field, test } => self.infer_select(node, operand, field, *test),
            CoreKind::Call { function, target: None, args } if function == operators::OPT_SELECT => {
                self.optional_select(node, args)
            }
            CoreKind::Call { function, target, args } => {
                self.infer_call(node, function, target.as_deref(), args)
            }
            CoreKind::List(items) => self.infer_list(items),
            CoreKind::Map(pairs) => self.infer_map(pairs),
            CoreKind::Struct { type_name, fields } => self.infer_object(node, type_name, fields),
            CoreKind::Loop(fold) => self.infer_loop(fold),
        };
        if let Some(slot) = self.facts.types.get_mut(node.id) {
            *slot = ty.clone();
        }
        ty
    }

    fn lookup(&mut self, name: &str) -> Option<Type> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let local = self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, ty)| ty.clone());
        let ty = local.or_else(|| self.env.find_variable(name))?;
        self.facts.names.insert(name.to_owned());
        Some(ty)
    }

    // cel-go checker/checker.go, checkIdent
    fn infer_ident(&mut self, node: &CoreNode, name: &str) -> Type {
        if let Some(ty) = self.lookup(name) {
            return ty;
        }
        self.add_undeclared(node, name);
        Type::Error
    }

    pub(super) fn add_undeclared(&mut self, node: &CoreNode, name: &str) {
        self.add_error(node, format!("undeclared reference to '{name}' (in container '')"));
    }

    // cel-go checker/checker.go, checkSelect: a name with dots, as of a type, wins over a selection; not inside of `has`
    fn infer_select(&mut self, node: &CoreNode, operand: &CoreNode, field: &str, test: bool) -> Type {
        let qualified = if test { None } else { node.qualified_name() };
        if let Some(name) = qualified
            && let Some(ty) = self.lookup(&name)
        {
            self.facts.qualified.insert(node.id, name);
            return ty;
        }
        let ty = self.infer_field(node, operand, field, false);
        if test { Type::Bool } else { self.known.resolve_type(&ty, false) }
    }

    /// `operand.?field`, whose field is a literal.
    // cel-go checker/checker.go, checkOptSelect
    fn optional_select(&mut self, node: &CoreNode, args: &[CoreNode]) -> Type {
        let [operand, field] = args else { return Type::Error };
        let CoreKind::Literal(Literal::String(name)) = &field.kind else { return Type::Error };
        self.infer_node(field);
        let ty = self.infer_field(node, operand, name, true);
        self.set_overload(node, "select_optional_field");
        self.known.resolve_type(&ty, false)
    }

    pub(super) fn set_overload(&mut self, node: &CoreNode, overload: &'static str) {
        if let Some(overloads) = self.facts.overloads.get_mut(node.id) {
            overloads.push(overload);
        }
    }

    // cel-go checker/checker.go, checkSelectField: a field of an optional is an optional
    fn infer_field(&mut self, node: &CoreNode, operand: &CoreNode, field: &str, optional: bool) -> Type {
        let operand = self.infer_node(operand);
        let operand = self.known.resolve_type(&operand, false);
        let (target, was_optional) = match &operand {
            Type::Optional(value) => (value.as_ref(), true),
            other => (other, false),
        };
        let ty = match target {
            Type::Map(_, value) => value.as_ref().clone(),
            Type::Object(name) => self.object_field(node, name, field),
            Type::Var(_) => {
                self.known.assign_type(&Type::Dyn, target);
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.add_error(node, message);
                Type::Dyn
            }
        };
        if was_optional || optional { Type::optional_of(ty) } else { ty }
    }

    // cel-go checker/checker.go, lookupFieldType
    fn object_field(&mut self, node: &CoreNode, object: &Arc<str>, field: &str) -> Type {
        let message = match self.env.find_field(object, field) {
            FieldLookup::Found(ty) => return ty,
            FieldLookup::NoSuchField => {
                self.facts.lacking_types.insert(node.at, Arc::clone(object));
                format!("undefined field '{field}'")
            }
            FieldLookup::NoSuchObject => format!("unexpected failed resolution of '{object}'"),
        };
        self.add_error(node, message);
        Type::Error
    }

    // cel-go checker/checker.go, checkCall: arguments before the receiver, which may be a namespace and then is not checked
    fn infer_call(
        &mut self,
        node: &CoreNode,
        function: &str,
        target: Option<&CoreNode>,
        args: &[CoreNode],
    ) -> Type {
        for arg in args {
            self.infer_node(arg);
        }
        match (function, target) {
            (operators::AND, None) if self.dialect().types_unknown_calls => {
                return self.infer_logical(node, "logical_and", args);
            }
            (operators::OR, None) if self.dialect().types_unknown_calls => {
                return self.infer_logical(node, "logical_or", args);
            }
            _ => {}
        }
        let Some(target) = target else {
            let name = function.strip_prefix('.').unwrap_or(function);
            if is_function(name, self.dialect()) {
                return self.resolve_call(node, name, None, args);
            }
            self.add_undeclared(node, function);
            return Type::Error;
        };
        let front = target.qualified_name();
        let whole = front.map(|front| format!("{}.{function}", front.strip_prefix('.').unwrap_or(&front)));
        if let Some(name) = whole.filter(|name| is_function(name, self.dialect())) {
            if let Some(namespaced) = self.facts.namespaced.get_mut(node.id) {
                *namespaced = true;
            }
            return self.resolve_call(node, &name, None, args);
        }
        self.infer_node(target);
        if is_function(function, self.dialect()) {
            return self.resolve_call(node, function, Some(target), args);
        }
        self.add_undeclared(node, function);
        self.type_of_unknown()
    }

    /// The type of a call or a message with an unknown name.
    // cel-go v0.16 checker.go, checkCall and checkCreateStruct: they leave it without a type, which no overload takes
    fn type_of_unknown(&self) -> Type {
        if self.dialect().types_unknown_calls { Type::Error } else { Type::Opaque("<nil>".into()) }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.env.dialect()
    }

    /// `&&` and `||` say which operand is wrong instead of that nothing fits.
    // cel-go checker/checker.go, resolveOverload, which treats these two operators apart
    fn infer_logical(&mut self, node: &CoreNode, overload: &'static str, args: &[CoreNode]) -> Type {
        let mut result = Type::Bool;
        for arg in args {
            let ty = self.type_of(arg.id);
            if !self.known.assign_type(&ty, &Type::Bool) {
                self.add_mismatch(arg, &Type::Bool, &ty);
                result = Type::Error;
            }
        }
        self.set_overload(node, overload);
        result
    }

    // cel-go checker/checker.go, checkCreateList
    fn infer_list(&mut self, items: &[CoreItem]) -> Type {
        let mut element = None;
        for item in items {
            let mut ty = self.infer_node(&item.value);
            if item.optional {
                ty = self.unwrap_optional(&item.value, &ty);
            }
            element = Some(self.join_types(element, ty));
        }
        Type::list_of(element.unwrap_or_else(|| self.known.new_variable()))
    }

    // cel-go checker/checker.go, checkCreateMap
    fn infer_map(&mut self, pairs: &[CorePair]) -> Type {
        let mut types = None;
        for pair in pairs {
            let (key, value) = types.unzip();
            let key_type = self.infer_node(&pair.key);
            let key = self.join_types(key, key_type);
            let mut value_type = self.infer_node(&pair.value);
            if pair.optional {
                value_type = self.unwrap_optional(&pair.value, &value_type);
            }
            types = Some((key, self.join_types(value, value_type)));
        }
        let (key, value) = types.unwrap_or_else(|| (self.known.new_variable(), self.known.new_variable()));
        Type::map_of(key, value)
    }

    // cel-go checker/types.go, maybeUnwrapOptional
    fn unwrap_optional(&mut self, node: &CoreNode, ty: &Type) -> Type {
        match self.known.resolve_type(ty, false) {
            Type::Optional(value) => value.as_ref().clone(),
            Type::Dyn => Type::Dyn,
            other => {
                self.add_mismatch(node, &Type::optional_of(other.clone()), &other);
                other
            }
        }
    }

    /// The common type of the elements so far and another. That they are of one type is examined later, in `literals`.
    // cel-go checker/checker.go, joinTypes
    fn join_types(&mut self, before: Option<Type>, ty: Type) -> Type {
        let Some(before) = before else { return ty };
        if self.known.assign_type(&before, &ty) { most_general(&before, &ty) } else { Type::Dyn }
    }

    fn add_mismatch(&mut self, node: &CoreNode, expected: &Type, found: &Type) {
        let (expected, found) =
            (self.known.resolve_type(expected, false), self.known.resolve_type(found, false));
        self.add_error(node, format!("expected type '{expected}' but found '{found}'"));
    }

    // cel-go checker/checker.go, checkCreateStruct
    fn infer_object(&mut self, node: &CoreNode, type_name: &str, fields: &[CoreField]) -> Type {
        let message = type_name.trim_start_matches('.');
        let object = match self.lookup(type_name) {
            None => {
                self.add_undeclared(node, type_name);
                return self.type_of_unknown();
            }
            Some(Type::Type(Some(ty)))
                if matches!(*ty, Type::Object(_)) || message_type(message).is_some() =>
            {
                ty.as_ref().clone()
            }
            Some(Type::Type(_)) => {
                self.add_error(node, format!("'{type_name}' is not a message type"));
                Type::Error
            }
            Some(_) => {
                self.add_error(node, format!("'{type_name}' is not a type"));
                Type::Error
            }
        };
        for field in fields {
            self.object_value(&object, message, field);
        }
        object
    }

    fn object_value(&mut self, object: &Type, message: &str, field: &CoreField) {
        let mut value = self.infer_node(&field.value);
        if field.optional {
            value = self.unwrap_optional(&field.value, &value);
        }
        let place = CoreNode { at: field.at, ..field.value.clone() };
        let wanted = match (object, message_field(message, &field.name)) {
            (_, Some(wanted)) => wanted,
            (Type::Object(name), None) => self.object_field(&place, name, &field.name),
            (Type::Error, None) => return,
            _ => {
                self.add_error(&place, format!("undefined field '{}'", field.name));
                return;
            }
        };
        if !self.known.assign_type(&wanted, &value) {
            let name = &field.name;
            let message =
                format!("expected type of field '{name}' is '{wanted}' but provided type is '{value}'");
            self.add_error(&place, message);
        }
    }

    // cel-go checker/checker.go, checkComprehension: the result sees the accumulator, and the loop variables no longer
    fn infer_loop(&mut self, fold: &CoreLoop) -> Type {
        let range = self.infer_node(&fold.range);
        let accumulated = self.infer_node(&fold.init);
        let range = self.known.resolve_type(&range, false);
        let (var, var2) = self.loop_variables(fold, &range);
        let depth = self.locals.len();
        self.locals.push((fold.accumulator.clone(), accumulated.clone()));
        self.locals.push((fold.var.clone(), var));
        self.locals.extend(fold.var2.clone().map(|name| (name, var2)));
        let condition = self.infer_node(&fold.condition);
        self.must_be(&fold.condition, &Type::Bool, &condition);
        let step = self.infer_node(&fold.step);
        self.must_be(&fold.step, &accumulated, &step);
        self.locals.truncate(depth + 1);
        let result = self.infer_node(&fold.result);
        self.locals.truncate(depth);
        self.known.resolve_type(&result, false)
    }

    // cel-go checker/checker.go, checkComprehension: with one variable a map is iterated by its keys
    fn loop_variables(&mut self, fold: &CoreLoop, range: &Type) -> (Type, Type) {
        match range {
            Type::List(element) if fold.var2.is_some() => (Type::Int, element.as_ref().clone()),
            Type::List(element) => (element.as_ref().clone(), Type::Error),
            Type::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.known.assign_type(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.add_error(&fold.range, message);
                (Type::Error, Type::Error)
            }
        }
    }

    // cel-go checker/checker.go, assertType
    fn must_be(&mut self, node: &CoreNode, expected: &Type, found: &Type) {
        if !self.known.assign_type(expected, found) {
            self.add_mismatch(node, expected, found);
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
