//! The Kubernetes version that a rule needs, by the tables of functions and fields.

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_cel::parse;
use kvrules_cel::types::Type;
use serde_json::Value;

use crate::policy::acceptance::policy_requirements;
use crate::server::RULE_FIELDS;

/// Something that only newer servers take in a new rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleNeed {
    /// The field of the rule, such as `rule` or `messageExpression`.
    pub field: String,
    /// The function or the piece of syntax; the name of the field if a server ignores that.
    pub name: String,
    /// The first version that has it; `None` if no known version does.
    pub since: Option<KubernetesVersion>,
}

/// Returns what an entry of `x-kubernetes-validations` needs beyond the oldest known version. The types of the values are not
/// known here, so a function with overloads counts as that of its oldest one.
///
/// ```
/// use kvrules_apiserver::needs::{first_version, rule_needs};
/// let needs = rule_needs(&serde_json::json!({"rule": "isCIDR(self)", "reason": "FieldValueInvalid"}));
/// assert_eq!((needs[0].field.as_str(), needs[0].name.as_str()), ("rule", "isCIDR"));
/// assert_eq!(first_version(&needs), "1.31".parse().ok());
/// ```
pub fn rule_needs(entry: &Value) -> Vec<RuleNeed> {
    let has_optional = entry.get("optionalOldSelf").and_then(Value::as_bool).unwrap_or(false);
    let old = if has_optional { Type::optional_of(Type::Dyn) } else { Type::Dyn };
    let env = TypeEnvironment::new().with_variable("self", Type::Dyn).with_variable("oldSelf", old);
    let mut needs = Vec::new();
    for field in ["rule", "messageExpression"] {
        let Some(text) = entry.get(field).and_then(Value::as_str) else { continue };
        let checked = parse(text).ok().and_then(|expression| check_expression(&expression, &env).ok());
        let requirements = checked.map(|checked| checked.find_requirements(text)).unwrap_or_default();
        let need = |name, since| RuleNeed { field: field.to_owned(), name, since };
        needs.extend(requirements.into_iter().map(|it| need(it.name, it.new_from)));
    }
    let written = RULE_FIELDS.iter().filter(|fact| entry.get(fact.name).is_some());
    needs.extend(written.map(|fact| {
        let since = Some(KubernetesVersion::table_minor(fact.used_from));
        RuleNeed { field: fact.name.to_owned(), name: fact.name.to_owned(), since }
    }));
    needs
}

/// Returns what a validation of a policy needs beyond the oldest known version.
pub fn validation_needs(validation: &Value) -> Vec<RuleNeed> {
    let policy = serde_json::json!({"spec": {"validations": [validation], "paramKind": {}}});
    let mut needs = Vec::new();
    for found in policy_requirements(&policy) {
        let field = found.field.rsplit('.').next().unwrap_or_default().to_owned();
        let need = |name, since| RuleNeed { field: field.clone(), name, since };
        needs.extend(found.requirements.into_iter().map(|it| need(it.name, it.new_from)));
    }
    needs
}

/// Returns the first version that has all that is needed; `None` if no known version does.
pub fn first_version(needs: &[RuleNeed]) -> Option<KubernetesVersion> {
    needs.iter().try_fold(KubernetesVersion::OLDEST, |oldest, need| need.since.map(|since| since.max(oldest)))
}

/// Returns the sentence about what is needed that a version lacks; `None` if it has all.
///
/// ```
/// use kvrules_apiserver::needs::{missing_text, rule_needs};
/// let needs = rule_needs(&serde_json::json!({"rule": "quantity(self) == quantity('1')"}));
/// let text = missing_text(&needs, "1.28".parse().unwrap());
/// assert_eq!(text.as_deref(), Some("`quantity` needs Kubernetes 1.29 or newer"));
/// ```
pub fn missing_text(needs: &[RuleNeed], version: KubernetesVersion) -> Option<String> {
    let since = |need: &RuleNeed| need.since.map_or(u8::MAX, KubernetesVersion::minor);
    let latest = needs.iter().map(since).max().filter(|since| *since > version.minor())?;
    let need = needs.iter().find(|need| since(need) == latest)?;
    Some(match need.since {
        Some(since) => format!("`{}` needs Kubernetes {since} or newer", need.name),
        None => format!("no Kubernetes up to {} has `{}`", KubernetesVersion::NEWEST, need.name),
    })
}
