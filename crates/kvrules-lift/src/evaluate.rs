//! Evaluation of formulas. Functions and comparisons are those of `kvrules-cel`.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{Key, Value};
use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};

use crate::terms::EMPTY_MAP;

/// The values that a formula is evaluated with.
#[derive(Default)]
pub struct FormulaScope {
    roots: BTreeMap<String, Value>,
    variables: RefCell<HashMap<VariableId, Value>>,
    operations: Operations,
}

/// The operations that were evaluated so far, parsed.
#[derive(Clone, Default)]
pub(crate) struct Operations(Rc<RefCell<HashMap<String, Option<Rc<Expression>>>>>);

/// Names of arguments in the expressions that evaluate operations.
const ARGUMENTS: [&str; 6] = ["a0", "a1", "a2", "a3", "a4", "a5"];

impl FormulaScope {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// With operations that another scope has parsed.
    pub(crate) fn sharing(operations: &Operations) -> Self {
        Self { operations: operations.clone(), ..Self::default() }
    }

    /// With a root, such as `self`.
    #[must_use]
    pub fn with_root(mut self, name: &str, value: Value) -> Self {
        self.roots.insert(name.to_owned(), value);
        self
    }

    /// Lets a variable stand for a value.
    pub(crate) fn bind_variable(&self, variable: VariableId, value: Value) {
        self.variables.borrow_mut().insert(variable, value);
    }

    /// True if a formula holds.
    ///
    /// ```
    /// use kvrules_ir::{Constant, Formula, Term, TermRelation};
    /// use kvrules_lift::FormulaScope;
    ///
    /// let n = Term::Root("self".to_owned()).with_field("n");
    /// let small = Formula::comparison_of(n, TermRelation::Less, Term::Constant(Constant::Integer(5)));
    /// let scope = |json| FormulaScope::new().with_root("self", kvrules_cel::value::from_json(&json));
    /// assert!(scope(serde_json::json!({"n": 4})).formula_holds(&small));
    /// assert!(!scope(serde_json::json!({"n": 5})).formula_holds(&small));
    /// assert!(!scope(serde_json::json!({})).formula_holds(&small));
    /// ```
    pub fn formula_holds(&self, formula: &Formula) -> bool {
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::All(parts) => parts.iter().all(|part| self.formula_holds(part)),
            Formula::Any(parts) => parts.iter().any(|part| self.formula_holds(part)),
            Formula::Not(inner) => !self.formula_holds(inner),
            Formula::Defined(term) => self.value_of(term).is_some(),
            Formula::Compare { left, relation, right } => {
                let arguments = [self.value_of(left), self.value_of(right)];
                let [Some(left), Some(right)] = arguments else { return false };
                if let Some(holds) = compare_scalars(&left, *relation, &right) {
                    return holds;
                }
                let text = format!("a0 {} a1", relation.symbol());
                matches!(self.operate(&text, vec![left, right]), Some(Value::Bool(true)))
            }
            Formula::Each(it) => self.entries_hold(it, true),
            Formula::Some(it) => self.entries_hold(it, false),
        }
    }

    fn entries_hold(&self, it: &Quantification, each: bool) -> bool {
        let Some(entries) = self.entries_of(&it.range) else { return false };
        let decides = |entry: &(Value, Value)| {
            self.with_entry(it.entry, entry, || self.formula_holds(&it.holds)) != each
        };
        entries.iter().any(decides) != each
    }

    /// The value of a term, if it has one.
    pub fn value_of(&self, term: &Term) -> Option<Value> {
        let value = match term {
            Term::Constant(constant) => constant_value(constant),
            Term::Root(name) => self.roots.get(name)?.clone(),
            Term::Variable(variable) => self.variables.borrow().get(variable)?.clone(),
            Term::Field(of, name) => match self.value_of(of)? {
                Value::Object(object) => object.fields.get(name)?.clone(),
                Value::Map(map) => map.get(&Key::String(name.as_str().into()))?.clone(),
                _ => return None,
            },
            Term::Index(of, key) => self.operate("a0[a1]", vec![self.value_of(of)?, self.value_of(key)?])?,
            Term::Call(call) => self.call_value(call)?,
            Term::List(items) => {
                Value::from_items(items.iter().map(|item| self.value_of(item)).collect::<Option<_>>()?)
            }
            Term::Collect(it) => self.collected(it)?,
            Term::Tally(parts) => {
                Value::Int(i64::try_from(parts.iter().filter(|part| self.formula_holds(part)).count()).ok()?)
            }
        };
        value.into_result().ok()
    }

    fn call_value(&self, call: &TermCall) -> Option<Value> {
        let values: Vec<Value> = call.arguments.iter().map(|it| self.value_of(it)).collect::<Option<_>>()?;
        let names = ARGUMENTS.get(..values.len())?;
        let text = match (call.function.as_str(), names) {
            (EMPTY_MAP, []) => EMPTY_MAP.to_owned(),
            ("neg", [of]) => format!("-{of}"),
            (symbol @ ("+" | "-" | "*" | "/" | "%"), [left, right]) => format!("{left} {symbol} {right}"),
            (name, [first, rest @ ..]) if call.is_member => format!("{first}.{name}({})", rest.join(", ")),
            (name, names) => format!("{name}({})", names.join(", ")),
        };
        self.operate(&text, values)
    }

    fn collected(&self, it: &Collection) -> Option<Value> {
        let mut items = Vec::new();
        for entry in self.entries_of(&it.range)? {
            let item = self.with_entry(it.entry, &entry, || {
                if self.formula_holds(&it.selected) {
                    return Some(Some(self.value_of(&it.result)?));
                }
                self.formula_holds(&it.left_out).then_some(None)
            })?;
            items.extend(item);
        }
        Some(Value::from_items(items))
    }

    /// The keys or indices and the values of a list or map.
    fn entries_of(&self, range: &Term) -> Option<Vec<(Value, Value)>> {
        match self.value_of(range)? {
            Value::List(list) => {
                let number = |at: usize| Value::Int(i64::try_from(at).unwrap_or(i64::MAX));
                Some(list.items.iter().enumerate().map(|(at, item)| (number(at), item.clone())).collect())
            }
            Value::Map(map) => Some(map.iter().map(|(key, value)| (key.to_value(), value.clone())).collect()),
            _ => None,
        }
    }

    fn with_entry<T>(&self, names: EntryVariables, entry: &(Value, Value), run: impl FnOnce() -> T) -> T {
        let bind = |name: Option<VariableId>, value: &Value| {
            if let Some(name) = name {
                self.bind_variable(name, value.clone());
            }
        };
        bind(names.key, &entry.0);
        bind(names.value, &entry.1);
        run()
    }

    /// Evaluates an operation of the language on values. `None` where it ends in an error.
    fn operate(&self, text: &str, values: Vec<Value>) -> Option<Value> {
        let expression = self.operations.parsed(text)?;
        let mut scope = Scope::default();
        for (name, value) in ARGUMENTS.iter().zip(values) {
            scope.variables.insert(name, (value, ExpressionShape::Known));
        }
        evaluate_expression(&expression, &scope, CALL_LIMIT).result.ok()
    }
}

