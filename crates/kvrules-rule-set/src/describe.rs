//! Conditions as sentences, for messages of rules without one.

use kvrules_diagnostics::join_words;
use serde_json::Value as Json;

use crate::condition::{Bounds, Comparison, Condition, StoredTest, ValueFormat, ValueTest};
use crate::path::{PathStep, RulePath};

impl Condition {
    /// Describes what the condition requires, without a full stop.
    ///
    /// ```
    /// use kvrules_rule_set::{Bounds, Condition, RulePath, ValueTest};
    ///
    /// let bounds = Bounds::with_limits(Some(2.into()), Some(10.into()));
    /// let condition = Condition::Passes(RulePath::parse("spec.replicas").unwrap(), ValueTest::Number(bounds));
    /// assert_eq!(condition.describe_demand(), "`spec.replicas` must be from 2 to 10");
    /// ```
    pub fn describe_demand(&self) -> String {
        match self {
            Self::All(all) => join_demands(all),
            Self::Any(any) => {
                if let [Self::All(all), Self::All(none)] = any.as_slice()
                    && let Some(paths) = present_paths(all)
                    && none.iter().all(is_absence)
                {
                    return format!("{} must be set together", join_words(&paths, "and"));
                }
                // A rule without a value to test is left out: every test passes then.
                let told: Vec<_> = any.iter().filter(|one| !is_absence(one)).cloned().collect();
                match told.as_slice() {
                    [] => join(any, " or "),
                    [Self::Not(when), rest @ ..] if !rest.is_empty() => {
                        if let Self::Not(unless) = &**when
                            && matches!(**unless, Self::Passes(..) | Self::Present(_))
                        {
                            return format!("unless {}, {}", unless.describe_state(), join(rest, " or "));
                        }
                        format!("if {}, {}", when.describe_state(), join(rest, " or "))
                    }
                    told => join(told, " or "),
                }
            }
            Self::Not(inner) => match &**inner {
                Self::Present(path) => format!("`{path}` must not be set"),
                inner => format!("it must not be that {}", inner.describe_state()),
            },
            Self::Present(path) => format!("`{path}` is required"),
            Self::Passes(path, test) => {
                let subject = if path.0.is_empty() { "the value".to_owned() } else { format!("`{path}`") };
                format!("{subject} {}", test.describe_demand())
            }
            Self::Compares(one, how, other) => format!("`{one}` must be {} `{other}`", how.describe()),
            Self::CountPresent { paths, least, most } => {
                let listed: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
                let count = match (least, most) {
                    (1, 1) => "exactly one",
                    (0, _) => "at most one",
                    _ => "at least one",
                };
                format!("{count} of {} must be set", join_words(&listed, "and"))
            }
            Self::ForAll(path, inner) => format!("in each item of `{path}`, {}", inner.describe_demand()),
            Self::RefersTo(from, to) => format!("`{from}` must be among `{to}`"),
            Self::Stored(path, test) => test.describe(&format!("`{path}`")),
            Self::Cel(text) => {
                format!("the rule must hold: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Calls `visit` with the limit of each test that has one.
    pub(crate) fn visit_limits(&self, visit: &mut dyn FnMut(String)) {
        match self {
            Self::Passes(_, test) => test.describe_limit().into_iter().for_each(visit),
            Self::Compares(_, _, other) | Self::RefersTo(_, other) => visit(format!("`{other}`")),
            _ => self.children().iter().for_each(|one| one.visit_limits(visit)),
        }
    }

    /// Describes the condition as something that is so.
    pub(crate) fn describe_state(&self) -> String {
        match self {
            Self::All(all) => join_states(all, " and "),
            Self::Any(any) => join_states(any, " or "),
            Self::Not(inner) => match &**inner {
                Self::Present(path) => format!("`{path}` is not set"),
                Self::ForAll(path, inner) => match &**inner {
                    Self::Not(inner) => format!("in some item of `{path}`, {}", inner.describe_state()),
                    inner => format!("not in each item of `{path}`, {}", inner.describe_state()),
                },
                inner => format!("it is not the case that {}", inner.describe_state()),
            },
            Self::Present(path) => format!("`{path}` is set"),
            Self::Passes(path, test) => {
                let subject = if path.0.is_empty() { "it".to_owned() } else { format!("`{path}`") };
                format!("{subject} {}", test.describe_state())
            }
            Self::Compares(one, how, other) => format!("`{one}` is {} `{other}`", how.describe()),
            other => other.describe_demand(),
        }
    }
}

/// The message of a rule without one.
pub(crate) fn describe_rule(scope: &RulePath, condition: &Condition) -> String {
    match scope.0.split_last() {
        Some((PathStep::Each, list)) => {
            format!("in each item of `{}`, {}", RulePath(list.to_vec()), condition.describe_demand())
        }
        Some(_) => format!("in `{scope}`, {}", condition.describe_demand()),
        None => condition.describe_demand(),
    }
}

fn is_absence(condition: &Condition) -> bool {
    matches!(condition, Condition::Not(inner) if matches!(**inner, Condition::Present(_)))
}

/// The paths of conditions that are all about presence.
fn present_paths(list: &[Condition]) -> Option<Vec<String>> {
    let path = |condition: &Condition| match condition {
        Condition::Present(path) => Some(format!("`{path}`")),
        _ => None,
    };
    list.iter().map(path).collect()
}

fn join(list: &[Condition], word: &str) -> String {
    list.iter().map(Condition::describe_demand).collect::<Vec<_>>().join(word)
}

/// Several demands as one sentence, which names a path once where they follow each other.
fn join_demands(all: &[Condition]) -> String {
    let mut told = Vec::new();
    let mut subject = None;
    for one in all {
        let path = demanded_path(one);
        let demand = one.describe_demand();
        let named = path.filter(|_| path == subject).map(|path| format!("`{path}` "));
        let rest = named.and_then(|named| demand.strip_prefix(&named).map(str::to_owned));
        told.push(rest.unwrap_or(demand));
        subject = path;
    }
    told.join(" and ")
}

/// The path of a condition about the value there and nothing else.
fn demanded_path(condition: &Condition) -> Option<&RulePath> {
    match condition {
        Condition::Present(path) | Condition::Passes(path, _) => Some(path),
        Condition::Any(any) => match any.as_slice() {
            [absent, Condition::Passes(path, _)] if is_absence(absent) => Some(path),
            _ => None,
        },
        _ => None,
    }
}

fn join_states(list: &[Condition], word: &str) -> String {
    list.iter().map(Condition::describe_state).collect::<Vec<_>>().join(word)
}

impl ValueTest {
    /// The limit by itself, such as `2 to 10`.
    fn describe_limit(&self) -> Option<String> {
        Some(match self {
            Self::Number(bounds) => limits(bounds),
            Self::Quantity(bounds) => limits(bounds),
            Self::Length(bounds) | Self::Items(bounds) => limits(bounds),
            Self::Pattern(pattern) => format!("`{pattern}`"),
            Self::In(values) => choices(values),
            Self::Format(format) => format.describe().to_owned(),
            Self::UniqueBy(_) => return None,
        })
    }

    fn describe_demand(&self) -> String {
        match self {
            Self::Number(bounds) => format!("must be {}", range(bounds)),
            Self::Quantity(bounds) => format!("must be {}", range(bounds)),
            Self::Length(bounds) => format!("must have {} characters", count(bounds)),
            Self::Items(bounds) => format!("must have {} items", count(bounds)),
            Self::Pattern(pattern) => format!("must match `{pattern}`"),
            Self::In(values) => format!("must be {}", choices(values)),
            Self::Format(format) => format!("must be {}", format.describe()),
            Self::UniqueBy(keys) => match keys.as_slice() {
                [key] if key.0.is_empty() => "must not have equal items".to_owned(),
                keys => {
                    let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
                    format!("must not have two items with equal {}", keys.join(" and "))
                }
            },
        }
    }

    fn describe_state(&self) -> String {
        match self {
            Self::Number(bounds) => format!("is {}", range(bounds)),
            Self::Quantity(bounds) => format!("is {}", range(bounds)),
            Self::Length(bounds) => format!("has {} characters", count(bounds)),
            Self::Items(bounds) => format!("has {} items", count(bounds)),
            Self::Pattern(pattern) => format!("matches `{pattern}`"),
            Self::In(values) => format!("is {}", choices(values)),
            Self::Format(format) => format!("is {}", format.describe()),
            Self::UniqueBy(_) => "has no equal items".to_owned(),
        }
    }
}

fn range<T: std::fmt::Display>(bounds: &Bounds<T>) -> String {
    if bounds.above.is_some() || bounds.below.is_some() {
        let sides = [
            ("at least", &bounds.min),
            ("greater than", &bounds.above),
            ("at most", &bounds.max),
            ("less than", &bounds.below),
        ];
        let told =
            sides.into_iter().filter_map(|(words, limit)| Some(format!("{words} {}", limit.as_ref()?)));
        return told.collect::<Vec<_>>().join(" and ");
    }
    match (&bounds.min, &bounds.max) {
        (Some(min), Some(max)) if min.to_string() == max.to_string() => min.to_string(),
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any number".to_owned(),
    }
}

/// `2 to 10`, without a preposition.
fn limits<T: std::fmt::Display>(bounds: &Bounds<T>) -> String {
    range(bounds).trim_start_matches("from ").to_owned()
}

fn count(bounds: &Bounds<u64>) -> String {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min == max => format!("exactly {min}"),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        _ => range(bounds),
    }
}

fn choices(values: &[Json]) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("`{}`", plain(value))).collect();
    join_words(&values, "or")
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Comparison {
    fn describe(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
            Self::Equal => "equal to",
        }
    }
}

impl ValueFormat {
    fn describe(self) -> &'static str {
        match self {
            Self::Quantity => "a quantity, such as `1.5Gi`",
            Self::Ip => "an IP address",
            Self::Cidr => "a range of IP addresses, such as `10.0.0.0/8`",
            Self::DnsLabel => "a DNS label",
            Self::DnsSubdomain => "a DNS subdomain",
        }
    }
}

impl StoredTest {
    fn describe(&self, subject: &str) -> String {
        match self {
            Self::Always => format!("{subject} is immutable"),
            Self::OnceSet => format!("{subject} is immutable once set"),
            Self::WhileSet => format!("{subject} is immutable while it is set"),
            Self::NoRemoval => format!("items of {subject} must not be removed"),
            Self::Transitions(allowed) => {
                let steps = allowed.iter().filter(|(_, to)| !to.is_empty());
                let steps: Vec<_> =
                    steps.map(|(from, to)| format!("{from} to {}", to.join(" or "))).collect();
                let only = if steps.is_empty() {
                    String::new()
                } else {
                    format!(" only from {}", steps.join(", from "))
                };
                if only.is_empty() {
                    format!("{subject} must not change")
                } else {
                    format!("{subject} may change{only}")
                }
            }
        }
    }
}
