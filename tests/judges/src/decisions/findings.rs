//! Claims of `check` about the rules of definitions: constant (KC308), implied (KC310), equal to a keyword (KC311), contradictory
//! (KC313), and ending in an error (KC307).

use kvrules::{Catalog, Diagnostic, FileId, ReadContext, SourceFile, read_file};
use serde_json::Value as Json;

use super::evaluate::{Outcome, is_pattern_match};
use super::place::{Place, Rule, State, write_definition};
use super::value::Val;
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 12;

/// Longest rule that a finding repeats as a whole.
const LONGEST_SHOWN: usize = 100;

/// A place with its domain, and the outcome of each rule in each state.
struct KnownPlace {
    place: Place,
    states: Vec<State>,
    outcomes: Vec<Vec<Outcome>>,
}

impl KnownPlace {
    fn new(place: Place, random: &mut Random) -> Self {
        let rules: Vec<&Rule> = place.rules.iter().collect();
        let states = place.states(&rules, random);
        let outcomes =
            rules.iter().map(|rule| states.iter().map(|state| rule.outcome(state)).collect()).collect();
        Self { place, states, outcomes }
    }

    /// Returns the first state for which a condition holds; the condition gets its index.
    fn find_state(&self, condition: impl Fn(usize) -> bool) -> Option<String> {
        (0..self.states.len()).find(|index| condition(*index)).map(|index| self.states[index].describe())
    }

    /// Returns a state at which all the rules pass. States in which a rule among them is skipped do not count.
    fn find_passing(&self, rules: &[usize]) -> Option<String> {
        self.find_state(|state| rules.iter().all(|rule| self.outcomes[*rule][state] == Outcome::True))
    }

    fn find_failing(&self, rule: usize) -> Option<String> {
        self.find_state(|state| !self.outcomes[rule][state].passes())
    }

    /// Returns a state at which one rule passes and another does not.
    fn find_counterexample(&self, premise: usize, conclusion: usize) -> Option<String> {
        self.find_state(|state| {
            self.outcomes[premise][state].passes() && !self.outcomes[conclusion][state].passes()
        })
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

/// Judges the findings about one generated definition.
pub(crate) fn judge_findings(random: &mut Random, origin: &str, tally: &mut Tally) {
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
        let Some((kind, refutation)) = refute(&known[*place], *rule, finding) else {
            continue;
        };
        claimed[*place].push(*rule);
        match refutation {
            Ok(None) => tally.right(kind),
            Err(reason) => tally.unjudged(&reason),
            Ok(Some(state)) => tally.wrong(kind, origin, || {
                let rule = &known[*place].place.rules[*rule].text;
                format!(
                    "{}\nrule: {rule}\nclaim: {}\nrefuted by: {state}",
                    known[*place].place.describe(),
                    finding.message
                )
            }),
        }
    }
    if reading.diagnostics.iter().any(|it| matches!(it.code, "KC302" | "KC303")) {
        return;
    }
    for (place, claimed) in known.iter().zip(&claimed) {
        count_missed(place, claimed, tally);
    }
}

/// The kind of a claim, and the state that refutes it or the reason why it cannot be judged. `None` if the finding claims nothing.
fn refute(
    known: &KnownPlace,
    rule: usize,
    finding: &Diagnostic,
) -> Option<(&'static str, Result<Option<String>, String>)> {
    let message = finding.message.as_str();
    Some(match finding.code {
        "KC307" => ("KC307 ends in an error", refute_error(known, rule, finding)),
        "KC308" if message.contains("is true for every") => {
            ("KC308 always true", Ok(known.find_failing(rule)))
        }
        "KC308" => ("KC308 never true", Ok(known.find_passing(&[rule]))),
        "KC310" if message.starts_with("another rule") => {
            let shown = message.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'))?;
            let named = known.named_rules(shown, rule);
            let refuted: Vec<_> =
                named.iter().map(|premise| known.find_counterexample(*premise, rule)).collect();
            let verdict = match refuted.iter().any(Option::is_none) {
                true => Ok(None),
                false if named.is_empty() => Err(format!("KC310 names no rule: {shown}")),
                false => Ok(refuted.into_iter().flatten().next()),
            };
            ("KC310 implied", verdict)
        }
        "KC311" => ("KC311 same as a keyword", refute_keyword(known, rule, message)),
        "KC313" if message.starts_with("no value passes") => {
            let mut involved = vec![rule];
            for shown in message.split('`').skip(1).step_by(2) {
                involved.extend(known.named_rules(shown, rule).first());
            }
            ("KC313 contradictory", Ok(known.find_passing(&involved)))
        }
        _ => return None,
    })
}

/// The example of an error must end in one, and no other rule may be false for it.
fn refute_error(known: &KnownPlace, rule: usize, finding: &Diagnostic) -> Result<Option<String>, String> {
    let help = finding.help.as_deref().unwrap_or_default();
    let (_, example) = help.split_once("the server refuses ").ok_or("KC307 without an example")?;
    let (example, _) = example.rsplit_once(" with `").ok_or("KC307 without an example")?;
    let texts: Vec<&str> = example.split('`').skip(1).step_by(2).collect();
    let mut values = Vec::new();
    for text in texts {
        let value: Json = serde_json::from_str(text).map_err(|_| "KC307 with a shortened example")?;
        let Some(value) = known.place.shape.read(&value) else {
            return Ok(Some(format!("the schema does not admit the example {text}")));
        };
        values.push(value);
    }
    let value = values.pop().ok_or("KC307 without an example")?;
    let state = State { value, old: values.pop() };
    if known.place.rules[rule].outcome(&state) != Outcome::Error {
        return Ok(Some(format!("no error for the example {}", state.describe())));
    }
    let others = known.place.rules.iter().find(|it| it.outcome(&state) == Outcome::False);
    Ok(others.map(|it| format!("another rule, {}, is false for the example {}", it.text, state.describe())))
}

/// `the rule says the same as `minimum: 1` of `spec.p0.a``.
fn refute_keyword(known: &KnownPlace, rule: usize, message: &str) -> Result<Option<String>, String> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (Some(first), Some(path)) = (quoted.first(), quoted.last()) else {
        return Err("KC311 without a keyword".into());
    };
    let (keyword, limit) = first.split_once(": ").ok_or("KC311 without a keyword")?;
    if keyword == "required" {
        return Ok(refute_required(known, rule, limit, path));
    }
    let limit: Json = serde_json::from_str(limit).map_err(|_| "KC311 with a limit that is not JSON")?;
    let is_exclusive = quoted.len() > 2;
    let path: Vec<&str> = path.split('.').skip(2).collect();
    let mut unknown = None;
    let refutation = known.find_state(|state| {
        let value = path.iter().try_fold(&known.states[state].value, |value, name| value.field(name));
        let is_admitted = value.map_or(Some(true), |value| admits(keyword, &limit, is_exclusive, value));
        // Unknown keywords are the same for all states.
        is_admitted.is_some_and(|it| it != known.outcomes[rule][state].passes())
    });
    if path
        .iter()
        .try_fold(&known.states[0].value, |value, name| value.field(name))
        .is_some_and(|value| admits(keyword, &limit, is_exclusive, value).is_none())
    {
        unknown = Some(format!("KC311 with the keyword {keyword}"));
    }
    unknown.map_or(Ok(refutation), Err)
}

