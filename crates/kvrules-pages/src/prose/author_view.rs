//! Rules as their author sees them: places seen from where paths start, and a word for what the rules are about.

use kvrules_ir::{
    ElaboratedRule, Operand, Place, PlaceBase, PlaceStep, Predicate, Requirement, Selector, Subject,
};

/// Returns the name of an object of this kind within a sentence.
pub(crate) fn subject_noun(subject: &Subject) -> &str {
    if subject.is_virtual_machine() { "virtual machine" } else { subject.kind_noun() }
}

/// The noun with its article: `a virtual machine`, `an object`.
pub(crate) fn subject_with_article(subject: &Subject) -> String {
    let noun = subject_noun(subject);
    let vowel = noun.starts_with(|first: char| "aeioAEIO".contains(first));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// The rule with each place of the object seen from where paths start.
pub(crate) fn rebase_to_root(rule: &ElaboratedRule, subject: &Subject) -> ElaboratedRule {
    let root = PathRoot(subject.root_steps());
    ElaboratedRule {
        applies: root.predicate(&rule.applies),
        predicate: root.predicate(&rule.predicate),
        requirement: root.requirement(&rule.requirement),
        ..rule.clone()
    }
}

/// The way from an object to where paths start.
struct PathRoot(&'static [&'static str]);

impl PathRoot {
    fn requirement(&self, requirement: &Requirement) -> Requirement {
        Requirement {
            subject: self.selector(&requirement.subject),
            guard: requirement.guard.as_ref().map(|guard| self.selector(guard)),
            ..requirement.clone()
        }
    }

    fn selector(&self, selector: &Selector) -> Selector {
        Selector {
            text: selector.text.clone(),
            lists: selector.lists.iter().map(|list| self.place(list)).collect(),
            leaf: self.place(&selector.leaf),
        }
    }

    // Built without the simplifying constructors, because new places must not change the structure of the
    // predicate.
    fn predicate(&self, predicate: &Predicate) -> Predicate {
        let all = |parts: &[Predicate]| parts.iter().map(|part| self.predicate(part)).collect();
        let inner = |inner: &Predicate| Box::new(self.predicate(inner));
        match predicate {
            Predicate::True => Predicate::True,
            Predicate::False => Predicate::False,
            Predicate::All(parts) => Predicate::All(all(parts)),
            Predicate::Any(parts) => Predicate::Any(all(parts)),
            Predicate::Not(negated) => Predicate::Not(inner(negated)),
            Predicate::Each { list, holds } => {
                Predicate::Each { list: self.place(list), holds: inner(holds) }
            }
            Predicate::Some { list, holds } => {
                Predicate::Some { list: self.place(list), holds: inner(holds) }
            }
            Predicate::Present(place) => Predicate::Present(self.place(place)),
            Predicate::Test { place, test } => {
                Predicate::Test { place: self.place(place), test: test.clone() }
            }
            Predicate::Compare { left, relation, right } => Predicate::Compare {
                left: self.operand(left),
                relation: *relation,
                right: self.operand(right),
            },
        }
    }

    fn operand(&self, operand: &Operand) -> Operand {
        match operand {
            Operand::Integer(place) => Operand::Integer(self.place(place)),
            Operand::Length(place) => Operand::Length(self.place(place)),
            Operand::Text(place) => Operand::Text(self.place(place)),
        }
    }

    /// A place at the root of written paths or above it keeps its steps, because there is no shorter path to it.
    fn place(&self, place: &Place) -> Place {
        let is = |(step, name): (&PlaceStep, &&str)| matches!(step, PlaceStep::Field { name: own, .. } if own == name);
        let below = place.base == PlaceBase::Root
            && place.steps.len() > self.0.len()
            && place.steps.iter().zip(self.0).all(is);
        let skipped = if below { self.0.len() } else { 0 };
        Place { steps: place.steps.iter().skip(skipped).cloned().collect(), ..place.clone() }
    }
}
