//! A place of a definition: a schema with rules, and what each rule is for every state of a small domain.

use serde_json::{Value as Json, json};

use super::evaluate::{Outcome, Scope, evaluate_rule};
use super::expression::Expr;
use super::generate::{RuleMaker, generate_nullable_object};
use super::schema::{Constants, Shape};
use super::value::Val;
use crate::Random;

/// Updates of one place.
const MOST_UPDATES: usize = 700;

/// A rule and its text.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) expr: Expr,
    pub(crate) text: String,
    pub(crate) is_transition: bool,
}

impl Rule {
    pub(crate) fn new(expr: Expr) -> Self {
        let is_transition = expr.mentions("oldSelf");
        Self { text: expr.to_string(), expr, is_transition }
    }

    pub(crate) fn outcome(&self, state: &State) -> Outcome {
        if self.is_transition && state.old.is_none() {
            return Outcome::Skipped;
        }
        let mut variables = vec![("self".to_owned(), state.value.clone())];
        variables.extend(state.old.iter().map(|old| ("oldSelf".to_owned(), old.clone())));
        evaluate_rule(&self.expr, &mut Scope::of(variables))
    }
}

/// A value, and the stored one if it is an update.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) value: Val,
    pub(crate) old: Option<Val>,
}

impl State {
    /// Writes the state for people.
    pub(crate) fn describe(&self) -> String {
        let value = self.value.to_json();
        match &self.old {
            None => value.to_string(),
            Some(old) => format!("{} → {value}", old.to_json()),
        }
    }
}

/// A schema with rules.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) shape: Shape,
    pub(crate) rules: Vec<Rule>,
}

impl Place {
    /// Makes a place whose rules are partly related to each other.
    pub(crate) fn generate(random: &mut Random) -> Self {
        let shape = generate_nullable_object(random);
        let with_old = random.chance(1, 6);
        let mut rules: Vec<Expr> = Vec::new();
        let number = 2 + random.below(2);
        while rules.len() < number {
            let known = if rules.is_empty() { None } else { Some(rules[random.below(rules.len())].clone()) };
            let is_related = random.chance(3, 4);
            let depth = random.below(3);
            let mut maker = RuleMaker::new(random, "self", &shape, with_old);
            rules.push(match known {
                Some(known) if is_related => maker.related(&known),
                _ => maker.condition(depth),
            });
        }
        Self { shape, rules: rules.into_iter().map(Rule::new).collect() }
    }

    /// Changes, adds or removes one rule.
    pub(crate) fn changed(&self, random: &mut Random) -> Self {
        let mut changed = self.clone();
        let index = random.below(self.rules.len());
        let with_old = self.rules.iter().any(|rule| rule.is_transition);
        match random.below(8) {
            0 => {
                changed.rules.remove(index);
            }
            1 => {
                let rule = RuleMaker::new(random, "self", &self.shape, with_old).condition(1);
                changed.rules.push(Rule::new(rule));
            }
            _ => {
                let rule = &self.rules[index].expr;
                let rule = RuleMaker::new(random, "self", &self.shape, with_old).related(rule);
                changed.rules[index] = Rule::new(rule);
            }
        }
        changed
    }

    /// Makes the domain for some rules of the place: all values, and updates if one of the rules is about them. A stored value
    /// passes the rules about all writes.
    pub(crate) fn states(&self, rules: &[&Rule], random: &mut Random) -> Vec<State> {
        let constants = Constants::of(rules.iter().map(|rule| &rule.expr));
        let values = self.shape.values(&constants, random);
        let mut states: Vec<State> = values.iter().map(|it| State { value: it.clone(), old: None }).collect();
        debug_assert!(values.iter().all(|value| self.shape.read(&value.to_json()).is_some()));
        if rules.iter().any(|rule| rule.is_transition) && !values.is_empty() {
            for _ in 0..MOST_UPDATES {
                let old = random.choose(&values).clone();
                let stored = State { value: old.clone(), old: None };
                if rules.iter().all(|rule| rule.outcome(&stored).passes()) {
                    states.push(State { value: random.choose(&values).clone(), old: Some(old) });
                }
            }
        }
        states
    }

    /// True if all rules pass.
    pub(crate) fn accepts(&self, state: &State) -> bool {
        self.rules.iter().all(|rule| rule.outcome(state).passes())
    }

    /// Writes the schema with each rule on a line of its own; returns the lines.
    fn lines(&self, name: &str) -> Vec<String> {
        let schema = self.shape.to_schema().to_string();
        let open = schema.strip_suffix('}').unwrap_or(&schema);
        let mut lines = vec![format!("{}:{open},\"x-kubernetes-validations\":[", json!(name))];
        for (index, rule) in self.rules.iter().enumerate() {
            let comma = if index + 1 == self.rules.len() { "" } else { "," };
            lines.push(format!("{}{comma}", json!({"rule": rule.text})));
        }
        lines.push("]}".to_owned());
        lines
    }

    /// Writes the schema with its rules, for people who repeat a case.
    pub(crate) fn describe(&self) -> String {
        let mut schema = self.shape.to_schema();
        schema["x-kubernetes-validations"] =
            Json::Array(self.rules.iter().map(|rule| json!({"rule": rule.text})).collect());
        schema.to_string()
    }
}

/// A definition with places below `spec`, and the line of each rule.
pub(crate) struct Definition {
    pub(crate) text: String,
    /// Line, from 1, with the index of the place and of the rule.
    pub(crate) lines: Vec<(u32, usize, usize)>,
}

/// Writes the places as one definition.
pub(crate) fn write_definition(places: &[Place]) -> Definition {
    let names = json!({"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"});
    let mut lines = vec![
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",".to_owned(),
        "\"metadata\":{\"name\":\"ponds.example.com\"},".to_owned(),
        format!("\"spec\":{{\"group\":\"example.com\",\"scope\":\"Namespaced\",\"names\":{names},"),
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":"
            .to_owned(),
        "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{".to_owned(),
    ];
    let mut found = Vec::new();
    for (index, place) in places.iter().enumerate() {
        if let Some(last) = lines.last_mut()
            && index > 0
        {
            last.push(',');
        }
        let first = lines.len() as u32 + 2;
        found.extend((0..place.rules.len()).map(|rule| (first + rule as u32, index, rule)));
        lines.extend(place.lines(&format!("p{index}")));
    }
    lines.push("}}}}}}]}}".to_owned());
    Definition { text: lines.join("\n") + "\n", lines: found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_valid_json_with_each_rule_on_its_line() {
        let mut random = Random::new(3);
        let places: Vec<Place> = (0..4).map(|_| Place::generate(&mut random)).collect();
        let definition = write_definition(&places);
        let _: Json = serde_json::from_str(&definition.text).expect("JSON");
        let lines: Vec<&str> = definition.text.lines().collect();
        for (line, place, rule) in definition.lines {
            let text = json!(places[place].rules[rule].text).to_string();
            assert!(lines[line as usize - 1].contains(&text), "{line}");
        }
    }
}
