//! Numbers of items for which something is so, in words.

use crate::condition::Bounds;

/// A number of items, such as `at least 2`.
pub(super) struct ItemCount {
    /// The number.
    pub(super) text: String,
    /// True if what follows is about several.
    pub(super) is_plural: bool,
}

impl ItemCount {
    fn new(text: impl Into<String>, is_plural: bool) -> Self {
        Self { text: text.into(), is_plural }
    }

    /// The number within bounds.
    pub(super) fn within(bounds: &Bounds<u64>) -> Self {
        match (bounds.min.unwrap_or_default(), bounds.max) {
            (0, Some(0)) => Self::new("no", false),
            (0, Some(1)) => Self::new("at most one", false),
            (0, Some(most)) => Self::new(format!("at most {most}"), true),
            (1, None) => Self::new("at least one", false),
            (least, None) => Self::new(format!("at least {least}"), true),
            (1, Some(1)) => Self::new("exactly one", false),
            (least, Some(most)) if least == most => Self::new(format!("exactly {least}"), true),
            (least, Some(most)) => Self::new(format!("{least} to {most}"), true),
        }
    }

    /// Every other number.
    pub(super) fn outside(bounds: &Bounds<u64>) -> Self {
        let least = bounds.min.unwrap_or_default();
        match (least, bounds.max) {
            (0, None) => Self::new("an impossible number of", true),
            (0, Some(0)) => Self::new("some", false),
            (0, Some(1)) => Self::new("more than one", false),
            (0, Some(most)) => Self::new(format!("more than {most}"), true),
            (1, None) => Self::new("no", false),
            (least, None) => Self::new(format!("fewer than {least}"), true),
            (1, Some(most)) => Self::new(format!("none or more than {most}"), true),
            (least, Some(most)) => Self::new(format!("fewer than {least} or more than {most}"), true),
        }
    }
}

/// A statement that begins with a verb, about several.
pub(super) fn in_plural(statement: &str) -> String {
    let (verb, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    let verb = match verb {
        "is" => "are",
        "has" => "have",
        "does" => "do",
        "matches" => "match",
        "starts" => "start",
        "ends" => "end",
        "contains" => "contain",
        other => other,
    };
    format!("{verb} {rest}")
}
