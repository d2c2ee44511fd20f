//! Guards: an expression that ends in an error where something is missing, with a test of that in front of what reads it.
//!
//! There are two intentions, and only the author knows which one is meant: a value that lacks the field passes, or it fails. Both are written
//! with as little as possible, around the smallest part of the expression that reads what is missing.

mod access;
mod edited_text;
mod place;

use kvrules_cel::parse;
use kvrules_diagnostics::{Edit, Fix, quote_names};
use kvrules_syntax::Node;

use access::{Access, find_accesses, find_names};
use edited_text::EditedText;
use place::find_place;

use crate::cures::expression_edits;

/// The consequence of what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// The part that reads it is true.
    Passes,
    /// The part that reads it is false.
    Fails,
}

/// An expression with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GuardedExpression {
    /// The expression.
    pub(crate) text: String,
    /// The tests, such as `has(self.port)`.
    pub(crate) tests: Vec<String>,
    /// The opposite of each test.
    opposites: Vec<String>,
    absence: Absence,
    /// The texts that come in, each with its byte offset in the expression without tests.
    pub(crate) insertions: Vec<(usize, String)>,
}

impl GuardedExpression {
    /// The forms for both intentions: "write `!has(self.a) || …` to accept that, or `has(self.a) && …` to reject it".
    pub(crate) fn to_advice(&self) -> String {
        let shown = if self.tests.len() > MOST_SHOWN { 1 } else { self.tests.len() };
        let first = |tests: &[String]| tests.get(..shown).unwrap_or_default().to_vec();
        let (accepting, rejecting) =
            (joined(&first(&self.opposites), "||"), joined(&first(&self.tests), "&&"));
        let forms = format!("write `{accepting}…` to accept that, or `{rejecting}…` to reject it");
        match self.tests.get(shown..) {
            Some([one]) => format!("{forms}; test `{one}` likewise"),
            Some(others @ [_, ..]) => format!("{forms}; test {} likewise", quote_names(others, MOST_TESTS)),
            _ => forms,
        }
    }

    /// The form of a match condition: "write `has(object.spec) && …`, which such a request does not satisfy".
    pub(crate) fn to_condition_advice(&self) -> String {
        format!("write `{}…`, which such a request does not satisfy", joined(&self.tests, "&&"))
    }

    /// The repair that puts the tests in. `node` has the expression.
    pub(crate) fn to_fix(&self, node: Node<'_>) -> Option<Fix> {
        let tests: Vec<String> = self.tests.iter().map(|test| format!("`{test}`")).collect();
        let tests = tests.join(" and ");
        let title = match self.absence {
            Absence::Passes => format!("test {tests} first, and accept what fails the test"),
            Absence::Fails => format!("test {tests} first, and leave out what fails the test"),
        };
        Some(Fix::not_safe(title, self.edits(node)?))
    }

    fn edits(&self, node: Node<'_>) -> Option<Vec<Edit>> {
        let edits: Vec<_> = self.insertions.iter().map(|(at, text)| (*at..*at, text.clone())).collect();
        expression_edits(node, &edits)
    }
}

/// Tests in a row.
fn joined(tests: &[String], sign: &str) -> String {
    let joined = tests.join(&format!(" {sign} "));
    format!("{joined} {sign} ")
}

/// The most tests that advice shows in front of the expression.
const MOST_SHOWN: usize = 2;

/// The most tests that are put in.
const MOST_TESTS: usize = 6;

