//! The rules of CustomResourceDefinitions as validations of a policy, for clusters whose definition one cannot change.
//!
//! A server evaluates a rule on each value at its place in the schema, by the types of the schema, and excuses a violation if an
//! update leaves the value as it is. A policy evaluates one expression on the whole object, without types. So a validation has
//! loops and conditions for the place, the rule with its reads rewritten, and a comparison with the stored object.

mod added_objects;
mod calls;
mod chains;
mod equality;
mod facts;
mod layout;
mod message;
mod names;
mod parameters;
mod path;
mod pieces;
mod place;
mod rewrite;
mod shared_parts;
mod stored;
mod unseen_changes;

use std::collections::HashMap;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_apiserver::definition::{PolicyParameters, ResourceVersion};
use kvrules_apiserver::needs::{missing_text, validation_needs};
use kvrules_cel::ast::{ExprKind, Expression, operators};
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_lift::rewrite::find_form;
use kvrules_lift::{DefinitionRule, rule_places};
use serde_json::{Map, Value};

use self::layout::{ended_line, unless_unchanged};
use self::names::LoopNames;
use self::place::{RulePlace, write_place};
use self::rewrite::{OldValue, RewrittenRule, RuleValues, rewrite_expression};
pub(crate) use self::shared_parts::{SharedValidations, share_parts};
use self::stored::StoredPlace;
use self::unseen_changes::unseen_causes;
use crate::resource_schema::{KEYWORDS, set_name};
use crate::{Fidelity, RestatedRule, RuleFidelity};

/// The rules of a version as validations of policies.
#[derive(Clone, Debug)]
pub struct ResourcePolicy {
    /// The validations, in the order of the rules.
    pub validations: Vec<Value>,
    /// The fidelity to each rule. The keywords of the schema, which a policy of rules leaves out, are one entry.
    pub fidelity: Vec<RuleFidelity>,
    /// The rules that are written in an equivalent form.
    pub restated: Vec<RestatedRule>,
}

const ONLY_RULES: &str = "the policy has the rules of the schema, and not its keywords";
const DURATION: &str = "the policy fails for durations with days or words, such as `1 day`";

/// Converts the rules of a version.
///
/// ```
/// use kvrules_apiserver::definition::ResourceVersion;
/// use kvrules_emit::resource_policy::convert_rules;
/// use serde_json::json;
///
/// let size = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self <= 8", "message": "too large"}]});
/// let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"size": size}}});
/// let version = &ResourceVersion::of_definition(&json!({"metadata": {"name": "ponds.example.com"}, "spec": {
///     "group": "example.com", "names": {"kind": "Pond"}, "versions": [{"name": "v1", "schema": schema}]}}))[0];
/// let made = convert_rules(version);
/// let validation = &made.validations[0];
/// let expression = "!has(object.size) || (object.size <= 8 ? true : object.size == oldObject.?size.orValue(null))";
/// assert_eq!(validation["expression"], expression);
/// assert_eq!(validation["message"], "size: too large");
/// ```
pub fn convert_rules(version: &ResourceVersion) -> ResourcePolicy {
    convert_rules_for(version, KubernetesVersion::NEWEST)
}

