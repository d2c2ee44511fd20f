//! Objects that pass a RuleSet and that violate one of its rules: the examples of the author, else generated ones. The whole set evaluates
//! each object, because all of its rules are enforced together.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use kvrules_apiserver::definition::{AuthoredObjects, ResourceVersion};
use kvrules_generate::{PlaceStep, place_text, values_below};
use kvrules_lift::{DefinitionRule, definition_rules, lift_rule};
use kvrules_pages::fact::Fact;
use kvrules_rule_set::{AuthoredRule, Condition, PathStep, RuleSet, RuleSeverity, StoredTest};
use serde_json::{Value as Json, json};

use crate::samples::{
    PlaceRule, PlaceServer, RuleSample, TRIES, complete_items, object_head, place_rules, rule_samples,
    satisfying_values, tidy_added_parts, with_parts,
};

use super::rule_facts::{CONFIRMED_ON, update_code};
use super::values::code_fact;

/// An object, and the stored one that it replaces if the rule is about updates.
type ExamplePair = (Json, Option<Json>);

/// An object that passes and one that fails, as far as they are known.
type PassingAndFailing = (Option<ExamplePair>, Option<ExamplePair>);

/// Samples of the rules of a RuleSet.
pub(super) struct SetSamples<'s> {
    pub(super) set: &'s RuleSet,
    versions: &'s [ResourceVersion],
    /// All rules of the set with their formulas, once an object has to be changed.
    rules: OnceCell<Vec<PlaceRule<'s>>>,
    /// The rules of each severity, once one of them is asked about.
    placed: RefCell<Vec<(RuleSeverity, Rc<PlacedRules>)>>,
    /// Number of searches that may still end without an object: each takes time for all rules, and there may be one for each rule.
    failures_left: Cell<usize>,
}

/// Number of searches of one set that may end without an object.
const MOST_FAILURES: usize = 24;

/// The rules of one severity at their places, and the servers of these places. To make either takes time for every rule.
struct PlacedRules {
    rules: Vec<DefinitionRule<'static>>,
    servers: RefCell<HashMap<String, Rc<PlaceServer>>>,
}

impl PlacedRules {
    /// The server of the place of a rule.
    fn server_of(&self, rule: &DefinitionRule<'static>) -> Rc<PlaceServer> {
        let make = || Rc::new(PlaceServer::new(&rule.schema, rule.place.is_empty()));
        let mut known = self.servers.borrow_mut();
        Rc::clone(known.entry(place_text(&rule.place)).or_insert_with(make))
    }
}

impl<'s> SetSamples<'s> {
    /// Samples for a set, whose versions are those of [`RuleSet::versions`].
    pub(super) fn new(set: &'s RuleSet, versions: &'s [ResourceVersion]) -> Self {
        Self {
            set,
            versions,
            rules: OnceCell::new(),
            placed: RefCell::default(),
            failures_left: Cell::new(MOST_FAILURES),
        }
    }

    /// An object that passes all rules and one that violates this one, if possible alone.
    pub(super) fn object_facts(&self, rule: &AuthoredRule) -> Vec<Fact> {
        let (passes, fails) = match self.example_of_author(rule, true) {
            Some(fails) => (self.example_of_author(rule, false), Some(fails)),
            None => self.found_objects(rule),
        };
        let passes =
            passes.map(|pair| self.complete(pair, &|pair| self.passes(pair))).filter(|it| self.passes(it));
        let fails = fails.filter(|pair| self.is_violated(rule, pair)).map(|pair| {
            let is_alone = self.is_violated_alone(rule, &pair);
            self.complete(pair, &|pair| {
                if is_alone { self.is_violated_alone(rule, pair) } else { self.is_violated(rule, pair) }
            })
        });
        let yaml = |object: &Json| Some(kvrules_syntax::to_yaml(object).ok()?.trim_end().to_owned());
        let fact = |kind: &str, label: &str, pair: Option<ExamplePair>| {
            let (object, stored) = pair?;
            let object = yaml(&object)?;
            let code = match &stored {
                Some(stored) => update_code(&yaml(stored)?, &object),
                None => object,
            };
            Some(code_fact(kind, label, code))
        };
        fact("passes", "Passes", passes).into_iter().chain(fact("fails", "Fails", fails)).collect()
    }

    /// True if an object violates a rule of those that are selected.
    fn violates(&self, (object, stored): &ExamplePair, is_selected: impl Fn(&AuthoredRule) -> bool) -> bool {
        self.set.find_violation(object, stored.as_ref(), is_selected).is_some()
    }

    fn passes(&self, pair: &ExamplePair) -> bool {
        !self.violates(pair, |_| true)
    }

    fn is_violated(&self, rule: &AuthoredRule, pair: &ExamplePair) -> bool {
        self.violates(pair, |own| own.name == rule.name)
    }

