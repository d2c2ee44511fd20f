//! Random schemas and rules, and rules that are related to others.

use serde_json::json;

use super::evaluate::PATTERNS;
use super::expression::{Expr, Function, Macro, Op};
use super::schema::{Field, Shape};
use super::value::Val;
use crate::Random;

/// A value that rules can name.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    expr: Expr,
    shape: Shape,
}

const WORDS: [&str; 6] = ["", "a", "b", "ab", "ba", "c"];
const QUANTITIES: [&str; 4] = ["1", "500m", "1k", "1Ki"];
const DURATIONS: [&str; 4] = ["1s", "1000ms", "60s", "1m"];

/// Makes the schema of an object.
pub(crate) fn generate_object(random: &mut Random) -> Shape {
    let mut fields = Vec::new();
    // Rules about few fields say more about each other.
    let number = 1 + random.below(3);
    let mut names = vec!["a", "b", "c", "d", "e", "s", "t", "l", "l", "l", "m", "m", "o", "p", "q"];
    for _ in 0..number {
        let name = names[random.below(names.len())];
        names.retain(|other| *other != name);
        fields.push(generate_field(random, name, 2));
    }
    Shape::Object { fields }
}

/// Makes the schema of an object of a definition: some fields may be null, which rules see as absent. Those inside of lists are
/// not among them, because two lists with a null and without the field differ, nor are those with an `enum`, which has no null.
pub(crate) fn generate_nullable_object(random: &mut Random) -> Shape {
    let mut object = generate_object(random);
    if let Shape::Object { fields } = &mut object {
        for field in fields.iter_mut().filter(|field| field.default.is_none()) {
            field.is_nullable = field.shape.admits_null() && random.chance(1, 4);
        }
    }
    object
}

fn generate_field(random: &mut Random, name: &'static str, depth: usize) -> Field {
    let shape = generate_shape(random, name, depth);
    let is_required = random.chance(1, 3);
    let default = match &shape {
        Shape::Int { least: None, most: None } if random.chance(1, 4) => Some(json!(random.between(-1, 3))),
        Shape::Text { among: None, .. } if random.chance(1, 5) => Some(json!("a")),
        Shape::Bool if random.chance(1, 4) => Some(json!(true)),
        Shape::List { fewest: 0, .. } if random.chance(1, 6) => Some(json!([])),
        _ => None,
    };
    Field { name, shape, is_required: is_required && default.is_none(), default, is_nullable: false }
}

fn generate_shape(random: &mut Random, name: &str, depth: usize) -> Shape {
    match name {
        "a" | "b" | "c" => {
            let least = random.chance(1, 3).then(|| random.between(-1, 2));
            let most = random.chance(1, 3).then(|| random.between(3, 6));
            Shape::Int { least, most }
        }
        "d" => Shape::Number,
        "e" => Shape::Bool,
        "s" | "t" => {
            let among = random.chance(1, 4).then(|| vec!["a", "b", "ab"]);
            Shape::Text { among, longest: 3 + random.below(2) }
        }
        "l" => {
            let items = match random.below(4) {
                0 | 1 => Shape::Int { least: None, most: None },
                2 => Shape::Text { among: None, longest: 3 },
                _ if depth > 0 => Shape::Object {
                    fields: vec![generate_field(random, "a", 0), generate_field(random, "s", 0)],
                },
                _ => Shape::Bool,
            };
            Shape::List { items: Box::new(items), fewest: usize::from(random.chance(1, 5)), most: 2 }
        }
        "m" => {
            let values = if random.chance(1, 2) {
                Shape::Int { least: None, most: None }
            } else {
                Shape::Text { among: None, longest: 3 }
            };
            Shape::Map { values: Box::new(values), most: 2 }
        }
        "o" if depth > 0 => {
            let list = if random.chance(1, 3) { "l" } else { "b" };
            let fields = vec![generate_field(random, "a", 0), generate_field(random, list, 0)];
            Shape::Object { fields }
        }
        "p" => Shape::IntOrText,
        _ => {
            if random.chance(1, 2) {
                Shape::Quantity
            } else {
                Shape::Duration
            }
        }
    }
}

