//! Reads sentences about rules in CEL back: words between codes, which are terms.

use kvrules::docs::fact::Piece;

use super::terms::read_term;
use crate::decisions::evaluate::{Scope, evaluate};
use crate::decisions::expression::{Expr, Function};
use crate::decisions::value::{Val, read_duration, read_quantity};

/// What a sentence says.
#[derive(Clone, Debug)]
pub(super) enum Read {
    And(Vec<Read>),
    Or(Vec<Read>),
    Not(Box<Read>),
    Always,
    /// The term has a value.
    Present(Expr),
    /// Both terms have values, which compare so.
    Compare(Expr, Relation, Expr),
    /// The term is this boolean.
    Is(Expr, bool),
    /// For each entry, or for some: its name, the range and what is said.
    Loop {
        is_each: bool,
        name: String,
        range: Expr,
        said: Box<Read>,
    },
    ExactlyOne(Vec<Read>),
    /// The number of entries of which something is said compares so with a term.
    CountCompares {
        name: String,
        range: Expr,
        said: Box<Read>,
        relation: Relation,
        to: Expr,
    },
    /// The number of conditions that hold compares so with a term.
    TallyCompares {
        of: Vec<Read>,
        relation: Relation,
        to: Expr,
    },
}

/// A relation of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

type Variables = Vec<(String, Val)>;

impl Read {
    /// True if it is so. A term without a value meets no condition but that it is absent.
    pub(super) fn holds(&self, variables: &Variables) -> bool {
        let value = |term: &Expr| evaluate(term, &mut Scope::of(variables.clone())).ok();
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(variables)),
            Self::Or(any) => any.iter().any(|one| one.holds(variables)),
            Self::Not(inner) => !inner.holds(variables),
            Self::Always => true,
            Self::Present(term) => value(term).is_some(),
            Self::Compare(one, relation, other) => match (value(one), value(other)) {
                (Some(one), Some(other)) => relation.holds(&one, &other),
                _ => false,
            },
            Self::Is(term, truth) => matches!(value(term), Some(Val::Bool(found)) if found == *truth),
            Self::Loop { is_each, name, range, said } => {
                let Some(entries) = value(range).and_then(|range| entries_of(&range)) else { return false };
                let mut verdicts = entries.into_iter().map(|entry| said.holds(&with(variables, name, entry)));
                if *is_each { verdicts.all(|it| it) } else { verdicts.any(|it| it) }
            }
            Self::ExactlyOne(parts) => parts.iter().filter(|part| part.holds(variables)).count() == 1,
            Self::CountCompares { name, range, said, relation, to } => {
                let Some(entries) = value(range).and_then(|range| entries_of(&range)) else { return false };
                let entries = entries.into_iter();
                let count = entries.filter(|entry| said.holds(&with(variables, name, entry.clone()))).count();
                value(to).is_some_and(|to| relation.holds(&Val::Int(count as i64), &to))
            }
            Self::TallyCompares { of, relation, to } => {
                let count = of.iter().filter(|one| one.holds(variables)).count();
                value(to).is_some_and(|to| relation.holds(&Val::Int(count as i64), &to))
            }
        }
    }
}

fn with(variables: &Variables, name: &str, entry: Val) -> Variables {
    variables.iter().cloned().chain([(name.to_owned(), entry)]).collect()
}

fn entries_of(range: &Val) -> Option<Vec<Val>> {
    match range {
        Val::List(items) => Some(items.to_vec()),
        Val::Map(entries) => Some(entries.iter().map(|(key, _)| Val::Str(key.clone())).collect()),
        _ => None,
    }
}

impl Relation {
    fn holds(self, one: &Val, other: &Val) -> bool {
        let order = || match (one, other) {
            (Val::Quantity(one), Val::Quantity(other)) => Some(one.cmp(other)),
            _ => one.compare(other),
        };
        match self {
            Self::Equal => one.equals(other),
            Self::NotEqual => !one.equals(other),
            Self::Less => order().is_some_and(|order| order.is_lt()),
            Self::AtMost => order().is_some_and(|order| order.is_le()),
            Self::Greater => order().is_some_and(|order| order.is_gt()),
            Self::AtLeast => order().is_some_and(|order| order.is_ge()),
        }
    }
}

/// A word, a code, or a mark of the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Code(String),
    Mark(char),
}

