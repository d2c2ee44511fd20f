//! Values of a test: labels of namespaces, operations, the user.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::document::{SuiteDocument, field, list_items, text_field};
use crate::files::SuiteLibrary;
use crate::format::FileReference;
use crate::model::TestSuite;

/// Values of a test.
#[derive(Debug, Default)]
pub(super) struct TestValues {
    labels: BTreeMap<String, Value>,
    operations: Vec<(String, String, String)>,
    global_operation: String,
    user: Value,
}

impl TestValues {
    /// Reads the files of values and of the user that a test names.
    pub(super) fn read(
        library: &mut SuiteLibrary<'_>,
        folder: &Path,
        document: &SuiteDocument,
        suite: &mut TestSuite,
    ) -> Self {
        let mut values = Self::default();
        let mut load = |name: &str| {
            let path = document.value.get(name)?.as_str()?;
            let reference = FileReference { folder, path, span: document.span_at(&format!("/{name}")) };
            reference.load(library, suite)?.documents.first().map(|it| it.value.clone())
        };
        let inline = field(&document.value, "values").clone();
        let file = load("variables").map(|it| {
            // Older files have the values at the root.
            let spec = field(&it, "spec").clone();
            if spec.is_object() { spec } else { it }
        });
        for given in [inline].into_iter().chain(file) {
            values.add(&given);
        }
        if let Some(user) = load("userinfo") {
            let info = field(&user, "userInfo");
            let info = if info.is_object() { info.clone() } else { user.clone() };
            values.user = info;
        }
        values
    }

    // cmd/cli/kubectl-kyverno/apis/v1alpha1/values.go
    fn add(&mut self, values: &Value) {
        for selector in list_items(field(values, "namespaceSelector")) {
            self.labels.insert(text_field(selector, "name").to_owned(), field(selector, "labels").clone());
        }
        for namespace in list_items(field(values, "namespaces")) {
            let metadata = field(namespace, "metadata");
            self.labels.insert(text_field(metadata, "name").to_owned(), field(metadata, "labels").clone());
        }
        let operation = |values: &Value| text_field(values, "request.operation").to_owned();
        self.global_operation = operation(field(values, "globalValues"));
        for policy in list_items(field(values, "policies")) {
            for resource in list_items(field(policy, "resources")) {
                let names = ["name"]
                    .map(|it| (text_field(policy, it).to_owned(), text_field(resource, it).to_owned()));
                let [(policy, name)] = names;
                self.operations.push((policy, name, operation(field(resource, "values"))));
            }
        }
    }

    /// Returns the labels of a namespace, with the one that every namespace has.
    pub(super) fn namespace_labels(&self, name: &str) -> Value {
        let mut labels = match self.labels.get(name) {
            Some(Value::Object(labels)) => labels.clone(),
            _ => Map::new(),
        };
        labels.entry("kubernetes.io/metadata.name").or_insert_with(|| name.into());
        Value::Object(labels)
    }

    /// Returns the operation on an object; empty if the values do not give it.
    pub(super) fn operation(&self, policy: &str, name: &str) -> String {
        let own = self.operations.iter().find(|(of, object, _)| of == policy && object == name);
        let own = own.map(|(_, _, operation)| operation).filter(|it| !it.is_empty());
        own.unwrap_or(&self.global_operation).clone()
    }

    /// Returns the user; an empty one if the test names none, as the command line has it.
    pub(super) fn user(&self) -> Value {
        if self.user.is_null() { json!({"username": "", "groups": []}) } else { self.user.clone() }
    }
}
