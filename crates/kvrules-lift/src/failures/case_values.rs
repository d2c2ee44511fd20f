//! Values of a case: the facts of the case as plans for the places that they are about.

use std::collections::HashMap;

use kvrules_cel::types::keyword_value;
use kvrules_ir::{Constant, Term, TermCall, VariableId};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::value_plan::{PlanStep, ValuePlan};
use crate::decide::{Case, CaseFact};
use crate::facts::{divisor_of, takes_text};
use crate::synthesise::readable_texts;

/// A text that no function reads as something else.
const UNREADABLE: &str = "a b";

/// A place in the value or in the one that it replaces.
struct PlannedPlace {
    is_stored: bool,
    steps: Vec<PlanStep>,
}

/// A relation of two values, neither of which is a constant.
struct Relation<'a> {
    one: &'a Term,
    other: &'a Term,
    /// True if they are equal or not, false if one is less or not.
    is_equality: bool,
    holds: bool,
}

/// The values of a case.
pub(super) struct CaseValues<'a> {
    schema: &'a Json,
    value: ValuePlan,
    stored: ValuePlan,
    has_stored: bool,
    /// Keys of the entries of maps.
    keys: HashMap<VariableId, String>,
    relations: Vec<Relation<'a>>,
}

impl<'a> CaseValues<'a> {
    /// Plans values that have the facts of a case.
    pub(super) fn of_case(case: &Case<'a>, schema: &'a Json, has_stored: bool) -> Self {
        let (value, stored) = Default::default();
        let mut made =
            Self { schema, value, stored, has_stored, keys: HashMap::new(), relations: Vec::new() };
        for (subject, text) in &case.texts {
            made.set_text(subject, text);
        }
        for (fact, holds) in &case.facts {
            made.add_fact(*fact, *holds);
        }
        for relation in std::mem::take(&mut made.relations) {
            made.relate(&relation);
        }
        made
    }

    /// The value, made from another one if there is one.
    pub(super) fn to_value(&self, base: Option<Json>) -> Option<Json> {
        self.value.to_value(self.schema, base, &self.keys)
    }

    /// The value, and the one that it replaces.
    pub(super) fn to_pair(&self) -> Option<(Json, Option<Json>)> {
        let value = self.to_value(None)?;
        let to_stored = || self.stored.to_value(self.schema, Some(value.clone()), &self.keys);
        let stored = self.has_stored.then(to_stored).flatten();
        Some((value, stored))
    }

    fn add_fact(&mut self, fact: CaseFact<'a>, holds: bool) {
        match fact {
            CaseFact::Present(Term::Root(name)) => self.has_stored &= name != "oldSelf" || holds,
            CaseFact::Present(term) => self.set_presence(term, holds),
            CaseFact::Equal(term, Term::Constant(constant))
            | CaseFact::Equal(Term::Constant(constant), term) => {
                self.set_equality(term, constant, holds);
            }
            CaseFact::Less(term, Term::Constant(bound)) => self.set_bound(term, bound, true, holds),
            CaseFact::Less(Term::Constant(bound), term) => self.set_bound(term, bound, false, holds),
            CaseFact::Equal(one, other) => {
                self.relations.push(Relation { one, other, is_equality: true, holds });
            }
            CaseFact::Less(one, other) => {
                self.relations.push(Relation { one, other, is_equality: false, holds });
            }
            CaseFact::Comparable(..) if holds => return,
            CaseFact::Comparable(one, other) => {
                self.set_other_type(one, other);
                return;
            }
        }
        if matches!(fact, CaseFact::Present(_)) && !holds {
            return;
        }
        if let CaseFact::Present(one) | CaseFact::Equal(one, _) | CaseFact::Less(one, _) = fact {
            self.make_readable(one, 0);
        }
    }

    /// Gives one of two values that are compared a type that differs from that of the other.
    fn set_other_type(&mut self, one: &Term, other: &Term) {
        let is_text = |term: &Term| match term {
            Term::Constant(constant) => matches!(constant, Constant::Text(_)),
            term => self.node_at(term).and_then(|node| node.get("type")).is_some_and(|it| it == "string"),
        };
        let types = [one, other].map(|term| if is_text(term) { "string" } else { "int" });
        for (term, compared) in [one, other].into_iter().zip(types.into_iter().rev()) {
            if self.is_of_two_types(term) {
                if let Some(plan) = self.plan_at(term) {
                    plan.add_type(compared, false);
                }
                return;
            }
        }
    }

