//! Comparisons of fields with texts that their enums do not have.

use std::collections::HashMap;

use kvrules_ir::{Constant, EntryVariables, Formula, Term, TermRelation, VariableId};
use serde_json::Value as Json;

use crate::facts::{allowed_values, node_below};
use crate::state::LiftedExpression;

/// The comparisons of a field with texts that its enum does not have: the path, with `[]` for an item, and the text.
pub(crate) fn unknown_values(formulas: &LiftedExpression, schema: &Json) -> Vec<(String, String)> {
    let mut search = UnknownValues { schema, items: HashMap::new(), found: Vec::new() };
    search.collect(&formulas.holds);
    search.collect(&formulas.fails);
    search.found
}

struct UnknownValues<'s> {
    schema: &'s Json,
    /// The paths and the schemas of the items that variables stand for.
    items: HashMap<VariableId, (String, &'s Json)>,
    found: Vec<(String, String)>,
}

impl<'s> UnknownValues<'s> {
    fn collect(&mut self, formula: &Formula) {
        match formula {
            Formula::Each(it) | Formula::Some(it) => self.bind(&it.range, it.entry),
            Formula::Compare { left, relation, right } => {
                self.collect_in_term(left);
                self.collect_in_term(right);
                if matches!(relation, TermRelation::Equal | TermRelation::NotEqual) {
                    self.compare(left, right);
                }
            }
            _ => {}
        }
        formula.children().iter().for_each(|part| self.collect(part));
    }

    /// The formulas within a term.
    fn collect_in_term(&mut self, term: &Term) {
        match term {
            Term::Tally(parts) => parts.iter().for_each(|part| self.collect(part)),
            Term::Collect(it) => {
                self.bind(&it.range, it.entry);
                self.collect(&it.selected);
            }
            Term::Call(call) => call.arguments.iter().for_each(|argument| self.collect_in_term(argument)),
            _ => {}
        }
    }

    fn bind(&mut self, range: &Term, entry: EntryVariables) {
        if let (Some(value), Some((path, node))) = (entry.value, self.node_of_path(range))
            && let Some(below) = node_below(node, None)
        {
            self.items.insert(value, (format!("{path}[]"), below));
        }
    }

    fn compare(&mut self, left: &Term, right: &Term) {
        let Term::Constant(constant @ Constant::Text(text)) = right else { return };
        // The empty text is how Go writes that nothing is chosen.
        if text.is_empty() {
            return;
        }
        let Some((path, node)) = self.node_of_path(left) else { return };
        let Some(allowed) = allowed_values(Some(node)) else { return };
        let is_unknown = !allowed.contains(constant) && matches!(allowed.first(), Some(Constant::Text(_)));
        let entry = (path, text.clone());
        if is_unknown && !self.found.contains(&entry) {
            self.found.push(entry);
        }
    }

    /// The path and the schema of a part of `self`.
    fn node_of_path(&self, term: &Term) -> Option<(String, &'s Json)> {
        match term {
            Term::Root(name) if name == "self" => Some((name.clone(), self.schema)),
            Term::Variable(variable) => self.items.get(variable).cloned(),
            Term::Field(of, name) => {
                let (path, node) = self.node_of_path(of)?;
                Some((format!("{path}.{name}"), node.get("properties")?.get(name)?))
            }
            Term::Index(of, _) => {
                let (path, node) = self.node_of_path(of)?;
                Some((format!("{path}[]"), node_below(node, None)?))
            }
            _ => None,
        }
    }
}
