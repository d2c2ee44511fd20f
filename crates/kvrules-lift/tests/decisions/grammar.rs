//! Random conditions about some fields, with loops, functions and arithmetic.

use kvrules_generate::PseudoRandom;

use crate::domain::{Field, Kind};

/// A name that conditions may use, with the kind of its value.
#[derive(Clone)]
struct Name {
    text: String,
    kind: Kind,
}

/// True for a field of the object or of the stored one.
fn is_path(text: &str) -> bool {
    text.starts_with("self.") || text.starts_with("oldSelf.")
}

/// Makes conditions about some fields.
pub(crate) struct Grammar<'r> {
    random: &'r mut PseudoRandom,
    names: Vec<Name>,
    loops: usize,
}

impl<'r> Grammar<'r> {
    /// Conditions about updates name the fields of the stored object too.
    pub(crate) fn new(random: &'r mut PseudoRandom, fields: &[&Field], is_update: bool) -> Self {
        let mut names: Vec<Name> =
            fields.iter().map(|it| Name { text: format!("self.{}", it.name), kind: it.kind }).collect();
        for field in fields.iter().filter(|it| it.kind == Kind::Object) {
            let of = |name: &str| Name { text: format!("self.{}.{name}", field.name), kind: Kind::Integer };
            names.extend([of("x"), of("y")]);
        }
        if is_update {
            let stored = |it: &Name| Name { text: it.text.replace("self.", "oldSelf."), kind: it.kind };
            names.extend(names.iter().map(stored).collect::<Vec<_>>());
        }
        Self { random, names, loops: 0 }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.number_below(limit)
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        self.random.choose_one(texts).copied().unwrap_or("true").to_owned()
    }

    /// One of the names of a kind.
    fn name_of(&mut self, kinds: &[Kind]) -> Option<Name> {
        let known: Vec<Name> = self.names.iter().filter(|it| kinds.contains(&it.kind)).cloned().collect();
        self.random.choose_one(&known).cloned()
    }

