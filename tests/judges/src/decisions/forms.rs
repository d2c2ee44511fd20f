//! Claims of `cost --rewrite`: that another form of a rule, cheaper or for older servers, says the same.

use kvrules::crd::{CostOptions, estimate_costs};
use kvrules::{FileId, SourceFile};

use super::domain::{Condition, Domain, Found, Search};
use super::evaluate::Outcome;
use super::parse::parse_expression;
use super::place::{Place, Rule, write_definition};
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 8;

const KIND: &str = "equivalent form";

/// Judges the equivalent forms of the rules of a generated definition.
pub(crate) fn judge_forms(random: &mut Random, search: &mut dyn Search, origin: &str, tally: &mut Tally) {
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(random)).collect();
    let definition = write_definition(&places);
    let source = SourceFile::new(FileId(0), "crd.yaml", definition.text);
    let Ok(servers) = "1.28..1.36".parse() else { return };
    let options = CostOptions { finds_cheaper: true, servers, greatest: true, ..CostOptions::default() };
    let costs = estimate_costs(&source, options);
    for found in costs.iter().flat_map(|it| &it.versions).flat_map(|it| &it.rules) {
        let Some(form) = &found.cheaper else { continue };
        let line = source.position_at(found.span.start).line;
        let Some((_, place, rule)) = definition.lines.iter().find(|(known, ..)| *known == line) else {
            tally.unjudged("a form of a rule at an unknown line");
            continue;
        };
        let (place, rule) = (&places[*place], &places[*place].rules[*rule]);
        let Some(expr) = parse_expression(&form.text) else {
            tally.unjudged("a form that the judge cannot read");
            continue;
        };
        let form = Rule::new(expr);
        let domain = Domain::new(&place.shape, [rule, &form], random);
        let details = find_difference(search, &domain).map(|state| {
            state.map(|state| {
                let (old, new) = (rule.outcome(&state), form.outcome(&state));
                format!("{}: {old:?}, {new:?}", state.describe())
            })
        });
        tally.judge_found(KIND, origin, details, |state| {
            format!("{}\nrule: {}\nform: {}\nrefuted by: {state}", place.describe(), rule.text, form.text)
        });
    }
}

/// Returns a state in which the two rules of a domain have different outcomes. A form of a rule about updates may mention the stored
/// value no more, and runs at creations then.
fn find_difference(search: &mut dyn Search, domain: &Domain) -> Found {
    let differs = |outcome| Condition::differ(Condition::Outcome(0, outcome), Condition::Outcome(1, outcome));
    let outcomes = [Outcome::True, Outcome::False, Outcome::Error];
    let differing = Condition::Any(outcomes.map(differs).to_vec());
    let is_evaluated = Condition::Outcome(0, Outcome::Skipped).negated();
    search.find(domain, &Condition::All(vec![is_evaluated, differing]))
}
