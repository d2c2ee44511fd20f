//! Claims of `diff` about rules in different notations: that nothing is newly rejected or accepted, in creations and in updates, and the
//! examples of what is.

use kvrules::crd::RunResources;
use kvrules::diff::{Change, Diff, EffectAnswer, SideFile, Witness, compare_sides_with, read_units_in};
use kvrules::{Catalog, FileId, ReadContext, SourceFile, SubjectFiles};
use serde_json::Value as Json;

use super::expression::Expr;
use super::policies::Policy;
use super::requests::{Write, writes_of};
use super::requirements::{Requirement, generate_fields, generate_requirements, objects_with};
use super::schema::{Constants, Shape};
use super::sides::{Notation, Side, definition, object_types};
use super::value::Val;
use crate::{Random, Tally};

/// Texts of several lengths, for limits that no rule of CEL names.
const TEXTS: [&str; 2] = ["ab", "aba"];

/// What a change does newly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Rejects,
    Accepts,
}

/// Two sides, with the writes of a small domain.
struct ComparedNotations {
    sides: [Side; 2],
    /// The types of the objects.
    base: Json,
    objects: Shape,
    writes: Vec<Write>,
}

impl ComparedNotations {
    fn generate(random: &mut Random) -> Self {
        let spec = generate_fields(random);
        let old = *random.choose(&Notation::ALL);
        let others: Vec<Notation> = Notation::ALL.into_iter().filter(|it| *it != old).collect();
        let notations = [old, *random.choose(&others)];
        let requirements = generate_requirements(random, &spec, notations.map(Notation::says_all));
        let sides = [0, 1].map(|at| Side::write(random, notations[at], &spec, &requirements[at]));
        let objects = objects_with(&spec);
        let values = objects.values(&constants_of(&spec, &requirements, &sides), random);
        let writes = writes_of(&["CREATE", "UPDATE"], &values, random);
        Self { sides, base: definition(&object_types(&spec)), objects: unbounded(&objects), writes }
    }

    /// The differences by kvrules; the reason if it compares nothing.
    fn compare(&self) -> Result<Diff, String> {
        let base = SourceFile::new(FileId(2), "base.json", self.base.to_string());
        let sources = [0, 1].map(|at| {
            SourceFile::new(
                FileId(at as u32),
                self.sides[at].notation.file_name(),
                self.sides[at].text.clone(),
            )
        });
        let mut subjects = SubjectFiles::default();
        for source in &sources {
            subjects.read_named_files(source, &mut |_| Ok(base.text().to_owned()));
        }
        let run = RunResources::of_files(&sources.iter().collect::<Vec<_>>());
        let [old, new] = sources.map(|source| {
            let context =
                ReadContext::new(Catalog::kubevirt_vm()).with_resources(&run).with_subjects(&subjects);
            let units = read_units_in(&source, &context).map_err(|error| error.message)?;
            Ok::<_, String>(vec![SideFile { path: String::new(), source, units }])
        });
        let diff = compare_sides_with(&old?, &new?, &run).map_err(|reason| format!("{reason:?}"))?;
        if diff.pairs.len() == 1 && diff.added.is_empty() && diff.removed.is_empty() {
            Ok(diff)
        } else {
            Err("the sides are not paired".to_owned())
        }
    }

    /// The side that accepts what shows an effect, and the one that rejects it.
    fn accepting_and_rejecting(&self, effect: Effect) -> (&Side, &Side) {
        let [old, new] = &self.sides;
        if effect == Effect::Rejects { (old, new) } else { (new, old) }
    }

    /// A write of an operation that shows an effect. The stored object of an update is one that the accepting side accepts.
    fn find(&self, effect: Effect, operation: &str) -> Option<&Write> {
        let (accepting, rejecting) = self.accepting_and_rejecting(effect);
        self.writes.iter().filter(|write| write.operation == operation).find(|write| {
            accepting.admits(write)
                && (operation == "CREATE" || accepting.admits_creation(&write.old))
                && rejecting.certainly_rejects(write)
        })
    }

    /// Returns why an example does not show an effect.
    fn refute_example(&self, witness: &Witness, effect: Effect) -> Result<Option<String>, &'static str> {
        let read = |object: &Json| {
            Policy::read_object(object, &self.objects)
                .ok_or("an example with values outside of the judge's types")
        };
        let object = read(&witness.object)?;
        let write = match &witness.previous {
            Some(old) => Write { operation: "UPDATE", object, old: read(old)? },
            None => Write { operation: "CREATE", object, old: Val::Null },
        };
        let (accepting, rejecting) = self.accepting_and_rejecting(effect);
        let wrong = if accepting.certainly_rejects(&write) {
            "is rejected by both sides, or by the other one"
        } else if rejecting.admits(&write) {
            "is accepted by both sides, or by the other one"
        } else {
            return Ok(None);
        };
        Ok(Some(format!("the example {} {wrong}", write.describe())))
    }

    fn describe(&self, claim: &str) -> String {
        let [old, new] = &self.sides;
        let is_subject = |side: &Side| side.notation == Notation::RuleSet;
        let base = if is_subject(old) || is_subject(new) {
            format!("\nbase.json: {}", self.base)
        } else {
            String::new()
        };
        format!("old: {}\nnew: {}{base}\nclaim: {claim}", old.text, new.text)
    }
}

