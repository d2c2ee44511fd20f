//! Claims of `diff` about the rules of definitions: the direction of a change, and the objects that show it.

use kvrules::diff::{Change, SideFile, Witness, compare_sides, read_units};
use kvrules::{Catalog, FileId, SourceFile};

use super::domain::{Condition, Directions, Domain, Search};
use super::place::{Place, State, write_definition};
use crate::{Random, Tally};

/// Places of one definition, each with one change.
const PLACES: usize = 12;

/// A change of one place, with the domain of both sides.
struct ComparedPlace {
    name: String,
    old: Place,
    new: Place,
    /// The rules are those of the old place, and behind them those of the new one.
    domain: Domain,
}

impl ComparedPlace {
    fn generate(random: &mut Random, index: usize) -> Self {
        let old = Place::generate(random);
        let new = old.changed(random);
        let domain = Domain::new(&old.shape, old.rules.iter().chain(&new.rules), random);
        Self { name: format!("p{index}"), old, new, domain }
    }

    /// True if a change at this path is one of the place.
    fn is_at(&self, path: &str) -> bool {
        let rest = path.strip_prefix("spec.").and_then(|path| path.strip_prefix(&self.name));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn find_directions(&self, search: &mut dyn Search) -> Directions {
        let split = self.old.rules.len();
        let old = Condition::all_pass(0..split);
        let new = Condition::all_pass(split..self.domain.rules.len());
        Directions::find(search, &self.domain, &old, &new)
    }

    fn refute_witness(&self, witness: &Witness, is_accepted: bool) -> Option<String> {
        let value = &witness.object["spec"][&self.name];
        let Some(value) = self.new.shape.read(value) else {
            return Some(format!("the schema does not admit the example {value}"));
        };
        let old = witness.previous.as_ref().and_then(|it| self.new.shape.read(&it["spec"][&self.name]));
        let state = State { value, old };
        let is_shown = self.new.accepts(&state) == is_accepted && self.old.accepts(&state) != is_accepted;
        (!is_shown).then(|| format!("the example {} does not show it", state.describe()))
    }

    fn describe(&self, claim: &str, refuted_by: &str) -> String {
        let (old, new) = (self.old.describe(), self.new.describe());
        format!("old: {old}\nnew: {new}\nclaim: {claim}\nrefuted by: {refuted_by}")
    }
}

/// Judges the comparison of two generated definitions.
pub(crate) fn judge_comparison(
    random: &mut Random,
    search: &mut dyn Search,
    origin: &str,
    tally: &mut Tally,
) {
    let places: Vec<ComparedPlace> =
        (0..PLACES).map(|index| ComparedPlace::generate(random, index)).collect();
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
    for place in &places {
        let changes: Vec<&Change> = diff.changes().filter(|change| place.is_at(&change.at)).collect();
        judge_place(place, &changes, search, origin, tally);
    }
}

/// Judges the changes of a place. Each is about its own rule alone; together they are the change of the place.
fn judge_place(
    place: &ComparedPlace,
    changes: &[&Change],
    search: &mut dyn Search,
    origin: &str,
    tally: &mut Tally,
) {
    let directions = place.find_directions(search);
    if changes.iter().any(|it| !it.proved) {
        let missed = match changes {
            [_] => missed_direction(&directions),
            _ => Ok("diff: several changes of a place"),
        };
        match missed {
            Ok(kind) => tally.missed(kind),
            Err(reason) => tally.unjudged(&format!("diff without a proof: {reason}")),
        }
        return;
    }
    let (kind, claim) = match changes {
        [] => ("diff: no change".to_owned(), "no change".to_owned()),
        [change] => {
            let direction = change.direction.as_str();
            (format!("diff: {direction}"), format!("{direction} at {}", change.at))
        }
        _ => ("diff: several changes of a place".to_owned(), "several changes".to_owned()),
    };
    let is_tightening = changes.iter().any(|it| it.direction.is_tightening());
    let is_loosening = changes.iter().any(|it| it.direction.is_loosening());
    // Of several changes, one may undo what another does.
    let is_complete = search.is_complete() && changes.len() < 2;
    let refutation = directions.refute(is_tightening, is_loosening, is_complete);
    tally.judge_found(&kind, origin, refutation, |state| place.describe(&claim, &state));
    if let ([change], false) = (changes, search.is_complete()) {
        judge_examples(place, change, &claim, origin, tally);
    }
}

/// The kind of the claim that would have been right.
fn missed_direction(directions: &Directions) -> Result<&'static str, String> {
    let is_found = |found: &super::domain::Found| found.as_ref().map(Option::is_some).map_err(Clone::clone);
    Ok(match (is_found(&directions.tightens)?, is_found(&directions.loosens)?) {
        (true, true) => "diff: incomparable",
        (true, false) => "diff: tightened",
        (false, true) => "diff: loosened",
        (false, false) => "diff: equal",
    })
}

fn judge_examples(place: &ComparedPlace, change: &Change, claim: &str, origin: &str, tally: &mut Tally) {
    for (witness, is_accepted) in [(&change.refused, false), (&change.accepted, true)] {
        if let Some(witness) = witness {
            let refutation = place.refute_witness(witness, is_accepted);
            tally.judge("diff: example", origin, refutation.map(|why| place.describe(claim, &why)));
        }
    }
}
