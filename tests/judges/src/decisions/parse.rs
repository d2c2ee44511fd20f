//! Reads the part of CEL that the judge knows, in which kvrules writes equivalent forms.

use super::expression::{Expr, Function, Macro, Op};
use super::value::Val;

/// Reads an expression; `None` if it uses something that the judge does not know.
pub(crate) fn parse_expression(text: &str) -> Option<Expr> {
    let mut parser = Parser { tokens: split_tokens(text)?, at: 0 };
    let expr = parser.conditional()?;
    (parser.at == parser.tokens.len()).then_some(expr)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Int(i64),
    Double(f64),
    Text(String),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 24] = [
    "||", "&&", "==", "!=", "<=", ">=", ".?", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",",
    "(", ")", "[", "]", "in",
];

fn split_tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end_of = |is_part: fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let length = if first.is_ascii_alphabetic() || first == '_' {
            let end = end_of(|c| c.is_ascii_alphanumeric() || c == '_');
            let name = &rest[..end];
            tokens.push(if name == "in" { Token::Sign("in") } else { Token::Name(name.to_owned()) });
            end
        } else if first.is_ascii_digit() {
            let end = end_of(|c| c.is_ascii_digit() || c == '.');
            let number = &rest[..end];
            tokens.push(match number.parse() {
                Ok(value) => Token::Int(value),
                Err(_) => Token::Double(number.parse().ok()?),
            });
            end
        } else if matches!(first, '\'' | '"') {
            let end = rest[1..].find(first)? + 1;
            let inside = &rest[1..end];
            if inside.contains('\\') {
                return None;
            }
            tokens.push(Token::Text(inside.to_owned()));
            end + 1
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn take(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Sign(known)) if *known == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Option<()> {
        self.take(sign).then_some(())
    }

    fn name(&mut self) -> Option<String> {
        let Some(Token::Name(name)) = self.tokens.get(self.at).cloned() else { return None };
        self.at += 1;
        Some(name)
    }

    fn conditional(&mut self) -> Option<Expr> {
        let test = self.binary(1)?;
        if !self.take("?") {
            return Some(test);
        }
        let one = self.binary(1)?;
        self.expect(":")?;
        Some(Expr::Cond(Box::new(test), Box::new(one), Box::new(self.conditional()?)))
    }

    fn binary(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.unary()?;
        loop {
            let Some(Token::Sign(sign)) = self.tokens.get(self.at) else { return Some(left) };
            let known = Op::NAMES.iter().find(|(name, _, level)| name == sign && *level >= least);
            let Some((_, op, level)) = known else { return Some(left) };
            self.at += 1;
            left = Expr::bin(*op, left, self.binary(level + 1)?);
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        if self.take("!") {
            return Some(self.unary()?.negated());
        }
        if self.take("-") {
            return Some(match self.unary()? {
                Expr::Lit(Val::Int(value)) => Expr::int(-value),
                Expr::Lit(Val::Double(value)) => Expr::Lit(Val::Double(-value)),
                other => Expr::Neg(Box::new(other)),
            });
        }
        self.member()
    }

    fn member(&mut self) -> Option<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.take(".?") {
                let field = self.name()?;
                self.expect(".")?;
                let name = self.name()?;
                self.expect("(")?;
                let default = self.arguments(")")?.pop().filter(|_| name == "orValue")?;
                expr = Expr::OrValue(Box::new(expr), field, Box::new(default));
            } else if self.take(".") {
                let name = self.name()?;
                expr = if self.take("(") { self.method(expr, &name)? } else { expr.dot(&name) };
            } else if self.take("[") {
                let index = self.conditional()?;
                self.expect("]")?;
                expr = Expr::Index(Box::new(expr), Box::new(index));
            } else {
                return Some(expr);
            }
        }
    }

    fn method(&mut self, receiver: Expr, name: &str) -> Option<Expr> {
        if let Some((_, kind)) = Macro::NAMES.iter().find(|(known, _)| *known == name) {
            let variable = self.name()?;
            self.expect(",")?;
            let body = self.conditional()?;
            self.expect(")")?;
            return Some(Expr::Macro(*kind, Box::new(receiver), variable, Box::new(body)));
        }
        let (_, function, _) = Function::NAMES
            .iter()
            .find(|(known, _, is_method)| *known == name && (*is_method || name == "size"))?;
        let mut arguments = vec![receiver];
        arguments.extend(self.arguments(")")?);
        Some(Expr::Call(*function, arguments))
    }

    fn arguments(&mut self, end: &str) -> Option<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.take(end) {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.conditional()?);
        }
        Some(arguments)
    }

    fn primary(&mut self) -> Option<Expr> {
        if self.take("(") {
            let inner = self.conditional()?;
            self.expect(")")?;
            return Some(inner);
        }
        if self.take("[") {
            return Some(Expr::List(self.arguments("]")?));
        }
        let token = self.tokens.get(self.at).cloned()?;
        self.at += 1;
        match token {
            Token::Int(value) => Some(Expr::int(value)),
            Token::Double(value) => Some(Expr::Lit(Val::Double(value))),
            Token::Text(text) => Some(Expr::text(&text)),
            Token::Name(name) if name == "true" || name == "false" => {
                Some(Expr::Lit(Val::Bool(name == "true")))
            }
            Token::Name(name) if self.take("(") => self.function(&name),
            Token::Name(name) => Some(Expr::Var(name)),
            Token::Sign(_) => None,
        }
    }

    fn function(&mut self, name: &str) -> Option<Expr> {
        let mut arguments = self.arguments(")")?;
        if name == "has" {
            return match arguments.pop()? {
                Expr::Field(target, field) => Some(Expr::Has(target, field)),
                _ => None,
            };
        }
        let (_, function, _) =
            Function::NAMES.iter().find(|(known, _, is_method)| *known == name && !is_method)?;
        Some(Expr::Call(*function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::Place;
    use super::*;
    use crate::Random;

    #[test]
    fn rules_are_read_as_they_were_written() {
        let mut random = Random::new(8);
        let places: Vec<Place> = (0..200).map(|_| Place::generate(&mut random)).collect();
        for rule in places.iter().flat_map(|place| &place.rules) {
            let read = parse_expression(&rule.text).map(|expr| expr.to_string());
            assert_eq!(read.as_deref(), Some(rule.text.as_str()));
        }
    }

    #[test]
    fn what_the_judge_does_not_know_is_not_read() {
        for text in ["self.map(x, x, 1)", "ip(self)", "self.?a", "1 +", "{'a': 1}"] {
            assert!(parse_expression(text).is_none(), "{text}");
        }
    }
}
