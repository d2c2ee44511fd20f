//! Values that are changed until formulas hold of them.
//!
//! A formula says what has to change: a field that it needs is made, a text is replaced by one that its pattern matches, an item is
//! added. A change for one formula may violate another, so that all are visited several times, with other choices each time. Nothing
//! is proved by it: who uses a value asks the server.

mod candidates;
mod comparisons;
mod formulas;
mod places;
mod workpiece;

use kvrules_generate::{PlaceStep, PseudoRandom, ValueStep, find_part, find_part_mut, parts_of};
use kvrules_ir::Formula;
use serde_json::Value as Json;

use crate::evaluate::{FormulaScope, Operations};
use candidates::is_text_condition;
use workpiece::{Workpiece, steps_of};

/// Something that is wanted of the values at a place.
#[derive(Clone, Copy, Debug)]
pub struct FormulaGoal<'a> {
    /// The steps to these values.
    pub place: &'a [PlaceStep],
    /// Their schema.
    pub schema: &'a Json,
    /// The condition on each of them, as `self`.
    pub formula: &'a Formula,
}

/// Number of times that all goals are visited.
const PASSES: usize = 12;

/// Number of steps that changing one value may take.
const MOST_WORK: usize = 30_000;

/// Number of them for one formula.
const MOST_OF_ONE: usize = 3_000;

/// Changes values until goals hold of them.
pub struct FormulaSatisfier<'a> {
    goals: Vec<CheckedGoal<'a>>,
    /// Conditions on texts by the place of their values: one text has to meet them together.
    texts: Vec<(&'a [PlaceStep], Vec<&'a Formula>)>,
    chance: PseudoRandom,
    operations: Operations,
    /// The old value with which parts were checked.
    old: Option<Json>,
    is_exhausted: bool,
    /// Number of steps that changing one value may take.
    steps: usize,
}

/// A goal, and the parts of which it is known to hold: most goals are visited many times for the sake of a few that do not hold.
struct CheckedGoal<'a> {
    goal: FormulaGoal<'a>,
    /// Number of steps that its formula counts as.
    steps: usize,
    /// By the number of the part at the place.
    met: Vec<Option<Json>>,
}

impl CheckedGoal<'_> {
    fn is_met(&self, number: usize, part: &Json) -> bool {
        self.met.get(number).is_some_and(|met| met.as_ref() == Some(part))
    }

    fn remember(&mut self, number: usize, part: Json) {
        if self.met.len() <= number {
            self.met.resize(number + 1, None);
        }
        if let Some(met) = self.met.get_mut(number) {
            *met = Some(part);
        }
    }
}

impl<'a> FormulaSatisfier<'a> {
    /// For these goals; the last ones are the most likely to hold in the end.
    pub fn new(goals: Vec<FormulaGoal<'a>>) -> Self {
        let texts = text_conditions(&goals);
        let checked = goals.into_iter().map(|goal| CheckedGoal {
            goal,
            steps: steps_of(goal.formula),
            met: Vec::new(),
        });
        let goals = checked.collect();
        Self {
            goals,
            texts,
            chance: PseudoRandom::new(),
            operations: Operations::default(),
            old: None,
            is_exhausted: false,
            steps: MOST_WORK,
        }
    }

