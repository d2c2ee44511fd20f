//! What pages of annotations say about values that are absent or not spelled out: read, and compared with verdicts.

use serde_json::Value as Json;

use super::reader::{Reader, Token};
use super::rules::Verdict;
use super::said::{Place, Said, Situation};
use super::world::World;

/// A claim about the verdict of a rule.
#[derive(Clone, Debug)]
pub(super) struct OutcomeClaim {
    /// The objects that it is about.
    when: When,
    outcome: Outcome,
}

#[derive(Clone, Debug)]
enum When {
    /// The rule finds no value.
    NoValue,
    Said(Said),
    /// The field of a parent is not spelled out.
    Unset,
}

#[derive(Clone, Debug)]
enum Outcome {
    Skipped,
    Violated,
    ViolatedIfApplied,
    NotViolated,
    NotViolatedOnlyIf(Said),
}

impl OutcomeClaim {
    /// True unless the verdict about an object refutes the claim. `path` is that of the rule.
    pub(super) fn agrees(&self, world: &World, path: &str, object: &Json, verdict: Verdict) -> bool {
        let at = Situation::new(world, object, true);
        let is_about = match &self.when {
            When::NoValue => world.values_at(object, path).is_empty(),
            When::Said(said) => said.holds(&at),
            // Another element may violate a rule that allows the default.
            When::Unset if matches!(self.outcome, Outcome::NotViolated) => {
                !path.contains("[*]") && world.has_unset(object, path)
            }
            When::Unset => world.has_unset(object, path),
        };
        !is_about
            || match &self.outcome {
                Outcome::Skipped => verdict == Verdict::Skipped,
                Outcome::Violated => verdict == Verdict::Violated,
                Outcome::ViolatedIfApplied => verdict != Verdict::Satisfied,
                Outcome::NotViolated => verdict != Verdict::Violated,
                Outcome::NotViolatedOnlyIf(said) => said.holds(&at) == (verdict != Verdict::Violated),
            }
    }
}

/// Reads ``Without `.a`, the rule is violated.``, and ``A disk without `bus` is not checked; if no disk has it, the rule does not apply.``
pub(super) fn read_absence(world: &World, text: &str) -> Option<Vec<OutcomeClaim>> {
    let mut reader = Reader::new(world, text);
    reader.lower_first();
    let mut claims = Vec::new();
    let when = if reader.eat("without any") {
        let name = reader.noun()?;
        reader.mark(',').then_some(())?;
        When::Said(Said::Not(Box::new(Said::Some(name, Box::new(Said::Constant(true))))))
    } else if reader.eat("without") {
        let place = Place { element: None, path: reader.code()? };
        reader.mark(',').then_some(())?;
        When::Said(Said::Not(Box::new(Said::Set(place))))
    } else if reader.eat("a") || reader.eat("an") {
        let name = reader.noun()?;
        reader.eat("without").then_some(())?;
        let part = Said::Set(Place { element: Some(name.clone()), path: reader.code()? });
        if reader.eat("violates the rule") {
            let lacks = Said::Some(name.clone(), Box::new(Said::Not(Box::new(part.clone()))));
            claims.push(OutcomeClaim { when: When::Said(lacks), outcome: Outcome::ViolatedIfApplied });
        } else {
            reader.eat("is not checked").then_some(())?;
        }
        (reader.mark(';') && reader.eat("if no")).then_some(())?;
        (reader.noun()? == name && reader.eat("has it") && reader.mark(',')).then_some(())?;
        When::Said(Said::Not(Box::new(Said::Some(name, Box::new(part)))))
    } else if reader.eat("if no") {
        let _ = reader.noun()?;
        (reader.eat("has it") && reader.mark(',')).then_some(())?;
        When::NoValue
    } else {
        When::NoValue
    };
    let outcome = if reader.eat("the rule does not apply") {
        Outcome::Skipped
    } else if reader.eat("the rule is violated wherever it applies") {
        Outcome::ViolatedIfApplied
    } else if reader.eat("the rule is violated") {
        Outcome::Violated
    } else if reader.eat("the rule is satisfied only if") {
        Outcome::NotViolatedOnlyIf(reader.clause()?)
    } else if reader.eat("the rule is satisfied") {
        Outcome::NotViolated
    } else {
        return None;
    };
    claims.push(OutcomeClaim { when, outcome });
    (reader.mark('.') && reader.is_at_end()).then_some(claims)
}

/// Reads what a default means: `` `1` if `.a` does not set it; that violates the rule``. It need not say what that means for the verdict.
pub(super) fn read_default(world: &World, text: &str) -> Option<Vec<OutcomeClaim>> {
    let mut reader = Reader::new(world, text);
    reader.code()?;
    reader.eat("if").then_some(())?;
    let is_read = match reader.peek() {
        Some(Token::Code(_)) => reader.code().is_some() && reader.eat("does not set it"),
        _ => reader.eat("it is not set"),
    };
    is_read.then_some(())?;
    if reader.is_at_end() {
        return Some(Vec::new());
    }
    reader.mark(';').then_some(())?;
    let outcome = if reader.eat("that is allowed") {
        Outcome::NotViolated
    } else if reader.eat("that violates the rule if it applies") {
        Outcome::ViolatedIfApplied
    } else if reader.eat("that violates the rule") {
        Outcome::Violated
    } else {
        return None;
    };
    reader.is_at_end().then(|| vec![OutcomeClaim { when: When::Unset, outcome }])
}
