//! Terms as numbers, with the facts that the schema has about each: equal terms have one number, and are examined once.

use std::cell::OnceCell;

use kvrules_cel::types::keyword_value;
use kvrules_ir::{Constant, EntryVariables, Formula, Term, VariableId};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::ExampleKey;
use super::self_equality::{SelfEquality, TermPart, self_equality};
use super::unique_items::{ItemVariables, selects_one_item};
use crate::facts::{NumberRange, allowed_values, node_below, range_of};
use crate::quick_hash::QuickMap;

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TermId(u32);

/// A term by the numbers of its parts.
#[derive(PartialEq, Eq, Hash)]
enum TermKey<'a> {
    Field(TermId, &'a str),
    Index(TermId, TermId),
    Call(&'a str, bool, Vec<TermId>),
    List(Vec<TermId>),
    /// A term without parts, or with formulas in it.
    Whole(&'a Term),
}

/// Facts about a term.
pub(super) struct KnownTerm<'a> {
    pub(super) term: &'a Term,
    /// The terms that it is computed from.
    pub(super) parts: Vec<TermId>,
    /// Its schema.
    pub(super) node: Option<&'a Json>,
    /// True for parts of the stored object, which may be older than the schema.
    pub(super) is_stored: bool,
    /// True if its value may be null. A field that is null counts as one without a value.
    pub(super) may_be_null: bool,
    /// What is known of its equality with itself.
    pub(super) self_equality: SelfEquality,
    /// The numbers that the schema allows for it.
    pub(super) range: Option<NumberRange>,
    /// The values that the schema allows, if it lists them.
    allowed: OnceCell<Option<Vec<Constant>>>,
}

/// The terms of the formulas about one value.
pub(super) struct TermTable<'a> {
    schema: &'a Json,
    /// True if the schema accepts the stored value.
    pub(super) is_stored_valid: bool,
    ids: QuickMap<TermKey<'a>, TermId>,
    known: Vec<KnownTerm<'a>>,
    /// The schemas of the entries of loops.
    entries: QuickMap<VariableId, Option<&'a Json>>,
    /// The lists and maps that loops go over, by the variables of their entries.
    ranges: QuickMap<VariableId, TermId>,
    /// The lists and maps of examples, by the variables of their keys.
    examples: QuickMap<VariableId, TermId>,
}

/// The items that count as one of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemPresence {
    /// Those that the list certainly has.
    Certain,
    /// Those that any number names.
    Open,
}

impl<'a> TermTable<'a> {
    pub(super) fn new(schema: &'a Json) -> Self {
        Self {
            schema,
            is_stored_valid: false,
            ids: QuickMap::default(),
            known: Vec::new(),
            entries: QuickMap::default(),
            ranges: QuickMap::default(),
            examples: QuickMap::default(),
        }
    }

    /// The number of a term.
    pub(super) fn number_of(&mut self, term: &'a Term) -> TermId {
        let (key, parts) = match term {
            Term::Field(of, name) => {
                let of = self.number_of(of);
                (TermKey::Field(of, name), vec![of])
            }
            Term::Index(of, key) => {
                let (of, key) = (self.number_of(of), self.number_of(key));
                (TermKey::Index(of, key), vec![of, key])
            }
            Term::Call(call) => {
                let arguments = self.numbers_of(&call.arguments);
                // `l.size()` is `size(l)`.
                let is_member = call.is_member && call.function != "size";
                (TermKey::Call(&call.function, is_member, arguments.clone()), arguments)
            }
            Term::List(items) => {
                let items = self.numbers_of(items);
                (TermKey::List(items.clone()), items)
            }
            Term::Collect(it) => (TermKey::Whole(term), vec![self.number_of(&it.range)]),
            Term::Constant(_) | Term::Root(_) | Term::Variable(_) | Term::Tally(_) => {
                (TermKey::Whole(term), Vec::new())
            }
        };
        if let Some(known) = self.ids.get(&key) {
            return *known;
        }
        let id = TermId(u32::try_from(self.known.len()).unwrap_or(u32::MAX));
        self.ids.insert(key, id);
        let known = self.examine(term, parts);
        self.known.push(known);
        id
    }