    /// With at most so many steps for changing one value.
    #[must_use]
    pub fn with_steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }

    /// Returns a value in which the goals hold, made from another. `None` if none was found; another call makes other choices.
    ///
    /// ```
    /// use kvrules_ir::Formula;
    /// use kvrules_ir::{Constant, Term, TermRelation};
    /// use kvrules_lift::{FormulaGoal, FormulaSatisfier};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    /// let n = Term::Root("self".to_owned()).with_field("n");
    /// let formula = Formula::comparison_of(Term::Constant(Constant::Integer(7)), TermRelation::Less, n);
    /// let goal = FormulaGoal { place: &[], schema: &schema, formula: &formula };
    /// let value = FormulaSatisfier::new(vec![goal]).change_value(&json!({}), None).unwrap();
    /// assert!(value["n"].as_i64() > Some(7));
    /// ```
    pub fn change_value(&mut self, value: &Json, old: Option<&Json>) -> Option<Json> {
        let mut value = value.clone();
        let mut work = self.steps;
        if self.old.as_ref() != old {
            self.old = old.cloned();
            self.goals.iter_mut().for_each(|checked| checked.met.clear());
        }
        self.is_exhausted = false;
        for _ in 0..PASSES {
            if self.goals_hold(&mut value, old, &mut work) {
                return Some(value);
            }
        }
        self.is_exhausted = work == 0;
        None
    }

    /// True if the last call took all the steps that it may take, as another one probably would.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// True if all goals hold; else the value is changed for each that does not.
    fn goals_hold(&mut self, value: &mut Json, old: Option<&Json>, work: &mut usize) -> bool {
        let mut all_hold = true;
        // Goals of one place follow each other.
        let mut known: Option<(&[PlaceStep], Vec<KnownPart>)> = None;
        for checked in &mut self.goals {
            let goal = checked.goal;
            let mut parts = match known.take() {
                Some((place, parts)) if place == goal.place => parts,
                _ => ways_to(value, goal.place).into_iter().map(KnownPart::at_way).collect(),
            };
            let mut is_changed = false;
            for (number, KnownPart { way, scope }) in parts.iter_mut().enumerate() {
                let Some(part) = find_part(value, way) else { continue };
                // The old value is known of the whole alone.
                let old = old.filter(|_| goal.place.is_empty());
                let given = MOST_OF_ONE.min(*work);
                if given == 0 {
                    return false;
                }
                if checked.is_met(number, part) {
                    *work -= given.min(checked.steps);
                    continue;
                }
                let chance = std::mem::take(&mut self.chance);
                let mut piece =
                    Workpiece::new(goal.schema, part.clone(), old, &self.operations, (chance, given));
                piece.scope = scope.take();
                let holds = piece.holds(goal.formula);
                if !holds {
                    all_hold = false;
                    let together = self.texts.iter().find(|(place, _)| *place == goal.place);
                    if let Some((_, formulas)) = together.filter(|_| is_text_condition(goal.formula)) {
                        piece.write_texts(formulas.iter().copied());
                    }
                    piece.make_hold(goal.formula);
                }
                self.chance = piece.chance;
                *work -= given - piece.work;
                if holds {
                    *scope = piece.scope;
                    checked.remember(number, piece.value);
                } else if let Some(part) = find_part_mut(value, way) {
                    *part = piece.value;
                    is_changed = true;
                }
            }
            known = (!is_changed).then_some((goal.place, parts));
        }
        all_hold
    }
}

/// The conditions on texts of each place that has several.
fn text_conditions<'a>(goals: &[FormulaGoal<'a>]) -> Vec<(&'a [PlaceStep], Vec<&'a Formula>)> {
    let mut found: Vec<(&[PlaceStep], Vec<&Formula>)> = Vec::new();
    for goal in goals {
        let parts = match goal.formula {
            Formula::All(parts) => parts.as_slice(),
            formula => std::slice::from_ref(formula),
        };
        let texts = parts.iter().filter(|part| is_text_condition(part));
        match found.iter_mut().find(|(place, _)| *place == goal.place) {
            Some((_, formulas)) => formulas.extend(texts),
            None => found.push((goal.place, texts.collect())),
        }
    }
    found.retain(|(_, formulas)| formulas.len() > 1);
    found
}

/// A part at the place of a goal.
struct KnownPart {
    way: Vec<ValueStep>,
    /// The part as formulas read it, if one was evaluated since it was changed.
    scope: Option<FormulaScope>,
}

impl KnownPart {
    fn at_way(way: Vec<ValueStep>) -> Self {
        Self { way, scope: None }
    }
}

/// The ways to the values at a place.
fn ways_to(value: &Json, place: &[PlaceStep]) -> Vec<Vec<ValueStep>> {
    let mut ways = vec![Vec::new()];
    for step in place {
        let further = ways.iter().flat_map(|way: &Vec<ValueStep>| {
            let part = find_part(value, way);
            let steps = match step {
                PlaceStep::Field(name) if part.and_then(|part| part.get(name)).is_some() => {
                    vec![ValueStep::Name(name.clone())]
                }
                PlaceStep::Field(_) => Vec::new(),
                PlaceStep::Any => parts_of(part),
            };
            steps.into_iter().map(|step| way.iter().cloned().chain([step]).collect())
        });
        ways = further.collect();
    }
    ways
}
