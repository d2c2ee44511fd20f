//! The texts of nodes, and an expression of which some parts are replaced by others.

use std::ops::Range;

use crate::ast::{Expr, ExprKind, Expression, Span};

/// The source of an expression with its pairs of parentheses. The parser keeps no parentheses, so the span of a node may contain
/// only one of a pair.
#[derive(Clone, Debug)]
pub struct SourceText<'e> {
    source: &'e str,
    pairs: Vec<(usize, usize)>,
}

impl<'e> SourceText<'e> {
    /// Finds the parentheses of an expression.
    pub fn new(expression: &'e Expression) -> Self {
        let mut literals = Vec::new();
        expression.root.visit_nodes(&mut |node| {
            if matches!(node.kind, ExprKind::Literal(_)) {
                literals.push(node.span);
            }
        });
        Self { source: &expression.source, pairs: find_pairs(&expression.source, &literals) }
    }

    /// Returns the bytes of a node with both parentheses of each pair.
    pub fn balanced_range(&self, span: Span) -> Range<usize> {
        let mut range = span.start..span.end;
        loop {
            let is_cut = |(open, close): &&(usize, usize)| range.contains(open) != range.contains(close);
            let Some((open, close)) = self.pairs.iter().find(is_cut) else { return range };
            range = range.start.min(*open)..range.end.max(*close + 1);
        }
    }

    /// Returns the text of a node with both parentheses of each pair.
    ///
    /// ```
    /// use kvrules_cel::SourceText;
    /// use kvrules_cel::ast::ExprKind;
    ///
    /// let expression = kvrules_cel::parse("(a || b) == c").unwrap();
    /// let ExprKind::Call { args, .. } = &expression.root.kind else { unreachable!() };
    /// let source = SourceText::new(&expression);
    /// assert_eq!(source.node_text(expression.root.span), "(a || b) == c");
    /// assert_eq!(source.node_text(args[0].span), "a || b");
    /// ```
    pub fn node_text(&self, span: Span) -> &'e str {
        self.source.get(self.balanced_range(span)).unwrap_or_default()
    }

    /// Returns the text of a node with other texts in place of some spans in it.
    pub fn replace_parts(&self, node: &Expr, mut parts: Vec<(Span, String)>) -> String {
        let whole = self.balanced_range(node.span);
        parts.sort_by_key(|(span, _)| span.start);
        let (mut text, mut at) = (String::new(), whole.start);
        for (span, part) in parts {
            let range = self.balanced_range(span);
            text.push_str(self.source.get(at..range.start).unwrap_or_default());
            text.push_str(&part);
            at = range.end;
        }
        text.push_str(self.source.get(at..whole.end).unwrap_or_default());
        text
    }
}

impl Expression {
    /// True if the source has comments.
    pub fn has_comments(&self) -> bool {
        let mut literals = Vec::new();
        self.root.visit_nodes(&mut |node| {
            if matches!(node.kind, ExprKind::Literal(_)) {
                literals.push(node.span);
            }
        });
        let is_inside = |at: usize| literals.iter().any(|span| (span.start..span.end).contains(&at));
        self.source.match_indices("//").any(|(at, _)| !is_inside(at))
    }
}

/// The positions of matching parentheses outside of literals, quoted names and comments.
fn find_pairs(source: &str, literals: &[Span]) -> Vec<(usize, usize)> {
    let (mut pairs, mut open) = (Vec::new(), Vec::new());
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let literal = literals.iter().find(|span| span.start == at && span.end > at);
        let until = |end: u8| {
            let rest = bytes.iter().skip(at + 1).position(|byte| *byte == end);
            rest.map_or(bytes.len(), |length| at + length + 2)
        };
        at = match byte {
            _ if literal.is_some() => literal.map_or(at + 1, |span| span.end),
            b'`' => until(b'`'),
            b'/' if bytes.get(at + 1) == Some(&b'/') => until(b'\n'),
            b'(' => {
                open.push(at);
                at + 1
            }
            b')' => {
                pairs.extend(open.pop().map(|open| (open, at)));
                at + 1
            }
            _ => at + 1,
        };
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(node: &Expr, source: &SourceText<'_>, found: &mut Vec<String>) {
        found.push(source.node_text(node.span).to_owned());
        node.children().into_iter().for_each(|child| texts(child, source, found));
    }

    #[test]
    fn the_text_of_a_node_has_both_parentheses_of_each_pair() {
        let expression = crate::parse("(a || ')' == b) && !(c // )\n).d").unwrap();
        let (source, mut found) = (SourceText::new(&expression), Vec::new());
        texts(&expression.root, &source, &mut found);
        assert_eq!(found[..2], [expression.source.as_str(), "a || ')' == b"]);
        assert!(found.iter().all(|text| crate::parse(text).is_ok()), "{found:?}");
    }

    #[test]
    fn parts_are_replaced_and_all_else_stays() {
        let expression = crate::parse("(a) + f( a )").unwrap();
        let mut spans = Vec::new();
        expression.root.visit_nodes(&mut |node| {
            if matches!(node.kind, ExprKind::Ident(_)) {
                spans.push((node.span, "b.c".to_owned()));
            }
        });
        let text = SourceText::new(&expression).replace_parts(&expression.root, spans);
        assert_eq!(text, "(b.c) + f( b.c )");
    }
}
