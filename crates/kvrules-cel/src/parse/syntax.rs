//! Syntax that the grammars of older servers do not have, in their words.

use crate::ast::{Expr, ExprKind, Expression, operators};
use crate::issue::Issue;
use crate::kubernetes::{Dialect, Gate, GateSet, gate_of_macro};

use super::tokens::split_tokens;

/// The gates of the syntax in an expression.
pub(super) fn used_gates(expression: &Expression) -> GateSet {
    let mut gates = GateSet::default();
    collect_gates(&expression.root, &mut gates);
    gates
}

fn collect_gates(expr: &Expr, gates: &mut GateSet) {
    match &expr.kind {
        ExprKind::OptMap { .. } => gates.insert(Gate::Optionals),
        ExprKind::SortBy { .. } => gates.insert(Gate::Lists),
        ExprKind::Comprehension(it) if it.var2.is_some() => gates.insert(Gate::TwoVariables),
        // A call with the name of a macro is one where that macro is missing.
        ExprKind::Call { function, args, .. } => {
            if let Some(gate) = gate_of_macro(function, args.len()) {
                gates.insert(gate);
            }
        }
        _ => {}
    }
    if !optional_marks(expr).is_empty() {
        gates.insert(Gate::Optionals);
    }
    for child in expr.children() {
        collect_gates(child, gates);
    }
}

/// A question mark of optional syntax.
enum OptionalMark<'a> {
    /// `.?` at the node.
    Select,
    /// `[?` at the node.
    Index,
    /// `?` before an element, a key or a field; it is skipped with the rest of the entry.
    Entry { is_map: bool, is_first: bool, before: usize, skipped: Vec<&'a Expr> },
}

