//! The source of a schema: selection of the schema in its document, resolution of references, and values as JSON.

use kvrules_diagnostics::{Span, quote_names};
use kvrules_json_schema::ReferenceTargets;
use kvrules_kubernetes::keywords::{NamedDialect, is_like_schema};
use kvrules_syntax::pointer::find_node;
use kvrules_syntax::value::{ValueReader, drop_points, whole_number};
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Number, Value};

use crate::DefinitionNames;
use crate::note::ImportProblem;

/// Maximum size of a value that is copied, in bytes.
const LARGEST_VALUE: usize = 100_000;

/// A schema and the document around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaSource<'d> {
    document: Node<'d>,
    /// Target of `#`.
    base: Node<'d>,
    /// True if keywords next to `$ref` count, as they do since draft 2019-09.
    pub has_siblings: bool,
}

/// The selected schema.
#[derive(Clone, Debug)]
pub(crate) struct ChosenSchema<'d> {
    pub source: SchemaSource<'d>,
    pub schema: Node<'d>,
    pub names: DefinitionNames,
}

/// Finds the selected schema: the one with the name, else the only one.
pub(crate) fn choose_schema<'d>(
    root: Node<'d>,
    name: Option<&str>,
) -> Result<ChosenSchema<'d>, ImportProblem> {
    if !root.is_map() {
        return Err(no_schema(root.span()));
    }
    if root.get("kind").and_then(Node::as_str) == Some("CustomResourceDefinition") {
        return of_definition(root, name);
    }
    let source = SchemaSource { document: root, base: root, has_siblings: has_siblings(root) };
    let is_schema = is_like_schema(root.entries().map(|entry| entry.key.text()));
    let lists = ["components", "definitions", "$defs"].map(|keyword| root.get(keyword));
    let [components, definitions, defs] = lists;
    let list = components.and_then(|components| components.get("schemas")).or(definitions).or(defs);
    let schema = match (list, name) {
        (None, Some(name)) => {
            return Err(ImportProblem::new(root.span(), format!("unknown schema `{name}`")));
        }
        (Some(list), Some(name)) => find_named(list, name)?,
        (_, None) if is_schema => root,
        (Some(list), None) => sole_schema(list)?,
        (None, None) => return Err(no_schema(root.span())),
    };
    let of_list = list.filter(|_| name.is_none() && !is_schema).and_then(|list| list.entries().next());
    let of_list = of_list.map(|entry| entry.key.text().to_owned()).filter(|name| is_kind(name));
    let kind = name.map(str::to_owned).or(of_list).or_else(|| kind_from_title(schema));
    Ok(ChosenSchema { source, schema, names: DefinitionNames { kind, ..DefinitionNames::default() } })
}

fn no_schema(span: Span) -> ImportProblem {
    ImportProblem::new(span, "this is neither a JSON Schema nor an OpenAPI document")
        .help("give a file with a schema, or with `definitions`, `$defs` or `components.schemas`")
}

fn find_named<'d>(list: Node<'d>, name: &str) -> Result<Node<'d>, ImportProblem> {
    list.get(name).ok_or_else(|| {
        ImportProblem::new(list.span(), format!("unknown schema `{name}`")).help(list_known_names(list))
    })
}