    /// True for the place of an integer or string.
    fn is_of_two_types(&self, term: &Term) -> bool {
        self.node_at(term).is_some_and(|node| keyword_value(node, INT_OR_STRING) == Some(&Json::Bool(true)))
    }

    fn set_presence(&mut self, term: &Term, is_there: bool) {
        if let (Term::Call(call), false) = (term, is_there) {
            self.leave_without_value(call);
        }
        if matches!(term, Term::Call(_) | Term::Collect(_) | Term::List(_)) {
            return;
        }
        if let Some(plan) = self.plan_at(term) {
            plan.is_absent = !is_there;
        }
    }

    /// Makes a function have no value: by a divisor that is zero, an integer in place of a text, or a text that it cannot read.
    fn leave_without_value(&mut self, call: &TermCall) {
        if let Some(divisor) = divisor_of(call) {
            self.set_zero(divisor);
            return;
        }
        let Some(subject) = call.arguments.first() else { return };
        let is_reader = readable_texts(&call.function, 0).is_some();
        let is_of_two_types = self.is_of_two_types(subject) && takes_text(&call.function);
        let Some(plan) = self.plan_at(subject) else { return };
        if is_of_two_types {
            plan.add_type("string", false);
        } else if is_reader && plan.value.is_none() {
            plan.value = Some(UNREADABLE.into());
        }
    }

    fn set_zero(&mut self, term: &Term) {
        match term {
            Term::Call(call) if call.function == "size" => {
                let Some(plan) = call.arguments.first().and_then(|of| self.plan_at(of)) else { return };
                plan.sizes.push((Constant::Integer(0), None, true));
            }
            Term::Call(_) => {}
            term => {
                if let Some(plan) = self.plan_at(term) {
                    plan.value.get_or_insert_with(|| 0.into());
                }
            }
        }
    }

