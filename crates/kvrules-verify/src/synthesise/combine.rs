//! Places put together: objects and lists from the candidates of what is in them.

use kvrules_ir::{Presence, ValueType};
use serde_json::{Map, Value};

use super::candidate::{Candidate, distinct_candidates, in_order};
use super::tree::PlaceNode;
use super::{SizeLimits, scalar};

/// Values to try at a place.
struct PlaceValues {
    /// Everything.
    all: Vec<Candidate>,
    /// One of each class, for combinations.
    classes: Vec<Candidate>,
    /// True if no case is left out.
    complete: bool,
}

/// Nearest list above a place.
#[derive(Clone, Copy)]
enum EnclosingList {
    /// No list.
    Object,
    /// An element that no requirement names by its index.
    Element,
    /// The item with this index.
    Item(i64),
}

/// A field's value; none if the field is absent.
type FieldChoice = Option<Candidate>;

/// One choice of each column: the values are long lists at times, and stand in many rows.
type Row<'c> = Vec<Option<&'c Candidate>>;

/// Of so many classes there are lists as long as the lines of an artefact.
const LONG: usize = 12;

/// Limit on the values of all combinations of the fields of an object, if not all combinations are made.
const MOST_VALUES: usize = 2_000_000;

/// The longest list that is made for its single items.
const LONGEST: usize = 200;

/// When the lists for single items have so many elements together, few more are made.
const MOST_ELEMENTS: usize = 50_000;

/// The values of a place, and whether they show every case.
pub(super) fn place_values(node: &PlaceNode, lines: &SizeLimits, limit: usize) -> (Vec<Candidate>, bool) {
    let PlaceValues { all, complete, .. } = node_values(node, lines, limit, EnclosingList::Object);
    (all, complete)
}

fn node_values(node: &PlaceNode, lines: &SizeLimits, limit: usize, within: EnclosingList) -> PlaceValues {
    if node.element.is_some() {
        return list_values(node, lines, limit);
    }
    if !node.fields.is_empty() || matches!(node.value_type, ValueType::Object | ValueType::Map) {
        return object_values(node, lines, limit, within);
    }
    let all = in_order(scalar::scalar_candidates(node, lines));
    let classes = scalar::class_representatives(node, &all);
    PlaceValues { all, classes, complete: scalar::is_complete(node) }
}

/// Every choice of each field with the classes of the others.
fn object_values(node: &PlaceNode, lines: &SizeLimits, limit: usize, within: EnclosingList) -> PlaceValues {
    let mut complete = true;
    // A requirement on one element does not affect the other elements.
    let is_requested = |node: &PlaceNode| {
        let of = |index: Option<i64>| node.of_elements.contains(&index);
        match within {
            EnclosingList::Object => true,
            EnclosingList::Element => of(None),
            EnclosingList::Item(index) => of(None) || of(Some(index)),
        }
    };
    let fields: Vec<FieldChoices> = node
        .fields
        .iter()
        .filter(|(_, (presence, node))| is_requested(node) || *presence == Presence::Required)
        .map(|(name, (presence, node))| {
            let mut values = node_values(node, lines, limit, within);
            complete &= values.complete;
            if !is_requested(node) {
                let served = values.classes.iter().chain(&values.all).find(|value| value.served);
                values.classes = served.cloned().into_iter().collect();
                values.all.clone_from(&values.classes);
            }
            FieldChoices::new(name.clone(), *presence, values)
        })
        .collect();
    let most = MOST_VALUES / (fields.len() * fields.len()).max(1);
    let classes = fields.iter().map(|field| &field.classes).collect::<Vec<_>>();
    let (classes, whole) = row_product(&classes, limit, most, None);
    complete &= whole;
    let mut all = classes.clone();
    for at in 0..fields.len() {
        let choices = |(index, field)| {
            let field: &FieldChoices = field;
            if index == at { &field.all } else { &field.classes }
        };
        let choices: Vec<&Vec<FieldChoice>> = fields.iter().enumerate().map(choices).collect();
        let (rows, whole) = row_product(&choices, limit * 4, most, Some(at));
        complete &= whole;
        all.extend(rows);
    }
    let build = |rows: Vec<Row<'_>>| -> Vec<Candidate> {
        in_order(rows.iter().map(|row| assemble_object(&fields, row)).collect())
    };
    PlaceValues { all: build(all), classes: build(classes), complete }
}

