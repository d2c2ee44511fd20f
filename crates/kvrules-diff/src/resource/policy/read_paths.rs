//! The fields that expressions of a policy read, and the constants that these are compared with.

use std::collections::{BTreeMap, HashMap};

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};
use kvrules_generate::PlaceStep;
use serde_json::{Value, json};

/// The fields of `object` and `oldObject` that expressions read, each with values that make a difference there.
#[derive(Debug, Default)]
pub(super) struct ReadPaths {
    pub(super) constants: BTreeMap<String, ReadPath>,
}

/// A field that is read.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadPath {
    pub(super) steps: Vec<PlaceStep>,
    pub(super) values: Vec<Value>,
}

/// Names of loops, with the paths of their values.
type LoopPaths = HashMap<String, Vec<PlaceStep>>;

impl ReadPaths {
    /// Adds what an expression reads.
    pub(super) fn add_expression(&mut self, text: &str) {
        let Ok(expression) = kvrules_cel::parse(text) else { return };
        let _ = kvrules_cel::stack::with_room(expression.depth, || {
            self.visit(&expression.root, &LoopPaths::new());
        });
    }

    /// The names of all fields.
    pub(super) fn has_name(&self, name: &str) -> bool {
        let is_name = |step: &PlaceStep| matches!(step, PlaceStep::Field(field) if field == name);
        self.constants.values().any(|path| path.steps.iter().any(is_name))
    }

    fn note(&mut self, steps: &[PlaceStep], values: Vec<Value>) {
        let known = self.constants.entry(kvrules_generate::place_text(steps)).or_default();
        known.steps = steps.to_vec();
        for value in values {
            if !known.values.contains(&value) {
                known.values.push(value);
            }
        }
    }

    fn visit(&mut self, expr: &Expr, loops: &LoopPaths) {
        if let Some(steps) = path_of(expr, loops).filter(|steps| !steps.is_empty()) {
            self.note(&steps, Vec::new());
        }
        match &expr.kind {
            ExprKind::Call { function, receiver, args } => {
                self.note_comparison(function, receiver.as_deref(), args, loops);
                for part in receiver.as_deref().into_iter().chain(args) {
                    self.visit(part, loops);
                }
            }
            ExprKind::Comprehension(it) => {
                self.visit(&it.range, loops);
                let mut inner = loops.clone();
                if let Some(range) = path_of(&it.range, loops) {
                    let item = [range.as_slice(), &[PlaceStep::Any]].concat();
                    let name = it.var2.as_ref().map_or(&it.var.name, |var| &var.name);
                    inner.insert(name.clone(), item);
                }
                it.condition.iter().for_each(|condition| self.visit(condition, &inner));
                self.visit(&it.body, &inner);
            }
            ExprKind::OptMap { target, var, body, .. } => {
                self.visit(target, loops);
                let mut inner = loops.clone();
                inner.extend(path_of(target, loops).map(|path| (var.clone(), path)));
                self.visit(body, &inner);
            }
            ExprKind::Select { operand, .. } | ExprKind::Has { operand, .. } => self.visit(operand, loops),
            _ => expr.children().into_iter().for_each(|child| self.visit(child, loops)),
        }
    }

    /// Notes the constants of a comparison and of a test such as `startsWith`.
    fn note_comparison(&mut self, function: &str, receiver: Option<&Expr>, args: &[Expr], loops: &LoopPaths) {
        let sides: Vec<&Expr> = receiver.into_iter().chain(args).collect();
        let [left, right] = sides.as_slice() else { return };
        for (one, other) in [(left, right), (right, left)] {
            let Some(steps) = path_of(one, loops) else { continue };
            if let Some(name) = text_of(other).filter(|_| function == operators::IN) {
                self.note(&[steps.as_slice(), &[PlaceStep::Field(name)]].concat(), vec![json!("a")]);
                continue;
            }
            let mut values = literal_values(other);
            if function == "matches" {
                values = text_of(other)
                    .and_then(|text| kvrules_generate::text_matching(&text))
                    .map(Value::from)
                    .into_iter()
                    .collect();
            }
            self.note(&steps, values);
        }
    }
}

/// The path of a part of the object, `None` for other expressions.
fn path_of(expr: &Expr, loops: &LoopPaths) -> Option<Vec<PlaceStep>> {
    let below =
        |operand: &Expr, step: PlaceStep| Some([path_of(operand, loops)?.as_slice(), &[step]].concat());
    match &expr.kind {
        ExprKind::Ident(name) if name == "object" || name == "oldObject" => Some(Vec::new()),
        ExprKind::Ident(name) => loops.get(name).cloned(),
        ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. } => {
            below(operand, PlaceStep::Field(field.trim_matches('`').to_owned()))
        }
        ExprKind::Call { function, receiver: None, args } => match (function.as_str(), args.as_slice()) {
            (operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT, [operand, key]) => {
                below(operand, text_of(key).map_or(PlaceStep::Any, PlaceStep::Field))
            }
            ("size" | "string" | "int" | "quantity", [operand]) => path_of(operand, loops),
            _ => None,
        },
        ExprKind::Call { function, receiver: Some(receiver), args } => {
            let keeps = matches!(function.as_str(), "orValue" | "size" | "value" | "lowerAscii");
            path_of(receiver, loops).filter(|_| keeps && args.len() <= 1)
        }
        _ => None,
    }
}

fn text_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The values of a literal and their neighbours; of a list those of its elements.
fn literal_values(expr: &Expr) -> Vec<Value> {
    match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => vec![json!(text), json!(format!("{text}x"))],
        ExprKind::Literal(Literal::Int(number)) => {
            (-1..=1).map(|step| json!(number.saturating_add(step))).collect()
        }
        ExprKind::Literal(Literal::Double(number)) => {
            [*number, number - 1.0, number + 1.0].into_iter().map(|number| json!(number)).collect()
        }
        ExprKind::Literal(Literal::Bool(_)) => vec![json!(true), json!(false)],
        ExprKind::List(items) => items.iter().flat_map(|item| literal_values(&item.value)).collect(),
        ExprKind::Call { function, args, .. } if function == "quantity" => {
            args.iter().filter_map(text_of).map(Value::from).collect()
        }
        _ => Vec::new(),
    }
}