    fn numbers_of(&mut self, terms: &'a [Term]) -> Vec<TermId> {
        terms.iter().map(|term| self.number_of(term)).collect()
    }

    fn examine(&self, term: &'a Term, parts: Vec<TermId>) -> KnownTerm<'a> {
        let first = parts.first().and_then(|id| self.get(*id));
        let below = |name| first.and_then(|of| node_below(of.node?, name));
        let node = match term {
            Term::Root(name) if name == "self" || name == "oldSelf" => Some(self.schema),
            Term::Variable(variable) => self.entries.get(variable).copied().flatten(),
            Term::Field(_, name) => below(Some(name)),
            Term::Index(..) => below(None),
            Term::Collect(it) if matches!(it.result, Term::Variable(_)) => first.and_then(|of| of.node),
            _ => None,
        };
        let is_stored = match term {
            Term::Root(name) => name == "oldSelf" && !self.is_stored_valid,
            Term::Field(..) | Term::Index(..) => first.is_some_and(|of| of.is_stored),
            _ => false,
        };
        let may_be_null = match term {
            Term::Field(_, name) => {
                let is_declared =
                    |of: &Json| keyword_value(of, "properties").is_some_and(|all| all.get(name).is_some());
                node.is_some_and(is_nullable) && !first.and_then(|of| of.node).is_some_and(is_declared)
            }
            Term::Index(..) | Term::Variable(_) => node.is_some_and(is_nullable),
            _ => false,
        };
        let restricting = match term {
            // A list that is made from some of the entries of another has a size of its own.
            Term::Call(call) if call.function == "size" => {
                let counted = parts.first().and_then(|of| self.get(self.counted_list(*of)));
                counted.filter(|of| !matches!(of.term, Term::Collect(_))).and_then(KnownTerm::facts)
            }
            Term::Collect(_) => None,
            _ if is_stored || may_be_null => None,
            _ => node,
        };
        let is_size = matches!(term, Term::Call(call) if call.function == "size");
        let counts = |presence| is_size && first.is_some_and(|of| self.selects_one_item(of, presence));
        let range = if counts(ItemPresence::Certain) {
            Some(NumberRange::between(1, 1))
        } else if counts(ItemPresence::Open) {
            // Of a list without that item the selection is empty.
            Some(NumberRange::between(0, 1))
        } else {
            range_of(term, restricting)
        };
        let self_equality = self_equality(term, node, &self.parts_of(term, &parts));
        KnownTerm {
            term,
            parts,
            node,
            is_stored,
            may_be_null,
            self_equality,
            range,
            allowed: OnceCell::new(),
        }
    }

    /// The terms that decide whether a term equals itself: its parts, or the list or map that it is an entry of.
    fn parts_of(&self, term: &Term, parts: &[TermId]) -> Vec<TermPart<'a>> {
        let range = match term {
            Term::Variable(variable) => self.ranges.get(variable),
            _ => None,
        };
        let known = parts.iter().chain(range).filter_map(|id| self.get(*id));
        let part =
            |it: &KnownTerm<'a>| TermPart { term: it.term, node: it.node, self_equality: it.self_equality };
        known.map(part).collect()
    }

    /// Notes the keys of examples.
    pub(super) fn note_examples(&mut self, examples: &'a [ExampleKey]) {
        for example in examples {
            let range = self.number_of(&example.range);
            self.examples.insert(example.variable, range);
        }
    }

    /// The list or map that has as many entries as a list: the one that each entry of the list is made from.
    fn counted_list(&self, mut list: TermId) -> TermId {
        while let Some(KnownTerm { term: Term::Collect(it), parts, .. }) = self.get(list)
            && it.selected == Formula::True
            && let Some(range) = parts.first()
        {
            list = *range;
        }
        list
    }

    /// Returns the term that is equal to a term wherever both have a value: `size(list)` for the size of a list with an entry for each
    /// of `list`.
    pub(super) fn equal_term(&self, id: TermId) -> TermId {
        let Some(KnownTerm { term: Term::Call(call), parts, .. }) = self.get(id) else { return id };
        let ("size", [list]) = (call.function.as_str(), parts.as_slice()) else { return id };
        let size = TermKey::Call("size", false, vec![self.counted_list(*list)]);
        self.ids.get(&size).copied().unwrap_or(id)
    }

