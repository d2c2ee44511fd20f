//! The places of predicates as one tree, with all requirements on each.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_ir::{
    ElaboratedRule, Place, PlaceBase, PlaceStep, Predicate, Presence, Scalar, Selector, ValueTest, ValueType,
};
use num_bigint::BigInt;

use super::integers::interval_ends;

/// Places that predicates mention, from the object's root down.
#[derive(Debug)]
pub(crate) struct PlaceTree {
    /// The object.
    pub(crate) root: PlaceNode,
}

/// One place and what is below it.
#[derive(Debug)]
pub(crate) struct PlaceNode {
    /// Its type if a requirement is on the value itself; objects and lists follow from what is below.
    pub(crate) value_type: ValueType,
    /// The fields that are mentioned, and when each exists.
    pub(crate) fields: BTreeMap<String, (Presence, PlaceNode)>,
    /// True if the fields are keys of a map.
    pub(crate) is_map: bool,
    /// Node of the elements, if this is a list.
    pub(crate) element: Option<Box<PlaceNode>>,
    /// The single items that are mentioned, by their index.
    pub(super) items: BTreeSet<i64>,
    /// Tests of the value.
    pub(super) tests: Vec<ValueTest>,
    /// The value where it is not spelled out.
    pub(super) default: Option<Scalar>,
    /// Elements of the nearest list above that predicates mention: all of them, or one by its index.
    pub(super) of_elements: BTreeSet<Option<i64>>,
    /// Number of values that are compared with one another, this one among them; zero if it is compared with none.
    pub(super) compared: usize,
    /// The bounds of all values that are compared with this one.
    pub(super) beside: BTreeSet<BigInt>,
}

/// The way to a node.
#[derive(Clone, Debug, PartialEq)]
enum TreeSegment {
    Field(String, Presence),
    Key(String),
    Element(Option<i64>),
}

impl PlaceNode {
    pub(super) fn new(value_type: ValueType) -> Self {
        Self {
            value_type,
            fields: BTreeMap::new(),
            is_map: false,
            element: None,
            items: BTreeSet::new(),
            tests: Vec::new(),
            default: None,
            of_elements: BTreeSet::new(),
            compared: 0,
            beside: BTreeSet::new(),
        }
    }

    fn at(&mut self, way: &[TreeSegment]) -> &mut Self {
        let mut index_above = None;
        way.iter().fold(self, |node, segment| {
            let below = match segment {
                TreeSegment::Field(name, presence) => {
                    let field = node.fields.entry(name.clone());
                    &mut field.or_insert_with(|| (*presence, Self::new(ValueType::Any))).1
                }
                TreeSegment::Key(name) => {
                    node.is_map = true;
                    let field = node.fields.entry(name.clone());
                    &mut field.or_insert_with(|| (Presence::Optional, Self::new(ValueType::Any))).1
                }
                TreeSegment::Element(index) => {
                    index_above = Some(*index);
                    node.items.extend(index);
                    node.element.get_or_insert_with(|| Box::new(Self::new(ValueType::Any)))
                }
            };
            below.of_elements.extend(index_above);
            below
        })
    }
}

impl PlaceTree {
    /// The places of some rules: those of their predicates, and those that the rules name and whose existence their
    /// predicates take for granted.
    pub(crate) fn of(rules: &[&ElaboratedRule]) -> Self {
        let predicates: Vec<_> = rules.iter().flat_map(|rule| [&rule.predicate, &rule.applies]).collect();
        let mut tree = Self::new(&predicates);
        for rule in rules {
            let requirement = &rule.requirement;
            for selector in std::iter::once(&requirement.subject).chain(&requirement.guard) {
                tree.select(selector);
            }
        }
        tree
    }

    fn select(&mut self, selector: &Selector) {
        let mut elements = Vec::new();
        for list in &selector.lists {
            let mut way = place_segments(list, &elements);
            self.root.at(&way).value_type = ValueType::List;
            way.push(TreeSegment::Element(None));
            self.root.at(&way);
            elements.push(way);
        }
        self.node(&selector.leaf, &elements);
    }

