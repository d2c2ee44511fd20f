//! The subjects of files, recognized by their content and not by their names.
//!
//! ```
//! use kvrules::{FileId, UncheckedKind, SourceFile};
//!
//! let read = |text: &str| kvrules::read_rules(&SourceFile::new(FileId(0), "a.yaml", text)).contents;
//! assert!(read("kind: VirtualMachine\n").is_known());
//! assert!(!read("kind: Service\n").is_known());
//! let api = read("openapi: 3.0.0\npaths: {}\n");
//! assert_eq!(api.overlooked[0].0, UncheckedKind::OpenApi);
//! ```

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_elaborate::annotation::{self, find_misspelt_keys};
use kvrules_extra_specs::{glance, is_definitions, is_flavors};
use kvrules_syntax::{Document, Node, ProblemKind};

use crate::input::Input;

/// Contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileContents {
    /// Number of documents that `check` looks at: objects that may carry rules, rules alone, definitions, policies and
    /// definitions of extra specs.
    pub checked: usize,
    /// Number of annotations with rules.
    pub annotations: usize,
    /// Number of documents that can carry such an annotation, with or without one: Templates, VirtualMachines and the like.
    pub holders: usize,
    /// True if something could not be read to its end, so that its kind is unknown.
    pub is_broken: bool,
    /// Other recognized documents, with their starts. Other commands may look at them, and `check` does not.
    pub overlooked: Vec<(UncheckedKind, Span)>,
}

/// A kind of document that `check` recognizes and does not look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UncheckedKind {
    /// Flavors with extra specs.
    Flavors,
    /// Metadata definitions of Glance.
    Metadefs,
    /// A JSON Schema.
    JsonSchema,
    /// An OpenAPI document.
    OpenApi,
    /// Admission policies that change objects, and their bindings.
    MutatingPolicies,
    /// Configurations of admission webhooks.
    Webhooks,
}

impl UncheckedKind {
    /// Returns its name for users, in the plural.
    ///
    /// ```
    /// use kvrules::UncheckedKind;
    ///
    /// assert_eq!(UncheckedKind::Webhooks.as_str(), "webhook configurations");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flavors => "flavors",
            Self::Metadefs => "metadata definitions",
            Self::JsonSchema => "JSON Schemas",
            Self::OpenApi => "OpenAPI documents",
            Self::MutatingPolicies => "mutating admission policies",
            Self::Webhooks => "webhook configurations",
        }
    }

    /// Every sort, in the order in which they are reported.
    pub const ALL: [Self; 6] = [
        Self::Flavors,
        Self::Metadefs,
        Self::JsonSchema,
        Self::OpenApi,
        Self::MutatingPolicies,
        Self::Webhooks,
    ];

    /// Returns the command that checks it, without its argument; `None` if no command does.
    ///
    /// ```
    /// use kvrules::UncheckedKind;
    ///
    /// assert_eq!(UncheckedKind::Flavors.checking_command(), Some("kvrules flavor check"));
    /// assert_eq!(UncheckedKind::Webhooks.checking_command(), None);
    /// ```
    pub fn checking_command(self) -> Option<&'static str> {
        match self {
            Self::Flavors => Some("kvrules flavor check"),
            Self::Metadefs => Some("kvrules flavor compare builtin"),
            Self::JsonSchema | Self::OpenApi => Some("kvrules import schema"),
            Self::MutatingPolicies | Self::Webhooks => None,
        }
    }
}

impl FileContents {
    /// True if anything was recognized, or something could not be read.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let is_known = |text: &str| detect_contents(&SourceFile::new(FileId(0), "a.yaml", text)).is_known();
    /// assert!(is_known("kind: ValidatingAdmissionPolicy\napiVersion: admissionregistration.k8s.io/v1\n"));
    /// assert!(is_known("kind: \"Deployment\n"), "the quotation mark is not closed");
    /// assert!(!is_known("kind: Deployment\napiVersion: apps/v1\n"));
    /// ```
    pub fn is_known(&self) -> bool {
        self.checked > 0 || !self.overlooked.is_empty() || self.is_broken
    }

