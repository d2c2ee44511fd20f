//! Reading a document with all that is wrong in it; what is right is kept.

use std::collections::BTreeMap;

use kvrules_diagnostics::{Diagnostic, FileId, Origin, suggest_name};
use kvrules_syntax::{Node, ProblemKind as Mistake, SyntaxKind, parse_stream};

use super::fields::{MappingReader, read_text, wrong_type};
use super::findings::DocumentFindings;
use super::{Document, Entry, KIND, VERSION, verify};
use crate::definition::{EnumMember, Parameter, Status, Value, ValueType};
use crate::lints;

const DOCUMENT: &[&str] = &["$schema", "kind", "version", "definitions"];
const ENTRY: &[&str] = &[
    "name",
    "description",
    "for-each",
    "parameters",
    "value",
    "status",
    "virt-drivers",
    "requires",
    "since",
    "image-property",
];
const VALUE: &[&str] = &["type", "description", "min", "max", "enum", "pattern"];

/// Reads a file of definitions. Whatever is wrong, the definitions that are right are there.
///
/// ```
/// use kvrules_diagnostics::FileId;
///
/// let text = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
///             - {name: 'a:b', description: x, value: {type: int}}\n\
///             - {name: 'a:c', description: x, value: {type: boolean}}\n";
/// let (document, problems) = kvrules_extra_specs::parse_definitions(FileId(0), text);
/// assert_eq!(document.definitions.len(), 1);
/// assert_eq!(problems[0].message, "unknown type `int`");
/// assert_eq!(problems[0].help.as_deref(), Some("did you mean `integer`?"));
/// ```
pub fn parse_definitions(file: FileId, source: &str) -> (Document, Vec<Diagnostic>) {
    let stream = parse_stream(file, source);
    let mut problems = DocumentFindings::default();
    let mut document = Document::new(Vec::new());
    for part in &stream.documents {
        for error in part.problems() {
            let message = syntax_message(error.kind, &error.detail);
            let problem = lints::DEFINITION_SHAPE.diagnostic_at(error.span, message);
            problems.push(match error.related {
                Some(first) => problem.with_secondary_label(first, "the first is here"),
                None => problem,
            });
        }
        if let Some(root) =
            part.root().filter(|root| !matches!(root.kind(), SyntaxKind::Null | SyntaxKind::Hole))
        {
            read_root(root, &mut document, &mut problems, verify::check_entry);
        }
    }
    finish_document(document, problems)
}

/// True if a document says that it holds definitions of extra specs.
pub fn is_definitions(part: &kvrules_syntax::Document<'_>) -> bool {
    part.root().and_then(|root| root.get("kind")).and_then(Node::as_str) == Some(KIND)
}

/// Reads a document that is parsed already. What its parser has to say is not repeated.
pub fn read_document(part: &kvrules_syntax::Document<'_>) -> (Document, Vec<Diagnostic>) {
    let (mut document, mut problems) = (Document::new(Vec::new()), DocumentFindings::default());
    if let Some(root) = part.root() {
        read_root(root, &mut document, &mut problems, verify::check_entry);
    }
    finish_document(document, problems)
}

/// Reads a document of which a test says that nothing is wrong with it.
pub(crate) fn read_proven(file: FileId, source: &str) -> Document {
    let (mut document, mut problems) = (Document::new(Vec::new()), DocumentFindings::default());
    for root in parse_stream(file, source).documents.iter().filter_map(kvrules_syntax::Document::root) {
        read_root(root, &mut document, &mut problems, |_, _, _| ());
    }
    document
}