    /// The schema at the place of a term.
    fn node_at(&self, term: &Term) -> Option<&'a Json> {
        let place = place_of(term)?;
        place.steps.iter().try_fold(self.schema, |node, step| step.schema_below(node))
    }

    fn set_text(&mut self, subject: &Term, text: &str) {
        if let Term::Variable(key) = subject {
            self.keys.insert(*key, text.to_owned());
        } else if let Some(plan) = self.plan_at(subject) {
            plan.value = Some(text.into());
        }
    }

    fn set_equality(&mut self, term: &Term, constant: &Constant, holds: bool) {
        if let Term::Call(call) = term {
            self.set_result(call, constant, holds);
            return;
        }
        if let (Term::Variable(key), Constant::Text(text), true) = (term, constant, holds) {
            self.keys.insert(*key, text.clone());
            return;
        }
        let (Some(value), Some(plan)) = (to_json(constant), self.plan_at(term)) else { return };
        if holds {
            plan.value = Some(value);
        } else {
            plan.excluded.push(value);
        }
    }

    /// A function has a result, or another one.
    fn set_result(&mut self, call: &TermCall, constant: &Constant, holds: bool) {
        let [subject, ..] = call.arguments.as_slice() else { return };
        let samples = readable_texts(&call.function, 0).unwrap_or_default();
        let Some(plan) = self.plan_at(subject) else { return };
        match (call.function.as_str(), constant) {
            ("size", _) => plan.sizes.push((constant.clone(), None, holds)),
            ("type", Constant::Type(name)) => plan.add_type(name, holds),
            ("string" | "dyn" | "lowerAscii" | "upperAscii", Constant::Text(text)) if holds => {
                plan.value.get_or_insert_with(|| text.as_str().into());
            }
            (name, Constant::Boolean(truth)) if name.starts_with("is") && call.arguments.len() == 1 => {
                let text = if *truth == holds { samples.first().copied() } else { Some("a b") };
                if plan.value.is_none() {
                    plan.value = text.map(Json::from);
                }
            }
            _ => {}
        }
    }

    fn set_bound(&mut self, term: &Term, bound: &Constant, is_left: bool, holds: bool) {
        match term {
            Term::Call(call) if call.function == "size" => {
                let Some(plan) = call.arguments.first().and_then(|of| self.plan_at(of)) else { return };
                plan.sizes.push((bound.clone(), Some(is_left), holds));
            }
            Term::Call(_) => {}
            term => {
                if let Some(plan) = self.plan_at(term) {
                    plan.bounds.push((bound.clone(), is_left, holds));
                }
            }
        }
    }

    /// Gives the texts that functions read a value that they can read; of several, that with a number.
    fn make_readable(&mut self, term: &Term, number: usize) {
        let Term::Call(call) = term else { return };
        for (at, argument) in call.arguments.iter().enumerate() {
            self.make_readable(argument, number);
            let sample = readable_texts(&call.function, at).and_then(|samples| samples.get(number));
            if let (Some(sample), Some(plan)) = (sample, self.plan_at(argument))
                && plan.value.is_none()
            {
                plan.value = Some((*sample).into());
            }
        }
    }

    /// Gives two values a relation.
    fn relate(&mut self, relation: &Relation<'_>) {
        let Relation { one, other, is_equality, holds } = *relation;
        if let (Term::Call(_), Term::Call(_)) = (one, other) {
            self.make_readable(one, usize::from(!is_equality && !holds));
            self.make_readable(other, usize::from(holds != is_equality));
            return;
        }
        let known = |values: &mut Self, term: &Term| values.plan_at(term).and_then(|plan| plan.value.clone());
        // The value that is known decides the other.
        let (from, to, is_turned) = if known(self, one).is_none() && known(self, other).is_some() {
            (other, one, true)
        } else {
            (one, other, false)
        };
        let Some(value) = known(self, from).or_else(|| self.value_of(from)) else { return };
        let number = value.as_i64();
        let Some(plan) = self.plan_at(to) else { return };
        match (is_equality, holds, number) {
            (true, false, _) => plan.excluded.push(value.clone()),
            (false, true, Some(number)) => {
                let next = if is_turned { number.saturating_sub(1) } else { number.saturating_add(1) };
                plan.value = Some(next.into());
            }
            _ => plan.value = Some(value.clone()),
        }
        if let Some(plan) = self.plan_at(from) {
            plan.value = Some(value);
        }
    }

    /// The value that a plan has without the others.
    fn value_of(&mut self, term: &Term) -> Option<Json> {
        let node = self.node_at(term)?;
        let plan = self.plan_at(term)?.clone();
        plan.to_value(node, None, &self.keys)
    }

    fn plan_at(&mut self, term: &Term) -> Option<&mut ValuePlan> {
        let PlannedPlace { is_stored, steps } = place_of(term)?;
        let plan = if is_stored { &mut self.stored } else { &mut self.value };
        Some(steps.into_iter().fold(plan, ValuePlan::below))
    }
}

/// The place of a part of the value or of the stored one, also if its type is converted.
fn place_of(term: &Term) -> Option<PlannedPlace> {
    let below = |of: &Term, step| {
        let mut place = place_of(of)?;
        place.steps.push(step);
        Some(place)
    };
    match term {
        Term::Root(name) if name == "self" => Some(PlannedPlace { is_stored: false, steps: Vec::new() }),
        Term::Root(name) if name == "oldSelf" => Some(PlannedPlace { is_stored: true, steps: Vec::new() }),
        Term::Field(of, name) => below(of, PlanStep::Field(name.clone())),
        Term::Index(of, key) => match &**key {
            Term::Constant(Constant::Integer(number)) => {
                below(of, PlanStep::Item(usize::try_from(*number).ok()?))
            }
            Term::Constant(Constant::Text(key)) => below(of, PlanStep::Field(key.clone())),
            Term::Variable(variable) => below(of, PlanStep::Entry(*variable)),
            _ => None,
        },
        Term::Call(call) if matches!(call.function.as_str(), "string" | "dyn" | "trim") => {
            place_of(call.arguments.first()?)
        }
        _ => None,
    }
}

/// The constant as data has it.
fn to_json(constant: &Constant) -> Option<Json> {
    Some(match constant {
        Constant::Null => Json::Null,
        Constant::Boolean(value) => (*value).into(),
        Constant::Integer(number) => (*number).into(),
        Constant::Unsigned(number) => (*number).into(),
        Constant::Float(number) => (*number).into(),
        Constant::Text(text) => text.as_str().into(),
        Constant::Type(_) => return None,
    })
}