    /// True if the file may have annotations with rules, which `fmt` lays out and `migrate` migrates.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let contents = |text: &str| detect_contents(&SourceFile::new(FileId(0), "a.yaml", text));
    /// let template = contents("kind: Template\napiVersion: template.openshift.io/v1\nmetadata: {name: fedora}\n");
    /// assert!(template.has_annotations() && template.annotations == 0);
    /// assert!(!contents("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n").has_annotations());
    /// ```
    pub fn has_annotations(&self) -> bool {
        self.annotations > 0 || self.holders > 0 || self.is_broken
    }
}

/// Returns the contents of a file, recognized by its content.
///
/// ```
/// use kvrules::{FileId, SourceFile, UncheckedKind, detect_contents};
///
/// let text = "extra_specs:\n  hw:cpu_policy: dedicated\n";
/// let contents = detect_contents(&SourceFile::new(FileId(0), "gold.yaml", text));
/// assert_eq!((contents.checked, contents.overlooked[0].0), (0, UncheckedKind::Flavors));
/// ```
pub fn detect_contents(source: &SourceFile) -> FileContents {
    let input = Input::parse(source);
    let streams = input.streams(source.id());
    let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
    of_documents(&documents, input.is_text())
}

/// Returns the contents of documents. Examples in text count only if they concern rules.
pub(crate) fn of_documents(documents: &[&Document<'_>], is_text: bool) -> FileContents {
    let mut contents = FileContents::default();
    for document in documents {
        let annotations = annotation::find_annotations(document).len();
        contents.annotations += annotations;
        contents.holders += usize::from(may_carry_rules(document));
        contents.is_broken |= !is_text && is_broken(document);
        if !is_text {
            contents.overlooked.extend(find_unchecked(document));
        }
        if annotations > 0 || is_checked(document) {
            contents.checked += 1;
        } else if let Some(root) = document.root().filter(|_| !is_text) {
            contents.overlooked.extend(unchecked_kind(document).map(|what| (what, start_span(root.span()))));
        }
    }
    contents
}

fn is_checked(document: &Document<'_>) -> bool {
    may_carry_rules(document) || kvrules_crd::is_kubernetes(document) || is_definitions(document)
}

fn may_carry_rules(document: &Document<'_>) -> bool {
    annotation::has_holder(document) || !find_misspelt_keys(&[document]).is_empty()
}

fn is_broken(document: &Document<'_>) -> bool {
    let harmless = [ProblemKind::DuplicateKey, ProblemKind::YamlIndentation];
    document.problems().iter().any(|problem| !harmless.contains(&problem.kind))
}

/// The resources next to admission policies that nothing looks at.
fn find_unchecked(document: &Document<'_>) -> impl Iterator<Item = (UncheckedKind, Span)> {
    kvrules_crd::unchecked_resources(document).into_iter().map(|(kind, span)| {
        let is_webhook = kind.ends_with("WebhookConfiguration");
        (if is_webhook { UncheckedKind::Webhooks } else { UncheckedKind::MutatingPolicies }, span)
    })
}

fn unchecked_kind(document: &Document<'_>) -> Option<UncheckedKind> {
    let root = document.root()?;
    if let Some(language) = schema_language(root) {
        return Some(language);
    }
    if glance::is_namespace(root) {
        return Some(UncheckedKind::Metadefs);
    }
    is_flavors(root).then_some(UncheckedKind::Flavors)
}

/// The language of a document that is a schema beyond doubt; none for any other. A file that only refers to a schema by
/// `$schema`, as configurations do, is none.
fn schema_language(root: Node<'_>) -> Option<UncheckedKind> {
    let is_object = root.get("kind").is_some() && root.get("apiVersion").is_some();
    let version = |key: &str| root.get(key).is_some_and(|version| !version.is_map() && !version.is_list());
    let parts = ["paths", "components", "definitions", "webhooks", "info"];
    if (version("openapi") || version("swagger")) && parts.iter().any(|part| root.get(part).is_some()) {
        return Some(UncheckedKind::OpenApi);
    }
    let names_draft = root.get("$schema").is_some_and(|draft| draft.text().contains("json-schema.org"));
    let describes = root.get("type").is_some_and(|kind| kind.text() == "object")
        && root.get("properties").is_some_and(|all| all.entries().any(|entry| entry.value.is_map()));
    (!is_object && (names_draft || describes)).then_some(UncheckedKind::JsonSchema)
}

/// The start of something long.
fn start_span(span: Span) -> Span {
    Span { end: span.end.min(span.start + 1), ..span }
}
