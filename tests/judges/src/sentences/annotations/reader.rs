//! Reads sentences about rules of annotations.

mod values;

use super::said::{Measure, Place, Said};
use super::world::{Node, World};

/// Names of fields of objects.
const NAMES: [(&str, &str); 6] = [
    ("the guest 's memory", ".spec.domain.memory.guest"),
    ("the hostname", ".spec.hostname"),
    ("the CPU model", ".spec.domain.cpu.model"),
    ("the number of CPU cores", ".spec.domain.cpu.cores"),
    ("the number of CPU sockets", ".spec.domain.cpu.sockets"),
    ("the number of threads of a CPU core", ".spec.domain.cpu.threads"),
];

/// Names of fields of elements.
const OWN_NAMES: [(&str, &str, &str); 5] = [
    ("disk", "CD-ROM bus", "cdrom.bus"),
    ("disk", "bus", "disk.bus"),
    ("disk", "boot order", "bootOrder"),
    ("disk", "serial number", "serial"),
    ("interface", "model", "model"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Code(String),
    Mark(char),
}

/// Reads the sentences of a requirement; `None` if they are not understood.
pub(super) fn read_requirement(world: &World, text: &str) -> Option<Said> {
    let mut reader = Reader::new(world, text);
    let (mut said, mut notes, mut condition) = (Vec::new(), Vec::new(), None);
    while !reader.is_at_end() {
        reader.lower_first();
        if let Some(note) = reader.note() {
            notes.push(note);
        } else if reader.eat("then also") {
            let demand = reader.demands()?;
            said.push(implied(&condition, demand));
        } else {
            condition = None;
            if reader.eat("when") {
                condition = Some(reader.clause()?);
                reader.mark(',').then_some(())?;
            }
            let demand = reader.demands()?;
            said.push(implied(&condition, demand));
        }
        reader.mark('.').then_some(())?;
    }
    let all = Said::And(said);
    Some(notes.iter().fold(all, |said, (name, part)| said.unless_without(name, part)))
}

/// Reads ``When `.a` is set; otherwise the rule is skipped.``
pub(super) fn read_condition(world: &World, text: &str) -> Option<Said> {
    let mut reader = Reader::new(world, text);
    reader.lower_first();
    let said = if reader.eat("never") {
        Said::Constant(false)
    } else {
        reader.eat("when").then_some(())?;
        let said = reader.clause()?;
        (reader.mark(';') && reader.eat("otherwise the rule is skipped")).then_some(said)?
    };
    (reader.mark('.') && reader.is_at_end()).then_some(said)
}

fn implied(condition: &Option<Said>, demand: Said) -> Said {
    match condition {
        Some(condition) => Said::Or(vec![Said::Not(Box::new(condition.clone())), demand]),
        None => demand,
    }
}

fn split_text(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            tokens.push(Token::Code(part.to_owned()));
            continue;
        }
        for word in part.split_whitespace() {
            let mut rest = word;
            while let Some(mark) = rest.chars().next().filter(|c| ",;:().".contains(*c)) {
                tokens.push(Token::Mark(mark));
                rest = &rest[1..];
            }
            let body = rest.trim_end_matches([',', ';', ':', ')', '.']);
            let (owner, is_owner) = body.strip_suffix("'s").map_or((body, false), |owner| (owner, true));
            tokens.extend((!owner.is_empty()).then(|| Token::Word(owner.to_owned())));
            tokens.extend(is_owner.then(|| Token::Word("'s".to_owned())));
            tokens.extend(rest[body.len()..].chars().map(Token::Mark));
        }
    }
    tokens
}

pub(super) struct Reader {
    tokens: Vec<Token>,
    at: usize,
    /// Names of elements of lists.
    nouns: Vec<String>,
}

