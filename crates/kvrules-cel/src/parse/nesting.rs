//! Nesting depth of an expression, counted as the server's parser counts it, in one pass over its tokens.
//!
//! The server has two limits. While it parses it counts how often each rule of the grammar is inside of itself: once
//! for each bracket and for each right operand of an operator. Afterwards it walks over the tree and counts operations
//! that contain each other: choices, comparisons, arithmetic, selections, member calls and indices. Chains count
//! there, since `1 + 2 + 3` is an operation on an operation.

use super::tokens::split_tokens;

/// The nesting of an expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Nesting {
    /// Maximum depth at which one rule of the grammar contains itself.
    pub(super) rules: usize,
    /// Maximum depth of nested operations.
    pub(super) operations: usize,
    /// Maximum depth of nested brackets and choices.
    pub(super) brackets: usize,
}

impl Nesting {
    // cel-go parser/parser.go, unnest: parentheses and rules with one alternative are skipped before operations are counted
    pub(super) fn measure_nesting(source: &str) -> Self {
        let mut scan = NestingScan { frames: vec![Frame::default()], ..NestingScan::default() };
        scan.count();
        for (_, token) in split_tokens(source) {
            if let Some(char) = token.chars().next() {
                scan.token(char, token);
            }
        }
        while scan.frames.len() > 1 {
            scan.close();
        }
        if let Some(frame) = scan.frames.last_mut() {
            frame.end_element();
            scan.nesting.operations = scan.nesting.operations.max(frame.deepest);
        }
        scan.nesting
    }
}

/// Depth of the rules of the grammar that can contain themselves.
#[derive(Clone, Copy, Debug, Default)]
struct GrammarRules {
    expr: usize,
    relation: usize,
    calc: usize,
}

/// Use of the value of a bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Opener {
    /// A parenthesis, a list, a map, a call of a function: as deep as its deepest part.
    #[default]
    Plain,
    /// The arguments of a member call or an index, whose operation is counted with the operand.
    Operand,
}

/// State inside of one pair of brackets. Each number is the depth of a value.
#[derive(Debug, Default)]
struct Frame {
    opener: Opener,
    /// The rules around.
    outside: GrammarRules,
    /// The deepest element that is complete.
    deepest: usize,
    /// The conditions and first branches of choices, outermost first; the number of those whose `:` was met.
    choices: Vec<usize>,
    elses: usize,
    /// Operands of `&&` and `||` that are complete.
    logic: usize,
    /// The left operands of operators whose right one is read.
    relation: Option<usize>,
    sum: Option<usize>,
    product: Option<usize>,
    member: usize,
}

impl Frame {
    // cel-go parser/parser.go, recursionListener.EnterEveryRule: each rule has a counter; the greatest one counts
    fn rules(&self) -> GrammarRules {
        let GrammarRules { expr, relation, calc } = self.outside;
        GrammarRules {
            expr: expr + 1 + self.elses,
            relation: relation + 1 + usize::from(self.relation.is_some()),
            calc: calc + 1 + usize::from(self.sum.is_some()) + usize::from(self.product.is_some()),
        }
    }

    fn end_product(&mut self) -> usize {
        let value = std::mem::take(&mut self.member);
        self.product.take().map_or(value, |left| 1 + left.max(value))
    }

    fn end_sum(&mut self) -> usize {
        let value = self.end_product();
        self.sum.take().map_or(value, |left| 1 + left.max(value))
    }

    fn end_relation(&mut self) -> usize {
        let value = self.end_sum();
        self.relation.take().map_or(value, |left| 1 + left.max(value))
    }

    // cel-go parser/parser.go, Visit: `&&` and `||` do not count, only choices, relations, sums and products do
    fn end_logic(&mut self) -> usize {
        let value = self.end_relation();
        std::mem::take(&mut self.logic).max(value)
    }

    fn end_element(&mut self) {
        let mut value = self.end_logic();
        while let Some(before) = self.choices.pop() {
            value = 1 + before.max(value);
        }
        self.elses = 0;
        self.deepest = self.deepest.max(value);
    }

    fn colon(&mut self) {
        if self.choices.len() <= self.elses {
            return self.end_element(); // between the key and the value of a map
        }
        let value = self.end_logic();
        // The colon belongs to the innermost conditional that still lacks one, which is the last.
        if let Some(before) = self.choices.last_mut() {
            *before = value.max(*before);
        }
        self.elses += 1;
    }
}

#[derive(Debug, Default)]
struct NestingScan {
    frames: Vec<Frame>,
    nesting: Nesting,
    /// True if the last token ends an operand.
    after_operand: bool,
    after_dot: bool,
    /// True if the last token is a name after a dot.
    is_member: bool,
}

