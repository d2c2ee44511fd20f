//! Definition of one extra spec: its name, which may have parameters, its value, and its documentation.

use std::collections::BTreeMap;

use kvrules_diagnostics::Origin;
use schemars::JsonSchema;
use serde::Serialize;

/// One extra spec, or with parameters a family of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The key as written, with parameters in braces: `hw:numa_cpus.{num}`.
    pub name: String,
    /// The parameters of the name.
    pub parameters: Vec<Parameter>,
    /// Description of the extra spec.
    pub description: String,
    /// Support status.
    pub status: Status,
    /// The values that it may have.
    pub value: Value,
    /// The virt drivers that support it; empty if unknown. For documentation only.
    pub virt_drivers: Vec<String>,
    /// The extra specs that must be set with it. For documentation only.
    pub requires: Vec<String>,
    /// The first release that supports it.
    pub since: Option<String>,
    /// The image property of the same meaning.
    pub image_property: Option<String>,
    /// The name of the `for-each` entry that it was generated from; `None` for an entry of its own.
    pub family: Option<String>,
    /// Location of the definition.
    pub origin: Origin,
}

impl Definition {
    /// The part of the name before its first `:` outside of parameters; none if there is none.
    // Other than nova api/validation/extra_specs/validators.py, load_validators, which cuts the finished expression at its
    // first `:`, and so may cut a parameter's pattern in two.
    pub fn namespace(&self) -> Option<Namespace<'_>> {
        let mut depth = 0usize;
        for (at, char) in self.name.char_indices() {
            match char {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ':' if depth == 0 => return self.name.get(..at).map(Namespace),
                _ => {}
            }
        }
        None
    }

    /// The namespace without parameters: `trait` of `trait{group}:HW_CPU_X86_AVX`. None if there is no namespace.
    pub fn group(&self) -> Option<&str> {
        self.namespace().map(|namespace| namespace.0.split('{').next().unwrap_or_default())
    }

    /// True if the name has a parameter that is declared.
    // A parameter that does not occur in the name has no effect, as in Nova: str.replace does not find it.
    pub fn is_patterned(&self) -> bool {
        self.parameters.iter().any(|parameter| self.name.contains(&parameter.to_placeholder()))
    }

    /// The pieces of the name in their order.
    pub(crate) fn pieces(&self) -> Vec<NamePiece<'_>> {
        split_pieces(&self.name, &self.parameters)
    }
}

/// A namespace as written, such as `hw` or `trait{group}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace<'d>(pub &'d str);

/// A piece of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamePiece<'d> {
    Text(&'d str),
    Parameter(&'d Parameter),
}

/// Splits a text at the declared parameters. Other braces are literal.
pub(crate) fn split_pieces<'d>(text: &'d str, parameters: &'d [Parameter]) -> Vec<NamePiece<'d>> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        // Braces without a parameter are literal in Nova, too (base.py, ExtraSpecValidator.__post_init__).
        let parameter = parameters.iter().find(|parameter| rest.starts_with(&parameter.to_placeholder()));
        let Some(parameter) = parameter else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        found.extend(text.get(start..at).filter(|text| !text.is_empty()).map(NamePiece::Text));
        found.push(NamePiece::Parameter(parameter));
        at += parameter.to_placeholder().len();
        start = at;
    }
    found.extend(text.get(start..).filter(|text| !text.is_empty()).map(NamePiece::Text));
    found
}

/// A parameter of a name.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameter {
    /// Its name, which is in braces in the name of the extra spec.
    pub name: String,
    /// A Python regular expression that its whole value matches.
    pub pattern: String,
    /// Its meaning.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub description: String,
}

impl Parameter {
    /// `{name}`.
    pub fn to_placeholder(&self) -> String {
        format!("{{{}}}", self.name)
    }
}

/// Support status of an extra spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Status {
    /// It is supported.
    #[default]
    Supported,
    /// It may change or be removed.
    Experimental,
    /// It is deprecated.
    #[schemars(rename_all = "kebab-case")]
    Deprecated {
        /// The release that deprecated it.
        since: Option<String>,
        /// The reason.
        reason: Option<String>,
        /// The extra spec to use instead.
        replacement: Option<String>,
    },
}

impl Serialize for Status {
    /// A word, or `deprecated` with what there is to say. YAML's own way to write such a choice is a tag, which people
    /// do not expect.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Supported => serializer.serialize_str("supported"),
            Self::Experimental => serializer.serialize_str("experimental"),
            Self::Deprecated { since, reason, replacement } => {
                let fields = [("since", since), ("reason", reason), ("replacement", replacement)];
                let texts = fields.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?)));
                serializer.collect_map([("deprecated", texts.collect::<BTreeMap<_, _>>())])
            }
        }
    }
}

impl Status {
    /// True if the extra spec is supported without reservations.
    pub fn is_supported(&self) -> bool {
        *self == Self::Supported
    }
}

/// The allowed values of an extra spec.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Value {
    /// The type and its limits.
    #[serde(flatten)]
    pub r#type: ValueType,
    /// Meaning of the value.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub description: String,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ValueType {
    /// An integer.
    Integer {
        /// The minimum.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<i64>")]
        min: Option<i128>,
        /// The maximum.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<i64>")]
        max: Option<i128>,
    },
    /// A boolean, in one of its spellings.
    Boolean,
    /// A string: one of a list, one that matches a pattern, or any.
    String {
        /// The allowed strings.
        #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
        members: Option<Vec<EnumMember>>,
        /// A Python regular expression that the whole string matches. If it is set, `enum` has no effect.
        #[serde(skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
}

impl ValueType {
    /// The name of the type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Integer { .. } => "integer",
            Self::Boolean => "boolean",
            Self::String { .. } => "string",
        }
    }
}

/// An allowed string.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum EnumMember {
    /// The string alone.
    Plain(String),
    /// The string and its meaning.
    Described {
        /// The string.
        value: String,
        /// Its meaning.
        description: String,
    },
}

impl EnumMember {
    /// The string.
    pub fn value(&self) -> &str {
        match self {
            Self::Plain(value) | Self::Described { value, .. } => value,
        }
    }

    /// Returns the description; empty if unset.
    pub fn description(&self) -> &str {
        match self {
            Self::Plain(_) => "",
            Self::Described { description, .. } => description,
        }
    }
}

impl Serialize for EnumMember {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        match self {
            Self::Plain(value) => serializer.serialize_str(value),
            Self::Described { value, description } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("value", value)?;
                map.serialize_entry("description", description)?;
                map.end()
            }
        }
    }
}
