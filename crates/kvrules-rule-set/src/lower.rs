//! Conditions as expressions in CEL, over `self` and `oldSelf`.
//!
//! Fields are read only if they are there, so that no expression ends in an error. What an operand of `&&` or `||` already
//! requires is not tested again in the next ones.

use kvrules_cel::literal::to_string_literal;
use kvrules_cel::types::escape_property;
use serde_json::{Number, Value as Json};

mod comparisons;
mod strings;
mod text;
mod value_tests;

use self::comparisons::{lower_comparison, lower_equality};
use self::text::{Level, Text, at_level, choose, join_all, join_any, negate, relation, whole};
use self::value_tests::{FEW_VALUES, lower_test, negate_test};
use crate::compared::ComparedAs;
use crate::condition::{Bounds, Condition, StoredTest};
use crate::path::{PathStep, RulePath};
use crate::shape::{self, ValueType, child_schema};

/// A value that paths start from.
#[derive(Clone, Copy)]
struct Root<'s> {
    /// Its expression.
    text: &'s str,
    /// The expression of the stored value, if there is one.
    stored: Option<&'s str>,
    schema: &'s Json,
    /// Number of loops around.
    depth: usize,
}

/// A value that a path leads to.
struct Found<'s> {
    text: String,
    /// Expressions that are true if it is there.
    guards: Vec<Guard>,
    schema: &'s Json,
}

/// Tests one step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Guard {
    Field(String),
    Key(String, String),
    NotNull(String),
}

/// Returns a condition as an expression about a value with this schema; `None` if a path has no type.
///
/// ```
/// use kvrules_rule_set::{Bounds, Condition, RulePath, ValueTest, to_cel};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
/// let condition = Condition::Passes(RulePath::parse("n").unwrap(), ValueTest::Number(Bounds::with_limits(Some(2.into()), None)));
/// assert_eq!(to_cel(&condition, &schema).unwrap(), "has(self.n) && self.n >= 2");
/// ```
pub fn to_cel(condition: &Condition, schema: &Json) -> Option<String> {
    let root = Root { text: "self", stored: Some("oldSelf"), schema, depth: 0 };
    lower(condition, root, &[]).map(|lowered| lowered.text)
}

/// A value as an expression, with the expression that is true if it is there.
pub(crate) struct ValueText<'s> {
    pub(crate) text: String,
    /// `None` if it is always there.
    pub(crate) guard: Option<String>,
    pub(crate) schema: &'s Json,
}

/// Returns the value at a path without `[*]`; `None` if the path has no type.
pub(crate) fn value_text<'s>(path: &RulePath, schema: &'s Json) -> Option<ValueText<'s>> {
    let found = Root { text: "self", stored: None, schema, depth: 0 }.find(path)?;
    let guard = join_all(found.guards.iter().map(Guard::text).collect());
    let guard = (!found.guards.is_empty()).then(|| at_level(&guard, Level::Or));
    Some(ValueText { text: found.text, guard, schema: found.schema })
}

fn lower(condition: &Condition, root: Root<'_>, known: &[Guard]) -> Option<Text> {
    match condition {
        Condition::All(all) => lower_list(all, root, known, true),
        Condition::Any(any) => lower_list(any, root, known, false),
        Condition::Not(inner) => lower_negation(inner, root, known),
        Condition::Present(path) => Some(join_all(guard_texts(&root.find(path)?, known))),
        Condition::Passes(path, test) => {
            let found = root.find(path)?;
            let mut parts = guard_texts(&found, known);
            parts.extend(lower_test(test, &found, root.depth)?);
            Some(join_all(parts))
        }
        Condition::Compares(..) => lower_comparison(condition, root, known),
        Condition::CountPresent { paths, least, most } => lower_count(paths, (*least, *most), root, known),
        Condition::ForAll(path, inner) => lower_loop(path, inner, root, known, true),
        Condition::CountItems(path, bounds, inner) => lower_counted((path, bounds, inner), root, known),
        Condition::RefersTo(from, to, read_as) => lower_reference((from, to), *read_as, root),
        Condition::Stored(path, test) => lower_stored(path, test, root),
        Condition::Cel(text) => Some(own_text(text)),
    }
}

fn own_text(text: &str) -> Text {
    let text = text.trim();
    Text { text: text.to_owned(), level: Level::Choice }
}