    fn is_violated_alone(&self, rule: &AuthoredRule, pair: &ExamplePair) -> bool {
        self.is_violated(rule, pair) && !self.violates(pair, |other| other.name != rule.name)
    }

    /// The first example of the author that fits.
    fn example_of_author(&self, rule: &AuthoredRule, fails: bool) -> Option<ExamplePair> {
        let fitting = self.set.examples.iter().filter(|example| {
            if fails {
                example.violates.iter().any(|(name, _)| *name == rule.name)
            } else {
                example.is_accepted
            }
        });
        let mut pairs = fitting.map(|example| (example.object.clone(), example.stored.clone()));
        pairs.find(|pair| if fails { self.is_violated(rule, pair) } else { self.passes(pair) })
    }

    /// Generated objects, changed until the other rules of the set accept them.
    fn found_objects(&self, rule: &AuthoredRule) -> PassingAndFailing {
        let generated = changed_objects(self.set, rule).or_else(|| self.generated_objects(rule));
        let (passes, fails) = generated.unwrap_or_default();
        let fails = fails.map(|pair| self.violating_alone(rule, pair));
        let passes = passes
            .and_then(|pair| self.accepted(pair))
            .or_else(|| self.accepted(fails.clone()?).filter(|it| Some(it) != fails.as_ref()));
        (passes, fails)
    }

    /// The rules of a severity at their places.
    fn placed_rules(&self, severity: RuleSeverity) -> Rc<PlacedRules> {
        let mut known = self.placed.borrow_mut();
        if let Some((_, placed)) = known.iter().find(|(of, _)| *of == severity) {
            return Rc::clone(placed);
        }
        let version = self.set.version_with(severity);
        let rules = version.map(|version| definition_rules(&version.schema)).unwrap_or_default();
        let placed = Rc::new(PlacedRules { rules, servers: RefCell::default() });
        known.push((severity, Rc::clone(&placed)));
        placed
    }

    /// Objects around values at the place of the rule.
    fn generated_objects(&self, rule: &AuthoredRule) -> Option<PassingAndFailing> {
        let set = self.set;
        let placed = self.placed_rules(rule.severity);
        let is_it =
            |found: &&DefinitionRule<'_>| found.place == rule.place && found.source.rule == rule.expression;
        let definition = placed.rules.iter().find(is_it)?;
        let lifted = lift_rule(definition, CONFIRMED_ON).ok()?;
        let name = rule.place.iter().rev().find_map(|step| match step {
            PlaceStep::Field(name) => Some(name.as_str()),
            PlaceStep::Any => None,
        });
        let server = placed.server_of(definition);
        let samples = rule_samples(definition, &lifted.formulas, (name.unwrap_or_default(), TRIES), &server);
        let version = &set.subject.version;
        let head = object_head(&version.api_version(), &version.kind, false);
        let whole = |value: Json| {
            let object = wrap_value(value, &rule.place, &version.schema)?;
            Some(match set.subject.objects {
                AuthoredObjects::Documents => set.subject.evaluated_object(object),
                _ => with_parts(&head, &object),
            })
        };
        let pair = |sample: Option<RuleSample>| {
            let sample = sample?;
            let stored = match sample.old {
                Some(old) => Some(whole(old)?),
                None => None,
            };
            Some((whole(sample.value)?, stored))
        };
        Some((pair(samples.passes), pair(samples.fails)))
    }

    /// The object, changed until all rules accept it; `None` if no such object was found.
    fn accepted(&self, pair: ExamplePair) -> Option<ExamplePair> {
        if self.passes(&pair) {
            return Some(pair);
        }
        let stored = match &pair.1 {
            Some(stored) => {
                Some(self.changed(stored, None, None).find(|it| self.passes(&(it.clone(), None)))?)
            }
            None => None,
        };
        let changed = self.changed(&pair.0, stored.as_ref(), None).map(|object| (object, stored.clone()));
        let changed = changed.filter(|(object, stored)| Some(object) != stored.as_ref());
        let found = self.find_changed(changed, &|pair| self.passes(pair))?;
        Some(self.tidied(found, &pair.0, &|pair| self.passes(pair)))
    }

    /// The object without added parts that its verdict does not need, and with usual values in the others.
    fn tidied(
        &self,
        (object, stored): ExamplePair,
        made_from: &Json,
        keeps: &dyn Fn(&ExamplePair) -> bool,
    ) -> ExamplePair {
        let schema = &self.set.subject.version.schema;
        let object = tidy_added_parts(object, made_from, schema, &|object| {
            Some(object) != stored.as_ref() && keeps(&(object.clone(), stored.clone()))
        });
        (object, stored)
    }

