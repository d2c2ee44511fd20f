//! Our own format, `kind: RuleTests`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::verdicts::RequestOperation;
use kvrules_diagnostics::Span;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::document::{SuiteDocument, field, list_items, metadata_text, text_field};
use crate::files::{SuiteLibrary, suite_error};
use crate::format::{FileReference, SuiteFormat, is_kind, load_suite_file, recognize_document};
use crate::model::{
    CaseInput, CaseWrites, Expectation, ExpectedText, ExpectedVerdict, TestCase, TestSuite, TextMatching,
};
use crate::own_format::{CaseObject, KIND, ObjectSource, RuleTest, TestText, TestVerdict, apply_merge_patch};
use crate::rule_files::{RuleFile, read_rule_files};
use crate::subject::Subject;

pub(crate) static FORMAT: SuiteFormat =
    SuiteFormat { name: "rule-tests", title: "`kind: RuleTests`", is_within_rules: false, recognize, read };

fn recognize(library: &mut SuiteLibrary<'_>, path: &Path) -> Option<PathBuf> {
    recognize_document(library, path, |it| {
        is_kind(it, KIND) && text_field(it, "apiVersion").starts_with("kvrules.dev/")
    })
}

fn read(library: &mut SuiteLibrary<'_>, path: &Path) -> TestSuite {
    let mut suite = TestSuite::new(FORMAT.name, path);
    let Some(file) = load_suite_file(library, path, &mut suite) else { return suite };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for document in &file.documents {
        let mut reader = SuiteReader { library, document, folder: &folder, suite: &mut suite };
        reader.read_document();
    }
    suite
}

struct SuiteReader<'a, 'l, 'f> {
    library: &'l mut SuiteLibrary<'f>,
    document: &'a SuiteDocument,
    folder: &'a Path,
    suite: &'l mut TestSuite,
}

/// Fields of a suite.
const FIELDS: [&str; 8] =
    ["apiVersion", "kind", "metadata", "rules", "parameters", "base", "objects", "cases"];