fn lower_list(list: &[Condition], root: Root<'_>, known: &[Guard], is_all: bool) -> Option<Text> {
    if let Some(paths) = all_or_none(list).filter(|_| !is_all) {
        return lower_together(&paths, root);
    }
    let split = count_conditions(list);
    if !is_all && split > 0 {
        let (conditions, demands) = list.split_at(split);
        return lower_implication(conditions, demands, root, known);
    }
    let mut known = known.to_vec();
    let mut parts = Vec::new();
    for condition in list {
        parts.push(lower(condition, root, &known)?);
        known.extend(guards_if(condition, root, is_all)?);
    }
    Some(if is_all { join_all(parts) } else { join_any(parts) })
}

/// The paths of `all have a value, or none has`.
fn all_or_none(list: &[Condition]) -> Option<Vec<&RulePath>> {
    let [Condition::All(all), Condition::All(none)] = list else { return None };
    let paths: Vec<&RulePath> = all.iter().map(present_path).collect::<Option<_>>()?;
    let absent: Vec<&RulePath> =
        none.iter().map(|one| negated(one).and_then(present_path)).collect::<Option<_>>()?;
    (paths == absent && paths.len() > 1).then_some(paths)
}

fn present_path(condition: &Condition) -> Option<&RulePath> {
    match condition {
        Condition::Present(path) => Some(path),
        _ => None,
    }
}

fn lower_together(paths: &[&RulePath], root: Root<'_>) -> Option<Text> {
    let present =
        |path: &&RulePath| Some(join_all(root.find(path)?.guards.iter().map(Guard::text).collect()));
    let present: Vec<Text> = paths.iter().map(present).collect::<Option<_>>()?;
    let (always, present): (Vec<Text>, Vec<Text>) = present.into_iter().partition(|text| text.text == "true");
    if !always.is_empty() {
        return Some(join_all(present));
    }
    Some(match present.as_slice() {
        [one, other] => {
            relation(format!("{} == {}", at_level(one, Level::Unary), at_level(other, Level::Unary)))
        }
        [one, rest @ ..] => choose(one, &join_all(rest.to_vec()), &negate(&join_any(rest.to_vec()))),
        [] => whole("true"),
    })
}

/// The condition of which another is the negation.
fn negated(condition: &Condition) -> Option<&Condition> {
    match condition {
        Condition::Not(inner) if !matches!(**inner, Condition::Not(_)) => Some(inner),
        _ => None,
    }
}

/// Number of negations in front of alternatives; the others are the demand. Negations alone have no condition, unless the first is about
/// a value, as `when` is.
fn count_conditions(list: &[Condition]) -> usize {
    let leading = list.iter().take_while(|one| negated(one).is_some()).count();
    let is_of_value =
        list.first().and_then(negated).is_some_and(|first| !matches!(first, Condition::Present(_)));
    match leading == list.len() {
        true if is_of_value => leading.saturating_sub(1),
        true => 0,
        false => leading,
    }
}

/// `condition ? demand : true`, which costs less than to negate the condition. `conditions` are negations.
fn lower_implication(
    conditions: &[Condition],
    demands: &[Condition],
    root: Root<'_>,
    known: &[Guard],
) -> Option<Text> {
    let conditions: Vec<_> = conditions.iter().filter_map(negated).cloned().collect();
    let mut known = known.to_vec();
    let condition = lower_list(&conditions, root, &known, true)?;
    for one in &conditions {
        known.extend(guards_if(one, root, true)?);
    }
    let demand = lower_list(demands, root, &known, false)?;
    Some(match (condition.text.as_str(), demand.text.as_str()) {
        ("true", _) => demand,
        ("false", _) | (_, "true") => whole("true"),
        (_, "false") => negate(&condition),
        _ => choose(&condition, &demand, &whole("true")),
    })
}

/// The guards that hold if a condition is `outcome`.
fn guards_if(condition: &Condition, root: Root<'_>, outcome: bool) -> Option<Vec<Guard>> {
    Some(match condition {
        Condition::Present(path) | Condition::Passes(path, _) if outcome => root.find(path)?.guards,
        Condition::Compares(one, _, other, _) if outcome => {
            [root.find(one)?.guards, root.find(other)?.guards].concat()
        }
        Condition::All(all) if outcome => all_guards(all, root, true)?,
        Condition::Any(any) if !outcome => all_guards(any, root, false)?,
        Condition::Not(inner) => guards_if(inner, root, !outcome)?,
        _ => Vec::new(),
    })
}

fn all_guards(list: &[Condition], root: Root<'_>, outcome: bool) -> Option<Vec<Guard>> {
    let guards: Option<Vec<_>> = list.iter().map(|condition| guards_if(condition, root, outcome)).collect();
    Some(guards?.concat())
}

