//! Result of a comparison.

use kvrules_apiserver::policy::Request;
use kvrules_diagnostics::Span;
use serde::Serialize;
use serde_json::Value;

/// Strictness of the new side compared with the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// It rejects objects that were accepted, and accepts none that was rejected.
    Tightened,
    /// It rejects objects that were accepted. If it also accepts some that were rejected is undecided.
    TightenedLooseningUnknown,
    /// It rejects some that were accepted, and accepts some that were rejected.
    Incomparable,
    /// It accepts objects that were rejected, and rejects none that was accepted.
    Loosened,
    /// It accepts objects that were rejected. If it also rejects some that were accepted is undecided.
    LoosenedTighteningUnknown,
    /// Undecided.
    Unknown,
    /// It accepts the same objects, with another message.
    MessageOnly,
    /// It accepts the same objects.
    Equal,
}

impl Direction {
    /// Every direction, in the order in which they are reported.
    pub const ALL: [Self; 8] = [
        Self::Tightened,
        Self::TightenedLooseningUnknown,
        Self::Incomparable,
        Self::Loosened,
        Self::LoosenedTighteningUnknown,
        Self::Unknown,
        Self::MessageOnly,
        Self::Equal,
    ];

    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::MessageOnly => "message only",
            Self::Tightened => "tightened",
            Self::TightenedLooseningUnknown => "tightened (loosening unknown)",
            Self::Loosened => "loosened",
            Self::LoosenedTighteningUnknown => "loosened (tightening unknown)",
            Self::Incomparable => "incomparable",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the undecided part of a direction that is otherwise shown, such as `loosening unknown`.
    ///
    /// ```
    /// use kvrules_diff::Direction;
    ///
    /// assert_eq!(Direction::TightenedLooseningUnknown.unknown_part(), Some("loosening unknown"));
    /// assert_eq!(Direction::Tightened.unknown_part(), None);
    /// ```
    pub fn unknown_part(self) -> Option<&'static str> {
        match self {
            Self::TightenedLooseningUnknown => Some("loosening unknown"),
            Self::LoosenedTighteningUnknown => Some("tightening unknown"),
            _ => None,
        }
    }

    /// True if an object that was accepted is rejected.
    pub fn is_tightening(self) -> bool {
        matches!(self, Self::Tightened | Self::TightenedLooseningUnknown | Self::Incomparable)
    }

    /// True if an object that was rejected is accepted.
    pub fn is_loosening(self) -> bool {
        matches!(self, Self::Loosened | Self::LoosenedTighteningUnknown | Self::Incomparable)
    }
}

/// Answer to one of the two questions about a change: does it tighten, does it loosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectAnswer {
    /// Proved not to.
    No,
    /// Neither proved nor shown.
    Unknown,
    /// Shown by an object or a request, or by the kind of the change.
    Yes,
}

/// One difference.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The field or rule, as users write it; empty for the whole object.
    pub at: String,
    /// Changed part: `value`, `required`, `rule` and the like.
    pub what: &'static str,
    /// Strictness of the new side.
    pub direction: Direction,
    /// Direction of the change if it has an effect; set only if `direction` is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Direction>,
    /// True if both questions are decided: each direction is shown by a witness, or excluded by a proof.
    pub proved: bool,
    /// Number of objects evaluated on both sides.
    pub objects: usize,
    /// Values on both sides.
    pub limits: Vec<ChangedLimit>,
    /// An object that was accepted and is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Witness>,
    /// An object that was refused and is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Witness>,
    /// Directions that are proved not to be those of the change, although its kind allows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<ExclusionProof>,
    /// Further notes, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Location on the old side.
    #[serde(skip)]
    pub old: ChangeSite,
    /// Location on the new side.
    #[serde(skip)]
    pub new: ChangeSite,
}

/// One thing that is written differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedLimit {
    /// Its key, such as `maximum`.
    pub key: String,
    /// As it was; nothing if it was missing.
    pub before: Option<String>,
    /// As it is.
    pub after: Option<String>,
}

/// A proof that a change has no effect in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExclusionProof {
    /// The direction: no object is newly rejected, or none is newly accepted.
    pub excludes: Direction,
    /// The rules of the accepting side that imply the changed rule or keyword of the other one, together with the schema; none
    /// if the schema does alone.
    pub by: Vec<String>,
    /// The certificates, if they were asked for.
    #[serde(flatten)]
    pub explanation: Option<ProofExplanation>,
}

