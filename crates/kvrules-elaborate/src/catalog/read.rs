//! The catalog's file: a field a line (name, type, presence, default), indented below its parent.

use kvrules_ir::{Presence, Scalar, ValueType};

use super::{Catalog, CatalogNode, Subject};

pub(super) fn parse_catalog(text: &str) -> Catalog {
    let root = CatalogNode {
        name: String::new(),
        value_type: ValueType::Object,
        presence: Presence::Required,
        default: None,
        open: false,
        past: 0,
    };
    let mut nodes = vec![root];
    let mut open = vec![0];
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2 + 1;
        close_fields(&mut nodes, &mut open, depth);
        open.push(nodes.len());
        nodes.push(parse_node(line.trim()));
    }
    close_fields(&mut nodes, &mut open, 0);
    Catalog { subject: Subject::virtual_machine().clone(), nodes }
}

/// Ends every field that is open at `depth` or deeper.
fn close_fields(nodes: &mut [CatalogNode], open: &mut Vec<usize>, depth: usize) {
    let past = nodes.len();
    for index in open.drain(depth.min(open.len())..) {
        if let Some(node) = nodes.get_mut(index) {
            node.past = past;
        }
    }
}

fn parse_node(line: &str) -> CatalogNode {
    let mut words = line.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let name = word().to_owned();
    let value_type = value_type(word());
    let presence = parse_presence(word());
    CatalogNode {
        name,
        value_type,
        presence,
        default: parse_default(word(), value_type),
        open: false,
        past: 0,
    }
}

fn value_type(word: &str) -> ValueType {
    match word {
        "integer" => ValueType::Integer,
        "quantity" => ValueType::Quantity,
        "string" => ValueType::String,
        "boolean" => ValueType::Boolean,
        "int-or-string" => ValueType::IntOrString,
        "number" => ValueType::Number,
        "time" => ValueType::Time,
        "object" => ValueType::Object,
        "map" => ValueType::Map,
        "list" => ValueType::List,
        _ => ValueType::Any,
    }
}

fn parse_presence(word: &str) -> Presence {
    match word {
        "required" => Presence::Required,
        "defaulted" => Presence::Defaulted,
        _ => Presence::Optional,
    }
}

fn parse_default(word: &str, value_type: ValueType) -> Option<Scalar> {
    match value_type {
        _ if word.is_empty() => None,
        ValueType::Integer => word.parse().ok().map(Scalar::Integer),
        ValueType::Boolean => word.parse().ok().map(Scalar::Boolean),
        _ => Some(Scalar::Text(word.trim_matches('"').to_owned())),
    }
}
