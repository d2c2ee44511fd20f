//! Files by name in a folder `tests/` next to the rules: `accept-NAME.yaml`, `reject-RULE-NAME.yaml`, and the stored object of an
//! update in `….old.yaml`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::files::{SuiteLibrary, suite_error};
use crate::format::{SuiteFormat, load_suite_file};
use crate::model::{CaseInput, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite};
use crate::rule_files::{RuleFile, has_rules, read_rule_files};
use crate::subject::{NamedRule, Subject, rule_slug};

pub(crate) static FORMAT: SuiteFormat = SuiteFormat {
    name: "named-files",
    title: "`accept-*.yaml` and `reject-RULE-*.yaml` in `tests/` next to rules",
    is_within_rules: false,
    recognize,
    read,
};

/// Name of the folder.
const FOLDER: &str = "tests";
/// End of the name of a stored object.
const OLD: &str = ".old";

/// Returns the name of a case: that of its file without the extension.
fn case_name(path: &Path) -> Option<&str> {
    let stem = path.file_stem()?.to_str()?;
    (stem.starts_with("accept-") || stem.starts_with("reject-")).then_some(stem)
}

/// The suite is the folder of the objects.
fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    if folder.file_name().is_some_and(|name| name == FOLDER) {
        case_name(path)?;
        return (!find_rules(library, folder).is_empty()).then(|| folder.to_owned());
    }
    // The rules themselves, if they are named.
    let tests = folder.join(FOLDER);
    let has_tests = library.list_documents(&tests).iter().any(|it| case_name(it).is_some());
    (has_tests && library.load_file(path).is_ok_and(|file| has_rules(&file))).then_some(tests)
}

/// Returns the files with rules next to the folder.
fn find_rules(library: &mut SuiteLibrary<'_>, tests: &Path) -> Vec<RuleFile> {
    let folder = tests.parent().map(|it| if it.as_os_str().is_empty() { Path::new(".") } else { it });
    let files = library.list_documents(folder.unwrap_or(Path::new(".")));
    let mut found = Vec::new();
    for path in files {
        if let Ok(file) = library.load_file(&path)
            && has_rules(&file)
        {
            found.push(RuleFile { path, span: Span::new(file.id, 0, 0) });
        }
    }
    found
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let folder = if library.is_folder(path) { path } else { path.parent().unwrap_or(path) };
    let mut suite = TestSuite::new(FORMAT.name, folder);
    let rules = find_rules(library, folder);
    let subject = Arc::new(read_rule_files(library, &rules, &mut suite));
    let named = subject.named_rules();
    for path in library.list_documents(folder) {
        let Some(name) = case_name(&path).filter(|name| !name.ends_with(OLD)) else { continue };
        let Some((object, span)) = read_object(library, &path, &mut suite) else { continue };
        let old = path.with_file_name(format!("{name}{OLD}.yaml"));
        let has_old = library.list_documents(folder).contains(&old);
        let old_object =
            if has_old { read_object(library, &old, &mut suite).map(|(it, _)| it) } else { None };
        let expected = match expected_answer(name, &named, span) {
            Ok(expected) => expected,
            Err(message) => {
                suite.findings.push(suite_error(span, message));
                continue;
            }
        };
        let input = CaseInput { object, old_object: old_object.unwrap_or_default(), ..CaseInput::default() };
        let subject: Arc<Subject> = Arc::clone(&subject);
        suite.cases.push(TestCase { name: name.to_owned(), span, subject, input, expected, skipped: None });
    }
    suite
}

fn read_object(library: &mut SuiteLibrary<'_>, path: &Path, suite: &mut TestSuite) -> Option<(Value, Span)> {
    let file = load_suite_file(library, path, suite)?;
    let Some(document) = file.documents.first() else {
        if file.unread.is_empty() {
            suite.findings.push(suite_error(Span::new(file.id, 0, 0), "the file has no object"));
        }
        return None;
    };
    let mut object = document.value.clone();
    crate::verdicts::drop_built_in_nulls(&mut object);
    Some((object, document.span))
}

/// Returns the expectation in a name. The rule is the longest name of one that the rest begins with.
fn expected_answer(name: &str, rules: &[NamedRule], span: Span) -> Result<Expectation, String> {
    let Some(rest) = name.strip_prefix("reject-") else {
        return Ok(Expectation { verdict: ExpectedVerdict::Admit, ..Expectation::default() });
    };
    let slug = rule_slug(rest);
    let begins = |rule: &str| {
        slug.strip_prefix(rule)
            .is_some_and(|after| !rule.is_empty() && (after.is_empty() || after.starts_with('-')))
    };
    let all = rules.iter().flat_map(NamedRule::slugs);
    let Some(rule) = all.filter(|rule| begins(rule)).max_by_key(String::len) else {
        let known: Vec<String> = rules.iter().filter_map(|rule| rule.slugs().next()).collect();
        return Err(format!("`{rest}` begins with no name of a rule; the rules are {}", known.join(", ")));
    };
    Ok(Expectation {
        verdict: ExpectedVerdict::Reject,
        rules: vec![ExpectedText::exact(&rule, span)],
        ..Expectation::default()
    })
}
