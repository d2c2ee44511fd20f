//! Reads the schema's text: one field a line, what it holds indented below it.

use std::collections::HashMap;

use super::{CustomDecoding, GoField, GoSchema, GoShape, GoStruct, GoType, TypeId};

const TEXT: &str = include_str!("kubevirt-vm.txt");

/// Parts of the types that decode themselves. Rules see these parts, private ones too (E335).
// apimachinery resource/quantity.go, Quantity, as of v0.35.3; later releases move `i`, `d` and `s` into a quantityState.
const PARTS: &str = "\
_ i resource.int64Amount struct
  _ value int64 int64
  _ scale resource.Scale int32
_ d resource.infDecAmount struct
  _ +Dec *inf.Dec struct
    _ unscaled big.Int struct
      _ neg bool bool
      _ abs big.nat list
        [] _ big.Word uint
    _ scale inf.Scale int32
_ s string string
_ +Format resource.Format string
";
// apimachinery util/intstr, IntOrString.
const INT_OR_STRING: &str = "\
_ Type intstr.Type int64
_ IntVal int32 int32
_ StrVal string string
";
// apimachinery meta/v1/time.go, Time. Of a location only its presence is decoded, so its lists need no fields.
const TIME: &str = "\
_ +Time time.Time struct
  _ wall uint64 uint64
  _ ext int64 int64
  _ loc *time.Location struct
    _ name string string
    _ zone []time.zone list
      [] _ time.zone struct
    _ tx []time.zoneTrans list
      [] _ time.zoneTrans struct
    _ extend string string
    _ cacheStart int64 int64
    _ cacheEnd int64 int64
    _ cacheZone *time.zone struct
";
const FIELDS_V1: &str = "\
- Raw []uint8 list
  [] _ uint8 uint8
";

/// A line of the schema's text.
struct Line<'t> {
    depth: usize,
    json: &'t str,
    go: &'t str,
    ty: &'t str,
    kind: &'t str,
}

struct Loader {
    types: Vec<GoType>,
    /// The types that decode themselves, by name and kind: each is made once.
    own: HashMap<(String, String), TypeId>,
}

pub(super) fn load_schema() -> GoSchema {
    let basic = [
        ("", GoShape::Invalid),
        ("string", GoShape::String),
        ("int", GoShape::Int(64)),
        ("float64", GoShape::Float),
        ("bool", GoShape::Bool),
        ("uint8", GoShape::Uint(8)),
    ];
    let types = basic.into_iter().map(|(go, shape)| GoType {
        go: go.to_owned(),
        shape,
        own: CustomDecoding::Standard,
    });
    let mut loader = Loader { types: types.collect(), own: HashMap::new() };
    let lines: Vec<Line<'_>> = lines(TEXT);
    let machine =
        lines.first().map_or(TypeId::INVALID, |root| loader.ty(root, lines.get(1..).unwrap_or(&[])));
    let root =
        loader.add("*v1.VirtualMachine".to_owned(), GoShape::Pointer(machine), CustomDecoding::Standard);
    GoSchema { types: loader.types, root }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    text.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<Line<'_>> {
    let depth = text.len() - text.trim_start().len();
    let mut words = text.split_whitespace();
    let json = words.next().filter(|word| !word.starts_with('#'))?;
    Some(Line { depth, json, go: words.next()?, ty: words.next()?, kind: words.next()? })
}

impl Loader {
    fn add(&mut self, go: String, mut shape: GoShape, own: CustomDecoding) -> TypeId {
        let id = u32::try_from(self.types.len()).map_or(TypeId::INVALID, TypeId);
        if let GoShape::Struct(inner) = &mut shape {
            inner.id = id;
        }
        self.types.push(GoType { go, shape, own });
        id
    }

