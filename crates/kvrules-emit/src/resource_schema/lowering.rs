//! From a formula about the stored object to keywords about the object that is written.
//!
//! Every schema that is made here is exact: it accepts a value that the other keywords accept if and only if the formula holds
//! of what the server stores. So it may be negated. What has no exact counterpart is refused with the reason. Quantities are the
//! exception: only their common spellings are accepted, which is noted, and refused where it would accept more.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use kvrules_ir::{Collection, Constant, EntryVariables, Formula, Quantification, Term, TermRelation};
use kvrules_lift::{FormulaScope, replace_term};
use serde_json::{Value, json};

use super::atoms::{Atom, Lowered, leaf_schema};
use super::quantity_atoms::{QuantityKinds, quantity_equality, quantity_source, text_source};
use super::{OptionalNulls, ResourceSchemaOptions};
use crate::schema::{Dialect, UNCOMMON};

/// The most nodes of a formula that is expressed in keywords: people read schemas.
const MOST_NODES: usize = 600;

/// The formulas of one rule.
pub(super) struct Lowering<'s> {
    pub(super) options: ResourceSchemaOptions,
    schema: &'s Value,
    /// Values that are rejected although the formula holds.
    left_out: RefCell<BTreeSet<&'static str>>,
    /// True where a schema that accepts less may make the whole accept more.
    is_inverted: Cell<bool>,
    /// True once something was expressed that only some dialects have.
    pub(super) depends_on_dialect: Cell<bool>,
}

/// The value that a schema is about: its term, and its schema in the definition.
#[derive(Clone, Copy)]
pub(super) struct SchemaSubject<'s> {
    term: &'s Term,
    pub(super) node: &'s Value,
}

const NULL_ITEMS: &str = "its items may be null or have a default";

/// The quantities that the pattern for all of them leaves out.
const UNUSUAL: &str =
    "quantities without a digit, or with an exponent of more than two digits, such as `Gi` and `1e100`";

const COMPARES_PLACES: &str = "a schema cannot compare values of two places";

impl<'s> Lowering<'s> {
    pub(super) fn new(options: ResourceSchemaOptions, schema: &'s Value) -> Self {
        let (left_out, is_inverted) = (RefCell::default(), Cell::default());
        Self { options, schema, left_out, is_inverted, depends_on_dialect: Cell::default() }
    }

    /// Returns the values that the schema rejects although the formula holds, in a phrase; `None` if it is exact.
    pub(super) fn left_out(&self) -> Option<String> {
        let phrases: Vec<&str> = self.left_out.borrow().iter().copied().collect();
        (!phrases.is_empty()).then(|| phrases.join(", and "))
    }

    /// Lowers something where less is not on the safe side.
    fn inverted<T>(&self, lower: impl FnOnce() -> T) -> T {
        let before = self.is_inverted.replace(true);
        let lowered = lower();
        self.is_inverted.set(before);
        lowered
    }

    /// Expresses the formula of a rule.
    pub(super) fn lower_rule(&self, formula: &Formula) -> Lowered {
        if formula.node_count() > MOST_NODES {
            return Err("the rule is too large for a schema that people read".to_owned());
        }
        let root = Term::Root("self".to_owned());
        self.lower(formula, SchemaSubject { term: &root, node: self.schema })
    }

    fn lower(&self, formula: &Formula, subject: SchemaSubject<'_>) -> Lowered {
        let all = |parts: &[Formula]| -> Result<Vec<Value>, String> {
            parts.iter().map(|part| self.lower(part, subject)).collect()
        };
        match formula {
            Formula::True => Ok(json!({})),
            Formula::False => Ok(json!({ "not": {} })),
            Formula::All(parts) => {
                let is_needed = |part: &&Formula| !is_quantity_test_of(part, parts);
                let needed: Vec<Formula> = parts.iter().filter(is_needed).cloned().collect();
                match needed.as_slice() {
                    [only] => self.lower(only, subject),
                    several => Ok(json!({ "allOf": all(several)? })),
                }
            }
            Formula::Any(parts) => match one_of_constants(parts) {
                Some((term, values)) => {
                    let atom = Atom::OneOf(values);
                    self.lower_atom(formula, term, &atom, subject)
                }
                None => Ok(json!({ "anyOf": all(parts)? })),
            },
            Formula::Not(inner) => Ok(json!({ "not": self.inverted(|| self.lower(inner, subject))? })),
            Formula::Defined(term) if quantity_source(term).is_some() => {
                let of = quantity_source(term).unwrap_or(term);
                self.lower_atom(formula, of, &Atom::Quantity(QuantityKinds::of_quantity(term)), subject)
            }
            Formula::Defined(term) => self.lower_atom(formula, term, &Atom::Present, subject),
            Formula::Compare { left, relation, right } => {
                self.lower_comparison(formula, left, *relation, right, subject)
            }
            Formula::Each(it) => self.lower_quantified(it, true, subject),
            Formula::Some(it) => self.lower_quantified(it, false, subject),
        }
    }

