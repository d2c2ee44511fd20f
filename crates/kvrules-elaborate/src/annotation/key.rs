//! The keys of a rule.

/// A key that some version of the annotation text knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `rule`: the kind.
    Rule,
    /// `name`
    Name,
    /// `path`
    Path,
    /// `message`
    Message,
    /// `justWarning` (201902)
    JustWarning,
    /// `valid`: the guard.
    Valid,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `minLength`
    MinLength,
    /// `maxLength`
    MaxLength,
    /// `values` (201902)
    Values,
    /// `included`: the 201901 name of `values`.
    Included,
    /// `regex`
    Regex,
}

/// All keys, in the order in which the texts introduce them.
pub const ALL_KEYS: [Key; 13] = [
    Key::Rule,
    Key::Name,
    Key::Path,
    Key::Message,
    Key::JustWarning,
    Key::Valid,
    Key::Min,
    Key::Max,
    Key::MinLength,
    Key::MaxLength,
    Key::Values,
    Key::Included,
    Key::Regex,
];

impl Key {
    /// The keys that every rule must have.
    pub const MANDATORY: [Self; 4] = [Self::Rule, Self::Name, Self::Path, Self::Message];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Name => "name",
            Self::Path => "path",
            Self::Message => "message",
            Self::JustWarning => "justWarning",
            Self::Valid => "valid",
            Self::Min => "min",
            Self::Max => "max",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::Values => "values",
            Self::Included => "included",
            Self::Regex => "regex",
        }
    }

    /// The key that is written so, to the letter.
    pub fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "rule" => Self::Rule,
            "name" => Self::Name,
            "path" => Self::Path,
            "message" => Self::Message,
            "justWarning" => Self::JustWarning,
            "valid" => Self::Valid,
            "min" => Self::Min,
            "max" => Self::Max,
            "minLength" => Self::MinLength,
            "maxLength" => Self::MaxLength,
            "values" => Self::Values,
            "included" => Self::Included,
            "regex" => Self::Regex,
            _ => return None,
        })
    }

    /// The kind of rule that takes this key as an argument.
    pub fn argument_of(self) -> Option<RuleKind> {
        match self {
            Self::Min | Self::Max => Some(RuleKind::Integer),
            Self::MinLength | Self::MaxLength => Some(RuleKind::String),
            Self::Values | Self::Included => Some(RuleKind::Enum),
            Self::Regex => Some(RuleKind::Regex),
            Self::Rule | Self::Name | Self::Path | Self::Message | Self::JustWarning | Self::Valid => None,
        }
    }
}

/// The kinds of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// `integer`
    Integer,
    /// `string`
    String,
    /// `enum`
    Enum,
    /// `regex`
    Regex,
}

impl RuleKind {
    /// All kinds, in the order of the texts.
    pub const ALL: [Self; 4] = [Self::Integer, Self::String, Self::Regex, Self::Enum];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::String => "string",
            Self::Enum => "enum",
            Self::Regex => "regex",
        }
    }

    /// The kind that is written so, to the letter.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The keys that are its arguments.
    pub fn arguments(self) -> impl Iterator<Item = Key> {
        ALL_KEYS.into_iter().filter(move |key| key.argument_of() == Some(self))
    }
}
