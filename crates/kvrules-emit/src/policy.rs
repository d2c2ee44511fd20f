//! The resource whose requests a policy validates. A policy without group, version and resource would never be
//! evaluated.

use kvrules_apiserver::definition::WrittenSubresource;
use kvrules_diagnostics::Exactness;
use kvrules_generate::{PlaceStep as FieldStep, field_steps};
use kvrules_ir::{ElaboratedRule, PlaceBase, PlaceStep, Subresource};
use kvrules_rule_set::built_in_subresources;

use crate::crd::places_of;
use crate::{Fidelity, Request};

/// The target that makes policies.
pub(crate) const TARGET: &str = "admission-policy";
/// Its option that names the resource.
pub(crate) const RESOURCE: &str = "resource";

/// The resource whose requests a policy evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyResource {
    /// The group of the API; empty for the core group.
    pub group: String,
    /// The version in which the server hands objects to the policy.
    pub version: String,
    /// The name of the resource, such as `deployments`.
    pub name: String,
    /// The subresources whose requests change the object.
    pub subresources: Vec<WrittenSubresource>,
}

/// The resource that policies of a request evaluate: what the option `resource` names, else what the schema says. Without
/// group, version and resource, the reason.
pub fn policy_resource(request: &Request<'_>) -> Result<PolicyResource, String> {
    let subject = request.subject;
    let requested = request.options.get(&(TARGET.to_owned(), RESOURCE.to_owned())).map_or("", String::as_str);
    let requested = RequestedResource::of(requested)?;
    let group = requested.group.or_else(|| subject.group.clone());
    let version = requested.version.or_else(|| subject.version.clone());
    let name = requested.name.or_else(|| subject.resource.clone());
    let (Some(group), Some(version), Some(name)) = (&group, &version, &name) else {
        return Err(missing_parts_message(group.as_deref(), version.as_deref(), name.as_deref()));
    };
    let is_of_schema = subject.group.as_ref() == Some(group) && subject.resource.as_ref() == Some(name);
    if is_of_schema && !subject.served.is_empty() && !subject.served.contains(version) {
        let served: Vec<_> = subject.served.iter().map(|version| format!("`{version}`")).collect();
        return Err(format!(
            "the API serves `{name}` in {} but not in `{version}`, so no request would reach the policy; choose a \
             served version with `--schema FILE#VERSION`",
            served.join(", ")
        ));
    }
    let known = built_in_subresources(group, version, name);
    let of_schema = subject.subresources.iter().filter(|_| is_of_schema).map(written_subresource);
    let subresources = if known.is_empty() { of_schema.collect() } else { known };
    Ok(PolicyResource { group: group.clone(), version: version.clone(), name: name.clone(), subresources })
}

/// A subresource of a custom resource.
fn written_subresource(subresource: &Subresource) -> WrittenSubresource {
    let (name, field, shows_object) = match subresource {
        Subresource::Status => ("status", "status", true),
        Subresource::Scale(path) => ("scale", path.trim_start_matches('.'), false),
    };
    let fields = vec![field.to_owned()];
    WrittenSubresource { name: name.to_owned(), fields, shows_object, is_evaluated: false }
}

/// The resource that the option `resource` names.
#[derive(Default)]
struct RequestedResource {
    group: Option<String>,
    version: Option<String>,
    name: Option<String>,
}

impl RequestedResource {
    /// Reads `GROUP/VERSION/RESOURCE`, `VERSION/RESOURCE` for the core group, or a resource alone.
    fn of(option: &str) -> Result<Self, String> {
        let owned = |text: &str| Some(text.to_owned());
        let parts: Vec<&str> = option.split('/').collect();
        let requested = match parts.as_slice() {
            [""] => return Ok(Self::default()),
            [name] => Self { name: owned(name), ..Self::default() },
            [version, name] => Self { group: owned(""), version: owned(version), name: owned(name) },
            [group, version, name] => {
                Self { group: owned(group), version: owned(version), name: owned(name) }
            }
            _ => return Err(malformed_option(option)),
        };
        let is_name = |text: &str| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
            !text.is_empty() && text.chars().all(fits)
        };
        let given = [requested.version.as_deref(), requested.name.as_deref()].into_iter().flatten();
        let group = requested.group.as_deref().filter(|group| !group.is_empty());
        if given.chain(group).all(is_name) { Ok(requested) } else { Err(malformed_option(option)) }
    }
}

