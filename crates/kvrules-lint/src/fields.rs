//! Looking for a field that a path puts in the wrong place.

use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_ir::ValueType;

/// Depth below the object itself in which a field of the same name is searched for.
const BELOW: usize = 3;

/// Depth below the objects around it: their own fields, and the fields of the object's siblings.
const BESIDE: usize = 1;

/// The field at a path such as `.spec.domain.devices.disks[*]`.
pub(crate) fn field_at<'c>(catalog: &'c Catalog, path: &str) -> Option<CatalogField<'c>> {
    field_chain(catalog, path)?.pop().map(|(_, field)| field)
}

/// Returns the path of a field of this name, if there is exactly one near the object at `parent`.
pub(crate) fn find_elsewhere(catalog: &Catalog, parent: &str, name: &str) -> Option<String> {
    let chain = field_chain(catalog, parent)?;
    for (distance, (path, field)) in chain.into_iter().rev().enumerate() {
        // Fields outside of a list do not belong to its items, so the search ends here.
        if field.value_type() == ValueType::List {
            return None;
        }
        let found = paths_below(path, field, name, if distance == 0 { BELOW } else { BESIDE });
        if !found.is_empty() {
            return <[String; 1]>::try_from(found).ok().map(|[path]| path);
        }
    }
    None
}

/// All fields on the way to a path, the root first.
fn field_chain<'c>(catalog: &'c Catalog, path: &str) -> Option<Vec<(String, CatalogField<'c>)>> {
    let mut chain = vec![(String::new(), catalog.root())];
    for step in path.split('.').skip(1) {
        let name = step.split('[').next().unwrap_or(step);
        let (mut text, mut field) = chain.last()?.clone();
        field = if field.value_type() == ValueType::Map {
            field.item_field()?
        } else {
            field.child_field(name)?
        };
        text = format!("{text}.{name}");
        chain.push((text.clone(), field));
        if let Some(bracket) = step.strip_prefix(name).filter(|bracket| !bracket.is_empty()) {
            chain.push((text + bracket, field.item_field()?));
        }
    }
    Some(chain)
}

/// The paths of the fields of this name that are nearest below an object, all at one depth.
fn paths_below(path: String, field: CatalogField<'_>, name: &str, depth: usize) -> Vec<String> {
    let mut level = vec![(path, field)];
    for _ in 0..=depth {
        let here = level.iter().filter(|(_, field)| field.child_field(name).is_some());
        let found: Vec<_> = here.map(|(path, _)| format!("{path}.{name}")).collect();
        if !found.is_empty() {
            return found;
        }
        let next = level.iter().flat_map(|(path, field)| {
            let objects = field.child_fields().filter(|field| field.value_type() == ValueType::Object);
            objects.map(move |field| (format!("{path}.{}", field.name()), field))
        });
        level = next.collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_below_and_beside_but_not_by_guessing() {
        let find = |parent, name| find_elsewhere(Catalog::kubevirt_vm(), parent, name);
        assert_eq!(find(".spec", "devices").as_deref(), Some(".spec.domain.devices"));
        assert_eq!(find("", "domain").as_deref(), Some(".spec.domain"));
        assert_eq!(find(".spec.domain", "hostname").as_deref(), Some(".spec.hostname"));
        assert_eq!(find(".spec.domain", "cores").as_deref(), Some(".spec.domain.cpu.cores"));
        assert_eq!(find(".spec.domain.devices.disks[*]", "cores"), None);
        assert_eq!(find(".spec", "nonsense"), None);
    }
}