/// The comparison of two scalars of one type, for which no expression need be evaluated.
fn compare_scalars(left: &Value, relation: TermRelation, right: &Value) -> Option<bool> {
    let order = match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        _ => return None,
    };
    Some(match relation {
        TermRelation::Equal => order.is_eq(),
        TermRelation::NotEqual => order.is_ne(),
        TermRelation::Less => order.is_lt(),
        TermRelation::LessOrEqual => order.is_le(),
    })
}

impl Operations {
    fn parsed(&self, text: &str) -> Option<Rc<Expression>> {
        let mut known = self.0.borrow_mut();
        if let Some(parsed) = known.get(text) {
            return parsed.clone();
        }
        let parsed = kvrules_cel::parse(text).ok().map(Rc::new);
        known.insert(text.to_owned(), parsed.clone());
        parsed
    }
}

fn constant_value(constant: &Constant) -> Value {
    match constant {
        Constant::Null => Value::Null,
        Constant::Boolean(value) => Value::Bool(*value),
        Constant::Integer(value) => Value::Int(*value),
        Constant::Unsigned(value) => Value::Uint(*value),
        Constant::Float(value) => Value::Double(*value),
        Constant::Text(text) => Value::string(text.as_str()),
        Constant::Type(name) => Value::Type(name.as_str().into()),
    }
}

/// The value of a function of constants.
pub(crate) fn value_of_constants(term: &Term) -> Option<Value> {
    let Term::Call(call) = term else { return None };
    let is_constant = call.arguments.iter().all(|argument| matches!(argument, Term::Constant(_)));
    is_constant.then(|| FormulaScope::new().value_of(term)).flatten()
}
