//! Reads the sentences of kvrules back: a grammar of our own English, which takes nothing from the code that writes it. A sentence with two
//! readings is refused, as is every word that the grammar does not know.

mod states;

use crate::words::{Change, Order, Path, Said, Step, Test, magnitude, read_path};

/// Reads the sentence of a rule; `None` if it is not understood.
pub fn read_demand(sentence: &str) -> Option<Said> {
    let mut reader = Reader { tokens: split_tokens(sentence)?, at: 0, subject: None };
    let said = reader.demand()?;
    (reader.at == reader.tokens.len()).then_some(said)
}

/// Reads the sentence of a part of a rule: the path of the values that it is about, and what is so or not; `None` if it is not understood.
pub fn read_part(sentence: &str) -> Option<(Path, Said)> {
    let mut reader = Reader { tokens: split_tokens(sentence)?, at: 0, subject: None };
    let mut scope = Path::new();
    loop {
        let start = reader.at;
        let is_each = reader.eat("in each item of") || reader.eat("in each value of");
        if !is_each && !reader.eat("in") {
            break;
        }
        match reader.path() {
            Some(place) if reader.eat_token(&Token::Comma) => {
                scope.extend(place.into_iter().chain(is_each.then_some(Step::Each)));
            }
            _ => {
                reader.at = start;
                break;
            }
        }
    }
    // Changes are described as requirements.
    let start = reader.at;
    let state = reader.state().filter(|_| reader.at == reader.tokens.len());
    let said = match state {
        Some(said) => said,
        None => {
            reader.at = start;
            reader.demand()?
        }
    };
    (reader.at == reader.tokens.len()).then_some((scope, said))
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Code(String),
    Comma,
    Open,
    Close,
}

