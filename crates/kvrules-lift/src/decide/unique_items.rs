//! Counts of the items of a list that equal one of them: one, if the type of the list keeps equal items out.

use kvrules_ir::{Collection, Formula, Term, TermRelation, VariableId};
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::Value as Json;

/// Variables of the items of a list.
pub(super) struct ItemVariables<'v> {
    /// True for one that stands for an item.
    pub(super) is_item: &'v dyn Fn(VariableId) -> bool,
    /// True for one that stands for the number of an item.
    pub(super) is_number: &'v dyn Fn(VariableId) -> bool,
}

/// True if a selection from a list holds one item for each item of the list: those that equal it in all by which the list distinguishes
/// items.
pub(super) fn selects_one_item(it: &Collection, list: &Json, variables: &ItemVariables<'_>) -> bool {
    let Some(keys) = identifying_keys(list) else { return false };
    let parts = match &it.selected {
        Formula::All(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let is_needed = |key: Option<&str>| parts.iter().any(|part| is_equality(part, key, it, variables));
    // Other conditions need not hold for the item itself.
    !keys.is_empty() && parts.len() == keys.len() && keys.iter().copied().all(is_needed)
}

/// The keys by which a list distinguishes its items, or the items themselves. `None` if it does not, or if equal values may differ as JSON.
// apiextensions schema/listtype/validation.go, ValidateListSetsAndMaps
fn identifying_keys(list: &Json) -> Option<Vec<Option<&str>>> {
    let items = list.get("items")?;
    match list.get(LIST_TYPE)?.as_str()? {
        "set" => is_plain(items).then(|| vec![None]),
        "map" => {
            let keys = list.get(LIST_MAP_KEYS)?.as_array()?;
            let key = |key: &'_ Json| is_plain(items.get("properties")?.get(key.as_str()?)?).then_some(());
            keys.iter().all(|it| key(it).is_some()).then(|| keys.iter().map(Json::as_str).collect())
        }
        _ => None,
    }
}

/// True for values that are equal in CEL only if they are as JSON: 1 equals 1.0, and two texts may be the same time.
fn is_plain(node: &Json) -> bool {
    let ty = node.get("type").and_then(Json::as_str);
    let has_format = || node.get("format").is_some() && ty == Some("string");
    let is_nullable = node.get("nullable") == Some(&Json::Bool(true));
    matches!(ty, Some("string" | "integer" | "boolean")) && !has_format() && !is_nullable
}

/// True if a condition says that the selected item and another equal each other, in a key if there is one.
fn is_equality(part: &Formula, key: Option<&str>, it: &Collection, variables: &ItemVariables<'_>) -> bool {
    let Formula::Compare { left, relation: TermRelation::Equal, right } = part else { return false };
    let item = |term: &'_ Term| match (key, term) {
        (Some(key), Term::Field(of, name)) if key == name => item_variable(of, &it.range, variables),
        (None, term) => item_variable(term, &it.range, variables),
        _ => None,
    };
    let is_own = |variable: VariableId| it.entry.value == Some(variable) || it.entry.key == Some(variable);
    match (item(left), item(right)) {
        (Some(one), Some(other)) => is_own(one) != is_own(other),
        _ => false,
    }
}

/// The variable of a term that is an item of a list: its own, or that of its number.
fn item_variable(term: &Term, list: &Term, variables: &ItemVariables<'_>) -> Option<VariableId> {
    match term {
        Term::Variable(variable) => (variables.is_item)(*variable).then_some(*variable),
        Term::Index(of, number) if **of == *list => match &**number {
            Term::Variable(variable) => (variables.is_number)(*variable).then_some(*variable),
            _ => None,
        },
        _ => None,
    }
}
