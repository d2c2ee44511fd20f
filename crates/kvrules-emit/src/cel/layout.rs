//! Expressions laid out over several lines.
//!
//! What does not fit on a line is broken at its loosest joints: after each `&&` or `||`, and around the body of
//! `all` and `exists`. Nothing else is broken, since a selection is read best in one piece.

use super::expr::Expr;
use super::print::{At, Tightness};

impl Expr {
    /// The expression on one line if it fits in `width` characters, else over several.
    pub fn layout(&self, width: usize) -> String {
        Layout { width }.fitted(self, Tightness::Conditional, 0)
    }

    /// The expression with each of its outermost parts on its own line, also where one line would do.
    pub fn broken(&self, width: usize) -> String {
        Layout { width }.broken(self, 0)
    }
}

struct Layout {
    width: usize,
}

impl Layout {
    fn fitted(&self, expr: &Expr, asked: Tightness, indent: usize) -> String {
        let line = At(expr, asked).to_string();
        if indent + line.chars().count() <= self.width {
            return line;
        }
        if expr.tightness() < asked {
            return format!("({})", self.broken(expr, indent + 1));
        }
        self.broken(expr, indent)
    }

    fn broken(&self, expr: &Expr, indent: usize) -> String {
        match expr {
            Expr::And(parts) => self.parts(parts, " &&", Tightness::Relation, indent),
            Expr::Or(parts) => self.parts(parts, " ||", Tightness::And, indent),
            Expr::All(list, variable, body) => self.loop_over(list, "all", variable, body, indent),
            Expr::Exists(list, variable, body) => self.loop_over(list, "exists", variable, body, indent),
            other => other.to_string(),
        }
    }

    fn parts(&self, parts: &[Expr], operator: &str, asked: Tightness, indent: usize) -> String {
        let separator = format!("{operator}\n{}", " ".repeat(indent));
        let laid = parts.iter().map(|part| self.part(part, asked, indent));
        laid.collect::<Vec<_>>().join(&separator)
    }

    /// A part of `&&` or `||`. The lines of a conjunction inside a disjunction stand further in, so that their
    /// belonging together is seen.
    fn part(&self, part: &Expr, asked: Tightness, indent: usize) -> String {
        let inner = if matches!(part, Expr::And(_)) { indent + 2 } else { indent };
        self.fitted(part, asked, inner)
    }

    fn loop_over(&self, list: &Expr, name: &str, variable: &str, body: &Expr, indent: usize) -> String {
        let body = self.fitted(body, Tightness::Conditional, indent + 2);
        let (list, inner, outer) = (At(list, Tightness::Member), " ".repeat(indent + 2), " ".repeat(indent));
        format!("{list}.{name}({variable},\n{inner}{body}\n{outer})")
    }
}