/// Converts the rules of a version for servers from a Kubernetes version on. A rule with functions that it does not have is
/// unsupported.
pub fn convert_rules_for(version: &ResourceVersion, oldest: KubernetesVersion) -> ResourcePolicy {
    let symbolic = parameters::symbolic_version(version);
    let version = symbolic.as_ref().unwrap_or(version);
    let set = set_name(version);
    let schema = with_object_meta(&version.schema);
    let keywords = RuleFidelity {
        set: set.clone(),
        rule: KEYWORDS.to_owned(),
        fidelity: Fidelity::Unsupported(ONLY_RULES.to_owned()),
    };
    // Rules that are written elsewhere have no keywords.
    let fidelity = if version.authored.is_none() { vec![keywords] } else { Vec::new() };
    let mut made = ResourcePolicy { validations: Vec::new(), fidelity, restated: Vec::new() };
    let places = rule_places(&version.schema);
    let mut rules: Vec<DefinitionRule> = places.iter().flat_map(kvrules_lift::RulePlace::to_rules).collect();
    if let Some(authored) = &version.authored {
        let written = authored.places.iter().enumerate().map(|(at, place)| (place.as_str(), at));
        let written: HashMap<&str, usize> = written.collect();
        rules.sort_by_cached_key(|rule| written.get(rule.name_by_place().as_str()).copied());
    }
    for rule in rules {
        let build = |rule: &DefinitionRule| {
            build_for_server(version, &schema, rule, oldest)
                .and_then(|served| with_parameters(version, served))
        };
        let in_other_form = |cause| {
            if is_parametrized(version, &rule) { Err(cause) } else { restate(&rule, cause, &build) }
        };
        let fidelity = match build(&rule).or_else(in_other_form) {
            Ok(served) => {
                made.validations.extend(served.validation);
                made.restated.extend(served.restated.map(|(cause, form)| RestatedRule {
                    set: set.clone(),
                    rule: rule.name_by_place(),
                    cause,
                    form,
                }));
                served.fidelity
            }
            Err(cause) => Fidelity::Unsupported(cause),
        };
        made.fidelity.push(RuleFidelity { set: set.clone(), rule: rule.name_by_place(), fidelity });
    }
    made
}

/// The validation with parameters in place of symbols.
fn with_parameters(
    version: &ResourceVersion,
    mut served: ServedValidation,
) -> Result<ServedValidation, String> {
    if let (Some(validation), Some(parameters)) = (&mut served.validation, parameters_of(version)) {
        parameters::write_parameters(validation, parameters)?;
    }
    Ok(served)
}

fn parameters_of(version: &ResourceVersion) -> Option<&PolicyParameters> {
    version.authored.as_ref()?.parameters.as_ref()
}

/// True if a symbol stands in a rule. An equivalent form would be proved for the symbol alone, and not for other values.
fn is_parametrized(version: &ResourceVersion, rule: &DefinitionRule) -> bool {
    let expressions = parameters_of(version).into_iter().flat_map(|parameters| &parameters.expressions);
    expressions.into_iter().any(|parameter| rule.source.rule.contains(&parameter.literal))
}

/// A validation that a server takes, none if the rule never runs.
struct ServedValidation {
    validation: Option<Value>,
    fidelity: Fidelity,
    /// The reason and the form, if it is not written as the rule is.
    restated: Option<(String, Option<String>)>,
}

/// The validation of an equivalent form that a server takes.
fn restate(
    rule: &DefinitionRule,
    cause: String,
    build: &dyn Fn(&DefinitionRule) -> Result<ServedValidation, String>,
) -> Result<ServedValidation, String> {
    let message = message::message_or_rule(rule);
    let in_form = |text: &str| {
        let source = RuleSource { rule: text.to_owned(), message: message.clone(), ..rule.source.clone() };
        build(&DefinitionRule { source, ..rule.clone() })
    };
    let length = |text: &str| u64::try_from(text.len()).ok();
    let Some(form) = find_form(rule, &mut |text| length(text).filter(|_| in_form(text).is_ok())) else {
        return Err(cause);
    };
    Ok(ServedValidation { restated: Some((cause, Some(form.clone()))), ..in_form(&form)? })
}

/// The validation of a rule that a server takes, and the fidelity.
fn build_for_server(
    version: &ResourceVersion,
    schema: &Value,
    rule: &DefinitionRule,
    oldest: KubernetesVersion,
) -> Result<ServedValidation, String> {
    let (mut validation, fidelity) = build_validation(version, schema, rule)?;
    // The newest server has all that the types of a rule allow.
    let may_lack = oldest < KubernetesVersion::NEWEST;
    let needs = validation.as_ref().filter(|_| may_lack).map(validation_needs).unwrap_or_default();
    let (of_message, of_rule): (Vec<_>, Vec<_>) =
        needs.into_iter().partition(|need| need.field == "messageExpression");
    if let Some(cause) = missing_text(&of_rule, oldest) {
        return Err(cause);
    }
    let restated = missing_text(&of_message, oldest);
    // The constant message stays.
    if let Some(Value::Object(fields)) = validation.as_mut().filter(|_| restated.is_some()) {
        fields.shift_remove("messageExpression");
    }
    Ok(ServedValidation { validation, fidelity, restated: restated.map(|cause| (cause, None)) })
}