/// Writes random rules about an object.
pub(crate) struct RuleMaker<'r> {
    random: &'r mut Random,
    /// The variables, such as `self` and those of loops.
    scope: Vec<Named>,
    /// Number of loops around the expression.
    loops: usize,
}

impl<'r> RuleMaker<'r> {
    pub(crate) fn new(random: &'r mut Random, root: &str, shape: &Shape, with_old: bool) -> Self {
        let mut scope = vec![Named { expr: Expr::var(root), shape: shape.clone() }];
        if with_old {
            scope.push(Named { expr: Expr::var("oldSelf"), shape: shape.clone() });
        }
        Self { random, scope, loops: 0 }
    }

    /// Adds a value that rules can name.
    pub(crate) fn with_value(mut self, expr: Expr, shape: &Shape) -> Self {
        self.scope.push(Named { expr, shape: shape.clone() });
        self
    }

    /// Makes a condition.
    pub(crate) fn condition(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(1, 4) {
            return self.guarded_atom();
        }
        match self.random.below(9) {
            0..=2 => Expr::bin(Op::Or, self.condition(depth - 1), self.condition(depth - 1)),
            3..=5 => Expr::bin(Op::And, self.condition(depth - 1), self.condition(depth - 1)),
            6 => self.condition(depth - 1).negated(),
            7 => Expr::Cond(
                Box::new(self.condition(depth - 1)),
                Box::new(self.condition(depth - 1)),
                Box::new(self.condition(depth - 1)),
            ),
            _ => Expr::bin(Op::Eq, self.condition(depth - 1), self.condition(depth - 1)),
        }
    }

    /// A condition about one value, mostly with tests that it is there.
    fn guarded_atom(&mut self) -> Expr {
        let (named, guards) = self.walk();
        let is_careful = !self.random.chance(1, 4);
        if self.random.chance(1, 8) && !guards.is_empty() {
            return self.random.choose(&guards).clone();
        }
        let atom = match self.default_value(&named, &guards) {
            Some(or_value) => return self.atom(&or_value),
            None => self.atom(&named),
        };
        if !is_careful {
            return atom;
        }
        let is_required = self.random.chance(1, 2);
        guards.into_iter().rev().fold(atom, |inner, guard| {
            if is_required {
                Expr::bin(Op::And, guard, inner)
            } else {
                Expr::bin(Op::Or, guard.negated(), inner)
            }
        })
    }

    /// Sometimes the value of an optional field with another one in place of an absent one.
    fn default_value(&mut self, named: &Named, guards: &[Expr]) -> Option<Named> {
        let (Expr::Field(target, field), [_]) = (&named.expr, guards) else { return None };
        let default = match named.shape {
            Shape::Int { .. } => Expr::int(self.small_int()),
            Shape::Text { .. } => Expr::text(self.random.choose::<&str>(&WORDS)),
            Shape::List { .. } => Expr::List(Vec::new()),
            _ => return None,
        };
        let is_guarding_this = matches!(&guards[0], Expr::Has(_, guarded) if guarded == field);
        if !is_guarding_this || !self.random.chance(1, 6) {
            return None;
        }
        let expr = Expr::OrValue(target.clone(), field.clone(), Box::new(default));
        Some(Named { expr, shape: named.shape.clone() })
    }

    /// Chooses a value below a variable, with tests for the optional fields on the way.
    fn walk(&mut self) -> (Named, Vec<Expr>) {
        // Variables of loops are the more interesting ones.
        let chosen = if self.loops > 0 && self.random.chance(2, 3) {
            self.scope.len() - 1
        } else {
            self.random.below(self.scope.len())
        };
        let mut named = self.scope[chosen].clone();
        let mut guards = Vec::new();
        while let Shape::Object { fields } = &named.shape {
            let field = self.random.choose(fields).clone();
            if !field.is_present() {
                guards.push(named.expr.clone().has(field.name));
            }
            named = Named { expr: named.expr.dot(field.name), shape: field.shape };
        }
        (named, guards)
    }