fn split_tokens(sentence: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = sentence.trim();
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let (token, after) = match first {
            '`' => {
                let (code, after) = after.split_once('`')?;
                (Token::Code(code.to_owned()), after)
            }
            ',' => (Token::Comma, after),
            '(' => (Token::Open, after),
            ')' => (Token::Close, after),
            _ => {
                let end = rest.find([' ', ',', '(', ')', '`']).unwrap_or(rest.len());
                (Token::Word(rest[..end].to_owned()), &rest[end..])
            }
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    /// The subject of the demand before.
    subject: Option<Path>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn next_is(&self, words: &str) -> bool {
        let is_word = |(ahead, word): (usize, &str)| matches!(self.peek(ahead), Some(Token::Word(found)) if found == word);
        words.split(' ').enumerate().all(is_word)
    }

    fn eat(&mut self, words: &str) -> bool {
        let is_next = self.next_is(words);
        if is_next {
            self.at += words.split(' ').count();
        }
        is_next
    }

    fn eat_token(&mut self, token: &Token) -> bool {
        let is_next = self.peek(0) == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn code(&mut self) -> Option<String> {
        let Some(Token::Code(code)) = self.peek(0) else { return None };
        let code = code.clone();
        self.at += 1;
        Some(code)
    }

    fn path(&mut self) -> Option<Path> {
        if self.eat("the value") || self.eat("it") {
            return Some(Vec::new());
        }
        read_path(&self.code()?)
    }

    /// A listed value. One without characters to see is in quotation marks.
    fn value(&mut self) -> Option<String> {
        let code = self.code()?;
        Some(serde_json::from_str::<String>(&code).unwrap_or(code))
    }

    /// A limit, such as `2` or `512Mi`.
    fn limit(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.peek(0) else { return None };
        let word = word.clone();
        magnitude(&word)?;
        self.at += 1;
        Some(word)
    }

    fn number(&mut self) -> Option<u64> {
        if self.eat("one") {
            return Some(1);
        }
        let Some(Token::Word(word)) = self.peek(0) else { return None };
        let number = word.parse().ok()?;
        self.at += 1;
        Some(number)
    }

    /// What a rule requires, to the end of the sentence or of the parentheses.
    fn demand(&mut self) -> Option<Said> {
        if self.eat("if") {
            let case = self.state()?;
            self.eat_token(&Token::Comma).then_some(())?;
            return Some(Said::Or(vec![Said::Not(Box::new(case)), self.demand()?]));
        }
        if self.eat("unless") {
            let case = self.state()?;
            self.eat_token(&Token::Comma).then_some(())?;
            return Some(Said::Or(vec![case, self.demand()?]));
        }
        if self.eat("in each item of") || self.eat("in each value of") {
            let (lists, only_set) = self.lists_before_comma()?;
            let mut said = self.demand()?;
            if only_set {
                said = Said::Or(vec![Said::Not(Box::new(Said::Set(Path::new()))), said]);
            }
            let each = |list: Path| Said::Each(list, Box::new(said.clone()));
            return Some(Said::And(lists.into_iter().map(each).collect()));
        }
        if self.eat("in") {
            let place = self.path()?;
            self.eat_token(&Token::Comma).then_some(())?;
            return Some(Said::Within(place, Box::new(self.demand()?)));
        }
        let first = self.demand_part()?;
        self.joined_demands(first)
    }

    fn joined_demands(&mut self, first: Said) -> Option<Said> {
        let word = if self.next_is("and") {
            "and"
        } else if self.next_is("or") {
            "or"
        } else {
            return Some(first);
        };
        let mut parts = vec![first];
        while self.eat(word) {
            // Such a part reaches to the end.
            let reaches_to_end = self.next_is("if") || self.next_is("in") || self.next_is("unless");
            parts.push(if reaches_to_end { self.demand()? } else { self.demand_part()? });
        }
        // Both words without parentheses would have two readings.
        let is_mixed = self.next_is("and") || self.next_is("or");
        (!is_mixed).then_some(if word == "and" { Said::And(parts) } else { Said::Or(parts) })
    }

    fn demand_part(&mut self) -> Option<Said> {
        if self.eat_token(&Token::Open) {
            let inner = self.demand()?;
            return self.eat_token(&Token::Close).then_some(inner);
        }
        if self.eat("it is required that") {
            return self.state();
        }
        if self.eat("items of") || self.eat("keys of") {
            let path = self.path()?;
            return self.eat("must not be removed").then_some(Said::Changes(path, Change::OnlyAdded));
        }
        if let Some((least, most)) = self.count_of_paths() {
            let paths = self.path_list()?;
            return self.eat("must be set").then_some(Said::Count { paths, least, most });
        }
        let is_list = matches!(self.peek(1), Some(Token::Comma)) || {
            matches!(self.peek(0), Some(Token::Code(_)))
                && matches!(self.peek(1), Some(Token::Word(word)) if word == "and")
        };
        if is_list {
            let paths = self.path_list()?;
            return self.eat("must be set together").then_some(Said::Together(paths));
        }
        let continues = ["must", "is required"].iter().any(|words| self.next_is(words));
        let subject = if continues { self.subject.clone()? } else { self.path()? };
        self.subject = Some(subject.clone());
        self.required_of(subject)
    }

    /// What is required of a subject.
    fn required_of(&mut self, path: Path) -> Option<Said> {
        if self.eat("is required") {
            return Some(Said::Set(path));
        }
        if self.eat("must not be set") {
            return Some(Said::Not(Box::new(Said::Set(path))));
        }
        if self.eat("is immutable once set") {
            return Some(Said::Changes(path, Change::OnceSet));
        }
        if self.eat("is immutable while it is set") {
            return Some(Said::Changes(path, Change::WhileSet));
        }
        if self.eat("is immutable") {
            return Some(Said::Changes(path, Change::Never));
        }
        if self.eat("must not change") {
            return Some(Said::Changes(path, Change::Steps(Vec::new())));
        }
        if self.eat("may change only") {
            return Some(Said::Changes(path, Change::Steps(self.steps()?)));
        }
        if self.eat("must be among") {
            return Some(Said::Among(path, self.path()?));
        }
        if self.eat("must not have equal items") {
            return Some(passes(path, Test::Unique(Vec::new())));
        }
        if self.eat("must not have two items with equal") {
            return Some(passes(path, Test::Unique(self.keys()?)));
        }
        if self.eat("must have equal items") {
            return Some(passes(path, Test::Fails(Box::new(Test::Unique(Vec::new())))));
        }
        if self.eat("must have two items with equal") {
            return Some(passes(path, Test::Fails(Box::new(Test::Unique(self.keys()?)))));
        }
        if self.eat("must have") {
            return Some(passes(path, self.counted()?));
        }
        if self.eat("must match") {
            return Some(passes(path, Test::Matches(self.code()?)));
        }
        if self.eat("must not") {
            let test = self.denied_test()?;
            return Some(passes(path, Test::Fails(Box::new(test))));
        }
        if self.next_is("must start") || self.next_is("must end") || self.next_is("must contain") {
            self.at += 1;
            return Some(passes(path, self.content_test()?));
        }
        if self.eat("must be neither") {
            return Some(passes(path, Test::Fails(Box::new(Test::OneOf(self.choices("nor")?)))));
        }
        if self.eat("must be none of") {
            return Some(passes(path, Test::Fails(Box::new(Test::OneOf(self.choices("and")?)))));
        }
        self.eat("must be").then_some(())?;
        if let Some((how, other)) = self.order() {
            return Some(Said::Compares { one: path, how, other, if_absent: true });
        }
        Some(passes(path, self.value_test("or")?))
    }

    /// The test behind `must not` or `does not`.
    fn denied_test(&mut self) -> Option<Test> {
        if self.eat("match") {
            return Some(Test::Matches(self.code()?));
        }
        if self.eat("have") {
            return self.counted();
        }
        if self.eat("be") {
            return self.value_test("or");
        }
        self.content_test()
    }

    /// ``start with `a` or `b` ``, ``contains neither `a` nor `b` ``
    fn content_test(&mut self) -> Option<Test> {
        let test = if self.eat("start with") || self.eat("starts with") {
            Test::Starts
        } else if self.eat("end with") || self.eat("ends with") {
            Test::Ends
        } else if self.eat("contain") || self.eat("contains") {
            Test::Contains
        } else {
            return None;
        };
        if self.eat("neither") {
            return Some(Test::Fails(Box::new(test(self.choices("nor")?))));
        }
        if self.eat("none of") {
            return Some(Test::Fails(Box::new(test(self.choices("and")?))));
        }
        Some(test(self.choices("or")?))
    }

    /// ``from `a` to `b` or `c`, from `b` to `d` ``
    fn steps(&mut self) -> Option<Vec<(String, Vec<String>)>> {
        let mut steps = Vec::new();
        while self.eat("from") {
            let from = self.code()?;
            self.eat("to").then_some(())?;
            steps.push((from, self.choices("or")?));
            let is_more = self.peek(0) == Some(&Token::Comma)
                && matches!(self.peek(1), Some(Token::Word(word)) if word == "from");
            self.at += usize::from(is_more);
        }
        Some(steps)
    }

    /// A comparison with another path.
    fn order(&mut self) -> Option<(Order, Path)> {
        let start = self.at;
        for (words, how) in [
            ("at least", Order::AtLeast),
            ("at most", Order::AtMost),
            ("greater than", Order::Above),
            ("less than", Order::Below),
            ("equal to", Order::Equal),
            ("different from", Order::Different),
        ] {
            if self.eat(words) {
                match self.path() {
                    Some(other) => return Some((how, other)),
                    None => self.at = start,
                }
            }
        }
        None
    }

    /// A range, a choice or a format.
    fn value_test(&mut self, word: &str) -> Option<Test> {
        for (words, test) in [
            ("an IP address", Test::Ip),
            ("a DNS label", Test::DnsLabel),
            ("a DNS subdomain", Test::DnsSubdomain),
        ] {
            if self.eat(words) {
                return Some(test);
            }
        }
        for (words, test) in [("a quantity", Test::Quantity), ("a range of IP addresses", Test::Cidr)] {
            if self.eat(words) {
                let is_example = self.eat_token(&Token::Comma) && self.eat("such as");
                return is_example.then(|| self.code())?.map(|_| test);
            }
        }
        if matches!(self.peek(0), Some(Token::Code(_))) {
            return Some(Test::OneOf(self.choices(word)?));
        }
        if self.eat_token(&Token::Open) {
            let range = self.range()?;
            return self.eat_token(&Token::Close).then_some(range);
        }
        self.range()
    }

    fn range(&mut self) -> Option<Test> {
        if self.eat("any number") {
            return Some(Test::Quantity);
        }
        if self.eat("from") {
            let low = self.limit()?;
            self.eat("to").then_some(())?;
            return Some(within(low, self.limit()?));
        }
        if let Some(limit) = self.limit() {
            return Some(within(limit.clone(), limit));
        }
        let mut sides = vec![self.side()?];
        while self.next_is("and") {
            let start = self.at;
            self.at += 1;
            match self.side() {
                Some(side) => sides.push(side),
                None => {
                    self.at = start;
                    break;
                }
            }
        }
        Some(Test::All(sides))
    }

    fn side(&mut self) -> Option<Test> {
        let start = self.at;
        let side = if self.eat("at least") {
            self.limit().map(|limit| Test::Above { limit, included: true })
        } else if self.eat("greater than") {
            self.limit().map(|limit| Test::Above { limit, included: false })
        } else if self.eat("at most") {
            self.limit().map(|limit| Test::Below { limit, included: true })
        } else if self.eat("less than") {
            self.limit().map(|limit| Test::Below { limit, included: false })
        } else {
            None
        };
        if side.is_none() {
            self.at = start;
        }
        side
    }

    /// `2 to 10 items`
    fn counted(&mut self) -> Option<Test> {
        let (least, most) = if self.eat("exactly") {
            let number = self.number()?;
            (number, number)
        } else if self.eat("at least") {
            (self.number()?, u64::MAX)
        } else if self.eat("at most") {
            (0, self.number()?)
        } else {
            let least = self.number()?;
            self.eat("to").then_some(())?;
            (least, self.number()?)
        };
        if self.eat("characters") || self.eat("character") {
            return Some(Test::Characters { least, most });
        }
        let is_items = ["items", "item", "keys", "key"].iter().any(|noun| self.eat(noun));
        is_items.then_some(Test::Items { least, most })
    }

    /// ``Paths of items: `a` and `b` ``. A path behind `and` that has a verb is the next demand.
    fn keys(&mut self) -> Option<Vec<Path>> {
        let mut keys = vec![read_path(&self.code()?)?];
        while self.next_is("and") && matches!(self.peek(1), Some(Token::Code(_))) && !self.has_verb(2) {
            self.at += 1;
            keys.push(read_path(&self.code()?)?);
        }
        Some(keys)
    }

    /// True if a verb follows, so that what stands before it is a subject.
    fn has_verb(&self, ahead: usize) -> bool {
        let verbs = ["must", "is", "may", "has", "does", "matches", "starts", "ends", "contains"];
        matches!(self.peek(ahead), Some(Token::Word(word)) if verbs.contains(&word.as_str()))
    }

    /// ``Values: `a`, `b` or `c` ``
    fn choices(&mut self, word: &str) -> Option<Vec<String>> {
        let mut values = vec![self.value()?];
        // A list ends with the word. Else what follows the comma belongs to another part of the sentence.
        let is_code = |token: Option<&Token>| matches!(token, Some(Token::Code(_)));
        let mut ahead = 0;
        while self.peek(ahead) == Some(&Token::Comma) && is_code(self.peek(ahead + 1)) {
            ahead += 2;
        }
        let is_word = matches!(self.peek(ahead), Some(Token::Word(found)) if found == word);
        if !is_word || !is_code(self.peek(ahead + 1)) || self.has_verb(ahead + 2) {
            return Some(values);
        }
        while self.eat_token(&Token::Comma) {
            values.push(self.value()?);
        }
        self.at += 1;
        values.push(self.value()?);
        Some(values)
    }

    /// ``Paths: `a`, `b` and `c` ``
    fn path_list(&mut self) -> Option<Vec<Path>> {
        let mut paths = vec![self.path()?];
        while self.eat_token(&Token::Comma) {
            paths.push(self.path()?);
        }
        if self.eat("and") {
            paths.push(self.path()?);
        }
        Some(paths)
    }

    /// Lists of whose items the rest of the sentence is, and the comma behind them. True if it is about those that are set.
    fn lists_before_comma(&mut self) -> Option<(Vec<Path>, bool)> {
        let start = self.at;
        // Behind one list there is a comma, too.
        if let Some(lists) = self.path_list().filter(|lists| lists.len() > 1)
            && self.eat_token(&Token::Comma)
        {
            return Some((lists, false));
        }
        self.at = start;
        let list = self.path()?;
        let only_set = self.eat("that is set");
        self.eat_token(&Token::Comma).then_some((vec![list], only_set))
    }

    /// `exactly one of`, and how many that may be.
    fn count_of_paths(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        let count = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        let found = if self.eat("exactly") {
            count(self.number()).map(|number| (number, number))
        } else if self.eat("at most") {
            count(self.number()).map(|number| (0, number))
        } else if self.eat("at least") {
            count(self.number()).map(|number| (number, usize::MAX))
        } else if self.eat("from") {
            let least = count(self.number());
            let most = if self.eat("to") { count(self.number()) } else { None };
            least.zip(most)
        } else {
            None
        };
        let found = found.filter(|_| self.eat("of"));
        if found.is_none() {
            self.at = start;
        }
        found
    }
}

/// How many items something is said of.
#[derive(Clone, Copy)]
enum Quantity {
    Each,
    Some,
    None,
    Number { least: u64, most: u64 },
    Outside { least: u64, most: u64 },
}

impl Quantity {
    fn of(self, list: Path, said: Said) -> Said {
        let not = |said: Said| Said::Not(Box::new(said));
        match self {
            Self::Each => Said::Each(list, Box::new(said)),
            Self::Some => not(Said::Each(list, Box::new(not(said)))),
            Self::None => Said::Each(list, Box::new(not(said))),
            Self::Number { least, most } => Said::SoMany { list, least, most, said: Box::new(said) },
            Self::Outside { least, most } => not(Said::SoMany { list, least, most, said: Box::new(said) }),
        }
    }
}

/// A demand on a value, which need not be there.
fn passes(path: Path, test: Test) -> Said {
    Said::Passes { path, test, if_absent: true }
}

fn within(low: String, high: String) -> Test {
    Test::All(vec![Test::Above { limit: low, included: true }, Test::Below { limit: high, included: true }])
}