/// A field and what it may hold.
struct FieldChoices {
    name: String,
    all: Vec<FieldChoice>,
    classes: Vec<FieldChoice>,
}

impl FieldChoices {
    fn new(name: String, presence: Presence, values: PlaceValues) -> Self {
        let absent = (presence != Presence::Required).then_some(None);
        let null = absent.as_ref().map(|_| Some(Candidate::in_files(Value::Null)));
        let some = |candidates: Vec<Candidate>| candidates.into_iter().map(Some);
        Self {
            name,
            all: absent.iter().cloned().chain(null).chain(some(values.all)).collect(),
            classes: absent.into_iter().chain(some(values.classes)).collect(),
        }
    }
}

fn assemble_object(fields: &[FieldChoices], row: &Row<'_>) -> Candidate {
    let mut served = true;
    let mut object = Map::new();
    for (field, choice) in fields.iter().zip(row) {
        if let Some(candidate) = choice {
            served &= candidate.served;
            object.insert(field.name.clone(), candidate.value.clone());
        }
    }
    Candidate { value: Value::Object(object), served }
}

/// All rows that take one choice of each column; where those are too many, rows in which every two choices of two
/// columns, one of them this one, meet at least once if `most` rows are enough for that, and `false`.
fn row_product<'c>(
    columns: &[&'c Vec<FieldChoice>],
    limit: usize,
    most: usize,
    one: Option<usize>,
) -> (Vec<Row<'c>>, bool) {
    let total = columns.iter().try_fold(1_usize, |total, column| total.checked_mul(column.len()));
    if total.is_some_and(|total| total <= limit) {
        let mut rows: Vec<Row<'c>> = vec![Vec::new()];
        for column in columns {
            let longer = |row: &Row<'c>, choice: &'c FieldChoice| {
                let mut row = row.clone();
                row.push(choice.as_ref());
                row
            };
            rows = rows.iter().flat_map(|row| column.iter().map(move |choice| longer(row, choice))).collect();
        }
        return (rows, true);
    }
    (pairwise_rows(columns, most.min(limit * 4), one), false)
}

/// About `most` rows in which every two choices of two columns, one of them this one, meet, the other columns at choices that
/// go round.
fn pairwise_rows<'c>(columns: &[&'c Vec<FieldChoice>], most: usize, one: Option<usize>) -> Vec<Row<'c>> {
    let mut rows = Vec::new();
    let most = most.div_ceil(columns.len() * columns.len().saturating_sub(1) / 2 + 1);
    for left in 0..columns.len() {
        for right in
            (left + 1..columns.len()).filter(|right| one.is_none_or(|one| one == left || one == *right))
        {
            let sizes = [left, right].map(|at| columns.get(at).map_or(0, |column| column.len()));
            let all = sizes[0] * sizes[1];
            let stride = all.div_ceil(most).max(1);
            for pair in (0..all).step_by(stride) {
                let pick = |(at, column): (usize, &&'c Vec<FieldChoice>)| {
                    let index = match at {
                        at if at == left => pair % sizes[0],
                        at if at == right => pair / sizes[0],
                        at => (pair * (at + 1)) % column.len().max(1),
                    };
                    column.get(index).and_then(Option::as_ref)
                };
                rows.push(columns.iter().enumerate().map(pick).collect());
            }
        }
    }
    rows
}

