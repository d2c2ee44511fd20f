//! The parts of an expression that end in an error, with the test for each.

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};

use crate::failure_cause::FailureCause;

/// A part that ends in an error, and all parts with the same text.
#[derive(Debug)]
pub(super) struct Access<'e> {
    /// The parts.
    pub(super) nodes: Vec<&'e Expr>,
    /// The test that is true where the part has a value.
    pub(super) positive: String,
    /// The test that is true where it has none.
    pub(super) negative: String,
}

/// The parts that may end in an error with the server's text, in the order of the expression.
pub(super) fn find_accesses<'e>(root: &'e Expr, source: &str, error: &str) -> Vec<Access<'e>> {
    let Some(cause) = FailureCause::of_error(error) else { return Vec::new() };
    let text = |expr: &Expr| source.get(expr.span.start..expr.span.end).unwrap_or_default().to_owned();
    let mut found: Vec<Access<'e>> = Vec::new();
    root.visit_nodes(&mut |node| {
        let Some((positive, negative)) = test_of(node, &cause, &text) else { return };
        match found.iter_mut().find(|known| known.positive == positive) {
            Some(known) => known.nodes.push(node),
            None => found.push(Access { nodes: vec![node], positive, negative }),
        }
    });
    // A key that is written out is certain, one that is computed is a guess.
    if found.is_empty() && matches!(cause, FailureCause::MissingKey(_)) {
        root.visit_nodes(&mut |node| {
            let Some((map, key)) = computed_key(node) else { return };
            let (positive, negative) = membership(&text(key), &text(map));
            found.push(Access { nodes: vec![node], positive, negative });
        });
        found.truncate(1);
    }
    found
}

/// The uses of a name that may be null.
pub(super) fn find_names<'e>(root: &'e Expr, name: &str) -> Vec<Access<'e>> {
    let mut nodes = Vec::new();
    root.visit_nodes(&mut |node| {
        if matches!(&node.kind, ExprKind::Ident(known) if known == name) {
            nodes.push(node);
        }
    });
    let access =
        |nodes| Access { nodes, positive: format!("{name} != null"), negative: format!("{name} == null") };
    if nodes.is_empty() { Vec::new() } else { vec![access(nodes)] }
}

/// The test of a part that ends in an error of this kind, and its opposite.
fn test_of(
    node: &Expr,
    cause: &FailureCause<'_>,
    text: &dyn Fn(&Expr) -> String,
) -> Option<(String, String)> {
    match (&node.kind, cause) {
        (ExprKind::Select { field, .. }, FailureCause::MissingKey(key)) if field == key => {
            let own = text(node);
            Some((format!("has({own})"), format!("!has({own})")))
        }
        (ExprKind::Call { function, receiver: None, args }, _) => {
            match (function.as_str(), args.as_slice()) {
                (operators::INDEX, [map, key]) => test_of_index(map, key, cause, text),
                (operators::DIVIDE | operators::MODULO, [_, divisor])
                    if *cause == FailureCause::ZeroDivisor
                        && !matches!(divisor.kind, ExprKind::Literal(_)) =>
                {
                    let divisor = text(divisor);
                    Some((format!("{divisor} != 0"), format!("{divisor} == 0")))
                }
                _ => None,
            }
        }
        (ExprKind::Call { function, receiver: Some(of), args }, FailureCause::NoValue)
            if function == "value" && args.is_empty() =>
        {
            let of = text(of);
            Some((format!("{of}.hasValue()"), format!("!{of}.hasValue()")))
        }
        _ => None,
    }
}

fn test_of_index(
    of: &Expr,
    index: &Expr,
    cause: &FailureCause<'_>,
    text: &dyn Fn(&Expr) -> String,
) -> Option<(String, String)> {
    match (&index.kind, cause) {
        (ExprKind::Literal(Literal::String(key)), FailureCause::MissingKey(missing)) if key == missing => {
            Some(membership(&text(index), &text(of)))
        }
        (ExprKind::Literal(Literal::Int(item)), FailureCause::MissingItem(missing))
            if item.to_string() == *missing && *item >= 0 =>
        {
            let of = text(of);
            Some((format!("size({of}) > {item}"), format!("size({of}) <= {item}")))
        }
        _ => None,
    }
}

/// The map and the key of an index that is computed.
fn computed_key(node: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Call { function, receiver: None, args } = &node.kind else { return None };
    match args.as_slice() {
        [map, key] if function == operators::INDEX && !matches!(key.kind, ExprKind::Literal(_)) => {
            Some((map, key))
        }
        _ => None,
    }
}

fn membership(key: &str, map: &str) -> (String, String) {
    (format!("{key} in {map}"), format!("!({key} in {map})"))
}
