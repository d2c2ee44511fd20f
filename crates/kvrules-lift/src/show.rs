//! Formulas as text.

use std::collections::HashMap;

use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};

use crate::terms::EMPTY_MAP;

/// Returns a formula as one sentence in words and the paths of the rule.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
///
/// let n = Term::Root("self".to_owned()).with_field("n");
/// let small = Formula::comparison_of(n.clone(), TermRelation::Less, Term::Constant(Constant::Integer(5)));
/// let formula = Formula::any_of([Formula::negation_of(Formula::Defined(n)), small]);
/// assert_eq!(kvrules_lift::show_formula(&formula), "self.n is absent, or self.n < 5");
/// ```
pub fn show_formula(formula: &Formula) -> String {
    Writer::default().formula(formula, Strength::Loose)
}

/// Returns a term as an expression.
pub(crate) fn show_value(term: &Term) -> String {
    Writer::default().term(term)
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentencePart {
    /// Words.
    Words(String),
    /// A path, a value or an expression.
    Code(String),
}

/// Returns a formula as a sentence for readers of a page about the value that the rule is about.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::{SentencePart, describe_formula};
///
/// let n = Term::Root("self".to_owned()).with_field("n");
/// let small = Formula::comparison_of(n, TermRelation::Less, Term::Constant(Constant::Integer(5)));
/// let parts = describe_formula(&small);
/// assert_eq!(parts[0], SentencePart::Code("n".to_owned()));
/// assert_eq!(parts[1], SentencePart::Words(" is less than ".to_owned()));
/// ```
pub fn describe_formula(formula: &Formula) -> Vec<SentencePart> {
    let mut writer = Writer { is_for_readers: true, ..Writer::default() };
    let text = writer.formula(formula, Strength::Loose);
    let mut parts = Vec::new();
    for (index, part) in text.split(MARK).enumerate() {
        match index % 2 {
            _ if part.is_empty() => {}
            0 => parts.push(SentencePart::Words(part.to_owned())),
            _ => parts.push(SentencePart::Code(part.to_owned())),
        }
    }
    parts
}

/// Separates words from code while a sentence is written.
const MARK: char = '\u{1}';

/// Position of a text: on its own, or as a part of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Loose,
    Close,
}

#[derive(Default)]
struct Writer {
    is_for_readers: bool,
    names: HashMap<VariableId, String>,
}

impl Writer {
    fn formula(&mut self, formula: &Formula, strength: Strength) -> String {
        let text = match formula {
            Formula::True => return "always".to_owned(),
            Formula::False => return "never".to_owned(),
            Formula::All(parts) | Formula::Any(parts) => {
                let grouped = if matches!(formula, Formula::All(_)) {
                    TermRelation::NotEqual
                } else {
                    TermRelation::Equal
                };
                let texts = self.texts_of(parts, grouped);
                if let [only] = texts.as_slice() {
                    return only.clone();
                }
                let word = if grouped == TermRelation::Equal { "or" } else { "and" };
                let comma = if strength == Strength::Loose { "," } else { "" };
                texts.join(&format!("{comma} {word} "))
            }
            Formula::Not(inner) => match &**inner {
                Formula::Defined(term) => return self.presence(term, false),
                inner => return format!("not ({})", self.formula(inner, Strength::Loose)),
            },
            Formula::Defined(term) => return self.presence(term, true),
            Formula::Compare { left, relation, right } => return self.comparison(left, *relation, right),
            Formula::Each(it) => self.quantified("each", it),
            Formula::Some(it) => self.quantified("some", it),
        };
        if strength == Strength::Close { format!("({text})") } else { text }
    }

    /// A term has a value, or has none: a path is present, and a function or an operator has a value.
    fn presence(&mut self, term: &Term, is_there: bool) -> String {
        let words = match (term, is_there) {
            (Term::Call(_), true) => "has a value",
            (Term::Call(_), false) => "has no value",
            (_, true) => "is present",
            (_, false) => "is absent",
        };
        format!("{} {words}", self.subject(term))
    }