    /// The places of some predicates.
    pub(crate) fn new(predicates: &[&Predicate]) -> Self {
        let mut tree = Self { root: PlaceNode::new(ValueType::Object) };
        let mut groups = Vec::new();
        for predicate in predicates {
            tree.plant(predicate, &mut Vec::new(), &mut groups);
        }
        for group in groups {
            tree.compare(&group);
        }
        tree
    }

    /// Notes at each place of a group, whose values are compared with one another, the other places.
    fn compare(&mut self, group: &[Vec<TreeSegment>]) {
        let mut beside = BTreeSet::new();
        for way in group {
            for test in &self.root.at(way).tests {
                if let ValueTest::Integer(interval) | ValueTest::Length(interval) = test {
                    beside.extend(interval_ends(interval));
                }
            }
        }
        for way in group {
            let node = self.root.at(way);
            node.compared = group.len().max(2);
            node.beside.clone_from(&beside);
        }
    }

    /// `elements` are the ways to the elements that the quantifiers around stand at, the innermost last.
    fn plant(
        &mut self,
        predicate: &Predicate,
        elements: &mut Vec<Vec<TreeSegment>>,
        groups: &mut Vec<Vec<Vec<TreeSegment>>>,
    ) {
        match predicate {
            Predicate::True
            | Predicate::False
            | Predicate::All(_)
            | Predicate::Any(_)
            | Predicate::Not(_) => {
                predicate.children().iter().for_each(|part| self.plant(part, elements, groups));
            }
            Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
                let mut way = place_segments(list, elements);
                let node = self.root.at(&way);
                node.value_type = ValueType::List;
                node.element.get_or_insert_with(|| Box::new(PlaceNode::new(ValueType::Any)));
                way.push(TreeSegment::Element(None));
                elements.push(way);
                self.plant(holds, elements, groups);
                elements.pop();
            }
            Predicate::Present(place) => drop(self.node(place, elements)),
            Predicate::Test { place, test } => {
                let tests = &mut self.node(place, elements).tests;
                if !tests.contains(test) {
                    tests.push(test.clone());
                }
            }
            Predicate::Compare { left, right, .. } => {
                let ways = [left, right].map(|operand| {
                    self.node(operand.place(), elements);
                    place_segments(operand.place(), elements)
                });
                join_groups(groups, ways);
            }
        }
    }

    fn node(&mut self, place: &Place, elements: &[Vec<TreeSegment>]) -> &mut PlaceNode {
        let node = self.root.at(&place_segments(place, elements));
        if node.value_type == ValueType::Any {
            node.value_type = place.value_type;
        }
        node.default = node.default.take().or_else(|| place.default.clone());
        node
    }
}

/// Puts two places that are compared into one group, with all that either is compared with.
fn join_groups(groups: &mut Vec<Vec<Vec<TreeSegment>>>, ways: [Vec<TreeSegment>; 2]) {
    let mut joined = Vec::from(ways);
    let (met, apart): (Vec<_>, Vec<_>) =
        groups.drain(..).partition(|group| group.iter().any(|way| joined.contains(way)));
    joined.extend(met.into_iter().flatten());
    let mut group: Vec<Vec<TreeSegment>> = Vec::new();
    for way in joined {
        if !group.contains(&way) {
            group.push(way);
        }
    }
    *groups = apart;
    groups.push(group);
}

fn place_segments(place: &Place, elements: &[Vec<TreeSegment>]) -> Vec<TreeSegment> {
    let mut way = match place.base {
        PlaceBase::Root => Vec::new(),
        PlaceBase::Element(depth) => {
            let depth = usize::try_from(depth).unwrap_or(usize::MAX);
            elements.iter().rev().nth(depth).cloned().unwrap_or_default()
        }
    };
    way.extend(place.steps.iter().map(|step| match step {
        PlaceStep::Field { name, presence } => TreeSegment::Field(name.clone(), *presence),
        PlaceStep::Key(name) => TreeSegment::Key(name.clone()),
        PlaceStep::Item(index) => TreeSegment::Element(Some(*index)),
    }));
    way
}
