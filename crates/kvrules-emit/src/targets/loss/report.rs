//! Fidelity of each target to each rule, as data: for programs, and for those who print it.

use std::collections::{BTreeMap, HashMap};

use crate::{EXTRA_SPECS, Emitter, Fidelity, RuleFidelity};
use kvrules_diagnostics::{Exactness, Level};
use kvrules_ir::ElaboratedSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::LossPolicy;
use crate::targets::outputs::{TargetOutput, UnavailableTarget};

/// Fidelity of each target to each rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(title = "Losses of kvrules", deny_unknown_fields)]
pub struct LossReport {
    /// The targets, ordered by name.
    pub targets: Vec<TargetLoss>,
    /// The targets that cannot be generated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left_out: Vec<TargetLeftOut>,
    /// The rule sets, each once, with all templates that use it.
    pub sets: Vec<SetLoss>,
}

/// A target that cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct TargetLeftOut {
    /// Its name.
    pub name: String,
    /// The reason, in one sentence.
    pub cause: String,
}

/// Fidelity of a target to all rules.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct TargetLoss {
    /// Its name.
    pub name: String,
    /// True if the target enforces rules. False for a document, which may omit rules without a loss.
    pub enforced: bool,
    /// Number of rules by fidelity.
    pub totals: Totals,
}

/// Numbers of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct Totals {
    /// The target accepts exactly what the rule accepts.
    pub exact: usize,
    /// It accepts more.
    pub wider: usize,
    /// It accepts less.
    pub narrower: usize,
    /// It accepts more here and less there.
    pub incomparable: usize,
    /// It does not support the rule.
    pub unsupported: usize,
}

/// One rule set.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct SetLoss {
    /// Its name.
    pub name: String,
    /// The templates that use it.
    pub used_by: Vec<String>,
    /// Its rules in order; those that are left out of every target are last.
    pub rules: Vec<RuleLoss>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct RuleLoss {
    /// Its name.
    pub name: String,
    /// True if the rule is left out of every target, because no predicate expresses it.
    pub left_out: bool,
    /// Fidelity of each target, by its name.
    pub targets: BTreeMap<String, TargetFidelityReport>,
}

/// Fidelity of a target to a rule.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
pub struct TargetFidelityReport {
    /// The fidelity.
    #[schemars(extend("enum" = Exactness::ALL.map(Exactness::as_str)))]
    pub fidelity: &'static str,
    /// The reason if it is not exact, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cause: Option<String>,
    /// Level of the loss: an error stops compiling. Absent if the target is exact or the loss is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = ["error", "warning"]))]
    pub level: Option<&'static str>,
    /// The reason if the target writes the rule in an equivalent form, or without the expression of its message, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub restated: Option<String>,
}

impl Totals {
    /// Returns the number of rules of each fidelity.
    ///
    /// ```
    /// use kvrules::{Exactness, loss::Totals};
    ///
    /// let totals = Totals { exact: 7, unsupported: 1, ..Totals::default() };
    /// let used: Vec<_> = totals.by_exactness().into_iter().filter(|(_, count)| *count > 0).collect();
    /// assert_eq!(used, [(Exactness::Exact, 7), (Exactness::Unsupported, 1)]);
    /// ```
    pub fn by_exactness(&self) -> [(Exactness, usize); 5] {
        Exactness::ALL.map(|exactness| match exactness {
            Exactness::Exact => (exactness, self.exact),
            Exactness::Wider => (exactness, self.wider),
            Exactness::Narrower => (exactness, self.narrower),
            Exactness::Incomparable => (exactness, self.incomparable),
            Exactness::Unsupported => (exactness, self.unsupported),
        })
    }

    fn count_fidelity(&mut self, fidelity: &Fidelity) {
        *match fidelity {
            Fidelity::Exact => &mut self.exact,
            Fidelity::Wider(_) => &mut self.wider,
            Fidelity::Narrower(_) => &mut self.narrower,
            Fidelity::Incomparable(_) => &mut self.incomparable,
            Fidelity::Unsupported(_) => &mut self.unsupported,
        } += 1;
    }
}