/// Splits a sentence into words, codes and marks.
pub(super) fn split_pieces(pieces: &[Piece]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    for piece in pieces {
        let words = match piece {
            Piece::Code(code) => {
                tokens.push(Token::Code(code.clone()));
                continue;
            }
            Piece::Words(words) => words.as_str().to_owned(),
            Piece::Text(text) => text.plain.clone(),
            _ => return None,
        };
        let mut word = String::new();
        for c in words.chars().chain([' ']) {
            let is_mark = ",():;[]".contains(c);
            if c.is_whitespace() || is_mark {
                if !word.is_empty() {
                    tokens.push(Token::Word(std::mem::take(&mut word)));
                }
                tokens.extend(is_mark.then_some(Token::Mark(c)));
            } else {
                word.push(c);
            }
        }
    }
    Some(tokens)
}

/// Reads a sentence; `None` if it is not understood, or has two readings.
pub(super) fn read_sentence(pieces: &[Piece]) -> Option<Read> {
    let mut reader = Reader { tokens: split_pieces(pieces)?, at: 0, names: Vec::new() };
    let read = reader.sentence()?;
    (reader.at == reader.tokens.len()).then_some(read)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    /// Names of entries of loops.
    names: Vec<String>,
}

/// A subject of a sentence.
enum Subject {
    Term(Expr),
    /// A duration or quantity that is read from a text.
    Measure(Function, Expr),
    /// A text that is written without quotation marks: a duration or a quantity.
    Plain(String),
    Count {
        name: String,
        range: Expr,
        said: Read,
    },
    Tally(Vec<Read>),
}

impl Reader {
    fn next_is(&self, words: &str) -> bool {
        let is_word = |(ahead, word): (usize, &str)| matches!(self.tokens.get(self.at + ahead), Some(Token::Word(found)) if found == word);
        words.split(' ').enumerate().all(is_word)
    }

    fn eat(&mut self, words: &str) -> bool {
        let is_next = self.next_is(words);
        self.at += if is_next { words.split(' ').count() } else { 0 };
        is_next
    }

    fn mark(&mut self, mark: char) -> bool {
        let is_next = self.tokens.get(self.at) == Some(&Token::Mark(mark));
        self.at += usize::from(is_next);
        is_next
    }

    fn code(&mut self) -> Option<String> {
        let Some(Token::Code(code)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(code.clone())
    }

    /// `, and` or `and`: the word, if one follows.
    fn joining_word(&mut self) -> Option<&'static str> {
        let start = self.at;
        self.mark(',');
        for word in ["and", "or"] {
            if self.eat(word) {
                return Some(word);
            }
        }
        self.at = start;
        None
    }

    fn sentence(&mut self) -> Option<Read> {
        let mut parts = vec![self.part()?];
        let Some(word) = self.joining_word() else { return parts.pop() };
        parts.push(self.part()?);
        while let Some(next) = self.joining_word() {
            if next != word {
                return None;
            }
            parts.push(self.part()?);
        }
        Some(if word == "and" { Read::And(parts) } else { Read::Or(parts) })
    }

    fn part(&mut self) -> Option<Read> {
        if self.mark('(') {
            let inner = self.sentence()?;
            return self.mark(')').then_some(inner);
        }
        if self.eat("always") {
            return Some(Read::Always);
        }
        if self.eat("never") {
            return Some(Read::Not(Box::new(Read::Always)));
        }
        if self.next_is("for each") || self.next_is("for some") {
            let is_each = self.next_is("for each");
            self.at += 2;
            let name = self.code()?;
            self.eat("of").then_some(())?;
            let Subject::Term(range) = self.subject()? else { return None };
            self.mark(':').then_some(())?;
            self.names.push(name.clone());
            let said = self.sentence();
            self.names.pop();
            return Some(Read::Loop { is_each, name, range, said: Box::new(said?) });
        }
        if self.eat("exactly one of these is true") {
            self.mark(':').then_some(())?;
            self.mark('(').then_some(())?;
            return Some(Read::ExactlyOne(self.listed_conditions(')')?));
        }
        if self.eat("exactly one of") {
            let mut parts = Vec::new();
            loop {
                let Subject::Term(term) = self.subject()? else { return None };
                parts.push(Read::Present(term));
                if !(self.mark(',') || self.eat("and")) {
                    break;
                }
            }
            return self.eat("is present").then_some(Read::ExactlyOne(parts));
        }
        if self.eat("not") {
            if self.mark('(') {
                let inner = self.sentence()?;
                return self.mark(')').then(|| Read::Not(Box::new(inner)));
            }
            let code = self.code()?;
            return Some(Read::Is(read_term(&code, &self.names)?, false));
        }
        self.comparison()
    }

