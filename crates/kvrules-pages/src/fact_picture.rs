//! Pictures of facts, as data that programs can read and that formats with pictures draw.

use kvrules_pictures::{
    NumberBound, NumberLine, Picture, StateDiagram, draw_number_line, draw_pattern, draw_state_diagram,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FactPicture {
    /// Limits on a number line.
    NumberLine {
        /// The least value.
        lower: Option<PictureBound>,
        /// The greatest value.
        upper: Option<PictureBound>,
        /// The least value that exists, such as 0 for lengths.
        floor: Option<i64>,
        /// What is counted, such as `characters`; empty for the value itself.
        unit: String,
    },
    /// A railroad diagram of a regular expression in the syntax of Go.
    Pattern {
        /// The expression.
        source: String,
    },
    /// A state diagram of the allowed changes.
    States {
        /// The allowed changes, from one value to another.
        changes: Vec<(String, String)>,
        /// The values that a new object may have; empty if it may have any.
        initial: Vec<String>,
        /// True if a value may stay as it is.
        may_stay: bool,
    },
}

/// A bound, which is within the limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureBound {
    /// The number, in base units.
    pub value: String,
    /// The number in units for people, such as `2 GiB`, if it has one.
    pub shown: Option<String>,
}

impl FactPicture {
    /// Creates a number line of integers.
    pub fn from_integers(lower: Option<i64>, upper: Option<i64>, floor: Option<i64>, unit: &str) -> Self {
        let bound = |value: i64| PictureBound { value: value.to_string(), shown: None };
        Self::NumberLine { lower: lower.map(bound), upper: upper.map(bound), floor, unit: unit.to_owned() }
    }

    /// Draws the picture; `None` if there is nothing to see.
    pub fn draw(&self) -> Option<Picture> {
        match self {
            Self::NumberLine { lower, upper, floor, unit } => {
                let line = number_line(lower.as_ref(), upper.as_ref(), *floor, unit);
                line.has_bounds().then(|| draw_number_line(&line))
            }
            Self::Pattern { source } => draw_pattern(source),
            Self::States { changes, initial, may_stay } => {
                let diagram =
                    StateDiagram { changes: changes.clone(), initial: initial.clone(), may_stay: *may_stay };
                (!changes.is_empty()).then(|| draw_state_diagram(&diagram))
            }
        }
    }
}

/// The line of two bounds. Only plain integers have known neighbours.
fn number_line(
    lower: Option<&PictureBound>,
    upper: Option<&PictureBound>,
    floor: Option<i64>,
    unit: &str,
) -> NumberLine {
    let plain = |bound: Option<&PictureBound>| match bound {
        None => Some(None),
        Some(bound) if bound.shown.as_ref().is_none_or(|shown| *shown == bound.value) => {
            bound.value.parse().ok().map(Some)
        }
        Some(_) => None,
    };
    if let (Some(lower), Some(upper)) = (plain(lower), plain(upper)) {
        return NumberLine::from_integers(lower, upper, floor, unit);
    }
    let bound = |bound: &PictureBound| NumberBound {
        value: bound.shown.clone().unwrap_or_else(|| bound.value.clone()),
        is_included: true,
    };
    NumberLine { lower: lower.map(bound), upper: upper.map(bound), points: Vec::new(), unit: unit.to_owned() }
}
