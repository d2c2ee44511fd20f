//! Departures of a schema from the rule.

use crate::Fidelity;

/// The departures of a schema, each kind in a phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaLosses {
    /// Values that are wrongly accepted.
    lets_in: Vec<&'static str>,
    /// Values that are wrongly rejected.
    leaves_out: Vec<&'static str>,
}

impl SchemaLosses {
    /// Notes what is accepted and should not be.
    pub(crate) fn lets_in(&mut self, phrase: &'static str) {
        add_phrase(&mut self.lets_in, phrase);
    }

    /// Notes what should be accepted and is not.
    pub(crate) fn leaves_out(&mut self, phrase: &'static str) {
        add_phrase(&mut self.leaves_out, phrase);
    }

    /// Notes the departures of a part; where the part is `negated`, they change sides.
    pub(crate) fn of_part(&mut self, part: &Self, negated: bool) {
        let sides = (&part.lets_in, &part.leaves_out);
        let (lets_in, leaves_out) = if negated { (sides.1, sides.0) } else { sides };
        for phrase in lets_in {
            self.lets_in(phrase);
        }
        for phrase in leaves_out {
            self.leaves_out(phrase);
        }
    }

    /// Returns the fidelity that results for the schema.
    pub(crate) fn fidelity(&self) -> Fidelity {
        let (lets_in, leaves_out) = (self.lets_in.join(", and "), self.leaves_out.join(", and "));
        match (self.lets_in.is_empty(), self.leaves_out.is_empty()) {
            (true, true) => Fidelity::Exact,
            (true, false) => Fidelity::Narrower(format!("the schema rejects {leaves_out}")),
            (false, true) => Fidelity::Wider(format!("the schema accepts {lets_in}")),
            (false, false) => {
                Fidelity::Incomparable(format!("the schema accepts {lets_in}; it rejects {leaves_out}"))
            }
        }
    }
}

fn add_phrase(phrases: &mut Vec<&'static str>, phrase: &'static str) {
    if !phrases.contains(&phrase) {
        phrases.push(phrase);
    }
}
