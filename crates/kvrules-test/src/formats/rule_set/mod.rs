//! The `examples` of RuleSets, in the documents themselves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_rule_set::RuleExample;

use crate::document::SuiteDocument;
use crate::files::{SuiteLibrary, normalize_path};
use crate::format::{SuiteFormat, load_suite_file};
use crate::model::{CaseInput, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite};
use crate::rule_set_files::{is_rule_set, read_rule_sets};
use crate::subject::{RuleSetSubject, Subject};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "rule-set",
    title: "the `examples` of a RuleSet",
    is_within_rules: true,
    recognize,
    read,
};

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let file = library.load_file(path).ok()?;
    let has_examples = |it: &SuiteDocument| {
        is_rule_set(&it.value) && it.value.pointer("/spec/examples").is_some_and(|list| !list.is_null())
    };
    file.documents.iter().any(has_examples).then(|| path.to_owned())
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    for set in read_rule_sets(library, &normalize_path(path), &file, &[], &mut suite) {
        let names = example_names(&set);
        let examples = set.set.examples.clone();
        let subject = Arc::new(Subject::of_rule_set(set));
        let cases = examples.into_iter().zip(names);
        suite.cases.extend(cases.map(|(example, name)| to_case(&subject, example, name)));
    }
    suite
}

/// The names of the examples: their own, or their place in the list.
fn example_names(set: &RuleSetSubject) -> Vec<String> {
    let (mut accepted, mut rejected) = (0, 0);
    let name = |example: &RuleExample| {
        let (list, count) =
            if example.is_accepted { ("accept", &mut accepted) } else { ("reject", &mut rejected) };
        *count += 1;
        let own = example.name.clone();
        format!("{}: {}", set.set.name, own.unwrap_or_else(|| format!("{list}[{}]", *count - 1)))
    };
    set.set.examples.iter().map(name).collect()
}

fn to_case(subject: &Arc<Subject>, example: RuleExample, name: String) -> TestCase {
    let verdict = if example.is_accepted { ExpectedVerdict::Quiet } else { ExpectedVerdict::Reject };
    let rules = example.violates.iter().map(|(name, span)| ExpectedText::exact(name, *span));
    let messages = example.messages.iter().map(|(text, span)| ExpectedText::part(text, *span));
    TestCase {
        name,
        span: example.span,
        subject: Arc::clone(subject),
        input: CaseInput {
            object: example.object.clone(),
            old_object: example.stored.clone().unwrap_or_default(),
            ..CaseInput::default()
        },
        expected: Expectation {
            verdict,
            rules: rules.collect(),
            messages: messages.collect(),
            example: Some(Arc::new(example)),
            ..Expectation::default()
        },
        skipped: None,
    }
}
