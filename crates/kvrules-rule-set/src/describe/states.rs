//! Conditions as something that is so or is not so: the `if` of a sentence, and the parts of rules.
//!
//! A condition about an absent value is not so; its negation is.

use kvrules_diagnostics::join_words;
use serde_json::Value as Json;

use super::counted::{ItemCount, in_plural};
use super::{absent_path, is_map_at, item_schema, items_noun};
use crate::condition::{Condition, ValueTest};
use crate::path::RulePath;

/// A statement, and the word that joins its operands, if it has several.
struct Statement {
    text: String,
    joined_by: Option<&'static str>,
}

/// The surroundings of a statement.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    schema: &'a Json,
    /// The name of the value itself.
    own_name: &'a str,
}

impl Condition {
    /// Describes the condition as something that is so, for a value with this schema.
    pub(crate) fn describe_state(&self, schema: &Json) -> String {
        let around = Surroundings { schema, own_name: "it" };
        around.describe(self, true).text
    }
}

impl Surroundings<'_> {
    fn name_of(self, path: &RulePath) -> String {
        if path.0.is_empty() { self.own_name.to_owned() } else { format!("`{path}`") }
    }

    fn describe(self, condition: &Condition, is_so: bool) -> Statement {
        let single = |text: String| Statement { text, joined_by: None };
        match condition {
            Condition::All(list) => self.join(list, is_so, if is_so { " and " } else { " or " }),
            Condition::Any(list) => match together_paths(&list.iter().collect::<Vec<_>>()) {
                Some(paths) => {
                    let words = if is_so { "all or none" } else { "some but not all" };
                    single(format!("{words} of {} are set", self.list_names(&paths)))
                }
                None => self.join(list, is_so, if is_so { " or " } else { " and " }),
            },
            Condition::Not(inner) => self.describe(inner, !is_so),
            Condition::Present(path) => {
                single(format!("{} {}", self.name_of(path), if is_so { "is set" } else { "is not set" }))
            }
            Condition::Passes(path, test) => {
                let state = test.describe_state(is_so, is_map_at(self.schema, path));
                let joined_by = is_so.then_some(test).filter(|test| has_alternatives(test)).map(|_| " or ");
                Statement { text: format!("{} {state}", self.name_of(path)), joined_by }
            }
            Condition::Compares(one, how, other, _) => {
                let verb = if is_so { "is" } else { "is not" };
                single(format!("{} {verb} {} {}", self.name_of(one), how.describe(), self.name_of(other)))
            }
            Condition::CountPresent { paths, least, most } => {
                let count = if is_so {
                    describe_count(paths.len(), (*least, *most))
                } else {
                    describe_other_count(paths.len(), (*least, *most))
                };
                single(format!("{count} of {} is set", self.list_names(paths)))
            }
            Condition::ForAll(list, inner) => self.describe_items(list, inner, is_so),
            Condition::CountItems(list, bounds, inner) => {
                let count = if is_so { ItemCount::within(bounds) } else { ItemCount::outside(bounds) };
                self.describe_counted(list, &count, (inner, true))
            }
            Condition::RefersTo(from, to, _) => {
                let verb = if is_so { "is" } else { "is not" };
                single(format!("{} {verb} among `{to}`", self.name_of(from)))
            }
            Condition::Stored(..) | Condition::Cel(_) if is_so => {
                single(condition.describe_demand(self.schema))
            }
            Condition::Stored(..) | Condition::Cel(_) => {
                single(format!("it is not the case that ({})", condition.describe_demand(self.schema)))
            }
        }
    }

    fn join(self, list: &[Condition], is_so: bool, word: &'static str) -> Statement {
        let mut parts: Vec<Statement> = list.iter().map(|one| self.describe(one, is_so)).collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let is_choice = |part: &Statement| part.joined_by.is_some();
        let texts: Vec<String> = parts
            .into_iter()
            .map(|part| if is_choice(&part) { format!("({})", part.text) } else { part.text })
            .collect();
        Statement { text: texts.join(word), joined_by: Some(word) }
    }

    /// A statement about all items of a list, some, or none.
    fn describe_items(self, list: &RulePath, inner: &Condition, is_so: bool) -> Statement {
        let (quantity, of_item, is_item_so) = match (is_so, inner) {
            (true, Condition::Not(denied)) => ("no", &**denied, true),
            (false, Condition::Not(denied)) => ("some", &**denied, true),
            (true, inner) => ("each", inner, true),
            (false, inner) => ("some", inner, false),
        };
        let count = ItemCount { text: quantity.to_owned(), is_plural: false };
        self.describe_counted(list, &count, (of_item, is_item_so))
    }

    /// A statement about a number of items.
    fn describe_counted(
        self,
        list: &RulePath,
        count: &ItemCount,
        (of_item, is_so): (&Condition, bool),
    ) -> Statement {
        let items = format!("{} {}", count.text, items_noun(self.schema, list, count.is_plural));
        let schema = item_schema(self.schema, list);
        if is_about_itself(of_item) {
            let told = Surroundings { schema, own_name: &items }.describe(of_item, is_so);
            let verb = told.text.strip_prefix(&items).filter(|_| count.is_plural);
            let plural = verb.map(|verb| format!("{items} {}", in_plural(verb.trim_start())));
            return Statement { text: plural.unwrap_or(told.text), ..told };
        }
        let inside = Surroundings { schema, own_name: "it" }.describe(of_item, is_so);
        let text = match inside.joined_by {
            Some(_) => format!("({}) in {items}", inside.text),
            None => format!("{} in {items}", inside.text),
        };
        Statement { text, joined_by: None }
    }

    fn list_names(self, paths: &[RulePath]) -> String {
        let names: Vec<_> = paths.iter().map(|path| self.name_of(path)).collect();
        join_words(&names, "and")
    }
}

