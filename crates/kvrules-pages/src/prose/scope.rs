//! Context of a sentence: the surrounding lists, the mood, and the places known to exist.

use kvrules_ir::{Operand, Place, PlaceBase};

use super::inline::Prose;
use super::noun::{self, ElementNoun};
use super::phrase::VerbMood;

/// The surroundings of a sentence.
#[derive(Clone, Debug)]
pub(crate) struct SentenceScope {
    pub(crate) mood: VerbMood,
    /// The elements around, the innermost last.
    elements: Vec<ElementNoun>,
    /// True if the innermost element must still be introduced: `every disk` instead of `the disk`.
    pub(crate) every: bool,
    /// Places that exist here.
    known: Vec<Place>,
}

impl SentenceScope {
    /// At the root of an object.
    pub(crate) fn root(mood: VerbMood) -> Self {
        Self { mood, elements: Vec::new(), every: false, known: Vec::new() }
    }

    /// At an element of a list.
    pub(crate) fn enter(&self, list: &Place, every: bool) -> Self {
        let mut inner = self.clone();
        inner.elements.push(ElementNoun::of(list));
        inner.every = every;
        for place in &mut inner.known {
            if let PlaceBase::Element(depth) = &mut place.base {
                *depth += 1;
            }
        }
        inner
    }

    /// The same, with the innermost element brought up.
    pub(crate) fn settled(&self) -> Self {
        Self { every: false, ..self.clone() }
    }

    /// Returns the scope in which these places are known to exist.
    pub(crate) fn knowing(&self, places: impl IntoIterator<Item = Place>) -> Self {
        let mut inner = self.clone();
        inner.known.extend(places);
        inner
    }

    /// True if a place exists here for sure.
    pub(crate) fn knows(&self, place: &Place) -> bool {
        self.known.iter().any(|known| known.implies_existence_of(place))
    }

    /// The part of a place that may be missing here.
    pub(crate) fn uncertain_parts(&self, place: &Place) -> Option<Place> {
        noun::required_prefix(place).filter(|needed| !self.knows(needed))
    }

    /// The innermost element.
    pub(crate) fn element(&self) -> Option<&ElementNoun> {
        self.elements.last()
    }

    /// `every disk`, `the disk`.
    fn element_at(&self, depth: u32) -> Prose {
        let from_end = usize::try_from(depth).unwrap_or(usize::MAX);
        let noun =
            self.elements.iter().rev().nth(from_end).map_or_else(|| "element".into(), ElementNoun::singular);
        let article = if self.every && depth == 0 { "every " } else { "the " };
        Prose::from(article).add_prose(&noun)
    }

    /// `every disk's `bus``, `the guest's memory`, or a path.
    pub(crate) fn name(&self, place: &Place) -> Prose {
        let path = noun::path_of(place);
        let PlaceBase::Element(depth) = place.base else {
            return noun::name_of(place).map_or_else(|| Prose::of_code(path), Prose::from);
        };
        let owner = self.element_at(depth);
        let from_end = usize::try_from(depth).unwrap_or(usize::MAX);
        match self.elements.iter().rev().nth(from_end) {
            _ if place.steps.is_empty() => owner,
            Some(ElementNoun::ItemOf(_)) => Prose::of_code(path).text(" of ").add_prose(&owner),
            noun => match noun.and_then(|noun| noun.own(&path)) {
                Some(name) => owner.text("'s ").text(name),
                None => owner.text("'s ").code(path),
            },
        }
    }

    /// An operand that something is compared with.
    pub(crate) fn compared(&self, operand: &Operand) -> Prose {
        let inner = self.settled();
        let place = operand.place();
        let name = inner.name(place);
        match operand {
            Operand::Length(_) => Prose::from("the number of characters in ").add_prose(&name),
            _ if place.base == PlaceBase::Root && noun::name_of(place).is_none() => {
                Prose::from("the value of ").add_prose(&name)
            }
            _ => name,
        }
    }

    /// Says that a place must exist: `every disk must have `disk``.
    pub(crate) fn demand_presence(&self, place: &Place) -> Prose {
        let modal = self.mood.modal();
        let place = &noun::present_part(place);
        match place.base {
            PlaceBase::Element(depth) => {
                self.element_at(depth).text(&format!(" {modal} have ")).code(noun::path_of(place))
            }
            PlaceBase::Root => self.name(place).text(&format!(" {modal} be set")),
        }
    }
}
