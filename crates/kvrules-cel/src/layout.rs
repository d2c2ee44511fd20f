//! Expressions as text with the parentheses that the grammar needs and no more, on one line or laid out over several.
//!
//! An expression that does not fit on a line is broken at its loosest joints: after each `&&` or `||`, around the body of a loop,
//! before the outcomes of a condition, before each step of what is done to a list, and between the items of a long list. Nothing else is
//! broken, since a selection is read best in one piece.

use std::iter::once;

use crate::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, operators};

/// Precedence of an expression; a part with a lower precedence than its position requires is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Conditional,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Member,
}

/// Operators between two values, with their text.
const BINARY: [(&str, &str, Precedence); 14] = [
    (operators::OR, "||", Precedence::Or),
    (operators::AND, "&&", Precedence::And),
    (operators::EQUALS, "==", Precedence::Relation),
    (operators::NOT_EQUALS, "!=", Precedence::Relation),
    (operators::LESS, "<", Precedence::Relation),
    (operators::LESS_EQUALS, "<=", Precedence::Relation),
    (operators::GREATER, ">", Precedence::Relation),
    (operators::GREATER_EQUALS, ">=", Precedence::Relation),
    (operators::IN, "in", Precedence::Relation),
    (operators::ADD, "+", Precedence::Sum),
    (operators::SUBTRACT, "-", Precedence::Sum),
    (operators::MULTIPLY, "*", Precedence::Product),
    (operators::DIVIDE, "/", Precedence::Product),
    (operators::MODULO, "%", Precedence::Product),
];

/// Writes expressions. Literals keep the text of their author.
#[derive(Clone, Copy, Debug)]
pub struct ExpressionLayout<'s> {
    /// The text that the expression was parsed from.
    pub source: &'s str,
    /// Number of characters of a line.
    pub width: usize,
}

impl Expression {
    /// Returns the expression on one line if it fits in `width` characters, else over several.
    ///
    /// ```
    /// let expression = kvrules_cel::parse("self.a.all(x, (x > 1)) && (self.b || self.c)").unwrap();
    /// assert_eq!(expression.to_fitting_text(80), "self.a.all(x, x > 1) && (self.b || self.c)");
    /// assert_eq!(expression.to_fitting_text(30), "self.a.all(x, x > 1) &&\n(self.b || self.c)");
    /// ```
    pub fn to_fitting_text(&self, width: usize) -> String {
        ExpressionLayout { source: &self.source, width }.fitting_text(&self.root)
    }
}

