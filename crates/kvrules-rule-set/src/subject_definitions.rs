//! Inputs of a RuleSet from outside of its document: definitions, included rules, and values of parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_syntax::{Document, Node};
use serde_json::Value as Json;

use crate::subject::split_api_version;
use crate::unknown_subject::UnknownSubject;

const API_GROUP: &str = "kvrules.dev";

/// The definitions that subjects may be of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectDefinitions {
    /// The file that `subject.schema` names, or why it cannot be read.
    pub of_file: BTreeMap<String, Result<SubjectFile, String>>,
    /// Other definitions of the run.
    pub of_run: Vec<Json>,
    /// The texts of included files, or why there are none, by their names from the folder of the RuleSet.
    pub included: BTreeMap<String, Result<String, String>>,
    /// Values of parameters at compile time.
    pub parameters: BTreeMap<String, String>,
}

/// A file that a subject names.
#[derive(Clone, Debug, PartialEq)]
pub enum SubjectFile {
    /// CustomResourceDefinitions.
    Definitions(Vec<Json>),
    /// A JSON Schema, or an OpenAPI document.
    Schemas(Arc<Json>),
}

impl SubjectDefinitions {
    /// The file that a subject names.
    pub(crate) fn named(&self, file: &str) -> Result<&SubjectFile, UnknownSubject> {
        match self.of_file.get(file) {
            Some(Ok(of_file)) => Ok(of_file),
            Some(Err(cause)) => Err(UnknownSubject { message: cause.clone(), help: None }),
            None => Err(UnknownSubject { message: format!("`{file}` was not read"), help: None }),
        }
    }
}

/// True for a document of kind RuleSet, of whatever version.
pub fn is_rule_set(document: &Document<'_>) -> bool {
    is_of_kind(document, "RuleSet")
}

/// True for a document of a kind of kvrules, of whatever version.
pub fn is_of_kind(document: &Document<'_>, kind: &str) -> bool {
    let Some(root) = document.root() else { return false };
    let text = |key: &str| root.get(key).and_then(Node::as_str);
    let is_ours = text("apiVersion").is_some_and(|version| split_api_version(version).0 == API_GROUP);
    text("kind") == Some(kind) && is_ours
}
