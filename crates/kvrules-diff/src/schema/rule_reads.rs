//! The names of fields that rules read, and an index of rules by them, so that a proof for one rule does not look at all others.

use std::collections::{HashMap, HashSet};

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};
use kvrules_cel::types::unescape_property;
use kvrules_generate::PlaceStep;
use kvrules_lift::DefinitionRule;

use super::keyword::keyword_text;

/// The names of the fields that a condition reads.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadNames {
    /// All of them, with those on the way to its place.
    pub(super) names: HashSet<String>,
    /// Those below which it reads no field: two conditions that share none of them have only containers in common.
    pub(super) leaves: HashSet<String>,
}

impl ReadNames {
    /// Returns the names that the expression of a rule at a place reads.
    pub(super) fn of_rule(place: &[PlaceStep], rule: &str) -> Self {
        let (mut leaves, mut inner) = (HashSet::new(), HashSet::new());
        if let Ok(expression) = kvrules_cel::parse(rule) {
            collect_names(&expression.root, false, &mut leaves, &mut inner);
        }
        leaves.retain(|name| !inner.contains(name));
        Self::at_place(place, leaves, inner)
    }

    /// Returns the names of a condition at a place that names some fields there.
    pub(super) fn of_names(place: &[PlaceStep], names: HashSet<String>) -> Self {
        Self::at_place(place, names, HashSet::new())
    }

    fn at_place(place: &[PlaceStep], mut leaves: HashSet<String>, inner: HashSet<String>) -> Self {
        let fields = place.iter().filter_map(|step| match step {
            PlaceStep::Field(name) => Some(name.clone()),
            PlaceStep::Any => None,
        });
        // A condition that names no field is about the value at its place.
        if leaves.is_empty() && inner.is_empty() {
            leaves.extend(fields.clone().next_back());
        }
        let names = inner.into_iter().chain(leaves.iter().cloned()).chain(fields).collect();
        Self { names, leaves }
    }

    /// The number of fields that both read, those without fields below them.
    pub(super) fn count_shared(&self, other: &Self) -> usize {
        self.leaves.iter().filter(|name| other.names.contains(*name)).count()
    }
}

/// Notes the names in an expression; `is_operand` if a field of its value is selected.
fn collect_names(expr: &Expr, is_operand: bool, leaves: &mut HashSet<String>, inner: &mut HashSet<String>) {
    let selected = match &expr.kind {
        ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. } => {
            Some((operand.as_ref(), unescape_property(field).unwrap_or_else(|| field.clone())))
        }
        ExprKind::Call { function, args, .. }
            if [operators::INDEX, operators::OPT_INDEX, operators::OPT_SELECT]
                .contains(&function.as_str()) =>
        {
            match args.as_slice() {
                [operand, Expr { kind: ExprKind::Literal(Literal::String(key)), .. }] => {
                    Some((operand, key.clone()))
                }
                _ => None,
            }
        }
        _ => None,
    };
    match selected {
        Some((operand, name)) => {
            if is_operand { &mut *inner } else { &mut *leaves }.insert(name);
            collect_names(operand, true, leaves, inner);
        }
        None => expr.children().into_iter().for_each(|child| collect_names(child, false, leaves, inner)),
    }
}

/// The rules of a schema by the names that they read.
#[derive(Debug, Default)]
pub(super) struct ReadIndex {
    reads: Vec<ReadNames>,
    by_name: HashMap<String, Vec<usize>>,
    by_leaf: HashMap<String, Vec<usize>>,
    /// Rules of whole objects that name no field.
    nameless: Vec<usize>,
    by_text: HashMap<String, Vec<usize>>,
}

impl ReadIndex {
    pub(super) fn new(rules: &[DefinitionRule<'_>]) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let reads = ReadNames::of_rule(&rule.place, &rule.source.rule);
            for name in &reads.names {
                index.by_name.entry(name.clone()).or_default().push(number);
            }
            for name in &reads.leaves {
                index.by_leaf.entry(name.clone()).or_default().push(number);
            }
            if reads.leaves.is_empty() {
                index.nameless.push(number);
            }
            index.by_text.entry(rule.source.rule.clone()).or_default().push(number);
            index.reads.push(reads);
        }
        index
    }

    /// The names that a rule reads.
    pub(super) fn reads_of(&self, rule: usize) -> Option<&ReadNames> {
        self.reads.get(rule)
    }

    /// The rules with an expression.
    pub(super) fn with_text(&self, rule: &serde_json::Value) -> &[usize] {
        self.by_text.get(keyword_text(rule, "rule")).map(Vec::as_slice).unwrap_or_default()
    }

    /// The rules that read a field with this name, or are about values below one.
    pub(super) fn reading(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The rules that read the same fields as a condition: a field of its own without fields below, or one around such a field as a
    /// whole. Those of whole objects are always among them.
    pub(super) fn related(&self, of: &ReadNames) -> Vec<usize> {
        let own = of.leaves.iter().flat_map(|name| self.reading(name));
        let around = of.names.iter().filter_map(|name| self.by_leaf.get(name)).flatten();
        let mut found: Vec<usize> = own.chain(around).chain(&self.nameless).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(names: &HashSet<String>) -> Vec<&str> {
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn leaves_are_the_fields_below_which_nothing_is_read() {
        let reads = |rule: &str| ReadNames::of_rule(&[PlaceStep::Field("spec".to_owned())], rule);
        let guarded = reads("!has(self.a) || !has(self.a.b) || self.a.b > self.c['d-e']");
        assert_eq!(sorted(&guarded.leaves), ["b", "d-e"]);
        assert_eq!(sorted(&guarded.names), ["a", "b", "c", "d-e", "spec"]);
        assert_eq!(sorted(&reads("self > 1").leaves), ["spec"]);
        assert_eq!(sorted(&reads("self.all(x, x.__namespace__ > 1)").leaves), ["namespace"]);
    }
}