impl ExpressionLayout<'_> {
    /// Returns an expression on one line if it fits, else over several.
    pub fn fitting_text(&self, expr: &Expr) -> String {
        self.fitted(expr, Precedence::Conditional, 0)
    }

    /// Returns an expression with each of its outermost parts on its own line, also where one line would do.
    pub fn broken_text(&self, expr: &Expr) -> String {
        self.broken(expr, 0)
    }

    /// Returns an expression on one line.
    pub fn line_text(&self, expr: &Expr) -> String {
        self.line(expr, Precedence::Conditional)
    }

    fn line(&self, expr: &Expr, required: Precedence) -> String {
        let text = self.bare_line(expr);
        if tightness(expr) < required { format!("({text})") } else { text }
    }

    fn bare_line(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Struct { .. } => {
                self.source.get(expr.span.start..expr.span.end).unwrap_or_default().to_owned()
            }
            ExprKind::Ident(name) => name.clone(),
            ExprKind::Select { operand, field } => {
                format!("{}.{field}", self.line(operand, Precedence::Member))
            }
            ExprKind::Has { operand, field, .. } => {
                format!("has({}.{field})", self.line(operand, Precedence::Member))
            }
            ExprKind::Call { function, receiver, args } => self.call(function, receiver.as_deref(), args),
            ExprKind::List(elements) => {
                let items = elements.iter().map(|it| optional(it.optional) + &self.line_text(&it.value));
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
            ExprKind::Map(entries) => {
                let entry = |it: &crate::ast::Entry| {
                    let (key, value) = (self.line_text(&it.key), self.line_text(&it.value));
                    format!("{}{key}: {value}", optional(it.optional))
                };
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Comprehension(it) => {
                let (range, head) = (self.line(&it.range, Precedence::Member), self.loop_head(it));
                format!("{range}.{head}, {})", self.line_text(&it.body))
            }
            ExprKind::OptMap { flat, target, var, body } => {
                let (target, name) = (self.line(target, Precedence::Member), opt_map_name(*flat));
                format!("{target}.{name}({var}, {})", self.line_text(body))
            }
            ExprKind::SortBy { range, var, key } => {
                format!("{}.sortBy({var}, {})", self.line(range, Precedence::Member), self.line_text(key))
            }
        }
    }

    fn call(&self, function: &str, receiver: Option<&Expr>, args: &[Expr]) -> String {
        let binary = BINARY.iter().find(|(name, ..)| *name == function);
        match (binary, args, function) {
            (Some((_, text, precedence)), [left, right], _) => {
                // The grammar takes operators from the left; those of `&&` and `||` may be in any order.
                let is_chain = matches!(precedence, Precedence::And | Precedence::Or);
                let (left, right) =
                    (self.line(left, *precedence), self.line(right, next_of(*precedence, is_chain)));
                format!("{left} {text} {right}")
            }
            (_, [inner], operators::NOT) => format!("!{}", self.line(inner, Precedence::Unary)),
            (_, [inner], operators::NEGATE) => format!("-{}", self.line(inner, Precedence::Unary)),
            (_, [condition, one, other], operators::CONDITIONAL) => {
                let (condition, one) = (self.line(condition, Precedence::Or), self.line(one, Precedence::Or));
                format!("{condition} ? {one} : {}", self.line_text(other))
            }
            (_, [of, key], operators::INDEX) => {
                format!("{}[{}]", self.line(of, Precedence::Member), self.line_text(key))
            }
            (_, [of, key], operators::OPT_INDEX) => {
                format!("{}[?{}]", self.line(of, Precedence::Member), self.line_text(key))
            }
            (_, [of, field], operators::OPT_SELECT) => {
                let name = match &field.kind {
                    ExprKind::Literal(Literal::String(name)) => name.as_str(),
                    _ => "",
                };
                format!("{}.?{name}", self.line(of, Precedence::Member))
            }
            _ => {
                let receiver = receiver.map(|of| self.line(of, Precedence::Member) + ".").unwrap_or_default();
                format!("{receiver}{function}({})", self.joined(args))
            }
        }
    }

    fn joined(&self, args: &[Expr]) -> String {
        args.iter().map(|arg| self.line_text(arg)).collect::<Vec<_>>().join(", ")
    }

    /// The name of a loop with its variables, and what comes before its body.
    fn loop_head(&self, it: &Comprehension) -> String {
        let condition = it.condition.iter().map(|condition| self.line_text(condition));
        let before = it.variable_names().map(str::to_owned).chain(condition);
        format!("{}({}", loop_name(it), before.collect::<Vec<_>>().join(", "))
    }

    fn fitted(&self, expr: &Expr, required: Precedence, indent: usize) -> String {
        let line = self.line(expr, required);
        if indent + line.chars().count() <= self.width && !line.contains('\n') {
            return line;
        }
        if tightness(expr) < required {
            return format!("({})", self.broken(expr, indent + 1));
        }
        self.broken(expr, indent)
    }

    fn broken(&self, expr: &Expr, indent: usize) -> String {
        match &expr.kind {
            ExprKind::Call { function, receiver, args } => match (function.as_str(), args.as_slice()) {
                (operators::AND, _) => self.parts(expr, operators::AND, indent),
                (operators::OR, _) => self.parts(expr, operators::OR, indent),
                (operators::CONDITIONAL, [condition, one, other]) => {
                    self.conditional(condition, one, other, indent)
                }
                (operators::IN, [left, right]) => match &right.kind {
                    ExprKind::List(items) if !items.is_empty() => self.one_of(left, right, indent),
                    _ => self.line_text(expr),
                },
                ("format", [values]) if receiver.as_ref().is_some_and(|of| is_text(of)) => {
                    self.format(receiver.as_deref(), values, indent)
                }
                _ if receiver.is_some() => self.chain(expr, indent),
                _ => self.line_text(expr),
            },
            ExprKind::Comprehension(it) if is_quantifier(it) => self.quantifier(it, indent),
            ExprKind::Comprehension(_) | ExprKind::OptMap { .. } => self.chain(expr, indent),
            _ => self.line_text(expr),
        }
    }

    /// The parts of `&&` or `||`. The lines of a conjunction inside a disjunction stand further in, so that their belonging together is
    /// seen.
    fn parts(&self, expr: &Expr, operator: &str, indent: usize) -> String {
        let (text, required) =
            if operator == operators::AND { ("&&", Precedence::Relation) } else { ("||", Precedence::And) };
        let part = |part: &Expr| {
            let is_conjunction = is_call_of(part, operators::AND);
            self.fitted(part, required, if is_conjunction { indent + 2 } else { indent })
        };
        let parts: Vec<String> = chain_parts(expr, operator).into_iter().map(part).collect();
        parts.join(&format!(" {text}\n{}", " ".repeat(indent)))
    }

    fn quantifier(&self, it: &Comprehension, indent: usize) -> String {
        let body = self.fitted(&it.body, Precedence::Conditional, indent + 2);
        let (range, head) = (self.fitted(&it.range, Precedence::Member, indent), self.loop_head(it));
        format!("{range}.{head},\n{}{body}\n{})", " ".repeat(indent + 2), " ".repeat(indent))
    }

    /// The lines of a list are filled.
    fn one_of(&self, left: &Expr, list: &Expr, indent: usize) -> String {
        let inner = " ".repeat(indent + 2);
        let ExprKind::List(items) = &list.kind else { return String::new() };
        let mut lines = vec![inner.clone()];
        for (position, item) in items.iter().enumerate() {
            let comma = if position + 1 < items.len() { "," } else { "" };
            let item = format!("{}{}{comma}", optional(item.optional), self.line_text(&item.value));
            match lines.last_mut() {
                Some(line) if *line == inner => line.push_str(&item),
                Some(line) if line.chars().count() + 1 + item.chars().count() <= self.width => {
                    line.push(' ');
                    line.push_str(&item);
                }
                _ => lines.push(format!("{inner}{item}")),
            }
        }
        let left = self.line(left, Precedence::Sum);
        format!("{left} in [\n{}\n{}]", lines.join("\n"), " ".repeat(indent))
    }

    /// Each outcome on a line of its own, further in than the condition.
    fn conditional(&self, condition: &Expr, one: &Expr, other: &Expr, indent: usize) -> String {
        let separator = format!("\n{}", " ".repeat(indent + 2));
        let condition = self.fitted(condition, Precedence::Or, indent);
        let one = self.fitted(one, Precedence::Or, indent + 4);
        let other = self.fitted(other, Precedence::Conditional, indent + 4);
        format!("{condition}{separator}? {one}{separator}: {other}")
    }

    /// The text first, then the values that go into it.
    fn format(&self, text: Option<&Expr>, values: &Expr, indent: usize) -> String {
        let text = text.map(|text| self.line(text, Precedence::Member)).unwrap_or_default();
        let ExprKind::List(values) = &values.kind else {
            return format!("{text}.format({})", self.line_text(values));
        };
        let (inner, outer) = (format!("\n{}", " ".repeat(indent + 2)), " ".repeat(indent));
        let values = values.iter().map(|it| self.fitted(&it.value, Precedence::Conditional, indent + 2));
        let values = values.collect::<Vec<_>>().join(&format!(",{inner}"));
        format!("{text}.format([{inner}{values}\n{outer}])")
    }

    /// Lays out the calls on a value, each on a line of its own. One call is broken nowhere.
    fn chain(&self, expr: &Expr, indent: usize) -> String {
        let inner = indent + 2;
        let (of, step, is_loop) = match &expr.kind {
            ExprKind::Call { function, receiver: Some(of), args } => {
                (&**of, format!(".{function}({})", self.joined(args)), false)
            }
            ExprKind::Comprehension(it) => {
                let head = self.loop_head(it);
                let body = self.fitted(&it.body, Precedence::Conditional, inner + head.chars().count() + 3);
                (&it.range, format!(".{head}, {body})"), true)
            }
            ExprKind::OptMap { flat, target, var, body } => {
                let name = opt_map_name(*flat);
                let before = inner + name.len() + var.len() + 4;
                let body = self.fitted(body, Precedence::Conditional, before);
                (&**target, format!(".{name}({var}, {body})"), true)
            }
            _ => return self.fitted(expr, Precedence::Member, indent),
        };
        if !is_loop && !is_step(of) {
            return self.line_text(expr);
        }
        format!("{}\n{}{step}", self.chain(of, indent), " ".repeat(inner))
    }
}

