//! The places that formulas name, with values that make a difference there.

use std::collections::HashMap;

use kvrules_generate::PlaceStep;
use kvrules_ir::{Collection, Constant, EntryVariables, Formula, Term, VariableId};
use serde_json::{Value as Json, json};

use super::differing_texts::differing_texts;
use super::incomplete_values::readable_texts;
use super::near_texts::{near_quantity, quantity_text};
use super::{Change, Edit, PlacePair};

/// Texts that the readings of the libraries accept, or nearly.
const TEXTS: &[&str] = &[
    "",
    "a",
    "a-b",
    "A",
    "10",
    "1Gi",
    "500m",
    "1h30m",
    "30s",
    "10.0.0.1",
    "10.0.0.0/8",
    "10.1.0.0/16",
    "fd00::1",
    "fd00::/64",
    "https://example.com:8443/a?b=c",
    "example.com",
    "1.2.3",
    "v1",
    "2024-01-01T00:00:00Z",
    "a.b/c",
    "0",
];

/// The longest text, list or map that is made on purpose.
const LONGEST: usize = 70;

/// Collects the places that a formula names, with values that make a difference there.
#[derive(Default)]
pub(super) struct Collector {
    variables: HashMap<VariableId, Vec<PlaceStep>>,
    /// The maps whose keys are variables.
    keys: HashMap<VariableId, Vec<PlaceStep>>,
    found: Vec<(Vec<PlaceStep>, Vec<Edit>)>,
    pub(super) pairs: Vec<PlacePair>,
    pub(super) readings: Vec<(Vec<PlaceStep>, &'static [&'static str])>,
    /// The patterns that texts are matched with.
    patterns: Vec<(Vec<PlaceStep>, String)>,
    pub(super) has_old: bool,
}

impl Collector {
    pub(super) fn collect(&mut self, formula: &Formula) {
        if let Formula::Compare { left, right, .. } = formula {
            self.note_comparison(left, right);
            self.note_comparison(right, left);
            if let (Some(left), Some(right)) = (self.place_of(left), self.place_of(right)) {
                self.pairs.push(PlacePair(left, right));
            }
        }
        formula.terms().for_each(|term| self.note_term(term));
        if let Formula::Each(it) | Formula::Some(it) = formula {
            self.bind(&it.range, it.entry);
        }
        formula.children().iter().for_each(|part| self.collect(part));
    }

    fn bind(&mut self, range: &Term, entry: EntryVariables) {
        let Some(place) = self.place_of(range) else { return };
        if let Some(key) = entry.key {
            self.keys.insert(key, place.clone());
        }
        if let Some(value) = entry.value {
            self.variables.insert(value, place.into_iter().chain([PlaceStep::Any]).collect());
        }
    }

    /// The place of a path in `self` or in the old value.
    fn place_of(&self, term: &Term) -> Option<Vec<PlaceStep>> {
        match term {
            Term::Root(_) => Some(Vec::new()),
            Term::Variable(variable) => self.variables.get(variable).cloned(),
            Term::Field(of, name) => {
                let mut place = self.place_of(of)?;
                place.push(PlaceStep::Field(name.clone()));
                Some(place)
            }
            Term::Index(of, _) => {
                let mut place = self.place_of(of)?;
                place.push(PlaceStep::Any);
                Some(place)
            }
            Term::Collect(it) => match &it.result {
                Term::Variable(_) => self.place_of(&it.range),
                _ => None,
            },
            _ => None,
        }
    }

    /// The place of a text, also if its type is converted first.
    fn place_of_text(&self, term: &Term) -> Option<Vec<PlaceStep>> {
        match term {
            Term::Call(call) if matches!(call.function.as_str(), "string" | "dyn" | "trim") => {
                self.place_of_text(call.arguments.first()?)
            }
            term => self.place_of(term),
        }
    }

    fn note_comparison(&mut self, term: &Term, other: &Term) {
        self.note_quantities(term, other);
        let Term::Constant(constant) = other else { return };
        match term {
            Term::Call(call) if call.function == "size" => {
                let Some(of) = call.arguments.first() else { return };
                let Constant::Integer(number) = constant else { return };
                let sizes = [number.saturating_sub(1), *number, number.saturating_add(1)];
                let sizes = sizes.iter().filter_map(|size| usize::try_from(*size).ok());
                let sizes: Vec<usize> = sizes.map(|size| size.min(LONGEST)).collect();
                if let Term::Variable(variable) = of
                    && let Some(map) = self.keys.get(variable)
                {
                    let key = |size: &usize| Edit::AddKey("k".repeat(*size));
                    self.found.push((map.clone(), sizes.iter().map(key).collect()));
                }
                if let Some(place) = self.place_of(of) {
                    self.found.push((place, sizes.into_iter().map(Edit::Resize).collect()));
                }
            }
            // Of `self.kind.lowerAscii() == 'pod'`, both cases.
            Term::Call(call) => {
                if let Constant::Text(text) = constant {
                    let texts = [text.clone(), text.to_uppercase(), format!(" {text}")];
                    for of in &call.arguments {
                        self.note_texts(of, texts.iter().cloned());
                    }
                }
            }
            Term::Variable(variable) if self.keys.contains_key(variable) => {
                if let Constant::Text(text) = constant {
                    self.note_texts(term, [text.clone()]);
                }
            }
            term => {
                if let Some(place) = self.place_of(term) {
                    self.found.push((place, near(constant)));
                }
            }
        }
    }

    /// Notes texts for a place or for the keys of a map.
    fn note_texts(&mut self, term: &Term, texts: impl IntoIterator<Item = String>) {
        if let Term::Variable(variable) = term
            && let Some(map) = self.keys.get(variable)
        {
            let edits = texts.into_iter().map(Edit::AddKey).collect();
            self.found.push((map.clone(), edits));
        } else if let Some(place) = self.place_of(term) {
            self.found.push((place, texts.into_iter().map(|text| Edit::Set(text.into())).collect()));
        }
    }