impl LossReport {
    /// Creates the report for these sets, and the definitions of extra specs, in these outputs, which were compiled from the same sets. `policy` decides the levels.
    ///
    /// ```
    /// use kvrules::loss::{LossPolicy, LossReport};
    /// use kvrules::{FileId, Request, SourceFile};
    ///
    /// let text = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "threads", "rule": "integer", "message": "no more threads than cores",
    ///     "path": "jsonpath::.spec.domain.cpu.threads", "max": "jsonpath::.spec.domain.cpu.cores"}]
    /// "#;
    /// let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text)).sets;
    /// let targets = [kvrules::find_emitter("openapi").unwrap()];
    /// let outputs = kvrules::compile_targets(&targets, &Request::for_virtual_machines(&sets))?;
    /// let report = LossReport::new(&sets, &outputs, &LossPolicy::default());
    /// let said = &report.sets[0].rules[0].targets["openapi"];
    /// assert_eq!((said.fidelity, said.cause.as_deref()), ("unsupported", Some("a schema cannot compare two fields")));
    /// # Ok::<(), kvrules::EmitError>(())
    /// ```
    pub fn new(sets: &[ElaboratedSet], outputs: &[TargetOutput], policy: &LossPolicy) -> Self {
        let mut sets_of_rules: Vec<_> = sets.iter().map(empty_set_loss).collect();
        sets_of_rules.extend(outputs.iter().find_map(empty_definitions_loss));
        let mut report = Self { targets: Vec::new(), left_out: Vec::new(), sets: sets_of_rules };
        for output in outputs {
            let Some(target) = crate::find_emitter(output.target) else { continue };
            let mut totals = Totals::default();
            if target.rule_sets.is_some() {
                report.enter_rules(target, sets, output, policy, &mut totals);
            }
            report.enter_definitions(target, output, policy, &mut totals);
            report.enter_resources(target, output, policy, &mut totals);
            let (name, enforced) = (target.name.to_owned(), target.is_enforced());
            report.targets.push(TargetLoss { name, enforced, totals });
        }
        report
    }

    /// Returns the report with these targets listed as left out.
    ///
    /// ```
    /// use kvrules::{UnavailableTarget, loss::LossReport};
    ///
    /// let unavailable = UnavailableTarget { target: "crd", cause: "the schema has no kind".to_owned() };
    /// let report = LossReport::default().without_unavailable(&[unavailable]);
    /// assert_eq!((report.left_out[0].name.as_str(), report.targets.len()), ("crd", 0));
    /// ```
    #[must_use]
    pub fn without_unavailable(mut self, unavailable: &[UnavailableTarget]) -> Self {
        self.left_out.extend(unavailable.iter().map(|left_out| TargetLeftOut {
            name: left_out.target.to_owned(),
            cause: left_out.cause.clone(),
        }));
        self
    }

    /// Returns the number of rules that are an error in some target.
    ///
    /// ```
    /// use kvrules::loss::{Loss, LossPolicy, LossReport};
    /// use kvrules::{FileId, Request, SourceFile};
    ///
    /// let text = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "threads", "rule": "integer", "message": "no more threads than cores",
    ///     "path": "jsonpath::.spec.domain.cpu.threads", "max": "jsonpath::.spec.domain.cpu.cores"}]
    /// "#;
    /// let sets = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text)).sets;
    /// let targets = [kvrules::find_emitter("openapi").unwrap()];
    /// let outputs = kvrules::compile_targets(&targets, &Request::for_virtual_machines(&sets))?;
    /// let errors = |policy: &LossPolicy| LossReport::new(&sets, &outputs, policy).error_count();
    /// assert_eq!((errors(&LossPolicy::default()), errors(&LossPolicy::for_all_targets(Loss::Error))), (0, 1));
    /// # Ok::<(), kvrules::EmitError>(())
    /// ```
    pub fn error_count(&self) -> usize {
        let is_error =
            |rule: &&RuleLoss| rule.targets.values().any(|of_target| of_target.level == Some("error"));
        self.sets.iter().flat_map(|set| &set.rules).filter(is_error).count()
    }

    /// Records and counts the fidelity of each rule in a target.
    fn enter_rules(
        &mut self,
        target: &Emitter,
        sets: &[ElaboratedSet],
        output: &TargetOutput,
        policy: &LossPolicy,
        totals: &mut Totals,
    ) {
        let mut reported = output.emission.fidelity.iter().map(|reported| &reported.fidelity);
        for (set, report) in sets.iter().zip(&mut self.sets) {
            let left_out = set.left_out.iter().map(|rule| Fidelity::Unsupported(rule.cause.text.clone()));
            // A rule for which an emitter reports nothing counts as unsupported.
            let unexpressed =
                || Fidelity::Unsupported("the target does not report how exact the rule is".to_owned());
            let rules = set.rules.iter().map(|_| reported.next().cloned().unwrap_or_else(unexpressed));
            for (fidelity, rule) in rules.chain(left_out).zip(&mut report.rules) {
                totals.count_fidelity(&fidelity);
                rule.enter_fidelity(target, &fidelity, policy.loss_level(target, &fidelity));
            }
        }
    }