fn optional_marks(expr: &Expr) -> Vec<OptionalMark<'_>> {
    match &expr.kind {
        ExprKind::Call { function, .. } if function == operators::OPT_SELECT => vec![OptionalMark::Select],
        ExprKind::Call { function, .. } if function == operators::OPT_INDEX => vec![OptionalMark::Index],
        ExprKind::List(elements) => {
            let optional = elements.iter().enumerate().filter(|(_, it)| it.optional);
            let mark = |(index, it): (usize, &'_ crate::ast::Element)| (index == 0, it.value.span.start);
            optional
                .map(|(index, it)| {
                    let (is_first, before) = mark((index, it));
                    OptionalMark::Entry { is_map: false, is_first, before, skipped: vec![&it.value] }
                })
                .collect()
        }
        ExprKind::Map(entries) => {
            let optional = entries.iter().enumerate().filter(|(_, it)| it.optional);
            optional
                .map(|(index, it)| OptionalMark::Entry {
                    is_map: true,
                    is_first: index == 0,
                    before: it.key.span.start,
                    skipped: vec![&it.key, &it.value],
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The errors for optional syntax that a dialect does not have.
pub(super) fn optional_syntax_issues(expression: &Expression, dialect: Dialect) -> Vec<Issue> {
    let mut issues = Vec::new();
    if !dialect.has_gate(Gate::Optionals) {
        let mut finder = MarkFinder { source: &expression.source, dialect, issues: &mut issues };
        finder.visit(&expression.root);
    }
    issues.sort_by_key(|issue| (issue.line, issue.column));
    issues
}

struct MarkFinder<'a> {
    source: &'a str,
    dialect: Dialect,
    issues: &'a mut Vec<Issue>,
}

/// Tokens that begin an operand, in the order of the grammar of cel-go v0.12.
const OPERAND: &str =
    "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const OPERAND_AFTER_COMMA: &str =
    "'.', ',', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

impl MarkFinder<'_> {
    fn visit(&mut self, expr: &Expr) {
        let mut skipped: Vec<*const Expr> = Vec::new();
        for mark in optional_marks(expr) {
            self.report(expr, &mark);
            if self.dialect.parses_optionals {
                skipped.extend(skipped_nodes(expr, &mark));
            }
        }
        for child in expr.children() {
            if !skipped.contains(&std::ptr::from_ref(child)) {
                self.visit(child);
            }
        }
    }

    fn report(&mut self, expr: &Expr, mark: &OptionalMark<'_>) {
        let (at, written, expected) = match mark {
            OptionalMark::Select => (expr.at, ".?", "IDENTIFIER".to_owned()),
            OptionalMark::Index => (expr.at, "[?", format!("{{'[', '{{', '(', {OPERAND}")),
            OptionalMark::Entry { is_map, is_first, before, .. } => {
                let at = self.source.get(..*before).and_then(|text| text.rfind('?')).unwrap_or(*before);
                let expected = match (is_map, is_first) {
                    (true, true) => format!("{{'[', '{{', '}}', '(', {OPERAND_AFTER_COMMA}"),
                    (false, true) => format!("{{'[', ']', '{{', '(', {OPERAND_AFTER_COMMA}"),
                    _ => format!("{{'[', '{{', '(', {OPERAND}"),
                };
                (at, "?", expected)
            }
        };
        let issue = if self.dialect.parses_optionals {
            Issue::at_offset(self.source, at, format!("unsupported syntax '{written}'"))
        } else {
            let mark = self.source.get(at..).and_then(|rest| rest.find('?')).map_or(at, |offset| at + offset);
            Issue::at_offset(
                self.source,
                mark,
                format!("Syntax error: extraneous input '?' expecting {expected}"),
            )
        };
        self.issues.push(issue);
    }
}

/// The nodes that the parser does not visit after it refused a mark.
// cel-go parser/parser.go v0.16, VisitIndex and VisitMapInitializerList
fn skipped_nodes(expr: &Expr, mark: &OptionalMark<'_>) -> Vec<*const Expr> {
    match (mark, &expr.kind) {
        (OptionalMark::Index, ExprKind::Call { args, .. }) => {
            args.iter().skip(1).map(std::ptr::from_ref).collect()
        }
        (OptionalMark::Entry { is_map: true, skipped, .. }, _) => {
            skipped.iter().map(|it| std::ptr::from_ref(*it)).collect()
        }
        _ => Vec::new(),
    }
}

/// The words of the oldest parsers for a selection that ends before its name.
pub(super) const MISSING_BEFORE_PARENTHESIS: &str = "Syntax error: missing IDENTIFIER at ')'";

/// The message about a name that is missing after a dot, by a grammar in which nothing else can stand there.
pub(super) fn missing_name_message(message: &str) -> Option<String> {
    let found =
        message.strip_prefix("Syntax error: no viable alternative at input '.")?.strip_suffix('\'')?;
    Some(match found {
        "." => "Syntax error: extraneous input '.' expecting IDENTIFIER".to_owned(),
        found => format!("Syntax error: missing IDENTIFIER at '{found}'"),
    })
}

/// True if a name is in backticks.
pub(super) fn has_quoted_names(source: &str) -> bool {
    source.contains('`') && backticks(source).next().is_some()
}

fn backticks(source: &str) -> impl Iterator<Item = usize> {
    split_tokens(source).filter(|(_, token)| *token == "`").map(|(offset, _)| offset)
}

/// The errors for names in backticks: the lexer does not know the character and leaves it out.
pub(super) fn quoted_name_issues(
    source: &str,
    parse: impl Fn(&str) -> Result<Expression, Vec<Issue>>,
) -> Vec<Issue> {
    let unknown = "Syntax error: token recognition error at: '`'";
    let mut issues: Vec<Issue> =
        backticks(source).map(|offset| Issue::at_offset(source, offset, unknown)).collect();
    let mut bare = source.to_owned();
    for offset in backticks(source) {
        bare.replace_range(offset..=offset, " ");
    }
    issues.extend(parse(&bare).err().into_iter().flatten());
    issues.sort_by_key(|issue| (issue.line, issue.column));
    issues
}
