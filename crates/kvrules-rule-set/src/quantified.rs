//! Reading of conditions about each item of a list, some, or a number of them.

use kvrules_syntax::{Entry, Node};

use crate::condition::{Bounds, Condition};
use crate::lints;
use crate::path::{PathStep, RulePath};
use crate::reader::ConditionReader;
use crate::words::bounds::read_counts_among;

/// The keys that name a list, of whose items the other keys of a mapping speak.
pub(crate) const QUANTIFIERS: [&str; 3] = ["each", "some", "count"];

/// The number of items something is so for.
enum Quantity {
    Each,
    Some,
    Number(Bounds<u64>),
}

impl Quantity {
    fn of(&self, list: RulePath, inner: Condition) -> Condition {
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        match self {
            Self::Each => Condition::ForAll(list, Box::new(inner)),
            Self::Some => not(Condition::ForAll(list, Box::new(not(inner)))),
            Self::Number(bounds) => Condition::CountItems(list, bounds.clone(), Box::new(inner)),
        }
    }
}

impl ConditionReader<'_, '_> {
    /// Reads a mapping that names a list; its other keys are about an item. `others` are keys with another meaning.
    pub(crate) fn read_quantified(
        &mut self,
        node: Node<'_>,
        entry: Entry<'_>,
        others: &[&str],
        level: usize,
    ) -> Option<Condition> {
        let name = entry.key.text();
        let taken = |key: &str| others.contains(&key) || key == name;
        let mut more = QUANTIFIERS.into_iter().filter(|key| !taken(key)).filter_map(|key| node.entry(key));
        if let Some(other) = more.next() {
            let message = format!("`{}` cannot be next to `{name}`", other.key.text());
            let help = format!("put one inside the other: `{name}: …, all: [{{{}: …}}]`", other.key.text());
            self.report_advised(other.key.span(), message, &help);
            return None;
        }
        let (list, quantity) = self.read_quantity(entry)?;
        let target = self.read_any_path(list)?;
        let Some((PathStep::Each, _)) = target.path.0.split_last() else {
            let message = format!("`{name}` is about the items of a list or the values of a map");
            self.report_advised(list.span(), message, &format!("write `{}[*]`", target.path));
            return None;
        };
        let mut lists = Vec::new();
        let mut rest = target.path.clone();
        while let Some((list, below)) = rest.split_at_first_each() {
            lists.push(list);
            rest = below;
        }
        if lists.len() > 1 && matches!(quantity, Quantity::Number(_)) {
            let message = "`count` is about the items of one list";
            let help = "count within `each` or `some` of the outer list";
            self.report_advised(list.span(), message.to_owned(), help);
            return None;
        }
        let items = self.scope.join_path(&target.path);
        let scope = std::mem::replace(&mut self.scope, items);
        let schema = std::mem::replace(&mut self.schema, target.schema);
        let taken: Vec<&str> = others.iter().copied().chain([name]).collect();
        let inner = self.read_body(node, &taken, level + 1);
        (self.scope, self.schema) = (scope, schema);
        let condition = lists.into_iter().rev().fold(inner?, |inner, list| quantity.of(list, inner));
        Some(condition)
    }

    /// The node with the path of a quantifier, and the number of items.
    fn read_quantity<'n>(&mut self, entry: Entry<'n>) -> Option<(Node<'n>, Quantity)> {
        match entry.key.text() {
            "each" => return Some((entry.value, Quantity::Each)),
            "some" => return Some((entry.value, Quantity::Some)),
            _ => {}
        }
        let shape = "write `count: {of: \"PATH[*]\", min: 2}`";
        if !entry.value.is_map() {
            self.report_advised(
                entry.value.span(),
                "`count` must be a mapping with `of`, and `min` or `max`".to_owned(),
                shape,
            );
            return None;
        }
        let bounds = read_counts_among(self, entry.value, "count", &["of", "min", "max"])?;
        let Some(of) = entry.value.get("of") else {
            self.report_advised(entry.value.span(), "missing `of` in `count`".to_owned(), shape);
            return None;
        };
        if bounds.min.unwrap_or_default() == 0 && bounds.max.is_none() {
            let finding = lints::RULE_SET_SHAPE
                .diagnostic_at(entry.value.span(), "every list has so many items, and the rule says nothing");
            self.findings.push(finding.with_help("raise `min`, or give a `max`"));
            return None;
        }
        Some((of, Quantity::Number(bounds)))
    }
}
