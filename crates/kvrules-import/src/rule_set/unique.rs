//! Candidates for lists without equal items.

use kvrules_ir::{Constant, Formula, Term};
use kvrules_rule_set::{PathStep, RulePath};
use serde_json::{Value as Json, json};

use super::candidates::{Perspective, RuleEntry};
use super::part::PartScope;

/// Rules about lists in which a formula may compare items with each other.
pub(super) fn unique_candidates(formula: &Formula, schema: &Json, view: &Perspective) -> Vec<Vec<RuleEntry>> {
    let scope = PartScope::of_self(schema);
    let mut lists: Vec<(RulePath, &Json)> = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    let mut compares_items = false;
    formula.visit_formulas(&mut |formula| match formula {
        Formula::Each(it) | Formula::Some(it) => {
            let list = scope.path_of(&it.range).filter(|(_, node)| node.get("items").is_some());
            lists.extend(list);
        }
        Formula::Compare { left, right, .. } => compares_items |= !is_constant(left) && !is_constant(right),
        _ => {}
    });
    formula.visit_terms(&mut |term| match term {
        Term::Collect(it) => {
            lists.extend(scope.path_of(&it.range).filter(|(_, node)| node.get("items").is_some()));
            compares_items = true;
        }
        Term::Field(of, name) if matches!(**of, Term::Variable(_)) && !keys.contains(name) => {
            keys.push(name.clone());
        }
        Term::Tally(_) => compares_items = true,
        _ => {}
    });
    lists.dedup_by(|one, other| one.0 == other.0);
    if !compares_items || lists.len() > 4 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (path, node) in lists {
        let items = node.get("items");
        let has_fields = items.is_some_and(|items| items.get("properties").is_some());
        let known =
            |name: &&String| items.and_then(|items| items.get("properties")?.get(name.as_str())).is_some();
        let named: Vec<&String> = keys.iter().filter(known).collect();
        let arguments: Vec<Json> = if has_fields {
            let all = (!named.is_empty()).then(|| json!(named));
            let single = named.iter().filter(|_| named.len() > 1).map(|name| json!([name]));
            all.into_iter().chain(single).collect()
        } else {
            vec![json!([])]
        };
        let is_same = path.0.last() != Some(&PathStep::Each);
        for argument in arguments.into_iter().filter(|_| is_same) {
            found.extend(view.one_word(&path, "uniqueBy", argument).map(|rule| vec![rule]));
        }
    }
    found
}

fn is_constant(term: &Term) -> bool {
    matches!(
        term,
        Term::Constant(
            Constant::Null
                | Constant::Boolean(_)
                | Constant::Text(_)
                | Constant::Integer(_)
                | Constant::Float(_)
                | Constant::Unsigned(_)
                | Constant::Type(_)
        )
    )
}
