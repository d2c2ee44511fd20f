//! The kind of objects that a unit is about.

use kvrules_apiserver::definition::AuthoredObjects;
use kvrules_crd::policy_subjects;
use kvrules_ir::Subject;
use kvrules_sources::crd::RunResources;
use serde_json::Value;

use super::super::{ComparableUnit, UnitContent};

/// A kind of objects; an empty text is unknown, and `*` stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SubjectKind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) plural: String,
}

/// The objects that a unit is about.
pub(super) enum UnitSubject {
    /// Objects of these kinds.
    Kinds(Vec<SubjectKind>),
    /// Any JSON document.
    Documents,
    /// Nothing that other notations are about; the reason.
    Alone(String),
}

impl SubjectKind {
    /// True if objects may be of both kinds.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let same = |one: &str, other: &str| one == other || one == "*" || other == "*";
        let kinds = if self.kind.is_empty() || other.kind.is_empty() {
            same(&self.plural, &other.plural) && !self.plural.is_empty()
        } else {
            self.kind == other.kind
        };
        same(&self.group, &other.group) && same(&self.version, &other.version) && kinds
    }

    /// The kind with what another one knows.
    pub(super) fn completed_by(&self, other: &Self) -> Self {
        let known = |own: &str, theirs: &str| {
            if own.is_empty() || own == "*" { theirs.to_owned() } else { own.to_owned() }
        };
        Self {
            group: if self.group == "*" { other.group.clone() } else { self.group.clone() },
            version: known(&self.version, &other.version),
            kind: known(&self.kind, &other.kind),
            plural: known(&self.plural, &other.plural),
        }
    }

    /// The kind, which is that of the name of a JSON Schema if no other is known.
    pub(super) fn named_by(&self, units: [&ComparableUnit; 2]) -> Self {
        let is_kind = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_uppercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric())
        };
        let schemas = units.into_iter().filter(|unit| matches!(unit.content, UnitContent::JsonSchema(_)));
        let mut names = schemas.filter_map(|unit| unit.name.rsplit('.').next()).filter(|name| is_kind(name));
        let kind = Some(self.kind.clone()).filter(|kind| !kind.is_empty());
        Self { kind: kind.or_else(|| names.next().map(str::to_owned)).unwrap_or_default(), ..self.clone() }
    }

    /// The `apiVersion` of the objects.
    pub(super) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The kind in words: `Pond` of `example.com/v1`.
    pub(super) fn describe(&self) -> String {
        let name = if self.kind.is_empty() { &self.plural } else { &self.kind };
        format!("`{name}` of `{}`", self.api_version())
    }
}

/// The objects that a unit is about.
pub(super) fn unit_subject(unit: &ComparableUnit, run: &RunResources) -> UnitSubject {
    match &unit.content {
        UnitContent::Rules(_) => UnitSubject::Kinds(vec![virtual_machine()]),
        UnitContent::Schema(definition) => UnitSubject::Kinds(vec![kind_of_version(&definition.version)]),
        UnitContent::JsonSchema(_) => UnitSubject::Documents,
        UnitContent::RuleSet(set) => match set.subject.objects {
            AuthoredObjects::OfVersion => UnitSubject::Kinds(vec![kind_of_version(&set.subject.version)]),
            AuthoredObjects::Documents => UnitSubject::Documents,
            AuthoredObjects::OfAnyKind => {
                UnitSubject::Alone("its rules are about what objects of all kinds have".to_owned())
            }
        },
        UnitContent::Policy(policy) if policy.kind == "ValidatingAdmissionPolicy" => {
            UnitSubject::Kinds(policy_kinds(&policy.value, run))
        }
        UnitContent::Policy(policy) => UnitSubject::Alone(match policy.kind {
            "ValidatingAdmissionPolicyBinding" => {
                "a binding requires nothing of objects without its policy".to_owned()
            }
            kind if kind.contains("Mutating") => {
                "it changes objects, and requires nothing of them".to_owned()
            }
            _ => "what it requires of objects is decided by a program elsewhere".to_owned(),
        }),
        UnitContent::ExtraSpecs(_) => UnitSubject::Alone("they are about extra specs of flavors".to_owned()),
    }
}

fn kind_of_version(version: &kvrules_apiserver::definition::ResourceVersion) -> SubjectKind {
    SubjectKind {
        group: version.group.clone(),
        version: version.version.clone(),
        kind: version.kind.clone(),
        plural: version.plural.clone(),
    }
}

/// The kind that rules of templates are about.
fn virtual_machine() -> SubjectKind {
    let subject = Subject::virtual_machine();
    let [group, version, kind, plural] = [&subject.group, &subject.version, &subject.kind, &subject.resource]
        .map(|it| it.clone().unwrap_or_default());
    SubjectKind { group, version, kind, plural }
}

/// The kinds that a policy matches: those whose types are known, and the resources that it names.
fn policy_kinds(policy: &Value, run: &RunResources) -> Vec<SubjectKind> {
    let known = policy_subjects(policy, run.resources()).into_iter().map(|subject| SubjectKind {
        group: subject.group,
        version: subject.version,
        kind: subject.kind,
        plural: subject.resource,
    });
    let mut kinds: Vec<SubjectKind> = known.collect();
    let rules = policy.pointer("/spec/matchConstraints/resourceRules").and_then(Value::as_array);
    for rule in rules.into_iter().flatten() {
        let names = |key: &str| -> Vec<String> {
            let listed = rule.get(key).and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        for plural in names("resources").into_iter().filter(|name| !name.contains('/')) {
            for group in names("apiGroups") {
                for version in names("apiVersions") {
                    let kind = SubjectKind {
                        group: group.clone(),
                        version,
                        kind: String::new(),
                        plural: plural.clone(),
                    };
                    if !kinds.iter().any(|known| known.fits(&kind)) {
                        kinds.push(kind);
                    }
                }
            }
        }
    }
    kinds
}