fn constants_of(spec: &Shape, requirements: &[Vec<Requirement>; 2], sides: &[Side; 2]) -> Constants {
    let said: Vec<Expr> = requirements.iter().flatten().map(|it| it.expression(spec).1).collect();
    let texts = TEXTS.map(Expr::text);
    let written = sides.iter().flat_map(Side::expressions);
    // `CREATE` and `UPDATE` are no values of objects.
    let is_own = |it: &&Expr| !it.mentions("request");
    Constants::of(said.iter().chain(&texts).chain(written.filter(is_own)))
}

/// The shape with texts, lists and maps of any size, of which examples are.
fn unbounded(shape: &Shape) -> Shape {
    let boxed = |shape: &Shape| Box::new(unbounded(shape));
    match shape {
        Shape::Text { .. } | Shape::Quantity | Shape::Duration => {
            Shape::Text { among: None, longest: usize::MAX }
        }
        Shape::List { items, fewest, .. } => {
            Shape::List { items: boxed(items), fewest: *fewest, most: usize::MAX }
        }
        Shape::Map { values, .. } => Shape::Map { values: boxed(values), most: usize::MAX },
        Shape::Object { fields } => {
            let mut fields = fields.clone();
            fields.iter_mut().for_each(|field| field.shape = unbounded(&field.shape));
            Shape::Object { fields }
        }
        other => other.clone(),
    }
}

/// The claims about one operation: the answer of `diff`, and the kinds of a claim that there is no effect and of an example.
struct Question {
    effect: Effect,
    operation: &'static str,
    /// The note of changes that are about other writes alone.
    other: &'static str,
    none: &'static str,
}

const QUESTIONS: [Question; 4] = [
    Question {
        effect: Effect::Rejects,
        operation: "CREATE",
        other: "in updates",
        none: "notations: nothing newly rejected in creations",
    },
    Question {
        effect: Effect::Accepts,
        operation: "CREATE",
        other: "in updates",
        none: "notations: nothing newly accepted in creations",
    },
    Question {
        effect: Effect::Rejects,
        operation: "UPDATE",
        other: "in creations",
        none: "notations: nothing newly rejected in updates",
    },
    Question {
        effect: Effect::Accepts,
        operation: "UPDATE",
        other: "in creations",
        none: "notations: nothing newly accepted in updates",
    },
];

const REJECTED: &str = "notations: example newly rejected";
const ACCEPTED: &str = "notations: example newly accepted";

impl Question {
    fn example_kind(&self) -> &'static str {
        if self.effect == Effect::Rejects { REJECTED } else { ACCEPTED }
    }

    /// The answer of all changes that are about the operation.
    fn answer(&self, changes: &[&Change]) -> EffectAnswer {
        let about = changes.iter().filter(|change| !change.notes.iter().any(|note| note == self.other));
        let answers = about.map(|change| match self.effect {
            Effect::Rejects => change.tightens(),
            Effect::Accepts => change.loosens(),
        });
        answers.max().unwrap_or(EffectAnswer::No)
    }
}

/// Judges the comparison of requirements in two notations.
pub(crate) fn judge_notations(random: &mut Random, origin: &str, tally: &mut Tally) {
    let compared = ComparedNotations::generate(random);
    let diff = match compared.compare() {
        Ok(diff) => diff,
        Err(reason) => {
            let [old, new] = compared.sides.each_ref().map(|side| side.notation);
            return tally.unjudged(&format!("{old:?} → {new:?}: {reason}"));
        }
    };
    let changes: Vec<&Change> = diff.changes().collect();
    for question in &QUESTIONS {
        let shown = compared.find(question.effect, question.operation);
        match (question.answer(&changes), shown) {
            (EffectAnswer::No, shown) => {
                let details = shown.map(|write| {
                    format!("{}\nrefuted by: {}", compared.describe(question.none), write.describe())
                });
                tally.judge(question.none, origin, details);
            }
            (EffectAnswer::Unknown, None) => tally.missed(question.none),
            (EffectAnswer::Unknown, Some(_)) => tally.missed(question.example_kind()),
            (EffectAnswer::Yes, _) => {}
        }
    }
    for change in changes {
        for (witness, effect, kind) in
            [(&change.refused, Effect::Rejects, REJECTED), (&change.accepted, Effect::Accepts, ACCEPTED)]
        {
            let Some(witness) = witness else { continue };
            match compared.refute_example(witness, effect) {
                Ok(refutation) => {
                    let claim = format!("{kind}: {}", change.at);
                    let details =
                        refutation.map(|why| format!("{}\nrefuted: {why}", compared.describe(&claim)));
                    tally.judge(kind, origin, details);
                }
                Err(reason) => tally.unjudged(reason),
            }
        }
    }
}