    /// Records and counts the fidelity of each definition of extra specs in a target.
    fn enter_definitions(
        &mut self,
        target: &Emitter,
        output: &TargetOutput,
        policy: &LossPolicy,
        totals: &mut Totals,
    ) {
        let Some(set) = self.sets.last_mut().filter(|_| !output.extra_specs.fidelity.is_empty()) else {
            return;
        };
        for (RuleFidelity { fidelity, .. }, rule) in output.extra_specs.fidelity.iter().zip(&mut set.rules) {
            totals.count_fidelity(fidelity);
            rule.enter_fidelity(target, fidelity, policy.level_of_definition(target, fidelity));
        }
    }
}

impl LossReport {
    /// Records and counts the fidelity of a target to the keywords and rules of CustomResourceDefinitions.
    fn enter_resources(
        &mut self,
        target: &Emitter,
        output: &TargetOutput,
        policy: &LossPolicy,
        totals: &mut Totals,
    ) {
        let mut places = self.resource_places();
        for RuleFidelity { set, rule: rule_name, fidelity } in &output.resources.fidelity {
            totals.count_fidelity(fidelity);
            let level = policy.level_of_resource(target, fidelity);
            let place = places.entry((set.clone(), rule_name.clone())).or_insert_with(|| {
                let known = self.sets.iter().rposition(|known| known.name == *set);
                let index = known.unwrap_or(self.sets.len());
                if known.is_none() {
                    self.sets.push(SetLoss { name: set.clone(), used_by: Vec::new(), rules: Vec::new() });
                }
                let rules = self.sets.get_mut(index).map(|set| &mut set.rules);
                let at = rules.map_or(0, |rules| {
                    rules.push(RuleLoss {
                        name: rule_name.clone(),
                        left_out: false,
                        targets: BTreeMap::new(),
                    });
                    rules.len() - 1
                });
                (index, at)
            });
            let rule = self.sets.get_mut(place.0).and_then(|set| set.rules.get_mut(place.1));
            if let Some(rule_loss) = rule {
                rule_loss.enter_fidelity(target, fidelity, level);
                let restated =
                    output.resources.restated.iter().find(|it| (&it.set, &it.rule) == (set, rule_name));
                if let (Some(restated), Some(report)) = (restated, rule_loss.targets.get_mut(target.name)) {
                    report.restated = Some(restated.cause.clone());
                }
            }
        }
    }

    /// The places of all rules by their names and those of their sets.
    fn resource_places(&self) -> HashMap<(String, String), (usize, usize)> {
        let sets = self.sets.iter().enumerate();
        let of_set = |(index, set): (usize, &SetLoss)| {
            let rules = set.rules.iter().enumerate();
            let place = |(at, rule): (usize, &RuleLoss)| ((set.name.clone(), rule.name.clone()), (index, at));
            rules.map(place).collect::<Vec<_>>()
        };
        sets.flat_map(of_set).collect()
    }
}

impl RuleLoss {
    fn enter_fidelity(&mut self, target: &Emitter, fidelity: &Fidelity, level: Option<Level>) {
        self.targets.insert(target.name.to_owned(), TargetFidelityReport::from_fidelity(fidelity, level));
    }
}

impl TargetFidelityReport {
    fn from_fidelity(fidelity: &Fidelity, level: Option<Level>) -> Self {
        let (word, cause) = (fidelity.as_str(), fidelity.cause().map(str::to_owned));
        Self { fidelity: word, cause, level: level.map(Level::as_str), restated: None }
    }
}

/// A rule set of which nothing is known yet.
fn empty_set_loss(set: &ElaboratedSet) -> SetLoss {
    let rule = |name: &String, left_out| RuleLoss { name: name.clone(), left_out, targets: BTreeMap::new() };
    let rules = set.rules.iter().map(|found| rule(&found.name, false));
    let left_out = set.left_out.iter().map(|found| rule(&found.name, true));
    SetLoss {
        name: set.name.clone(),
        used_by: set.used_by.iter().map(|user| user.name.clone()).collect(),
        rules: rules.chain(left_out).collect(),
    }
}

/// Definitions of extra specs as a set, of which nothing is known yet; `None` if the output expresses none.
fn empty_definitions_loss(output: &TargetOutput) -> Option<SetLoss> {
    let names = output.extra_specs.fidelity.iter().map(|reported| reported.rule.clone());
    let rules: Vec<_> =
        names.map(|name| RuleLoss { name, left_out: false, targets: BTreeMap::new() }).collect();
    (!rules.is_empty()).then(|| SetLoss { name: EXTRA_SPECS.to_owned(), used_by: Vec::new(), rules })
}