    /// A condition about a value.
    fn atom(&mut self, named: &Named) -> Expr {
        let value = named.expr.clone();
        match &named.shape {
            Shape::Int { .. } => self.int_atom(value),
            Shape::Number => self.number_atom(value),
            Shape::Bool => {
                if self.random.chance(1, 2) {
                    value
                } else {
                    value.negated()
                }
            }
            Shape::Text { among, .. } => self.text_atom(value, among.as_deref()),
            Shape::Quantity => {
                let other = Expr::text(self.random.choose::<&str>(&QUANTITIES));
                let [value, other] = [value, other].map(|it| Expr::call(Function::Quantity, vec![it]));
                match self.random.below(3) {
                    0 => Expr::call(Function::IsGreaterThan, vec![value, other]),
                    1 => Expr::call(Function::IsLessThan, vec![value, other]),
                    _ => {
                        let compared = Expr::call(Function::CompareTo, vec![value, other]);
                        Expr::bin(self.comparison(), compared, Expr::int(0))
                    }
                }
            }
            Shape::Duration => {
                let other = Expr::text(self.random.choose::<&str>(&DURATIONS));
                let [value, other] = [value, other].map(|it| Expr::call(Function::Duration, vec![it]));
                Expr::bin(self.comparison(), value, other)
            }
            Shape::IntOrText => self.mixed_atom(value),
            Shape::List { items, .. } => self.list_atom(value, items),
            Shape::Map { values, .. } => self.map_atom(value, values),
            Shape::Object { .. } => Expr::Lit(Val::Bool(true)),
        }
    }

    fn comparison(&mut self) -> Op {
        *self.random.choose(&[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge])
    }

    fn small_int(&mut self) -> i64 {
        self.random.between(-1, 5)
    }

    fn int_atom(&mut self, value: Expr) -> Expr {
        let constant = Expr::int(self.small_int());
        match self.random.below(8) {
            0..=2 => Expr::bin(self.comparison(), value, constant),
            3 | 4 if self.random.chance(1, 2) => {
                let items = (0..1 + self.random.below(3)).map(|_| Expr::int(self.small_int())).collect();
                Expr::bin(Op::In, value, Expr::List(items))
            }
            5 => {
                let divisor = Expr::int(self.random.between(2, 3));
                Expr::bin(
                    self.comparison(),
                    Expr::bin(Op::Mod, value, divisor),
                    Expr::int(self.random.between(0, 1)),
                )
            }
            3 | 4 | 6 => match self.other_of(|shape| matches!(shape, Shape::Int { .. })) {
                Some(other) => Expr::bin(self.comparison(), value, other),
                None => Expr::bin(self.comparison(), value, constant),
            },
            7 if self.random.chance(1, 3) => {
                Expr::bin(self.comparison(), Expr::Neg(Box::new(value)), constant)
            }
            _ => {
                let op = *self.random.choose(&[Op::Add, Op::Sub, Op::Mul, Op::Div]);
                let other = self.other_of(|shape| matches!(shape, Shape::Int { .. }));
                let other = other.unwrap_or_else(|| Expr::int(self.small_int()));
                Expr::bin(self.comparison(), Expr::bin(op, value, other), constant)
            }
        }
    }

