//! Flavors as tools and APIs write them, with the place of every pair.

mod holders;
mod keys;
mod pairs;
mod shape;
mod specs;
mod value;

use kvrules_diagnostics::{Diagnostic, FileId, SourceFile, Span};
use kvrules_syntax::{Document, DocumentStream, ProblemKind, parse_stream, source_stream};

pub use shape::is_flavors;

use crate::lints::FLAVOR_SHAPE;

/// A flavor, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flavor {
    /// Its name, if it is given.
    pub name: Option<String>,
    /// Its extra specs, in their order.
    pub specs: Vec<FlavorSpec>,
}

/// One extra spec of a flavor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlavorSpec {
    /// The key.
    pub key: String,
    /// The value, as Nova would store it: numbers are written as Python writes them.
    pub value: String,
    /// Location of the key.
    pub key_span: Span,
    /// Location of the value.
    pub value_span: Span,
}

/// An image, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name, if it is given.
    pub name: Option<String>,
    /// Its properties, in their order.
    pub properties: Vec<FlavorSpec>,
}

/// The flavors and images of a file, and what is there that is neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flavors {
    /// The flavors.
    pub flavors: Vec<Flavor>,
    /// The images.
    pub images: Vec<Image>,
    /// Parts that are neither a flavor nor a pair.
    pub misshapen: Vec<Diagnostic>,
}

/// Reads flavors from YAML or JSON: what `openstack flavor list --long` and `openstack flavor show` print as JSON (with the
/// properties as an object or as one text), what Nova's API answers, the body of a request that sets extra specs, files of
/// Ansible, Heat, Terraform and controllers of Kubernetes that have flavors or images, or just keys and values.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_extra_specs::read_flavors;
///
/// let text = r#"[{"Name": "gold", "Properties": "hw:cpu_policy='dedicated', hw:numa_nodes='2'"}]"#;
/// let read = read_flavors(FileId(0), text);
/// assert_eq!(read.flavors[0].specs[1].value, "2");
/// ```
pub fn read_flavors(file: FileId, text: &str) -> Flavors {
    read_stream(file, &parse_stream(file, text))
}

/// Reads the flavors of a file, as JSON if its name says so.
///
/// ```
/// use kvrules_diagnostics::{FileId, SourceFile};
///
/// let file = SourceFile::new(FileId(0), "gold.json", r#"{"extra_specs": {"hw:cpu_policy": "dedicated",}}"#);
/// let read = kvrules_extra_specs::read_flavor_file(&file);
/// assert_eq!(read.misshapen[0].message, "unexpected `,` in JSON, without an entry after it");
/// ```
pub fn read_flavor_file(source: &SourceFile) -> Flavors {
    read_stream(source.id(), source_stream(source))
}

fn read_stream(file: FileId, stream: &DocumentStream<'_>) -> Flavors {
    let mut found = Flavors::default();
    for document in &stream.documents {
        for problem in document.problems() {
            use ProblemKind::{JsonComment, JsonExtraComma, JsonMissingComma};
            let message = match problem.kind {
                JsonComment | JsonExtraComma | JsonMissingComma => problem.describe(),
                kind => crate::document::syntax_message(kind, &problem.detail),
            };
            found.misshapen.push(FLAVOR_SHAPE.diagnostic_at(problem.span, message));
        }
        let of_document = read_document_flavors(document);
        found.flavors.extend(of_document.flavors);
        found.images.extend(of_document.images);
        found.misshapen.extend(of_document.misshapen);
    }
    if found.flavors.is_empty() && found.images.is_empty() && found.misshapen.is_empty() {
        let span = Span::new(file, 0, 0);
        keys::add_malformed(&mut found, span, "no flavors or extra specs found", keys::HELP);
    }
    found
}

/// Reads the flavors of a document.
pub fn read_document_flavors(document: &Document<'_>) -> Flavors {
    let mut found = Flavors::default();
    if let Some(root) = document.root() {
        shape::read_flavor_document(root, &mut found);
    }
    found
}

/// Reads arguments such as `hw:cpu_policy=dedicated`, which are in the file's text one behind the other, with a line break
/// after each.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// let read = kvrules_extra_specs::parse_arguments(FileId(0), &["a:b=c=d", "e"]);
/// assert_eq!(read.flavors[0].specs[0].value, "c=d");
/// assert_eq!(read.misshapen[0].message, "`e` is not a pair of a key and a value");
/// ```
pub fn parse_arguments(file: FileId, given: &[&str]) -> Flavors {
    let mut found = Flavors::default();
    let mut flavor = Flavor { name: None, specs: Vec::new() };
    let mut start = 0;
    for pair in given {
        if let Some(spec) = pairs::parse_argument(file, start, pair) {
            flavor.specs.push(spec);
        } else {
            let span = pairs::span(file, start, start + pair.len());
            let message = format!("`{pair}` is not a pair of a key and a value");
            keys::add_malformed(&mut found, span, &message, "write `KEY=VALUE`");
        }
        start += pair.len() + 1;
    }
    found.flavors.push(flavor);
    found
}