fn sole_schema(list: Node<'_>) -> Result<Node<'_>, ImportProblem> {
    let mut schemas = list.entries();
    match (schemas.next(), schemas.next()) {
        (Some(only), None) => Ok(only.value),
        (None, _) => Err(ImportProblem::new(list.span(), "no schema found")),
        _ => {
            let message = format!("there are {} schemas in it", list.entries().count());
            Err(ImportProblem::new(list.span(), message)
                .help(format!("choose one with `--schema`; {}", list_known_names(list))))
        }
    }
}

/// A few names of schemas.
fn list_known_names(list: Node<'_>) -> String {
    let names: Vec<_> = list.entries().map(|entry| entry.key.text()).collect();
    format!("there are {}", quote_names(&names, 6))
}

/// The title of a schema where a kind can have that name.
fn kind_from_title(schema: Node<'_>) -> Option<String> {
    let title = schema.get("title")?.as_str()?;
    is_kind(title).then(|| title.to_owned())
}

/// True if a kind can have a name.
fn is_kind(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// The schema in a definition of any version of the API.
fn of_definition<'d>(root: Node<'d>, name: Option<&str>) -> Result<ChosenSchema<'d>, ImportProblem> {
    let missing = || ImportProblem::new(root.span(), "the definition has no schema");
    let spec = root.get("spec").ok_or_else(missing)?;
    let text = |node: Option<Node<'_>>| node.and_then(Node::as_str).map(str::to_owned);
    let versions = spec.get("versions");
    let version = versions.and_then(|versions| match name {
        Some(name) => {
            versions.items().find(|version| version.get("name").is_some_and(|it| it.text() == name))
        }
        None => versions.items().next(),
    });
    if let (Some(versions), Some(name), None) = (versions, name, version) {
        return Err(ImportProblem::new(versions.span(), format!("unknown version `{name}`")));
    }
    let inside =
        |node: Node<'d>| ["openAPIV3Schema", "jsonSchema"].into_iter().find_map(|keyword| node.get(keyword));
    let of_version = version.and_then(|version| version.get("schema")).and_then(inside);
    let schema = of_version.or_else(|| spec.get("validation").and_then(inside)).ok_or_else(missing)?;
    let of_names = |keyword: &str| text(spec.get("names").and_then(|names| names.get(keyword)));
    let names = DefinitionNames {
        group: text(spec.get("group")),
        version: text(version.and_then(|version| version.get("name"))).or_else(|| text(spec.get("version"))),
        scope: text(spec.get("scope")),
        kind: of_names("kind"),
        plural: of_names("plural"),
        singular: of_names("singular"),
        list_kind: of_names("listKind"),
    };
    let source = SchemaSource { document: root, base: schema, has_siblings: has_siblings(schema) };
    Ok(ChosenSchema { source, schema, names })
}

/// True if the dialect of a document gives keywords next to `$ref` a meaning.
fn has_siblings(root: Node<'_>) -> bool {
    let scalar = |key: &str| root.get(key).filter(|value| !value.is_container());
    let named = NamedDialect::from_texts(|key| Some(scalar(key)?.text().into()));
    !named.known_or_newest().ignores_siblings()
}

impl<'d> SchemaSource<'d> {
    /// Returns the references that are more than pointers, with their targets.
    pub(crate) fn reference_targets(&self) -> ReferenceTargets<'d> {
        ReferenceTargets::of_document(self.base)
    }

    /// Returns the target of a reference that is a pointer.
    pub(crate) fn resolve(&self, reference: &str, span: Span) -> Result<Node<'d>, ImportProblem> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(ImportProblem::new(span, format!("`{reference}` points to another document"))
                .help("only references within the document are followed; bundle the schemas into one file"));
        };
        let missing = || ImportProblem::new(span, format!("unresolved reference `{reference}`"));
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(ImportProblem::new(span, format!("unresolved reference `{reference}`"))
                .help("no schema of the document has this anchor"));
        }
        // Some documents have their `definitions` under `properties` by mistake, but refer to the correct location.
        let misplaced = || find_node(self.base.get("properties")?, pointer);
        find_node(self.base, pointer)
            .or_else(|| find_node(self.document, pointer))
            .or_else(misplaced)
            .ok_or_else(missing)
    }
}

/// The value that a node is.
pub(crate) fn node_value(node: Node<'_>) -> Result<Value, ImportProblem> {
    let reader = ValueReader::for_yaml12().with_limit(LARGEST_VALUE).with_lenient_reading();
    let mut value = reader.read_value(node).map_err(|error| ImportProblem::new(error.span, error.message))?;
    drop_points(&mut value);
    Ok(value)
}

/// The number that a node is.
pub(crate) fn node_number(node: Node<'_>) -> Option<Number> {
    if node.kind() != SyntaxKind::Number {
        return None;
    }
    let number = ValueReader::for_yaml12().with_lenient_reading().read_number(node)?;
    Some(whole_number(&number).unwrap_or(number))
}
