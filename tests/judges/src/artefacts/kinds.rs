//! Kinds of objects with subresources: what each request stores, and what admission sees of it. Written from the strategies of the
//! server (pkg/registry, `PrepareForUpdate`; apiextensions-apiserver pkg/registry/customresource).

use serde_json::{Value as Json, json};

use crate::Random;
use crate::words::{Moves, Step, definition_with_subresources, insert_at, read_path, values_at};

/// A kind of objects, with the fields that rules are about.
#[derive(Clone, Debug)]
pub struct Kind {
    pub group: &'static str,
    pub api_version: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    /// The definition of the kind, if Kubernetes does not serve it itself.
    pub definition: Option<Json>,
    /// The fields of a pond as fields of this kind.
    pub moves: Moves,
    pub subresources: Vec<Subresource>,
}

/// A subresource.
#[derive(Clone, Debug)]
pub struct Subresource {
    pub name: &'static str,
    pub operation: &'static str,
    /// The fields that its requests write; none if it stores nothing.
    pub writes: Vec<&'static str>,
    pub shows: Shown,
}

/// The object that admission sees in a request for a subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The object, as it will be stored.
    Object,
    /// A scale, with the replicas.
    Scale,
    /// A binding, with the node.
    Binding,
    /// An object of another kind, with nothing that is stored.
    Other,
}

