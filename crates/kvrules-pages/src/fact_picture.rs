//! Pictures of facts, as data that programs can read and that formats with pictures draw.

use crate::pictures::{
    ChangeDirection, CostBar, CostCell, CostGrid, CostRow, CostShare, FidelityMatrix, FidelityRow,
    NumberBound, NumberLine, Picture, StateDiagram, TimelineChange, TimelineStep, draw_cost_bars,
    draw_cost_grid, draw_fidelity_matrix, draw_number_line, draw_pattern, draw_state_diagram, draw_timeline,
};
use kvrules_diagnostics::Exactness;
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
        /// Unit that is counted, such as `characters`; empty for the value itself.
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
    /// Costs of rules as bars next to their budgets.
    CostBars {
        /// The costs, in the order of the bars.
        costs: Vec<PictureCost>,
    },
    /// Costs of rules by versions of Kubernetes.
    CostGrid {
        /// The versions, or ranges of them with the same costs.
        versions: Vec<String>,
        /// The rules, each with its cost on each version.
        rows: Vec<PictureCostRow>,
    },
    /// The fidelity of targets to rules, as a table.
    FidelityMatrix {
        /// The targets.
        targets: Vec<String>,
        /// The rules.
        rules: Vec<PictureFidelityRow>,
    },
    /// Versions, and the changes since the version before each.
    Timeline {
        /// The versions, the oldest first.
        steps: Vec<PictureStep>,
    },
}

/// The fidelity of targets to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureFidelityRow {
    /// The name of the rule.
    pub name: String,
    /// The fidelity of each target, in their order; unset if a target does not apply.
    #[schemars(with = "Vec<Option<String>>")]
    pub fidelity: Vec<Option<Exactness>>,
}

/// A version and its changes since the version before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureStep {
    /// The version.
    pub version: String,
    /// The changes; empty for the first version, and if both accept the same.
    pub changes: Vec<PictureChange>,
}

/// A change between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureChange {
    /// The effect on the objects that are accepted.
    pub direction: PictureDirection,
    /// The change in a few words.
    pub text: String,
}

/// The effect of a change on the objects that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PictureDirection {
    /// Objects that were accepted are rejected.
    Tightened,
    /// Objects that were rejected are accepted.
    Loosened,
    /// Both.
    Incomparable,
    /// It is not known.
    Unknown,
}

impl PictureDirection {
    /// Returns the effect in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tightened => "tightened",
            Self::Loosened => "loosened",
            Self::Incomparable => "tightened and loosened",
            Self::Unknown => "unknown effect",
        }
    }

    fn to_change(self) -> ChangeDirection {
        match self {
            Self::Tightened => ChangeDirection::Tightened,
            Self::Loosened => ChangeDirection::Loosened,
            Self::Incomparable => ChangeDirection::Incomparable,
            Self::Unknown => ChangeDirection::Unknown,
        }
    }
}

/// The cost of a rule and its budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureCost {
    /// The rule, such as its field and its expression.
    pub label: String,
    /// The estimated cost; unset if there is no estimate.
    pub cost: Option<u64>,
    /// The greatest cost that is accepted; unset if there is none.
    pub budget: Option<u64>,
}

/// The costs of a rule by versions of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PictureCostRow {
    /// The rule, such as its field and its expression.
    pub label: String,
    /// The greatest cost that is accepted.
    pub budget: u64,
    /// The cost on each version: the number, and its share of the budget in words.
    pub costs: Vec<(Option<u64>, String)>,
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
            Self::CostBars { costs } => {
                let bar =
                    |it: &PictureCost| CostBar { label: it.label.clone(), cost: it.cost, budget: it.budget };
                let bars: Vec<CostBar> = costs.iter().map(bar).collect();
                (!bars.is_empty()).then(|| draw_cost_bars(&bars))
            }
            Self::CostGrid { versions, rows } => {
                let grid = CostGrid { versions: versions.clone(), rows: rows.iter().map(cost_row).collect() };
                (!rows.is_empty()).then(|| draw_cost_grid(&grid))
            }
            Self::FidelityMatrix { targets, rules } => {
                let row = |row: &PictureFidelityRow| FidelityRow {
                    name: row.name.clone(),
                    fidelity: row.fidelity.clone(),
                };
                let matrix =
                    FidelityMatrix { targets: targets.clone(), rules: rules.iter().map(row).collect() };
                (!targets.is_empty()).then(|| draw_fidelity_matrix(&matrix))
            }
            Self::Timeline { steps } => {
                let steps: Vec<TimelineStep> = steps.iter().map(timeline_step).collect();
                (!steps.is_empty()).then(|| draw_timeline(&steps))
            }
        }
    }
}

fn timeline_step(step: &PictureStep) -> TimelineStep {
    let change = |change: &PictureChange| TimelineChange {
        direction: change.direction.to_change(),
        text: change.text.clone(),
    };
    TimelineStep { version: step.version.clone(), changes: step.changes.iter().map(change).collect() }
}

fn cost_row(row: &PictureCostRow) -> CostRow {
    let cell = |(cost, text): &(Option<u64>, String)| CostCell {
        text: text.clone(),
        share: CostShare::of_cost(*cost, row.budget),
    };
    CostRow { label: row.label.clone(), cells: row.costs.iter().map(cell).collect() }
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