impl NestingScan {
    fn token(&mut self, char: char, token: &str) {
        if char.is_whitespace() || token.starts_with("//") {
            return;
        }
        let is_name = (char.is_alphabetic() || char == '_') && token != "in";
        let is_member = is_name && self.after_dot;
        // Names, numbers and strings change no frame.
        let is_operand = is_name || char.is_ascii_digit() || matches!(char, '"' | '\'' | '`');
        match char {
            _ if is_operand => {}
            '(' | '[' | '{' => self.open(char),
            ')' | ']' | '}' => self.close(),
            _ => self.operator(char, token),
        }
        let ends = is_operand || char.is_alphanumeric() && token != "in" || matches!(char, ')' | ']' | '}');
        self.after_operand = ends;
        self.is_member = is_member;
        // In `.?name`, the name also follows a dot.
        self.after_dot = char == '.' || self.after_dot && char == '?';
        if !is_operand {
            self.count();
        }
    }

    fn operator(&mut self, char: char, token: &str) {
        let after_operand = self.after_operand;
        let Some(frame) = self.frames.last_mut() else { return };
        match char {
            '.' if after_operand => frame.member += 1,
            ',' => frame.end_element(),
            ':' => frame.colon(),
            _ if !after_operand => {} // a sign, or the mark of an optional
            '*' | '/' | '%' => frame.product = Some(frame.end_product()),
            '+' | '-' => frame.sum = Some(frame.end_sum()),
            '<' | '>' | '=' | '!' => frame.relation = Some(frame.end_relation()),
            'i' if token == "in" => frame.relation = Some(frame.end_relation()),
            '&' | '|' => frame.logic = frame.end_relation().max(frame.logic),
            '?' => {
                let condition = frame.end_logic();
                frame.choices.push(condition);
            }
            _ => {}
        }
    }

    fn open(&mut self, char: char) {
        let Some(frame) = self.frames.last_mut() else { return };
        let opener = match char {
            '[' if self.after_operand => {
                frame.member += 1;
                Opener::Operand
            }
            '(' if self.is_member => Opener::Operand,
            _ => Opener::Plain,
        };
        let outside = frame.rules();
        self.frames.push(Frame { opener, outside, ..Frame::default() });
    }

    fn close(&mut self) {
        if self.frames.len() < 2 {
            return;
        }
        let Some(mut inner) = self.frames.pop() else { return };
        inner.end_element();
        let Some(frame) = self.frames.last_mut() else { return };
        let value = match inner.opener {
            Opener::Plain => inner.deepest,
            Opener::Operand => inner.deepest + 1,
        };
        frame.member = frame.member.max(value);
    }

    fn count(&mut self) {
        let brackets = self.frames.len() + self.frames.last().map_or(0, |frame| frame.elses);
        let Some(frame) = self.frames.last() else { return };
        let GrammarRules { expr, relation, calc } = frame.rules();
        self.nesting.rules = self.nesting.rules.max(expr).max(relation).max(calc);
        self.nesting.brackets = self.nesting.brackets.max(brackets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nesting(source: &str) -> (usize, usize) {
        let Nesting { rules, operations, .. } = Nesting::measure_nesting(source);
        (rules, operations)
    }

    #[test]
    fn nesting_is_counted_as_the_servers_parser_counts_it() {
        // Each case has the depth of recursive grammar rules, and the depth of operations within operations.
        let counted = [
            ("1", (1, 0)),
            ("((1))", (3, 0)),
            ("1 + 2 + 3", (2, 2)),
            ("1 + 2 * 3", (3, 2)),
            ("1 * 2 + 3", (2, 2)),
            ("a.b.c", (1, 2)),
            ("a.b[c.d].e", (2, 3)),
            ("a.f(b.c.d)", (2, 3)),
            ("f(a.b)", (2, 1)),
            ("a && b.c && d", (1, 1)),
            ("a < b.c", (2, 2)),
            ("a ? b : c", (2, 1)),
            ("a ? b : c ? d : e", (3, 2)),
            ("a ? (b ? c : d) : e", (3, 2)),
            ("{1: 2, 3: a.b}", (2, 1)),
            ("{?'a': b.?c}", (2, 1)),
            ("a.?b[?0]", (2, 2)),
            ("-1 - -2", (2, 1)),
            ("!a.b", (1, 1)),
            ("[a, b.c][0]", (2, 2)),
            (".a.b", (1, 1)),
            ("1 in [2] // a.b.c.d", (3, 1)),
            ("'a.b.c' == r'\\'", (2, 1)),
        ];
        for (source, expected) in counted {
            assert_eq!(nesting(source), expected, "{source}");
        }
    }
}
