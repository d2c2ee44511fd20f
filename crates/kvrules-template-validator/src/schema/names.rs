//! Resolves names in a struct: for a path (client-go's lookup, then Go's), and for a JSON key.

use std::collections::{HashMap, HashSet};

use super::{FieldRoute, GoField, GoShape, GoType, KeyTable, TypeId};

/// Longer than any key of ours, in characters.
// A key that is longer cannot be equal to one, so its folded form is not made: keys are input of any size.
const LONGEST_KEY: usize = 64;

fn fields(types: &[GoType], id: TypeId) -> &[GoField] {
    match types.get(id.0 as usize).map(|ty| &ty.shape) {
        Some(GoShape::Struct(inner)) => &inner.fields,
        _ => &[],
    }
}

fn pointed_type(types: &[GoType], id: TypeId) -> TypeId {
    match types.get(id.0 as usize).map(|ty| &ty.shape) {
        Some(GoShape::Pointer(inner)) => *inner,
        _ => id,
    }
}

/// All that a path can name in a struct. The empty name is one of them: it is that of a field without a tag.
pub(super) fn path_names(types: &[GoType], id: TypeId) -> HashMap<String, FieldRoute> {
    if fields(types, id).is_empty() {
        return HashMap::new();
    }
    let own = promoted_names(types, id);
    let mut names: HashSet<String> = own.keys().cloned().collect();
    let mut level = Some(id);
    while let Some(id) = level {
        let fields = fields(types, id);
        names.extend(fields.iter().map(|field| field.json.clone()));
        level = inline(types, id).and_then(|at| fields.get(at)).map(|field| field.ty);
        if let Some(id) = level {
            names.extend(promoted_names(types, id).into_keys());
        }
    }
    names.into_iter().filter_map(|name| Some((name.clone(), find_name(types, id, &own, &name)?))).collect()
}

/// client-go's lookup: a tag's name, then the last field without a tag if it is a struct, then Go's own lookup.
/// So a struct with two untagged fields hides those of the first, and one embedded by pointer is not looked
/// into (E149). `own` is what Go's lookup finds.
// client-go util/jsonpath/jsonpath.go, JSONPath.findFieldInValue.
fn find_name(
    types: &[GoType],
    id: TypeId,
    own: &HashMap<String, FieldRoute>,
    name: &str,
) -> Option<FieldRoute> {
    let fields = fields(types, id);
    if let Some(at) = fields.iter().position(|field| field.json == name) {
        return Some(vec![at]);
    }
    if let Some(at) = inline(types, id)
        && let inner = fields.get(at)?.ty
        && let Some(way) = find_name(types, inner, &promoted_names(types, inner), name)
    {
        return Some([vec![at], way].concat());
    }
    own.get(name).cloned()
}

/// The last field without a tag, if it is a struct.
// findFieldInValue keeps the last field without a tag, and descends only if its kind is a struct.
fn inline(types: &[GoType], id: TypeId) -> Option<usize> {
    let fields = fields(types, id);
    let at = fields.iter().rposition(|field| field.json.is_empty())?;
    let ty = types.get(fields.get(at)?.ty.0 as usize)?;
    matches!(ty.shape, GoShape::Struct(_)).then_some(at)
}

/// Go's lookup: names of this struct, then those of embedded ones, level by level; a name that two structs of one
/// level have is nobody's.
// reflect's Value.FieldByName.
fn promoted_names(types: &[GoType], id: TypeId) -> HashMap<String, FieldRoute> {
    let mut names: HashMap<String, Option<FieldRoute>> = HashMap::new();
    let mut level = vec![(pointed_type(types, id), FieldRoute::new())];
    while !level.is_empty() {
        let mut here: HashMap<String, Option<FieldRoute>> = HashMap::new();
        let mut next = Vec::new();
        for (id, way) in level {
            for (at, field) in fields(types, id).iter().enumerate() {
                let way = [way.clone(), vec![at]].concat();
                // An ambiguous name also hides the same name at deeper levels, so it stays in the map as `None`.
                here.entry(field.go.clone()).and_modify(|way| *way = None).or_insert(Some(way.clone()));
                if field.embedded {
                    next.push((pointed_type(types, field.ty), way));
                }
            }
        }
        for (name, way) in here {
            names.entry(name).or_insert(way);
        }
        level = next;
    }
    names.into_iter().filter_map(|(name, way)| Some((name, way?))).collect()
}

/// Returns the fields that JSON keys name. Fields of untagged embedded structs count as the outer one's, by pointer too.
// encoding/json encode.go, typeFields.
pub(super) fn json_keys(types: &[GoType], id: TypeId) -> KeyTable {
    let mut keys = KeyTable::default();
    let mut open = vec![(id, FieldRoute::new())];
    // Outer structs first, so that their names hide those of inner ones.
    while !open.is_empty() {
        let mut next = Vec::new();
        for (id, way) in open {
            for (at, field) in fields(types, id).iter().enumerate() {
                let way = [way.clone(), vec![at]].concat();
                if field.embedded && field.json.is_empty() {
                    next.push((pointed_type(types, field.ty), way));
                } else if field.is_decoded() && !keys.exact.contains_key(key(field)) {
                    if let Some(folded) = fold_key(key(field)) {
                        keys.folded.entry(folded).or_insert_with(|| way.clone());
                    }
                    keys.exact.insert(key(field).to_owned(), way);
                }
            }
        }
        open = next;
    }
    keys
}

fn key(field: &GoField) -> &str {
    if field.json.is_empty() { &field.go } else { &field.json }
}

/// The key with every letter as the first of those that differ from it in case only: `ſ` is `S`, `K` is `K` (E015).
// encoding/json fold.go, foldName.
pub(super) fn fold_key(key: &str) -> Option<String> {
    (key.chars().nth(LONGEST_KEY).is_none()).then(|| key.chars().map(fold_char).collect())
}

fn fold_char(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_uppercase();
    }
    // encoding/json fold.go, foldRune: the smallest rune of those that fold together.
    kvrules_regex::fold_orbit(char).into_iter().min().unwrap_or(char)
}
