//! Names of loop variables that hide no name of a rule.

use std::collections::HashSet;

use kvrules_cel::ast::{ExprKind, Expression};

use crate::cel::loop_variable;

/// The names in use.
pub(super) struct LoopNames {
    taken: HashSet<String>,
}

impl LoopNames {
    /// With every variable of an expression and of one that is not parsed yet in use.
    pub(super) fn beside(expression: &Expression, other: &str) -> Self {
        let mut taken = HashSet::new();
        let parsed =
            Some(other).filter(|text| !text.is_empty()).and_then(|text| kvrules_cel::parse(text).ok());
        for expression in [expression].into_iter().chain(&parsed) {
            expression.root.visit_nodes(&mut |node| taken.extend(variables_of(&node.kind)));
        }
        Self { taken }
    }

    /// A name for an element of a field.
    pub(super) fn element_of(&mut self, field: &str) -> String {
        let name = loop_variable(field, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    /// This name, or with a number if it is in use.
    pub(super) fn named(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(name)).unwrap_or_else(|| name.to_owned());
        self.taken.insert(free.clone());
        free
    }
}

/// The variables that a node names or declares.
fn variables_of(kind: &ExprKind) -> Vec<String> {
    match kind {
        ExprKind::Ident(name) => vec![name.trim_start_matches('.').to_owned()],
        _ => kind.declared_names().into_iter().map(str::to_owned).collect(),
    }
}