/// The precedence of the next operand of an operator.
fn next_of(precedence: Precedence, is_chain: bool) -> Precedence {
    match precedence {
        _ if is_chain => precedence,
        Precedence::Relation => Precedence::Sum,
        Precedence::Sum => Precedence::Product,
        _ => Precedence::Unary,
    }
}

fn tightness(expr: &Expr) -> Precedence {
    match &expr.kind {
        ExprKind::Call { function, .. } => match function.as_str() {
            operators::CONDITIONAL => Precedence::Conditional,
            operators::NOT | operators::NEGATE => Precedence::Unary,
            function => {
                let binary = BINARY.iter().find(|(name, ..)| *name == function);
                binary.map_or(Precedence::Member, |(_, _, precedence)| *precedence)
            }
        },
        ExprKind::Literal(Literal::Int(value)) if *value < 0 => Precedence::Unary,
        ExprKind::Literal(Literal::Double(value)) if *value < 0.0 => Precedence::Unary,
        _ => Precedence::Member,
    }
}

/// The operands of a chain of one operator, in their order.
pub fn chain_parts<'e>(expr: &'e Expr, operator: &str) -> Vec<&'e Expr> {
    match &expr.kind {
        ExprKind::Call { function, args, .. } if function == operator => {
            args.iter().flat_map(|arg| chain_parts(arg, operator)).collect()
        }
        _ => once(expr).collect(),
    }
}

