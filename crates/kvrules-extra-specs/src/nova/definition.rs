//! A definition as Nova's Python code holds it.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use crate::definition::{Definition, ValueType};
use crate::python::PyValue;

/// A definition that Nova built.
#[derive(Clone, Debug, PartialEq)]
// nova api/validation/extra_specs/base.py, ExtraSpecValidator.
pub struct NovaDefinition {
    /// The name as written.
    pub name: String,
    /// Regular expression of the name: nothing is escaped, and parameters are named groups.
    pub name_regex: String,
    /// The type of the value.
    pub r#type: NovaType,
    /// `min`.
    pub min: Option<BigInt>,
    /// `max`.
    pub max: Option<BigInt>,
    /// `enum`.
    pub members: Option<Vec<NovaEnum>>,
    /// `pattern` of the value.
    pub pattern: Option<String>,
}

/// The types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NovaType {
    /// `int`.
    Int,
    /// `bool`.
    Bool,
    /// `str`.
    Str,
}

/// A member of an enum. Only texts can equal a value; what else was written is shown in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
// base.py, ExtraSpecValidator._validate_str tests `value not in enum`, and in Python no string equals a number.
pub struct NovaEnum {
    /// Result of `str` for it.
    pub text: String,
    /// True if it is a text.
    pub is_text: bool,
}

/// The class of the error that building a definition raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstructError {
    /// A key is missing: `pattern` or `name` of a parameter, `type` of the value.
    KeyError,
    /// The type is not one of the three.
    ValueError,
}

impl ConstructError {
    /// The name of the class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KeyError => "KeyError",
            Self::ValueError => "ValueError",
        }
    }
}

impl NovaDefinition {
    /// Builds a definition from an object with Nova's words: `name`, `type` (`int`, `bool`, `str`), `min`, `max`, `enum`,
    /// `pattern`, and `parameters` of `name` and `pattern`.
    ///
    /// # Errors
    ///
    /// The error that Nova raises.
    // nova api/validation/extra_specs/base.py, ExtraSpecValidator.__post_init__: parameters are replaced before the type
    // is tested, so their KeyError comes before the ValueError.
    pub fn from_node(node: Node<'_>) -> Result<Self, ConstructError> {
        let name = node.get("name").map(Node::text).unwrap_or_default();
        let mut name_regex = name.to_owned();
        for parameter in node.get("parameters").into_iter().flat_map(Node::items) {
            let name = parameter.get("name").ok_or(ConstructError::KeyError)?;
            let pattern = parameter.get("pattern").ok_or(ConstructError::KeyError)?;
            name_regex = with_parameter(&name_regex, name.text(), pattern.text());
        }
        let r#type = match node.get("type").ok_or(ConstructError::KeyError)?.as_str() {
            Some("int") => NovaType::Int,
            Some("bool") => NovaType::Bool,
            Some("str") => NovaType::Str,
            _ => return Err(ConstructError::ValueError),
        };
        let integer = |key: &str| node.get(key).and_then(|node| node.text().parse().ok());
        let member = |node: Node<'_>| NovaEnum {
            text: PyValue::from_json(node).map(|value| value.to_str()).unwrap_or_default(),
            is_text: node.kind() == SyntaxKind::String,
        };
        Ok(Self {
            name: name.to_owned(),
            name_regex,
            r#type,
            min: integer("min"),
            max: integer("max"),
            members: node.get("enum").map(|list| list.items().map(member).collect()),
            pattern: node.get("pattern").map(|node| node.text().to_owned()),
        })
    }

    /// The name regex up to its first `:`, which is what Nova registers as a namespace.
    // nova api/validation/extra_specs/validators.py, load_validators: cut at the first `:` of the expression, and so inside a
    // parameter's pattern if that has one.
    pub fn namespace_regex(&self) -> Option<String> {
        self.name_regex.split_once(':').map(|(namespace, _)| namespace.to_owned())
    }
}

// base.py, ExtraSpecValidator.__post_init__: str.replace takes every occurrence, and nothing is escaped.
fn with_parameter(name: &str, parameter: &str, pattern: &str) -> String {
    name.replace(&format!("{{{parameter}}}"), &format!("(?P<{parameter}>{pattern})"))
}

// Our registry escapes names; Nova does not, so the name goes over as it is.
impl From<&Definition> for NovaDefinition {
    fn from(definition: &Definition) -> Self {
        let name_regex = definition.parameters.iter().fold(definition.name.clone(), |name, parameter| {
            with_parameter(&name, &parameter.name, &parameter.pattern)
        });
        let mut nova = Self {
            name: definition.name.clone(),
            name_regex,
            r#type: NovaType::Str,
            min: None,
            max: None,
            members: None,
            pattern: None,
        };
        match &definition.value.r#type {
            ValueType::Integer { min, max } => {
                nova.r#type = NovaType::Int;
                nova.min = min.map(BigInt::from);
                nova.max = max.map(BigInt::from);
            }
            ValueType::Boolean => nova.r#type = NovaType::Bool,
            ValueType::String { members, pattern } => {
                let member = |text: &str| NovaEnum { text: text.to_owned(), is_text: true };
                nova.members =
                    members.as_ref().map(|all| all.iter().map(|one| member(one.value())).collect());
                nova.pattern.clone_from(pattern);
            }
        }
        nova
    }
}