    /// Several parts. Those that compare one term with constants become one: `x is one of "a", "b"`.
    fn texts_of(&mut self, parts: &[Formula], grouped: TermRelation) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let mut rest = parts;
        while let [first, ..] = rest {
            let count = comparisons_of_one_term(rest, grouped);
            let (group, others) = rest.split_at(count.max(1));
            texts.push(if count > 1 {
                self.list(group, grouped)
            } else {
                self.formula(first, Strength::Close)
            });
            rest = others;
        }
        texts
    }

    /// `x is one of "a", "b"`, or `x is none of "a", "b"`.
    fn list(&mut self, parts: &[Formula], relation: TermRelation) -> String {
        let (mut subject, mut values) = (String::new(), Vec::new());
        for part in parts {
            if let Formula::Compare { left, right: Term::Constant(value), .. } = part {
                subject = self.subject(left);
                values.push(self.code(value.to_string()));
            }
        }
        let words = if relation == TermRelation::Equal { "is one of" } else { "is none of" };
        format!("{subject} {words} {}", values.join(", "))
    }

    /// Code, which sentences for readers mark.
    fn code(&self, text: String) -> String {
        if self.is_for_readers { format!("{MARK}{}{MARK}", text.replace(MARK, " ")) } else { text }
    }

    /// A term on its own.
    fn subject(&mut self, term: &Term) -> String {
        match term {
            Term::Root(name) if self.is_for_readers && name == "self" => "the value".to_owned(),
            Term::Root(name) if self.is_for_readers && name == "oldSelf" => "the old value".to_owned(),
            Term::Call(call) if self.is_for_readers && call.function == "size" => {
                if let [Term::Collect(it)] = call.arguments.as_slice()
                    && it.selected != Formula::True
                {
                    return self.count_of(it);
                }
                let of: Vec<String> = call.arguments.iter().map(|it| self.subject(it)).collect();
                format!("the size of {}", of.join(", "))
            }
            Term::Call(call) if self.is_for_readers && letter_case(call).is_some() => {
                let of: Vec<String> = call.arguments.iter().map(|it| self.subject(it)).collect();
                format!("{} {}", of.join(", "), letter_case(call).unwrap_or_default())
            }
            Term::Call(call) if self.is_for_readers && measured_text(call).is_some() => self.measure(call),
            Term::Tally(_) => self.term(term),
            term => {
                let text = self.term(term);
                self.code(text)
            }
        }
    }

    /// The duration, quantity or time that a text states: `1ms`, or `the duration` and the text that states it.
    fn measure(&mut self, call: &TermCall) -> String {
        match measured_text(call) {
            Some((_, Term::Constant(Constant::Text(text)))) => self.code(text.clone()),
            Some((kind, Term::Root(name))) => {
                format!("the {}{kind}", if name == "oldSelf" { "old " } else { "" })
            }
            Some((kind, of)) => format!("the {kind} {}", self.subject(of)),
            None => self.call(call),
        }
    }

    /// The number of entries that a collection selects.
    fn count_of(&mut self, it: &Collection) -> String {
        let range = self.subject(&it.range);
        let names = self.bind(it.entry);
        let names = self.code(names);
        let mut selected = self.formula(&it.selected, Strength::Close);
        if is_one_code(&selected) {
            // The relation behind it is about the number, not about a value of the code.
            selected.push_str(" is true");
        }
        self.unbind(it.entry);
        format!("the number of entries {names} of {range} for which {selected}")
    }

    /// A comparison in words.
    fn comparison_in_words(&mut self, left: &Term, relation: TermRelation, right: &Term) -> String {
        if let Some((of, is_empty)) = emptiness(left, relation, right) {
            let words = if is_empty { "is empty" } else { "is not empty" };
            return format!("{} {words}", self.subject(of));
        }
        if let Some((of, is_not, kind)) = type_test(left, relation, right) {
            return format!("{} {} {kind}", self.subject(of), if is_not { "is not" } else { "is" });
        }
        if let Some((one, other, is_swapped)) = compared_terms(left, right) {
            let words = relation_words(relation, is_swapped, is_fixed(other));
            return format!("{} {words} {}", self.subject(one), self.subject(other));
        }
        let is_swapped = is_fixed(left) || matches!(left, Term::Tally(_));
        let is_value = is_fixed(right) || is_swapped;
        let words = relation_words(relation, is_swapped, is_value);
        let (left, right) = if is_swapped { (right, left) } else { (left, right) };
        format!("{} {words} {}", self.subject(left), self.subject(right))
    }

    fn comparison(&mut self, left: &Term, relation: TermRelation, right: &Term) -> String {
        match (left, relation, right) {
            (Term::Tally(parts), TermRelation::Equal, Term::Constant(Constant::Integer(1))) => {
                self.exactly_one(parts)
            }
            (Term::Call(call), TermRelation::Equal, Term::Constant(Constant::Boolean(value))) => {
                self.predicate(call, *value)
            }
            _ if self.is_for_readers => self.comparison_in_words(left, relation, right),
            (
                left @ (Term::Constant(_) | Term::Tally(_)),
                TermRelation::Less | TermRelation::LessOrEqual,
                right,
            ) => {
                let symbol = if relation == TermRelation::Less { ">" } else { ">=" };
                format!("{} {symbol} {}", self.term(right), self.term(left))
            }
            _ => {
                let symbol = relation.symbol();
                format!("{} {symbol} {}", self.term(left), self.term(right))
            }
        }
    }

    /// Exactly one of several parts is true.
    fn exactly_one(&mut self, parts: &[Formula]) -> String {
        if !self.is_for_readers {
            return format!("exactly one of these holds: [{}]", self.conditions(parts));
        }
        let present = parts.iter().map(|part| match part {
            Formula::Defined(term) => Some(self.subject(term)),
            _ => None,
        });
        match present.collect::<Option<Vec<String>>>().as_deref() {
            Some([before @ .., last]) if !before.is_empty() => {
                format!("exactly one of {} and {last} is present", before.join(", "))
            }
            _ => format!("exactly one of these is true: ({})", self.conditions(parts)),
        }
    }

    /// `hasValue` of the errors that a format finds: the value is valid, or it is not.
    fn validity(&mut self, call: &TermCall, has_errors: bool) -> Option<String> {
        let ("hasValue", [Term::Call(validation)]) = (call.function.as_str(), call.arguments.as_slice())
        else {
            return None;
        };
        let ("validate", [format, of]) = (validation.function.as_str(), validation.arguments.as_slice())
        else {
            return None;
        };
        let name = self.term(format);
        let name = name.strip_prefix("format.").and_then(|name| name.strip_suffix("()"))?.to_owned();
        let words = if has_errors { "is not a valid" } else { "is a valid" };
        Some(format!("{} {words} {}", self.subject(of), self.code(name)))
    }

    fn predicate(&mut self, call: &TermCall, value: bool) -> String {
        if let Some(text) = self.validity(call, value).filter(|_| self.is_for_readers) {
            return text;
        }
        let words = |yes: &'static str, no: &'static str| if value { yes } else { no };
        let arguments: Vec<String> = call.arguments.iter().map(|it| self.subject(it)).collect();
        let verb = match call.function.as_str() {
            "matches" => words("matches", "does not match"),
            "startsWith" => words("starts with", "does not start with"),
            "endsWith" => words("ends with", "does not end with"),
            "contains" => words("contains", "does not contain"),
            name if self.is_for_readers && kind_of_text(name).is_some() && arguments.len() == 1 => {
                let kind = kind_of_text(name).unwrap_or_default();
                return format!("{} {} {kind}", arguments.concat(), words("is", "is not"));
            }
            _ => {
                let text = self.call(call);
                let text = self.code(text);
                return if value { text } else { format!("not {text}") };
            }
        };
        if let [subject, object] = arguments.as_slice() {
            return format!("{subject} {verb} {object}");
        }
        let text = format!("{} == {value}", self.call(call));
        self.code(text)
    }

    fn conditions(&mut self, parts: &[Formula]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.formula(part, Strength::Loose)).collect();
        parts.join("; ")
    }

    fn quantified(&mut self, word: &str, it: &Quantification) -> String {
        let range = self.subject(&it.range);
        let names = self.bind(it.entry);
        let names = self.code(names);
        let holds = self.formula(&it.holds, Strength::Loose);
        self.unbind(it.entry);
        format!("for {word} {names} of {range}: {holds}")
    }

    /// Gives names to the variables of a loop.
    fn bind(&mut self, entry: EntryVariables) -> String {
        let mut names = Vec::new();
        for (variable, word) in [(entry.key, "key"), (entry.value, "item")] {
            let Some(variable) = variable else { continue };
            let depth = self.names.values().filter(|name| name.starts_with(word)).count();
            let name = if depth == 0 { word.to_owned() } else { format!("{word}{}", depth + 1) };
            self.names.insert(variable, name.clone());
            names.push(name);
        }
        names.join(", ")
    }

    /// Forgets the names of the variables of a loop behind it.
    fn unbind(&mut self, entry: EntryVariables) {
        for variable in [entry.key, entry.value].into_iter().flatten() {
            self.names.remove(&variable);
        }
    }

    fn call(&mut self, call: &TermCall) -> String {
        let arguments: Vec<String> = call.arguments.iter().map(|it| self.term(it)).collect();
        match (call.function.as_str(), arguments.as_slice()) {
            ("size", [of]) => format!("size({of})"),
            (EMPTY_MAP, []) => EMPTY_MAP.to_owned(),
            ("neg", [of]) => format!("-{of}"),
            (symbol @ ("+" | "-" | "*" | "/" | "%"), [left, right]) => format!("({left} {symbol} {right})"),
            (name, [first, rest @ ..]) if call.is_member => format!("{first}.{name}({})", rest.join(", ")),
            (name, arguments) => format!("{name}({})", arguments.join(", ")),
        }
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Constant(constant) => constant.to_string(),
            Term::Root(name) => name.clone(),
            Term::Variable(variable) => {
                self.names.get(variable).cloned().unwrap_or_else(|| format!("item{}", variable.0))
            }
            Term::Field(of, name) if self.is_for_readers && is_word(name) && is_root(of) => name.clone(),
            Term::Field(of, name) if is_word(name) => format!("{}.{name}", self.term(of)),
            Term::Field(of, name) => format!("{}[{name:?}]", self.term(of)),
            Term::Index(of, key) => format!("{}[{}]", self.term(of), self.term(key)),
            Term::Call(call) => self.call(call),
            Term::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.term(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Term::Collect(it) => {
                let range = self.term(&it.range);
                let names = self.bind(it.entry);
                let result = self.term(&it.result);
                let selected = match &it.selected {
                    Formula::True => String::new(),
                    selected => format!(" with {}", self.formula(selected, Strength::Close)),
                };
                format!("[{result} for {names} of {range}{selected}]")
            }
            Term::Tally(parts) => {
                format!("the number of these that hold: [{}]", self.conditions(parts))
            }
        }
    }
}

