//! What the server's parser refuses for its size, found before anything recurses.

use crate::issue::Issue;

/// Longer expressions, in code points, are refused.
const CODE_POINTS: usize = 100_000;

/// More nesting of one kind is refused.
const NESTING: usize = 250;

/// More mistakes than these are not reported.
pub(super) const REPORTED_ERRORS: usize = 100;

/// Handed to the parser; never reached, since [`check`] comes first.
pub(super) const PARSER_DEPTH: u16 = 600;

/// Refuses what is too long or too deep; otherwise a bound of the depth of the tree.
pub(super) fn check(source: &str) -> Result<usize, Issue> {
    let size = source.chars().count();
    if size > CODE_POINTS {
        let message = format!("expression code point size exceeds limit: size: {size}, limit {CODE_POINTS}");
        return Err(Issue::nowhere(message));
    }
    let mut scan = Scan { open: vec![Level::default()], ..Scan::default() };
    scan.run(source);
    if scan.greatest > NESTING {
        return Err(Issue::nowhere(format!("expression recursion limit exceeded: {NESTING}")));
    }
    Ok(scan.deepest)
}

/// Operators since the last separator of a weaker kind, inside of one pair of brackets.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Selections, calls and indices in a chain.
    member: usize,
    /// Arithmetic.
    calc: usize,
    /// Comparisons.
    relation: usize,
    /// Choices: `c ? a : b`.
    choice: usize,
}

/// A pass over the characters. It counts what makes the server's grammar recurse: brackets, and the chains of
/// operators that are left-recursive in it.
#[derive(Default)]
struct Scan {
    open: Vec<Level>,
    total: Level,
    /// Whether the last token may be indexed.
    after_operand: bool,
    /// The greatest nesting of one kind.
    greatest: usize,
    /// The greatest nesting of all kinds together.
    deepest: usize,
}

impl Scan {
    fn run(&mut self, source: &str) {
        for (_, token) in tokens(source) {
            if let Some(char) = token.chars().next() {
                self.token(char, token);
            }
        }
    }

    fn token(&mut self, char: char, token: &str) {
        match char {
            '[' if self.after_operand => {
                self.count(|level| level.member += 1);
                self.open();
            }
            '(' | '[' | '{' => self.open(),
            ')' | ']' | '}' => self.close(),
            '.' => self.count(|level| level.member += 1),
            '-' if !self.after_operand => {} // a sign; a row of signs is one token of the grammar
            '+' | '-' | '*' | '/' | '%' if token.len() == 1 => self.operator(|level| level.calc += 1, 0),
            '<' | '>' | '=' | '!' => self.operator(|level| level.relation += 1, 1),
            'i' if token == "in" => self.operator(|level| level.relation += 1, 1),
            '?' => self.operator(|level| level.choice += 1, 2),
            '&' | '|' | ':' => self.operator(|_| (), 2),
            ',' => self.operator(|level| level.choice = 0, 2),
            _ => {}
        }
        if !char.is_whitespace() {
            let word = char.is_alphanumeric() || matches!(char, '_' | '"' | '\'');
            self.after_operand = token != "in" && (word || matches!(char, ')' | ']' | '}'));
        }
    }

    fn count(&mut self, add: impl Fn(&mut Level)) {
        let Some(level) = self.open.last_mut() else { return };
        let before = *level;
        add(level);
        let after = *level;
        self.replace(before, after);
    }

    /// An operator ends the chains of those that bind stronger.
    fn operator(&mut self, add: impl Fn(&mut Level), strength: u8) {
        self.count(|level| {
            level.member = 0;
            if strength >= 1 {
                level.calc = 0;
            }
            if strength >= 2 {
                level.relation = 0;
            }
            add(level);
        });
    }

    fn open(&mut self) {
        self.open.push(Level::default());
        self.replace(Level::default(), Level::default());
    }

    fn close(&mut self) {
        if self.open.len() > 1
            && let Some(level) = self.open.pop()
        {
            self.replace(level, Level::default());
        }
    }

    fn replace(&mut self, before: Level, after: Level) {
        let total = &mut self.total;
        total.member = total.member + after.member - before.member;
        total.calc = total.calc + after.calc - before.calc;
        total.relation = total.relation + after.relation - before.relation;
        total.choice = total.choice + after.choice - before.choice;
        let brackets = self.open.len();
        let kinds = [total.member, total.calc, total.relation, total.choice];
        let greatest = kinds.iter().max().map_or(0, |most| most + brackets);
        self.greatest = self.greatest.max(greatest);
        self.deepest = self.deepest.max(kinds.iter().sum::<usize>() + brackets);
    }
}

/// The tokens of the source with their offsets, as coarse as brackets and operators need; blanks are tokens too.
pub(super) fn tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let char = rest.chars().next()?;
        let offset = source.len() - rest.len();
        let (token, after) = rest.split_at_checked(token_length(rest, char)).unwrap_or((rest, ""));
        rest = after;
        Some((offset, token))
    })
}

/// How many bytes the token that starts here has; strings and comments are one token.
fn token_length(rest: &str, char: char) -> usize {
    match char {
        '"' | '\'' => string_length(rest, char, false),
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        'a'..='z' | 'A'..='Z' | '_' => word_length(rest),
        '0'..='9' => rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len()),
        '&' | '|' | '<' | '>' | '=' | '!' => {
            rest.char_indices().find(|(_, c)| *c != '=' && *c != char).map_or(rest.len(), |(index, _)| index)
        }
        _ => char.len_utf8(),
    }
}

/// A name, or a string with a prefix such as `r`.
fn word_length(rest: &str) -> usize {
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    let prefix = word.len() <= 2 && word.chars().all(|c| "rRbB".contains(c));
    match after.chars().next() {
        Some(quote @ ('"' | '\'')) if prefix => {
            length + string_length(after, quote, word.contains(['r', 'R']))
        }
        _ => length,
    }
}

fn string_length(rest: &str, quote: char, raw: bool) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let mark = if rest.starts_with(&triple) { triple } else { quote.to_string() };
    let mut escaped = true; // skips the opening mark
    for (index, char) in rest.char_indices() {
        let closes = index >= mark.len() && !escaped;
        if closes && rest.get(index..).is_some_and(|rest| rest.starts_with(&mark)) {
            return index + mark.len();
        }
        escaped = index + 1 >= mark.len() && !escaped && !raw && char == '\\';
    }
    quote.len_utf8() // never closed: the parser says so
}