    /// Conditions with semicolons between them, up to a mark.
    fn listed_conditions(&mut self, end: char) -> Option<Vec<Read>> {
        let mut parts = vec![self.sentence()?];
        while self.mark(';') {
            parts.push(self.sentence()?);
        }
        self.mark(end).then_some(parts)
    }

    fn subject(&mut self) -> Option<Subject> {
        let variable = |name: &str| Subject::Term(Expr::Var(name.to_owned()));
        if self.eat("the value") {
            return self.in_case(variable("self"));
        }
        if self.eat("the old value") {
            return self.in_case(variable("oldSelf"));
        }
        if self.eat("the size of") {
            let Subject::Term(of) = self.subject()? else { return None };
            return Some(Subject::Term(Expr::Call(Function::Size, vec![of])));
        }
        if self.eat("the number of entries") {
            let name = self.code()?;
            self.eat("of").then_some(())?;
            let Subject::Term(range) = self.subject()? else { return None };
            self.eat("for which").then_some(())?;
            self.names.push(name.clone());
            let said = self.part();
            self.names.pop();
            return Some(Subject::Count { name, range, said: said? });
        }
        if self.eat("the number of these that hold") {
            self.mark(':').then_some(())?;
            self.mark('[').then_some(())?;
            return Some(Subject::Tally(self.listed_conditions(']')?));
        }
        for (word, function) in [("duration", Function::Duration), ("quantity", Function::Quantity)] {
            if self.eat(&format!("the old {word}")) {
                return Some(Subject::Measure(function, Expr::Var("oldSelf".to_owned())));
            }
            if self.eat(&format!("the {word}")) {
                let has_subject =
                    matches!(self.tokens.get(self.at), Some(Token::Code(_))) || self.next_is("the");
                if !has_subject {
                    return Some(Subject::Measure(function, Expr::Var("self".to_owned())));
                }
                let Subject::Term(of) = self.subject()? else { return None };
                return Some(Subject::Measure(function, of));
            }
        }
        let code = self.code()?;
        match read_term(&code, &self.names) {
            Some(term) => self.in_case(Subject::Term(term)),
            None => Some(Subject::Plain(code)),
        }
    }

    /// A subject, `in lower case` if the words follow.
    fn in_case(&mut self, subject: Subject) -> Option<Subject> {
        match subject {
            Subject::Term(term) if self.eat("in lower case") => {
                Some(Subject::Term(Expr::Call(Function::LowerAscii, vec![term])))
            }
            subject => Some(subject),
        }
    }

    fn comparison(&mut self) -> Option<Read> {
        let subject = self.subject()?;
        if let Subject::Measure(function, of) = &subject {
            let present = Read::Present(Expr::Call(*function, vec![of.clone()]));
            if self.eat("has a value") {
                return Some(present);
            }
            if self.eat("has no value") {
                return Some(Read::Not(Box::new(present)));
            }
        }
        if let Subject::Term(term) = &subject
            && let Some(read) = self.predicate(term)
        {
            return Some(read);
        }
        for (words, relation) in [
            ("differs from", Relation::NotEqual),
            ("equals", Relation::Equal),
            ("is less than", Relation::Less),
            ("is greater than", Relation::Greater),
            ("is at most", Relation::AtMost),
            ("is at least", Relation::AtLeast),
            ("is not", Relation::NotEqual),
            ("is", Relation::Equal),
        ] {
            if self.eat(words) {
                let other = self.subject()?;
                return compare(subject, relation, other);
            }
        }
        // A condition that has no words.
        match subject {
            Subject::Term(term) => Some(Read::Is(term, true)),
            _ => None,
        }
    }