fn lower_negation(inner: &Condition, root: Root<'_>, known: &[Guard]) -> Option<Text> {
    match inner {
        Condition::Not(twice) => lower(twice, root, known),
        Condition::Present(path) => {
            let found = root.find(path)?;
            let missing = found.guards.iter().filter(|guard| !known.contains(guard)).map(Guard::negated);
            Some(join_any(missing.collect()))
        }
        Condition::All(all) => lower_list(
            &all.iter().map(|one| Condition::Not(Box::new(one.clone()))).collect::<Vec<_>>(),
            root,
            known,
            false,
        ),
        Condition::Any(any) => lower_list(
            &any.iter().map(|one| Condition::Not(Box::new(one.clone()))).collect::<Vec<_>>(),
            root,
            known,
            true,
        ),
        Condition::ForAll(path, inner) => {
            lower_loop(path, &Condition::Not(inner.clone()), root, known, false)
        }
        Condition::Passes(path, test) => {
            let found = root.find(path)?;
            let missing = found.guards.iter().filter(|guard| !known.contains(guard)).map(Guard::negated);
            Some(join_any(missing.chain([negate_test(test, &found, root.depth)?]).collect()))
        }
        other => Some(negate(&lower(other, root, known)?)),
    }
}

/// `list.all(item, …)`, or `list.exists(item, …)`; true, or false, without a list.
fn lower_loop(
    path: &RulePath,
    inner: &Condition,
    root: Root<'_>,
    known: &[Guard],
    is_all: bool,
) -> Option<Text> {
    let found = root.find(path)?;
    let looped = macro_call(&found, if is_all { "all" } else { "exists" }, inner, root)?;
    Some(guard_loop(&found, known, whole(&looped), is_all))
}

/// A macro such as `list.all(item, …)` over the items of a list or the values of a map.
fn macro_call(found: &Found<'_>, name: &str, inner: &Condition, root: Root<'_>) -> Option<String> {
    let variable = root.variable();
    let items = child_schema(found.schema, &PathStep::Each)?;
    let is_map = ValueType::of_schema(found.schema) == ValueType::Map;
    let item = if is_map { format!("{}[{variable}]", found.text) } else { variable.clone() };
    let body = lower(inner, Root { text: &item, stored: None, schema: items, depth: root.depth + 1 }, &[])?;
    Some(format!("{}.{name}({variable}, {})", found.text, body.text))
}

/// A test of a list that is true without the list, or false.
fn guard_loop(found: &Found<'_>, known: &[Guard], test: Text, is_true_without: bool) -> Text {
    let guards = found.guards.iter().filter(|guard| !known.contains(guard));
    if is_true_without {
        join_any(guards.map(Guard::negated).chain([test]).collect())
    } else {
        join_all(guards.map(Guard::text).chain([test]).collect())
    }
}

/// The number of items for which a condition holds is within bounds.
fn lower_counted(
    (path, bounds, inner): (&RulePath, &Bounds<u64>, &Condition),
    root: Root<'_>,
    known: &[Guard],
) -> Option<Text> {
    let found = root.find(path)?;
    let call = |name: &str| macro_call(&found, name, inner, root);
    let (least, most) = (bounds.min.unwrap_or_default(), bounds.max);
    let test = match (least, most) {
        (0, None) => return Some(whole("true")),
        (1, None) => whole(&call("exists")?),
        (1, Some(1)) => whole(&call("exists_one")?),
        (0, Some(0)) => negate(&whole(&call("exists")?)),
        (least, most) => {
            let count = format!("{}.size()", call("filter")?);
            match most {
                Some(most) if most == least => relation(format!("{count} == {most}")),
                Some(most) if least == 0 => relation(format!("{count} <= {most}")),
                Some(most) => join_all(vec![
                    relation(format!("{count} >= {least}")),
                    relation(format!("{count} <= {most}")),
                ]),
                None => relation(format!("{count} >= {least}")),
            }
        }
    };
    Some(guard_loop(&found, known, test, least == 0))
}

fn lower_count(
    paths: &[RulePath],
    (least, most): (usize, usize),
    root: Root<'_>,
    known: &[Guard],
) -> Option<Text> {
    let present: Option<Vec<Text>> =
        paths.iter().map(|path| Some(join_all(guard_texts(&root.find(path)?, known)))).collect();
    // A value that is always there counts without a test.
    let (always, present): (Vec<Text>, Vec<Text>) =
        present?.into_iter().partition(|text| text.text == "true");
    let Some(most) = most.checked_sub(always.len()) else { return Some(whole("false")) };
    Some(count_among(&present, (least.saturating_sub(always.len()), most)))
}

