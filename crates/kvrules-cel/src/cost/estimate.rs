//! The static cost of an expression: an upper bound in the server's units.

use std::collections::HashMap;

use crate::ast::Literal;
use crate::check::CheckedExpression;
use crate::check::core::{CoreId, Kind, Loop, Node};
use crate::types::{Type, TypeDeclaration};

use super::call::{Argument, Call};
use super::calls;
use super::declared::DeclaredSizes;
use super::path::Path;
use super::size::Size;

const NAME: u64 = 1;
const LIST: u64 = 10;
const MAP: u64 = 30;
const STRUCT: u64 = 40;

/// The cost of a checked expression; `root` is the declaration of `self`.
pub(crate) fn estimate(checked: &CheckedExpression, root: &TypeDeclaration) -> u64 {
    let mut estimator = Estimator {
        checked,
        declared: DeclaredSizes(root),
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    estimator.cost(&checked.core.root)
}

/// Sizes of what a list or map literal holds.
#[derive(Clone, Copy, Debug)]
struct Entries {
    is_list: bool,
    key: Size,
    value: Size,
}

struct Local {
    name: String,
    path: Path,
    size: Option<Size>,
    entries: Option<Entries>,
}

pub(super) struct Estimator<'a> {
    checked: &'a CheckedExpression,
    declared: DeclaredSizes<'a>,
    paths: HashMap<CoreId, Path>,
    sizes: HashMap<CoreId, Size>,
    entries: HashMap<CoreId, Entries>,
    locals: Vec<Local>,
}