/// `required` of an object names the fields.
fn refute_required(known: &KnownPlace, rule: usize, fields: &str, path: &str) -> Option<String> {
    let fields: Vec<&str> =
        fields.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let path: Vec<&str> = path.split('.').skip(2).collect();
    known.find_state(|state| {
        let object = path.iter().try_fold(&known.states[state].value, |value, name| value.field(name));
        let is_admitted = object.is_none_or(|object| fields.iter().all(|name| object.field(name).is_some()));
        is_admitted != known.outcomes[rule][state].passes()
    })
}

/// True if a keyword admits a value; `None` if the judge does not know the keyword.
fn admits(keyword: &str, limit: &Json, is_exclusive: bool, value: &Val) -> Option<bool> {
    let number = limit.as_f64();
    let measured = match (keyword, value) {
        ("minimum" | "maximum" | "multipleOf", Val::Int(value)) => *value as f64,
        ("minimum" | "maximum", Val::Double(value)) => *value,
        ("minLength" | "maxLength", Val::Str(text)) => text.chars().count() as f64,
        ("minItems" | "maxItems", Val::List(items)) => items.len() as f64,
        ("minProperties" | "maxProperties", Val::Map(entries)) => entries.len() as f64,
        ("enum", value) => {
            let allowed = limit.as_array()?;
            return Some(allowed.contains(&value.to_json()));
        }
        ("pattern", Val::Str(text)) => {
            let pattern = limit.as_str()?;
            return is_pattern_match(pattern, text);
        }
        _ => return None,
    };
    let number = number?;
    Some(match keyword {
        "multipleOf" => measured % number == 0.0,
        _ if keyword.starts_with("min") => measured > number || measured == number && !is_exclusive,
        _ => measured < number || measured == number && !is_exclusive,
    })
}

/// True if the rule ends in an error for a state for which no rule is false.
fn ends_in_error(known: &KnownPlace, rule: usize) -> bool {
    let is_shown = |state: usize| {
        known.outcomes[rule][state] == Outcome::Error
            && known.outcomes.iter().all(|it| it[state] != Outcome::False)
    };
    known.find_state(is_shown).is_some()
}

/// Counts what holds on the whole domain for rules without a claim.
fn count_missed(known: &KnownPlace, claimed: &[usize], tally: &mut Tally) {
    let rules = known.place.rules.len();
    let mut is_decided = !claimed.is_empty();
    for rule in (0..rules).filter(|rule| !claimed.contains(rule)) {
        if known.find_failing(rule).is_none() {
            tally.missed("KC308 always true");
            is_decided = true;
        } else if known.find_passing(&[rule]).is_none() {
            tally.missed("KC308 never true");
            is_decided = true;
        } else if ends_in_error(known, rule) {
            tally.missed("KC307 ends in an error");
        } else if (0..rules).any(|it| it != rule && known.find_counterexample(it, rule).is_none()) {
            // Of two equal rules one is reported.
            let is_reported = claimed.iter().any(|it| {
                known.find_counterexample(rule, *it).is_none()
                    && known.find_counterexample(*it, rule).is_none()
            });
            if !is_reported {
                tally.missed("KC310 implied");
            }
        }
    }
    let all: Vec<usize> = (0..rules).collect();
    if !is_decided
        && known.find_passing(&all).is_none()
        && known.states.iter().any(|it| it.old.is_some())
            == known.place.rules.iter().any(|it| it.is_transition)
    {
        tally.missed("KC313 contradictory");
    }
}