    fn note_term(&mut self, term: &Term) {
        match term {
            Term::Root(name) => self.has_old |= name == "oldSelf",
            Term::Constant(_) | Term::Variable(_) => {}
            Term::Field(of, _) => {
                if let Some(place) = self.place_of(term) {
                    self.found.push((place, vec![Edit::Remove, Edit::Make]));
                }
                self.note_term(of);
            }
            Term::Index(of, key) => {
                if let (Some(place), Term::Constant(Constant::Integer(number))) = (self.place_of(of), &**key)
                {
                    let sizes = [0, *number, number.saturating_add(1)].map(usize::try_from);
                    let sizes = sizes.into_iter().flatten().filter(|size| *size <= LONGEST);
                    self.found.push((place, sizes.map(Edit::Resize).collect()));
                }
                self.note_term(of);
                self.note_term(key);
            }
            Term::Call(call) => self.note_call(&call.function, &call.arguments),
            Term::List(items) => items.iter().for_each(|item| self.note_term(item)),
            Term::Collect(it) => self.note_collection(it),
            Term::Tally(parts) => parts.iter().for_each(|part| self.collect(part)),
        }
    }

    fn note_collection(&mut self, it: &Collection) {
        self.note_term(&it.range);
        self.bind(&it.range, it.entry);
        self.collect(&it.selected);
        self.collect(&it.left_out);
        self.note_term(&it.result);
    }

    fn note_call(&mut self, function: &str, arguments: &[Term]) {
        let texts = arguments.iter().filter_map(|argument| match argument {
            Term::Constant(Constant::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        if let [one, other] = arguments {
            self.note_quantities(one, other);
        }
        if let ("matches", [subject, Term::Constant(Constant::Text(pattern))]) = (function, arguments)
            && let Some(place) = self.place_of_text(subject)
        {
            self.patterns.push((place, pattern.clone()));
        }
        for (at, argument) in arguments.iter().enumerate() {
            if let (Some(place), Some(samples)) = (self.place_of_text(argument), readable_texts(function, at))
            {
                self.readings.push((place, samples));
            }
            if function != "size" {
                let around = texts.iter().flat_map(|text| text_examples(function, text));
                self.note_texts(argument, around.chain(TEXTS.iter().map(|text| (*text).to_owned())));
            }
            self.note_term(argument);
        }
    }

    /// Notes the quantities next to one that another is compared with.
    fn note_quantities(&mut self, one: &Term, other: &Term) {
        let (Some(one), Some(other)) = (quantity_text(one), quantity_text(other)) else { return };
        if let (of, Term::Constant(Constant::Text(bound))) | (Term::Constant(Constant::Text(bound)), of) =
            (one, other)
        {
            self.note_texts(of, near_quantity(bound));
        }
    }

    /// The changes, one for each place.
    pub(super) fn changes(&self) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        let differing = differing_texts(&self.patterns);
        for (steps, edits) in differing.iter().chain(&self.found) {
            match changes.iter_mut().find(|change| change.steps == *steps) {
                Some(change) => {
                    let new: Vec<_> = edits.iter().filter(|it| !change.edits.contains(it)).cloned().collect();
                    change.edits.extend(new);
                }
                None => changes.push(Change { steps: steps.clone(), edits: edits.clone() }),
            }
        }
        changes
    }
}

/// Values that make a difference somewhere in a formula.
pub(crate) fn candidate_values(formula: &Formula) -> Vec<Json> {
    let mut values = Vec::new();
    formula.visit_terms(&mut |term| match term {
        Term::Constant(constant) => values.extend(near(constant).into_iter().filter_map(Edit::into_value)),
        Term::Call(call) => {
            for (at, argument) in call.arguments.iter().enumerate() {
                let readable = readable_texts(&call.function, at).into_iter().flatten();
                values.extend(readable.map(|text| json!(text)));
                if let Term::Constant(Constant::Text(text)) = argument {
                    values.extend(text_examples(&call.function, text).into_iter().map(Json::from));
                }
            }
        }
        _ => {}
    });
    values.extend(TEXTS.iter().map(|text| json!(text)));
    values.dedup();
    values
}

/// Texts that a function with a text as its other argument treats differently.
fn text_examples(function: &str, text: &str) -> Vec<String> {
    let mut texts = vec![text.to_owned(), format!("{text}a"), format!("a{text}"), format!("a{text}b")];
    match function {
        "matches" => texts.extend(kvrules_generate::text_matching(text)),
        // Those before and after, which differ in the first digits.
        "quantity" | "duration" | "timestamp" | "semver" | "ip" => texts.extend(near_quantity(text)),
        _ => {}
    }
    texts
}

/// A constant, and values next to it.
fn near(constant: &Constant) -> Vec<Edit> {
    let values = match constant {
        Constant::Null => vec![json!(null)],
        Constant::Boolean(_) => vec![json!(true), json!(false)],
        Constant::Integer(number) => {
            let numbers = [*number, number.saturating_add(1), number.saturating_sub(1)];
            numbers.iter().map(|number| json!(number)).chain([json!(number.to_string())]).collect()
        }
        Constant::Unsigned(number) => vec![json!(number)],
        Constant::Float(number) => vec![json!(number), json!(number + 0.5), json!(number - 0.5)],
        Constant::Text(text) => vec![json!(text), json!(format!("{text}x")), json!("other")],
        Constant::Type(_) => vec![json!(1), json!("1")],
    };
    values.into_iter().map(Edit::Set).collect()
}