/// The number of parts at the beginning that compare one term with constants.
fn comparisons_of_one_term(parts: &[Formula], relation: TermRelation) -> usize {
    let subject_of = |part: &Formula| match part {
        Formula::Compare { left, relation: found, right: Term::Constant(value) }
            if *found == relation && !matches!(value, Constant::Boolean(_)) =>
        {
            Some(left.clone())
        }
        _ => None,
    };
    let Some(subject) = parts.first().and_then(subject_of) else { return 0 };
    parts.iter().take_while(|part| subject_of(part).as_ref() == Some(&subject)).count()
}

/// The case to which a function converts a text, in words.
fn letter_case(call: &TermCall) -> Option<&'static str> {
    match (call.function.as_str(), call.arguments.len()) {
        ("lowerAscii", 1) => Some("in lower case"),
        ("upperAscii", 1) => Some("in upper case"),
        _ => None,
    }
}

/// The kind of measure that a function reads, and the text that it reads. Constants that need to be quoted are none.
fn measured_text(call: &TermCall) -> Option<(&'static str, &Term)> {
    let kind = match call.function.as_str() {
        "duration" => "duration",
        "quantity" => "quantity",
        "timestamp" => "time",
        _ => return None,
    };
    let [of] = call.arguments.as_slice() else { return None };
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || "+-.:".contains(char))
    };
    match of {
        Term::Constant(Constant::Text(text)) => is_plain(text).then_some((kind, of)),
        Term::Constant(_) => None,
        _ => Some((kind, of)),
    }
}

