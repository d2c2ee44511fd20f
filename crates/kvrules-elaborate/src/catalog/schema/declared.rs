//! The schemas that a file declares, for those who choose one among several files.

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::{Node, source_stream};

use super::document::{CrdDocument, FoundSchema, find_schemas, text_field};
use super::problem::last_word;
use super::served::kind_of;

/// A schema that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSchema {
    /// The kind of its objects.
    pub kind: Option<String>,
    /// The group of its objects' API.
    pub group: Option<String>,
    /// The versions that a definition has.
    pub versions: Vec<String>,
    /// The name that chooses it in its file; none if the file is one schema.
    pub name: Option<String>,
    /// Location of the declaration.
    pub span: Span,
}

/// The schemas that a file declares, in its order. What is not a schema is skipped.
pub fn declared_schemas(file: &SourceFile) -> Vec<DeclaredSchema> {
    // A file without any of these words has no schema, so it is not parsed.
    const WORDS: [&str; 4] = ["CustomResourceDefinition", "properties", "$ref", "components"];
    if !WORDS.iter().any(|word| file.mentions_word(word)) {
        return Vec::new();
    }
    let stream = source_stream(file);
    stream.documents.iter().flat_map(find_schemas).flat_map(to_declared_schemas).collect()
}

impl DeclaredSchema {
    /// The choice within the file that a user means by `choice`: a kind, a kind with its group (`Pond.example.com`), the
    /// name of a definition or a schema, each with `/VERSION` where wanted. Nothing if another schema is meant.
    pub fn chosen_by(&self, choice: &str) -> Option<String> {
        let (name, version) = match choice.split_once('/') {
            Some((name, version)) if self.versions.iter().any(|own| own == version) => (name, Some(version)),
            Some(_) if !self.versions.is_empty() => return None,
            _ => (choice, None),
        };
        let with_group = || Some(format!("{}.{}", self.kind.as_deref()?, self.group.as_deref()?));
        let own = self.name.as_deref();
        let is_intended = [self.kind.as_deref(), own, own.map(last_word)].contains(&Some(name))
            || with_group().as_deref() == Some(name);
        let own = own.unwrap_or_default();
        is_intended.then(|| version.map_or_else(|| own.to_owned(), |version| format!("{own}/{version}")))
    }

    /// Returns the title for messages.
    pub fn display_title(&self) -> &str {
        self.kind.as_deref().or(self.name.as_deref()).unwrap_or("a schema without a kind")
    }
}

fn to_declared_schemas(found: FoundSchema<'_>) -> Vec<DeclaredSchema> {
    match found {
        FoundSchema::Crd(crd) => vec![of_definition(crd)],
        FoundSchema::OpenApi(schemas) => {
            let named = schemas.entries().map(|entry| (entry.key.span(), entry.key.text(), entry.value));
            named.map(|(span, name, schema)| of_schema(span, Some(name), schema)).collect()
        }
        FoundSchema::Schema(schema) => vec![of_schema(schema.span().at_start(), None, schema)],
    }
}

fn of_definition(crd: CrdDocument<'_>) -> DeclaredSchema {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let versions =
        crd.versions().map(|versions| versions.value.items().collect::<Vec<_>>()).unwrap_or_default();
    let name = |version: Node<'_>| owned(text_field(version, "name"));
    DeclaredSchema {
        kind: owned(crd.kind()),
        group: owned(crd.group()),
        versions: versions.into_iter().filter_map(name).collect(),
        name: owned(crd.name().or(crd.kind())),
        span: crd.span(),
    }
}

fn of_schema(span: Span, name: Option<&str>, schema: Node<'_>) -> DeclaredSchema {
    let about = kind_of(schema);
    DeclaredSchema {
        kind: about.kind,
        group: about.group,
        versions: Vec::new(),
        name: name.map(str::to_owned),
        span,
    }
}
