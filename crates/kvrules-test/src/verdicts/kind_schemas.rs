//! The schemas of several kinds, of which each object is evaluated by its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::catalog::{Catalog, declared_schemas};
use kvrules_syntax::Node;

/// The schemas in some files, each read when the first object of its kind comes.
///
/// ```
/// use kvrules::{FileId, SourceFile, eval::KindSchemas};
///
/// let text = "{openapi: 3.0.3, components: {schemas: {Pond: {type: object}, Lake: {type: object}}}}";
/// let schemas = KindSchemas::from_files(&[SourceFile::new(FileId(0), "water.yaml", text)]);
/// assert!(schemas.is_empty(), "neither says of which kind it is");
/// ```
#[derive(Debug)]
pub struct KindSchemas {
    schemas: Vec<KindSchema>,
    catalogs: Mutex<BTreeMap<SchemaKey, Result<Arc<Catalog>, String>>>,
}

/// A schema and one of its versions: `None` for the stored one.
pub(super) type SchemaKey = (usize, Option<String>);

#[derive(Debug)]
struct KindSchema {
    kind: String,
    group: Option<String>,
    /// The versions of a definition; empty if the schema is not a definition.
    versions: Vec<String>,
    file: Arc<SourceFile>,
    /// Name that selects it in its file.
    name: Option<String>,
}

impl KindSchemas {
    /// Returns the schemas in files that declare the kind of their objects: CustomResourceDefinitions, and OpenAPI
    /// schemas for which the document has a `x-kubernetes-group-version-kind`.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::KindSchemas};
    ///
    /// let text = r#"
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// spec: {group: example.com, names: {kind: Pond}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}
    /// "#;
    /// let plain = SourceFile::new(FileId(1), "box.yaml", "type: object\nproperties: {size: {type: integer}}\n");
    /// let schemas = KindSchemas::from_files(&[SourceFile::new(FileId(0), "crd.yaml", text), plain]);
    /// assert_eq!(schemas.len(), 1);
    /// ```
    pub fn from_files(files: &[SourceFile]) -> Self {
        let mut schemas = Vec::new();
        for file in files {
            let copy = Arc::new(SourceFile::new(FileId(0), file.name(), file.text()));
            let of_kinds = declared_schemas(file).into_iter().filter_map(|declared| {
                let file = Arc::clone(&copy);
                let (group, versions, name) = (declared.group, declared.versions, declared.name);
                Some(KindSchema { kind: declared.kind?, group, versions, file, name })
            });
            schemas.extend(of_kinds);
        }
        Self { schemas, catalogs: Mutex::default() }
    }

    /// True if no schema declares the kind of its objects.
    pub fn is_empty(&self) -> bool {
        self.schemas.is_empty()
    }

    /// Returns the number of schemas.
    pub fn len(&self) -> usize {
        self.schemas.len()
    }

    pub(super) fn has_kind(&self, kind: &str) -> bool {
        self.schemas.iter().any(|schema| schema.kind == kind)
    }

    /// The schema of an object of a kind, by its `apiVersion` if it has one. Or why there is none.
    pub(super) fn find_schema_key(&self, kind: &str, object: Node<'_>) -> Result<SchemaKey, String> {
        let written = object.get("apiVersion").and_then(Node::as_str);
        let (group, version) = match written {
            Some(written) => written
                .rsplit_once('/')
                .map_or((Some(""), Some(written)), |(group, version)| (Some(group), Some(version))),
            None => (None, None),
        };
        let is_its = |schema: &KindSchema| {
            let is_group = schema.group.is_none() || group.is_none() || schema.group.as_deref() == group;
            schema.kind == kind && is_group
        };
        let mut found = self.schemas.iter().enumerate().filter(|(_, schema)| is_its(schema));
        let what = || written.map_or_else(|| kind.to_owned(), |written| format!("{written} {kind}"));
        match (found.next(), found.next()) {
            (Some((index, schema)), None) => {
                let has_version = |version: &str| schema.versions.iter().any(|own| own == version);
                match version.filter(|_| !schema.versions.is_empty()) {
                    Some(version) if !has_version(version) => Err(format!("no schema for {}", what())),
                    version => Ok((index, version.map(str::to_owned))),
                }
            }
            (Some(_), Some(_)) => Err(format!("several schemas are of {}", what())),
            (None, _) => Err(format!("no schema for {}", what())),
        }
    }

    /// The fields of a schema.
    pub(super) fn find_catalog(&self, key: &SchemaKey) -> Result<Arc<Catalog>, String> {
        let mut catalogs = self.catalogs.lock().unwrap_or_else(PoisonError::into_inner);
        catalogs.entry(key.clone()).or_insert_with(|| self.read_catalog(key)).clone()
    }

    fn read_catalog(&self, (index, version): &SchemaKey) -> Result<Arc<Catalog>, String> {
        let schema = self.schemas.get(*index).ok_or("no schema found")?;
        let choice = match (&schema.name, version) {
            (Some(name), Some(version)) => Some(format!("{name}/{version}")),
            (name, _) => name.clone(),
        };
        Catalog::from_schema(&schema.file, choice.as_deref()).map(Arc::new).map_err(|problems| {
            let message = problems.into_iter().next().map(|problem| problem.message).unwrap_or_default();
            format!("the schema of {} in `{}` cannot be read: {message}", schema.kind, schema.file.name())
        })
    }
}
