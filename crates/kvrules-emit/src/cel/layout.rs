//! Expressions laid out over several lines.
//!
//! An expression that does not fit on a line is broken at its loosest joints: after each `&&` or `||`, around the body of
//! `all` and `exists`, before the outcomes of a condition, and before each step of what is done to a list. Nothing else
//! is broken, since a selection is read best in one piece.

use super::expr::{Expr, Operator};
use super::print::{ExprAt, Precedence};

impl Expr {
    /// The expression on one line if it fits in `width` characters, else over several.
    pub fn to_fitting_text(&self, width: usize) -> String {
        ExprLayout { width }.fitted(self, Precedence::Conditional, 0)
    }

    /// The expression with each of its outermost parts on its own line, also where one line would do.
    pub fn to_broken_text(&self, width: usize) -> String {
        ExprLayout { width }.lay_out_broken(self, 0)
    }
}

struct ExprLayout {
    width: usize,
}

impl ExprLayout {
    fn fitted(&self, expr: &Expr, required: Precedence, indent: usize) -> String {
        let line = ExprAt(expr, required).to_string();
        if indent + line.chars().count() <= self.width {
            return line;
        }
        if expr.tightness() < required {
            return format!("({})", self.lay_out_broken(expr, indent + 1));
        }
        self.lay_out_broken(expr, indent)
    }

    fn lay_out_broken(&self, expr: &Expr, indent: usize) -> String {
        match expr {
            Expr::And(parts) => self.parts(parts, " &&", Precedence::Relation, indent),
            Expr::Or(parts) => self.parts(parts, " ||", Precedence::And, indent),
            Expr::All(list, variable, body) => self.loop_over(list, "all", variable, body, indent),
            Expr::Exists(list, variable, body) => self.loop_over(list, "exists", variable, body, indent),
            Expr::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, indent)
            }
            Expr::Method(text, "format", values) if matches!(**text, Expr::Text(_)) => {
                self.format(text, values, indent)
            }
            Expr::Method(..) | Expr::Comprehension(..) => self.chain(expr, indent),
            Expr::Binary(left, Operator::In, right) => match &**right {
                Expr::List(items) => self.one_of(left, items, indent),
                _ => expr.to_string(),
            },
            other => other.to_string(),
        }
    }

    fn parts(&self, parts: &[Expr], operator: &str, required: Precedence, indent: usize) -> String {
        let separator = format!("{operator}\n{}", " ".repeat(indent));
        let laid = parts.iter().map(|part| self.part(part, required, indent));
        laid.collect::<Vec<_>>().join(&separator)
    }

    /// A part of `&&` or `||`. The lines of a conjunction inside a disjunction stand further in, so that their
    /// belonging together is seen.
    fn part(&self, part: &Expr, required: Precedence, indent: usize) -> String {
        let inner = if matches!(part, Expr::And(_)) { indent + 2 } else { indent };
        self.fitted(part, required, inner)
    }

    fn loop_over(&self, list: &Expr, name: &str, variable: &str, body: &Expr, indent: usize) -> String {
        let body = self.fitted(body, Precedence::Conditional, indent + 2);
        let (list, inner, outer) =
            (ExprAt(list, Precedence::Member), " ".repeat(indent + 2), " ".repeat(indent));
        format!("{list}.{name}({variable},\n{inner}{body}\n{outer})")
    }

    /// The lines of a list are filled.
    fn one_of(&self, left: &Expr, items: &[Expr], indent: usize) -> String {
        let inner = " ".repeat(indent + 2);
        let mut lines = vec![inner.clone()];
        for (position, item) in items.iter().enumerate() {
            let comma = if position + 1 < items.len() { "," } else { "" };
            let item = format!("{item}{comma}");
            match lines.last_mut() {
                Some(line) if *line == inner => line.push_str(&item),
                Some(line) if line.chars().count() + 1 + item.chars().count() <= self.width => {
                    line.push(' ');
                    line.push_str(&item);
                }
                _ => lines.push(format!("{inner}{item}")),
            }
        }
        let left = ExprAt(left, Precedence::Sum);
        format!("{left} in [\n{}\n{}]", lines.join("\n"), " ".repeat(indent))
    }

    /// Each outcome on a line of its own, further in than the condition.
    fn conditional(&self, condition: &Expr, then: &Expr, otherwise: &Expr, indent: usize) -> String {
        let separator = format!("\n{}", " ".repeat(indent + 2));
        let condition = self.fitted(condition, Precedence::Or, indent);
        let then = self.fitted(then, Precedence::Or, indent + 4);
        let otherwise = self.fitted(otherwise, Precedence::Conditional, indent + 4);
        format!("{condition}{separator}? {then}{separator}: {otherwise}")
    }

    /// The text first, then the values that go into it.
    fn format(&self, text: &Expr, values: &[Expr], indent: usize) -> String {
        let [Expr::List(values)] = values else { return text.to_string() };
        let (inner, outer) = (format!("\n{}", " ".repeat(indent + 2)), " ".repeat(indent));
        let values = values.iter().map(|value| self.fitted(value, Precedence::Conditional, indent + 2));
        let values = values.collect::<Vec<_>>().join(&format!(",{inner}"));
        format!("{text}.format([{inner}{values}\n{outer}])")
    }

    /// Lays out the calls on a value, each on a line of its own.
    fn chain(&self, expr: &Expr, indent: usize) -> String {
        let inner = indent + 2;
        let (of, step) = match expr {
            Expr::Method(of, name, arguments) => {
                let arguments = arguments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                (of, format!(".{name}({arguments})"))
            }
            Expr::Comprehension(of, name, variable, body) => {
                let before = inner + name.len() + variable.len() + 4;
                (of, format!(".{name}({variable}, {})", self.fitted(body, Precedence::Conditional, before)))
            }
            _ => return self.fitted(expr, Precedence::Member, indent),
        };
        if !matches!(**of, Expr::Method(..) | Expr::Comprehension(..)) && matches!(expr, Expr::Method(..)) {
            return expr.to_string(); // one step is no chain
        }
        format!("{}\n{}{step}", self.chain(of, indent), " ".repeat(inner))
    }
}
