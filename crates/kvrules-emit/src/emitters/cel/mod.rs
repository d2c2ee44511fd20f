//! The rules as `x-kubernetes-validations`, for the root of the VirtualMachine's CRD schema.

mod authored;
mod budget;

use kvrules_apiserver::needs::{first_version, missing_text, rule_needs};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_ir::{ElaboratedRule, Severity};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Map, Value, json};

use crate::cel::{
    Dialect, Expr, SharedParts, explain_rule, field_path, header_comment, lower_predicate, rule_message,
    rule_text,
};
use crate::yaml;
use kvrules_pages::names;

use crate::{
    Artefact, Emission, EmitError, Emitter, Fidelity, OutputFile, Request, ResourceEmitter, RuleFidelity,
    RuleSetEmitter, TargetOption,
};
use authored::emit_authored;
use budget::CostBudget;

/// One file a rule set.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "cel",
    summary: "CEL validation rules for a CustomResourceDefinition",
    options: &[TargetOption {
        name: "messages",
        values: &["values", "plain"],
        default: "values",
        summary: "messages with the value and the limit, or only the author's message",
    }],
    rule_sets: Some(RuleSetEmitter {
        artefact: Artefact::ValidationRules,
        unavailable: |_| None,
        emit: emit_cel,
    }),
    extra_specs: None,
    resources: None,
    authored: Some(ResourceEmitter::new(emit_authored)),
};

/// Rules about a virtual machine, or about the objects of another schema.
const OTHER_SCHEMA: Dialect = Dialect { hidden: &[], ..Dialect::VIRTUAL_MACHINE_SCHEMA };

fn emit_cel(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    let target = CelEnvironment {
        dialect: if request.subject.is_virtual_machine() {
            Dialect::VIRTUAL_MACHINE_SCHEMA
        } else {
            OTHER_SCHEMA
        },
        with_values: request.option_value(&EMITTER, "messages") == "values",
        budget: CostBudget::of(request),
        servers: request.servers,
    };
    for (set, stem) in request.sets.iter().zip(names::to_file_stems(request.sets)) {
        let outputs: Vec<CelRuleOutput> = set.rules.iter().map(|rule| target.rule(rule)).collect();
        let fidelity: Vec<RuleFidelity> = outputs
            .iter()
            .zip(&set.rules)
            .map(|(outputs, rule)| RuleFidelity {
                set: set.name.clone(),
                rule: rule.name.clone(),
                fidelity: outputs.fidelity.clone(),
            })
            .collect();
        let shares: String = outputs.iter().filter_map(|outputs| outputs.share.as_deref()).collect();
        let entries: Vec<Value> = outputs.into_iter().filter_map(|outputs| outputs.entry).collect();
        let text = header_comment(set, oldest_of(&entries), &fidelity) + &shares + &render_list(&entries)?;
        emission.files.push(OutputFile { path: format!("{stem}.yaml"), text });
        emission.fidelity.extend(fidelity);
    }
    Ok(emission)
}

/// Environment of the rules, and the options for them.
struct CelEnvironment {
    dialect: Dialect,
    with_values: bool,
    budget: CostBudget,
    servers: KubernetesVersions,
}

/// Output for a rule.
struct CelRuleOutput {
    /// An entry of the list, if there is something to say.
    entry: Option<Value>,
    fidelity: Fidelity,
    /// A comment on what it costs, where that is known.
    share: Option<String>,
}

impl CelRuleOutput {
    fn nothing(fidelity: Fidelity) -> Self {
        Self { entry: None, fidelity, share: None }
    }
}

impl CelEnvironment {
    fn rule(&self, rule: &ElaboratedRule) -> CelRuleOutput {
        if rule.severity == Severity::Warning {
            let cause = "a CRD validation rule can only reject, and this rule only warns";
            return CelRuleOutput::nothing(Fidelity::Unsupported(cause.to_owned()));
        }
        let lowered = match lower_predicate(&rule.predicate, self.dialect) {
            Err(unsupported) => return CelRuleOutput::nothing(Fidelity::Unsupported(unsupported.cause)),
            Ok(lowered) if lowered.expression == Expr::Bool(true) => {
                return CelRuleOutput::nothing(lowered.fidelity);
            }
            Ok(lowered) => lowered,
        };
        let text = match rule_text(&lowered.expression) {
            Ok(text) => text,
            Err(fidelity) => return CelRuleOutput::nothing(fidelity),
        };
        if let Some(cause) = missing_text(&rule_needs(&json!({ "rule": text })), self.servers.oldest()) {
            return CelRuleOutput::nothing(Fidelity::Unsupported(cause));
        }
        match self.budget.share(&lowered.expression.to_string()) {
            Err(cause) => CelRuleOutput::nothing(Fidelity::Unsupported(cause)),
            Ok(share) => CelRuleOutput {
                entry: Some(self.entry(rule, &lowered.expression, text)),
                fidelity: lowered.fidelity,
                share: share
                    .map(|share| format!("# {}: costs {share} of a rule's budget\n", one_line(&rule.name))),
            },
        }
    }

    fn entry(&self, rule: &ElaboratedRule, expression: &Expr, text: String) -> Value {
        let mut entry = Map::new();
        let mut say = |key: &str, value: String| entry.insert(key.to_owned(), value.into());
        say("rule", text);
        say("message", rule_message(rule));
        let explained = explain_rule(rule, self.dialect, &SharedParts::default());
        if let Some(Ok(explained)) =
            explained.and_then(|text| self.fit_message(text)).map(|it| rule_text(&it))
        {
            say("messageExpression", explained);
        }
        if expression.asks_for_existence() {
            say("reason", "FieldValueRequired".to_owned());
        }
        if let Some(path) = field_path(rule) {
            say("fieldPath", path);
        }
        entry.into()
    }
}

impl CelEnvironment {
    /// The first form of a message that all servers take.
    fn fit_message(&self, explained: Expr) -> Option<Expr> {
        let joined = explained.without_format();
        let is_taken = |text: &Expr| {
            let needs = rule_needs(&json!({ "messageExpression": text.to_string() }));
            // An older server ignores the field, and shows the constant message.
            let needs: Vec<_> = needs.into_iter().filter(|need| need.name != need.field).collect();
            missing_text(&needs, self.servers.oldest()).is_none()
                && self.budget.has_room_for(&text.to_string())
        };
        [Some(explained), joined].into_iter().flatten().find(is_taken).filter(|_| self.with_values)
    }
}

/// A name as a comment can hold it.
fn one_line(name: &str) -> String {
    name.split(|c: char| c.is_whitespace() || c.is_control()).collect::<Vec<_>>().join(" ")
}

/// The first version of Kubernetes that takes all of the entries.
fn oldest_of(entries: &[Value]) -> KubernetesVersion {
    let needs: Vec<_> = entries.iter().flat_map(rule_needs).collect();
    first_version(&needs).unwrap_or(KubernetesVersion::NEWEST)
}

fn render_list(entries: &[Value]) -> Result<String, EmitError> {
    yaml::to_yaml(&json!({ VALIDATIONS: entries }))
}