fn subresource(
    (name, operation): (&'static str, &'static str),
    shows: Shown,
    writes: &[&'static str],
) -> Subresource {
    Subresource { name, operation, writes: writes.to_vec(), shows }
}

fn moves_of(fields: &[(&'static str, &str)], items: &[(&'static str, &'static str)]) -> Moves {
    let fields = fields.iter().map(|(from, to)| (*from, (*to).to_owned())).collect();
    Moves { fields, items: items.to_vec() }
}

/// A custom kind with some subresources, some of whose fields are in its status.
pub fn random_pond_kind(random: &mut Random) -> Kind {
    let (has_status, scaled) =
        (random.chance(2, 3), *random.choose(&[None, Some("spec.n"), Some("spec.o.b")]));
    let mut declared = json!({});
    let mut subresources = Vec::new();
    if has_status {
        declared["status"] = json!({});
        subresources.push(subresource(("status", "UPDATE"), Shown::Object, &["status"]));
    }
    if let Some(path) = scaled {
        declared["scale"] =
            json!({"specReplicasPath": format!(".{path}"), "statusReplicasPath": ".status.n"});
        subresources.push(subresource(("scale", "UPDATE"), Shown::Scale, &[path]));
    }
    let move_field = |from: &'static str| {
        let part = if random.chance(1, 3) { "status" } else { "spec" };
        (from, format!("{part}.{}", from.trim_start_matches("spec.")))
    };
    let fields = [
        "spec.n", "spec.m", "spec.s", "spec.t", "spec.q", "spec.on", "spec.f", "spec.l", "spec.p", "spec.o",
        "spec.dn", "spec.ds", "spec.e", "spec.x", "spec.nn", "spec.ns", "spec.r", "spec.g",
    ];
    let fields = fields.map(move_field).to_vec();
    Kind {
        group: "example.com",
        api_version: "example.com/v1",
        kind: "Pond",
        plural: "ponds",
        definition: Some(definition_with_subresources(&declared)),
        moves: Moves { fields, items: vec![("k", "k"), ("n", "n"), ("q", "q"), ("d", "d"), ("x", "x")] },
        subresources,
    }
}

/// A kind that Kubernetes itself serves.
pub fn random_built_in_kind(random: &mut Random) -> Kind {
    match random.below(5) {
        0 | 1 => pods(random),
        2 | 3 => deployments(),
        _ => namespaces(),
    }
}

/// core/pod/strategy.go, podStatusStrategy, podEphemeralContainersStrategy, podResizeStrategy; storage/storage.go, BindingREST
fn pods(random: &mut Random) -> Kind {
    let containers = *random.choose(&["spec.containers", "spec.initContainers", "spec.ephemeralContainers"]);
    let field = *random.choose(&["imagePullPolicy", "resources.limits.cpu"]);
    let fields = [
        ("spec.n", "spec.priority"),
        ("spec.m", "spec.terminationGracePeriodSeconds"),
        ("spec.s", "spec.nodeName"),
        ("spec.t", "metadata.labels.app"),
        ("spec.q", "status.phase"),
        ("spec.on", "spec.hostNetwork"),
        ("spec.f", "metadata.finalizers"),
        ("spec.l", containers),
    ];
    let resized = ["spec.containers[*].resources", "spec.initContainers[*].resources"];
    let with_status = ["status", "metadata.labels", "metadata.annotations", "metadata.finalizers"];
    Kind {
        group: "",
        api_version: "v1",
        kind: "Pod",
        plural: "pods",
        definition: None,
        moves: moves_of(&fields, &[("k", "image"), ("q", field)]),
        subresources: vec![
            subresource(("status", "UPDATE"), Shown::Object, &with_status),
            subresource(("ephemeralcontainers", "UPDATE"), Shown::Object, &["spec.ephemeralContainers"]),
            subresource(("resize", "UPDATE"), Shown::Object, &resized),
            subresource(("binding", "CREATE"), Shown::Binding, &["spec.nodeName"]),
            subresource(("eviction", "CREATE"), Shown::Other, &[]),
            subresource(("exec", "CONNECT"), Shown::Other, &[]),
        ],
    }
}

/// apps/deployment/strategy.go, deploymentStatusStrategy; storage/storage.go, ScaleREST
fn deployments() -> Kind {
    let fields = [
        ("spec.n", "spec.replicas"),
        ("spec.m", "spec.minReadySeconds"),
        ("spec.s", "spec.strategy.type"),
        ("spec.t", "metadata.labels.app"),
        ("spec.q", "metadata.annotations.note"),
        ("spec.on", "spec.paused"),
        ("spec.f", "metadata.finalizers"),
        ("spec.l", "spec.template.spec.containers"),
        ("spec.dn", "status.readyReplicas"),
        ("spec.e.b", "status.replicas"),
    ];
    let with_status = ["status", "metadata.annotations", "metadata.finalizers"];
    Kind {
        group: "apps",
        api_version: "apps/v1",
        kind: "Deployment",
        plural: "deployments",
        definition: None,
        moves: moves_of(&fields, &[("k", "image"), ("q", "resources.limits.cpu")]),
        subresources: vec![
            subresource(("status", "UPDATE"), Shown::Object, &with_status),
            subresource(("scale", "UPDATE"), Shown::Scale, &["spec.replicas"]),
        ],
    }
}

/// core/namespace/strategy.go, namespaceStatusStrategy, namespaceFinalizeStrategy
fn namespaces() -> Kind {
    let fields = [
        ("spec.s", "status.phase"),
        ("spec.t", "metadata.labels.app"),
        ("spec.q", "metadata.annotations.note"),
        ("spec.f", "spec.finalizers"),
    ];
    let metadata = ["metadata.labels", "metadata.annotations", "metadata.finalizers"];
    let with = |part: &'static str| [&[part], metadata.as_slice()].concat();
    Kind {
        group: "",
        api_version: "v1",
        kind: "Namespace",
        plural: "namespaces",
        definition: None,
        moves: moves_of(&fields, &[]),
        subresources: vec![
            subresource(("status", "UPDATE"), Shown::Object, &with("status")),
            subresource(("finalize", "UPDATE"), Shown::Object, &with("spec")),
        ],
    }
}

impl Kind {
    /// An object of this kind with the values of a random pond.
    pub fn to_object(&self, pond: &Json) -> Json {
        let head = json!({"apiVersion": self.api_version, "kind": self.kind, "metadata": {"name": "pond"}});
        self.moves.move_object(pond, head)
    }

    /// The object that a request for the resource itself stores: requests for the status alone write that, if they exist.
    pub fn stored_by_write(&self, sent: &Json, stored: Option<&Json>) -> Json {
        let mut object = sent.clone();
        if self.subresources.iter().any(|it| it.name == "status") {
            replace_field(&mut object, stored.unwrap_or(&Json::Null), &[Step::Field("status".to_owned())]);
        }
        object
    }
}

impl Subresource {
    /// The object that a request for the subresource makes of the stored one, with values of another object; `None` if the server
    /// rejects it.
    pub fn stored_by_write(&self, stored: &Json, sent: &Json) -> Option<Json> {
        let at = |object: &Json, path: &str| {
            values_at(object, &read_path(path).unwrap_or_default()).first().map(|value| (*value).clone())
        };
        let mut object = stored.clone();
        for path in &self.writes {
            let steps = read_path(path).unwrap_or_default();
            match self.shows {
                Shown::Scale => {
                    // A request always has a count, and the server one of at least 0.
                    let count = at(sent, path).unwrap_or_else(|| json!(0));
                    stored.get("spec").filter(|_| count.as_i64() >= Some(0))?;
                    insert_at(&mut object, &steps, count);
                }
                // A Pod is bound once.
                Shown::Binding if at(stored, path).is_some_and(|node| node != "") => return None,
                Shown::Binding => insert_at(&mut object, &steps, at(sent, path)?),
                Shown::Object | Shown::Other => replace_field(&mut object, sent, &steps),
            }
        }
        Some(object)
    }

    /// The object of the request, and the old one, as admission sees them.
    pub fn shown_by_write(&self, stored: &Json, after: &Json) -> (Json, Json) {
        let metadata = json!({"name": "pond"});
        let first = |object: &Json| {
            let path = read_path(self.writes.first().copied().unwrap_or_default()).unwrap_or_default();
            values_at(object, &path).first().map_or(json!(0), |value| (*value).clone())
        };
        let scale = |object: &Json| {
            json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata,
                "spec": {"replicas": first(object)}, "status": {"replicas": 0}})
        };
        match self.shows {
            Shown::Object => (after.clone(), stored.clone()),
            Shown::Scale => (scale(after), scale(stored)),
            Shown::Binding => {
                let target = json!({"kind": "Node", "name": first(after)});
                let binding =
                    json!({"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target});
                (binding, Json::Null)
            }
            Shown::Other => {
                (json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}), Json::Null)
            }
        }
    }
}

