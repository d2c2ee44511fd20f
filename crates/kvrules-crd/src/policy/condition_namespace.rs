//! Match conditions that read `namespaceObject`, which is null in them.

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};
use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::Node;

use crate::lints;
use crate::schema_location::node_head_span;

const NAMESPACE: &str = "namespaceObject";

/// Findings about the match conditions of a policy that read the namespace.
// admission/plugin/webhook/matchconditions/matcher.go, Match, which passes no namespace
pub(super) fn condition_namespace_findings(node: Node<'_>) -> Vec<Diagnostic> {
    let Some(spec) = node.get("spec") else { return Vec::new() };
    let is_ignored = spec.get("failurePolicy").is_some_and(|it| it.as_str() == Some("Ignore"));
    let consequence = if is_ignored { "never applies" } else { "denies every request" };
    let conditions = spec.get("matchConditions").into_iter().flat_map(Node::items).enumerate();
    let finding = |(index, condition): (usize, Node<'_>)| {
        let written = condition.get("expression")?;
        let expression = kvrules_cel::parse(written.as_str()?).ok()?;
        if !reads_namespace(&expression.root) {
            return None;
        }
        let message = if compares_with_null(&expression.root) {
            format!("match condition reads `{NAMESPACE}`, which is always null there")
        } else {
            format!(
                "match condition reads `{NAMESPACE}`, which is always null there: the policy {consequence}"
            )
        };
        let help = "select namespaces with `namespaceSelector` in `matchConstraints` or with `request.namespace`, or read \
                    `namespaceObject` in the validation";
        let finding = lints::CONDITION_NAMESPACE.diagnostic_at(node_head_span(written), message);
        Some(finding.with_help(help).with_field(format!("spec.matchConditions[{index}].expression")))
    };
    conditions.filter_map(finding).collect()
}

/// True if the namespace is compared with null somewhere, so that its fields may not be read.
fn compares_with_null(expr: &Expr) -> bool {
    let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(Literal::Null));
    let mut compares = false;
    expr.visit_nodes(&mut |node| {
        if let ExprKind::Call { function, args, .. } = &node.kind
            && [operators::EQUALS, operators::NOT_EQUALS].contains(&function.as_str())
        {
            compares |= args.iter().any(is_null) && args.iter().any(reads_namespace);
        }
    });
    compares
}

fn reads_namespace(expr: &Expr) -> bool {
    let mut reads = false;
    expr.visit_nodes(&mut |node| reads |= matches!(&node.kind, ExprKind::Ident(name) if name == NAMESPACE));
    reads && !expr.declares_name(|name| name == NAMESPACE)
}