    /// The object, changed until it violates no other rule, or as it is if no such object was found.
    fn violating_alone(&self, rule: &AuthoredRule, pair: ExamplePair) -> ExamplePair {
        if self.is_violated_alone(rule, &pair) {
            return pair;
        }
        let found = {
            let changed = self.changed(&pair.0, pair.1.as_ref(), Some(rule));
            let pairs = changed.map(|object| (object, pair.1.clone()));
            self.find_changed(pairs, &|pair| self.is_violated_alone(rule, pair))
        };
        match found {
            Some(found) => self.tidied(found, &pair.0, &|pair| self.is_violated_alone(rule, pair)),
            None => pair,
        }
    }

    /// The first of some changed objects that fits. `None` too if too many searches found none before.
    fn find_changed(
        &self,
        mut changed: impl Iterator<Item = ExamplePair>,
        fits: &dyn Fn(&ExamplePair) -> bool,
    ) -> Option<ExamplePair> {
        let left = self.failures_left.get();
        if left == 0 {
            return None;
        }
        let found = changed.find(fits);
        if found.is_none() {
            self.failures_left.set(left - 1);
        }
        found
    }

    /// Objects that are changed until the formulas of all rules but one hold.
    fn changed<'a>(
        &'a self,
        object: &'a Json,
        stored: Option<&'a Json>,
        except: Option<&AuthoredRule>,
    ) -> impl Iterator<Item = Json> + use<'a, 's> {
        let rules = self.rules.get_or_init(|| {
            let of_version = |version: &'s ResourceVersion| place_rules(&version.schema, true);
            self.versions.iter().flat_map(of_version).collect()
        });
        let is_other = |found: &&PlaceRule<'_>| {
            except.is_none_or(|rule| found.steps != rule.place || found.rule.source.rule != rule.expression)
        };
        let goals = rules.iter().filter(is_other).filter(|found| found.is_evaluated(stored.is_some()));
        satisfying_values(goals.map(PlaceRule::holding_goal).collect(), object, stored)
    }

    /// The object with what every item of a list has.
    fn complete(&self, (object, stored): ExamplePair, keeps: &dyn Fn(&ExamplePair) -> bool) -> ExamplePair {
        let version = &self.set.subject.version;
        let kind = (version.group.as_str(), version.version.as_str(), version.kind.as_str());
        let object = complete_items(object, kind, &|object| keeps(&(object.clone(), stored.clone())));
        (object, stored)
    }
}

/// The changes from one value to another that a condition allows, if it lists them.
pub(super) fn find_changes(condition: &Condition) -> Option<Vec<(String, String)>> {
    match condition {
        Condition::Stored(_, StoredTest::Transitions(allowed)) => {
            let of_value = |(from, to): &(String, Vec<String>)| {
                to.iter().map(|to| (from.clone(), to.clone())).collect::<Vec<_>>()
            };
            Some(allowed.iter().flat_map(of_value).collect())
        }
        Condition::All(all) | Condition::Any(all) => all.iter().find_map(find_changes),
        Condition::ForAll(_, inner) => find_changes(inner),
        _ => None,
    }
}

/// Updates around the first change that a rule allows: that change, and the way back or another value.
fn changed_objects(set: &RuleSet, rule: &AuthoredRule) -> Option<PassingAndFailing> {
    let Condition::Stored(path, StoredTest::Transitions(_)) = &rule.condition else { return None };
    let changes = find_changes(&rule.condition).filter(|_| rule.scope.0.is_empty())?;
    let (from, to) = changes.iter().find(|(from, to)| from != to)?;
    let is_back_allowed = changes.iter().any(|(one, other)| (one, other) == (to, from));
    let violating = if is_back_allowed { "other" } else { from };
    let names: Option<Vec<&str>> = path
        .0
        .iter()
        .map(|step| match step {
            PathStep::Field(name) => Some(name.as_str()),
            PathStep::Each => None,
        })
        .collect();
    let version = &set.subject.version;
    let head = object_head(&version.api_version(), &version.kind, false);
    let names = names?;
    let whole = |value: &str| {
        with_parts(&head, &names.iter().rev().fold(json!(value), |inner, name| json!({ *name: inner })))
    };
    Some((Some((whole(to), Some(whole(from)))), Some((whole(violating), Some(whole(to))))))
}

/// A value in the objects and lists that lead to a place.
fn wrap_value(value: Json, place: &[PlaceStep], schema: &Json) -> Option<Json> {
    let Some((step, rest)) = place.split_first() else { return Some(value) };
    Some(match step {
        PlaceStep::Field(name) => {
            let below = schema.get("properties")?.get(name)?;
            json!({ name: wrap_value(value, rest, below)? })
        }
        PlaceStep::Any => {
            let inner = wrap_value(value, rest, values_below(schema)?)?;
            if schema.get("items").is_some() { json!([inner]) } else { json!({ "example": inner }) }
        }
    })
}