    /// A condition of a few parts.
    pub(crate) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom(2);
        }
        let inner = depth - 1;
        match self.below(7) {
            0 | 1 => format!("({} && {})", self.condition(inner), self.condition(inner)),
            2 | 3 => format!("({} || {})", self.condition(inner), self.condition(inner)),
            4 => format!("!({})", self.condition(inner)),
            5 => {
                let parts = [self.condition(inner), self.condition(inner), self.condition(0)];
                format!("({} ? {} : {})", parts[0], parts[1], parts[2])
            }
            _ => self.atom(2),
        }
    }

    /// A condition about one name, mostly. `depth` bounds the loops in it.
    pub(crate) fn atom(&mut self, depth: usize) -> String {
        let Some(name) = self.random.choose_one(&self.names).cloned() else { return "true".to_owned() };
        if self.below(8) == 0 && is_path(&name.text) {
            return format!("has({})", name.text);
        }
        let text = name.text.as_str();
        match name.kind {
            Kind::Integer | Kind::Object => self.integer_atom(),
            Kind::Number => self.number_atom(text),
            Kind::Text => self.text_atom(text),
            Kind::Boolean => self.one_of(&[text, &format!("!{text}"), &format!("{text} == true")]),
            Kind::Integers | Kind::Numbers | Kind::Texts | Kind::Items => self.list_atom(&name, depth),
            Kind::Map => self.map_atom(text, depth),
            Kind::IntegerOrText => self.mixed_atom(text),
            Kind::Duration => self.duration_atom(text),
            Kind::Time => self.time_atom(text),
            Kind::Quantity => self.quantity_atom(text),
        }
    }

    fn relation(&mut self) -> String {
        self.one_of(&["==", "!=", "<", "<=", ">", ">="])
    }

    fn integer_atom(&mut self) -> String {
        let (left, relation) = (self.integer(1), self.relation());
        if self.below(8) == 0 {
            return format!("{left} in [{}, {}]", self.integer(0), self.integer(0));
        }
        if self.below(10) == 0 {
            let number = self.one_of(&["0.5", "1.0", "9007199254740992.0", "9.3e18", "-0.0"]);
            return format!("{left} {} {number}", self.one_of(&["<", "<=", ">", ">="]));
        }
        format!("{left} {relation} {}", self.integer(1))
    }

    /// An expression with an integer as its value.
    fn integer(&mut self, depth: usize) -> String {
        let constant = ["0", "1", "2", "3", "5", "-1", "9007199254740993", "9223372036854775807"];
        let Some(name) = self.name_of(&[Kind::Integer]) else { return self.one_of(&constant) };
        let text = name.text;
        if depth == 0 {
            return if self.below(2) == 0 { self.one_of(&constant[..6]) } else { text };
        }
        match self.below(14) {
            0 | 1 => self.one_of(&constant),
            2 => format!("{} + {}", self.integer(0), self.integer(0)),
            3 => format!("{} - {}", self.integer(0), self.integer(0)),
            4 => format!("{} * {}", self.integer(0), self.integer(0)),
            5 => format!("{text} / {}", self.one_of(&["1", "2", "0", "-1", &text])),
            6 => format!("{text} % {}", self.one_of(&["1", "2", "0", &text])),
            7 => format!("-{text}"),
            8 if is_path(&text) => {
                format!("(has({text}) ? {text} : {})", self.one_of(&["0", "1", "-1"]))
            }
            9 if is_path(&text) && text.matches('.').count() == 1 => {
                format!("{}.orValue({})", text.replace('.', ".?"), self.one_of(&["0", "1", "2"]))
            }
            10 => format!("int(string({text}))"),
            11 => format!("int(double({text}))"),
            _ => text,
        }
    }

    fn number_atom(&mut self, text: &str) -> String {
        let (relation, other) = (self.relation(), self.number());
        let left = match self.below(8) {
            0 => format!("{text} / {}", self.number()),
            1 => format!("{text} * 1e300 - {}", self.number()),
            2 => format!("-{text}"),
            3 => format!("({text} / {text})"),
            4 => format!("double({})", self.one_of(&["'NaN'", "'1'", "'-0'", "'inf'", "'x'"])),
            _ => text.to_owned(),
        };
        match self.below(6) {
            0 => format!("{left} == {left}"),
            1 => format!("int({left}) {relation} {}", self.integer(0)),
            2 => format!("{left} {} {}", self.one_of(&["<", ">", "<=", ">="]), self.integer(0)),
            _ => format!("{left} {relation} {other}"),
        }
    }

    fn number(&mut self) -> String {
        let name = self.name_of(&[Kind::Number]).map(|it| it.text).unwrap_or_default();
        let constant = self.one_of(&["0.0", "-0.0", "0.5", "1.0", "2.0", "1e308", "9007199254740992.0"]);
        if name.is_empty() || self.below(2) == 0 { constant } else { name }
    }

    fn text_atom(&mut self, text: &str) -> String {
        let constant = self.one_of(&["''", "'a'", "'b'", "'bad'", "'ab'"]);
        let other = self.name_of(&[Kind::Text]).map_or_else(|| constant.clone(), |it| it.text);
        let relation = self.relation();
        match self.below(14) {
            0..=3 => format!("{text} {} {constant}", self.one_of(&["==", "!="])),
            4 => format!("{text} {relation} {other}"),
            5 => format!("{text} in [{constant}, {other}]"),
            6 => format!("{text}.startsWith({constant})"),
            7 => format!("{text}.contains({})", self.one_of(&[&constant, &other])),
            8 => {
                let pattern = self.one_of(&["'^a'", "'b$'", "'^[ab]*$'", "'^.{1,2}$'", &other]);
                format!("{text}.matches({pattern})")
            }
            9 => format!("size({text}) {relation} {}", self.integer(0)),
            10 => format!("{text} + {constant} {relation} {}", self.one_of(&[&other, "'ab'", "'abb'"])),
            11 => {
                let relation = self.one_of(&["==", "<=", "!="]);
                format!("double({text}) {relation} double({text})")
            }
            12 => format!("{text}.{}() == {constant}", self.one_of(&["lowerAscii", "trim", "upperAscii"])),
            _ => format!("{text}.split('').size() {relation} {}", self.integer(0)),
        }
    }

    /// Lets a new variable stand for values of a kind in what `make` makes.
    fn with_variable(
        &mut self,
        kind: Kind,
        of_items: bool,
        make: impl FnOnce(&mut Self, &str) -> String,
    ) -> String {
        self.loops += 1;
        let variable = format!("x{}", self.loops);
        let known = self.names.len();
        if of_items {
            let of = |name: &str, kind| Name { text: format!("{variable}.{name}"), kind };
            self.names.extend([of("name", Kind::Text), of("n", Kind::Integer)]);
        } else {
            // Bodies are about the variable more often than about other names.
            let name = Name { text: variable.clone(), kind };
            self.names.extend([name.clone(), name.clone(), name]);
        }
        let made = make(self, &variable);
        self.names.truncate(known);
        made
    }

    fn body(&mut self, kind: Kind, depth: usize) -> (String, String) {
        let items = kind == Kind::Items;
        let kind = match kind {
            Kind::Integers => Kind::Integer,
            Kind::Numbers => Kind::Number,
            _ => Kind::Text,
        };
        let mut variable = String::new();
        let text = self.with_variable(kind, items, |made, name| {
            variable = name.to_owned();
            let first = made.atom(depth.saturating_sub(1));
            match made.below(4) {
                0 => format!("{first} && {}", made.atom(0)),
                1 => format!("{first} || {}", made.atom(0)),
                _ => first,
            }
        });
        (variable, text)
    }

    fn list_atom(&mut self, list: &Name, depth: usize) -> String {
        let text = &list.text;
        if depth == 0 {
            return format!("size({text}) {} {}", self.relation(), self.one_of(&["0", "1", "2"]));
        }
        let (variable, body) = self.body(list.kind, depth);
        match self.below(16) {
            0..=3 => format!("{text}.all({variable}, {body})"),
            4..=6 => format!("{text}.exists({variable}, {body})"),
            7 => format!("{text}.exists_one({variable}, {body})"),
            8 => {
                let count = self.one_of(&["0", "1", "2"]);
                format!("{text}.filter({variable}, {body}).size() {} {count}", self.relation())
            }
            9 => {
                let (other, condition) = self.body(list.kind, depth);
                let kind = self.one_of(&["all", "exists"]);
                format!("{text}.filter({variable}, {body}).{kind}({other}, {condition})")
            }
            10 => format!("size({text}) {} {}", self.relation(), self.integer(0)),
            11 => self.two_variables(list, depth),
            12 => self.member_atom(list),
            13 => self.same_items(list),
            14 => self.mapped(list),
            _ => self.list_function(list),
        }
    }

    fn two_variables(&mut self, list: &Name, depth: usize) -> String {
        let (variable, body) = self.body(list.kind, depth);
        let kind = self.one_of(&["all", "exists"]);
        let (index, text) = (format!("i{variable}"), &list.text);
        let also = match self.below(3) {
            0 => format!("{index} {} {}", self.relation(), self.one_of(&["0", "1"])),
            1 => format!("{text}[{index}] == {variable}"),
            _ => format!("{text}.exists(y, y == {text}[{index}])"),
        };
        let join = self.one_of(&["&&", "||"]);
        format!("{text}.{kind}({index}, {variable}, {body} {join} {also})")
    }

    fn member_atom(&mut self, list: &Name) -> String {
        let text = &list.text;
        match list.kind {
            Kind::Integers => format!("{} in {text}", self.integer(0)),
            Kind::Numbers => format!("{} in {text}", self.number()),
            Kind::Texts => {
                let name = self.name_of(&[Kind::Text]).map_or_else(|| "'a'".to_owned(), |it| it.text);
                format!("{} in {text}", self.one_of(&["'a'", "'bad'", "''", &name]))
            }
            _ => format!("{text}.exists(y, y.name == 'a')"),
        }
    }

    /// Conditions about other items that equal one.
    fn same_items(&mut self, list: &Name) -> String {
        let text = &list.text;
        let key = if list.kind == Kind::Items { ".name" } else { "" };
        let count = self.one_of(&["== 1", "<= 1", "> 1", "!= 1"]);
        match self.below(3) {
            0 => format!("{text}.all(x, {text}.exists_one(y, x{key} == y{key}))"),
            1 => format!("{text}.all(x, {text}.filter(y, y{key} == x{key}).size() {count})"),
            _ => {
                let other = self.name_of(&[list.kind]).map_or_else(|| text.clone(), |it| it.text);
                format!("{text}.all(i, x, {other}.filter(y, y{key} == {other}[i]{key}).size() {count})")
            }
        }
    }

    fn mapped(&mut self, list: &Name) -> String {
        let text = &list.text;
        let relation = self.relation();
        match list.kind {
            Kind::Integers => {
                let of = self.one_of(&["x + 1", "x * 2", "x", "string(x)", "10 / x"]);
                let then = self.one_of(&["y", "y == y"]);
                if of == "string(x)" || then == "y == y" {
                    return format!("{text}.map(x, {of}).all(y, {})", self.one_of(&["y == y", "y != y"]));
                }
                let kind = self.one_of(&["all", "exists"]);
                format!("{text}.map(x, {of}).{kind}({then}, y {relation} {})", self.integer(0))
            }
            Kind::Numbers => format!("{text}.map(x, x / x).all(y, y == y)"),
            Kind::Texts => {
                format!("{text}.map(x, x + 'a').exists(y, y == {})", self.one_of(&["'aa'", "'a'", "''"]))
            }
            _ => format!("{text}.map(x, x.name).exists(y, y == {})", self.one_of(&["'a'", "'b'"])),
        }
    }

    fn list_function(&mut self, list: &Name) -> String {
        let text = &list.text;
        let other = self.name_of(&[list.kind]).map_or_else(|| text.clone(), |it| it.text);
        match (list.kind, self.below(4)) {
            (_, 0) => format!("{text} == {other}"),
            (Kind::Integers | Kind::Numbers, 1) => {
                let function = self.one_of(&["sum", "min", "max"]);
                let zero = if list.kind == Kind::Integers { "1" } else { "1.0" };
                format!("{text}.{function}() {} {zero}", self.relation())
            }
            (Kind::Integers | Kind::Numbers | Kind::Texts, 2) => format!("{text}.isSorted()"),
            (Kind::Integers, _) => format!("{text}[{}] {} 1", self.one_of(&["0", "1"]), self.relation()),
            (Kind::Texts, _) => format!("{text}[0] {} 'a'", self.one_of(&["==", "!="])),
            _ => format!("size({text} + {other}) {} 1", self.relation()),
        }
    }

    fn map_atom(&mut self, text: &str, depth: usize) -> String {
        let key = self.one_of(&["a", "b", "c"]);
        let relation = self.relation();
        let number = self.integer(0);
        match self.below(10) {
            0 => format!("'{key}' in {text}"),
            1 => format!("{text}['{key}'] {relation} {number}"),
            2 => format!("'{key}' in {text} && {text}.{key} {relation} {number}"),
            3 | 4 if depth > 0 => {
                let kind = self.one_of(&["all", "exists", "exists_one"]);
                format!("{text}.{kind}(k, {text}[k] {relation} {number})")
            }
            5 | 6 if depth > 0 => {
                let kind = self.one_of(&["all", "exists"]);
                let condition = self.one_of(&["k == 'a'", "k != 'a'", "k.startsWith('b')", "size(k) > 0"]);
                format!("{text}.{kind}(k, {condition})")
            }
            7 if depth > 0 => {
                let kind = self.one_of(&["all", "exists"]);
                format!("{text}.{kind}(k, v, v {relation} {number} && k in {text})")
            }
            8 => {
                let other = self.name_of(&[Kind::Map]).map_or_else(|| text.to_owned(), |it| it.text);
                format!("{text}.all(k, k in {other} && {other}[k] {relation} {text}[k])")
            }
            _ => format!("size({text}) {relation} {}", self.one_of(&["0", "1", "2"])),
        }
    }

    fn mixed_atom(&mut self, text: &str) -> String {
        let relation = self.relation();
        match self.below(8) {
            0 => format!("type({text}) == {}", self.one_of(&["int", "string"])),
            1 => format!("{text} == {}", self.one_of(&["80", "1", "'a'", "'80'", "''"])),
            2 => format!("{text} != {}", self.one_of(&["80", "1", "'a'"])),
            3 => format!("(type({text}) == int ? {text} {relation} 1 : {text} {relation} 'a')"),
            4 => format!("{text} {} {}", self.one_of(&["<", ">="]), self.one_of(&["1", "'a'"])),
            5 => format!("string({text}) == {}", self.one_of(&["'80'", "'1'", "'a'"])),
            6 => format!("int({text}) {relation} 1"),
            _ => format!("quantity(string({text})).isLessThan(quantity('1Ki'))"),
        }
    }

    fn duration_atom(&mut self, text: &str) -> String {
        let constant = self.one_of(&["duration('1s')", "duration('60s')", "duration('0s')"]);
        let relation = self.relation();
        match self.below(4) {
            0 => format!("{text} + {constant} {relation} {text}"),
            1 => format!("{text}.getSeconds() {relation} 1"),
            2 => format!("{text} + {text} {relation} {constant}"),
            _ => format!("{text} {relation} {constant}"),
        }
    }

    fn time_atom(&mut self, text: &str) -> String {
        let constant =
            self.one_of(&["timestamp('2024-01-01T00:00:00Z')", "timestamp('9999-12-31T23:59:59Z')"]);
        let relation = self.relation();
        match self.below(4) {
            0 => format!("{text} + duration('1s') {relation} {constant}"),
            1 => format!("{text} - {constant} {relation} duration('0s')"),
            2 => format!("{text} + duration('1s') > {text}"),
            _ => format!("{text} {relation} {constant}"),
        }
    }

    fn quantity_atom(&mut self, text: &str) -> String {
        let constant = self.one_of(&["'1'", "'1Ki'", "'0'"]);
        match self.below(7) {
            0 => format!("isQuantity({text})"),
            1 => format!("quantity({text}).compareTo(quantity({constant})) {} 0", self.relation()),
            2 => format!("quantity({text}).isLessThan(quantity({constant}))"),
            3 => format!("quantity({text}) {} quantity({constant})", self.one_of(&["==", "!="])),
            4 => format!("quantity({text}).isGreaterThan(quantity({constant}))"),
            5 => format!("{text} == {constant}"),
            _ => {
                format!("quantity({text}).{} {} 1", self.one_of(&["sign()", "asInteger()"]), self.relation())
            }
        }
    }
}