impl SuiteReader<'_, '_, '_> {
    fn report(&mut self, pointer: &str, message: impl Into<String>) {
        self.suite.findings.push(suite_error(self.document.span_at(pointer), message));
    }

    fn read_document(&mut self) {
        let value = &self.document.value;
        if text_field(value, "apiVersion") != crate::own_format::API_VERSION {
            let message =
                format!("unknown version of the format; write `{}`", crate::own_format::API_VERSION);
            self.report("/apiVersion", message);
        }
        let unknown: Vec<String> = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .filter(|name| !FIELDS.contains(&name.as_str()))
            .collect();
        for name in unknown {
            self.report(&format!("/{name}"), format!("unknown field `{name}`"));
        }
        let rules: Vec<RuleFile> = list_items(field(value, "rules"))
            .enumerate()
            .map(|(index, path)| RuleFile {
                path: self.folder.join(path.as_str().unwrap_or_default()),
                span: self.document.span_at(&format!("/rules/{index}")),
            })
            .collect();
        if rules.is_empty() {
            self.report("/rules", "`rules` names no file");
        }
        let subject = Arc::new(read_rule_files(self.library, &rules, self.suite));
        let params = self.read_params(field(value, "parameters"), "/parameters");
        let mut names = BTreeSet::new();
        if list_items(field(value, "cases")).next().is_none() {
            self.report("/cases", "the suite has no cases");
        }
        for (index, case) in list_items(field(value, "cases")).enumerate() {
            let at = format!("/cases/{index}");
            let name = text_field(case, "name");
            if !names.insert(name.to_owned()) {
                self.report(&format!("{at}/name"), format!("duplicate name `{name}` of a case"));
            }
            let Some(test) = self.parse::<RuleTest>(case, &at) else { continue };
            if let Some(case) = self.read_case(&test, &at, &subject, &params) {
                self.suite.cases.push(case);
            }
        }
    }

    /// Parses a part of the suite. What does not fit is a finding.
    fn parse<T: DeserializeOwned>(&mut self, value: &Value, at: &str) -> Option<T> {
        match serde_json::from_value(value.clone()) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.report(at, error.to_string());
                None
            }
        }
    }

    fn read_params(&mut self, list: &Value, at: &str) -> Vec<(String, Value)> {
        let mut params = Vec::new();
        for (index, item) in list_items(list).enumerate() {
            let at = format!("{at}/{index}");
            let Some(source) = self.parse::<ObjectSource>(item, &at) else { continue };
            if let Some(object) = self.load_object(&source, &at) {
                params.push((metadata_text(&object, "name").to_owned(), object));
            }
        }
        params
    }

    fn load_object(&mut self, source: &ObjectSource, at: &str) -> Option<Value> {
        let file = match source {
            ObjectSource::Inline(fields) => return Some(Value::Object(fields.clone())),
            ObjectSource::File(file) => file,
        };
        let span = self.document.span_at(at);
        let reference = FileReference { folder: self.folder, path: &file.file, span };
        let loaded = reference.load(self.library, self.suite)?;
        let object = loaded.documents.first().map(|document| document.value.clone());
        if object.is_none() {
            self.report(at, format!("`{}` has no object", file.file));
        }
        object
    }

    /// Returns an object of a case: its own or the base, with a patch.
    fn case_object(
        &mut self,
        object: Option<&CaseObject>,
        patch: Option<&serde_json::Map<String, Value>>,
        at: &str,
    ) -> Option<Value> {
        let mut value = match object {
            Some(CaseObject::Given(source)) => self.load_object(source, at)?,
            Some(CaseObject::Named(name)) => {
                let source = field(field(&self.document.value, "objects"), name).clone();
                if source.is_null() {
                    self.report(at, format!("no object `{name}` in `objects`"));
                    return None;
                }
                let source = self.parse::<ObjectSource>(&source, at)?;
                self.load_object(&source, at)?
            }
            None => {
                let base = field(&self.document.value, "base").clone();
                if base.is_null() {
                    self.report(at, "the case has no `object`, and the suite no `base`");
                    return None;
                }
                let source = self.parse::<ObjectSource>(&base, "/base")?;
                self.load_object(&source, "/base")?
            }
        };
        if let Some(patch) = patch {
            apply_merge_patch(&mut value, &Value::Object(patch.clone()));
        }
        // As the server decodes objects, and `kvrules eval --engine policy` does.
        crate::verdicts::drop_built_in_nulls(&mut value);
        Some(value)
    }

    fn read_case(
        &mut self,
        test: &RuleTest,
        at: &str,
        subject: &Arc<Subject>,
        shared: &[(String, Value)],
    ) -> Option<TestCase> {
        let object = self.case_object(test.object.as_ref(), test.patch.as_ref(), &format!("{at}/object"))?;
        let has_old = test.old.is_some() || test.old_patch.is_some();
        let old = if has_old {
            self.case_object(test.old.as_ref(), test.old_patch.as_ref(), &format!("{at}/old"))?
        } else {
            Value::Null
        };
        let mut params = shared.to_vec();
        for (index, source) in test.parameters.iter().enumerate() {
            let object = self.load_object(source, &format!("{at}/parameters/{index}"))?;
            params.push((metadata_text(&object, "name").to_owned(), object));
        }
        let is_deletion = test.operation == Some(RequestOperation::Delete);
        let (object, old_object) = match (is_deletion, has_old) {
            (true, true) => (Value::Null, old),
            (true, false) => (Value::Null, object),
            _ => (object, old),
        };
        let of = if object.is_null() { &old_object } else { &object };
        let namespace_object = namespace_object(of, test);
        let input = CaseInput {
            operation: test.operation.map(|it| it.as_str().to_owned()).unwrap_or_default(),
            subresource: test.subresource.clone(),
            user: test.user.as_ref().map(|it| user_info(&it.name, &it.groups)).unwrap_or_default(),
            writes: if test.subresource == "status" { CaseWrites::Status } else { CaseWrites::Object },
            namespace_object,
            params,
            object,
            old_object,
            ..CaseInput::default()
        };
        let expected = self.read_expectation(test, at);
        let skipped = subject.is_empty().then(|| "the rules of the suite cannot be read".to_owned());
        for (index, rule) in test.rules.iter().enumerate() {
            if skipped.is_none() && !subject.has_rule(rule) {
                let span = self.document.span_at(&format!("{at}/rules/{index}"));
                let finding = suite_error(span, format!("no rule is named `{rule}`"));
                self.suite.findings.push(finding.help_if(subject.describe_rule_names(rule)));
            }
        }
        Some(TestCase {
            name: test.name.clone(),
            span: self.document.span_at(&format!("{at}/name")),
            subject: Arc::clone(subject),
            input,
            expected,
            skipped,
        })
    }

    fn read_expectation(&self, test: &RuleTest, at: &str) -> Expectation {
        let span = |list: &str, index: usize| self.document.span_at(&format!("{at}/{list}/{index}"));
        let texts = |list: &str, texts: &[TestText]| {
            texts
                .iter()
                .enumerate()
                .map(|(index, text)| expected_text(text, span(list, index)))
                .collect::<Vec<_>>()
        };
        let rules = test.rules.iter().enumerate();
        Expectation {
            verdict: match test.expect {
                TestVerdict::Accept => ExpectedVerdict::Quiet,
                TestVerdict::Warn => ExpectedVerdict::Warn,
                TestVerdict::Reject => ExpectedVerdict::Reject,
                TestVerdict::Error => ExpectedVerdict::Error,
                TestVerdict::Skip => ExpectedVerdict::Skip,
            },
            is_about_status: test.subresource == "status",
            rules: rules.map(|(index, rule)| ExpectedText::exact(rule, span("rules", index))).collect(),
            messages: texts("messages", &test.messages),
            warnings: texts("warnings", &test.warnings),
            stored: test.stored.clone().map(Value::Object),
            ..Expectation::default()
        }
    }
}

fn expected_text(text: &TestText, span: Span) -> ExpectedText {
    match text {
        TestText::Part(text) => ExpectedText::part(text, span),
        TestText::Exact(text) => ExpectedText::exact(&text.exact, span),
        TestText::Pattern(text) => {
            ExpectedText { text: text.pattern.clone(), matching: TextMatching::Pattern, span }
        }
    }
}

/// Returns the object of the namespace that an object is in, if the case describes it.
fn namespace_object(object: &Value, test: &RuleTest) -> Value {
    let Some(labels) = &test.namespace_labels else { return Value::Null };
    let name = Some(metadata_text(object, "namespace")).filter(|it| !it.is_empty()).unwrap_or("default");
    let mut labels = labels.clone();
    labels.insert("kubernetes.io/metadata.name".to_owned(), name.to_owned());
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

/// Returns a user as requests have it.
fn user_info(name: &str, groups: &[String]) -> Value {
    crate::verdicts::RequestUser { name: name.to_owned(), groups: groups.to_vec() }.to_user_info()
}
