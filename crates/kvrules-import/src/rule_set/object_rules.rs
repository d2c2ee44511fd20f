//! Rules about whole objects as a RuleSet: those of policies, and those of templates.

use std::collections::BTreeSet;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_lift::DefinitionRule;
use kvrules_rule_set::{RuleSeverity, RuleSubject};
use serde_json::{Value as Json, json};

use super::draft::RuleSetDraft;
use super::{ImportedForm, ImportedRule, ImportedRuleSet, ProofBudget, restate_rule};

/// A rule about an object.
#[derive(Clone, Debug)]
pub struct ObjectRule {
    /// Its name; without one, it gets one.
    pub name: Option<String>,
    /// Its name in reports.
    pub source: String,
    /// The JSON pointer to it in the resource.
    pub pointer: String,
    /// The expression over `self`, or the reason for which the rule has none.
    pub expression: Result<String, String>,
    /// The text for users; empty for that of a RuleSet.
    pub message: String,
    /// The consequence for an object that violates it.
    pub severity: RuleSeverity,
    /// Parts that a RuleSet does not express.
    pub lost: Vec<&'static str>,
    /// The objects that the expression accepts and the rule rejects, in one sentence.
    pub wider: Option<String>,
    /// True if an object for which it ends in an error passes.
    pub forgives_errors: bool,
}

/// Returns a RuleSet about a subject. `selection` is `match` of the document, and `schema_file` the file with the definition of the subject.
pub fn import_object_rules(
    name: &str,
    subject: &RuleSubject,
    schema_file: Option<&str>,
    selection: Option<Json>,
    rules: &[ObjectRule],
) -> ImportedRuleSet {
    let mut draft = RuleSetDraft::new(name, &subject.version, schema_file);
    draft.selection = selection;
    let budget = ProofBudget::new();
    let mut used = BTreeSet::new();
    for rule in rules {
        let form = match &rule.expression {
            Err(reason) => ImportedForm::LeftOut(reason.clone()),
            Ok(expression) => {
                let (entries, form) = restate_object_rule(rule, expression, subject, &budget);
                for entry in entries {
                    draft.add_entry(
                        entry,
                        rule.name.as_deref(),
                        &[],
                        &rule.message,
                        rule.severity,
                        &mut used,
                    );
                }
                form
            }
        };
        let (source, pointer) = (rule.source.clone(), rule.pointer.clone());
        let (lost, wider) = (rule.lost.clone(), rule.wider.clone());
        draft.add_rule(
            ImportedRule { source, pointer, form, lost, wider, entries: Vec::new() },
            &rule.message,
        );
    }
    draft.finish()
}

fn restate_object_rule(
    rule: &ObjectRule,
    expression: &str,
    subject: &RuleSubject,
    budget: &ProofBudget,
) -> (Vec<super::candidates::RuleEntry>, ImportedForm) {
    let at_root = DefinitionRule {
        place: Vec::new(),
        schema: with_object_meta(&subject.version.schema).into(),
        index: 0,
        source: RuleSource::from_json(&json!({ "rule": expression })),
        constant_fields: Vec::new(),
    };
    let restated = restate_rule(&at_root, subject, rule.forgives_errors, budget);
    match restated.form {
        ImportedForm::Cel(reason) if rule.forgives_errors => {
            let reason = format!("an error of the expression is ignored, and {reason}");
            (Vec::new(), ImportedForm::LeftOut(reason))
        }
        form => (restated.entries, form),
    }
}
