//! Loops, as the server unfolds and charges them.
//!
//! The server rewrites each macro to a fold over an accumulator. The numbers here are what the nodes of those folds
//! cost: 1 for naming the accumulator, 1 for a call, 10 for the list of one element that is added.

use std::collections::BTreeMap;

use super::{EvalResult, Evaluator, ExpressionShape, LocalBinding, cost};
use crate::ast::{Comprehension, ComprehensionKind, Expr};
use crate::value::{EvalError, Value};

/// Values of the variables in one iteration.
type LoopTurn = (Value, Option<Value>);

impl<'a> Evaluator<'a> {
    // cel-go interpreter/interpretable.go, evalFold.Eval
    pub(super) fn eval_comprehension(&mut self, it: &'a Comprehension) -> EvalResult {
        let range = self.eval_node(&it.range)?;
        let turns = loop_turns(&range, it.var2.is_some())?;
        let (shape, shape2) = self.variable_shapes(it);
        let depth = self.locals.len();
        self.locals.push(LocalBinding { name: &it.var.name, value: Ok(Value::Null), shape });
        if let Some(var2) = &it.var2 {
            self.locals.push(LocalBinding { name: &var2.name, value: Ok(Value::Null), shape: shape2 });
        }
        let result = match it.kind {
            ComprehensionKind::All => self.eval_quantifier(it, turns, false, 2),
            ComprehensionKind::Exists => self.eval_quantifier(it, turns, true, 3),
            ComprehensionKind::ExistsOne => self.exists_one(it, turns),
            ComprehensionKind::Map | ComprehensionKind::Filter | ComprehensionKind::TransformList => {
                self.eval_collection(it, turns)
            }
            ComprehensionKind::TransformMap | ComprehensionKind::TransformMapEntry => {
                self.collect_map(it, turns)
            }
        };
        self.locals.truncate(depth);
        result
    }

    fn bind_turn(&mut self, (first, second): LoopTurn, both: bool) {
        let count = self.locals.len();
        let base = count - if both { 2 } else { 1 };
        if let Some(local) = self.locals.get_mut(base) {
            local.value = first.into_result();
        }
        if let (Some(second), Some(local)) = (second, self.locals.get_mut(base + 1)) {
            local.value = second.into_result();
        }
    }

    /// `all` and `exists`: stops at the first element that decides, and may pass over errors for it.
    // cel-go parser/macro.go, makeQuantifier: the condition is evaluated before each element, also before one that it stops at
    fn eval_quantifier(
        &mut self,
        it: &'a Comprehension,
        turns: Vec<LoopTurn>,
        decides: bool,
        check: u64,
    ) -> EvalResult {
        let mut state: EvalResult = Ok(Value::Bool(!decides));
        for turn in turns {
            self.charge(check)?;
            if matches!(state, Ok(Value::Bool(value)) if value == decides) {
                break;
            }
            self.bind_turn(turn, it.var2.is_some());
            self.charge(1)?;
            let answer = self.eval_node(&it.body);
            state = match answer {
                Err(error) if !error.is_absorbed() => return Err(error),
                Ok(Value::Bool(value)) if value == decides => Ok(Value::Bool(decides)),
                Ok(Value::Bool(_)) => state,
                Ok(_) => state.and(Err(EvalError::no_such_overload())),
                Err(error) => state.and(Err(error)),
            };
        }
        self.charge(1)?;
        state
    }

    // cel-go parser/macro.go, makeQuantifier: an error is kept as the accumulator, and a later one replaces it
    fn exists_one(&mut self, it: &'a Comprehension, turns: Vec<LoopTurn>) -> EvalResult {
        let mut count: Result<u64, EvalError> = Ok(0);
        for turn in turns {
            self.bind_turn(turn, it.var2.is_some());
            match self.eval_node(&it.body) {
                Ok(Value::Bool(true)) => {
                    self.charge(2)?;
                    count = count.map(|count| count + 1);
                }
                Ok(Value::Bool(false)) => {}
                Ok(_) => count = Err(EvalError::no_such_overload()),
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => count = Err(error),
            }
        }
        self.charge(2)?;
        count.map(|count| Value::Bool(count == 1))
    }