/// The number of conditions that hold is within bounds.
fn count_among(present: &[Text], (least, most): (usize, usize)) -> Text {
    let all = present.len();
    match (least, most) {
        (least, _) if least > all => return whole("false"),
        (0, most) if most >= all => return whole("true"),
        (0, 0) => return negate(&join_any(present.to_vec())),
        (1, most) if most >= all => return join_any(present.to_vec()),
        (least, _) if least == all => return join_all(present.to_vec()),
        (1, 1) if all <= FEW_VALUES => return exactly_one(present),
        (0, 1) if all <= FEW_VALUES => return at_most_one(present),
        _ => {}
    }
    let flags: Vec<_> = present.iter().map(|text| text.text.clone()).collect();
    if (least, most) == (1, 1) {
        return whole(&format!("[{}].exists_one(present, present)", flags.join(", ")));
    }
    let count = format!("[{}].filter(present, present).size()", flags.join(", "));
    let at_least = relation(format!("{count} >= {least}"));
    let at_most = relation(format!("{count} <= {most}"));
    match (least, most) {
        (0, _) => at_most,
        (_, most) if most >= all => at_least,
        _ => join_all(vec![at_least, at_most]),
    }
}

/// Exactly one of a few conditions holds: cheaper than to count them in a list.
fn exactly_one(conditions: &[Text]) -> Text {
    match conditions {
        [one, other] => {
            relation(format!("{} != {}", at_level(one, Level::Unary), at_level(other, Level::Unary)))
        }
        [one, rest @ ..] if !rest.is_empty() => {
            choose(one, &negate(&join_any(rest.to_vec())), &exactly_one(rest))
        }
        [one] => one.clone(),
        _ => whole("false"),
    }
}

/// At most one of a few conditions holds.
fn at_most_one(conditions: &[Text]) -> Text {
    match conditions {
        [one, other] => negate(&join_all(vec![one.clone(), other.clone()])),
        [one, rest @ ..] if !rest.is_empty() => {
            choose(one, &negate(&join_any(rest.to_vec())), &at_most_one(rest))
        }
        _ => whole("true"),
    }
}

/// Every value at `from` is among those at `to`.
fn lower_reference((from, to): (&RulePath, &RulePath), read_as: ComparedAs, root: Root<'_>) -> Option<Text> {
    walk(from, root, true, &|value, depth| {
        let target = Root { depth, ..root };
        walk(to, target, false, &|known, _| Some(lower_equality(read_as, known, value)))
    })
}

/// Loops over the values of a path; `body` is about one of them. True for all, or for some.
fn walk(
    path: &RulePath,
    root: Root<'_>,
    is_all: bool,
    body: &dyn Fn(&str, usize) -> Option<Text>,
) -> Option<Text> {
    let Some((list, rest)) = path.split_at_first_each() else {
        let found = root.find(path)?;
        let text = body(&found.text, root.depth)?;
        return Some(join_guarded(&found.guards, text, is_all));
    };
    let found = root.find(&list)?;
    let variable = root.variable();
    let items = child_schema(found.schema, &PathStep::Each)?;
    let is_map = ValueType::of_schema(found.schema) == ValueType::Map;
    let item = if is_map { format!("{}[{variable}]", found.text) } else { variable.clone() };
    let inner =
        walk(&rest, Root { text: &item, stored: None, schema: items, depth: root.depth + 1 }, is_all, body)?;
    let function = if is_all { "all" } else { "exists" };
    let looped = whole(&format!("{}.{function}({variable}, {})", found.text, inner.text));
    Some(join_guarded(&found.guards, looped, is_all))
}

fn join_guarded(guards: &[Guard], text: Text, is_all: bool) -> Text {
    if is_all {
        join_any(guards.iter().map(Guard::negated).chain([text]).collect())
    } else {
        join_all(guards.iter().map(Guard::text).chain([text]).collect())
    }
}