/// The first cause for which an expression ends in an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FirstCause<'c> {
    /// The server's text.
    Error(&'c str),
    /// A name such as `oldObject` is null.
    NullRoot(&'c str),
}

/// Puts tests in front of what ends a boolean expression in errors, until `find_error` finds no more errors.
pub(crate) fn guard_expression(
    source: &str,
    first: FirstCause<'_>,
    absence: Absence,
    find_error: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<GuardedExpression> {
    let mut edited = EditedText::new(source);
    let (mut tests, mut opposites): (Vec<String>, Vec<String>) = Default::default();
    let mut error: Option<String> = None;
    for _ in 0..MOST_TESTS {
        let current = edited.text();
        let parsed = parse(&current).ok()?;
        let accesses = match (&error, first) {
            (Some(error), _) => find_accesses(&parsed.root, &current, error),
            (None, FirstCause::Error(error)) => find_accesses(&parsed.root, &current, error),
            (None, FirstCause::NullRoot(name)) => find_names(&parsed.root, name),
        };
        let access: &Access<'_> = accesses.iter().find(|access| !tests.contains(&access.positive))?;
        let place = find_place(&parsed.root, &current, access)?;
        let (before, after) = place.texts(access, absence);
        tests.push(access.positive.clone());
        opposites.push(access.negative.clone());
        let range = place.range.clone();
        edited.insert_text(range.end, &after);
        edited.insert_text(range.start, &before);
        let text = edited.text();
        parse(&text).ok()?;
        error = find_error(&text);
        if error.is_none() {
            // A test follows those that it needs itself.
            let place = |test: &String, opposite: &String| {
                [test, opposite].into_iter().filter_map(|it| text.find(it.as_str())).min()
            };
            let mut pairs: Vec<_> = tests.into_iter().zip(opposites).collect();
            pairs.sort_by_key(|(test, opposite)| place(test, opposite));
            let (tests, opposites) = pairs.into_iter().unzip();
            let insertions = edited.into_insertions();
            return Some(GuardedExpression { text, tests, opposites, absence, insertions });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the errors in their order.
    fn guarded(source: &str, errors: &[&str], absence: Absence) -> Option<String> {
        let mut rest = errors.iter().skip(1);
        let mut next = |_: &str| rest.next().map(|error| (*error).to_owned());
        let first = FirstCause::Error(errors.first()?);
        let guarded = guard_expression(source, first, absence, &mut next)?;
        let mut text = source.to_owned();
        for (at, insertion) in guarded.insertions.iter().rev() {
            text.insert_str(*at, insertion);
        }
        assert_eq!(text, guarded.text, "{source}");
        Some(text)
    }

    #[test]
    fn the_smallest_part_that_reads_a_field_is_guarded() {
        let missing = |key: &str| format!("no such key: {key}");
        for (source, key, passes, fails) in [
            ("self.a > 1", "a", "!has(self.a) || self.a > 1", "has(self.a) && self.a > 1"),
            (
                "self.a > 1 && self.a < 5",
                "a",
                "!has(self.a) || self.a > 1 && self.a < 5",
                "has(self.a) && self.a > 1 && self.a < 5",
            ),
            (
                "has(self.s) && self.s.b > 1",
                "b",
                "has(self.s) && (!has(self.s.b) || self.s.b > 1)",
                "has(self.s) && has(self.s.b) && self.s.b > 1",
            ),
            (
                "!has(self.s) || self.s.b > 1 || self.s.b < -1",
                "b",
                "!has(self.s) || !has(self.s.b) || self.s.b > 1 || self.s.b < -1",
                "!has(self.s) || has(self.s.b) && (self.s.b > 1 || self.s.b < -1)",
            ),
            (
                "self.n > 0 && (self.a == 'x' || self.a == 'y')",
                "a",
                "self.n > 0 && (!has(self.a) || self.a == 'x' || self.a == 'y')",
                "self.n > 0 && (has(self.a) && (self.a == 'x' || self.a == 'y'))",
            ),
            (
                "!(self.a in ['x'])",
                "a",
                "!has(self.a) || !(self.a in ['x'])",
                "has(self.a) && !(self.a in ['x'])",
            ),
            (
                "self.n > 0 ? self.a > 1 : true",
                "a",
                "self.n > 0 ? !has(self.a) || self.a > 1 : true",
                "self.n > 0 ? has(self.a) && self.a > 1 : true",
            ),
            (
                "self.a > 1 ? self.n > 0 : true",
                "a",
                "!has(self.a) || (self.a > 1 ? self.n > 0 : true)",
                "has(self.a) && (self.a > 1 ? self.n > 0 : true)",
            ),
            (
                "self.l.all(x, x.k != '')",
                "k",
                "self.l.all(x, !has(x.k) || x.k != '')",
                "self.l.all(x, has(x.k) && x.k != '')",
            ),
            (
                "self.l.exists(x, x.k == 'a')",
                "k",
                "self.l.exists(x, has(x.k) && x.k == 'a')",
                "self.l.exists(x, has(x.k) && x.k == 'a')",
            ),
            (
                "self.l.all(x, x.n > self.a)",
                "a",
                "!has(self.a) || self.l.all(x, x.n > self.a)",
                "has(self.a) && self.l.all(x, x.n > self.a)",
            ),
            (
                "self.m['a/b'] == 'x'",
                "a/b",
                "!('a/b' in self.m) || self.m['a/b'] == 'x'",
                "'a/b' in self.m && self.m['a/b'] == 'x'",
            ),
            (
                "self.m[self.key] == 'x'",
                "other",
                "!(self.key in self.m) || self.m[self.key] == 'x'",
                "self.key in self.m && self.m[self.key] == 'x'",
            ),
            (
                "self.__namespace__ != 'x'",
                "__namespace__",
                "!has(self.__namespace__) || self.__namespace__ != 'x'",
                "has(self.__namespace__) && self.__namespace__ != 'x'",
            ),
        ] {
            let error = missing(key);
            assert_eq!(guarded(source, &[&error], Absence::Passes).as_deref(), Some(passes), "{source}");
            assert_eq!(guarded(source, &[&error], Absence::Fails).as_deref(), Some(fails), "{source}");
        }
    }

    #[test]
    fn fields_are_guarded_one_after_the_other() {
        let errors = ["no such key: b", "no such key: a"];
        assert_eq!(
            guarded("self.a.b > 1", &errors, Absence::Passes).as_deref(),
            Some("!has(self.a) || !has(self.a.b) || self.a.b > 1")
        );
        assert_eq!(
            guarded("self.a.b > 1", &errors, Absence::Fails).as_deref(),
            Some("has(self.a) && has(self.a.b) && self.a.b > 1")
        );
        let errors = ["no such key: max", "no such key: min"];
        assert_eq!(
            guarded("self.min <= self.max", &errors, Absence::Fails).as_deref(),
            Some("has(self.max) && has(self.min) && self.min <= self.max")
        );
    }

    #[test]
    fn other_errors_have_tests_of_their_own() {
        for (source, error, fails) in [
            ("self.l[0] == 'a'", "index out of bounds: 0", "size(self.l) > 0 && self.l[0] == 'a'"),
            ("self.a / self.b > 1", "division by zero", "self.b != 0 && self.a / self.b > 1"),
            (
                "oldSelf.value() == self",
                "optional.none() dereference",
                "oldSelf.hasValue() && oldSelf.value() == self",
            ),
        ] {
            assert_eq!(guarded(source, &[error], Absence::Fails).as_deref(), Some(fails), "{source}");
        }
    }

    #[test]
    fn a_name_that_is_null_is_tested_around_all_that_reads_it() {
        let source = "object.spec.n >= oldObject.spec.n && object.spec.n > 1";
        let guard =
            |absence| guard_expression(source, FirstCause::NullRoot("oldObject"), absence, &mut |_| None);
        let text = |absence| guard(absence).map(|guarded| guarded.text);
        let passes = "(oldObject == null || object.spec.n >= oldObject.spec.n) && object.spec.n > 1";
        assert_eq!(text(Absence::Passes).as_deref(), Some(passes));
        let fails = "oldObject != null && object.spec.n >= oldObject.spec.n && object.spec.n > 1";
        assert_eq!(text(Absence::Fails).as_deref(), Some(fails));
    }

    #[test]
    fn what_no_test_helps_stays() {
        for (source, error) in [
            ("self.l.map(x, x.k).size() > 0", "no such key: k"),
            ("self.a > 1", "no such key: z"),
            ("self.a > 1", "overflow"),
            ("self.a >", "no such key: a"),
        ] {
            assert_eq!(guarded(source, &[error], Absence::Passes), None, "{source}");
        }
    }
}
