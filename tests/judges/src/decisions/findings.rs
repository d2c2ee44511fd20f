//! Claims of `check` about the rules of definitions: constant (KC308), implied (KC310), equal to a keyword (KC311), contradictory
//! (KC313), and ending in an error (KC307).

use kvrules::{Catalog, Diagnostic, FileId, ReadContext, SourceFile, read_file};
use serde_json::Value as Json;

use super::domain::{Condition, Domain, Found, Search};
use super::evaluate::Outcome;
use super::keywords::keyword_rule;
use super::place::{Place, Rule, State, write_definition};
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 12;

/// Longest rule that a finding repeats as a whole.
const LONGEST_SHOWN: usize = 100;

const IMPLIED: &str = "KC310 implied";
const ALWAYS: &str = "KC308 always true";
const NEVER: &str = "KC308 never true";
const KEYWORD: &str = "KC311 same as a keyword";
const CONTRADICTORY: &str = "KC313 contradictory";
const ERROR: &str = "KC307 ends in an error";

/// A place with its domain.
struct KnownPlace {
    place: Place,
    domain: Domain,
}

impl KnownPlace {
    fn new(place: Place, random: &mut Random) -> Self {
        let domain = Domain::new(&place.shape, &place.rules, random);
        Self { place, domain }
    }

    /// The rules that a message names, perhaps shortened.
    fn named_rules(&self, shown: &str, except: usize) -> Vec<usize> {
        let is_named = |rule: &Rule| match shown.strip_suffix('…') {
            Some(start) => rule.text.chars().count() > LONGEST_SHOWN && rule.text.starts_with(start),
            None => rule.text == shown,
        };
        (0..self.place.rules.len()).filter(|it| *it != except && is_named(&self.place.rules[*it])).collect()
    }
}

/// The search in the domain of a place.
struct PlaceSearch<'s> {
    known: &'s KnownPlace,
    search: &'s mut dyn Search,
}

impl PlaceSearch<'_> {
    fn find(&mut self, condition: &Condition) -> Found {
        self.search.find(&self.known.domain, condition)
    }

    /// Returns a state at which one rule passes and another does not.
    fn find_counterexample(&mut self, premise: usize, conclusion: usize) -> Found {
        self.find(&Condition::All(vec![Condition::passes(premise), Condition::fails(conclusion)]))
    }

    /// True if one rule implies another one, as far as the search can say.
    fn is_implied(&mut self, premise: usize, conclusion: usize) -> bool {
        matches!(self.find_counterexample(premise, conclusion), Ok(None))
    }

    fn is_nowhere(&mut self, condition: &Condition) -> bool {
        matches!(self.find(condition), Ok(None))
    }

    /// Returns a state that no premise of a claim excuses.
    fn refute_implied(&mut self, rule: usize, shown: &str) -> Found {
        let named = self.known.named_rules(shown, rule);
        let mut last = Err(format!("no rule is named: {shown}"));
        for premise in named {
            last = self.find_counterexample(premise, rule);
            if matches!(last, Ok(None)) {
                break;
            }
        }
        last
    }

    /// Returns a state at which a rule and others are true. A shortened text may stand for several rules.
    fn refute_contradictory(&mut self, rule: usize, shown: &[&str]) -> Found {
        let mut choices = vec![vec![rule]];
        for shown in shown {
            let named = self.known.named_rules(shown, rule);
            let with = |choice: &Vec<usize>| {
                named.iter().map(|other| [choice.as_slice(), &[*other]].concat()).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        let mut last = Err(format!("no rule is named: {shown:?}"));
        for involved in choices {
            last = self.find(&Condition::all_true(&involved));
            if matches!(last, Ok(None)) {
                break;
            }
        }
        last
    }

    /// `the rule says the same as `minimum: 1` of `spec.p0.a``.
    fn refute_keyword(&mut self, rule: usize, message: &str, random: &mut Random) -> Found {
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let (Some(first), Some(path)) = (quoted.first(), quoted.last()) else {
            return Err("no keyword is named".into());
        };
        let (keyword, limit) = first.split_once(": ").ok_or("no keyword is named")?;
        let path: Vec<&str> = path.split('.').skip(2).collect();
        let place = &self.known.place;
        let known = keyword_rule(&place.shape, &path, (keyword, limit, quoted.len() > 2));
        let known = known.ok_or_else(|| format!("unknown keyword {first}"))?;
        let domain = Domain::new(&place.shape, [&place.rules[rule], &known], random);
        self.search.find(&domain, &Condition::differ(Condition::passes(0), Condition::passes(1)))
    }

    /// The kind of a claim, and the state that refutes it or the reason why it cannot be judged. `None` if the finding claims nothing that
    /// a search refutes.
    fn refute(
        &mut self,
        rule: usize,
        finding: &Diagnostic,
        random: &mut Random,
    ) -> Option<(&'static str, Found)> {
        let message = finding.message.as_str();
        Some(match finding.code {
            "KC308" if message.contains("is true for every") => (ALWAYS, self.find(&Condition::fails(rule))),
            "KC308" => (NEVER, self.find(&Condition::all_true(&[rule]))),
            "KC310" if message.starts_with("another rule") => {
                let shown = message.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'))?;
                (IMPLIED, self.refute_implied(rule, shown))
            }
            "KC311" => (KEYWORD, self.refute_keyword(rule, message, random)),
            "KC313" if message.starts_with("no value passes") => {
                let shown: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
                (CONTRADICTORY, self.refute_contradictory(rule, &shown))
            }
            _ => return None,
        })
    }
}

/// Judges the findings about one generated definition.
pub(crate) fn judge_findings(random: &mut Random, search: &mut dyn Search, origin: &str, tally: &mut Tally) {
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(random)).collect();
    let definition = write_definition(&places);
    let source = SourceFile::new(FileId(0), "crd.yaml", definition.text);
    let reading = read_file(&source, &ReadContext::new(Catalog::kubevirt_vm()));
    let known: Vec<KnownPlace> = places.into_iter().map(|place| KnownPlace::new(place, random)).collect();
    let mut claimed = vec![Vec::new(); PLACES];
    for finding in &reading.diagnostics {
        if matches!(finding.code, "KC302" | "KC303") {
            tally.unjudged(&format!("{}: {}", finding.code, finding.message));
        }
        let line = source.position_at(finding.primary.span.start).line;
        let Some((_, place, rule)) = definition.lines.iter().find(|(known, ..)| *known == line) else {
            continue;
        };
        let place_search = &mut PlaceSearch { known: &known[*place], search };
        if judge_finding(place_search, *rule, finding, random, origin, tally) {
            claimed[*place].push(*rule);
        }
    }
    if reading.diagnostics.iter().any(|it| matches!(it.code, "KC302" | "KC303")) {
        return;
    }
    for (known, claimed) in known.iter().zip(&claimed) {
        count_missed(&mut PlaceSearch { known, search }, claimed, tally);
    }
}

