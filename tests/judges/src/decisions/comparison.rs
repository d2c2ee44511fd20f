//! Claims of `diff` about the rules of definitions: the direction of a change, and the objects that show it.

use kvrules::diff::{Change, SideFile, Witness, compare_sides, read_units};
use kvrules::{Catalog, FileId, SourceFile};

use super::place::{Place, Rule, State, write_definition};
use crate::{Random, Tally};

/// Places of one definition, each with one change.
const PLACES: usize = 12;

/// A change of one place, with the domain of both sides.
struct ComparedPlace {
    old: Place,
    new: Place,
    states: Vec<State>,
}

impl ComparedPlace {
    fn generate(random: &mut Random) -> Self {
        let old = Place::generate(random);
        let new = old.changed(random);
        let rules: Vec<&Rule> = old.rules.iter().chain(&new.rules).collect();
        let states = old.states(&rules, random);
        Self { old, new, states }
    }

    /// Returns a state that one side accepts and the other rejects.
    fn find_newly(&self, is_accepted: bool) -> Option<String> {
        let shows =
            |state: &&State| self.new.accepts(state) == is_accepted && self.old.accepts(state) != is_accepted;
        self.states.iter().find(shows).map(State::describe)
    }

    fn refute_witness(&self, name: &str, witness: &Witness, is_accepted: bool) -> Option<String> {
        let value = &witness.object["spec"][name];
        let Some(value) = self.new.shape.read(value) else {
            return Some(format!("the schema does not admit the example {value}"));
        };
        let old = witness.previous.as_ref().and_then(|it| self.new.shape.read(&it["spec"][name]));
        let state = State { value, old };
        let is_shown = self.new.accepts(&state) == is_accepted && self.old.accepts(&state) != is_accepted;
        (!is_shown).then(|| format!("the example {} does not show it", state.describe()))
    }

    fn describe(&self, claim: &str) -> String {
        format!("old: {}\nnew: {}\nclaim: {claim}", self.old.describe(), self.new.describe())
    }
}

/// Judges the comparison of two generated definitions.
pub(crate) fn judge_comparison(random: &mut Random, origin: &str, tally: &mut Tally) {
    let places: Vec<ComparedPlace> = (0..PLACES).map(|_| ComparedPlace::generate(random)).collect();
    let side = |id: u32, places: Vec<Place>| {
        let source = SourceFile::new(FileId(id), "crd.yaml", write_definition(&places).text);
        let units = read_units(&source, Catalog::kubevirt_vm()).unwrap_or_default();
        [SideFile { path: String::new(), source, units }]
    };
    let old = side(0, places.iter().map(|place| place.old.clone()).collect());
    let new = side(1, places.iter().map(|place| place.new.clone()).collect());
    let Ok(diff) = compare_sides(&old, &new) else {
        tally.unjudged("the definitions cannot be compared");
        return;
    };
    for (index, place) in places.iter().enumerate() {
        let name = format!("p{index}");
        let prefix = format!("spec.{name}");
        let is_here = |at: &str| {
            at.strip_prefix(&prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let changes: Vec<&Change> = diff.changes().filter(|change| is_here(&change.at)).collect();
        judge_place(place, &name, &changes, origin, tally);
    }
}

fn judge_place(place: &ComparedPlace, name: &str, changes: &[&Change], origin: &str, tally: &mut Tally) {
    let (tightens, loosens) = (place.find_newly(false), place.find_newly(true));
    match changes {
        [] => {
            let refutation = tightens
                .or(loosens)
                .map(|state| format!("{}\nrefuted by: {state}", place.describe("no change")));
            tally.judge("diff: no change", origin, refutation);
        }
        [change] => judge_change(place, name, change, (tightens, loosens), origin, tally),
        // Each is about its own rule alone; together they are the change of the place.
        changes if changes.iter().any(|it| !it.proved) => {
            tally.missed("diff: several changes of a place");
        }
        changes => {
            let is_tightening = changes.iter().any(|it| it.direction.is_tightening());
            let is_loosening = changes.iter().any(|it| it.direction.is_loosening());
            let refutation = tightens.filter(|_| !is_tightening).or(loosens.filter(|_| !is_loosening));
            let refutation =
                refutation.map(|state| format!("{}\nrefuted by: {state}", place.describe("several changes")));
            tally.judge("diff: several changes of a place", origin, refutation);
        }
    }
}

fn judge_change(
    place: &ComparedPlace,
    name: &str,
    change: &Change,
    (tightens, loosens): (Option<String>, Option<String>),
    origin: &str,
    tally: &mut Tally,
) {
    let direction = change.direction;
    let kind = format!("diff: {}", direction.as_str());
    if !change.proved {
        let kind = match (tightens.is_some(), loosens.is_some()) {
            (true, true) => "diff: incomparable",
            (true, false) => "diff: tightened",
            (false, true) => "diff: loosened",
            (false, false) => "diff: equal",
        };
        tally.missed(kind);
        return;
    }
    let claim = format!("{} at {}", direction.as_str(), change.at);
    let excluded = if direction.is_tightening() { None } else { tightens };
    let excluded = excluded.or(if direction.is_loosening() { None } else { loosens });
    let refutation = excluded.map(|state| format!("{}\nrefuted by: {state}", place.describe(&claim)));
    tally.judge(&kind, origin, refutation);
    for (witness, is_accepted) in [(&change.refused, false), (&change.accepted, true)] {
        if let Some(witness) = witness {
            let refutation = place.refute_witness(name, witness, is_accepted);
            let refutation = refutation.map(|why| format!("{}\nrefuted: {why}", place.describe(&claim)));
            tally.judge("diff: example", origin, refutation);
        }
    }
}