/// The certificates of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofExplanation {
    /// In lines of text.
    #[serde(skip)]
    pub lines: Vec<String>,
    /// For programs.
    #[serde(flatten)]
    pub value: serde_json::Value,
}

/// An object that shows a difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The object.
    pub object: Value,
    /// The object as it was before the update, where only an update shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Value>,
    /// Write that shows it.
    pub write: WriteKind,
    /// Reason of the side that rejects it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The request with the object, where policies are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestSubject>,
}

/// The operation and the resource of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestSubject {
    /// Such as `CREATE`.
    pub operation: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource, with its subresource after a slash.
    pub resource: String,
    /// The namespace; empty for resources without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

impl RequestSubject {
    /// The subject of a request.
    pub(crate) fn of_request(request: &Request) -> Self {
        let part = if request.subresource.is_empty() { "" } else { "/" };
        Self {
            operation: request.operation.clone(),
            group: request.group.clone(),
            version: request.version.clone(),
            resource: format!("{}{part}{}", request.resource, request.subresource),
            namespace: request.namespace.clone(),
        }
    }
}

impl std::fmt::Display for RequestSubject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let group = if self.group.is_empty() { String::new() } else { format!("{}/", self.group) };
        write!(formatter, "{} of {} ({group}{})", self.operation, self.resource, self.version)?;
        if self.namespace.is_empty() { Ok(()) } else { write!(formatter, " in namespace {}", self.namespace) }
    }
}

/// A write of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteKind {
    /// The object is new.
    #[default]
    Create,
    /// It takes the place of another.
    Update,
    /// Its status alone takes the place of another's; where the status is not a subresource this is an update like others.
    Status,
}

/// Location of a side of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChangeSite {
    /// Absent on this side.
    #[default]
    Absent,
    /// At this place of a text.
    Span(Span),
    /// At this path in the schema that was compared.
    Pointer(Vec<String>),
    /// At this path in the version of the definition that has the schema.
    Definition(Vec<String>),
    /// At this path in the resource that was compared, or in the one that has the schema.
    Resource(Vec<String>),
}

/// All differences of two sides.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The differences, in the order of the old side; what is new comes behind.
    pub changes: Vec<Change>,
    /// Number of rules or fields that were compared.
    pub compared: usize,
    /// The steps that it took: cases, values and objects that were examined.
    pub steps: u64,
}

impl Change {
    /// Returns if something that was accepted is rejected.
    pub fn tightens(&self) -> EffectAnswer {
        self.answer(self.direction.is_tightening(), Direction::LoosenedTighteningUnknown, Direction::Loosened)
    }

    /// Returns if something that was rejected is accepted.
    pub fn loosens(&self) -> EffectAnswer {
        self.answer(self.direction.is_loosening(), Direction::TightenedLooseningUnknown, Direction::Tightened)
    }

    /// The answer for one direction: `open` leaves it undecided, and so does an unknown direction that is not at most `opposite`.
    fn answer(&self, is_shown: bool, open: Direction, opposite: Direction) -> EffectAnswer {
        let is_unknown = self.direction == Direction::Unknown && self.at_most != Some(opposite);
        match (is_shown, is_unknown || self.direction == open) {
            (true, _) => EffectAnswer::Yes,
            (false, true) => EffectAnswer::Unknown,
            (false, false) => EffectAnswer::No,
        }
    }

    /// A change of which nothing is known yet but what is written.
    pub(crate) fn new(at: impl Into<String>, what: &'static str, limits: Vec<ChangedLimit>) -> Self {
        Self {
            at: at.into(),
            what,
            direction: Direction::Unknown,
            at_most: None,
            proved: false,
            objects: 0,
            limits,
            refused: None,
            accepted: None,
            proofs: Vec::new(),
            notes: Vec::new(),
            old: ChangeSite::Absent,
            new: ChangeSite::Absent,
        }
    }
}

impl ChangedLimit {
    /// Creates a limit from the values on both sides.
    pub(crate) fn new(
        key: impl Into<String>,
        before: Option<impl Into<String>>,
        after: Option<impl Into<String>>,
    ) -> Self {
        Self { key: key.into(), before: before.map(Into::into), after: after.map(Into::into) }
    }
}

impl Witness {
    pub(crate) fn new(object: Value, because: impl Into<String>) -> Self {
        Self { object, previous: None, write: WriteKind::Create, because: because.into(), request: None }
    }
}
