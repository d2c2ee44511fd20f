//! Fields that objects may lack when policies are evaluated. A server fills in many fields of built-in kinds before, in ways that no
//! schema has: defaults in its code, and admission plugins.

use kvrules_ir::Term;
use kvrules_kubernetes_types::find_resources;
use kvrules_lift::PolicySubject;
use serde_json::Value;

/// Optional fields of built-in kinds that a server leaves absent, below the field that contains them.
// pkg/apis/*/v1/defaults.go has no default for them, and none of the admission plugins that are enabled by default sets them.
const LEFT_ABSENT: &[(&str, &[&str])] = &[
    ("metadata", &["annotations", "deletionTimestamp", "generateName", "labels", "ownerReferences"]),
    (
        "spec",
        &[
            "affinity",
            "dnsConfig",
            "ephemeralContainers",
            "externalIPs",
            "hostAliases",
            "hostIPC",
            "hostNetwork",
            "hostPID",
            "hostname",
            "initContainers",
            "loadBalancerClass",
            "loadBalancerIP",
            "loadBalancerSourceRanges",
            "nodeSelector",
            "readinessGates",
            "runtimeClassName",
            "shareProcessNamespace",
            "subdomain",
            "tls",
            "topologySpreadConstraints",
        ],
    ),
    ("containers", CONTAINER),
    ("initContainers", CONTAINER),
    ("ephemeralContainers", CONTAINER),
    (
        "securityContext",
        &[
            "allowPrivilegeEscalation",
            "appArmorProfile",
            "capabilities",
            "fsGroup",
            "privileged",
            "readOnlyRootFilesystem",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "seLinuxOptions",
            "seccompProfile",
            "supplementalGroups",
            "sysctls",
            "windowsOptions",
        ],
    ),
    ("capabilities", &["add", "drop"]),
    ("resources", &["claims", "limits", "requests"]),
    ("volumes", &["configMap", "csi", "hostPath", "nfs", "persistentVolumeClaim", "projected", "secret"]),
];

const CONTAINER: &[&str] = &[
    "args",
    "command",
    "env",
    "envFrom",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "securityContext",
    "startupProbe",
    "workingDir",
];

/// Kinds whose labels a server may set.
// pkg/apis/core/v1/defaults.go, SetDefaults_Namespace; pkg/apis/batch/v1/defaults.go, SetDefaults_Job; pkg/apis/core/v1/defaults.go,
// SetDefaults_ReplicationController
const LABELLED: &[&str] = &["Namespace", "Job", "CronJob", "ReplicationController"];

/// True if an object may lack a field below a term when policies are evaluated.
pub(super) fn may_be_absent(of: &Term, name: &str, subject: &PolicySubject) -> bool {
    // Parameters are written for the policy; the facts of a request are the server's.
    if !is_of_object(of) {
        return false;
    }
    let Some(parent) = last_field(of) else { return false };
    if is_map(of, subject) {
        return true;
    }
    let is_labels = parent == "metadata" && name == "labels";
    if is_labels && LABELLED.contains(&subject.kind.as_str()) {
        return false;
    }
    let is_listed = LEFT_ABSENT.iter().any(|(known, names)| *known == parent && names.contains(&name));
    // The schema of a definition has all defaults, which the objects that are tried have too.
    is_listed || parent != "metadata" && !is_built_in(subject)
}

fn is_built_in(subject: &PolicySubject) -> bool {
    find_resources(&subject.group).any(|it| it.kind == subject.kind && it.version == subject.version)
}

/// True for parts of the object or the old object.
fn is_of_object(term: &Term) -> bool {
    match term {
        Term::Root(name) => matches!(name.as_str(), "object" | "oldObject"),
        Term::Field(of, _) | Term::Index(of, _) => is_of_object(of),
        _ => false,
    }
}

/// The last field of a path; that of the list for an item.
fn last_field(term: &Term) -> Option<&str> {
    match term {
        Term::Field(_, name) => Some(name),
        Term::Index(of, _) => last_field(of),
        _ => None,
    }
}

/// True if a term is a map with any keys.
fn is_map(term: &Term, subject: &PolicySubject) -> bool {
    node_of(term, subject).is_some_and(|node| {
        node.get("additionalProperties").is_some_and(Value::is_object) && node.get("properties").is_none()
    })
}

fn node_of<'s>(term: &Term, subject: &'s PolicySubject) -> Option<&'s Value> {
    match term {
        Term::Root(name) => matches!(name.as_str(), "object" | "oldObject").then_some(&subject.object),
        Term::Field(of, name) => {
            let node = node_of(of, subject)?;
            node.get("properties").and_then(|it| it.get(name)).or_else(|| node.get("additionalProperties"))
        }
        Term::Index(of, _) => {
            let node = node_of(of, subject)?;
            node.get("items").or_else(|| node.get("additionalProperties"))
        }
        _ => None,
    }
}

/// A path as expressions write it.
pub(super) fn path_text(term: &Term) -> String {
    let is_word = |name: &str| {
        name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
            && !name.starts_with(|char: char| char.is_ascii_digit())
    };
    match term {
        Term::Root(name) => name.clone(),
        Term::Field(of, name) if is_word(name) => format!("{}.{name}", path_text(of)),
        Term::Field(of, name) => format!("{}['{name}']", path_text(of)),
        Term::Index(of, _) => format!("{}[]", path_text(of)),
        _ => "item".to_owned(),
    }
}