impl Reader {
    pub(super) fn new(world: &World, text: &str) -> Self {
        let lists = world.root.paths().into_iter().filter(|(_, node)| matches!(node, Node::List(_)));
        let singular = |path: String| {
            let name = path.rsplit('.').next().unwrap_or_default().to_owned();
            let stem = name.strip_suffix("xes").map(|stem| format!("{stem}x"));
            stem.or_else(|| name.strip_suffix('s').map(str::to_owned))
        };
        Self {
            tokens: split_text(text),
            at: 0,
            nouns: lists.filter_map(|(path, _)| singular(path)).collect(),
        }
    }

    pub(super) fn lower_first(&mut self) {
        if let Some(Token::Word(word)) = self.tokens.get_mut(self.at)
            && let Some(first) = word.get(..1)
        {
            *word = first.to_lowercase() + &word[1..];
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next_is(&self, words: &str) -> bool {
        let is_word = |(ahead, word): (usize, &str)| matches!(self.tokens.get(self.at + ahead), Some(Token::Word(found)) if found == word);
        words.split(' ').enumerate().all(is_word)
    }

    pub(super) fn eat(&mut self, words: &str) -> bool {
        let is_next = self.next_is(words);
        self.at += if is_next { words.split(' ').count() } else { 0 };
        is_next
    }

    pub(super) fn mark(&mut self, mark: char) -> bool {
        let is_next = self.tokens.get(self.at) == Some(&Token::Mark(mark));
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn code(&mut self) -> Option<String> {
        let Some(Token::Code(code)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(code.clone())
    }

    /// The result of a part; without one nothing is taken.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    fn modal(&mut self) -> bool {
        self.eat("must") || self.eat("should")
    }

    /// The name of an element.
    pub(super) fn noun(&mut self) -> Option<String> {
        if self.eat("item of") {
            return Some(format!("item of {}", self.code()?));
        }
        let found = self.nouns.iter().find(|noun| self.next_is(noun)).cloned();
        self.at += usize::from(found.is_some());
        found
    }

    /// ``Disks without `a` are not checked``
    fn note(&mut self) -> Option<(String, Place)> {
        self.attempt(|reader| {
            let name = if reader.eat("items of") {
                format!("item of {}", reader.code()?)
            } else {
                let Some(Token::Word(many)) = reader.tokens.get(reader.at) else { return None };
                let is_one = |noun: &&String| *many == format!("{noun}s") || *many == format!("{noun}es");
                let name = reader.nouns.iter().find(is_one)?.clone();
                reader.at += 1;
                name
            };
            reader.eat("without").then_some(())?;
            let path = reader.code()?;
            let place = Place { element: Some(name.clone()), path };
            reader.eat("are not checked").then_some((name, place))
        })
    }

    /// A requirement, or several with semicolons between.
    fn demands(&mut self) -> Option<Said> {
        if self.eat("for every") {
            let name = self.noun()?;
            self.mark(':').then_some(())?;
            let mut condition = None;
            let mut said = Vec::new();
            loop {
                if self.eat("when") {
                    condition = Some(self.clause()?);
                    self.mark(',').then_some(())?;
                } else if !self.eat("then also") {
                    condition = None;
                }
                let demand = self.demand()?;
                said.push(implied(&condition, demand));
                if !self.mark(';') {
                    return Some(Said::Each(name, Box::new(Said::And(said))));
                }
            }
        }
        self.demand()
    }

    fn demand(&mut self) -> Option<Said> {
        let not = |said: Said| Said::Not(Box::new(said));
        if self.eat("in every") {
            let name = self.noun()?;
            self.mark(',').then_some(())?;
            return Some(Said::Each(name, Box::new(self.demand()?)));
        }
        if self.eat("in at least one") {
            let name = self.noun()?;
            self.mark(',').then_some(())?;
            return Some(Said::Some(name, Box::new(self.demand()?)));
        }
        if self.eat("nothing passes") {
            return Some(Said::Constant(false));
        }
        if self.eat("any value passes") {
            return Some(Said::Constant(true));
        }
        for (word, truth) in [("every", true), ("no", false)] {
            let whole = self.attempt(|reader| {
                reader.eat(word).then_some(())?;
                while !reader.eat("passes this rule") {
                    matches!(reader.tokens.get(reader.at), Some(Token::Word(_))).then_some(())?;
                    reader.at += 1;
                }
                Some(Said::Constant(truth))
            });
            if whole.is_some() {
                return whole;
            }
        }
        if self.eat("it must not be that") || self.eat("it should not be that") {
            return Some(not(self.clause()?));
        }
        if self.eat("there must be no") || self.eat("there should be no") {
            return Some(not(Said::Some(self.noun()?, Box::new(Said::Constant(true)))));
        }
        if self.eat("there must be at least one") || self.eat("there should be at least one") {
            return Some(Said::Some(self.noun()?, Box::new(Said::Constant(true))));
        }
        if self.eat("no") {
            let name = self.noun()?;
            (self.eat("may have") || self.eat("should have")).then_some(())?;
            let place = Place { element: Some(name.clone()), path: self.code()? };
            return Some(not(Said::Some(name, Box::new(Said::Set(place)))));
        }
        if self.eat("at least one of these must hold") {
            self.mark(':').then_some(())?;
            let mut any = vec![self.clause()?];
            while self.mark(';') {
                self.eat("or");
                any.push(self.clause()?);
            }
            return Some(Said::Or(any));
        }
        if self.eat("at least one") {
            let name = self.noun()?;
            (self.modal() && self.eat("have")).then_some(())?;
            let place = Place { element: Some(name.clone()), path: self.code()? };
            return Some(Said::Some(name, Box::new(Said::Set(place))));
        }
        if self.eat("for at least one") {
            let name = self.noun()?;
            self.eat("it must hold that").then_some(())?;
            return Some(Said::Some(name, Box::new(self.clause()?)));
        }
        self.value_demand()
    }

    /// ``The value must be `a`; it must be set``
    fn value_demand(&mut self) -> Option<Said> {
        let (every, said, place) = self.one_value_demand()?;
        let mut all = vec![said];
        loop {
            let start = self.at;
            if self.mark(';') && (self.eat("it must be set") || self.eat("it should be set")) {
                all.push(Said::Set(place.clone()));
                continue;
            }
            self.at = start;
            if self.mark(',') && self.eat("and") {
                let (_, said, _) = self.one_value_demand()?;
                all.push(said);
                continue;
            }
            self.at = start;
            let said = Said::And(all);
            return Some(match every {
                Some(name) => Said::Each(name, Box::new(said)),
                None => said,
            });
        }
    }

    /// The element of which each is meant, the demand, and the place that it is about.
    fn one_value_demand(&mut self) -> Option<(Option<String>, Said, Place)> {
        let (every, measure) = self.measure()?;
        let place = match &measure {
            Measure::Value(place) | Measure::Length(place) => place.clone(),
        };
        let is_set = self.attempt(|reader| reader.modal().then(|| reader.eat("be set")).filter(|it| *it));
        if is_set.is_some() {
            return Some((every, Said::Set(place.clone()), place));
        }
        let is_unset =
            self.attempt(|reader| reader.modal().then(|| reader.eat("not be set")).filter(|it| *it));
        if is_unset.is_some() {
            return Some((every, Said::Not(Box::new(Said::Set(place.clone()))), place));
        }
        if place.path.is_empty() {
            let part = self.attempt(|reader| {
                (reader.modal() && reader.eat("have")).then_some(())?;
                reader.code()
            });
            if let Some(path) = part {
                let part = Place { path, ..place.clone() };
                return Some((every, Said::Set(part), place));
            }
        }
        let (tests, is_any) = self.phrases(true)?;
        Some((every, Said::Value { of: measure, tests, is_any, is_requirement: true }, place))
    }

    /// A value or the number of its characters; and the name of the element of which each is meant.
    fn measure(&mut self) -> Option<(Option<String>, Measure)> {
        if self.eat("the number of characters in") {
            let (every, place) = self.place()?;
            return Some((every, Measure::Length(place)));
        }
        let (every, place) = self.place()?;
        Some((every, Measure::Value(place)))
    }

    fn place(&mut self) -> Option<(Option<String>, Place)> {
        self.eat("the value of");
        if let Some((words, path)) = NAMES.iter().find(|(words, _)| self.next_is(words)) {
            self.at += words.split(' ').count();
            return Some((None, Place { element: None, path: (*path).to_owned() }));
        }
        if let Some(path) = self.code() {
            if !self.eat("of") {
                return Some((None, Place { element: None, path }));
            }
            let (every, owner) = self.owner()?;
            return Some((every, Place { path, ..owner }));
        }
        let (every, owner) = self.owner()?;
        if !self.eat("'s") {
            return Some((every, owner));
        }
        let name = owner.element.clone().unwrap_or_default();
        let own = OWN_NAMES.iter().find(|(element, words, _)| *element == name && self.next_is(words));
        let path = match own {
            Some((_, words, path)) => {
                self.at += words.split(' ').count();
                (*path).to_owned()
            }
            None => self.code()?,
        };
        Some((every, Place { path, ..owner }))
    }

    /// `every disk`, `the disk`
    fn owner(&mut self) -> Option<(Option<String>, Place)> {
        let is_every = self.eat("every");
        if !is_every && !self.eat("the") {
            return None;
        }
        let name = self.noun()?;
        Some((is_every.then(|| name.clone()), Place { element: Some(name), path: String::new() }))
    }

    /// Conditions with `and` or `or` between.
    pub(super) fn clause(&mut self) -> Option<Said> {
        let mut parts = vec![self.clause_part()?];
        let mut word: Option<&str> = None;
        loop {
            let found = if self.eat("and") {
                "and"
            } else if self.eat("or") {
                "or"
            } else {
                break;
            };
            if word.is_some_and(|word| word != found) {
                return None;
            }
            word = Some(found);
            parts.push(self.clause_part()?);
        }
        Some(if word == Some("or") { Said::Or(parts) } else { Said::And(parts) })
    }

    fn clause_part(&mut self) -> Option<Said> {
        let not = |said: Said| Said::Not(Box::new(said));
        let is = || Box::new(Said::Constant(true));
        if self.mark('(') {
            let inner = self.clause()?;
            return self.mark(')').then_some(inner);
        }
        if self.eat("every object qualifies") {
            return Some(Said::Constant(true));
        }
        if self.eat("no object qualifies") {
            return Some(Said::Constant(false));
        }
        if self.eat("it does not hold that") {
            return Some(not(self.clause_part()?));
        }
        if self.eat("there is no") {
            return Some(not(Said::Some(self.noun()?, is())));
        }
        if self.eat("there is at least one") {
            return Some(Said::Some(self.noun()?, is()));
        }
        if self.eat("for every") {
            let name = self.noun()?;
            self.mark('(').then_some(())?;
            let inner = self.clause()?;
            return self.mark(')').then(|| Said::Each(name, Box::new(inner)));
        }
        if self.eat("for at least one") {
            let name = self.noun()?;
            return Some(Said::Some(name, Box::new(self.clause_part()?)));
        }
        for (words, is_some) in [("at least one", true), ("no", false)] {
            if self.eat(words) {
                let name = self.noun()?;
                self.eat("has").then_some(())?;
                let place = Place { element: Some(name.clone()), path: self.code()? };
                let some = Said::Some(name, Box::new(Said::Set(place)));
                return Some(if is_some { some } else { not(some) });
            }
        }
        let (_, measure) = self.measure()?;
        if let Measure::Value(place) = &measure {
            if self.eat("is set") {
                return Some(Said::Set(place.clone()));
            }
            if self.eat("is not set") {
                return Some(not(Said::Set(place.clone())));
            }
            if place.path.is_empty() {
                let has = self.attempt(|reader| {
                    let is_some = reader.eat("has") && !reader.eat("no");
                    Some((is_some, reader.code()?))
                });
                if let Some((is_some, path)) = has {
                    let part = Said::Set(Place { path, ..place.clone() });
                    return Some(if is_some { part } else { not(part) });
                }
            }
        }
        let (tests, is_any) = self.phrases(false)?;
        Some(Said::Value { of: measure, tests, is_any, is_requirement: false })
    }
}
