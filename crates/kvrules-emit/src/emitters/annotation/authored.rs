//! RuleSets about VirtualMachines as annotations.

use kvrules_apiserver::definition::{AuthoredObjects, ResourceVersion};
use kvrules_ir::{Rule, Subject};
use kvrules_lift::definition_rules;
use kvrules_rule_set::{AuthoredRule, RuleSet};
use kvrules_syntax::layout::JsonLayout;

use super::clause::split_rule;
use super::proof::compare_with_rule;
use super::render_list;
use super::rule::write_plain_rule;
use super::wording::find_wordings;
use crate::resource_schema::set_name;
use crate::{Emission, EmitError, Fidelity, OutputFile, Request, RuleFidelity};

/// Returns the cause for which no rule about the objects of a version can be in the annotation.
pub(super) fn unfit_cause(version: &ResourceVersion) -> Option<&'static str> {
    let own = Subject {
        kind: Some(version.kind.clone()),
        group: Some(version.group.clone()),
        ..Subject::default()
    };
    let is_machine = version.authored_objects() == AuthoredObjects::OfVersion
        && own.is_virtual_machine()
        && version.version == "v1";
    (!is_machine).then_some(
        "the annotation is about VirtualMachines of `kubevirt.io/v1`, and the subject is another kind",
    )
}

/// One file for each RuleSet with rules of all severities.
#[expect(clippy::unnecessary_wraps, reason = "every target has this form")]
pub(super) fn emit_authored(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for set in request.authored {
        let mut written: Vec<(usize, Vec<JsonLayout>)> = Vec::new();
        for version in request.resources.iter().filter(|version| is_of_set(version, set)) {
            for rule in definition_rules(&version.schema) {
                let by_place = rule.name_by_place();
                let name = version.shown_rule_name(&by_place);
                let Some(index) = set.rules.iter().position(|rule| rule.name == name) else { continue };
                let fidelity = match write_rule(set, index, version) {
                    Ok((rules, fidelity)) => {
                        written.push((index, rules));
                        fidelity
                    }
                    Err(cause) => Fidelity::Unsupported(cause),
                };
                emission.fidelity.push(RuleFidelity { set: set_name(version), rule: by_place, fidelity });
            }
        }
        written.sort_by_key(|(index, _)| *index);
        if !written.is_empty() {
            let rules = written.into_iter().flat_map(|(_, rules)| rules).collect();
            emission.files.push(OutputFile { path: format!("{}.json", set.name), text: render_list(rules) });
        }
    }
    Ok(emission)
}

fn is_of_set(version: &ResourceVersion, set: &RuleSet) -> bool {
    version.authored.as_ref().is_some_and(|authored| authored.name == set.name)
}

/// The rules of the annotation for a rule, with their fidelity; the cause if there are none.
fn write_rule(
    set: &RuleSet,
    index: usize,
    version: &ResourceVersion,
) -> Result<(Vec<JsonLayout>, Fidelity), String> {
    let authored = version.authored.as_ref();
    if authored.is_some_and(|authored| authored.lacks_value) {
        return Err(version.policy_only_cause().unwrap_or_default().to_owned());
    }
    if authored.is_some_and(|authored| authored.selection.is_some()) {
        return Err("the annotation cannot select the objects or requests of `match`".to_owned());
    }
    let Some(rule) = set.rules.get(index) else { return Err(String::new()) };
    let mut narrower = None;
    let mut refusal = None;
    for wording in find_wordings(rule, &split_rule(rule)?)? {
        let written = name_rules(wording.rules, rule, set)
            .iter()
            .map(write_plain_rule)
            .collect::<Result<Vec<_>, _>>()?;
        let text = render_list(written.clone());
        match compare_with_rule(&text, rule, &set.subject, wording.is_covering) {
            Ok(Fidelity::Exact) => return Ok((written, Fidelity::Exact)),
            Ok(fidelity) => _ = narrower.get_or_insert((written, fidelity)),
            Err(cause) => _ = refusal.get_or_insert(cause),
        }
    }
    narrower.ok_or_else(|| refusal.unwrap_or_default())
}

/// Numbers the rules that one rule becomes, so that no two of the annotation have one name.
fn name_rules(rules: Vec<Rule>, rule: &AuthoredRule, set: &RuleSet) -> Vec<Rule> {
    let is_free = |name: &String| set.rules.iter().all(|other| other.name != *name);
    let numbered = (2..).map(|number| format!("{} ({number})", rule.name)).filter(is_free);
    let names = std::iter::once(rule.name.clone()).chain(numbered);
    rules.into_iter().zip(names).map(|(rule, name)| Rule { name, ..rule }).collect()
}
