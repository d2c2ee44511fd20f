//! Kinds of objects that annotations are about: their fields, random objects, and the values that paths find in them, by
//! `docs/internals/meaning.md`.

use serde_json::{Map, Value as Json, json};

use crate::Random;

/// Presence of a field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// There with its object, with this value in JSON if it is not spelled out.
    Defaulted(&'static str),
    Optional,
}

/// A value that objects have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Integer,
    Text,
    Quantity,
    Object(&'static [Field]),
    List(&'static Node),
}

/// A field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    name: &'static str,
    presence: Presence,
    node: Node,
}

const fn field(name: &'static str, presence: Presence, node: Node) -> Field {
    Field { name, presence, node }
}

/// A kind of objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) root: Node,
    /// True if a schema describes the objects, which kvrules does not know otherwise.
    pub(crate) has_schema: bool,
}

use Node::{Integer, List, Object, Quantity, Text};
use Presence::{Defaulted, Optional, Required};

/// Objects that a schema describes.
pub(crate) static PONDS: World = World {
    has_schema: true,
    root: Object(&[
        field("n", Optional, Integer),
        field("r", Required, Integer),
        field("d", Defaulted("1"), Integer),
        field("s", Optional, Text),
        field("t", Defaulted("\"ab\""), Text),
        field(
            "o",
            Optional,
            Object(&[
                field("n", Optional, Integer),
                field("s", Optional, Text),
                field("d", Defaulted("2"), Integer),
                field("r", Required, Text),
            ]),
        ),
        field("u", Required, Object(&[field("s", Optional, Text), field("r", Required, Integer)])),
        field(
            "boxes",
            Optional,
            List(&Object(&[
                field("n", Optional, Integer),
                field("s", Optional, Text),
                field("name", Required, Text),
                field("slot", Optional, Object(&[field("bus", Required, Text)])),
                field(
                    "ports",
                    Optional,
                    List(&Object(&[field("port", Required, Integer), field("s", Optional, Text)])),
                ),
            ])),
        ),
        field("sizes", Optional, List(&Integer)),
        field("command", Optional, List(&Text)),
    ]),
};

/// VirtualMachines, as far as paths are about these fields.
pub(crate) static MACHINES: World = World {
    has_schema: false,
    root: Object(&[field(
        "spec",
        Required,
        Object(&[
            field("hostname", Defaulted("\"\""), Text),
            field(
                "domain",
                Required,
                Object(&[
                    field(
                        "cpu",
                        Optional,
                        Object(&[
                            field("cores", Defaulted("1"), Integer),
                            field("sockets", Defaulted("1"), Integer),
                            field("model", Defaulted("\"\""), Text),
                        ]),
                    ),
                    field("memory", Optional, Object(&[field("guest", Optional, Quantity)])),
                    field(
                        "devices",
                        Required,
                        Object(&[
                            field(
                                "disks",
                                Defaulted("[]"),
                                List(&Object(&[
                                    field("name", Required, Text),
                                    field("bootOrder", Optional, Integer),
                                    field("serial", Defaulted("\"\""), Text),
                                    field("disk", Optional, Object(&[field("bus", Defaulted("\"\""), Text)])),
                                    field(
                                        "cdrom",
                                        Optional,
                                        Object(&[field("bus", Defaulted("\"\""), Text)]),
                                    ),
                                ])),
                            ),
                            field(
                                "interfaces",
                                Defaulted("[]"),
                                List(&Object(&[
                                    field("name", Required, Text),
                                    field("model", Defaulted("\"\""), Text),
                                    field(
                                        "ports",
                                        Defaulted("[]"),
                                        List(&Object(&[field("port", Required, Integer)])),
                                    ),
                                ])),
                            ),
                        ]),
                    ),
                ]),
            ),
        ]),
    )]),
};

/// Texts that objects and rules have.
pub(crate) const TEXTS: [&str; 6] = ["", "a", "b", "ab", "ba", "abab"];
const QUANTITIES: [&str; 8] = ["0", "1", "1Gi", "1.5Gi", "1536Mi", "2Gi", "100m", "2147483648"];

impl World {
    /// The schema of the objects.
    pub(crate) fn schema(&self) -> Json {
        schema_of(&self.root)
    }

    /// A random object, from where paths start.
    pub(crate) fn random_object(&self, random: &mut Random) -> Json {
        random_value(&self.root, random)
    }

    /// The values that a path finds.
    pub(crate) fn values_at(&self, object: &Json, path: &str) -> Vec<Json> {
        values_from(&self.root, object, path).into_iter().map(|(_, value)| value).collect()
    }

