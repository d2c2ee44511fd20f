//! Cures for errors of expressions: what to write in place of what a server does not take.

mod fields;
mod names;
mod overloads;
mod syntax;

use std::ops::Range;

use kvrules_cel::ast::{Expr, ExprKind};
use kvrules_cel::issue::Issue;
use kvrules_cel::types::TypeDeclaration;
use kvrules_diagnostics::{Applicability, Edit, Fix};
use kvrules_syntax::edit::{ScalarEdit, scalar_edit};
use kvrules_syntax::{Node, NodeStyle};

/// The names and types that an expression can see.
#[derive(Clone, Copy, Default)]
pub(crate) struct ExpressionView<'v> {
    /// Names that may be meant.
    pub(crate) names: &'v [String],
    /// The type of `self`, of rules of definitions.
    pub(crate) own: Option<&'v TypeDeclaration>,
    /// The name of the field whose value `self` is; empty for the whole object.
    pub(crate) field: &'v str,
    /// The names of the variables of a policy, in their order.
    pub(crate) variables: &'v [String],
}

/// An answer to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cure {
    /// Advice on what to write.
    pub(crate) help: String,
    /// The texts that come in place of parts of the expression.
    edits: Vec<(Range<usize>, String)>,
    /// True if nothing else can be meant.
    is_certain: bool,
    /// True if any other advice is better.
    is_last_resort: bool,
}

impl Cure {
    /// Advice alone.
    fn advice(help: impl Into<String>) -> Self {
        Self { help: help.into(), edits: Vec::new(), is_certain: false, is_last_resort: false }
    }

    /// Another text in place of a part of an expression.
    fn replacement(range: Range<usize>, text: String) -> Self {
        let help = format!("write `{}`", text.replace('`', "'"));
        Self { help, edits: vec![(range, text)], is_certain: true, is_last_resort: false }
    }

    /// The same, if it is what is probably meant.
    fn guess(self) -> Self {
        Self { is_certain: false, ..self }
    }

    /// The same, unless there is other advice.
    fn only_without_other(self) -> Self {
        Self { is_last_resort: true, ..self }
    }

    /// True if any other advice is better.
    pub(crate) fn is_last_resort(&self) -> bool {
        self.is_last_resort
    }

    /// The same with other words.
    fn in_words(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// The repair of the expression of a node, whose examined part starts at `cut`.
    pub(crate) fn to_fix(&self, node: Node<'_>, cut: usize) -> Option<Fix> {
        let (first, rest) = self.edits.split_first()?;
        let title = match rest {
            [] if first.0.is_empty() => format!("insert `{}`", first.1.trim()),
            _ => format!("write `{}`", first.1.trim()),
        };
        let applicability = if self.is_certain { Applicability::Safe } else { Applicability::Unsafe };
        let title = if self.is_certain { title } else { format!("{title}, if that is meant") };
        let moved = self.edits.iter().map(|(range, text)| (range.start + cut..range.end + cut, text.clone()));
        Some(Fix::new(applicability, title, expression_edits(node, &moved.collect::<Vec<_>>())?))
    }
}

/// The edits of the file that put other texts in place of parts of the expression of a node, which do not overlap.
pub(crate) fn expression_edits(node: Node<'_>, edits: &[(Range<usize>, String)]) -> Option<Vec<Edit>> {
    if node.is_templated() {
        return None;
    }
    // A block scalar keeps its lines.
    if matches!(node.style(), NodeStyle::Literal | NodeStyle::Folded) {
        let edit = |(range, text): &(Range<usize>, String)| Edit {
            span: node.place_of(range.clone()),
            replacement: text.clone(),
        };
        return Some(edits.iter().map(edit).collect());
    }
    let mut text = node.text().to_owned();
    let mut ordered: Vec<_> = edits.iter().collect();
    ordered.sort_by_key(|(range, _)| range.start);
    for (range, replacement) in ordered.into_iter().rev() {
        text.get(range.clone())?;
        text.replace_range(range.clone(), replacement);
    }
    Some(vec![scalar_edit(node, ScalarEdit::Text(&text))?])
}

/// An expression with an error.
#[derive(Clone, Copy)]
struct FaultyExpression<'e> {
    source: &'e str,
    /// The tree, if it parses.
    root: Option<&'e Expr>,
    issue: &'e Issue,
    view: ExpressionView<'e>,
}

/// The cure for an error of an expression, if one is known.
pub(crate) fn find_cure(
    source: &str,
    root: Option<&Expr>,
    issue: &Issue,
    view: ExpressionView<'_>,
) -> Option<Cure> {
    let faulty = FaultyExpression { source, root, issue, view };
    if root.is_none() {
        return syntax::cure(faulty);
    }
    fields::cure(faulty).or_else(|| names::cure(faulty)).or_else(|| overloads::cure(faulty))
}

impl<'e> FaultyExpression<'e> {
    fn text(self, expr: &Expr) -> &'e str {
        self.source.get(expr.span.start..expr.span.end).unwrap_or_default()
    }

    /// The text within the first quotation marks of the server's message.
    fn quoted(self) -> &'e str {
        self.issue.message.split('\'').nth(1).unwrap_or_default()
    }

    /// The node whose error the server reports here.
    fn node(self) -> Option<&'e Expr> {
        let mut found = None;
        self.root?.visit_nodes(&mut |node| {
            let at = match node.kind {
                ExprKind::Has { select_at, .. } => select_at,
                _ => node.at,
            };
            if at == self.issue.offset && found.is_none() {
                found = Some(node);
            }
        });
        found
    }
}

/// A text as a part of a larger expression.
fn in_parentheses(expr: &Expr, text: &str) -> String {
    let is_operator = matches!(&expr.kind,
        ExprKind::Call { function, receiver: None, .. } if function.starts_with(['_', '!', '-', '@']) && function != "_[_]");
    if is_operator { format!("({text})") } else { text.to_owned() }
}