    fn number_atom(&mut self, value: Expr) -> Expr {
        let constant = Expr::Lit(Val::Double(*self.random.choose(&[0.0, 0.5, 1.0, 2.5, -1.0])));
        match self.random.below(6) {
            0..=2 => Expr::bin(self.comparison(), value, constant),
            3 => {
                let op = *self.random.choose(&[Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                Expr::bin(op, value.clone(), value)
            }
            4 => {
                let op = *self.random.choose(&[Op::Add, Op::Sub, Op::Mul, Op::Div]);
                Expr::bin(self.comparison(), Expr::bin(op, value.clone(), value), constant)
            }
            _ => {
                let op = *self.random.choose(&[Op::Eq, Op::Ne]);
                Expr::bin(
                    op,
                    Expr::bin(Op::Div, value.clone(), value.clone()),
                    Expr::bin(Op::Div, value.clone(), value),
                )
            }
        }
    }

    /// Another value of a kind, which may be absent.
    fn other_of(&mut self, is_kind: fn(&Shape) -> bool) -> Option<Expr> {
        (0..6).find_map(|_| {
            let (named, guards) = self.walk();
            (is_kind(&named.shape) && (guards.is_empty() || self.random.chance(1, 3))).then_some(named.expr)
        })
    }

    fn text_atom(&mut self, value: Expr, among: Option<&[&'static str]>) -> Expr {
        let mut word = || Expr::text(self.random.choose::<&str>(among.unwrap_or(&WORDS)));
        let (one, two) = (word(), word());
        match self.random.below(10) {
            0 | 1 => Expr::bin(*self.random.choose(&[Op::Eq, Op::Ne]), value, one),
            2 => Expr::call(Function::StartsWith, vec![value, one]),
            3 => Expr::call(Function::EndsWith, vec![value, one]),
            4 => Expr::call(Function::Contains, vec![value, one]),
            5 => {
                let (pattern, _) = *self.random.choose(&PATTERNS);
                Expr::call(Function::Matches, vec![value, Expr::text(pattern)])
            }
            6 => {
                let size = Expr::call(Function::Size, vec![value]);
                Expr::bin(self.comparison(), size, Expr::int(self.random.between(0, 3)))
            }
            7 => Expr::bin(Op::In, value, Expr::List(vec![one, two])),
            8 => match self.other_of(|shape| matches!(shape, Shape::Text { .. })) {
                Some(other) => Expr::bin(self.comparison(), value, other),
                None => Expr::bin(self.comparison(), value, one),
            },
            _ => {
                let at = Expr::call(Function::IndexOf, vec![value, one]);
                Expr::bin(self.comparison(), at, Expr::int(self.random.between(-1, 1)))
            }
        }
    }

    fn mixed_atom(&mut self, value: Expr) -> Expr {
        let type_of = Expr::call(Function::Type, vec![value.clone()]);
        let is_text = Expr::bin(Op::Eq, type_of, Expr::var("string"));
        let constant = Expr::int(self.small_int());
        match self.random.below(6) {
            0 => is_text,
            1 => Expr::bin(Op::Eq, value, constant),
            2 => Expr::bin(Op::Ne, value, Expr::text(self.random.choose::<&str>(&WORDS))),
            3 => Expr::bin(self.comparison(), value, constant),
            4 => {
                let text = Expr::call(Function::String, vec![value]);
                Expr::bin(Op::Ne, text, Expr::text(self.random.choose::<&str>(&WORDS)))
            }
            _ => {
                let of_text = Expr::call(Function::EndsWith, vec![value.clone(), Expr::text("a")]);
                let of_int = Expr::bin(Op::Ge, value, constant);
                Expr::Cond(Box::new(is_text), Box::new(of_text), Box::new(of_int))
            }
        }
    }

    fn list_atom(&mut self, value: Expr, items: &Shape) -> Expr {
        let choice = if self.loops >= 2 { self.random.below(2) } else { self.random.below(10) };
        match choice {
            0 => {
                let size = Expr::call(Function::Size, vec![value]);
                Expr::bin(self.comparison(), size, Expr::int(self.random.between(0, 3)))
            }
            1 => self.membership(value, items),
            2 => {
                let named = Named {
                    expr: Expr::Index(Box::new(value), Box::new(Expr::int(self.random.between(0, 1)))),
                    shape: items.clone(),
                };
                self.item_atom(&named)
            }
            3 => {
                let body = self.loop_body(items);
                let (variable, body) = body;
                let filtered = Expr::Macro(Macro::Filter, Box::new(value), variable, Box::new(body));
                let size = Expr::call(Function::Size, vec![filtered]);
                Expr::bin(self.comparison(), size, Expr::int(self.random.between(0, 2)))
            }
            4 if matches!(items, Shape::Int { .. }) => {
                let function = *self.random.choose(&[Function::Sum, Function::Min, Function::Max]);
                Expr::bin(self.comparison(), Expr::call(function, vec![value]), Expr::int(self.small_int()))
            }
            4 if matches!(items, Shape::Text { .. }) => Expr::call(Function::IsSorted, vec![value]),
            choice => {
                let kind = match choice {
                    5 | 6 => Macro::Exists,
                    7 => Macro::ExistsOne,
                    _ => Macro::All,
                };
                let (variable, body) = self.loop_body(items);
                Expr::Macro(kind, Box::new(value), variable, Box::new(body))
            }
        }
    }

    /// A condition about an item that may be an object.
    fn item_atom(&mut self, named: &Named) -> Expr {
        self.scope.push(named.clone());
        self.loops += 1;
        let atom = self.guarded_atom();
        self.loops -= 1;
        self.scope.pop();
        atom
    }

    fn loop_body(&mut self, items: &Shape) -> (String, Expr) {
        let variable = ["x", "y", "z"][self.loops.min(2)].to_owned();
        self.scope.push(Named { expr: Expr::Var(variable.clone()), shape: items.clone() });
        self.loops += 1;
        let depth = usize::from(self.random.chance(1, 3));
        let body = self.condition(depth);
        self.loops -= 1;
        self.scope.pop();
        (variable, body)
    }

    fn membership(&mut self, value: Expr, items: &Shape) -> Expr {
        let item = match items {
            Shape::Int { .. } => Expr::int(self.small_int()),
            Shape::Text { .. } => Expr::text(self.random.choose::<&str>(&WORDS)),
            Shape::Bool => Expr::Lit(Val::Bool(true)),
            _ => {
                let size = Expr::call(Function::Size, vec![value]);
                return Expr::bin(Op::Gt, size, Expr::int(0));
            }
        };
        if self.random.chance(1, 3) {
            let op = *self.random.choose(&[Op::Eq, Op::Ne]);
            return Expr::bin(op, value, Expr::List(vec![item]));
        }
        Expr::bin(Op::In, item, value)
    }

    fn map_atom(&mut self, value: Expr, values: &Shape) -> Expr {
        let key = Expr::text(self.random.choose::<&str>(&["a", "b"]));
        let entry = |index: Expr| Expr::Index(Box::new(value.clone()), Box::new(index));
        match self.random.below(5) {
            0 => Expr::bin(Op::In, key, value),
            1 => {
                let size = Expr::call(Function::Size, vec![value]);
                Expr::bin(self.comparison(), size, Expr::int(self.random.between(0, 2)))
            }
            2 => {
                let named = Named { expr: entry(key.clone()), shape: values.clone() };
                let atom = self.item_atom(&named);
                Expr::bin(Op::Or, Expr::bin(Op::In, key, value).negated(), atom)
            }
            choice => {
                let kind = if choice == 3 { Macro::All } else { Macro::Exists };
                let variable = ["k", "n", "j"][self.loops.min(2)].to_owned();
                let named = Named { expr: entry(Expr::Var(variable.clone())), shape: values.clone() };
                let body = self.item_atom(&named);
                Expr::Macro(kind, Box::new(value), variable, Box::new(body))
            }
        }
    }

    /// Makes a rule that is related to another one: equal, weaker, stronger, or changed in one part.
    pub(crate) fn related(&mut self, rule: &Expr) -> Expr {
        match self.random.below(9) {
            8 => {
                let mut changed = rule.clone();
                change_somewhere(&mut changed, self.random);
                changed.negated()
            }
            0 => Expr::bin(Op::Or, rule.clone(), self.condition(1)),
            1 => Expr::bin(Op::And, rule.clone(), self.condition(1)),
            2 => Expr::bin(Op::Or, self.condition(1), rule.clone()),
            _ => {
                let mut changed = rule.clone();
                for _ in 0..1 + self.random.below(2) {
                    change_somewhere(&mut changed, self.random);
                }
                changed
            }
        }
    }
}

/// Changes one part of an expression, to an equal form or to another meaning.
fn change_somewhere(expr: &mut Expr, random: &mut Random) {
    // Another text may be no quantity, which the server reports at compile time.
    if matches!(expr, Expr::Call(Function::Quantity | Function::Duration, _)) {
        return;
    }
    let mut children = expr.children_mut();
    if !children.is_empty() && random.chance(2, 3) {
        let chosen = random.below(children.len());
        return change_somewhere(children.swap_remove(chosen), random);
    }
    drop(children);
    let old = std::mem::replace(expr, Expr::Lit(Val::Bool(true)));
    *expr = change_node(old, random);
}

fn change_node(expr: Expr, random: &mut Random) -> Expr {
    match expr {
        Expr::Lit(Val::Int(value)) => Expr::int(value + random.between(-1, 1)),
        Expr::Lit(Val::Str(_)) if random.chance(1, 3) => Expr::text(random.choose::<&str>(&["a", "b", "ab"])),
        Expr::Bin(op @ (Op::Or | Op::And), one, other) => match random.below(6) {
            0 => Expr::Bin(op, other, one),
            1 => *one,
            2 => *other,
            3 => Expr::Bin(if op == Op::Or { Op::And } else { Op::Or }, one, other),
            4 => {
                let inverse = if op == Op::Or { Op::And } else { Op::Or };
                Expr::bin(inverse, one.negated(), other.negated()).negated()
            }
            _ if op == Op::Or => Expr::Cond(one, Box::new(Expr::Lit(Val::Bool(true))), other),
            _ => Expr::Cond(one, other, Box::new(Expr::Lit(Val::Bool(false)))),
        },
        Expr::Bin(op, one, other) if matches!(op, Op::Eq | Op::Ne) => match random.below(3) {
            0 => Expr::Bin(op, other, one),
            1 => Expr::Bin(if op == Op::Eq { Op::Ne } else { Op::Eq }, one, other),
            _ => Expr::Bin(if op == Op::Eq { Op::Ne } else { Op::Eq }, one, other).negated(),
        },
        Expr::Bin(op @ (Op::Lt | Op::Le | Op::Gt | Op::Ge), one, other) => {
            let (flipped, opposite, neighbour) = match op {
                Op::Lt => (Op::Gt, Op::Ge, Op::Le),
                Op::Le => (Op::Ge, Op::Gt, Op::Lt),
                Op::Gt => (Op::Lt, Op::Le, Op::Ge),
                _ => (Op::Le, Op::Lt, Op::Gt),
            };
            match random.below(3) {
                0 => Expr::Bin(flipped, other, one),
                1 => Expr::Bin(opposite, one, other).negated(),
                _ => Expr::Bin(neighbour, one, other),
            }
        }
        Expr::Macro(kind @ (Macro::All | Macro::Exists), range, variable, body) => {
            let inverse = if kind == Macro::All { Macro::Exists } else { Macro::All };
            match random.below(4) {
                0 => Expr::Macro(inverse, range, variable, Box::new(body.negated())).negated(),
                1 => Expr::Macro(inverse, range, variable, body),
                2 if kind == Macro::Exists => Expr::Macro(Macro::ExistsOne, range, variable, body),
                _ => Expr::Macro(kind, range, variable, body),
            }
        }
        Expr::Cond(test, one, other) => match random.below(3) {
            0 => Expr::Cond(Box::new(test.negated()), other, one),
            1 => Expr::Cond(test, other, one),
            _ => *one,
        },
        Expr::Not(inner) if random.chance(1, 2) => *inner,
        other => other,
    }
}