    /// True if the last field of a path is absent from an object that is there.
    pub(crate) fn has_unset(&self, object: &Json, path: &str) -> bool {
        let Some((parent, name)) = path.rsplit_once('.') else { return false };
        values_from(&self.root, object, parent).iter().any(|(_, value)| value.get(name).is_none())
    }

    /// The node at the end of a path.
    pub(crate) fn node_at(&self, path: &str) -> Option<Node> {
        node_from(self.root, path)
    }
}

impl Node {
    /// The paths of all nodes below, each with its node. Lists are there as a whole, and with all items: `.a`, `.a[*]`.
    pub(crate) fn paths(&self) -> Vec<(String, Self)> {
        let mut paths = Vec::new();
        add_paths(self, String::new(), &mut paths);
        paths.remove(0);
        paths
    }
}

/// The node at the end of a path from another.
pub(crate) fn node_from(from: Node, path: &str) -> Option<Node> {
    split_path(path)?.into_iter().try_fold(from, |node, step| match (step, node) {
        (PathStep::Name(name), Object(fields)) => {
            fields.iter().find(|field| field.name == name).map(|field| field.node)
        }
        (PathStep::All | PathStep::Item(_), List(items)) => Some(*items),
        _ => None,
    })
}

/// The values that a path finds in a value of a node, with their nodes.
pub(crate) fn values_from(from: &Node, value: &Json, path: &str) -> Vec<(Node, Json)> {
    let Some(steps) = split_path(path) else { return Vec::new() };
    steps.into_iter().fold(vec![(*from, value.clone())], |found, step| {
        found.into_iter().flat_map(|(node, value)| step_into(node, &value, &step)).collect()
    })
}

fn step_into(node: Node, value: &Json, step: &PathStep) -> Vec<(Node, Json)> {
    match (step, node) {
        (PathStep::Name(name), Object(fields)) => {
            let Some(field) = fields.iter().find(|field| field.name == name) else { return Vec::new() };
            let default = || match field.presence {
                Defaulted(text) => serde_json::from_str(text).ok(),
                _ => None,
            };
            let found = value.get(name).cloned().or_else(default);
            found.into_iter().map(|value| (field.node, value)).collect()
        }
        (PathStep::All, List(items)) => {
            value.as_array().into_iter().flatten().map(|item| (*items, item.clone())).collect()
        }
        (PathStep::Item(index), List(items)) => {
            value.get(index).into_iter().map(|item| (*items, item.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PathStep {
    Name(String),
    All,
    Item(usize),
}

/// The steps of a path: `.a[*].b[0]`, with or without the first point.
fn split_path(path: &str) -> Option<Vec<PathStep>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    let mut steps = Vec::new();
    for part in path.strip_prefix('.').unwrap_or(path).split('.') {
        let (name, mut rest) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        steps.extend((!name.is_empty()).then(|| PathStep::Name(name.to_owned())));
        while let Some((index, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            steps.push(if index == "*" { PathStep::All } else { PathStep::Item(index.parse().ok()?) });
            rest = behind;
        }
        rest.is_empty().then_some(())?;
    }
    Some(steps)
}

fn add_paths(node: &Node, path: String, paths: &mut Vec<(String, Node)>) {
    paths.push((path.clone(), *node));
    match node {
        Object(fields) => {
            fields.iter().for_each(|field| add_paths(&field.node, format!("{path}.{}", field.name), paths));
        }
        List(items) => add_paths(items, format!("{path}[*]"), paths),
        Integer | Text | Quantity => {}
    }
}

fn schema_of(node: &Node) -> Json {
    match node {
        Integer => json!({"type": "integer"}),
        Text | Quantity => json!({"type": "string"}),
        List(items) => json!({"type": "array", "items": schema_of(items)}),
        Object(fields) => {
            let required: Vec<&str> =
                fields.iter().filter(|it| it.presence == Required).map(|it| it.name).collect();
            let property = |field: &Field| {
                let mut schema = schema_of(&field.node);
                if let Defaulted(text) = field.presence {
                    schema["default"] = serde_json::from_str(text).unwrap_or_default();
                }
                (field.name.to_owned(), schema)
            };
            let properties: Map<String, Json> = fields.iter().map(property).collect();
            json!({"type": "object", "required": required, "properties": properties})
        }
    }
}

fn random_value(node: &Node, random: &mut Random) -> Json {
    match node {
        Integer => json!(random.between(-1, 5)),
        Text => json!(random.choose(&TEXTS)),
        Quantity => json!(random.choose(&QUANTITIES)),
        List(items) => (0..random.below(4)).map(|_| random_value(items, random)).collect(),
        Object(fields) => {
            let mut object = Map::new();
            for field in *fields {
                if field.presence == Required || random.chance(3, 5) {
                    object.insert(field.name.to_owned(), random_value(&field.node, random));
                }
            }
            Json::Object(object)
        }
    }
}
