//! Files of Glance's metadata definitions.

use kvrules_diagnostics::SourceFile;
use kvrules_extra_specs::Definition;
use kvrules_extra_specs::glance::{GlanceError, find_errors, namespace_definitions, read_namespace};
use kvrules_syntax::parse_json;

/// Contents of a file of metadata definitions about flavors.
#[derive(Clone, Debug, PartialEq)]
pub struct FlavorMetadef {
    /// The extra specs that it describes.
    pub definitions: Vec<Definition>,
    /// Errors of Glance's API about it.
    pub errors: Vec<GlanceError>,
}

/// Reads a JSON file of Glance's metadata definitions; `None` if it is not a namespace.
///
/// ```
/// use kvrules::extra_specs::metadefs::read_metadef;
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"{
///   "namespace": "OS::Compute::Acme",
///   "resource_type_associations": [{"name": "OS::Nova::Flavor", "prefix": "acme:"}],
///   "properties": {"tier": {"title": "Tier", "type": "string", "enum": ["gold", "silver"]}}
/// }"#;
/// let metadef = read_metadef(&SourceFile::new(FileId(0), "acme.json", text)).unwrap();
/// assert_eq!(metadef.definitions[0].name, "acme:tier");
/// assert!(metadef.errors.is_empty());
/// assert!(read_metadef(&SourceFile::new(FileId(0), "a.json", r#"{"kind": "List"}"#)).is_none());
/// ```
pub fn read_metadef(source: &SourceFile) -> Option<FlavorMetadef> {
    let document = parse_json(source.id(), source.text());
    let root = document.root()?;
    root.get("namespace")?;
    let namespace = read_namespace(root)?;
    Some(FlavorMetadef { definitions: namespace_definitions(&namespace), errors: find_errors(root) })
}