    /// What is said of a term alone.
    fn predicate(&mut self, term: &Expr) -> Option<Read> {
        let size = || Expr::Call(Function::Size, vec![term.clone()]);
        let zero = || Expr::Lit(Val::Int(0));
        for (words, function, truth) in [
            ("matches", Function::Matches, true),
            ("does not match", Function::Matches, false),
            ("starts with", Function::StartsWith, true),
            ("does not start with", Function::StartsWith, false),
            ("ends with", Function::EndsWith, true),
            ("does not end with", Function::EndsWith, false),
            ("contains", Function::Contains, true),
            ("does not contain", Function::Contains, false),
        ] {
            if self.eat(words) {
                let Subject::Term(other) = self.subject()? else { return None };
                return Some(Read::Is(Expr::Call(function, vec![term.clone(), other]), truth));
            }
        }
        for (words, name, truth) in [
            ("is an integer", "int", true),
            ("is not an integer", "int", false),
            ("is a string", "string", true),
            ("is not a string", "string", false),
            ("is a boolean", "bool", true),
            ("is not a boolean", "bool", false),
        ] {
            if self.eat(words) {
                let kind = Expr::Call(Function::Type, vec![term.clone()]);
                let relation = if truth { Relation::Equal } else { Relation::NotEqual };
                return Some(Read::Compare(kind, relation, Expr::Lit(Val::text(name))));
            }
        }
        if self.eat("is true") {
            return Some(Read::Is(term.clone(), true));
        }
        if self.eat("is present") || self.eat("has a value") {
            return Some(Read::Present(term.clone()));
        }
        if self.eat("is absent") || self.eat("has no value") {
            return Some(Read::Not(Box::new(Read::Present(term.clone()))));
        }
        if self.eat("cannot be changed once set") {
            let may_be_removed = self.mark(',') && self.eat("only removed");
            let stored = stored_term(term)?;
            let absent = |term: &Expr| Read::Not(Box::new(Read::Present(term.clone())));
            let kept = Read::Compare(stored.clone(), Relation::Equal, term.clone());
            let removed = may_be_removed.then(|| absent(term));
            return Some(Read::Or([absent(&stored), kept].into_iter().chain(removed).collect()));
        }
        if self.eat("is empty") {
            return Some(Read::Compare(size(), Relation::Equal, zero()));
        }
        if self.eat("is not empty") {
            return Some(Read::Compare(size(), Relation::NotEqual, zero()));
        }
        if self.eat("is one of") {
            let values = self.values()?;
            let equal = |value: Expr| Read::Compare(term.clone(), Relation::Equal, value);
            return Some(Read::Or(values.into_iter().map(equal).collect()));
        }
        if self.eat("is none of") {
            let values = self.values()?;
            let differs = |value: Expr| Read::Compare(term.clone(), Relation::NotEqual, value);
            return Some(Read::And(values.into_iter().map(differs).collect()));
        }
        None
    }

    fn values(&mut self) -> Option<Vec<Expr>> {
        let mut values = vec![read_term(&self.code()?, &self.names)?];
        while self.tokens.get(self.at) == Some(&Token::Mark(','))
            && matches!(self.tokens.get(self.at + 1), Some(Token::Code(_)))
        {
            self.at += 1;
            values.push(read_term(&self.code()?, &self.names)?);
        }
        Some(values)
    }
}

/// The same of the stored value.
fn stored_term(term: &Expr) -> Option<Expr> {
    match term {
        Expr::Var(name) if name == "self" => Some(Expr::var("oldSelf")),
        Expr::Field(of, name) => Some(stored_term(of)?.dot(name)),
        _ => None,
    }
}

fn compare(one: Subject, relation: Relation, other: Subject) -> Option<Read> {
    Some(match (one, other) {
        (Subject::Term(one), Subject::Term(other)) => Read::Compare(one, relation, other),
        (Subject::Measure(function, one), Subject::Measure(_, other)) => {
            let measure = |of: Expr| Expr::Call(function, vec![of]);
            Read::Compare(measure(one), relation, measure(other))
        }
        (Subject::Measure(function, one), Subject::Plain(text)) => {
            let value = match function {
                Function::Duration => Val::Duration(read_duration(&text)?),
                _ => Val::Quantity(read_quantity(&text)?),
            };
            Read::Compare(Expr::Call(function, vec![one]), relation, Expr::Lit(value))
        }
        (Subject::Measure(function, one), Subject::Term(Expr::Lit(Val::Int(number)))) => {
            let value = Val::Quantity(read_quantity(&number.to_string())?);
            Read::Compare(Expr::Call(function, vec![one]), relation, Expr::Lit(value))
        }
        (Subject::Count { name, range, said }, Subject::Term(to)) => {
            Read::CountCompares { name, range, said: Box::new(said), relation, to }
        }
        (Subject::Tally(of), Subject::Term(to)) => Read::TallyCompares { of, relation, to },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_without_unit_is_a_number() {
        let q = || Expr::var("self").dot("q");
        let said =
            compare(Subject::Measure(Function::Quantity, q()), Relation::Equal, Subject::Term(Expr::int(1)));
        let value = Val::Map(vec![("q".into(), Val::text("1"))].into());
        assert!(said.unwrap().holds(&vec![("self".to_owned(), value)]));
    }
}