    /// `map`, `filter`, `transformList`.
    // cel-go parser/macro.go, MakeMap and MakeFilter; ext/comprehensions.go, transformList
    fn eval_collection(&mut self, it: &'a Comprehension, turns: Vec<LoopTurn>) -> EvalResult {
        let filter = it.kind == ComprehensionKind::Filter;
        let condition = if filter { Some(&it.body) } else { it.condition.as_ref() };
        let list_cost = if !filter && self.folded_value(&it.body).is_some() { 0 } else { cost::LIST };
        let mut items: Result<Vec<Value>, EvalError> = Ok(Vec::new());
        for turn in turns {
            let element = turn.0.clone();
            self.bind_turn(turn, it.var2.is_some());
            match self.eval_condition(condition) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => {
                    items = Err(error);
                    continue;
                }
            }
            self.charge(1)?;
            let item =
                if filter { self.charge(1).and(element.into_result()) } else { self.eval_node(&it.body) };
            self.charge_unless_stopped(&item, list_cost + 1)?;
            items = items.and_then(|mut items| {
                items.push(item?);
                Ok(items)
            });
        }
        self.charge(1)?;
        items.map(Value::from_items)
    }

    // cel-go ext/comprehensions.go, transformMap and transformMapEntry
    fn collect_map(&mut self, it: &'a Comprehension, turns: Vec<LoopTurn>) -> EvalResult {
        let entries = it.kind == ComprehensionKind::TransformMapEntry;
        let mut map: Result<BTreeMap<_, _>, EvalError> = Ok(BTreeMap::new());
        for turn in turns {
            let key = turn.0.clone();
            self.bind_turn(turn, true);
            match self.eval_condition(it.condition.as_ref()) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => {
                    map = Err(error);
                    continue;
                }
            }
            self.charge(1)?;
            if !entries && map.is_err() {
                continue; // the server stops at the first of three arguments
            }
            self.charge(u64::from(!entries))?;
            let value = self.eval_node(&it.body);
            self.charge_unless_stopped(&value, 1)?;
            map = map.and_then(|map| add_entries(map, entries, &key, value?));
        }
        self.charge(1)?;
        map.map(Value::from_entries)
    }

    fn eval_condition(&mut self, condition: Option<&'a Expr>) -> Result<bool, EvalError> {
        match condition.map(|condition| self.eval_node(condition)) {
            None => Ok(true),
            Some(Ok(Value::Bool(value))) => Ok(value),
            Some(Ok(_)) => Err(EvalError::no_such_overload()),
            Some(Err(error)) => Err(error),
        }
    }

    fn charge_unless_stopped(&mut self, result: &EvalResult, cost: u64) -> Result<(), EvalError> {
        match result {
            Err(error) if !error.is_absorbed() => Err(error.clone()),
            _ => self.charge(cost),
        }
    }

    /// `optMap`: the target is evaluated for `hasValue()` and once more for its value.
    // cel-go cel/library.go, optMap and optFlatMap
    pub(super) fn opt_map(
        &mut self,
        flat: bool,
        target: &'a Expr,
        var: &'a str,
        body: &'a Expr,
    ) -> EvalResult {
        let optional = self.eval_node(target);
        self.charge_unless_stopped(&optional, 1)?;
        let Value::Optional(inner) = optional? else { return Err(EvalError::no_such_overload()) };
        if inner.is_none() {
            self.charge(1)?;
            return Ok(Value::Optional(None));
        }
        let again = self.eval_node(target);
        self.charge_unless_stopped(&again, 1)?;
        let Value::Optional(Some(inner)) = again? else { return Err(EvalError::no_such_overload()) };
        let shape = self.expression_shape(target).optional_shape();
        self.locals.push(LocalBinding { name: var, value: Ok((*inner).clone()), shape });
        let result = self.eval_node(body);
        self.locals.pop();
        if !flat {
            self.charge_unless_stopped(&result, 1)?;
        }
        match (flat, result?) {
            (false, value) => Ok(Value::optional_of(value)),
            (true, optional @ Value::Optional(_)) => Ok(optional),
            (true, _) => Err(EvalError::no_such_overload()),
        }
    }

    /// `sortBy`: the keys are collected as by `map`, then compared in pairs.
    // cel-go ext/lists.go, sortByMacro and trackListSortBy
    pub(super) fn sort_by(&mut self, range: &'a Expr, var: &'a str, key: &'a Expr) -> EvalResult {
        let shape = self.expression_shape(range).element();
        let list = self.eval_node(range);
        self.charge_unless_stopped(&list, 2)?; // naming it, for the call and for the loop
        let keys = match &list {
            Ok(list) => self.sort_keys(list, var, shape, key),
            Err(error) => Err(error.clone()),
        };
        let keys = match keys {
            Err(error) if error.is_absorbed() => return Err(super::lib::lists::not_a_list()),
            keys => keys?,
        };
        self.charge(super::lib::lists::compare_cost(&Value::from_items(keys.clone())))?;
        super::lib::lists::sort_by_keys(&list?, &keys)
    }

    fn sort_keys(
        &mut self,
        list: &Value,
        var: &'a str,
        shape: ExpressionShape<'a>,
        key: &'a Expr,
    ) -> Result<Vec<Value>, EvalError> {
        self.locals.push(LocalBinding { name: var, value: Ok(Value::Null), shape });
        let mut keys = Ok(Vec::new());
        for turn in loop_turns(list, false)? {
            self.bind_turn(turn, false);
            self.charge(1)?;
            let value = self.eval_node(key);
            self.charge_unless_stopped(&value, cost::LIST + 1)?;
            keys = keys.and_then(|mut keys: Vec<Value>| {
                keys.push(value?);
                Ok(keys)
            });
        }
        self.locals.pop();
        self.charge(1)?;
        keys
    }
}

// cel-go orders the keys of a map at random; here they are sorted, so that one input has one cost and one error
fn loop_turns(range: &Value, both: bool) -> Result<Vec<LoopTurn>, EvalError> {
    match range {
        Value::List(list) => {
            let index = |index: usize| Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
            let items = list.items.iter().cloned().enumerate();
            Ok(items.map(|(at, item)| if both { (index(at), Some(item)) } else { (item, None) }).collect())
        }
        Value::Map(map) => {
            Ok(map.iter().map(|(key, value)| (key.to_value(), both.then(|| value.clone()))).collect())
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

type MapEntries = BTreeMap<crate::value::Key, Value>;

// cel-go common/types/map.go, InsertMapKeyValue
fn add_entries(
    mut map: MapEntries,
    entries: bool,
    key: &Value,
    value: Value,
) -> Result<MapEntries, EvalError> {
    let new: Vec<_> = match (entries, value) {
        (false, value) => vec![(key.to_key().ok_or_else(EvalError::no_such_overload)?, value)],
        (true, Value::Map(entries)) => {
            entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        (true, _) => return Err(EvalError::no_such_overload()),
    };
    for (key, value) in new {
        if map.insert(key.clone(), value).is_some() {
            let key = super::lib::display(&key.to_value());
            return Err(EvalError::new(format!("insert failed: key {key} already exists")));
        }
    }
    Ok(map)
}