fn lower_stored(path: &RulePath, test: &StoredTest, root: Root<'_>) -> Option<Text> {
    let found = root.find(path)?;
    let stored = Root { text: root.stored?, stored: None, ..root }.find(path)?;
    let same = relation(format!("{} == {}", found.text, stored.text));
    let is_set = join_all(found.guards.iter().map(Guard::text).collect());
    if *test == StoredTest::Always {
        if found.guards.is_empty() {
            return Some(same);
        }
        let was_set = join_all(stored.guards.iter().map(Guard::text).collect());
        let unset = join_any(found.guards.iter().map(Guard::negated).collect());
        let kept = join_all(vec![is_set, same]);
        return Some(choose(&was_set, &kept, &unset));
    }
    let kept = match test {
        StoredTest::NoRemoval => {
            let variable = root.variable();
            whole(&format!("{}.all({variable}, {variable} in {})", stored.text, found.text))
        }
        StoredTest::Transitions(allowed) => {
            let step = |(from, to): &(String, Vec<String>)| {
                let to: Vec<_> = to.iter().map(|to| literal(&Json::from(to.as_str()))).collect();
                let from = relation(format!("{} == {}", stored.text, literal(&Json::from(from.as_str()))));
                join_all(vec![from, relation(format!("{} in [{}]", found.text, to.join(", ")))])
            };
            let steps = allowed.iter().filter(|(_, to)| !to.is_empty()).map(step);
            join_any([same].into_iter().chain(steps).collect())
        }
        StoredTest::Always | StoredTest::OnceSet | StoredTest::WhileSet => same,
    };
    let was_unset = stored.guards.iter().map(Guard::negated);
    if *test == StoredTest::WhileSet {
        let is_unset = found.guards.iter().map(Guard::negated);
        return Some(join_any(was_unset.chain(is_unset).chain([kept]).collect()));
    }
    Some(join_any(was_unset.chain([join_all(vec![is_set, kept])]).collect()))
}

impl<'s> Root<'s> {
    fn variable(&self) -> String {
        if self.depth == 0 { "item".to_owned() } else { format!("item{}", self.depth + 1) }
    }

    fn find(&self, path: &RulePath) -> Option<Found<'s>> {
        let mut found = Found { text: self.text.to_owned(), guards: Vec::new(), schema: self.schema };
        // No rule runs for a null, but a loop shows the nulls of its list.
        if self.depth > 0 && shape::is_nullable(self.schema) {
            found.guards.push(Guard::NotNull(self.text.to_owned()));
        }
        for step in &path.0 {
            let PathStep::Field(name) = step else { return None };
            let child = child_schema(found.schema, step)?;
            if shape::is_map(found.schema) {
                let key = literal(&Json::from(name.as_str()));
                found.guards.push(Guard::Key(key.clone(), found.text.clone()));
                found.text = format!("{}[{key}]", found.text);
                if shape::is_nullable(child) {
                    found.guards.push(Guard::NotNull(found.text.clone()));
                }
            } else {
                let text = format!("{}.{}", found.text, escape_property(name)?);
                // A server shows no rule a field that is null.
                if shape::may_be_absent(found.schema, name) {
                    found.guards.push(Guard::Field(text.clone()));
                }
                found.text = text;
            }
            found.schema = child;
        }
        Some(found)
    }
}

impl Guard {
    /// Only objects can be compared with `null` by their type, so that others are compared as values of any type.
    fn text(&self) -> Text {
        match self {
            Self::Field(field) => whole(&format!("has({field})")),
            Self::Key(key, map) => relation(format!("{key} in {map}")),
            Self::NotNull(field) => relation(format!("dyn({field}) != null")),
        }
    }

    fn negated(&self) -> Text {
        match self {
            Self::NotNull(field) => relation(format!("dyn({field}) == null")),
            other => negate(&other.text()),
        }
    }
}

fn guard_texts(found: &Found<'_>, known: &[Guard]) -> Vec<Text> {
    found.guards.iter().filter(|guard| !known.contains(guard)).map(Guard::text).collect()
}

fn within<T>(bounds: &Bounds<T>, compare: impl Fn(&str, &T) -> Text) -> Vec<Text> {
    let sides = [(">=", &bounds.min), (">", &bounds.above), ("<=", &bounds.max), ("<", &bounds.below)];
    sides.into_iter().filter_map(|(sign, limit)| Some(compare(sign, limit.as_ref()?))).collect()
}

fn number(number: &Number, is_float: bool) -> String {
    match number.as_i64() {
        Some(integer) if is_float => format!("{integer}.0"),
        _ => number.to_string(),
    }
}

/// A literal in CEL.
pub(crate) fn literal(value: &Json) -> String {
    match value {
        Json::String(text) => to_string_literal(text),
        other => other.to_string(),
    }
}