    fn lower_comparison(
        &self,
        formula: &Formula,
        left: &Term,
        relation: TermRelation,
        right: &Term,
        subject: SchemaSubject<'_>,
    ) -> Lowered {
        if let Some(found) = quantity_equality(left, relation, right) {
            let (of, range, kinds) = found?;
            return self.lower_atom(formula, of, &Atom::QuantityIn(range, kinds), subject);
        }
        let (term, constant, is_swapped) = match (left, right) {
            (term, Term::Constant(constant)) => (term, constant, false),
            (Term::Constant(constant), term) => (term, constant, true),
            _ => return Err(incomparable_reason(left, right)),
        };
        match term {
            Term::Tally(parts) => {
                let parts: Vec<Value> = self.inverted(|| {
                    parts.iter().map(|part| self.lower(part, subject)).collect::<Result<_, _>>()
                })?;
                tally_schema(&parts, relation, constant, is_swapped)
            }
            Term::Call(call) => {
                let (of, atom) = Atom::of_call(call, relation, constant, is_swapped)?;
                if let Term::Collect(found) = of {
                    return self.inverted(|| self.lower_count(found, &atom, subject));
                }
                self.lower_atom(formula, of, &atom, subject)
            }
            term => {
                let atom = Atom::of_comparison(relation, constant, is_swapped)?;
                self.lower_atom(formula, term, &atom, subject)
            }
        }
    }

    /// Expresses a formula about one value at the end of fields. `formula` is the same in the form that can be evaluated.
    fn lower_atom(&self, formula: &Formula, term: &Term, atom: &Atom, subject: SchemaSubject<'_>) -> Lowered {
        self.note_spellings(atom)?;
        let names = field_names(term, subject.term)?;
        self.lower_below(&names, subject.node, &mut |node| leaf_schema(atom, node), &|default| {
            let constant = scalar_constant(default)?;
            Some(FormulaScope::new().formula_holds(&replace_term(formula, term, &Term::Constant(constant))))
        })
    }

    /// Notes the spellings of quantities that a test rejects.
    fn note_spellings(&self, atom: &Atom) -> Result<(), String> {
        let phrase = match atom {
            Atom::Quantity(_) => UNUSUAL,
            Atom::QuantityIn(..) => UNCOMMON,
            _ => return Ok(()),
        };
        if self.is_inverted.get() {
            return Err("a schema cannot test the spellings of quantities in a negation".to_owned());
        }
        self.left_out.borrow_mut().insert(phrase);
        Ok(())
    }

    /// A schema for the value at the end of fields, which must be there. `of_default` returns true for a default that passes.
    fn lower_below(
        &self,
        names: &[&str],
        node: &Value,
        leaf: &mut dyn FnMut(&Value) -> Lowered,
        of_default: &dyn Fn(&Value) -> Option<bool>,
    ) -> Lowered {
        let Some((name, rest)) = names.split_first() else { return leaf(node) };
        let property = node.get("properties").and_then(|properties| properties.get(*name));
        let child = property.or_else(|| node.get("additionalProperties").filter(|it| it.is_object()));
        let child = child.ok_or_else(|| format!("the definition does not describe `{name}`"))?;
        let inner = self.lower_below(rest, child, leaf, of_default)?;
        let default = child.get("default").filter(|default| !default.is_null() && property.is_some());
        let passes = match default {
            None => false,
            Some(default) if rest.is_empty() => of_default(default).ok_or_else(|| object_default(name))?,
            Some(_) => return Err(object_default(name)),
        };
        if !passes {
            return Ok(json!({ "type": "object", "required": [name], "properties": { *name: inner } }));
        }
        // Without the field, or with a null that the server replaces, it has the default.
        let is_nullable = child.get("nullable") == Some(&json!(true));
        let accepts_null = self.options.nulls == OptionalNulls::Accept && !is_nullable;
        let inner = if accepts_null { json!({ "anyOf": [{ "type": "null" }, inner] }) } else { inner };
        Ok(json!({ "type": "object", "properties": { *name: inner } }))
    }

    fn lower_quantified(&self, it: &Quantification, is_each: bool, subject: SchemaSubject<'_>) -> Lowered {
        let names = field_names(&it.range, subject.term)?;
        let mut leaf = |node: &Value| self.lower_entries(it, is_each, node);
        self.lower_below(&names, subject.node, &mut leaf, &|_| None)
    }

