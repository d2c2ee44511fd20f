//! Metadata as the server reads it: into the Go struct `ObjectMeta`, which knows its fields and their types, and out again.

use kvrules_cel::go_text;
use kvrules_cel::value::time::Timestamp;
use serde_json::{Map, Value as Json};

/// Metadata after reading.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct DecodedMetadata {
    /// The metadata that is kept: known fields that are not empty.
    pub metadata: Json,
    /// The paths of unknown fields, below the metadata.
    pub unknown: Vec<String>,
}

/// Treatment of a field of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeErrorHandling {
    /// It is an error, as in a request.
    Refuse,
    /// It is dropped, as in what is read from storage.
    Drop,
}

/// The type of a field of a Go struct.
#[derive(Clone, Copy)]
enum MetadataFieldType {
    /// A string; the name of its type.
    Text(&'static str),
    /// A string that is written also if it is empty.
    KeptText(&'static str),
    Int,
    Bool,
    Time,
    TextMap,
    TextList,
    /// A list of structs: the name of their type, and their fields.
    Structs(&'static str, &'static [Field]),
    Anything,
}

type Field = (&'static str, MetadataFieldType);

// apimachinery apis/meta/v1/types.go, ObjectMeta
const OBJECT_META: &[Field] = &[
    ("name", MetadataFieldType::Text("string")),
    ("generateName", MetadataFieldType::Text("string")),
    ("namespace", MetadataFieldType::Text("string")),
    ("selfLink", MetadataFieldType::Text("string")),
    ("uid", MetadataFieldType::Text("types.UID")),
    ("resourceVersion", MetadataFieldType::Text("string")),
    ("generation", MetadataFieldType::Int),
    ("creationTimestamp", MetadataFieldType::Time),
    ("deletionTimestamp", MetadataFieldType::Time),
    ("deletionGracePeriodSeconds", MetadataFieldType::Int),
    ("labels", MetadataFieldType::TextMap),
    ("annotations", MetadataFieldType::TextMap),
    ("ownerReferences", MetadataFieldType::Structs("OwnerReference", OWNER_REFERENCE)),
    ("finalizers", MetadataFieldType::TextList),
    ("managedFields", MetadataFieldType::Structs("ManagedFieldsEntry", MANAGED_FIELDS)),
];

// apis/meta/v1/types.go, OwnerReference: the first four fields have no `omitempty`.
const OWNER_REFERENCE: &[Field] = &[
    ("apiVersion", MetadataFieldType::KeptText("string")),
    ("kind", MetadataFieldType::KeptText("string")),
    ("name", MetadataFieldType::KeptText("string")),
    ("uid", MetadataFieldType::KeptText("types.UID")),
    ("controller", MetadataFieldType::Bool),
    ("blockOwnerDeletion", MetadataFieldType::Bool),
];

// apis/meta/v1/types.go, ManagedFieldsEntry
const MANAGED_FIELDS: &[Field] = &[
    ("manager", MetadataFieldType::Text("string")),
    ("operation", MetadataFieldType::Text("v1.ManagedFieldsOperationType")),
    ("apiVersion", MetadataFieldType::Text("string")),
    ("time", MetadataFieldType::Time),
    ("fieldsType", MetadataFieldType::Text("string")),
    ("fieldsV1", MetadataFieldType::Anything),
    ("subresource", MetadataFieldType::Text("string")),
];

/// Reads metadata. The error is the text of Go's JSON decoder.
// apiextensions schema/objectmeta/coerce.go, GetObjectMetaWithOptions and SetObjectMeta
pub(crate) fn decode_metadata(
    metadata: &Json,
    lenience: TypeErrorHandling,
) -> Result<DecodedMetadata, String> {
    let Json::Object(fields) = metadata else {
        return match (metadata, lenience) {
            (Json::Null, _) => {
                Ok(DecodedMetadata { metadata: Json::Object(Map::new()), unknown: Vec::new() })
            }
            (other, TypeErrorHandling::Refuse) => {
                Err(format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", kind(other)))
            }
            (other, TypeErrorHandling::Drop) => {
                Ok(DecodedMetadata { metadata: other.clone(), unknown: Vec::new() })
            }
        };
    };
    let mut reader = MetadataReader { unknown: Vec::new(), error: None, lenience };
    let kept = reader.fields(
        fields,
        &StructLocation { struct_name: "ObjectMeta", names: "", path: "" },
        OBJECT_META,
    );
    match reader.error {
        Some(error) => Err(error),
        None => Ok(DecodedMetadata { metadata: Json::Object(kept), unknown: reader.unknown }),
    }
}

struct MetadataReader {
    unknown: Vec<String>,
    /// The first error; Go reads on behind it.
    error: Option<String>,
    lenience: TypeErrorHandling,
}

/// Location of a struct: the name of its type, the names of the fields to it, and its path with the indices of elements.
struct StructLocation<'a> {
    struct_name: &'a str,
    names: &'a str,
    path: &'a str,
}

impl StructLocation<'_> {
    fn names_of(&self, name: &str) -> String {
        format!("{}{name}", self.names)
    }

    fn path_of(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }
}

impl MetadataReader {
    fn fields(
        &mut self,
        fields: &Map<String, Json>,
        place: &StructLocation<'_>,
        known: &[Field],
    ) -> Map<String, Json> {
        // The server decodes the document into a map first, so the keys are sorted.
        let mut sorted: Vec<_> = fields.iter().collect();
        sorted.sort_by_key(|(name, _)| *name);
        let mut kept = Map::new();
        for (name, value) in sorted {
            let Some((_, ty)) = known.iter().find(|(known, _)| known == name) else {
                self.unknown.push(place.path_of(name));
                continue;
            };
            if let Some(value) = self.field(value, place, name, *ty) {
                kept.insert(name.clone(), value);
            }
        }
        for (name, ty) in known {
            if matches!(ty, MetadataFieldType::KeptText(_)) && !kept.contains_key(*name) {
                kept.insert((*name).to_owned(), Json::from(""));
            }
        }
        kept
    }

    /// The value of a field as it is written again; none if it is empty or cannot be read.
    fn field(
        &mut self,
        value: &Json,
        place: &StructLocation<'_>,
        name: &str,
        ty: MetadataFieldType,
    ) -> Option<Json> {
        if value.is_null() {
            return None;
        }
        match (ty, value) {
            (MetadataFieldType::Text(_) | MetadataFieldType::KeptText(_), Json::String(text)) => {
                (!text.is_empty()).then(|| value.clone())
            }
            (MetadataFieldType::Bool, Json::Bool(_)) | (MetadataFieldType::Anything, _) => {
                Some(value.clone())
            }
            // `generation` has `omitempty`; the grace period is a pointer, so its 0 is kept.
            (MetadataFieldType::Int, Json::Number(number)) if number.is_i64() => {
                (number.as_i64() != Some(0) || name != "generation").then(|| value.clone())
            }
            (MetadataFieldType::Time, Json::String(text)) => self.time(text),
            (MetadataFieldType::TextMap, Json::Object(map)) => self.text_map(map, place, name),
            (MetadataFieldType::TextList, Json::Array(items)) => self.text_list(items, place, name),
            (MetadataFieldType::Structs(struct_name, known), Json::Array(items)) => {
                self.structs(items, place, name, (struct_name, known))
            }
            _ => {
                self.mismatch(value, place, name, &type_name(ty));
                None
            }
        }
    }

    // apis/meta/v1/time.go, UnmarshalJSON; times are written again in UTC and without fractions of a second.
    fn time(&mut self, text: &str) -> Option<Json> {
        let Some(time) = Timestamp::parse(text) else {
            let shown = go_text::quote_string(text);
            self.fail(format!(
                "parsing time {shown} as \"2006-01-02T15:04:05Z07:00\": cannot parse {shown} as \"2006\""
            ));
            return None;
        };
        Some(time.utc_text().into())
    }

    fn text_map(&mut self, map: &Map<String, Json>, place: &StructLocation<'_>, name: &str) -> Option<Json> {
        let mut kept = Map::new();
        let mut is_readable = true;
        let mut sorted: Vec<_> = map.iter().collect();
        sorted.sort_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            match value {
                Json::String(_) => _ = kept.insert(key.clone(), value.clone()),
                Json::Null => _ = kept.insert(key.clone(), Json::from("")),
                other => {
                    self.mismatch(other, place, name, "string");
                    is_readable = false;
                }
            }
        }
        (is_readable && !kept.is_empty()).then_some(Json::Object(kept))
    }

    fn text_list(&mut self, items: &[Json], place: &StructLocation<'_>, name: &str) -> Option<Json> {
        let mut kept = Vec::new();
        let mut is_readable = true;
        for item in items {
            match item {
                Json::String(_) => kept.push(item.clone()),
                Json::Null => kept.push(Json::from("")),
                other => {
                    self.mismatch(other, place, name, "string");
                    is_readable = false;
                }
            }
        }
        (is_readable && !kept.is_empty()).then_some(Json::Array(kept))
    }

    fn structs(
        &mut self,
        items: &[Json],
        place: &StructLocation<'_>,
        name: &str,
        (struct_name, known): (&'static str, &[Field]),
    ) -> Option<Json> {
        let empty = Map::new();
        let mut kept = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let fields = match item {
                Json::Object(fields) => fields,
                Json::Null => &empty,
                other => {
                    self.mismatch(other, place, name, &format!("v1.{struct_name}"));
                    return None;
                }
            };
            let names = format!("{}.", place.names_of(name));
            let path = format!("{}[{index}].", place.path_of(name));
            let below = StructLocation { struct_name, names: &names, path: &path };
            kept.push(Json::Object(self.fields(fields, &below, known)));
        }
        (!kept.is_empty()).then_some(Json::Array(kept))
    }

    // encoding/json decode.go, (*UnmarshalTypeError).Error
    fn mismatch(&mut self, value: &Json, place: &StructLocation<'_>, name: &str, ty: &str) {
        let found = match value {
            Json::Number(_) if ty == "int64" => format!("number {}", go_text::encode_json(value)),
            other => kind(other).to_owned(),
        };
        let (struct_name, names) = (place.struct_name, place.names_of(name));
        self.fail(format!(
            "json: cannot unmarshal {found} into Go struct field {struct_name}.{names} of type {ty}"
        ));
    }

    fn fail(&mut self, error: String) {
        if self.lenience == TypeErrorHandling::Refuse {
            self.error.get_or_insert(error);
        }
    }
}

fn type_name(ty: MetadataFieldType) -> String {
    match ty {
        MetadataFieldType::Text(name) | MetadataFieldType::KeptText(name) => name.to_owned(),
        MetadataFieldType::Int => "int64".to_owned(),
        MetadataFieldType::Bool => "bool".to_owned(),
        MetadataFieldType::Time => "string".to_owned(),
        MetadataFieldType::TextMap => "map[string]string".to_owned(),
        MetadataFieldType::TextList => "[]string".to_owned(),
        MetadataFieldType::Structs(name, _) => format!("[]v1.{name}"),
        MetadataFieldType::Anything => "v1.FieldsV1".to_owned(),
    }
}

/// Returns Go's name for the kind of a JSON value.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