fn malformed_option(option: &str) -> String {
    format!(
        "`{}` is not a resource; write `GROUP/VERSION/RESOURCE`, such as `apps/v1/deployments`, or `v1/pods` for the core \
         group",
        crate::schema::text::one_line(option)
    )
}

/// Returns a message that names the missing parts and how to give them.
fn missing_parts_message(group: Option<&str>, version: Option<&str>, name: Option<&str>) -> String {
    let missing: Vec<_> = [("group", group), ("version", version), ("resource", name)]
        .into_iter()
        .filter_map(|(word, known)| known.is_none().then_some(word))
        .collect();
    let missing = match missing.as_slice() {
        [first, second, third] => format!("{first}, {second} and {third}"),
        [first, second] => format!("{first} and {second}"),
        only => only.concat(),
    };
    let example = match (group, version) {
        (Some(""), Some(version)) => format!("{version}/RESOURCE"),
        (Some(group), Some(version)) => format!("{group}/{version}/RESOURCE"),
        _ => "apps/v1/deployments".to_owned(),
    };
    format!(
        "a policy needs group, version and resource of the objects, and the schema does not name the {missing}; add \
         `--option admission-policy.resource={example}`"
    )
}

/// The resources whose requests must be validated: that of the objects, and the subresources that show the object and are there to change
/// a field that rules refer to.
pub(crate) fn policy_resources(resource: &PolicyResource, rules: &[&ElaboratedRule]) -> Vec<String> {
    let is_evaluated = |written: &&WrittenSubresource| rules.iter().any(|rule| is_evaluated(written, rule));
    let evaluated = resource.subresources.iter().filter(is_evaluated);
    let evaluated = evaluated.map(|written| format!("{}/{}", resource.name, written.name));
    std::iter::once(resource.name.clone()).chain(evaluated).collect()
}

/// True if a rule is evaluated for requests for a subresource. A change of metadata alone does not make it one.
fn is_evaluated(written: &WrittenSubresource, rule: &ElaboratedRule) -> bool {
    let own = written.fields.iter().filter(|field| field.split('.').next() != Some("metadata"));
    written.shows_object && own.into_iter().any(|field| mentions_path(rule, field))
}

/// Returns the fidelity of a policy to a rule, given the fidelity of its expression. A request for a subresource such as the scale
/// changes the object, and need not reach the policy.
pub(crate) fn policy_fidelity(
    fidelity: Fidelity,
    resource: &PolicyResource,
    rule: &ElaboratedRule,
) -> Fidelity {
    let unseen = resource.subresources.iter().filter(|written| !is_evaluated(written, rule));
    let causes: Vec<String> = unseen
        .filter_map(|written| {
            let fields = written.fields.iter().filter(|field| mentions_path(rule, field));
            let fields: Vec<String> = fields.map(|field| format!("`.{field}`")).collect();
            let request = format!("a request for `{}/{}`", resource.name, written.name);
            let changes = format!("{request} changes {} without validation", fields.join(" and "));
            (!fields.is_empty()).then_some(changes)
        })
        .collect();
    if causes.is_empty() {
        return fidelity;
    }
    let more = causes.join("; ");
    match fidelity {
        Fidelity::Exact => Fidelity::Wider(more),
        Fidelity::Unsupported(_) => fidelity,
        _ => {
            let exactness = fidelity.exactness().join_with(Exactness::Wider);
            Fidelity::with_cause(exactness, format!("{}; {more}", fidelity.cause().unwrap_or_default()))
        }
    }
}

/// True if a rule refers to what is at a path below the object, or around it, or below it.
fn mentions_path(rule: &ElaboratedRule, path: &str) -> bool {
    let wanted = field_steps(path);
    places_of(&rule.predicate).iter().filter(|(place, _)| place.base == PlaceBase::Root).any(|(place, _)| {
        wanted.iter().zip(&place.steps).all(|(wanted, step)| match (wanted, step) {
            (FieldStep::Field(name), PlaceStep::Field { name: own, .. } | PlaceStep::Key(own)) => own == name,
            (FieldStep::Any, _) => true,
            (FieldStep::Field(_), PlaceStep::Item(_)) => false,
        })
    })
}
