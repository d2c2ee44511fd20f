//! Loops, as the server unfolds and charges them.
//!
//! The server rewrites each macro to a fold over an accumulator. The numbers here are what the nodes of those folds
//! cost: 1 for naming the accumulator, 1 for a call, 10 for the list of one element that is added.

use std::collections::BTreeMap;

use super::{ExpressionShape, Local, Machine, Result1, cost};
use crate::ast::{Comprehension, ComprehensionKind, Expr};
use crate::value::{EvalError, Value};

/// Values of the variables in one iteration.
type Turn = (Value, Option<Value>);

impl<'a> Machine<'a> {
    pub(super) fn comprehension(&mut self, it: &'a Comprehension) -> Result1 {
        let range = self.eval(&it.range)?;
        let turns = turns(&range, it.var2.is_some())?;
        let (shape, shape2) = self.variable_shapes(it);
        let depth = self.locals.len();
        self.locals.push(Local { name: &it.var.name, value: Ok(Value::Null), shape });
        if let Some(var2) = &it.var2 {
            self.locals.push(Local { name: &var2.name, value: Ok(Value::Null), shape: shape2 });
        }
        let result = match it.kind {
            ComprehensionKind::All => self.quantifier(it, turns, false, 2),
            ComprehensionKind::Exists => self.quantifier(it, turns, true, 3),
            ComprehensionKind::ExistsOne => self.exists_one(it, turns),
            ComprehensionKind::Map | ComprehensionKind::Filter | ComprehensionKind::TransformList => {
                self.collect(it, turns)
            }
            ComprehensionKind::TransformMap | ComprehensionKind::TransformMapEntry => {
                self.collect_map(it, turns)
            }
        };
        self.locals.truncate(depth);
        result
    }

    fn bind(&mut self, (first, second): Turn, both: bool) {
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
    fn quantifier(&mut self, it: &'a Comprehension, turns: Vec<Turn>, decides: bool, check: u64) -> Result1 {
        let mut state: Result1 = Ok(Value::Bool(!decides));
        for turn in turns {
            self.charge(check)?;
            if matches!(state, Ok(Value::Bool(value)) if value == decides) {
                break;
            }
            self.bind(turn, it.var2.is_some());
            self.charge(1)?;
            let answer = self.eval(&it.body);
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

    fn exists_one(&mut self, it: &'a Comprehension, turns: Vec<Turn>) -> Result1 {
        let mut count: Result<u64, EvalError> = Ok(0);
        for turn in turns {
            self.bind(turn, it.var2.is_some());
            match self.eval(&it.body) {
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
    fn collect(&mut self, it: &'a Comprehension, turns: Vec<Turn>) -> Result1 {
        let filter = it.kind == ComprehensionKind::Filter;
        let condition = if filter { Some(&it.body) } else { it.condition.as_ref() };
        let list_cost = if !filter && self.constant(&it.body).is_some() { 0 } else { cost::LIST };
        let mut items: Result<Vec<Value>, EvalError> = Ok(Vec::new());
        for turn in turns {
            let element = turn.0.clone();
            self.bind(turn, it.var2.is_some());
            match self.holds(condition) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) if !error.is_absorbed() => return Err(error),
                Err(error) => {
                    items = Err(error);
                    continue;
                }
            }
            self.charge(1)?;
            let item = if filter { self.charge(1).and(element.into_result()) } else { self.eval(&it.body) };
            self.charge_unless_stopped(&item, list_cost + 1)?;
            items = items.and_then(|mut items| {
                items.push(item?);
                Ok(items)
            });
        }
        self.charge(1)?;
        items.map(Value::from_items)
    }

    fn collect_map(&mut self, it: &'a Comprehension, turns: Vec<Turn>) -> Result1 {
        let entries = it.kind == ComprehensionKind::TransformMapEntry;
        let mut map: Result<BTreeMap<_, _>, EvalError> = Ok(BTreeMap::new());
        for turn in turns {
            let key = turn.0.clone();
            self.bind(turn, true);
            match self.holds(it.condition.as_ref()) {
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
            let value = self.eval(&it.body);
            self.charge_unless_stopped(&value, 1)?;
            map = map.and_then(|map| add_entries(map, entries, &key, value?));
        }
        self.charge(1)?;
        map.map(Value::from_entries)
    }

    fn holds(&mut self, condition: Option<&'a Expr>) -> Result<bool, EvalError> {
        match condition.map(|condition| self.eval(condition)) {
            None => Ok(true),
            Some(Ok(Value::Bool(value))) => Ok(value),
            Some(Ok(_)) => Err(EvalError::no_such_overload()),
            Some(Err(error)) => Err(error),
        }
    }

    fn charge_unless_stopped(&mut self, result: &Result1, cost: u64) -> Result<(), EvalError> {
        match result {
            Err(error) if !error.is_absorbed() => Err(error.clone()),
            _ => self.charge(cost),
        }
    }

    /// `optMap`: the target is evaluated for `hasValue()` and once more for its value.
    pub(super) fn opt_map(&mut self, flat: bool, target: &'a Expr, var: &'a str, body: &'a Expr) -> Result1 {
        let optional = self.eval(target);
        self.charge_unless_stopped(&optional, 1)?;
        let Value::Optional(inner) = optional? else { return Err(EvalError::no_such_overload()) };
        if inner.is_none() {
            self.charge(1)?;
            return Ok(Value::Optional(None));
        }
        let again = self.eval(target);
        self.charge_unless_stopped(&again, 1)?;
        let Value::Optional(Some(inner)) = again? else { return Err(EvalError::no_such_overload()) };
        let shape = self.shape(target).inside();
        self.locals.push(Local { name: var, value: Ok((*inner).clone()), shape });
        let result = self.eval(body);
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
    pub(super) fn sort_by(&mut self, range: &'a Expr, var: &'a str, key: &'a Expr) -> Result1 {
        let shape = self.shape(range).element();
        let list = self.eval(range);
        self.charge_unless_stopped(&list, 2)?; // naming it, for the call and for the loop
        let keys = match &list {
            Ok(list) => self.keys(list, var, shape, key),
            Err(error) => Err(error.clone()),
        };
        let keys = match keys {
            Err(error) if error.is_absorbed() => return Err(super::lib::lists::not_a_list()),
            keys => keys?,
        };
        self.charge(super::lib::lists::compare_cost(&Value::from_items(keys.clone())))?;
        super::lib::lists::sort_by_keys(&list?, &keys)
    }

    fn keys(
        &mut self,
        list: &Value,
        var: &'a str,
        shape: ExpressionShape<'a>,
        key: &'a Expr,
    ) -> Result<Vec<Value>, EvalError> {
        self.locals.push(Local { name: var, value: Ok(Value::Null), shape });
        let mut keys = Ok(Vec::new());
        for turn in turns(list, false)? {
            self.bind(turn, false);
            self.charge(1)?;
            let value = self.eval(key);
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

fn turns(range: &Value, both: bool) -> Result<Vec<Turn>, EvalError> {
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

type Entries = BTreeMap<crate::value::Key, Value>;

fn add_entries(mut map: Entries, entries: bool, key: &Value, value: Value) -> Result<Entries, EvalError> {
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