/// The kind of texts that a function accepts, in words.
fn kind_of_text(function: &str) -> Option<&'static str> {
    match function {
        "isIP" => Some("an IP address"),
        "isCIDR" => Some("an address block in CIDR notation"),
        "isURL" => Some("a URL"),
        "isQuantity" => Some("a quantity"),
        "isSemver" => Some("a semantic version"),
        _ => None,
    }
}

/// The list, map or text that a comparison of its size says to be empty, or not to be.
fn emptiness<'t>(left: &'t Term, relation: TermRelation, right: &'t Term) -> Option<(&'t Term, bool)> {
    let measured = |term: &'t Term| match term {
        Term::Call(call) if call.function == "size" => match call.arguments.as_slice() {
            // The number of selected entries has words of its own.
            [Term::Collect(_)] => None,
            [of] => Some(of),
            _ => None,
        },
        _ => None,
    };
    let number = |term: &Term| match term {
        Term::Constant(Constant::Integer(number)) => Some(*number),
        _ => None,
    };
    if let (Some(of), Some(limit)) = (measured(left), number(right)) {
        return match (relation, limit) {
            (TermRelation::Equal | TermRelation::LessOrEqual, 0) | (TermRelation::Less, 1) => {
                Some((of, true))
            }
            (TermRelation::NotEqual, 0) => Some((of, false)),
            _ => None,
        };
    }
    let (limit, of) = (number(left)?, measured(right)?);
    match (relation, limit) {
        (TermRelation::Less | TermRelation::NotEqual, 0) | (TermRelation::LessOrEqual, 1) => {
            Some((of, false))
        }
        (TermRelation::Equal, 0) => Some((of, true)),
        _ => None,
    }
}

