//! Losses of a target on a rule, and how to treat them.
//!
//! A target reports a [`Fidelity`] for each rule. The user decides if a loss is an error, a warning or nothing: a
//! [`LossPolicy`] holds these decisions, and a [`LossReport`] is the result, rule by rule. Documents do not
//! evaluate anything, so they have no losses.

mod report;

use std::collections::BTreeMap;

use crate::{Emitter, Fidelity};
use kvrules_diagnostics::Level;
use serde::{Deserialize, Serialize};

pub use report::{LossReport, RuleLoss, SetLoss, TargetFidelityReport, TargetLeftOut, TargetLoss, Totals};

/// Treatment of a rule that a target does not express exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// It is an error.
    Error,
    /// It is a warning.
    Warn,
    /// It is not reported.
    Allow,
}

impl Loss {
    /// Every choice, the strictest first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warn, Self::Allow];

    /// Returns its name in a configuration: `error`, `warn` or `allow`.
    ///
    /// ```
    /// use kvrules::loss::Loss;
    ///
    /// assert_eq!(Loss::ALL.map(Loss::as_str), ["error", "warn", "allow"]);
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }
}

/// Policy for losses: for all targets, and for single ones. If unset, a target that rejects what a rule accepts is an
/// error, since nobody may find that out on a cluster, and one that only accepts more is a warning. So is one that
/// rejects no more than uncommon spellings of quantities, which is the choice of its option.
///
/// ```
/// use kvrules::loss::{Loss, LossPolicy};
/// use kvrules::{Fidelity, Level};
///
/// let target = kvrules::find_emitter("openapi").unwrap();
/// let wider = Fidelity::Wider("a schema cannot count".to_owned());
/// assert_eq!(LossPolicy::default().loss_level(target, &wider), Some(Level::Warning));
/// assert_eq!(LossPolicy::for_all_targets(Loss::Error).loss_level(target, &wider), Some(Level::Error));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossPolicy {
    /// For every target without a policy of its own.
    pub general: Option<Loss>,
    /// For single targets, by their names.
    pub of_target: BTreeMap<String, Loss>,
}

impl LossPolicy {
    /// Creates a policy with the same treatment for every target.
    ///
    /// ```
    /// use kvrules::loss::{Loss, LossPolicy};
    /// use kvrules::Fidelity;
    ///
    /// let policy = LossPolicy::for_all_targets(Loss::Allow);
    /// let narrower = Fidelity::Narrower("no decimal quantities".to_owned());
    /// assert!(kvrules::all_targets().iter().all(|target| policy.loss_level(target, &narrower).is_none()));
    /// ```
    pub fn for_all_targets(loss: Loss) -> Self {
        Self { general: Some(loss), of_target: BTreeMap::new() }
    }

    /// Returns the level of this fidelity of a target to a rule; `None` if there is nothing to report: the fidelity is exact, the
    /// loss is allowed, or the target is a document.
    ///
    /// ```
    /// use kvrules::loss::LossPolicy;
    /// use kvrules::{Fidelity, Level, find_emitter};
    ///
    /// let level = |target, fidelity: &Fidelity| LossPolicy::default().loss_level(find_emitter(target).unwrap(), fidelity);
    /// let narrower = Fidelity::Narrower("no decimal quantities".to_owned());
    /// assert_eq!(level("openapi", &narrower), Some(Level::Error));
    /// assert_eq!(level("openapi", &Fidelity::Exact), None);
    /// assert_eq!(level("markdown", &narrower), None);
    /// ```
    pub fn loss_level(&self, target: &Emitter, fidelity: &Fidelity) -> Option<Level> {
        target.enforces_rules().then(|| self.weigh_fidelity(target.name, fidelity, true))?
    }

    /// Returns the level of this fidelity of a target to a definition of an extra spec; `None` if there is nothing to report. A
    /// value that a form for people does not accept can still be set, so that is a warning at most.
    ///
    /// ```
    /// use kvrules::{Fidelity, Level, find_emitter, loss::LossPolicy};
    ///
    /// let level = |name: &str| {
    ///     let target = find_emitter(name).unwrap();
    ///     LossPolicy::default().level_of_definition(target, &Fidelity::Narrower("no names with parameters".to_owned()))
    /// };
    /// assert_eq!((level("glance-metadefs"), level("json-schema")), (Some(Level::Warning), Some(Level::Error)));
    /// ```
    pub fn level_of_definition(&self, target: &Emitter, fidelity: &Fidelity) -> Option<Level> {
        self.weigh_fidelity(target.name, fidelity, target.enforces_extra_specs())
    }

    /// Returns the level of this fidelity of a target to a keyword or a rule of a CustomResourceDefinition; `None` if there is
    /// nothing to report.
    pub(crate) fn level_of_resource(&self, target: &Emitter, fidelity: &Fidelity) -> Option<Level> {
        self.weigh_fidelity(target.name, fidelity, true)
    }

    fn weigh_fidelity(&self, target: &str, fidelity: &Fidelity, enforced: bool) -> Option<Level> {
        let by_kind = match fidelity {
            Fidelity::Exact => return None,
            chosen if chosen.is_chosen() => Level::Warning,
            Fidelity::Narrower(_) | Fidelity::Incomparable(_) if enforced => Level::Error,
            _ => Level::Warning,
        };
        match self.of_target.get(target).copied().or(self.general) {
            None => Some(by_kind),
            Some(Loss::Error) => Some(Level::Error),
            Some(Loss::Warn) => Some(Level::Warning),
            Some(Loss::Allow) => None,
        }
    }
}

#[cfg(test)]
mod tests;
