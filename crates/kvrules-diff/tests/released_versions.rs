//! Real CustomResourceDefinitions and the next version that their maintainers could release: each claim of the comparison has
//! a proof or an object that both sides confirm.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_diff::schema::{SchemaEvaluator, Version, compare_versions};
use kvrules_diff::{Change, Direction, Witness, WriteKind};
use serde_json::{Value, json};

/// An edit of a node of a schema. Rules are named by how they begin.
enum Edit {
    /// The keyword gets this value, in JSON.
    Set(&'static str, &'static str),
    /// The keyword is removed.
    Take(&'static str),
    /// A value is added to the list of a keyword, in JSON.
    Push(&'static str, &'static str),
    /// A field is added, with its schema in JSON.
    Field(&'static str, &'static str),
    /// A rule is added.
    Add(&'static str),
    /// A rule is removed.
    Drop(&'static str),
    /// A rule is replaced, with its message kept.
    Rule(&'static str, &'static str),
}

use Edit::{Add, Drop, Field, Push, Rule, Set, Take};

/// A definition: its file, the number of the version that is compared, and the edits, each with the place of the node.
type Release = (&'static str, usize, &'static [(&'static str, Edit)]);

const RELEASES: &[Release] = &[
    (
        "crds/nodepools.karpenter.sh",
        0,
        &[
            ("spec.weight", Set("maximum", "1000")),
            (
                "spec",
                Rule("!has(self.replicas) || !has(self.weight)", "!(has(self.weight) && has(self.replicas))"),
            ),
            (
                "spec.template.spec.requirements",
                Rule(
                    "self.all(x, x.operator == 'In' ?",
                    "self.all(x, x.operator != 'In' || size(x.values) > 0)",
                ),
            ),
            ("spec.template.spec.nodeClassRef.group", Drop("self != ''")),
            ("spec.template.spec.nodeClassRef.group", Set("minLength", "1")),
            (
                "spec.template.spec.nodeClassRef",
                Rule(
                    "self.group == oldSelf.group",
                    "self.group == oldSelf.group && self.kind == oldSelf.kind",
                ),
            ),
            ("spec.template.spec.nodeClassRef", Drop("self.kind == oldSelf.kind")),
        ],
    ),
    (
        "crds/volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io",
        1,
        &[
            (
                "spec.source",
                Rule(
                    "(has(self.volumeHandles) &&",
                    "has(self.volumeHandles) != has(self.groupSnapshotHandles)",
                ),
            ),
            ("spec.volumeGroupSnapshotRef", Drop("has(self.name) &&")),
            ("spec.volumeGroupSnapshotRef", Rule("!has(oldSelf.uid)", "!has(oldSelf.uid) || has(self.uid)")),
            (
                "spec.volumeGroupSnapshotRef",
                Add("!has(self.uid) || !has(oldSelf.uid) || self.uid == oldSelf.uid"),
            ),
            ("spec.deletionPolicy", Add("self == oldSelf")),
        ],
    ),
    (
        "crds/volumesnapshots.snapshot.storage.k8s.io",
        0,
        &[
            ("spec.volumeSnapshotClassName", Drop("size(self) > 0")),
            ("spec.volumeSnapshotClassName", Set("minLength", "1")),
            (
                "spec.source",
                Rule(
                    "(has(self.volumeSnapshotContentName)",
                    "[has(self.volumeSnapshotContentName), has(self.persistentVolumeClaimName)].exists_one(x, x)",
                ),
            ),
            ("spec.source", Drop("!has(oldSelf.persistentVolumeClaimName)")),
        ],
    ),
    (
        "crds/routes.route.openshift.io",
        0,
        &[
            (
                "spec.tls",
                Rule("!(has(self.certificate)", "!has(self.certificate) || !has(self.externalCertificate)"),
            ),
            (
                "spec.tls",
                Rule(
                    "has(self.termination) &&",
                    "!has(self.termination) || !has(self.insecureEdgeTerminationPolicy) || self.termination != 'passthrough' || self.insecureEdgeTerminationPolicy != 'Allow'",
                ),
            ),
            (
                "spec.httpHeaders.actions.request[*].name",
                Rule(
                    "self.lowerAscii() != 'strict",
                    "!(self.lowerAscii() in ['strict-transport-security', 'proxy', 'cookie', 'set-cookie'])",
                ),
            ),
            ("spec.httpHeaders.actions.request[*].name", Drop("self.lowerAscii() != 'proxy'")),
            ("spec.httpHeaders.actions.request[*].name", Drop("self.lowerAscii() != 'cookie'")),
            ("spec.httpHeaders.actions.request[*].name", Drop("self.lowerAscii() != 'set-cookie'")),
            ("spec.to.weight", Set("maximum", "512")),
        ],
    ),
    (
        "crds/backendtlspolicies.gateway.networking.k8s.io",
        0,
        &[
            (
                "spec.validation.subjectAltNames[*]",
                Rule(
                    "!(self.type == \"Hostname\"",
                    "(self.type == 'Hostname') == (has(self.hostname) && self.hostname != '')",
                ),
            ),
            ("spec.validation.subjectAltNames[*]", Drop("!(self.type != \"Hostname\"")),
            (
                "spec.validation",
                Rule(
                    "(has(self.caCertificateRefs)",
                    "has(self.wellKnownCACertificates) && self.wellKnownCACertificates != '' || has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0",
                ),
            ),
            ("spec.validation.hostname", Set("maxLength", "63")),
        ],
    ),
    (
        "crds/peerauthentications.security.istio.io",
        0,
        &[
            ("spec.selector.matchLabels", Rule("self.all(key, key.size()", "self.all(key, key != '')")),
            (
                "spec.portLevelMtls",
                Rule("self.all(key, 0 < int(key)", "self.all(key, int(key) > 0 && int(key) < 65536)"),
            ),
            ("spec.mtls.mode", Push("enum", "\"OPTIONAL\"")),
            (
                "spec",
                Rule(
                    "(has(self.selector)",
                    "!has(self.portLevelMtls) || (has(self.selector) && has(self.selector.matchLabels) && size(self.selector.matchLabels) >= 1)",
                ),
            ),
        ],
    ),
    (
        "crds-2/databases.postgresql.cnpg.io",
        0,
        &[
            ("spec.name", Rule("self != 'postgres'", "!(self in ['postgres', 'template0', 'template1'])")),
            ("spec.name", Drop("self != 'template0'")),
            ("spec.name", Drop("self != 'template1'")),
            (
                "spec",
                Rule(
                    "!has(self.icuLocale)",
                    "!has(self.icuLocale) || (has(self.localeProvider) && self.localeProvider == 'icu')",
                ),
            ),
            ("spec.owner", Set("pattern", "\"^[a-z_][a-z0-9_]*$\"")),
            ("spec.servers[*].fdw", Drop("self != ''")),
            ("spec.servers[*].fdw", Set("minLength", "1")),
            (
                "spec",
                Field(
                    "reclaim",
                    "{\"type\": \"string\", \"default\": \"retain\", \"enum\": [\"retain\", \"delete\"]}",
                ),
            ),
            ("spec", Push("required", "\"reclaim\"")),
        ],
    ),
    (
        "crds-2/ippools.projectcalico.org",
        0,
        &[
            (
                "spec",
                Rule("!cidr('169.254.0.0/16')", "!cidr('169.254.0.0/16').containsIP(cidr(self.cidr).ip())"),
            ),
            ("spec", Add("!cidr(self.cidr).containsIP('169.254.0.0')")),
            (
                "spec",
                Rule(
                    "!has(self.nodeSelector) ||",
                    "!(has(self.nodeSelector) && self.nodeSelector.contains('global('))",
                ),
            ),
            (
                "spec",
                Rule(
                    "!has(self.allowedUses) || !self.allowedUses.exists(u, u == 'LoadBalancer') || self.nodeSelector",
                    "!has(self.allowedUses) || self.allowedUses.all(u, u != 'LoadBalancer') || self.nodeSelector == 'all()'",
                ),
            ),
            ("spec.blockSize", Drop("self == oldSelf")),
        ],
    ),
    (
        "crds-2/resourceflavors.kueue.x-k8s.io",
        1,
        &[
            ("spec.nodeTaints", Drop("self.all(x, x.effect in")),
            (
                "spec.nodeTaints[*].effect",
                Set("enum", "[\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"]"),
            ),
            (
                "spec.tolerations",
                Rule(
                    "self.all(x, has(x.tolerationSeconds)",
                    "self.all(x, !has(x.tolerationSeconds) || x.effect == 'NoExecute')",
                ),
            ),
            ("spec.tolerations", Drop("self.all(x, !has(x.operator)")),
            ("spec.tolerations[*].operator", Set("enum", "[\"Equal\", \"Exists\"]")),
            (
                "spec",
                Rule(
                    "!has(self.topologyName) ||",
                    "!has(self.topologyName) || has(self.nodeLabels) && self.nodeLabels.size() > 0",
                ),
            ),
        ],
    ),
    (
        "crds-2/alertrelabelconfigs.monitoring.openshift.io",
        0,
        &[
            (
                "spec.configs[*]",
                Rule("!has(self.modulus) ||", "!has(self.modulus) || size(self.sourceLabels) > 0"),
            ),
            (
                "spec.configs[*]",
                Rule(
                    "(self.action != 'LabelDrop' && self.action != 'LabelKeep') || !has(self.separator)",
                    "!(self.action in ['LabelDrop', 'LabelKeep']) || (!has(self.separator) && !has(self.replacement))",
                ),
            ),
            (
                "spec.configs[*]",
                Drop("(self.action != 'LabelDrop' && self.action != 'LabelKeep') || !has(self.replacement)"),
            ),
            ("spec.configs[*].action", Push("enum", "\"Lowercase\"")),
            (
                "spec.configs[*]",
                Rule(
                    "(self.action != 'Replace' && self.action != 'LabelMap')",
                    "self.action != 'Replace' || has(self.replacement)",
                ),
            ),
        ],
    ),
    (
        "crds-2/backends.gateway.envoyproxy.io",
        0,
        &[
            ("spec.endpoints[*]", Drop("(has(self.fqdn) || has(self.ip)")),
            (
                "spec.endpoints[*]",
                Rule(
                    "((has(self.fqdn)",
                    "[has(self.fqdn), has(self.ip), has(self.unix)].filter(x, x).size() == 1",
                ),
            ),
            ("spec.endpoints[*].unix.path", Drop("size(self) <= 108")),
            ("spec.endpoints[*].unix.path", Set("maxLength", "108")),
            (
                "spec.tls",
                Rule(
                    "!(has(self.sni)",
                    "!has(self.sni) || !has(self.autoSNIFromEndpointHostname) || !self.autoSNIFromEndpointHostname",
                ),
            ),
            (
                "spec.tls",
                Rule(
                    "has(self.minVersion) && self.minVersion == '1.3'",
                    "!has(self.minVersion) || self.minVersion != '1.3' || !has(self.ciphers)",
                ),
            ),
        ],
    ),
    (
        "crds-2/publications.postgresql.cnpg.io",
        0,
        &[
            (
                "spec.target",
                Rule("(has(self.allTables)", "has(self.allTables) ? !has(self.objects) : has(self.objects)"),
            ),
            (
                "spec.target.objects[*]",
                Rule("(has(self.tablesInSchema)", "has(self.tablesInSchema) || has(self.table)"),
            ),
            (
                "spec.target.objects",
                Rule(
                    "!(self.exists(o, has(o.table)",
                    "self.all(o, !has(o.table) || !has(o.table.columns)) || !self.exists(o, has(o.tablesInSchema))",
                ),
            ),
            ("spec.name", Take("x-kubernetes-validations")),
            ("spec.name", Add("self.size() > 0 && self == oldSelf")),
        ],
    ),
];

/// The node at a place.
fn node_at<'s>(schema: &'s mut Value, place: &str) -> &'s mut Value {
    place.split('.').fold(schema, |node, step| {
        let name = step.trim_end_matches("[*]");
        let below = &mut node["properties"][name];
        if step.ends_with("[*]") { &mut below["items"] } else { below }
    })
}

const RULES: &str = "x-kubernetes-validations";

fn apply_edit(node: &mut Value, place: &str, edit: &Edit) {
    assert!(node.is_object(), "{place}");
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let begins = |rule: &Value, text: &str| {
        rule["rule"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ").starts_with(text)
    };
    let rule_at = |node: &Value, text: &str| {
        let at = node[RULES].as_array().and_then(|rules| rules.iter().position(|rule| begins(rule, text)));
        at.unwrap_or_else(|| panic!("no rule {text} at {place}: {}", node[RULES]))
    };
    match edit {
        Set(key, value) => node[*key] = parse(value),
        Take(key) => assert!(node.as_object_mut().unwrap().remove(*key).is_some(), "{place}"),
        Push(key, value) => node[*key].as_array_mut().unwrap().push(parse(value)),
        Field(name, schema) => node["properties"][*name] = parse(schema),
        Add(rule) => match &mut node[RULES] {
            Value::Array(rules) => rules.push(json!({"rule": rule})),
            other => *other = json!([{"rule": rule}]),
        },
        Drop(rule) => {
            let at = rule_at(node, rule);
            node[RULES].as_array_mut().unwrap().remove(at);
        }
        Rule(rule, other) => {
            let at = rule_at(node, rule);
            node[RULES][at]["rule"] = json!(other);
        }
    }
}

/// True if the side that the witness is about accepts it and the other one rejects it.
fn is_confirmed(witness: &Witness, one: &SchemaEvaluator, other: &SchemaEvaluator) -> bool {
    let ask = |side: &SchemaEvaluator| match (&witness.previous, witness.write) {
        (Some(previous), WriteKind::Status) => side.write_status(&witness.object, previous),
        (Some(previous), _) => side.evaluate_update(&witness.object, previous),
        (None, _) => side.evaluate_create(&witness.object),
    };
    let was_valid =
        witness.previous.as_ref().is_none_or(|previous| one.evaluate_existing(previous).is_accepted());
    was_valid && ask(one).is_accepted() && ask(other).is_refused()
}

fn describe(change: &Change) -> String {
    let limits = change.limits.iter().map(|limit| format!("{:?} → {:?}", limit.before, limit.after));
    let limits = limits.collect::<Vec<_>>().join("; ");
    format!(
        "{:12} proved {:5} witnesses {:?} {} {} {limits} {:?} {:?}",
        change.direction.as_str(),
        change.proved,
        (change.refused.is_some(), change.accepted.is_some()),
        change.at,
        change.what,
        change.proofs.iter().map(|proof| (proof.excludes, &proof.by)).collect::<Vec<_>>(),
        change.notes
    )
}

#[test]
fn each_claim_about_a_release_has_a_proof_or_a_witness() {
    let mut directions: BTreeMap<Direction, [usize; 2]> = BTreeMap::new();
    let mut missing = Vec::new();
    for (file, version, edits) in RELEASES {
        let Some(text) = kvrules_testdata::read_text(&format!("kubernetes/{file}.yaml")) else { return };
        let definition: Value = serde_yaml::from_str(&text).unwrap();
        let version = &definition["spec"]["versions"][*version];
        let (old, has_status) =
            (&version["schema"]["openAPIV3Schema"], version["subresources"]["status"].is_object());
        let mut new = old.clone();
        for (place, edit) in *edits {
            apply_edit(node_at(&mut new, place), place, edit);
        }
        let sides = [old, &new].map(|schema| Version { schema, has_status });
        let comparison = compare_versions(sides[0], sides[1], &json!({}));
        let [one, other] = sides.map(SchemaEvaluator::new);
        println!("{file}");
        for change in &comparison.changes {
            println!("  {}", describe(change));
            let count = directions.entry(change.direction).or_default();
            count[0] += 1;
            count[1] += usize::from(change.proved);
            let shows = [
                change.refused.as_ref().map(|witness| is_confirmed(witness, &one, &other)),
                change.accepted.as_ref().map(|witness| is_confirmed(witness, &other, &one)),
            ];
            let wanted = [change.direction.is_tightening(), change.direction.is_loosening()];
            assert_eq!(shows.map(|shown| shown == Some(true)), wanted, "{file}: {change:#?}");
            if !change.proved {
                missing.push(format!("{file}: {}", describe(change)));
            }
        }
    }
    println!("direction: [changes, proved] {directions:#?}");
    println!("not proved: {}\n{}", missing.len(), missing.join("\n"));
    let unknown = directions.get(&Direction::Unknown).map_or(0, |count| count[0]);
    assert_eq!(unknown, 0);
}