/// Empty lists, lists of one, lists of two of all classes, lists of several; with `null` among them.
fn list_values(node: &PlaceNode, lines: &SizeLimits, limit: usize) -> PlaceValues {
    let Some(element) = node.element.as_deref() else {
        return PlaceValues { all: Vec::new(), classes: Vec::new(), complete: true };
    };
    let PlaceValues { all: values, classes, mut complete } =
        node_values(element, lines, limit, EnclosingList::Element);
    let null = Candidate::in_files(Value::Null);
    let mut all = vec![list_of_items(&[])];
    all.extend(values.iter().map(|value| list_of_items(&[value])));
    all.push(list_of_items(&[&null]));
    let most = limit.isqrt().max(2);
    let paired = if classes.len() > most { sample_candidates(&classes, most) } else { classes.clone() };
    for left in &paired {
        all.extend([list_of_items(&[left, &null]), list_of_items(&[&null, left])]);
        all.extend(paired.iter().map(|right| list_of_items(&[left, right])));
    }
    all.push(list_of_items(&paired.iter().collect::<Vec<_>>()));
    for length in lines.items.iter().flat_map(|length| [*length, length + 1]) {
        all.extend(classes.iter().take(LONG).map(|class| list_of_items(&vec![class; length])));
    }
    let mut several = vec![list_of_items(&[])];
    several.extend(classes.iter().map(|class| list_of_items(&[class])));
    if let Some(first) = classes.first() {
        several.extend(
            classes
                .iter()
                .skip(1)
                .flat_map(|class| [list_of_items(&[first, class]), list_of_items(&[class, first])]),
        );
    }
    complete &= paired.len() == classes.len();
    let mut made = 0;
    for index in &node.items {
        let mut single = node_values(element, lines, limit, EnclosingList::Item(*index));
        complete &= single.complete && index.unsigned_abs() < LONGEST as u64;
        // If rules are about many single items, the later ones get one value each.
        if made > MOST_ELEMENTS {
            single.all.truncate(1);
            single.classes.truncate(1);
            complete = false;
        }
        // Combined with each class of the others if these are few enough, otherwise with one class.
        let is_small = classes.len() * single.classes.len() <= limit / 4;
        complete &= is_small;
        let beside = if is_small { classes.as_slice() } else { classes.get(..1).unwrap_or_default() };
        let few = longer_lists(&single.all, classes.get(..1).unwrap_or_default(), *index);
        let lists = longer_lists(&single.classes, beside, *index);
        made += few.iter().chain(&lists).map(elements).sum::<usize>();
        all.extend(few);
        all.extend(lists.iter().cloned());
        several.extend(lists);
    }
    PlaceValues { all: distinct_candidates(all), classes: distinct_candidates(several), complete }
}

fn elements(list: &Candidate) -> usize {
    list.value.as_array().map_or(0, Vec::len)
}

/// Lists that end before a single item that is mentioned, and lists with each value there and with the same filler everywhere
/// else.
fn longer_lists(values: &[Candidate], fillers: &[Candidate], index: i64) -> Vec<Candidate> {
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(LONGEST);
    let least = if index < 0 { distance } else { distance.saturating_add(1) };
    if least > LONGEST {
        return Vec::new();
    }
    let mut lists = Vec::new();
    for filler in fillers {
        lists.push(list_of_items(&vec![filler; least.saturating_sub(1)]));
        for length in [least, least + 1] {
            let at = if index < 0 { length - distance } else { distance };
            let row =
                |value| (0..length).map(|place| if place == at { value } else { filler }).collect::<Vec<_>>();
            lists.extend(values.iter().map(|value| list_of_items(&row(value))));
        }
    }
    lists
}

fn list_of_items(items: &[&Candidate]) -> Candidate {
    let served = items.iter().all(|item| item.served);
    Candidate { value: items.iter().map(|item| item.value.clone()).collect(), served }
}

/// Returns about `count` of the candidates, the first among them.
pub(crate) fn sample_candidates(candidates: &[Candidate], count: usize) -> Vec<Candidate> {
    let stride = candidates.len().div_ceil(count.max(1)).max(1);
    candidates.iter().step_by(stride).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_many_fields_hold_a_bounded_number_of_values_and_every_pair_with_the_field_asked_about() {
        let columns: Vec<Vec<FieldChoice>> =
            (0..17).map(|_| (0..5).map(|value| Some(Candidate::new(value))).collect()).collect();
        let columns: Vec<&Vec<FieldChoice>> = columns.iter().collect();
        let value =
            |choice: Option<&Candidate>| choice.and_then(|candidate| candidate.value.as_i64()).unwrap();
        let (rows, whole) = row_product(&columns, 2000, MOST_VALUES / (17 * 17), Some(3));
        assert!(!whole && rows.len() <= MOST_VALUES / (17 * 17), "{}", rows.len());
        let pairs: std::collections::BTreeSet<_> =
            rows.iter().map(|row| (value(row[3]), value(row[9]))).collect();
        assert_eq!(pairs.len(), 25);
        assert_eq!(rows.len(), 16 * 25);
        // All columns together have more combinations, which also stop at the limit.
        assert!(row_product(&columns, 2000, 500, None).0.len() <= 2 * 500);
    }
}