    /// True for the value of a map at a key that a loop over the map goes over.
    pub(super) fn is_own_key(&self, index: &KnownTerm<'a>) -> bool {
        let [of, key] = index.parts.as_slice() else { return false };
        let variable = self.get(*key).map(|key| key.term);
        matches!(variable, Some(Term::Variable(variable)) if self.ranges.get(variable) == Some(of))
    }

    /// True for a selection of the items that equal an item of a list without equal items.
    pub(super) fn selects_one_item(&self, of: &KnownTerm<'a>, presence: ItemPresence) -> bool {
        let (Term::Collect(it), Some(range)) = (of.term, of.parts.first()) else { return false };
        let is_item = |variable| {
            it.entry.value == Some(variable) || self.ranges.get(&variable).is_some_and(|known| known == range)
        };
        let is_number = |variable| {
            let is_of_range = |ranges: &QuickMap<VariableId, TermId>| ranges.get(&variable) == Some(range);
            presence == ItemPresence::Open
                || it.entry.key == Some(variable)
                || is_of_range(&self.ranges)
                || is_of_range(&self.examples)
        };
        let list = self.get(*range).and_then(KnownTerm::facts);
        let variables = ItemVariables { is_item: &is_item, is_number: &is_number };
        list.is_some_and(|list| selects_one_item(it, list, &variables))
    }

    pub(super) fn get(&self, id: TermId) -> Option<&KnownTerm<'a>> {
        self.known.get(usize::try_from(id.0).ok()?)
    }

    /// The values that the schema allows for a term, if it lists them.
    pub(super) fn allowed_values(&self, id: TermId) -> Option<&[Constant]> {
        let known = self.get(id)?;
        known.allowed.get_or_init(|| allowed_values(known.facts())).as_deref()
    }

    /// The number of the type of a term, if formulas name it.
    pub(super) fn type_of(&self, id: TermId) -> Option<TermId> {
        self.ids.get(&TermKey::Call("type", false, vec![id])).copied()
    }

    /// The number of the size of a term, if formulas name it.
    pub(super) fn size_of(&self, id: TermId) -> Option<TermId> {
        self.ids.get(&TermKey::Call("size", false, vec![id])).copied()
    }

    /// Notes the variables of an entry of a loop, with the schema of its value.
    pub(super) fn note_entry(&mut self, entry: EntryVariables, range: &'a Term) {
        let id = self.number_of(range);
        let node = self.get(id).and_then(|range| node_below(range.node?, None));
        self.entries.extend(entry.value.map(|value| (value, node)));
        self.ranges.extend([entry.key, entry.value].into_iter().flatten().map(|variable| (variable, id)));
    }
}

fn is_nullable(node: &Json) -> bool {
    keyword_value(node, "nullable") == Some(&Json::Bool(true))
}

impl<'a> KnownTerm<'a> {
    /// The schema that restricts its values.
    pub(super) fn facts(&self) -> Option<&'a Json> {
        if self.is_stored || self.may_be_null { None } else { self.node }
    }

    /// True if its values are integers or texts.
    pub(super) fn has_two_types(&self) -> bool {
        self.node.is_some_and(|node| keyword_value(node, INT_OR_STRING) == Some(&Json::Bool(true)))
    }

    /// True if its values can be ordered with those of its type.
    pub(super) fn is_ordered(&self) -> bool {
        let is_scalar = |node: &Json| {
            let kind = keyword_value(node, "type").and_then(Json::as_str);
            matches!(kind, Some("integer" | "number" | "string" | "boolean"))
        };
        match self.term {
            _ if self.may_be_null => false,
            Term::Constant(_) | Term::Tally(_) => true,
            Term::Call(call) => {
                let function = call.function.as_str();
                matches!(function, "size" | "int" | "lowerAscii" | "upperAscii" | "duration" | "timestamp")
            }
            _ => self.node.is_some_and(is_scalar),
        }
    }

    pub(super) fn constant(&self) -> Option<&'a Constant> {
        match self.term {
            Term::Constant(constant) => Some(constant),
            _ => None,
        }
    }
}
