//! The Go types that the validator decodes a VirtualMachine into.
//!
//! The validator sees no JSON: it sees structs with zero values, pointers that are set or not, and embedded structs
//! whose fields count as the outer one's. So the types are kept as Go has them, and names are resolved on them once.

mod load;
mod names;

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// The types of a VirtualMachine and of constants in paths.
// The types of kubevirt.io/api v1.8.1, with which the deployed validator was recorded.
static SCHEMA: LazyLock<GoSchema> = LazyLock::new(load::load_schema);

/// A type, by its place in the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

impl TypeId {
    /// Type of Go's `nil` in a walk: a value without a type.
    pub(crate) const INVALID: Self = Self(0);
    /// A Go `string`.
    pub(crate) const STRING: Self = Self(1);
    /// A Go `int`, which an integer in a path is.
    pub(crate) const INT: Self = Self(2);
    /// A Go `float64`, which a number with a point in a path is.
    pub(crate) const FLOAT: Self = Self(3);
    /// A Go `bool`.
    pub(crate) const BOOL: Self = Self(4);
    /// A Go `uint8`: what `.*` finds in a string.
    pub(crate) const BYTE: Self = Self(5);
}

/// A Go type.
#[derive(Debug)]
pub(crate) struct GoType {
    /// As `reflect.Type.String` has it.
    pub(crate) go: String,
    pub(crate) shape: GoShape,
    /// Decoder of its own, if it has one.
    pub(crate) own: CustomDecoding,
}

/// Shape of a type, as far as decoding and walking distinguish types.
#[derive(Debug)]
pub(crate) enum GoShape {
    Invalid,
    String,
    Bool,
    /// A signed integer of so many bits.
    Int(u32),
    /// An unsigned integer of so many bits.
    Uint(u32),
    Float,
    Pointer(TypeId),
    List(TypeId),
    Map(TypeId),
    Struct(GoStruct),
}

/// Types with a decoder of their own (`UnmarshalJSON`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// encoding/json decode.go, decodeState.indirect: an Unmarshaler gets its JSON as text.
pub(crate) enum CustomDecoding {
    Standard,
    Quantity,
    IntOrString,
    Time,
    /// Keeps its JSON as it is.
    FieldsV1,
    /// `VirtualMachineInstanceSpec`: decoded again into a type of another name, which appears in errors.
    Spec,
}

/// A struct: its fields in the order of their declaration, and what names lead to. Of the several hundred structs a
/// machine has few, so that tables of names are made when they are first asked.
#[derive(Debug, Default)]
pub(crate) struct GoStruct {
    pub(crate) fields: Vec<GoField>,
    /// Its id in the schema.
    id: TypeId,
    /// Fields that a path finds by name.
    found: OnceLock<HashMap<String, FieldRoute>>,
    /// Fields that a JSON key names.
    keys: OnceLock<KeyTable>,
}

/// A way through embedded structs, as the places of fields.
type FieldRoute = Vec<usize>;

/// Fields that JSON keys name in a struct.
#[derive(Debug, Default)]
struct KeyTable {
    exact: HashMap<String, FieldRoute>,
    /// By the key's folded form; of two that fold alike, the first.
    folded: HashMap<String, FieldRoute>,
}

impl GoStruct {
    /// The way to the field that a path's step names (E138, E140): fields' places, through embedded structs.
    // client-go util/jsonpath/jsonpath.go, JSONPath.findFieldInValue.
    pub(crate) fn find_path_field(&self, name: &str) -> Option<&[usize]> {
        let found = self.found.get_or_init(|| names::path_names(&GoSchema::get().types, self.id));
        found.get(name).map(Vec::as_slice)
    }

    /// The way to the field that a JSON key names: exactly, or else without regard to case (E348).
    // encoding/json decode.go, decodeState.object.
    pub(crate) fn find_json_field(&self, key: &str) -> Option<&[usize]> {
        let keys = self.keys.get_or_init(|| names::json_keys(&GoSchema::get().types, self.id));
        let found = keys.exact.get(key).or_else(|| keys.folded.get(&names::fold_key(key)?));
        found.map(Vec::as_slice)
    }
}

/// A field of a struct.
#[derive(Debug)]
pub(crate) struct GoField {
    /// The name in the `json` tag; empty if missing.
    pub(crate) json: String,
    pub(crate) go: String,
    /// True if its own fields count as the outer struct's.
    pub(crate) embedded: bool,
    pub(crate) ty: TypeId,
}

impl GoField {
    /// True if Go exports it to other packages.
    // Go's own rule. ssp-operator kubevirtjobs/refgen.go, isUnexported tests for a lower-case letter, to the same effect.
    pub(crate) fn is_exported(&self) -> bool {
        self.go.starts_with(|first: char| first.is_uppercase())
    }

    /// True if JSON can set it.
    fn is_decoded(&self) -> bool {
        self.is_exported() && self.json != "-"
    }
}

/// All types.
#[derive(Debug)]
pub(crate) struct GoSchema {
    types: Vec<GoType>,
    /// `*v1.VirtualMachine`, at which every query starts.
    root: TypeId,
}

impl GoSchema {
    /// The one schema there is.
    pub(crate) fn get() -> &'static Self {
        &SCHEMA
    }

    /// The pointer at which every query starts.
    pub(crate) fn root(&self) -> TypeId {
        self.root
    }

    /// Returns the type that a pointer points to, or else the type itself.
    pub(crate) fn pointed_type(&self, id: TypeId) -> TypeId {
        match self.type_of(id).shape {
            GoShape::Pointer(inner) => inner,
            _ => id,
        }
    }

    /// A type that the schema has given the id of.
    pub(crate) fn type_of(&self, id: TypeId) -> &GoType {
        static NOTHING: GoType =
            GoType { go: String::new(), shape: GoShape::Invalid, own: CustomDecoding::Standard };
        self.types.get(id.0 as usize).unwrap_or(&NOTHING)
    }

    /// The fields of a struct; none of any other type.
    pub(crate) fn fields(&self, id: TypeId) -> &[GoField] {
        match &self.type_of(id).shape {
            GoShape::Struct(inner) => &inner.fields,
            _ => &[],
        }
    }
}

/// The key as it compares without regard to case, where it is short enough to be one of ours.
pub(crate) fn fold_key(key: &str) -> Option<String> {
    names::fold_key(key)
}
