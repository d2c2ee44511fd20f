//! Statements about the value of a field.

use super::super::said::{Limit, Test};
use super::{Reader, Token};

impl Reader {
    /// Statements about a value with `and` or `or` between; the second is true for `or`.
    pub(super) fn phrases(&mut self, is_requirement: bool) -> Option<(Vec<Test>, bool)> {
        let mut tests = Vec::new();
        let mut verb = self.verb(is_requirement)?;
        let mut word: Option<&str> = None;
        loop {
            tests.extend(self.object(verb)?);
            let start = self.at;
            let found = if self.eat("and") {
                "and"
            } else if self.eat("or") {
                "or"
            } else {
                break;
            };
            if let Some(next) = self.verb(is_requirement) {
                verb = next;
            } else if !self.starts_object() {
                self.at = start;
                break;
            }
            if word.is_some_and(|word| word != found) {
                return None;
            }
            word = Some(found);
        }
        Some((tests, word == Some("or")))
    }

    pub(super) fn verb(&mut self, is_requirement: bool) -> Option<&'static str> {
        let verbs: [(&str, &'static str); 4] = if is_requirement {
            [("be", "be"), ("have", "have"), ("match", "match"), ("contain", "contain")]
        } else {
            [("is", "be"), ("has", "have"), ("matches", "match"), ("contains", "contain")]
        };
        self.attempt(|reader| {
            if is_requirement && !reader.modal() {
                return None;
            }
            verbs.iter().find(|(word, _)| reader.eat(word)).map(|(_, verb)| *verb)
        })
    }

    /// True if a statement without its verb follows.
    fn starts_object(&self) -> bool {
        let starts = [
            "at least",
            "at most",
            "exactly",
            "between",
            "equal to",
            "one of",
            "written as",
            "an integer",
            "a string",
        ];
        let is_value = matches!(self.tokens.get(self.at), Some(Token::Code(code)) if !code.starts_with('.'));
        is_value || starts.iter().any(|words| self.next_is(words)) && !self.next_is("at least one")
    }

    /// Tests that a value has to pass, all of them.
    pub(super) fn object(&mut self, verb: &str) -> Option<Vec<Test>> {
        match verb {
            "match" => self.eat("the regular expression").then_some(())?,
            "contain" => self.eat("a match of the regular expression").then_some(())?,
            "have" => {
                let range = self.range()?;
                (self.eat("characters") || self.eat("character")).then_some(())?;
                self.eat("when written as a string");
                return Some(vec![Test::Characters(range)]);
            }
            _ => return self.state(),
        }
        Some(vec![Test::Matches(self.code()?)])
    }

    pub(super) fn state(&mut self) -> Option<Vec<Test>> {
        if self.eat("a string") {
            return Some(vec![Test::Text]);
        }
        if self.eat("a single value") {
            (self.mark(',') && self.eat("not an object or a list")).then_some(())?;
            return Some(vec![Test::Scalar]);
        }
        if self.eat("a whole number of bytes") {
            return Some(vec![Test::Integer]);
        }
        if self.eat("an integer") {
            let mut tests = vec![Test::Integer];
            if self.eat("of") || self.next_is("between") {
                tests.extend(self.range()?);
            }
            return Some(tests);
        }
        if self.eat("equal to") {
            return Some(vec![Test::EqualTo(self.measure()?.1)]);
        }
        self.eat("written as");
        let is_choice = self.eat("one of");
        if is_choice && self.eat("an empty list of values") {
            return Some(vec![Test::OneOf(Vec::new())]);
        }
        if let Some(Token::Code(_)) = self.tokens.get(self.at) {
            let mut values = vec![self.value()?];
            while is_choice && self.mark(',') {
                values.push(self.value()?);
            }
            // The last of the values, or the other of two.
            let last = self.attempt(|reader| reader.eat("or").then(|| reader.value()).flatten());
            values.extend(last);
            return Some(vec![Test::OneOf(values)]);
        }
        self.range()
    }

    /// A value as code, or in quotation marks.
    pub(super) fn value(&mut self) -> Option<String> {
        let code = self.code()?;
        match code.strip_prefix('"') {
            Some(_) => serde_json::from_str(&code).ok(),
            None => Some(code),
        }
    }

    /// `at least 1`, `exactly 2`, `between 1 and 3`
    pub(super) fn range(&mut self) -> Option<Vec<Test>> {
        if self.eat("exactly") {
            let number = self.number()?;
            return Some(vec![Test::AtLeast(Limit::Number(number)), Test::AtMost(Limit::Number(number))]);
        }
        if self.eat("between") {
            let least = self.number()?;
            self.eat("and").then_some(())?;
            let most = self.number()?;
            return Some(vec![Test::AtLeast(Limit::Number(least)), Test::AtMost(Limit::Number(most))]);
        }
        let is_least = self.eat("at least");
        if !is_least && !self.eat("at most") {
            return None;
        }
        let limit = match self.attempt(Self::number) {
            Some(number) => Limit::Number(number),
            None => Limit::Of(self.measure()?.1),
        };
        Some(vec![if is_least { Test::AtLeast(limit) } else { Test::AtMost(limit) }])
    }

    /// `3`, `2 bytes`, `1.5 GiB (1610612736 bytes)`
    pub(super) fn number(&mut self) -> Option<i64> {
        let Some(Token::Word(word)) = self.tokens.get(self.at) else { return None };
        let word = word.clone();
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        is_number.then(|| self.at += 1)?;
        if self.eat("bytes") || self.eat("byte") {
            return word.parse().ok();
        }
        let unit = ["KiB", "MiB", "GiB", "TiB"].into_iter().find(|unit| self.eat(unit));
        if unit.is_none() {
            return word.parse().ok();
        }
        self.mark('(').then_some(())?;
        let exact = self.number();
        self.mark(')').then_some(exact)?
    }
}