/// Judges a finding about a rule; false if it claims nothing.
fn judge_finding(
    place: &mut PlaceSearch<'_>,
    rule: usize,
    finding: &Diagnostic,
    random: &mut Random,
    origin: &str,
    tally: &mut Tally,
) -> bool {
    let (kind, refutation) = match finding.code {
        "KC307" if place.search.is_complete() => return true,
        "KC307" => (ERROR, refute_error(&place.known.place, rule, finding)),
        _ => match place.refute(rule, finding, random) {
            None => return false,
            Some((kind, found)) => (kind, found.map(|state| state.as_ref().map(State::describe))),
        },
    };
    tally.judge_found(kind, origin, refutation, |state| {
        let place = &place.known.place;
        let text = &place.rules[rule].text;
        format!("{}\nrule: {text}\nclaim: {}\nrefuted by: {state}", place.describe(), finding.message)
    });
    true
}

/// The example of an error must end in one, and no other rule may be false for it.
fn refute_error(place: &Place, rule: usize, finding: &Diagnostic) -> Result<Option<String>, String> {
    let help = finding.help.as_deref().unwrap_or_default();
    let (_, example) = help.split_once("the server refuses ").ok_or("KC307 without an example")?;
    let (example, _) = example.rsplit_once(" with `").ok_or("KC307 without an example")?;
    let texts: Vec<&str> = example.split('`').skip(1).step_by(2).collect();
    let mut values = Vec::new();
    for text in texts {
        let value: Json = serde_json::from_str(text).map_err(|_| "KC307 with a shortened example")?;
        let Some(value) = place.shape.read(&value) else {
            return Ok(Some(format!("the schema does not admit the example {text}")));
        };
        values.push(value);
    }
    let value = values.pop().ok_or("KC307 without an example")?;
    let state = State { value, old: values.pop() };
    if place.rules[rule].outcome(&state) != Outcome::Error {
        return Ok(Some(format!("no error for the example {}", state.describe())));
    }
    let others = place.rules.iter().find(|it| it.outcome(&state) == Outcome::False);
    Ok(others.map(|it| format!("another rule, {}, is false for the example {}", it.text, state.describe())))
}

/// Counts what holds on the whole domain for rules without a claim.
fn count_missed(place: &mut PlaceSearch<'_>, claimed: &[usize], tally: &mut Tally) {
    let rules = place.known.place.rules.len();
    let mut is_decided = !claimed.is_empty();
    for rule in (0..rules).filter(|rule| !claimed.contains(rule)) {
        if place.is_nowhere(&Condition::fails(rule)) {
            tally.missed(ALWAYS);
            is_decided = true;
        } else if place.is_nowhere(&Condition::all_true(&[rule])) {
            tally.missed(NEVER);
            is_decided = true;
        } else if ends_in_error(place, rule) {
            tally.missed(ERROR);
        } else if (0..rules).any(|it| it != rule && place.is_implied(it, rule)) {
            // Of two equal rules one is reported.
            let is_reported =
                claimed.iter().any(|it| place.is_implied(rule, *it) && place.is_implied(*it, rule));
            if !is_reported {
                tally.missed(IMPLIED);
            }
        }
    }
    let all: Vec<usize> = (0..rules).collect();
    let known = place.known;
    if !is_decided
        && place.is_nowhere(&Condition::all_true(&all))
        && known.domain.has_updates() == known.place.rules.iter().any(|it| it.is_transition)
    {
        tally.missed(CONTRADICTORY);
    }
}

/// True if the rule ends in an error for a state for which no rule is false.
fn ends_in_error(place: &mut PlaceSearch<'_>, rule: usize) -> bool {
    let rules = place.known.place.rules.len();
    let is_false = |rule| Condition::Outcome(rule, Outcome::False);
    let others = Condition::Any((0..rules).map(is_false).collect()).negated();
    let shows = Condition::All(vec![Condition::Outcome(rule, Outcome::Error), others]);
    matches!(place.find(&shows), Ok(Some(_)))
}