fn is_call_of(expr: &Expr, operator: &str) -> bool {
    matches!(&expr.kind, ExprKind::Call { function, .. } if function == operator)
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Literal::String(_)))
}

fn is_quantifier(it: &Comprehension) -> bool {
    matches!(it.kind, ComprehensionKind::All | ComprehensionKind::Exists | ComprehensionKind::ExistsOne)
}

/// True for something that is done to a value.
fn is_step(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { receiver, .. } => receiver.is_some(),
        ExprKind::Comprehension(it) => !is_quantifier(it),
        ExprKind::OptMap { .. } => true,
        _ => false,
    }
}

fn loop_name(it: &Comprehension) -> &'static str {
    match it.kind {
        ComprehensionKind::All => "all",
        ComprehensionKind::Exists => "exists",
        ComprehensionKind::ExistsOne if it.var2.is_some() => "existsOne",
        ComprehensionKind::ExistsOne => "exists_one",
        ComprehensionKind::Map => "map",
        ComprehensionKind::Filter => "filter",
        ComprehensionKind::TransformList => "transformList",
        ComprehensionKind::TransformMap => "transformMap",
        ComprehensionKind::TransformMapEntry => "transformMapEntry",
    }
}

fn opt_map_name(flat: bool) -> &'static str {
    if flat { "optFlatMap" } else { "optMap" }
}