/// The term whose type is compared with a type, true if it is not that type, and the type in words.
fn type_test<'t>(
    left: &'t Term,
    relation: TermRelation,
    right: &Term,
) -> Option<(&'t Term, bool, &'static str)> {
    let (Term::Call(call), Term::Constant(Constant::Type(name))) = (left, right) else { return None };
    let ("type", [of]) = (call.function.as_str(), call.arguments.as_slice()) else { return None };
    let kind = match name.as_str() {
        "int" => "an integer",
        "string" => "a string",
        "bool" => "a boolean",
        _ => return None,
    };
    match relation {
        TermRelation::Equal => Some((of, false, kind)),
        TermRelation::NotEqual => Some((of, true, kind)),
        _ => None,
    }
}

/// The terms that `compareTo` compares, if its result is compared with zero, and true if zero is on the left.
fn compared_terms<'t>(left: &'t Term, right: &'t Term) -> Option<(&'t Term, &'t Term, bool)> {
    let zero = Term::Constant(Constant::Integer(0));
    let (call, is_swapped) = match (left, right) {
        (Term::Call(call), number) if *number == zero => (call, false),
        (number, Term::Call(call)) if *number == zero => (call, true),
        _ => return None,
    };
    match call.arguments.as_slice() {
        [one, other] if call.function == "compareTo" => Some((one, other, is_swapped)),
        _ => None,
    }
}

/// A relation in words, between a term and a value or another term. Swapped, it is read from right to left.
fn relation_words(relation: TermRelation, is_swapped: bool, is_value: bool) -> &'static str {
    match (relation, is_swapped) {
        (TermRelation::Equal, _) if !is_value => "equals",
        (TermRelation::NotEqual, _) if !is_value => "differs from",
        (TermRelation::Equal, _) => "is",
        (TermRelation::NotEqual, _) => "is not",
        (TermRelation::Less, false) => "is less than",
        (TermRelation::LessOrEqual, false) => "is at most",
        (TermRelation::Less, true) => "is greater than",
        (TermRelation::LessOrEqual, true) => "is at least",
    }
}

/// True for a constant, also one that a function reads: `duration("1m")`.
fn is_fixed(term: &Term) -> bool {
    match term {
        Term::Constant(_) => true,
        Term::Call(call) => !call.arguments.is_empty() && call.arguments.iter().all(is_fixed),
        _ => false,
    }
}

/// True for the value that the rule is about.
fn is_root(term: &Term) -> bool {
    matches!(term, Term::Root(name) if name == "self")
}

fn is_word(name: &str) -> bool {
    name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// True if a text is one piece of code, marked for readers.
fn is_one_code(text: &str) -> bool {
    text.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(MARK)).is_some_and(|code| !code.contains(MARK))
}
