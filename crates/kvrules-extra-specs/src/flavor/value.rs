//! Values of extra specs as tools read them.

use kvrules_syntax::yaml11::{Yaml11Value, read_as_yaml11};
use kvrules_syntax::{Node, SyntaxKind};

use crate::python::PyValue;

/// A program that reads a file with flavors or images, and sends them to an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// None: the file is an input or output of the API or its client.
    Api,
    /// Ansible, and files of variables as it reads them.
    Ansible,
    /// Heat.
    Heat,
    /// Terraform or OpenTofu: plans, states and configurations in JSON.
    Terraform,
    /// A controller of Kubernetes, whose definition takes strings alone.
    Kubernetes,
}

/// Value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpecValue {
    /// The string that Nova stores.
    Known(String),
    /// The tool computes the value, so that it is unknown.
    Computed,
    /// Not a value of an extra spec: the problem and the help.
    Wrong(String, String),
}

impl Tool {
    /// Returns the value of a key in a file of the tool.
    pub(super) fn read_value(self, key: &str, value: Node<'_>) -> SpecValue {
        if self.is_computed(value) {
            return SpecValue::Computed;
        }
        // PyYAML, which Ansible and Heat read with, follows YAML 1.1, as the YAML of Kubernetes does.
        let misread = if self == Self::Api { None } else { read_as_yaml11(value) };
        if let Some(Yaml11Value::Boolean(flag)) = misread {
            let message = format!("the value of `{key}` is the boolean `{flag}`, not a string");
            return SpecValue::Wrong(message, quote_help(value.text()));
        }
        match (self, PyValue::from_json(value)) {
            // The provider's schema is a map of strings, to which Terraform converts.
            (Self::Terraform, Some(PyValue::Bool(flag))) => SpecValue::Known(flag.to_string()),
            (Self::Kubernetes, Some(PyValue::Int(_) | PyValue::Float(_) | PyValue::Bool(_))) => {
                SpecValue::Wrong(format!("the value of `{key}` is not a string"), quote_help(value.text()))
            }
            (_, Some(PyValue::Str(_) | PyValue::Int(_) | PyValue::Float(_))) if misread.is_some() => {
                SpecValue::Known(misread.map(|value| value.to_string()).unwrap_or_default())
            }
            // Nova's schema takes strings and numbers; a boolean or `null` is refused (schemas/flavors_extraspecs.py, _metadata).
            (_, Some(plain @ (PyValue::Str(_) | PyValue::Int(_) | PyValue::Float(_)))) => {
                SpecValue::Known(plain.to_str())
            }
            _ => {
                let message = format!("the value of `{key}` is neither a string nor a number");
                SpecValue::Wrong(message, wrong_kind_help(value))
            }
        }
    }

    /// True if the tool replaces a value, or a part of it, before it sends it.
    pub(super) fn is_computed(self, value: Node<'_>) -> bool {
        let has = |open: &str, close: &str| {
            value.text().split_once(open).is_some_and(|(_, rest)| rest.contains(close))
        };
        !value.is_container() && value.has_tags()
            || match self {
                Self::Ansible => has("{{", "}}") || has("{%", "%}"),
                Self::Heat => {
                    let mut entries = value.entries();
                    let function = entries.next().filter(|_| entries.next().is_none());
                    function.is_some_and(|entry| is_heat_function(entry.key.text()))
                }
                Self::Terraform => has("${", "}") || has("%{", "}"),
                Self::Api | Self::Kubernetes => false,
            }
    }
}

/// True for a function of Heat, which is the only key of a map.
// heat engine/hot/template.py, HOTemplate20210416.functions
fn is_heat_function(key: &str) -> bool {
    const FUNCTIONS: [&str; 20] = [
        "contains",
        "digest",
        "filter",
        "get_attr",
        "get_file",
        "get_param",
        "get_resource",
        "if",
        "list_concat",
        "list_concat_unique",
        "list_join",
        "make_url",
        "map_merge",
        "map_replace",
        "repeat",
        "resource_facade",
        "str_replace",
        "str_replace_strict",
        "str_split",
        "yaql",
    ];
    FUNCTIONS.contains(&key) || key == "str_replace_vstrict" || key.starts_with("Fn::")
}

fn quote_help(text: &str) -> String {
    format!("put it in quotation marks: `\"{text}\"`")
}

fn wrong_kind_help(value: Node<'_>) -> String {
    match value.kind() {
        SyntaxKind::True | SyntaxKind::False => quote_help(value.text()),
        _ => "use a string or a number: Nova's API accepts no others".to_owned(),
    }
}