    /// The type of a line, with the lines that follow it.
    fn ty(&mut self, line: &Line<'_>, rest: &[Line<'_>]) -> TypeId {
        let inside = rest.iter().take_while(|inner| inner.depth > line.depth).count();
        let inside = rest.get(..inside).unwrap_or_default();
        if let Some(pointed) = line.ty.strip_prefix('*') {
            let inner = self.plain(pointed, line.kind, inside);
            return self.add(line.ty.to_owned(), GoShape::Pointer(inner), CustomDecoding::Standard);
        }
        self.plain(line.ty, line.kind, inside)
    }

    fn plain(&mut self, go: &str, kind: &str, inside: &[Line<'_>]) -> TypeId {
        // Types that decode themselves have no lines below them, and are the same everywhere.
        if let Some(known) = self.own.get(&(go.to_owned(), kind.to_owned())) {
            return *known;
        }
        let (shape, own) = match kind {
            "string" if go == "string" => return TypeId::STRING,
            "bool" if go == "bool" => return TypeId::BOOL,
            "string" => (GoShape::String, CustomDecoding::Standard),
            "bool" => (GoShape::Bool, CustomDecoding::Standard),
            "list" => (GoShape::List(self.item(inside)), CustomDecoding::Standard),
            "map" => (GoShape::Map(self.item(inside)), CustomDecoding::Standard),
            "quantity" => (self.parts(PARTS), CustomDecoding::Quantity),
            "intOrString" => (self.parts(INT_OR_STRING), CustomDecoding::IntOrString),
            "time" => (self.parts(TIME), CustomDecoding::Time),
            "fieldsV1" => (self.parts(FIELDS_V1), CustomDecoding::FieldsV1),
            "struct" if go == "v1.VirtualMachineInstanceSpec" => (self.fields(inside), CustomDecoding::Spec),
            "struct" => (self.fields(inside), CustomDecoding::Standard),
            number => (number_shape(number), CustomDecoding::Standard),
        };
        let id = self.add(go.to_owned(), shape, own);
        if !matches!(own, CustomDecoding::Standard | CustomDecoding::Spec) {
            self.own.insert((go.to_owned(), kind.to_owned()), id);
        }
        id
    }

    fn parts(&mut self, text: &str) -> GoShape {
        self.fields(&lines(text))
    }

    fn item(&mut self, inside: &[Line<'_>]) -> TypeId {
        match inside.split_first() {
            Some((first, rest)) => self.ty(first, rest),
            // The facts have no line for the items of a list of plain texts.
            None => TypeId::STRING,
        }
    }

    fn fields(&mut self, inside: &[Line<'_>]) -> GoShape {
        let mut fields = Vec::new();
        let depth = inside.first().map_or(0, |first| first.depth);
        for (at, line) in inside.iter().enumerate().filter(|(_, line)| line.depth == depth) {
            let ty = self.ty(line, inside.get(at + 1..).unwrap_or_default());
            let embedded = line.go.starts_with('+');
            let json = if line.json == "_" { "" } else { line.json };
            let go = line.go.trim_start_matches('+').to_owned();
            fields.push(GoField { json: json.to_owned(), go, embedded, ty });
        }
        GoShape::Struct(GoStruct { fields, ..GoStruct::default() })
    }
}

fn number_shape(kind: &str) -> GoShape {
    let (signed, bits) = match kind.strip_prefix('u') {
        Some(rest) => (false, rest.strip_prefix("int")),
        None => (true, kind.strip_prefix("int")),
    };
    let bits = bits.and_then(|bits| bits.parse().ok()).unwrap_or(64);
    if signed { GoShape::Int(bits) } else { GoShape::Uint(bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(path: &[&str]) -> &'static GoType {
        let schema = GoSchema::get();
        let mut id = schema.root();
        for name in path {
            id = schema.pointed_type(id);
            id = match &schema.type_of(id).shape {
                GoShape::Struct(inner) => {
                    let way = inner.find_path_field(name).unwrap_or_else(|| panic!("no {name}"));
                    way.iter().fold(id, |id, at| schema.fields(schema.pointed_type(id))[*at].ty)
                }
                GoShape::List(item) | GoShape::Map(item) => *item,
                other => panic!("{other:?}"),
            };
        }
        schema.type_of(id)
    }

    #[test]
    fn fields_have_their_go_types() {
        let domain = ["spec", "template", "spec", "domain"];
        let below = |names: &[&'static str]| ty(&[&domain[..], names].concat()).go.as_str();
        assert_eq!(below(&["cpu"]), "*v1.CPU");
        assert_eq!(below(&["CPU", "Cores"]), "uint32");
        assert_eq!(below(&["devices", "disks", "[]", "cdrom", "tray"]), "v1.TrayState");
        assert_eq!(below(&["memory", "guest", "i", "scale"]), "resource.Scale");
        assert_eq!(below(&["resources", "requests", "{}"]), "resource.Quantity");
        assert_eq!(
            ty(&["spec", "template", "spec", "volumes", "[]", "memoryDump", "claimName"]).go,
            "string"
        );
        assert_eq!(ty(&["metadata", "labels"]).go, "map[string]string");
    }

    #[test]
    fn fields_embedded_by_pointer_are_found_by_go_name_only() {
        let path = ["spec", "template", "spec", "domain", "devices", "gpus", "[]"];
        let GoShape::Struct(gpu) = &ty(&path).shape else { panic!("no struct") };
        assert_eq!(gpu.find_path_field("claimName"), None);
        assert_eq!(gpu.find_path_field("ClaimName"), Some(&[2, 0][..]));
        assert_eq!(gpu.find_json_field("claimname"), Some(&[2, 0][..]));
    }
}
