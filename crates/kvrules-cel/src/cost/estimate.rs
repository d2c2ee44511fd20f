//! The static cost of an expression: an upper bound in the server's units.

use std::collections::HashMap;

use crate::ast::{Literal, operators};
use crate::check::CheckedExpression;
use crate::check::core::{ACCUMULATOR, CoreId, CoreKind, CoreLoop, CoreNode};
use crate::kubernetes::{CostRegime, LoopResultSize, PresenceTestCost};
use crate::types::{Type, TypeDeclaration};

use super::call::{CostArgument, CostCall};
use super::calls;
use super::declared::DeclaredSizes;
use super::path::ValuePath;
use super::size::SizeRange;

// cel-go common, SelectAndIdentCost, ListCreateBaseCost, MapCreateBaseCost and StructCreateBaseCost
const NAME: u64 = 1;
const LIST: u64 = 10;
const MAP: u64 = 30;
const STRUCT: u64 = 40;

/// The cost of a checked expression; `root` is the declaration of `self`.
// cel-go checker/cost.go, Cost. Only maxima are computed, since the limits apply to them.
pub(crate) fn estimate_cost(checked: &CheckedExpression, root: &TypeDeclaration, regime: CostRegime) -> u64 {
    let mut estimator = Estimator {
        regime,
        checked,
        declared: DeclaredSizes(root),
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    estimator.node_cost(&checked.core.root)
}

/// Sizes of what a list or map literal holds.
// checker/cost.go, entrySizeEstimate
#[derive(Clone, Copy, Debug)]
struct EntrySizes {
    is_list: bool,
    key: SizeRange,
    value: SizeRange,
}

// checker/cost.go, localVar
struct LocalVariable {
    name: String,
    path: LocalPath,
    size: Option<SizeRange>,
    entries: Option<EntrySizes>,
}

/// The path of a local variable.
enum LocalPath {
    /// Made once, with the variable.
    Shared(ValuePath),
    /// Made again wherever the variable is used.
    // cel-go checker/cost.go before v0.23, costIdent with iterRanges
    Remade { range: ValuePath, step: &'static str },
}

impl LocalPath {
    fn use_path(&self) -> ValuePath {
        match self {
            Self::Shared(path) => path.clone(),
            Self::Remade { range, step } => range.with_step(step),
        }
    }
}

pub(super) struct Estimator<'a> {
    regime: CostRegime,
    checked: &'a CheckedExpression,
    declared: DeclaredSizes<'a>,
    paths: HashMap<CoreId, ValuePath>,
    sizes: HashMap<CoreId, SizeRange>,
    entries: HashMap<CoreId, EntrySizes>,
    locals: Vec<LocalVariable>,
}

/// The operands of a call.
struct CostOperands {
    /// Costs of the arguments.
    operands: Vec<u64>,
    arguments: Vec<CostArgument>,
    /// Cost of the receiver.
    sum: u64,
    receiver: Option<CostArgument>,
}

impl Estimator<'_> {
    // checker/cost.go, coster.cost, costIdent, costCreateList, costCreateMap and costCreateStruct
    fn node_cost(&mut self, node: &CoreNode) -> u64 {
        match &node.kind {
            CoreKind::Literal(_) => 0,
            CoreKind::Ident(name) => {
                let path = self
                    .find_local(name)
                    .map_or_else(|| ValuePath::from_variable(name), |local| local.path.use_path());
                self.paths.insert(node.id, path);
                NAME
            }
            CoreKind::Select { .. } if self.checked.facts.qualified.contains_key(&node.id) => {
                // The checker resolved the selection to one qualified name.
                let name = self.checked.facts.qualified.get(&node.id).map_or("", String::as_str);
                self.paths.insert(node.id, ValuePath::from_variable(name));
                NAME
            }
            CoreKind::Select { operand, field, test } => self.select_cost(node, operand, field, *test),
            CoreKind::Call { function, target, args } => {
                self.call_cost(node, function, target.as_deref(), args)
            }
            CoreKind::List(items) => {
                let values: Vec<&CoreNode> = items.iter().map(|item| &item.value).collect();
                let (cost, value) = self.members_cost(&values);
                self.entries
                    .insert(node.id, EntrySizes { is_list: true, key: SizeRange::exact_size(1), value });
                cost.saturating_add(LIST)
            }
            CoreKind::Map(pairs) => {
                let mut cost = 0u64;
                let (mut key, mut value) =
                    (SizeRange { min: u64::MAX, max: 0 }, SizeRange { min: u64::MAX, max: 0 });
                for pair in pairs {
                    cost = cost
                        .saturating_add(self.node_cost(&pair.key))
                        .saturating_add(self.node_cost(&pair.value));
                    key = key.union(self.size_or_unknown(&pair.key));
                    value = value.union(self.size_or_unknown(&pair.value));
                }
                if pairs.is_empty() {
                    (key, value) = (SizeRange::exact_size(0), SizeRange::exact_size(0));
                }
                self.entries.insert(node.id, EntrySizes { is_list: false, key, value });
                cost.saturating_add(MAP)
            }
            CoreKind::Struct { fields, .. } => {
                fields.iter().fold(STRUCT, |sum, field| sum.saturating_add(self.node_cost(&field.value)))
            }
            CoreKind::Loop(fold) if fold.is_binding() && self.regime.tracks_values => {
                self.binding_cost(node, fold)
            }
            CoreKind::Loop(fold) => self.loop_cost(node, fold),
        }
    }

    fn members_cost(&mut self, values: &[&CoreNode]) -> (u64, SizeRange) {
        let mut size = SizeRange { min: if values.is_empty() { 0 } else { u64::MAX }, max: 0 };
        let mut cost = 0u64;
        for value in values {
            cost = cost.saturating_add(self.node_cost(value));
            size = size.union(self.size_or_unknown(value));
        }
        (cost, size)
    }

    /// A selection costs as much as a name, but the last step of `has` is free, and so is one into a `dyn`.
    // checker/cost.go, costSelect. `has` is free because the server sets PresenceTestHasCost(false), so that the costs of
    // stored rules stay as they were before cel-go 0.17.7 (apiserver cel/environment/base.go).
    fn select_cost(&mut self, node: &CoreNode, operand: &CoreNode, field: &str, test: bool) -> u64 {
        if test && self.regime.presence_test == PresenceTestCost::Free {
            return 0;
        }
        let cost = self.node_cost(operand);
        if test {
            let step = u64::from(self.regime.presence_test == PresenceTestCost::OperandAndStep);
            return cost.saturating_add(step);
        }
        let step = u64::from(matches!(self.type_of(operand), Type::Map(..) | Type::Object(_)));
        let path = self.node_path(operand).with_step(field);
        self.paths.insert(node.id, path);
        cost.saturating_add(step)
    }

    // checker/cost.go, costCall; for `dyn`, maybeUnwrapDynCall
    fn call_cost(
        &mut self,
        node: &CoreNode,
        function: &str,
        target: Option<&CoreNode>,
        args: &[CoreNode],
    ) -> u64 {
        if let ("dyn", [arg], true) = (function, args, self.regime.tracks_values) {
            let cost = self.node_cost(arg);
            self.copy_facts(node, arg);
            return cost.saturating_add(1);
        }
        if function == operators::OPT_SELECT && !self.regime.estimates_optional_selections {
            // cel-go v0.16 checker/cost.go, costCall: a call without overloads, and the checker notes none for `.?`
            for arg in args {
                self.node_cost(arg);
            }
            return 0;
        }
        let checked = self.checked;
        let overloads = checked.facts.overloads.get(node.id).map(Vec::as_slice).unwrap_or_default();
        let namespaced = checked.facts.namespaced.get(node.id).copied().unwrap_or(false);
        let CostOperands { operands, arguments, sum, receiver } =
            self.operand_costs(target.filter(|_| !namespaced), args);
        // The checker turns `ip.isCanonical(x)` into a function of that name without a receiver.
        let name = match target.filter(|_| namespaced).and_then(CoreNode::qualified_name) {
            Some(front) => format!("{}.{function}", front.strip_prefix('.').unwrap_or(&front)),
            None => function.to_owned(),
        };
        let call = CostCall { function: &name, target: receiver, args: arguments };
        let mut size: Option<SizeRange> = None;
        let mut cost = 0;
        for overload in overloads {
            let estimate = calls::estimate_call(&call, overload, self.declared, self.regime);
            let with_operands = if *overload == "conditional" {
                conditional_cost(&operands)
            } else {
                operands.iter().fold(estimate.cost, |sum, cost| sum.saturating_add(*cost))
            };
            cost = cost.max(with_operands);
            if let Some(result) = estimate.size {
                size = Some(size.map_or(result, |size| size.union(result)));
            }
            size = self.container_result(node, overload, args, size);
            if self.regime.tracks_values {
                size = size.or_else(|| self.node_size(node));
            }
        }
        if let Some(size) = size {
            self.sizes.insert(node.id, size);
        }
        sum.saturating_add(cost)
    }

    fn operand_costs(&mut self, receiver: Option<&CoreNode>, args: &[CoreNode]) -> CostOperands {
        let mut operands = Vec::new();
        let mut arguments = Vec::new();
        for arg in args {
            operands.push(self.node_cost(arg));
            if self.regime.tracks_values {
                arguments.push(self.argument(arg));
            }
        }
        let mut sum = 0;
        let receiver = receiver.map(|receiver| {
            sum = self.node_cost(receiver);
            self.argument(receiver)
        });
        if !self.regime.tracks_values {
            // Sizes were looked up only when the call was estimated, after all its operands.
            arguments.extend(args.iter().map(|arg| self.argument(arg)));
        }
        CostOperands { operands, arguments, sum, receiver }
    }

    /// Records what an operator on containers implies for the elements of its result, and returns the size of the result.
    // checker/cost.go: the overloads of indices in costCall, and Conditional and the additions in functionCost
    fn container_result(
        &mut self,
        node: &CoreNode,
        overload: &str,
        args: &[CoreNode],
        size: Option<SizeRange>,
    ) -> Option<SizeRange> {
        match (overload, args) {
            ("index_list", [range, _]) => {
                let path = self.node_path(range).with_step("@items");
                self.paths.insert(node.id, path);
                self.entries_of(range).filter(|_| self.regime.tracks_values).map(|entries| entries.value)
            }
            ("index_map", [range, _]) => {
                let path = self.node_path(range).with_step("@values");
                self.paths.insert(node.id, path);
                self.entries_of(range).filter(|_| self.regime.tracks_values).map(|entries| entries.value)
            }
            ("conditional", [_, first, second])
            | ("add_string" | "add_bytes" | "add_list", [first, second]) => {
                if let (Some(first), Some(second)) = (self.entries_of(first), self.entries_of(second)) {
                    let key = first.key.union(second.key);
                    let value = first.value.union(second.value);
                    self.entries.insert(node.id, EntrySizes { is_list: first.is_list, key, value });
                }
                size
            }
            _ => size,
        }
    }

    // checker/cost.go, costBind
    fn binding_cost(&mut self, node: &CoreNode, fold: &CoreLoop) -> u64 {
        let range = self.node_cost(&fold.range);
        let value = self.node_cost(&fold.init);
        self.push_value(&fold.accumulator, &fold.init);
        let result = self.node_cost(&fold.result);
        self.locals.pop();
        self.copy_facts(node, &fold.result);
        range.saturating_add(value).saturating_add(result)
    }

    // checker/cost.go, costComprehension
    fn loop_cost(&mut self, node: &CoreNode, fold: &CoreLoop) -> u64 {
        let mut sum = self.node_cost(&fold.range);
        sum = sum.saturating_add(self.node_cost(&fold.init));
        self.push_value(&fold.accumulator, &fold.init);
        let depth = self.locals.len();
        self.push_variables(fold);
        let condition = self.node_cost(&fold.condition);
        let step = self.node_cost(&fold.step);
        self.locals.truncate(depth);
        sum = sum.saturating_add(self.node_cost(&fold.result));
        self.locals.pop();
        // Looked up only now, after the body: see `node_path`.
        let count = self.size_or_unknown(&fold.range);
        match self.regime.loop_result {
            LoopResultSize::Unknown => {}
            LoopResultSize::Range => {
                self.sizes.insert(node.id, count);
            }
            LoopResultSize::OfResult => self.set_result_size(node, fold, count),
        }
        sum.saturating_add(count.max.saturating_mul(step.saturating_add(condition)))
    }

    /// `all` and `exists` begin with a literal, `map` and `filter` with a list: the result has at most as many elements.
    fn set_result_size(&mut self, node: &CoreNode, fold: &CoreLoop, count: SizeRange) {
        if matches!(fold.init.kind, CoreKind::Literal(_)) {
            if let Some(size) = self.node_size(&fold.init) {
                self.sizes.insert(node.id, size);
            }
        } else {
            self.sizes.insert(node.id, count);
            if let Some(entries) = self.entries_of(&fold.step) {
                self.entries.insert(node.id, entries);
            }
        }
    }

    // checker/cost.go, pushLocalVar
    fn push_value(&mut self, name: &str, value: &CoreNode) {
        if !self.regime.tracks_values {
            let path = LocalPath::Shared(ValuePath::from_variable(name));
            let (name, size, entries) = (name.to_owned(), None, None);
            self.locals.push(LocalVariable { name, path, size, entries });
            return;
        }
        let path = LocalPath::Shared(self.node_path(value));
        let (size, entries) = (self.node_size(value), self.entries_of(value));
        self.locals.push(LocalVariable { name: name.to_owned(), path, size, entries });
    }

    // checker/cost.go, pushIterSingle, pushIterKey and pushIterValue
    fn push_variables(&mut self, fold: &CoreLoop) {
        let entries = self.entries_of(&fold.range);
        let is_list = match &entries {
            Some(entries) => entries.is_list,
            None => matches!(self.type_of(&fold.range), Type::List(_)),
        };
        let key = entries.map(|entries| entries.key);
        let value = entries.map(|entries| entries.value);
        let mut push = |name: &str, step: &'static str, size: Option<SizeRange>| {
            let range = self.node_path(&fold.range);
            let path = if self.regime.tracks_values {
                LocalPath::Shared(range.with_step(step))
            } else {
                LocalPath::Remade { range, step }
            };
            let size = size.filter(|_| self.regime.tracks_values);
            self.locals.push(LocalVariable { name: name.to_owned(), path, size, entries: None });
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

    fn find_local(&self, name: &str) -> Option<&LocalVariable> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn type_of(&self, node: &CoreNode) -> &Type {
        self.checked.facts.types.get(node.id).unwrap_or(&Type::Error)
    }

    // checker/cost.go, getPath
    fn node_path(&self, node: &CoreNode) -> ValuePath {
        let local = match &node.kind {
            CoreKind::Ident(name) if self.regime.tracks_values => self.find_local(name),
            _ => None,
        };
        let path = local.map(|local| local.path.use_path()).or_else(|| self.paths.get(&node.id).cloned());
        path.unwrap_or_default()
    }

    fn argument(&mut self, node: &CoreNode) -> CostArgument {
        let literal = match &node.kind {
            CoreKind::Literal(literal) => Some(literal.clone()),
            _ => None,
        };
        let path = self.node_path(node);
        CostArgument { size: self.node_size(node), ty: self.type_of(node).clone(), path, literal }
    }

    // checker/cost.go, copySizeEstimates
    fn copy_facts(&mut self, to: &CoreNode, from: &CoreNode) {
        if let Some(size) = self.node_size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }

    fn size_or_unknown(&mut self, node: &CoreNode) -> SizeRange {
        self.node_size(node).unwrap_or(SizeRange::UNKNOWN)
    }

    // checker/cost.go, computeSize: what the schema declares comes before the fixed size of scalars.
    fn node_size(&mut self, node: &CoreNode) -> Option<SizeRange> {
        if let Some(size) = self.sizes.get(&node.id) {
            return Some(*size);
        }
        if let Some(size) = written_size(&node.kind, self.regime) {
            return Some(SizeRange::exact_size(size));
        }
        let path = self.node_path(node);
        let is_accumulator = || path.steps().first().is_some_and(|step| &**step == ACCUMULATOR);
        if !self.regime.tracks_values {
            // checker/cost.go before v0.23, newAstNode: accumulators have no path
            let size = self.declared.size_at(&path).filter(|_| !is_accumulator());
            return size.or_else(|| is_plain_scalar(self.type_of(node)).then(|| SizeRange::exact_size(1)));
        }
        if let Some(size) = self.declared.size_at(&path) {
            self.sizes.insert(node.id, size);
            return Some(size);
        }
        if is_scalar(self.type_of(node)) {
            return Some(SizeRange::exact_size(1));
        }
        match &node.kind {
            CoreKind::Ident(name) => self.find_local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    // checker/cost.go, computeEntrySize
    fn entries_of(&self, node: &CoreNode) -> Option<EntrySizes> {
        if let Some(entries) = self.entries.get(&node.id) {
            return Some(*entries);
        }
        match &node.kind {
            CoreKind::Ident(name) => self.find_local(name).and_then(|local| local.entries),
            _ => None,
        }
    }
}

fn conditional_cost(operands: &[u64]) -> u64 {
    match operands {
        [condition, first, second] => condition.saturating_add(*first.max(second)),
        _ => 0,
    }
}

/// The size of a literal.
// checker/cost.go, computeExprSize
fn written_size(kind: &CoreKind, regime: CostRegime) -> Option<u64> {
    let size = match kind {
        CoreKind::Literal(Literal::String(text)) if !regime.counts_code_points => text.len(),
        CoreKind::Literal(Literal::String(text)) => text.chars().count(),
        CoreKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        CoreKind::Literal(_) => 1,
        CoreKind::List(items) => items.len(),
        CoreKind::Map(pairs) => pairs.len(),
        _ => return None,
    };
    Some(size as u64)
}

// checker/cost.go, isScalar: types whose values have the same size always
fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Optional(value) => is_scalar(value),
        _ => is_plain_scalar(ty),
    }
}

fn is_plain_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint)
}
