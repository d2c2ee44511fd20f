//! The ignores of a file checked against its findings: what they are for, and which are for nothing.

use kvrules_diagnostics::{Diagnostic, Lint, SourceFile, Span};
use kvrules_sources::{IgnoreDirective, IgnoreEntry};

use super::{
    Selector,
    codes::{UnknownSelector, quote_text},
    lint_set::{LintSet, index_of},
};
use crate::lints::{BLANKET_IGNORE, MALFORMED_IGNORE, UNKNOWN_IGNORE, UNUSED_IGNORE};

/// The lints about ignores, which are raised here.
const ABOUT_IGNORES: [&Lint; 4] = [&UNUSED_IGNORE, &UNKNOWN_IGNORE, &BLANKET_IGNORE, &MALFORMED_IGNORE];

/// The ignores of a file, and what they were of use for.
pub(super) struct InlineIgnores<'r> {
    /// In the order in which their ranges begin.
    groups: Vec<IgnoreGroup<'r>>,
}

/// Ignores that hold for the same part of the text.
struct IgnoreGroup<'r> {
    covers: Option<Span>,
    ignores: Vec<ParsedIgnore<'r>>,
    /// Lints that any of them selects.
    all: LintSet,
    /// The lints of which a finding was ignored.
    used: LintSet,
}

/// An ignore with its list understood.
struct ParsedIgnore<'r> {
    ignore: &'r IgnoreDirective,
    /// Each item, with the lints that it selects or an error if it selects none.
    items: Vec<(&'r IgnoreEntry, Result<LintSet, UnknownSelector>)>,
}

impl<'r> InlineIgnores<'r> {
    pub(super) fn new(ignores: &'r [IgnoreDirective]) -> Self {
        let mut ignores: Vec<_> = ignores.iter().collect();
        let place = |ignore: &IgnoreDirective| ignore.covers.map(|span| (span.start, span.end));
        ignores.sort_by_key(|ignore| place(ignore));
        Self {
            groups: ignores.chunk_by(|one, other| place(one) == place(other)).map(IgnoreGroup::new).collect(),
        }
    }

    /// Parts findings into those that are ignored and those that are not.
    pub(super) fn split_findings(&mut self, found: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let mut order: Vec<usize> = (0..found.len()).collect();
        let start = |index: &usize| found.get(*index).map_or(0, |found| found.primary.span.start);
        order.sort_by_key(start);
        let mut is_ignored = vec![false; found.len()];
        // One pass over the text. `open` has the groups that have begun and not ended, which are few, because
        // groups nest.
        let mut waiting = self.groups.iter_mut().filter(|group| group.covers.is_some()).peekable();
        let mut open: Vec<&mut IgnoreGroup<'_>> = Vec::new();
        for index in order {
            let at = start(&index);
            while let Some(begun) = waiting.next_if(|group| group.covers.is_some_and(|span| span.start <= at))
            {
                open.push(begun);
            }
            open.retain(|group| group.covers.is_some_and(|span| at < span.end));
            let lint = found.get(index).and_then(|found| index_of(found.code));
            for (group, lint) in
                open.iter_mut().zip(std::iter::repeat(lint)).filter_map(|(group, lint)| Some((group, lint?)))
            {
                if group.all.has_index(lint) {
                    group.used.add_index(lint);
                    is_ignored.get_mut(index).into_iter().for_each(|ignored| *ignored = true);
                }
            }
        }
        let mut ignored = is_ignored.into_iter();
        found.into_iter().partition(|_| ignored.next().unwrap_or(false))
    }

    /// Returns the findings about the ignores; `on` are the lints that count, and `broken` is true if findings may be missing.
    pub(super) fn ignore_findings(&self, source: &SourceFile, on: &LintSet, broken: bool) -> Vec<Diagnostic> {
        // The findings about ignores are not complete yet, so an ignore for only those is never reported as unused.
        let about_ignores =
            LintSet::from_predicate(|lint| ABOUT_IGNORES.iter().any(|own| own.code == lint.code));
        let mut found = Vec::new();
        for group in &self.groups {
            let is_unused = |lints: &LintSet| {
                !broken
                    && !lints.has_common_lint(&group.used)
                    && lints.has_common_lint(on)
                    && !lints.is_within(&about_ignores)
            };
            found.extend(group.ignores.iter().flat_map(|known| known.own_findings(source, is_unused)));
        }
        found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        found
    }
}

impl<'r> IgnoreGroup<'r> {
    fn new(ignores: &[&'r IgnoreDirective]) -> Self {
        let mut all = LintSet::empty_set();
        let ignores: Vec<_> = ignores.iter().map(|ignore| ParsedIgnore::new(ignore)).collect();
        let lint_sets = ignores.iter().flat_map(|known| &known.items).flat_map(|(_, lints)| lints);
        lint_sets.for_each(|lints| all.add_all(lints));
        let covers = ignores.first().and_then(|known| known.ignore.covers);
        Self { covers, ignores, all, used: LintSet::empty_set() }
    }
}

impl<'r> ParsedIgnore<'r> {
    fn new(ignore: &'r IgnoreDirective) -> Self {
        let sound = ignore.fault.is_none();
        let with_lints =
            |item: &'r IgnoreEntry| (item, item.text.parse().map(|selector| lints_of(&selector)));
        Self { ignore, items: ignore.items.iter().filter(|_| sound).map(with_lints).collect() }
    }

    fn own_findings(&self, source: &SourceFile, is_unused: impl Fn(&LintSet) -> bool) -> Vec<Diagnostic> {
        if let Some(fault) = &self.ignore.fault {
            return vec![
                MALFORMED_IGNORE.diagnostic_at(self.ignore.span, &fault.message).with_help(&fault.help),
            ];
        }
        if self.items.iter().all(|(item, _)| is_all(item)) {
            let message = "an ignore without codes has no effect";
            let help = example_ignore(source, self.ignore);
            return vec![BLANKET_IGNORE.diagnostic_at(self.ignore.span, message).with_help(help)];
        }
        let of_item = |(item, lints): &(&IgnoreEntry, Result<LintSet, UnknownSelector>)| match lints {
            Err(unknown) => {
                Some(UNKNOWN_IGNORE.diagnostic_at(item.span, &unknown.message).with_help(&unknown.help))
            }
            Ok(_) if is_all(item) => {
                let finding = BLANKET_IGNORE.diagnostic_at(item.span, "`ALL` has no effect here");
                Some(finding.with_help("name the codes"))
            }
            Ok(lints) if is_unused(lints) => {
                let message = format!("unused ignore: no finding of {} here", quote_text(&item.text));
                Some(UNUSED_IGNORE.diagnostic_at(item.span, message).with_help("remove it"))
            }
            Ok(_) => None,
        };
        self.items.iter().filter_map(of_item).collect()
    }
}

fn is_all(item: &IgnoreEntry) -> bool {
    item.text.parse() == Ok(Selector::ALL)
}

/// The lints that an item of an ignore selects. `ALL` is not accepted, because it would also ignore future
/// findings.
fn lints_of(selector: &Selector) -> LintSet {
    if *selector == Selector::ALL {
        LintSet::empty_set()
    } else {
        LintSet::from_predicate(|lint| selector.covers_lint(lint))
    }
}

fn example_ignore(source: &SourceFile, ignore: &IgnoreDirective) -> String {
    let in_comment = source.span_text(ignore.span).starts_with('#');
    let example = if in_comment { "# kvrules: ignore[KV301]" } else { "\"x-kvrules-ignore\": [\"KV301\"]" };
    format!("name the codes, as in `{example}`")
}