/// Looks at an entry whose every field is of the right type.
type EntryCheck = fn(&Entry, Node<'_>, &mut DocumentFindings);

fn finish_document(mut document: Document, mut problems: DocumentFindings) -> (Document, Vec<Diagnostic>) {
    verify::check_names(&mut document, &mut problems);
    // Checks of names come last but belong next to the other problems of their definition.
    (document, problems.into_sorted())
}

pub(crate) fn syntax_message(kind: Mistake, detail: &str) -> String {
    match kind {
        Mistake::DuplicateKey => "duplicate key in a mapping".to_owned(),
        _ if detail.is_empty() => "invalid syntax".to_owned(),
        _ => format!("invalid syntax: {detail}"),
    }
}

fn read_root(root: Node<'_>, document: &mut Document, problems: &mut DocumentFindings, look: EntryCheck) {
    let Some(mut fields) = MappingReader::new(root, "the document", DOCUMENT, problems) else { return };
    if let Some(kind) = fields.require("kind")
        && kind.as_str() != Some(KIND)
    {
        let message = format!("`{}` is not `{KIND}`", kind.text());
        fields.problems.push(lints::DEFINITION_SHAPE.diagnostic_at(kind.span(), message));
        return;
    }
    if let Some(version) = fields.require("version")
        && (version.kind(), version.text()) != (SyntaxKind::Number, "1")
    {
        let message = format!("unknown version `{}` of the format", version.text());
        let problem = lints::DEFINITION_SHAPE.diagnostic_at(version.span(), message);
        fields.problems.push(problem.with_help(format!("this release supports version {VERSION}")));
    }
    document.schema = fields.text_entry("$schema").or(document.schema.take());
    let Some(list) = fields.require("definitions") else { return };
    if !list.is_list() {
        problems.push_undecided(wrong_type(list, "`definitions`", "a list"));
        return;
    }
    for item in list.items() {
        document.definitions.extend(read_entry(item, problems, look));
    }
}

/// One entry; none if what is wrong leaves nothing to decide by.
fn read_entry(node: Node<'_>, problems: &mut DocumentFindings, look: EntryCheck) -> Option<Entry> {
    // Only the problems of this entry decide if it is kept.
    let before = problems.count_undecided();
    let mut fields = MappingReader::new(node, "the definition", ENTRY, problems)?;
    let name_node = fields.require("name");
    let name = fields.text_entry("name");
    let description = fields.text_entry("description").unwrap_or_default();
    let since = fields.text_entry("since");
    let image_property = fields.text_entry("image-property");
    let virt_drivers = fields.texts("virt-drivers").unwrap_or_default();
    let requires = fields.texts("requires").unwrap_or_default();
    let for_each = fields.get("for-each");
    let parameters = fields.get("parameters");
    let status = fields.get("status");
    let value = fields.require("value");
    let place = fields.place();
    if description.is_empty() && name.is_some() {
        let message = "missing description of the definition";
        let problem = lints::UNDESCRIBED_DEFINITION.diagnostic_at(place, message);
        fields.problems.push(problem.with_help("add a `description`"));
    }
    let value = value.and_then(|value| read_value(value, problems))?;
    let status = status.map_or(Some(Status::Supported), |status| read_status(status, problems));
    let entry = Entry {
        name: name?,
        description,
        for_each: for_each.map_or_else(BTreeMap::new, |node| read_for_each(node, problems)),
        parameters: parameters.map_or_else(Vec::new, |node| read_parameters(node, problems)),
        value,
        status: status.unwrap_or_default(),
        virt_drivers,
        requires,
        since,
        image_property,
        origin: name_node.map_or_else(Origin::default, |node| Origin::from(node.span())),
    };
    look(&entry, node, problems);
    (problems.count_undecided() == before).then_some(entry)
}

fn read_value(node: Node<'_>, problems: &mut DocumentFindings) -> Option<Value> {
    let mut fields = MappingReader::new(node, "the value", VALUE, problems)?;
    let description = fields.text_entry("description").unwrap_or_default();
    let word = fields.require("type")?;
    let own: &[&str] = match word.text() {
        "integer" => &["min", "max"],
        "string" => &["enum", "pattern"],
        _ => &[],
    };
    let r#type = match word.as_str() {
        Some("integer") => ValueType::Integer { min: fields.integer("min"), max: fields.integer("max") },
        Some("boolean") => ValueType::Boolean,
        Some("string") => {
            let pattern = fields.text_entry("pattern");
            let members = fields.get("enum");
            ValueType::String { members: members.and_then(|node| read_enum(node, fields.problems)), pattern }
        }
        _ => {
            let message = format!("unknown type `{}`", word.text());
            let problem = lints::DEFINITION_TYPE.diagnostic_at(word.span(), message);
            problems.push_undecided(problem.with_help(meant_type(word.text())));
            return None;
        }
    };
    // Nova ignores such a key in silence (base.py, ExtraSpecValidator._validate_int and _validate_str).
    for key in ["min", "max", "enum", "pattern"] {
        if let Some(entry) = node.entry(key).filter(|_| !own.contains(&key)) {
            let message = format!("`{key}` has no effect on a value of type `{}`", word.text());
            let problem = lints::DEFINITION_SHAPE.diagnostic_at(entry.key.span(), message);
            problems.push(problem.with_help("remove it, or choose another type"));
        }
    }
    Some(Value { r#type, description })
}

/// The type that a word of Python or of JSON Schema means.
fn meant_type(word: &str) -> String {
    let near = match word {
        "int" | "number" => "integer",
        "bool" => "boolean",
        "str" | "text" | "enum" => "string",
        _ => return suggest_name(word, &["integer", "boolean", "string"]),
    };
    format!("did you mean `{near}`?")
}

fn read_enum(node: Node<'_>, problems: &mut DocumentFindings) -> Option<Vec<EnumMember>> {
    if !node.is_list() {
        problems.push_undecided(wrong_type(node, "`enum`", "a list"));
        return None;
    }
    Some(node.items().filter_map(|item| read_member(item, problems)).collect())
}

fn read_member(node: Node<'_>, problems: &mut DocumentFindings) -> Option<EnumMember> {
    if !node.is_map() {
        return read_text(node, "an item of `enum`", problems).map(EnumMember::Plain);
    }
    let mut fields = MappingReader::new(node, "the item of `enum`", &["value", "description"], problems)?;
    fields.require("value")?;
    let description = fields.text_entry("description").unwrap_or_default();
    let value = fields.text_entry("value")?;
    Some(if description.is_empty() {
        EnumMember::Plain(value)
    } else {
        EnumMember::Described { value, description }
    })
}

fn read_parameters(node: Node<'_>, problems: &mut DocumentFindings) -> Vec<Parameter> {
    if !node.is_list() {
        problems.push_undecided(wrong_type(node, "`parameters`", "a list"));
        return Vec::new();
    }
    let read = |item| {
        let mut fields =
            MappingReader::new(item, "the parameter", &["name", "pattern", "description"], &mut *problems)?;
        fields.require("name");
        fields.require("pattern");
        let description = fields.text_entry("description").unwrap_or_default();
        Some(Parameter {
            name: fields.text_entry("name")?,
            pattern: fields.text_entry("pattern")?,
            description,
        })
    };
    node.items().filter_map(read).collect()
}

fn read_for_each(node: Node<'_>, problems: &mut DocumentFindings) -> BTreeMap<String, Vec<String>> {
    if !node.is_map() {
        problems.push_undecided(wrong_type(node, "`for-each`", "a mapping"));
        return BTreeMap::new();
    }
    let mut found = BTreeMap::new();
    for entry in node.entries() {
        if !found.is_empty() {
            let message = "`for-each` has more than one placeholder".to_owned();
            problems.push(lints::DEFINITION_SHAPE.diagnostic_at(entry.key.span(), message));
            break;
        }
        if !entry.value.is_list() {
            problems.push_undecided(wrong_type(entry.value, "the placeholder of `for-each`", "a list"));
            continue;
        }
        let texts = entry.value.items().filter_map(|item| read_text(item, "an item of `for-each`", problems));
        found.insert(entry.key.text().to_owned(), texts.collect());
    }
    found
}

fn read_status(node: Node<'_>, problems: &mut DocumentFindings) -> Option<Status> {
    if node.is_map() {
        let fields = MappingReader::new(node, "`status`", &["deprecated"], problems)?;
        let inner = fields.get("deprecated")?;
        let known = ["since", "reason", "replacement"];
        let mut fields = MappingReader::new(inner, "`deprecated`", &known, problems)?;
        return Some(Status::Deprecated {
            since: fields.text_entry("since"),
            reason: fields.text_entry("reason"),
            replacement: fields.text_entry("replacement"),
        });
    }
    match node.text() {
        "supported" => Some(Status::Supported),
        "experimental" => Some(Status::Experimental),
        "deprecated" => Some(Status::Deprecated { since: None, reason: None, replacement: None }),
        word => {
            let message = format!("unknown status `{word}`");
            let problem = lints::DEFINITION_TYPE.diagnostic_at(node.span(), message);
            problems.push_undecided(
                problem.with_help(suggest_name(word, &["supported", "experimental", "deprecated"])),
            );
            None
        }
    }
}