/// True for a statement that begins with the value itself and names it once.
fn is_about_itself(condition: &Condition) -> bool {
    match condition {
        Condition::Present(path) | Condition::Passes(path, _) => path.0.is_empty(),
        Condition::Compares(one, _, other, _) => one.0.is_empty() && !other.0.is_empty(),
        _ => false,
    }
}

/// True if a statement about the test has an `or` or `and` of its own.
fn has_alternatives(test: &ValueTest) -> bool {
    match test {
        ValueTest::In(values) => values.len() > 1,
        ValueTest::InQuantities(values) | ValueTest::Affix(_, values) => values.len() > 1,
        _ => false,
    }
}

/// The paths of which all have a value, or none has.
pub(super) fn together_paths(list: &[&Condition]) -> Option<Vec<RulePath>> {
    let [Condition::All(all), Condition::All(none)] = list else { return None };
    let present = |one: &Condition| match one {
        Condition::Present(path) => Some(path.clone()),
        _ => None,
    };
    let absent = |one: &Condition| absent_path(one).cloned();
    let all: Option<Vec<RulePath>> = all.iter().map(present).collect();
    let none: Option<Vec<RulePath>> = none.iter().map(absent).collect();
    all.filter(|all| none.as_ref() == Some(all))
}

/// The number of listed paths that have a value.
pub(super) fn describe_count(among: usize, (least, most): (usize, usize)) -> String {
    match (least, most) {
        (1, 1) => "exactly one".to_owned(),
        (0, 1) => "at most one".to_owned(),
        (1, most) if most >= among => "at least one".to_owned(),
        (least, most) if most >= among => format!("at least {least}"),
        (0, most) => format!("at most {most}"),
        (least, most) if least == most => format!("exactly {least}"),
        (least, most) => format!("from {least} to {most}"),
    }
}

/// Every other number.
fn describe_other_count(among: usize, (least, most): (usize, usize)) -> String {
    let fewer = match least {
        0 => None,
        1 => Some("none".to_owned()),
        least => Some(format!("fewer than {least}")),
    };
    let more = (most < among)
        .then(|| if most == 1 { "more than one".to_owned() } else { format!("more than {most}") });
    let told: Vec<String> = fewer.into_iter().chain(more).collect();
    if told.is_empty() { "an impossible number".to_owned() } else { told.join(" or ") }
}
