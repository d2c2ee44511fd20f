//! Conditions as requirements: what must be so.
//!
//! A demand on a value, such as ``must be `a` ``, says nothing if there is no value. So a condition that an absent value does not satisfy
//! also says that the value is required, and where a sentence has no place for that, the whole is a statement: `it is required that …`.

use serde_json::Value as Json;

use super::states::{describe_count, together_paths};
use super::{absent_path, demanded_name, is_map_at, item_schema, items_noun, listed_paths};
use crate::condition::Condition;
use crate::path::RulePath;
use crate::shape::is_nullable;

/// The words before a statement that is a requirement.
const REQUIRED_THAT: &str = "it is required that";

/// Describes demands on a value.
#[derive(Clone)]
pub(super) struct Demands<'a> {
    /// The schema of the value.
    pub(super) schema: &'a Json,
    /// The paths of which the sentence says elsewhere that they have a value, or that the demand is about them only then.
    pub(super) known: Vec<&'a RulePath>,
}

impl<'a> Demands<'a> {
    pub(super) fn describe(&self, condition: &'a Condition) -> String {
        let schema = self.schema;
        match condition {
            Condition::All(all) => self.describe_all(all),
            Condition::Any(any) => self.describe_alternatives(any),
            Condition::Not(inner) => match &**inner {
                Condition::Present(path) => format!("{} must not be set", demanded_name(path)),
                Condition::Passes(path, test) => {
                    format!("{} {}", demanded_name(path), test.describe_denial(is_map_at(schema, path)))
                }
                _ => required_that(condition, schema),
            },
            Condition::Present(path) => format!("{} is required", demanded_name(path)),
            Condition::Passes(path, test) => {
                let demand = test.describe_demand(is_map_at(schema, path));
                let required = if self.may_be_absent(path) { "is required and " } else { "" };
                format!("{} {required}{demand}", demanded_name(path))
            }
            Condition::Compares(one, how, other, _) => {
                let absent = [one, other].into_iter().filter(|path| self.may_be_absent(path));
                let mut told: Vec<String> =
                    absent.map(|path| format!("{} is required", demanded_name(path))).collect();
                told.push(format!(
                    "{} must be {} {}",
                    demanded_name(one),
                    how.describe(),
                    demanded_name(other)
                ));
                told.join(" and ")
            }
            Condition::CountPresent { paths, least, most } => {
                let count = describe_count(paths.len(), (*least, *most));
                format!("{count} of {} must be set", listed_paths(paths, "and"))
            }
            Condition::ForAll(path, inner) => {
                let items = items_noun(schema, path, false);
                let of_item = Demands { schema: item_schema(schema, path), known: Vec::new() };
                format!("in each {items}, {}", of_item.describe(inner))
            }
            Condition::CountItems(..) => required_that(condition, schema),
            Condition::RefersTo(from, to, _) => format!("{} must be among `{to}`", demanded_name(from)),
            Condition::Stored(path, test) => test.describe(&demanded_name(path), is_map_at(schema, path)),
            Condition::Cel(text) => {
                format!("the rule must hold: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// True if a demand on the value alone would leave out that it has to be there.
    fn may_be_absent(&self, path: &RulePath) -> bool {
        // The value that a rule is about is there, unless it is null.
        let is_own = path.0.is_empty() && !is_nullable(self.schema);
        !is_own && !self.known.contains(&path)
    }

    fn with_known(&self, more: impl IntoIterator<Item = &'a RulePath>) -> Self {
        let known = self.known.iter().copied().chain(more).collect();
        Self { schema: self.schema, known }
    }

    /// Alternatives: conditions under which a demand applies, and the demand.
    fn describe_alternatives(&self, any: &'a [Condition]) -> String {
        let split = Alternatives::split(any);
        let mut known = split.tested.clone();
        split.conditions.iter().for_each(|one| add_set_paths(one, &mut known));
        let inside = self.with_known(known);
        let demand = match (together_paths(&split.demands), split.demands.as_slice()) {
            (Some(paths), _) => format!("{} must be set together", listed_paths(&paths, "and")),
            (None, [one]) => inside.describe(one),
            (None, several) if several.iter().all(|one| inside.is_short(one)) => {
                inside.describe_choice(several)
            }
            // A statement is not so for an absent value, so those for which the demands hold are told, too.
            (None, several) => {
                let absent = split.absent.iter().chain(several);
                required_that(&Condition::Any(absent.map(|one| (*one).clone()).collect()), self.schema)
            }
        };
        let schema = self.schema;
        match split.conditions.as_slice() {
            [] => demand,
            [Condition::Not(unless)]
                if matches!(**unless, Condition::Passes(..) | Condition::Compares(..)) =>
            {
                format!("unless {}, {demand}", unless.describe_state(schema))
            }
            [one] => format!("if {}, {demand}", one.describe_state(schema)),
            several => {
                let all = Condition::All(several.iter().map(|one| (*one).clone()).collect());
                format!("if {}, {demand}", all.describe_state(schema))
            }
        }
    }

    /// Several demands of which one has to be met.
    fn describe_choice(&self, several: &[&'a Condition]) -> String {
        let told = several.iter().map(|one| {
            let demand = self.describe(one);
            if self.has_several(one) { format!("({demand})") } else { demand }
        });
        told.collect::<Vec<_>>().join(" or ")
    }

    /// True for several demands that all have to be met.
    fn has_several(&self, condition: &'a Condition) -> bool {
        match condition {
            Condition::All(all) => match self.told_parts(all).as_slice() {
                [one] => self.has_several(one),
                several => several.len() > 1,
            },
            Condition::Any(any) => match Alternatives::split(any).demands.as_slice() {
                [one] => self.has_several(one),
                _ => false,
            },
            _ => false,
        }
    }

    /// The parts of a demand without those that say nothing: that the value itself is there.
    fn told_parts(&self, all: &'a [Condition]) -> Vec<&'a Condition> {
        let is_told = |one: &&Condition| !matches!(one, Condition::Present(path) if path.0.is_empty() && !self.may_be_absent(path));
        let told: Vec<_> = all.iter().filter(is_told).collect();
        if told.is_empty() { all.iter().collect() } else { told }
    }

    /// True for a demand that can stand next to `or`: it has an end, and what it requires of a value it requires only if there is one.
    fn is_short(&self, condition: &'a Condition) -> bool {
        match condition {
            Condition::Passes(path, _) => !self.may_be_absent(path),
            Condition::Compares(one, _, other, _) => !self.may_be_absent(one) && !self.may_be_absent(other),
            Condition::Not(inner) => matches!(**inner, Condition::Present(_) | Condition::Passes(..)),
            Condition::All(all) => {
                let mut known = Vec::new();
                all.iter().all(|one| {
                    let is_short = self.with_known(known.iter().copied()).is_short(one);
                    add_set_paths(one, &mut known);
                    is_short
                })
            }
            Condition::Any(any) => {
                let split = Alternatives::split(any);
                let inside = self.with_known(split.tested.iter().copied());
                matches!(split.demands.as_slice(), [one] if split.conditions.is_empty() && inside.is_short(one))
            }
            Condition::ForAll(..) | Condition::CountItems(..) => false,
            _ => true,
        }
    }

    /// Several demands as one sentence, which names a path once if they follow each other. Those that reach to the end of the sentence
    /// come last, or are in parentheses: what follows `in each item of …,` is about the item.
    fn describe_all(&self, all: &'a [Condition]) -> String {
        let mut told = Vec::new();
        let mut subject = None;
        let (of_items, others): (Vec<&Condition>, Vec<&Condition>) =
            self.told_parts(all).into_iter().partition(|one| matches!(one, Condition::ForAll(..)));
        let mut known = Vec::new();
        for one in others {
            let path = demanded_path(one);
            let demand = self.with_known(known.iter().copied()).describe(one);
            let named = path.filter(|_| path == subject).map(|path| format!("{} ", demanded_name(path)));
            let rest = named.and_then(|named| demand.strip_prefix(&named).map(str::to_owned));
            let demand = rest.unwrap_or(demand);
            told.push(if is_choice(one) && !reaches_to_end(&demand) {
                format!("({demand})")
            } else {
                demand
            });
            add_set_paths(one, &mut known);
            subject = path;
        }
        told.extend(describe_items(&of_items, self.schema));
        let last = told.len().saturating_sub(1);
        let end = |(index, text): (usize, String)| {
            if index < last && reaches_to_end(&text) { format!("({text})") } else { text }
        };
        told.into_iter().enumerate().map(end).collect::<Vec<_>>().join(" and ")
    }
}

/// True for several demands of which one has to be met.
fn is_choice(condition: &Condition) -> bool {
    let Condition::Any(any) = condition else { return false };
    let split = Alternatives::split(any);
    split.demands.len() > 1 && together_paths(&split.demands).is_none()
}

fn required_that(condition: &Condition, schema: &Json) -> String {
    format!("{REQUIRED_THAT} {}", condition.describe_state(schema))
}

/// True for a demand that has no end before that of the sentence.
fn reaches_to_end(demand: &str) -> bool {
    ["in ", "if ", "unless ", REQUIRED_THAT].iter().any(|start| demand.starts_with(start))
}

/// The paths that have a value if a condition holds.
fn add_set_paths<'c>(condition: &'c Condition, known: &mut Vec<&'c RulePath>) {
    match condition {
        Condition::Present(path) | Condition::Passes(path, _) => known.push(path),
        Condition::Compares(one, _, other, _) => known.extend([one, other]),
        Condition::All(all) => all.iter().for_each(|one| add_set_paths(one, known)),
        _ => {}
    }
}

/// Alternatives as the conditions in front, without which the demands apply.
struct Alternatives<'c> {
    conditions: Vec<&'c Condition>,
    demands: Vec<&'c Condition>,
    /// The paths without a value of which the demands hold: a test says so itself.
    tested: Vec<&'c RulePath>,
    /// The conditions that these have no value.
    absent: Vec<&'c Condition>,
}

impl<'c> Alternatives<'c> {
    /// The conditions are the negations in front. That a value is absent for which a demand tests the value is left out: every test
    /// passes then.
    fn split(any: &'c [Condition]) -> Self {
        let is_tested = |path: &RulePath| {
            any.iter().any(|one| match one {
                Condition::Passes(of, _) => of == path,
                Condition::Not(fails) => matches!(&**fails, Condition::Passes(of, _) if of == path),
                Condition::Compares(one, _, other, _) => one == path || other == path,
                _ => false,
            })
        };
        let (absent, told): (Vec<&Condition>, Vec<&Condition>) =
            any.iter().partition(|one| absent_path(one).is_some_and(is_tested));
        let leading = told.iter().take_while(|one| negated(one).is_some()).count();
        let leading = if leading == told.len() { leading.saturating_sub(1) } else { leading };
        let conditions = told.iter().take(leading).filter_map(|one| negated(one)).collect();
        let demands = told.into_iter().skip(leading).collect();
        let tested = absent.iter().copied().filter_map(absent_path).collect();
        Self { conditions, demands, tested, absent }
    }
}

fn negated(condition: &Condition) -> Option<&Condition> {
    match condition {
        Condition::Not(inner) => Some(inner),
        _ => None,
    }
}

/// Demands about items, one for each group of lists of whose items the same is required.
fn describe_items(of_items: &[&Condition], schema: &Json) -> Vec<String> {
    let mut groups: Vec<(Vec<&RulePath>, Vec<&Condition>)> = Vec::new();
    for one in of_items {
        let Condition::ForAll(list, inner) = one else { continue };
        match groups.iter_mut().find(|(lists, _)| lists.as_slice() == [list]) {
            Some((_, inside)) => inside.push(inner),
            None => groups.push((vec![list], vec![inner])),
        }
    }
    let mut told: Vec<(Vec<&RulePath>, String)> = Vec::new();
    for (lists, inside) in groups {
        let inner = Condition::All(inside.into_iter().cloned().collect());
        let Some(first) = lists.first() else { continue };
        let demand = Demands { schema: item_schema(schema, first), known: Vec::new() }.describe(&inner);
        let is_map = is_map_at(schema, first);
        let same = |(known, text): &&mut (Vec<&RulePath>, String)| {
            *text == demand && known.first().is_some_and(|known| is_map_at(schema, known) == is_map)
        };
        match told.iter_mut().find(same) {
            Some((known, _)) => known.extend(lists),
            None => told.push((lists, demand)),
        }
    }
    let to_text = |(lists, demand): (Vec<&RulePath>, String)| match lists.as_slice() {
        [list] => format!("in each {}, {demand}", items_noun(schema, list, false)),
        lists => {
            let noun =
                if lists.first().is_some_and(|list| is_map_at(schema, list)) { "value" } else { "item" };
            let names: Vec<RulePath> = lists.iter().map(|list| (*list).clone()).collect();
            format!("in each {noun} of {}, {demand}", listed_paths(&names, "and"))
        }
    };
    told.into_iter().map(to_text).collect()
}

/// The path of a condition about the value there and nothing else.
fn demanded_path(condition: &Condition) -> Option<&RulePath> {
    match condition {
        Condition::Present(path) | Condition::Passes(path, _) => Some(path),
        Condition::Not(inner) => match &**inner {
            Condition::Present(path) | Condition::Passes(path, _) => Some(path),
            _ => None,
        },
        Condition::Any(any) => match any.as_slice() {
            [absent, test] => demanded_path(test).filter(|path| absent_path(absent) == Some(*path)),
            _ => None,
        },
        _ => None,
    }
}