    /// Expresses a bound for the number of items that pass a condition.
    fn lower_count(&self, found: &Collection, atom: &Atom, subject: SchemaSubject<'_>) -> Lowered {
        self.depends_on_dialect.set(true);
        let names = field_names(&found.range, subject.term)?;
        let counts_items = found.entry.value.map(Term::Variable).as_ref() == Some(&found.result);
        let (true, true, Atom::Size(least, most)) =
            (counts_items, self.options.dialect != Dialect::OpenApi30, atom)
        else {
            return Err("a schema cannot count these items".to_owned());
        };
        let mut leaf = |node: &Value| {
            let (Some("array"), Some(below)) = (node.get("type").and_then(Value::as_str), node.get("items"))
            else {
                return Err("a schema cannot count the entries of a map".to_owned());
            };
            if below.get("nullable") == Some(&json!(true)) || below.get("default").is_some() {
                return Err(NULL_ITEMS.to_owned());
            }
            let below = SchemaSubject { term: &found.result, node: below };
            let selected = self.lower(&found.selected, below)?;
            let left_out = self.lower(&found.left_out, below)?;
            let mut schema = json!({
                "type": "array", "contains": selected, "minContains": least,
                "items": { "anyOf": [selected, left_out] },
            });
            if let (Some(most), Some(keywords)) = (most, schema.as_object_mut()) {
                keywords.insert("maxContains".to_owned(), json!(most));
            }
            Ok(schema)
        };
        self.lower_below(&names, subject.node, &mut leaf, &|_| None)
    }

    /// A schema for a list or map each or some of whose entries pass.
    fn lower_entries(&self, it: &Quantification, is_each: bool, node: &Value) -> Lowered {
        let EntryVariables { key: None, value: Some(variable) } = it.entry else {
            return Err("servers drop keys whose value is null, and a schema would look at them".to_owned());
        };
        let (kind, keyword) = match node.get("type").and_then(Value::as_str) {
            Some("array") => ("array", "items"),
            Some("object") => ("object", "additionalProperties"),
            _ => return Err("the definition does not describe the list".to_owned()),
        };
        let below = node.get(keyword).filter(|below| below.is_object());
        let below = below.ok_or("the definition does not describe the items")?;
        let is_nullable = below.get("nullable") == Some(&json!(true)) || below.get("default").is_some();
        if is_nullable {
            return Err(NULL_ITEMS.to_owned());
        }
        let term = Term::Variable(variable);
        if is_each && kind == "array" && is_unique(it, &term) && is_scalar(below) {
            return Ok(json!({ "type": "array", "uniqueItems": true }));
        }
        let holds = self.lower(&it.holds, SchemaSubject { term: &term, node: below })?;
        // The server drops a key whose value is null.
        let drops_null = kind == "object" && self.options.nulls == OptionalNulls::Accept;
        let or_null = |schema: Value| {
            if drops_null { json!({ "anyOf": [{ "type": "null" }, schema] }) } else { schema }
        };
        if is_each {
            return Ok(json!({ "type": kind, keyword: or_null(holds) }));
        }
        let opposite = or_null(json!({ "not": holds }));
        Ok(json!({ "type": kind, "not": { keyword: opposite } }))
    }
}

/// The names of the fields from a term to a term below it.
fn field_names<'t>(term: &'t Term, base: &Term) -> Result<Vec<&'t str>, String> {
    if term == base {
        return Ok(Vec::new());
    }
    match term {
        Term::Field(of, name) => {
            let mut names = field_names(of, base)?;
            names.push(name);
            Ok(names)
        }
        Term::Index(..) => Err("a schema cannot look at one item of a list".to_owned()),
        Term::Root(_) | Term::Variable(_) => Err(COMPARES_PLACES.to_owned()),
        Term::Call(call) => Err(format!("a schema cannot compute `{}`", call.function)),
        _ => Err("a schema cannot compute values".to_owned()),
    }
}

/// The reason why a schema cannot compare two terms of which none is a constant.
fn incomparable_reason(left: &Term, right: &Term) -> String {
    let is_fixed = |term: &Term| {
        let mut is_fixed = true;
        term.visit_terms(&mut |part| is_fixed &= !matches!(part, Term::Root(_) | Term::Variable(_)));
        is_fixed
    };
    [left, right]
        .into_iter()
        .find_map(|term| match term {
            // Of `duration(self.timeout) <= duration('1h')`.
            Term::Call(call) if is_fixed(term) => {
                Some(format!("a schema cannot compute `{}`", call.function))
            }
            _ => None,
        })
        .unwrap_or_else(|| COMPARES_PLACES.to_owned())
}