/// The validation of a rule, none if the rule never runs, and the fidelity.
fn build_validation(
    version: &ResourceVersion,
    schema: &Value,
    rule: &DefinitionRule,
) -> Result<(Option<Value>, Fidelity), String> {
    let (expression, _) = rule.check_types().map_err(|opaque| opaque.to_string())?;
    let source = &rule.source;
    let mut names = LoopNames::beside(&expression, &source.message_expression);
    let stored = if source.is_transition_rule() {
        StoredPlace::named(source.optional_old_self)
    } else if version.excuses_unchanged() {
        StoredPlace::compared(schema)
    } else {
        StoredPlace::Ignored
    };
    let start = RulePlace::of_object(version, schema, stored);
    let (mut reads_duration, mut is_never_run) = (false, false);
    let mut body = |place: &RulePlace<'_>, names: &mut LoopNames| {
        is_never_run |= matches!(place.stored, StoredPlace::Absent);
        let rewritten = rewrite_at(&expression, place, names)?;
        reads_duration |= rewritten.remaining.reads_duration;
        Ok(write_rule(&expression, &rewritten, place, names))
    };
    let text = write_place(start, &rule.place, &mut names, &mut body)?;
    if is_never_run {
        return Ok((None, Fidelity::Exact));
    }
    check_size(&text)?;
    let mut validation = Map::new();
    validation.insert("expression".to_owned(), text.into());
    validation.insert("message".to_owned(), message::constant_message(version, rule).into());
    if let Some(text) = message::message_expression(version, rule, schema) {
        validation.insert("messageExpression".to_owned(), text.into());
    }
    validation.insert("reason".to_owned(), "Invalid".into());
    let validation = Value::Object(validation);
    Ok((Some(validation), rule_fidelity(version, rule, &expression, reads_duration)))
}

fn check_size(text: &str) -> Result<(), String> {
    let Err(error) = kvrules_cel::parse(text) else { return Ok(()) };
    let cause = kvrules_cel::size_problem(text).unwrap_or_else(|| error.to_string());
    Err(format!("the server rejects the rule: {cause}"))
}

/// Rewrites an expression of a rule for one place.
fn rewrite_at(
    expression: &Expression,
    place: &RulePlace<'_>,
    names: &mut LoopNames,
) -> Result<RewrittenRule, String> {
    let old = match &place.stored {
        StoredPlace::Required(path) => OldValue::Stored(path.text()),
        StoredPlace::Optional { text, is_nullable: true } => {
            OldValue::Optional(stored::optional_without_null(text, names))
        }
        StoredPlace::Optional { text, .. } => OldValue::Optional(text.clone()),
        StoredPlace::Compared(_) | StoredPlace::Absent | StoredPlace::Ignored => OldValue::Absent,
    };
    let values = RuleValues { own: place.path.text(), schema: place.schema, old };
    rewrite_expression(expression, &values, names)
}

/// The condition of a rule for one value.
fn write_rule(
    expression: &Expression,
    rewritten: &RewrittenRule,
    place: &RulePlace<'_>,
    names: &mut LoopNames,
) -> String {
    let text = ended_line(&rewritten.text);
    let is_choice = matches!(&expression.root.kind,
        ExprKind::Call { function, .. } if function == operators::CONDITIONAL);
    let text = if is_choice || text.ends_with('\n') { format!("({text})") } else { text };
    let StoredPlace::Compared(compared) = &place.stored else { return text };
    match compared.unchanged_text(names) {
        Some(unchanged) => unless_unchanged(&text, &unchanged),
        None => text,
    }
}

fn rule_fidelity(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    expression: &Expression,
    reads_duration: bool,
) -> Fidelity {
    let unseen = unseen_causes(version, rule, expression);
    let unseen = (!unseen.is_empty()).then(|| unseen.join("; "));
    match (reads_duration, unseen) {
        (false, None) => Fidelity::Exact,
        (true, None) => Fidelity::Narrower(DURATION.to_owned()),
        (false, Some(cause)) => Fidelity::Wider(cause),
        (true, Some(cause)) => Fidelity::Incomparable(format!("{DURATION}; {cause}")),
    }
}