impl Estimator<'_> {
    fn cost(&mut self, node: &Node) -> u64 {
        match &node.kind {
            Kind::Literal(_) => 0,
            Kind::Ident(name) => {
                let path = self.local(name).map_or_else(|| Path::of(name), |local| local.path.clone());
                self.paths.insert(node.id, path);
                NAME
            }
            Kind::Select { .. } if self.checked.facts.qualified.contains_key(&node.id) => {
                // The checker makes one name of it.
                let name = self.checked.facts.qualified.get(&node.id).map_or("", String::as_str);
                self.paths.insert(node.id, Path::of(name));
                NAME
            }
            Kind::Select { operand, field, test } => self.select(node, operand, field, *test),
            Kind::Call { function, target, args } => self.call(node, function, target.as_deref(), args),
            Kind::List(items) => {
                let values: Vec<&Node> = items.iter().map(|item| &item.value).collect();
                let (cost, value) = self.members(&values);
                self.entries.insert(node.id, Entries { is_list: true, key: Size::exactly(1), value });
                cost.saturating_add(LIST)
            }
            Kind::Map(pairs) => {
                let mut cost = 0u64;
                let (mut key, mut value) = (Size { min: u64::MAX, max: 0 }, Size { min: u64::MAX, max: 0 });
                for pair in pairs {
                    cost = cost.saturating_add(self.cost(&pair.key)).saturating_add(self.cost(&pair.value));
                    key = key.union(self.size_or_unknown(&pair.key));
                    value = value.union(self.size_or_unknown(&pair.value));
                }
                if pairs.is_empty() {
                    (key, value) = (Size::exactly(0), Size::exactly(0));
                }
                self.entries.insert(node.id, Entries { is_list: false, key, value });
                cost.saturating_add(MAP)
            }
            Kind::Struct { fields, .. } => {
                fields.iter().fold(STRUCT, |sum, field| sum.saturating_add(self.cost(&field.value)))
            }
            Kind::Loop(fold) if fold.is_binding() => self.binding(node, fold),
            Kind::Loop(fold) => self.fold(node, fold),
        }
    }

    fn members(&mut self, values: &[&Node]) -> (u64, Size) {
        let mut size = Size { min: if values.is_empty() { 0 } else { u64::MAX }, max: 0 };
        let mut cost = 0u64;
        for value in values {
            cost = cost.saturating_add(self.cost(value));
            size = size.union(self.size_or_unknown(value));
        }
        (cost, size)
    }

    /// A selection costs as much as a name, but the last step of `has` is free, and so is one into a `dyn`.
    fn select(&mut self, node: &Node, operand: &Node, field: &str, test: bool) -> u64 {
        let cost = self.cost(operand);
        if test {
            return cost;
        }
        let step = u64::from(matches!(self.type_of(operand), Type::Map(..) | Type::Object(_)));
        let path = self.path(operand).step(field);
        self.paths.insert(node.id, path);
        cost.saturating_add(step)
    }

    fn call(&mut self, node: &Node, function: &str, target: Option<&Node>, args: &[Node]) -> u64 {
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.cost(arg);
            self.copy(node, arg);
            return cost.saturating_add(1);
        }
        let mut operands = Vec::new();
        let mut arguments = Vec::new();
        for arg in args {
            operands.push(self.cost(arg));
            arguments.push(self.argument(arg));
        }
        let checked = self.checked;
        let overloads = checked.facts.overloads.get(node.id).map(Vec::as_slice).unwrap_or_default();
        let namespaced = checked.facts.namespaced.get(node.id).copied().unwrap_or(false);
        let receiver = target.filter(|_| !namespaced);
        let mut sum = 0;
        let receiver = receiver.map(|receiver| {
            sum = self.cost(receiver);
            self.argument(receiver)
        });
        let name = match target.filter(|_| namespaced).and_then(Node::qualified_name) {
            Some(front) => format!("{}.{function}", front.strip_prefix('.').unwrap_or(&front)),
            None => function.to_owned(),
        };
        let call = Call { function: &name, target: receiver, args: arguments };
        let mut size: Option<Size> = None;
        let mut cost = 0;
        for overload in overloads {
            let estimate = calls::estimate(&call, overload, self.declared);
            let with_operands = if *overload == "conditional" {
                conditional(&operands)
            } else {
                operands.iter().fold(estimate.cost, |sum, cost| sum.saturating_add(*cost))
            };
            cost = cost.max(with_operands);
            if let Some(result) = estimate.size {
                size = Some(size.map_or(result, |size| size.union(result)));
            }
            size = self.container_result(node, overload, args, size);
            size = size.or_else(|| self.size(node));
        }
        if let Some(size) = size {
            self.sizes.insert(node.id, size);
        }
        sum.saturating_add(cost)
    }

    /// Records what an operator on containers implies for the elements of its result, and returns the size of the result.
    fn container_result(
        &mut self,
        node: &Node,
        overload: &str,
        args: &[Node],
        size: Option<Size>,
    ) -> Option<Size> {
        match (overload, args) {
            ("index_list", [range, _]) => {
                let path = self.path(range).step("@items");
                self.paths.insert(node.id, path);
                self.entries_of(range).map(|entries| entries.value)
            }
            ("index_map", [range, _]) => {
                let path = self.path(range).step("@values");
                self.paths.insert(node.id, path);
                self.entries_of(range).map(|entries| entries.value)
            }
            ("conditional", [_, first, second])
            | ("add_string" | "add_bytes" | "add_list", [first, second]) => {
                if let (Some(first), Some(second)) = (self.entries_of(first), self.entries_of(second)) {
                    let key = first.key.union(second.key);
                    let value = first.value.union(second.value);
                    self.entries.insert(node.id, Entries { is_list: first.is_list, key, value });
                }
                size
            }
            _ => size,
        }
    }

    fn binding(&mut self, node: &Node, fold: &Loop) -> u64 {
        let range = self.cost(&fold.range);
        let value = self.cost(&fold.init);
        self.push_value(&fold.accumulator, &fold.init);
        let result = self.cost(&fold.result);
        self.locals.pop();
        self.copy(node, &fold.result);
        range.saturating_add(value).saturating_add(result)
    }

    fn fold(&mut self, node: &Node, fold: &Loop) -> u64 {
        let mut sum = self.cost(&fold.range);
        sum = sum.saturating_add(self.cost(&fold.init));
        self.push_value(&fold.accumulator, &fold.init);
        let depth = self.locals.len();
        self.push_variables(fold);
        let condition = self.cost(&fold.condition);
        let step = self.cost(&fold.step);
        self.locals.truncate(depth);
        sum = sum.saturating_add(self.cost(&fold.result));
        self.locals.pop();
        // Looked up only now, after the body: see `path`.
        let count = self.size_or_unknown(&fold.range);
        if matches!(fold.init.kind, Kind::Literal(_)) {
            if let Some(size) = self.size(&fold.init) {
                self.sizes.insert(node.id, size);
            }
        } else {
            self.sizes.insert(node.id, count);
            if let Some(entries) = self.entries_of(&fold.step) {
                self.entries.insert(node.id, entries);
            }
        }
        sum.saturating_add(count.max.saturating_mul(step.saturating_add(condition)))
    }

    fn push_value(&mut self, name: &str, value: &Node) {
        let path = self.path(value);
        let (size, entries) = (self.size(value), self.entries_of(value));
        self.locals.push(Local { name: name.to_owned(), path, size, entries });
    }

    fn push_variables(&mut self, fold: &Loop) {
        let entries = self.entries_of(&fold.range);
        let is_list = match &entries {
            Some(entries) => entries.is_list,
            None => matches!(self.type_of(&fold.range), Type::List(_)),
        };
        let key = entries.map(|entries| entries.key);
        let value = entries.map(|entries| entries.value);
        let mut push = |name: &str, step: &str, size| {
            let path = self.path(&fold.range).step(step);
            self.locals.push(Local { name: name.to_owned(), path, size, entries: None });
        };
        let element = if is_list { "@items" } else { "@values" };
        match &fold.var2 {
            Some(var2) => {
                push(&fold.var, if is_list { "@indices" } else { "@keys" }, key);
                push(var2, element, value);
            }
            None if is_list => push(&fold.var, element, value),
            None => push(&fold.var, "@keys", key),
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn type_of(&self, node: &Node) -> &Type {
        self.checked.facts.types.get(node.id).unwrap_or(&Type::Error)
    }

    fn path(&self, node: &Node) -> Path {
        let local = match &node.kind {
            Kind::Ident(name) => self.local(name),
            _ => None,
        };
        let path = local.map(|local| &local.path).or_else(|| self.paths.get(&node.id));
        path.cloned().unwrap_or_default()
    }

    fn argument(&mut self, node: &Node) -> Argument {
        let literal = match &node.kind {
            Kind::Literal(literal) => Some(literal.clone()),
            _ => None,
        };
        let path = self.path(node);
        Argument { size: self.size(node), ty: self.type_of(node).clone(), path, literal }
    }

    fn copy(&mut self, to: &Node, from: &Node) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }

    fn size_or_unknown(&mut self, node: &Node) -> Size {
        self.size(node).unwrap_or(Size::UNKNOWN)
    }

    fn size(&mut self, node: &Node) -> Option<Size> {
        if let Some(size) = self.sizes.get(&node.id) {
            return Some(*size);
        }
        if let Some(size) = written_size(&node.kind) {
            return Some(Size::exactly(size));
        }
        let path = self.path(node);
        if let Some(size) = self.declared.at(&path) {
            self.sizes.insert(node.id, size);
            return Some(size);
        }
        if is_scalar(self.type_of(node)) {
            return Some(Size::exactly(1));
        }
        match &node.kind {
            Kind::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    fn entries_of(&self, node: &Node) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&node.id) {
            return Some(*entries);
        }
        match &node.kind {
            Kind::Ident(name) => self.local(name).and_then(|local| local.entries),
            _ => None,
        }
    }
}

fn conditional(operands: &[u64]) -> u64 {
    match operands {
        [condition, first, second] => condition.saturating_add(*first.max(second)),
        _ => 0,
    }
}

/// The size of a literal.
fn written_size(kind: &Kind) -> Option<u64> {
    let size = match kind {
        Kind::Literal(Literal::String(text)) => text.chars().count(),
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        Kind::Literal(_) => 1,
        Kind::List(items) => items.len(),
        Kind::Map(pairs) => pairs.len(),
        _ => return None,
    };
    Some(size as u64)
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}