/// True for the test that a text is a quantity, if another part compares the quantity.
fn is_quantity_test_of(part: &Formula, parts: &[Formula]) -> bool {
    let tested = match part {
        Formula::Compare { left: Term::Call(call), relation: TermRelation::Equal, right }
            if call.function == "isQuantity" && *right == Term::Constant(Constant::Boolean(true)) =>
        {
            call.arguments.first().map(text_source)
        }
        Formula::Defined(term) => quantity_source(term),
        _ => None,
    };
    let Some(tested) = tested else { return false };
    let compares = |formula: &Formula| match formula {
        Formula::Compare { left, right, .. } => [left, right].into_iter().any(|side| match side {
            Term::Call(call) if call.function != "quantity" => {
                call.arguments.iter().any(|term| quantity_source(term) == Some(tested))
            }
            side => quantity_source(side) == Some(tested),
        }),
        _ => false,
    };
    parts.iter().any(compares)
}

fn object_default(name: &str) -> String {
    format!("`{name}` has a default that is an object or a list")
}

fn scalar_constant(value: &Value) -> Option<Constant> {
    Some(match value {
        Value::Bool(value) => Constant::Boolean(*value),
        Value::String(text) => Constant::Text(text.clone()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Constant::Integer(number),
            None => Constant::Float(number.as_f64()?),
        },
        _ => return None,
    })
}

/// The term and the constants of alternatives that compare one term with constants of one type.
fn one_of_constants(parts: &[Formula]) -> Option<(&Term, Vec<Value>)> {
    let mut subject = None;
    let mut values = Vec::new();
    for part in parts {
        let Formula::Compare { left, relation: TermRelation::Equal, right: Term::Constant(constant) } = part
        else {
            return None;
        };
        if matches!(left, Term::Call(_) | Term::Tally(_)) || *subject.get_or_insert(left) != left {
            return None;
        }
        values.push(match constant {
            Constant::Text(text) => json!(text),
            Constant::Integer(number) => json!(number),
            _ => return None,
        });
    }
    Some((subject?, values))
}

/// A schema for the number of schemas that a value passes.
fn tally_schema(parts: &[Value], relation: TermRelation, constant: &Constant, is_swapped: bool) -> Lowered {
    let Constant::Integer(number) = constant else {
        return Err("a schema cannot compare this number".to_owned());
    };
    let any = || json!({ "anyOf": parts });
    let none = || json!({ "not": { "anyOf": parts } });
    let one = || json!({ "oneOf": parts });
    let count = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    // The numbers that are accepted, from 0 to all.
    let accepts = |tally: i64| match (relation, is_swapped) {
        (TermRelation::Equal, _) => tally == *number,
        (TermRelation::NotEqual, _) => tally != *number,
        (TermRelation::Less, false) => tally < *number,
        (TermRelation::Less, true) => *number < tally,
        (TermRelation::LessOrEqual, false) => tally <= *number,
        (TermRelation::LessOrEqual, true) => *number <= tally,
    };
    let is_uniform = |from: i64| (from..=count).all(|tally| accepts(tally) == accepts(from));
    match (accepts(0), accepts(1)) {
        (true, true) if is_uniform(1) => Ok(json!({})),
        (false, false) if is_uniform(1) => Ok(json!({ "not": {} })),
        (true, false) if is_uniform(1) => Ok(none()),
        (false, true) if is_uniform(1) => Ok(any()),
        (false, true) if !accepts(2) && is_uniform(2) => Ok(one()),
        (true, true) if !accepts(2) && is_uniform(2) => Ok(json!({ "anyOf": [none(), one()] })),
        (true, false) if accepts(2) && is_uniform(2) => Ok(json!({ "not": one() })),
        _ if accepts(count) && (0..count).all(|tally| !accepts(tally)) => Ok(json!({ "allOf": parts })),
        _ => Err(format!("a schema cannot count {number} of several conditions")),
    }
}

/// True for "exactly one item of the same list equals this item".
fn is_unique(it: &Quantification, item: &Term) -> bool {
    let Formula::Compare { left: Term::Call(call), relation: TermRelation::Equal, right } = &it.holds else {
        return false;
    };
    let ("size", [Term::Collect(found)]) = (call.function.as_str(), call.arguments.as_slice()) else {
        return false;
    };
    let Formula::Compare { left, relation: TermRelation::Equal, right: other } = &found.selected else {
        return false;
    };
    let inner = found.entry.value.map(Term::Variable);
    let is_pair = |a: &Term, b: &Term| Some(a) == inner.as_ref() && b == item;
    *right == Term::Constant(Constant::Integer(1))
        && found.range == it.range
        && (is_pair(left, other) || is_pair(other, left))
}

fn is_scalar(node: &Value) -> bool {
    let has_format = node.get("format").and_then(Value::as_str).is_some_and(super::atoms::is_read_by_format);
    matches!(node.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) && !has_format
}
