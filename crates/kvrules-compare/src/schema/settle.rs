//! Settling a difference: objects that show it are looked for among whole objects that both sides are asked about.

use serde_json::{Map, Value};

use super::blame::Blame;
use super::build::{Builder, Force};
use super::edit::{Attempt, Edit};
use super::judge::{Judge, Verdict};
use super::place::{Down, Step};
use crate::bound::Bound;
use crate::report::{Change, Direction, Witness};

/// Two schemas, ready to be asked.
pub(super) struct Bench<'s> {
    pub(super) old: Side<'s>,
    pub(super) new: Side<'s>,
    /// Fields that every object has, beside what it is asked about.
    pub(super) head: Map<String, Value>,
}

/// One of them.
pub(super) struct Side<'s> {
    pub(super) schema: &'s Value,
    pub(super) judge: Judge,
    pub(super) builder: Builder,
}

/// So many whole objects are made for each attempt, at most, and so many for all attempts of one direction.
const FOR_EACH: usize = 40;
const FOR_ALL: usize = 160;

impl Bench<'_> {
    /// The change that an edit comes to.
    pub(super) fn settle(&self, edit: Edit) -> Change {
        let Edit { mut change, downs, keys, bound, refused, accepted, looked_at, is_message } = edit;
        let blame = Blame::new((self.old.schema, self.new.schema), &downs, &keys);
        change.objects += looked_at;
        if bound == Bound::Equal {
            change.direction = if is_message { Direction::MessageOnly } else { Direction::Equal };
            change.proved = true;
            return change;
        }
        if bound != Bound::Looser {
            change.refused = self.search((&downs, &blame), &refused, true, &mut change.objects);
        }
        if bound != Bound::Tighter {
            change.accepted = self.search((&downs, &blame), &accepted, false, &mut change.objects);
        }
        let shown = (change.refused.is_some(), change.accepted.is_some());
        (change.direction, change.proved) = bound.direction(shown.0, shown.1);
        if change.direction == Direction::Unknown {
            change.at_most = bound.at_most();
            change.notes.push(bound.doubt(change.objects));
        }
        change
    }

    /// An object that one side takes and the other refuses for this difference: with `refused` the old side takes it.
    fn search(
        &self,
        (downs, blame): (&[Down], &Blame<'_>),
        attempts: &[Attempt],
        refused: bool,
        objects: &mut usize,
    ) -> Option<Witness> {
        let (one, other) = if refused { (&self.old, &self.new) } else { (&self.new, &self.old) };
        let mut made = 0;
        let mut elsewhere = None;
        for number in 0..FOR_EACH {
            for attempt in attempts {
                if made >= FOR_ALL {
                    return elsewhere;
                }
                let Some((object, previous)) = self.made(one, downs, attempt, number) else { continue };
                made += 1;
                *objects += 1;
                let ask = |judge: &Judge| match &previous {
                    Some(previous) => judge.update(&object, previous),
                    None => judge.create(&object),
                };
                let was_taken = previous.as_ref().is_none_or(|previous| one.judge.create(previous).accepts());
                if !was_taken || !ask(&one.judge).accepts() {
                    continue;
                }
                let verdict = ask(&other.judge);
                let told = reason(&verdict, downs);
                // Another reason at another place will do where none is better.
                let is_better = told.is_some() || elsewhere.is_none();
                if !verdict.refuses() || !is_better || !blame.is_to_blame(refused, &ask) {
                    continue;
                }
                let because = told.clone().unwrap_or_else(|| verdict.reason());
                if previous.is_some() || told.is_none() {
                    elsewhere = Some(Witness { previous, ..Witness::new(object, because) });
                    if told.is_some() {
                        return elsewhere;
                    }
                    continue;
                }
                let shows = |object: &Value| {
                    let ask = |judge: &Judge| judge.create(object);
                    let verdict = ask(&other.judge);
                    reason(&verdict, downs).is_some()
                        && ask(&one.judge).accepts()
                        && blame.is_to_blame(refused, &ask)
                };
                let small = super::shrink::shrink(object, &shows);
                let because = reason(&other.judge.create(&small), downs).unwrap_or(because);
                return Some(Witness::new(small, because));
            }
        }
        elsewhere
    }

    /// An object for one attempt, with the one before it where it is an update.
    fn made(
        &self,
        side: &Side<'_>,
        downs: &[Down],
        attempt: &Attempt,
        number: usize,
    ) -> Option<(Value, Option<Value>)> {
        let build = |force| side.builder.object(side.schema, downs, force, number);
        let mut previous = None;
        let object = match attempt {
            Attempt::Like(value) => build(Force::Is(value))?,
            Attempt::Exactly(value) => put(build(Force::Free)?, downs, value)?,
            Attempt::With(name) => build(Force::With(name))?,
            Attempt::WithValue(name, value) => {
                let inner = [downs, &[Down::Property(name.clone())]].concat();
                put(build(Force::Free)?, &inner, value)?
            }
            Attempt::Without(name) => build(Force::Without(name))?,
            Attempt::Count(count) => build(Force::Count(*count))?,
            Attempt::Twice => build(Force::Twice)?,
            Attempt::Free => build(Force::Free)?,
            Attempt::Update(before, after) => {
                let object = build(Force::Free)?;
                previous = Some(self.headed(put(object.clone(), downs, before)?));
                put(object, downs, after)?
            }
        };
        Some((self.headed(object), previous))
    }

    /// The object with the fields that every object has.
    fn headed(&self, object: Value) -> Value {
        match object {
            Value::Object(fields) => {
                let mut all = self.head.clone();
                all.extend(fields);
                Value::Object(all)
            }
            other => other,
        }
    }
}

/// The reason to refuse an object that lies at a place or below it.
fn reason(verdict: &Verdict, downs: &[Down]) -> Option<String> {
    let fits = |path: &[Step]| {
        path.len() >= downs.len()
            && path.iter().zip(downs).all(|(step, down)| match (step, down) {
                (Step::Field(name), Down::Property(wanted)) => name == wanted,
                (Step::Field(_), Down::Values) | (Step::Item(_), Down::Items) => true,
                _ => false,
            })
    };
    verdict.refusals.iter().find(|refusal| fits(&refusal.path)).map(super::judge::Refusal::told)
}

/// The object with a value at a place: in lists in the last element, in maps at the key that objects are made with.
fn put(mut object: Value, downs: &[Down], value: &Value) -> Option<Value> {
    let mut at = &mut object;
    for down in downs {
        at = match down {
            Down::Property(name) => at.as_object_mut()?.entry(name.clone()).or_insert(Value::Null),
            Down::Items => at.as_array_mut()?.last_mut()?,
            Down::Values => at.as_object_mut()?.get_mut("k")?,
        };
    }
    *at = value.clone();
    Some(object)
}
