//! Reads the terms in sentences: paths, literals and calls, in CEL, where the name of a field stands for that of the value.

use crate::decisions::expression::{Expr, Function, Op};
use crate::decisions::value::Val;

/// Reads a term; `None` if it has something that the judge does not know. `names` are the variables.
pub(super) fn read_term(code: &str, names: &[String]) -> Option<Expr> {
    let mut reader = TermReader { rest: code.trim(), names };
    let term = reader.term(0)?;
    reader.rest.trim().is_empty().then_some(term)
}

struct TermReader<'c> {
    rest: &'c str,
    names: &'c [String],
}

impl TermReader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A term whose operators bind at least so much.
    fn term(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.unary()?;
        loop {
            let signs = [
                ("+", Op::Add, 1),
                ("-", Op::Sub, 1),
                ("*", Op::Mul, 2),
                ("/", Op::Div, 2),
                ("%", Op::Mod, 2),
            ];
            let found = signs.into_iter().find(|(sign, _, level)| *level >= least.max(1) && self.eat(sign));
            let Some((_, op, level)) = found else { return Some(left) };
            left = Expr::bin(op, left, self.term(level + 1)?);
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        let rest = self.rest.trim_start();
        let is_number = rest.strip_prefix('-').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        if !is_number && self.eat("-") {
            return Some(Expr::Neg(Box::new(self.unary()?)));
        }
        let mut term = self.primary()?;
        loop {
            if self.eat("[") {
                let index = self.term(0)?;
                self.eat("]").then_some(())?;
                term = match index {
                    Expr::Lit(Val::Str(name)) => term.dot(&name),
                    index => Expr::Index(Box::new(term), Box::new(index)),
                };
            } else if self.eat(".") {
                let name = self.name()?;
                term = if self.eat("(") {
                    let mut arguments = vec![term];
                    arguments.extend(self.arguments(")")?);
                    Expr::Call(function(&name)?, arguments)
                } else {
                    term.dot(&name)
                };
            } else {
                return Some(term);
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        self.rest = if is_name { after } else { self.rest };
        is_name.then(|| name.to_owned())
    }

    fn arguments(&mut self, end: &str) -> Option<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.eat(end) {
            return Some(arguments);
        }
        loop {
            arguments.push(self.term(0)?);
            if !self.eat(",") {
                return self.eat(end).then_some(arguments);
            }
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        if self.eat("(") {
            let inner = self.term(0)?;
            return self.eat(")").then_some(inner);
        }
        if self.eat("[") {
            return Some(Expr::List(self.arguments("]")?));
        }
        let rest = self.rest.trim_start();
        if rest.starts_with('"') {
            return self.text();
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return self.number();
        }
        let name = self.name()?;
        if self.eat("(") {
            return Some(Expr::Call(function(&name)?, self.arguments(")")?));
        }
        Some(match name.as_str() {
            "true" => Expr::Lit(Val::Bool(true)),
            "false" => Expr::Lit(Val::Bool(false)),
            // Types are values, too.
            "self" | "oldSelf" | "int" | "string" => Expr::Var(name),
            _ if self.names.contains(&name) => Expr::Var(name),
            _ => Expr::var("self").dot(&name),
        })
    }

    fn text(&mut self) -> Option<Expr> {
        let rest = self.rest.trim_start();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let text = stream.next()?.ok()?;
        self.rest = rest.get(stream.byte_offset()..)?;
        Some(Expr::text(&text))
    }

    fn number(&mut self) -> Option<Expr> {
        let rest = self.rest.trim_start();
        let is_part = |(at, c): &(usize, char)| !(c.is_ascii_digit() || *c == '.' || *at == 0 && *c == '-');
        let end = rest.char_indices().find(is_part).map_or(rest.len(), |(at, _)| at);
        let (number, after) = rest.split_at(end);
        // A unit makes it a duration or a quantity.
        if after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        self.rest = after;
        match number.parse::<i64>() {
            Ok(number) => Some(Expr::int(number)),
            Err(_) => number.parse().ok().map(|number| Expr::Lit(Val::Double(number))),
        }
    }
}

fn function(name: &str) -> Option<Function> {
    Function::NAMES.iter().find(|(known, ..)| *known == name).map(|(_, function, _)| *function)
}
