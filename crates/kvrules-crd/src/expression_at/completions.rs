//! Names that may follow at a place of an expression.

use std::collections::BTreeMap;

use kvrules_cel::functions::SignatureType;
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_cel::types::escape_property;
use kvrules_cel::{NamedFunction, named_functions};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::chain::{chain_before, loop_names};
use super::facts::type_in_words;
use super::{ExpressionAt, FieldFacts, NameAt, NameOwner};

/// A name that fits a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedName {
    /// The text to write.
    pub name: String,
    /// Its kind.
    pub kind: OfferedKind,
    /// Its type or its signature.
    pub detail: String,
    /// More about it; empty if there is nothing.
    pub documentation: String,
}

/// Kind of a name that fits a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferedKind {
    /// A field.
    Field,
    /// A function or a macro.
    Function,
    /// A variable of the policy or of a loop, or a name such as `self`.
    Variable,
    /// A value of an enumeration.
    Value,
}

impl ExpressionAt<'_> {
    /// Returns the names that may be written at the place, for servers from the oldest one on.
    pub fn offered_names(&self, oldest: KubernetesVersion) -> Vec<OfferedName> {
        if let Some(quote) = open_quote(self.text().get(..self.offset).unwrap_or_default()) {
            return self.offered_values(quote);
        }
        let at = self.name_at();
        let functions = named_functions().into_iter();
        let functions = functions.filter(|function| function.since.is_none_or(|since| since <= oldest));
        match &at.owner {
            NameOwner::Variables => self.offered_variables(),
            NameOwner::Value(schemas) => {
                let space = self.namespace_before(&at).unwrap_or_default();
                let fits = |function: &NamedFunction| match function.name.rsplit_once('.') {
                    Some((own, _)) => own == space,
                    None => function.is_member && fits_receiver(schemas, &function.receivers),
                };
                let functions: Vec<_> = functions.filter(fits).collect();
                let is_space = functions.iter().any(|function| function.name.contains('.'));
                let own = functions.iter().filter(|function| !is_space || function.name.contains('.'));
                offered_fields(schemas).into_iter().chain(own.map(offered_function)).collect()
            }
            NameOwner::Start => {
                let global = functions.filter(|function| !function.is_member);
                let global = global.map(|function| offered_function(&function));
                self.offered_roots(&at).into_iter().chain(global).collect()
            }
        }
    }

    fn offered_variables(&self) -> Vec<OfferedName> {
        let offer = |variable: &super::PolicyVariable| OfferedName {
            name: variable.name.clone(),
            kind: OfferedKind::Variable,
            detail: variable.expression.split_whitespace().collect::<Vec<_>>().join(" "),
            documentation: String::new(),
        };
        self.variables.iter().map(offer).collect()
    }

    /// The names that an expression may begin with.
    fn offered_roots(&self, at: &NameAt) -> Vec<OfferedName> {
        let offer = |name: &str, detail: String| OfferedName {
            name: name.to_owned(),
            kind: OfferedKind::Variable,
            detail,
            documentation: String::new(),
        };
        let start = self.offset - at.typed.len();
        let loops = loop_names(self.text(), start).into_iter().map(|name| offer(&name, "loop".to_owned()));
        let known = self
            .names
            .iter()
            .map(|known| offer(known.name, known.schemas.first().map(type_in_words).unwrap_or_default()));
        let variables = (!self.variables.is_empty()).then(|| offer("variables", "variables".to_owned()));
        loops.chain(known).chain(variables).collect()
    }

    /// The values of the enumeration that a literal is compared with.
    fn offered_values(&self, quote: usize) -> Vec<OfferedName> {
        let before = self.text().get(..quote).unwrap_or_default().trim_end();
        let listed = before.rfind('[').and_then(|open| before.get(..open)).map(str::trim_end);
        let compared = before.strip_suffix("==").or_else(|| before.strip_suffix("!="));
        let Some(compared) = compared.or_else(|| listed?.strip_suffix("in")).map(str::trim_end) else {
            return Vec::new();
        };
        if chain_before(compared, compared.len()).is_none() {
            return Vec::new();
        }
        let schemas = self.resolve_before(compared.len());
        let values = schemas.iter().filter_map(|schema| schema.get("enum")?.as_array()).flatten();
        let offer = |value: &str| OfferedName {
            name: value.to_owned(),
            kind: OfferedKind::Value,
            detail: String::new(),
            documentation: String::new(),
        };
        values.filter_map(Json::as_str).map(offer).collect()
    }
}

/// The fields of values with these schemas, as expressions write them.
fn offered_fields(schemas: &[Json]) -> Vec<OfferedName> {
    let mut fields: BTreeMap<String, OfferedName> = BTreeMap::new();
    let properties = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object()).flatten();
    for (name, schema) in properties {
        let Some(escaped) = escape_property(name) else { continue };
        fields.entry(escaped.clone()).or_insert_with(|| {
            let facts = FieldFacts::of_schema(name, schema);
            OfferedName {
                name: escaped,
                kind: OfferedKind::Field,
                detail: facts.value_type,
                documentation: facts.description,
            }
        });
    }
    fields.into_values().collect()
}

fn offered_function(function: &NamedFunction) -> OfferedName {
    let since = function.since.map(|since| format!("Kubernetes {since} and newer")).unwrap_or_default();
    OfferedName {
        name: function.name.rsplit('.').next().unwrap_or_default().to_owned(),
        kind: OfferedKind::Function,
        detail: function.signatures.first().cloned().unwrap_or_default(),
        documentation: since,
    }
}

/// True if a function may be called on a value with one of these schemas. What is unknown may be anything.
fn fits_receiver(schemas: &[Json], receivers: &[SignatureType]) -> bool {
    let fits = |schema: &Json, receiver: &SignatureType| {
        let text = |key: &str| schema.get(key).and_then(Json::as_str).unwrap_or_default();
        if schema.get(INT_OR_STRING) == Some(&Json::Bool(true)) || text("type").is_empty() {
            return true;
        }
        match receiver {
            SignatureType::Dyn | SignatureType::Param(_) => true,
            SignatureType::Bool => text("type") == "boolean",
            SignatureType::Int => text("type") == "integer",
            SignatureType::Double => text("type") == "number",
            SignatureType::Timestamp => matches!(text("format"), "date" | "date-time"),
            SignatureType::Duration => text("format") == "duration",
            SignatureType::Bytes => text("format") == "byte",
            SignatureType::String => {
                let others = ["date", "date-time", "duration", "byte"];
                text("type") == "string" && !others.contains(&text("format"))
            }
            SignatureType::List(_) => text("type") == "array",
            SignatureType::Map(..) => text("type") == "object" && schema.get("properties").is_none(),
            _ => false,
        }
    };
    schemas.is_empty() || schemas.iter().any(|schema| receivers.iter().any(|receiver| fits(schema, receiver)))
}

/// The opening mark of the literal that a text ends in.
fn open_quote(text: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if char == '\\' => is_escaped = true,
            Some((_, mark)) if mark == char => open = None,
            None if matches!(char, '\'' | '"') => open = Some((at, char)),
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}