fn optional(is_optional: bool) -> String {
    if is_optional { "?".to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const EXPRESSIONS: [&str; 16] = [
        "a && (b || c) && !(d == e)",
        "(a ? b : c) ? d : e ? f : g",
        "a - (b - c) * (d + e) % -f",
        "(a == b) == c",
        "a in [1, -2, 3u] && 'x' in b['y'].z",
        "has(a.b) && a.?b.?c.orValue('d') != a[?0].orValue(\"it's\")",
        "a.all(k, v, v > 1.5e3) || a.existsOne(k, v, k == v)",
        "a.map(x, x > 1, x * 2).filter(y, y in b).exists_one(z, z == 3)",
        "a.transformMap(k, v, v != '', {k: v, ?'x': b.?c})",
        "[?a.?b, 1].size() > 0 && {'a': 1}['a'] == 1",
        "a.optMap(x, x.b).optFlatMap(y, y.?c).orValue(null) == null",
        "a.sortBy(x, x.key)[0].key == b'c'",
        "quantity(a).compareTo(quantity('1Gi')) >= 0",
        "'%s: %d'.format([a, b]) + string(c)",
        "!(a || b) && -(a + b) < 0 && !a.b.c(d)",
        "a . b . c ( d ,e )==r'\\d'",
    ];

    /// The numbers and places of nodes are not part of what an expression says.
    fn shape(expr: &Expr) -> String {
        let children: Vec<String> = expr.children().into_iter().map(shape).collect();
        let own = match &expr.kind {
            ExprKind::Literal(literal) => format!("{literal:?}"),
            ExprKind::Ident(name) => name.clone(),
            ExprKind::Select { field, .. } | ExprKind::Has { field, .. } => format!(".{field}"),
            ExprKind::Call { function, .. } => function.clone(),
            ExprKind::Comprehension(it) => {
                format!("{:?} {:?}", it.kind, it.variable_names().collect::<Vec<_>>())
            }
            ExprKind::List(items) => format!("{:?}", items.iter().map(|it| it.optional).collect::<Vec<_>>()),
            ExprKind::Map(items) => format!("{:?}", items.iter().map(|it| it.optional).collect::<Vec<_>>()),
            ExprKind::OptMap { flat, var, .. } => format!("{flat} {var}"),
            ExprKind::SortBy { var, .. } => var.clone(),
            ExprKind::Struct { type_name, .. } => type_name.clone(),
        };
        format!("({own} {})", children.join(" "))
    }

    #[test]
    fn every_layout_parses_to_the_same_expression() {
        for text in EXPRESSIONS {
            let expression = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            for width in [1, 20, 40, 100] {
                let written = expression.to_fitting_text(width);
                let parsed = parse(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
                assert_eq!(shape(&parsed.root), shape(&expression.root), "{text}\n{written}");
            }
        }
    }

    #[test]
    fn parentheses_that_the_grammar_does_not_need_are_left_out() {
        let text = parse("((a) && ((b) || (c))) == (d)").unwrap().to_fitting_text(80);
        assert_eq!(text, "(a && (b || c)) == d");
    }

    #[test]
    fn an_expression_is_broken_at_its_loosest_joints() {
        let text = "has(a.b) && a.b.all(item, item.name in ['one', 'two'] || has(item.other)) && c";
        let expected =
            "has(a.b) &&\na.b.all(item,\n  item.name in ['one', 'two'] ||\n  has(item.other)\n) &&\nc";
        assert_eq!(parse(text).unwrap().to_fitting_text(32), expected);
    }
}
