//! Statements that are so or are not so: the conditions of sentences.

use super::{Quantity, Reader, Token};
use crate::words::{Path, Said, Test};

impl Reader {
    /// Something that is so or is not so.
    pub(super) fn state(&mut self) -> Option<Said> {
        let first = self.state_part()?;
        let word = if self.next_is("and") {
            "and"
        } else if self.next_is("or") {
            "or"
        } else {
            return Some(first);
        };
        let mut parts = vec![first];
        while self.eat(word) {
            parts.push(self.state_part()?);
        }
        let is_mixed = self.next_is("and") || self.next_is("or");
        (!is_mixed).then_some(if word == "and" { Said::And(parts) } else { Said::Or(parts) })
    }

    pub(super) fn state_part(&mut self) -> Option<Said> {
        let mut said = if self.eat_token(&Token::Open) {
            let inner = self.state()?;
            self.eat_token(&Token::Close).then_some(inner)?
        } else {
            self.statement()?
        };
        while self.next_is("in") {
            self.at += 1;
            let (quantity, list) = self.items_of()?;
            said = quantity.of(list, said);
        }
        Some(said)
    }

    /// ``each item of `list` ``
    pub(super) fn items_of(&mut self) -> Option<(Quantity, Path)> {
        let quantity = if self.eat("each") {
            Quantity::Each
        } else if self.eat("some") {
            Quantity::Some
        } else if self.eat("no") {
            Quantity::None
        } else {
            self.number_of_items()?
        };
        let is_plural = self.eat("items of") || self.eat("values of");
        (is_plural || self.eat("item of") || self.eat("value of")).then_some(())?;
        let list = self.path()?;
        if is_plural {
            self.read_verb_as_singular();
        }
        Some((quantity, list))
    }

    /// `at least 2`, `exactly one`, `fewer than 2 or more than 3`
    fn number_of_items(&mut self) -> Option<Quantity> {
        let number = |least, most| Some(Quantity::Number { least, most });
        if self.eat("at least") {
            return number(self.number()?, u64::MAX);
        }
        if self.eat("at most") {
            return number(0, self.number()?);
        }
        if self.eat("exactly") {
            let count = self.number()?;
            return number(count, count);
        }
        if self.eat("more than") {
            return number(self.number()? + 1, u64::MAX);
        }
        if self.eat("none or more than") {
            return Some(Quantity::Outside { least: 1, most: self.number()? });
        }
        if self.eat("fewer than") {
            let least = self.number()?;
            let most = if self.eat("or more than") { self.number()? } else { u64::MAX };
            return Some(Quantity::Outside { least, most });
        }
        let least = self.number()?;
        self.eat("to").then_some(())?;
        number(least, self.number()?)
    }

    /// Several items are, have and match what one is, has and matches.
    fn read_verb_as_singular(&mut self) {
        let verbs = [
            ("are", "is"),
            ("have", "has"),
            ("do", "does"),
            ("match", "matches"),
            ("start", "starts"),
            ("end", "ends"),
            ("contain", "contains"),
        ];
        if let Some(Token::Word(word)) = self.tokens.get_mut(self.at)
            && let Some((_, singular)) = verbs.iter().find(|(plural, _)| plural == word)
        {
            *word = (*singular).to_owned();
        }
    }

    fn statement(&mut self) -> Option<Said> {
        if self.eat("it is not the case that") {
            self.eat_token(&Token::Open).then_some(())?;
            let inner = self.demand()?;
            return self.eat_token(&Token::Close).then_some(Said::Not(Box::new(inner)));
        }
        if self.eat("all or none of") {
            let paths = self.path_list()?;
            return self.eat("are set").then_some(Said::Together(paths));
        }
        if self.eat("some but not all of") {
            let paths = self.path_list()?;
            return self.eat("are set").then_some(Said::Not(Box::new(Said::Together(paths))));
        }
        if let Some((least, most)) = self.count_of_paths() {
            let paths = self.path_list()?;
            return self.eat("is set").then_some(Said::Count { paths, least, most });
        }
        if let Some((fewer, more)) = self.other_count() {
            let paths = self.path_list()?;
            self.eat("is set").then_some(())?;
            let count = |least, most| Said::Count { paths: paths.clone(), least, most };
            let few = fewer.map(|below| count(0, below.saturating_sub(1)));
            let many = more.map(|above| count(above + 1, usize::MAX));
            return Some(Said::Or(few.into_iter().chain(many).collect()));
        }
        let start = self.at;
        if let Some((quantity, list)) = self.items_of() {
            return Some(quantity.of(list, self.predicate(Vec::new())?));
        }
        self.at = start;
        let path = self.path()?;
        self.predicate(path)
    }

    /// `none or more than one of`: fewer than the first, or more than the second.
    fn other_count(&mut self) -> Option<(Option<usize>, Option<usize>)> {
        let start = self.at;
        let count = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        let fewer = if self.eat("none") {
            Some(1)
        } else if self.eat("fewer than") {
            count(self.number())
        } else {
            None
        };
        let has_more = if fewer.is_some() { self.eat("or more than") } else { self.eat("more than") };
        let more = if has_more { count(self.number()) } else { None };
        let is_count = (fewer.is_some() || more.is_some()) && self.eat("of");
        if !is_count {
            self.at = start;
            return None;
        }
        Some((fewer, more))
    }

    pub(super) fn predicate(&mut self, path: Path) -> Option<Said> {
        let is = |test: Test| Said::Passes { path: path.clone(), test, if_absent: false };
        let not = |said: Said| Said::Not(Box::new(said));
        if self.eat("is set") {
            return Some(Said::Set(path));
        }
        if self.eat("is not set") {
            return Some(not(Said::Set(path)));
        }
        if self.eat("matches") {
            return Some(is(Test::Matches(self.code()?)));
        }
        if self.eat("does not match") {
            return Some(not(is(Test::Matches(self.code()?))));
        }
        if self.next_is("starts with") || self.next_is("ends with") || self.next_is("contains") {
            return Some(match self.content_test()? {
                Test::Fails(test) => not(is(*test)),
                test => is(test),
            });
        }
        if ["does not start", "does not end", "does not contain"].iter().any(|words| self.next_is(words)) {
            self.at += 2;
            return Some(not(is(self.content_test()?)));
        }
        for (words, is_so) in [("has no equal items", true), ("has equal items", false)] {
            if self.eat(words) {
                let unique = is(Test::Unique(Vec::new()));
                return Some(if is_so { unique } else { not(unique) });
            }
        }
        for (words, is_so) in [("has no two items with equal", true), ("has two items with equal", false)] {
            if self.eat(words) {
                let unique = is(Test::Unique(self.keys()?));
                return Some(if is_so { unique } else { not(unique) });
            }
        }
        if self.eat("has") {
            return Some(is(self.counted()?));
        }
        if self.eat("does not have") {
            return Some(not(is(self.counted()?)));
        }
        if self.eat("is neither") {
            return Some(not(is(Test::OneOf(self.choices("nor")?))));
        }
        if self.eat("is none of") {
            return Some(not(is(Test::OneOf(self.choices("and")?))));
        }
        let is_so = !self.eat("is not");
        if is_so && !self.eat("is") {
            return None;
        }
        let said = if self.eat("among") {
            Said::Among(path, self.path()?)
        } else if let Some((how, other)) = self.order() {
            Said::Compares { one: path, how, other, if_absent: false }
        } else {
            is(self.value_test("or")?)
        };
        Some(if is_so { said } else { not(said) })
    }
}