/// Makes the value of a field that of another object; in a list, of the item at the same index.
fn replace_field(target: &mut Json, source: &Json, path: &[Step]) {
    match (path, target) {
        ([Step::Field(name)], Json::Object(fields)) => match source.get(name) {
            Some(value) => {
                fields.insert(name.clone(), value.clone());
            }
            None => {
                fields.remove(name);
            }
        },
        ([Step::Field(name), rest @ ..], Json::Object(fields)) => {
            // An item of a list that is not there is not written.
            let is_added = !path.contains(&Step::Each) && !values_at(source, path).is_empty();
            if is_added || fields.contains_key(name) {
                let part = fields.entry(name.clone()).or_insert_with(|| json!({}));
                replace_field(part, source.get(name).unwrap_or(&Json::Null), rest);
            }
        }
        ([Step::Each, rest @ ..], Json::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                replace_field(item, source.get(index).unwrap_or(&Json::Null), rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(shows: Shown, writes: &[&'static str], stored: &Json, sent: &Json) -> Option<Json> {
        subresource(("part", "UPDATE"), shows, writes).stored_by_write(stored, sent)
    }

    #[test]
    fn a_request_for_a_subresource_writes_its_fields_alone() {
        let pod = |image: &str, cpu: u8| json!({"metadata": {}, "spec": {"containers": [{"image": image, "resources": {"cpu": cpu}}]}});
        let resized = written(Shown::Object, &["spec.containers[*].resources"], &pod("a", 1), &pod("b", 2));
        assert_eq!(resized, Some(pod("a", 2)));
        let labelled = json!({"metadata": {"labels": {"app": "a"}}});
        let without = written(Shown::Object, &["metadata.labels"], &labelled, &json!({"metadata": {}}));
        assert_eq!(without, Some(json!({"metadata": {}})));
    }

    #[test]
    fn a_scale_always_has_a_count_and_a_pod_is_bound_once() {
        let spec = |spec: Json| json!({ "spec": spec });
        let scaled = written(Shown::Scale, &["spec.o.b"], &spec(json!({})), &spec(json!({})));
        assert_eq!(scaled, Some(spec(json!({"o": {"b": 0}}))));
        assert_eq!(written(Shown::Scale, &["spec.n"], &spec(json!({})), &spec(json!({"n": -1}))), None);
        let bound = spec(json!({"nodeName": "a"}));
        assert_eq!(written(Shown::Binding, &["spec.nodeName"], &bound, &bound), None);
        let first = written(Shown::Binding, &["spec.nodeName"], &spec(json!({})), &bound);
        assert_eq!(first, Some(bound));
    }

    #[test]
    fn a_write_of_the_object_keeps_the_stored_status() {
        let kind = deployments();
        let stored = json!({"status": {"replicas": 1}});
        let sent = json!({"spec": {}, "status": {"replicas": 2}});
        let expected = json!({"spec": {}, "status": {"replicas": 1}});
        assert_eq!(kind.stored_by_write(&sent, Some(&stored)), expected);
        assert_eq!(kind.stored_by_write(&sent, None), json!({"spec": {}}));
    }
}
